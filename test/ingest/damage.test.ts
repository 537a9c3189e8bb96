// Damaged recordings: cut anywhere, bits flipped anywhere. Whole blocks before the damage are stored, the place is
// reported, the store stays sound and readable, and the good file completes it.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { constants, gunzipSync, gzipSync } from "node:zlib";
import { Dice } from "../../scripts/sample/seeded.ts";
import { NodeError } from "../../src/errors/node-error.ts";
import type { Damage } from "../../src/ingest/recording.ts";
import { openReader } from "../../src/store/database.ts";
import { digestOf, headOf, load, MEMORY, SAMPLE, Scratch } from "../rig/homes.ts";
import { EverythingReader } from "../rig/reads.ts";
import { type BlockSpan, blockSpans, inflated, recordOffsets, upTo } from "../rig/stream.ts";
import { runs, SEED } from "../support/seed.ts";

const HEIGHT = 120;
const CUTS = runs(25);
const FLIPS = runs(40);
/** Fixed part of a gzip header; a flip in it may change a time stamp and nothing else (RFC 1952, section 2.3). */
const GZIP_HEADER_BYTES = 10;

const scratch = new Scratch("damage", MEMORY);
const dice = new Dice(SEED);
let plain: Buffer;
let gzip: Buffer;
let spans: BlockSpan[];
let offsets: number[];
/** Digest of a store that holds the first n blocks, by n. */
const prefixes = new Map<number, string>();

beforeAll(async () => {
  console.log(`damage.test: seed ${SEED}`);
  plain = Buffer.from(upTo(inflated(SAMPLE), HEIGHT));
  gzip = gzipSync(plain);
  spans = blockSpans(plain);
  offsets = recordOffsets(plain);
});
afterAll(() => scratch.remove());

/** Digest of a home with the first blocks of the good file. */
async function prefix(blocks: number): Promise<string> {
  let digest = prefixes.get(blocks);
  if (digest === undefined) {
    const home = scratch.path();
    await load(home, scratch.file(plain.subarray(0, blocks === 0 ? 0 : spans[blocks - 1]!.end)));
    digest = digestOf(home).sha256;
    prefixes.set(blocks, digest);
  }
  return digest;
}

interface Outcome {
  readonly home: string;
  readonly blocks: number;
  readonly damage: Damage | undefined;
  readonly error: NodeError | undefined;
}

async function loadDamaged(bytes: Uint8Array): Promise<Outcome> {
  const home = scratch.path();
  const file = scratch.file(bytes, "damaged.evts");
  try {
    const { files, blocks } = await load(home, file);
    return { home, blocks, damage: files[0]!.damage, error: undefined };
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    const head = headOf(home);
    // Genesis and the first block have one height.
    const blocks = head === undefined ? 0 : head.height === 1 ? head.blocksAtHeight : head.height + 1;
    return { home, blocks, damage: undefined, error };
  }
}

/** Loads the good file on top; the home must then be as if nothing had been. */
async function expectCompletes(home: string): Promise<void> {
  await load(home, scratch.file(plain));
  expect(digestOf(home).sha256).toBe(await prefix(spans.length));
}

describe("a file that was cut", () => {
  /** Cuts in every part of a record, and anywhere. */
  function cuts(): number[] {
    const inside = [0, 1, 3, 4, 5, 11, 12, 13].flatMap((byte) =>
      Array.from({ length: runs(5) }, () => dice.pick(offsets.slice(0, -1)) + byte),
    );
    return [...inside, ...Array.from({ length: CUTS }, () => dice.below(plain.length))];
  }

  test("is stored up to the last whole block, and says record and byte", async () => {
    for (const cut of cuts()) {
      const { home, blocks, damage, error } = await loadDamaged(plain.subarray(0, cut));
      const records = offsets.findLastIndex((offset) => offset <= cut);
      const whole = spans.filter((span) => span.end <= cut).length;
      expect({ cut, blocks, error }).toEqual({ cut, blocks: whole, error: undefined });
      const isBetween = offsets[records] === cut && cut > 0;
      if (isBetween) expect(damage).toBeUndefined();
      else {
        expect(damage).toMatchObject({ record: records + 1, offset: offsets[records]! });
        const reason =
          cut === 0 ? "the file is empty" : `the file ends inside record ${records + 1}: at least `;
        expect(damage!.reason).toStartWith(reason);
      }
      expect(digestOf(home).sha256).toBe(await prefix(whole));
      if (cut % 4 === 0) await expectCompletes(home);
    }
  }, 120_000);

  test("compressed, is stored up to the last whole block that can be inflated", async () => {
    const places = [0, 1, 2, 5, 9, 10, 11, ...[1, 4, 5, 8, 9, 12].map((bytes) => gzip.length - bytes)];
    for (const cut of [...places, ...Array.from({ length: CUTS }, () => dice.below(gzip.length))]) {
      const left = gzip.subarray(0, cut);
      const { home, blocks, damage, error } = await loadDamaged(left);
      const readable = cut <= 10 ? 0 : gunzipSync(left, { finishFlush: constants.Z_SYNC_FLUSH }).length;
      const whole = spans.filter((span) => span.end <= readable).length;
      expect({ cut, blocks, error }).toEqual({ cut, blocks: whole, error: undefined });
      const reasons = ["the file is empty", "the file ends inside record 1: at least"];
      if (cut > 1)
        reasons.splice(0, 2, "the compressed data ends too early, before its check sum: what was read of it");
      expect(reasons.filter((reason) => damage!.reason.startsWith(reason))).toHaveLength(1);
      expect(damage!.offset).toBe(offsets.findLast((offset) => offset <= readable)!);
      expect(digestOf(home).sha256).toBe(await prefix(whole));
      if (cut % 4 === 0) await expectCompletes(home);
    }
  }, 120_000);
});

