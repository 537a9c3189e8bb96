// The tools with which the funded parties trade: to a price, and as a crowd.
import { setTimeout } from "node:timers/promises";
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
  sendAtOnce,
  sendTogether,
  ticksIn,
} from "./market-commands.ts";

type Quote = readonly [name: string, side: string, tick: bigint];

/**
 * Two parties whose orders meet each other at a price: neither provides liquidity to the market, whose orders would stop a
 * trade with itself, nor has an order on the other side. @throws ApiError 400
 */
function tradersOf(context: DevnetContext, marketId: string): readonly [buyer: string, seller: string] {
  const { parties } = context.parties();
  const names = [BUYER, SELLER, ...parties.map(({ name }) => name)];
  const isFree = (name: string, otherSide: string) => {
    const party = partiesOf(context)(name);
    return (
      !isProvider(context, marketId, party) &&
      !liveOrdersOf(context, marketId, party).some(({ side }) => side === otherSide)
    );
  };
  const buyer = names.find((name) => name !== SELLER && isFree(name, SELL));
  const seller = names.slice(1).find((name) => name !== buyer && isFree(name, BUY));
  if (buyer !== undefined && seller !== undefined) return [buyer, seller];
  throw badRequest(
    "no two of the funded parties can trade with each other: all provide liquidity or have orders on both sides",
  );
}

function isProvider(context: DevnetContext, marketId: string, partyId: string): boolean {
  const answer = context.read<{ liquidityProvisions: { edges: { node: { status: string } }[] } }>(
    "/api/v2/liquidity/provisions",
    { marketId, partyId },
  );
  const over = new Set(["STATUS_REJECTED", "STATUS_STOPPED", "STATUS_CANCELLED"]);
  return (answer?.liquidityProvisions.edges ?? []).some(({ node }) => !over.has(node.status));
}

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
  const { id } = market;
  const [buyer, seller] = tradersOf(context, id);
  await keepFunded(context, market, [buyer, seller], at);
  const spread = at / 100n > 0n ? at / 100n : 1n;
  const size = contractOf(market);
  const quotes = (...prices: readonly Quote[]) =>
    sendTogether(
      context,
      prices
        .filter(([, , tick]) => tick > 0n)
        .map(([name, side, tick]): Sent => [party(name), { orderSubmission: orderOf(id, side, tick, size) }]),
    );
  // Keep an order on both sides at any time, or an auction would begin: the side that cannot trade goes first.
  const sides: readonly Quote[] = [
    [buyer, BUY, at - spread],
    [seller, SELL, at + spread],
  ];
  const outer = volumesBefore(context, id, at).bought > 0n ? sides : sides.toReversed();
  await quotes(...outer);
  if (!(await clearUpTo(context, market, at, [buyer, seller]))) {
    await holdMiddle(context, market, at, [buyer, seller]);
    await clearUpTo(context, market, at, [buyer, seller]);
  }
  const earlier = liveQuotes(context, id, [buyer, seller]);
  await quotes(...outer, [buyer, BUY, at], [seller, SELL, at]);
  const ended = [...liveQuotes(context, id, [buyer, seller])].filter(([orderId]) => earlier.has(orderId));
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

/**
 * Puts quotes next to the price on both sides: orders of a provision that follow the middle of the book are off the price then,
 * but follow any single quote. The side that they are in the way of takes all of them at once, and its rest stays.
 */
async function holdMiddle(
  context: DevnetContext,
  market: MarketNode,
  at: bigint,
  [buyer, seller]: readonly [string, string],
): Promise<void> {
  const { id } = market;
  const party = partiesOf(context);
  const below = [buyer, BUY, at - 1n] as const;
  const above = [seller, SELL, at + 1n] as const;
  const { sold } = volumesBefore(context, id, at);
  for (const [name, side, tick] of sold > 0n ? [above, below] : [below, above]) {
    if (tick <= 0n) continue;
    const inTheWay = volumesBefore(context, id, tick)[side === BUY ? "sold" : "bought"];
    const size = inTheWay + contractOf(market);
    await keepFunded(context, market, [name], at, size);
    await send(context, party(name), { orderSubmission: orderOf(id, side, tick, size) });
  }
}

interface Level {
  readonly price: string;
  readonly volume: string;
}

/** Live orders of parties, each with its party's name. */
function liveQuotes(
  context: DevnetContext,
  marketId: string,
  names: readonly string[],
): ReadonlyMap<string, string> {
  const party = partiesOf(context);
  const ofParty = (name: string) =>
    liveOrdersOf(context, marketId, party(name)).map(({ id }) => [id, name] as const);
  return new Map(names.flatMap(ofParty));
}

interface LiveOrder {
  readonly id: string;
  readonly side: string;
  readonly price: string;
  readonly liquidityProvisionId: string;
}

