/**
 * The tools that make markets and move them: by commands of the funded parties, as if these had sent them. A proposal, votes, a
 * liquidity provision, orders, and the oracle's data.
 */
import type { DevnetPort } from "../../engine/chain-port.ts";
import { badRequest } from "../../http/errors.ts";
import { Decimal } from "../../wire/decimal.ts";
import type { MarketCreated, MarketPriced, MarketRun, MarketSettled, MarketTerminated } from "./answers.ts";
import type { DevnetContext } from "./context.ts";
import type { Fields } from "./fields.ts";
import { assetNamed } from "./names.ts";

const SECOND = 1_000_000_000n;
/** Proposes and votes: has staked tokens. */
const PROPOSER = "alice";
/** Quote for the opening, and whenever a price is asked for. */
const BUYER = "grace";
const SELLER = "heidi";
const PROVIDER = "ivan";
/** Its key signs the data that ends and settles a market. */
const ORACLE = "judy";

const BUY = "SIDE_BUY";
const SELL = "SIDE_SELL";
const GTC = "TIME_IN_FORCE_GTC";

/** Parameters that stand in the way of a market which opens in seconds. */
const PARAMETERS = {
  "market.auction.minimumDuration": "1s",
  "network.markPriceUpdateMaximumFrequency": "1s",
} as const;

interface Preset {
  readonly code: string;
  readonly name: string;
  readonly asset: string;
  readonly quote: string;
  readonly decimals: number;
  readonly positionDecimals: number;
  /** In whole units of the quote: where the market opens. */
  readonly price: string;
  readonly tags: readonly string[];
}

const PRESETS: Readonly<Record<string, Preset>> = {
  btc: {
    code: "BTC/USD",
    name: "Bitcoin against the dollar",
    asset: "tUSD",
    quote: "USD",
    decimals: 2,
    positionDecimals: 3,
    price: "60000",
    tags: ["base:BTC", "quote:USD", "class:fx/crypto"],
  },
  eth: {
    code: "ETH/USD",
    name: "Ether against the dollar",
    asset: "tUSD",
    quote: "USD",
    decimals: 2,
    positionDecimals: 2,
    price: "3000",
    tags: ["base:ETH", "quote:USD", "class:fx/crypto"],
  },
  simple: {
    code: "SIMPLE",
    name: "A market of whole numbers",
    asset: "tUSD",
    quote: "USD",
    decimals: 0,
    positionDecimals: 0,
    price: "100",
    tags: [],
  },
};

/** Names of the presets. */
export const MARKET_PRESETS: readonly string[] = Object.keys(PRESETS);

interface MarketNode {
  readonly id: string;
  readonly state: string;
  readonly tradingMode: string;
  readonly decimalPlaces: string;
  readonly positionDecimalPlaces: string;
  readonly marketTimestamps: { readonly proposed: string };
  readonly tradableInstrument: {
    readonly instrument: {
      readonly code: string;
      readonly future: {
        readonly settlementAsset: string;
        readonly dataSourceSpecForSettlementData: Spec;
        readonly dataSourceSpecForTradingTermination: Spec;
        readonly dataSourceSpecBinding: {
          readonly settlementDataProperty: string;
          readonly tradingTerminationProperty: string;
        };
      };
    };
  };
}

interface Spec {
  readonly data: {
    readonly external?: {
      readonly oracle?: {
        readonly signers: readonly { readonly pubKey?: { readonly key: string } }[];
        readonly filters: readonly {
          readonly key: { readonly name: string; readonly numberDecimalPlaces?: string };
        }[];
      };
    };
  };
}

/** `newMarket` of a proposal, which may stand in its terms, these in the submission, and this in a command. */
function newMarketOf(given: object): { readonly changes: unknown } {
  let found = given as Readonly<Record<string, unknown>>;
  for (const name of ["proposalSubmission", "terms", "newMarket"]) {
    const inner = found[name];
    if (typeof inner === "object" && inner !== null) found = inner as typeof found;
  }
  if (!("changes" in found))
    throw badRequest("'proposal' must be the `newMarket` of a proposal, with its `changes`");
  return found as { readonly changes: unknown };
}

/** Decimals of a proposed market's prices; undefined for a text that the chain will refuse. */
function proposedDecimals({ changes }: { readonly changes: unknown }): number | undefined {
  const found = changes as Readonly<Record<string, unknown>> | null;
  const decimals = Number(found?.decimalPlaces ?? found?.decimal_places ?? 0);
  return Number.isInteger(decimals) && decimals >= 0 ? decimals : undefined;
}

