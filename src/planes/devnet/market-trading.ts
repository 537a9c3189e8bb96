// The tools with which the funded parties trade: to a price, and as a crowd.
import { badRequest } from "../../http/errors.ts";
import type { DevnetContext } from "./context.ts";
import type { AnswerOf, BodyOf, TOOLS } from "./declarations.ts";
import {
  BUY,
  BUYER,
  checkTrades,
  contractOf,
  keepFunded,
  type MarketNode,
  marketOf,
  orderOf,
  partiesOf,
  pass,
  SELL,
  SELLER,
  type Sent,
  send,
  sendInTurn,
  sendTogether,
  ticksIn,
} from "./market-commands.ts";

type Quote = readonly [name: string, side: string, tick: bigint];

/** `market/price`: a trade at this price, by two parties. @throws ApiError, ChainCallError */
export async function movePrice(
  context: DevnetContext,
  { price, ...body }: BodyOf<(typeof TOOLS)["market/price"]>,
): Promise<AnswerOf<(typeof TOOLS)["market/price"]>> {
  const market = marketOf(context, body.market);
  const { chain } = context;
  const party = partiesOf(context);
  const at = ticksIn(market, price);
  checkTrades(market);
  await keepFunded(context, market, [BUYER, SELLER], at);
  const { id } = market;
  const spread = at / 100n > 0n ? at / 100n : 1n;
  const size = contractOf(market);
  const quotes = (...wanted: readonly Quote[]) =>
    sendTogether(
      context,
      wanted
        .filter(([, , tick]) => tick > 0n)
        .map(([name, side, tick]): Sent => [party(name), { orderSubmission: orderOf(id, side, tick, size) }]),
    );
  // Keep an order on both sides at any time, or an auction would begin: the side that cannot trade goes first.
  const sides: readonly Quote[] = [
    [BUYER, BUY, at - spread],
    [SELLER, SELL, at + spread],
  ];
  const outer = volumesBefore(context, id, at).bought > 0n ? sides : sides.toReversed();
  await quotes(...outer);
  await clearUpTo(context, market, at);
  const earlier = liveQuotes(context, id);
  await quotes(...outer, [BUYER, BUY, at], [SELLER, SELL, at]);
  const ended = [...liveQuotes(context, id)].filter(([orderId]) => earlier.has(orderId));
  await sendTogether(
    context,
    ended.map(([orderId, name]): Sent => [party(name), { orderCancellation: { marketId: id, orderId } }]),
  );
  // The second block shows the mark to market of the first.
  await pass(chain, 2n);
  await pass(chain, 1n);
  const data = context.read<{ marketData: { markPrice: string; lastTradedPrice?: string } }>(
    "/api/v2/market/data/{market_id}/latest",
    { marketId: id },
  );
  const { tradingMode } = marketOf(context, id);
  return { market: id, price, ...(data && { markPrice: data.marketData.markPrice }), tradingMode };
}

interface Level {
  readonly price: string;
  readonly volume: string;
}

/** The makers' live orders, each with its party's name. */
function liveQuotes(context: DevnetContext, marketId: string): ReadonlyMap<string, string> {
  const party = partiesOf(context);
  const ofParty = (name: string) => {
    const answer = context.read<{ orders: { edges: { node: { id: string } }[] } }>("/api/v2/orders", {
      "filter.partyIds": party(name),
      "filter.marketIds": marketId,
      "filter.liveOnly": "true",
    });
    return (answer?.orders.edges ?? []).map(({ node }) => [node.id, name] as const);
  };
  return new Map([...ofParty(BUYER), ...ofParty(SELLER)]);
}

/** Volumes on the book of sells and of buys that would trade before a price is reached. */
function volumesBefore(
  context: DevnetContext,
  marketId: string,
  at: bigint,
): { sold: bigint; bought: bigint } {
  const path = "/api/v2/market/depth/{market_id}/latest";
  const depth = context.read<{ buy: readonly Level[]; sell: readonly Level[] }>(path, { marketId });
  const volumeOf = (levels: readonly Level[] = [], isNear: (price: bigint) => boolean) =>
    levels.filter(({ price }) => isNear(BigInt(price))).reduce((sum, { volume }) => sum + BigInt(volume), 0n);
  return {
    sold: volumeOf(depth?.sell, (price) => price <= at),
    bought: volumeOf(depth?.buy, (price) => price >= at),
  };
}

