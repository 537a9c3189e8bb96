/**
 * Profit and loss between parties: mark to market, final settlement, and what happens when losers cannot pay
 * (docs/protocol/70-trading-positions.md#6-mark-price-mark-to-market-settlement).
 */

import { absolute, smaller } from "../../wire/arithmetic.ts";
import { Decimal } from "../../wire/decimal.ts";
import { TransferType } from "../../wire/generated/vega.ts";
import type { Movement } from "../collateral.ts";
import { InvariantError } from "../errors.ts";
import { MarketAccounts } from "./accounts.ts";
import { type MarketContext, NETWORK } from "./context.ts";
import { isFlat, type Positions } from "./positions.ts";
import type { UnsettledTrade } from "./records.ts";
import { keyOf, numberKey } from "./tables.ts";
import { buyerOf, sellerOf, type Trade } from "./trade.ts";

/** A party's gain or loss in a run. */
interface Flow {
  readonly party: string;
  /** Not rounded. */
  readonly exact: Decimal;
  /** Cut toward zero. */
  amount: bigint;
  /** Counts as a winner where nothing is left of the amount. */
  readonly isLoss: boolean;
}

interface Kinds {
  readonly loss: typeof TransferType.TRANSFER_TYPE_MTM_LOSS | typeof TransferType.TRANSFER_TYPE_LOSS;
  readonly win: typeof TransferType.TRANSFER_TYPE_MTM_WIN | typeof TransferType.TRANSFER_TYPE_WIN;
  /** Bond money covers losses, too. */
  readonly usesBond: boolean;
}

const MARK_TO_MARKET: Kinds = {
  loss: TransferType.TRANSFER_TYPE_MTM_LOSS,
  win: TransferType.TRANSFER_TYPE_MTM_WIN,
  usesBond: true,
};
const FINAL: Kinds = {
  loss: TransferType.TRANSFER_TYPE_LOSS,
  win: TransferType.TRANSFER_TYPE_WIN,
  usesBond: false,
};

export class Settlement {
  constructor(
    private readonly market: MarketContext,
    private readonly positions: Positions,
  ) {}

  /** Trades that were not settled yet. */
  get hasTrades(): boolean {
    return this.market.index.trades.size > 0;
  }

  hasTradesOf(party: string): boolean {
    return this.market.index.tradesOf.has(party);
  }

  /** Whether an unsettled trade changes a position that mark to market has seen: its margin stays until then. */
  hasPositionOf(party: string): boolean {
    return this.hasTradesOf(party) && this.positions.get(party)?.isSettled === true;
  }

  add(trade: Trade): void {
    this.addOf(buyerOf(trade).party, trade.size, trade);
    this.addOf(sellerOf(trade).party, -trade.size, trade);
  }

  addOf(party: string, size: bigint, { price, shown }: Pick<Trade, "price" | "shown">): void {
    const { id: market, tables } = this.market;
    const key = keyOf(market, numberKey(tables.next()));
    tables.trades.set(key, { market, party, size, price, marketPrice: shown });
  }

  /**
   * Settles all positions against a mark price (docs/protocol/70-trading-positions.md#62-mtm-run, steps 1 to 7).
   * @returns the settled parties, losers first, and the parties with nothing to settle
   */
  markToMarket(mark: bigint): { readonly settled: string[]; readonly idle: string[] } {
    const { market, positions } = this;
    const trades = this.takeTrades();
    const flows: Flow[] = [];
    const idle: string[] = [];
    const last = market.status.settledMark;
    const own = trades.get(NETWORK);
    if (own !== undefined) flows.push(this.flowOf(NETWORK, 0n, last, mark, own));
    for (const position of positions.list()) {
      const { party, settled, isSettled, size } = position;
      const mine = trades.get(party) ?? [];
      if (mine.length > 0 || !isSettled || last !== mark) {
        flows.push(this.flowOf(party, settled, isSettled ? last : 0n, mark, mine));
      } else idle.push(party);
      this.emitSettled(party, mark, mine);
      const gone = isFlat(position);
      const now = { settled: gone ? 0n : size, isSettled: !gone };
      if (settled !== now.settled || isSettled !== now.isSettled) positions.update(position, now);
    }
    market.updateStatus({ settledMark: mark });
    const settled = [
      ...flows.filter(({ amount }) => amount < 0n),
      ...flows.filter(({ amount }) => amount >= 0n),
    ].map(({ party }) => party);
    this.exchange(flows, MARK_TO_MARKET);
    return { settled, idle };
  }

