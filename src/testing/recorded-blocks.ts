/** Blocks of an event file with their events decoded: those that a node does not keep, too. */
import { type BusEvent, decodeBusEvent } from "../wire/generated/events.ts";

export interface RecordedEvent {
  /** Of the oneof in `vega.events.v1.BusEvent`: `order`, `marketData`. */
  readonly member: string;
  /** Trace id: the hash of the transaction that made it, or that of the block. */
  readonly tx: string;
  // biome-ignore lint/suspicious/noExplicitAny: an event is looked at as it is
  readonly payload: any;
}

export interface RecordedBlock {
  readonly height: number;
  readonly timeNs: bigint;
  readonly hash: string;
  readonly chainId: string;
  readonly events: readonly RecordedEvent[];
}

/** Whether an event came with no transaction: its trace is the block's. */
export const isOfBlock = ({ hash }: RecordedBlock, tx: string): boolean =>
  tx.toLowerCase() === hash.toLowerCase();

/** The member of an event's oneof; undefined for one that the schema does not know. */
export function memberOf(event: BusEvent): keyof BusEvent | undefined {
  return (Object.keys(event) as (keyof BusEvent)[]).find((name) => {
    const value = event[name];
    return typeof value === "object" && value !== null;
  });
}

/** Puts decoded events together to blocks. The last block of a recording that ends inside it is not delivered. */
export class RecordedBlocks {
  private open: (RecordedBlock & { readonly events: RecordedEvent[] }) | undefined;

  get openHeight(): number | undefined {
    return this.open?.height;
  }

  nextFile(): void {
    // A block may go on in the next file.
  }

  /** @returns the block that this event ends @throws WireError */
  push(bytes: Uint8Array, start: number, end: number): RecordedBlock | undefined {
    const event = decodeBusEvent(bytes.subarray(start, end));
    const member = memberOf(event);
    if (member === undefined) return undefined;
    if (member === "beginBlock") {
      const { height, timestamp, hash } = event.beginBlock!;
      this.open = { height: Number(height), timeNs: timestamp, hash, chainId: event.chainId, events: [] };
      return undefined;
    }
    const { open } = this;
    if (member === "endBlock") {
      this.open = undefined;
      return open;
    }
    open?.events.push({ member, tx: event.txHash, payload: event[member] });
    return undefined;
  }
}