/** @returns those that a party sent itself, not the ones of its provision */
function liveOrdersOf(context: DevnetContext, marketId: string, party: string): LiveOrder[] {
  const answer = context.read<{ orders: { edges: { node: LiveOrder }[] } }>("/api/v2/orders", {
    "filter.partyIds": party,
    "filter.marketIds": marketId,
    "filter.liveOnly": "true",
  });
  return (answer?.orders.edges ?? []).map(({ node }) => node).filter((one) => !one.liquidityProvisionId);
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

/**
 * Trades with the orders of others that would trade before the price is reached. In an auction they trade at its end.
 * @returns whether none is left
 */
async function clearUpTo(
  context: DevnetContext,
  market: MarketNode,
  at: bigint,
  [buyer, seller]: readonly [string, string],
): Promise<boolean> {
  const party = partiesOf(context);
  const { id } = market;
  for (let sweep = 0; sweep < SWEEPS_MAX; sweep++) {
    if (marketOf(context, id).tradingMode !== "TRADING_MODE_CONTINUOUS") return true;
    const { sold, bought } = volumesBefore(context, id, at);
    if (sold === 0n && bought === 0n) return true;
    const [name, side, size] = sold > 0n ? ([buyer, BUY, sold] as const) : ([seller, SELL, bought] as const);
    await keepFunded(context, market, [name], at, size);
    const order = { ...orderOf(id, side, at, size), timeInForce: "TIME_IN_FORCE_IOC" };
    await send(context, party(name), { orderSubmission: order });
  }
  return false;
}

const TRADERS = ["carol", "dave", "erin", "frank"];
/** Orders of takers after each quote of the maker. A second passes then. */
const TAKERS = 8;

/**
 * `market/run`: a maker that quotes around a price which wanders, and takers who trade with it; the same seed gives the same
 * orders, trades and times between blocks. For that, the run makes its blocks itself, and the clock stands: else both would
 * depend on the machine, and margins, marks and closures on them. @param signal of a caller that goes away: nothing more is sent
 * @throws ApiError, ChainCallError
 */
export async function runMarket(
  context: DevnetContext,
  { orders = 100, seed = 1, ...body }: BodyOf<(typeof TOOLS)["market/run"]>,
  signal: AbortSignal,
): Promise<AnswerOf<(typeof TOOLS)["market/run"]>> {
  const { chain } = context;
  checkTrades(marketOf(context, body.market));
  const mode = await chain.blockMode();
  await chain.holdClock(true);
  await chain.setBlockMode({ kind: "manual" });
  try {
    return await trade(
      context,
      { orders, seed, ...body },
      mode.kind === "interval" ? mode : undefined,
      signal,
    );
  } finally {
    await chain.holdClock(false);
    // A mode that was set meanwhile stays.
    if ((await chain.blockMode()).kind === "manual") await chain.setBlockMode(mode);
  }
}

/** @param pace the clock's: a round of orders is then in one block, and the next one begins after this time */
async function trade(
  context: DevnetContext,
  { orders, seed, ...body }: Required<BodyOf<(typeof TOOLS)["market/run"]>>,
  pace: { readonly intervalMs: number } | undefined,
  signal: AbortSignal,
): Promise<AnswerOf<(typeof TOOLS)["market/run"]>> {
  const { chain } = context;
  const market = marketOf(context, body.market);
  let state = seed;
  // Numerical Recipes' linear congruential generator: enough for a crowd.
  const below = (end: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 4_294_967_296) * end);
  };
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
  const taker = (sides: ReadonlyMap<string, string>): Taking => {
    const name = TRADERS[below(TRADERS.length)]!;
    const side = sides.get(name)!;
    const away = BigInt(below(4) - 1) * step;
    const price = side === BUY ? middle - away : middle + away;
    return [party(name), { orderSubmission: orderOf(id, side, price, unit * BigInt(1 + below(3))) }];
  };
  let sent = 0;
  while (sent < orders && !signal.aborted) {
    if (sent > 0 && pace) await waitFor(pace.intervalMs, signal);
    middle += BigInt(below(5) - 2) * step;
    if (middle <= 5n * step) middle += 5n * step;
    await keepFunded(context, market, [BUYER, SELLER, ...TRADERS], middle);
    const sides = new Map(TRADERS.map((name) => [name, below(2) === 0 ? BUY : SELL]));
    const takers = Array.from({ length: Math.min(TAKERS, orders - sent) }, () => taker(sides));
    // In one block: a side of the book that is empty at its end begins an auction.
    const renewal = [
      ...crossedBy(context, id, takers),
      ...[BUYER, SELLER].map((name): Sent => [party(name), { orderCancellation: { marketId: id } }]),
      ...quotes(),
    ];
    if (pace) await sendAtOnce(context, [...renewal, ...takers]);
    else {
      await sendAtOnce(context, renewal);
      await sendTogether(context, takers);
    }
    sent += takers.length;
    await pass(chain, 1n);
  }
  await pass(chain, 2n);
  const { tradingMode } = marketOf(context, id);
  return { market: id, orders: sent, price: middle.toString(), markPrice: latest().toString(), tradingMode };
}

type Taking = readonly [party: string, command: { readonly orderSubmission: ReturnType<typeof orderOf> }];

/**
 * Cancellations of the takers' earlier orders that their new ones would meet: a party trades with itself at the end of an auction.
 * In an auction those of all earlier orders: what gathers there could be more than the market's liquidity is good for.
 */
function crossedBy(context: DevnetContext, marketId: string, takers: readonly Taking[]): Sent[] {
  const isAuction = marketOf(context, marketId).tradingMode !== "TRADING_MODE_CONTINUOUS";
  return TRADERS.map(partiesOf(context)).flatMap((party) => {
    const own = takers.filter(([taker]) => taker === party).map(([, { orderSubmission }]) => orderSubmission);
    const isCrossed = (order: LiveOrder) =>
      own.some(({ side, price }) => {
        if (side === order.side) return false;
        return side === BUY ? BigInt(order.price) <= BigInt(price) : BigInt(order.price) >= BigInt(price);
      });
    return liveOrdersOf(context, marketId, party)
      .filter((order) => isAuction || isCrossed(order))
      .map(({ id: orderId }): Sent => [party, { orderCancellation: { marketId, orderId } }]);
  });
}

/** The time between two rounds, for people who watch; it ends early for a caller that has gone away. */
async function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch(() => {});
}
