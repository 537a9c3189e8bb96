// Random sequences of commands and blocks, by a seed. Orders are named by the step that made them, so that steps can be left
// out of a sequence.
import type { RigMarket } from "../../../src/testing/market-config.ts";
import { SECOND_NS } from "../../../src/wire/time-text.ts";
import type { Amendment, Command, Shape, Submission } from "./commands.ts";
import { Dice } from "./dice.ts";
import { BUY, SELL, type Side, Tif } from "./model.ts";
import { changeOf, configOf, MAKERS, MARKETS, PARTIES, type Parameters, PROVIDERS } from "./world.ts";

export type Step =
  | { readonly do: "command"; readonly tag: number; readonly party: string; readonly command: Command }
  | { readonly do: "block"; readonly seconds: number }
  | { readonly do: "update"; readonly market: string; readonly config: Omit<RigMarket, "asset"> }
  | { readonly do: "parameter"; readonly key: keyof Parameters; readonly value: string }
  | { readonly do: "terminate"; readonly market: string; readonly oracle: string }
  | { readonly do: "settle"; readonly market: string; readonly oracle: string; readonly price: bigint };

/** Name of a step's order. @param at place among the orders of a batch */
const orderName = (tag: number, at = 0): string => `${tag}/${at}`;

export interface Mix {
  readonly hasProvisions: boolean;
  readonly hasPegs: boolean;
  /** More than one provider. */
  readonly hasRivals: boolean;
  /** Blocks are far apart: windows of the market's value end. */
  readonly isSlow: boolean;
  readonly hasUpdates: boolean;
  /** Network parameters change. */
  readonly hasChanges: boolean;
  /** Number of markets. */
  readonly markets: number;
  readonly length: number;
}

/** The mix of a seed's sequence. */
export function mixOf(seed: number): Mix {
  return {
    hasProvisions: seed % 4 !== 0,
    hasPegs: seed % 3 !== 0,
    hasRivals: seed % 2 !== 0,
    isSlow: seed % 5 === 0,
    hasUpdates: seed % 3 === 1,
    hasChanges: seed % 11 < 3,
    markets: seed % 7 < 4 ? 1 : 2 + (seed % 2),
    length: 20 + (seed % 40),
  };
}

export function stepsOf(seed: number, startNs: bigint, mix: Mix): Step[] {
  return new Writer(new Dice(seed), startNs, mix).write();
}

interface Named {
  readonly name: string;
  readonly party: string;
  readonly market: string;
}

class Writer {
  private readonly steps: Step[] = [];
  private readonly names: Named[] = [];
  private tag = 0;
  /** The market of the next commands. */
  private market = "M";
  /** Of each market, the first ones first. */
  private readonly oracles = new Map<string, string[]>();
  private readonly centers = new Map<string, number>();

  constructor(
    private readonly dice: Dice,
    private nowNs: bigint,
    private readonly mix: Mix,
  ) {}

  write(): Step[] {
    const markets = MARKETS.slice(0, this.mix.markets);
    for (this.market of markets) this.begin();
    if (this.mix.hasProvisions && this.dice.isOne(6)) this.amendProvision();
    for (let i = 0; i < 5; i++) this.block(1);
    for (let i = 0; i < this.mix.length; i++) {
      this.market = this.dice.one(markets);
      this.next();
      // A market ends while the others go on.
      if (markets.length > 1 && this.dice.isOne(60)) this.end();
    }
    for (this.market of markets) if (this.dice.isOne(3)) this.end();
    this.block();
    return this.steps;
  }

  private get center(): number {
    return this.centers.get(this.market) ?? 100;
  }

  /** Orders that let the market open. */
  private begin(): void {
    const { dice } = this;
    // Each gives all that it has.
    if (!this.mix.hasProvisions) this.provide(PROVIDERS[MARKETS.indexOf(this.market)]!);
    this.limit("max", BUY, 1 + dice.below(5), 60 + dice.below(30));
    this.limit("meg", SELL, 1 + dice.below(5), 110 + dice.below(60));
    const crossing = 95 + dice.below(10);
    this.limit("max", BUY, 1 + dice.below(10), crossing);
    this.limit("meg", SELL, 1 + dice.below(10), crossing);
    if (this.mix.hasProvisions) this.provide("lea");
    if (this.mix.hasProvisions && this.mix.hasRivals)
      for (const rival of ["lou", "lia"]) if (!dice.isOne(3)) this.provide(rival);
    for (let i = dice.below(4); i > 0; i--) this.order(dice.one(PARTIES));
    if (dice.isOne(30)) this.terminate();
    if (this.mix.hasUpdates && dice.isOne(4)) this.update();
  }

