// Events of the exported tables with every field set to something unusual that is legal: all spellings of
// identifiers, amounts of 256 bits, every enum value, times before 1970 and of the last nanosecond, long and awkward
// texts. Driven by the schema, so that no field is forgotten.
import fc from "fast-check";
import { enumDescriptor, type FieldDescriptor, messageDescriptor } from "../../src/wire/descriptors.ts";
import { StreamMaker } from "../rig/stream.ts";
import type { ModelBlock, ModelEvent } from "./csv-model/model.ts";

// biome-ignore lint/suspicious/noExplicitAny: messages of many types
type Any = any;

const UNKNOWN_ENUM = 1234;
const hex64 = (first: string) => first.padEnd(64, "0");
const MAX_256 = (2n ** 256n - 1n).toString();

/** Words, short ones, ones that share a prefix, none at all; in either case. */
const IDS = [
  "VOTE",
  "network",
  "XYZalpha",
  "fUSDC",
  "ab",
  "AB01",
  hex64("51abcdefabcd7"),
  hex64("51abcdefabcd2"),
  hex64("51ABCDEFABCDC"),
  hex64("deadBEEF"),
  "f".repeat(64),
  "0".repeat(64),
  "c4".repeat(40),
];
const AMOUNTS = ["", "0", "1", "00007", "9223372036854775807", "9223372036854775808", MAX_256];
const NUMBERS = [
  ...AMOUNTS,
  "12.5",
  "-12.5",
  "-0.4",
  "0.5",
  "2.50",
  "-0",
  "1e3",
  "25E-1",
  "0.1234567890123456789",
  "-0.00000000000000005",
  "9".repeat(90),
];
const PRICES = ["", "0", "1", "3", "7", "1000", "12345678901234567890123456789"];
const FLOATS = [
  "",
  "0",
  "100",
  "62.5",
  "33.333333333333336",
  "0.0001",
  "0.00001",
  "1e-7",
  "999999999999999",
  "1000000000000000",
  "123456789012345678",
  "-2.5",
];
const TEXTS = [
  "",
  "plain",
  " padded ",
  "a,b",
  'say "hi"',
  '"',
  "two\nlines",
  "cr\rhere",
  "crlf\r\nboth",
  "naïve ✓ 𝄞 \u2028 \ufeff",
  "\u0001\u001b[31m\u007f\t\b\f",
  "<a href='x'>&amp;</a>",
  "\\x00\\.",
  "null",
  "x,".repeat(40_000),
];
const TIMES = [
  0n,
  1n,
  -1n,
  999n,
  -1001n,
  1_659_430_800_000_001_999n,
  1_683_018_930_120_000_000n,
  -6_795_364_573_871_345_152n,
  2n ** 63n - 1n,
  -(2n ** 63n),
];
const UINT64 = [0n, 1n, 2n ** 53n + 1n, 2n ** 63n - 1n];
const INT64 = [...UINT64, -1n, -(2n ** 63n)];
const DOUBLES = [0, -0, 1, 1.1, -1.5, 1e21, 1e-7, 1.7976931348623157e308, 5e-324, 123456789.125];

