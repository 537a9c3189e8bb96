// The same random commands on an undisturbed chain and on one that is killed again and again: in the end both
// have the same application hash and the same rows. The engine is the real one, and so is the store.
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openReader, openWriter } from "../../src/store/database.ts";
import { digestStore } from "../../src/store/dump.ts";
import { MEMORY } from "../rig/homes.ts";
import { differences } from "../support/digests.ts";
import { Chance } from "./generator.ts";
import { openChain, play, scriptOf } from "./script-of-blocks.ts";

const CHILD = join(import.meta.dir, "killed-child.ts");
const SEEDS = [1, 3];
/** Milliseconds that a child has after it has opened its home. */
const LIFE_MS = 60;

const folder = mkdtempSync(join(MEMORY, "lyra-simulation-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Kills the child a moment after it has opened its home, unless it is done before. @returns its lines */
async function runAndKill(home: string, scriptFile: string, lifeMs: number | undefined): Promise<string[]> {
  const child = Bun.spawn([process.execPath, CHILD, home, scriptFile], { stdout: "pipe", stderr: "inherit" });
  let text = "";
  const decoder = new TextDecoder();
  for await (const bytes of child.stdout) {
    text += decoder.decode(bytes);
    if (lifeMs !== undefined && text.startsWith("open ")) setTimeout(() => child.kill("SIGKILL"), lifeMs);
  }
  await child.exited;
  return text.trim().split("\n");
}

test("given random commands, then a chain that is killed again and again ends as an undisturbed one", async () => {
  const quiet = mkdtempSync(join(folder, "quiet-"));
  const writer = openWriter(quiet);
  const chain = openChain(writer);
  const first = chain.status.height;
  const script = scriptOf(SEEDS, first);
  const appHash = await play(chain, script, first);
  expect(chain.status.height).toBe(first + script.length);
  await chain.stop();
  writer.close();
  const scriptFile = join(folder, "script.json");
  writeFileSync(scriptFile, JSON.stringify({ first, script }));

  const killed = mkdtempSync(join(folder, "killed-"));
  const chance = new Chance(SEEDS[0]!);
  const openings: string[] = [];
  let last = "";
  for (let round = 0; !last.startsWith("done "); round++) {
    // Whatever the machine is busy with, it ends: lives become longer.
    const lines = await runAndKill(killed, scriptFile, 1 + chance.below(LIFE_MS) + round * 5);
    openings.push(lines[0]!);
    last = lines.at(-1)!;
  }
  expect(last).toBe(`done ${appHash}`);
  const heights = openings.map((line) => Number(line.split(" ")[1]));
  // It was killed in the middle, more than once, and had blocks to make again.
  expect(new Set(heights.filter((height) => height > first)).size).toBeGreaterThan(1);
  expect(openings.some((line) => /, [1-9]\d* blocks replayed/.test(line))).toBe(true);
  const [one, other] = [openReader(quiet), openReader(killed)];
  expect(
    differences(digestStore(other), digestStore(one)).filter((name) => !name.includes("chain_")),
  ).toEqual([]);
  one.close();
  other.close();
}, 120_000);

test("given the commands, then the chain has rows of all that they bring about", async () => {
  const reader = openReader(join(folder, readDirectory("quiet-")));
  const count = (table: string) =>
    (reader.query(`SELECT count(*) AS n FROM ${table}`).get() as { n: number | bigint }).n;
  const tables = [
    "deposits",
    "withdrawals",
    "transfers",
    "stake_linkings",
    "delegations",
    "proposals",
    "votes",
    "rewards",
  ];
  const empty = tables.filter((table) => Number(count(table)) === 0);
  reader.close();
  expect(empty).toEqual([]);
});

function readDirectory(prefix: string): string {
  return [...new Bun.Glob(`${prefix}*`).scanSync({ cwd: folder, onlyFiles: false })][0]!;
}
