// Cases for orders and liquidity (docs/protocol/30-node-api-commands.md#412-orders-and-liquidity).
import {
  BYTES_100,
  BYTES_101,
  type CasesByKind,
  choiceCases,
  ID,
  identifierCases,
  requiredCase,
} from "./cases.ts";

const limit = {
  marketId: ID,
  price: "100",
  size: "1",
  side: "SIDE_BUY",
  timeInForce: "TIME_IN_FORCE_GTC",
  type: "TYPE_LIMIT",
};
const { price: _, ...unpriced } = limit;
const market = { ...unpriced, type: "TYPE_MARKET", timeInForce: "TIME_IN_FORCE_IOC" };
const peggedBuy = { ...unpriced, peggedOrder: { reference: "PEGGED_REFERENCE_MID", offset: "1" } };

const ORDER = "order_submission";
const shapeCases = (side: "buys" | "sells") => {
  const [own, other] = side === "buys" ? ["BEST_BID", "BEST_ASK"] : ["BEST_ASK", "BEST_BID"];
  const title = side === "buys" ? "buy side shape" : "sell shape";
  const property = `liquidity_provision_submission.${side}.#`;
  const wrong =
    side === "buys"
      ? "reference (order in buy side shape with best ask price reference)"
      : "offset (order in sell side shape with best bid price reference)";
  const entry = (member: string) => `${side}.0.${member}`;
  return [
    { rule: `${property}.reference (is not a valid value)`, broken: { [entry("reference")]: 99 } },
    { rule: `${property}.reference (order in shape without reference)`, broken: { [entry("reference")]: 0 } },
    {
      rule: `${property}.proportion (order in shape without a proportion)`,
      broken: { [entry("proportion")]: 0 },
    },
    { rule: `${property}.${wrong}`, broken: { [entry("reference")]: `PEGGED_REFERENCE_${other}` } },
    { rule: `${property}.offset (not a valid integer)`, broken: { [entry("offset")]: "1.5" } },
    {
      rule: `${property}.offset (order in ${title} offset must be >= 0)`,
      broken: { [entry("reference")]: `PEGGED_REFERENCE_${own}`, [entry("offset")]: "-1" },
      kept: { [entry("reference")]: `PEGGED_REFERENCE_${own}`, [entry("offset")]: "0" },
    },
    {
      rule: `${property}.offset (order in ${title} offset must be > 0)`,
      broken: { [entry("offset")]: "0" },
      kept: { [entry("offset")]: "+1" },
    },
  ];
};
const shapeEntry = { reference: "PEGGED_REFERENCE_MID", proportion: 1, offset: "1" };
const provision = {
  marketId: ID,
  commitmentAmount: "10",
  fee: "0.01",
  sells: [shapeEntry],
  buys: [shapeEntry],
};

