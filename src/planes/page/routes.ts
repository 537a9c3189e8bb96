// The page in a browser, on the ports of node and data: its documents and assets, and the addresses where it finds the rest.
import manifest from "../../../package.json" with { type: "json" };
import { asksForPage } from "../../http/accept.ts";
import { NOT_FOUND, refuse } from "../../http/answers.ts";
import type { Addresses } from "../../http/chain-bodies.ts";
import { commandLine } from "../../http/command-line.ts";
import { heightHeaders } from "../../http/heights.ts";
import { classify, type HttpRoutes } from "../../http/plugin.ts";
import type { ServerStatus } from "../../http/status.ts";
import { walletOriginFor } from "../../http/wallet-address.ts";

const ADDRESSES_PATH = "/lyra/v1/addresses";
/** A name that may stand in a policy. */
const HOST = /^(?:[\w.-]{1,253}|\[[\da-f:.]{2,45}\])$/i;

/** Answers a browser at `/`; undefined for every other client. */
export function frontPage(status: ServerStatus, request: Request): Promise<Response> | undefined {
  if (!asksForPage(request)) return undefined;
  classify(request, "other");
  return import("./assets.ts").then(({ pageDocument }) =>
    pageDocument("index.html", request, connectionsOf(status, request)),
  );
}

export function pageRoutes(status: ServerStatus, { commit }: Pick<Addresses, "commit">): HttpRoutes {
  return (app) => {
    app.get("/page/:name", async ({ request, params }) => {
      const { pageAsset } = await import("./assets.ts");
      return (await pageAsset(params.name, request)) ?? refuse(request, NOT_FOUND);
    });
    app.get(ADDRESSES_PATH, () => {
      const { kind, listening, homeWord } = status;
      const body: Addresses = {
        kind,
        version: manifest.version,
        commit,
        commandLine: wordsFor(kind),
        ...(homeWord !== undefined && { home: homeWord }),
        listening,
      };
      const head = status.source?.head();
      // With the height: it is the first thing that the page shows.
      const heights = head && heightHeaders({ height: head.height, timeUs: head.timeUs });
      return Response.json(body, { headers: { "cache-control": "no-store", vary: "Origin", ...heights } });
    });
    return app;
  };
}

/** A node that strangers read does not say where on its disk it lies. */
function wordsFor(kind: Addresses["kind"]): string {
  const words = commandLine();
  return kind === "devnet" || !words.includes("/") ? words : "lyra";
}

/** The wallet of this machine, and the node's other ports that speak HTTP, under the name by which this request came. */
function connectionsOf({ listening }: ServerStatus, request: Request): string[] {
  const { hostname, protocol } = new URL(request.url);
  const wallet = walletOriginFor(request.url);
  if (!HOST.test(hostname)) return [wallet];
  const socket = protocol === "https:" ? "wss:" : "ws:";
  const ports = listening
    .filter(({ name }) => name === "data" || name === "node")
    .flatMap(({ port }) => [`${protocol}//${hostname}:${port}`, `${socket}//${hostname}:${port}`]);
  return [...ports, wallet];
}
