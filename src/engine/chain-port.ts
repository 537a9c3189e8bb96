/**
 * A running chain as the planes and the devnet's tools see it. Everything is plain data and every call is a promise,
 * because the chain may run on another thread than the HTTP server.
 */

import type { ChainCallCode } from "../errors/detail-codes.ts";
import type { RuleName } from "../errors/rules.ts";
import type { HaltedMarket } from "./markets/records.ts";

/** Why a transaction was refused, beyond the text: the rule by name and the caller's own numbers. */
export interface RefusalDetails {
  /** Stable name of the rule, e.g. `pow_tid_used`, `spam_proposals`, `insufficient_funds`. */
  readonly rule: RuleName;
  /** Numbers as decimal strings, e.g. `{ used: "3", limit: "3", epoch: "7", nextEpochSeconds: "42" }`. */
  readonly numbers: Readonly<Record<string, string>>;
  /** A sentence for a person, with the numbers in it: "3 of 3 proposals used in epoch 7, next epoch in 42 s". */
  readonly sentence: string;
}

/** Outcome of a transaction. */
export interface TxOutcome {
  /** SHA-256 of the bytes, upper-case hex. */
  readonly hash: string;
  /**
   * 0 or the result code (docs/protocol/30-node-api-endpoints.md#71-abci-result-codes): of the check, or of the
   * execution when the caller waited for it.
   */
  readonly code: number;
  /** The refusal's text; empty without one. */
  readonly text: string;
  readonly details: RefusalDetails | undefined;
  readonly gasWanted: number;
  /** Height of the block that holds it when the caller waited for it; else 0. */
  readonly height: number;
}

/**
 * Failure of the call itself, not a verdict on the transaction: HTTP 500
 * (docs/protocol/30-node-api-endpoints.md#51-coreservice and #74-duplicates-and-replays).
 */
export class ChainCallError extends Error {
  override readonly name = "ChainCallError";
  constructor(
    readonly code: ChainCallCode,
    message: string,
  ) {
    super(message);
  }
}

/** In the words of a failed call that cannot have handed the transaction on. */
export const NOT_SENT = "nothing was sent";

/** Commands about orders that were executed, those of a batch one by one, and trades: since the process began, or of a block. */
export interface TradingCounts {
  readonly submissions: number;
  readonly amendments: number;
  readonly cancellations: number;
  readonly trades: number;
}

export const NO_TRADING: TradingCounts = { submissions: 0, amendments: 0, cancellations: 0, trades: 0 };

/** The last block and what clients need to make a proof of work for it. */
export interface ChainStatus {
  readonly chainId: string;
  readonly height: number;
  /** Lower-case hex. */
  readonly hash: string;
  /** Lower-case hex; empty for an empty block that was committed together with later ones. */
  readonly appHash: string;
  /** Block time, Unix nanoseconds. */
  readonly timeNs: bigint;
  readonly previousTimeNs: bigint;
  readonly genesisTimeNs: bigint;
  /** When the process began, Unix nanoseconds. */
  readonly startedNs: bigint;
  readonly epoch: { readonly seq: bigint; readonly startNs: bigint; readonly expireNs: bigint };
  readonly pow: {
    readonly hashFunction: string;
    readonly difficulty: number;
    readonly pastBlocks: number;
    readonly txPerBlock: number;
    readonly increasingDifficulty: boolean;
  };
  readonly mempool: { readonly count: number; readonly bytes: number };
  readonly totals: {
    readonly txsLastBlock: number;
    readonly averageTxBytes: number;
    readonly events: bigint;
    readonly eventsLastBlock: number;
    readonly trading: TradingCounts;
    readonly tradingLastBlock: TradingCounts;
  };
  /** The chain has stopped for good (disk full, invariant, upgrade): why, in one sentence. */
  readonly halted: string | undefined;
  /** Markets that a fault of this program has stopped, while the chain goes on. */
  readonly haltedMarkets: readonly HaltedMarket[];
  /** Absent before the first block. */
  readonly releases?: Releases | undefined;
  /** Absent where the chain makes its own blocks. */
  readonly consensus?: ConsensusReport;
}

/** Tags of releases of the network, such as `v0.71.6`: upgrades are judged by them. */
export interface Releases {
  /** That the chain runs. */
  readonly chain: string;
  /** The latest whose chains this program makes. */
  readonly program: string;
}

