// The changes that a client has missed since it was cut off: those of the blocks after its height, read from their rows, in place
// of a snapshot.
import { Grpc } from "../../../errors/statuses.ts";
import { ApiError } from "../../../http/errors.ts";
import { type ChainHead, hashOfRow } from "../../../store/head.ts";
import { readFloors } from "../../../store/retention.ts";
import type { DataContext } from "../context.ts";
import { type Cursor, isBlockOf } from "./cursor.ts";
import type { StreamKind } from "./kind.ts";
import { HeightMark, type StreamMessage } from "./message.ts";
import { type At, atHead, messagesOf, stepBehind } from "./spans.ts";

/** More blocks are not read for a client: it restarts with a snapshot. */
const MISSED_BLOCKS_MAX = 100_000;

export function notReached(height: number, head: number): ApiError {
  return new ApiError(Grpc.failedPrecondition, `height ${height} is not reached: the last block is ${head}`);
}

export function notKept(height: number): ApiError {
  return new ApiError(
    Grpc.outOfRange,
    `what happened after block ${height} is not kept: open the stream without afterHeight`,
  );
}

/** The place of a cursor. @throws ApiError 412 for a later height than the head's, 400 where later blocks are not kept whole, or the chain has another block */
export function placeOfCursor(
  context: DataContext,
  kind: StreamKind,
  cursor: Cursor,
  head: ChainHead | undefined,
): At {
  const { height } = cursor;
  if (head === undefined || height > head.height) throw notReached(height, head?.height ?? 0);
  checkBlock(context, cursor, head);
  if (height === head.height) return atHead(head);
  const floor = readFloors(context.db).get(kind.table)?.height ?? 0;
  if (height < floor || head.height - height > MISSED_BLOCKS_MAX) throw notKept(height);
  const row = rowAt(context, height);
  if (row === undefined && height < head.firstHeight - 1) throw notKept(height);
  const { hash } = cursor;
  if (row === undefined) return { height, place: { no: 0, part: -1 }, hash };
  return { height, place: { no: Number(row.no), part: height - Number(row.height) }, hash };
}

/** @throws ApiError 400 where the chain has another block at the height of a cursor */
export function checkBlock(context: DataContext, cursor: Cursor, head: ChainHead): void {
  if (cursor.hash === "" || isBlockOf(cursor, hashAt(context, cursor.height, head))) return;
  throw new ApiError(
    Grpc.outOfRange,
    `the chain was taken back to before block ${cursor.height}: open the stream without afterHeight`,
  );
}

/** Hash of a block, hexadecimal; empty where it is not known. */
export function hashAt(context: DataContext, height: number, head: ChainHead): string {
  if (height === head.height) return head.hash;
  const row = rowAt(context, height);
  return row === undefined || Number(row.height) !== height ? "" : hashOfRow(row).toHex();
}

/** The row that has the block of a height. */
function rowAt(context: DataContext, height: number) {
  return context.get<{ no: bigint; height: bigint; time: bigint; hash: Uint8Array }>(
    "SELECT no, height, time, hash FROM blocks WHERE height <= ? ORDER BY no DESC LIMIT 1",
    height,
  );
}

/** The messages behind a place; undefined between them, so that others have their turn. */
export function* messagesBehind(
  context: DataContext,
  kind: StreamKind,
  filter: object,
  from: At,
  { head, wantsHeights }: { readonly head: ChainHead; readonly wantsHeights: boolean },
): Generator<StreamMessage | undefined, StreamMessage | undefined> {
  const mark = ({ height, place, hash }: At) =>
    wantsHeights ? new HeightMark(height, place, hash) : undefined;
  const reader = kind.reader();
  reader.prepare?.(context, filter, from.place, true);
  let at = from;
  yield mark(at);
  for (;;) {
    const step = stepBehind(context, at, head);
    if (step === undefined) return undefined;
    yield* messagesOf(kind, filter, reader.read(context, step.span, [filter]), step);
    at = step.end;
    yield mark(at);
  }
}
