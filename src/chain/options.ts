// The parts of a local chain.
import type { Database } from "bun:sqlite";
import type { BlockMode, Releases, TxOutcome } from "../engine/chain-port.ts";
import type { CheckpointText } from "../engine/checkpoints.ts";
import type { ConsensusPower } from "../engine/consensus-set.ts";
import type { BlockInfo } from "../engine/core.ts";
import type { EngineListener } from "../engine/domains.ts";
import type { CommittedBlock, TxResult } from "../engine/engine.ts";
import type { Genesis } from "../engine/genesis.ts";
import type { HaltedMarket } from "../engine/markets/records.ts";
import type { Duty, EpochInfo } from "../engine/ports.ts";
import type { State } from "../engine/state.ts";
import type { EventTap } from "../store/event-feed.ts";
import type { FileSync } from "../store/wal.ts";
import type { CheckedTransaction, Verdict } from "../wire/transaction-check.ts";
import type { AdmissionRules } from "./admission/rules.ts";
import type { BlockSink } from "./outbox.ts";

/**
 * The sequencer's port to a state machine. `engine/engine.ts` is the real one; tests have a small one of their
 * own. The calls of one block:
 *
 *   beginBlock → deliver or reject … → endBlock → commit, and check between blocks
 */

export type EngineResult = TxResult;
export type EngineCommit = CommittedBlock;
/** Called as things happen inside a block; admission follows them. */
export type EngineFollower = Required<Omit<EngineListener, "hasModels" | "idAfter" | "marketRules">>;

export interface ChainEngine {
  readonly chainId: string;
  readonly state: State;
  readonly epoch: EpochInfo;
  /** The pseudo block of the genesis; `commit` ends it. */
  initChain(): void;
  beginBlock(header: BlockInfo & { readonly proposer?: string }): void;
  /** For the mempool: changes nothing. */
  check(tx: CheckedTransaction): EngineResult;
  /** Executes a transaction that admission has let through, and emits its events. */
  deliver(tx: CheckedTransaction): EngineResult;
  /** A transaction that admission refused in a block. */
  reject(tx: CheckedTransaction, text: string): void;
  endBlock(): void;
  commit(): EngineCommit;
  /** The state was loaded, or taken back, to what it was at the end of this block. */
  resume(block: BlockInfo): void;
  /** Something waits for the next block and nothing else will bring it about. */
  wantsBlock(): boolean;
  /** Present duties of a node's validator. */
  duties(nodeId: string): readonly Duty[];
  /** Gas of the transactions of a block at the most (`network.transactions.maxgasperblock`). */
  readonly blockGasMax: number;
  /** A checkpoint, which another chain can begin with (docs/protocol/60-state-engine-parameters.md#12-checkpoints). */
  checkpoint(): CheckpointText;
  /** Why no further block can be made; undefined while all is well. */
  haltReason(): string | undefined;
  releases?(): Releases;
  /** Markets that a fault of this program has stopped. */
  haltedMarkets(): readonly HaltedMarket[];
  /**
   * The event behind the last block of a chain that stops for an upgrade
   * (docs/protocol/60-state-engine-blocks.md#14-beginblock-order, step 1).
   */
  upgradeStarted(): EngineCommit["block"] | undefined;
  /** Members of consensus, by key: for a chain whose blocks come from a consensus engine. */
  consensusMembers(): readonly ConsensusPower[];
  /** Those that change with the last block. */
  consensusUpdates(): readonly ConsensusPower[];
  /** The nodes by their consensus keys. */
  consensusNodes(): readonly { readonly key: string; readonly nodeId: string; readonly name: string }[];
  /** Tokens in the party's staking account; undefined without one. For the spam policies. */
  stakeOf(party: string): bigint | undefined;
  /** Sets a general account's balance; inside a block, before its transactions (devnet tools). @throws CommandError */
  setBalance(party: string, asset: string, balance: bigint): void;
  /** Sets a network parameter; inside a block, before its transactions (devnet tools). @throws CommandError */
  setParameter(key: string, value: string): void;
}

/** Makes the engine of a chain; `follower` is called for what happens in it. */
type MakeEngine = (follower: EngineFollower) => ChainEngine;

// The two doors of a chain to the world, and what else is saved with it. The node brings them: devnet/clock.ts and
// devnet/random.ts; a test brings its own.

/** Something that belongs to the chain and is saved with every block: its text is small. */
export interface ChainPart {
  /** Names it in the store and in dumps. */
  readonly name: string;
  /** Everything it knows, as text. */
  save(): string;
  load(text: string): void;
}

export interface ChainClock extends ChainPart {
  /**
   * Time of the next block: whole microseconds in Unix nanoseconds. Changes nothing.
   * @param roomNs whole microseconds, at least one, that the last block needs for its rows
   */
  timeAfter(lastNs: bigint, roomNs: bigint): bigint;
  /** Lag of a running clock behind the last block: time stands nearly still until it has caught up. */
  behindNs(lastNs: bigint): bigint;
  /** A block of this time is made. */
  made(timeNs: bigint): void;
  /** Moves the clock forward from where the chain is: a clock that is behind the last block goes on from there. */
  forward(nanoseconds: bigint, lastNs: bigint): void;
  setNext(timeNs: bigint): void;
  /** @param lastNs time of the last block: a clock that was frozen goes on from there */
  freeze(frozen: boolean, lastNs: bigint): void;
  /** As `freeze`, for as long as a call lasts: not saved, and any number of calls may hold it. */
  hold(isHeld: boolean, lastNs: bigint): void;
  /** Frozen or held. */
  readonly isFrozen: boolean;
}