/** `market/create`: a market that trades. @throws ApiError, ChainCallError */
export async function createMarket(context: DevnetContext, fields: Fields): Promise<MarketCreated> {
  const name = fields.has("preset") ? fields.text("preset") : MARKET_PRESETS[0]!;
  const given = fields.has("proposal") ? newMarketOf(fields.object("proposal")) : undefined;
  const asked = fields.has("price") ? fields.text("price") : undefined;
  fields.end();
  const preset = PRESETS[name];
  if (preset === undefined) throw badRequest(`'preset' must be one of ${MARKET_PRESETS.join(", ")}`);
  const price = asked ?? (given === undefined ? preset.price : PROPOSED_PRICE);
  const decimals = given === undefined ? preset.decimals : proposedDecimals(given);
  // A market would stay behind if its price were refused later.
  if (decimals !== undefined) inTicks(decimals, price);
  const { chain } = context;
  for (const [key, value] of Object.entries(PARAMETERS)) await chain.setParameter(key, value);
  const party = partiesOf(context);
  const reference = `market-${chain.status.height}`;
  const closing = chain.status.timeNs / SECOND + 3n;
  const terms = {
    closingTimestamp: closing.toString(),
    enactmentTimestamp: (closing + 2n).toString(),
    newMarket: given ?? {
      changes: changesOf(preset, assetNamed(preset.asset, context.parties()), party(ORACLE)),
    },
  };
  const rationale = { title: preset.code, description: `${preset.name}, made by a tool of the devnet` };
  await send(context, party(PROPOSER), { proposalSubmission: { reference, rationale, terms } });
  const proposal = context.read<{ data: { proposal: { id: string } } }>("/api/v2/governance", { reference });
  const id = proposal?.data.proposal.id;
  if (id === undefined) throw badRequest("the proposal was not accepted");
  await send(context, party(PROPOSER), { voteSubmission: { proposalId: id, value: "VALUE_YES" } });
  await pass(chain, 4n);
  await openMarket(context, id, price);
  await pass(chain, 3n);
  await pass(chain, 1n);
  const market = marketOf(context, id);
  const oracle = signerOf(market.tradableInstrument.instrument.future.dataSourceSpecForSettlementData);
  return {
    market: id,
    code: market.tradableInstrument.instrument.code,
    state: market.state,
    tradingMode: market.tradingMode,
    oracle: oracle ?? "",
  };
}

/** Quotes, a provision, and a trade at the price at which the market opens. */
async function openMarket(context: DevnetContext, id: string, price: string): Promise<void> {
  const party = partiesOf(context);
  const market = marketOf(context, id);
  const middle = ticksIn(market, price);
  const size = 10n ** BigInt(Math.max(0, Number(market.positionDecimalPlaces)));
  const spread = middle / 100n > 0n ? middle / 100n : 1n;
  const shape = (reference: string) => [{ reference, proportion: 1, offset: spread.toString() }];
  await send(context, party(PROVIDER), {
    liquidityProvisionSubmission: {
      marketId: id,
      commitmentAmount: commitmentOf(context, market),
      fee: "0.001",
      buys: shape("PEGGED_REFERENCE_BEST_BID"),
      sells: shape("PEGGED_REFERENCE_BEST_ASK"),
      reference: "provision",
    },
  });
  const quotes = [
    [BUYER, BUY, middle - spread],
    [SELLER, SELL, middle + spread],
    [BUYER, BUY, middle],
    [SELLER, SELL, middle],
  ] as const;
  for (const [name, side, at] of quotes) {
    await send(context, party(name), { orderSubmission: orderOf(id, side, at, size) });
  }
}

/** Where a market of a proposal of one's own opens, unless the caller names a price. */
const PROPOSED_PRICE = "100";
/** In units of the settlement asset, and at least in quanta of it: 10,000 dollars in tUSD. */
const COMMITMENT_MIN = 1_000_000_000n;
const COMMITMENT_QUANTA = 10_000n;

function commitmentOf(context: DevnetContext, market: MarketNode): string {
  const { settlementAsset } = market.tradableInstrument.instrument.future;
  const answer = context.read<{ asset: { details: { quantum: string } } }>("/api/v2/asset/{asset_id}", {
    assetId: settlementAsset,
  });
  const quanta = COMMITMENT_QUANTA * BigInt(answer?.asset.details.quantum ?? "1");
  return (quanta > COMMITMENT_MIN ? quanta : COMMITMENT_MIN).toString();
}