  private next(): void {
    const { dice } = this;
    if (dice.isOne(4)) this.block();
    if (this.mix.hasProvisions && dice.isOne(12)) this.amendProvision();
    if (this.mix.hasUpdates && dice.isOne(10)) this.update();
    if (this.mix.hasChanges && dice.isOne(6)) this.steps.push({ do: "parameter", ...changeOf(dice) });
    const kind = dice.below(40);
    const party = dice.one(PARTIES);
    if (kind < 20) this.order(party);
    else if (kind < 25) this.amend();
    else if (kind < 29) this.cancel();
    else if (kind < 31) this.batch(party);
    else if (kind < 36) this.quote();
    else if (kind < 37) this.jump();
    else if (kind < 39 && this.mix.hasProvisions) this.changeProvision();
    else this.order(party);
  }

  /** Depth of the makers; without it the book is thin and auctions begin. */
  private quote(): void {
    const { dice } = this;
    const gap = 1 + dice.below(20);
    if (!dice.isOne(3)) this.limit("max", BUY, 1 + dice.below(40), Math.max(1, this.center - gap));
    if (!dice.isOne(3)) this.limit("meg", SELL, 1 + dice.below(40), this.center + gap);
  }

  /** The price goes elsewhere, and trades there. */
  private jump(): void {
    const { dice } = this;
    const center = Math.max(10, Math.floor(this.center * dice.one([0.5, 0.7, 0.85, 1.1, 1.3, 2])));
    this.centers.set(this.market, center);
    const side = dice.one([BUY, SELL] as const);
    for (const maker of [0, 1, 2, 3]) if (dice.isOne(2)) this.cancelAll(MAKERS[maker % 2]!);
    this.limit("max", BUY, 30 + dice.below(60), Math.max(1, this.center - 1 - dice.below(20)));
    this.limit("meg", SELL, 30 + dice.below(60), this.center + 1 + dice.below(20));
    const [first, second] = side === BUY ? (["max", "meg"] as const) : (["meg", "max"] as const);
    this.limit(first, side, 2, this.center);
    this.limit(second, side === BUY ? SELL : BUY, 2, this.center);
    if (!dice.isOne(3)) this.block();
  }

  private end(): void {
    if (this.dice.isOne(4)) this.settle();
    this.terminate();
    if (this.dice.isOne(2)) this.block();
    if (this.dice.isOne(3)) this.order(this.dice.one(PARTIES));
    if (this.mix.hasProvisions && this.dice.isOne(3)) this.amendProvision();
    this.settle();
    if (this.dice.isOne(2)) this.order(this.dice.one(PARTIES));
    this.block();
    if (this.dice.isOne(2)) this.order(this.dice.one(PARTIES));
    if (this.mix.hasProvisions && this.dice.isOne(3)) this.amendProvision();
  }

  private terminate(): void {
    this.steps.push({ do: "terminate", market: this.market, oracle: this.oracle() });
  }

  private settle(): void {
    const price = BigInt(this.price());
    this.steps.push({ do: "settle", market: this.market, oracle: this.oracle(), price });
  }

  /** The market's, now and then the one before. */
  private oracle(): string {
    const specs = this.oracles.get(this.market) ?? [`oracle ${this.market}`];
    return this.dice.isOne(8) ? this.dice.one(specs) : specs.at(-1)!;
  }

  private update(): void {
    const { dice, market } = this;
    const oracles = this.oracles.get(market) ?? [`oracle ${market}`];
    if (dice.isOne(4)) oracles.push(`oracle ${market}${oracles.length}`);
    this.oracles.set(market, oracles);
    const config = { ...configOf(dice), oracle: oracles.at(-1)! };
    this.steps.push({ do: "update", market, config });
  }

