/** Fees of trades, how they are paid, and who paid how much in the epoch (docs/protocol/70-trading-orders.md#4-fees). */

import { absolute } from "../../wire/arithmetic.ts";
import { Decimal } from "../../wire/decimal.ts";
import { TransferType } from "../../wire/generated/vega.ts";
import type { Movement } from "../collateral.ts";
import type { MarketContext } from "./context.ts";
import type { ActivityFees } from "./records.ts";
import type { MissingFunds } from "./refusals.ts";
import { BUY } from "./stored-order.ts";
import { keyOf } from "./tables.ts";
import type { Terms } from "./terms.ts";
import { buyerOf, NO_FEE, sellerOf, type Trade, type TradeFee, totalFee } from "./trade.ts";

/** Fees of a trade in continuous trading: each is rounded up. */
export function feesOf(terms: Terms, price: bigint, size: bigint): TradeFee {
  const value = Decimal.shifted(price * size, terms.positionDecimals);
  const part = (factor: Decimal) => value.times(factor).ceiling();
  return {
    maker: part(terms.makerFee),
    infrastructure: part(terms.infrastructureFee),
    liquidity: part(terms.liquidityFee),
  };
}

const half = (fee: bigint): bigint => (fee + 1n) / 2n;

/** Fees of each side in a monitoring auction. */
function auctionFeesOf(terms: Terms, price: bigint, size: bigint): TradeFee {
  const { infrastructure, liquidity } = feesOf(terms, price, size);
  return { maker: 0n, infrastructure: half(infrastructure), liquidity: half(liquidity) };
}

export class Fees {
  constructor(private readonly market: MarketContext) {}

  /** With the fees of continuous trading: the aggressor's side carries them, and the other one three zeros. */
  priced(trades: readonly Trade[]): Trade[] {
    const { terms } = this.market;
    return trades.map((trade) => {
      const fee = feesOf(terms, trade.price, trade.size);
      return trade.aggressor.side === BUY
        ? { ...trade, buyerFee: fee, sellerFee: NO_FEE }
        : { ...trade, buyerFee: NO_FEE, sellerFee: fee };
    });
  }

  /**
   * The same for a close-out: if the network sells, the resting side shows no fees
   * (docs/protocol/70-trading-orders.md#44-close-out-fees).
   */
  pricedCloseOut(trades: readonly Trade[]): Trade[] {
    const { terms } = this.market;
    return trades.map((trade) => {
      const fee = feesOf(terms, trade.price, trade.size);
      return trade.aggressor.side === BUY
        ? { ...trade, buyerFee: fee, sellerFee: NO_FEE }
        : { ...trade, sellerFee: fee };
    });
  }

  /** @returns the funds that the party lacks; nothing has moved then */
  payContinuous(party: string, trades: readonly Trade[]): MissingFunds | undefined {
    if (trades.length === 0) return undefined;
    const { accounts } = this.market;
    const sources = [accounts.general(party), accounts.margin(party)];
    const fees = trades.map(aggressorFee);
    const sum = { maker: 0n, infrastructure: 0n, liquidity: 0n };
    for (const fee of fees) {
      sum.maker += fee.maker;
      sum.infrastructure += fee.infrastructure;
      sum.liquidity += fee.liquidity;
    }
    const [general, margin] = sources.map((id) => accounts.balance(id)) as [bigint, bigint];
    const [needed, available] = [totalFee(sum), general + margin];
    if (available < needed) return { needed, available, margin, general, ...this.market.assetUnit };
    const movements = fees.map(({ maker }) =>
      accounts.move(sources, accounts.makerFees, maker, TransferType.TRANSFER_TYPE_MAKER_FEE_PAY),
    );
    movements.push(
      accounts.move(
        sources,
        accounts.infrastructureFees,
        sum.infrastructure,
        TransferType.TRANSFER_TYPE_INFRASTRUCTURE_FEE_PAY,
      ),
      accounts.move(
        sources,
        accounts.liquidityFees,
        sum.liquidity,
        TransferType.TRANSFER_TYPE_LIQUIDITY_FEE_PAY,
      ),
    );
    for (const [index, trade] of trades.entries()) {
      const fee = fees[index]!;
      movements.push(this.payMaker(trade.passive.party, fee.maker));
      this.note(trade.passive.party, { makerReceived: fee.maker });
      this.note(party, { makerPaid: fee.maker });
    }
    accounts.emit(movements);
    return undefined;
  }

