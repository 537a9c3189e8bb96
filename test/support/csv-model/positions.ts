// Positions as docs/protocol/20-network-history-tables.md#36-how-positions-rows-are-computed and 70 (9.5) compute them,
// a second time.
import { type Fixed, fixed, fixedText, ONE, over } from "./fixed-point.ts";
import { type Any, bytea, hex } from "./texts.ts";

export interface Position {
  readonly market: string;
  readonly party: string;
  volume: bigint;
  realised: Fixed;
  unrealised: Fixed;
  entry: Fixed;
  entryMarket: Fixed;
  loss: Fixed;
  adjustment: Fixed;
  tx: string;
  pendingVolume: bigint;
  pendingRealised: Fixed;
  pendingUnrealised: Fixed;
  pendingEntry: Fixed;
  pendingEntryMarket: Fixed;
  lossSocialisation: Fixed;
  status: string;
}

const STATUS = "POSITION_STATUS_";

function fresh(market: string, party: string): Position {
  const settled = { volume: 0n, realised: 0n, unrealised: 0n, entry: 0n, entryMarket: 0n };
  const pending = { pendingVolume: 0n, pendingRealised: 0n, pendingUnrealised: 0n, pendingEntry: 0n };
  const rest = { pendingEntryMarket: 0n, loss: 0n, adjustment: 0n, lossSocialisation: 0n };
  const ids = { market: bytea(market), party: bytea(party) };
  return { ...ids, ...settled, ...pending, ...rest, tx: "\\x", status: `${STATUS}UNSPECIFIED` };
}

/** Columns of `positions`. @param time of the block, as CSV */
export function positionCells(p: Position, time: string): unknown[] {
  const settled = [p.realised, p.unrealised, p.entry, p.entryMarket, p.loss, p.adjustment].map(fixedText);
  const pending = [p.pendingRealised, p.pendingUnrealised, p.pendingEntry, p.pendingEntryMarket];
  const last = [fixedText(p.lossSocialisation), p.status];
  return [
    ...[p.market, p.party, p.volume, ...settled, p.tx, time, p.pendingVolume],
    ...[...pending.map(fixedText), ...last],
  ];
}

/** All positions; each method gives those that an event changed. */
export class PositionModel {
  private readonly positions = new Map<string, Position>();
  private readonly factors = new Map<string, Fixed>();
  /** As they stood before the running block. */
  private before = new Map<string, Position>();

  beginBlock(): void {
    this.before = new Map([...this.positions].map(([key, position]) => [key, { ...position }]));
  }

  market(m: Any): void {
    const places: bigint = m.positionDecimalPlaces;
    this.factors.set(hex(m.id), places < 0n ? over(ONE, 10n ** -places * ONE) : 10n ** places * ONE);
  }

  trade(m: Any): Position[] {
    const price = fixed(m.price);
    const factor = this.factors.get(hex(m.marketId)) ?? ONE;
    const sides: [party: string, size: bigint][] = [
      [m.buyer, m.size],
      [m.seller, -m.size],
    ];
    // A trade with oneself: both sides are read before either is written.
    if (hex(m.buyer) === hex(m.seller)) sides.shift();
    return sides.map(([party, size]) => {
      const p = this.position(m.marketId, party);
      const { opened, closed } = split(p.pendingVolume, size);
      p.pendingRealised += (price - p.pendingEntry) * closed;
      p.pendingVolume -= closed;
      p.pendingEntry = average(p.pendingEntry, p.pendingVolume, opened, price);
      p.pendingEntryMarket = average(p.pendingEntryMarket, p.pendingVolume, opened, price);
      p.pendingVolume += opened;
      p.pendingUnrealised = marked(p.pendingVolume, price, p.pendingEntry, factor);
      return p;
    });
  }

