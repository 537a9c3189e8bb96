// The engine and the naive markets side by side: the same steps for both, and after every command and every block the same
// answers.
import type { RigMarket } from "../../../src/testing/market-config.ts";
import { createMarketRig, idOf, type MarketRig, type RigEvent } from "../../../src/testing/market-rig.ts";
import type { Command } from "./commands.ts";
import { Decimal } from "./decimal.ts";
import { Dice } from "./dice.ts";
import { NaiveExchange } from "./exchange.ts";
import type { Terms } from "./model.ts";
import type { NaiveMarket } from "./naive-market.ts";
import type { Mix, Step } from "./steps.ts";
import { accountName, commandInit, dataOf, factOf, idsOf, NAMES, withIds } from "./translation.ts";
import { MAKERS, PARTIES, PROVIDERS, type World, worldOf } from "./world.ts";

const FLAT = "0 0@0 0@0";
/** Of averages of ten decimals. */
const SCORE_DIFFERENCE = 2e-8;
export const START_NS = 1_700_000_001_000_000_000n;

export class Difference extends Error {
  override readonly name = "Difference";
}

export interface Outcome {
  readonly commands: number;
  readonly blocks: number;
  readonly counts: ReadonlyMap<string, number>;
}

class SideBySide implements Outcome {
  private readonly world: World;
  private readonly configs = new Map<string, Omit<RigMarket, "asset">>();
  readonly rig: MarketRig;
  readonly naive: NaiveExchange;
  private readonly marketsShown = new Map<string, string>();
  /** Last state by market and party. */
  private readonly positionsShown = new Map<string, string>();
  commands = 0;
  blocks = 0;

  constructor(
    readonly seed: number,
    mix: Mix,
  ) {
    const world = worldOf(new Dice(seed), mix.markets);
    this.world = world;
    this.rig = createMarketRig(world.options);
    this.naive = new NaiveExchange(this.pegsMax);
    for (const { name, asset, config } of world.markets) {
      this.rig.createMarket(name, { asset, ...config });
      this.configs.set(name, config);
      this.naive.add({ name, asset, id: idOf(name) }, this.termsOf(name));
    }
    this.fund(world);
  }

  get counts(): ReadonlyMap<string, number> {
    return this.naive.allCounts();
  }

  private get pegsMax(): number {
    return Number(this.world.parameters["limits.markets.maxPeggedOrders"]);
  }

  /** Of a market by its configuration and the parameters of this moment. */
  private termsOf(name: string): Terms {
    const { terms } = this.world.markets.find((one) => one.name === name)!;
    return withFactors(terms(this.configs.get(name)!, START_NS), this.rig.market(name).context.record);
  }

  private changeParameter(key: keyof World["parameters"], value: string): void {
    this.world.parameters[key] = value;
    this.rig.setParameter(key, value);
    this.naive.count(`changed: ${key}`);
    this.naive.pegsMax = this.pegsMax;
    for (const [name, market] of this.naive.markets)
      if (!market.isGone) market.changeParameters(this.termsOf(name));
  }

  private fund({ deposits, markets }: World): void {
    for (const { party, asset, amount } of deposits) {
      this.rig.deposit(party, asset, amount);
      this.naive.deposit(party, asset, amount);
    }
    for (const { name, insurance } of markets) {
      if (insurance === 0n) continue;
      this.rig.fundInsurance(name, insurance);
      this.naive.get(name).accounts.set("insurance", insurance);
    }
  }

  take(step: Step): void {
    if (step.do === "block") this.block(step.seconds);
    else if (step.do === "terminate") {
      this.rig.terminate(step.oracle);
      const market = this.naive.get(step.market);
      if (step.oracle === market.terms.oracle) market.terminate();
    } else if (step.do === "settle") {
      this.rig.settle(step.price, step.oracle);
      const market = this.naive.get(step.market);
      if (step.oracle === market.terms.oracle) market.settleAt(step.price * market.terms.priceFactor);
    } else if (step.do === "parameter") {
      this.changeParameter(step.key, step.value);
    } else if (step.do === "update") {
      this.update(step.market, step.config);
    } else this.deliver(step.tag, step.party, step.command);
    if (this.rig.faults.length > 0) throw this.rig.faults[0];
    this.compareState(step.do);
  }

  /** A market that trades becomes another. */
  private update(name: string, changes: Omit<RigMarket, "asset">): void {
    const market = this.naive.get(name);
    if (!market.canTrade) return;
    const config = this.world.markets.find((one) => one.name === name)!.updated(changes);
    const before = market.terms;
    this.rig.updateMarket(name, config);
    this.configs.set(name, config);
    const terms = this.termsOf(name);
    const modelOf = ({ logNormal, simple, long, short }: Terms) =>
      JSON.stringify([logNormal, simple, long.toString(), short.toString()]);
    market.update(terms, modelOf(terms) !== modelOf(before));
  }

