/**
 * Transactions that wait for a block (docs/protocol/30-node-api-transactions.md#25-size-limits,
 * docs/protocol/30-node-api-endpoints.md#72-checktx-order and #74-duplicates-and-replays): up to a limit, by priority
 * and then by arrival. The original drops what comes to a full mempool although its sender was told that all is well;
 * here the sender is told, and a party that fills the mempool makes way for others.
 */

import { LruCache } from "../cache/lru.ts";
import { sha256HexOf } from "../crypto/sha.ts";
import { ChainCallError, type ChainStatus, type TxOutcome } from "../engine/chain-port.ts";
import { NodeError } from "../errors/node-error.ts";
import type { RuleName } from "../errors/rules.ts";
import { TRANSACTION_BYTES_MAX, tooLargeText } from "../wire/transaction.ts";
import {
  type CheckedTransaction,
  checkTransaction,
  readTrusted,
  type TransactionRefusal,
  type Verdict,
} from "../wire/transaction-check.ts";
import { COMMANDS } from "../wire/transaction-commands.ts";
import { PropertyErrors } from "../wire/validate/check.ts";
import { admissionTransaction, type TxExecution } from "./block-runner.ts";
import type { ChainCore } from "./chain-core.ts";
import type { LocalChainOptions, SequencerLimits } from "./options.ts";
import { refusalDetails } from "./refusals.ts";

export interface PooledTx {
  /** SHA-256 of the bytes, upper-case hex. */
  readonly hash: string;
  readonly bytes: Uint8Array;
  readonly tx: CheckedTransaction;
  readonly gas: number;
  /** Unsigned, by the devnet's tools: admission does not judge it. */
  readonly isImpersonated: boolean;
}

type MempoolLimits = Pick<
  SequencerLimits,
  "mempoolTxsMax" | "mempoolBytesMax" | "cachedHashesMax" | "blockBytesMax"
>;

const DUPLICATE = "tx already exists in cache";

/** Those of one priority, in the order of their arrival. */
class Lane {
  readonly txs = new Map<string, PooledTx>();
  /** Number of waiting transactions, by party. */
  readonly ofParty = new Map<string, number>();

  constructor(readonly priority: number) {}

  add(entry: PooledTx): void {
    this.txs.set(entry.hash, entry);
    this.ofParty.set(entry.tx.party, (this.ofParty.get(entry.tx.party) ?? 0) + 1);
  }

  delete(entry: PooledTx): void {
    this.txs.delete(entry.hash);
    const left = this.ofParty.get(entry.tx.party)! - 1;
    if (left > 0) this.ofParty.set(entry.tx.party, left);
    else this.ofParty.delete(entry.tx.party);
  }

  clear(): void {
    this.txs.clear();
    this.ofParty.clear();
  }

  /** The party with the most transactions. */
  heaviest(): { party: string; count: number } {
    let heaviest = { party: "", count: 0 };
    for (const [party, count] of this.ofParty) if (count > heaviest.count) heaviest = { party, count };
    return heaviest;
  }

  youngestOf(party: string): PooledTx {
    let youngest: PooledTx | undefined;
    for (const entry of this.txs.values()) if (entry.tx.party === party) youngest = entry;
    return youngest!;
  }
}

export class Mempool {
  /** By descending priority. */
  private readonly lanes: readonly Lane[] = prioritiesOf().map((priority) => new Lane(priority));
  private readonly byHash = new Map<string, PooledTx>();
  /** Hashes of transactions that were taken, oldest first: pending, or executed with success. */
  private readonly cache: LruCache<string, true>;
  private bytes_ = 0;

  constructor(private readonly limits: MempoolLimits) {
    this.cache = new LruCache(limits.cachedHashesMax);
  }

  get count(): number {
    return this.byHash.size;
  }

  get bytes(): number {
    return this.bytes_;
  }

  /** Remembers a hash before its transaction is looked at. @throws ChainCallError `duplicate` */
  remember(hash: string): void {
    if (this.byHash.has(hash)) throw new ChainCallError("duplicate", DUPLICATE);
    const isKnown = this.cache.has(hash);
    this.cache.set(hash, true);
    if (isKnown) throw new ChainCallError("duplicate", DUPLICATE);
  }

  /** It was refused, or failed: it may come again. */
  uncache(hash: string): void {
    this.cache.delete(hash);
  }