  settlePosition(m: Any, tx: string): Position[] {
    const p = this.position(m.marketId, m.partyId);
    const factor = fixed(m.positionFactor);
    for (const { size, price, marketPrice } of m.tradeSettlements) {
      const { opened, closed } = split(p.volume, size);
      p.realised += over((fixed(price) - p.entry) * closed, factor);
      p.volume -= closed;
      p.entry = average(p.entry, p.volume, opened, fixed(price));
      p.entryMarket = average(p.entryMarket, p.volume, opened, fixed(marketPrice));
      p.volume += opened;
    }
    p.unrealised = marked(p.volume, fixed(m.price), p.entry, factor);
    return [settled(p, tx)];
  }

  lossSocialization(m: Any, tx: string): Position[] {
    const p = this.position(m.marketId, m.partyId);
    const amount = fixed(m.amount);
    if (amount < 0n) p.loss += amount;
    else p.adjustment += amount;
    p.lossSocialisation += amount < 0n ? -amount : amount;
    p.realised += amount;
    return [settled(p, tx)];
  }

  settleDistressed(m: Any, tx: string): Position[] {
    const p = this.position(m.marketId, m.partyId);
    p.realised += p.unrealised - fixed(m.margin);
    p.unrealised = 0n;
    p.entry = 0n;
    p.volume = 0n;
    p.status = `${STATUS}CLOSED_OUT`;
    return [settled(p, tx)];
  }

  /** Earlier changes of this block to the market's positions are not seen (docs/compatibility.md, "Kept as it is"). */
  settleMarket(m: Any, tx: string): Position[] {
    const of = [...this.before].filter(([, position]) => position.market === bytea(m.marketId));
    return of.map(([key, position]) => {
      const p = { ...position };
      this.positions.set(key, p);
      p.realised += over(p.volume * (fixed(m.price) - p.entry), fixed(m.positionFactor));
      p.unrealised = 0n;
      p.volume = 0n;
      return settled(p, tx);
    });
  }

  distressedOrders(m: Any): Position[] {
    return this.mark(m.marketId, m.parties, () => `${STATUS}ORDERS_CLOSED`);
  }

  distressedPositions(m: Any): Position[] {
    const distressed = `${STATUS}DISTRESSED`;
    return this.mark(m.marketId, [...m.distressedParties, ...m.safeParties], (status) =>
      status === distressed ? `${STATUS}UNSPECIFIED` : distressed,
    );
  }

  /** Only existing positions have a status. */
  private mark(market: string, parties: readonly string[], change: (old: string) => string): Position[] {
    return parties.flatMap((party) => {
      const p = this.positions.get(keyOf(market, party));
      if (!p) return [];
      p.status = change(p.status);
      return [p];
    });
  }

  private position(market: string, party: string): Position {
    const key = keyOf(market, party);
    const p = this.positions.get(key) ?? fresh(market, party);
    this.positions.set(key, p);
    return p;
  }
}

const keyOf = (market: string, party: string) => `${hex(market)}|${hex(party)}`;

function settled(p: Position, tx: string): Position {
  p.tx = tx;
  p.pendingVolume = p.volume;
  p.pendingRealised = p.realised;
  p.pendingUnrealised = p.unrealised;
  p.pendingEntry = p.entry;
  p.pendingEntryMarket = p.entryMarket;
  return p;
}

function split(volume: bigint, size: bigint): { opened: bigint; closed: bigint } {
  const magnitude = (value: bigint) => (value < 0n ? -value : value);
  if (volume === 0n || volume < 0n === size < 0n) return { opened: size, closed: 0n };
  const closed = magnitude(size) > magnitude(volume) ? volume : -size;
  return { opened: size + closed, closed };
}

function average(entry: Fixed, volume: bigint, opened: bigint, price: Fixed): Fixed {
  if (volume + opened === 0n) return 0n;
  return over(entry * volume + price * opened, (volume + opened) * ONE);
}

function marked(volume: bigint, price: Fixed, entry: Fixed, factor: Fixed): Fixed {
  return volume === 0n ? 0n : over(volume * (price - entry), factor);
}
