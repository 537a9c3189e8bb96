// Probabilities of trading and liquidity scores of the naive market (docs/protocol/70-trading-liquidity.md#77-distribution).
import { Decimal, ONE, ZERO } from "./decimal.ts";
import { BUY, byText, type Order, SELL, type Side, Status, type Terms } from "./model.ts";
import { phi } from "./risk.ts";

const HALF = Decimal.of("0.5");
const STEPS = 1_000;
const LAST = 1e-8;
/** Asks reach to this many times the best one. */
const FARTHEST_ASK = 6;

/** A side's table of probabilities by their offset from the best price. An entry is worked out when it is asked for. */
export class OddsTable {
  private readonly entries = new Map<number, number>();

  /** @param terms and best price when the table was made */
  constructor(
    private readonly terms: Terms,
    private readonly side: Side,
    private readonly best: number,
  ) {}

  private probabilityAt(price: number): number {
    const { logNormal, simple, tauScaling } = this.terms;
    const [min, max] = this.side === BUY ? [0, this.best] : [this.best, FARTHEST_ASK * this.best];
    if (simple !== undefined) return simple.probability;
    if (price < min || price > max) return 0;
    const { mu, sigma, tau } = logNormal!;
    const time = tau * tauScaling;
    const mean = Math.log(this.best) + (mu - (sigma * sigma) / 2) * time;
    const below = (x: number) => (x <= 0 ? 0 : phi((Math.log(x) - mean) / (sigma * Math.sqrt(time))));
    const part = this.side === BUY ? below(price) - below(min) : below(max) - below(price);
    return part / (below(max) - below(min));
  }

  /** The table ends with the first entry that is as good as nothing: what comes behind it is undefined. */
  private entry(at: number): number | undefined {
    for (let i = 0; i < at; i++) if (this.computed(i) <= LAST) return undefined;
    return this.computed(at);
  }

  private computed(at: number): number {
    let probability = this.entries.get(at);
    if (probability === undefined) {
      const offset = (at * this.best) / STEPS;
      probability = this.probabilityAt(this.side === BUY ? this.best - offset : this.best + offset);
      this.entries.set(at, probability);
    }
    return probability;
  }

  /** @param millionths of the best price of now, outward; halved, and not below the minimum of now */
  at(millionths: bigint, minimum: Decimal): Decimal {
    const place = Number(millionths) / 1_000;
    const at = Math.floor(place);
    const [inner, outer] = [this.entry(at), this.entry(at + 1)];
    if (inner === undefined || outer === undefined) return minimum;
    const between = inner + (outer - inner) * (place - at);
    return Decimal.of(between).times(HALF).max(minimum);
  }
}

export interface Quoted {
  readonly bid: bigint;
  readonly ask: bigint;
  /** Prices of provisions. */
  readonly low: bigint;
  readonly high: bigint;
  /** Prices that price monitoring lets through. */
  readonly min: Decimal | undefined;
  readonly max: Decimal | undefined;
}

export class Scores {
  private tables: { readonly [side in Side]: OddsTable } | undefined;
  private averages = new Map<string, Decimal>();
  private ticks = 0n;

  constructor(
    private readonly termsNow: () => Terms,
    private readonly count: (what: string) => void,
  ) {}

  /** Tables are worked out again, by the model and the best prices of now: until then they stay, whatever changes. */
  makeTables(bid: bigint, ask: bigint): void {
    const terms = this.termsNow();
    this.tables = {
      [BUY]: new OddsTable(terms, BUY, Number(bid)),
      [SELL]: new OddsTable(terms, SELL, Number(ask)),
    };
  }

  averageOf(party: string): Decimal | undefined {
    return this.averages.get(party);
  }

  take(party: string, average: Decimal): void {
    this.averages.set(party, average);
  }

  reset(): void {
    this.averages = new Map();
    this.ticks = 0n;
  }

  /** A tick's scores go into the averages; those of providers that have left are forgotten with it. */
  learn(parties: readonly string[], book: readonly Order[], quoted: Quoted): void {
    const { tables } = this;
    if (tables === undefined || parties.length === 0) return;
    const sorted = [...parties].sort(byText);
    const scores = sorted.map((party) => {
      const own = book.filter((order) => order.party === party && order.status === Status.active);
      return this.scoreOf(own, BUY, quoted, tables).min(this.scoreOf(own, SELL, quoted, tables));
    });
    const whole = scores.reduce((all, score) => all.plus(score), ZERO);
    this.ticks += 1n;
    if (sorted.length > 1) this.count(whole.sign === 0 ? "scores all zero" : "rivals scored");
    if (this.ticks > 1n && sorted.some((party) => !this.averages.has(party)))
      this.count("scored since later");
    const n = Decimal.of(this.ticks);
    const former = this.averages;
    this.averages = new Map();
    for (const [at, party] of sorted.entries()) {
      const equal = ONE.over(Decimal.of(BigInt(sorted.length)));
      const score = whole.sign === 0 ? equal : scores[at]!.over(whole);
      const before = former.get(party) ?? ZERO;
      const average = before.times(n.minus(ONE).over(n)).plus(score.over(n));
      this.averages.set(party, average.round(10));
    }
  }

  private scoreOf(
    orders: readonly Order[],
    side: Side,
    quoted: Quoted,
    tables: { readonly [side in Side]: OddsTable },
  ): Decimal {
    const { low, high } = quoted;
    const counted = orders.filter(
      (order) => order.side === side && order.price >= low && order.price <= high,
    );
    let [value, size] = [ZERO, ZERO];
    for (const { price, remaining } of counted) {
      value = value.plus(
        this.oddsOf(Decimal.of(price), side, quoted, tables[side]).times(Decimal.of(remaining)),
      );
      size = size.plus(Decimal.of(remaining));
    }
    return size.sign === 0 ? ZERO : value.over(size);
  }

  private oddsOf(price: Decimal, side: Side, { bid, ask, min, max }: Quoted, table: OddsTable): Decimal {
    const offset = side === BUY ? Decimal.of(bid).minus(price) : price.minus(Decimal.of(ask));
    if ((min !== undefined && price.isBelow(min)) || max?.isBelow(price)) {
      this.count("scored out of bounds");
      return ZERO;
    }
    if (offset.sign <= 0) return HALF;
    const now = Decimal.of(side === BUY ? bid : ask);
    const { minimumOdds } = this.termsNow();
    const odds = table.at(offset.over(now).times(Decimal.of(1_000_000n)).floor(), minimumOdds);
    this.count(odds.minus(minimumOdds).sign === 0 ? "scored the least" : "scored by the risk model");
    return odds;
  }
}
