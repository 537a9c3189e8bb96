/** Recurring transfers (docs/protocol/60-state-engine-staking.md#84-recurring and #85-cancel). */
import { Decimal } from "../wire/decimal.ts";
import type { RecurringTransfer } from "../wire/generated/commands.ts";
import { TransferStatus } from "../wire/generated/events.ts";
import type { DispatchStrategy } from "../wire/generated/vega.ts";
import type { Collateral, Movement } from "./collateral.ts";
import type { Core } from "./core.ts";
import { CommandError } from "./errors.ts";
import type { Cell, Table } from "./state.ts";
import {
  type TransferMovements,
  type TransferRequest,
  type TransferRules,
  transferEvent,
} from "./transfers.ts";
import { parseDecimal } from "./values.ts";

/** A request for scores; payments to a market are remembered by it (docs/protocol/60-state-engine-staking.md#84-recurring, metric 4). */
export interface ScoreRequest {
  readonly strategy: DispatchStrategy;
  readonly payoutAsset: string;
  readonly funder: string;
  /** The epoch that ends. */
  readonly epoch: bigint;
}

export interface MarketScore {
  readonly market: string;
  /** Above 0; all of a request add up to 1 at the most. */
  readonly score: Decimal;
}

/** Scores of markets in an epoch. */
export interface MarketScores {
  /** In the order in which markets are paid. */
  marketScores(request: ScoreRequest): readonly MarketScore[];
  /** A market was paid. */
  markPaid(request: ScoreRequest, market: string): void;
}

/** The scores of a chain without markets. */
export const NO_MARKETS: MarketScores = { marketScores: () => [], markPaid: () => {} };

export interface Recurring {
  readonly request: TransferRequest;
  readonly startEpoch: bigint;
  readonly endEpoch: bigint | undefined;
  /** A plain decimal: events show it. */
  readonly factor: string;
  readonly strategy: DispatchStrategy | undefined;
}

const COUNT_DIGITS = 16;

export class RecurringTransfers {
  /** In the order of submission. */
  private readonly table: Table<Recurring>;
  private readonly count: Cell<bigint>;
  private readonly epoch: Cell<bigint>;
  /** Id → key, and what must be unique → key; derived. */
  private readonly byId = new Map<string, string>();
  private readonly byContent = new Map<string, string>();

  constructor(
    private readonly core: Core,
    private readonly collateral: Collateral,
    private readonly rules: TransferRules,
    private readonly movements: TransferMovements,
    private readonly markets: MarketScores,
  ) {
    this.table = core.state.table("transfers.recurring");
    this.count = core.state.cell("transfers.recurringCount", 0n);
    this.epoch = core.state.cell("transfers.epoch", 0n);
    this.table.onChange((key, before, now) => {
      if (before !== undefined) {
        this.byId.delete(before.request.id);
        this.byContent.delete(contentOf(before));
      }
      if (now !== undefined) {
        this.byId.set(now.request.id, key);
        this.byContent.set(contentOf(now), key);
      }
    });
  }

  /** @throws CommandError; the rejected transfer's event stays */
  submitRecurring(request: TransferRequest, command: RecurringTransfer): void {
    const factor = parseDecimal(command.factor);
    // No event could show it.
    if (factor === undefined) throw new CommandError("invalid factor");
    const transfer: Recurring = {
      request,
      startEpoch: command.startEpoch,
      endEpoch: command.endEpoch,
      factor: factor.toString(),
      strategy: command.dispatchStrategy,
    };
    try {
      this.check(transfer);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      this.emit(transfer, TransferStatus.STATUS_REJECTED, error.message);
      throw error.keepingChanges();
    }
    this.add(transfer);
  }

  /** Those that go on, in the order of submission. For checkpoints. */
  pending(): readonly Recurring[] {
    return this.table.values();
  }

  /** Restores transfers of a checkpoint (docs/protocol/60-state-engine-parameters.md#12-checkpoints). @param epoch the running one */
  restore(transfers: readonly Recurring[], epoch: bigint): void {
    this.epoch.set(epoch);
    for (const transfer of transfers) this.add(transfer);
  }

  private add(transfer: Recurring): void {
    const count = this.count.get();
    this.count.set(count + 1n);
    this.table.set(count.toString().padStart(COUNT_DIGITS, "0"), transfer);
    this.emit(transfer, TransferStatus.STATUS_PENDING);
  }

  /** @throws CommandError when there is no such transfer, or it is not this party's */
  cancel(id: string, party: string): void {
    const key = this.byId.get(id);
    if (key === undefined) throw new CommandError("recurring transfer does not exists");
    const transfer = this.table.get(key)!;
    if (transfer.request.from !== party) {
      throw new CommandError("cannot cancel other parties recurring transfers");
    }
    this.table.delete(key);
    this.emit(transfer, TransferStatus.STATUS_CANCELLED, "transfer cancelled");
  }

