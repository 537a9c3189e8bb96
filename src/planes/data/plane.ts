// The data plane: endpoints under one roof. A request reads one snapshot of the store, and its headers name the
// height of exactly that snapshot (reference 10, sections 1.2 to 1.6).
import type { Statement } from "bun:sqlite";
import { Grpc } from "../../errors/statuses.ts";
import { type Answer, errorAnswer, jsonMode } from "../../http/answers.ts";
import type { Endpoint } from "../../http/endpoint.ts";
import { ApiError } from "../../http/errors.ts";
import { HeightWaiters } from "../../http/height-waiters.ts";
import { parsePairs, type RequestFields, readRequest } from "../../http/query.ts";
import { type ChainHead, HeadReader } from "../../store/head.ts";
import { type JsonMode, renderJson } from "../../wire/json.ts";
import type { DataContext } from "./context.ts";
import { HistoryFrom } from "./history-from.ts";
import { Streams } from "./observe/streams.ts";

interface AnswerInput {
  /** Raw query string, without the question mark, or a form body. */
  readonly query: string;
  /** Path parameters by field name (camelCase), unescaped. */
  readonly path: RequestFields;
  readonly accept: string | null;
}

export class DataPlane {
  /** Requests that wait for a height, on whatever port; the writer's side notifies them of commits. */
  readonly heightWaiters: HeightWaiters;
  /** Clients that follow what happens, on whatever port. */
  readonly streams: Streams;
  /** The answer to a failure that no client can be blamed for; the port that serves the plane logs it, too. */
  onFault: (error: unknown) => ApiError = () => new ApiError(Grpc.internal, "Internal error", [], true);
  private readonly begin: Statement;
  private readonly end: Statement;
  private readonly heads: HeadReader;
  private readonly history: HistoryFrom;

  constructor(private current: DataContext) {
    this.begin = current.db.prepare("BEGIN");
    this.end = current.db.prepare("COMMIT");
    this.heads = new HeadReader(current.db);
    this.history = new HistoryFrom(current.db);
    const { minHeightWaitersMax: max, minHeightWaitMs: waitMs } = current.limits;
    this.heightWaiters = new HeightWaiters({ max, waitMs, headHeight: () => this.head()?.height ?? 0 });
    const reads = {
      read: <T>(read: (context: DataContext, head: ChainHead | undefined) => T) => this.read(read),
      fault: (error: unknown) => (error instanceof ApiError ? error : this.onFault(error)),
    };
    this.streams = new Streams(reads, current.limits);
  }

  get context(): DataContext {
    return this.current;
  }

  /** Drops everything kept of the store: a devnet took its last blocks back and makes others. */
  renewContext(): void {
    this.current = this.current.renewed();
    this.streams.notifyReverted();
  }

  /** To be called after every commit: wakes what waits for a height, and brings the streams forward. */
  notifyCommit(): void {
    this.heightWaiters.notify();
    this.streams.notifyCommit();
  }

  /** Runs `read` on one snapshot of the store. */
  private read<T>(read: (context: DataContext, head: ChainHead | undefined) => T): T {
    this.begin.run();
    try {
      const head = this.heads.read();
      this.context.head = head;
      return read(this.context, head);
    } finally {
      this.context.head = undefined;
      this.end.run();
    }
  }

  /** The last committed block, read now. */
  head(): ChainHead | undefined {
    return this.heads.read();
  }

  /** Answers a unary request; errors are answers too. */
  answer(
    endpoint: Endpoint<DataContext>,
    input: AnswerInput,
    mode: JsonMode = jsonMode(input.query, input.accept),
  ): Answer {
    try {
      const pairs = parsePairs(input.query);
      const request = readRequest(endpoint.request, pairs, input.path, this.context.limits.filterValuesMax);
      return this.inSnapshot(
        (head) => {
          const body = renderJson(endpoint.response, endpoint.handle(this.context, request), mode);
          this.checkSize(body, endpoint.narrowing);
          return { status: 200, body, contentType: "application/json", ...(head && { head }) };
        },
        mode,
        endpoint.path,
      );
    } catch (error) {
      if (error instanceof ApiError) return errorAnswer(error, mode, undefined);
      throw error;
    }
  }

  /** The same for an answer: an `ApiError` becomes one at the same height. */
  private inSnapshot(read: (head: Answer["head"]) => Answer, mode: JsonMode, path: string): Answer {
    return this.read((_, head) => {
      const historyFrom = head && this.history.of(path, head.no);
      const told = {
        height: head?.height ?? 0,
        timeUs: head?.timeUs ?? 0,
        ...(historyFrom !== undefined && { historyFrom }),
      };
      try {
        return read(told);
      } catch (error) {
        if (error instanceof ApiError) return errorAnswer(error, mode, error.fromGateway ? undefined : told);
        throw error;
      }
    });
  }

  private checkSize(body: string, narrowing = "ask for fewer rows with pagination.first"): void {
    const maximum = this.context.limits.responseBytesMax;
    if (body.length <= maximum) return;
    throw new ApiError(Grpc.resourceExhausted, `the answer is larger than ${maximum} bytes: ${narrowing}`);
  }
}