  /**
   * Takes a transaction in.
   * @returns those that had to make way
   * @throws ChainCallError `mempool_full`
   */
  add(entry: PooledTx): PooledTx[] {
    const size = entry.bytes.length;
    if (size > this.limits.blockBytesMax) {
      throw new ChainCallError("too_large", `tx size is too big: ${size}, max: ${this.limits.blockBytesMax}`);
    }
    const dropped: PooledTx[] = [];
    while (this.isFullFor(size)) {
      const victim = this.victimFor(entry);
      if (victim === undefined) {
        for (const back of dropped) this.insert(back);
        throw this.full(size);
      }
      this.remove(victim);
      dropped.push(victim);
    }
    this.insert(entry);
    for (const { hash } of dropped) this.uncache(hash);
    return dropped;
  }

  /** Error of a mempool that has no room (the words of the network's own). */
  full(size: number): ChainCallError {
    const { mempoolTxsMax, mempoolBytesMax } = this.limits;
    const { count, bytes_: bytes } = this;
    const what = size > mempoolBytesMax - bytes && count < mempoolTxsMax ? "bytes" : "transactions";
    return new ChainCallError(
      "mempool_full",
      `mempool is full: number of txs ${count} (max: ${mempoolTxsMax}), total txs bytes ${bytes} (max: ${mempoolBytesMax}), no room for the ${what} of this one`,
    );
  }

  /**
   * The transactions of a block: by priority, then arrival, as far as bytes and gas go. They stay in the mempool.
   * @param first come before all of them, whatever they need
   */
  pick(gasMax: number, first: readonly PooledTx[] = []): PooledTx[] {
    const picked = [...first];
    let bytes = first.reduce((sum, entry) => sum + entry.bytes.length, 0);
    let gas = first.reduce((sum, entry) => sum + entry.gas, 0);
    for (const entry of this.entries()) {
      if (first.includes(entry)) continue;
      // A maximum that was lowered since it came leaves room for one: what waits behind it must not wait for ever.
      const isFull = picked.length > 0 && gas + entry.gas > gasMax;
      if (isFull || bytes + entry.bytes.length > this.limits.blockBytesMax) break;
      bytes += entry.bytes.length;
      gas += entry.gas;
      picked.push(entry);
    }
    return picked;
  }

  find(hash: string): PooledTx | undefined {
    return this.byHash.get(hash);
  }

  remove(entry: PooledTx): void {
    if (!this.byHash.delete(entry.hash)) return;
    this.laneOf(entry).delete(entry);
    this.bytes_ -= entry.bytes.length;
  }

  /** Removes what `pick` gave for a block: most often that is all there is. */
  removePicked(txs: readonly PooledTx[]): void {
    // An emptied map gets a new table, even one that was empty.
    if (txs.length === 0) return;
    if (txs.length < this.byHash.size) {
      for (const entry of txs) this.remove(entry);
      return;
    }
    // Emptied at one go: taking entries out of a map one by one costs several microseconds each.
    this.byHash.clear();
    for (const lane of this.lanes) lane.clear();
    this.bytes_ = 0;
  }

  /** By priority, then arrival. */
  *entries(): Generator<PooledTx> {
    for (const lane of this.lanes) yield* lane.txs.values();
  }

  save(): MempoolState {
    return { entries: [...this.entries()], cache: [...this.cache.keys()] };
  }

  load(state: MempoolState): void {
    for (const entry of [...this.entries()]) this.remove(entry);
    this.cache.clear();
    for (const hash of state.cache) this.cache.set(hash, true);
    for (const entry of state.entries) this.insert(entry);
  }

  private insert(entry: PooledTx): void {
    this.byHash.set(entry.hash, entry);
    this.laneOf(entry).add(entry);
    this.bytes_ += entry.bytes.length;
  }

  private isFullFor(size: number): boolean {
    return this.byHash.size >= this.limits.mempoolTxsMax || this.bytes_ + size > this.limits.mempoolBytesMax;
  }

  /** The transaction to evict for a newcomer: of the least priority, the youngest of the party that has the most. */
  private victimFor(entry: PooledTx): PooledTx | undefined {
    const own = this.laneOf(entry);
    for (const lane of this.lanes.toReversed()) {
      if (lane.priority > own.priority) return undefined;
      if (lane.txs.size === 0) continue;
      const { party, count } = lane.heaviest();
      const isFair = lane !== own || count > (own.ofParty.get(entry.tx.party) ?? 0) + 1;
      return isFair ? lane.youngestOf(party) : undefined;
    }
    return undefined;
  }

