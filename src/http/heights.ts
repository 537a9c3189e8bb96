// The headers that say at which block an answer was read (docs/protocol/10-data-api-serving.md#15-response-headers).

export interface ReadHead {
  readonly height: number;
  /** 0 before the first block. */
  readonly timeUs: number;
  /** The first block from which on the history asked for is complete, where older rows were removed. */
  readonly historyFrom?: number;
}

export function heightHeaders({ height, timeUs, historyFrom }: ReadHead): Record<string, string> {
  return {
    "x-block-height": String(height),
    "x-block-timestamp": timeUs === 0 ? "0" : `${timeUs}000`,
    ...(historyFrom !== undefined && { "x-history-from": String(historyFrom) }),
  };
}
