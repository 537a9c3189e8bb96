/**
 * Bus events as the engine emits them. A payload does not change after it was emitted; its place in the block gives an
 * event its sequence number (reference 30, section 9.1).
 */
import type { Block, BlockEvent } from "../wire/block.ts";
import { type Init, writeAll } from "../wire/codec.ts";
import { type BusEvent, BusEventType, encodeBusEvent } from "../wire/generated/events.ts";

type Envelope = "id" | "block" | "type" | "version" | "chainId" | "txHash";
/** The member of `BusEvent` that holds the payload. */
export type EventMember = Exclude<keyof BusEvent, Envelope>;
export type EventPayload<M extends EventMember> = Init<NonNullable<BusEvent[M]>>;

/** Emits one event. */
export interface EventSink {
  emit<M extends EventMember>(member: M, payload: EventPayload<M>): void;
}

/** Collects the events of one block. */
export class EventLog implements EventSink {
  private events: BlockEvent[] = [];
  private txHashes: string[] = [];
  private tx = 0;

  /** @param hash the block's trace id, upper-case hex */
  startBlock(hash: string): void {
    this.events = [];
    this.txHashes = [hash];
    this.tx = 0;
  }

  /** Events from here on belong to this transaction (upper-case hex), or to the block itself. */
  setTransaction(txHash: string | undefined): void {
    this.tx = txHash === undefined ? 0 : this.txHashes.push(txHash) - 1;
  }

  emit<M extends EventMember>(member: M, payload: EventPayload<M>): void {
    const seq = this.events.length + 1;
    const bytes = encodeBusEvent({ [member]: payload } as Init<BusEvent>);
    const { field, start } = payloadPlace(bytes);
    this.events.push({ field, seq, tx: this.tx, bytes, start, end: bytes.length });
  }

  get length(): number {
    return this.events.length;
  }

  /** Takes back the events after the first `length`. */
  truncate(length: number): void {
    this.events.length = length;
  }

  blockEvents(): Pick<Block, "events" | "txHashes"> {
    return { events: this.events, txHashes: this.txHashes };
  }
}

/** A bus event with nothing but its payload: where that lies and what it is. */
function payloadPlace(bytes: Uint8Array): { field: number; start: number } {
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++]!;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  };
  const tag = varint();
  varint();
  return { field: Math.floor(tag / 8), start: at };
}

/** `BusEvent.type` of a payload field: the numbers run side by side except for two (reference 30, section 9.2). */
const TYPE_BY_FIELD: ReadonlyMap<number, number> = typesByField();

function typesByField(): Map<number, number> {
  const types = new Map<number, number>();
  // 101 to 127 are types 2 to 28; 128 is unused; 129 to 135 are 29 to 35; 36 has no payload; 136 to 157 are 37 to 58.
  for (let field = 101; field <= 127; field++) types.set(field, field - 99);
  for (let field = 129; field <= 135; field++) types.set(field, field - 100);
  for (let field = 136; field <= 157; field++) types.set(field, field - 99);
  types.set(1001, BusEventType.BUS_EVENT_TYPE_MARKET);
  types.set(2001, BusEventType.BUS_EVENT_TYPE_TX_ERROR);
  return types;
}

/** The whole serialized `BusEvent` of an event of a block, as a validator would send it. */
export function wholeEvent(
  block: Pick<Block, "chainId" | "height" | "hash" | "txHashes">,
  event: BlockEvent,
): Uint8Array {
  const envelope = encodeBusEvent({
    id: `${block.height}-${event.seq}`,
    block: block.hash,
    type: TYPE_BY_FIELD.get(event.field) ?? 0,
    version: 1,
    chainId: block.chainId,
    txHash: block.txHashes[event.tx] ?? block.hash,
  });
  const payload = event.bytes.subarray(event.start, event.end);
  const member = writeAll((out, bytes) => out.bytesField(event.field * 8 + LENGTH_DELIMITED, bytes), payload);
  return new Uint8Array(Buffer.concat([envelope, member]));
}

const LENGTH_DELIMITED = 2;
