// Margin moves, bonds and fees of the naive market (docs/protocol/70-trading-orders.md#4-fees,
// docs/protocol/70-trading-positions.md#54-when-margin-moves and
// docs/protocol/70-trading-liquidity.md#75-bond-slashing-and-distress).
import { type Levels, MarketBook } from "./book.ts";
import { Decimal } from "./decimal.ts";
import {
  bond,
  general,
  least,
  Move,
  margin,
  most,
  type Order,
  type Position,
  type Provision,
  Trigger,
} from "./model.ts";

export interface Fees {
  readonly maker: bigint;
  readonly infrastructure: bigint;
  readonly liquidity: bigint;
}

interface MarginUpdate {
  readonly isDistressed: boolean;
  /** The part of the top-up that the general account lacked. */
  readonly shortfall: bigint;
  /** Margin, general and bond before. */
  readonly total: bigint;
}

export abstract class MarketMargins extends MarketBook {
  provisionOf(party: string): Provision | undefined {
    return this.provisions.find((provision) => provision.party === party);
  }

  totalOf(party: string): bigint {
    return this.balance(margin(party)) + this.balance(general(party)) + this.balance(bond(party));
  }

  /** Price by which an order's margin is measured. */
  checkPriceOf(order: Order): bigint {
    if (!this.isOpening || this.isCleared) return this.mark;
    return this.uncrossing()?.price ?? order.price;
  }

  /** Levels with an order registered, and the margin that it takes. @returns false when it cannot be paid */
  canCarry(order: Order): boolean {
    const { party } = order;
    const levels = this.levelsOf(this.position(party)!, this.checkPriceOf(order));
    const [, , initial] = levels;
    if (this.totalOf(party) < initial) return false;
    const missing = initial - this.balance(margin(party));
    const shortfall = missing - this.balance(general(party));
    const provision = this.provisionOf(party);
    // They are shown also where the bond must not pay.
    this.showLevels(party, levels);
    if (shortfall > 0n && provision?.isNew) return false;
    if (missing > 0n) this.collect([general(party), bond(party)], margin(party), missing, Move.marginLow);
    if (shortfall > 0n) this.count("bond used by an order");
    if (shortfall > 0n && this.auction === undefined) this.slash(party, shortfall);
    return true;
  }

  /** The rule after mark to market, rechecks and redeployment. */
  updateMargin(position: Position, price: bigint, isRecheck = false): MarginUpdate {
    const { party } = position;
    const total = this.totalOf(party);
    const [held, free] = [this.balance(margin(party)), this.balance(general(party))];
    const fine = { isDistressed: false, shortfall: 0n, total };
    if (position.size === 0n && position.buy === 0n && position.sell === 0n) {
      this.showLevels(party, [0n, 0n, 0n, 0n]);
      this.move(margin(party), general(party), held, Move.marginHigh);
      return fine;
    }
    const levels: Levels = this.levelsOf(position, price);
    const [maintenance, search, initial, release] = levels;
    this.showLevels(party, levels);
    if (held < search) {
      if (isRecheck && total < maintenance - held) {
        this.count("recheck passed over");
        return fine;
      }
      const missing = initial - held;
      this.collect([general(party), bond(party)], margin(party), missing, Move.marginLow);
      const isDistressed = this.balance(margin(party)) < held + most(0n, maintenance - held);
      return { isDistressed, shortfall: most(0n, missing - free), total };
    }
    if (held >= release && (this.auction === undefined || this.isCleared))
      this.move(margin(party), general(party), held - initial, Move.marginHigh);
    return fine;
  }

  /** A provider's penalty for margin that its bond had to pay. */
  slash(party: string, shortfall: bigint): void {
    if (this.provisionOf(party)?.isNew !== false) return;
    const penalty = Decimal.of(shortfall).times(this.terms.bondPenalty).floor();
    if (penalty > 0n) this.count("bond slashed");
    this.collect([bond(party), margin(party)], "insurance", penalty, Move.slash);
  }