  /** Sends the transfers due for the epoch that ends (docs/protocol/60-state-engine-staking.md#84-recurring). */
  onEpochEnd(epoch: bigint): void {
    this.epoch.set(epoch + 1n);
    const movements: Movement[] = [];
    const ended: (() => void)[] = [];
    for (const [key, transfer] of this.table.entries()) {
      if (transfer.startEpoch > epoch) continue;
      const failure = this.send(transfer, epoch, movements);
      if (failure !== undefined) {
        ended.push(() => this.emit(transfer, TransferStatus.STATUS_STOPPED, failure));
      } else if (transfer.endEpoch !== undefined && transfer.endEpoch <= epoch) {
        ended.push(() => this.emit(transfer, TransferStatus.STATUS_DONE));
      } else {
        continue;
      }
      this.table.delete(key);
    }
    this.collateral.emitMovements(movements);
    for (const emit of ended) emit();
  }

  private check(transfer: Recurring): void {
    const { request, startEpoch, endEpoch, factor } = transfer;
    this.rules.check(request);
    if (endEpoch === 0n) throw new CommandError("end epoch is zero");
    if (startEpoch === 0n) throw new CommandError("start epoch is zero");
    if (endEpoch !== undefined && startEpoch > endEpoch)
      throw new CommandError("start epoch after end epoch");
    if (!parseDecimal(factor)?.isPositive()) throw new CommandError("invalid factor");
    if (this.byContent.has(contentOf(transfer))) {
      throw new CommandError("cannot submit duplicate recurring transfer with same from and to");
    }
    const current = this.epoch.get();
    if (startEpoch < current) {
      throw new CommandError("start epoch in the past", { numbers: { startEpoch, currentEpoch: current } });
    }
  }

  /** @returns why it has failed, undefined when it has not */
  private send(transfer: Recurring, epoch: bigint, movements: Movement[]): string | undefined {
    const { request, startEpoch, factor, strategy } = transfer;
    try {
      const amount = recurringAmount(request.amount, parseDecimal(factor)!, epoch - startEpoch);
      this.rules.checkMinimum(request.asset, amount);
      this.rules.checkFunds(request, amount);
      if (strategy === undefined) movements.push(...this.movements.send(request, amount, true));
      else this.sendToMarkets(transfer, strategy, amount, epoch, movements);
      return undefined;
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      return error.message;
    }
  }

  /** Movements before the market that failed stay, and are reported. */
  private sendToMarkets(
    { request }: Recurring,
    strategy: DispatchStrategy,
    amount: bigint,
    epoch: bigint,
    movements: Movement[],
  ): void {
    const criteria = { strategy, payoutAsset: request.asset, funder: request.from, epoch };
    for (const { market, score } of this.markets.marketScores(criteria)) {
      const part = score.times(Decimal.of(amount)).truncated();
      if (part === 0n) continue;
      this.rules.checkFunds(request, part);
      movements.push(...this.movements.send(request, part, true, market));
      this.markets.markPaid(criteria, market);
    }
  }

  private emit(
    { request, startEpoch, endEpoch, factor, strategy }: Recurring,
    status: number,
    reason?: string,
  ) {
    const recurring = { startEpoch, endEpoch, factor, dispatchStrategy: strategy };
    this.core.emit("transfer", { ...transferEvent(request, status, reason), recurring });
  }
}

/** The content that no two recurring transfers may share. */
function contentOf({ request, strategy }: Recurring): string {
  const { from, fromType, to, toType, asset } = request;
  const scope = strategy && [strategy.assetForMetric, strategy.metric, ...strategy.markets];
  return JSON.stringify([from, fromType, to, toType, asset, scope]);
}

// The amount that a recurring transfer sends in an epoch (docs/protocol/60-state-engine-staking.md#84-recurring, step 1).

/** Binary places of the bounds: enough that they agree on the whole part for nearly all values that are not whole. */
const PLACES = 512n;
/** From here on a factor with a fraction makes no value whole: its denominator has a power above every amount. */
const NEVER_WHOLE_TIMES = 256n;

/**
 * The whole part of amount × factor^times, exactly. A power has as many digits as the factor times the exponent, so
 * it is closed in between two bounds of a fixed width; when their whole parts differ, a power that may make a whole
 * value is worked out, and for the others the bounds become closer.
 */
export function recurringAmount(amount: bigint, factor: Decimal, times: bigint): bigint {
  const [whole, fraction = ""] = factor.toString().split(".");
  const digits = BigInt(`${whole}${fraction}`);
  const denominator = 10n ** BigInt(fraction.length);
  for (let places = PLACES; ; places *= 2n) {
    const numerator = digits << places;
    const low = (amount * power(numerator / denominator, times, 0n, places)) >> places;
    const high = (amount * power(ceiling(numerator, denominator), times, 1n, places)) >> places;
    if (low === high) return low;
    if (times < NEVER_WHOLE_TIMES) return Decimal.of(amount).times(factor.power(times)).truncated();
  }
}

/** base^times with this many binary places, each product rounded down (`up` 0) or up (`up` 1). */
function power(base: bigint, times: bigint, up: bigint, places: bigint): bigint {
  const rounding = up * ((1n << places) - 1n);
  const multiply = (a: bigint, b: bigint) => (a * b + rounding) >> places;
  let result = 1n << places;
  let square = base;
  for (let rest = times; rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) result = multiply(result, square);
    if (rest > 1n) square = multiply(square, square);
  }
  return result;
}

function ceiling(numerator: bigint, denominator: bigint): bigint {
  return (numerator + denominator - 1n) / denominator;
}
