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
import type { Admission, AdmissionTransaction } from "./admission/admission.ts";
import { REFUSED_CODE } from "./admission/rules.ts";
import type { Place } from "./app-hash.ts";
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
  readonly point: Place;
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

export class BlockRunner {
  constructor(
    private readonly engine: ChainEngine,
    private readonly admission: Admission,
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
    const { engine, admission } = this;
    admission.beginBlock(BigInt(info.height), info.hash, info.timeNs);
    engine.beginBlock(info);
    if (tool) applyTool(engine, tool);
    const results = txs.map((each) => this.deliver(each));
    engine.endBlock();
    admission.endBlock();
    admission.commit();
    return this.commit(before, info, txs, results);
  }

  private deliver({ tx, isImpersonated }: BlockTx): TxExecution {
    const verdict = isImpersonated ? undefined : this.admission.deliver(admissionTransaction(tx));
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
    const { block, changes } = this.engine.commit();
    const events = block.events.length;
    const point = {
      height: info.height,
      hash: info.hash,
      timeNs: info.timeNs.toString(),
      previousTimeNs: before.timeNs,
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
    appHash: "",
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
