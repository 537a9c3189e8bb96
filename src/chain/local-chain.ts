/**
 * A chain in this process: the sequencer, its store and the devnet's tools behind the ports of the engine. It owns the
 * writer's connection that it is given; there is no other writer on it.
 */

import {
  type BalanceSetting,
  type BlockMode,
  ChainCallError,
  type ChainPort,
  type ChainStatus,
  type ClockStatus,
  type DevnetPort,
  type PendingTransaction,
  type ProofBlock,
  type ProposalOutcome,
  type RememberedRefusal,
  type SnapshotPlace,
  type StatePart,
  type TxOutcome,
  type TxState,
  type UnsignedCommand,
  type UnsignedProposal,
  type ValidatorStanding,
} from "../engine/chain-port.ts";
import { CHAIN_TIME_MAX_NS } from "../engine/genesis.ts";
import type { Duty } from "../engine/ports.ts";

import { UINT_MAX } from "../engine/values.ts";
import { NodeError } from "../errors/node-error.ts";

import { BlockWriter } from "../store/block-writer.ts";
import { encodeInputData, type InputData, TxVersion } from "../wire/generated/commands.ts";
import { hexOf, isHex64 } from "../wire/identifiers.ts";
import { fromJson } from "../wire/json.ts";
import { MICROSECOND_NS, rfc3339Nano, SECOND_NS } from "../wire/time-text.ts";
import { rootId, SIGNATURE_ALGORITHM, SIGNATURE_VERSION, serializeTransaction } from "../wire/transaction.ts";
import { readTrusted } from "../wire/transaction-check.ts";
import { PropertyErrors } from "../wire/validate/check.ts";
import { spamStatistics } from "./admission/admission.ts";
import { ChainCore } from "./chain-core.ts";
import { storeErrorOf } from "./chain-store.ts";
import { genesisOfDump, loadDump, loadFailure, readDump, writeDump } from "./dump.ts";
import { pooled } from "./mempool.ts";
import type { LocalChainOptions, Resumption } from "./options.ts";
import { SEQUENCER_LIMITS, type SequencerLimits } from "./options.ts";
import { RecentRefusals } from "./refusals.ts";
import { Sequencer, type ToolTransaction, yieldToOthers } from "./sequencer.ts";
import { Snapshots } from "./snapshots.ts";
import { statePartOf } from "./state-view.ts";

/** The devnet's tools that need nothing but the chain. */
type SequencerTools = Omit<DevnetPort, "bridge" | "reset">;

/** A quiet chain's log stays small, so that empty blocks cost no disk. */
const CHECKPOINT_BYTES = 2 * 1024 * 1024;
const STEP_NS = MICROSECOND_NS;
const MANY_BLOCKS = 1_000;
/** After many blocks: no more were asked for in this time. */
const TIDY_MS = 300;
/** Blocks that the end of an epoch and the beginning of the next take, with some to spare. */
const EPOCH_BLOCKS_MAX = 10;
const ED25519_SIGNATURE_BYTES = 64;
const SALT_BYTES = 8;

export class LocalChain implements ChainPort, SequencerTools {
  private readonly core: ChainCore;
  private readonly writer: BlockWriter;
  private readonly sequencer: Sequencer;
  private readonly marks: Snapshots;
  private readonly limits: SequencerLimits;
  private readonly refusals = new RecentRefusals();
  /** The tools that take a while come one after the other. */
  private queue: Promise<unknown> = Promise.resolve();
  private tidying: ReturnType<typeof setTimeout> | undefined;
  /** The opening of the chain: a sentence for the log, and the numbers in it. */
  readonly resumption: Resumption;

  /** Opens the chain of a home, or begins it. @throws NodeError when the home holds something else, or is damaged */
  constructor(private readonly options: LocalChainOptions) {
    this.limits = { ...SEQUENCER_LIMITS, ...options.limits };
    this.writer = new BlockWriter(options.db, {
      allOrNothing: true,
      checkpointBytes: CHECKPOINT_BYTES,
      disk: options.disk,
      ...(options.isTemporary && { isTemporary: true }),
    });
    // The log is cut back to this when it restarts.
    options.db.run(`PRAGMA journal_size_limit = ${CHECKPOINT_BYTES}`);
    this.core = new ChainCore(options, this.writer, this.limits);
    const onOutcome: LocalChainOptions["onOutcome"] = (outcome, tx) => {
      this.refusals.add(outcome, tx);
      options.onOutcome?.(outcome, tx);
    };
    this.sequencer = new Sequencer(this.core, { ...options, onOutcome }, this.limits);
    this.marks = new Snapshots(options.db, this.core, this.sequencer.mempool, this.limits.snapshotsMax);
    this.resumption = this.core.open();
    this.sequencer.onBlock(() => this.marks.limitMemory());
    this.sequencer.start();
  }

