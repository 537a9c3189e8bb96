// A command's form: what its fields give as JSON, and the way back.
import { describe, expect, test } from "bun:test";
import { commandSchema } from "../../src/planes/devnet/command-schema.ts";
import {
  type DraftMessage,
  draftOf,
  entriesOf,
  enumLabels,
  fieldsOf,
  jsonOf,
  namedBy,
  problemsIn,
  refusalsByField,
  unitOf,
  usualDraft,
} from "../../src/web/views/command-draft.ts";
import { amountDraft, smallestUnits, unreadableAmount } from "../../src/web/views/command-units.ts";
import { readCommand } from "../../src/wire/command-input.ts";
import type { InputData } from "../../src/wire/generated/commands.ts";
import { fromJson } from "../../src/wire/json.ts";
import { COMMAND_KINDS } from "../../src/wire/transaction-commands.ts";
import { checkCommand } from "../../src/wire/validate/commands.ts";

const schema = commandSchema();
const messageOf = (name: string) => schema.commands.find((each) => each.name === name)!.message;
const KEY = "ab".repeat(32);

describe("a command's required members", () => {
  const requiredOf = (message: string) =>
    fieldsOf(schema, message)
      .filter(({ isRequired }) => isRequired)
      .map(({ name }) => name);

  test("are those that the checks of a transaction refuse when they are empty", () => {
    expect(requiredOf(messageOf("orderSubmission"))).toEqual([
      ...["marketId", "size", "side", "timeInForce", "type"],
    ]);
    expect(requiredOf(messageOf("transfer"))).toEqual([
      ...["fromAccountType", "to", "toAccountType", "asset", "amount", "oneOff", "recurring"],
    ]);
    expect(requiredOf(messageOf("orderCancellation"))).toEqual([]);
    // Only some changes of a proposal take the other times.
    expect(requiredOf("vega.ProposalTerms").filter((name) => name.endsWith("Timestamp"))).toEqual([
      "closingTimestamp",
    ]);
    expect(requiredOf("vega.ProposalRationale")).toEqual(["description", "title"]);
  });

  test.each(schema.commands)("$name is refused for each of them when it is empty", (each) => {
    const input = fromJson<InputData>("vega.commands.v1.InputData", { [each.name]: {} });
    const errors = checkCommand(each.name, input[each.name] as never).toString();
    const refused = [...refusalsByField(schema, each.message, {}, errors).keys()].flatMap((path) => {
      const [, member = ""] = path.split(".");
      return fieldsOf(schema, each.message).filter(({ name, oneof }) => name === member || oneof === member);
    });
    const names = new Set(refused.map(({ name }) => name));
    const required = new Set(requiredOf(each.message));
    expect(required.difference(names).size).toBe(0);
    // A choice may make others unnecessary.
    const hasChoice = fieldsOf(schema, each.message).some(({ oneof }) => oneof !== undefined);
    if (!hasChoice) expect(names).toEqual(required);
  });
});

/** A draft with something in every member, and with each list twice as long as the last. */
function full(message: string): DraftMessage {
  const value = (field: ReturnType<typeof fieldsOf>[number]) => {
    if (field.kind === "message") return full(field.type!);
    if (field.kind === "enum") return schema.enums[field.type!]!.at(-1)!;
    if (field.kind === "bool") return true;
    if (field.kind === "bytes") return "AQID";
    if (field.kind === "double") return "0.25";
    return field.kind === "string" ? "9007199254740993" : field.kind === "int64" ? "-9007199254740993" : "7";
  };
  const members = entriesOf(fieldsOf(schema, message)).map((entry) => {
    const field = "field" in entry ? entry.field : entry.fields.at(-1)!;
    return [field.name, field.isList ? [value(field), value(field)] : value(field)] as const;
  });
  return Object.fromEntries(members);
}

test("the schema has every command, and every message and enum that one of them can hold", () => {
  expect(schema.commands.map(({ name }) => name)).toEqual([...COMMAND_KINDS]);
  for (const fields of Object.values(schema.messages))
    for (const { kind, type } of fields) {
      if (kind === "message") expect(schema.messages).toHaveProperty([type!]);
      if (kind === "enum") expect(schema.enums[type!]!.length).toBeGreaterThan(1);
      // The form has no field for one.
      expect(kind).not.toBe("map");
    }
});