export interface ChainRandom extends ChainPart {
  /** This many bytes, none like the ones before. */
  bytes(count: number): Uint8Array;
}

// Limits of the mempool and of blocks (docs/protocol/30-node-api-transactions.md#25-size-limits and
// docs/protocol/30-node-api-endpoints.md#74-duplicates-and-replays), and how often state is saved.

const GIB = 1024 ** 3;
const MIB = 1024 ** 2;

export interface SequencerLimits {
  /** Transactions in the mempool. */
  readonly mempoolTxsMax: number;
  readonly mempoolBytesMax: number;
  /** Hashes remembered, so that the same bytes are not taken twice. */
  readonly cachedHashesMax: number;
  /** Bytes of transactions in a block. */
  readonly blockBytesMax: number;
  /** Time that `commit` waits for its block, milliseconds. */
  readonly commitWaitMs: number;
  /** The stored state is brought up to date after this many blocks that changed something ... */
  readonly stateBlocksMax: number;
  /** ... or this many transactions: what a restart has to replay ... */
  readonly stateTxsMax: number;
  /** ... or this many changed entries, which wait in memory until then. */
  readonly stateChangesMax: number;
  /** Blocks of one `mine`. */
  readonly mineBlocksMax: number;
  readonly snapshotsMax: number;
}

/** Room for transactions that wait; the rest is usual. */
export type MempoolLimits = Partial<Pick<SequencerLimits, "mempoolTxsMax" | "mempoolBytesMax">>;

export const SEQUENCER_LIMITS: SequencerLimits = {
  mempoolTxsMax: 5_000,
  mempoolBytesMax: GIB,
  cachedHashesMax: 10_000,
  blockBytesMax: 21 * MIB,
  commitWaitMs: 10_000,
  stateBlocksMax: 1_000,
  stateTxsMax: 20_000,
  stateChangesMax: 20_000,
  mineBlocksMax: 1_000_000,
  snapshotsMax: 100,
};

// Changes of the devnet's tools inside a block, before its transactions: stored with it, so that it can be replayed.

interface BalanceText {
  readonly party: string;
  readonly asset: string;
  /** Decimal, in the asset's smallest unit. */
  readonly balance: string;
}

export type ToolCommand =
  | { readonly kind: "balances"; readonly balances: readonly BalanceText[] }
  | { readonly kind: "parameter"; readonly key: string; readonly value: string };

/** @throws CommandError */
export function applyTool(engine: ChainEngine, command: ToolCommand): void {
  if (command.kind === "parameter") engine.setParameter(command.key, command.value);
  else {
    for (const { party, asset, balance } of command.balances)
      engine.setBalance(party, asset, BigInt(balance));
  }
}

export interface LocalChainOptions {
  /** The writer's connection (store/database.ts): the chain alone writes on it. */
  readonly db: Database;
  readonly genesis: Genesis;
  readonly makeEngine: MakeEngine;
  readonly clock: ChainClock;
  readonly random: ChainRandom;
  /** When the process began, Unix nanoseconds: for the status. */
  readonly startedNs: bigint;
  /** Default: instant. */
  readonly mode?: BlockMode;
  /** Checks transactions without state; default: here and now. Workers may do it. The hash is theirs, lower-case hex. */
  checkTransaction?(bytes: Uint8Array, chainId: string, hash: string): Verdict | Promise<Verdict>;
  readonly rules?: AdmissionRules;
  readonly limits?: Partial<SequencerLimits>;
  /** Saved with the chain, besides clock and randomness: the bridge simulator. */
  readonly parts?: readonly ChainPart[];
  /** The store is not read again after a crash. */
  readonly isTemporary?: boolean;
  /** Sync of the store's log; tests let it fail. */
  readonly disk?: FileSync;
  /** An event file that every block is appended to. */
  readonly recordTo?: string;
  /** Takes every block for a data node; blocks are not taken back then. */
  readonly outbox?: BlockSink;
  /** Takes the events of blocks that are committed, for streams. */
  readonly tap?: EventTap;
  /** Whether the texts of failed transactions are stored beside their codes. */
  readonly keepTexts?: boolean;
  /** Told after every commit to disk; history segments follow it. */
  onCommitted?(height: number): void;
  /** Reads the genesis of a dump; refuses one that this chain could not be opened with. */
  readGenesis?(text: string): Genesis;
  /** Told after a load: from now on the chain is opened with this genesis document. */
  onLoaded?(genesis: string): void;
  /** Called with every verdict: of a refused submission (without a command where it cannot be read), of an executed one. */
  onOutcome?(outcome: TxOutcome, tx: CheckedTransaction | undefined): void;
  /** Called after a revert or a load, when the store's head has moved back: everything beyond it must be forgotten. */
  onReverted?(height: number): void;
  /** Told when the chain halts, and with undefined when it goes on. */
  onHalt?(reason: string | undefined): void;
}

/** The chain in a home, as the start found it. */
export interface Resumption {
  readonly height: number;
  /** Height of the state that was loaded; undefined for a new chain. */
  readonly stateHeight: number | undefined;
  readonly replayed: number;
  readonly tookMs: number;
  /** "resumed at block 812: state of block 800, 12 blocks replayed in 4 ms". */
  readonly sentence: string;
}
