// A store that takes one block at a time, on top of the first blocks of the sample.
import { cpSync } from "node:fs";
import { NodeError } from "../../src/errors/node-error.ts";
import { BlockWriter } from "../../src/store/block-writer.ts";
import { openReader, openWriter } from "../../src/store/database.ts";
import type { Block, BlockEvent } from "../../src/wire/block.ts";
import { EnvelopeReader } from "../../src/wire/bus-event.ts";
import { codecOf } from "../wire/codecs.ts";
import { load, SAMPLE, type Scratch } from "./homes.ts";
import { EverythingReader } from "./reads.ts";
import { hashOf, inflated, recordOffsets, upTo } from "./stream.ts";

const HEAD_BYTES = 12;
/** Lists show the newest rows: those of the event that was taken last. */
const PAGE_ROWS = 12;
/** The sample's last block in a door. */
export const START_HEIGHT = 60;

export interface DoorEvent {
  readonly field: number;
  readonly seq: number;
  readonly bytes: Uint8Array;
}

export class Door {
  readonly reader: EverythingReader;
  readonly close: () => void;
  private readonly writer: BlockWriter;

  constructor(readonly home: string) {
    const writing = openWriter(home);
    const reading = openReader(home);
    this.writer = new BlockWriter(writing);
    this.reader = new EverythingReader(reading, PAGE_ROWS);
    this.close = () => {
      reading.close();
      writing.close();
    };
  }

  /** Row of the last block. */
  get no(): number {
    return this.writer.committedHead!.no;
  }

  /** Stores a block of these payloads. @returns the refusal, or undefined when it is stored */
  take(...events: (readonly [field: number, bytes: Uint8Array])[]): NodeError | undefined {
    return this.takeBlock(events.map(([field, bytes], i) => ({ field, seq: i + 2, bytes })));
  }

  takeBlock(events: readonly DoorEvent[]): NodeError | undefined {
    const { height, chainId, timeUs } = this.writer.committedHead!;
    const hash = hashOf(height + 1);
    const block: Block = {
      chainId,
      height: height + 1,
      timeNs: BigInt(timeUs + 1_000_000) * 1_000n,
      hash,
      txHashes: [hash],
      events: events.map((event): BlockEvent => ({ ...event, tx: 0, start: 0, end: event.bytes.length })),
    };
    try {
      this.writer.write(block);
      return undefined;
    } catch (error) {
      if (error instanceof NodeError) return error;
      throw error;
    }
  }
}

/** Makes doors that all begin alike. */
export async function doors(scratch: Scratch): Promise<() => Door> {
  const base = scratch.path();
  await load(base, scratch.file(upTo(inflated(SAMPLE), START_HEIGHT)));
  return () => {
    const home = scratch.path();
    cpSync(base, home, { recursive: true });
    return new Door(home);
  };
}

/** The longest payload of each kind in the sample, by field number. */
export function samplePayloads(): Map<number, Uint8Array> {
  const sample = inflated(SAMPLE);
  const offsets = recordOffsets(sample);
  const envelope = new EnvelopeReader();
  const payloads = new Map<number, Uint8Array>();
  for (let i = 0; i + 1 < offsets.length; i++) {
    envelope.read(sample, offsets[i]! + HEAD_BYTES, offsets[i + 1]!);
    const payload = envelope.payloadBytes();
    if ((payloads.get(envelope.field)?.length ?? -1) < payload.length) payloads.set(envelope.field, payload);
  }
  return payloads;
}

/** Payload of a message with these fields and no others. */
export function message(name: string, fields: object): Uint8Array {
  const codec = codecOf(name);
  return codec.encode({ ...codec.empty(), ...fields });
}
