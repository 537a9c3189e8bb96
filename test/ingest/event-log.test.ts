// The way from a socket's bytes to the event log, and out of it again.
import { afterAll, describe, expect, spyOn, test } from "bun:test";
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { EventLogReader, EventLogWriter, readMark } from "../../src/ingest/event-log.ts";
import { RecordSplitter } from "../../src/ingest/records.ts";
import { PairReceiver } from "../../src/ingest/sp-pair.ts";
import { MEMORY, Scratch } from "../rig/homes.ts";
import { messageOf } from "../rig/sp-sender.ts";
import { record } from "../rig/stream.ts";
import { runs } from "../support/seed.ts";
import { run, SmallDisk } from "../support/small-disk.ts";

const scratch = new Scratch("event-log", MEMORY);
afterAll(() => scratch.remove());

const KIB = 1024;

/** A message that looks like an event of a height. */
function event(height: number, length = 40): Uint8Array {
  const id = `${height}-1`;
  const bytes = Buffer.alloc(Math.max(length, id.length + 2), 7);
  bytes[0] = 10;
  bytes[1] = id.length;
  bytes.write(id, 2);
  return bytes;
}

function everything(reader: EventLogReader): { connection: number; text: string }[] {
  const sent: { connection: number; text: string }[] = [];
  while (reader.next()) {
    const { connection, bytes, start, end } = reader;
    sent.push({ connection, text: Buffer.from(bytes.subarray(start, end)).toString("latin1") });
  }
  return sent;
}

const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString("latin1");

test("messages come out of the log as they went into the socket, however the bytes were cut", () => {
  const messages = fc.array(
    fc.oneof(
      fc.integer({ min: 2, max: 700 }).map((length) => [event(5, length)]),
      fc
        .array(fc.integer({ min: 20, max: 90 }), { minLength: 1, maxLength: 5 })
        .map((lengths) => lengths.map((n) => event(6, n))),
    ),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(
      messages,
      fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1 }),
      fc.boolean(),
      (list, cuts, isList) => {
        const folder = scratch.path("log");
        const log = new EventLogWriter(folder, 16 * KIB * KIB);
        const receiver = new PairReceiver(log.nextConnection());
        const framed = list.map((events) => {
          if (events.length === 1) return messageOf(events[0]!);
          const parts = events.flatMap((one) =>
            isList ? [Uint8Array.of(10, one.length), one] : [record(one)],
          );
          return messageOf(Buffer.concat(parts));
        });
        const stream = Buffer.concat(framed);
        for (let at = 0, n = 0; at < stream.length; n++) {
          const length = cuts[n % cuts.length]!;
          receiver.push(stream.subarray(at, at + length));
          for (const records of receiver.takeRecords()) expect(log.append(records)).toBe(true);
          at += length;
        }
        log.close();
        const reader = new EventLogReader(folder);
        expect(everything(reader)).toEqual(list.flat().map((one) => ({ connection: 1, text: textOf(one) })));
        reader.close();
      },
    ),
    { numRuns: runs(60) },
  );
});

describe("an event that comes in many pieces", () => {
  const MIB = KIB * KIB;

  /** Records of events of these lengths, and the bytes that were copied to put them together. */
  function received(lengths: readonly number[], pieceBytes: number) {
    const sent = lengths.map((length, n) => event(n, length));
    const stream = Buffer.concat(sent.map(messageOf));
    const copied = spyOn(Buffer, "concat");
    const receiver = new PairReceiver(1);
    const records: Uint8Array[] = [];
    for (let at = 0; at < stream.length; at += pieceBytes) {
      receiver.push(stream.subarray(at, at + pieceBytes));
      records.push(...receiver.takeRecords());
    }
    const copiedBytes = copied.mock.results.reduce((sum, { value }) => sum + (value as Buffer).length, 0);
    copied.mockRestore();
    return { sent, records: Buffer.concat(records), copiedBytes };
  }

  test.each([[[900 * KIB]], [[3 * MIB]], [[5, 2 * MIB, 700, MIB + 1, 3 * MIB, 9]]])(
    "%p is put together once",
    (lengths) => {
      const { sent, records, copiedBytes } = received(lengths, 4 * KIB);
      const splitter = new RecordSplitter();
      splitter.feed(records);
      for (const one of sent) {
        expect(splitter.next()).toBe(true);
        expect(Buffer.compare(splitter.bytes.subarray(splitter.start, splitter.end), one)).toBe(0);
      }
      expect(splitter.missingBytes).toBe(0);
      expect(copiedBytes).toBeLessThan(2 * MIB);
    },
  );

  test("is read in pieces in the same way", () => {
    const records = record(event(1, 3 * MIB));
    const splitter = new RecordSplitter();
    for (let at = 0; at < records.length; at += 10_000) {
      expect(splitter.next()).toBe(false);
      expect(splitter.missingBytes).toBe(at === 0 ? 0 : records.length - at);
      splitter.feed(records.slice(at, at + 10_000));
    }
    expect(splitter.next()).toBe(true);
    expect(splitter.end - splitter.start).toBe(3 * MIB);
  });

  test("beside others in one message is refused above a megabyte", () => {
    const receiver = new PairReceiver(1);
    const batch = Buffer.concat(Array(200).fill(record(event(1, 6 * KIB))));
    expect(() => receiver.push(messageOf(batch))).toThrow("a batch has more than 1048576 bytes");
    expect(() => receiver.push(messageOf(batch.subarray(0, 100 * (6 * KIB + 12))))).not.toThrow();
  });
});

