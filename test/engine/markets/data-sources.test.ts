// Data sources: types and conditions of oracle data, and the order in which sources take it
// (docs/protocol/70-trading-markets.md#16-data-sources-oracles).
import { expect, test } from "bun:test";
import { createMarketRig, idOf, type MarketRig, type RigMarket } from "./rig.ts";
import { M3 } from "./sample-markets.ts";

const [INTEGER, TEXT, BOOLEAN, DECIMAL, TIMESTAMP] = [2, 3, 4, 5, 6];
const [EQUALS, GREATER, GREATER_OR_EQUAL, LESS, LESS_OR_EQUAL] = [1, 2, 3, 4, 5];
const PRICE = "prices.settlement";
const NO_SUBSCRIBER = "there are no subscribes to the oracle data";
const newRig = (): MarketRig => createMarketRig({ assets: { ETH: { decimals: 5 } } });

/** A market whose settlement asks for another property, too. */
function asking(
  rig: MarketRig,
  name: string,
  property: string,
  type: number,
  operator: number,
  value: string,
) {
  // biome-ignore lint/suspicious/noExplicitAny: a filter is put in
  const adjust: RigMarket["adjust"] = (changes: any) => {
    const { filters } = changes.instrument.future.dataSourceSpecForSettlementData.external.oracle;
    filters.push({
      key: { name: property, type, numberDecimalPlaces: undefined },
      conditions: [{ operator, value }],
    });
    return changes;
  };
  rig.createMarket(name, { asset: "ETH", ...M3, adjust });
}

/** Sources that have taken the last data, as short ids. */
const matchedSpecs = (rig: MarketRig): string[] =>
  rig.events("oracleData").at(-1)!.payload.externalData.data.matchedSpecIds;

test.each<[string, number, number, string, string, boolean]>([
  ["42 is 42", INTEGER!, EQUALS!, "42", "42", true],
  ["042 is 42", INTEGER!, EQUALS!, "42", "042", true],
  ["42 is not 84", INTEGER!, EQUALS!, "84", "42", false],
  ["-1 is below 0", INTEGER!, LESS!, "0", "-1", true],
  ["84 is above 42", INTEGER!, GREATER!, "42", "84", true],
  ["42 is not above 42", INTEGER!, GREATER!, "42", "42", false],
  ["42 is at least 42", INTEGER!, GREATER_OR_EQUAL!, "42", "42", true],
  ["42 is at most 42", INTEGER!, LESS_OR_EQUAL!, "42", "42", true],
  ["84 is not at most 42", INTEGER!, LESS_OR_EQUAL!, "42", "84", false],
  ["1.20 is 1.2", DECIMAL!, EQUALS!, "1.2", "1.20", true],
  ["12e-1 is 1.2", DECIMAL!, EQUALS!, "1.2", "12e-1", true],
  ["3.4 is above 1.2", DECIMAL!, GREATER!, "1.2", "3.4", true],
  ["1.2 is not above 3.4", DECIMAL!, GREATER!, "3.4", "1.2", false],
  ["1.2 is at most 1.2", DECIMAL!, LESS_OR_EQUAL!, "1.2", "1.2", true],
  ["T is true", BOOLEAN!, EQUALS!, "true", "T", true],
  ["false is not true", BOOLEAN!, EQUALS!, "true", "false", false],
  ["a text is itself", TEXT!, EQUALS!, "hello, world!", "hello, world!", true],
  ["a text is not another", TEXT!, EQUALS!, "hello, world!", "hello, world", false],
  ["a time is above an earlier one", TIMESTAMP!, GREATER!, "1111111111", "2222222222", true],
  ["a time is not above a later one", TIMESTAMP!, GREATER!, "2222222222", "1111111111", false],
  ["a time is at least itself", TIMESTAMP!, GREATER_OR_EQUAL!, "1111111111", "1111111111", true],
])("%s", (_name, type, operator, bound, value, matches) => {
  const rig = newRig();
  asking(rig, "M", "also", type, operator, bound);
  expect(rig.oracleData({ [PRICE]: "7", also: value }).text).toBe(matches ? "" : NO_SUBSCRIBER);
  expect(rig.market("M").context.record.settlementPrice).toBe(matches ? 700_000n : -1n);
});

test("data without a property that a filter names is not taken", () => {
  const rig = newRig();
  asking(rig, "M", "also", INTEGER!, GREATER!, "0");
  expect(rig.oracleData({ [PRICE]: "7" }).text).toBe(NO_SUBSCRIBER);
});