/** A chain's consensus engine, and the other validators. */
export interface ConsensusReport {
  /** Why readers and senders are better served elsewhere, in one sentence. */
  readonly notReady: string | undefined;
  /** Whether the engine is connected with the chain, and since when, Unix nanoseconds. */
  readonly isConnected: boolean;
  readonly sinceNs: bigint;
  /** Of the engine, by its last answer. */
  readonly version: string | undefined;
  readonly isCatchingUp: boolean;
  /** Nodes that the engine is connected with. */
  readonly peers: number;
  /** Validators with a vote. */
  readonly validators: number;
  /** When the last block came, Unix nanoseconds. */
  readonly blockNs: bigint;
  /** Lead of this machine's clock over the chain's; 0 without evidence. */
  readonly clockSkewSeconds: number;
  /** Reports of blocks since the start that a validator signed twice. */
  readonly doubleSigned: DoubleSigning;
}

export interface DoubleSigning {
  readonly count: number;
  /** The last one that this validator's own key is in, in one sentence. */
  readonly own: string | undefined;
}

/** A part of the state with its digest, as of the last block: of all tables, or of a table below some digits of positions. */
export interface StatePart {
  readonly height: number;
  /** Lower-case hex. */
  readonly appHash: string;
  /** 64 hex digits: equal for equal content. */
  readonly digest: string;
  readonly entries: number;
  /** Of the whole state. */
  readonly tables?: readonly { readonly table: string; readonly entries: number; readonly digest: string }[];
  /** Digests by the next hexadecimal digit, empty where there is nothing. */
  readonly children?: readonly string[];
  /** The entries, where the table does not branch further. */
  readonly leaf?: readonly { readonly key: string; readonly value: string }[];
}

export interface ChainPort {
  /** As of the last block; changes when `onBlock` listeners are called. */
  readonly status: ChainStatus;
  /** Called after every block is committed. @returns a function that ends it */
  onBlock(listener: (status: ChainStatus) => void): () => void;
  /**
   * Checks a transaction and puts it into the mempool.
   * @param wait `check`: for the verdict of the mempool; `commit`: until it is in a block, at most 10 seconds
   * @throws ChainCallError
   */
  submit(bytes: Uint8Array, wait: "check" | "commit"): Promise<TxOutcome>;
  /** The verdict alone. It leaves no trace: the same transaction can be submitted after it. @throws ChainCallError */
  check(bytes: Uint8Array): Promise<TxOutcome>;
  /** Statistics of a party in the form of admission/admission.ts. */
  spamStatistics(party: string): Promise<unknown>;
  /**
   * A part of the state as of the last block, for comparing nodes; a chain whose state is elsewhere has none.
   * @param prefix hexadecimal digits of positions @returns undefined where there is nothing
   */
  statePart?(table: string | undefined, prefix: string): Promise<StatePart | undefined>;
}

/** A block that a proof of work may name, with the parameters that hold for it. */
export interface ProofBlock {
  readonly chainId: string;
  readonly height: bigint;
  /** Lower-case hex. */
  readonly hash: string;
  readonly hashFunction: string;
  readonly difficulty: number;
  readonly pastBlocks: bigint;
  readonly txPerBlock: bigint;
  readonly increasingDifficulty: boolean;
}

/** A submitted transaction: its outcome, or whether it waits for a block; `unknown` to a chain that was taken back. */
export type TxState = TxOutcome | "waiting" | "unknown";

/** A transaction that waits for a block. */
export interface PendingTransaction {
  /** SHA-256 of the bytes, upper-case hex. */
  readonly hash: string;
  readonly bytes: Uint8Array;
  /** Unsigned, by the devnet's tools. */
  readonly isImpersonated: boolean;
}

/** Source of blocks. */
export type BlockMode =
  /** A transaction makes a block at once; there are no empty blocks. */
  | { readonly kind: "instant" }
  /** A block every `intervalMs`, empty or not. */
  | { readonly kind: "interval"; readonly intervalMs: number }
  /** At once for a transaction, and at the latest every `intervalMs`. */
  | { readonly kind: "mixed"; readonly intervalMs: number }
  /** Only when told to. */
  | { readonly kind: "manual" };

/** New balance of a general account. */
export interface BalanceSetting {
  readonly party: string;
  readonly asset: string;
  readonly balance: bigint;
}

/** An unsigned command of a party. @param command JSON of one command, as in InputData */
export interface UnsignedCommand {
  readonly party: string;
  readonly command: object;
}