/** `market/price`: a trade at this price, by two parties. @throws ApiError, ChainCallError */
export async function movePrice(context: DevnetContext, fields: Fields): Promise<MarketPriced> {
  const market = marketOf(context, fields.text("market"));
  const price = fields.text("price");
  fields.end();
  const { chain } = context;
  const party = partiesOf(context);
  const at = ticksIn(market, price);
  checkTrades(market);
  const { id } = market;
  // Their own quotes would stand in the way: an order never meets its own party's.
  for (const name of [BUYER, SELLER])
    await send(context, party(name), { orderCancellation: { marketId: id } });
  const spread = at / 100n > 0n ? at / 100n : 1n;
  const size = 10n ** BigInt(Math.max(0, Number(market.positionDecimalPlaces)));
  const quotes = [
    [BUYER, BUY, at - spread],
    [SELLER, SELL, at + spread],
    [BUYER, BUY, at],
    [SELLER, SELL, at],
  ] as const;
  for (const [name, side, tick] of quotes) {
    if (tick > 0n) await send(context, party(name), { orderSubmission: orderOf(id, side, tick, size) });
  }
  await pass(chain, 2n);
  const data = context.read<{ marketData: { markPrice: string; lastTradedPrice?: string } }>(
    "/api/v2/market/data/{market_id}/latest",
    { marketId: id },
  );
  const { tradingMode } = marketOf(context, id);
  return { market: id, price, ...(data && { markPrice: data.marketData.markPrice }), tradingMode };
}

const TRADERS = ["carol", "dave", "erin", "frank"];
const ORDERS_MAX = 10_000;
const SEED_MAX = 4_294_967_295;
/** Orders between two quotes of the maker, and between two steps of the clock. */
const QUOTE_EVERY = 8;
const STEP_EVERY = 20;

/**
 * `market/run`: a maker that quotes around a price which wanders, and takers who trade with it; the same seed gives the same
 * orders. @param signal of a caller that goes away: nothing more is sent @throws ApiError, ChainCallError
 */
export async function runMarket(
  context: DevnetContext,
  fields: Fields,
  signal: AbortSignal,
): Promise<MarketRun> {
  const market = marketOf(context, fields.text("market"));
  const orders = fields.count("orders", 100, ORDERS_MAX);
  let state = fields.count("seed", 1, SEED_MAX);
  fields.end();
  checkTrades(market);
  // Numerical Recipes' linear congruential generator: enough for a crowd.
  const below = (end: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 4_294_967_296) * end);
  };
  const { chain } = context;
  const party = partiesOf(context);
  const { id } = market;
  const unit = 10n ** BigInt(Math.max(0, Number(market.positionDecimalPlaces)));
  const latest = () =>
    BigInt(
      context.read<{ marketData: { markPrice: string } }>("/api/v2/market/data/{market_id}/latest", {
        marketId: id,
      })?.marketData.markPrice ?? "0",
    );
  let middle = latest();
  if (middle === 0n) throw badRequest("the market has no price yet");
  const step = middle / 1_000n > 0n ? middle / 1_000n : 1n;
  let sent = 0;
  for (; sent < orders && !signal.aborted; sent++) {
    const n = sent;
    if (n % QUOTE_EVERY === 0) {
      middle += BigInt(below(5) - 2) * step;
      if (middle <= 5n * step) middle += 5n * step;
      for (const name of [BUYER, SELLER])
        await send(context, party(name), { orderCancellation: { marketId: id } });
      for (const depth of [1n, 2n, 4n]) {
        await send(context, party(BUYER), {
          orderSubmission: orderOf(id, BUY, middle - depth * step, unit * 5n),
        });
        await send(context, party(SELLER), {
          orderSubmission: orderOf(id, SELL, middle + depth * step, unit * 5n),
        });
      }
    }
    const side = below(2) === 0 ? BUY : SELL;
    const away = BigInt(below(4) - 1) * step;
    const price = side === BUY ? middle - away : middle + away;
    const name = TRADERS[below(TRADERS.length)]!;
    await send(context, party(name), {
      orderSubmission: orderOf(id, side, price, unit * BigInt(1 + below(3))),
    });
    if (n % STEP_EVERY === STEP_EVERY - 1) await pass(chain, 1n);
  }
  await pass(chain, 2n);
  const { tradingMode } = marketOf(context, id);
  return { market: id, orders: sent, price: middle.toString(), markPrice: latest().toString(), tradingMode };
}

