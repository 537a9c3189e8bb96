// Puts the events of a stream together into whole blocks, under the rules of reference 20 (6.3) and 30 (9.3).

import { Field } from "../store/project/fields.ts";
import { EnvelopeReader } from "../wire/bus-event.ts";
import { readBeginBlockAt } from "../wire/generated/events.ts";
import { isHex } from "../wire/identifiers.ts";
import type { Block, BlockEvent } from "./block.ts";

const BUS_EVENT_VERSION = 1;
const CHAIN_ID_BYTES_MAX = 200;
/** Events of one block that are held until its end. */
export const BLOCK_EVENTS_MAX = 10_000_000;

/** The stream breaks its own rules. */
export class StreamFault extends Error {
  override readonly name = "StreamFault";
}

interface OpenBlock {
  chainId: string;
  height: number;
  timeNs: bigint;
  hash: string;
  txHashes: string[];
  events: BlockEvent[];
}

export class BlockAssembler {
  private readonly envelope = new EnvelopeReader();
  private open: OpenBlock | undefined;
  private seenBlock = false;
  private chainIdBytes: Uint8Array | undefined;
  private chainId = "";
  /** The last transaction hash seen in this block, as it stands on the wire, and its index. */
  private lastTx: Uint8Array | undefined;
  private lastTxIndex = 0;

  /** Height of a block that has begun and not ended. */
  get openHeight(): number | undefined {
    return this.open?.height;
  }

  /** Takes one serialized bus event; returns the block that it completes. @throws StreamFault, WireError */
  push(bytes: Uint8Array, start: number, end: number): Block | undefined {
    const envelope = this.envelope;
    envelope.read(bytes, start, end);
    if (envelope.version !== BUS_EVENT_VERSION) {
      throw new StreamFault(
        `event ${envelope.height}-${envelope.seq} has version ${envelope.version}, want ${BUS_EVENT_VERSION}`,
      );
    }
    if (envelope.field === Field.beginBlock) {
      this.begin(bytes);
      return undefined;
    }
    if (this.open === undefined) {
      // Before the first block there may be the tail of one that began earlier; later there may not.
      if (!this.seenBlock) return undefined;
      throw new StreamFault(`event ${envelope.height}-${envelope.seq} stands between two blocks`);
    }
    this.checkChain(bytes);
    if (envelope.height !== this.open.height) {
      throw new StreamFault(
        `event ${envelope.height}-${envelope.seq} stands inside block ${this.open.height}`,
      );
    }
    if (envelope.field === Field.endBlock) {
      const block = this.open;
      this.open = undefined;
      return block;
    }
    if (this.open.events.length >= BLOCK_EVENTS_MAX) {
      throw new StreamFault(`block ${this.open.height} has more than ${BLOCK_EVENTS_MAX} events`);
    }
    this.open.events.push({
      field: envelope.field,
      seq: envelope.seq,
      tx: this.txIndex(bytes),
      bytes,
      start: envelope.payloadStart,
      end: envelope.payloadEnd,
    });
    return undefined;
  }

  private begin(bytes: Uint8Array): void {
    const envelope = this.envelope;
    if (this.open) throw new StreamFault(`block ${this.open.height} has no end`);
    const marker = readBeginBlockAt(bytes, envelope.payloadStart, envelope.payloadEnd);
    if (Number(marker.height) !== envelope.height) {
      throw new StreamFault(`event ${envelope.height}-${envelope.seq} begins block ${marker.height}`);
    }
    this.rememberChain(bytes);
    const hash = Buffer.from(bytes.subarray(envelope.blockStart, envelope.blockEnd)).toString("latin1");
    if (!isHex(hash)) throw new StreamFault(`block ${envelope.height} has no valid hash`);
    this.seenBlock = true;
    this.lastTx = bytes.subarray(envelope.blockStart, envelope.blockEnd);
    this.lastTxIndex = 0;
    this.open = {
      chainId: this.chainId,
      height: envelope.height,
      timeNs: marker.timestamp,
      hash,
      txHashes: [hash],
      events: [],
    };
  }

  private rememberChain(bytes: Uint8Array): void {
    if (this.chainIdBytes) {
      this.checkChain(bytes);
      return;
    }
    const { chainIdStart, chainIdEnd } = this.envelope;
    if (chainIdEnd - chainIdStart > CHAIN_ID_BYTES_MAX) throw new StreamFault("the chain id is too long");
    this.chainIdBytes = bytes.slice(chainIdStart, chainIdEnd);
    this.chainId = Buffer.from(this.chainIdBytes).toString("utf8");
  }

  private checkChain(bytes: Uint8Array): void {
    const { chainIdStart, chainIdEnd } = this.envelope;
    if (sameRange(bytes, chainIdStart, chainIdEnd, this.chainIdBytes!)) return;
    const other = Buffer.from(bytes.subarray(chainIdStart, chainIdEnd))
      .toString("utf8")
      .slice(0, CHAIN_ID_BYTES_MAX);
    throw new StreamFault(`mismatched chain id received: ${other}, want ${this.chainId}`);
  }

  private txIndex(bytes: Uint8Array): number {
    const { txHashStart, txHashEnd } = this.envelope;
    if (sameRange(bytes, txHashStart, txHashEnd, this.lastTx!)) return this.lastTxIndex;
    const hash = Buffer.from(bytes.subarray(txHashStart, txHashEnd)).toString("latin1");
    if (!isHex(hash))
      throw new StreamFault(
        `event ${this.envelope.height}-${this.envelope.seq} has no valid transaction hash`,
      );
    const open = this.open!;
    let index = open.txHashes.lastIndexOf(hash);
    if (index < 0) index = open.txHashes.push(hash) - 1;
    this.lastTx = bytes.subarray(txHashStart, txHashEnd);
    this.lastTxIndex = index;
    return index;
  }
}

function sameRange(bytes: Uint8Array, start: number, end: number, other: Uint8Array): boolean {
  const length = end - start;
  if (length !== other.length) return false;
  for (let i = 0; i < length; i++) if (bytes[start + i] !== other[i]) return false;
  return true;
}
