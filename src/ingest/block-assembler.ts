// Puts the events of a stream together into whole blocks, under the rules of
// docs/protocol/20-network-history-segments.md#63-stream-rules and 30 (9.3).

import type { EventTap } from "../store/event-feed.ts";
import { CHAIN_ID_BYTES_MAX, isPrintableChainId } from "../store/head.ts";
import { type Block, type BlockEvent, type BlockPlace, Field, SEQUENCE_MAX } from "../wire/block.ts";
import { EnvelopeReader } from "../wire/bus-event.ts";
import {
  readBeginBlockAt,
  readExpiredOrdersAt,
  readProtocolUpgradeStartedAt,
} from "../wire/generated/events.ts";
import { hexBytesAt, isHex } from "../wire/identifiers.ts";
import { latinAt } from "../wire/reader.ts";

const BUS_EVENT_VERSION = 1;
/** `protocol_upgrade_started` (docs/protocol/30-node-api-events.md#93-block-markers). */
const UPGRADE_STARTED_FIELD = 150;
/** Events of one block that are held until its end, and their bytes. */
const BLOCK_EVENTS_MAX = 10_000_000;
const BLOCK_BYTES_MAX = 512 * 1024 * 1024;

/** `events_lost`: each event is sound, but not all of them came. */
type FaultCode = "event_invalid" | "events_lost" | "chain_mismatch";

/** The stream breaks its own rules. */
export class StreamFault extends Error {
  override readonly name = "StreamFault";
  constructor(
    message: string,
    readonly code: FaultCode = "event_invalid",
  ) {
    super(message);
  }
}

interface AssemblerOptions {
  /**
   * The stream is what came over a connection, which may break anywhere: the numbers of a block's events must be
   * consecutive, and a block that begins takes the place of one that has no end. (A recording's may leave events out.)
   */
  readonly isLive?: boolean;
  /** Of one block's events. */
  readonly blockBytesMax?: number;
  /** Called for every block that begins; while it is open, blocks have their events whole. */
  readonly tap?: Pick<EventTap, "isOpen" | "noteBlock">;
}

/** Payloads that some projection keeps. Of the others only the envelope counts. */
const isKept = new Uint8Array(2 ** 11);
for (const field of Object.values(Field)) isKept[field] = 1;

interface OpenBlock {
  chainId: string;
  height: number;
  timeNs: bigint;
  hash: string;
  hashBytes: Uint8Array;
  /** The hash as it stands on the wire. */
  hashText: Uint8Array;
  txHashes: string[];
  events: BlockEvent[];
  unkept: number;
  whole?: BlockEvent[];
  place: BlockPlace;
}

export class BlockAssembler {
  private readonly envelope = new EnvelopeReader();
  private open: OpenBlock | undefined;
  private seenBlock = false;
  private chainIdBytes: Uint8Array | undefined;
  private chainId = "";
  /** The last transaction hash seen in this block, as it stands on the wire, and its index. */
  private lastTx: Uint8Array = new Uint8Array(0);
  private lastTxStart = 0;
  private lastTxLength = 0;
  private lastTxIndex = 0;
  /** Indexes of the block's transaction hashes, once there are several. */
  private txIndexes = new Map<string, number>();
  private openBytes = 0;
  private isNewFile = false;
  /** Number of the next event in the block. */
  private nextSeq = 1;
  /** The same, should an event of several orders count once: no event that was lost can hide behind it. */
  private nextSeqAlone = 1;
  /** Set by the start of a protocol upgrade: height of the last block before it. */
  upgradeHeight: number | undefined;
  private readonly isLive: boolean;

  private readonly blockBytesMax: number;

  private readonly tap: AssemblerOptions["tap"];

  constructor({ isLive = false, blockBytesMax = BLOCK_BYTES_MAX, tap }: AssemblerOptions = {}) {
    this.isLive = isLive;
    this.tap = tap;
    this.blockBytesMax = blockBytesMax;
  }

  /** Where the block that has not ended begins. */
  get openPlace(): BlockPlace | undefined {
    return this.open?.place;
  }

  /** After a fault: drops the open block, and whatever comes before the next one begins. */
  reset(): void {
    this.open = undefined;
    this.seenBlock = false;
    this.chainIdBytes = undefined;
  }

  /** Height of a block that has begun and not ended. */
  get openHeight(): number | undefined {
    return this.open?.height;
  }

  /**
   * The next event is the first of another file, which goes on where the last one ended, inside a block too, or
   * begins with a block of its own.
   */
  nextFile(): void {
    this.isNewFile = true;
  }

