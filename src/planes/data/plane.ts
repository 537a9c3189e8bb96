// The data plane: endpoints under one roof. A request reads one snapshot of the store, and its headers name the
// height of exactly that snapshot (docs/protocol/10-data-api-serving.md#12-methods-and-routing to #16-errors).
import type { Statement } from "bun:sqlite";
import { Grpc } from "../../errors/statuses.ts";
import { type Answer, errorAnswer, jsonMode } from "../../http/answers.ts";
import type { Endpoint, Resource } from "../../http/endpoint.ts";
import { ApiError } from "../../http/errors.ts";
import { HeightWaiters } from "../../http/height-waiters.ts";
import { parsePairs, type RequestFields, readRequest } from "../../http/query.ts";
import { checkRequest } from "../../http/strict.ts";
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

type ReadHead = NonNullable<Answer["head"]>;

/** The form that a message is answered in: JSON over HTTP, bytes over gRPC. */
interface AnswerForm<T> {
  /** Runs on the snapshot. @throws ApiError */
  make(message: object, head: ReadHead): T;
  /** @param head absent where the service was not reached */
  refuse(error: ApiError, head?: ReadHead): T;
}

export class DataPlane {
  /** Requests that wait for a height, on whatever port; the writer's side notifies them of commits. */
  readonly heightWaiters: HeightWaiters;
  /** Clients that follow what happens, on whatever port. */
  readonly streams: Streams;
  /** The answer to a failure that no client can be blamed for; the port that serves the plane logs it, too. */
  onFault: (error: unknown) => ApiError = () => new ApiError(Grpc.internal, "Internal error", [], true);
  private readonly stopRequest = new AbortController();
  private changesTold = 0;
  private readonly begin: Statement;
  private readonly end: Statement;
  private readonly heads: HeadReader;
  private readonly history: HistoryFrom;

  constructor(private current: DataContext) {
    this.begin = current.db.prepare("BEGIN");
    this.end = current.db.prepare("COMMIT");
    this.heads = new HeadReader(current.db);
    this.history = new HistoryFrom(current.db);
    const { minHeightWaitersMax: max, minHeightWaitMs: waitMs, minHeightLookMs: lookMs } = current.limits;
    const headHeight = () => this.head()?.height ?? 0;
    this.heightWaiters = new HeightWaiters({ max, waitMs, lookMs, headHeight });
    const reads = {
      read: <T>(read: (context: DataContext, head: ChainHead | undefined) => T) => this.readSnapshot(read),
      fault: (error: unknown) => (error instanceof ApiError ? error : this.onFault(error)),
    };
    this.streams = new Streams(reads, current.limits);
  }

  get context(): DataContext {
    return this.current;
  }

  /** Number of times that this thread was notified of a changed store. */
  get changes(): number {
    return this.changesTold;
  }

  /** Aborted when the node stops: what has no end by itself ends with it. */
  get stopping(): AbortSignal {
    return this.stopRequest.signal;
  }

  /** Ends all streams, and every request that waits. */
  stop(): void {
    this.stopRequest.abort();
    this.streams.stop();
    this.heightWaiters.stop();
  }

  /** Drops everything kept of the store: a devnet took its last blocks back and makes others. */
  renewContext(): void {
    this.current = this.current.renewed();
    this.changesTold++;
    this.streams.notifyReverted();
  }

  /** To be called after every commit: wakes what waits for a height, and brings the streams forward. */
  notifyCommit(): void {
    this.changesTold++;
    this.heightWaiters.notify();
    this.streams.notifyCommit();
  }

  /** Runs `read` on one snapshot of the store. @param read gets no head before the first block */
  readSnapshot<T>(read: (context: DataContext, head: ChainHead | undefined) => T): T {
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
    const refuse = (error: ApiError, head?: ReadHead) => errorAnswer(error, mode, head);
    let request: RequestFields;
    try {
      const pairs = parsePairs(input.query);
      checkRequest(pairs, endpoint.request, Object.keys(input.path));
      request = readRequest(endpoint.request, pairs, input.path, this.context.limits.filterValuesMax);
    } catch (error) {
      if (error instanceof ApiError) return refuse(error);
      throw error;
    }
    return this.readResource(endpoint, request, {
      make: (message, head) => {
        const body = renderJson(endpoint.response, message, mode);
        this.checkSize(body.length, endpoint.narrowing);
        return { status: 200, body, contentType: "application/json", head };
      },
      refuse,
    });
  }

  /** Reads a resource on one snapshot, in whatever form; an `ApiError` becomes an answer at the same height. */
  readResource<T>(resource: Resource<DataContext>, request: RequestFields, form: AnswerForm<T>): T {
    return this.readSnapshot((context, head) => {
      const readHead = this.readHead(head, [resource.path]);
      try {
        return form.make(resource.handle(context, request), readHead);
      } catch (error) {
        if (error instanceof ApiError) return form.refuse(error, error.fromGateway ? undefined : readHead);
        throw error;
      }
    });
  }

  /** Of an answer. @param paths of the resources that it was made from */
  readHead(head: ChainHead | undefined, paths: Iterable<string | undefined>): ReadHead {
    const place = { height: head?.height ?? 0, timeUs: head?.timeUs ?? 0 };
    let historyFrom: number | undefined;
    for (const path of paths) {
      const from = head && path ? this.history.of(path, head.no) : undefined;
      if (from !== undefined) historyFrom = Math.max(from, historyFrom ?? 0);
    }
    return historyFrom === undefined ? place : { ...place, historyFrom };
  }

  /** @throws ApiError 429 */
  checkSize(bytes: number, narrowing = "ask for fewer rows with pagination.first"): void {
    const maximum = this.context.limits.responseBytesMax;
    if (bytes <= maximum) return;
    throw new ApiError(Grpc.resourceExhausted, `the answer is larger than ${maximum} bytes: ${narrowing}`);
  }
}
