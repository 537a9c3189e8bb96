// Checks by governance of proposed and changed markets (docs/protocol/70-trading-markets.md#13-newmarket-change-checks
// and #16-data-sources-oracles), beyond the command's form.
import { describe, expect, test } from "bun:test";
import { ProposalRefusal } from "../../../src/engine/errors.ts";
import { checkNewMarket, checkUpdateMarket } from "../../../src/engine/markets/proposals.ts";
import { configurationOf, updateOf } from "../../../src/testing/market-config.ts";
import { ProposalError, type ProposalTerms } from "../../../src/wire/generated/vega.ts";
import { createMarketRig, idOf } from "./rig.ts";

const CONFIG = { asset: "ETH", simple: { long: 0.1, short: 0.1 } };
const ENACTMENT = 2_000_000_000n;
const DAY = 86_400n;
const BUILTIN = "vegaprotocol.builtin.timestamp";
const [INTEGER, TEXT, BOOLEAN, DECIMAL, TIMESTAMP] = [2, 3, 4, 5, 6];
const [EQUALS, GREATER, GREATER_OR_EQUAL, LESS, LESS_OR_EQUAL] = [1, 2, 3, 4, 5];

// biome-ignore lint/suspicious/noExplicitAny: a proposal is spoiled in many ways
type Future = any;

const { domains } = createMarketRig({ assets: { ETH: { decimals: 3 } } }).engine;

const filter = (name: string, type: number, ...conditions: object[]) => ({
  key: { name, type, numberDecimalPlaces: undefined },
  conditions,
});
const time = (operator: number, value: string) => ({ operator, value });
const external = (...filters: object[]) => ({
  external: { oracle: { signers: [{ pubKey: { key: idOf("oracle") } }], filters } },
});
const internal = (...conditions: object[]) => ({ internal: { time: { conditions } } });

/** The refusal's reason; "" without one. */
function refusalOf(check: () => void): string {
  try {
    check();
    return "";
  } catch (error) {
    if (!(error instanceof ProposalRefusal)) throw error;
    const name = Object.entries(ProposalError).find(([, number]) => number === error.reason)![0];
    return name.replace("PROPOSAL_ERROR_", "");
  }
}

/** Reasons for which a new market is refused, and an update to the same. */
function refusals(spoil: (future: Future) => void): [string, string] {
  const create = configurationOf(CONFIG, idOf("ETH"), "M");
  const update = updateOf(CONFIG, idOf("ETH"), "M");
  for (const changes of [create, update]) spoil(changes.instrument!.future);
  const times = { closingTimestamp: ENACTMENT - DAY, enactmentTimestamp: ENACTMENT };
  const terms = { ...times, newMarket: { changes: create } } as ProposalTerms;
  const updateTerms = { ...times, updateMarket: { changes: update } } as ProposalTerms;
  const { assets, params } = domains;
  return [
    refusalOf(() => checkNewMarket(terms, { assets, params })),
    refusalOf(() => checkUpdateMarket(updateTerms)),
  ];
}

const FINE: [string, string] = ["", ""];
const INVALID: [string, string] = ["INVALID_FUTURE_PRODUCT", "INVALID_FUTURE_PRODUCT"];

const settlesBy = (source: object, property: string) => (future: Future) => {
  future.dataSourceSpecForSettlementData = source;
  future.dataSourceSpecBinding = { ...future.dataSourceSpecBinding, settlementDataProperty: property };
};
const endsBy = (source: object, property: string) => (future: Future) => {
  future.dataSourceSpecForTradingTermination = source;
  future.dataSourceSpecBinding = { ...future.dataSourceSpecBinding, tradingTerminationProperty: property };
};
const later = (ENACTMENT + 1n).toString();

