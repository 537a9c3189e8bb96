// The node plane on a port.

import { isPreflight, listen, preflight, splitUrl, urlOf } from "../../http/http.ts";
import { ServerStatus } from "../../http/status.ts";
import { DAMAGED, refuse } from "../data/app.ts";
import { afterHeight } from "../data/server.ts";
import { type DevnetTools, DUMP_BYTES_MAX, isToolPath } from "../devnet/app.ts";
import { nodeApp } from "./app.ts";
import { isPostedRead, matchNodeRoute, type NodePlane } from "./plane.ts";

interface NodeServer {
  readonly port: number;
  readonly url: string;
  stop(): Promise<void>;
}

interface NodeServeOptions {
  readonly host: string;
  readonly port: number;
  /** That of the data plane: its counts, and whether the store is damaged. */
  readonly status?: ServerStatus;
}

/**
 * Listens. Port 0 picks a free one.
 * @param host loopback unless the operator says otherwise
 * @param devnet the developer's tools, on a devnet and nowhere else
 * @throws NodeError `port_in_use`
 */
export function serveNode(
  plane: NodePlane,
  { host, port, status = new ServerStatus() }: NodeServeOptions,
  devnet?: DevnetTools,
): NodeServer {
  const { counts } = status;
  const app = nodeApp(plane, status);
  const serve = (request: Request): Response | Promise<Response> => {
    const { pathname } = splitUrl(request.url);
    // The tools can save what there is.
    if (devnet && isToolPath(pathname)) return devnet.answer(request, server.requestIP(request)?.address);
    const isRefused = status.isDamaged && matchNodeRoute(pathname) !== undefined;
    return isRefused ? refuse(request, DAMAGED, "node") : app.fetch(request);
  };
  const handle = (request: Request): Response | Promise<Response> => {
    const match = request.method === "POST" ? matchNodeRoute(splitUrl(request.url).pathname) : undefined;
    const isRead = request.method === "GET" || (match !== undefined && isPostedRead(match, request));
    const least = isRead ? request.headers.get("x-min-height") : null;
    if (least !== null) return afterHeight(plane.data, request, least, () => serve(request), "node");
    return isPreflight(request) ? preflight(request) : serve(request);
  };
  // Twice what is accepted: so much is still read, and refused with an error object.
  const bodyBytesMax = devnet ? DUMP_BYTES_MAX : 2 * plane.context.limits.submissionBytesMax;
  const counted = (response: Response, { method, url }: Request, startedMs: number): Response => {
    const isSubmission = method === "POST" && matchNodeRoute(splitUrl(url).pathname)?.route.method === "POST";
    const kind = isSubmission ? "submission" : "node";
    counts.countResponse(response.status, kind, performance.now() - startedMs);
    return response;
  };
  const server = listen({ host, port, bodyBytesMax, portFlag: "--node-port" }, (request) => {
    const startedMs = performance.now();
    const answer = handle(request);
    if (answer instanceof Response) return counted(answer, request, startedMs);
    return answer.then((response) => counted(response, request, startedMs));
  });
  return { port: server.port!, url: urlOf(host, server.port!), stop: () => server.stop(true) };
}
