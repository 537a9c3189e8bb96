// A resource that is asked for over a WebSocket although it is not a stream: one frame with its usual body, then the end
// (docs/protocol/10-data-api-streams.md#61-transport).
import type { HttpApp } from "./plugin.ts";
import { becomeSocket } from "./web-sockets.ts";

/** Headers of the answer that the upgrade has, too. */
const KEPT_HEADERS = ["x-block-height", "x-block-timestamp", "x-history-from"];

/** @throws ApiError 400 for an invalid upgrade */
export async function answerBySocket(app: HttpApp, request: Request): Promise<Response> {
  const plain = new Headers(request.headers);
  for (const name of ["upgrade", "connection", "accept-encoding"]) plain.delete(name);
  const answer = await app.handle(new Request(request.url, { headers: plain }));
  const text = await answer.text();
  const kept = KEPT_HEADERS.flatMap((name) => {
    const value = answer.headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  return becomeSocket(
    app,
    request,
    {
      opened(socket) {
        socket.sendText(text);
        socket.end();
      },
    },
    Object.fromEntries(kept),
  );
}