describe("a property that is bound", () => {
  test.each([
    ["a price of integers", settlesBy(external(filter("p", INTEGER)), "p"), FINE],
    ["a price of decimals", settlesBy(external(filter("p", DECIMAL)), "p"), INVALID],
    ["a price of texts", settlesBy(external(filter("p", TEXT), filter("q", INTEGER)), "p"), INVALID],
    ["a price that no filter has", settlesBy(external(filter("p", INTEGER)), "q"), INVALID],
    ["an end of booleans", endsBy(external(filter("e", BOOLEAN)), "e"), FINE],
    ["an end of integers", endsBy(external(filter("e", INTEGER)), "e"), INVALID],
    ["an end of times that are not the chain's", endsBy(external(filter("e", TIMESTAMP)), "e"), INVALID],
    ["an end of the chain's time", endsBy(external(filter(BUILTIN, TIMESTAMP)), BUILTIN), FINE],
    ["an end of the chain's time as a boolean", endsBy(external(filter(BUILTIN, BOOLEAN)), BUILTIN), INVALID],
    [
      "an end of the chain's time as an integer",
      endsBy(external(filter(BUILTIN, INTEGER)), BUILTIN),
      INVALID,
    ],
    ["an internal source", endsBy(internal(time(GREATER, later)), BUILTIN), FINE],
    ["an internal source of another name", endsBy(internal(time(GREATER, later)), "e"), INVALID],
  ] as const)("%s", (_name, spoil, expected) => {
    expect(refusals(spoil)).toEqual(expected);
  });
});

describe("filters of a source", () => {
  const over = { operator: GREATER, value: "5" };
  test.each([
    [
      "of several properties",
      settlesBy(external(filter("p", INTEGER), filter("q", INTEGER, over)), "p"),
      FINE,
    ],
    ["of one, twice", settlesBy(external(filter("p", INTEGER), filter("p", INTEGER, over)), "p"), INVALID],
    [
      "of another one, twice",
      endsBy(external(filter("e", BOOLEAN), filter("q", TEXT), filter("q", TEXT)), "e"),
      INVALID,
    ],
  ] as const)("%s", (_name, spoil, expected) => {
    expect(refusals(spoil)).toEqual(expected);
  });
});

