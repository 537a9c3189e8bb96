// Every rule of stateless validation, by name: one case that breaks it, with the whole text of the errors, and one
// that comes close and passes (docs/protocol/30-node-api-commands.md#4-commands). A rule without a case fails here.
import { describe, expect, test } from "bun:test";
import { messageDescriptor } from "../../src/wire/descriptors.ts";
import { fromJson } from "../../src/wire/json.ts";
import {
  COMMAND_KINDS,
  COMMANDS,
  type CommandKind,
  type CommandPayload,
} from "../../src/wire/transaction-commands.ts";
import { type Check, each, PropertyErrors, rule } from "../../src/wire/validate/check.ts";
import { COMMAND_CHECKS, checkCommand } from "../../src/wire/validate/commands.ts";
import { decimal, exceeds, isInteger, longerThan } from "../../src/wire/validate/fields.ts";
import { expectLinear } from "../support/cost.ts";
import { type CasesByKind, type CommandCases, ID, patched, type RuleCase } from "../support/rules/cases.ts";
import { fundsCases } from "../support/rules/funds.ts";
import { governanceCases } from "../support/rules/governance.ts";
import { orderCases } from "../support/rules/orders.ts";
import { validatorCases } from "../support/rules/validators.ts";

const CASES: CasesByKind = { ...orderCases, ...fundsCases, ...governanceCases, ...validatorCases };

const inputFields = messageDescriptor("vega.commands.v1.InputData").fields;
const typeOf = (kind: CommandKind) => inputFields.find((field) => field.jsonName === kind)!.typeName;

function errorsOf(kind: CommandKind, json: object): PropertyErrors {
  return checkCommand(kind, fromJson(typeOf(kind), json) as CommandPayload<CommandKind>);
}

type Row = [CommandKind, string, RuleCase["broken"], string];

const OUTSIDE = "should be between 0.9 (exclusive) and 1 (exclusive)";
const NOT_NUMERIC = "must be numeric and be between 0 (exclusive) and 1 (exclusive)";
/** A trigger's probability is read by another parser than the market's other numbers. */
const probabilityRows = Object.entries({
  NaN: "",
  "0x1.ep-1": "",
  "0.9_5": "",
  Inf: ` (${OUTSIDE})`,
  "nine tenths": ` (${NOT_NUMERIC}, ${OUTSIDE})`,
}).map(([probability, texts]): Row => {
  const property = "price_monitoring_parameters.triggers.0.probability";
  return [
    "proposalSubmission",
    "newMarket",
    { "terms.newMarket.changes.priceMonitoringParameters.triggers.0.probability": probability },
    texts && `proposal_submission.terms.change.new_market.changes.${property}${texts}`,
  ];
});

/** Just above a limit, by less than a double holds. */
const limitRows = Object.entries({
  lpPriceRange: ["100.00000000000000000001", "lp_price_range (must be at most 100)"],
  linearSlippageFactor: ["1000000.0000000000000001", "linear_slippage_factor (must be at most 1000000)"],
  "liquidityMonitoringParameters.triggeringRatio": [
    "1.0000000000000000000001",
    "liquidity_monitoring_parameters.triggering_ratio (should be between 0 (inclusive) and 1 (inclusive))",
  ],
}).map(
  ([path, [value, text]]): Row => [
    "proposalSubmission",
    "updateMarket",
    { [`terms.updateMarket.changes.${path}`]: value },
    `proposal_submission.terms.change.update_market.changes.${text}`,
  ],
);

const nameOf = ({ property, message }: { property: string; message: string }) => `${property} (${message})`;

function baseOf(cases: CommandCases, row: RuleCase): object {
  const base = row.on === undefined ? Object.values(cases.valid)[0] : cases.valid[row.on];
  if (base === undefined) throw new Error(`there is no valid command called ${row.on}`);
  return base;
}