  private block(seconds = this.dice.one(this.mix.isSlow ? [1, 5, 25, 61, 90] : [1, 1, 1, 1, 2, 5])): void {
    this.nowNs += BigInt(seconds) * SECOND_NS;
    this.steps.push({ do: "block", seconds });
  }

  private send(party: string, command: Command): number {
    this.tag += 1;
    this.steps.push({ do: "command", tag: this.tag, party, command });
    return this.tag;
  }

  private limit(party: string, side: Side, size: number, price: number): void {
    const order = this.plain(side, BigInt(size), BigInt(price));
    this.keep(party, this.send(party, { kind: "submit", order }));
  }

  private plain(side: Side, size: bigint, price: bigint): Submission {
    const rest = { isMarket: false, expiresNs: 0n, peg: undefined, postOnly: false, reduceOnly: false };
    return { market: this.market, side, size, price, tif: Tif.gtc, ...rest };
  }

  private price(): number {
    const { dice } = this;
    const spread = dice.one([3, 3, 10, 10, 40]);
    return Math.max(1, this.center - spread + dice.below(2 * spread + 1));
  }

  private submission(): Submission {
    const { dice } = this;
    const side = dice.one([BUY, SELL] as const);
    const tif = dice.one([Tif.gtc, Tif.gtc, Tif.gtc, Tif.gtt, Tif.ioc, Tif.fok, Tif.gfa, Tif.gfn]);
    const isImmediate = tif === Tif.ioc || tif === Tif.fok;
    const isMarket = isImmediate && dice.isOne(3);
    const isPegged = this.mix.hasPegs && !isImmediate && tif !== Tif.gfa && dice.isOne(4);
    return {
      market: this.market,
      side,
      price: isMarket || isPegged ? undefined : BigInt(this.price()),
      size: BigInt(1 + dice.below(dice.one([3, 20, 60]))),
      tif,
      isMarket,
      expiresNs: tif === Tif.gtt ? this.nowNs + BigInt(dice.below(15) - 1) * SECOND_NS : 0n,
      peg: isPegged
        ? {
            reference: dice.one(side === BUY ? [1, 2] : [1, 3]),
            offset: BigInt(1 + dice.below(dice.one([3, 30]))),
          }
        : undefined,
      postOnly: !isImmediate && dice.isOne(8),
      reduceOnly: isImmediate && dice.isOne(3),
    };
  }

  private order(party: string): void {
    this.keep(party, this.send(party, { kind: "submit", order: this.submission() }));
  }

  private keep(party: string, tag: number): void {
    this.names.push({ name: orderName(tag), party, market: this.market });
  }

  private known(): Named {
    return this.dice.one(this.names.slice(-25));
  }

  /** Of the order's market; now and then of another market. */
  private marketOf({ market }: Named): string {
    return this.dice.isOne(30) ? this.dice.one(MARKETS.slice(0, this.mix.markets)) : market;
  }

  private amendment(named: Named): Amendment {
    const { dice } = this;
    const tif = dice.one([0, 0, 0, 0, Tif.gtc, Tif.gtt, Tif.ioc]);
    const mayExpire = tif === Tif.gtt || (tif === 0 && dice.isOne(4));
    const change = {
      market: this.marketOf(named),
      order: named.name,
      price: dice.isOne(2) ? BigInt(this.price()) : undefined,
      sizeDelta: BigInt(dice.below(21) - 10),
      tif,
      expiresNs: mayExpire ? this.nowNs + BigInt(dice.below(12) - 2) * SECOND_NS : undefined,
    };
    if (!this.mix.hasPegs || !dice.isOne(6)) return { ...change, pegOffset: undefined, pegReference: 0 };
    const offset = 1 + dice.below(10);
    // Of ten offsets three stand for a reference alone.
    if (offset > 7) return { ...change, pegOffset: undefined, pegReference: offset - 7 };
    return { ...change, pegOffset: BigInt(offset), pegReference: 0 };
  }

  private amend(): void {
    const named = this.known();
    const by = this.dice.isOne(20) ? this.dice.one(PARTIES) : named.party;
    const amendment = this.amendment(named);
    if (isEmptyAmendment(amendment)) return;
    this.send(by, { kind: "amend", market: amendment.market, amendment });
  }

