/**
 * The run as an event file: what a validator would have sent, in the format that `lyra replay` loads
 * (docs/protocol/30-node-api-events.md#10-socket-from-core-to-data-node). A block is written before it is committed and
 * cut off again when it was not: at every start the file ends where the chain does.
 */
import { closeSync, existsSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from "node:fs";
import { EventLog } from "../engine/events.ts";
import { codeOf, NodeError, reasonOf } from "../errors/node-error.ts";
import { isDiskFull } from "../files/sqlite-error.ts";
import { UNLINKED } from "../files/whole-file.ts";
import { type Block, Field } from "../wire/block.ts";
import { EnvelopeReader } from "../wire/bus-event.ts";
import { wholeEvent } from "../wire/whole-event.ts";

/** Size and sequence number in front of each event. */
const HEAD_BYTES = 12;
const SEQUENCE_BYTES = 8;
const READ_BYTES = 1024 * 1024;

type Head = Pick<Block, "height" | "hash">;
const BLOCKS_BEFORE = "give the path of the file that holds the blocks before";

/** The end of a block. */
export interface FilePlace {
  readonly bytes: number;
  readonly records: bigint;
}

export class EventFile {
  private file = -1;
  /** The committed content of the file. */
  private place: FilePlace = { bytes: 0, records: 0n };
  private waiting: Uint8Array[] = [];
  private waitingRecords = 0n;
  private written = 0;

  constructor(private readonly path: string) {}

  /**
   * Opens the file for the blocks after the chain's last one; undefined for a new chain.
   * @throws NodeError `record_unusable` when the file does not hold the blocks up to it, or others
   */
  open(head: Head | undefined): void {
    // A continued chain has its file: none is made for a refused one.
    if (head !== undefined && !existsSync(this.path)) {
      throw unusable(this.path, `it is not there, and the chain is at block ${head.height}`, BLOCKS_BEFORE);
    }
    try {
      this.file = openSync(this.path, UNLINKED.update, 0o666);
    } catch (error) {
      if (codeOf(error) === "ELOOP")
        throw unusable(this.path, "it is a link", "give the path of the file itself");
      throw unusable(this.path, reasonOf(error), "give a path that can be written");
    }
    if (!fstatSync(this.file).isFile()) {
      this.close();
      throw unusable(this.path, "it is not a file", "give the path of a new file");
    }
    if (head === undefined) {
      if (fstatSync(this.file).size > 0) {
        throw unusable(
          this.path,
          "the file is not empty, and the chain is new",
          "give the path of a new file",
        );
      }
      return;
    }
    this.rewind(head);
  }

  /** Takes a whole block, its markers included. */
  append(block: Pick<Block, "chainId" | "height" | "hash" | "txHashes" | "events">): void {
    for (const event of block.events) {
      const bytes = wholeEvent(block, event);
      const head = new DataView(new ArrayBuffer(HEAD_BYTES));
      head.setUint32(0, SEQUENCE_BYTES + bytes.length);
      head.setBigUint64(4, this.place.records + this.waitingRecords++);
      this.waiting.push(new Uint8Array(head.buffer), bytes);
    }
  }

  /** Writes what comes behind the last block; a start cuts it off again, and it is rewritten. @throws NodeError */
  addLast(events: Pick<Block, "chainId" | "height" | "hash" | "txHashes" | "events">): void {
    this.append(events);
    this.flush();
    this.keep();
  }

  /** Writes what was taken, behind what was written before; it counts after `keep`. @throws NodeError */
  flush(): void {
    const bytes = Buffer.concat(this.waiting);
    this.waiting = [];
    try {
      for (let done = 0; done < bytes.length; ) {
        const place = this.place.bytes + this.written + done;
        done += writeSync(this.file, bytes, done, bytes.length - done, place);
      }
    } catch (error) {
      if (!isDiskFull(error)) throw unusable(this.path, reasonOf(error), "look after its disk");
      const text = `the disk is full: ${this.path} could not be written`;
      throw new NodeError("chain.record", "disk_full", text, "make room");
    }
    this.written += bytes.length;
  }

  /** The blocks written last are committed. */
  keep(): void {
    const { bytes, records } = this.place;
    this.place = { bytes: bytes + this.written, records: records + this.waitingRecords };
    this.waitingRecords = 0n;
    this.written = 0;
  }

  /** The blocks since the last ones kept did not become real. */
  undo(): void {
    this.waiting = [];
    this.waitingRecords = 0n;
    this.written = 0;
    ftruncateSync(this.file, this.place.bytes);
  }

  /** Where the file ends, as far as it counts. */
  get kept(): FilePlace {
    return this.place;
  }

  /** Cuts off everything after a place where it has ended before. */
  cutAt(place: FilePlace): void {
    this.place = place;
    this.undo();
  }

  /** Cuts off every block after one. @throws NodeError when the file does not reach it, or has another there */
  rewind({ height, hash }: Head): void {
    const place = this.find(height, hash.toUpperCase());
    if (place.height !== height) {
      const text = `the file ends at block ${place.height}, and the chain is at block ${height}`;
      throw unusable(this.path, text, BLOCKS_BEFORE);
    }
    if (place.hash !== hash.toUpperCase())
      throw unusable(this.path, `its block ${height} is another chain's`, BLOCKS_BEFORE);
    this.cutAt({ bytes: place.bytes, records: place.records });
  }

  close(): void {
    if (this.file >= 0) closeSync(this.file);
    this.file = -1;
  }

  /** The end of a block, or else of the last one at or below its height. */
  private find(height: number, blockHash: string): FilePlace & Head {
    const envelope = new EnvelopeReader();
    let place = { height: 0, hash: "", bytes: 0, records: 0n };
    let records = 0n;
    for (const { bytes, end } of this.records()) {
      records++;
      envelope.read(bytes, HEAD_BYTES, bytes.length);
      if (envelope.height > height) break;
      if (envelope.field !== Field.endBlock) continue;
      const hash = Buffer.from(bytes.subarray(envelope.blockStart, envelope.blockEnd))
        .toString("latin1")
        .toUpperCase();
      place = { height: envelope.height, hash, bytes: end, records };
      // The first height comes twice.
      if (envelope.height === height && hash === blockHash) break;
    }
    return place;
  }

  private *records(): Generator<{ bytes: Uint8Array; end: number }> {
    const { size } = fstatSync(this.file);
    let rest = new Uint8Array(0);
    let at = 0;
    let start = 0;
    while (at < size) {
      const piece = new Uint8Array(Math.min(READ_BYTES, size - at));
      const count = readSync(this.file, piece, 0, piece.length, at);
      if (count === 0) return;
      at += count;
      rest = rest.length === 0 ? piece.subarray(0, count) : Buffer.concat([rest, piece.subarray(0, count)]);
      let from = 0;
      while (rest.length - from >= HEAD_BYTES) {
        const length = 4 + new DataView(rest.buffer, rest.byteOffset + from, 4).getUint32(0);
        if (length < HEAD_BYTES)
          throw unusable(this.path, "it is not an event file", "give the path of a new file");
        if (rest.length - from < length) break;
        start += length;
        yield { bytes: rest.subarray(from, from + length), end: start };
        from += length;
      }
      rest = rest.slice(from);
    }
  }
}

/** A block as a recording has it, between its markers: what a replay has taken off (block-assembler.ts). */
export function withMarkers(block: Block): Block {
  const { height, timeNs, hash, events } = block;
  const log = new EventLog();
  log.startBlock(hash);
  log.emit("beginBlock", { height: BigInt(height), timestamp: timeNs, hash: hash.toLowerCase() });
  log.emit("endBlock", { height: BigInt(height) });
  const [begin, end] = log.blockEvents().events;
  const seq = (events.at(-1)?.seq ?? 1) + 1;
  return { ...block, events: [begin!, ...events, { ...end!, seq }] };
}

function unusable(path: string, reason: string, hint: string): NodeError {
  return new NodeError("chain.record", "record_unusable", `${path} cannot be recorded to: ${reason}`, hint);
}
