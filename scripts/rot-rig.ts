// Flips single bits of a store at random, and counts those that change what can be read and that the checks of
// `lyra doctor --deep` do not find: bun scripts/rot-rig.ts --home DIR [--flips N] [--seed N]
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { checkRows } from "../src/history/segment-rows.ts";
import { listSegments } from "../src/history/segment-table.ts";
import { openReader, segmentDirectory, storePath } from "../src/store/database.ts";
import { digestStore } from "../src/store/dump.ts";
import { checkPages } from "../src/store/page-check.ts";
import { Scratch } from "../test/rig/homes.ts";
import { Dice } from "./sample/seeded.ts";

const { values } = parseArgs({
  options: {
    home: { type: "string" },
    flips: { type: "string", default: "100" },
    seed: { type: "string", default: "1" },
  },
});
if (values.home === undefined) throw new Error("give a home that was loaded with segments: --home DIR");

/** Whether doctor's checks of the rows and pages find anything. */
async function isFound(home: string): Promise<boolean> {
  try {
    const db = openReader(home);
    try {
      const pages = db.query("PRAGMA integrity_check(5)").values();
      if (pages.length !== 1 || pages[0]![0] !== "ok") return true;
      await checkPages(home);
      for (const row of listSegments(db)) await checkRows(db, segmentDirectory(home), row);
      return false;
    } finally {
      db.close();
    }
  } catch {
    return true;
  }
}

function digestOf(home: string): string {
  const db = openReader(home);
  try {
    return digestStore(db, home).sha256;
  } finally {
    db.close();
  }
}

const scratch = new Scratch("rot-rig");
const home = scratch.path();
cpSync(values.home, home, { recursive: true });
const sound = readFileSync(storePath(home));
const dice = new Dice(Number(values.seed));
const counts = { found: 0, harmless: 0, missed: 0 };
try {
  const digest = digestOf(home);
  for (let flip = 0; flip < Number(values.flips); flip++) {
    const bytes = Buffer.from(sound);
    const offset = dice.below(bytes.length);
    bytes[offset]! ^= 1 << dice.below(8);
    writeFileSync(join(home, "lyra.db"), bytes);
    if (await isFound(home)) counts.found++;
    else if (digestOf(home) === digest) counts.harmless++;
    else {
      counts.missed++;
      process.stderr.write(`not found: byte ${offset}\n`);
    }
  }
} finally {
  scratch.remove();
}
process.stdout.write(`${JSON.stringify({ flips: Number(values.flips), bytes: sound.length, ...counts })}\n`);
process.exitCode = counts.missed === 0 ? 0 : 1;
