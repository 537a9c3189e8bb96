// Another Lyra node as a source of history, over HTTP. Its answers are untrusted: each has a bound in bytes and in time, and
// its form is checked.
import { NodeError, reasonOf } from "../../errors/node-error.ts";
import type { ErrorCode } from "../../errors/program-codes.ts";
import { type Answer, AnswerTooLong, requestAnswer } from "../../fetch/answer.ts";
import type { SegmentRow } from "../segment-table.ts";
import type { ImageManifest } from "./image.ts";

const BASE = "/lyra/v1/history";
const SUMMARY_BYTES_MAX = 64 * 1024;
/** A thousand segments take 300 kB. */
const SEGMENTS_BYTES_MAX = 4 * 1024 * 1024;
/** An image of a terabyte has 16 MB of hashes. */
const MANIFEST_BYTES_MAX = 32 * 1024 * 1024;
/** Larger segment files are refused. */
const SEGMENT_BYTES_MAX = 64 * 1024 * 1024 * 1024;
const CHUNK_BYTES_MAX = 16 * 1024 * 1024;
const SEGMENTS_MAX = 250_000;
const ATTEMPTS = 6;
const FIRST_PAUSE_MS = 250;
/** An image that does not grow for this long will never be ready. */
const IMAGE_STALL_MS = 30 * 60_000;
const IMAGE_LOOK_MS = 1_000;
/** A source that sends nothing for this long, or less than this a second, is abandoned. */
const STALL_MS = 20_000;
const BYTES_PER_SECOND_MIN = 16 * 1024;
/** Most bytes of an error's body. */
const REFUSAL_BYTES_MAX = 10_000;
const ATTEMPT = "history.source";
const HEX_64 = /^[0-9a-f]{64}$/i;

export interface SourceSummary {
  readonly chainId: string;
  readonly height: number;
  readonly hash: string;
  readonly firstHeight: number;
  readonly schema: number;
  readonly segments: number;
  /** Number of gaps. */
  readonly gaps: number;
}

export interface SourceOptions {
  readonly stallMs?: number;
  readonly imageStallMs?: number;
  readonly firstPauseMs?: number;
  /** Ends the request under way, and what waits for another try. */
  readonly stop?: AbortSignal;
}

export class HistorySource {
  private readonly stallMs: number;
  private readonly imageStallMs: number;
  private readonly firstPauseMs: number;
  private readonly stop: AbortSignal;
  private readonly base: string;

  /** @throws NodeError `usage` for a text that is not an address */
  constructor(
    readonly url: string,
    options: SourceOptions = {},
  ) {
    const parsed = URL.parse(url);
    if (parsed === null || !/^https?:$/.test(parsed.protocol)) {
      const hint = "give the address of its data port: http://HOST:3008";
      throw new NodeError("history", "usage", `'${url.slice(0, 200)}' is not the address of a node`, hint);
    }
    this.base = url.replace(/\/+$/, "") + BASE;
    this.stallMs = options.stallMs ?? STALL_MS;
    this.imageStallMs = options.imageStallMs ?? IMAGE_STALL_MS;
    this.firstPauseMs = options.firstPauseMs ?? FIRST_PAUSE_MS;
    this.stop = options.stop ?? new AbortController().signal;
  }

  async summary(): Promise<SourceSummary> {
    const summary = await this.json("", SUMMARY_BYTES_MAX);
    const { chainId, hash, format } = summary;
    if (format !== 1 || typeof chainId !== "string" || typeof hash !== "string") throw this.notLyra();
    return {
      chainId,
      hash,
      height: this.count(summary.height),
      firstHeight: this.count(summary.firstHeight),
      schema: this.count(summary.schema),
      segments: this.count(summary.segments),
      gaps: this.count(summary.gaps),
    };
  }

  /** All its segments, ascending. The oldest may have been removed; a new chain begins behind a gap. @throws NodeError `source_damaged` */
  async segments(): Promise<SegmentRow[]> {
    const rows: SegmentRow[] = [];
    for (;;) {
      const from = rows.length === 0 ? 0 : rows.at(-1)!.to + 1;
      const page = await this.json(`/segments?from=${from}`, SEGMENTS_BYTES_MAX);
      if (!Array.isArray(page.segments)) throw this.notLyra();
      for (const entry of page.segments) rows.push(this.follows(this.row(entry), rows.at(-1)));
      if (page.more !== true) return rows;
      if (page.segments.length === 0 || rows.length > SEGMENTS_MAX)
        throw this.damaged("its list of segments has no end");
    }
  }

  /** The file of a segment, in pieces. */
  async segment(row: SegmentRow, use: (bytes: Uint8Array) => Promise<void>): Promise<void> {
    await this.read(`/segments/${row.id}`, {}, row.bytes, use);
  }