  /**
   * Adds one serialized bus event; returns the block that it completes.
   * @param record number of the record it came in
   * @param offset bytes of the stream before that record
   * @throws StreamFault, WireError
   */
  push(bytes: Uint8Array, start: number, end: number, record = 0, offset = 0): Block | undefined {
    const envelope = this.envelope;
    envelope.read(bytes, start, end);
    if (this.isNewFile) this.enterFile();
    if (envelope.version !== BUS_EVENT_VERSION) {
      throw new StreamFault(
        `event ${envelope.height}-${envelope.seq} has version ${envelope.version}, want ${BUS_EVENT_VERSION}`,
      );
    }
    if (envelope.seq > SEQUENCE_MAX) {
      throw new StreamFault(
        `event ${envelope.height}-${envelope.seq} has a sequence number above ${SEQUENCE_MAX}`,
      );
    }
    if (envelope.field === Field.beginBlock) {
      this.openBlock(bytes, { record, offset });
      return undefined;
    }
    if (this.open === undefined) {
      if (this.isLive && envelope.field === UPGRADE_STARTED_FIELD) {
        const { lastBlockHeight } = readProtocolUpgradeStartedAt(
          bytes,
          envelope.payloadStart,
          envelope.payloadEnd,
        );
        if (this.chainIdBytes) this.checkChain(bytes);
        this.upgradeHeight = Number(lastBlockHeight);
        return undefined;
      }
      // Before the first block there may be the tail of an earlier one; later there may not.
      if (!this.seenBlock) return undefined;
      // The only event that may stand here: another release made the next block.
      if (envelope.field === UPGRADE_STARTED_FIELD) {
        this.checkChain(bytes);
        return undefined;
      }
      throw new StreamFault(
        `event ${envelope.height}-${envelope.seq} stands between two blocks`,
        "events_lost",
      );
    }
    this.checkChain(bytes);
    if (envelope.height !== this.open.height) {
      throw new StreamFault(
        `event ${envelope.height}-${envelope.seq} stands inside block ${this.open.height}`,
        "events_lost",
      );
    }
    this.checkBlock(bytes);
    if (this.isLive) this.checkSequence(bytes);
    if (envelope.field === Field.endBlock) {
      const block = this.open;
      block.whole?.push(this.currentEvent(bytes, 0));
      this.open = undefined;
      return block;
    }
    this.openBytes += end - start;
    if (
      this.open.events.length + this.open.unkept >= BLOCK_EVENTS_MAX ||
      this.openBytes > this.blockBytesMax
    ) {
      throw new StreamFault(
        `block ${this.open.height} has more than ${BLOCK_EVENTS_MAX} events or ${this.blockBytesMax} bytes`,
      );
    }
    const tx = this.txIndex(bytes);
    this.open.whole?.push(this.currentEvent(bytes, tx));
    if (!isKept[envelope.field]) {
      this.open.unkept++;
      return undefined;
    }
    this.open.events.push(this.currentEvent(bytes, tx));
    return undefined;
  }

  /** The event that the envelope was read of. */
  private currentEvent(bytes: Uint8Array, tx: number): BlockEvent {
    const { field, seq, payloadStart, payloadEnd } = this.envelope;
    return { field, seq, tx, bytes, start: payloadStart, end: payloadEnd };
  }

  private checkSequence(bytes: Uint8Array): void {
    const { height, seq, field, payloadStart, payloadEnd } = this.envelope;
    if (seq !== this.nextSeq && seq !== this.nextSeqAlone) {
      throw new StreamFault(
        `event ${height}-${this.nextSeq} did not come: ${height}-${seq} did`,
        "events_lost",
      );
    }
    // An event of several orders takes a number for each (docs/protocol/30-node-api-events.md#91-busevent).
    const isMany = field === Field.expiredOrders;
    this.nextSeqAlone = seq + 1;
    this.nextSeq = seq + (isMany ? readExpiredOrdersAt(bytes, payloadStart, payloadEnd).orderIds.length : 1);
  }

  /** A block that the last file left open counts only if this one goes on with it. */
  private enterFile(): void {
    this.isNewFile = false;
    if (this.open && this.envelope.field !== Field.beginBlock) return;
    this.open = undefined;
    this.seenBlock = false;
    this.chainIdBytes = undefined;
  }

