/**
 * The bounds of a call while its request comes: its bytes, packed and inflated, are of the process's budget for requests, and it
 * must be whole in time. The library puts frames together and inflates them, each call for itself; here its two steps
 * (`decoder.write`, `decompressMessage`) are bounded.
 */
import { createGunzip, createInflate } from "node:zlib";
import {
  ServerInterceptingCall,
  type ServerInterceptingCallInterface,
  type ServerMethodDefinition,
  type StatusObject,
} from "@grpc/grpc-js";
import { reasonOf } from "../../errors/node-error.ts";
import { Grpc } from "../../errors/statuses.ts";
import { ApiError } from "../../http/errors.ts";
import { type IncomingRequest, requestBudget } from "../../http/request-budget.ts";
import { statusOf } from "./status.ts";

/** The messages of a call must be whole within this: from its beginning, or that of a further message. */
const REQUEST_MS = 10_000;
/** A call takes about this much memory, its headers included, and a message this much beside its bytes. */
const CALL_BYTES = 8 * 1024;
const MESSAGE_BYTES = 512;
/** Flag and length before each message. */
const HEAD_BYTES = 5;
/** The stream has ended, and nothing more of the request is wanted (RFC 9113, section 8.1). */
const NO_ERROR = 0;

/** Members of the library's call beside its interface. */
interface LibraryCall {
  readonly stream: {
    close(code: number): void;
    once(event: "close" | "finish", listener: () => void): void;
    readonly writableFinished: boolean;
  };
  decoder: { write(data: Buffer): Buffer[] };
  decompressMessage(framed: Buffer, encoding: string): Buffer | Promise<Buffer>;
}

/** The bytes that a message gives back once it is worked off. */
const holders = new WeakMap<Uint8Array, { readonly call: IncomingCall; readonly bytes: number }>();

/** A request is read: its bytes count no longer. */
export function releaseRequest(message: Uint8Array): void {
  const holder = holders.get(message);
  if (holder === undefined) return;
  holders.delete(message);
  holder.call.giveBack(holder.bytes);
}

/** An interceptor of the library. @param messageBytesMax of a request, inflated; of one of several it is less */
export function boundedCalls(messageBytesMax: number, messageOfManyBytesMax: number) {
  return (method: ServerMethodDefinition<unknown, unknown>, call: ServerInterceptingCallInterface) => {
    const bytesMax = method.requestStream ? messageOfManyBytesMax : messageBytesMax;
    return new IncomingCall(call, bytesMax, method.requestStream).intercepted;
  };
}

/** The library's own errors of frames are about their size. */
function errorOf(error: unknown): ApiError {
  return error instanceof ApiError ? error : new ApiError(Grpc.resourceExhausted, reasonOf(error));
}

class IncomingCall {
  readonly intercepted: ServerInterceptingCall;
  private readonly request: IncomingRequest;
  private readonly library: LibraryCall;
  private messages = 0;
  /** Bytes of a message that is not whole. */
  private restBytes = 0;
  private isHalfClosed = false;
  private refusal: StatusObject | undefined;

  constructor(
    private readonly call: ServerInterceptingCallInterface,
    private readonly messageBytesMax: number,
    private readonly hasMany: boolean,
  ) {
    this.library = call as unknown as LibraryCall;
    this.request = requestBudget.open(REQUEST_MS, (reason) => this.refuse(reason));
    this.library.stream.once("close", () => this.request.release());
    this.boundFrames();
    this.library.decompressMessage = (framed, encoding) => this.unpack(framed, encoding);
    this.intercepted = new ServerInterceptingCall(call, {
      start: (next) => {
        next({
          onReceiveMessage: (message, pass) => {
            if (this.hasMany && this.restBytes === 0) this.request.noteWhole();
            pass(message);
          },
          onReceiveHalfClose: (pass) => {
            this.isHalfClosed = true;
            this.request.noteWhole();
            pass();
          },
        });
        this.admit();
      },
      sendStatus: (status, next) => {
        next(status);
        this.endStream();
      },
    });
  }