const ID_FIELDS = new Set([
  ...[
    "id",
    "owner",
    "asset",
    "assetId",
    "market",
    "marketId",
    "party",
    "partyId",
    "nodeId",
    "buyer",
    "seller",
  ],
  ...[
    "buyOrder",
    "sellOrder",
    "liquidityProvisionId",
    "orderIds",
    "parties",
    "distressedParties",
    "safeParties",
  ],
]);
/** Fields that are not identifiers although they are called so. */
const TEXT_IDS = new Set(["vega.Instrument.id", "vega.LiquidityProviderFeeShare.party"]);
const AMOUNT_FIELDS = new Set([
  ...["vega.Account.balance", "vega.LedgerEntry.amount", "vega.LedgerEntry.fromAccountBalance"],
  ...[
    "vega.LedgerEntry.toAccountBalance",
    "vega.Deposit.amount",
    "vega.Withdrawal.amount",
    "vega.Order.price",
  ],
  ...["vega.LiquidityProvision.commitmentAmount", "vega.events.v1.DelegationBalanceEvent.amount"],
  "vega.events.v1.RewardPayoutEvent.amount",
]);
/** Texts that stay texts in the tables. */
const TEXT_FIELDS = new Set([
  ...["reference", "ref", "txHash", "rewardType", "hash", "blockHash", "receiverAddress", "marketValueProxy"],
  ...["lpPriceRange", "code", "name", "tags", "quoteName", "settlementAsset", "orderId", "minValidPrice"],
  ...["maxValidPrice", "referencePrice", "equityLikeShare", "averageEntryValuation", "averageScore"],
  ...["triggeringRatio", "internalTimeIndicator", "settlementDataProperty", "tradingTerminationProperty"],
]);
const TIME_FIELDS = new Set([
  ...["createdAt", "updatedAt", "expiresAt", "timestamp", "creditedTimestamp", "createdTimestamp"],
  ...["withdrawnTimestamp", "nextMarkToMarket", "proposed", "pending", "open", "close"],
]);
/** Microseconds are kept as numbers in some columns: exact up to the year 2255. */
const EXACT_TIMES = TIMES.filter((ns) => ns / 1000n < 2n ** 53n && ns / 1000n > -(2n ** 53n));
/** Few, so that events of expired orders find orders, those that their own block has changed too. */
const MARKETS_OF_ORDERS = IDS.slice(-4, -2);
const ORDERS = IDS.slice(-8);
/** Values of their own, by message and field. */
const SPECIAL: Readonly<Record<string, fc.Arbitrary<Any>>> = {
  "vega.Account.owner": fc.constantFrom("*", "", ...IDS.slice(1, 8)),
  "vega.Account.marketId": fc.constantFrom("!", ...IDS),
  "vega.AccountDetails.owner": fc.constantFrom("*", "", ...IDS),
  "vega.AccountDetails.marketId": fc.constantFrom("!", "", ...IDS),
  "vega.events.v1.RewardPayoutEvent.market": fc.constantFrom("!", "", ...IDS),
  "vega.events.v1.RewardPayoutEvent.percentOfTotalReward": fc.constantFrom(...FLOATS),
  "vega.events.v1.RewardPayoutEvent.epochSeq": fc.constantFrom("0", "741", "9007199254740991"),
  "vega.events.v1.DelegationBalanceEvent.epochSeq": fc.constantFrom("0", "118", "9007199254740991"),
  "vega.Market.decimalPlaces": fc.constantFrom(0n, 5n, 2n ** 31n - 1n),
  "vega.Market.positionDecimalPlaces": fc.constantFrom(0n, 3n, -3n),
  // Most orders can trade, so that some expire.
  "vega.Order.status": fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(1, 8) },
    { weight: 1, arbitrary: fc.constantFrom(0, 2, 3, 4, 5, 6, 7, UNKNOWN_ENUM) },
  ),
  "vega.Order.id": fc.constantFrom(...ORDERS),
  "vega.events.v1.ExpiredOrders.orderIds": fc.constantFrom(...ORDERS),
  "vega.Order.marketId": fc.constantFrom(...MARKETS_OF_ORDERS),
  "vega.events.v1.ExpiredOrders.marketId": fc.constantFrom(...MARKETS_OF_ORDERS),
  "vega.Order.type": fc.constantFrom(1, 1, 1, 1, 0, 2, 3, UNKNOWN_ENUM),
  "vega.Order.version": fc.constantFrom(1n, 2n, 2n ** 31n - 1n),
  "vega.Order.batchId": fc.constantFrom(0n, 3n, 2n ** 31n - 1n),
  "vega.LedgerEntry.timestamp": fc.constantFrom(...EXACT_TIMES),
  // Members that are multiplied with prices.
  "vega.Trade.price": fc.constantFrom(...PRICES),
  "vega.Trade.size": fc.constantFrom(1n, 2n, 5n, 1_000_003n),
  "vega.events.v1.SettlePosition.price": fc.constantFrom(...PRICES),
  "vega.events.v1.SettlePosition.positionFactor": fc.constantFrom("1", "1000", "0.001"),
  "vega.events.v1.SettleMarket.price": fc.constantFrom(...PRICES),
  "vega.events.v1.SettleMarket.positionFactor": fc.constantFrom("1", "1000", "0.001"),
  "vega.events.v1.TradeSettlement.size": fc.constantFrom(1n, -2n, 5n, -1_000_003n),
  "vega.events.v1.TradeSettlement.price": fc.constantFrom(...PRICES),
  "vega.events.v1.TradeSettlement.marketPrice": fc.constantFrom(...PRICES),
  "vega.events.v1.SettleDistressed.margin": fc.constantFrom("0", "17", MAX_256),
  "vega.events.v1.LossSocialization.amount": fc.constantFrom("0", "3", "-5", `-${MAX_256}`),
};
/** Columns that know their labels and no others (docs/protocol/20-network-history-tables.md#35-enum-labels). */
const LABELLED = new Set([
  ...["vega.Deposit.Status", "vega.Withdrawal.Status", "vega.LiquidityProvision.Status"],
  ...["vega.Market.TradingMode", "vega.Market.State", "vega.AuctionTrigger"],
]);
const DEPTH_MAX = 5;

