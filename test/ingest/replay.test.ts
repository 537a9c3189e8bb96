// Loading event files: stored blocks, blocks that go on, refused ones
// (docs/protocol/20-network-history-segments.md#63-stream-rules and #64-the-doubled-first-height).
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { NodeError } from "../../src/errors/node-error.ts";
import { openReader, openWriter } from "../../src/store/database.ts";
import type { StoreDigest } from "../../src/store/dump.ts";
import { BusEventType } from "../../src/wire/generated/events.ts";
import { digestOf, headOf, load, SAMPLE, Scratch } from "../rig/homes.ts";
import { lyra } from "../rig/lyra.ts";
import {
  type BlockSpan,
  type BlockSpec,
  blockSpans,
  hashOf,
  inflated,
  recordOffsets,
  StreamMaker,
  upTo,
} from "../rig/stream.ts";

const scratch = new Scratch("replay");
let sample: Buffer;
let whole: StoreDigest;

beforeAll(async () => {
  sample = inflated(SAMPLE);
  const home = scratch.path();
  await load(home, SAMPLE);
  whole = digestOf(home);
});
afterAll(() => scratch.remove());

async function refusal(home: string, ...files: string[]): Promise<NodeError> {
  try {
    await load(home, ...files);
  } catch (error) {
    if (error instanceof NodeError) return error;
    throw error;
  }
  throw new Error("it was not refused");
}

describe("a file that is loaded again", () => {
  test("adds nothing", async () => {
    const home = scratch.path();
    const first = await load(home, SAMPLE);
    const second = await load(home, SAMPLE);
    expect(first.blocks).toBe(blockSpans(sample).length);
    expect(second).toMatchObject({ blocks: 0, events: 0, known: first.blocks, head: first.head! });
    expect(digestOf(home)).toEqual(whole);
  });

  test("also when it is named twice in one command", async () => {
    const home = scratch.path();
    const { blocks, known: stored } = await load(home, SAMPLE, SAMPLE);
    expect(stored).toBe(blocks);
    expect(digestOf(home)).toEqual(whole);
  });

  test("goes on where it was cut, at any block", async () => {
    for (const height of [1, 2, 1500, 3009]) {
      const home = scratch.path();
      const part = await load(home, scratch.file(upTo(sample, height)));
      expect(part.head!.height).toBe(height);
      const rest = await load(home, SAMPLE);
      expect(rest.known).toBe(part.blocks);
      expect(digestOf(home)).toEqual(whole);
    }
  });

  test("and begins before the home does, is refused: there is nothing to compare, and no room", async () => {
    const late = blockSpans(sample).find(({ height }) => height === 1000)!;
    const home = scratch.path();
    const { head } = await load(home, scratch.file(sample.subarray(late.start)));
    expect(head!.firstHeight).toBe(1000);
    const before = digestOf(home);
    for (const file of [SAMPLE, scratch.file(upTo(sample, 700))]) {
      const { code, message } = await refusal(home, file);
      expect(code).toBe("block_before_home");
      expect(message).toContain("comes before block 1000, the first one of this home");
    }
    expect(digestOf(home)).toEqual(before);
  });

  test("and ends below what is there, adds nothing", async () => {
    const home = scratch.path();
    await load(home, SAMPLE);
    const { blocks, known: stored } = await load(home, scratch.file(upTo(sample, 700)));
    expect([blocks, stored]).toEqual([0, 701]);
    expect(digestOf(home)).toEqual(whole);
  });
});

