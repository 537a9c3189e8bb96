// A resource that is asked for over a WebSocket although it is not a stream: one frame with its usual body, then the end
// (docs/protocol/10-data-api-streams.md#61-transport).
import type { ServerWebSocket } from "bun";
import { badRequest } from "./errors.ts";
import type { HttpApp } from "./plugin.ts";

/** Headers of the answer that the upgrade has, too. */
const KEPT_HEADERS = ["x-block-height", "x-block-timestamp", "x-history-from"];
const DONE = 1000;

/** Whether it is a whole upgrade: a part of one is an ordinary request. */
export function asksForSocket({ method, headers }: Request): boolean {
  if (method !== "GET" || headers.get("upgrade")?.toLowerCase() !== "websocket") return false;
  return headers.has("sec-websocket-key") && headers.has("sec-websocket-version");
}

/** @throws ApiError 400 for an invalid upgrade */
export async function answerBySocket(app: HttpApp, request: Request): Promise<Response> {
  const plain = new Headers(request.headers);
  for (const name of ["upgrade", "connection", "accept-encoding"]) plain.delete(name);
  const answer = await app.handle(new Request(request.url, { headers: plain }));
  const text = await answer.text();
  const headers: Record<string, string> = {};
  for (const name of KEPT_HEADERS) {
    const value = answer.headers.get(name);
    if (value !== null) headers[name] = value;
  }
  const data = {
    open(socket: ServerWebSocket<unknown>) {
      socket.sendText(text);
      socket.close(DONE);
    },
  };
  if (!app.server?.upgrade(request, { headers, data }))
    throw badRequest("the upgrade to a WebSocket cannot be done");
  return new Response(null);
}
