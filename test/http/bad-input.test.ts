// Bad input of every kind to every endpoint (docs/protocol/10-data-api-serving.md#14-query-parameter-parsing and
// #16-errors): the answer is an error object or a page, the client's fault is 4xx, nothing of the inside is told, and
// the next question is answered.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { DEFAULT_LIMITS } from "../../src/http/limits.ts";
import { readRequest } from "../../src/http/query.ts";
import { dataApp } from "../../src/planes/data/app.ts";
import { DATA_ENDPOINTS } from "../../src/planes/data/endpoints.ts";
import { EXPORT_PATH } from "../../src/planes/data/network-history.ts";
import { EXPORT_REQUEST, LEDGER_EXPORT_REQUEST } from "../../src/planes/data/streams.ts";
import { malformedQueries, type Parameter, parametersOf, valuesFor } from "../support/bad-values.ts";
import { expectLinear } from "../support/cost.ts";
import { expectOrderly } from "../support/expect-orderly.ts";
import { LISTS, pathOf } from "../support/lists.ts";
import { blocksArbitrary, RandomChain } from "../support/random-chain.ts";
import { runs, SEED, sample } from "../support/seed.ts";
import { pagesOf } from "../support/walk.ts";

/** An answer that costs more CPU time is as good as none. */
const ANSWER_MS_MAX = 3_000;
const ID = "ab".repeat(32);

interface Target {
  readonly path: string;
  /** Names of the fields that the path sets. */
  readonly inPath: readonly string[];
  readonly parameters: readonly Parameter[];
}

const routes = [
  ...DATA_ENDPOINTS,
  { path: EXPORT_PATH, request: EXPORT_REQUEST },
  { path: "/api/v2/ledgerentry/export", request: LEDGER_EXPORT_REQUEST },
];
const targets = routes.map(({ path, request }): Target => {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);
  return { path, inPath, parameters: parametersOf(request) };
});

const chain = new RandomChain();
beforeAll(() => chain.write(fc.sample(blocksArbitrary(8, 6), { seed: SEED, numRuns: 1 })[0]!));
afterAll(() => chain.close());

function filled({ path }: Target, value = ID): string {
  return path.replace(/\{\w+\}/g, () => encodeURIComponent(value));
}

const app = dataApp(chain.plane);
const handle = async (request: Request) => app.handle(request);

async function expectCheap(act: () => Promise<unknown>): Promise<void> {
  const from = process.cpuUsage();
  await act();
  const { user, system } = process.cpuUsage(from);
  expect((user + system) / 1_000).toBeLessThan(ANSWER_MS_MAX);
}

const ask = (request: string): Promise<void> =>
  expectCheap(async () => expectOrderly(await chain.get(request), request));

test("a name of nothing but brackets costs no more than any other of its length", () => {
  const read = (length: number) => {
    const key = `${"[".repeat(length)}\n]`;
    return () => expect(readRequest("datanode.api.v2.ListAssetsRequest", [[key, ""]], {}, 1)).toEqual({});
  };
  // An expression that backs off from every bracket costs the square of their number.
  expectLinear(read(60_000), read(6_000), 10);
});

test.each([
  ["orders.price", 'invalid path: "orders" is not a message'],
  ["orders", 'parsing list "orders": unsupported message type: "datanode.api.v2.OrderInfo"'],
])("a list of messages takes no parameter: %s", (key, text) => {
  const read = () => readRequest("datanode.api.v2.EstimatePositionRequest", [[key, "5"]], {}, 1);
  expect(read).toThrow(text);
});

describe("every parameter of every endpoint", () => {
  test.each(targets.map((target): [string, Target] => [target.path, target]))("%s", async (_, target) => {
    const queries = target.parameters.flatMap((parameter) => [
      ...valuesFor(parameter).map((value) => `${parameter.name}=${encodeURIComponent(value)}`),
      ...malformedQueries(parameter),
    ]);
    for (const query of sample(queries)) await ask(`${filled(target)}?${query}`);
    if (target.inPath.length === 0) return;
    const ids = valuesFor(parametersOf("datanode.api.v2.GetAssetRequest")[0]!);
    for (const value of sample(ids)) await ask(filled(target, value));
  });
});

describe("every list, with the cursors of all lists and parts of them", () => {
  const paths = LISTS.map((list) => pathOf(list, list.queries[0]!));
  const cursors: string[] = [];
  beforeAll(async () => {
    for (const path of paths) {
      const { edges } = await pagesOf(chain.get, path)("pagination.first=1");
      cursors.push(...edges.map(({ cursor }) => cursor));
    }
  });

  test.each(paths)("%s", async (path) => {
    const joined = path.includes("?") ? `${path}&` : `${path}?`;
    for (const cursor of cursors) {
      for (const text of [cursor, ...sample(brokenCursors(cursor))]) {
        const at = encodeURIComponent(text);
        await ask(`${joined}pagination.after=${at}`);
        await ask(`${joined}pagination.last=2&pagination.before=${at}`);
      }
    }
  });
});

