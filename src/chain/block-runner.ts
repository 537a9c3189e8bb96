/** Executes blocks: each transaction through admission and engine. Nothing is stored here, and nothing undone. */
import { NO_TRADING, type TradingCounts } from "../engine/chain-port.ts";
import type { BlockInfo } from "../engine/core.ts";
import type { BlockHeader } from "../engine/engine.ts";
import type { EventPayload } from "../engine/events.ts";
import type { Genesis } from "../engine/genesis.ts";
import type { StateChange } from "../engine/state.ts";
import type { RuleName } from "../errors/rules.ts";
import { type Block, type BlockEvent, Field } from "../wire/block.ts";
import type { BatchMarketInstructions } from "../wire/generated/commands.ts";
import { decodeLedgerMovements } from "../wire/generated/events.ts";
import type { CheckedTransaction } from "../wire/transaction-check.ts";
import { Admission, type AdmissionState, type AdmissionTransaction } from "./admission/admission.ts";
import { type AdmissionRules, REFUSED_CODE, type Verdict } from "./admission/rules.ts";
import type { ChainPoint } from "./chain-store.ts";
import { applyTool, type ChainEngine, type ToolCommand } from "./options.ts";

/** A transaction to execute. */
export interface BlockTx {
  readonly bytes: Uint8Array;
  readonly tx: CheckedTransaction;
  readonly isImpersonated: boolean;
}

export interface TxExecution {
  readonly code: number;
  readonly text: string;
  /** The rule of admission that refused it. */
  readonly rule: RuleName | undefined;
  readonly numbers: Readonly<Record<string, bigint | string>>;
}

export interface ExecutedBlock {
  readonly point: ChainPoint;
  readonly results: readonly TxExecution[];
  readonly trading: TradingCounts;
  /** Nothing happened in it. */
  readonly isEmpty: boolean;
}

export interface RunBlock {
  readonly executed: ExecutedBlock;
  /** All events, the markers of the block included. */
  readonly block: Block;
  readonly changes: readonly StateChange[];
}

/** Events of every block: its begin, its time, its end. */
const MARKERS = 3;
/** Stands before the application hash of the genesis. */
const NO_APP_HASH = "";

export class BlockRunner {
  constructor(
    private readonly engine: ChainEngine,
    private readonly log: AdmissionLog,
  ) {}

  /** The pseudo block of the genesis: the chain's first block comes after it, at the same height and time. */
  genesis({ initialHeight, timeNs, hash }: Genesis, before: ChainPoint): RunBlock {
    this.engine.initChain();
    const run = this.commit(before, { height: initialHeight, timeNs, hash }, [], []);
    const point = { ...run.executed.point, height: before.height };
    return { ...run, executed: { ...run.executed, point } };
  }

  /** @throws CommandError when the tool's command is refused */
  run(before: ChainPoint, info: BlockHeader, txs: readonly BlockTx[], tool?: ToolCommand): RunBlock {
    const { engine, log } = this;
    log.beginBlock(BigInt(info.height), info.hash, info.timeNs);
    engine.beginBlock(info);
    if (tool) applyTool(engine, tool);
    const results = txs.map((each) => this.deliver(each));
    engine.endBlock();
    log.end();
    return this.commit(before, info, txs, results);
  }

  private deliver({ tx, isImpersonated }: BlockTx): TxExecution {
    const verdict = isImpersonated ? undefined : this.log.deliver(admissionTransaction(tx));
    if (verdict && !verdict.accepted) {
      this.engine.reject(tx, verdict.text);
      return { code: REFUSED_CODE, text: verdict.text, rule: verdict.rule, numbers: verdict.numbers };
    }
    const { code, text, numbers = {} } = this.engine.deliver(tx);
    return { code, text, rule: undefined, numbers };
  }

  private commit(
    before: ChainPoint,
    info: BlockInfo,
    txs: readonly BlockTx[],
    results: readonly TxExecution[],
  ): RunBlock {
    const { block, changes, changesDigest } = this.engine.commit();
    const outcomes = results.map(({ code, text }, n): TxDigest => ({ hash: txs[n]!.tx.hash, code, text }));
    const events = block.events.length;
    const point: ChainPoint = {
      height: info.height,
      hash: info.hash,
      timeNs: info.timeNs.toString(),
      previousTimeNs: before.timeNs,
      appHash: appHashAfter(before, info, changesDigest, outcomes),
      txs: txs.length,
      blockEvents: block.events.at(-1)?.seq ?? 0,
      ledgerEntries: ledgerEntriesOf(block.events),
      events: before.events + events,
    };
    const { height, timeNs, hash } = info;
    return {
      executed: {
        point,
        results,
        trading: tradingOf(block.events, txs, results),
        isEmpty: txs.length === 0 && events <= MARKERS,
      },
      block: { chainId: this.engine.chainId, height, timeNs, hash: hash.toUpperCase(), ...block },
      changes,
    };
  }
}

/** Where a chain stands that has no block yet. */
export function pointBefore({ initialHeight, timeNs, hash }: Genesis): ChainPoint {
  const time = timeNs.toString();
  const none = { txs: 0, blockEvents: 0, ledgerEntries: 0, events: 0 };
  return {
    height: initialHeight - 1,
    hash,
    timeNs: time,
    previousTimeNs: time,
    appHash: NO_APP_HASH,
    ...none,
  };
}