  /** Requests an image and waits for it. */
  async image(onWaiting: () => void, isStopping: () => boolean): Promise<ImageManifest | undefined> {
    let state = await this.json("/image", MANIFEST_BYTES_MAX, "POST");
    let grown = { bytes: state.bytes, ms: performance.now() };
    while (state.state === "making") {
      if (isStopping()) return undefined;
      if (state.bytes !== grown.bytes) grown = { bytes: state.bytes, ms: performance.now() };
      if (performance.now() - grown.ms > this.imageStallMs) throw this.imageStalled();
      onWaiting();
      await Bun.sleep(Math.min(IMAGE_LOOK_MS, 4 * this.firstPauseMs));
      state = await this.json("/image", MANIFEST_BYTES_MAX);
    }
    return this.manifest(state.image);
  }

  /** A chunk of an image. */
  async chunk(image: ImageManifest, index: number): Promise<Uint8Array> {
    const start = index * image.chunkBytes;
    const length = Math.min(image.chunkBytes, image.bytes - start);
    const range = { range: `bytes=${start}-${start + length - 1}` };
    const bytes = new Uint8Array(length);
    let at = 0;
    await this.read(`/image/${image.id}`, range, length, async (piece) => {
      bytes.set(piece, at);
      at += piece.length;
    });
    return bytes;
  }

  /** The error of a source that gives wrong answers. */
  damaged(reason: string): NodeError {
    const hint = "nothing of it was taken over: use another node, and tell its operator";
    return new NodeError(
      ATTEMPT,
      "source_damaged",
      `the node at ${this.url} cannot be trusted: ${reason}`,
      hint,
    );
  }

  private imageStalled(): NodeError {
    const sentence = `${this.url}: the image of its store does not get ready`;
    return new NodeError(ATTEMPT, "source_slow", sentence, "use another node, or ask its operator");
  }

  private notLyra(): NodeError {
    const sentence = `${this.url} does not answer as a Lyra node that shares its history`;
    return new NodeError(
      ATTEMPT,
      "source_unusable",
      sentence,
      "give the address of its data port: http://HOST:3008",
    );
  }

  private row(entry: unknown): SegmentRow {
    const { from, to, id, previousId, databaseVersion, chainId, bytes } = (entry ??
      {}) as Partial<SegmentRow>;
    const isWhole =
      typeof id === "string" &&
      HEX_64.test(id) &&
      (previousId === "" || (typeof previousId === "string" && HEX_64.test(previousId))) &&
      typeof chainId === "string";
    if (!isWhole) throw this.notLyra();
    const row = {
      from: this.count(from),
      to: this.count(to),
      id,
      previousId: previousId!,
      databaseVersion: this.count(databaseVersion),
      chainId,
      bytes: this.count(bytes),
    };
    if (row.bytes > SEGMENT_BYTES_MAX || row.to < row.from)
      throw this.damaged(`segment ${row.from}-${row.to} has impossible bounds`);
    return row;
  }

  private follows(row: SegmentRow, before: SegmentRow | undefined): SegmentRow {
    const isNext =
      before === undefined ||
      (row.previousId === "" && row.from > before.to + 1) ||
      (row.from === before.to + 1 && row.previousId === before.id && row.chainId === before.chainId);
    if (!isNext) throw this.damaged(`segment ${row.from}-${row.to} does not follow the one before it`);
    return row;
  }

  private manifest(value: unknown): ImageManifest {
    const image = (value ?? {}) as ImageManifest;
    const chunkBytes = this.count(image.chunkBytes);
    const bytes = this.count(image.bytes);
    const isWhole =
      typeof image.id === "string" &&
      HEX_64.test(image.id) &&
      typeof image.chainId === "string" &&
      typeof image.hash === "string" &&
      typeof image.lastSegmentId === "string" &&
      Array.isArray(image.chunks) &&
      image.chunks.every((chunk) => typeof chunk === "string" && HEX_64.test(chunk));
    if (!isWhole) throw this.notLyra();
    const isSized = chunkBytes >= 1 && chunkBytes <= CHUNK_BYTES_MAX;
    if (!isSized || image.chunks.length !== Math.ceil(bytes / chunkBytes))
      throw this.damaged("the chunks of its image do not make up its length");
    const [height, schema, segments] = [image.height, image.schema, image.segments].map((n) => this.count(n));
    return { ...image, height: height!, schema: schema!, segments: segments! };
  }

  private count(value: unknown): number {
    if (!Number.isSafeInteger(value) || (value as number) < 0) throw this.notLyra();
    return value as number;
  }

  private async json(path: string, bytesMax: number, method = "GET"): Promise<Record<string, unknown>> {
    const pieces: Uint8Array[] = [];
    await this.attempts(async () => {
      pieces.length = 0;
      await this.once(path, { method }, bytesMax, async (piece) => void pieces.push(piece.slice()));
    });
    try {
      const value: unknown = JSON.parse(Buffer.concat(pieces).toString("utf8"));
      if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
    } catch {
      // Not a Lyra server.
    }
    throw this.notLyra();
  }