export const orderCases: CasesByKind = {
  orderSubmission: {
    valid: { limit, market, peggedBuy },
    cases: [
      {
        rule: `${ORDER}.reference (reference is too long)`,
        broken: { reference: BYTES_101 },
        kept: { reference: BYTES_100 },
      },
      ...identifierCases(`${ORDER}.market_id`, "marketId"),
      ...choiceCases(`${ORDER}.side`, "side"),
      ...choiceCases(`${ORDER}.type`, "type"),
      { rule: `${ORDER}.type (is unauthorised)`, broken: { type: "TYPE_NETWORK" } },
      ...choiceCases(`${ORDER}.time_in_force`, "timeInForce"),
      { rule: `${ORDER}.size (must be positive)`, broken: { size: "0" } },
      {
        rule: `${ORDER}.expires_at (must be positive)`,
        broken: { timeInForce: "TIME_IN_FORCE_GTT", expiresAt: "-1" },
        kept: { timeInForce: "TIME_IN_FORCE_GTT", expiresAt: "1" },
      },
      {
        rule: `${ORDER}.expires_at (is only available when the time in force is of type GTT)`,
        broken: { expiresAt: "1" },
      },
      {
        rule: `${ORDER}.post_only (cannot be true at the same time as order_submission.reduce_only)`,
        broken: { postOnly: true, reduceOnly: true },
      },
      {
        rule: `${ORDER}.post_only (only valid for limit orders)`,
        on: "market",
        broken: { postOnly: true, timeInForce: "TIME_IN_FORCE_GTC" },
        text: `${ORDER}.post_only (only valid for limit orders), ${ORDER}.time_in_force (is expected to be of type FOK or IOC when order is of type MARKET)`,
      },
      {
        rule: `${ORDER}.post_only (only valid for persistent orders)`,
        broken: { postOnly: true, timeInForce: "TIME_IN_FORCE_FOK" },
        kept: { postOnly: true },
      },
      {
        rule: `${ORDER}.reduce_only (only valid for non-persistent orders)`,
        broken: { reduceOnly: true },
        kept: { reduceOnly: true, timeInForce: "TIME_IN_FORCE_IOC" },
      },
      {
        rule: `${ORDER}.reduce_only (cannot be pegged)`,
        on: "peggedBuy",
        broken: { reduceOnly: true },
        text: `${ORDER}.reduce_only (only valid for non-persistent orders, cannot be pegged)`,
      },
      ...choiceCases(`${ORDER}.pegged_order.reference`, "peggedOrder.reference", "peggedBuy"),
      {
        rule: `${ORDER}.type (is expected to be an order of type LIMIT when the order is pegged)`,
        on: "peggedBuy",
        broken: { type: "TYPE_MARKET" },
      },
      {
        rule: `${ORDER}.time_in_force (is expected to have a time in force of type GTT, GTC or GFN when the order is pegged)`,
        on: "peggedBuy",
        broken: { timeInForce: "TIME_IN_FORCE_GFA" },
        kept: { timeInForce: "TIME_IN_FORCE_GFN" },
      },
      {
        rule: `${ORDER}.pegged_order.reference (cannot have a reference of type BEST_ASK when on BUY side)`,
        on: "peggedBuy",
        broken: { "peggedOrder.reference": "PEGGED_REFERENCE_BEST_ASK" },
        kept: { "peggedOrder.reference": "PEGGED_REFERENCE_BEST_ASK", side: "SIDE_SELL" },
      },
      {
        rule: `${ORDER}.pegged_order.reference (cannot have a reference of type BEST_BID when on SELL side)`,
        on: "peggedBuy",
        broken: { "peggedOrder.reference": "PEGGED_REFERENCE_BEST_BID", side: "SIDE_SELL" },
        kept: { "peggedOrder.reference": "PEGGED_REFERENCE_BEST_BID" },
      },
      {
        rule: `${ORDER}.pegged_order.offset (not a valid integer)`,
        on: "peggedBuy",
        broken: { "peggedOrder.offset": "" },
        kept: { "peggedOrder.offset": "+7" },
      },
      {
        rule: `${ORDER}.pegged_order.offset (must be positive or zero)`,
        on: "peggedBuy",
        broken: { "peggedOrder.reference": "PEGGED_REFERENCE_BEST_BID", "peggedOrder.offset": "-1" },
        kept: { "peggedOrder.reference": "PEGGED_REFERENCE_BEST_BID", "peggedOrder.offset": "0" },
      },
      {
        rule: `${ORDER}.pegged_order.offset (must be positive)`,
        on: "peggedBuy",
        broken: { "peggedOrder.offset": "0", side: "SIDE_SELL" },
        kept: { side: "SIDE_SELL", price: "no price is looked at" },
      },
      {
        rule: `${ORDER}.price (is unavailable when the order is of type MARKET)`,
        on: "market",
        broken: { price: "1" },
      },
      {
        rule: `${ORDER}.time_in_force (is expected to be of type FOK or IOC when order is of type MARKET)`,
        on: "market",
        broken: { timeInForce: "TIME_IN_FORCE_GTC" },
        kept: { timeInForce: "TIME_IN_FORCE_FOK" },
      },
      { rule: `${ORDER}.price (is required when the order is of type LIMIT)`, broken: { price: "" } },
      {
        rule: `${ORDER}.price (not a valid integer)`,
        broken: { price: "1e3" },
        kept: { price: "9".repeat(90) },
      },
      {
        rule: `${ORDER}.price (must be positive when the order is of type LIMIT)`,
        broken: { price: "-00" },
        kept: { price: "+001" },
      },
    ],
  },
  orderCancellation: {
    valid: { all: {}, one: { orderId: ID, marketId: ID }, odd: { orderId: "x" } },
    cases: [],
  },
  orderAmendment: {
    valid: { price: { orderId: ID, marketId: ID, price: "5" } },
    cases: [
      ...identifierCases("order_amendment.order_id", "orderId"),
      ...identifierCases("order_amendment.market_id", "marketId"),
      {
        rule: "order_amendment.time_in_force (cannot amend to time in force GFA)",
        broken: { timeInForce: "TIME_IN_FORCE_GFA" },
      },
      {
        rule: "order_amendment.time_in_force (cannot amend to time in force GFN)",
        broken: { timeInForce: "TIME_IN_FORCE_GFN" },
        kept: { timeInForce: "TIME_IN_FORCE_GTC" },
      },
      { rule: "order_amendment.price (not a valid integer)", broken: { price: "" }, kept: { price: "10" } },
      { rule: "order_amendment.price (is required)", broken: { price: "0" }, kept: { price: "1" } },
      {
        rule: "order_amendment.time_in_force (GTT order without expiry)",
        broken: { timeInForce: "TIME_IN_FORCE_GTT" },
        kept: { timeInForce: "TIME_IN_FORCE_GTT", expiresAt: "0" },
      },
      { rule: "order_amendment.time_in_force (is not a valid value)", broken: { timeInForce: 77 } },
      { rule: "order_amendment.pegged_reference (is not a valid value)", broken: { peggedReference: 77 } },
      {
        rule: "order_amendment.expires_at (non GTT order with expiry)",
        broken: { expiresAt: "1", timeInForce: "TIME_IN_FORCE_GTC" },
        kept: { expiresAt: "1" },
      },
      { rule: "order_amendment.pegged_offset (not a valid integer)", broken: { peggedOffset: "1.0" } },
      {
        rule: "order_amendment.pegged_offset (must be positive)",
        broken: { peggedOffset: "0" },
        kept: { peggedOffset: "1" },
      },
      {
        rule: "* (order_amendment does not amend anything)",
        broken: { price: undefined, expiresAt: "-1" },
        kept: { price: undefined, sizeDelta: "-1" },
      },
    ],
  },
  batchMarketInstructions: {
    valid: { one: { cancellations: [{}] }, unread: { submissions: [{}] } },
    cases: [
      {
        rule: "batch_market_instructions (empty batch market instructions)",
        broken: { cancellations: [] },
        kept: { cancellations: [], amendments: [{}] },
      },
    ],
  },
  liquidityProvisionSubmission: {
    valid: { provision },
    cases: [
      ...identifierCases("liquidity_provision_submission.market_id", "marketId"),
      {
        rule: "liquidity_provision_submission.reference (reference is too long)",
        broken: { reference: BYTES_101 },
        kept: { reference: BYTES_100 },
      },
      {
        // Nothing after it is looked at.
        rule: "liquidity_provision_submission.commitment_amount (is not a valid number)",
        broken: { commitmentAmount: "0", fee: "", buys: [] },
        kept: { commitmentAmount: "1" },
      },
      requiredCase("liquidity_provision_submission.commitment_amount", "commitmentAmount"),
      {
        rule: "liquidity_provision_submission.commitment_amount (not a valid integer)",
        broken: { commitmentAmount: "ten" },
      },
      requiredCase("liquidity_provision_submission.fee", "fee"),
      {
        rule: "liquidity_provision_submission.fee (is not a valid value)",
        broken: { fee: "1e400" },
        kept: { fee: "1_000" },
      },
      {
        rule: "liquidity_provision_submission.fee (must be positive)",
        broken: { fee: "-0.1" },
        kept: { fee: "0" },
      },
      { rule: "liquidity_provision_submission.buys (empty shape)", broken: { buys: [] } },
      { rule: "liquidity_provision_submission.sells (empty shape)", broken: { sells: [] } },
      ...shapeCases("buys"),
      ...shapeCases("sells"),
    ],
  },
  liquidityProvisionAmendment: {
    valid: {
      fee: { marketId: ID, fee: "0.2" },
      shapes: { marketId: "any", buys: [shapeEntry], sells: [shapeEntry] },
    },
    cases: [
      { ...requiredCase("liquidity_provision_amendment.market_id", "marketId"), kept: { marketId: "no id" } },
      {
        rule: "liquidity_provision_amendment (is required)",
        broken: { fee: "" },
        kept: { fee: "", commitmentAmount: "nothing looks at it" },
      },
      {
        rule: "liquidity_provision_amendment.reference (reference is too long)",
        broken: { reference: BYTES_101 },
        kept: { reference: BYTES_100 },
      },
      ...[...shapeCases("buys"), ...shapeCases("sells")].map((row) => ({ ...row, on: "shapes" })),
    ],
  },
  liquidityProvisionCancellation: {
    valid: { one: { marketId: ID } },
    cases: identifierCases("liquidity_provision_cancellation.market_id", "marketId"),
  },
};