  get status(): ChainStatus {
    return this.sequencer.status;
  }

  /** Lead of the last block over the running clock, nanoseconds: until then time stands nearly still. */
  get clockBehindNs(): bigint {
    return this.options.clock.behindNs(this.status.timeNs);
  }

  onBlock(listener: (status: ChainStatus) => void): () => void {
    return this.sequencer.onBlock(listener);
  }

  submit(bytes: Uint8Array, wait: "check" | "commit"): Promise<TxOutcome> {
    return this.sequencer.submit(bytes, wait);
  }

  async check(bytes: Uint8Array): Promise<TxOutcome> {
    return this.sequencer.check(bytes);
  }

  async spamStatistics(party: string) {
    const { admission } = this.core;
    const { chainId, pow, spam, rules } = admission;
    return spamStatistics({ chainId, pow, spam, rules }, party);
  }

  /** Present duties of a node's validator, for the holder of its keys. */
  duties(nodeId: string): readonly Duty[] {
    return this.core.engine.duties(nodeId);
  }

  /** Verdict of a transaction that was recently refused or failed. @param hash hexadecimal */
  async refusalOf(hash: string): Promise<RememberedRefusal | undefined> {
    return this.refusals.find(hash.toUpperCase());
  }

  async statePart(table: string | undefined, prefix: string): Promise<StatePart | undefined> {
    const { engine, point } = this.core;
    return statePartOf({ state: engine.state, point }, table, prefix);
  }

  async proofBlocks(): Promise<readonly ProofBlock[]> {
    const { chainId, pow } = this.core.admission;
    return pow
      .namedBlocks()
      .map(({ height, hash, parameters }) => ({ chainId, height, hash, ...parameters }));
  }

  outcomesOf(hashes: readonly string[], waitMs: number): Promise<readonly TxState[]> {
    return this.sequencer.outcomesOf(hashes, waitMs);
  }

  async pending(most: number): Promise<readonly PendingTransaction[]> {
    return this.sequencer.mempool
      .entries()
      .take(most)
      .map(({ hash, bytes, isImpersonated }) => ({ hash, bytes, isImpersonated }))
      .toArray();
  }

  async mine(blocks: number): Promise<ChainStatus> {
    if (!Number.isSafeInteger(blocks) || blocks < 0 || blocks > this.limits.mineBlocksMax) {
      throw invalid("mine", `the number of blocks must be whole, 0 to ${this.limits.mineBlocksMax}`);
    }
    return this.inTurn(async () => {
      await this.sequencer.mine(blocks);
      if (blocks >= MANY_BLOCKS) this.tidySoon();
      return this.status;
    });
  }

  async forwardTime(nanoseconds: bigint): Promise<ClockStatus> {
    if (nanoseconds < 0n) throw invalid("time", "time cannot step backwards");
    const { clock } = this.options;
    checkTime(this.core.nextTimeNs + nanoseconds);
    return this.changeClock(() => clock.forward(nanoseconds, this.status.timeNs));
  }

  async setNextBlockTime(timeNs: bigint): Promise<ClockStatus> {
    const { earliestTimeNs } = this.core;
    if (timeNs < earliestTimeNs) {
      const text = `the next block must be at ${rfc3339Nano(earliestTimeNs)} or later: the last one needs a microsecond for each of its rows`;
      throw invalid("time", text);
    }
    checkTime(timeNs);
    return this.changeClock(() => this.options.clock.setNext(timeNs));
  }

  drawSalt(): string {
    return hexOf(this.options.random.bytes(SALT_BYTES));
  }

  async freezeClock(frozen: boolean): Promise<ClockStatus> {
    return this.changeClock(() => this.options.clock.freeze(frozen, this.status.timeNs));
  }

  async holdClock(isHeld: boolean): Promise<ClockStatus> {
    this.options.clock.hold(isHeld, this.status.timeNs);
    return this.clock();
  }

  async clock(): Promise<ClockStatus> {
    return { ...this.status, nextTimeNs: this.core.nextTimeNs, isFrozen: this.options.clock.isFrozen };
  }

