// Positions, margins and marking to market of one market
// (docs/protocol/70-trading-positions.md#5-positions-margin-closeout and #6-mark-price-mark-to-market-settlement).
// Prices here are internal: in the decimals of the asset. The sample's markets are chosen so that every division comes
// out even.
import { AccountType, Side, TransferType } from "../../src/wire/generated/vega.ts";
import type { Book, LiveOrder } from "./book.ts";
import { type Account, type Collateral, general, type Move, margin, system } from "./collateral.ts";
import type { MarketConfig } from "./market-config.ts";
import { ceilDiv, larger } from "./ratio.ts";
import type { World } from "./world.ts";

const PPM = 1_000_000n;

interface Position {
  size: bigint;
  settled: bigint;
  lastMark: bigint;
  trades: { size: bigint; price: bigint }[];
}

interface Levels {
  readonly maintenance: bigint;
  readonly search: bigint;
  readonly initial: bigint;
  readonly release: bigint;
}

export class Positions {
  mark = 0n;
  private readonly positions = new Map<string, Position>();
  private readonly levelsToTell = new Map<string, Levels>();

  constructor(
    private readonly world: World,
    private readonly collateral: Collateral,
    private readonly config: MarketConfig,
    private readonly book: Book,
  ) {}

  get openInterest(): bigint {
    let total = 0n;
    for (const { size } of this.positions.values()) if (size > 0n) total += size;
    return total;
  }

  get hasUnsettledTrades(): boolean {
    return [...this.positions.values()].some((position) => position.trades.length > 0);
  }

  /** Holds what the party needs for its position, its orders and `extra`. */
  hold(party: string, extra?: LiveOrder): void {
    const levels = this.levels(party, extra);
    this.levelsToTell.set(party, levels);
    const held = this.collateral.balance(this.marginOf(party));
    if (held >= levels.initial) return;
    this.collateral.move([this.marginMove(party, levels.initial - held)]);
  }

  trade(party: string, size: bigint, price: bigint): void {
    let position = this.positions.get(party);
    if (!position)
      this.positions.set(party, (position = { size: 0n, settled: 0n, lastMark: 0n, trades: [] }));
    position.size += size;
    position.trades.push({ size, price });
  }

  /** Settles the gains and losses since the last time, then brings the margins up to date. */
  markToMarket(): void {
    const results = [...this.positions].map(
      ([party, position]) => [party, this.settle(party, position)] as const,
    );
    const losses = results.filter(([, amount]) => amount < 0n);
    const wins = results.filter(([, amount]) => amount > 0n);
    this.collateral.move([
      ...losses.flatMap(([party, amount]) =>
        this.lossMoves(party, -amount, TransferType.TRANSFER_TYPE_MTM_LOSS),
      ),
      ...wins.map(([party, amount]) => this.winMove(party, amount, TransferType.TRANSFER_TYPE_MTM_WIN)),
    ]);
    this.collateral.move([...this.positions.keys()].flatMap((party) => this.rebalance(party)));
    for (const [party, { size }] of this.positions) {
      if (size === 0n && !this.hasOrders(party)) this.positions.delete(party);
    }
  }

  private settle(party: string, position: Position): bigint {
    const { mark } = this;
    const { factor, priceFactor } = this.config;
    let amount = position.settled * (mark - position.lastMark);
    for (const { size, price } of position.trades) amount += size * (mark - price);
    this.world.emit({
      settlePosition: {
        marketId: this.config.id,
        partyId: party,
        price: String(mark),
        tradeSettlements: position.trades.map(({ size, price }) => ({
          size,
          price: String(price),
          marketPrice: String(price / priceFactor),
        })),
        positionFactor: String(factor),
      },
    });
    position.settled = position.size;
    position.lastMark = mark;
    position.trades = [];
    return exact(amount, factor);
  }

  /** The last settlement, at the price that the oracle told. */
  settleFinally(price: bigint): void {
    const parties = [...this.positions]
      .filter(([, { size }]) => size !== 0n)
      .sort(([a], [b]) => (a < b ? -1 : 1));
    const amounts = parties.map(
      ([party, { size }]) => [party, exact(size * (price - this.mark), this.config.factor)] as const,
    );
    this.collateral.move([
      ...amounts
        .filter(([, amount]) => amount < 0n)
        .flatMap(([party, amount]) => this.lossMoves(party, -amount, TransferType.TRANSFER_TYPE_LOSS)),
      ...amounts
        .filter(([, amount]) => amount > 0n)
        .map(([party, amount]) => this.winMove(party, amount, TransferType.TRANSFER_TYPE_WIN)),
    ]);
    this.mark = price;
    this.positions.clear();
  }