  private laneOf(entry: PooledTx): Lane {
    const { priority } = COMMANDS[entry.tx.kind];
    return this.lanes.find((lane) => lane.priority === priority)!;
  }
}

export interface MempoolState {
  readonly entries: readonly PooledTx[];
  readonly cache: readonly string[];
}

function prioritiesOf(): number[] {
  const priorities = new Set(Object.values(COMMANDS).map(({ priority }) => priority));
  return [...priorities].sort((a, b) => b - a);
}

// Transactions of the mempool out of bytes that were checked before.

/** @throws NodeError for bytes that hold no command */
export function pooled(bytes: Uint8Array, gas: number, isImpersonated: boolean): PooledTx {
  const tx = readTrusted(bytes);
  if (tx instanceof PropertyErrors) {
    throw new NodeError("chain.mempool", "invalid_transaction", `the transaction cannot be read: ${tx}`);
  }
  return { hash: tx.hash.toUpperCase(), bytes, tx, gas, isImpersonated };
}

/** The verdict, what was taken in, and what had to make way for it. */
export interface CheckTxResult {
  readonly outcome: TxOutcome;
  readonly entry?: PooledTx;
  /** The command of a transaction that was not taken in, where it can be read. */
  readonly tx?: CheckedTransaction;
  readonly dropped: readonly PooledTx[];
}

type Candidate = Pick<PooledTx, "hash" | "tx" | "isImpersonated">;

const NOT_ALLOWED = 51;
const UNSUPPORTED = 80;
/** Names of the rules behind the engine's codes, for details. */
const ENGINE_RULES: ReadonlyMap<number, RuleName> = new Map([
  [NOT_ALLOWED, "not_allowed"],
  [UNSUPPORTED, "unsupported_command"],
  [71, "batch_partly_failed"],
]);

/**
 * The checks before the mempool (docs/protocol/30-node-api-endpoints.md#72-checktx-order): size, duplicates, everything
 * that needs no state, then admission and the engine. Also asked again for what remains after a block.
 */
export class TransactionIntake {
  constructor(
    private readonly core: ChainCore,
    private readonly mempool: Mempool,
    private readonly checker: NonNullable<LocalChainOptions["checkTransaction"]> = checkTransaction,
    private readonly status: () => ChainStatus,
  ) {}

  /**
   * Takes a transaction into the mempool; at once where what needs no state is checked at once.
   * @throws ChainCallError `too_large`, `duplicate`, `mempool_full`
   */
  checkTx(bytes: Uint8Array): CheckTxResult | Promise<CheckTxResult> {
    checkSize(bytes);
    const plainHash = sha256HexOf(bytes);
    const hash = plainHash.toUpperCase();
    this.mempool.remember(hash);
    const taken = (verdict: Verdict) =>
      verdict.ok
        ? this.enter({ hash, bytes, tx: verdict.transaction, isImpersonated: false })
        : this.refuseBytes(hash, verdict.refusal);
    const failed = (error: unknown): never => {
      this.mempool.uncache(hash);
      throw error;
    };
    try {
      const verdict = this.checker(bytes, this.core.engine.chainId, plainHash);
      return verdict instanceof Promise ? verdict.then(taken).catch(failed) : taken(verdict);
    } catch (error) {
      return failed(error);
    }
  }

  /** Takes a transaction of the devnet's tools, whose signature needs no look. @throws ChainCallError */
  checkTrusted(bytes: Uint8Array, tx: CheckedTransaction, isImpersonated: boolean): CheckTxResult {
    const hash = tx.hash.toUpperCase();
    this.mempool.remember(hash);
    try {
      return this.enter({ hash, bytes, tx, isImpersonated });
    } catch (error) {
      this.mempool.uncache(hash);
      throw error;
    }
  }

  /** The verdict alone: nothing is remembered of it, so the same transaction can be submitted after it. @throws ChainCallError */
  async check(bytes: Uint8Array): Promise<TxOutcome> {
    checkSize(bytes);
    const plainHash = sha256HexOf(bytes);
    const hash = plainHash.toUpperCase();
    const verdict = await this.checker(bytes, this.core.engine.chainId, plainHash);
    if (!verdict.ok) return this.refusedBytes(hash, verdict.refusal);
    return this.verdictOf({ hash, tx: verdict.transaction, isImpersonated: false });
  }