describe("conditions of a filter", () => {
  const [EMPTY] = [1];
  const bound = (type: string, filtered: string) =>
    `bound type "TYPE_${type}" doesn't match filtered property type "TYPE_${filtered}"`;
  const condition = (operator: number, value: string) => ({ operator, value });
  test.each([
    ["an integer above another", INTEGER, condition(GREATER, "-5"), FINE],
    ["an integer above a fraction", INTEGER, condition(GREATER, "5.5"), INVALID],
    ["an integer above a text", INTEGER, condition(GREATER, "five"), INVALID],
    ["a decimal below a fraction", DECIMAL, condition(LESS, "5.5"), FINE],
    ["a decimal below a text", DECIMAL, condition(LESS, "five"), INVALID],
    ["a text that is another", TEXT, condition(EQUALS, "BTC"), FINE],
    ["a text above another", TEXT, condition(GREATER_OR_EQUAL, "BTC"), INVALID],
    ["a boolean that is true", BOOLEAN, condition(EQUALS, "true"), FINE],
    ["a boolean that is a text", BOOLEAN, condition(EQUALS, "yes"), INVALID],
    ["a boolean above another", BOOLEAN, condition(GREATER, "false"), INVALID],
    ["a time from one on", TIMESTAMP, condition(GREATER_OR_EQUAL, later), FINE],
    ["a time from a fraction on", TIMESTAMP, condition(GREATER_OR_EQUAL, "1.5"), INVALID],
    ["a time before all times", TIMESTAMP, condition(GREATER, "-1"), INVALID],
    ["a property of no type", EMPTY, condition(EQUALS, "1"), INVALID],
  ] as const)("%s", (_name, type, filterValue, expected) => {
    const also = filter("also", type, filterValue);
    expect(refusals(settlesBy(external(filter("p", INTEGER), also), "p"))).toEqual(expected);
    expect(refusals(endsBy(external(filter("e", BOOLEAN), also), "e"))).toEqual(expected);
  });
  test.each([
    [filter("p", DECIMAL), `invalid oracle spec binding for settlement data: ${bound("INTEGER", "DECIMAL")}`],
    [
      filter("q", INTEGER),
      'invalid oracle spec binding for settlement data: bound property "p" not filtered by oracle spec',
    ],
    [filter("p", INTEGER, condition(EQUALS, "x")), 'value "x" is not a valid integer'],
    [filter("p", TIMESTAMP, condition(GREATER, "x")), 'strconv.ParseInt: parsing "x": invalid syntax'],
    [
      filter("p", TIMESTAMP, condition(GREATER, "9".repeat(20))),
      `strconv.ParseInt: parsing "${"9".repeat(20)}": value out of range`,
    ],
    [filter("p", TIMESTAMP, condition(GREATER, "-1")), "invalid timestamp"],
    [filter("p", BOOLEAN, condition(EQUALS, "x")), 'strconv.ParseBool: parsing "x": invalid syntax'],
    [
      filter("p", TEXT, condition(GREATER, "x")),
      "unsupported operator OPERATOR_GREATER_THAN for type TYPE_STRING",
    ],
    [filter("p", EMPTY), "property type TYPE_EMPTY"],
    [filter("p", INTEGER, condition(EQUALS, "1".repeat(79))), "is not a valid integer"],
    [
      filter("p", DECIMAL, condition(EQUALS, "five")),
      "can't convert five to decimal: exponent is not numeric",
    ],
    [
      filter("p", TIMESTAMP, condition(LESS, later)),
      "data source spec time value is used with 'less than' or 'less than equal' condition",
    ],
  ])("the refusal of %j says %s", (wrongFilter, text) => {
    const changes = updateOf(CONFIG, idOf("ETH"), "M");
    settlesBy(external(wrongFilter), "p")(changes.instrument!.future);
    const times = { closingTimestamp: ENACTMENT - DAY, enactmentTimestamp: ENACTMENT };
    const terms = { ...times, updateMarket: { changes } } as ProposalTerms;
    expect(() => checkUpdateMarket(terms)).toThrow(text);
  });
  test.each([
    [filter("p", INTEGER), "multiple keys with same name found in filter list"],
    [filter("p", INTEGER, condition(EQUALS, "x")), 'value "x" is not a valid integer'],
  ])("the refusal of %j and the same property again says %s", (wrongFilter, text) => {
    const changes = updateOf(CONFIG, idOf("ETH"), "M");
    settlesBy(external(wrongFilter, filter("p", INTEGER)), "p")(changes.instrument!.future);
    const times = { closingTimestamp: ENACTMENT - DAY, enactmentTimestamp: ENACTMENT };
    const terms = { ...times, updateMarket: { changes } } as ProposalTerms;
    expect(() => checkUpdateMarket(terms)).toThrow(text);
  });
  test("a property of no type that nothing is asked of", () => {
    expect(refusals(settlesBy(external(filter("p", INTEGER), filter("also", EMPTY)), "p"))).toEqual(INVALID);
  });
});

describe("a condition on a time", () => {
  test.each([
    ["equal", EQUALS, FINE],
    ["later", GREATER, FINE],
    ["not earlier", GREATER_OR_EQUAL, FINE],
    ["earlier", LESS, INVALID],
    ["not later", LESS_OR_EQUAL, INVALID],
  ] as const)("%s", (_name, operator, expected) => {
    expect(refusals(endsBy(internal(time(operator, later)), BUILTIN))).toEqual(expected);
    expect(refusals(endsBy(external(filter(BUILTIN, TIMESTAMP, time(operator, later))), BUILTIN))).toEqual(
      expected,
    );
    const price = external(filter("p", INTEGER), filter("t", TIMESTAMP, time(operator, later)));
    expect(refusals(settlesBy(price, "p"))).toEqual(expected);
  });
  test("of an internal source counts when it is the first", () => {
    const two = [time(GREATER, later), time(LESS, later)];
    expect(refusals(endsBy(internal(...two), BUILTIN))).toEqual(FINE);
  });
});

