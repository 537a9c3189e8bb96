// The node plane on a port.
import { afterHeight } from "../data/server.ts";
import { type DevnetTools, DUMP_BYTES_MAX, isToolPath } from "../devnet/app.ts";
import { isPreflight, listen, preflight, splitUrl, urlOf } from "../http.ts";
import { nodeApp } from "./app.ts";
import { isPostedRead, matchNodeRoute, type NodePlane } from "./plane.ts";

export interface NodeServer {
  readonly port: number;
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Listens. Port 0 picks a free one.
 * @param host loopback unless the operator says otherwise (DESIGN.md, "Command line")
 * @param devnet the developer's tools, on a devnet and nowhere else
 * @throws NodeError `port_in_use`
 */
export function serveNode(plane: NodePlane, host: string, port: number, devnet?: DevnetTools): NodeServer {
  const app = nodeApp(plane);
  const serve = (request: Request): Response | Promise<Response> =>
    devnet && isToolPath(splitUrl(request.url).pathname)
      ? devnet.answer(request, server.requestIP(request)?.address)
      : app.fetch(request);
  const handle = (request: Request): Response | Promise<Response> => {
    const match = request.method === "POST" ? matchNodeRoute(splitUrl(request.url).pathname) : undefined;
    const isRead = request.method === "GET" || (match !== undefined && isPostedRead(match, request));
    const least = isRead ? request.headers.get("x-min-height") : null;
    if (least !== null) return afterHeight(plane.data, request, least, () => serve(request), "node");
    return isPreflight(request) ? preflight(request) : serve(request);
  };
  // Twice what is accepted: so much is still read, and refused with an error object.
  const bodyBytesMax = devnet ? DUMP_BYTES_MAX : 2 * plane.context.limits.submissionBytesMax;
  const server = listen({ host, port, bodyBytesMax, portFlag: "--node-port" }, handle);
  return { port: server.port!, url: urlOf(host, server.port!), stop: () => server.stop(true) };
}