describe("a file in parts", () => {
  let spans: BlockSpan[];
  /** A place between the second and the third record of block 2000. */
  let inside: number;

  beforeAll(() => {
    spans = blockSpans(sample);
    inside = recordOffsets(sample)[spans[2000]!.record + 1]!;
  });

  test("loads in order, cut between two blocks", async () => {
    const at = spans[1200]!.end;
    const parts = [scratch.file(sample.subarray(0, at)), scratch.file(gzipSync(sample.subarray(at)))];
    const home = scratch.path();
    await load(home, ...parts);
    expect(digestOf(home)).toEqual(whole);
  });

  test("loads one command at a time, cut between genesis and block 1 too", async () => {
    const at = spans[0]!.end;
    const parts = [scratch.file(sample.subarray(0, at)), scratch.file(sample.subarray(at))];
    const home = scratch.path();
    for (const part of [...parts, ...parts]) await load(home, part);
    expect(digestOf(home)).toEqual(whole);
  });

  test("loads cut inside a block, when the parts are named together", async () => {
    const parts = [scratch.file(sample.subarray(0, inside)), scratch.file(sample.subarray(inside))];
    const home = scratch.path();
    const { files } = await load(home, ...parts);
    expect(files.map((file) => file.damage)).toEqual([undefined, undefined]);
    expect(digestOf(home)).toEqual(whole);
  });

  test("cut inside a block and loaded one after the other, misses that block and says so", async () => {
    const home = scratch.path();
    const first = await load(home, scratch.file(sample.subarray(0, inside)));
    expect(first.files[0]).toMatchObject({ unfinishedHeight: 2000 });
    const error = await refusal(home, scratch.file(sample.subarray(inside), "rest.evts"));
    expect(error).toMatchObject({ code: "height_gap" });
    expect(error.message).toMatch(/rest\.evts: block 2001 does not follow block 1999/);
    expect(error.message).toMatch(/block 2001 begins at record \d+, byte \d+ of the inflated data/);
  });
});

describe("a stream that comes to earlier blocks again", () => {
  const overlap = (fork = 0) =>
    Buffer.concat([
      new StreamMaker()
        .block({ height: 1, hash: hashOf(0), second: 1 })
        .blocks(1, 20)
        .bytes(),
      new StreamMaker("test-chain", fork).blocks(12, 30).bytes(),
    ]);

  test("passes over what is there and goes on, the first time and the second", async () => {
    const home = scratch.path();
    const file = scratch.file(overlap());
    expect(await load(home, file)).toMatchObject({ blocks: 31, known: 9, head: { height: 30 } });
    expect(await load(home, file)).toMatchObject({ blocks: 0, known: 40, head: { height: 30 } });
    const plain = scratch.path();
    const stream = new StreamMaker().block({ height: 1, hash: hashOf(0), second: 1 }).blocks(1, 30);
    await load(plain, scratch.file(stream.bytes()));
    expect(digestOf(home)).toEqual(digestOf(plain));
  });

  test("from the beginning, or at the last block only", async () => {
    const home = scratch.path();
    expect(await load(home, scratch.file(Buffer.concat([sample, sample])))).toMatchObject({
      blocks: 3011,
      known: 3011,
    });
    expect(digestOf(home)).toEqual(whole);
    const again = new StreamMaker().blocks(1, 4).blocks(4, 6);
    expect(await load(scratch.path(), scratch.file(again.bytes()))).toMatchObject({ blocks: 6, known: 1 });
  });

  test("is refused when they are others", async () => {
    const error = await refusal(scratch.path(), scratch.file(overlap(1)));
    expect(error.code).toBe("history_mismatch");
    expect(error.message).toContain("block 12 of the recording is not the block 12 of this home");
  });
});

test("a chain that goes on by itself is not led past its own state", async () => {
  const home = scratch.path();
  const recording = scratch.file(new StreamMaker().blocks(1, 5).bytes());
  await load(home, recording);
  const db = openWriter(home);
  db.run("INSERT INTO chain_meta(key, value) VALUES('head', '{}')");
  db.close();
  const error = await refusal(home, scratch.file(new StreamMaker().blocks(1, 8).bytes()));
  expect(error).toMatchObject({ code: "own_chain", exitCode: 1 });
  expect(headOf(home)!.height).toBe(5);
  expect(await load(home, recording)).toMatchObject({ blocks: 0, known: 5 });
});

