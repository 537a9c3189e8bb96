/**
 * Calls of the library as calls of ours: bytes in, bytes out, with limits, counts, and every failure turned into a status.
 * A failure that a handler lets through would end the process.
 */
import type {
  MetadataValue,
  ServerDuplexStream,
  ServerUnaryCall,
  ServerWritableStream,
  sendUnaryData,
} from "@grpc/grpc-js";
import { Grpc } from "../../errors/statuses.ts";
import { DAMAGED, noteFailure } from "../../http/answers.ts";
import type { RouteClass } from "../../http/counts.ts";
import { ApiError, badRequest } from "../../http/errors.ts";
import type { ServerStatus } from "../../http/status.ts";
import type { DataPlane } from "../data/plane.ts";
import { releaseRequest } from "./incoming-call.ts";
import { metadataOf } from "./metadata.ts";
import { statusOf } from "./status.ts";
import { type Needs, Refusal, type Reply, type UnaryMethod } from "./unary.ts";

type Bytes = Buffer;
type WritableCall = ServerWritableStream<Bytes, Uint8Array> | ServerDuplexStream<Bytes, Uint8Array>;

const HEIGHT = /^\d{1,15}$/;
const MIN_HEIGHT = "x-min-height";

/** A stream of answers. */
export interface Stream {
  /** Initial metadata, sent before the first message. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly messages: AsyncIterable<Uint8Array>;
  /** Messages are large, in buffers that are used again: each is sent before the next one is asked for. */
  readonly isPaced?: boolean;
  /** A failure of the messages as an error of the interface; it is a fault of ours without. */
  failure?(error: unknown): ApiError;
}

/** The client of a stream. */
export interface Caller {
  /** Aborted when the client goes away, its deadline passes, or the stream has ended. */
  readonly signal: AbortSignal;
  /** Its address without the port; empty where it is not known. */
  readonly address: string;
}

export interface StreamMethod {
  readonly kind: RouteClass;
  readonly needs: Exclude<Needs, "height">;
  /** @throws ApiError */
  open(request: Uint8Array, caller: Caller): Stream | Promise<Stream>;
}

export interface DuplexMethod {
  readonly kind: RouteClass;
  readonly needs: Exclude<Needs, "height">;
  /** @throws ApiError */
  open(requests: AsyncIterable<Uint8Array>, caller: Caller): Stream | Promise<Stream>;
}

/** The calls of a port. */
export class Calls {
  /** Calls that are not answered yet; one that only watches the node's health does not count. */
  underWay = 0;

  constructor(
    private readonly plane: DataPlane,
    private readonly status: ServerStatus,
  ) {}

  unary(method: UnaryMethod) {
    return (call: ServerUnaryCall<Bytes, Uint8Array>, answer: sendUnaryData<Uint8Array>): void => {
      const startedMs = performance.now();
      this.underWay++;
      const send = ({ body, metadata }: Reply): void => {
        if (metadata) call.sendMetadata(metadata);
        answer(null, body);
        this.underWay--;
        this.status.counts.countResponse(200, method.kind, performance.now() - startedMs);
      };
      const fail = (error: unknown): void => {
        const apiError = this.errorOf(error);
        if (error instanceof Refusal && error.metadata) call.sendMetadata(error.metadata);
        answer(statusOf(apiError));
        this.underWay--;
        this.status.counts.countResponse(apiError.status, method.kind, performance.now() - startedMs);
      };
      try {
        const reply = this.begun(method, call);
        if (reply instanceof Promise) reply.then(send).catch(fail);
        else send(reply);
      } catch (error) {
        fail(error);
      }
    };
  }

  stream(method: StreamMethod) {
    return (call: ServerWritableStream<Bytes, Uint8Array>): void => {
      this.serve(method, call, async (caller) => {
        try {
          return await method.open(call.request, caller);
        } finally {
          releaseRequest(call.request);
        }
      });
    };
  }

  duplex(method: DuplexMethod) {
    return (call: ServerDuplexStream<Bytes, Uint8Array>): void => {
      this.serve(method, call, (caller) => {
        // The usual iteration would destroy the call when the client has sent its last request.
        const requests = call.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
        return method.open(released(requests), caller);
      });
    };
  }