  /** Settles all positions for good (docs/protocol/70-trading-positions.md#65-final-settlement, steps 1 to 4). @param price internal */
  settleFinally(price: bigint, beforeShown: () => void): void {
    const { market, positions } = this;
    const last = market.status.settledMark;
    const flows = positions
      .list()
      .filter(({ settled }) => settled !== 0n)
      .sort((a, b) => (a.party < b.party ? -1 : 1))
      .map(({ party, settled }) => this.flowOf(party, settled, last, price, []));
    this.exchange(flows, FINAL, beforeShown);
  }

  /** At the end of a market. */
  dropTrades(): void {
    this.takeTrades();
  }

  private flowOf(
    party: string,
    settled: bigint,
    last: bigint,
    mark: bigint,
    trades: readonly UnsettledTrade[],
  ): Flow {
    const value = trades.reduce(
      (sum, { size, price }) => sum + size * (mark - price),
      settled * (mark - last),
    );
    const exact = this.market.contracts(value);
    const amount = exact.truncated();
    return { party, exact, amount, isLoss: isLossSign(settled, last, mark, trades) };
  }

  /** @param beforeShown called when the money has moved, before its event: at the end of a market */
  private exchange(flows: Flow[], kinds: Kinds, beforeShown?: () => void): void {
    const { accounts } = this.market;
    const isFinal = beforeShown !== undefined;
    const isWon = ({ amount, exact, isLoss }: Flow) =>
      amount > 0n || (amount === 0n && !exact.isNegative() && !isLoss);
    const wins = flows.filter(isWon);
    // With nothing to settle nothing moves; only a market's end emits that
    // (docs/protocol/60-state-engine-accounts.md#26-ledger-movements).
    const losses = flows.filter((flow) => flow.amount < 0n || (isFinal && !isWon(flow)));
    const nothing = new Set(isFinal ? [] : wins.filter(({ amount }) => amount === 0n));
    if (!isFinal) repairRounding(losses, wins);
    const movements: Movement[] = [];
    const expected = losses.reduce((sum, { amount }) => sum - amount, 0n);
    let collected = 0n;
    const short: [party: string, missing: bigint][] = [];
    for (const { party, amount } of losses) {
      const movement = accounts.move(this.purses(party, kinds), accounts.settlement, -amount, kinds.loss);
      const paid = MarketAccounts.moved(movement);
      movements.push(movement);
      collected += paid;
      if (paid < -amount && party !== NETWORK) short.push([party, -amount - paid]);
    }
    for (const [party, missing] of short) this.emitSocialised(party, missing);
    if (collected < expected) this.socialise(wins, { collected, expected, isFinal });
    for (const win of wins) {
      const { party, amount } = win;
      if (amount === 0n && nothing.has(win)) continue;
      const isNetwork = party === NETWORK;
      if (!isNetwork) accounts.ensureMargin(party);
      const to = isNetwork ? accounts.insurance : accounts.margin(party);
      const from = isNetwork ? [accounts.settlement] : [accounts.settlement, accounts.insurance];
      movements.push(accounts.move(from, to, amount, kinds.win));
    }
    const left = accounts.balance(accounts.settlement);
    if (isFinal && left > 0n && left <= BigInt(Math.max(1, wins.length))) {
      // Truncation of the parties' amounts: one unit in the original; here it never stops the chain.
      movements.push(
        accounts.move(
          [accounts.settlement],
          accounts.treasury,
          left,
          TransferType.TRANSFER_TYPE_CLEAR_ACCOUNT,
        ),
      );
    } else if (left !== 0n) {
      throw new InvariantError(`market ${this.market.id} has ${left} left after a settlement`);
    }
    beforeShown?.();
    accounts.emit(movements);
  }

  /** Where a loss is taken from, in order (docs/protocol/70-trading-positions.md#56-loss-cover-order). */
  private purses(party: string, { usesBond }: Kinds): string[] {
    const { accounts } = this.market;
    if (party === NETWORK) return [accounts.insurance];
    const { margin, general, bond } = accounts.of(party);
    return usesBond ? [margin, general, bond, accounts.insurance] : [margin, general, accounts.insurance];
  }