  /** A provider that gives all it has, 0, cannot pay for its first orders. */
  private committed(market: NaiveMarket, party: string, commitment: bigint): bigint {
    return commitment === 0n ? market.balance(`general ${party}`) : commitment * market.terms.priceFactor;
  }

  private inAssetUnits(party: string, command: Command): Command {
    if (command.kind !== "provide" && command.kind !== "amendProvision") return command;
    const market = this.naive.get(command.market);
    if (command.kind === "provide")
      return { ...command, commitment: this.committed(market, party, command.commitment) };
    if (command.commitment === undefined) return command;
    return { ...command, commitment: command.commitment * market.terms.priceFactor };
  }

  private deliver(tag: number, party: string, original: Command): void {
    const command = this.inAssetUnits(party, original);
    this.commands += 1;
    const { code, text } = this.rig.deliver(party, commandInit(command), idsOf(tag)(0));
    const verdict = this.naive.command(party, withIds(command), idsOf(tag));
    if (code === 60) throw new Difference(`not a command: ${text}`);
    const isBatch = command.kind === "batch";
    const result = code === 0 ? "taken" : isBatch ? `${code}` : text;
    compare("verdict", [result], [verdict.isTaken ? "taken" : verdict.text]);
  }

  private block(seconds: number): void {
    this.naive.endBlock();
    const events = this.rig.endBlock();
    compareFacts(events.flatMap(factOf), this.naive.takeFacts());
    this.comparePositionStates(events);
    this.compareMarkets(events);
    this.blocks += 1;
    this.rig.beginBlock(seconds);
    this.naive.beginBlock(this.rig.nowNs);
    for (const [name, market] of this.naive.markets) {
      if (market.isGone || market.isOver) continue;
      this.takeScores(name, market);
      compare(`data of ${name}`, [dataOf(this.rig, name)], [market.data()]);
    }
  }

  /**
   * The clients' knowledge of existing positions: each change is shown by the end of its block
   * (docs/protocol/70-trading-positions.md#51-position-record).
   */
  private comparePositionStates(events: readonly RigEvent[]): void {
    for (const { member, payload } of events) {
      if (member !== "positionStateEvent") continue;
      const { size, potentialBuys, potentialSells, vwBuyPrice, vwSellPrice } = payload;
      const text = `${size} ${potentialBuys}@${vwBuyPrice} ${potentialSells}@${vwSellPrice}`;
      this.positionsShown.set(`${NAMES.get(payload.marketId)} ${payload.partyId}`, text);
    }
    for (const [name, market] of this.naive.markets) {
      if (market.isGone || market.isOver) continue;
      const states = market.positionStates();
      const shown = states.map(
        ([party]) => `${party} ${this.positionsShown.get(`${name} ${party}`) ?? FLAT}`,
      );
      const expected = states.map(([party, state]) => `${party} ${state}`);
      compare(`position states of ${name}`, shown, expected);
    }
  }

  /**
   * The clients' knowledge of a market by the events: its state, its mode and its fees
   * (docs/protocol/70-trading-markets.md#14-creation-and-transitions and
   * docs/protocol/70-trading-liquidity.md#76-liquidity-fee-factor).
   */
  private compareMarkets(events: readonly RigEvent[]): void {
    for (const { member, payload } of events) {
      if (member !== "marketCreated" && member !== "marketUpdated") continue;
      const { makerFee, infrastructureFee, liquidityFee } = payload.fees.factors;
      const text = `${payload.state} ${payload.tradingMode} ${makerFee} ${infrastructureFee} ${liquidityFee}`;
      this.marketsShown.set(NAMES.get(payload.id)!, text);
    }
    for (const [name, market] of this.naive.markets)
      if (!market.isGone) compare(`market ${name}`, [this.marketsShown.get(name) ?? ""], [market.shown()]);
  }

  /** Scores come from tails of distributions, whose last digits differ as those of the factors do. */
  private takeScores(name: string, { scores }: NaiveMarket): void {
    for (const { party, averageScore } of this.rig.marketData(name).liquidityProviderFeeShare) {
      const own = scores.averageOf(party);
      const score = Decimal.of(averageScore);
      if (own !== undefined && Math.abs(own.minus(score).number) <= SCORE_DIFFERENCE)
        scores.take(party, score);
    }
  }

