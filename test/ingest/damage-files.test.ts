// The command's message for files that are not recordings, or that have an impossible record: a sentence with record
// and byte, exit code 1, nothing of the inside, and everything before it stored.
import { afterAll, describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { headOf, SAMPLE, Scratch } from "../rig/homes.ts";
import { type Ended, lyra } from "../rig/lyra.ts";
import { inflated, record, recordOffsets, StreamMaker, upTo } from "../rig/stream.ts";

const RECORD_BYTES_MAX = 64 * 1024 * 1024;

const scratch = new Scratch("damage-files");
afterAll(() => scratch.remove());

/** Nothing that only a programmer wants to see, and no file but those that were named. */
function expectClean({ err, out }: Ended, ...named: string[]): void {
  let text = err + out;
  for (const path of named) text = text.replaceAll(path, "");
  expect(text).not.toMatch(/ at .*:\d+|\.ts\b|Error:|undefined|\bnull\b|(?:^|[\s'"(])\/\w/m);
}

const ten = () => new StreamMaker().blocks(1, 10);
const size = (bytes: number) => {
  const field = Buffer.alloc(4);
  field.writeUInt32BE(bytes >>> 0);
  return field;
};
const behind = (...tail: Uint8Array[]) => Buffer.concat([ten().bytes(), ...tail]);
const at = ten().bytes().length;

describe("a file that cannot be read to its end", () => {
  const cases: ReadonlyArray<
    readonly [name: string, bytes: Uint8Array, says: string, offset: number, height: number]
  > = [
    ["an empty file", new Uint8Array(0), "the file is empty (record 1, byte 0 ", 0, 0],
    ["an empty compressed file", gzipSync(new Uint8Array(0)), "the file is empty (record 1, byte 0 ", 0, 0],
    ["one byte", Uint8Array.of(0), "the file ends inside record 1: at least 11 more bytes", 0, 0],
    [
      "text",
      Buffer.from("this is not a recording at all\n".repeat(50)),
      "record 1 claims 1952999795 bytes",
      0,
      0,
    ],
    ["random bytes", Buffer.alloc(5_000, 0xd7), "record 1 claims 3621246935 bytes", 0, 0],
    ["what only begins like gzip", Buffer.from("1f8b0000zzzz"), "record 1 claims ", 0, 0],
    [
      "gzip of nothing that exists",
      Buffer.from("1f8b00000000", "hex"),
      "the compressed data is damaged: ",
      0,
      0,
    ],
    ["a size of zero", behind(size(0), Buffer.alloc(50)), "record 21 claims 0 bytes", at, 10],
    ["a size below the smallest", behind(size(7), Buffer.alloc(50)), "record 21 claims 7 bytes", at, 10],
    [
      "a size above the largest",
      behind(size(RECORD_BYTES_MAX + 1)),
      "record 21 claims 67108865 bytes",
      at,
      10,
    ],
    [
      "the largest size, and no bytes",
      behind(size(RECORD_BYTES_MAX)),
      "the file ends inside record 21: at least",
      at,
      10,
    ],
    ["all ones", behind(size(0xffff_ffff)), "record 21 claims 4294967295 bytes", at, 10],
    ["a record without message", behind(record(new Uint8Array(0))), "the id is not <height>-<seq>", at, 10],
    [
      "a message that is none",
      behind(record(Buffer.alloc(40, 0xff))),
      "record 21: vega.events.v1.BusEvent",
      at,
      10,
    ],
  ];
  for (const [name, bytes, says, offset, height] of cases) {
    test(name, async () => {
      const home = scratch.path();
      const file = scratch.file(bytes);
      const ended = await lyra(["replay", file, "--home", home]);
      expect(ended.code).toBe(1);
      expect(ended.out).toBe("");
      expect(ended.err).toContain(`damaged ${file}: `);
      expect(ended.err).toContain(says);
      expect(ended.err).toContain(
        `byte ${String(offset).replace(/\B(?=(\d{3})+$)/g, ",")} of the inflated data`,
      );
      expectClean(ended, file, home);
      expect(headOf(home)?.height ?? 0).toBe(height);
    });
  }

  test("as JSON, says the same in numbers", async () => {
    const file = scratch.file(behind(size(0)));
    const { code, out } = await lyra(["replay", file, "--home", scratch.path(), "--json"]);
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      seconds: expect.any(Number),
      segmentSeconds: expect.any(Number),
      height: 10,
      blocks: 10,
      files: [
        { path: file, records: 20, damage: { record: 21, offset: at, reason: "record 21 claims 0 bytes" } },
      ],
    });
  });

  test("also when the command is to be quiet", async () => {
    const file = scratch.file(behind(size(0)));
    const { code, out, err } = await lyra(["replay", file, "--home", scratch.path(), "--quiet"]);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toBe(
      `damaged ${file}: record 21 claims 0 bytes (record 21, byte ${at.toLocaleString("en")} of the inflated data)\n`,
    );
  });

  test("a record of many pieces is put together", async () => {
    const spec = { height: 11 };
    const big = { networkParameter: { key: "k", value: "v".repeat(3_000_000) } };
    const stream = ten().block({ ...spec, events: [{ type: 13, ...big }] });
    const home = scratch.path();
    const { code } = await lyra(["replay", scratch.file(stream.bytes()), "--home", home, "--quiet"]);
    expect({ code, height: headOf(home)!.height }).toEqual({ code: 0, height: 11 });
  });
});

describe("not a file", () => {
  const hint = "give the path of an event file (.evts or .evts.gz)";

  test("a missing one", async () => {
    const file = scratch.path("missing.evts");
    const ended = await lyra(["replay", file, "--home", scratch.path()]);
    expect(ended).toMatchObject({ code: 1, err: `lyra: ${file}: there is no such file\n      ${hint}\n` });
  });

  test("a folder", async () => {
    const folder = scratch.path("folder");
    mkdirSync(folder);
    const ended = await lyra(["replay", folder, "--home", scratch.path()]);
    expect(ended).toMatchObject({ code: 1, err: `lyra: ${folder}: it is not a file\n      ${hint}\n` });
  });

  test("a file that may not be read", async () => {
    const file = scratch.file("");
    chmodSync(file, 0);
    const ended = await lyra(["replay", file, "--home", scratch.path()]);
    expect(ended.code).toBe(1);
    // Root may read everything.
    expect(ended.err).toMatch(process.getuid?.() === 0 ? /the file is empty/ : /it may not be read/);
  });

  test("none at all is a usage error", async () => {
    const ended = await lyra(["replay", "--home", scratch.path()]);
    expect(ended.code).toBe(2);
    expect(ended.err).toContain("name at least one event file");
  });

  test("the first of several that is damaged ends the command", async () => {
    const home = scratch.path();
    const sample = inflated(SAMPLE);
    const offsets = recordOffsets(upTo(sample, 20));
    const cut = scratch.file(sample.subarray(0, offsets.at(-1)! + 30), "cut.evts");
    const ended = await lyra(["replay", cut, SAMPLE, "--home", home]);
    expect(ended.code).toBe(1);
    expect(ended.err).toContain(`damaged ${cut}: the file ends inside record ${offsets.length}`);
    expect(headOf(home)!.height).toBe(20);
    const completed = await lyra(["replay", SAMPLE, "--home", home, "--json"]);
    expect(JSON.parse(completed.out)).toMatchObject({ known: 21, height: 3010 });
  });
});

test("an event that cannot be stored is named, with record and byte", async () => {
  const account = { owner: "bob", asset: "ab", marketId: "!", type: 4, balance: "1" };
  const stream = ten()
    .block({ height: 11, events: [{}, { type: 6, account }] })
    .blocks(12, 14);
  const file = scratch.file(stream.bytes(), "bad-event.evts");
  const home = scratch.path();
  const ended = await lyra(["replay", file, "--home", home]);
  const place = `block 11 begins at record 21, byte ${at} of the inflated data`;
  expect(ended.code).toBe(1);
  expect(ended.err).toBe(
    `lyra: ${file}: event 11-3 cannot be stored: owner is not a valid hex id (or well known exception): "bob" (${place})\n      the source is damaged; what came before is stored\n`,
  );
  expect(headOf(home)!.height).toBe(10);
  const asJson = await lyra(["replay", file, "--home", home, "--json"]);
  expect(JSON.parse(asJson.err)).toMatchObject({ error: { code: "block_invalid", attempt: "store.write" } });
});