test("an order that is created again in every block costs as little as another one", async () => {
  const costOf = async (idOf: (height: number) => number) => {
    const stream = new StreamMaker();
    for (let height = 1; height <= 6_000; height++) {
      const order = {
        id: hashOf(idOf(height)),
        createdAt: BigInt(height) * 1_000n,
        type: 1,
        status: 1,
        version: 1n,
      };
      stream.block({ height, second: height, events: [{ type: 5, order }] });
    }
    const file = scratch.file(stream.bytes());
    const from = process.cpuUsage();
    await load(scratch.path(), file);
    const { user, system } = process.cpuUsage(from);
    return user + system;
  };
  const others = await costOf((height) => height);
  // A row for each creation; looking through all of them cost ten times as much.
  expect((await costOf(() => 1)) / others).toBeLessThan(4);
}, 120_000);

test("gzip and plain give the same store", async () => {
  const home = scratch.path();
  await load(home, scratch.file(sample));
  expect(digestOf(home)).toEqual(whole);
});

test("gzip in several members is one stream", async () => {
  const home = scratch.path();
  const cut = 1_000_003;
  const members = [sample.subarray(0, cut), sample.subarray(cut)].map((part) => gzipSync(part));
  await load(home, scratch.file(Buffer.concat(members)));
  expect(digestOf(home)).toEqual(whole);
});

describe("another history is refused and changes nothing:", () => {
  const good = () =>
    new StreamMaker()
      .block({ height: 1, hash: hashOf(0), second: 1 })
      .blocks(1, 20)
      .bytes();
  const cases: ReadonlyArray<readonly [name: string, code: string, text: RegExp, other: () => Buffer]> = [
    [
      "another chain",
      "chain_mismatch",
      /this home holds chain test-chain, the source is chain other-chain/,
      () => new StreamMaker("other-chain").blocks(1, 30).bytes(),
    ],
    [
      "blocks that begin above the next height",
      "height_gap",
      /block 22 does not follow block 20/,
      () => new StreamMaker().blocks(22, 30).bytes(),
    ],
    [
      "a fork from the start",
      "history_mismatch",
      /block 2 of the recording is not the block 2 of this home/,
      () => new StreamMaker("test-chain", 1).blocks(1, 30).bytes(),
    ],
    [
      "a fork in the middle",
      "history_mismatch",
      /block 11 of the recording is not the block 11/,
      () =>
        Buffer.concat([
          new StreamMaker().blocks(1, 10).bytes(),
          new StreamMaker("test-chain", 1).blocks(11, 30).bytes(),
        ]),
    ],
    [
      "a fork at the last block",
      "history_mismatch",
      /block 20 of the recording is not the block 20/,
      () => new StreamMaker("test-chain", 1).blocks(20, 30).bytes(),
    ],
    [
      "a fork that is shorter",
      "history_mismatch",
      /block 5 of the recording is not the block 5/,
      () => new StreamMaker("test-chain", 1).blocks(5, 9).bytes(),
    ],
  ];
  for (const [name, code, text, other] of cases) {
    test(name, async () => {
      const home = scratch.path();
      await load(home, scratch.file(good()));
      const before = digestOf(home);
      const error = await refusal(home, scratch.file(other()));
      expect(error).toMatchObject({ code, exitCode: 1 });
      expect(error.message).toMatch(text);
      expect(digestOf(home)).toEqual(before);
    });
  }

  test("on the command line: exit code 1, a sentence, and the height as it was", async () => {
    const home = scratch.path();
    await load(home, scratch.file(good()));
    const file = scratch.file(new StreamMaker("other-chain").blocks(1, 30).bytes(), "other.evts");
    const { code, out, err } = await lyra(["replay", file, "--home", home]);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toContain("this home holds chain test-chain, the source is chain other-chain");
    expect(err).not.toMatch(/ {2}at |\.ts:\d/);
    expect(headOf(home)!.height).toBe(20);
  });
});

