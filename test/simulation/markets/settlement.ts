// Mark to market, shared losses, close-outs and final settlement of the naive market
// (docs/protocol/70-trading-positions.md#55-close-out-of-distressed-parties and
// #6-mark-price-mark-to-market-settlement).
import { sum } from "./book.ts";
import { Decimal } from "./decimal.ts";
import { MarketLiquidity } from "./liquidity.ts";
import type { Fees } from "./margins.ts";
import {
  absolute,
  BUY,
  bond,
  byText,
  general,
  Move,
  margin,
  NETWORK,
  type Order,
  OrderType,
  opposite,
  Provided,
  SELL,
  type Side,
  State,
  Status,
  Tif,
} from "./model.ts";

interface Result {
  readonly party: string;
  readonly exact: Decimal;
  /** Truncated. */
  amount: bigint;
  /** A zero below zero. */
  readonly isNegative: boolean;
}

interface Distressed {
  readonly party: string;
  total: bigint;
}

export abstract class MarketSettlement extends MarketLiquidity {
  abstract recordInterest(): void;

  /** A fill's effect on positions and on what is to be settled. @param network side without a position */
  applyTrade(buy: Order, sell: Order, size: bigint, price: bigint, shown: bigint): void {
    for (const [order, sign] of [
      [buy, 1n],
      [sell, -1n],
    ] as const) {
      this.unsettled.push({ party: order.party, size: sign * size, price, shown });
      if (order.party === NETWORK) continue;
      this.register(order, size, -1n).size += sign * size;
    }
    this.recordInterest();
  }

  private resultOf(party: string): Result | undefined {
    const trades = this.unsettled.filter((trade) => trade.party === party);
    const { size, mark: lastMark } = this.settled.get(party) ?? { size: 0n, mark: 0n };
    if (trades.length === 0 && lastMark === this.mark) return undefined;
    let value = absolute(this.mark - lastMark) * absolute(size);
    let isNegative = lastMark > this.mark !== size < 0n;
    for (const trade of trades) {
      const add = absolute(this.mark - trade.price) * absolute(trade.size);
      const addIsNegative = trade.price > this.mark !== trade.size < 0n;
      if (value === 0n) [value, isNegative] = [add, addIsNegative];
      else if (addIsNegative === isNegative) value += add;
      else if (value >= add) value -= add;
      else [value, isNegative] = [add - value, addIsNegative];
    }
    const exact = Decimal.of(isNegative ? -value : value).over(this.terms.sizeFactor);
    return { party, exact, amount: exact.trunc(), isNegative };
  }

  /** A run (docs/protocol/70-trading-positions.md#62-mtm-run). */
  markToMarket(isLast = false): void {
    this.count("mark to market");
    const parties = this.positions.map(({ party }) => party);
    if (this.hasUnsettled(NETWORK)) parties.unshift(NETWORK);
    const results: Result[] = [];
    for (const party of parties) {
      const result = this.resultOf(party);
      if (result !== undefined) results.push(result);
      const trades = this.unsettled.filter((trade) => trade.party === party);
      const text = trades.map(({ size, price, shown }) => `${size}@${price}/${shown}`);
      if (party !== NETWORK) this.fact("settle", party, this.mark, text.join(","));
      const position = this.position(party);
      if (position === undefined || (position.size === 0n && position.buy === 0n && position.sell === 0n))
        this.settled.delete(party);
      else this.settled.set(party, { size: position.size, mark: this.mark });
    }
    // Those without a position by now have nothing open, and are remembered with the mark of all.
    for (const state of this.settled.values()) state.mark = this.mark;
    this.unsettled = this.unsettled.filter(({ party }) => !parties.includes(party));
    const losses = results.filter(({ amount }) => amount < 0n);
    const wins = results.filter(({ amount }) => amount >= 0n);
    this.repairRounding(losses, wins);
    this.settleResults(losses, wins, Move.mtmLoss, Move.mtmWin, true);
    const distressed: Distressed[] = [];
    const shortfalls: [string, bigint][] = [];
    // Losers are the first, in the order of their close-outs, too. Those with nothing to settle wait for the recheck.
    const order = [...losses, ...wins].map(({ party }) => party);
    for (const position of order.filter((party) => party !== NETWORK).map((party) => this.position(party)!)) {
      const { party } = position;
      const { isDistressed, shortfall, total } = this.updateMargin(position, this.mark);
      if (shortfall > 0n && this.balanceExists(bond(party))) shortfalls.push([party, shortfall]);
      if (isDistressed) distressed.push({ party, total });
    }
    for (const [party, shortfall] of shortfalls) {
      this.count("bond used after mark to market");
      this.slash(party, shortfall);
    }
    // A close-out is of what a penalty has left.
    for (const one of distressed) one.total = this.totalOf(one.party);
    const { changed, hasTraded } =
      distressed.length === 0 ? { changed: [], hasTraded: false } : this.closeOut(distressed);
    // The trades of the network are marked to market by a run of their own.
    if (hasTraded) this.markToMarket();
    this.liquidityFeeNow();
    this.followReferences(changed);
    // Of all that follows only the recheck is left out when trading ends.
    if (isLast) return;
    this.recheckMargins(this.mark);
  }

