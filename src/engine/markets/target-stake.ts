/**
 * Target stake: the commitment that a market's open interest requires
 * (docs/protocol/70-trading-liquidity.md#82-liquidity-monitoring).
 */
import { positivePart } from "../values.ts";
import type { Indication } from "./book.ts";
import type { MarketContext } from "./context.ts";
import type { Position } from "./records.ts";
import { BUY } from "./stored-order.ts";
import { keyOf, numberKey } from "./tables.ts";
import { FACTOR_PARTS } from "./terms.ts";

export class TargetStake {
  /** Open interest after the indicated trades: worked out once for a book, because each change of a provision asks in an auction. */
  private indicated:
    | { readonly version: number; readonly positions: readonly Position[]; readonly interest: bigint }
    | undefined;

  constructor(private readonly market: MarketContext) {}

  /** Open interest after a trade. */
  recordInterest(): void {
    const { market } = this;
    const { nowNs, id } = market;
    const { openInterest: interest } = market.status;
    const records = market.index.interests.list();
    const from = nowNs - market.terms.targetWindowNs;
    for (const { number, record } of records.slice(0, -1)) {
      if (record.timeNs >= from) break;
      market.tables.interests.delete(keyOf(id, numberKey(number)));
    }
    // Earlier entries that are not larger can no longer be the highest of a window.
    for (const { number, record } of records.toReversed()) {
      if (record.interest > interest && record.timeNs < nowNs) break;
      if (record.interest > interest) return;
      market.tables.interests.delete(keyOf(id, numberKey(number)));
    }
    const key = keyOf(id, numberKey(market.tables.next()));
    market.tables.interests.set(key, { market: id, timeNs: nowNs, interest });
  }

  /** By the price and the highest open interest of the window. */
  current(): bigint {
    return this.stakeFor(this.price, this.highestInterest());
  }

  /** The stake that would be asked for after an auction (docs/protocol/70-trading-liquidity.md#82-liquidity-monitoring, "theoretical"). */
  theoretical(indication: Indication | undefined = this.market.book.indication()): bigint {
    return indication === undefined
      ? this.standing()
      : this.stakeFor(indication.price, this.highestWith(this.indicatedInterest(indication)));
  }

  /** The stake without which an auction begins: positions as they are count, however long ago they were traded. */
  standing(price = this.price): bigint {
    return this.stakeFor(price, this.highestWith(this.market.status.openInterest));
  }

  /** Records behind the window do not count here, even if nothing was traded since. */
  private highestWith(interest: bigint): bigint {
    const highest = this.interestWithin();
    return interest > highest ? interest : highest;
  }

  private indicatedInterest(indication: Indication): bigint {
    const { book, index } = this.market;
    const positions = index.positions.list();
    const last = this.indicated;
    if (last?.version === book.version && last.positions === positions) return last.interest;
    const interest = this.interestAfter(indication);
    this.indicated = { version: book.version, positions, interest };
    return interest;
  }

  /** Open interest when the indicated trades were made. */
  private interestAfter(indication: Indication): bigint {
    const { market } = this;
    const changes = new Map<string, bigint>();
    const add = (party: string, size: bigint) => changes.set(party, (changes.get(party) ?? 0n) + size);
    for (const { order, fills } of market.book.uncrossing(indication)) {
      for (const fill of fills) {
        const signed = order.side === BUY ? fill.size : -fill.size;
        add(order.party, signed);
        add(fill.order.party, -signed);
      }
    }
    let interest = market.status.openInterest;
    for (const [party, change] of changes) {
      const size = market.index.positions.get(party)?.size ?? 0n;
      interest += positivePart(size + change) - positivePart(size);
    }
    return interest;
  }

  private get price(): bigint {
    const { status, ports } = this.market;
    return ports.rules.stakesByMark ? status.mark : status.lastTraded;
  }

  drop(): void {
    const { market } = this;
    for (const { number } of market.index.interests.list()) {
      market.tables.interests.delete(keyOf(market.id, numberKey(number)));
    }
  }

  private stakeFor(price: bigint, interest: bigint): bigint {
    const { terms } = this.market;
    const value = this.market.contracts(price * interest).truncated();
    return (value * terms.targetRisk * terms.targetScaling) / (FACTOR_PARTS * FACTOR_PARTS);
  }

  /** Of the window; without one, of the last time at which there were trades. */
  private highestInterest(): bigint {
    const records = this.market.index.interests.list();
    return this.interestWithin(records.at(-1)?.record.timeNs);
  }

  /** Of the window. @param last time that counts in any case */
  private interestWithin(last?: bigint): bigint {
    const { market } = this;
    const from = market.nowNs - market.terms.targetWindowNs;
    const records = market.index.interests.list();
    const first = records.find(({ record: { timeNs } }) => timeNs >= from || timeNs === last);
    return first?.record.interest ?? 0n;
  }
}
