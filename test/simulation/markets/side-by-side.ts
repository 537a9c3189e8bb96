// The engine and the naive market side by side: the same steps for both, and after every command and every block the same
// answers. A sequence that tells them apart is made as short as it gets.
import { sha3HexOf } from "../../../src/crypto/sha.ts";
import type { RigMarket } from "../../../src/testing/market-config.ts";
import { createMarketRig, idOf, type MarketRig, type RigEvent } from "../../../src/testing/market-rig.ts";
import type { CommandInit } from "../../../src/wire/transaction.ts";
import type { Amendment, Command, Shape, Submission } from "./commands.ts";
import { Decimal } from "./decimal.ts";
import { Dice } from "./dice.ts";
import { NaiveExchange } from "./exchange.ts";
import type { NaiveMarket } from "./naive-market.ts";
import { byText, type Terms } from "./state.ts";
import { type Mix, mixOf, type Step, stepsOf } from "./steps.ts";
import { MAKERS, MARKETS, PARTIES, PROVIDERS, type World, worldOf } from "./world.ts";

const FLAT = "0 0@0 0@0";
/** Of averages of ten decimals. */
const SCORE_DIFFERENCE = 2e-8;
const START_NS = 1_700_000_001_000_000_000n;

export class Difference extends Error {
  override readonly name = "Difference";
}

export interface Outcome {
  readonly commands: number;
  readonly blocks: number;
  readonly counts: ReadonlyMap<string, number>;
}

/** Identifiers of a transaction: each is the hash of the one before. */
function idsOf(tag: number): (at: number) => string {
  return (at) => {
    let id = idOf(`step ${tag}`);
    for (let i = 0; i < at; i++) id = sha3HexOf(Buffer.from(id, "hex"));
    return id;
  };
}

const orderId = (name: string): string => {
  const [tag, at] = name.split("/");
  return idsOf(Number(tag))(Number(at));
};

export class SideBySide implements Outcome {
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
    return withFactors(terms(this.configs.get(name)!, START_NS), this.rig.market(name).record);
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
    const known = this.termsOf(name);
    const modelOf = ({ logNormal, simple, long, short }: Terms) =>
      JSON.stringify([logNormal, simple, long.toString(), short.toString()]);
    market.update(known, modelOf(known) !== modelOf(before));
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