/** The cursor with one member left out, or with a value that does not belong there. */
function brokenCursors(cursor: string): string[] {
  const text = Buffer.from(cursor, "base64").toString();
  if (!text.startsWith("{")) return [];
  const members = JSON.parse(text) as Record<string, unknown>;
  const encoded = (changed: object) => Buffer.from(JSON.stringify(changed)).toString("base64");
  return Object.keys(members).flatMap((name) => {
    const { [name]: _, ...rest } = members;
    const wrong = [null, 0, -1, 0.5, 1e300, "", "zz", "\0", [], {}, true, "9".repeat(400)];
    return [encoded(rest), ...wrong.map((value) => encoded({ ...members, [name]: value }))];
  });
}

describe("many values", () => {
  const repeated = targets.flatMap(({ path, parameters }) =>
    parameters
      .filter(({ field }) => field.repeated)
      .map((parameter): [string, string, Parameter] => [`${path} ${parameter.name}`, path, parameter]),
  );
  const values = ({ field }: Parameter, count: number): string[] =>
    Array.from({ length: count }, (_, i) =>
      field.kind === "enum" ? "1" : i.toString(16).padStart(64, i % 2 === 0 ? "0" : "5"),
    );

  test.each(repeated)("%s: a thousand are taken, one more is not", async (_, path, parameter) => {
    for (const [count, isTaken] of [
      [1_000, true],
      [1_001, false],
      [5_000, false],
    ] as const) {
      const body = values(parameter, count)
        .map((value) => `${parameter.name}=${value}`)
        .join("&");
      const request = new Request(`http://localhost${path}`, {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body,
      });
      await expectCheap(async () => {
        const response = await handle(request);
        if (body.length > DEFAULT_LIMITS.bodyBytesMax) expect(response.status).toBe(413);
        else if (!isTaken) expect(await response.clone().text()).toContain("more than 1000 values");
        await expectOrderly(response, `${path} with ${count} values`);
      });
    }
  });
});

test.each(["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])("every endpoint refuses %s", async (method) => {
  for (const target of targets) {
    const response = await handle(new Request(`http://localhost${filled(target)}`, { method }));
    expect([target.path, response.status]).toEqual([target.path, 501]);
    await expectOrderly(response, target.path);
  }
});

describe(`random queries (seed ${SEED})`, () => {
  const textFor = (parameter: Parameter) =>
    fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...valuesFor(parameter)) },
      { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 40 }) },
    );
  const pairOf = (parameters: readonly Parameter[]) =>
    fc
      .constantFrom(...parameters)
      .chain((parameter) =>
        textFor(parameter).map((value) => `${parameter.name}=${encodeURIComponent(value.toWellFormed())}`),
      );
  const request = fc
    .constantFrom(...targets.filter(({ parameters }) => parameters.length > 0))
    .chain((target) =>
      fc
        .array(pairOf(target.parameters), { maxLength: 8 })
        .map((pairs) => `${filled(target)}?${pairs.join("&")}`),
    );

  test("several parameters at once", async () => {
    const property = fc.asyncProperty(request, ask);
    await fc.assert(property, { seed: SEED, numRuns: runs(1_500) });
  });

  test("any text for a query", async () => {
    const part = fc.oneof(
      fc.constantFrom(
        "pagination",
        "filter",
        ".",
        "=",
        "&",
        "%",
        "[",
        "]",
        ";",
        "+",
        "first",
        "partyIds",
        "%00",
      ),
      fc.string({ maxLength: 6 }).map((text) => text.replaceAll(/[#\s]/g, "_")),
    );
    const query = fc.array(part, { maxLength: 20 }).map((parts) => parts.join(""));
    const property = fc.asyncProperty(fc.constantFrom(...targets), query, (target, text) =>
      ask(`${filled(target)}?${text}`),
    );
    await fc.assert(property, { seed: SEED, numRuns: runs(800) });
  });

  test("any text for a cursor", async () => {
    const paths = LISTS.map((list) => pathOf(list, list.queries[0]!));
    const text = fc.oneof(fc.json(), fc.string(), fc.string({ unit: "binary" }), fc.base64String());
    const property = fc.asyncProperty(
      fc.constantFrom(...paths),
      text,
      fc.boolean(),
      (path, value, isPlain) => {
        const cursor = isPlain ? value : Buffer.from(value).toString("base64");
        const joined = path.includes("?") ? `${path}&` : `${path}?`;
        return ask(`${joined}pagination.after=${encodeURIComponent(cursor.toWellFormed())}`);
      },
    );
    await fc.assert(property, { seed: SEED, numRuns: runs(800) });
  });
});
