// Hostile queries: each is refused or cut off with a clear error, in a few milliseconds and without a pile of memory.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { DEFAULT_LIMITS } from "../../../src/http/limits.ts";
import { type GraphqlRig, graphqlRig } from "./rig.ts";

const times = (count: number, text: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => text(n));
/** Fragments that each use the next one twice: a thousand billion fields in two kilobytes. */
const BOMB = `{...F0} ${times(40, (n) => `fragment F${n} on Query{...F${n + 1} ...F${n + 1}}`).join(" ")}
  fragment F40 on Query{networkLimits{canProposeAsset}}`;
const deep = (levels: number) => `{${"a{".repeat(levels)}b${"}".repeat(levels)}}`;

const REFUSED: readonly [title: string, query: string, status: number, code: string][] = [
  [
    "3,751 fields",
    `{${times(3_751, (n) => `a${n}:__typename`).join(" ")}}`,
    200,
    "COMPLEXITY_LIMIT_EXCEEDED",
  ],
  ["fields multiplied by fragments", BOMB, 200, "COMPLEXITY_LIMIT_EXCEEDED"],
  ["201 levels", deep(201), 200, "COMPLEXITY_LIMIT_EXCEEDED"],
  ["5,000 levels", deep(5_000), 200, "COMPLEXITY_LIMIT_EXCEEDED"],
  [
    "a fragment in a circle",
    "{...A} fragment A on Query{...B} fragment B on Query{...A}",
    422,
    "GRAPHQL_VALIDATION_FAILED",
  ],
  [
    "a circle through a field",
    '{party(id:""){...A}} fragment A on Party{ordersConnection{edges{node{party{...A}}}}}',
    422,
    "GRAPHQL_VALIDATION_FAILED",
  ],
  ["one field 1,800 times", `{${'asset(id:"aa"){id}'.repeat(1_800)}}`, 422, "GRAPHQL_VALIDATION_FAILED"],
  ["10,000 directives", `{__typename ${"@x ".repeat(10_000)}}`, 422, "GRAPHQL_VALIDATION_FAILED"],
  ["60,000 words", `{__typename ${"@skip(if:true) ".repeat(10_000)}}`, 422, "GRAPHQL_PARSE_FAILED"],
  [
    "a value nested 9,000 times",
    `{deposits(pagination:${"[".repeat(9_000)}${"]".repeat(9_000)}){edges{cursor}}}`,
    422,
    "GRAPHQL_VALIDATION_FAILED",
  ],
  [
    "introspection of introspection",
    "{__schema{types{fields{type{fields{type{fields{type{fields{name}}}}}}}}}}",
    422,
    "GRAPHQL_VALIDATION_FAILED",
  ],
  ["a name of 400,000 letters", `{${"m".repeat(400_000)}}`, 422, "GRAPHQL_VALIDATION_FAILED"],
  [
    "3,000 unknown fields",
    `{${times(3_000, (n) => `marketsConnectio${n}`).join(" ")}}`,
    422,
    "GRAPHQL_VALIDATION_FAILED",
  ],
  ["a change", "mutation{a}", 422, "GRAPHQL_VALIDATION_FAILED"],
];

describe("a hostile query", () => {
  let rig: GraphqlRig;
  beforeAll(async () => {
    rig = await graphqlRig();
  });
  afterAll(() => rig.close());

  test.each(REFUSED)("with %s is refused", async (_, query, status, code) => {
    const { status: got, body } = await rig.ask(query);
    expect(body.data).toBeNull();
    expect([got, body.errors[0].extensions.code]).toEqual([status, code]);
    expect(body.errors.length).toBeLessThan(30);
    for (const { message } of body.errors) {
      expect(message.length).toBeGreaterThan(10);
      expect(message.length).toBeLessThan(400);
    }
  });

  test("as large as it may be is answered", async () => {
    const { status, body } = await rig.ask(
      `{${times(1_875, (n) => `a${n}:networkLimits{canProposeAsset}`).join(" ")}}`,
    );
    expect(status).toBe(200);
    expect(body.errors).toBeUndefined();
    expect(Object.keys(body.data)).toHaveLength(1_875);
  });

  test("of 180 levels is answered", async () => {
    const levels = 180;
    const { status, body } = await rig.ask(
      `{__type(name:"Order"){${"ofType{".repeat(levels)}name${"}".repeat(levels)}}}`,
    );
    expect([status, body]).toEqual([200, { data: { __type: { ofType: null } } }]);
  });

  test("with members named as those of every object is answered without them", async () => {
    const { status, body } = await rig.post('{"query":"{__typename}","constructor":5,"__proto__":[],"x":1}');
    expect([status, body]).toEqual([200, { data: { __typename: "Query" } }]);
  });

  test("in a batch is refused", async () => {
    const { status, body } = await rig.post(Array.from({ length: 1_000 }, () => ({ query: "{__typename}" })));
    expect(status).toBe(400);
    expect(body.errors[0].message).toContain("cannot unmarshal array");
  });

  test("with a body of two megabytes is not read", async () => {
    const { status, body } = await rig.post(`{"query":"{__typename}"${" ".repeat(2 * 1024 * 1024)}}`);
    expect(status).toBe(413);
    expect(body.errors[0].message).toContain("1048576 bytes");
  });

  test("with variables of nearly a megabyte is refused by what it asks", async () => {
    const query = "query($f:TradesFilter){trades(filter:$f){edges{cursor}}}";
    const { body } = await rig.ask(query, { f: { marketIds: times(14_000, () => "ab".repeat(32)) } });
    expect(body.errors[0].message).toContain(`more than ${DEFAULT_LIMITS.filterValuesMax} values`);
    const text = await rig.ask("query($k:String!){networkParameter(key:$k){value}}", {
      k: "x".repeat(900_000),
    });
    expect(text.body.errors[0].message.length).toBeLessThan(400);
  });

  test("with variables nested a thousand times is refused", async () => {
    const body = `{"query":"{__typename}","variables":{"a":${"[".repeat(1_000)}${"]".repeat(1_000)}}}`;
    const { status, body: answer } = await rig.post(body);
    expect(status).toBe(400);
    expect(answer.errors[0].message).toContain("nested deeper");
  });
});

