// A killed load recovers by itself (scripts/crash-rig.ts does the same some hundred times), and the rig that says so
// can fail.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openWriter, segmentDirectory } from "../../src/store/database.ts";
import type { StoreDigest } from "../../src/store/dump.ts";
import { crashRounds, dropRow } from "../rig/crash.ts";
import { digestOf, SAMPLE, Scratch } from "../rig/homes.ts";
import { lyra } from "../rig/lyra.ts";
import { longRecording } from "../rig/stream.ts";
import { differences } from "../support/digests.ts";

const ROUNDS = 1;
const ROUND_MS_MAX = 30_000;

const scratch = new Scratch("crash-test");
afterAll(() => scratch.remove());

describe("loads killed at random moments end in the bytes of an undisturbed one:", () => {
  const recordings: ReadonlyArray<readonly [name: string, path: () => string]> = [
    ["the sample", () => SAMPLE],
    ["one of many commits", () => scratch.file(longRecording(800, 30))],
  ];
  for (const [name, path] of recordings) {
    test(
      name,
      async () => {
        const seed = Number(process.env.LYRA_TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));
        const report = await crashRounds({ recording: path(), rounds: ROUNDS, seed, segmentLength: 100 });
        console.log(`crash.test: seed ${seed}, ${report.kills} kills, ${report.killsMidway} of them midway`);
        expect(report.failures).toEqual([]);
        expect(report.kills).toBeGreaterThanOrEqual(ROUNDS);
      },
      ROUNDS * ROUND_MS_MAX,
    );
  }
});

describe("canaries: the comparison sees", () => {
  let whole: string;
  let digest: StoreDigest;

  beforeAll(async () => {
    whole = scratch.path();
    const { code, err } = await lyra(["replay", SAMPLE, "--home", whole, "--quiet"]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    digest = digestOf(whole);
  });

  /** The differences that the comparison finds in a changed copy. */
  function differencesAfter(change: (home: string) => void): string[] {
    const home = scratch.path();
    cpSync(whole, home, { recursive: true });
    change(home);
    const differing = differences(digest, digestOf(home));
    rmSync(home, { recursive: true });
    return differing;
  }

  function sql(statement: string): (home: string) => void {
    return (home) => {
      const db = openWriter(home);
      db.run(statement);
      db.close();
    };
  }

  function firstSegment(home: string): string {
    return join(segmentDirectory(home), readdirSync(segmentDirectory(home))[0]!);
  }

  test("nothing where nothing is", () => {
    expect(differencesAfter(() => {})).toEqual([]);
  });

  test("a single missing row of any table", () => {
    for (const table of Object.entries(digest.tables)) {
      const [name, { rows }] = table;
      if (rows === 0) continue;
      expect(differencesAfter((home) => dropRow(home, name))).toEqual([
        `table ${name}: ${rows} rows against ${rows - 1}`,
      ]);
    }
  });

  const changes: ReadonlyArray<readonly [name: string, statement: string, table: string]> = [
    [
      "one more unit in one balance",
      "UPDATE balances SET balance = balance + 1 WHERE rowid_is_first",
      "balances",
    ],
    ["a number that became text", "UPDATE balances_current SET balance = '' || balance", "balances_current"],
    ["a text that became bytes", "UPDATE reward_totals SET amount = CAST(amount AS BLOB)", "reward_totals"],
    ["a row that moved to another block", "UPDATE trades SET ord = ord + 1", "trades"],
    ["a head that is one behind", "UPDATE meta SET value = replace(value, '3010', '3009')", "meta"],
  ];
  for (const [name, statement, table] of changes) {
    test(name, () => {
      const first = "(block, account) = (SELECT block, account FROM balances LIMIT 1)";
      const differing = differencesAfter(sql(statement.replace("rowid_is_first", first)));
      expect(differing).toHaveLength(1);
      expect(differing[0]).toStartWith(`table ${table}: `);
    });
  }

  test("a single changed byte in a segment", () => {
    const differing = differencesAfter((home) => {
      const path = firstSegment(home);
      const bytes = readFileSync(path);
      bytes[bytes.length >> 1]! ^= 1;
      writeFileSync(path, bytes);
    });
    expect(differing).toEqual([expect.stringMatching(/^file [0-9a-f]{64}\.seg differs$/)]);
  });

  test("a segment too few and a file too many", () => {
    const differing = differencesAfter((home) => {
      rmSync(firstSegment(home));
      writeFileSync(join(segmentDirectory(home), "1-1000.seg.tmp"), "");
    });
    expect(differing).toEqual([
      expect.stringMatching(/\.seg only in the first$/),
      "file 1-1000.seg.tmp only in the second",
    ]);
  });

  test("through the whole rig", async () => {
    const { failures } = await crashRounds({
      recording: SAMPLE,
      rounds: 1,
      seed: 1,
      modes: ["replay"],
      tamper: dropRow,
    });
    expect(failures.join()).toMatch(/table balances: \d+ rows against \d+/);
  });
});
