// The wallet service on a port of this machine.
import { Elysia } from "elysia";
import { docsPlugin } from "../../http/docs.ts";
import { ANY_HOST, listen, urlOf } from "../../http/http.ts";
import type { WalletService } from "../../wallet/service/service.ts";
import { answerRpc, fallback, isRpc, text, type WalletAppOptions, walletApp } from "./app.ts";
import { isPreflight, preflight } from "./cors.ts";
import { isAllowedHost } from "./host-check.ts";

interface WalletServerOptions {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  readonly bodyBytesMax: number;
  /** Names other than loopback's that requests may be sent to. */
  readonly allowedHosts: readonly string[];
}

export interface WalletServer {
  readonly port: number;
  /** With the prefix that clients are given: `http://127.0.0.1:1789/api`. */
  readonly url: string;
  /** Answers a request without a socket. */
  fetch(request: Request): Response | Promise<Response>;
  stop(): Promise<void>;
}

/** @throws NodeError `port_in_use` */
export function serveWallet(service: WalletService, options: WalletServerOptions): WalletServer {
  const { host, bodyBytesMax, allowedHosts } = options;
  let stayOpen: (request: Request) => void = () => {};
  const appOptions: WalletAppOptions = { bodyBytesMax, onWaiting: (request) => stayOpen(request) };
  const app = new Elysia({ strictPath: true, precompile: true, handler: ANY_HOST })
    .use(walletApp(service, appOptions))
    .use(
      docsPlugin({
        signposts: ["/", "/api/v2"],
        parts: async () => (await import("./openapi.ts")).walletDocument(),
      }),
    )
    .all("/*", ({ request }) => fallback(request), { parse: "none" })
    .all("/", ({ request }) => fallback(request), { parse: "none" });
  let lastHost: string | undefined;
  const isAllowed = (host: string | null): boolean => {
    // A client names the same host again and again.
    if (host !== null && host === lastHost) return true;
    if (host === null || !isAllowedHost(host, allowedHosts)) return false;
    lastHost = host;
    return true;
  };
  const handle = (request: Request): Response | Promise<Response> => {
    if (!isAllowed(request.headers.get("host"))) {
      return text(request, 403, "the Host header names another machine\n");
    }
    if (isRpc(request)) return answerRpc(service, request, appOptions);
    if (isPreflight(request)) return preflight(request);
    // Not the headers of a GET, as elsewhere (reference 50, section 1.2).
    if (request.method === "HEAD") return fallback(request);
    return app.fetch(request);
  };
  const server = listen(
    // Twice what is taken: so much is still read, and refused with an error object.
    { host, port: options.port, bodyBytesMax: 2 * bodyBytesMax, portFlag: "--wallet-port" },
    handle,
  );
  // Until a request is whole the usual limit of time holds; from then on a person may take minutes to decide.
  stayOpen = (request) => server.timeout(request, 0);
  const port = server.port!;
  return { port, url: `${urlOf(host, port)}/api`, fetch: handle, stop: () => server.stop(true) };
}
