// The messages of an open stream: lines of a plain request, or frames of a WebSocket. Both end without an error when the
// connection ends, however it does.

import { apiError, errorIn } from "../errors/api-error.ts";
import { LyraError } from "../errors/lyra-error.ts";
import { linesIn, textOf } from "./body.ts";
import { type Connection, jsonOf, unreachable } from "./connection.ts";

/** A message as the node sends it. */
export interface StreamLine {
  readonly result?: object;
  /** Of the block: beside each message, and alone where the block ends. */
  readonly height?: string;
  /** Where the next connection can begin: at the end of each block, behind everything of it. */
  readonly cursor?: string;
  readonly error?: { readonly code?: number; readonly message?: string };
}

export interface OpenStream {
  readonly url: string;
  /** The first message of a WebSocket. */
  readonly firstFrame: string | undefined;
  readonly signal: AbortSignal;
}

/** @throws LyraError when it cannot be opened */
export async function* linesOf(
  connection: Connection,
  { url, signal }: OpenStream,
): AsyncGenerator<StreamLine, void, undefined> {
  const response = await connection.open({ method: "GET", url, signal });
  if (!response.ok) {
    const body = jsonOf(await textOf(response));
    throw apiError(errorIn(body), response.status, `GET ${new URL(url).pathname}`);
  }
  try {
    for await (const line of linesIn(response)) yield JSON.parse(line) as StreamLine;
  } catch (error) {
    // A connection that broke has ended; an error of ours has not.
    if (error instanceof LyraError) throw error;
  }
}

/** @throws LyraError when it cannot be opened */
export async function* framesOf({
  url,
  firstFrame,
  signal,
}: OpenStream): AsyncGenerator<StreamLine, void, undefined> {
  const socket = new WebSocket(url.replace(/^http/, "ws"));
  const messages: StreamLine[] = [];
  let isOpen = false;
  let isOver = false;
  let wake = () => {};
  const end = () => {
    isOver = true;
    wake();
  };
  socket.onopen = () => {
    isOpen = true;
    if (firstFrame !== undefined) socket.send(firstFrame);
  };
  socket.onmessage = ({ data }) => {
    messages.push(JSON.parse(data as string) as StreamLine);
    wake();
  };
  socket.onclose = end;
  // The event has no reason.
  socket.onerror = end;
  signal.addEventListener("abort", end);
  try {
    for (;;) {
      for (const message of messages.splice(0)) yield message;
      if (messages.length > 0) continue;
      if (isOver) break;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    if (!isOpen && !signal.aborted) throw unreachable(url, new LyraError("unreachable", "no WebSocket"));
  } finally {
    signal.removeEventListener("abort", end);
    socket.close();
  }
}
