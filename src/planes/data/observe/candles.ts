// The stream of a market's candles (docs/protocol/10-data-api-streams.md#62-streams).
import { invalidArgument } from "../../../http/errors.ts";
import { candlesSince, lastCandle, parseCandleId } from "../candles.ts";
import { elementOf } from "./filters.ts";
import { streamKind } from "./kind.ts";
import type { Element } from "./message.ts";

interface CandleFilter {
  readonly candleId: string;
}

/** The candle of an element: the message does not name it. */
const candleIds = new WeakMap<object, string>();

export const candles = streamKind({
  path: "candle/data",
  method: "ObserveCandleData",
  request: "datanode.api.v2.ObserveCandleDataRequest",
  response: "datanode.api.v2.ObserveCandleDataResponse",
  needs: ["candleId"],
  summary: "Follow candles",
  description: "The newest candle of a market and interval, and each candle that trades of a block changed.",
  table: "trades",
  frame: { element: "datanode.api.v2.Candle", member: "candle", isList: false },
  filterOf(context, request): CandleFilter {
    const candleId = request.candleId ?? "";
    if (candleId === "") throw invalidArgument("candle id is a required parameter");
    parseCandleId(context, candleId, "failed to subscribe to candle data");
    return { candleId };
  },
  reader: () => ({
    read(context, { first, last }, filters) {
      const elements: Element[] = [];
      for (const { candleId } of filters) {
        const series = parseCandleId(context, candleId);
        for (const { block, candle } of candlesSince(context, series, first, last)) {
          candleIds.set(candle, candleId);
          elements.push(elementOf({ block: BigInt(block) }, candle));
        }
      }
      return elements.sort((a, b) => a.block - b.block);
    },
  }),
  matches: ({ candleId }, value: object) => candleIds.get(value) === candleId,
  beginning(context, { candleId }) {
    const candle = lastCandle(context, parseCandleId(context, candleId));
    return candle === undefined ? [] : [elementOf({ block: 0n }, candle)];
  },
});
