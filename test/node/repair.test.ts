// lyra doctor --repair: what can be made again is, and only what is verified takes the place of something.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { lockHome } from "../../src/files/lock.ts";
import { openReader, PAGE_BYTES, storePath } from "../../src/store/database.ts";
import { digestStore } from "../../src/store/dump.ts";
import { sumsPath } from "../../src/store/page-sums.ts";
import { SAMPLE, Scratch } from "../rig/homes.ts";
import { lyra } from "../rig/lyra.ts";
import { IS_FULL_LENGTH, sample } from "../support/seed.ts";

const scratch = new Scratch("repair");
const sound = scratch.path("sound");
let digest: string;

beforeAll(async () => {
  expect((await lyra(["replay", SAMPLE, "--home", sound, "--segment-length", "500", "--quiet"])).code).toBe(
    0,
  );
  digest = digestOf(sound);
}, 120_000);
afterAll(() => scratch.remove());

function copy(): string {
  const home = scratch.path("copy");
  cpSync(sound, home, { recursive: true });
  return home;
}

function digestOf(home: string): string {
  using db = openReader(home);
  return digestStore(db, home).sha256;
}

function flip(path: string, offset: number): void {
  const bytes = readFileSync(path);
  bytes[offset]! ^= 4;
  writeFileSync(path, bytes);
}

function pageOf(home: string, tree: string, type = "leaf"): number {
  using db = openReader(home);
  const row = db.query("SELECT pageno FROM dbstat WHERE name = ? AND pagetype = ?").get(tree, type);
  return Number((row as { pageno: bigint }).pageno);
}

async function repair(home: string, ...recordings: string[]) {
  const words = recordings.flatMap((file) => ["--recording", file]);
  const { code, out } = await lyra(["doctor", "--repair", ...words, "--home", home, "--json"]);
  const { findings } = JSON.parse(out) as { findings: { check: string; ok: boolean; detail: string }[] };
  const repairs = findings.filter(({ check }) => check === "repair");
  return { code, ok: repairs.every(({ ok }) => ok), details: repairs.map(({ detail }) => detail) };
}

test("a sound home is left alone", async () => {
  expect(await repair(copy())).toEqual({ code: 0, ok: true, details: ["nothing had to be made again"] });
});

test("a segment's file is made again, byte for byte", async () => {
  const home = copy();
  const [name] = readdirSync(join(home, "segments"));
  const path = join(home, "segments", name!);
  const before = readFileSync(path);
  flip(path, 100);
  expect(await repair(home)).toMatchObject({ code: 0, details: [expect.stringContaining("is made again")] });
  expect(readFileSync(path).equals(before)).toBe(true);
});

test("damaged sums are made again", async () => {
  const home = copy();
  flip(sumsPath(storePath(home)), 4096 + 8 * 20);
  expect(await repair(home)).toMatchObject({ code: 0, details: [expect.stringContaining("sums")] });
});

describe("a damaged store", () => {
  function damaged(): string {
    const home = copy();
    flip(storePath(home), pageOf(home, "ledger") * PAGE_BYTES - 100);
    return home;
  }

  test("is made again from its recording, and the old one kept", async () => {
    const home = damaged();
    const old = readFileSync(storePath(home));
    expect(await repair(home, SAMPLE)).toMatchObject({ code: 0, ok: true });
    expect(digestOf(home)).toBe(digest);
    const kept = readdirSync(home).find((name) => name.startsWith("damaged-"))!;
    expect(readFileSync(join(home, kept, "lyra.db")).equals(old)).toBe(true);
    expect(existsSync(join(home, "repair.tmp"))).toBe(false);
  });

  test("stays as it was without a recording, with another chain's, and with a damaged one", async () => {
    const home = damaged();
    const old = readFileSync(storePath(home));
    const bad = join(home, "cut.evts.gz");
    writeFileSync(bad, readFileSync(SAMPLE).subarray(0, 20_000));
    const other = SAMPLE.replace("sample.evts", "devnet-sample.evts");
    const refused: [recordings: string[], words: string][] = [
      [[], "--recording FILE"],
      [[other], "does not fit"],
      [[bad], "does not fit"],
    ];
    for (const [recordings, words] of sample(refused)) {
      const { code, ok, details } = await repair(home, ...recordings);
      expect([code, ok]).toEqual([1, false]);
      expect(details[0]).toContain(words);
      expect(readFileSync(storePath(home)).equals(old)).toBe(true);
    }
  });
});

test("a home in use is left alone", async () => {
  const home = copy();
  const lock = lockHome(home);
  try {
    const { code, err } = await lyra(["doctor", "--repair", "--home", home]);
    expect(code).not.toBe(0);
    expect(err).toContain("is using the home");
  } finally {
    lock.release();
  }
});

describe("damage in an index", () => {
  test("is made good from its table, without a recording", async () => {
    const home = copy();
    const pages = [
      pageOf(home, "trades_by_market"),
      pageOf(home, "orders_by_id"),
      pageOf(home, "orders_by_id", "internal"),
    ];
    expect(new Set(pages).size).toBe(3);
    for (const page of pages) flip(storePath(home), page * PAGE_BYTES - 100);
    const { code, ok, details } = await repair(home);
    expect({ code, ok }).toEqual({ code: 0, ok: true });
    expect(details).toEqual([expect.stringContaining("3 damaged pages were of indices")]);
    expect(digestOf(home)).toBe(digest);
    expect(readdirSync(home).filter((name) => name.startsWith("damaged-"))).toHaveLength(1);
    expect(await repair(home)).toMatchObject({ code: 0, details: ["nothing had to be made again"] });
  });

  if (IS_FULL_LENGTH)
    test("beside damage in a table takes the recording", async () => {
      const home = copy();
      for (const tree of ["trades_by_market", "trades"])
        flip(storePath(home), pageOf(home, tree) * PAGE_BYTES - 100);
      expect(await repair(home)).toMatchObject({
        code: 1,
        details: [expect.stringContaining("--recording FILE")],
      });
      expect(existsSync(join(home, "repair.tmp"))).toBe(false);
      expect(await repair(home, SAMPLE)).toMatchObject({
        code: 0,
        details: [expect.stringContaining("up to block")],
      });
      expect(digestOf(home)).toBe(digest);
    });
});
