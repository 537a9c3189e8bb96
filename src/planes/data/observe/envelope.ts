// Messages of a stream as JSON: `{"result":...}` each, and `{"error":...}` as the last one of a stream that failed
// (docs/protocol/10-data-api-streams.md#61-transport).

import { Grpc } from "../../../errors/statuses.ts";
import { streamErrorBody } from "../../../http/answers.ts";
import type { ApiError } from "../../../http/errors.ts";
import { Close } from "../../../http/web-sockets.ts";
import { type JsonMode, renderPlain } from "../../../wire/json.ts";
import { cursorText } from "./cursor.ts";
import { HeightMark, type StreamMessage } from "./message.ts";

/** Texts of a message by their form. */
const texts = new WeakMap<StreamMessage, Map<string, string>>();

/** @param wantsHeights the height stands beside each message, and alone, with a cursor, where a block ends */
export function messageText(message: StreamMessage, wantsHeights: boolean, mode: JsonMode): string {
  let rendered = texts.get(message);
  if (rendered === undefined) texts.set(message, (rendered = new Map()));
  const form = `${mode} ${wantsHeights}`;
  let text = rendered.get(form);
  if (text === undefined) rendered.set(form, (text = envelope(message, wantsHeights, mode)));
  return text;
}

function envelope(message: StreamMessage, wantsHeights: boolean, mode: JsonMode): string {
  const result = message.textIn(mode);
  const height = wantsHeights ? `"height":"${message.height}"` : "";
  const cursor =
    wantsHeights && message instanceof HeightMark
      ? `"cursor":"${cursorText(message.height, message.hash)}"`
      : "";
  const parts = [result === "" ? "" : `"result":${result}`, height, cursor];
  return `{${parts.filter((part) => part !== "").join(",")}}`;
}

export function errorText(error: ApiError): string {
  return renderPlain({ error: streamErrorBody(error.body) }, "stream");
}

/** The end of a WebSocket after an error. */
export function closeCode(error: ApiError): number {
  if (error.grpc === Grpc.unavailable) return Close.restart;
  const isSlow = error.body.details.some(({ inner }) => inner === "channel closed");
  return isSlow || error.grpc === Grpc.resourceExhausted ? Close.tryLater : Close.failed;
}
