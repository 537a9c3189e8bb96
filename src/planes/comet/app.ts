/**
 * The consensus engine's RPC on a port of its own (docs/protocol/30-node-api-endpoints.md#8-cometbft-rpc-underneath),
 * so that whatever follows a validator can follow a devnet: JSON-RPC by POST and by websocket, and every method as an
 * address.
 */
import type { Database } from "bun:sqlite";
import type { ChainPort } from "../../engine/chain-port.ts";
import { Grpc } from "../../errors/statuses.ts";
import { noteFailure } from "../../http/answers.ts";
import { ANY_PAGE } from "../../http/cors.ts";
import { ApiError } from "../../http/errors.ts";
import { announceEnd, listen, readBody, retryAfter, stopServer, urlOf } from "../../http/http.ts";
import type { Limits } from "../../http/limits.ts";
import { httpPlugin, RAW } from "../../http/plugin.ts";
import type { ServerStatus } from "../../http/status.ts";
import { asksForSocket, becomeSocket, type Socket, type SocketListener } from "../../http/web-sockets.ts";
import type { NodeContext } from "../node/context.ts";
import { CometBlocks } from "./blocks.ts";
import { readGenesis } from "./genesis.ts";
import { type CometContext, METHODS, parseQuery } from "./methods.ts";
import {
  ADDRESS_ID,
  CometRpcError,
  errorText,
  parametersIn,
  parametersOf,
  type RpcId,
  resultText,
} from "./rpc.ts";
import { type Client, Subscriptions } from "./subscriptions.ts";

const BATCH_MAX = 100;
/** Clients of websockets at once, as the original's `max_subscription_clients`. */
const CLIENTS_MAX = 100;
/** Of a client's message, of which parts are kept until it is whole: larger calls are posted. */
const MESSAGE_BYTES_MAX = 64 * 1024;
/** Bytes that may wait for a client of a websocket before it is cut off. */
const BACKLOG_BYTES_MAX = 4 * 1024 * 1024;
const SUBSCRIBING: ReadonlySet<string> = new Set(["subscribe", "unsubscribe", "unsubscribe_all"]);
const JSON_TYPE = { "content-type": "application/json" };

interface CometServer {
  readonly port: number;
  readonly url: string;
  announceEnd(): void;
  stop(): Promise<void>;
}

interface CometParts {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  readonly chain: ChainPort;
  readonly node: NodeContext;
  readonly db: Database;
  readonly limits: Limits;
  readonly status: ServerStatus;
}

/** Listens. @throws NodeError `port_in_use`, `cannot_listen` */
export function serveComet(parts: CometParts): CometServer {
  const { host, port, limits } = parts;
  const rpc = new Rpc(parts);
  const app = rpcApp(rpc, limits);
  const sockets = { messageBytesMax: MESSAGE_BYTES_MAX, backlogBytesMax: BACKLOG_BYTES_MAX };
  const listening = { host, port, bodyBytesMax: 2 * limits.submissionBytesMax, portFlag: "--comet-port" };
  const server = listen({ ...listening, sockets }, app.fetch);
  app.server = server;
  rpc.address = `tcp://${host}:${server.port}`;
  parts.status.noteListening({ name: "comet", host, port: server.port! });
  return {
    port: server.port!,
    url: urlOf(host, server.port!),
    announceEnd: () => announceEnd(server),
    stop: async () => {
      rpc.subscriptions.stop();
      await stopServer(server);
    },
  };
}

function rpcApp(rpc: Rpc, limits: Limits) {
  // Pages of block explorers read blocks here: operators open it to them, whose default is to refuse.
  const app = httpPlugin({ name: "comet", cors: ANY_PAGE, onError: (error) => rpc.failedAnswer(error) });
  app.post(
    "/",
    async ({ request }) => {
      const body = await readBody(request, limits.submissionBytesMax);
      if (body === "") return endpointList();
      const { text, isParsed } = await rpc.answerBody(body);
      return new Response(text, { status: isParsed ? 200 : 500, headers: JSON_TYPE });
    },
    RAW,
  );
  app.get("/", endpointList, RAW);
  app.get(
    "/websocket",
    ({ request }) => {
      if (!asksForSocket(request)) return rpc.answerAddress("websocket", request);
      if ((app.server?.pendingWebSockets ?? 0) >= CLIENTS_MAX) return tooManyClients();
      return becomeSocket(app, request, new CometClient(rpc));
    },
    RAW,
  );
  app.get("/:method", ({ request, params: { method } }) => rpc.answerAddress(method, request), RAW);
  app.all("/*", () => new Response("404 page not found\n", { status: 404 }), RAW);
  return app;
}

/** A client of a WebSocket. The port cuts off one that does not read. */
class CometClient implements SocketListener, Client {
  private socket: Socket | undefined;

  constructor(private readonly rpc: Rpc) {}

  opened(socket: Socket): void {
    this.socket = socket;
  }

  received(text: string): void {
    void this.rpc.receive(this, text);
  }

  send(text: string): void {
    this.socket?.sendText(text);
  }

  closed(): void {
    this.socket = undefined;
    this.rpc.subscriptions.removeAll(this);
  }
}

