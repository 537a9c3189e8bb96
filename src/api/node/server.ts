// The node plane on a port.
import { afterHeight } from "../data/server.ts";
import { isPreflight, listen, preflight, urlOf } from "../http.ts";
import { nodeApp } from "./app.ts";
import type { NodePlane } from "./plane.ts";

export interface NodeServer {
  readonly port: number;
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Listens. Port 0 picks a free one.
 * @param host loopback unless the operator says otherwise (DESIGN.md, "Command line")
 * @throws NodeError `port_in_use`
 */
export function serveNode(plane: NodePlane, host: string, port: number): NodeServer {
  const app = nodeApp(plane);
  const handle = (request: Request): Response | Promise<Response> => {
    if (request.method === "GET") {
      const least = request.headers.get("x-min-height");
      if (least !== null) return afterHeight(plane.data, request, least, () => app.fetch(request), "node");
    } else if (isPreflight(request)) return preflight(request);
    return app.fetch(request);
  };
  // Twice what is accepted: so much is still read, and refused with an error object.
  const bodyBytesMax = 2 * plane.context.limits.submissionBytesMax;
  const server = listen({ host, port, bodyBytesMax, portFlag: "--node-port" }, handle);
  return { port: server.port!, url: urlOf(host, server.port!), stop: () => server.stop(true) };
}