  /** Reduces wins to the collected amount (docs/protocol/70-trading-positions.md#63-loss-socialisation). */
  private socialise(
    wins: Flow[],
    { collected, expected, isFinal }: { collected: bigint; expected: bigint; isFinal: boolean },
  ): void {
    const ratio = Decimal.of(collected).dividedBy(Decimal.of(expected));
    const due = wins.map(({ amount }) => amount);
    let paid = 0n;
    for (const win of wins) {
      win.amount = Decimal.of(win.amount).times(ratio).floor();
      paid += win.amount;
    }
    const rest = collected - paid;
    // At a market's end, parties with a win of zero included.
    const isDue = (_win: Flow, index: number) => isFinal || due[index]! > 0n;
    const heir = wins.filter(isDue).find(({ party }) => party === NETWORK) ?? wins.findLast(isDue);
    // All that was collected is paid, also where truncated wins are less than it. A ratio that was rounded up promises more than
    // there is: the network adds the difference then, too
    // (docs/protocol/70-trading-positions.md#63-loss-socialisation), here up to what is due, and the last winners get
    // less.
    if (heir !== undefined && rest > 0n) heir.amount += rest;
    else if (heir !== undefined) heir.amount = smaller(heir.amount - rest, due[wins.indexOf(heir)]!);
    // Also for the last winner, completed by the remaining units.
    for (const [index, { party, amount }] of wins.entries()) {
      if (party !== NETWORK && isDue(wins[index]!, index)) this.emitSocialised(party, amount - due[index]!);
    }
  }

  private emitSocialised(party: string, amount: bigint): void {
    this.market.core.emit("lossSocialization", {
      marketId: this.market.id,
      partyId: party,
      amount: amount.toString(),
    });
  }

  private emitSettled(party: string, mark: bigint, trades: readonly UnsettledTrade[]): void {
    const { market } = this;
    market.core.emit("settlePosition", {
      marketId: market.id,
      partyId: party,
      price: mark.toString(),
      tradeSettlements: trades.map(({ size, price, marketPrice }) => ({
        size,
        price: price.toString(),
        marketPrice: marketPrice.toString(),
      })),
      positionFactor: market.terms.positionFactor,
    });
  }

  /** Takes the unsettled trades out of the state, by party in the order of the first one. */
  private takeTrades(): Map<string, UnsettledTrade[]> {
    const { index, tables, id } = this.market;
    const byParty = new Map<string, UnsettledTrade[]>();
    for (const { number, trade } of index.trades.list()) {
      const list = byParty.get(trade.party);
      if (list === undefined) byParty.set(trade.party, [trade]);
      else list.push(trade);
      tables.trades.delete(keyOf(id, numberKey(number)));
    }
    return byParty;
  }
}

/**
 * Truncation must neither make nor lose money between parties (docs/protocol/70-trading-positions.md#62-mtm-run, step
 * 3). Each zero takes a unit as long as there is a difference, even a negative one; if the largest winner cannot give
 * enough, the next ones give the rest.
 */
function repairRounding(losses: readonly Flow[], wins: readonly Flow[]): void {
  let rest =
    losses.reduce((sum, { amount }) => sum - amount, 0n) - wins.reduce((sum, { amount }) => sum + amount, 0n);
  if (rest === 0n || wins.length === 0) return;
  for (const win of wins) {
    if (rest === 0n) break;
    if (win.amount !== 0n) continue;
    win.amount += 1n;
    rest -= 1n;
  }
  const byValue = [...wins].sort((a, b) => (b.exact.isLess(a.exact) ? -1 : a.exact.isLess(b.exact) ? 1 : 0));
  for (const win of byValue) {
    const part = rest < -win.amount ? -win.amount : rest;
    win.amount += part;
    rest -= part;
  }
}

/**
 * Sign of an amount, also of zero: the sign of the largest contribution
 * (docs/protocol/70-trading-scenarios.md#11-arithmetic-rules).
 */
function isLossSign(settled: bigint, last: bigint, mark: bigint, trades: readonly UnsettledTrade[]): boolean {
  let isLoss = last > mark !== settled < 0n;
  let weight = absolute(settled * (mark - last));
  for (const { size, price } of trades) {
    const isPartLoss = price > mark !== size < 0n;
    const part = absolute(size * (mark - price));
    if (weight !== 0n && isPartLoss === isLoss) weight += part;
    else if (weight !== 0n && weight >= part) weight -= part;
    else [weight, isLoss] = [part - weight, isPartLoss];
  }
  return isLoss;
}
