/**
 * A stream as an iterator that outlives its connections. The messages of a block are handed on when the block is
 * complete, so that the next connection begins behind a whole block: nothing is missing, and nothing comes twice.
 */

import { apiError } from "../errors/api-error.ts";
import { LyraError } from "../errors/lyra-error.ts";
import type { StreamEvent, StreamOptions } from "./calls.ts";
import { pause } from "./connection.ts";
import type { StreamLine } from "./transports.ts";

const FIRST_WAIT_MS = 50;
const WAIT_MS_MAX = 5_000;
/** Attempts without a message after which a node that lags behind is given up: half a minute. */
const LAGGING_MAX = 12;
/** Codes after which a stream can be opened again: the node stops, or is busy. */
const AGAIN: ReadonlySet<string> = new Set(["unavailable", "resource_exhausted", "unreachable"]);
/** The node has dropped a reader that was too slow. */
const TOO_SLOW = "channel closed";

/** Opens the stream. @param after block behind which it begins; undefined: the last one */
type Open = (after: string | undefined, signal: AbortSignal) => AsyncIterable<StreamLine>;

export async function* follow<Message extends object>(
  open: Open,
  { after: first, signal, onHeight, onCursor, onReconnect }: StreamOptions,
): AsyncGenerator<StreamEvent<Message>, void, undefined> {
  const closing = new AbortController();
  const close = () => closing.abort();
  signal?.addEventListener("abort", close);
  if (signal?.aborted) close();
  let after = first === undefined ? undefined : String(first);
  let failures = 0;
  try {
    while (!closing.signal.aborted) {
      let reason: Error = new LyraError("stream_ended", "the connection of the stream ended");
      try {
        let block: StreamEvent<Message>[] = [];
        for await (const { result, height, cursor, error } of open(after, closing.signal)) {
          if (error !== undefined) throw apiError(error, undefined, "the stream");
          failures = 0;
          if (result !== undefined) block.push({ ...(result as Message), height: Number(height) });
          if (cursor === undefined) continue;
          after = cursor;
          yield* block;
          block = [];
          onHeight?.(Number(height));
          onCursor?.(cursor);
        }
      } catch (error) {
        if (closing.signal.aborted) return;
        if (!isPassing(error, failures)) throw asGap(error);
        reason = error;
      }
      if (closing.signal.aborted) return;
      onReconnect?.(reason);
      await pause(Math.min(WAIT_MS_MAX, FIRST_WAIT_MS * 2 ** failures++), closing.signal);
    }
  } finally {
    signal?.removeEventListener("abort", close);
    close();
  }
}

function isPassing(error: unknown, failures: number): error is LyraError {
  if (!(error instanceof LyraError)) return false;
  // Another node of the network, or one that reads its history again.
  if (error.code === "failed_precondition") return failures < LAGGING_MAX;
  return AGAIN.has(error.code) || error.details.some(({ inner }) => inner === TOO_SLOW);
}

/** The node cannot go on where the stream was: its blocks were taken back, or are not kept any more. */
function asGap(error: unknown): unknown {
  if (!(error instanceof LyraError) || error.code !== "out_of_range") return error;
  const hint = "read the state again, and open the stream without `after`";
  return new LyraError("stream_gap", `the stream cannot go on: ${error.message}`, {
    ...error,
    hint,
    cause: error,
  });
}