describe("the doubled first height", () => {
  const genesis: BlockSpec = { height: 1, hash: hashOf(0), second: 1 };
  const otherGenesis: BlockSpec = { height: 1, hash: hashOf(0, 1), second: 1 };

  test("is known again where a core that begins again names its genesis otherwise", async () => {
    for (const height of [1, 2, 9]) {
      const home = scratch.path();
      await load(home, scratch.file(new StreamMaker().block(genesis).blocks(1, height).bytes()));
      const replayed = scratch.file(new StreamMaker().block(otherGenesis).blocks(1, 12).bytes());
      expect(await load(home, replayed)).toMatchObject({ known: height + 1, blocks: 12 - height });
      expect(headOf(home)).toMatchObject({ height: 12, hash: hashOf(12) });
      const db = openReader(home);
      const [row] = db.query("SELECT hash FROM blocks WHERE no = 1").values();
      expect(Buffer.from(row![0] as Uint8Array).toString("hex")).toBe(hashOf(0).toLowerCase());
      db.close();
    }
  });

  const others: [string, () => StreamMaker][] = [
    ["blocks behind its genesis are others", () => new StreamMaker("test-chain", 1).block(otherGenesis)],
    ["genesis has another time", () => new StreamMaker().block({ ...otherGenesis, second: 2 })],
    ["first block is another, without a genesis", () => new StreamMaker("test-chain", 1)],
  ];
  test.each(others)("tells another history whose %s", async (_, stream) => {
    for (const height of [1, 9]) {
      const home = scratch.path();
      await load(home, scratch.file(new StreamMaker().block(genesis).blocks(1, height).bytes()));
      const error = await refusal(home, scratch.file(stream().blocks(1, 12).bytes()));
      expect(error).toMatchObject({ code: "history_mismatch" });
      expect(headOf(home)).toMatchObject({ height, hash: hashOf(height) });
    }
  });

  describe("in a home that holds the first block alone:", () => {
    async function homeOfOne(): Promise<string> {
      const home = scratch.path();
      await load(home, scratch.file(new StreamMaker().block(genesis).bytes()));
      return home;
    }
    const fork = () => new StreamMaker("test-chain", 1);

    test.each<[string, () => StreamMaker]>([
      ["another first block is refused", () => fork().block(otherGenesis).blocks(1, 5)],
      [
        "another first block that does not come twice is refused by its time",
        () =>
          fork()
            .block({ ...otherGenesis, second: 2 })
            .block({ height: 2, second: 3 }),
      ],
      ["another first block that is all of its file is refused", () => fork().block(otherGenesis)],
      [
        "another first block that is cut behind the second is refused",
        () => fork().block(otherGenesis).blocks(1, 1),
      ],
    ])("%s", async (_, stream) => {
      const home = await homeOfOne();
      const before = digestOf(home);
      const error = await refusal(home, scratch.file(stream().bytes()));
      expect(error).toMatchObject({ code: "history_mismatch", exitCode: 1 });
      expect(error.message).toMatch(/block 1 of the recording is not the block 1 of this home .*record 1,/);
      expect(digestOf(home)).toEqual(before);
      await load(home, scratch.file(new StreamMaker().block(genesis).blocks(1, 3).bytes()));
      expect(headOf(home)).toMatchObject({ height: 3, hash: hashOf(3) });
    });

    test("the second block goes on, with the first before it or with the next behind it", async () => {
      const whole = new StreamMaker().block(genesis).blocks(1, 4);
      const expected = await load(scratch.path(), scratch.file(whole.bytes()));
      for (const rest of [whole, new StreamMaker().blocks(1, 4)]) {
        const home = await homeOfOne();
        expect((await load(home, scratch.file(rest.bytes()))).head).toEqual(expected.head!);
      }
    });

    test("the second block alone in its file is taken behind the first one's file, not without it", async () => {
      const [one, two] = [new StreamMaker().block(genesis), new StreamMaker().blocks(1, 1)].map((stream) =>
        scratch.file(stream.bytes()),
      );
      expect((await load(scratch.path(), one!, two!)).head).toMatchObject({ height: 1, blocksAtHeight: 2 });
      const home = await homeOfOne();
      expect(await refusal(home, two!)).toMatchObject({ code: "history_mismatch" });
      expect((await load(home, one!, two!)).head).toMatchObject({ height: 1, blocksAtHeight: 2 });
    });

    test("another first block is refused behind the first one's file, too", async () => {
      const home = scratch.path();
      const files = [new StreamMaker().block(genesis), fork().block(otherGenesis).blocks(1, 3)];
      const error = await refusal(home, ...files.map((stream) => scratch.file(stream.bytes())));
      expect(error).toMatchObject({ code: "history_mismatch" });
      expect(headOf(home)).toMatchObject({ height: 1, hash: hashOf(0), blocksAtHeight: 1 });
    });

    test("a damaged file says so", async () => {
      const home = await homeOfOne();
      const bytes = new StreamMaker().blocks(1, 1).begin({ height: 2 }).bytes();
      const { files, blocks } = await load(home, scratch.file(bytes.subarray(0, bytes.length - 5)));
      expect(blocks).toBe(0);
      expect(files[0]!.damage!.reason).toStartWith("the file ends inside record 3");
    });
  });

  test("with equal times has one row, with the genesis hash", async () => {
    const home = scratch.path();
    await load(home, scratch.file(new StreamMaker().block(genesis).blocks(1, 3).bytes()));
    expect(headOf(home)).toMatchObject({ height: 3, no: 3 });
    expect(digestOf(home).tables.blocks!.rows).toBe(3);
  });

  test("with different times has two rows", async () => {
    const home = scratch.path();
    const file = scratch.file(
      new StreamMaker()
        .block({ ...genesis, second: 0 })
        .blocks(1, 3)
        .bytes(),
    );
    await load(home, file);
    expect(digestOf(home).tables.blocks!.rows).toBe(4);
    expect((await load(home, file)).known).toBe(4);
  });

  test("comes twice, not three times", async () => {
    const third = { height: 1, hash: hashOf(99), second: 1 };
    const file = scratch.file(
      new StreamMaker().block(genesis).blocks(1, 1).block(third).blocks(2, 2).bytes(),
    );
    expect(await refusal(scratch.path(), file)).toMatchObject({ code: "history_mismatch" });
  });

  test("is the only one that comes twice", async () => {
    const file = scratch.file(
      new StreamMaker()
        .blocks(1, 4)
        .block({ height: 4, hash: hashOf(99) })
        .bytes(),
    );
    const error = await refusal(scratch.path(), file);
    expect(error).toMatchObject({ code: "history_mismatch" });
    expect(error.message).toContain("block 4 of the recording is not the block 4 of this home");
  });

  test("is the first one of any recording, also of one that begins later", async () => {
    const home = scratch.path();
    const stream = new StreamMaker().block({ height: 100, hash: hashOf(0), second: 100 }).blocks(100, 102);
    await load(home, scratch.file(stream.bytes()));
    expect(headOf(home)).toMatchObject({ height: 102, firstHeight: 100, no: 3 });
  });
});

