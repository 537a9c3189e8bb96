// Words for commands of markets: orders and liquidity. Prices and sizes are whole numbers in the market's decimals;
// where a node does not say them, the numbers are shown as they are, and said to be.
import type { Init } from "../../wire/codec.ts";
import type { OrderAmendment, OrderCancellation, OrderSubmission } from "../../wire/generated/commands.ts";
import type { MarketFacts } from "../sending/nodes.ts";
import { commitmentText, exactCommitmentText, type MarketBook, priceText, sizeText } from "./amounts.ts";
import { named } from "./plain-text.ts";
import {
  type Describe,
  enumWord,
  type Line,
  line,
  said,
  timeWord,
  WORD_LINES_MAX,
  words,
} from "./words-helpers.ts";

const UNITS = "prices and sizes are in the market's smallest units";
/** Said where the decimals of a market are not known. */
const unitsOf = (ids: readonly (string | undefined)[], markets: MarketBook): string[] =>
  ids.every((id) => markets(id ?? "") !== undefined) ? [] : [UNITS];
/** The market, and what its instrument is called. */
const marketLine = (id: string | undefined, market: MarketFacts | undefined) =>
  line("market", market?.code ? `${id} ${named(market.code)}` : id);
const side = (value: number | undefined) => enumWord("vega.Side", value, "SIDE_");
const SIDE_BUY = 1;
const SIDE_SELL = 2;
const orderType = (value: number | undefined) => enumWord("vega.Order.Type", value, "TYPE_");

function orderTitle(
  { side: which, size = 0n, price = "", type, peggedOrder }: Init<OrderSubmission>,
  market: MarketFacts | undefined,
): string {
  const beside = which === SIDE_BUY ? "below" : which === SIDE_SELL ? "above" : "from";
  const at = peggedOrder
    ? `at ${priceText(peggedOrder.offset ?? "0", market)} ${beside} ${enumWord("vega.PeggedReference", peggedOrder.reference, "PEGGED_REFERENCE_")}`
    : price === ""
      ? "at the market's price"
      : `at ${priceText(price, market)}`;
  const verb = { buy: "Buy", sell: "Sell" }[side(which)] ?? `Order (${side(which)})`;
  return `${verb} ${sizeText(String(size), market)} ${at} (${orderType(type)} order)`;
}

const orderSubmission: Describe<"orderSubmission"> = (order, { markets }) => {
  const market = markets(order.marketId ?? "");
  return words(
    `${orderTitle(order, market)} on market ${named(order.marketId ?? "")}`,
    [
      marketLine(order.marketId, market),
      line("side", side(order.side)),
      line("size", order.size === undefined ? undefined : sizeText(String(order.size), market)),
      line("price", order.price && priceText(order.price, market)),
      line("time in force", enumWord("vega.Order.TimeInForce", order.timeInForce, "TIME_IN_FORCE_")),
      line("expires", timeWord(order.expiresAt, "ns")),
      order.postOnly ? line("post only", "yes") : undefined,
      order.reduceOnly ? line("reduce only", "yes") : undefined,
      said("reference", order.reference),
    ],
    unitsOf([order.marketId], markets),
  );
};

const cancellationTitle = ({ orderId, marketId }: Init<OrderCancellation>): string => {
  if (orderId) return `Cancel the order ${named(orderId)}`;
  return marketId ? `Cancel all orders on market ${named(marketId)}` : "Cancel all orders on all markets";
};

const orderCancellation: Describe<"orderCancellation"> = (cancellation) =>
  words(cancellationTitle(cancellation), [
    line("order", cancellation.orderId),
    line("market", cancellation.marketId),
  ]);

const amendmentLines = (
  amendment: Init<OrderAmendment>,
  market: MarketFacts | undefined,
): (Line | undefined)[] => [
  line("order", amendment.orderId),
  marketLine(amendment.marketId, market),
  line("new price", amendment.price && priceText(amendment.price, market)),
  amendment.sizeDelta ? line("size changes by", sizeText(String(amendment.sizeDelta), market)) : undefined,
  line("expires", timeWord(amendment.expiresAt, "ns")),
  amendment.timeInForce
    ? line("time in force", enumWord("vega.Order.TimeInForce", amendment.timeInForce, "TIME_IN_FORCE_"))
    : undefined,
  line("pegged offset", amendment.peggedOffset && priceText(amendment.peggedOffset, market)),
];

