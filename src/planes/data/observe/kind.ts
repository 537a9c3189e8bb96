// The parts of a kind of stream. Changes are read from the store, block by block and in one query for all subscribers,
// after they are committed: so a stream tells nothing that a read would not, and the writer never waits for a stream.
import type { RequestOf } from "../../../http/endpoint.ts";
import type { RequestFields } from "../../../http/query.ts";
import type { MessageName } from "../../../wire/message-types.ts";
import type { DataContext } from "../context.ts";
import type { Element, Frame, Place } from "./message.ts";

/** Blocks to read, in the order of the store. */
export interface BlockSpan {
  /** Rows of `blocks`, both inclusive. */
  readonly first: number;
  readonly last: number;
  /** Column `ord` of the first block from which on rows are new: 0, unless a block joined a row that was read before. */
  readonly firstOrd: number;
}

/** Reads the changes of a kind. Made for the first subscriber, dropped with the last. */
export interface ChangeReader<F> {
  /**
   * Every change of the blocks, in order, that one of the filters may want.
   * @param filters those of all subscribers, each once
   */
  read(context: DataContext, span: BlockSpan, filters: Iterable<F>): Element[];
  /** A filter is new: what is kept in memory for it begins behind this place. @param isPast whether blocks follow there already */
  prepare?(context: DataContext, filter: F, place: Place, isPast: boolean): void;
}

/** A stream as routes, gRPC methods and documents name it. */
export interface Description {
  /** Last part of the path: `/api/v2/stream/<path>`. */
  readonly path: string;
  /** Method of `datanode.api.v2.TradingDataService`. */
  readonly method: string;
  /** Full names of the messages. */
  readonly request: string;
  readonly response: string;
  readonly summary: string;
  readonly description: string;
  /** Members of the request without which there is nothing to send. */
  readonly needs?: readonly string[];
}

/** @typeParam F the filter, as plain values: filters with one JSON text are one to the fan-out */
export interface StreamKind<F extends object = object> extends Description {
  /** Table whose rows are the changes. */
  readonly table: string;
  readonly frame: Frame;
  /** @throws ApiError for a request that cannot be served */
  filterOf(context: DataContext, request: RequestFields): F;
  reader(): ChangeReader<F>;
  matches(filter: F, value: never): boolean;
  /** Messages before the first update, where the original sends them: pages, of which there is at least one. */
  snapshot?(context: DataContext, filter: F): Iterable<Element>;
  /** Elements before the first update, each framed as an update is. */
  beginning?(context: DataContext, filter: F): Element[];
}

/** Checks a kind against the request that it names, and its own filter. */
export function streamKind<F extends object, Request extends MessageName>(
  kind: Omit<StreamKind<F>, "request" | "filterOf"> & {
    readonly request: Request;
    filterOf(context: DataContext, request: RequestOf<Request>): F;
  },
): StreamKind {
  return kind as unknown as StreamKind;
}