/** A proposal whose times are counted from the block that holds it, in seconds. */
export interface UnsignedProposal {
  readonly party: string;
  /** JSON of a `proposalSubmission` whose terms have no times. */
  readonly submission: { readonly terms: object; readonly [member: string]: unknown };
  readonly closeAfterS: bigint;
  readonly enactAfterS: bigint;
}

export interface ProposalOutcome {
  readonly id: string;
  /** Of the proposal, then of its proposer's vote. */
  readonly outcomes: readonly TxOutcome[];
  /** Unix nanoseconds. */
  readonly closingNs: bigint;
}

export interface RememberedRefusal {
  readonly outcome: TxOutcome;
  readonly party?: string;
  /** `InputData` as JSON, where it is not too long. */
  readonly command?: Readonly<Record<string, unknown>>;
}

/** The chain after its clock was changed. */
export interface ClockStatus extends ChainStatus {
  /** Time of the next block if it were made now, Unix nanoseconds. */
  readonly nextTimeNs: bigint;
  readonly isFrozen: boolean;
}

/** A validator among the others, as its consensus engine says, and the transactions that it owes. */
export interface ValidatorStanding {
  /** Undefined where the chain makes its own blocks, and for a node that the chain has no validator of. */
  readonly nodeId: string | undefined;
  /** Whether this node has keys to do the duties with. */
  readonly hasKeys: boolean;
  readonly duties: readonly { readonly kind: "vote" | "sign" | "heartbeat"; readonly about: string }[];
  /** A fault that its operator must mend. */
  readonly problem?: string | undefined;
  /** Undefined where there is none; a text: why it does not answer. */
  readonly engine: EngineStanding | string | undefined;
}

/** A node that a consensus engine is connected with. */
export interface EnginePeer {
  readonly id: string;
  readonly name: string;
  readonly host: string;
  /** Whether the connection was made from here. */
  readonly isOutbound: boolean;
  readonly connectedNs: bigint;
  /** That it works on; undefined before it has said so. */
  readonly height: number | undefined;
}

export interface EngineStanding {
  readonly name: string;
  readonly version: string;
  readonly height: number;
  readonly isCatchingUp: boolean;
  readonly power: bigint;
  readonly totalPower: bigint;
  /** Undefined where it signed none of the last blocks. */
  readonly lastSigned: number | undefined;
  readonly peers: readonly EnginePeer[];
}

/** Where a snapshot stands among the others. */
export interface SnapshotPlace {
  readonly id: string;
  /** Of the last block that it holds. */
  readonly height: number;
  /** Of that block, Unix nanoseconds; undefined of a snapshot that an older release took. */
  readonly timeNs: bigint | undefined;
  /** The snapshot that the chain had come from when this one was taken; undefined of the first. */
  readonly parent: string | undefined;
  /** False of one that a revert to an earlier one removed. */
  readonly isUsable: boolean;
}