describe("a time at which trading ends", () => {
  test.each([
    ["after the enactment", later, FINE],
    ["far after it", (2n ** 63n - 1n).toString(), FINE],
    ["beyond all times", (2n ** 63n).toString(), INVALID],
    ["at the enactment", ENACTMENT.toString(), INVALID],
    ["before all times", "-5", INVALID],
    ["of no number", "tomorrow", INVALID],
    ["of a fraction", `${later}.5`, INVALID],
  ] as const)("%s", (_name, value, expected) => {
    expect(refusals(endsBy(internal(time(GREATER, value)), BUILTIN))).toEqual(expected);
    expect(refusals(endsBy(external(filter(BUILTIN, TIMESTAMP, time(GREATER, value))), BUILTIN))).toEqual(
      expected,
    );
  });
});

test.each([
  [77n, 0n, ""],
  [78n, 0n, "INVALID_ASSET"],
  [90n, 13n, ""],
  [2n ** 31n - 1n, 0n, "INVALID_ASSET"],
])("an asset of %p decimals, a market of %p: %s", (decimals, decimalPlaces, expected) => {
  const changes = { ...configurationOf(CONFIG, idOf("ETH"), "M"), decimalPlaces };
  const times = { closingTimestamp: ENACTMENT - DAY, enactmentTimestamp: ENACTMENT };
  const terms = { ...times, newMarket: { changes } } as ProposalTerms;
  const { assets, params } = domains;
  const asset = assets.get(idOf("ETH"))!;
  const details = { ...asset.details, decimals };
  const listed = { ...asset, details };
  const reader = { isEnabled: () => true, get: () => listed } as never;
  expect(refusalOf(() => checkNewMarket(terms, { assets: reader, params }))).toBe(expected);
});

describe("an update's risk model", () => {
  const OUTSIDE = "INVALID_RISK_PARAMETER";
  test.each([
    ["at the least of all ranges", { lambda: 1e-8, tau: 1e-8, mu: -1e-6, r: -1, sigma: 1e-3 }, ""],
    ["at the most of them", { lambda: 0.1, tau: 1, mu: 1e-6, r: 1, sigma: 5 }, ""],
    ["of too small an aversion", { lambda: 9e-9, tau: 1, sigma: 1 }, OUTSIDE],
    ["of too large an aversion", { lambda: 0.11, tau: 1, sigma: 1 }, OUTSIDE],
    ["of too short a time", { lambda: 0.1, tau: 9e-9, sigma: 1 }, OUTSIDE],
    ["of too long a time", { lambda: 0.1, tau: 1.1, sigma: 1 }, OUTSIDE],
    ["of too low a drift", { lambda: 0.1, tau: 1, sigma: 1, mu: -2e-6 }, OUTSIDE],
    ["of too high a drift", { lambda: 0.1, tau: 1, sigma: 1, mu: 2e-6 }, OUTSIDE],
    ["of too low a rate", { lambda: 0.1, tau: 1, sigma: 1, r: -1.1 }, OUTSIDE],
    ["of too high a rate", { lambda: 0.1, tau: 1, sigma: 1, r: 1.1 }, OUTSIDE],
    ["of too low a volatility", { lambda: 0.1, tau: 1, sigma: 9e-4 }, OUTSIDE],
    ["of too high a volatility", { lambda: 0.1, tau: 1, sigma: 51 }, OUTSIDE],
    ["of infinite numbers", { lambda: 0.1, tau: 1, sigma: 1, mu: 1 / 0 }, OUTSIDE],
  ])("%s", (_name, logNormal, expected) => {
    const changes = updateOf({ asset: "ETH", logNormal }, idOf("ETH"), "M");
    const times = { closingTimestamp: ENACTMENT, enactmentTimestamp: ENACTMENT };
    const terms = { ...times, updateMarket: { marketId: idOf("M"), changes } } as ProposalTerms;
    expect(refusalOf(() => checkUpdateMarket(terms))).toBe(expected);
  });
});

