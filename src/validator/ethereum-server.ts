// `lyra ethereum`: turns at the simulated Ethereum, and its state for those that watch.
import { NodeError, reasonOf } from "../errors/node-error.ts";
import { listen, stopServer, urlOf } from "../http/http.ts";
import { httpPlugin, jsonBody } from "../http/plugin.ts";
import { EthereumState } from "./ethereum-state.ts";

const LOOPBACK = "127.0.0.1";
const BODY_BYTES_MAX = 64 * 1024 * 1024;
const WAIT_MS_MAX = 10_000;

interface TurnEnd {
  readonly token?: unknown;
  readonly state?: unknown;
}

interface EthereumServer {
  readonly url: string;
  readonly port: number;
  stop(): Promise<void>;
}

interface EthereumServerOptions {
  /** 0 picks a free one. */
  readonly port: number;
  readonly host?: string;
  /** Where the state is kept. */
  readonly file?: string;
}

/** Listens. @throws NodeError `port_in_use`, `cannot_listen` */
export function serveEthereum({ port, host = LOOPBACK, file }: EthereumServerOptions): EthereumServer {
  const ethereum = new EthereumState(file);
  const app = httpPlugin({
    name: "ethereum",
    // Only validators talk to it: no page of any origin does. Browsers name one with every POST, forms and rebound names included.
    before: (request) =>
      request.headers.has("origin")
        ? Response.json({ error: "pages do not call the simulated Ethereum" }, { status: 403 })
        : undefined,
    cors: { headers: () => ({}), preflight: () => new Response(null, { status: 403 }) },
    onError: (error) => {
      const isOver = error instanceof NodeError;
      return Response.json(
        { error: reasonOf(error), code: isOver ? error.code : "internal" },
        { status: isOver ? 409 : 500 },
      );
    },
  });
  app
    .post("/turn", () => ethereum.takeTurn())
    .post(
      "/turn/end",
      ({ body }) => {
        const { token, state } = body as TurnEnd;
        return ethereum.endTurn(String(token), typeof state === "string" ? state : undefined);
      },
      jsonBody(BODY_BYTES_MAX),
    )
    .get("/state", ({ query }) => {
      const { after = "-1", wait = "0" } = query as Record<string, string>;
      return ethereum.after(Number(after), Math.min(Number(wait) || 0, WAIT_MS_MAX));
    })
    .all("/*", () => Response.json({ error: "not found" }, { status: 404 }));
  const server = listen({ host, port, bodyBytesMax: BODY_BYTES_MAX, portFlag: "--port" }, app.fetch);
  return { url: urlOf(host, server.port!), port: server.port!, stop: () => stopServer(server) };
}
