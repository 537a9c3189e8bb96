/**
 * Bus events as the engine emits them. A payload does not change after it was emitted; its place in the block gives an
 * event its sequence number (docs/protocol/30-node-api-events.md#91-busevent).
 */
import type { Block, BlockEvent } from "../wire/block.ts";
import type { Init } from "../wire/codec.ts";
import {
  type BusEvent,
  encodeBusEvent,
  encodeLedgerMovements,
  encodePositionStateEvent,
  encodeSettlePosition,
  encodeTimeUpdate,
  encodeTransactionResult,
  encodeTransfer,
} from "../wire/generated/events.ts";
import {
  encodeAccount,
  encodeMarginLevels,
  encodeOrder,
  encodeParty,
  encodeTrade,
} from "../wire/generated/vega.ts";

type Envelope = "id" | "block" | "type" | "version" | "chainId" | "txHash";
/** The member of `BusEvent` that holds the payload. */
export type EventMember = Exclude<keyof BusEvent, Envelope>;
export type EventPayload<M extends EventMember> = Init<NonNullable<BusEvent[M]>>;

/** Emits one event. */
export interface EventSink {
  emit<M extends EventMember>(member: M, payload: EventPayload<M>): void;
}

interface Frequent<M extends EventMember> {
  readonly field: number;
  encode(payload: EventPayload<M>): Uint8Array;
  /** Its rows are made of its bytes: these are wanted in any case. */
  readonly isKept?: true;
}

/**
 * Events that come with every transaction, or for every party of a market, are encoded without looking through all the
 * members that they are not; with their field numbers in `BusEvent`.
 */
const FREQUENT: { readonly [M in EventMember]?: Frequent<M> } = {
  account: { field: 105, encode: encodeAccount },
  ledgerMovements: { field: 102, encode: encodeLedgerMovements },
  marginLevels: { field: 108, encode: encodeMarginLevels, isKept: true },
  order: { field: 104, encode: encodeOrder, isKept: true },
  party: { field: 106, encode: encodeParty },
  positionStateEvent: { field: 145, encode: encodePositionStateEvent },
  settlePosition: { field: 114, encode: encodeSettlePosition, isKept: true },
  timeUpdate: { field: 101, encode: encodeTimeUpdate },
  trade: { field: 107, encode: encodeTrade, isKept: true },
  transactionResult: { field: 152, encode: encodeTransactionResult },
  transfer: { field: 139, encode: encodeTransfer },
};

/** Encoded on demand: rows need only the message. */
class FrequentEvent<M extends EventMember> implements BlockEvent {
  readonly start = 0;
  private encoded: Uint8Array | undefined;

  constructor(
    readonly field: number,
    readonly seq: number,
    readonly tx: number,
    readonly message: EventPayload<M>,
    private readonly encode: (payload: EventPayload<M>) => Uint8Array,
  ) {}

  get bytes(): Uint8Array {
    this.encoded ??= this.encode(this.message);
    return this.encoded;
  }

  get end(): number {
    return this.bytes.length;
  }
}

/** An event whose payload is made when the block's events are taken. */
interface LateEvent {
  /** Its place in `events`. */
  readonly at: number;
  readonly tx: number;
  readonly seq: number;
  readonly member: EventMember;
  readonly payload: () => EventPayload<EventMember>;
}

/** Collects the events of one block. */
export class EventLog implements EventSink {
  private events: BlockEvent[] = [];
  private late: LateEvent[] = [];
  private txHashes: string[] = [];
  private tx = 0;
  /** Sequence number of the next event. */
  private next = 1;

  /** @param hash the block's trace id, upper-case hex */
  startBlock(hash: string): void {
    this.events = [];
    this.late = [];
    this.txHashes = [hash];
    this.tx = 0;
    this.next = 1;
  }

  /** Events from here on belong to this transaction (upper-case hex), or to the block itself. */
  setTransaction(txHash: string | undefined): void {
    this.tx = txHash === undefined ? 0 : this.txHashes.push(txHash) - 1;
  }

  emit<M extends EventMember>(member: M, payload: EventPayload<M>): void {
    const seq = this.next++;
    const frequent = FREQUENT[member] as Frequent<M> | undefined;
    if (frequent?.isKept) {
      const bytes = frequent.encode(payload);
      this.events.push({ field: frequent.field, seq, tx: this.tx, bytes, start: 0, end: bytes.length });
      return;
    }
    if (frequent !== undefined) {
      this.events.push(new FrequentEvent(frequent.field, seq, this.tx, payload, frequent.encode));
      return;
    }
    if (member === "expiredOrders") this.next = seq + numbersOf(payload as EventPayload<"expiredOrders">);
    this.events.push(encodedEvent(member, payload, seq, this.tx));
  }

  /**
   * Emits an event that keeps its place here, with what `payload` gives when the block's events are taken: called once then for
   * all events with the same function.
   */
  emitLate<M extends EventMember>(member: M, payload: () => EventPayload<M>): void {
    const seq = this.next++;
    this.late.push({ at: this.events.length, tx: this.tx, seq, member, payload });
    this.events.push({ field: 0, seq, tx: this.tx, bytes: NO_BYTES, start: 0, end: 0 });
  }

  get length(): number {
    return this.events.length;
  }

  /** Takes back the events after the first `length`. */
  truncate(length: number): void {
    this.next = this.events[length]?.seq ?? this.next;
    this.events.length = length;
    this.late = this.late.filter(({ at }) => at < length);
  }

  blockEvents(): Pick<Block, "events" | "txHashes"> {
    const payloads = new Map<() => unknown, EventPayload<EventMember>>();
    for (const { at, tx, seq, member, payload } of this.late) {
      if (!payloads.has(payload)) payloads.set(payload, payload());
      this.events[at] = encodedEvent(member, payloads.get(payload)!, seq, tx);
    }
    return { events: this.events, txHashes: this.txHashes };
  }
}

/**
 * Sequence numbers that expired orders take: one for each
 * (docs/protocol/60-state-engine-blocks.md#12-event-envelope-busevent), because each becomes a row.
 */
function numbersOf({ orderIds = [] }: EventPayload<"expiredOrders">): number {
  return orderIds.length;
}

function encodedEvent<M extends EventMember>(
  member: M,
  payload: EventPayload<M>,
  seq: number,
  tx: number,
): BlockEvent {
  const bytes = encodeBusEvent({ [member]: payload } as Init<BusEvent>);
  const { field, start } = payloadPlace(bytes);
  return { field, seq, tx, bytes, start, end: bytes.length };
}

const NO_BYTES = new Uint8Array();

/** Place and kind of the payload in a bus event that has nothing else. */
function payloadPlace(bytes: Uint8Array): { field: number; start: number } {
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let unit = 1; ; unit *= 128) {
      const byte = bytes[at++]!;
      value += (byte & 0x7f) * unit;
      if (byte < 0x80) return value;
    }
  };
  const tag = varint();
  varint();
  return { field: Math.floor(tag / 8), start: at };
}