describe("the log", () => {
  /** Appends events, each of a KiB, by a connection; returns how many had room. */
  function fill(log: EventLogWriter, count: number, from = 0): number {
    const receiver = new PairReceiver(log.nextConnection());
    for (let n = 0; n < count; n++) {
      receiver.push(messageOf(event(from + n, KIB)));
      if (!receiver.takeRecords().every((records) => log.append(records))) return n;
    }
    return count;
  }

  test("takes no more than its bound before it is read; then the oldest files go", () => {
    const folder = scratch.path("log");
    const log = new EventLogWriter(folder, 1024 * KIB);
    const first = fill(log, 5_000);
    expect(first).toBeGreaterThan(900);
    expect(first).toBeLessThan(1_024);
    expect(log.bytes).toBeLessThanOrEqual(1024 * KIB);
    expect(log.unreadBytes).toBe(log.bytes);
    const reader = new EventLogReader(folder);
    expect(everything(reader)).toHaveLength(first);
    log.noteRead(reader.endPlace);
    expect(log.unreadBytes).toBe(0);
    expect(fill(log, 500, first)).toBe(500);
    expect(log.bytes).toBeLessThanOrEqual(1024 * KIB);
    expect(everything(reader)).toHaveLength(500);
    expect(log.firstFile).toBeGreaterThan(1);
    reader.close();
    log.close();
  });

  test("takes what is larger than itself when nothing else is in it", () => {
    const folder = scratch.path("log");
    const log = new EventLogWriter(folder, 128 * KIB);
    const receiver = new PairReceiver(log.nextConnection());
    receiver.push(messageOf(event(1, 300 * KIB)));
    const records = Buffer.concat(receiver.takeRecords());
    expect(log.append(records)).toBe(true);
    expect(log.append(records)).toBe(false);
    log.close();
  });

  test("cuts off what a killed process left of a record, and goes on behind it by another connection", () => {
    const folder = scratch.path("log");
    const log = new EventLogWriter(folder, 1024 * KIB);
    fill(log, 3);
    log.close();
    const [file] = readdirSync(folder);
    appendFileSync(join(folder, file!), Uint8Array.of(0, 0, 4, 0, 1, 2, 3));
    const next = new EventLogWriter(folder, 1024 * KIB);
    fill(next, 2, 3);
    next.close();
    const reader = new EventLogReader(folder);
    expect(everything(reader).map(({ connection }) => connection)).toEqual([1, 1, 1, 2, 2]);
    reader.close();
  });

  test("is read on from the place that was kept; from the oldest file when that is gone or makes no sense", () => {
    const folder = scratch.path("log");
    const log = new EventLogWriter(folder, 1024 * KIB);
    fill(log, 300);
    const reader = new EventLogReader(folder);
    for (let n = 0; n < 200; n++) expect(reader.next()).toBe(true);
    reader.keepPlace(reader.endPlace);
    reader.close();
    const onwards = new EventLogReader(folder, readMark(folder));
    expect(everything(onwards)).toHaveLength(100);
    onwards.close();
    writeFileSync(join(folder, "read"), "{");
    const all = new EventLogReader(folder, readMark(folder));
    expect(everything(all)).toHaveLength(300);
    all.close();
    log.close();
  });
});

const small = new SmallDisk(scratch.folder);
const hasMount = small.isPossible;
if (!hasMount) {
  console.log("event-log.test: a full disk is skipped, a small file system cannot be mounted here");
}
if (!hasMount) test.skip("a full disk", () => {});
else
  test("an event that a full disk does not take leaves no part of itself, and later events are read whole", () => {
    small.mount(512);
    try {
      const folder = join(scratch.folder, "log");
      const log = new EventLogWriter(folder, 1_024 * KIB);
      const records = (height: number, length: number) => {
        const receiver = new PairReceiver(1);
        receiver.push(messageOf(event(height, length)));
        return receiver.takeRecords()[0]!;
      };
      const reader = new EventLogReader(folder);
      const accepted: number[] = [];
      const fill = () => {
        for (let height = 1; ; height++) {
          // No number of pages, so that the system takes a part of the last one.
          log.append(records(height, 30_001));
          accepted.push(height);
        }
      };
      expect(fill).toThrow("ENOSPC");
      const heights = everything(reader).map(({ text }) => Number(/\d+(?=-)/.exec(text)![0]));
      expect(heights).toEqual(accepted);
      const size = readdirSync(folder).reduce(
        (sum, name) => (name.endsWith(".evts") ? sum + statSync(join(folder, name)).size : sum),
        0,
      );
      expect(size).toBe(accepted.length * records(1, 30_001).length);
      small.resize(2_048);
      log.append(records(77, 50));
      expect(everything(reader).map(({ text }) => text)).toEqual([textOf(event(77, 50))]);
      log.close();
      reader.close();
    } finally {
      small.unmount();
    }
  });

test("pipes and links in its folder are no part of the log: none is written through, or waited for", () => {
  const folder = scratch.path("log");
  const victim = scratch.file(Buffer.from("precious"));
  mkdirSync(folder);
  symlinkSync(victim, join(folder, "reserve"));
  symlinkSync(victim, join(folder, "000000000002.evts"));
  expect(run("mkfifo", join(folder, "read"))).toBe(true);
  const log = new EventLogWriter(folder, 16 * KIB * KIB);
  const reader = new EventLogReader(folder, readMark(folder));
  expect(reader.next()).toBe(false);
  reader.keepPlace({ file: 1, offset: 0 });
  expect(readFileSync(victim, "utf8")).toBe("precious");
  expect(readdirSync(folder).sort()).toEqual(["read", "reserve"]);
  reader.close();
  log.close();
});