  /** Reads exactly `length` bytes. A request that fails half-way is resumed. */
  private async read(
    path: string,
    headers: Readonly<Record<string, string>>,
    length: number,
    use: (bytes: Uint8Array) => Promise<void>,
  ): Promise<void> {
    const first = Number(/^bytes=(\d+)/.exec(headers.range ?? "")?.[1] ?? 0);
    let done = 0;
    await this.attempts(async () => {
      if (done === length) return;
      const range = `bytes=${first + done}-${first + length - 1}`;
      const isWhole = headers.range === undefined && done === 0;
      await this.once(path, { headers: isWhole ? {} : { range } }, length - done, async (piece) => {
        done += piece.length;
        await use(piece);
      });
      if (done < length) throw new Interrupted("the connection ended early");
    });
  }

  private async attempts(work: () => Promise<void>): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof Interrupted)) throw error;
        if (attempt === ATTEMPTS || this.stop.aborted) {
          const hint = "run the same command again: it goes on where it stopped";
          throw new NodeError(ATTEMPT, error.code, `${this.url}: ${error.message}`, hint);
        }
        const pause = AbortSignal.timeout(this.firstPauseMs * 2 ** (attempt - 1));
        await aborted(AbortSignal.any([pause, this.stop]));
      }
    }
  }

  /** A single request. @throws Interrupted if a retry may succeed */
  private async once(
    path: string,
    init: { readonly method?: string; readonly headers?: Readonly<Record<string, string>> },
    bytesMax: number,
    use: (bytes: Uint8Array) => Promise<void>,
  ): Promise<void> {
    const watch = new Watch(this.stallMs, bytesMax);
    try {
      const answer = await requestAnswer(this.base + path, {
        ...init,
        headers: { "accept-encoding": "identity", ...init.headers },
        timeoutMs: "endless",
        signal: AbortSignal.any([watch.signal, this.stop]),
      });
      if (!answer.isOk) throw await this.refusal(answer);
      if (init.headers?.range !== undefined && answer.status !== 206)
        throw this.damaged("it does not answer with the range that was asked for");
      for await (const piece of answer.pieces(bytesMax)) {
        watch.received();
        await use(piece).catch((error: unknown) => {
          throw new LocalFailure(error);
        });
      }
    } catch (error) {
      if (error instanceof LocalFailure) throw error.cause;
      if (error instanceof AnswerTooLong) throw this.damaged("it sends more than it announced");
      if (error instanceof NodeError || error instanceof Interrupted) throw error;
      if (watch.isLate) throw new Interrupted("the source is too slow", "source_slow");
      throw new Interrupted(`it cannot be reached: ${reasonOf(error)}`);
    } finally {
      watch.stop();
    }
  }

  private async refusal(answer: Answer): Promise<Error> {
    const text = await answer.start(REFUSAL_BYTES_MAX);
    let message = `it answers with status ${answer.status}`;
    try {
      const body = JSON.parse(text) as { message?: unknown };
      if (typeof body.message === "string") message = body.message.slice(0, 500);
    } catch {
      // A page of another server.
    }
    if (answer.status === 429 || answer.status >= 502) return new Interrupted(message, "source_refused");
    const hint = "use another node, or ask its operator";
    return new NodeError(ATTEMPT, "source_refused", `${this.url} refuses: ${message}`, hint);
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

/** A piece could not be processed locally, such as on a full disk; not the source's fault. */
class LocalFailure extends Error {
  constructor(cause: unknown) {
    super("", { cause });
  }
}

/** A request that may succeed if it is retried. */
class Interrupted extends Error {
  constructor(
    message: string,
    readonly code: ErrorCode &
      ("source_unreachable" | "source_slow" | "source_refused") = "source_unreachable",
  ) {
    super(message);
  }
}

/** Ends a request that stalls or is too slow. */
class Watch {
  private readonly controller = new AbortController();
  private readonly deadline: ReturnType<typeof setTimeout>;
  private stall: ReturnType<typeof setTimeout>;
  isLate = false;

  constructor(
    private readonly stallMs: number,
    bytesMax: number,
  ) {
    this.deadline = setTimeout(() => this.end(), stallMs + (1_000 * bytesMax) / BYTES_PER_SECOND_MIN);
    this.stall = setTimeout(() => this.end(), stallMs);
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  received(): void {
    clearTimeout(this.stall);
    this.stall = setTimeout(() => this.end(), this.stallMs);
  }

  stop(): void {
    clearTimeout(this.stall);
    clearTimeout(this.deadline);
  }

  private end(): void {
    this.isLate = true;
    this.controller.abort();
  }
}