  private compareState(after: string): void {
    const { rig, naive } = this;
    const accounts = rig
      .accounts()
      .map(
        ({ type, owner, market, asset, balance }) => `${accountName(type, owner, market, asset)} ${balance}`,
      )
      .filter(isKnownAccount)
      .sort();
    const expected = [...naive.balances]
      .map(([name, balance]) => `${name} ${balance}`)
      .filter(isKnownAccount);
    compare("accounts", accounts, expected.sort());
    for (const [name, market] of naive.markets) this.compareMarket(name, market, after);
  }

  private compareMarket(name: string, naive: NaiveMarket, after: string): void {
    const { rig } = this;
    if (rig.hasMarket(name) === naive.isGone) throw new Difference(`after ${after}: market ${name} there?`);
    // A market that has ended has neither positions nor orders.
    if (naive.isGone || naive.isOver) return;
    const market = rig.market(name);
    const positions = market.parts.positions
      .list()
      .map(
        ({ party, size, buy, sell, buySum, sellSum }) =>
          `${party} ${size} ${buy}/${sell} ${buySum}/${sellSum}`,
      );
    compare(`positions of ${name}`, positions, naive.positionLines());
    const orders = [...MAKERS, ...PARTIES, ...PROVIDERS]
      .flatMap((party) => market.parts.liveOrders.ofParty(party))
      .map(({ id, status, price, size, remaining, timeInForce }) =>
        [id, status === 8 ? 0n : price, size, remaining, timeInForce, status].join(" "),
      )
      .sort();
    compare(`orders of ${name}`, orders, naive.orderLines());
  }
}

/**
 * Floating-point factors differ in their last digits by the way they are worked out, and a margin's ceiling with them: the
 * engine's are taken when they are those of the model.
 */
function withFactors(
  terms: Terms,
  { riskLong, riskShort }: { readonly riskLong: string; readonly riskShort: string },
): Terms {
  const checkedFactor = (text: string, own: Decimal) => {
    if (Math.abs(Number(text) - own.number) > 1e-9 * Math.abs(own.number))
      throw new Difference(`risk factor ${text}, not ${own}`);
    return Decimal.of(text);
  };
  return {
    ...terms,
    long: checkedFactor(riskLong, terms.long),
    short: checkedFactor(riskShort, terms.short),
  };
}

/** Empty accounts are as good as none. */
const isKnownAccount = (line: string): boolean => !line.endsWith(" 0") && !line.startsWith("?");

function compare(what: string, actual: readonly string[], expected: readonly string[]): void {
  if (actual.length === expected.length && actual.every((line, at) => line === expected[at])) return;
  const only = (a: readonly string[], b: readonly string[]) => a.filter((line) => !b.includes(line));
  const [engine, naive] = [only(actual, expected), only(expected, actual)];
  const texts =
    engine.length + naive.length === 0 || what.startsWith("facts of levels")
      ? [`engine: ${actual.join("\n  ")}`, `naive: ${expected.join("\n  ")}`]
      : [`engine: ${engine.join("\n  ")}`, `naive: ${naive.join("\n  ")}`];
  throw new Difference(`${what}\n ${texts.join("\n ")}`);
}

/** Facts of a kind, of orders those of each order, have an order; ledger entries of a block have none here. */
function compareFacts(actual: readonly string[], expected: readonly string[]): void {
  const grouped = (facts: readonly string[]) => {
    const groups = new Map<string, string[]>();
    for (const fact of facts) {
      const [market = "", kind = "", id = ""] = fact.split(" ");
      const isOf = kind === "order" || kind === "provision" || kind === "levels";
      const group = isOf ? `${kind} ${market} ${id}` : `${kind} ${market}`;
      // The last levels of a block are what clients keep.
      groups.set(group, kind === "levels" ? [fact] : [...(groups.get(group) ?? []), fact]);
    }
    groups.get("move -")?.sort();
    return groups;
  };
  const [a, b] = [grouped(actual), grouped(expected)];
  for (const group of new Set([...a.keys(), ...b.keys()])) {
    compare(`facts of ${group}`, a.get(group) ?? [], b.get(group) ?? []);
  }
}

export function runSteps(
  seed: number,
  steps: readonly Step[],
  mix: Mix,
): { readonly error?: Error; readonly outcome: Outcome; readonly taken: number } {
  const run = new SideBySide(seed, mix);
  let done = 0;
  try {
    for (const step of steps) {
      done += 1;
      run.take(step);
    }
    return { outcome: run, taken: done };
  } catch (error) {
    return { error: error as Error, outcome: run, taken: done };
  }
}
