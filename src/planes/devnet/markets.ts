/**
 * The tools that make markets and end them: by commands of the funded parties, as if these had sent them. A proposal, votes, a
 * liquidity provision, orders, and the oracle's data.
 */
import { ApiError, badRequest } from "../../http/errors.ts";
import { durationNs, SECOND_NS } from "../../wire/time-text.ts";
import type { DevnetContext } from "./context.ts";
import { type AnswerOf, type BodyOf, MARKET_PRESETS, type TOOLS } from "./declarations.ts";
import {
  BUY,
  BUYER,
  checkOutcome,
  checkTrades,
  contractOf,
  inTicks,
  type MarketNode,
  marketOf,
  orderOf,
  partiesOf,
  pass,
  SELL,
  SELLER,
  type Sent,
  type Spec,
  scaled,
  send,
  sendTogether,
  TERMINATED,
  ticksIn,
} from "./market-commands.ts";
import { assetNamed } from "./names.ts";

/** Beyond the least time of a vote, and then until the market begins. */
const CLOSE_AFTER_S = 1n;
const ENACT_AFTER_S = 2n;
/** Proposes and votes: has staked tokens. */
const PROPOSER = "alice";
const PROVIDER = "ivan";
/** Its key signs the data that ends and settles a market. */
const ORACLE = "judy";

/** Parameters to lower so that a market opens in seconds. */
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