  /** The trades of an uncrossing with their fees, which are taken as far as the parties have money. */
  payAuction(trades: readonly Trade[]): Trade[] {
    const { accounts, terms } = this.market;
    const movements: Movement[] = [];
    const priced = trades.map((trade) => {
      const fee = auctionFeesOf(terms, trade.price, trade.size);
      for (const { party } of [sellerOf(trade), buyerOf(trade)]) {
        const sources = [accounts.general(party), accounts.margin(party)];
        movements.push(
          accounts.move(
            sources,
            accounts.infrastructureFees,
            fee.infrastructure,
            TransferType.TRANSFER_TYPE_INFRASTRUCTURE_FEE_PAY,
          ),
          accounts.move(
            sources,
            accounts.liquidityFees,
            fee.liquidity,
            TransferType.TRANSFER_TYPE_LIQUIDITY_FEE_PAY,
          ),
        );
      }
      return { ...trade, buyerFee: fee, sellerFee: fee };
    });
    accounts.emit(movements);
    return priced;
  }

  /**
   * Fees of a close-out: each distressed party pays its part of each trade, up to its money
   * (docs/protocol/70-trading-orders.md#44-close-out-fees). They count for no reward.
   * @param trades with the fees of continuous trading
   * @returns the total due from each party
   */
  payCloseOut(
    parties: readonly { readonly party: string; readonly size: bigint }[],
    trades: readonly Trade[],
  ): Map<string, TradeFee> {
    const { accounts } = this.market;
    const movements: Movement[] = [];
    const owed = new Map<string, TradeFee>();
    const whole = Decimal.of(parties.reduce((sum, { size }) => sum + absolute(size), 0n));
    for (const trade of trades) {
      const fee = aggressorFee(trade);
      for (const { party, size } of parties) {
        const share = Decimal.of(absolute(size)).dividedBy(whole);
        const part = (amount: bigint) => Decimal.of(amount).times(share).ceiling();
        const mine = {
          maker: part(fee.maker),
          infrastructure: part(fee.infrastructure),
          liquidity: part(fee.liquidity),
        };
        const before = owed.get(party) ?? NO_FEE;
        owed.set(party, {
          maker: before.maker + mine.maker,
          infrastructure: before.infrastructure + mine.infrastructure,
          liquidity: before.liquidity + mine.liquidity,
        });
        const sources = [accounts.general(party), accounts.margin(party)];
        const pay = (to: string, amount: bigint, type: number) =>
          movements.push(accounts.move(sources, to, amount, type as never));
        pay(accounts.makerFees, mine.maker, TransferType.TRANSFER_TYPE_MAKER_FEE_PAY);
        pay(
          accounts.infrastructureFees,
          mine.infrastructure,
          TransferType.TRANSFER_TYPE_INFRASTRUCTURE_FEE_PAY,
        );
        pay(accounts.liquidityFees, mine.liquidity, TransferType.TRANSFER_TYPE_LIQUIDITY_FEE_PAY);
      }
      movements.push(this.payMaker(trade.passive.party, fee.maker));
    }
    accounts.emit(movements);
    return owed;
  }

  /** Adds to a party's fee totals of the epoch. */
  note(party: string, change: Partial<ActivityFees>): void {
    const { id: market, index, tables } = this.market;
    const before = index.activities.get(party);
    tables.activities.set(keyOf(market, party), {
      market,
      party,
      makerPaid: (before?.makerPaid ?? 0n) + (change.makerPaid ?? 0n),
      makerReceived: (before?.makerReceived ?? 0n) + (change.makerReceived ?? 0n),
      liquidityReceived: (before?.liquidityReceived ?? 0n) + (change.liquidityReceived ?? 0n),
    });
  }

  private payMaker(party: string, amount: bigint): Movement {
    const { accounts } = this.market;
    return accounts.move(
      [accounts.makerFees],
      accounts.general(party),
      amount,
      TransferType.TRANSFER_TYPE_MAKER_FEE_RECEIVE,
    );
  }
}

/** Fees of the side that came in. */
function aggressorFee({ aggressor, buyerFee, sellerFee }: Trade): TradeFee {
  return (aggressor.side === BUY ? buyerFee : sellerFee) ?? NO_FEE;
}