  /** Parties that cannot reach maintenance are passed over. */
  protected recheckMargins(price: bigint): void {
    const short = this.positions.map((position) => ({
      party: position.party,
      shortfall: this.updateMargin(position, price, true).shortfall,
    }));
    for (const { party, shortfall } of short) if (shortfall > 0n) this.slash(party, shortfall);
  }

  private balanceExists(account: string): boolean {
    return this.accounts.has(account);
  }

  private repairRounding(losses: readonly Result[], wins: readonly Result[]): void {
    let delta = -sum(losses, ({ amount }) => amount) - sum(wins, ({ amount }) => amount);
    if (delta === 0n || wins.length === 0) return;
    this.count("rounding repaired");
    let largest = wins[0]!;
    for (const win of wins) if (largest.exact.isBelow(win.exact)) largest = win;
    for (const win of wins) {
      if (delta === 0n) break;
      if (win.amount !== 0n || win.isNegative) continue;
      win.amount += 1n;
      delta -= 1n;
    }
    largest.amount += delta;
    // The next ones pay what it lacks.
    const byValue = [...wins].sort((a, b) => b.exact.minus(a.exact).sign);
    for (const [at, win] of byValue.entries()) {
      if (win.amount >= 0n || byValue[at + 1] === undefined) break;
      byValue[at + 1]!.amount += win.amount;
      win.amount = 0n;
      this.count("rounding taken from several winners");
    }
  }

  private settleResults(
    losses: readonly Result[],
    wins: readonly Result[],
    lossType: number,
    winType: number,
    withBond: boolean,
  ): void {
    let collected = 0n;
    const expected = -sum(losses, ({ amount }) => amount);
    for (const { party, amount } of losses) {
      const own = withBond ? [margin(party), general(party), bond(party)] : [margin(party), general(party)];
      const sources = party === NETWORK ? ["insurance"] : [...own, "insurance"];
      const paid = this.collect(sources, "settlement", -amount, lossType);
      collected += paid;
      if (paid < -amount && party !== NETWORK) this.fact("loss", party, -amount - paid);
    }
    const cut = wins.map(({ party, amount }) => ({ party, amount, full: amount }));
    if (collected < expected) {
      this.count("loss socialised");
      if (this.balance("insurance") === 0n) this.count("insurance empty");
      const ratio = Decimal.of(collected).over(Decimal.of(expected));
      for (const win of cut) win.amount = Decimal.of(win.full).times(ratio).floor();
      const rest = collected - sum(cut, ({ amount }) => amount);
      // Final settlement (#65-final-settlement) pays wins of zero, too, so the last winner may be one of them.
      const isFinal = winType === Move.win;
      const due = cut.filter(({ full }) => isFinal || full > 0n);
      const last = due.find(({ party }) => party === NETWORK) ?? due.at(-1);
      if (last !== undefined && rest > 0n) last.amount += rest;
      for (const { party, amount, full } of due)
        if (party !== NETWORK) this.fact("loss", party, amount - full);
    }
    // Truncated amounts of a final settlement may come to more than was lost.
    for (const { party, amount } of cut) {
      if (party === NETWORK) this.collect(["settlement"], "insurance", amount, winType);
      else this.collect(["settlement", "insurance"], margin(party), amount, winType);
    }
  }