test("names become identifiers in the JSON, and a refusal is read by its members", () => {
  const ids: Readonly<Record<string, string>> = { "party bob": KEY, "asset tUSD": "cd".repeat(32) };
  const draft = { ...usualDraft("transfer"), to: "bob", asset: "tUSD", amount: "5", reference: "bob" };
  expect(jsonOf(schema, messageOf("transfer"), draft, (kind, text) => ids[`${kind} ${text}`])).toMatchObject({
    to: KEY,
    asset: ids["asset tUSD"],
    reference: "bob",
    oneOff: {},
  });
  const text = "transfer.amount (not a valid integer), transfer.from_account_type (is required)";
  const refusals = refusalsByField(schema, messageOf("transfer"), draft, text);
  expect([...refusals]).toEqual([
    ["transfer.amount", "not a valid integer"],
    ["transfer.fromAccountType", "is required"],
  ]);
});

describe("a refusal stands at the field of the form that it is about", () => {
  const refusedFields = (name: string, draft: DraftMessage) => {
    const input = fromJson<InputData>("vega.commands.v1.InputData", {
      [name]: jsonOf(schema, messageOf(name), draft),
    });
    const errors = checkCommand(name as "transfer", input[name as "transfer"]!).toString();
    return [...refusalsByField(schema, messageOf(name), draft, errors).keys()];
  };

  test("of a list's item", () => {
    const draft = { marketId: KEY, commitmentAmount: "5", fee: "0.1", buys: [{}], sells: [{}, {}] };
    expect(refusedFields("liquidityProvisionSubmission", draft)).toEqual(
      expect.arrayContaining(
        ["buys.0.proportion", "sells.1.reference"].map((path) => `liquidityProvisionSubmission.${path}`),
      ),
    );
  });

  test("of a choice's member, which the node names by the choice alone or by both", () => {
    const transfer = refusedFields("transfer", { recurring: { dispatchStrategy: { markets: ["x"] } } });
    expect(transfer).toContain("transfer.recurring.startEpoch");
    expect(transfer).toContain("transfer.recurring.dispatchStrategy.assetForMetric");
    const oracle = { signers: [{}], filters: [{ conditions: [{}] }] };
    const future = { dataSourceSpecForSettlementData: { external: { oracle } } };
    const draft = { terms: { newMarket: { changes: { instrument: { future } } } } };
    const place = "proposalSubmission.terms.newMarket.changes.instrument.future";
    const spec = `${place}.dataSourceSpecForSettlementData.external.oracle`;
    expect(refusedFields("proposalSubmission", draft)).toEqual(
      expect.arrayContaining([
        ...["proposalSubmission.rationale", `${place}.quoteName`],
        ...[`${spec}.filters.0.conditions.0.operator`, `${spec}.signers.0`],
      ]),
    );
    expect(refusedFields("transfer", {})).toContain("transfer.kind");
  });
});

test.each(["transfer", "orderSubmission", "voteSubmission", "undelegateSubmission"])(
  "the usual choices of %s are members that the node reads",
  (name) => {
    const json = jsonOf(schema, messageOf(name), usualDraft(name));
    expect(Object.keys(json)).toEqual(expect.arrayContaining(Object.keys(usualDraft(name))));
    expect(() => readCommand({ [name]: json })).not.toThrow();
  },
);

describe("a draft", () => {
  test.each([...COMMAND_KINDS])(
    "of %s, full of values, is a command that the node reads, and comes back",
    (name) => {
      const draft = full(messageOf(name));
      expect(problemsIn(schema, messageOf(name), draft)).toEqual([]);
      const json = jsonOf(schema, messageOf(name), draft);
      expect(() => readCommand({ [name]: json })).not.toThrow();
      expect(draftOf(schema, messageOf(name), JSON.parse(JSON.stringify(json)))).toEqual(draft);
    },
  );

  test("leaves out what is empty, keeps 64-bit numbers as texts, and makes numbers of the others", () => {
    expect(
      jsonOf(schema, messageOf("orderSubmission"), {
        marketId: KEY,
        price: "",
        size: "18446744073709551615",
        side: "SIDE_BUY",
        postOnly: false,
        peggedOrder: {},
      }),
    ).toEqual({ marketId: KEY, size: "18446744073709551615", side: "SIDE_BUY", peggedOrder: {} });
    expect(
      jsonOf(schema, messageOf("liquidityProvisionSubmission"), {
        buys: [{ proportion: "4294967295" }],
        sells: [],
      }),
    ).toEqual({ buys: [{ proportion: 4_294_967_295 }] });
    // Presence of an optional member counts, whatever its value is.
    expect(jsonOf(schema, messageOf("orderAmendment"), { expiresAt: "0" })).toEqual({ expiresAt: "0" });
  });

  test("names the members whose texts are not values", () => {
    const problems = (name: string, draft: DraftMessage) => problemsIn(schema, messageOf(name), draft);
    expect(problems("orderSubmission", { size: "18446744073709551616" })).toEqual([
      "size: not from 0 to 18446744073709551615",
    ]);
    expect(problems("orderSubmission", { size: "1.5", expiresAt: "soon" })).toEqual([
      "size: not a whole number",
      "expiresAt: not a whole number",
    ]);
    expect(problems("liquidityProvisionSubmission", { buys: [{}, { proportion: "-1" }] })).toEqual([
      "buys[1].proportion: not from 0 to 4294967295",
    ]);
    expect(problems("nodeSignature", { sig: "!" })).toEqual(["sig: not base64"]);
  });

  test("has one entry for a choice, where its first member stands", () => {
    const entries = entriesOf(fieldsOf(schema, messageOf("transfer")));
    expect(entries.at(-1)).toMatchObject({
      choice: "kind",
      fields: [{ name: "oneOff" }, { name: "recurring" }],
    });
    expect(entries).toHaveLength(7);
  });
});

