// Messages of a stream. A thing that changed (an order, a vote) is an element: it is read and rendered once, however many
// messages to however many subscribers it stands in.
import { type JsonMode, renderJson } from "../../../wire/json.ts";

/** A block of the store: its row in `blocks`, and how many earlier blocks share that row (store/head.ts). */
export interface Place {
  readonly no: number;
  readonly part: number;
}

export function isBehind(place: Place, other: Place): boolean {
  return place.no > other.no || (place.no === other.no && place.part > other.part);
}

/** Columns `ord` of the blocks that share a row: a range for each. */
const PART_RANGE = 2 ** 24;

/** Block and `ord` of the first row of a table behind a place. */
export interface RowPlace {
  readonly block: number;
  readonly ord: number;
}

export function rowsBehind({ no, part }: Place): RowPlace {
  return Number.isFinite(part) ? { block: no, ord: (part + 1) * PART_RANGE } : { block: no + 1, ord: 0 };
}

/** A change, as every subscriber gets it. */
export class Element {
  private readonly rendered = new Map<JsonMode, string>();

  /**
   * @param block row of the block in `blocks`
   * @param value message of the wire; it does not change any more
   * @param bytes about how much of memory it takes
   */
  constructor(
    readonly block: number,
    readonly value: object,
    readonly bytes: number,
  ) {}

  /**
   * @param type full name of the message
   * @param mode `stream`: by the rules of streams (docs/protocol/10-data-api-streams.md#61-transport)
   */
  text(type: string, mode: JsonMode): string {
    let text = this.rendered.get(mode);
    if (text === undefined) this.rendered.set(mode, (text = renderJson(type, this.value, mode)));
    return text;
  }
}

/** Place of elements in a response message: `{"trades":[...]}`, `{"updates":{"orders":[...]}}`, `{"vote":{...}}`. */
export interface Frame {
  /** Full name of the element's message. */
  readonly element: string;
  /** The response's member that holds a message around the list. */
  readonly around?: string;
  readonly member: string;
  /** Several elements of a block share a message; else each has one of its own. */
  readonly isList: boolean;
}

/**
 * A message of a stream: the same object for all subscribers that get it, so that bytes of another encoding, for example,
 * can be kept beside it in a `WeakMap`.
 */
export interface StreamMessage {
  /** Height of the block whose changes it tells; of a page of a snapshot, the height that the snapshot was read at. */
  readonly height: number;
  readonly place: Place;
  /** About how much of memory it takes. */
  readonly bytes: number;
  /** The response message in the shape of the protobuf. Undefined for a mark of a height, which observers ask for. */
  readonly message: object | undefined;
  /** The same as JSON, without the gateway's envelope; empty for a mark. */
  textIn(mode: JsonMode): string;
}

/** A message made of elements: of their values for the protobuf, of their texts for JSON. */
export class FramedMessage implements StreamMessage {
  private value: object | undefined;

  /** @param isLast of a page of a snapshot: whether it is the last one */
  constructor(
    readonly height: number,
    readonly place: Place,
    private readonly frame: Frame,
    private readonly elements: readonly Element[],
    private readonly isLast?: boolean,
  ) {}

  get bytes(): number {
    return this.elements.reduce((sum, { bytes }) => sum + bytes, FRAME_BYTES);
  }

  get message(): object {
    this.value ??= this.make();
    return this.value;
  }

  private make(): object {
    const { frame, elements, isLast } = this;
    const { around, member, isList } = frame;
    const content = isList ? elements.map(({ value }) => value) : elements[0]!.value;
    if (isLast !== undefined) return { snapshot: { [member]: content, lastPage: isLast } };
    return around === undefined ? { [member]: content } : { [around]: { [member]: content } };
  }

  textIn(mode: JsonMode): string {
    const { frame, elements, isLast } = this;
    const { around, member, isList, element } = frame;
    if (!isList) return `{"${member}":${elements[0]!.text(element, mode)}}`;
    const leavesOutZeros = mode === "stream";
    const texts = elements.map((each) => each.text(element, mode)).join(",");
    const list = leavesOutZeros && elements.length === 0 ? "" : `"${member}":[${texts}]`;
    if (isLast === undefined) return around === undefined ? `{${list}}` : `{"${around}":{${list}}}`;
    const last = leavesOutZeros && !isLast ? "" : `"lastPage":${isLast}`;
    return `{"snapshot":{${[list, last].filter((part) => part !== "").join(",")}}}`;
  }
}

const FRAME_BYTES = 100;

/** Tells that a block has ended: for observers that want to know the height when nothing of theirs happens. */
export class HeightMark implements StreamMessage {
  readonly bytes = FRAME_BYTES;
  readonly message = undefined;

  /** @param hash of the block; empty where it is not known */
  constructor(
    readonly height: number,
    readonly place: Place,
    readonly hash: string,
  ) {}

  textIn(): string {
    return "";
  }
}