describe("a file with a flipped bit", () => {
  interface Tally {
    seen: number;
    unseen: number;
  }

  async function flipAt(good: Buffer, offset: number, tally: Tally): Promise<Outcome> {
    const bytes = Buffer.from(good);
    bytes[offset]! ^= 1 << dice.below(8);
    const outcome = await loadDamaged(bytes);
    const { home, blocks, damage, error } = outcome;
    if (damage) {
      expect(damage.record).toBeGreaterThan(0);
      expect(damage.offset).toBeLessThanOrEqual(plain.length + gzip.length);
      expect(damage.reason).not.toMatch(/\bundefined\b|\n|\.ts\b|\/home|\/tmp/);
    }
    if (error) {
      expect(["block_invalid", "time_backwards", "height_gap", "chain_mismatch"]).toContain(error.code);
      expect(error.message).toMatch(
        /damaged\.evts: .* begins at record \d+, byte \d+ of the inflated data\)$/,
      );
    }
    const digest = digestOf(home).sha256;
    const db = openReader(home);
    expect(new EverythingReader(db, 50).failures()).toEqual([]);
    db.close();
    // A flip that still makes sense is another content, as far as anyone can tell.
    if (digest !== (await prefix(blocks))) tally.unseen++;
    else {
      tally.seen++;
      await expectCompletes(home);
    }
    return outcome;
  }

  test("never breaks the store or a reader", async () => {
    const tally = { seen: 0, unseen: 0 };
    for (let i = 0; i < FLIPS; i++) await flipAt(plain, dice.below(plain.length), tally);
    console.log(
      `damage.test: plain flips: ${tally.seen} left whole blocks only, ${tally.unseen} changed a value`,
    );
    expect(tally.seen).toBeGreaterThan(0);
  }, 120_000);

  test("in a size field, ends the file there", async () => {
    const tally = { seen: 0, unseen: 0 };
    for (let i = 0; i < runs(10); i++) {
      const record = dice.below(offsets.length - 1);
      const { damage, error } = await flipAt(plain, offsets[record]! + dice.below(4), tally);
      expect(error).toBeUndefined();
      // A size that is too small or too large shows at once, or where the next record should begin.
      expect(damage!.record).toBeGreaterThanOrEqual(record + 1);
      expect(damage!.record).toBeLessThanOrEqual(record + 2);
    }
    expect(tally.unseen).toBe(0);
  }, 120_000);

  test("compressed, is always noticed", async () => {
    const tally = { seen: 0, unseen: 0 };
    for (let i = 0; i < FLIPS; i++) {
      const offset = GZIP_HEADER_BYTES + dice.below(gzip.length - GZIP_HEADER_BYTES);
      const { home, damage, error } = await flipAt(gzip, offset, tally);
      // The last bits before the check sum are only there to fill a byte.
      if (!damage && !error) expect(digestOf(home).sha256).toBe(await prefix(spans.length));
    }
    expect(tally.unseen).toBe(0);
  }, 120_000);

  const NOTHING_LOADED = "; any value in the file may be wrong, so nothing of it is loaded";

  test("compressed, that still inflates, stores no changed value", async () => {
    // Stored as it is, a flipped digit is another digit, and only the check sum knows.
    const stored = gzipSync(plain, { level: 0 });
    const tally = { seen: 0, unseen: 0 };
    for (let i = 0; i < runs(10); i++) {
      const { blocks, damage } = await flipAt(stored, 5_000 + dice.below(50_000), tally);
      if (!damage!.reason.startsWith("the check sum")) continue;
      expect({ blocks, damage }).toMatchObject({ blocks: 0, damage: { offset: 0, record: 1 } });
    }
    expect(tally.unseen).toBe(0);
  }, 120_000);

  test("in the check sum alone, cannot be told from one in the data", async () => {
    for (const fromEnd of [1, 4, 5, 8]) {
      const tally = { seen: 0, unseen: 0 };
      const { blocks, damage } = await flipAt(gzip, gzip.length - fromEnd, tally);
      expect(blocks).toBe(0);
      const reason = `the check sum of the compressed data is wrong${NOTHING_LOADED}`;
      expect(damage).toEqual({ offset: 0, record: 1, reason });
      expect(tally.seen).toBe(1);
    }
  });

  test("in a file too large to be inflated at once, is noticed first as well", async () => {
    // Zeros behind a record that is left open make a small file that inflates to a large one.
    const large = Buffer.concat([plain, Buffer.from([0x03, 0xff, 0xff, 0xff]), Buffer.alloc(65 * 2 ** 20)]);
    const bytes = gzipSync(large);
    const sound = await loadDamaged(bytes);
    expect(sound).toMatchObject({ blocks: spans.length, damage: { offset: plain.length } });
    bytes[bytes.length - 6]! ^= 1;
    const { blocks, damage } = await loadDamaged(bytes);
    expect({ blocks, ...damage }).toMatchObject({ blocks: 0, offset: 0, record: 1 });
    expect(damage!.reason).toEndWith(NOTHING_LOADED);
  }, 120_000);
});

describe("bytes behind the end", () => {
  test("of a compressed file, loses nothing and is said", async () => {
    const { blocks, damage } = await loadDamaged(Buffer.concat([gzip, Buffer.from("and more")]));
    expect(blocks).toBe(spans.length);
    expect(damage).toMatchObject({ offset: plain.length, reason: "what stands here is not gzip data" });
  });

  test("of a compressed file, may be zeros", async () => {
    const { blocks, damage } = await loadDamaged(Buffer.concat([gzip, Buffer.alloc(700)]));
    expect({ blocks, damage }).toEqual({ blocks: spans.length, damage: undefined });
  });
});