/** A provision's orders reprice with the book and can block the price again: at most this many sweeps. */
const SWEEPS_MAX = 10;

/** Trades with the orders of others that would trade before the price is reached. In an auction they trade at its end. */
async function clearUpTo(context: DevnetContext, market: MarketNode, at: bigint): Promise<void> {
  const party = partiesOf(context);
  const { id } = market;
  for (let sweep = 0; sweep < SWEEPS_MAX; sweep++) {
    if (marketOf(context, id).tradingMode !== "TRADING_MODE_CONTINUOUS") return;
    const { sold, bought } = volumesBefore(context, id, at);
    if (sold === 0n && bought === 0n) return;
    const [name, side, size] = sold > 0n ? ([BUYER, BUY, sold] as const) : ([SELLER, SELL, bought] as const);
    await keepFunded(context, market, [name], at, size);
    const order = { ...orderOf(id, side, at, size), timeInForce: "TIME_IN_FORCE_IOC" };
    await send(context, party(name), { orderSubmission: order });
  }
}

const TRADERS = ["carol", "dave", "erin", "frank"];
/** Orders of takers after each quote of the maker. A second passes then, unless a clock makes the blocks. */
const TAKERS = 8;

/**
 * `market/run`: a maker that quotes around a price which wanders, and takers who trade with it; the same seed gives the same
 * orders. @param signal of a caller that goes away: nothing more is sent @throws ApiError, ChainCallError
 */
export async function runMarket(
  context: DevnetContext,
  { orders = 100, seed = 1, ...body }: BodyOf<(typeof TOOLS)["market/run"]>,
  signal: AbortSignal,
): Promise<AnswerOf<(typeof TOOLS)["market/run"]>> {
  const market = marketOf(context, body.market);
  let state = seed;
  checkTrades(market);
  // Numerical Recipes' linear congruential generator: enough for a crowd.
  const below = (end: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 4_294_967_296) * end);
  };
  const { chain } = context;
  const isTimed = (await chain.blockMode()).kind === "interval";
  const party = partiesOf(context);
  const { id } = market;
  const unit = contractOf(market);
  const latest = () =>
    BigInt(
      context.read<{ marketData: { markPrice: string } }>("/api/v2/market/data/{market_id}/latest", {
        marketId: id,
      })?.marketData.markPrice ?? "0",
    );
  let middle = latest();
  if (middle === 0n) throw badRequest("the market has no price yet");
  const step = middle / 1_000n > 0n ? middle / 1_000n : 1n;
  const quotes = (): Sent[] =>
    [1n, 2n, 4n].flatMap((depth) => [
      [party(BUYER), { orderSubmission: orderOf(id, BUY, middle - depth * step, unit * 5n) }],
      [party(SELLER), { orderSubmission: orderOf(id, SELL, middle + depth * step, unit * 5n) }],
    ]);
  const taker = (): Sent => {
    const side = below(2) === 0 ? BUY : SELL;
    const away = BigInt(below(4) - 1) * step;
    const price = side === BUY ? middle - away : middle + away;
    const name = TRADERS[below(TRADERS.length)]!;
    return [party(name), { orderSubmission: orderOf(id, side, price, unit * BigInt(1 + below(3))) }];
  };
  let sent = 0;
  while (sent < orders && !signal.aborted) {
    middle += BigInt(below(5) - 2) * step;
    if (middle <= 5n * step) middle += 5n * step;
    await keepFunded(context, market, [BUYER, SELLER, ...TRADERS], middle);
    const cancellations = [BUYER, SELLER].map(
      (name): Sent => [party(name), { orderCancellation: { marketId: id } }],
    );
    const takers = Array.from({ length: Math.min(TAKERS, orders - sent) }, taker);
    await sendInTurn(context, [...cancellations, ...quotes(), ...takers]);
    sent += takers.length;
    if (!isTimed) await pass(chain, 1n);
  }
  await pass(chain, 2n);
  const { tradingMode } = marketOf(context, id);
  return { market: id, orders: sent, price: middle.toString(), markPrice: latest().toString(), tradingMode };
}
