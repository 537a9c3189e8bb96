// Oracle specs and data over small made-up chains, and a store of an earlier schema that is brought over.
import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { openWriter, schemaVersionOf, storePath } from "../../../src/store/database.ts";
import { MIGRATIONS, SCHEMA_VERSION } from "../../../src/store/schema.ts";
import { Field } from "../../../src/wire/block.ts";
import { type Condition, ConditionOperator } from "../../../src/wire/generated/data.ts";
import { encodeOracleData, encodeOracleSpec } from "../../../src/wire/generated/vega.ts";
import { MEMORY, Scratch } from "../../rig/homes.ts";
import { chainOf, type Event, id, type Json, removeChains, walk } from "../../support/small-chain.ts";

const scratch = new Scratch("oracles", MEMORY);
afterAll(removeChains);
afterAll(() => scratch.remove());

const [S1, S2] = [id(0x51), id(0x52)];

/** @param n told by `broadcastAt`, which has no part in what the data say */
function oracleData(n: number, matchedSpecIds: string[], value: string, key = "k1"): Event {
  const data = { signers: [{ pubKey: { key } }], data: [{ name: "price", value }], matchedSpecIds };
  return [
    Field.oracleData,
    encodeOracleData({ externalData: { data: { ...data, broadcastAt: BigInt(n) * 1000n } } }),
  ];
}

const broadcastSeconds = (node: Json) => Number(node.externalData.data.broadcastAt) / 1000;

describe("oracle data", () => {
  const get = chainOf([
    [oracleData(1, [S1], "10"), oracleData(2, [S1], "11"), oracleData(3, [S1], "10", "k2")],
    [oracleData(4, [S1], "11"), oracleData(5, [S2], "10"), oracleData(6, [S1, S2], "10")],
    [oracleData(7, [S2, S1], "10"), oracleData(8, [S1.toUpperCase(), S2], "10")],
  ]);
  const listed = async (query: string) =>
    (await get(`/oracle/data?${query}`)).body.oracleData.edges.map((edge: Json) =>
      broadcastSeconds(edge.node),
    );

  test("of equal specs and values the last is listed, whoever signed it", async () => {
    expect(await listed("")).toEqual([8, 7, 5, 4, 3]);
    expect(await listed("pagination.newestFirst=false")).toEqual([3, 4, 5, 7, 8]);
    expect(await listed("pagination.last=2")).toEqual([4, 3]);
    expect((await walk(get, "/oracle/data?", 2)).map(broadcastSeconds)).toEqual([8, 7, 5, 4, 3]);
  });

  test("of a spec everything is listed that matched it", async () => {
    expect(await listed(`oracleSpecId=${S1}`)).toEqual([8, 7, 6, 4, 3, 2, 1]);
    expect(await listed(`oracleSpecId=${S2}`)).toEqual([8, 7, 6, 5]);
  });
});

test("an oracle spec of the chain's own time has signers and filters as any other", async () => {
  const condition = { operator: ConditionOperator.OPERATOR_GREATER_THAN, value: "1700000000" };
  const later = { ...condition, value: "1800000000" };
  const spec = (n: number, conditions: Condition[]): Event => [
    Field.oracleSpec,
    encodeOracleSpec({
      externalDataSourceSpec: {
        spec: { id: id(n), data: { internal: { time: { conditions } } }, status: 1 },
      },
    }),
  ];
  const get = chainOf([[spec(1, [condition, later]), spec(2, [])]]);
  const { edges } = (await get("/oracle/specs?pagination.newestFirst=false")).body.oracleSpecs;
  const key = { name: "vegaprotocol.builtin.timestamp", type: "TYPE_TIMESTAMP" };
  const conditions = [{ operator: "OPERATOR_GREATER_THAN", value: "1700000000" }];
  expect(edges.map(({ node }: Json) => node.externalDataSourceSpec.spec.data)).toEqual([
    { external: { oracle: { signers: [], filters: [{ key, conditions }] } } },
    { external: { oracle: { signers: [], filters: [] } } },
  ]);
});

test("a store from before schema 7 lists the last of equal oracle data, too", () => {
  const home = scratch.path();
  mkdirSync(home, { recursive: true });
  const old = new Database(storePath(home), { create: true, strict: true, safeIntegers: true });
  for (const { version, run } of MIGRATIONS) if (version < 7) run(old);
  old.run("PRAGMA application_id = 0x4c595241");
  old.run("PRAGMA user_version = 6");
  const events = [oracleData(1, [S1], "10"), oracleData(2, [S2], "10"), oracleData(3, [S1], "10")];
  for (const [n, [, bytes]] of events.entries())
    old.run("INSERT INTO oracle_data(block, ord, tx, data) VALUES(?, ?, 1, ?)", [1 + n, 10 + n, bytes]);
  old.close();

  const db = openWriter(home);
  expect(schemaVersionOf(db)).toBe(SCHEMA_VERSION);
  const rows = db.query("SELECT block, ord FROM oracle_data_current ORDER BY block").values();
  expect(rows.map((row) => row.map(Number))).toEqual([
    [2, 11],
    [3, 12],
  ]);
  db.close();
});
