/** The whole serialized bus event of an event of a block (docs/protocol/30-node-api-events.md#91-busevent). */
import type { Block, BlockEvent } from "./block.ts";
import { BusEventType, encodeBusEvent } from "./generated/events.ts";

/**
 * `BusEvent.type` of a payload field: the numbers run side by side except for two
 * (docs/protocol/30-node-api-events.md#92-types-and-payload-fields).
 */
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
  return new Uint8Array(Buffer.concat([envelope, bareEvent(event)]));
}

/** The same with its payload only. */
export function bareEvent({ field, bytes, start, end }: BlockEvent): Uint8Array {
  return asMember(field, bytes.subarray(start, end));
}

const LENGTH_DELIMITED = 2;

/** A payload behind its tag and length, as in a `BusEvent`. */
function asMember(field: number, payload: Uint8Array): Uint8Array {
  const tag = field * 8 + LENGTH_DELIMITED;
  const start = varintLength(tag) + varintLength(payload.length);
  const bytes = new Uint8Array(start + payload.length);
  writeVarint(bytes, writeVarint(bytes, 0, tag), payload.length);
  bytes.set(payload, start);
  return bytes;
}

function varintLength(value: number): number {
  let length = 1;
  for (let rest = value; rest > 127; rest >>>= 7) length++;
  return length;
}

/** @returns the offset behind it */
function writeVarint(bytes: Uint8Array, at: number, value: number): number {
  let place = at;
  let rest = value;
  for (; rest > 127; rest >>>= 7) bytes[place++] = (rest & 127) | 128;
  bytes[place++] = rest;
  return place;
}
