// Event files made and taken apart: records, blocks, and the mistakes a stream can hold
// (docs/protocol/20-network-history-segments.md#61-binary-format to #64-the-doubled-first-height).
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { EnvelopeReader } from "../../src/wire/bus-event.ts";
import type { Init } from "../../src/wire/codec.ts";
import { type BusEvent, encodeBusEvent } from "../../src/wire/generated/events.ts";
import { SECOND_NS } from "../../src/wire/time-text.ts";
import { processFolder } from "../support/process-folder.ts";
import { SAMPLE } from "./homes.ts";

const HEAD_BYTES = 12;
/** Numbers of `vega.events.v1.BusEventType` and the payload they go with. */
const BEGIN_BLOCK = 49;
const END_BLOCK = 50;

export type EventInit = Init<BusEvent>;

/** A record: size, sequence number, message. */
export function record(message: Uint8Array, sequence = 0n): Uint8Array {
  const bytes = new Uint8Array(HEAD_BYTES + message.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, 8 + message.length);
  view.setBigUint64(4, sequence);
  bytes.set(message, HEAD_BYTES);
  return bytes;
}

export interface BlockSpec {
  readonly height: number;
  /** Seconds after the chain's first block. */
  readonly second?: number;
  readonly timeNs?: bigint;
  readonly hash?: string;
  readonly events?: readonly EventInit[];
}

const START_NS = 1_659_430_800_000_000_000n; // 2022-08-02T09:00:00Z

/** Upper-case hash that stands for a height, and for a fork of the chain. */
export function hashOf(height: number, fork = 0): string {
  return `${fork.toString(16).padStart(2, "0")}${height.toString(16).padStart(62, "0")}`.toUpperCase();
}

/** Records of a chain, put together by hand. */
export class StreamMaker {
  readonly records: Uint8Array[] = [];

  constructor(
    readonly chainId = "test-chain",
    private readonly fork = 0,
  ) {}

  /** A whole block: its begin, the events, its end. */
  block(spec: BlockSpec): this {
    this.begin(spec);
    for (const [i, event] of (spec.events ?? []).entries()) this.event(spec, i + 2, event);
    return this.end(spec);
  }

  blocks(from: number, to: number, spec: Omit<BlockSpec, "height"> = {}): this {
    for (let height = from; height <= to; height++) this.block({ ...spec, height, second: height });
    return this;
  }

  begin(spec: BlockSpec): this {
    const timestamp = spec.timeNs ?? START_NS + BigInt(spec.second ?? spec.height) * SECOND_NS;
    const beginBlock = { height: BigInt(spec.height), timestamp };
    return this.event(spec, 1, { type: BEGIN_BLOCK, beginBlock });
  }

  end(spec: BlockSpec): this {
    const seq = (spec.events?.length ?? 0) + 2;
    return this.event(spec, seq, { type: END_BLOCK, endBlock: { height: BigInt(spec.height) } });
  }

  /** Any event; what it names itself stays. */
  event(spec: BlockSpec, seq: number, event: EventInit): this {
    const hash = spec.hash ?? hashOf(spec.height, this.fork);
    const whole = {
      id: `${spec.height}-${seq}`,
      block: hash,
      version: 1,
      chainId: this.chainId,
      txHash: hash,
    };
    this.records.push(record(encodeBusEvent({ ...whole, ...event }), BigInt(this.records.length)));
    return this;
  }

  bytes(): Buffer {
    return Buffer.concat(this.records);
  }
}

/** The inflated content of an event file. */
export function inflated(path: string): Buffer {
  const bytes = readFileSync(path);
  return bytes[0] === 0x1f ? gunzipSync(bytes) : bytes;
}

/** Offsets of the records, and the end as the last one. */
export function recordOffsets(bytes: Uint8Array): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const offsets = [0];
  for (let at = 0; at < bytes.length; ) {
    at += 4 + view.getUint32(at);
    offsets.push(at);
  }
  return offsets;
}

export interface BlockSpan {
  readonly height: number;
  /** Number of its first record, from 1, and offsets of its first and behind its last byte. */
  readonly record: number;
  /** Records, its begin and end among them. */
  readonly events: number;
  readonly start: number;
  readonly end: number;
}

/** Where the whole blocks of an event file lie. */
export function blockSpans(bytes: Uint8Array): BlockSpan[] {
  const offsets = recordOffsets(bytes);
  const envelope = new EnvelopeReader();
  const spans: BlockSpan[] = [];
  let open: { record: number; start: number } | undefined;
  for (let i = 0; i + 1 < offsets.length; i++) {
    envelope.read(bytes, offsets[i]! + HEAD_BYTES, offsets[i + 1]!);
    if (envelope.field === 148) open = { record: i + 1, start: offsets[i]! };
    if (envelope.field !== 149 || !open) continue;
    const events = i + 2 - open.record;
    spans.push({ ...open, events, height: envelope.height, end: offsets[i + 1]! });
    open = undefined;
  }
  return spans;
}

/** Bytes up to the end of the last block of a height. */
export function upTo(bytes: Uint8Array, height: number): Uint8Array {
  return bytes.subarray(0, blockSpans(bytes).findLast((span) => span.height === height)!.end);
}

/** The sample's first blocks as a compressed file, made once for all test files of a process. @returns its path */
export function shortSample(height: number): string {
  const path = join(processFolder("lyra-short-sample"), `${height}.evts.gz`);
  if (!existsSync(path)) writeFileSync(path, gzipSync(upTo(inflated(SAMPLE), height)));
  return path;
}

/**
 * A long recording of small things: balances of parties that keep coming, one parameter, and a transaction in each
 * block. It takes a load many commits, and gives out references and running numbers all the way.
 */
export function longRecording(blocks: number, eventsPerBlock: number): Buffer {
  const stream = new StreamMaker("long-chain");
  const id = (kind: string, n: number) => new Bun.CryptoHasher("sha256").update(`${kind}/${n}`).digest("hex");
  let count = 0;
  for (let height = 1; height <= blocks; height++) {
    const events: EventInit[] = [];
    while (events.length < eventsPerBlock) {
      count++;
      const owner = id("party", (count * 7919) % (500 + Math.floor(count / 20)));
      const account = {
        owner,
        asset: id("asset", count % 3),
        marketId: "!",
        type: 4,
        balance: String(count * 1_000),
      };
      events.push({ type: 6, account, ...(count % 5 === 0 ? { txHash: hashOf(count, 9) } : {}) });
    }
    events.push({ type: 13, networkParameter: { key: `parameter.${height % 17}`, value: String(height) } });
    stream.block({ height, events });
  }
  return stream.bytes();
}
