// Messages of a stream as JSON: `{"result":...}` each, and `{"error":...}` as the last one of a stream that failed
// (docs/protocol/10-data-api-streams.md#61-transport).

import { Grpc } from "../../../errors/statuses.ts";
import { streamErrorBody } from "../../../http/answers.ts";
import type { ApiError } from "../../../http/errors.ts";
import { type JsonMode, renderPlain } from "../../../wire/json.ts";
import { BusMessage } from "./event-bus.ts";
import type { StreamMessage } from "./message.ts";

const texts = new WeakMap<StreamMessage, { plain?: string; withHeight?: string }>();

/** @param wantsHeights the height stands beside each message, and alone where a block has nothing else */
export function messageText(message: StreamMessage, wantsHeights: boolean, mode: JsonMode): string {
  let rendered = texts.get(message);
  if (rendered === undefined) texts.set(message, (rendered = {}));
  const name = wantsHeights ? "withHeight" : "plain";
  if (rendered[name] !== undefined && mode === "stream") return rendered[name];
  const result = message instanceof BusMessage ? message.textIn(mode) : message.text;
  const height = `"height":"${message.height}"`;
  const parts = [result === "" ? "" : `"result":${result}`, wantsHeights ? height : ""];
  const text = `{${parts.filter((part) => part !== "").join(",")}}`;
  if (mode === "stream") rendered[name] = text;
  return text;
}

export function errorText(error: ApiError): string {
  return renderPlain({ error: streamErrorBody(error.body) }, "stream");
}

/** Codes of RFC 6455, section 7.4, and of its registry. */
export const Close = { normal: 1000, wentAway: 1001, failed: 1011, restart: 1012, tryLater: 1013 } as const;

/** How a WebSocket ends after an error. */
export function closeCode(error: ApiError): number {
  if (error.grpc === Grpc.unavailable) return Close.restart;
  const isSlow = error.body.details.some(({ inner }) => inner === "channel closed");
  return isSlow || error.grpc === Grpc.resourceExhausted ? Close.tryLater : Close.failed;
}