  private cancel(): void {
    const named = this.known();
    const party = this.dice.isOne(20) ? this.dice.one(PARTIES) : named.party;
    const kind = this.dice.below(16);
    if (kind < 2) this.cancelAll(named.party);
    else if (kind < 4) this.send(named.party, { kind: "cancel", market: undefined, order: undefined });
    else this.send(party, { kind: "cancel", market: this.marketOf(named), order: named.name });
  }

  private cancelAll(party: string): void {
    this.send(party, { kind: "cancel", market: this.market, order: undefined });
  }

  private batch(party: string): void {
    const { dice } = this;
    const own = this.names.filter((one) => one.party === party).slice(-8);
    const pick = () => (own.length > 0 ? dice.one(own) : this.known());
    const amendments = Array.from({ length: dice.below(3) }, () => this.amendment(pick())).filter(
      (amendment) => !isEmptyAmendment(amendment),
    );
    const submissions = Array.from({ length: 1 + dice.below(3) }, () => ({
      ...this.submission(),
      market: dice.one(MARKETS.slice(0, this.mix.markets)),
    }));
    const cancellations = Array.from({ length: dice.below(2) }, () => {
      const named = pick();
      return { market: this.marketOf(named), order: named.name };
    });
    const tag = this.send(party, { kind: "batch", cancellations, amendments, submissions });
    for (const [at, { market }] of submissions.entries())
      this.names.push({ name: orderName(tag, at), party, market });
  }

  private shape(side: Side): Shape[] {
    const { dice } = this;
    return Array.from({ length: 1 + dice.below(2) }, () => ({
      reference: dice.one(side === BUY ? [1, 2] : [1, 3]),
      offset: BigInt(1 + dice.below(dice.one([4, 20, 120]))),
      proportion: BigInt(1 + dice.below(3)),
    }));
  }

  private provide(party: string): void {
    const { dice } = this;
    const isVoid = !this.mix.hasProvisions;
    this.send(party, {
      kind: "provide",
      market: this.market,
      commitment: isVoid ? 0n : BigInt(dice.one([500, 2_000, 2_400, 20_000, 24_000]) + dice.below(500)),
      fee: isVoid ? "0.1" : dice.one(["0", "0.001", "0.01", "0.05"]),
      buys: this.shape(BUY),
      sells: this.shape(SELL),
    });
  }

  /** Commitment, fee and shapes, each alone or together. */
  private amendProvision(): void {
    const { dice } = this;
    const party = dice.isOne(20)
      ? dice.one(PARTIES)
      : this.mix.hasRivals && dice.isOne(3)
        ? dice.one(PROVIDERS)
        : "lea";
    const fee = dice.isOne(15) ? undefined : dice.one(["0", "0", "0.001", "0.01"]);
    const base = dice.isOne(8) ? undefined : dice.one([300, 2_000, 2_400, 20_000, 24_000]);
    const commitment = base === undefined ? undefined : BigInt(base + dice.below(500));
    const buys = dice.isOne(2) ? this.shape(BUY) : [];
    const sells = dice.isOne(2) ? this.shape(SELL) : [];
    // A fee of 0 counts as no fee.
    const changesFee = fee !== undefined && fee !== "0";
    if (commitment === undefined && !changesFee && buys.length + sells.length === 0) return;
    this.send(party, { kind: "amendProvision", market: this.market, commitment, fee, buys, sells });
  }

  private changeProvision(): void {
    const rivals = [...PROVIDERS, ...PROVIDERS, this.dice.one(PARTIES)];
    const party = this.mix.hasRivals ? this.dice.one(rivals) : "lea";
    if (this.dice.isOne(3)) this.send(party, { kind: "cancelProvision", market: this.market });
    else this.provide(party);
  }
}

const isEmptyAmendment = (amendment: Amendment): boolean => {
  const { price, sizeDelta, tif, expiresNs, pegOffset, pegReference } = amendment;
  const isGiven = [price, expiresNs, pegOffset].some((member) => member !== undefined);
  return !isGiven && sizeDelta === 0n && tif === 0 && pegReference === 0;
};
