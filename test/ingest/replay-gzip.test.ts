// The blocks of a gzip file are staged after its check sum was verified: a file that is damaged inside leaves nothing.
// A plain file of the same content tells how the store and the answer of a sound one look.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { constants, gunzipSync, gzipSync } from "node:zlib";
import { NodeError } from "../../src/errors/node-error.ts";
import { type ReplayHooks, type ReplayResult, replayFiles } from "../../src/ingest/replay.ts";
import { BlockWriter } from "../../src/store/block-writer.ts";
import { openWriter } from "../../src/store/database.ts";
import type { StoreDigest } from "../../src/store/dump.ts";
import { digestOf, MEMORY, SAMPLE, Scratch } from "../rig/homes.ts";
import {
  blockSpans,
  hashOf,
  inflated,
  longRecording,
  recordOffsets,
  StreamMaker,
  upTo,
} from "../rig/stream.ts";
import { runs } from "../support/seed.ts";

const DAMAGED = {
  offset: 0,
  record: 1,
  reason:
    "the check sum of the compressed data is wrong; any value in the file may be wrong, so nothing of it is loaded",
};
const CHECK_SUM_FROM_END = 8;
const INVALID_BLOCK = 5;

const scratch = new Scratch("replay-gzip", MEMORY);
let sample: Buffer;
/** Content that is loaded to its end, and content that is not. */
let long: Buffer;
let withInvalid: Buffer;
let withGap: Buffer;
let withFault: Buffer;

beforeAll(() => {
  sample = inflated(SAMPLE);
  long = longRecording(60, 200);
  const spans = blockSpans(long);
  const before = upTo(long, INVALID_BLOCK - 1);
  const behind = long.subarray(spans.find((span) => span.height === INVALID_BLOCK)!.end);
  const account = { owner: hashOf(1), asset: hashOf(2), marketId: "!", type: 4, balance: "1" };
  const events = [
    { type: 6, account },
    { type: 6, account: { ...account, balance: "no number" } },
  ];
  const invalid = new StreamMaker("long-chain").block({ height: INVALID_BLOCK, events }).bytes();
  withInvalid = Buffer.concat([before, invalid, behind]);
  withGap = Buffer.concat([before, behind]);
  withFault = Buffer.from(long);
  withFault.writeUInt32BE(3, recordOffsets(long)[spans[INVALID_BLOCK]!.record]!);
});
afterAll(() => scratch.remove());

function damagedInside(gzip: Buffer): Buffer {
  const bytes = Buffer.from(gzip);
  bytes[bytes.length - CHECK_SUM_FROM_END]! ^= 1;
  return bytes;
}

/** The result of a load, and its reports on the way. */
interface Outcome {
  readonly result: ReplayResult | undefined;
  readonly refusal: string | undefined;
  readonly digest: StoreDigest;
  /** Blocks that the writer was given, kept or not. */
  readonly staged: number;
  readonly commits: number;
}

/** A home with a writer that several loads share. */
class Home {
  readonly path = scratch.path();
  private readonly db = openWriter(this.path);
  readonly writer = new BlockWriter(this.db);
  staged = 0;

  constructor() {
    const stage = this.writer.stage.bind(this.writer);
    this.writer.stage = (block) => {
      stage(block);
      this.staged++;
    };
  }

  get isInTransaction(): boolean {
    return this.db.inTransaction;
  }

  async load(contents: readonly Uint8Array[], hooks: ReplayHooks = {}): Promise<Outcome> {
    this.staged = 0;
    let commits = 0;
    let result: ReplayResult | undefined;
    let refusal: string | undefined;
    const paths = contents.map((bytes) => scratch.file(bytes));
    const nameless = (text: string) =>
      paths.reduce((left, path, i) => left.replaceAll(path, `file ${i}`), text);
    try {
      const ended = await replayFiles(this.writer, this.db, paths, { onCommit: () => commits++, ...hooks });
      result = { ...ended, files: ended.files.map((file, i) => ({ ...file, path: `file ${i}` })) };
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      refusal = `${error.code}: ${nameless(error.message)}`;
    }
    expect(this.isInTransaction).toBe(false);
    return { result, refusal, digest: digestOf(this.path), staged: this.staged, commits };
  }
}

/** The same content gives the same in one file and in another. */
async function expectSame(gzip: Uint8Array, content: Uint8Array): Promise<Outcome> {
  const [of, ofPlain] = [await new Home().load([gzip]), await new Home().load([content])];
  expect({ ...of, staged: 0, commits: 0 }).toEqual({ ...ofPlain, staged: 0, commits: 0 });
  return of;
}

