// Words for commands of markets: orders and liquidity. Prices and sizes are whole numbers in the market's decimals,
// which a wallet does not know: they are shown as they are, and said to be.
import type { Init } from "../../wire/codec.ts";
import type { OrderAmendment, OrderCancellation, OrderSubmission } from "../../wire/generated/commands.ts";
import { named } from "./plain-text.ts";
import type { Line, Tell } from "./words.ts";
import { enumWord, line, said, timeWord, words } from "./words-helpers.ts";

const UNITS = "prices and sizes are in the market's smallest units";
const side = (value: number | undefined) => enumWord("vega.Side", value, "SIDE_");
const SIDE_BUY = 1;
const SIDE_SELL = 2;
const orderType = (value: number | undefined) => enumWord("vega.Order.Type", value, "TYPE_");

function orderTitle({
  side: which,
  size = 0n,
  price = "",
  type,
  peggedOrder,
}: Init<OrderSubmission>): string {
  const beside = which === SIDE_BUY ? "below" : which === SIDE_SELL ? "above" : "from";
  const at = peggedOrder
    ? `at ${named(peggedOrder.offset ?? "0")} ${beside} ${enumWord("vega.PeggedReference", peggedOrder.reference, "PEGGED_REFERENCE_")}`
    : price === ""
      ? "at the market's price"
      : `at ${named(price)}`;
  const verb = { buy: "Buy", sell: "Sell" }[side(which)] ?? `Order (${side(which)})`;
  return `${verb} ${size} ${at} (${orderType(type)} order)`;
}

const orderSubmission: Tell<"orderSubmission"> = (order) =>
  words(
    `${orderTitle(order)} on market ${named(order.marketId ?? "")}`,
    [
      line("market", order.marketId),
      line("side", side(order.side)),
      line("size", order.size),
      line("price", order.price),
      line("time in force", enumWord("vega.Order.TimeInForce", order.timeInForce, "TIME_IN_FORCE_")),
      line("expires", timeWord(order.expiresAt, "ns")),
      order.postOnly ? line("post only", "yes") : undefined,
      order.reduceOnly ? line("reduce only", "yes") : undefined,
      said("reference", order.reference),
    ],
    [UNITS],
  );

const cancellationTitle = ({ orderId, marketId }: Init<OrderCancellation>): string => {
  if (orderId) return `Cancel the order ${named(orderId)}`;
  return marketId ? `Cancel all orders on market ${named(marketId)}` : "Cancel all orders on all markets";
};

const orderCancellation: Tell<"orderCancellation"> = (cancellation) =>
  words(cancellationTitle(cancellation), [
    line("order", cancellation.orderId),
    line("market", cancellation.marketId),
  ]);

const amendmentLines = (amendment: Init<OrderAmendment>): (Line | undefined)[] => [
  line("order", amendment.orderId),
  line("market", amendment.marketId),
  line("new price", amendment.price),
  amendment.sizeDelta ? line("size changes by", amendment.sizeDelta) : undefined,
  line("expires", timeWord(amendment.expiresAt, "ns")),
  amendment.timeInForce
    ? line("time in force", enumWord("vega.Order.TimeInForce", amendment.timeInForce, "TIME_IN_FORCE_"))
    : undefined,
  line("pegged offset", amendment.peggedOffset),
];

const orderAmendment: Tell<"orderAmendment"> = (amendment) =>
  words(`Change the order ${named(amendment.orderId ?? "")}`, amendmentLines(amendment), [UNITS]);

const batchMarketInstructions: Tell<"batchMarketInstructions"> = ({
  cancellations = [],
  amendments = [],
  submissions = [],
}) =>
  words(
    `${cancellations.length + amendments.length + submissions.length} instructions at once: ${cancellations.length} cancellations, ${amendments.length} changes, ${submissions.length} new orders`,
    [
      ...cancellations.map((one, at) => line(`cancellation ${at + 1}`, cancellationTitle(one))),
      ...amendments.map((one, at) =>
        line(
          `change ${at + 1}`,
          amendmentLines(one)
            .flatMap((part) => (part ? [`${part[0]} ${part[1]}`] : []))
            .join(", "),
        ),
      ),
      ...submissions.map((one, at) =>
        line(`order ${at + 1}`, `${orderTitle(one)} on ${named(one.marketId ?? "")}`),
      ),
    ],
    [UNITS],
  );

const COMMITMENT = "of the settlement asset's smallest unit";

const liquidityProvisionSubmission: Tell<"liquidityProvisionSubmission"> = (provision) =>
  words(`Provide liquidity to market ${named(provision.marketId ?? "")}`, [
    line("market", provision.marketId),
    line("commitment", `${provision.commitmentAmount ?? ""} ${COMMITMENT}`),
    line("fee", provision.fee),
    line("buy orders", provision.buys?.length),
    line("sell orders", provision.sells?.length),
    said("reference", provision.reference),
  ]);

const liquidityProvisionAmendment: Tell<"liquidityProvisionAmendment"> = (provision) =>
  words(`Change your liquidity on market ${named(provision.marketId ?? "")}`, [
    line("market", provision.marketId),
    provision.commitmentAmount
      ? line("new commitment", `${provision.commitmentAmount} ${COMMITMENT}`)
      : undefined,
    line("new fee", provision.fee),
    said("reference", provision.reference),
  ]);

const liquidityProvisionCancellation: Tell<"liquidityProvisionCancellation"> = ({ marketId = "" }) =>
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
