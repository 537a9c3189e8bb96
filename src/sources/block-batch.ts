// Whole blocks as a few arrays, to hand them from one thread to another: the arrays change hands, nothing is copied,
// and no object crosses for each block or event. Skims are done on the side that packs.
import { skimOf } from "../store/project/skims.ts";
import { latinAt } from "../wire/text.ts";
import type { Block, BlockEvent } from "./block.ts";

/** field, seq, tx, start, end, place in `notes` or `NO_NOTE` */
const EVENT_NUMBERS = 6;
const NO_NOTE = -1;
/** chain, height, events, transaction hashes, unkept, record, offset */
const BLOCK_NUMBERS = 7;
const NO_PLACE = -1;

export interface BlockBatch {
  /** Payloads of the events, then the hashes as text. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly events: Int32Array<ArrayBuffer>;
  /** What skims found in plain events (wire/skim.ts, `note`). */
  readonly notes: Int32Array<ArrayBuffer>;
  readonly blocks: Float64Array<ArrayBuffer>;
  readonly times: BigInt64Array<ArrayBuffer>;
  /** Lengths of the hashes. */
  readonly hashes: Int32Array<ArrayBuffer>;
  readonly chains: readonly string[];
}

export function packBlocks(blocks: readonly Block[]): BlockBatch {
  const size = sizeOf(blocks);
  const packer = new Packer(size);
  for (const block of blocks) packer.add(block);
  return packer.done();
}

/** What can change hands. */
export function buffersOf(batch: BlockBatch): ArrayBuffer[] {
  const { bytes, events, notes, blocks, times, hashes } = batch;
  return [bytes, events, notes, blocks, times, hashes].map((array) => array.buffer);
}

interface Size {
  bytes: number;
  events: number;
  hashes: number;
  blocks: number;
}

function sizeOf(blocks: readonly Block[]): Size {
  const size = { bytes: 0, events: 0, hashes: 0, blocks: blocks.length };
  for (const block of blocks) {
    size.events += block.events.length;
    size.hashes += block.txHashes.length;
    for (const event of block.events) size.bytes += event.end - event.start;
    for (const hash of block.txHashes) size.bytes += hash.length;
  }
  return size;
}

class Packer {
  private readonly bytes;
  private readonly events;
  private readonly blocks;
  private readonly times;
  private readonly hashes;
  private readonly notes: number[] = [];
  private readonly chains: string[] = [];
  private byteAt = 0;
  private eventAt = 0;
  private blockAt = 0;
  private hashAt = 0;

  constructor(size: Size) {
    this.bytes = Buffer.from(new ArrayBuffer(size.bytes));
    this.events = new Int32Array(size.events * EVENT_NUMBERS);
    this.blocks = new Float64Array(size.blocks * BLOCK_NUMBERS);
    this.times = new BigInt64Array(size.blocks);
    this.hashes = new Int32Array(size.hashes);
  }

  add(block: Block): void {
    const { blocks, chains } = this;
    if (chains.at(-1) !== block.chainId) chains.push(block.chainId);
    this.times[this.blockAt / BLOCK_NUMBERS] = block.timeNs;
    blocks[this.blockAt++] = chains.length - 1;
    blocks[this.blockAt++] = block.height;
    blocks[this.blockAt++] = block.events.length;
    blocks[this.blockAt++] = block.txHashes.length;
    blocks[this.blockAt++] = block.unkept ?? 0;
    blocks[this.blockAt++] = block.place?.record ?? NO_PLACE;
    blocks[this.blockAt++] = block.place?.offset ?? NO_PLACE;
    for (const event of block.events) this.addEvent(event);
    for (const hash of block.txHashes) {
      this.hashes[this.hashAt++] = hash.length;
      this.byteAt += this.bytes.write(hash, this.byteAt, "latin1");
    }
  }

  done(): BlockBatch {
    const { bytes, events, blocks, times, hashes, chains } = this;
    return {
      bytes: new Uint8Array(bytes.buffer),
      events,
      notes: Int32Array.from(this.notes),
      blocks,
      times,
      hashes,
      chains,
    };
  }

  private addEvent({ field, seq, tx, bytes, start, end }: BlockEvent): void {
    const { events, byteAt } = this;
    this.bytes.set(bytes.subarray(start, end), byteAt);
    const skim = skimOf(field);
    let note = NO_NOTE;
    if (skim?.isPlain(bytes, start, end)) {
      note = this.notes.length;
      skim.note(this.notes, byteAt - start);
    }
    this.byteAt += end - start;
    events[this.eventAt++] = field;
    events[this.eventAt++] = seq;
    events[this.eventAt++] = tx;
    events[this.eventAt++] = byteAt;
    events[this.eventAt++] = this.byteAt;
    events[this.eventAt++] = note;
  }
}

export function unpackBlocks({ bytes, events, notes, blocks, times, hashes, chains }: BlockBatch): Block[] {
  const unpacked: Block[] = [];
  let eventAt = 0;
  let byteAt = 0;
  let hashAt = 0;
  for (let at = 0; at < blocks.length; at += BLOCK_NUMBERS) {
    const eventsOfBlock: BlockEvent[] = [];
    for (let left = blocks[at + 2]!; left > 0; left--, eventAt += EVENT_NUMBERS) {
      const note = events[eventAt + 5]!;
      byteAt = events[eventAt + 4]!;
      eventsOfBlock.push({
        field: events[eventAt]!,
        seq: events[eventAt + 1]!,
        tx: events[eventAt + 2]!,
        bytes,
        start: events[eventAt + 3]!,
        end: byteAt,
        notes: note === NO_NOTE ? undefined : notes,
        note,
      });
    }
    const txHashes: string[] = [];
    for (let left = blocks[at + 3]!; left > 0; left--) {
      const end = byteAt + hashes[hashAt++]!;
      txHashes.push(latinAt(bytes, byteAt, end));
      byteAt = end;
    }
    const record = blocks[at + 5]!;
    unpacked.push({
      chainId: chains[blocks[at]!]!,
      height: blocks[at + 1]!,
      timeNs: times[at / BLOCK_NUMBERS]!,
      hash: txHashes[0]!,
      txHashes,
      events: eventsOfBlock,
      unkept: blocks[at + 4]!,
      ...(record === NO_PLACE ? {} : { place: { record, offset: blocks[at + 6]! } }),
    });
  }
  return unpacked;
}
