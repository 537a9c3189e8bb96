// lyra tx build order: an order as people say it, in the market's own decimals.

import type { LastBlock } from "../wallet/sending/blocks.ts";
import { HttpNode } from "../wallet/sending/http-node.ts";
import type { MarketFacts } from "../wallet/sending/nodes.ts";
import { inUnits } from "../wallet/units.ts";
import { OrderTimeInForce, OrderType, PeggedReference, Side } from "../wire/generated/vega.ts";
import { INT64_MAX } from "../wire/limits.ts";
import { timeNs } from "../wire/time-text.ts";
import type { CommandInit } from "../wire/transaction.ts";
import { command, type Flags, option, toggle, type ValuesOf } from "./command/command.ts";
import { usageError } from "./command/usage-error.ts";
import { NETWORK, NODE_URLS, OUT } from "./flags.ts";
import { DRAFT_FLAGS, writeDraft } from "./tx.ts";
import { hostsOf } from "./tx-online.ts";

const ORDER_FLAGS = {
  market: option("CODE|ID", "its code, or its identifier"),
  ...NODE_URLS,
  ...NETWORK,
  "price-decimals": option("N", "without a node; prices' decimals"),
  "size-decimals": option("N", "without a node; sizes' decimals: --size-decimals=-2"),
  tif: option("TIF", "gtc (of what rests), ioc (of market orders), gtt, fok, gfa, gfn"),
  expires: option("TIME", "such as 2030-01-01T00:00:00Z: good till then"),
  peg: option("TO", "mid, bid or ask, in place of a price"),
  offset: option("N", "with --peg: away from it"),
  "post-only": toggle("never take"),
  "reduce-only": toggle("never open"),
  reference: option("TEXT", "a note for the order"),
} as const satisfies Flags;

interface OrderInvocation {
  readonly values: OrderValues;
  /** Flags without their variables. */
  readonly typed: OrderValues;
}

type OrderValues = ValuesOf<typeof ORDER_FLAGS>;

/** The market's identifier, and how many decimals its prices and sizes have. */
type Decimals = Pick<MarketFacts, "decimals" | "positionDecimals"> & { readonly id: string };

const SIDES: Readonly<Record<string, number>> = { buy: Side.SIDE_BUY, sell: Side.SIDE_SELL };
const TIMES: Readonly<Record<string, number>> = {
  gtc: OrderTimeInForce.TIME_IN_FORCE_GTC,
  gtt: OrderTimeInForce.TIME_IN_FORCE_GTT,
  ioc: OrderTimeInForce.TIME_IN_FORCE_IOC,
  fok: OrderTimeInForce.TIME_IN_FORCE_FOK,
  gfa: OrderTimeInForce.TIME_IN_FORCE_GFA,
  gfn: OrderTimeInForce.TIME_IN_FORCE_GFN,
};
const PEGS: Readonly<Record<string, number>> = {
  mid: PeggedReference.PEGGED_REFERENCE_MID,
  bid: PeggedReference.PEGGED_REFERENCE_BEST_BID,
  ask: PeggedReference.PEGGED_REFERENCE_BEST_ASK,
};
const SIZE_AND_PRICE = /^(\d{1,40}(?:\.\d{1,40})?)(?:@(\d{1,80}(?:\.\d{1,40})?))?$/;
const NUMBER = /^\d{1,80}(?:\.\d{1,40})?$/;
/** Bits of a size and of a price on the wire. */
const SIZE_BITS = 64n;
const PRICE_BITS = 256n;
const ID = /^[0-9a-f]{64}$/;
const DECIMALS = /^-?\d{1,2}$/;
const wrong = (message: string) => usageError("tx build order", message);
const unitsOf = (text: string, decimals: number, one: string, bits: bigint) =>
  inUnits(text, { decimals, subject: `the market's ${one}s`, one, bits }, wrong);
const ORDER_USAGE = "an order is: buy SIZE@PRICE, or sell SIZE for a market order";

export const buildOrder = command({
  words: {
    SIDE: { text: "buy or sell", choices: ["buy", "sell"] },
    "SIZE[@PRICE]": { text: "a limit order: 5@100.2; SIZE alone is a market order" },
  },
  usage: ["buy|sell SIZE[@PRICE] --market CODE|ID [flags]"],
  flags: { ...ORDER_FLAGS, ...DRAFT_FLAGS, ...OUT },
  notes: "  Prints what lyra tx sign takes.",
  json: "as `tx build`",
  wrongWords: () => ORDER_USAGE,
  async run({ words, values, typed }) {
    const { command, block } = await orderOf(words.SIDE, words["SIZE[@PRICE]"], { values, typed });
    return writeDraft({ kind: "command", command, block }, values);
  },
});