function tooManyClients(): Response {
  const { body } = new ApiError(Grpc.unavailable, "too many clients of websockets");
  return Response.json(body, { status: 503, headers: retryAfter(503) });
}

function endpointList(): Response {
  const lines = Object.entries(METHODS).map(([name, { parameters }]) =>
    parameters.length === 0 ? `/${name}` : `/${name}?${parameters.map(([each]) => `${each}=_`).join("&")}`,
  );
  const text = ["Available endpoints:", ...lines, "/subscribe?query=_ (websocket alone)", ""].join("\n");
  return new Response(text, { headers: { "content-type": "text/plain" } });
}

interface RpcRequest {
  readonly id?: RpcId | null;
  readonly method: string;
  readonly params?: unknown;
}

class Rpc {
  address = "";
  readonly subscriptions: Subscriptions;
  private readonly context: CometContext;

  constructor(private readonly parts: CometParts) {
    const { db, chain, node } = parts;
    const genesis = readGenesis(db);
    const blocks = new CometBlocks(db, genesis, () => chain.status.genesisTimeNs);
    const address = () => this.address;
    this.context = {
      chain,
      node,
      blocks,
      genesis,
      get address() {
        return address();
      },
    };
    this.subscriptions = new Subscriptions(blocks, chain);
  }

  /** A body: one request, or several. Requests without an id are not answered, and not run. */
  async answerBody(body: string): Promise<{ readonly text: string; readonly isParsed: boolean }> {
    const parsed = parsedBody(body);
    if (parsed instanceof CometRpcError) return { text: errorText(undefined, parsed), isParsed: false };
    const answers = await Promise.all(parsed.map((request) => this.answerRequest(request)));
    const texts = answers.filter((answer) => answer !== undefined);
    return {
      text: texts.length === 1 ? texts[0]! : texts.length === 0 ? "" : `[${texts.join(",")}]`,
      isParsed: true,
    };
  }

  async answerAddress(name: string, { url }: Request): Promise<Response> {
    const method = Object.hasOwn(METHODS, name) ? METHODS[name]! : undefined;
    if (method === undefined) {
      if (!SUBSCRIBING.has(name)) return new Response("404 page not found\n", { status: 404 });
      const text = errorText(ADDRESS_ID, new CometRpcError("method"));
      return new Response(text, { status: 404, headers: JSON_TYPE });
    }
    try {
      const given = parametersIn(method.parameters, new URL(url).searchParams);
      const text = resultText(ADDRESS_ID, await method.answer(this.context, given));
      return new Response(text, { headers: JSON_TYPE });
    } catch (error) {
      const text = errorText(ADDRESS_ID, this.failure(error));
      return new Response(text, { status: 500, headers: JSON_TYPE });
    }
  }

  /** A message on a websocket. */
  async receive(client: Client, text: string): Promise<void> {
    const parsed = parsedBody(text);
    if (parsed instanceof CometRpcError) {
      client.send(errorText(undefined, parsed));
      return;
    }
    for (const request of parsed) {
      const answer = await this.answerRequest(request, client);
      if (answer !== undefined) client.send(answer);
    }
  }

  failedAnswer(error: unknown): Response {
    const status = error instanceof ApiError ? error.status : 500;
    return new Response(errorText(undefined, this.failure(error)), { status, headers: JSON_TYPE });
  }

  private async answerRequest(request: RpcRequest, client?: Client): Promise<string | undefined> {
    const { id, method: name, params } = request;
    if (id === undefined || id === null) return undefined;
    try {
      if (client && SUBSCRIBING.has(name)) return resultText(id, this.subscribe(client, id, name, params));
      const method = Object.hasOwn(METHODS, name) ? METHODS[name]! : undefined;
      if (method === undefined) throw new CometRpcError("method");
      return resultText(id, await method.answer(this.context, parametersOf(method.parameters, params)));
    } catch (error) {
      return errorText(id, this.failure(error));
    }
  }

  private subscribe(client: Client, id: RpcId, name: string, params: unknown): object {
    if (name === "unsubscribe_all") {
      this.subscriptions.removeAll(client);
      return {};
    }
    const { query = "" } = parametersOf([["query", "text"]], params);
    if (name === "subscribe") this.subscriptions.add(client, id, parseQuery(query as string));
    else this.subscriptions.remove(client, query as string);
    return {};
  }

  private failure(error: unknown): CometRpcError {
    if (error instanceof CometRpcError) return error;
    if (error instanceof ApiError) return new CometRpcError("internal", reasonIn(error));
    return new CometRpcError("internal", noteFailure(this.parts.status, error).message);
  }
}

/** The chain's own words where there are any. */
function reasonIn({ message, body }: ApiError): string {
  const [detail] = body.details as readonly { readonly message?: string }[];
  return detail?.message ?? message;
}

function parsedBody(text: string): RpcRequest[] | CometRpcError {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return new CometRpcError("parse", "error unmarshaling request: the body is not JSON");
  }
  const requests = Array.isArray(parsed) ? parsed : [parsed];
  if (requests.length > BATCH_MAX)
    return new CometRpcError("request", `a batch has at most ${BATCH_MAX} requests`);
  if (requests.every((each) => typeof each?.method === "string")) return requests as RpcRequest[];
  return new CometRpcError("parse", "error unmarshaling request: it is not an object with a method");
}