function valuesOf(message: string, field: FieldDescriptor, depth: number): fc.Arbitrary<Any> {
  const special = SPECIAL[`${message}.${field.jsonName}`];
  if (special) return special;
  switch (field.kind) {
    case "message":
      return messageOf(field.typeName, depth + 1);
    case "enum": {
      const numbers = [...enumDescriptor(field.typeName).nameOf.keys()];
      return fc.constantFrom(...numbers, ...(LABELLED.has(field.typeName) ? [] : [UNKNOWN_ENUM]));
    }
    case "bool":
      return fc.boolean();
    case "double":
      return fc.constantFrom(...DOUBLES);
    case "int32":
      return fc.constantFrom(0, 1, -1, -(2 ** 31), 2 ** 31 - 1);
    case "uint32":
      return fc.constantFrom(0, 1, 2 ** 32 - 1);
    case "int64":
      return fc.constantFrom(...(TIME_FIELDS.has(field.jsonName) ? TIMES : INT64));
    case "uint64":
      return fc.constantFrom(...UINT64);
    case "string":
      return textOf(message, field.jsonName);
    default:
      throw new Error(`no values for ${message}.${field.name}`);
  }
}

function textOf(message: string, name: string): fc.Arbitrary<string> {
  const path = `${message}.${name}`;
  if (ID_FIELDS.has(name) && !TEXT_IDS.has(path)) return fc.constantFrom(...IDS);
  if (AMOUNT_FIELDS.has(path)) return fc.constantFrom(...AMOUNTS);
  const isText = TEXT_FIELDS.has(name) || TEXT_IDS.has(path) || !isExported(message);
  // The long ones are long: not too many.
  if (isText)
    return fc.oneof(
      { weight: 30, arbitrary: fc.constantFrom(...TEXTS.slice(0, -1)) },
      { weight: 1, arbitrary: fc.constantFrom(...TEXTS) },
    );
  if (path === "vega.PriceMonitoringTrigger.probability")
    return fc.constantFrom("0.9999", "0.90", "1", "1e-3");
  return fc.constantFrom(...NUMBERS);
}

/** Oracle specs stand in an instrument as they came. */
function isExported(message: string): boolean {
  return !/DataSource|data\.v1|Signer|Filter|PropertyKey|Condition|PubKey/.test(message);
}

function messageOf(name: string, depth = 0): fc.Arbitrary<Any> {
  const { fields } = messageDescriptor(name);
  const record: Record<string, fc.Arbitrary<Any>> = {};
  const oneofs = new Map<string, FieldDescriptor[]>();
  for (const field of fields) {
    if (field.kind === "message" && depth >= DEPTH_MAX) continue;
    if (field.oneof !== "" && !field.oneof.startsWith("_")) {
      oneofs.set(field.oneof, [...(oneofs.get(field.oneof) ?? []), field]);
      continue;
    }
    const value = valuesOf(name, field, depth);
    if (field.repeated) record[field.jsonName] = fc.array(value, { maxLength: 3 });
    else record[field.jsonName] = canBeUnset(field) ? fc.option(value, { nil: undefined, freq: 6 }) : value;
  }
  const chosen = [...oneofs.values()].map((members) =>
    fc.option(
      fc.oneof(
        ...members.map((field) => valuesOf(name, field, depth).map((value) => ({ [field.jsonName]: value }))),
      ),
      { nil: {}, freq: 6 },
    ),
  );
  return fc
    .tuple(fc.record(record), ...chosen)
    .map(([fixed, ...members]) => Object.assign({}, fixed, ...members));
}