/**
 * @param which buy or sell
 * @param amount `5@100.2`, or without a price for a market order
 * @returns the command, and the node's last block where a node was asked
 * @throws NodeError for what cannot be an order of the market
 */
async function orderOf(
  which: string,
  amount: string,
  { values, typed }: OrderInvocation,
): Promise<{ readonly command: CommandInit; readonly block: LastBlock | undefined }> {
  const side = SIDES[which];
  const [, size, price] = SIZE_AND_PRICE.exec(amount) ?? [];
  if (side === undefined || size === undefined) throw wrong(ORDER_USAGE);
  if (values.market === undefined) throw wrong("say --market ID, or its code with --node-url URL");
  const { decimals, block } = await decimalsOf(values.market, values, typed);
  const payload = {
    marketId: decimals.id,
    side,
    size: BigInt(unitsOf(size, decimals.positionDecimals, "size", SIZE_BITS)),
    ...kindOf(values, price, decimals),
    ...lifeOf(values, price !== undefined || values.peg !== undefined),
    postOnly: values["post-only"] === true,
    reduceOnly: values["reduce-only"] === true,
    reference: values.reference ?? "",
  };
  return { command: { kind: "orderSubmission", payload }, block };
}

/** Limit, pegged or market order. */
function kindOf(values: OrderValues, price: string | undefined, { decimals }: Decimals) {
  const { peg, offset } = values;
  if (peg === undefined) {
    if (offset !== undefined) throw wrong("--offset goes with --peg");
    if (price === undefined) return { type: OrderType.TYPE_MARKET, price: "" };
    return { type: OrderType.TYPE_LIMIT, price: unitsOf(price, decimals, "price", PRICE_BITS) };
  }
  const reference = PEGS[peg];
  if (reference === undefined) throw wrong("--peg is mid, bid or ask");
  if (price !== undefined) throw wrong("a pegged order has no price: say --offset");
  if (offset !== undefined && !NUMBER.test(offset))
    throw wrong("--offset is a number such as 0.5, in the direction away from the peg");
  const peggedOrder = { reference, offset: unitsOf(offset ?? "0", decimals, "offset", PRICE_BITS) };
  return { type: OrderType.TYPE_LIMIT, price: "", peggedOrder };
}

function lifeOf({ tif, expires }: OrderValues, rests: boolean) {
  const text = tif ?? (expires !== undefined ? "gtt" : rests ? "gtc" : "ioc");
  const timeInForce = TIMES[text];
  if (timeInForce === undefined) throw wrong(`--tif is ${Object.keys(TIMES).join(", ")}`);
  if (expires === undefined) {
    if (text === "gtt") throw wrong("an order good till a time needs --expires TIME");
    return { timeInForce, expiresAt: 0n };
  }
  if (text !== "gtt") throw wrong("--expires goes with --tif gtt");
  const expiresAt = timeNs(expires);
  if (expiresAt === undefined || expiresAt <= 0n || expiresAt > INT64_MAX)
    throw wrong("--expires is a time such as 2030-12-31T12:00:00Z, up to the year 2262");
  return { timeInForce, expiresAt };
}

async function decimalsOf(
  market: string,
  values: OrderValues,
  typed: OrderValues,
): Promise<{ readonly decimals: Decimals; readonly block: LastBlock | undefined }> {
  const ofPrices = values["price-decimals"];
  const ofSizes = values["size-decimals"];
  if (ofPrices !== undefined || ofSizes !== undefined) {
    if (ofPrices === undefined || ofSizes === undefined)
      throw wrong("say both --price-decimals and --size-decimals, or --node-url URL");
    if (!ID.test(market)) throw wrong("without a node --market is 64 hexadecimal digits");
    if (!DECIMALS.test(ofPrices) || !DECIMALS.test(ofSizes))
      throw wrong("--price-decimals and --size-decimals are whole numbers");
    const decimals = { id: market, decimals: Number(ofPrices), positionDecimals: Number(ofSizes) };
    return { decimals, block: undefined };
  }
  const node = new HttpNode(hostsOf(values, typed)[0]!);
  const [markets, block] = await Promise.all([node.markets(), node.lastBlock()]);
  const matching = markets.filter(({ id, code }) => id === market || code === market);
  if (matching.length > 1) {
    const ids = matching.slice(0, 5).map(({ id }) => id);
    throw wrong(
      `${matching.length} markets have this code: say --market with the identifier (${ids.join(", ")})`,
    );
  }
  const [decimals] = matching;
  if (decimals === undefined) {
    const codes = [...new Set(markets.map(({ code }) => code))].slice(0, 10).join(", ");
    const choices = codes === "" ? "the node has none" : `the node's markets are ${codes}`;
    throw wrong(`there is no market '${market.slice(0, 64)}': ${choices}`);
  }
  return { decimals, block };
}