const PRESETS: Readonly<Record<(typeof MARKET_PRESETS)[number], Preset>> = {
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

function presetNamed(name: string): Preset | undefined {
  return Object.hasOwn(PRESETS, name) ? PRESETS[name as keyof typeof PRESETS] : undefined;
}

/** `newMarket` of a proposal, which may stand in its terms, these in the submission, and this in a command. */
function newMarketOf(proposal: object): { readonly changes: unknown } {
  let newMarket = proposal as Readonly<Record<string, unknown>>;
  for (const name of ["proposalSubmission", "terms", "newMarket"]) {
    const inner = newMarket[name];
    if (typeof inner === "object" && inner !== null) newMarket = inner as typeof newMarket;
  }
  if (!("changes" in newMarket))
    throw badRequest("'proposal' must be the `newMarket` of a proposal, with its `changes`");
  return newMarket as { readonly changes: unknown };
}

/** Decimals of a proposed market's prices; undefined for a text that the chain will refuse. */
function proposedDecimals({ changes }: { readonly changes: unknown }): number | undefined {
  const terms = changes as Readonly<Record<string, unknown>> | null;
  const decimals = Number(terms?.decimalPlaces ?? terms?.decimal_places ?? 0);
  return Number.isInteger(decimals) && decimals >= 0 ? decimals : undefined;
}

/** `market/create`: a market that trades. @throws ApiError, ChainCallError */
export async function createMarket(
  context: DevnetContext,
  body: BodyOf<(typeof TOOLS)["market/create"]>,
): Promise<AnswerOf<(typeof TOOLS)["market/create"]>> {
  if (body.preset !== undefined && body.proposal !== undefined)
    throw badRequest("give a 'preset' or a 'proposal', not both: each describes the whole market");
  const newMarket = body.proposal === undefined ? undefined : newMarketOf(body.proposal);
  const preset = presetNamed(body.preset ?? MARKET_PRESETS[0]);
  if (preset === undefined) throw badRequest(`'preset' must be one of ${MARKET_PRESETS.join(", ")}`);
  if (body.asset !== undefined && newMarket !== undefined)
    throw badRequest("a 'proposal' names its own settlement asset: give 'asset' with a preset alone");
  // Before anything is sent, too: it says which assets there are.
  const asset = newMarket === undefined ? settlementAsset(context, body.asset ?? preset.asset) : "";
  const price = body.price ?? (newMarket === undefined ? preset.price : PROPOSED_PRICE);
  const decimals = newMarket === undefined ? preset.decimals : proposedDecimals(newMarket);
  // Check the price before anything is sent: a later refusal would leave the market behind.
  if (decimals !== undefined) inTicks(decimals, price);
  const { chain } = context;
  for (const [key, value] of Object.entries(PARAMETERS)) await chain.setParameter(key, value);
  const party = partiesOf(context);
  const reference = `market-${chain.status.height}`;
  const terms = {
    newMarket: newMarket ?? {
      changes: changesOf(preset, asset, party(ORACLE)),
    },
  };
  const rationale = { title: preset.code, description: `${preset.name}, made by a tool of the devnet` };
  const closeAfterS = leastSeconds(context, "minClose") + CLOSE_AFTER_S;
  const enactAfterS = maxOf(leastSeconds(context, "minEnact") + CLOSE_AFTER_S, closeAfterS + ENACT_AFTER_S);
  const { id, outcomes, closingNs } = await chain.propose({
    party: party(PROPOSER),
    submission: { reference, rationale, terms },
    closeAfterS,
    enactAfterS,
  });
  for (const [n, name] of ["proposalSubmission", "voteSubmission"].entries())
    checkOutcome(context, party(PROPOSER), name, outcomes[n]!);
  // A proposal ends in the first block that is later.
  await chain.reachTime(closingNs + SECOND_NS);
  if (!body.auction) await openMarket(context, id, price);
  await chain.reachTime(closingNs + (enactAfterS - closeAfterS + 1n) * SECOND_NS);
  await pass(chain, 1n);
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

/** @throws ApiError 400 that names the member for another asset */
function settlementAsset(context: DevnetContext, text: string): string {
  try {
    return assetNamed(text, context.parties());
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw badRequest(`a preset's market settles in the asset that 'asset' names: ${error.message}`);
  }
}

/** Seconds that the network gives at least between a market's proposal and one of its times. */
function leastSeconds(context: DevnetContext, name: "minClose" | "minEnact"): bigint {
  const key = `governance.proposal.market.${name}`;
  const path = "/api/v2/network/parameters/{key}";
  const answer = context.read<{ networkParameter: { value: string } }>(path, { key });
  return (durationNs(answer?.networkParameter.value ?? "1s") + SECOND_NS - 1n) / SECOND_NS;
}

function maxOf(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

/** Quotes, a provision, and a trade at the price at which the market opens. */
async function openMarket(context: DevnetContext, id: string, price: string): Promise<void> {
  const party = partiesOf(context);
  const market = marketOf(context, id);
  const middle = ticksIn(market, price);
  const size = contractOf(market);
  const spread = middle / 100n > 0n ? middle / 100n : 1n;
  const shape = (reference: string) => [{ reference, proportion: 1, offset: spread.toString() }];
  const provision = {
    marketId: id,
    commitmentAmount: commitmentOf(context, market),
    fee: "0.001",
    buys: shape("PEGGED_REFERENCE_BEST_BID"),
    sells: shape("PEGGED_REFERENCE_BEST_ASK"),
    reference: "provision",
  };
  const quotes = [
    [BUYER, BUY, middle - spread],
    [SELLER, SELL, middle + spread],
    [BUYER, BUY, middle],
    [SELLER, SELL, middle],
  ] as const;
  await sendTogether(context, [
    [party(PROVIDER), { liquidityProvisionSubmission: provision }],
    ...quotes.map(
      ([name, side, at]): Sent => [party(name), { orderSubmission: orderOf(id, side, at, size) }],
    ),
  ]);
}

/** Opening price of a market from the caller's proposal, unless the caller gives one. */
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

/** `market/terminate`: the oracle ends trading. @throws ApiError, ChainCallError */
export async function terminateMarket(
  context: DevnetContext,
  body: BodyOf<(typeof TOOLS)["market/terminate"]>,
): Promise<AnswerOf<(typeof TOOLS)["market/terminate"]>> {
  const market = marketOf(context, body.market);
  checkTrades(market);
  await sendData(context, market, "termination", "true");
  return { market: market.id, state: marketOf(context, market.id).state };
}

/** `market/settle`: the oracle says the last price; trading ends before it if need be. @throws ApiError, ChainCallError */
export async function settleMarket(
  context: DevnetContext,
  { price, ...body }: BodyOf<(typeof TOOLS)["market/settle"]>,
): Promise<AnswerOf<(typeof TOOLS)["market/settle"]>> {
  const market = marketOf(context, body.market);
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
  await context.chain.letPass(0n);
  return { market: market.id, price, state: marketOf(context, market.id).state };
}

/** The public key whose data an oracle's specification accepts; undefined if it accepts no key's data. */
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

/** `changes` of a proposal of a preset's market, as JSON. @param asset its id @param oracle the key whose data ends it */
export function presetChanges(name: keyof typeof PRESETS, asset: string, oracle: string) {
  return changesOf(PRESETS[name], asset, oracle);
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