/** `market/terminate`: the oracle ends trading. @throws ApiError, ChainCallError */
export async function terminateMarket(context: DevnetContext, fields: Fields): Promise<MarketTerminated> {
  const market = marketOf(context, fields.text("market"));
  fields.end();
  checkTrades(market);
  await sendData(context, market, "termination", "true");
  return { market: market.id, state: marketOf(context, market.id).state };
}

/** `market/settle`: the oracle says the last price; trading ends before it if need be. @throws ApiError, ChainCallError */
export async function settleMarket(context: DevnetContext, fields: Fields): Promise<MarketSettled> {
  const market = marketOf(context, fields.text("market"));
  const price = fields.text("price");
  fields.end();
  const { future } = market.tradableInstrument.instrument;
  const property = future.dataSourceSpecBinding.settlementDataProperty;
  const filters = future.dataSourceSpecForSettlementData.data.external?.oracle?.filters ?? [];
  const decimals = Number(filters.find(({ key }) => key.name === property)?.key.numberDecimalPlaces ?? 0);
  const value = scaled(price, decimals);
  if (market.state !== TERMINATED) {
    checkTrades(market);
    await sendData(context, market, "termination", "true");
  }
  await sendData(context, market, "settlement", value.toString());
  await context.chain.mine(1);
  return { market: market.id, price, state: marketOf(context, market.id).state };
}

/** States of markets that trade no more. */
const TERMINATED = "STATE_TRADING_TERMINATED";
const OVER: Readonly<Record<string, string>> = {
  [TERMINATED]: "has ended its trading",
  STATE_SETTLED: "is settled",
  STATE_CANCELLED: "is cancelled",
  STATE_REJECTED: "was rejected",
  STATE_CLOSED: "is closed",
};

/** @throws ApiError 400 for a market whose trading is over */
function checkTrades({ id, state, tradableInstrument }: MarketNode): void {
  const over = OVER[state];
  if (over === undefined) return;
  throw badRequest(`the market ${tradableInstrument.instrument.code} (${id.slice(0, 8)}) ${over}`);
}

/** The public key whose data an oracle's specification takes; undefined where it takes none of a key. */
function signerOf(spec: Spec): string | undefined {
  return spec.data.external?.oracle?.signers[0]?.pubKey?.key;
}

async function sendData(
  context: DevnetContext,
  market: MarketNode,
  what: "settlement" | "termination",
  value: string,
): Promise<void> {
  const { future } = market.tradableInstrument.instrument;
  const isEnd = what === "termination";
  const spec = isEnd ? future.dataSourceSpecForTradingTermination : future.dataSourceSpecForSettlementData;
  const { tradingTerminationProperty, settlementDataProperty } = future.dataSourceSpecBinding;
  const signer = signerOf(spec);
  if (signer === undefined)
    throw badRequest(`the market's ${what} does not come from a key, so that no tool can send it`);
  const data = { [isEnd ? tradingTerminationProperty : settlementDataProperty]: value };
  const payload = Buffer.from(JSON.stringify(data), "utf8").toString("base64");
  await send(context, signer, { oracleDataSubmission: { source: "ORACLE_SOURCE_JSON", payload } });
}

function orderOf(marketId: string, side: string, price: bigint, size: bigint) {
  return {
    marketId,
    side,
    price: price.toString(),
    size: size.toString(),
    timeInForce: GTC,
    type: "TYPE_LIMIT",
  };
}

/** Sends a command as a party. @throws ApiError when it is refused */
async function send(context: DevnetContext, party: string, command: object): Promise<void> {
  const { chain } = context;
  const { code, text, height } = await chain.impersonate(party, command);
  if (code !== 0) {
    const known = context.parties().parties.find(({ publicKey }) => publicKey === party);
    const sender = known?.name ?? party.slice(0, 8);
    throw badRequest(`${Object.keys(command)[0]} of ${sender} was refused: ${text}`);
  }
  // Where blocks are made by a clock or by hand, this one is made now.
  if (height === 0) await chain.mine(1);
}

async function pass(chain: DevnetPort, seconds: bigint): Promise<void> {
  await chain.forwardTime(seconds * SECOND);
  await chain.mine(1);
}

function partiesOf(context: DevnetContext): (name: string) => string {
  const { parties } = context.parties();
  return (name) => {
    const party = parties.find((one) => one.name === name);
    if (party === undefined)
      throw badRequest("markets are made by the funded parties, which this devnet does not have");
    return party.publicKey;
  };
}