test("values of an enum are named without what all of them begin with", () => {
  expect(enumLabels(["TIME_IN_FORCE_UNSPECIFIED", "TIME_IN_FORCE_GTC"]).map(([, label]) => label)).toEqual([
    "unspecified",
    "gtc",
  ]);
  expect(enumLabels(["TYPE_A_B", "TYPE_A"]).map(([, label]) => label)).toEqual(["a b", "a"]);
  expect(enumLabels(["ONE", "OTHER"]).map(([, label]) => label)).toEqual(["one", "other"]);
});

describe("an amount", () => {
  test("is in the asset or the market that its message, or one around it, names", () => {
    const transfer = messageOf("transfer");
    expect(unitOf(transfer, "amount", [{ asset: KEY }])).toEqual({ asset: KEY });
    expect(unitOf("vega.PeggedOrder", "offset", [{}, { marketId: KEY }])).toEqual({ priceOf: KEY });
    expect(unitOf(transfer, "reference", [{ asset: KEY }])).toBeUndefined();
  });

  test("is declared for members that the schema has, as texts or whole numbers", () => {
    const amounts = Object.entries(schema.messages).flatMap(([message, fields]) =>
      fields.filter(({ name }) => unitOf(message, name, []) !== undefined),
    );
    // As many as are declared: none of them is misspelt.
    expect(amounts).toHaveLength(27);
    for (const { kind } of amounts) expect(kind).toMatch(/^string$|int64$/);
  });

  test("is written with its decimals, and kept in the smallest unit", () => {
    expect(smallestUnits("12.5", 3)).toBe("12500");
    expect(smallestUnits("-12.5", 3)).toBe("-12500");
    expect(smallestUnits("-0", 3)).toBe("0");
    expect(smallestUnits("12.5678", 3)).toBeUndefined();
    expect(smallestUnits("many", 3)).toBeUndefined();
    expect(smallestUnits("-300", -2)).toBe("-3");
    expect(smallestUnits("350", -2)).toBeUndefined();
  });

  test.each([
    ["12.5", undefined, "its asset or market is not known"],
    ["12", undefined, "its asset or market is not known"],
    ["12.5678", 3, "more than 3 decimals"],
    ["350", -2, "not a multiple of 100"],
    ["many (of them)", 3, "not a number, such as 1,234.5"],
  ])(
    "that is typed as %p with %p decimals is not sent, and stays as it was typed",
    (text, decimals, problem) => {
      const draft = amountDraft(text, decimals);
      expect(unreadableAmount(draft)).toEqual({ text, problem });
      expect(problemsIn(schema, messageOf("transfer"), { amount: draft })).toEqual([`amount: ${problem}`]);
      expect(problemsIn(schema, messageOf("orderSubmission"), { size: draft })).toEqual([`size: ${problem}`]);
      const buys = [{ offset: draft }];
      expect(problemsIn(schema, messageOf("liquidityProvisionSubmission"), { buys })).toEqual([
        `buys[0].offset: ${problem}`,
      ]);
    },
  );

  test("that is read, or is empty, has no problem", () => {
    expect(amountDraft("12.5", 3)).toBe("12500");
    expect(amountDraft(" ", undefined)).toBe("");
    expect(
      problemsIn(schema, messageOf("transfer"), { amount: "12500", reference: "1 (not an amount: a)" }),
    ).toEqual([]);
  });
});

test("members that name something suggest names", () => {
  const kinds = Object.fromEntries(
    fieldsOf(schema, messageOf("transfer")).map((field) => [field.name, namedBy(field)]),
  );
  expect(kinds).toMatchObject({ to: "party", asset: "asset", amount: undefined });
});