for (const kind of COMMAND_KINDS) {
  const cases = CASES[kind] ?? { valid: {}, cases: [] };
  const names = COMMAND_CHECKS[kind].rules.map(nameOf);

  describe(COMMANDS[kind].field, () => {
    test("no two rules are the same, and each has its case", () => {
      expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
      expect(cases.cases.map((row) => row.rule).toSorted()).toEqual(names.toSorted());
    });

    test("valid commands", () => {
      expect(Object.keys(cases.valid)).not.toEqual([]);
      for (const json of Object.values(cases.valid)) expect(errorsOf(kind, json).toString()).toBe("");
    });

    for (const row of cases.cases) {
      test(row.rule, () => {
        const base = baseOf(cases, row);
        const expected = row.text ?? row.rule.replaceAll("#", "0");
        expect(errorsOf(kind, patched(base, row.broken)).toString()).toBe(expected);
        expect(errorsOf(kind, patched(base, row.kept ?? {})).toString()).toBe("");
      });
    }
  });
}

describe("the same rule, broken in other ways", () => {
  const rows: Row[] = [
    ["transfer", "oneOff", { amount: "" }, "transfer.amount (is required)"],
    ...["Inf", "1_000", "0x10", "0b1", "0o7", "0.5"].map(
      (factor) => ["transfer", "recurring", { "recurring.factor": factor }, ""] as Row,
    ),
    ["transfer", "recurring", { "recurring.factor": "0x00" }, "transfer.kind.factor (must be positive)"],
    ["transfer", "recurring", { "recurring.factor": "-Inf" }, "transfer.kind.factor (must be positive)"],
    ["transfer", "recurring", { "recurring.factor": "NaN" }, "transfer.kind.factor (not a valid float)"],
    ["transfer", "oneOff", { amount: "-0" }, "transfer.amount (is required)"],
    ["transfer", "oneOff", { amount: "ten" }, "transfer.amount (not a valid integer)"],
    // An unknown number is no type for a one-off transfer either.
    [
      "transfer",
      "oneOff",
      { toAccountType: 99 },
      "transfer.to_account_type (is not a valid value, account type is not valid for one off transfer)",
    ],
    ["transfer", "toRewards", { to: "" }, "transfer.to (is required), transfer_to (is not a valid value)"],
    [
      "transfer",
      "liquidity",
      { "recurring.dispatchStrategy.metric": 0 },
      "transfer.kind.dispatch_strategy.dispatch_metric (is not a valid value)",
    ],
    [
      "transfer",
      "received",
      { "recurring.dispatchStrategy.metric": 0 },
      "transfer.kind.dispatch_strategy.dispatch_metric (is not a valid value)",
    ],
    [
      "transfer",
      "proposers",
      { "recurring.dispatchStrategy.metric": 0 },
      "transfer.kind.dispatch_strategy.dispatch_metric (is not a valid value)",
    ],
    ["withdrawSubmission", "builtin", { amount: "0" }, "withdraw_submission.amount (is required)"],
    ["undelegateSubmission", "now", { method: 0 }, "undelegate_submission.method (is required)"],
    [
      "orderSubmission",
      "peggedBuy",
      { side: "SIDE_SELL", "peggedOrder.reference": "PEGGED_REFERENCE_BEST_ASK", "peggedOrder.offset": "-1" },
      "order_submission.pegged_order.offset (must be positive or zero)",
    ],
    ["announceNode", "node", { vegaSignature: undefined }, "announce_node.vega_signature (is required)"],
    ...probabilityRows,
    ...limitRows,
  ];
  test.each(rows)("%s of %s: %o", (kind, on, patch, text) => {
    expect(errorsOf(kind, patched(CASES[kind]!.valid[on]!, patch)).toString()).toBe(text);
  });

  test("an empty command says all that it lacks, sorted", () => {
    expect(errorsOf("orderSubmission", {}).toString()).toBe(
      "order_submission.market_id (is required), order_submission.side (is required), " +
        "order_submission.size (must be positive), order_submission.time_in_force (is required), " +
        "order_submission.type (is required)",
    );
    expect(errorsOf("orderAmendment", {}).toString()).toBe(
      "* (order_amendment does not amend anything), order_amendment.market_id (is required), " +
        "order_amendment.order_id (is required)",
    );
  });
});