  /** Asked after a block, for what remains. Valid ones are held again. */
  recheck(entry: Candidate): TxOutcome {
    const outcome = this.verdictOf(entry);
    if (outcome.code === 0) this.reserve(entry);
    else this.refused(entry);
    return outcome;
  }

  /** Holds what waits, or waits again, without judging it. */
  reserve({ tx, isImpersonated }: Candidate): void {
    if (!isImpersonated) this.core.admission.reserve(admissionTransaction(tx));
  }

  /** A transaction that left the mempool, and is in no block, may come again. */
  release({ hash, tx, isImpersonated }: Candidate): void {
    this.mempool.uncache(hash);
    if (!isImpersonated) this.core.admission.release(admissionTransaction(tx));
  }

  private refused({ tx, isImpersonated }: Candidate): void {
    if (!isImpersonated) this.core.admission.refuse(admissionTransaction(tx));
  }

  /** The whole verdict on what has a valid form; nothing is remembered of it. */
  verdictOf({ hash, tx, isImpersonated }: Candidate): TxOutcome {
    const { engine, admission } = this.core;
    if (!isImpersonated) {
      const isCounted = COMMANDS[tx.kind].spamPolicy !== undefined;
      const tokens = isCounted ? engine.stakeOf(tx.party) : undefined;
      const verdict = admission.check(admissionTransaction(tx), tokens);
      if (!verdict.accepted) {
        const { rule, text, numbers } = verdict;
        return this.outcome(hash, { code: 89, text, rule, numbers }, 0);
      }
    }
    const { code, text, gasWanted, numbers = {} } = this.core.check(tx);
    if (code === 0 && gasWanted > engine.blockGasMax) {
      const limit = { gasWanted: BigInt(gasWanted), blockGasMax: BigInt(engine.blockGasMax) };
      const gas = `gas wanted ${gasWanted} is greater than max gas ${engine.blockGasMax}`;
      return this.outcome(
        hash,
        { code: NOT_ALLOWED, text: gas, rule: "block_gas", numbers: limit },
        gasWanted,
      );
    }
    return this.outcome(hash, { code, text, rule: undefined, numbers }, gasWanted);
  }

  /** The outcome in the form that callers see. @param height of the block that holds it; 0 for a verdict */
  outcome(hash: string, execution: TxExecution, gasWanted: number, height = 0): TxOutcome {
    const { code, text, numbers } = execution;
    const rule = execution.rule ?? ENGINE_RULES.get(code) ?? "command_failed";
    const details = code === 0 ? undefined : refusalDetails(rule, text, numbers, this.status());
    return { hash, code, text, details, gasWanted, height };
  }

  private enter(candidate: Omit<PooledTx, "gas">): CheckTxResult {
    const outcome = this.verdictOf(candidate);
    if (outcome.code !== 0) {
      this.refused(candidate);
      this.mempool.uncache(candidate.hash);
      return { outcome, tx: candidate.tx, dropped: [] };
    }
    const entry: PooledTx = { ...candidate, gas: outcome.gasWanted };
    const dropped = this.mempool.add(entry);
    this.reserve(entry);
    for (const each of dropped) this.release(each);
    return { outcome, entry, dropped };
  }

  private refuseBytes(hash: string, refusal: TransactionRefusal): CheckTxResult {
    this.mempool.uncache(hash);
    return { outcome: this.refusedBytes(hash, refusal), dropped: [] };
  }

  /** The outcome of bytes that are not a transaction. @throws ChainCallError `too_large` */
  refusedBytes(hash: string, { reason, code, text }: TransactionRefusal): TxOutcome {
    if (reason === "too_large") throw new ChainCallError("too_large", text);
    const rule = reason === "undecodable" ? "undecodable_transaction" : "invalid_transaction";
    return this.outcome(hash, { code, text, rule, numbers: {} }, 0);
  }
}

function checkSize(bytes: Uint8Array): void {
  if (bytes.length <= TRANSACTION_BYTES_MAX) return;
  throw new ChainCallError("too_large", tooLargeText(bytes.length));
}
