/**
 * A stream as an iterator that outlives its connections. The messages of a block are handed on when the block is
 * complete, so that the next connection begins behind a whole block.
 */
import { LyraError } from "../errors/lyra-error.ts";
import { apiError } from "./api-error.ts";
import type { StreamEvent, StreamOptions } from "./calls.ts";
import { pause } from "./connection.ts";
import type { StreamLine } from "./transports.ts";

const FIRST_WAIT_MS = 50;
const WAIT_MS_MAX = 5_000;
/** Codes after which a stream can be opened again: the node stops, is busy, or dropped a reader that was too slow. */
const AGAIN: ReadonlySet<string> = new Set(["unavailable", "resource_exhausted", "unreachable"]);
const TOO_SLOW = "channel closed";

interface Followed {
  /** Opens the stream. @param after block behind which it begins; undefined: the last one */
  open(after: string | undefined, signal: AbortSignal): AsyncIterable<StreamLine>;
}

export async function* follow<Message extends object>(
  { open }: Followed,
  { signal, onHeight, onReconnect }: StreamOptions,
): AsyncGenerator<StreamEvent<Message>, void, undefined> {
  const closing = new AbortController();
  const close = () => closing.abort();
  signal?.addEventListener("abort", close);
  if (signal?.aborted) close();
  let after: string | undefined;
  let failures = 0;
  try {
    while (!closing.signal.aborted) {
      let reason: Error = new LyraError("stream_ended", "the connection of the stream ended");
      try {
        let block: StreamEvent<Message>[] = [];
        for await (const { result, height, error } of open(after, closing.signal)) {
          if (error !== undefined) throw apiError(error, undefined, "the stream");
          failures = 0;
          if (result !== undefined) block.push({ ...(result as Message), height: Number(height) });
          const isLastPage = (result as { snapshot?: { lastPage: boolean } } | undefined)?.snapshot?.lastPage;
          if (height === undefined || (result !== undefined && !isLastPage)) continue;
          after = height;
          yield* block;
          block = [];
          onHeight?.(Number(height));
        }
      } catch (error) {
        if (closing.signal.aborted) return;
        if (!isPassing(error)) throw error;
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

function isPassing(error: unknown): error is LyraError {
  if (!(error instanceof LyraError)) return false;
  return AGAIN.has(error.code) || error.details.some(({ inner }) => inner === TOO_SLOW);
}