describe("errors", () => {
  const errors = new PropertyErrors();
  errors.add("b.c", "two");
  errors.add("*", "any");
  errors.add("b", "one");
  errors.add("b.c", "three");

  test("as text and as JSON", () => {
    expect(String(errors)).toBe("* (any), b (one), b.c (two, three)");
    expect(JSON.stringify(errors)).toBe('{"*":["any"],"b":["one"],"b.c":["two","three"]}');
    expect(errors.of("b.c")).toEqual(["two", "three"]);
    expect(errors.of("c")).toEqual([]);
    expect(errors.isEmpty).toBe(false);
  });

  test("of a list of half a million broken entries, the first thousand are named", () => {
    let errors = new PropertyErrors();
    const broken = (count: number) => {
      const buys = Array.from({ length: count }, () => ({}));
      return () => {
        errors = errorsOf("liquidityProvisionSubmission", {
          marketId: ID,
          commitmentAmount: "1",
          fee: "1",
          buys,
        });
      };
    };
    expectLinear(broken(500_000), broken(50_000), 10);
    expect(errors.of("*")).toEqual(["has more errors than these 1000"]);
    expect(Object.keys(errors.toJSON())).toHaveLength(1_001);
    expect(String(errors).length).toBeLessThan(200_000);
  });

  test("a thousand are named without a word about more", () => {
    const errors = new PropertyErrors();
    for (let at = 0; at < 1_000; at++) errors.add(`a.${at}`, "is odd");
    errors.add("a.5", "is even");
    expect([errors.isCut, Object.keys(errors.toJSON()).length]).toEqual([false, 1_000]);
    for (let at = 1_000; at < 1_010; at++) errors.add(`a.${at}`, "is odd");
    expect([errors.isCut, errors.of("*")]).toEqual([true, ["has more errors than these 1000"]]);
  });

  test("lists in lists have their positions from the left", () => {
    const nested: Check<number[][]> = each(
      (rows) => rows,
      each(
        (row: number[]) => row,
        rule("a.#.b.#.c", "is odd", (item: number) => item % 2 === 1),
      ),
    );
    const errors = new PropertyErrors();
    nested.run([[0], [2, 4, 5]], errors, []);
    expect(errors.toString()).toBe("a.1.b.2.c (is odd)");
  });
});

describe("numbers as text", () => {
  test("whole numbers", () => {
    for (const text of ["0", "-1", "+1", "007", "9".repeat(1000)]) expect(isInteger(text)).toBe(true);
    for (const text of ["", "-", "1.0", "1e3", " 1", "1 ", "0x1", "1_000", "١", "1\n"]) {
      expect(isInteger(text)).toBe(false);
    }
  });

  test("decimal numbers", () => {
    for (const text of ["0", "-.5", "5.", "+1.5e-3", "1E+9", "0e0"]) expect(decimal(text)).toBeDefined();
    for (const text of ["", ".", "-", "1.2.3", "1e", "e1", "NaN", "Inf", "0x1", "1,5", "1e9999999999"]) {
      expect(decimal(text)).toBeUndefined();
    }
    expect(decimal("-0.0e5")!.sign).toBe(0);
    // The point is taken out before the sign is looked at.
    expect(decimal(".-5")!.sign).toBe(-1);
    expect(decimal("-1e-999")!.sign).toBe(-1);
    expect(decimal("1e999999999")!.value).toBe(Number.POSITIVE_INFINITY);
  });

  test("numbers beside a limit that a double cannot tell from it", () => {
    for (const text of ["1.00000000000000000001", "+100.000000000000000000001e-2", "01.1", "2"]) {
      expect(exceeds(text, 1)).toBe(true);
    }
    for (const text of ["1", "1.000", "0.1e1", "100e-2", "0.99999999999999999999", "-2", "0"]) {
      expect(exceeds(text, 1)).toBe(false);
    }
  });

  test("a megabyte of digits costs in proportion to its length, good or bad", () => {
    const check = (length: number) => {
      const digits = "1".repeat(length);
      const zeros = "0".repeat(length);
      return () => {
        expect(isInteger(`${digits}x`)).toBe(false);
        expect(decimal(`${digits}x`)).toBeUndefined();
        expect(decimal(`${digits}.${digits}`)!.sign).toBe(1);
        expect(exceeds(`1.${zeros}`, 1)).toBe(false);
        expect(errorsOf("delegateSubmission", { nodeId: ID, amount: digits }).isEmpty).toBe(true);
        expect(longerThan(digits, 100)).toBe(true);
      };
    };
    expectLinear(check(1_000_000), check(100_000), 10);
  });
});
