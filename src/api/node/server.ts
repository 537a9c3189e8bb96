// The node plane on a port.
import { ServerCounts } from "../data/counts.ts";
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

export interface NodeServeOptions {
  readonly host: string;
  readonly port: number;
  readonly counts?: ServerCounts;
}

/**
 * Listens. Port 0 picks a free one.
 * @param host loopback unless the operator says otherwise (DESIGN.md, "Command line")
 * @param counts of the answers, those of the data plane
 * @param devnet the developer's tools, on a devnet and nowhere else
 * @throws NodeError `port_in_use`
 */
export function serveNode(
  plane: NodePlane,
  { host, port, counts = new ServerCounts() }: NodeServeOptions,
  devnet?: DevnetTools,
): NodeServer {
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
  const counted = (response: Response, { method, url }: Request, startedMs: number): Response => {
    counts.response(response.status);
    const isSubmission = method === "POST" && matchNodeRoute(splitUrl(url).pathname)?.route.method === "POST";
    counts.latency(isSubmission ? "submission" : "node", performance.now() - startedMs);
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