  private begun(method: UnaryMethod, call: ServerUnaryCall<Bytes, Uint8Array>): Reply | Promise<Reply> {
    const { request, metadata } = call;
    this.checkStore(method.needs);
    const [least] = method.needs === "height" ? metadata.get(MIN_HEIGHT) : [];
    if (least !== undefined) return this.afterHeight(least, call, () => method.run(request));
    const kept = method.kept?.(request);
    if (kept === undefined) return method.run(request);
    this.status.counts.cacheHits++;
    return kept;
  }

  /** As `X-Min-Height` over HTTP: reads once the store has the height. */
  private async afterHeight(
    least: MetadataValue,
    call: ServerUnaryCall<Bytes, Uint8Array>,
    read: () => Reply | Promise<Reply>,
  ): Promise<Reply> {
    const text = String(least);
    if (!HEIGHT.test(text)) throw badRequest("X-Min-Height must be a block height");
    const leaving = new AbortController();
    call.once("cancelled", () => leaving.abort());
    if (await this.plane.heightWaiters.waitFor(Number(text), leaving.signal)) return read();
    const height = this.plane.head()?.height ?? 0;
    const sentence = `height ${text} is not reached: the last block is ${height}`;
    throw new ApiError(Grpc.failedPrecondition, sentence);
  }

  private serve(
    { kind, needs }: Pick<StreamMethod, "kind" | "needs">,
    call: WritableCall,
    open: (caller: Caller) => Stream | Promise<Stream>,
  ): void {
    const startedMs = performance.now();
    const leaving = new AbortController();
    call.once("cancelled", () => leaving.abort());
    let isCounted = false;
    const count = (status: number): void => {
      if (!isCounted) this.status.counts.countResponse(status, kind, performance.now() - startedMs);
      isCounted = true;
    };
    const run = async (): Promise<void> => {
      this.checkStore(needs);
      const { headers, messages, isPaced, failure } = await open({
        signal: leaving.signal,
        address: addressOf(call.getPeer()),
      });
      try {
        if (headers) call.sendMetadata(metadataOf(headers));
        for await (const message of messages) {
          count(200);
          if (leaving.signal.aborted) return;
          if (isPaced) await sent(call, message, leaving.signal);
          else if (!call.write(message)) await drained(call, leaving.signal);
        }
        count(200);
        call.end();
      } catch (error) {
        throw failure === undefined ? error : failure(error);
      }
    };
    const weight = kind === "other" ? 0 : 1;
    this.underWay += weight;
    run()
      .catch((error) => {
        if (leaving.signal.aborted) return;
        const apiError = this.errorOf(error);
        count(apiError.status);
        call.emit("error", statusOf(apiError));
      })
      .finally(() => {
        this.underWay -= weight;
      });
  }

  /** @throws ApiError 503 */
  private checkStore(needs: Needs): void {
    if (needs !== "nothing" && this.status.isDamaged) throw DAMAGED;
  }

  /** Anything but an error of the interface is a fault of ours, and noted. */
  private errorOf(error: unknown): ApiError {
    if (error instanceof Refusal) return error.error;
    return error instanceof ApiError ? error : noteFailure(this.status, error);
  }
}

/** Each counts until the next one is asked for. */
async function* released(requests: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const request of requests) {
    yield request;
    releaseRequest(request);
  }
}

/** Of `127.0.0.1:40000`. */
function addressOf(peer: string): string {
  return peer.slice(0, Math.max(peer.lastIndexOf(":"), 0));
}

/** Settles when a message is on its way, or the client has left. */
function sent(call: WritableCall, message: Uint8Array, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const settle = (): void => {
      signal.removeEventListener("abort", settle);
      resolve();
    };
    call.write(message, settle);
    signal.addEventListener("abort", settle, { once: true });
  });
}

/** Settles when the client has taken what was written, or has left. */
function drained(call: WritableCall, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const settle = (): void => {
      call.off("drain", settle);
      signal.removeEventListener("abort", settle);
      resolve();
    };
    call.once("drain", settle);
    signal.addEventListener("abort", settle, { once: true });
  });
}