  /** Gives back the margin of parties that have nothing in the market any more. */
  releaseIdle(parties: Iterable<string>): void {
    for (const party of [...parties].sort()) {
      if (this.positions.has(party) || this.hasOrders(party)) continue;
      const held = this.collateral.balance(this.marginOf(party));
      if (held > 0n) this.collateral.move([this.marginMove(party, -held)]);
      if (held > 0n) this.levelsToTell.set(party, this.levels(party));
    }
  }

  /** The last levels of each party, by party (docs/protocol/70-trading-markets.md#15-per-block-hooks-in-order). */
  tellLevels(): void {
    for (const party of [...this.levelsToTell.keys()].sort()) {
      const levels = this.levelsToTell.get(party)!;
      this.world.emit({
        marginLevels: {
          maintenanceMargin: String(levels.maintenance),
          searchLevel: String(levels.search),
          initialMargin: String(levels.initial),
          collateralReleaseLevel: String(levels.release),
          partyId: party,
          marketId: this.config.id,
          asset: this.config.asset,
          timestamp: this.world.now,
        },
      });
    }
    this.levelsToTell.clear();
  }

  marginOf(party: string): Account {
    return margin(party, this.config.asset, this.config.id);
  }

  private rebalance(party: string): Move[] {
    const levels = this.levels(party);
    this.levelsToTell.set(party, levels);
    const held = this.collateral.balance(this.marginOf(party));
    if (held < levels.search || held >= levels.release) {
      const by = levels.initial - held;
      return by === 0n ? [] : [this.marginMove(party, by)];
    }
    return [];
  }

  private levels(party: string, extra?: LiveOrder): Levels {
    const size = this.positions.get(party)?.size ?? 0n;
    const orders = [...this.book.orders.filter((order) => order.party === party), ...(extra ? [extra] : [])];
    const potential = (side: number) =>
      orders.filter((order) => order.side === side).reduce((total, order) => total + order.remaining, 0n);
    const long = (size > 0n ? size : 0n) + potential(Side.SIDE_BUY);
    const short = (size < 0n ? -size : 0n) + potential(Side.SIDE_SELL);
    const price = this.mark > 0n ? this.mark : this.config.openingPrice * this.config.priceFactor;
    const risk = (volume: bigint, ppm: bigint) => ceilDiv(volume * price * ppm, this.config.factor * PPM);
    const maintenance = larger(risk(long, this.config.riskLongPpm), risk(short, this.config.riskShortPpm));
    return {
      maintenance,
      search: (maintenance * 11n) / 10n,
      initial: (maintenance * 12n) / 10n,
      release: (maintenance * 14n) / 10n,
    };
  }

  private hasOrders(party: string): boolean {
    return this.book.orders.some((order) => order.party === party);
  }

  /** Into the margin account, or out of it when `by` is negative. */
  private marginMove(party: string, by: bigint): Move {
    const own = this.marginOf(party);
    const purse = general(party, this.config.asset);
    return by > 0n
      ? { from: purse, to: own, amount: by, type: TransferType.TRANSFER_TYPE_MARGIN_LOW }
      : { from: own, to: purse, amount: -by, type: TransferType.TRANSFER_TYPE_MARGIN_HIGH };
  }

  private lossMoves(party: string, loss: bigint, type: number): Move[] {
    const to = this.settlement();
    const held = this.collateral.balance(this.marginOf(party));
    const first = held < loss ? held : loss;
    const moves: Move[] = [{ from: this.marginOf(party), to, amount: first, type }];
    if (first < loss) moves.push({ from: general(party, this.config.asset), to, amount: loss - first, type });
    return moves;
  }

  private winMove(party: string, amount: bigint, type: number): Move {
    return { from: this.settlement(), to: this.marginOf(party), amount, type };
  }

  private settlement(): Account {
    return system(AccountType.ACCOUNT_TYPE_SETTLEMENT, this.config.asset, this.config.id);
  }
}

function exact(amount: bigint, factor: bigint): bigint {
  if (amount % factor !== 0n) throw new Error(`${amount} does not divide by ${factor}`);
  return amount / factor;
}
