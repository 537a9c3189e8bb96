// The forms of the client's calls. Their requests and answers are in api.generated.ts.
import type { TransactionOutcome } from "../errors/lyra-error.ts";

/** A 64-bit number: as a number only where that is exact. */
export type Whole = bigint | number | string;

export interface CallOptions {
  /** Its abort rejects the call. */
  readonly signal?: AbortSignal;
  /** The answer is of this block or a later one. The data API waits for it for a moment, then the call rejects. */
  readonly minHeight?: number;
}

type Asked<Request, Options, Answer> =
  Record<never, never> extends Request
    ? (request?: Request, options?: Options) => Answer
    : (request: Request, options?: Options) => Answer;

/** Reads or sends once. @throws LyraError */
export type Call<Request, Answer> = Asked<Request, CallOptions, Promise<Answer>>;

/** Reads a page; `pages` and `rows` follow the cursors to the end of the list, or to its beginning with `pagination.last`. */
export type PagedCall<Request, Answer, Row> = Call<Request, Answer> & {
  readonly pages: Asked<Request, CallOptions, AsyncGenerator<Answer, void, undefined>>;
  readonly rows: Asked<Request, CallOptions, AsyncGenerator<Row, void, undefined>>;
};

/** A transaction that was sent. */
export interface Sent {
  readonly outcome: TransactionOutcome;
  /** The first identifier of what it creates. */
  readonly id: string;
}

export interface SendOptions {
  /** For the verdict of the mempool, or until it is in a block; default: `commit`. */
  readonly wait?: "check" | "commit";
  /** A refusal is an answer, not an error; default: false. */
  readonly allowRefusal?: boolean;
}

/** A party that signs and sends: one of `lyra/devnet`, with its proof of work. */
export interface Sender<Command> {
  send(command: Command, options?: SendOptions): Promise<Sent>;
}

export interface StreamOptions {
  /** The stream begins behind this block, with everything since: a height, or a cursor of `onCursor`. Default: now. */
  readonly after?: number | string;
  /** Its abort ends the stream without an error. */
  readonly signal?: AbortSignal;
  /** Called when everything up to a block was read, for each block that changed nothing too. */
  readonly onHeight?: (height: number) => void;
  /** Called as often, with the place at which a later stream can begin (`after`). */
  readonly onCursor?: (cursor: string) => void;
  /** Called before the stream is opened again. */
  readonly onReconnect?: (reason: Error) => void;
}

/** A message of a stream, and the height of its block. */
export type StreamEvent<Message> = Message & { readonly height: number };

/** Follows a stream until the loop is left; a connection that breaks is opened again. @throws LyraError */
export type Stream<Request, Message> = Asked<
  Request,
  StreamOptions,
  AsyncGenerator<StreamEvent<Message>, void, undefined>
>;
