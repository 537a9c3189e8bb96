// The changes that a client has missed since it was cut off: those of the blocks after its height, read from their rows, in place
// of a snapshot.
import { Grpc } from "../../../errors/statuses.ts";
import { ApiError } from "../../../http/errors.ts";
import type { ChainHead } from "../../../store/head.ts";
import { readFloors } from "../../../store/retention.ts";
import type { DataContext } from "../context.ts";
import type { StreamKind } from "./kind.ts";
import { HeightMark, type StreamMessage } from "./message.ts";
import { type At, messagesOf, stepBehind } from "./spans.ts";

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

/** The place of a height. @throws ApiError 412 for a later height than the head's, 400 where later blocks are not kept whole */
export function placeOfHeight(
  context: DataContext,
  kind: StreamKind,
  height: number,
  head: ChainHead | undefined,
): At {
  if (head === undefined || height > head.height) throw notReached(height, head?.height ?? 0);
  if (height === head.height) return { height, place: { no: head.no, part: head.part } };
  const floor = readFloors(context.db).get(kind.table)?.height ?? 0;
  if (height < floor || head.height - height > MISSED_BLOCKS_MAX) throw notKept(height);
  const row = context.get<{ no: bigint; height: bigint }>(
    "SELECT no, height FROM blocks WHERE height <= ? ORDER BY no DESC LIMIT 1",
    height,
  );
  if (row === undefined && height < head.firstHeight - 1) throw notKept(height);
  if (row === undefined) return { height, place: { no: 0, part: -1 } };
  return { height, place: { no: Number(row.no), part: height - Number(row.height) } };
}

/** The messages behind a place; undefined between them, so that others have their turn. */
export function* messagesBehind(
  context: DataContext,
  kind: StreamKind,
  filter: object,
  from: At,
  { head, wantsHeights }: { readonly head: ChainHead; readonly wantsHeights: boolean },
): Generator<StreamMessage | undefined, StreamMessage | undefined> {
  const mark = ({ height, place }: At) => (wantsHeights ? new HeightMark(height, place) : undefined);
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
