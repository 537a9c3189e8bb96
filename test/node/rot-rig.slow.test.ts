// A few rounds of scripts/rot-rig.ts, which flips a thousand bits, and what makes its verdict worth something: requests
// that reach every table, and wrong answers where nothing is scrubbed.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { Dice } from "../../scripts/sample/seeded.ts";
import { DEFAULT_LIMITS } from "../../src/http/limits.ts";
import { BUILD } from "../../src/node/build.ts";
import { dataApp } from "../../src/planes/data/app.ts";
import { DataContext } from "../../src/planes/data/context.ts";
import { DataPlane } from "../../src/planes/data/plane.ts";
import { openWriter, storePath } from "../../src/store/database.ts";
import { SAMPLE, Scratch } from "../rig/homes.ts";
import { Lyra } from "../rig/lyra.ts";
import { EverythingReader } from "../rig/reads.ts";
import { killedHome, RottingHome, type StoreEnd } from "../rig/rot.ts";

const scratch = new Scratch("rot-rig");
const home = scratch.path("sound");

beforeAll(async () => {
  const loading = new Lyra(["replay", SAMPLE, "--home", home, "--segment-length", "50", "--quiet"]);
  expect((await loading.end()).code).toBe(0);
}, 120_000);
afterAll(() => scratch.remove());

async function servedAfter(rotting: RottingHome, end: StoreEnd, flips: number, isScrubbed: boolean) {
  const dice = new Dice(16);
  const sum = { refused: 0, equal: 0, failed: 0, wrong: 0 };
  for (let i = 0; i < flips; i++) {
    rotting.flip({ end, offset: dice.below(rotting.bytes(end)), bit: dice.below(8) });
    const { isRefused, failed, wrong } = await rotting.serve(isScrubbed);
    if (isRefused) sum.refused++;
    else if (wrong.length > 0) sum.wrong++;
    else if (failed > 0) sum.failed++;
    else sum.equal++;
  }
  return sum;
}

test("the requests reach every table that has rows", async () => {
  const db = openWriter(home);
  try {
    const requests = new EverythingReader(db).requests();
    const answers = async () => {
      const app = dataApp(new DataPlane(new DataContext(db, { limits: DEFAULT_LIMITS, build: BUILD, home })));
      const texts: string[] = [];
      for (const path of requests) {
        const answer = await app.handle(new Request(`http://localhost${path}`));
        texts.push(`${answer.status} ${await answer.text()}`);
      }
      return texts;
    };
    const sound = await answers();
    expect(await answers()).toEqual(sound);
    const unseen: string[] = [];
    let tables = 0;
    for (const [name] of db.query("SELECT name FROM sqlite_schema WHERE type = 'table'").values()) {
      if (db.query(`SELECT 1 FROM ${name} LIMIT 1`).get() === null) continue;
      tables++;
      db.run("BEGIN");
      db.run(`DELETE FROM ${name}`);
      if (Bun.deepEquals(await answers(), sound)) unseen.push(String(name));
      db.run("ROLLBACK");
    }
    expect({ unseen, tables }).toEqual({ unseen: [], tables: expect.any(Number) });
    expect(tables).toBeGreaterThan(50);
  } finally {
    db.close();
  }
}, 120_000);

test("after a flip in the store and a scrub no answer is wrong; without the scrub some are", async () => {
  const rotting = await RottingHome.of(home, scratch.path());
  expect(rotting.requests).toBeGreaterThan(150);
  expect((await rotting.serve()).equal).toBe(rotting.requests);
  expect(await servedAfter(rotting, "", 60, true)).toMatchObject({ wrong: 0 });
  expect((await servedAfter(rotting, "", 20, false)).wrong).toBeGreaterThan(0);
}, 120_000);
test("a log that a kill left and in which a bit flips loses no block in silence", async () => {
  const killed = await killedHome(SAMPLE, scratch.path("killed"), scratch.path("writing"));
  const rotting = await RottingHome.of(killed, scratch.path());
  rotting.restore();
  expect((await rotting.serve()).equal).toBe(rotting.requests);
  expect(await rotting.isFound()).toBe(false);
  expect(await servedAfter(rotting, "-wal", 10, true)).toEqual({
    refused: 10,
    equal: 0,
    failed: 0,
    wrong: 0,
  });
  rotting.flip({ end: "-wal", offset: 20, bit: 5 });
  expect(await rotting.isFound()).toBe(true);
  expect((await rotting.serve()).isRefused).toBe(true);
  rotting.restore();
  rmSync(`${storePath(rotting.home)}-wal`);
  expect(() => openWriter(rotting.home)).toThrow("up to frame 0 of");
  // Nothing was changed: what is put back is whole.
  rotting.restore();
  expect((await rotting.serve()).equal).toBe(rotting.requests);
}, 120_000);