function canBeUnset(field: FieldDescriptor): boolean {
  return field.kind === "message" || field.oneof.startsWith("_");
}

/** Members of the bus event, their messages, and how many of them a block holds at the most. */
const KINDS: readonly (readonly [kind: string, message: string, most: number])[] = [
  ["account", "vega.Account", 6],
  ["ledgerMovements", "vega.events.v1.LedgerMovements", 3],
  ["deposit", "vega.Deposit", 4],
  ["withdrawal", "vega.Withdrawal", 4],
  ["rewardPayout", "vega.events.v1.RewardPayoutEvent", 4],
  ["delegationBalance", "vega.events.v1.DelegationBalanceEvent", 4],
  ["checkpoint", "vega.events.v1.CheckpointEvent", 3],
  ["marketCreated", "vega.Market", 2],
  ["marketUpdated", "vega.Market", 2],
  ["marketData", "vega.MarketData", 4],
  ["order", "vega.Order", 8],
  ["expiredOrders", "vega.events.v1.ExpiredOrders", 3],
  ["trade", "vega.Trade", 6],
  ["marginLevels", "vega.MarginLevels", 4],
  ["liquidityProvision", "vega.LiquidityProvision", 3],
  ["settlePosition", "vega.events.v1.SettlePosition", 4],
  ["lossSocialization", "vega.events.v1.LossSocialization", 2],
  ["settleDistressed", "vega.events.v1.SettleDistressed", 1],
  ["distressedOrders", "vega.events.v1.DistressedOrders", 1],
  ["distressedPositions", "vega.events.v1.DistressedPositions", 1],
  ["settleMarket", "vega.events.v1.SettleMarket", 1],
];

interface Made {
  readonly kind: string;
  readonly message: Any;
  readonly tx: string | undefined;
  readonly place: number;
}

const TX_HASHES = ["", "F1".repeat(32), "0a".repeat(32), "BEEF"];

const blockEvents = fc
  .tuple(
    ...KINDS.map(([kind, name, most]) =>
      fc.array(
        fc.record({
          kind: fc.constant(kind),
          message: messageOf(name),
          tx: fc.option(fc.constantFrom(...TX_HASHES), { nil: undefined }),
          place: fc.nat(1000),
        }),
        { maxLength: most, size: "max" },
      ),
    ),
  )
  .map((lists): Made[] => (lists.flat() as Made[]).sort((a, b) => a.place - b.place));

const START_NS = 1_659_430_800_000_001_000n;
const STEPS_NS = [1_000n, 5_000n, 1_500_000n, 60_000_000_000n, 90_000_001_999n];

/** A chain whose first height comes twice, at one time; `count` blocks behind them. */
export function oddChain(count: number): fc.Arbitrary<ModelBlock[]> {
  const block = fc.record({ events: blockEvents, stepNs: fc.constantFrom(...STEPS_NS) });
  return fc.array(block, { minLength: count + 2, maxLength: count + 2 }).map((blocks) => {
    let timeNs = START_NS;
    return blocks.map(({ events, stepNs }, i): ModelBlock => {
      // Genesis and block 1 share a time; so do blocks 3 and 4.
      if (i > 1 && i !== 4) timeNs += stepNs;
      const hash = (i + 1).toString(16).padStart(64, "A").toUpperCase();
      let seq = 2;
      const placed = events.map(({ kind, message, tx }): ModelEvent => {
        const event = { kind, message, seq, tx: tx ?? hash };
        seq += kind === "expiredOrders" ? Math.max(1, message.orderIds.length) : 1;
        return event;
      });
      return { height: Math.max(1, i), timeNs, hash, events: placed };
    });
  });
}

/** The event file of a chain. */
export function eventFile(blocks: readonly ModelBlock[]): Buffer {
  const stream = new StreamMaker("odd-chain");
  for (const { events, ...block } of blocks) {
    stream.begin(block);
    for (const { kind, message, seq, tx } of events)
      stream.event(block, seq, { txHash: tx, [kind]: message });
    stream.end(block);
  }
  return stream.bytes();
}