  async blockMode(): Promise<BlockMode> {
    return this.sequencer.blockMode;
  }

  async setBlockMode(mode: BlockMode): Promise<ChainStatus> {
    const isTimed = mode.kind === "interval" || mode.kind === "mixed";
    if (!isTimed && mode.kind !== "instant" && mode.kind !== "manual")
      throw invalid("mode", "the mode must be instant, interval, mixed or manual");
    if (isTimed && !(mode.intervalMs >= 1 && mode.intervalMs <= 2 ** 31 - 1)) {
      throw invalid("mode", "the interval must be 1 to 2147483647 milliseconds");
    }
    this.sequencer.setMode(mode);
    return this.status;
  }

  endEpoch(): Promise<ChainStatus> {
    return this.inTurn(() => this.mineToNextEpoch());
  }

  private async mineToNextEpoch(): Promise<ChainStatus> {
    const { clock } = this.options;
    const { seq } = this.core.engine.epoch;
    const before = clock.save();
    for (let blocks = 0; this.core.engine.epoch.seq === seq; blocks++) {
      if (blocks >= EPOCH_BLOCKS_MAX) {
        throw new NodeError(
          "devnet.epoch",
          "epoch_stays",
          `epoch ${seq} did not end within ${blocks} blocks`,
        );
      }
      const next = this.core.nextTimeNs;
      const end = this.core.engine.epoch.expireNs + STEP_NS;
      if (next < end) {
        checkTime(end);
        clock.setNext(end);
      }
      if (blocks > 0) {
        // The first one lies behind the epoch's end: the rest comes with the next blocks.
        if (!(await this.unlessHalted(this.sequencer.mine(1)))) return this.status;
        continue;
      }
      try {
        await this.sequencer.mine(1);
      } catch (error) {
        clock.load(before);
        throw error;
      }
    }
    return this.status;
  }

  /** The request is done already, and only waits for the chain to go on: the status says that it stands still. */
  private unlessHalted(done: Promise<unknown>): Promise<boolean> {
    return done.then(
      () => true,
      (error) => {
        if (error instanceof ChainCallError) return false;
        throw error;
      },
    );
  }

  snapshot(): Promise<string> {
    return this.inTurn(async () => {
      this.sequencer.checkRunning();
      return this.marks.create();
    });
  }

  /** A devnet has its validators in this process, and no engine. */
  async validatorStanding(): Promise<ValidatorStanding> {
    return { nodeId: undefined, hasKeys: true, duties: [], engine: undefined };
  }

  snapshots(): Promise<readonly SnapshotPlace[]> {
    return this.inTurn(async () => this.marks.places());
  }

  revert(id: string): Promise<ChainStatus> {
    return this.inTurn(async () => {
      this.checkBlocksStay("revert");
      const { height, mempoolIsValid } = this.marks.revert(id);
      this.options.onReverted?.(height);
      this.sequencer.onChainRewound(mempoolIsValid);
      return this.status;
    });
  }

  /** Gives up a snapshot; with the last one, what keeps the way back is gone too. */
  dropSnapshot(id: string): Promise<void> {
    return this.inTurn(async () => this.marks.drop(id));
  }

  /** Also for a halted chain: then another chain begins. */
  checkpoint(): Promise<string> {
    return this.inTurn(async () => JSON.stringify(this.core.engine.checkpoint()));
  }

  async dump(): Promise<string> {
    this.sequencer.checkRunning();
    this.core.flush();
    const { height, hash, appHash } = this.core.point;
    const mempool = [...this.sequencer.mempool.entries()].map(({ bytes, gas, isImpersonated }) => ({
      bytes: Buffer.from(bytes).toString("base64"),
      gas,
      impersonated: isImpersonated,
    }));
    return writeDump(this.options.db, this.core.genesis, { height, hash, appHash, mempool });
  }

  load(text: string): Promise<ChainStatus> {
    return this.inTurn(async () => this.replaceBy(text));
  }