const orderAmendment: Describe<"orderAmendment"> = (amendment, { markets }) =>
  words(
    `Change the order ${named(amendment.orderId ?? "")}`,
    amendmentLines(amendment, markets(amendment.marketId ?? "")),
    unitsOf([amendment.marketId], markets),
  );

const batchMarketInstructions: Describe<"batchMarketInstructions"> = (
  { cancellations = [], amendments = [], submissions = [] },
  { markets },
) => {
  const count = cancellations.length + amendments.length + submissions.length;
  let room = WORD_LINES_MAX;
  const some = <T>(list: readonly T[]): readonly T[] => {
    const taken = list.slice(0, room);
    room -= taken.length;
    return taken;
  };
  const told = words(
    `${count} instructions at once: ${cancellations.length} cancellations, ${amendments.length} changes, ${submissions.length} new orders`,
    [
      ...some(cancellations).map((one, at) => line(`cancellation ${at + 1}`, cancellationTitle(one))),
      ...some(amendments).map((one, at) =>
        line(
          `change ${at + 1}`,
          amendmentLines(one, markets(one.marketId ?? ""))
            .flatMap((part) => (part ? [`${part[0]} ${part[1]}`] : []))
            .join(", "),
        ),
      ),
      ...some(submissions).map((one, at) => {
        const market = markets(one.marketId ?? "");
        const code = market?.code ? ` ${named(market.code)}` : "";
        return line(`order ${at + 1}`, `${orderTitle(one, market)} on ${named(one.marketId ?? "")}${code}`);
      }),
    ],
    unitsOf(
      [...amendments, ...submissions].map(({ marketId }) => marketId),
      markets,
    ),
  );
  return count > WORD_LINES_MAX ? { ...told, left: count - WORD_LINES_MAX } : told;
};

const liquidityProvisionSubmission: Describe<"liquidityProvisionSubmission"> = (provision, context) => {
  const { marketId = "", commitmentAmount = "" } = provision;
  const market = context.markets(marketId);
  const what = commitmentText(commitmentAmount, market, context.assets);
  return words(`Provide liquidity to market ${named(marketId)}, committing ${what}`, [
    marketLine(marketId, market),
    line("commitment", exactCommitmentText(commitmentAmount, market, context.assets)),
    line("fee", provision.fee),
    line("buy orders", provision.buys?.length),
    line("sell orders", provision.sells?.length),
    said("reference", provision.reference),
  ]);
};

const liquidityProvisionAmendment: Describe<"liquidityProvisionAmendment"> = (provision, context) => {
  const { marketId = "", commitmentAmount = "" } = provision;
  const market = context.markets(marketId);
  const what = commitmentAmount === "" ? undefined : commitmentText(commitmentAmount, market, context.assets);
  const title = `Change your liquidity on market ${named(marketId)}`;
  return words(what === undefined ? title : `${title}, committing ${what}`, [
    marketLine(marketId, market),
    line("new commitment", what && exactCommitmentText(commitmentAmount, market, context.assets)),
    line("new fee", provision.fee),
    line("buy orders", provision.buys?.length || undefined),
    line("sell orders", provision.sells?.length || undefined),
    said("reference", provision.reference),
  ]);
};

const liquidityProvisionCancellation: Describe<"liquidityProvisionCancellation"> = ({ marketId = "" }) =>
  words(`Take your liquidity back from market ${named(marketId)}`, [line("market", marketId)]);

export const marketWords = {
  orderSubmission,
  orderCancellation,
  orderAmendment,
  batchMarketInstructions,
  liquidityProvisionSubmission,
  liquidityProvisionAmendment,
  liquidityProvisionCancellation,
};
