// Requests of the client: JSON over `fetch`, again where a node does not answer for a moment.

import { apiError, errorIn } from "../errors/api-error.ts";
import { LyraError } from "../errors/lyra-error.ts";
import { textOf } from "./body.ts";

/** A node that starts again answers after a moment. */
const RETRY_MS = 3_000;
const FIRST_WAIT_MS = 50;
/** Statuses after which the same read may succeed: too much at once, and not ready. */
const AGAIN: ReadonlySet<number> = new Set([429, 503]);

export interface ConnectOptions {
  /** Address of the data API, such as `http://127.0.0.1:3008`; default: that of the page. */
  readonly dataUrl?: string;
  /** Address of the node API, such as `http://127.0.0.1:3003`; needed for the group `node` and for sending. */
  readonly nodeUrl?: string;
  /** Headers of every request, but not of streams in a browser. */
  readonly headers?: Readonly<Record<string, string>>;
  /** In place of the global one. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** Time for which a read is tried again while the node does not answer, or is not ready; default 3,000. */
  readonly retryMs?: number;
  /** Transport of streams; default: `socket` in a browser, which opens few connections otherwise, and `lines` elsewhere. */
  readonly streams?: "socket" | "lines";
}

interface HttpRequest {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body?: string;
  readonly signal?: AbortSignal | undefined;
}

/** Settles after a time, or at once when the signal is aborted. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    // real time: what is waited for is another process.
    const timer = setTimeout(done, ms);
    if (signal?.aborted) done();
    else signal?.addEventListener("abort", done);
  });
}

export class Connection {
  private readonly headers: Readonly<Record<string, string>>;
  private readonly fetch: NonNullable<ConnectOptions["fetch"]>;
  private readonly retryMs: number;

  constructor({ headers = {}, fetch, retryMs = RETRY_MS }: ConnectOptions) {
    this.headers = headers;
    this.retryMs = retryMs;
    this.fetch = fetch ?? ((url, init) => globalThis.fetch(url, init));
  }

  /** The answer, as it comes. @throws LyraError `unreachable`; the reason of the signal */
  async open({ method, url, headers, body, signal }: HttpRequest): Promise<Response> {
    const init: RequestInit = { method, headers: { ...this.headers, ...headers } };
    if (body !== undefined) init.body = body;
    if (signal) init.signal = signal;
    try {
      return await this.fetch(url, init);
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      throw unreachable(url, error);
    }
  }

  /** A JSON answer; a read is tried again while the node does not answer. @throws LyraError */
  async json(request: HttpRequest): Promise<unknown> {
    let leftMs = request.method === "GET" ? this.retryMs : 0;
    for (let waitMs = FIRST_WAIT_MS; ; waitMs *= 2) {
      try {
        return await this.exchange(request);
      } catch (error) {
        if (leftMs <= 0 || !mayPass(error) || request.signal?.aborted) throw error;
        await pause(Math.min(waitMs, leftMs), request.signal);
        leftMs -= waitMs;
      }
    }
  }

  private async exchange(request: HttpRequest): Promise<unknown> {
    const response = await this.open(request);
    const attempt = `${request.method} ${new URL(request.url).pathname}`;
    let text: string;
    try {
      text = await textOf(response);
    } catch (error) {
      if (request.signal?.aborted) throw request.signal.reason;
      throw error instanceof LyraError ? error : unreachable(request.url, error);
    }
    const body = jsonOf(text);
    if (!response.ok) throw apiError(errorIn(body), response.status, attempt);
    if (body !== undefined) return body;
    throw new LyraError("not_json", `the answer to ${attempt} is not JSON`, { status: response.status });
  }
}

export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function mayPass(error: unknown): boolean {
  if (!(error instanceof LyraError)) return false;
  return error.code === "unreachable" || (error.status !== undefined && AGAIN.has(error.status));
}

export function unreachable(url: string, cause: unknown): LyraError {
  const { code, message = "" } = ((cause as { cause?: unknown }).cause ?? cause) as {
    code?: string;
    message?: string;
  };
  const text = `${new URL(url).origin} does not answer`;
  return new LyraError("unreachable", text, {
    hint: `the connection failed: ${code ?? message}`,
    cause,
  });
}