  /** Margin of a party that is flat and has no orders goes back, unless trades change what was settled before. */
  releaseIfFlat(party: string): void {
    const { size, buy, sell } = this.position(party) ?? { size: 0n, buy: 0n, sell: 0n };
    if (size !== 0n || buy !== 0n || sell !== 0n) return;
    if (this.hasUnsettled(party) && this.settled.has(party)) return;
    this.move(margin(party), general(party), this.balance(margin(party)), Move.marginHigh);
  }

  tradeValue(price: bigint, size: bigint): Decimal {
    return Decimal.of(price * size).over(this.terms.sizeFactor);
  }

  feesOf(price: bigint, size: bigint): Fees {
    const value = this.tradeValue(price, size);
    const of = (factor: Decimal) => value.times(factor).ceil();
    const { maker, infrastructure } = this.terms;
    return {
      maker: of(maker),
      infrastructure: of(infrastructure),
      liquidity: of(this.liquidityFee),
    };
  }

  /** Fees of an order's trades, which its party pays. @returns false, with nothing moved, when it cannot */
  payFees(party: string, fills: readonly { readonly maker: string; readonly fees: Fees }[]): boolean {
    const sumOf = (member: keyof Fees) => fills.reduce((all, { fees }) => all + fees[member], 0n);
    const total = sumOf("maker") + sumOf("infrastructure") + sumOf("liquidity");
    if (this.balance(general(party)) + this.balance(margin(party)) < total) return false;
    const sources = [general(party), margin(party)];
    for (const { fees } of fills) this.collect(sources, "makerFees", fees.maker, Move.makerPay);
    this.collect(sources, "infrastructureFees", sumOf("infrastructure"), Move.infrastructure);
    this.collect(sources, "liquidityFees", sumOf("liquidity"), Move.liquidityPay);
    for (const { maker, fees } of fills)
      this.move("makerFees", general(maker), fees.maker, Move.makerReceive);
    return true;
  }

  /** Halves of a trade in a monitoring auction: each side pays what it can. */
  payAuctionFees(seller: string, buyer: string, { infrastructure, liquidity }: Fees): void {
    const half = (fee: bigint) => (fee + 1n) / 2n;
    for (const party of [seller, buyer]) {
      const sources = [general(party), margin(party)];
      this.collect(sources, "infrastructureFees", half(infrastructure), Move.infrastructure);
      this.collect(sources, "liquidityFees", half(liquidity), Move.liquidityPay);
    }
  }

  /** Fees of a network order: shares of the distressed parties by size, as far as their money goes. */
  payCloseOutFees(
    distressed: readonly { readonly party: string; readonly size: bigint }[],
    fills: readonly { readonly maker: string; readonly fees: Fees }[],
  ): ReadonlyMap<string, Fees> {
    const paid = new Map<string, Fees>();
    const whole = Decimal.of(distressed.reduce((all, { size }) => all + size, 0n));
    for (const { maker, fees } of fills) {
      for (const { party, size } of distressed) {
        const share = Decimal.of(size).over(whole);
        const part = (fee: bigint) => Decimal.of(fee).times(share).ceil();
        const sources = [general(party), margin(party)];
        const before = paid.get(party) ?? { maker: 0n, infrastructure: 0n, liquidity: 0n };
        this.collect(sources, "makerFees", part(fees.maker), Move.makerPay);
        this.collect(sources, "infrastructureFees", part(fees.infrastructure), Move.infrastructure);
        this.collect(sources, "liquidityFees", part(fees.liquidity), Move.liquidityPay);
        paid.set(party, {
          maker: before.maker + part(fees.maker),
          infrastructure: before.infrastructure + part(fees.infrastructure),
          liquidity: before.liquidity + part(fees.liquidity),
        });
      }
      const received = least(fees.maker, this.balance("makerFees"));
      this.move("makerFees", general(maker), received, Move.makerReceive);
    }
    return paid;
  }

  /** The auction that begins, or is extended. */
  showAuction(extension = this.auction!.extension): void {
    const { trigger, startNs, endNs } = this.auction!;
    this.fact("auction", +(trigger === Trigger.opening), startNs, endNs, trigger, extension);
  }
}