function tradingOf(
  events: readonly BlockEvent[],
  txs: readonly BlockTx[],
  results: readonly TxExecution[],
): TradingCounts {
  const sum = { ...NO_TRADING, trades: events.filter(({ field }) => field === Field.trade).length };
  for (const [n, { tx }] of txs.entries()) {
    if (results[n]!.code !== 0) continue;
    if (tx.kind === "orderSubmission") sum.submissions++;
    else if (tx.kind === "orderAmendment") sum.amendments++;
    else if (tx.kind === "orderCancellation") sum.cancellations++;
    else if (tx.kind === "batchMarketInstructions") {
      const { submissions, amendments, cancellations } = tx.payload as BatchMarketInstructions;
      sum.submissions += submissions.length;
      sum.amendments += amendments.length;
      sum.cancellations += cancellations.length;
    }
  }
  return sum;
}

function ledgerEntriesOf(events: readonly BlockEvent[]): number {
  let entries = 0;
  for (const event of events) {
    if (event.field !== Field.ledgerMovements) continue;
    const message = event.message ?? decodeLedgerMovements(event.bytes.subarray(event.start, event.end));
    const { ledgerMovements } = message as EventPayload<"ledgerMovements">;
    for (const movement of ledgerMovements ?? []) entries += movement.entries?.length ?? 0;
  }
  return entries;
}

/**
 * Nanoseconds that the next block's time must leave: the original keys a block's ledger entries, trades and market
 * data by the block's time and a count of microseconds, and stops at a recording in which two blocks share a key.
 */
export function roomOf({ blockEvents, ledgerEntries }: ChainPoint): bigint {
  return BigInt(Math.max(blockEvents, ledgerEntries) + 1) * 1_000n;
}

// The application hash: two chains that have the same one have executed the same blocks with the same outcome and
// hold the same state.

interface TxDigest {
  /** Lower-case hex. */
  readonly hash: string;
  readonly code: number;
  readonly text: string;
}

/** Lower-case hex. @param before the block before; its application hash is empty in front of the genesis */
function appHashAfter(
  before: { readonly appHash: string },
  { height, timeNs, hash }: BlockInfo,
  changesDigest: string,
  results: readonly TxDigest[],
): string {
  const digest = new Bun.CryptoHasher("sha256");
  digest.update(`${before.appHash}\n${height}\n${timeNs}\n${hash}\n${changesDigest}\n${results.length}\n`);
  for (const { hash: tx, code, text } of results) digest.update(`${tx}\n${code}\n${JSON.stringify(text)}\n`);
  return digest.digest("hex");
}

type Call =
  | { readonly kind: "begin"; readonly height: bigint; readonly hash: string; readonly timeNs: bigint }
  | { readonly kind: "epoch"; readonly seq: bigint }
  | { readonly kind: "parameter"; readonly key: string; readonly value: string }
  | { readonly kind: "deliver"; readonly tx: AdmissionTransaction }
  | { readonly kind: "end" };

/** A transaction's facts for admission. */
export function admissionTransaction(tx: CheckedTransaction): AdmissionTransaction {
  const { party, hash, blockHeight, pow, kind } = tx;
  return {
    command: kind,
    party,
    hash,
    blockHeight,
    tid: pow?.tid ?? "",
    nonce: pow?.nonce ?? 0n,
    ...(tx.kind === "voteSubmission" && { proposal: tx.payload.proposalId }),
  };
}

/**
 * Admission with a way back: its calls since its state was last saved are kept, so that a block that could not be stored
 * is undone without saving the whole state for every block.
 */
export class AdmissionLog {
  readonly admission: Admission;
  private calls: Call[] = [];
  private saved: AdmissionState;

  constructor(chainId: string, rules: AdmissionRules | undefined) {
    this.admission = new Admission(chainId, rules);
    this.saved = this.admission.save();
  }

  beginBlock(height: bigint, hash: string, timeNs: bigint): void {
    this.append({ kind: "begin", height, hash, timeNs });
  }

  startEpoch(seq: bigint): void {
    this.append({ kind: "epoch", seq });
  }

  setParameter(key: string, value: string): void {
    this.append({ kind: "parameter", key, value });
  }

  deliver(tx: AdmissionTransaction): Verdict {
    this.calls.push({ kind: "deliver", tx });
    return this.admission.deliver(tx);
  }

  /** The end of the block and its commit. */
  end(): void {
    this.append({ kind: "end" });
    this.admission.commit();
  }

  /** A place between two blocks. */
  mark(): number {
    return this.calls.length;
  }

  /** Back to a place after the last `settle` or `load`. Checks of the mempool since the commit stay valid. */
  rewind(mark: number): void {
    const calls = this.calls.slice(0, mark);
    this.admission.load(this.saved);
    this.calls = [];
    for (const call of calls) this.append(call);
  }

  /** The state of now: the way back begins here, so that what came before need not be remembered any more. */
  settle(state: AdmissionState): void {
    this.saved = state;
    this.calls = [];
  }

  load(state: AdmissionState): void {
    this.admission.load(state);
    this.admission.commit();
    this.settle(state);
  }

  private append(call: Call): void {
    this.calls.push(call);
    const { admission } = this;
    if (call.kind === "begin") admission.beginBlock(call.height, call.hash, call.timeNs);
    else if (call.kind === "epoch") admission.startEpoch(call.seq);
    else if (call.kind === "parameter") admission.setParameter(call.key, call.value);
    else if (call.kind === "deliver") admission.deliver(call.tx);
    else admission.endBlock();
  }
}