test.each<[number, string, string, string]>([
  [INTEGER!, "42", "x", 'value "x" is not a valid integer'],
  [INTEGER!, "42", (2n ** 256n).toString(), `value "${2n ** 256n}" is not a valid integer`],
  [BOOLEAN!, "true", "42", 'strconv.ParseBool: parsing "42": invalid syntax'],
  [DECIMAL!, "1.2", "a number", "can't convert a number to decimal: exponent is not numeric"],
  [DECIMAL!, "1.2", "1.2.3", "can't convert 1.2.3 to decimal: too many .s"],
  [TIMESTAMP!, "1111111111", "x", 'strconv.ParseInt: parsing "x": invalid syntax'],
  [TIMESTAMP!, "1111111111", "-1", "invalid timestamp"],
])(
  "data type %d, condition %s, invalid value %s: that source alone ignores the data, and the reason is given if no other takes it",
  (type, bound, value, text) => {
    const rig = newRig();
    asking(rig, "M", "also", type, EQUALS!, bound);
    const other = idOf("other");
    rig.createMarket("O", { asset: "ETH", ...M3, oracle: other });
    expect(rig.oracleData({ [PRICE]: "7", also: value }).text).toBe(text);
    expect(rig.events("oracleData")).toEqual([]);
    // Sources of other signers do not look at it.
    expect(rig.oracleData({ [PRICE]: "7", also: value }, other).text).toBe("");
    rig.createMarket("N", { asset: "ETH", ...M3 });
    expect(rig.oracleData({ [PRICE]: "8", also: value }).text).toBe("");
    expect(rig.market("M").context.record.settlementPrice).toBe(-1n);
    expect(rig.market("N").context.record.settlementPrice).toBe(800_000n);
  },
);

test("an invalid value is not reported when another condition fails first", () => {
  const rig = newRig();
  asking(rig, "M", "also", INTEGER!, EQUALS!, "1");
  expect(rig.oracleData({ elsewhere: "7", also: "x" }).text).toBe(NO_SUBSCRIBER);
});

test("filters are checked in order: an invalid value behind a value that does not match is not reported", () => {
  const rig = newRig();
  // biome-ignore lint/suspicious/noExplicitAny: filters are put in
  const adjust: RigMarket["adjust"] = (changes: any) => {
    const { filters } = changes.instrument.future.dataSourceSpecForSettlementData.external.oracle;
    for (const name of ["first", "second"]) {
      const key = { name, type: INTEGER, numberDecimalPlaces: undefined };
      filters.push({ key, conditions: [{ operator: GREATER, value: "10" }] });
    }
    return changes;
  };
  rig.createMarket("M", { asset: "ETH", ...M3, adjust });
  const send = (first: string, second: string) => rig.oracleData({ [PRICE]: "7", first, second }).text;
  expect([send("5", "x"), send("50", "x"), send("50", "50")]).toEqual([
    NO_SUBSCRIBER,
    'value "x" is not a valid integer',
    "",
  ]);
});

// Ids are hashes: of the two orders one is not that of the ids.
test.each([
  [0, 1],
  [1, 0],
])("sources take data in the order of their subscription, with %d decimals first", (first, second) => {
  const rig = newRig();
  rig.createMarket("A", { asset: "ETH", ...M3, settlementDecimals: first });
  rig.createMarket("B", { asset: "ETH", ...M3, settlementDecimals: second });
  const ids = rig.events("oracleSpec").map(({ payload }) => payload.externalDataSourceSpec.spec.id);
  expect(new Set(ids).size).toBe(3);
  expect(rig.oracleData({ [PRICE]: "5", "trading.terminated": "true" }).text).toBe("");
  expect(matchedSpecs(rig)).toEqual(ids);
});

test("a source that was dropped and subscribed again comes last", () => {
  const rig = newRig();
  const config = { asset: "ETH", ...M3 };
  rig.createMarket("A", { ...config, settlementDecimals: 0 });
  rig.createMarket("B", { ...config, settlementDecimals: 1 });
  rig.oracleData({ [PRICE]: "5" });
  const [a, b] = matchedSpecs(rig) as [string, string];
  rig.nextBlock();
  rig.updateMarket("A", { ...config, settlementDecimals: 2 });
  rig.updateMarket("A", { ...config, settlementDecimals: 0 });
  rig.oracleData({ [PRICE]: "5" });
  expect(matchedSpecs(rig)).toEqual([b, a]);
});
