// The page in a browser, on the ports of node and data: its documents and assets, and the addresses where it finds the rest.
import manifest from "../../../package.json" with { type: "json" };
import { asksForPage } from "../../http/accept.ts";
import { NOT_FOUND, refuse } from "../../http/answers.ts";
import type { Addresses } from "../../http/chain-bodies.ts";
import { commandLine } from "../../http/command-line.ts";
import { heightHeaders } from "../../http/heights.ts";
import { foreignPart } from "../../http/loopback.ts";
import { originOf } from "../../http/origin.ts";
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

/** @param words that start this program */
export function pageRoutes(
  status: ServerStatus,
  { commit }: Pick<Addresses, "commit">,
  words = commandLine(),
): HttpRoutes {
  return (app) => {
    app.get("/page/:name", async ({ request, params }) => {
      const { pageAsset } = await import("./assets.ts");
      return (await pageAsset(params.name, request)) ?? refuse(request, NOT_FOUND);
    });
    app.get(ADDRESSES_PATH, ({ request, server }) => {
      const { kind, listening, homeWord } = status;
      // Every page may read this: where on its disk a node lies is for pages and programs of its machine.
      const isOwn = foreignPart(request, server?.requestIP(originOf(request))?.address) === undefined;
      const body: Addresses = {
        kind,
        version: manifest.version,
        commit,
        commandLine: namesNoPath(words) || (isOwn && kind === "devnet") ? words : "lyra",
        ...(isOwn && homeWord !== undefined && { home: homeWord }),
        listening: isOwn ? listening : listening.filter(({ scheme }) => scheme !== "unix"),
      };
      const head = status.source?.head();
      // With the height: it is the first thing that the page shows.
      const heights = head && heightHeaders({ height: head.height, timeUs: head.timeUs });
      return Response.json(body, { headers: { "cache-control": "no-store", vary: "Origin", ...heights } });
    });
    return app;
  };
}

const namesNoPath = (words: string) => words === "lyra" || words.startsWith("npm ");

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