/** A market by its id, the beginning of it, or its code; of several the newest. @throws ApiError 400 */
function marketOf(context: DevnetContext, text: string): MarketNode {
  const answer = context.read<{ markets: { edges: { node: MarketNode }[] } }>("/api/v2/markets", {
    includeSettled: "true",
  });
  const nodes = answer?.markets.edges.map(({ node }) => node) ?? [];
  const timeOf = ({ marketTimestamps }: MarketNode) => BigInt(marketTimestamps.proposed);
  const markets = nodes.toSorted((a, b) => Number(timeOf(a) - timeOf(b)));
  const found =
    markets.find(({ id }) => id === text) ??
    markets.findLast(({ tradableInstrument: { instrument } }) => instrument.code === text) ??
    (text.length >= 4 ? markets.find(({ id }) => id.startsWith(text)) : undefined);
  if (found !== undefined) return found;
  const codes = markets
    .slice(-10)
    .map(({ id, tradableInstrument: { instrument } }) => `${instrument.code} (${id.slice(0, 8)})`);
  throw badRequest(
    `there is no market '${text.slice(0, 64)}': ${codes.length === 0 ? "none was made yet" : codes.join(", ")}`,
  );
}

const PRICE_DIGITS_MAX = 30;

/** A price as people write it, in the market's own decimals. @throws ApiError 400 */
function ticksIn({ decimalPlaces }: MarketNode, price: string): bigint {
  return inTicks(Number(decimalPlaces), price);
}

function inTicks(decimals: number, price: string): bigint {
  const ticks = scaled(price, decimals);
  if (ticks <= 0n) throw badRequest("'price' must be above zero");
  return ticks;
}

/** @throws ApiError 400 for a text that has more decimals */
function scaled(text: string, decimals: number): bigint {
  const match = /^(\d+)(?:\.(\d+))?$/.exec(text);
  const [, whole = "", digits = ""] = match ?? [];
  if (match === null || digits.replace(/0+$/, "").length > decimals) {
    const most = decimals === 1 ? "1 decimal" : `${decimals} decimals`;
    throw badRequest(
      `'price' must be a ${decimals === 0 ? "whole number" : `number with at most ${most}`}, not '${text.slice(0, 60)}'`,
    );
  }
  if (whole.length > PRICE_DIGITS_MAX || digits.length > PRICE_DIGITS_MAX)
    throw badRequest(`'price' has more than ${PRICE_DIGITS_MAX} digits`);
  return Decimal.parse(text).times(Decimal.shifted(1n, -decimals)).truncated();
}

/** `changes` of a proposal of a preset's market, as JSON. @param asset its id @param oracle the key whose data ends it */
export function presetChanges(name: keyof typeof PRESETS, asset: string, oracle: string) {
  return changesOf(PRESETS[name]!, asset, oracle);
}

function changesOf(preset: Preset, asset: string, oracle: string) {
  const source = (name: string, type: string, decimals?: number) => ({
    external: {
      oracle: {
        signers: [{ pubKey: { key: oracle } }],
        filters: [
          {
            key: { name, type, ...(decimals !== undefined && { numberDecimalPlaces: String(decimals) }) },
            conditions: [],
          },
        ],
      },
    },
  });
  const settlement = `prices.${preset.code}.value`;
  const termination = `trading.${preset.code}.terminated`;
  return {
    instrument: {
      name: preset.name,
      code: preset.code,
      future: {
        settlementAsset: asset,
        quoteName: preset.quote,
        dataSourceSpecForSettlementData: source(settlement, "TYPE_INTEGER", preset.decimals),
        dataSourceSpecForTradingTermination: source(termination, "TYPE_BOOLEAN"),
        dataSourceSpecBinding: {
          settlementDataProperty: settlement,
          tradingTerminationProperty: termination,
        },
      },
    },
    decimalPlaces: String(preset.decimals),
    positionDecimalPlaces: String(preset.positionDecimals),
    metadata: preset.tags,
    priceMonitoringParameters: { triggers: [] },
    liquidityMonitoringParameters: {
      targetStakeParameters: { timeWindow: "3600", scalingFactor: 0.1 },
      triggeringRatio: "0",
      auctionExtension: "1",
    },
    logNormal: {
      riskAversionParameter: 0.000001,
      tau: 0.0001140771161,
      params: { mu: 0, r: 0.016, sigma: 1.5 },
    },
    lpPriceRange: "0.95",
    linearSlippageFactor: "0.001",
    quadraticSlippageFactor: "0",
  };
}