  private openBlock(bytes: Uint8Array, place: BlockPlace): void {
    const envelope = this.envelope;
    if (this.open && !this.isLive) throw new StreamFault(`block ${this.open.height} has no end`);
    const { height, timestamp } = this.marker(bytes);
    if (height !== envelope.height) {
      throw new StreamFault(`event ${envelope.height}-${envelope.seq} begins block ${height}`);
    }
    if (this.isLive && envelope.seq !== 1) {
      throw new StreamFault(`block ${height} begins with event ${height}-${envelope.seq}`, "events_lost");
    }
    this.nextSeq = 2;
    this.nextSeqAlone = 2;
    this.rememberChain(bytes);
    const hashBytes = hexBytesAt(bytes, envelope.blockStart, envelope.blockEnd);
    if (!hashBytes) throw new StreamFault(`block ${envelope.height} has no valid hash`);
    const hash = latinAt(bytes, envelope.blockStart, envelope.blockEnd);
    this.seenBlock = true;
    this.lastTx = bytes;
    this.lastTxStart = envelope.blockStart;
    this.lastTxLength = envelope.blockEnd - envelope.blockStart;
    this.lastTxIndex = 0;
    if (this.txIndexes.size > 0) this.txIndexes.clear();
    this.openBytes = 0;
    this.open = {
      chainId: this.chainId,
      height: envelope.height,
      timeNs: timestamp,
      hash,
      hashBytes,
      hashText: bytes.slice(envelope.blockStart, envelope.blockEnd),
      txHashes: [hash],
      events: [],
      unkept: 0,
      place,
    };
    if (this.tap?.isOpen) this.open.whole = [this.currentEvent(bytes, 0)];
    this.tap?.noteBlock(envelope.height);
  }

  private marker(bytes: Uint8Array): { height: number; timestamp: bigint } {
    const { payloadStart, payloadEnd } = this.envelope;
    const { height, timestamp } = readBeginBlockAt(bytes, payloadStart, payloadEnd);
    return { height: Number(height), timestamp };
  }

  private rememberChain(bytes: Uint8Array): void {
    if (this.chainIdBytes) {
      this.checkChain(bytes);
      return;
    }
    const { chainIdStart, chainIdEnd } = this.envelope;
    if (chainIdEnd - chainIdStart > CHAIN_ID_BYTES_MAX) throw new StreamFault("the chain id is too long");
    const chainId = Buffer.from(bytes.subarray(chainIdStart, chainIdEnd)).toString("utf8");
    if (!isPrintableChainId(chainId)) {
      throw new StreamFault(`block ${this.envelope.height} has a chain id that is not printable text`);
    }
    this.chainIdBytes = bytes.slice(chainIdStart, chainIdEnd);
    this.chainId = chainId;
  }

  private checkChain(bytes: Uint8Array): void {
    const { chainIdStart, chainIdEnd } = this.envelope;
    const expected = this.chainIdBytes!;
    const length = chainIdEnd - chainIdStart;
    if (length === expected.length && sameBytes(bytes, chainIdStart, expected, 0, length)) return;
    const other = Buffer.from(bytes.subarray(chainIdStart, chainIdEnd)).toString("utf8");
    const shown = JSON.stringify(other.slice(0, CHAIN_ID_BYTES_MAX));
    throw new StreamFault(`mismatched chain id received: ${shown}, want "${this.chainId}"`, "chain_mismatch");
  }

  /** Of two blocks of the same height the events may not be mixed. */
  private checkBlock(bytes: Uint8Array): void {
    const { height, seq, blockStart, blockEnd } = this.envelope;
    const { hash, hashText } = this.open!;
    const length = blockEnd - blockStart;
    if (length === hashText.length && sameBytes(bytes, blockStart, hashText, 0, length)) return;
    const other = JSON.stringify(latinAt(bytes, blockStart, blockEnd).slice(0, hash.length));
    throw new StreamFault(`event ${height}-${seq} is of block ${other}, and stands inside block "${hash}"`);
  }

  private txIndex(bytes: Uint8Array): number {
    const { txHashStart, txHashEnd } = this.envelope;
    const length = txHashEnd - txHashStart;
    const isLast =
      length === this.lastTxLength && sameBytes(bytes, txHashStart, this.lastTx, this.lastTxStart, length);
    if (isLast) return this.lastTxIndex;
    // Bytes that are not ASCII are not a hash either.
    const hash = latinAt(bytes, txHashStart, txHashEnd);
    const { txHashes } = this.open!;
    if (this.txIndexes.size === 0) this.txIndexes.set(txHashes[0]!, 0);
    let index = this.txIndexes.get(hash);
    if (index === undefined) {
      if (!isHex(hash)) {
        const { height, seq } = this.envelope;
        throw new StreamFault(`event ${height}-${seq} has no valid transaction hash`);
      }
      index = txHashes.push(hash) - 1;
      this.txIndexes.set(hash, index);
    }
    this.lastTx = bytes;
    this.lastTxStart = txHashStart;
    this.lastTxLength = length;
    this.lastTxIndex = index;
    return index;
  }
}

function sameBytes(a: Uint8Array, aStart: number, b: Uint8Array, bStart: number, length: number): boolean {
  let i = 0;
  for (; i + 4 <= length; i += 4) {
    const at = aStart + i;
    const to = bStart + i;
    const first = (a[at]! ^ b[to]!) | (a[at + 1]! ^ b[to + 1]!);
    if ((first | (a[at + 2]! ^ b[to + 2]!) | (a[at + 3]! ^ b[to + 3]!)) !== 0) return false;
  }
  for (; i < length; i++) if (a[aStart + i] !== b[bStart + i]) return false;
  return true;
}