  /** docs/protocol/70-trading-positions.md#55-close-out-of-distressed-parties. @returns ids of the orders that were taken away */
  private closeOut(all: readonly Distressed[]): { changed: string[]; hasTraded: boolean } {
    this.count("distressed", all.length);
    const touched: string[] = [];
    let parties = [...all];
    for (const { party } of parties) {
      for (const order of this.book.filter((one) => one.party === party)) {
        this.finish(order, Status.stopped);
        touched.push(order.id);
      }
    }
    const providers = parties.filter(({ party }) => this.provisionOf(party) !== undefined);
    for (const { party } of parties) {
      const provision = this.provisionOf(party);
      if (provision !== undefined) {
        this.endProvision(provision, Provided.cancelled);
        this.liquidityFeeNow();
        this.count("provider closed out");
      }
      for (const order of this.parked.filter((one) => one.party === party))
        this.finish(order, Status.stopped);
    }
    if (providers.length > 0) this.followReferences([], true);
    if (touched.length > 0) {
      const isSafe = ({ party }: Distressed) =>
        this.balance(margin(party)) > this.levelsOf(this.position(party)!, this.lastTraded)[0];
      const safe = parties.filter(isSafe);
      if (safe.length > 0) this.fact("ordersClosed", ...safe.map(({ party }) => party));
      this.count("safe without orders", safe.length);
      parties = parties.filter((one) => !safe.includes(one));
      if (parties.length === 0) return { changed: touched, hasTraded: false };
    }
    const net = sum(parties, ({ party }) => this.position(party)!.size);
    const sizes = parties.map(({ party }) => ({ party, size: absolute(this.position(party)!.size) }));
    if (net !== 0n) {
      const side: Side = net > 0n ? SELL : BUY;
      const order = networkOrder(this.nowNs, side, absolute(net), this.batch);
      // The book of an auction does not match.
      const fills = this.isInAuction ? [] : this.matchOf(order).fills;
      if (fills.length === 0) {
        if (this.isInAuction) this.count("distressed when trading ended in an auction");
        this.count("close-out without volume");
        const unsold = parties.map(({ party }) => party);
        this.showDistressed(unsold, unsold);
        return { changed: touched, hasTraded: false };
      }
      this.showDistressed(
        [],
        parties.map(({ party }) => party),
      );
      this.tradeForNetwork(order, fills, sizes);
      touched.push(...fills.map(({ passive }) => passive.id));
    }
    for (const { party, total } of parties) {
      this.count("closed out");
      this.fact("distressed", party, total, this.mark);
      this.flagged.delete(party);
      this.positions = this.positions.filter((position) => position.party !== party);
      this.settled.delete(party);
      this.collect([bond(party), general(party)], margin(party), this.totalOf(party), Move.marginLow);
      this.move(margin(party), "insurance", this.balance(margin(party)), Move.confiscated);
      this.accounts.delete(margin(party));
    }
    return { changed: touched, hasTraded: net !== 0n };
  }

  /** A flag of the position's record: it goes with it (docs/protocol/70-trading-positions.md#51-position-record). */
  protected readonly flagged = new Set<string>();

  /** Shows parties that became distressed, and those that have recovered: of positions that nothing on the book can close. */
  private showDistressed(parties: readonly string[], inDistress: readonly string[]): void {
    const more = parties.filter((party) => !this.flagged.has(party));
    const safe = [...this.flagged].filter((party) => !inDistress.includes(party));
    if (more.length + safe.length > 0)
      this.fact("distressedPositions", more.sort().join(), safe.sort().join());
    for (const party of safe) this.flagged.delete(party);
    for (const party of more) this.flagged.add(party);
    if (safe.length > 0) this.count("distressed no longer");
  }

  private tradeForNetwork(
    order: Order,
    fills: readonly { readonly passive: Order; readonly size: bigint }[],
    distressed: readonly { readonly party: string; readonly size: bigint }[],
  ): void {
    const { priceFactor } = this.terms;
    const value = fills.reduce((all, { passive, size }) => all + passive.price * size, 0n);
    const average = value / order.size;
    order.remaining = 0n;
    order.status = Status.filled;
    this.showOrder(order, { price: 0n });
    const fees = fills.map(({ passive, size }) => ({
      maker: passive.party,
      fees: this.feesOf(passive.price, size),
    }));
    for (const [at, { passive, size }] of fills.entries()) {
      const shown = passive.price / priceFactor;
      this.reducePassive(passive, size);
      const [buy, sell] = order.side === BUY ? [order, passive] : [passive, order];
      this.showTrade(buy, sell, size, shown, order.side, 2, fees[at]!.fees, order.side);
      this.applyTrade(buy, sell, size, passive.price, shown);
    }
    const traded = fills.map(({ passive, size }) => this.tradeValue(passive.price, size));
    this.equity.recordTraded(traded.reduce((all, one) => all.plus(one), Decimal.of(0n)).floor());
    const paid = this.payCloseOutFees(distressed, fees);
    for (const { party, size } of distressed) {
      const isLong = this.position(party)!.size > 0n;
      const side: Side = isLong ? SELL : BUY;
      const shown = average / priceFactor;
      const of = { ...order, size, remaining: 0n, price: average, batch: 0n };
      const own = { ...of, id: `distressed-${party}`, party, side };
      const network = { ...of, id: "against", party: NETWORK, side: opposite(side) };
      this.showOrder(own);
      this.showOrder(network);
      const [buy, sell] = side === BUY ? [own, network] : [network, own];
      const none = { maker: 0n, infrastructure: 0n, liquidity: 0n };
      this.showTrade(buy, sell, size, shown, network.side, 3, paid.get(party) ?? none, side);
      // The levels that have found it in distress come after these, at the end of the block.
      this.fact("levels", party, "0/0/0/0");
    }
  }

