// The programs of the analysts' page (examples/analysis), on an export of the sample: where Python has their libraries.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SAMPLE, Scratch } from "../rig/homes.ts";
import { lyra, PROGRAM } from "../rig/lyra.ts";

const python = process.env.LYRA_TEST_PYTHON ?? "python3";
const hasLibraries =
  Bun.which(python) !== null &&
  Bun.spawnSync([python, "-c", "import duckdb, polars, pandas"], { stderr: "ignore" }).exitCode === 0;
if (!hasLibraries)
  console.log("SKIPPED: Python has no duckdb, polars and pandas here, so the analysts' programs do not run");

const EXAMPLES = join(import.meta.dir, "../../examples/analysis");
/** The statements of a file on a connection, and the rows of the last one. */
const RUN_SQL = `
import duckdb, sys
rows = [duckdb.sql(text) for text in open(sys.argv[1]).read().split(";\\n") if text.strip()][-1]
print([column for column in rows.columns])
for row in rows.fetchall(): print(row)
`;
const scratch = new Scratch("analysis");
const folder = scratch.path("exports");
afterAll(() => scratch.remove());

async function run(...words: string[]): Promise<string> {
  const child = Bun.spawn([python, ...words], { cwd: folder, stdout: "pipe", stderr: "pipe" });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  expect([await child.exited, err]).toEqual([0, ""]);
  return out;
}

test.skipIf(Bun.which("unzip") === null)(
  "the page's loop exports the tables, and again over what it made",
  () => {
    const document = readFileSync(join(EXAMPLES, "../../docs/analysts.md"), "utf8");
    const [, block = ""] = /## From a node to CSVs.*?```\n(.*?)```/s.exec(document) ?? [];
    const place = scratch.path("page");
    mkdirSync(place);
    const sample = block.replaceAll("data/sample.evts.gz", SAMPLE);
    const script = `set -e\nlyra() { ${PROGRAM.join(" ")} "$@"; }\n${sample}`;
    for (let times = 0; times < 2; times++) {
      const { exitCode, stderr } = Bun.spawnSync(["sh", "-c", script], { cwd: place, stderr: "pipe" });
      expect([exitCode, String(stderr)]).toEqual([0, expect.not.stringContaining("is there already")]);
    }
    expect(readdirSync(join(place, "exports")).filter((name) => name.endsWith(".csv"))).toHaveLength(4);
  },
);

describe.skipIf(!hasLibraries)("the analysts' programs", () => {
  beforeAll(async () => {
    const home = scratch.path();
    expect((await lyra(["replay", SAMPLE, "--home", home, "--quiet"])).code).toBe(0);
    for (const table of ["trades", "markets", "deposits", "balances"]) {
      const out = scratch.path(`${table}.zip`);
      const words = ["history", "export", "--table", table, "--from", "1", "--to", "3000"];
      expect((await lyra([...words, "--out", out, "--home", home, "--quiet"])).code).toBe(0);
      const unpack = "import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extractall(sys.argv[2])";
      expect(Bun.spawnSync([python, "-c", unpack, out, folder]).exitCode).toBe(0);
    }
  });

  test("DuckDB adds up volume and fees of each market", async () => {
    const asset = "3d9d0df874d22d6c7972612d73616d706c652d312d2d2d2d2d2d2d2d2d2d2d2d";
    expect((await run("-c", RUN_SQL, join(EXAMPLES, "volume.sql"))).split("\n")).toEqual([
      "['code', 'trades', 'volume', 'average_price', 'fees', 'fee_asset']",
      `('COMET/DEC26', 28, 157.02, 12.45611438670233, 3239998, '${asset}')`,
      `('METEOR/JAN26', 11, 30.0, 249.6019, 18867756, '${asset}')`,
      "",
    ]);
  });

  test("polars makes the candles that the page shows", async () => {
    const page = readFileSync(join(import.meta.dir, "../../docs/analysts.md"), "utf8");
    expect(page).toContain(await run(join(EXAMPLES, "candles.py"), folder));
  });

  test("pandas follows the balance of the largest depositor, to the last digit", async () => {
    const lines = (await run(join(EXAMPLES, "accounts.py"), folder)).trim().split("\n");
    expect(lines[0]).toBe("party e2658f46a9c52d6c7972612d73616d706c652d312d2d2d2d2d2d2d2d2d2d2d2d");
    expect(lines.slice(2).map((line) => line.split(/ {2,}/)[1])).toEqual([
      "90,000,000,000,000,000,000,000",
      "89,959,960,000,000,000,000,000",
      "89,659,660,000,000,000,000,000",
      "89,389,525,000,000,000,000,000",
      "89,146,403,500,000,000,000,000",
      "88,927,594,150,000,000,000,000",
      "88,730,665,735,000,000,000,000",
      "88,553,430,161,500,000,000,000",
      "88,543,430,161,500,000,000,000",
    ]);
  });
});