describe("a query that asks for much", () => {
  const NESTED = "{partiesConnection{edges{node{ordersConnection{edges{node{id price}}}}}}}";

  test("ends at the rows of an answer, which says so", async () => {
    const rig = await graphqlRig({ queryRowsMax: 20 });
    const { status, body } = await rig.ask(NESTED);
    expect(status).toBe(200);
    expect(body.errors[0]).toMatchObject({
      message: "the answer has more than 20 rows: ask for fewer with first",
      extensions: { code: "TOO_MANY_ROWS" },
    });
    rig.close();
  });

  test("of the schema itself ends at the rows of an answer, too", async () => {
    const rig = await graphqlRig({ queryRowsMax: 1_000 });
    const nested = "{__schema{types{fields{type{fields{name}}}}}}";
    const { body } = await rig.ask(nested);
    expect(body.errors[0].extensions).toEqual({ code: "TOO_MANY_ROWS" });
    rig.close();
    const late = await graphqlRig({ queryMs: 0 });
    expect((await late.ask(nested)).body.errors[0].extensions).toEqual({ code: "QUERY_TIMEOUT" });
    late.close();
  });

  test("ends when its time is over", async () => {
    const rig = await graphqlRig({ queryMs: 0 });
    const { body } = await rig.ask(NESTED);
    expect(body).toMatchObject({ data: { partiesConnection: null } });
    expect(body.errors[0].extensions).toEqual({ code: "QUERY_TIMEOUT" });
    rig.close();
  });

  test("ends when too many fields failed", async () => {
    const rig = await graphqlRig({ queryErrorsMax: 10 });
    const bad = times(50, (n) => `a${n}:delegationsConnection(nodeId:"zz"){edges{cursor}}`).join(" ");
    const { body } = await rig.ask(`{partiesConnection{edges{node{${bad}}}}}`);
    expect(body.errors).toHaveLength(11);
    expect(body.errors.at(-1)).toEqual({
      message: "more than 10 fields failed",
      extensions: { code: "TOO_MANY_ERRORS" },
    });
    // The first party's fields fail before its list looks at the limit; those of the others are not read.
    expect(body.data).toEqual({ partiesConnection: null });
    rig.close();
  });

  test("and whose answer would be too large gets an error in its place", async () => {
    const rig = await graphqlRig({ responseBytesMax: 500 });
    const { body } = await rig.ask("{networkParametersConnection{edges{node{key value}}}}");
    expect(body.data).toBeNull();
    expect(body.errors[0].extensions).toEqual({ code: "ANSWER_TOO_LARGE" });
    rig.close();
  });

  test("reads the same thing once", async () => {
    const rig = await graphqlRig();
    let reads = 0;
    const { db } = rig.chain.plane.context;
    const query = db.query.bind(db);
    db.query = ((sql: string) => {
      if (/ assets /.test(sql)) reads++;
      return query(sql);
    }) as never;
    const { body } = await rig.ask("{deposits{edges{node{asset{id}}}}}");
    expect(body.data.deposits.edges.length).toBeGreaterThan(10);
    const { size } = new Set(body.data.deposits.edges.map(JSON.stringify));
    expect(reads).toBeGreaterThan(0);
    expect(reads).toBeLessThanOrEqual(2 * size);
    rig.close();
  });
});