  /** A resting order has traded. */
  reducePassive(passive: Order, size: bigint): void {
    passive.remaining -= size;
    if (passive.remaining === 0n) {
      passive.status = Status.filled;
      this.take(passive);
    }
    this.showOrder(passive);
  }

  showTrade(
    buy: Order,
    sell: Order,
    size: bigint,
    shown: bigint,
    aggressor: number,
    type: number,
    fees: Fees | undefined,
    payer: Side | undefined,
  ): void {
    this.count(`trade of type ${type}`);
    // A close-out shows no fees on the side that pays none, except for those of whom the network buys.
    const isShown = type === 1 || (type === 2 && payer === BUY);
    const none = fees !== undefined && isShown ? "0/0/0" : "-";
    const text = fees === undefined ? "-" : `${fees.maker}/${fees.infrastructure}/${fees.liquidity}`;
    const buyerFee = payer === undefined || payer === BUY ? text : none;
    const sellerFee = payer === undefined || payer === SELL ? text : none;
    const ids = type === 1 ? [buy.id, sell.id] : ["-", "-"];
    this.fact("trade", shown, size, buy.party, sell.party, aggressor, ...ids, type, buyerFee, sellerFee);
  }

  /** docs/protocol/70-trading-positions.md#65-final-settlement. @param price in asset precision */
  settleFinally(price: bigint): void {
    this.count("settled");
    const results: Result[] = [];
    for (const party of [...this.settled.keys()].sort()) {
      const { size, mark } = this.settled.get(party)!;
      if (size === 0n) continue;
      const value = Decimal.of(absolute(price - mark))
        .times(Decimal.of(absolute(size)).over(this.terms.sizeFactor))
        .trunc();
      const isLoss = price > mark === size < 0n;
      const amount = isLoss ? -value : value;
      results.push({ party, exact: Decimal.of(amount), amount, isNegative: isLoss });
    }
    const losses = results.filter(({ isNegative }) => isNegative);
    const wins = results.filter(({ isNegative }) => !isNegative);
    this.settleResults(losses, wins, Move.loss, Move.win, false);
    this.move("settlement", "globalReward", this.balance("settlement"), Move.clear);
    this.distributeLiquidityFees();
    this.state = State.settled;
    this.clearAccounts();
    for (const order of [...this.book].sort((a, b) => byText(a.id, b.id))) this.finish(order, Status.stopped);
    for (const order of [...this.parked]) this.finish(order, Status.stopped);
    this.stopProvisions();
    this.mark = price;
    this.lastTraded = price;
    this.fact("settledMarket", price, this.terms.sizeFactor.toString());
  }

  abstract distributeLiquidityFees(): void;

  /** A market that ends in its opening auction. */
  protected close(): void {
    this.clearAccounts();
    this.stopProvisions();
  }

  private stopProvisions(): void {
    for (const provision of this.provisions) {
      this.setStatus(provision, Provided.stopped);
      this.equity.remove(provision.party);
    }
    this.provisions = [];
    this.positions = [];
  }

  /** To the asset's other markets and the global reward account, which gets what cannot be split. */
  private splitInsurance(): void {
    const whole = this.balance("insurance");
    const others = this.home.insurances();
    const part = whole / BigInt(others.length + 1);
    for (const other of others) this.move("insurance", other, part, Move.clear);
    if (part > 0n && others.length > 0) this.count(`insurance split to ${others.length} markets`);
    this.move("insurance", "globalReward", this.balance("insurance"), Move.clear);
  }

  private clearAccounts(): void {
    const parties = [...this.accounts.keys()]
      .filter((account) => account.startsWith("margin ") || account.startsWith("bond "))
      .map((account) => account.slice(account.indexOf(" ") + 1));
    for (const party of [...new Set(parties)].sort()) {
      for (const account of [margin(party), bond(party)]) {
        this.move(account, general(party), this.balance(account), Move.clear);
        this.accounts.delete(account);
      }
    }
    this.move("liquidityFees", "insurance", this.balance("liquidityFees"), Move.clear);
    this.accounts.delete("liquidityFees");
    this.splitInsurance();
    this.accounts.delete("insurance");
  }
}

function networkOrder(nowNs: bigint, side: Side, size: bigint, batch: bigint): Order {
  return {
    id: "network",
    party: NETWORK,
    side,
    price: 0n,
    size,
    remaining: size,
    tif: Tif.fok,
    type: OrderType.network,
    status: Status.active,
    reason: 0,
    createdNs: nowNs,
    expiresNs: 0n,
    version: 0n,
    batch,
    peg: undefined,
    provision: "",
    postOnly: false,
    reduceOnly: false,
  };
}