  private replaceBy(text: string): ChainStatus {
    const { core, options } = this;
    const dump = readDump(text);
    const genesis = genesisOfDump(dump, options.readGenesis);
    const genesisText = JSON.stringify(dump.genesis);
    if (genesis.chainId !== core.engine.chainId) {
      const both = `the dump is of chain ${genesis.chainId}, this is chain ${core.engine.chainId}`;
      throw new NodeError(
        "devnet.load",
        "chain_mismatch",
        both,
        "start a chain with the genesis of the dump",
      );
    }
    const entries = dump.mempool.map(({ bytes, gas, impersonated }) =>
      pooled(new Uint8Array(Buffer.from(bytes, "base64")), gas, impersonated),
    );
    if (options.recordTo !== undefined)
      throw invalid("load", "a chain that is being recorded cannot load another");
    this.checkBlocksStay("load");
    // When it fails, all that there is now is read again.
    core.saveParts();
    this.marks.cool();
    options.db.run("BEGIN IMMEDIATE");
    try {
      this.marks.dropAll();
      loadDump(options.db, dump);
      core.store.stageGenesis(genesisText);
      core.reopen();
      options.db.run("COMMIT");
    } catch (error) {
      // A full disk may have ended it already.
      if (options.db.inTransaction) options.db.run("ROLLBACK");
      core.reopen();
      this.sequencer.reserveWaiting();
      throw loadFailure(storeErrorOf(error));
    }
    core.genesis = genesis;
    this.sequencer.mempool.load({ entries, cache: [] });
    options.onReverted?.(0);
    this.sequencer.onChainRewound();
    options.onLoaded?.(genesisText);
    return this.status;
  }

  async impersonate(party: string, command: object): Promise<TxOutcome> {
    const { bytes, tx } = this.unsigned(party, command);
    return this.sequencer.submitUnsigned(bytes, tx);
  }

  async perform(commands: readonly UnsignedCommand[]): Promise<readonly TxOutcome[]> {
    const transactions = commands.map(({ party, command }) => this.unsigned(party, command));
    return this.executeNow(() => transactions);
  }

  async propose({ party, submission, closeAfterS, enactAfterS }: UnsignedProposal): Promise<ProposalOutcome> {
    let id = "";
    let closing = 0n;
    const make = (timeNs: bigint) => {
      const nowS = (timeNs + SECOND_NS - 1n) / SECOND_NS;
      closing = nowS + closeAfterS;
      const times = { closingTimestamp: `${closing}`, enactmentTimestamp: `${nowS + enactAfterS}` };
      const terms = { ...submission.terms, ...times };
      const proposal = this.unsigned(party, { proposalSubmission: { ...submission, terms } });
      id = proposal.id;
      const vote = { voteSubmission: { proposalId: id, value: "VALUE_YES" } };
      return [proposal, this.unsigned(party, vote)];
    };
    const outcomes = await this.executeNow(make);
    return { id, outcomes, closingNs: closing * SECOND_NS };
  }

  private async executeNow(make: (timeNs: bigint) => readonly ToolTransaction[]) {
    const outcomes = this.sequencer.execute(make, () => {});
    // A caller that sends one after the other leaves room for everything else.
    await yieldToOthers();
    return outcomes;
  }

  async letPass(nanoseconds: bigint): Promise<ChainStatus> {
    if (nanoseconds > 0n) await this.forwardTime(nanoseconds);
    return this.mine(1);
  }

  reachTime(timeNs: bigint): Promise<ChainStatus> {
    return this.inTurn(async () => {
      checkTime(timeNs);
      const before = this.options.clock.save();
      if (this.core.nextTimeNs < timeNs) this.options.clock.setNext(timeNs);
      try {
        await this.sequencer.mine(1);
      } catch (error) {
        this.options.clock.load(before);
        throw error;
      }
      return this.status;
    });
  }

  /**
   * Executes a transaction whose signature needs no look in a block that is made now.
   * @param make its bytes, with all that changes beside the chain; @param takeBack undoes that, unless a block has it
   * @throws ChainCallError, and what `make` throws: then no block has it, and none will
   */
  execute(make: () => Uint8Array, takeBack: () => void): TxOutcome {
    const read = () => {
      const bytes = make();
      const tx = readTrusted(bytes);
      if (tx instanceof PropertyErrors) throw invalid("transaction", tx.toString());
      return [{ bytes, tx, isImpersonated: false }];
    };
    return this.sequencer.execute(read, takeBack)[0]!;
  }

  async setBalance(party: string, asset: string, balance: bigint): Promise<ChainStatus> {
    return this.setBalances([{ party, asset, balance }]);
  }

  async setBalances(balances: readonly BalanceSetting[]): Promise<ChainStatus> {
    for (const { party, balance } of balances) {
      if (!isHex64(party)) throw invalid("balance", "the party must be a public key: 64 hex digits");
      if (balance < 0n || balance > UINT_MAX)
        throw invalid("balance", "a balance must be 0 or more, of 256 bits at most");
    }
    const texts = balances.map(({ party, asset, balance }) => ({
      party,
      asset,
      balance: balance.toString(),
    }));
    this.sequencer.makeBlockWith({ kind: "balances", balances: texts });
    return this.status;
  }