test("a file that is not there is told before anything is made", async () => {
  const home = scratch.path();
  const { code, err } = await lyra(["replay", SAMPLE, join(home, "nowhere.evts"), "--home", home]);
  expect(code).toBe(1);
  expect(err).toContain("nowhere.evts: there is no such file");
  expect(existsSync(home)).toBe(false);
});

describe("the rules of the stream", () => {
  test("events before the first block are left out", async () => {
    const spec = { height: 6 };
    const stream = new StreamMaker().event(spec, 7, { type: 9 }).end(spec).blocks(7, 9);
    const home = scratch.path();
    const { files, blocks } = await load(home, scratch.file(stream.bytes()));
    expect(blocks).toBe(3);
    expect(files[0]!.damage).toBeUndefined();
    expect(headOf(home)!.height).toBe(9);
  });

  test("two blocks at one time share a row", async () => {
    const home = scratch.path();
    const file = scratch.file(
      new StreamMaker().blocks(1, 3).block({ height: 4, second: 3 }).blocks(5, 6).bytes(),
    );
    await load(home, file);
    expect(digestOf(home).tables.blocks!.rows).toBe(5);
    expect(await load(home, file)).toMatchObject({ known: 6, blocks: 0 });
  });

  test("the start of a protocol upgrade may stand between two blocks", async () => {
    const home = scratch.path();
    const started = { type: 51, protocolUpgradeStarted: { lastBlockHeight: 5n } };
    const stream = new StreamMaker().blocks(1, 5).event({ height: 6 }, 1, started).blocks(6, 8);
    const { files, head } = await load(home, scratch.file(stream.bytes()));
    expect(files[0]!.damage).toBeUndefined();
    expect(head!.height).toBe(8);
  });

  test("time never goes back", async () => {
    const home = scratch.path();
    const stream = new StreamMaker().blocks(1, 5).block({ height: 6, second: 4 }).blocks(7, 8);
    const error = await refusal(home, scratch.file(stream.bytes()));
    expect(error).toMatchObject({ code: "time_backwards" });
    expect(error.message).toMatch(/block 6 is older than block 5 \(block 6 begins at record 11, byte \d+/);
    expect(headOf(home)!.height).toBe(5);
  });

  const five = () => new StreamMaker().blocks(1, 5);
  const six: BlockSpec = { height: 6 };

  test("sequence numbers that a block leaves out are no fault (docs/compatibility.md)", async () => {
    const home = scratch.path();
    const checkpoint = { hash: "ab", blockHash: "cd", blockHeight: 6n };
    const event = { type: BusEventType.BUS_EVENT_TYPE_CHECKPOINT, checkpoint };
    const stream = five().begin(six).event(six, 40, event).end(six);
    expect((await load(home, scratch.file(stream.bytes()))).files[0]!.damage).toBeUndefined();
    const db = openWriter(home);
    expect(db.query("SELECT height, ord FROM checkpoints").all()).toEqual([{ height: 6n, ord: 40n }]);
    db.close();
    expect(headOf(home)!.height).toBe(6);
  });

  const broken: ReadonlyArray<readonly [name: string, reason: RegExp, record: number, stream: StreamMaker]> =
    [
      [
        "an event between two blocks",
        /event 5-9 stands between two blocks/,
        11,
        five().event({ height: 5 }, 9, {}),
      ],
      [
        "another version",
        /event 6-2 has version 2, want 1/,
        12,
        five().begin(six).event(six, 2, { version: 2 }),
      ],
      [
        "an event of another block",
        /event 7-2 stands inside block 6/,
        12,
        five().begin(six).event({ height: 7 }, 2, {}),
      ],
      [
        "an event of another block of the same height",
        /event 6-2 is of block "AB{63}", and stands inside block "[0-9A-F]{64}"/,
        12,
        five()
          .begin(six)
          .event(six, 2, { block: `A${"B".repeat(63)}` }),
      ],
      ["a block without end", /block 6 has no end/, 12, five().begin(six).begin({ height: 7 })],
      [
        "an event of another chain",
        /mismatched chain id received: "\\u001bevil", want "test-chain"/,
        12,
        five().begin(six).event(six, 2, { chainId: "\u001bevil" }),
      ],
      [
        "a begin of another height than its own",
        /event 6-1 begins block 7/,
        11,
        five().event(six, 1, { type: 49, beginBlock: { height: 7n } }),
      ],
      ["a hash that is not hex", /block 6 has no valid hash/, 11, five().begin({ height: 6, hash: "xyz" })],
      [
        "a transaction hash that is not hex",
        /event 6-2 has no valid transaction hash/,
        12,
        five().begin(six).event(six, 2, { txHash: "xyz" }),
      ],
      [
        "a sequence number beyond the store's",
        /event 6-16777216 has a sequence number above 16777215/,
        12,
        five()
          .begin(six)
          .event(six, 2 ** 24, {}),
      ],
      [
        "an id that is none",
        /the id is not <height>-<seq>/,
        12,
        five().begin(six).event(six, 2, { id: "6" }),
      ],
    ];
  for (const [name, reason, record, stream] of broken) {
    test(`${name} ends the stream there`, async () => {
      const home = scratch.path();
      const { files, head } = await load(home, scratch.file(stream.end(six).blocks(7, 9).bytes()));
      const { damage } = files[0]!;
      expect(damage!.reason).toMatch(reason);
      expect(damage!.record).toBe(record);
      expect(damage!.offset).toBe(recordOffsets(stream.bytes())[record - 1]!);
      expect(head!.height).toBe(5);
    });
  }
});