describe("decimals that cannot be worked with", () => {
  const LONG = `0.${"1".repeat(5_000)}`;
  const market = { asset: "ETH", simple: { long: 0.1, short: 0.1 } };
  test.each([
    ["a price range", { lpPriceRange: "1e-99999" }],
    ["a linear factor that a row of the market cannot hold", { linearSlippage: `0.${"1".repeat(984)}` }],
    ["a quadratic factor of such digits", { quadraticSlippage: "1e-984" }],
    ["a linear factor", { linearSlippage: LONG }],
    ["a quadratic factor", { quadraticSlippage: "1e-99999" }],
    ["a triggering ratio", { triggeringRatio: LONG }],
    ["a probability of NaN", { triggers: [{ horizon: 1, probability: Number.NaN, extension: 1 }] }],
  ])("%s", (_name, config) => {
    const changes = updateOf({ ...market, ...config }, idOf("ETH"), "M");
    const times = { closingTimestamp: ENACTMENT, enactmentTimestamp: ENACTMENT };
    const terms = { ...times, updateMarket: { marketId: idOf("M"), changes } } as ProposalTerms;
    expect(refusalOf(() => checkUpdateMarket(terms))).toBe("INVALID_RISK_PARAMETER");
  });
});

// biome-ignore lint/suspicious/noExplicitAny: a proposal is spoiled in many ways
type Spoil = (changes: any) => void;

describe("governance itself refuses proposals whose form is invalid", () => {
  const trigger = { horizon: 1n, probability: "0.95", auctionExtension: 1n };
  const triggers = (count: number): Spoil => {
    return (changes) => {
      changes.priceMonitoringParameters = { triggers: Array(count).fill(trigger) };
    };
  };
  const member = (name: string, value: unknown): Spoil => {
    return (changes) => {
      changes[name] = value;
    };
  };
  const [LINEAR, QUADRATIC] = ["LINEAR", "QUADRATIC"].map((name) => `${name}_SLIPPAGE_FACTOR_OUT_OF_RANGE`);
  test.each<[string, Spoil, string]>([
    ["five triggers", triggers(5), ""],
    ["six triggers", triggers(6), "TOO_MANY_PRICE_MONITORING_TRIGGERS"],
    ["a price range of 0", member("lpPriceRange", "0"), "LP_PRICE_RANGE_NONPOSITIVE"],
    ["a price range below 0", member("lpPriceRange", "-0.1"), "LP_PRICE_RANGE_NONPOSITIVE"],
    ["a price range of 100", member("lpPriceRange", "100"), ""],
    ["a price range above 100", member("lpPriceRange", "100.1"), "LP_PRICE_RANGE_TOO_LARGE"],
    ["a linear factor below 0", member("linearSlippageFactor", "-0.1"), LINEAR!],
    ["a linear factor of a million", member("linearSlippageFactor", "1000000"), ""],
    ["a linear factor above a million", member("linearSlippageFactor", "1000000.1"), LINEAR!],
    ["a quadratic factor below 0", member("quadraticSlippageFactor", "-0.1"), QUADRATIC!],
    ["a quadratic factor of a million", member("quadraticSlippageFactor", "1000000"), ""],
    ["a quadratic factor above a million", member("quadraticSlippageFactor", "1000000.1"), QUADRATIC!],
    ["no risk model", member("simple", undefined), "NO_RISK_PARAMETERS"],
    ["no product", (changes) => member("future", undefined)(changes.instrument), "NO_PRODUCT"],
  ])("%s", (_name, spoil, expected) => {
    const create = configurationOf(CONFIG, idOf("ETH"), "M");
    const update = updateOf(CONFIG, idOf("ETH"), "M");
    for (const changes of [create, update]) spoil(changes);
    const times = { closingTimestamp: ENACTMENT - DAY, enactmentTimestamp: ENACTMENT };
    const terms = { ...times, newMarket: { changes: create } } as ProposalTerms;
    const updateTerms = { ...times, updateMarket: { changes: update } } as ProposalTerms;
    const { assets, params } = domains;
    expect(refusalOf(() => checkNewMarket(terms, { assets, params }))).toBe(expected);
    expect(refusalOf(() => checkUpdateMarket(updateTerms))).toBe(expected);
  });
});