  async setParameter(key: string, value: string): Promise<ChainStatus> {
    this.sequencer.makeBlockWith({ kind: "parameter", key, value });
    // Proof-of-work parameters hold from the block after their change on (docs/protocol/40-pow-spam.md#23-spam-policies).
    if (this.core.admission.pow.isChanging && this.status.halted === undefined)
      await this.unlessHalted(this.sequencer.mine(1));
    return this.status;
  }

  async ban(party: string, untilNs: bigint | undefined): Promise<void> {
    this.sequencer.checkRunning();
    this.core.changeAdmission(({ pow, spam }) => {
      if (untilNs !== undefined) pow.ban(party, untilNs);
      else {
        pow.pardon(party);
        spam.pardon(party);
      }
    });
    this.sequencer.updateStatus();
  }

  /** Ends cleanly: nothing has to be replayed at the next start. */
  async stop(): Promise<void> {
    this.sequencer.stop();
    clearTimeout(this.tidying);
    try {
      this.core.flush();
    } catch (error) {
      // Committed blocks are safe: the next start replays it.
      if (!(error instanceof NodeError)) throw error;
    }
    this.core.close();
    this.writer.checkpoint();
  }

  /**
   * From now on no block is made until it is let go: those that were made are not taken.
   * @param reason for the status, once it takes longer
   */
  hold(isHeld: boolean, reason?: string): void {
    this.sequencer.hold(isHeld, reason);
  }

  /** A data node cannot forget what it was sent. @throws NodeError */
  private checkBlocksStay(tool: string): void {
    if (this.options.outbox === undefined) return;
    throw invalid(tool, "a chain whose events go to a data node (--events-to) cannot take blocks back");
  }

  /**
   * While the chain stands still nothing else would give back the memory that these blocks left. Once they are made,
   * not after each thousand of them: with a large state it takes a few hundred milliseconds.
   */
  private tidySoon(): void {
    clearTimeout(this.tidying);
    this.tidying = setTimeout(() => {
      this.options.db.run("PRAGMA shrink_memory");
      Bun.gc(true);
    }, TIDY_MS);
    this.tidying.unref();
  }

  private inTurn<T>(run: () => Promise<T>): Promise<T> {
    const done = this.queue.then(run);
    this.queue = done.catch(() => {});
    return done;
  }

  private changeClock(change: () => void): Promise<ClockStatus> {
    const { clock } = this.options;
    const before = clock.save();
    change();
    try {
      this.core.saveParts();
    } catch (error) {
      clock.load(before);
      throw error;
    }
    return this.clock();
  }

  /**
   * A transaction with a made-up signature, which differs from all others: identifiers follow from it.
   * @throws NodeError for a command that the chain could not read
   */
  private unsigned(party: string, command: object): ToolTransaction & { readonly id: string } {
    if (!isHex64(party)) throw invalid("impersonate", "the party must be a public key: 64 hex digits");
    const random = this.options.random;
    const nonce = new DataView(random.bytes(8).buffer).getBigUint64(0) | 1n;
    const input = fromJson<InputData>("vega.commands.v1.InputData", command);
    const inputData = encodeInputData({ ...input, nonce, blockHeight: BigInt(this.status.height) });
    const signature = random.bytes(ED25519_SIGNATURE_BYTES);
    const bytes = serializeTransaction({
      inputData,
      signature: {
        value: hexOf(signature),
        algo: SIGNATURE_ALGORITHM,
        version: SIGNATURE_VERSION,
      },
      pubKey: party,
      version: TxVersion.TX_VERSION_V3,
    });
    const tx = readTrusted(bytes);
    if (tx instanceof PropertyErrors) throw invalid("impersonate", tx.toString());
    return { bytes, tx, isImpersonated: true, id: rootId(signature) };
  }
}

/** @throws NodeError for a time that the chain could not go on from */
function checkTime(timeNs: bigint): void {
  if (timeNs > CHAIN_TIME_MAX_NS)
    throw invalid("time", "the chain's time cannot go beyond 2250-01-01T00:00:00Z");
}

function invalid(what: string, text: string): NodeError {
  return new NodeError(`devnet.${what}`, "invalid_argument", text);
}