describe("a file that is damaged inside", () => {
  test("leaves nothing, and the same writer loads the good one", async () => {
    const home = new Home();
    const empty = digestOf(home.path);
    const { result, digest, staged, commits } = await home.load([damagedInside(gzipSync(sample))]);
    expect({ staged, commits, digest }).toEqual({ staged: 0, commits: 0, digest: empty });
    expect(result).toEqual({
      files: [{ path: "file 0", records: 0, damage: DAMAGED }],
      blocks: 0,
      known: 0,
      events: 0,
      head: undefined,
      stopped: false,
    });
    expect(home.writer.writtenHead).toBeUndefined();
    const good = await home.load([gzipSync(sample)]);
    expect(good.digest).toEqual((await new Home().load([sample])).digest);
  });

  test("says that, whatever else is wrong with what is in it", async () => {
    for (const content of [withInvalid, withGap, withFault]) {
      const { result, refusal, staged, digest } = await new Home().load([damagedInside(gzipSync(content))]);
      expect(staged).toBe(0);
      expect(refusal).toBeUndefined();
      expect(result).toMatchObject({ blocks: 0, events: 0, head: undefined });
      expect(result!.files[0]).toMatchObject({ records: 0, damage: DAMAGED });
      expect(digest.tables.blocks!.rows).toBe(0);
    }
  });

  test("takes back nothing of the file before it", async () => {
    const spans = blockSpans(sample);
    const [first, rest] = [sample.subarray(0, spans[700]!.start), sample.subarray(spans[700]!.start)];
    const alone = await new Home().load([first]);
    const home = new Home();
    const both = await home.load([first, damagedInside(gzipSync(rest))]);
    expect(both.staged).toBe(alone.staged);
    expect(both.digest).toEqual(alone.digest);
    const { blocks, known: stored, events, head } = alone.result!;
    expect(both.result).toMatchObject({ blocks, known: stored, events, head: head! });
    expect(both.result!.files[1]).toEqual({ path: "file 1", records: 0, damage: DAMAGED });
    expect((await home.load([sample])).digest).toEqual((await new Home().load([sample])).digest);
  });

  test("leaves a block open that the file before it left open", async () => {
    const spans = blockSpans(sample);
    const cut = recordOffsets(sample)[spans[700]!.record + 1]!;
    const parts = [sample.subarray(0, cut), gzipSync(sample.subarray(cut))] as const;
    const { files } = (await new Home().load([parts[0], damagedInside(parts[1])])).result!;
    expect(files.map((file) => file.unfinishedHeight)).toEqual([spans[700]!.height, spans[700]!.height]);
    expect((await new Home().load(parts)).digest).toEqual((await new Home().load([sample])).digest);
  });

  test("is not counted among the known, either", async () => {
    const home = new Home();
    const { digest } = await home.load([sample]);
    const again = await home.load([damagedInside(gzipSync(sample))]);
    expect(again.result).toMatchObject({ blocks: 0, known: 0 });
    expect(again.digest).toEqual(digest);
  });

  test("shows no block to a caller that cannot give it back", async () => {
    let shown = 0;
    const hooks = { onBlock: () => void shown++ };
    const { staged } = await new Home().load([damagedInside(gzipSync(sample))], hooks);
    expect({ shown, staged }).toEqual({ shown: 0, staged: 0 });
    const good = await new Home().load([gzipSync(sample)], hooks);
    expect(shown).toBe(good.result!.blocks);
  });
});

