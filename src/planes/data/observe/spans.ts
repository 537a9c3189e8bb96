// The blocks behind a place of the store, a few at a time: how the fan-out goes on after a commit, and how a stream catches up.
import { type ChainHead, hashOfRow } from "../../../store/head.ts";
import type { DataContext } from "../context.ts";
import type { BlockSpan, StreamKind } from "./kind.ts";
import { type Element, FramedMessage, type Place, rowsBehind, type StreamMessage } from "./message.ts";

/** Blocks that are read at one go. */
const BLOCKS_A_SPAN = 20;
/** Elements of a page (docs/protocol/10-data-api-streams.md#62-streams). */
export const PAGE_ELEMENTS = 50;

/** Up to where a stream is. */
export interface At {
  readonly height: number;
  readonly place: Place;
  /** Of the block; empty where it is not known. */
  readonly hash: string;
}

/** Where the store stands; before its first block nothing is behind any block. */
export function atHead(head: ChainHead | undefined): At {
  if (head === undefined) return { height: 0, place: { no: 0, part: -1 }, hash: "" };
  return { height: head.height, place: { no: head.no, part: head.part }, hash: head.hash };
}

/** Blocks that are read next. */
export interface Step {
  readonly span: BlockSpan;
  /** The last block of a row of `blocks`. */
  at(no: number): At;
  readonly end: At;
}

/** The next blocks behind a place; undefined where it is the head. */
export function stepBehind(context: DataContext, { height, place }: At, head: ChainHead): Step | undefined {
  const isHeadsRow = head.no === place.no;
  if (head.no < place.no || (isHeadsRow && head.part <= place.part)) return undefined;
  const end = Math.min(head.no, place.no + BLOCKS_A_SPAN);
  const rows = lastBlocks(context, place.no, end, head);
  const at = (no: number): At => rows.get(no) ?? atHead(head);
  // Blocks have joined the row that the last one is in.
  if (isHeadsRow || (Number.isFinite(place.part) && at(place.no).height > height)) {
    const firstOrd = rowsBehind(place).ord;
    return { span: { first: place.no, last: place.no, firstOrd }, at, end: at(place.no) };
  }
  return { span: { first: place.no + 1, last: end, firstOrd: 0 }, at, end: at(end) };
}

interface BlockRow {
  readonly no: bigint;
  readonly height: bigint;
  readonly time: bigint;
  readonly hash: Uint8Array;
}

/** The last block of each row: a row has the height and the hash of its first one. */
function lastBlocks(
  context: DataContext,
  first: number,
  last: number,
  head: ChainHead,
): ReadonlyMap<number, At> {
  const sql = "SELECT no, height, time, hash FROM blocks WHERE no BETWEEN ? AND ? ORDER BY no";
  const rows = context.all<BlockRow>(sql, first, last + 1);
  return new Map(
    rows.map((row, n) => {
      const no = Number(row.no);
      if (no === head.no) return [no, atHead(head)];
      const height = lastHeight(context, row, rows[n + 1]?.height ?? BigInt(head.height) + 1n);
      const part = height - Number(row.height);
      return [no, { height, place: { no, part }, hash: part === 0 ? hashOfRow(row).toHex() : "" }];
    }),
  );
}

/** Height of the last block of a row. @param next height of the row after it */
function lastHeight(context: DataContext, { height }: BlockRow, next: bigint): number {
  if (next <= height + 1n) return Number(height);
  const gap = context.get<{ from: bigint | null }>(
    'SELECT min(from_height) AS "from" FROM gaps WHERE from_height > ? AND from_height < ?',
    height,
    next,
  );
  return Number(gap?.from ?? next) - 1;
}

/** The messages of a step for a filter, made of what the reader of its kind found. */
export function messagesOf(
  kind: StreamKind,
  filter: object,
  elements: readonly Element[],
  { at }: Step,
): StreamMessage[] {
  const picked = elements.filter(({ value }) => kind.matches(filter, value as never));
  return groupsOf(kind, picked).map((group) => {
    const { height, place } = at(group[0]!.block);
    return new FramedMessage(height, place, kind.frame, group);
  });
}

/** Elements that share a message. */
function groupsOf(kind: StreamKind, elements: readonly Element[]): Element[][] {
  const groups: Element[][] = [];
  const sizeMax = kind.frame.isList ? PAGE_ELEMENTS : 1;
  for (const element of elements) {
    const group = groups.at(-1);
    if (group !== undefined && group.length < sizeMax && group[0]!.block === element.block)
      group.push(element);
    else groups.push([element]);
  }
  return groups;
}