  private deliver(tag: number, party: string, given: Command): void {
    const command = this.inAssetUnits(party, given);
    this.commands += 1;
    const { code, text } = this.rig.deliver(party, commandInit(command), idsOf(tag)(0));
    const verdict = this.naive.command(party, withIds(command), idsOf(tag));
    if (code === 60) throw new Difference(`not a command: ${text}`);
    const isBatch = command.kind === "batch";
    const found = code === 0 ? "taken" : isBatch ? `${code}` : text;
    compare("verdict", [found], [verdict.isTaken ? "taken" : verdict.text]);
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

  /** What clients know of positions that there are: each change is told by the end of its block (section 5.1). */
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

  /** What clients know of a market by the events: its state, its mode and its fees (sections 1.4 and 7.6). */
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
    const positions = market.positions
      .list()
      .map(
        ({ party, size, buy, sell, buySum, sellSum }) =>
          `${party} ${size} ${buy}/${sell} ${buySum}/${sellSum}`,
      );
    compare(`positions of ${name}`, positions, naive.positionLines());
    const orders = [...MAKERS, ...PARTIES, ...PROVIDERS]
      .flatMap((party) => rig.liveOrders(party, name))
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
  const taken = (text: string, own: Decimal) => {
    if (Math.abs(Number(text) - own.number) > 1e-8 * Math.abs(own.number))
      throw new Difference(`risk factor ${text}, not ${own}`);
    return Decimal.of(text);
  };
  return { ...terms, long: taken(riskLong, terms.long), short: taken(riskShort, terms.short) };
}

/** Empty accounts are as good as none. */
const isKnownAccount = (line: string): boolean => !line.endsWith(" 0") && !line.startsWith("?");

function compare(what: string, found: readonly string[], expected: readonly string[]): void {
  if (found.length === expected.length && found.every((line, at) => line === expected[at])) return;
  const only = (a: readonly string[], b: readonly string[]) => a.filter((line) => !b.includes(line));
  const [engine, naive] = [only(found, expected), only(expected, found)];
  const texts =
    engine.length + naive.length === 0 || what.startsWith("facts of levels")
      ? [`engine: ${found.join("\n  ")}`, `naive: ${expected.join("\n  ")}`]
      : [`engine: ${engine.join("\n  ")}`, `naive: ${naive.join("\n  ")}`];
  throw new Difference(`${what}\n ${texts.join("\n ")}`);
}

/** Facts of a kind, of orders those of each order, have an order; ledger entries of a block have none here. */
function compareFacts(found: readonly string[], expected: readonly string[]): void {
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
  const [a, b] = [grouped(found), grouped(expected)];
  for (const group of new Set([...a.keys(), ...b.keys()])) {
    compare(`facts of ${group}`, a.get(group) ?? [], b.get(group) ?? []);
  }
}

const ACCOUNTS: Readonly<Record<number, string>> = {
  1: "insurance",
  2: "settlement",
  5: "infrastructureFees",
  6: "liquidityFees",
  7: "makerFees",
  12: "globalReward",
};

const NAMES: ReadonlyMap<string, string> = new Map(
  [...MARKETS, "ETH", "DAI"].map((name) => [idOf(name), name]),
);

function accountName(
  type: number,
  owner: string | undefined,
  market: string | undefined,
  asset: string,
): string {
  const isOfMarket = market !== undefined && NAMES.has(market);
  if (type === 1 && !isOfMarket) return "?";
  const name = { 3: `margin ${owner}`, 4: `general ${owner}`, 9: `bond ${owner}` }[type] ?? ACCOUNTS[type];
  return name === undefined ? "?" : `${name}@${NAMES.get(isOfMarket ? market : asset)}`;
}

// biome-ignore lint/suspicious/noExplicitAny: an event is looked at as it is
const feeText = (fee: any): string =>
  fee ? `${fee.makerFee || 0}/${fee.infrastructureFee || 0}/${fee.liquidityFee || 0}` : "-";

/** An engine's event as the naive markets state it. */
function factOf(event: RigEvent): string[] {
  const market = NAMES.get(event.payload.marketId) ?? "-";
  return marketFactOf(event).map((fact) => `${market} ${fact}`);
}

function marketFactOf({ member, payload }: RigEvent): string[] {
  switch (member) {
    case "order": {
      const { id, partyId, side, price, size, remaining, timeInForce, type, status, reason } = payload;
      // Of a provider; a party that is closed out for its orders alone has an order of 0, too.
      if (size === 0n && type !== 3) return [];
      const { version, batchId, createdAt, expiresAt, peggedOrder, liquidityProvisionId, reference } =
        payload;
      const peg = peggedOrder ? `${peggedOrder.reference}/${peggedOrder.offset}` : "-";
      const name =
        type !== 3
          ? id
          : reference === "LS"
            ? "network"
            : reference === "close-out distressed"
              ? "against"
              : reference;
      const first = ["order", name, partyId, side, price, size, remaining, timeInForce, type, status];
      const rest = [reason ?? 0, version, batchId, createdAt, expiresAt, peg, liquidityProvisionId || "-"];
      return [[...first, ...rest].join(" ")];
    }
    case "trade": {
      const { price, size, buyer, seller, aggressor, buyOrder, sellOrder, type } = payload;
      const ids = type === 1 ? [buyOrder, sellOrder] : ["-", "-"];
      const fees = [feeText(payload.buyerFee), feeText(payload.sellerFee)];
      return [["trade", price, size, buyer, seller, aggressor, ...ids, type, ...fees].join(" ")];
    }
    case "marginLevels": {
      const { partyId, maintenanceMargin, searchLevel, initialMargin, collateralReleaseLevel } = payload;
      const levels = [maintenanceMargin, searchLevel, initialMargin, collateralReleaseLevel].join("/");
      return [`levels ${partyId} ${levels}`];
    }
    case "lossSocialization":
      return [`loss ${payload.partyId} ${payload.amount}`];
    case "settlePosition": {
      const trades = payload.tradeSettlements.map(
        (one: { size: bigint; price: string; marketPrice: string }) =>
          `${one.size}@${one.price}/${one.marketPrice}`,
      );
      return [`settle ${payload.partyId} ${payload.price} ${trades.join(",")}`];
    }
    case "settleDistressed":
      return [`distressed ${payload.partyId} ${payload.margin} ${payload.price}`];
    case "distressedOrders":
      return [`ordersClosed ${payload.parties.join(" ")}`];
    case "distressedPositions": {
      const of = (parties: readonly string[]) => [...parties].sort().join();
      return [`distressedPositions ${of(payload.distressedParties)} ${of(payload.safeParties)}`];
    }
    case "expiredOrders":
      return [`expired ${[...payload.orderIds].sort(byText).join(" ")}`];
    case "settleMarket":
      return [`settledMarket ${payload.price} ${payload.positionFactor}`];
    case "auction": {
      const { openingAuction, leave, start, end, trigger, extensionTrigger } = payload;
      if (leave) return [`auction leave ${+openingAuction}`];
      return [`auction ${+openingAuction} ${start} ${end} ${trigger} ${extensionTrigger}`];
    }
    case "liquidityProvision": {
      const { id, partyId, status, commitmentAmount, fee, version } = payload;
      return [`provision ${id} ${partyId} ${status} ${commitmentAmount} ${fee} ${version}`];
    }
    case "ledgerMovements":
      return payload.ledgerMovements.flatMap((movement: { entries: unknown[] }) =>
        // biome-ignore lint/suspicious/noExplicitAny: an event is looked at as it is
        movement.entries.flatMap((entry: any) => {
          const { fromAccount: from, toAccount: to, amount, type } = entry;
          if (type === 19 || amount === "0") return [];
          const nameOf = (of: typeof from) => accountName(of.type, of.owner, of.marketId, of.assetId);
          return [`move ${type} ${nameOf(from)} ${nameOf(to)} ${amount}`];
        }),
      );
    default:
      return [];
  }
}

function dataOf(rig: MarketRig, market: string): string {
  const data = rig.marketData(market);
  const bounds = data.priceMonitoringBounds.map(
    ({ minValidPrice, maxValidPrice, referencePrice, trigger }) =>
      `${minValidPrice}..${maxValidPrice} of ${referencePrice} by ` +
      `${trigger?.horizon}/${trigger?.probability}/${trigger?.auctionExtension}`,
  );
  const shares = data.liquidityProviderFeeShare.map(
    ({ party, equityLikeShare, averageEntryValuation, averageScore }) =>
      `${party}:${equityLikeShare}/${averageEntryValuation}/${averageScore}`,
  );
  return [
    `mark ${data.markPrice}`,
    `best ${data.bestBidPrice}x${data.bestBidVolume}/${data.bestOfferPrice}x${data.bestOfferVolume}`,
    `static ${data.bestStaticBidPrice}x${data.bestStaticBidVolume}/${data.bestStaticOfferPrice}x${data.bestStaticOfferVolume}`,
    `mid ${data.midPrice}/${data.staticMidPrice}`,
    `interest ${data.openInterest}`,
    `mode ${data.marketTradingMode}, next ${data.nextMarkToMarket}, at ${data.timestamp}`,
    `fee ${rig.market(market).record.liquidityFee}`,
    `auction ${data.auctionStart}/${data.auctionEnd}`,
    `indicative ${data.indicativePrice}x${data.indicativeVolume}`,
    `trigger ${data.trigger}/${data.extensionTrigger}`,
    `stake ${data.targetStake}/${data.suppliedStake}`,
    `bounds ${bounds.join(" ")}`,
    `value ${data.marketValueProxy}`,
    `shares ${shares.join(" ")}`,
    `state ${data.marketState}`,
    `last ${data.lastTradedPrice}`,
  ].join(", ");
}

function submissionInit(order: Submission) {
  return {
    marketId: idOf(order.market),
    price: order.price?.toString() ?? "",
    size: order.size,
    side: order.side,
    timeInForce: order.tif,
    expiresAt: order.expiresNs,
    type: order.isMarket ? 2 : 1,
    reference: "",
    peggedOrder: order.peg && { reference: order.peg.reference, offset: order.peg.offset.toString() },
    postOnly: order.postOnly,
    reduceOnly: order.reduceOnly,
  };
}

function amendmentInit(amendment: Amendment) {
  return {
    orderId: orderId(amendment.order),
    marketId: idOf(amendment.market),
    price: amendment.price?.toString(),
    sizeDelta: amendment.sizeDelta,
    timeInForce: amendment.tif,
    expiresAt: amendment.expiresNs,
    peggedOffset: amendment.pegOffset?.toString() ?? "",
    peggedReference: amendment.pegReference,
  };
}

const shapeInit = (shapes: readonly Shape[]) =>
  shapes.map(({ reference, offset, proportion }) => ({
    reference,
    offset: offset.toString(),
    proportion: Number(proportion),
  }));

function commandInit(command: Command): CommandInit {
  switch (command.kind) {
    case "submit":
      return { kind: "orderSubmission", payload: submissionInit(command.order) };
    case "amend":
      return { kind: "orderAmendment", payload: amendmentInit(command.amendment) };
    case "cancel": {
      const id = command.order === undefined ? "" : orderId(command.order);
      const marketId = command.market === undefined ? "" : idOf(command.market);
      return { kind: "orderCancellation", payload: { marketId, orderId: id } };
    }
    case "batch": {
      const { cancellations, amendments, submissions } = command;
      return {
        kind: "batchMarketInstructions",
        payload: {
          cancellations: cancellations.map(({ market, order }) => ({
            marketId: idOf(market),
            orderId: orderId(order),
          })),
          amendments: amendments.map(amendmentInit),
          submissions: submissions.map(submissionInit),
        },
      };
    }
    case "provide":
    case "amendProvision": {
      const { commitment, fee, buys, sells } = command;
      return {
        kind: command.kind === "provide" ? "liquidityProvisionSubmission" : "liquidityProvisionAmendment",
        payload: {
          marketId: idOf(command.market),
          commitmentAmount: commitment?.toString() ?? "",
          fee: fee ?? "",
          buys: shapeInit(buys),
          sells: shapeInit(sells),
          reference: "",
        },
      };
    }
    case "cancelProvision":
      return { kind: "liquidityProvisionCancellation", payload: { marketId: idOf(command.market) } };
  }
}

/** A command with the ids that its orders' names stand for. */
function withIds(command: Command): Command {
  const amendmentOf = (amendment: Amendment) => ({ ...amendment, order: orderId(amendment.order) });
  if (command.kind === "amend") return { ...command, amendment: amendmentOf(command.amendment) };
  if (command.kind === "cancel" && command.order !== undefined)
    return { ...command, order: orderId(command.order) };
  if (command.kind !== "batch") return command;
  const { cancellations, amendments } = command;
  return {
    ...command,
    cancellations: cancellations.map(({ market, order }) => ({ market, order: orderId(order) })),
    amendments: amendments.map(amendmentOf),
  };
}

function runSteps(
  seed: number,
  steps: readonly Step[],
  mix: Mix,
): { readonly error?: Error; readonly outcome: Outcome; readonly taken: number } {
  const run = new SideBySide(seed, mix);
  let taken = 0;
  try {
    for (const step of steps) {
      taken += 1;
      run.take(step);
    }
    return { outcome: run, taken };
  } catch (error) {
    return { error: error as Error, outcome: run, taken };
  }
}

export interface Finding {
  readonly seed: number;
  readonly mix: Mix;
  readonly steps: readonly Step[];
  readonly error: Error;
}

/** Runs a seed's sequence. @returns what was found, made short */
export function findDifference(seed: number, mix: Mix = mixOf(seed)): Finding | Outcome {
  const steps = stepsOf(seed, START_NS, mix);
  const { error, outcome, taken } = runSteps(seed, steps, mix);
  if (error === undefined) return outcome;
  return shrink(seed, steps.slice(0, taken), error, mix);
}

/** Leaves out what the difference does without. */
function shrink(seed: number, steps: readonly Step[], error: Error, mix: Mix): Finding {
  let finding: Finding = { seed, mix, steps, error };
  const kindOf = ({ message, name }: Error) => `${name} ${message.split(/[\s]/)[0]}`;
  for (let size = Math.ceil(steps.length / 2); size >= 1; size = size > 1 ? Math.ceil(size / 2) : 0) {
    for (let at = 0; at < finding.steps.length; ) {
      const shorter = [...finding.steps.slice(0, at), ...finding.steps.slice(at + size)];
      const run = runSteps(seed, shorter, mix);
      if (run.error !== undefined && kindOf(run.error) === kindOf(error))
        finding = { seed, mix, steps: shorter.slice(0, run.taken), error: run.error };
      else at += size;
    }
  }
  return finding;
}

export function describeFinding({ seed, mix, steps, error }: Finding): string {
  const world = worldOf(new Dice(seed), mix.markets);
  const json = (value: unknown) =>
    JSON.stringify(value, (_key, member) => (typeof member === "bigint" ? `${member}` : member));
  const lines = [
    `seed ${seed}: ${json(world.options)}`,
    ...world.markets.map((market) => `  ${json(market)}`),
    `  ${world.deposits.map(({ party, asset, amount }) => `${party} ${amount} ${asset}`).join(", ")}`,
    ...steps.map((step) => `  ${describeStep(step)}`),
  ];
  return `${lines.join("\n")}\n${error instanceof Difference ? error.message : error.stack}`;
}

const TIFS = ["", "GTC", "GTT", "IOC", "FOK", "GFA", "GFN"];

function describeOrder({
  market,
  side,
  size,
  price,
  tif,
  peg,
  postOnly,
  reduceOnly,
  expiresNs,
  isMarket,
}: Submission): string {
  const at = isMarket
    ? " market"
    : peg
      ? ` ${["", "MID", "BID", "ASK"][peg.reference]}±${peg.offset}`
      : `@${price}`;
  const more = `${postOnly ? " post-only" : ""}${reduceOnly ? " reduce-only" : ""}`;
  const until = expiresNs > 0n ? ` until +${(expiresNs - START_NS) / 1_000_000_000n} s` : "";
  return `${market}: ${side === 1 ? "B" : "S"} ${size}${at} ${TIFS[tif]}${more}${until}`;
}

function describeStep(step: Step): string {
  if (step.do === "block") return `/ ${step.seconds}`;
  if (step.do === "terminate") return `terminate ${step.market} by ${step.oracle}`;
  if (step.do === "settle") return `settle ${step.market} ${step.price} by ${step.oracle}`;
  if (step.do === "parameter") return `${step.key} ${step.value}`;
  if (step.do === "update") return `update ${step.market} ${JSON.stringify(step.config)}`;
  const { tag, party, command } = step;
  const name = `${party} (${tag}, ${idsOf(tag)(0).slice(0, 6)})`;
  if (command.kind === "submit") return `${name} ${describeOrder(command.order)}`;
  const json = (value: unknown) =>
    JSON.stringify(value, (_key, member) => (typeof member === "bigint" ? `${member}` : member));
  if (command.kind === "batch") {
    const { cancellations, amendments, submissions } = command;
    return `${name} batch ${json(cancellations)} ${json(amendments)} ${submissions.map(describeOrder).join("; ")}`;
  }
  return `${name} ${json(command)}`;
}