describe("a sound file", () => {
  test("gives the same, plain or compressed, in one member or in several", async () => {
    const halves = [sample.subarray(0, 1_000_003), sample.subarray(1_000_003)].map((part) => gzipSync(part));
    const small = [sample.subarray(0, 5_000), sample.subarray(5_000)].map((part) => gzipSync(part));
    for (const gzip of [gzipSync(sample), Buffer.concat(halves), Buffer.concat(small)]) {
      const { result } = await expectSame(gzip, sample);
      expect(result!.blocks).toBe(blockSpans(sample).length);
    }
  });

  test("with a block that cannot be stored is kept up to it", async () => {
    const invalid = await expectSame(gzipSync(withInvalid), withInvalid);
    expect(invalid.refusal).toMatch(
      /^block_invalid: file 0: event 5-3 cannot be stored: .* at record \d+, byte/,
    );
    const gap = await expectSame(gzipSync(withGap), withGap);
    expect(gap.refusal).toMatch(
      /^height_gap: file 0: block 6 does not follow block 4, .* at record \d+, byte/,
    );
    for (const { digest } of [invalid, gap]) {
      expect(digest).toEqual((await new Home().load([upTo(long, INVALID_BLOCK - 1)])).digest);
    }
  });

  test("with a record that cannot be is loaded up to it", async () => {
    const { result } = await expectSame(gzipSync(withFault), withFault);
    expect(result!.files[0]!.damage!.reason).toMatch(/^record \d+ claims 3 bytes$/);
    expect(result!.blocks).toBe(INVALID_BLOCK);
  });

  test("of another history is refused as ever", async () => {
    const other = new StreamMaker("long-chain", 1).blocks(1, 3).bytes();
    const homes = [new Home(), new Home()] as const;
    for (const home of homes) await home.load([other]);
    const [of, ofPlain] = [await homes[0].load([gzipSync(long)]), await homes[1].load([long])];
    expect(of.refusal).toStartWith("history_mismatch: file 0: block 2 of the recording is not the block 2");
    expect([of.refusal, of.digest]).toEqual([ofPlain.refusal, ofPlain.digest]);
  });

  test("that makes more than is held at once is loaded all the same", async () => {
    const content = Buffer.concat([sample, Buffer.alloc(65 * 1024 * 1024)]);
    const gzip = gzipSync(content, { level: 1 });
    const { result } = await expectSame(gzip, content);
    expect(result!.files[0]!.damage!.offset).toBe(sample.length);
    const { staged, result: none } = await new Home().load([damagedInside(gzip)]);
    expect(staged).toBe(0);
    expect(none).toMatchObject({ blocks: 0, files: [{ damage: DAMAGED }] });
  });
});

describe("a file that", () => {
  test("ends too early is loaded up to there", async () => {
    const gzip = gzipSync(sample);
    const cuts = [250_001, gzip.length - 9, 196_609, gzip.length - 1_000, gzip.length - 1];
    for (const cut of cuts.slice(0, Math.max(2, runs(5)))) {
      const left = gzip.subarray(0, cut);
      const content = gunzipSync(left, { finishFlush: constants.Z_SYNC_FLUSH });
      const { result, digest, staged } = await new Home().load([left]);
      const ofPlain = await new Home().load([content]);
      expect(digest).toEqual(ofPlain.digest);
      expect(staged).toBe(result!.blocks);
      expect(result!.blocks).toBe(ofPlain.result!.blocks);
      expect(result!.files[0]!.records).toBe(ofPlain.result!.files[0]!.records);
      const { reason, offset } = result!.files[0]!.damage!;
      expect(reason).toStartWith("the compressed data ends too early, before its check sum");
      expect(offset).toBe(recordOffsets(sample).findLast((at) => at <= content.length)!);
    }
  });

  test("ends too early behind a block that cannot be stored is kept up to that", async () => {
    const { refusal, digest } = await new Home().load([gzipSync(withInvalid).subarray(0, -100)]);
    expect(refusal).toStartWith("block_invalid: file 0: event 5-3");
    expect(digest).toEqual((await new Home().load([upTo(long, INVALID_BLOCK - 1)])).digest);
  });

  test("has something else behind its end is loaded whole", async () => {
    const { result, digest } = await new Home().load([
      Buffer.concat([gzipSync(sample), Buffer.from("more")]),
    ]);
    expect(result!.files[0]!.damage).toMatchObject({ offset: sample.length });
    expect(digest).toEqual((await new Home().load([sample])).digest);
    const padded = await new Home().load([Buffer.concat([gzipSync(sample), Buffer.alloc(200_000)])]);
    expect([padded.digest, padded.result!.files[0]!.damage]).toEqual([digest, undefined]);
  });
});

describe("asked to stop", () => {
  /** Stops at the block after this many. */
  async function stoppedAfter(
    blocks: number,
    content: Uint8Array,
  ): Promise<{ home: Home; outcome: Outcome }> {
    const home = new Home();
    const outcome = await home.load([content], { isStopping: () => home.staged >= blocks });
    return { home, outcome };
  }

  test.each([10, -10])("%p blocks on, what was staged stays", async (from) => {
    const blocks = from > 0 ? from : blockSpans(sample).length + from;
    const { outcome } = await stoppedAfter(blocks, gzipSync(sample));
    expect(outcome.result).toMatchObject({ blocks, stopped: true, files: [] });
    expect(outcome.digest).toEqual((await stoppedAfter(blocks, sample)).outcome.digest);
  });
});