  giveBack(bytes: number): void {
    this.request.giveBack(bytes);
  }

  private admit(): void {
    try {
      this.request.hold(CALL_BYTES);
    } catch (error) {
      this.refuse(error as ApiError);
    }
  }

  /** Counts bytes as they come, before they are kept for a message that is not whole. */
  private boundFrames(): void {
    const { decoder } = this.library;
    this.library.decoder = {
      write: (data) => {
        try {
          this.request.hold(data.length);
          const messages = decoder.write(data);
          this.noteFrames(data.length, messages);
          return messages;
        } catch (error) {
          this.refuse(errorOf(error));
          return [];
        }
      },
    };
  }

  private noteFrames(bytes: number, messages: readonly Buffer[]): void {
    this.messages += messages.length;
    if (!this.hasMany && this.messages > 1)
      throw new ApiError(Grpc.unimplemented, "the method takes a single request");
    this.request.hold(messages.length * MESSAGE_BYTES);
    const wasInside = this.restBytes > 0;
    this.restBytes += bytes;
    for (const message of messages) this.restBytes -= message.length;
    // Another message of a call that goes on must be whole in time, too.
    const hasBegun = this.restBytes > 0 && (!wasInside || messages.length > 0);
    if (this.hasMany && hasBegun) this.request.expectWithin(REQUEST_MS);
  }

  private unpack(framed: Buffer, encoding: string): Buffer | Promise<Buffer> {
    const packed = framed.subarray(HEAD_BYTES);
    try {
      if (encoding === "identity") return this.noteMessage(packed, framed.length);
    } catch (error) {
      throw this.refuse(errorOf(error));
    }
    return this.inflate(packed, encoding).then(
      (message) => this.noteMessage(message, framed.length + message.length),
      (error) => {
        throw this.refuse(errorOf(error));
      },
    );
  }

  private noteMessage(message: Buffer, bytes: number): Buffer {
    if (message.length > this.messageBytesMax) throw this.refuse(this.tooLong());
    holders.set(message, { call: this, bytes: bytes + MESSAGE_BYTES });
    return message;
  }

  private async inflate(packed: Buffer, encoding: string): Promise<Buffer> {
    if (encoding !== "gzip" && encoding !== "deflate") {
      const text = `Received message compressed with unsupported encoding "${encoding.slice(0, 100)}"`;
      throw new ApiError(Grpc.unimplemented, text);
    }
    const inflate = encoding === "gzip" ? createGunzip() : createInflate();
    inflate.end(packed);
    const pieces: Buffer[] = [];
    let bytes = 0;
    try {
      for await (const piece of inflate as AsyncIterable<Buffer>) {
        bytes += piece.length;
        if (bytes > this.messageBytesMax) throw this.tooLong();
        this.request.hold(piece.length);
        pieces.push(piece);
      }
    } catch (error) {
      throw error instanceof ApiError ? error : new ApiError(Grpc.internal, "Failed to decompress message");
    }
    return Buffer.concat(pieces, bytes);
  }

  private tooLong(): ApiError {
    const text = `Received message larger than max (${this.messageBytesMax} bytes)`;
    return new ApiError(Grpc.resourceExhausted, text);
  }

  /** Answers before the request is whole, and drops the part that came. @returns the status */
  private refuse(reason: ApiError): StatusObject {
    if (this.refusal !== undefined) return this.refusal;
    this.library.decoder = { write: () => [] };
    this.refusal = statusOf(reason);
    this.call.sendStatus(this.refusal);
    this.endStream();
    return this.refusal;
  }

  /** A client that has not sent its whole request gets a stop; else the stream would be open until it does. */
  private endStream(): void {
    const { stream } = this.library;
    this.request.release();
    if (this.isHalfClosed) return;
    if (stream.writableFinished) stream.close(NO_ERROR);
    else stream.once("finish", () => stream.close(NO_ERROR));
  }
}