/** The developer's tools (docs/devnet.md): on loopback only, and in no other mode. */
export interface DevnetPort extends ChainPort {
  statePart(table: string | undefined, prefix: string): Promise<StatePart | undefined>;
  mine(blocks: number): Promise<ChainStatus>;
  /** Verdict of a transaction that was recently refused or failed; numbers are left out. @param hash hexadecimal */
  refusalOf(hash: string): Promise<RememberedRefusal | undefined>;
  /** The blocks that a proof of work may name in the next block, oldest first. */
  proofBlocks(): Promise<readonly ProofBlock[]>;
  /**
   * States of transactions that the mempool took, in the order of their hashes (upper-case hex); settles when one of
   * them no longer waits, at the latest after `waitMs`. @throws ChainCallError
   */
  outcomesOf(hashes: readonly string[], waitMs: number): Promise<readonly TxState[]>;
  /** Transactions that wait for a block, in the order in which blocks take them. @param most of them */
  pending(most: number): Promise<readonly PendingTransaction[]>;
  /** A text that no other draw gives, from the chain's own source of randomness; undefined behind HTTP. */
  drawSalt?(): string;
  /** Moves the clock forward; takes effect with the next block. */
  forwardTime(nanoseconds: bigint): Promise<ClockStatus>;
  /** Time of the next block, Unix nanoseconds; must be after the last one. */
  setNextBlockTime(timeNs: bigint): Promise<ClockStatus>;
  /** A frozen clock gives each block the smallest step after the last one. */
  freezeClock(frozen: boolean): Promise<ClockStatus>;
  /** The same while a call lasts; a restart ends it. Each hold is to be released once. */
  holdClock(isHeld: boolean): Promise<ClockStatus>;
  clock(): Promise<ClockStatus>;
  setBlockMode(mode: BlockMode): Promise<ChainStatus>;
  blockMode(): Promise<BlockMode>;
  /** Moves time and makes blocks until the running epoch has ended and the next one has begun. */
  endEpoch(): Promise<ChainStatus>;
  /** State, blocks, clock, randomness and mempool together. @returns the snapshot's id */
  snapshot(): Promise<string>;
  /** Of a node without a consensus engine: nothing. */
  validatorStanding(): Promise<ValidatorStanding>;
  /** The oldest first: those that can be reverted to, and those that a revert removed since the start. */
  snapshots(): Promise<readonly SnapshotPlace[]>;
  /** Back to a snapshot, which stays usable; later ones are gone. */
  revert(id: string): Promise<ChainStatus>;
  /** The whole state as one text (JSON). */
  dump(): Promise<string>;
  /** A checkpoint for another chain, as `app_state.checkpoint` of its genesis (JSON). */
  checkpoint(): Promise<string>;
  load(dump: string): Promise<ChainStatus>;
  /** Begins again from the genesis, with the parties funded as at the start. */
  reset(): Promise<ChainStatus>;
  /** Accepts an unsigned command of a party as if it had signed it. @param command JSON of one command, as in InputData */
  impersonate(party: string, command: object): Promise<TxOutcome>;
  /** Executes unsigned commands in one block, which is made now: in this order, before waiting transactions. */
  perform(commands: readonly UnsignedCommand[]): Promise<readonly TxOutcome[]>;
  /** Executes a proposal and its proposer's vote in one block, which is made now: its time counts, whenever it comes. */
  propose(proposal: UnsignedProposal): Promise<ProposalOutcome>;
  /** Lets time pass, and a block come after it: at once, where the chain makes its own blocks and time. */
  letPass(nanoseconds: bigint): Promise<ChainStatus>;
  /** Makes a block at this time, or as soon after it as the clock allows. @param timeNs Unix nanoseconds */
  reachTime(timeNs: bigint): Promise<ChainStatus>;
  /** Sets a general account's balance. Takes a block. */
  setBalance(party: string, asset: string, balance: bigint): Promise<ChainStatus>;
  /** The same for many at once. Takes one block; all or none. */
  setBalances(balances: readonly BalanceSetting[]): Promise<ChainStatus>;
  /** Takes a block, and one more where the value holds only after it. */
  setParameter(key: string, value: string): Promise<ChainStatus>;
  /** @param untilNs Unix nanoseconds; undefined pardons */
  ban(party: string, untilNs: bigint | undefined): Promise<void>;
  /** The bridge simulator (ethereum/bridge-simulator.ts). Waits until its effect is on the chain. */
  bridge: BridgePort;
}

/** An Ethereum event included in a block. */
export interface BridgeReceipt {
  /** Of the event and its object: a deposit, a linking. */
  readonly id: string;
  /** Why its effect is not on the chain yet, although it will be; absent when it is. */
  readonly pending?: string;
}

/** A failed call has no effect, now or later: an event in a block fails only when the chain refuses it. */
export interface BridgePort {
  /** Deposits an asset, builtin or ERC20, for a party; 64 zeros stand for the treasury. */
  deposit(party: string, asset: string, amount: bigint): Promise<BridgeReceipt>;
  /** Links stake to a party. */
  stake(party: string, amount: bigint): Promise<BridgeReceipt>;
  unstake(party: string, amount: bigint): Promise<BridgeReceipt>;
  /** Lists an asset whose signatures are complete. @throws ChainCallError `bridge` when the signatures do not verify */
  list(asset: string): Promise<BridgeReceipt>;
  /** Brings the limits of an enacted update. */
  setLimits(proposal: string): Promise<BridgeReceipt>;
  addSigner(address: string): Promise<BridgeReceipt>;
  removeSigner(address: string): Promise<BridgeReceipt>;
  setThreshold(threshold: number): Promise<BridgeReceipt>;
  /** Claims a withdrawal with its bundle. @throws ChainCallError `bridge` when the bundle does not verify */
  claim(withdrawal: string): Promise<BridgeReceipt>;
  stopBridge(): Promise<BridgeReceipt>;
  resumeBridge(): Promise<BridgeReceipt>;
}
