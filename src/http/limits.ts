// Every limit in one place. Those that an operator may want to change are fields of `Limits`, set by
// `--limit name=value` or the configuration file (docs/operations.md); the rest are constants beside their code.

export interface Limits {
  /** Rows on a page when the request does not say. */
  readonly pageRowsDefault: number;
  /** Rows on a page at the most; a larger `first` or `last` gets this many, and the page says that more follow. */
  readonly pageRowsMax: number;
  /**
   * Bytes of one JSON answer; a larger one is refused with 429, as the original does
   * (docs/protocol/10-data-api-serving.md#19-compression-and-size-limits).
   */
  readonly responseBytesMax: number;
  /** Characters of a request's path and query. The HTTP parser takes 16 KiB for these and the headers together. */
  readonly urlCharactersMax: number;
  /** Bytes of a request body. */
  readonly bodyBytesMax: number;
  /** Bytes of a submission's body: the largest transaction in base64, and room for its refusal to be exact. */
  readonly submissionBytesMax: number;
  /** Bytes of requests that are read or worked on at once, of all ports and threads: HTTP and gRPC, inflated ones too. */
  readonly requestsBytesMax: number;
  /** Levels of objects and lists in a body. */
  readonly bodyDepthMax: number;
  /** Submissions that wait for their block at once (TYPE_COMMIT). */
  readonly commitsWaitingMax: number;
  /** Values of one list filter. */
  readonly filterValuesMax: number;
  /** Rows of balance changes that a page looks at when a filter passes rows over: half a microsecond each. */
  readonly rowsPassedMax: number;
  /** Time that `X-Min-Height` waits for its height, milliseconds. */
  readonly minHeightWaitMs: number;
  /** Interval at which the height is read for waiting requests, where no commit notifies them, milliseconds. */
  readonly minHeightLookMs: number;
  /** Requests that wait for their height at once, on each thread that answers; a further one gets 503. */
  readonly minHeightWaitersMax: number;
  /** Bytes of rendered pages kept until the next block. */
  readonly pageCacheBytesMax: number;
  /** Exports under way at once, on each thread that answers. */
  readonly exportsMax: number;
  /** Streams open at once, on each thread that answers; a further one gets 429. */
  readonly streamsMax: number;
  /** The same of one client address. */
  readonly streamsPerAddressMax: number;
  /** Bytes of messages that wait for a client of a stream; with more it is too slow, and its stream ends. */
  readonly streamBacklogBytesMax: number;
  /** Bytes of a core's events in memory while a sidecar's disk is full; those behind them are dropped. */
  readonly eventMemoryBytesMax: number;
  /** Connections of a gRPC port at once; a further one is closed. */
  readonly grpcConnectionsMax: number;
  /** Calls under way on one gRPC connection. */
  readonly grpcCallsMax: number;
  /** Bytes of one gRPC request, as the original's. */
  readonly grpcRequestBytesMax: number;
  /** Bytes of a GraphQL request, its variables included. */
  readonly queryBytesMax: number;
  /** Fields of one GraphQL query, those of a fragment counted at each use, as the original's. */
  readonly queryFieldsMax: number;
  /** Levels of objects in one GraphQL query. */
  readonly queryDepthMax: number;
  /** Rows of all lists in one GraphQL answer. */
  readonly queryRowsMax: number;
  /** Fields of one GraphQL answer that may fail. */
  readonly queryErrorsMax: number;
  /** Time that a GraphQL query may take, milliseconds. */
  readonly queryMs: number;
  /** Time that a GraphQL socket may take to introduce itself, milliseconds. */
  readonly socketInitMs: number;
  /** Subscriptions of one GraphQL socket. */
  readonly socketSubscriptionsMax: number;
}

export const DEFAULT_LIMITS: Limits = {
  pageRowsDefault: 1_000,
  pageRowsMax: 10_000,
  responseBytesMax: 20 * 1024 * 1024,
  urlCharactersMax: 15 * 1024,
  bodyBytesMax: 64 * 1024,
  submissionBytesMax: 2 * 1024 * 1024,
  requestsBytesMax: 16 * 1024 * 1024,
  bodyDepthMax: 100,
  commitsWaitingMax: 1_000,
  filterValuesMax: 1_000,
  rowsPassedMax: 200_000,
  minHeightWaitMs: 5_000,
  minHeightLookMs: 100,
  minHeightWaitersMax: 5_000,
  pageCacheBytesMax: 8 * 1024 * 1024,
  exportsMax: 16,
  streamsMax: 4_000,
  streamsPerAddressMax: 500,
  streamBacklogBytesMax: 4 * 1024 * 1024,
  eventMemoryBytesMax: 64 * 1024 * 1024,
  grpcConnectionsMax: 1_000,
  grpcCallsMax: 250,
  grpcRequestBytesMax: 4 * 1024 * 1024,
  queryBytesMax: 1024 * 1024,
  queryFieldsMax: 3_750,
  queryDepthMax: 200,
  queryRowsMax: 100_000,
  queryErrorsMax: 1_000,
  queryMs: 700,
  socketInitMs: 10_000,
  socketSubscriptionsMax: 100,
};
