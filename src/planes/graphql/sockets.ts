// Subscriptions over WebSockets. The protocol is the library's (graphql-ws); here are the socket, its limits and what an
// operation answers.
import { type ExecutionArgs, GraphQLError } from "graphql";
import { makeServer, GRAPHQL_TRANSPORT_WS_PROTOCOL as TRANSPORT } from "graphql-ws";
import type { HttpApp } from "../../http/plugin.ts";
import {
  asksForSocket,
  becomeSocket,
  Close,
  type Socket,
  type SocketListener,
} from "../../http/web-sockets.ts";
import { renderPlain } from "../../wire/json.ts";
import { addressOf } from "../data/observe/routes.ts";
import { StreamPlaces } from "../data/observe/streams.ts";
import { RefusedQuery } from "./documents.ts";
import type { AnsweredError } from "./errors.ts";
import type { Execution, Prepared } from "./execution.ts";
import { OldProtocol } from "./old-protocol.ts";
import { answersOf } from "./operations.ts";
import { SubscriptionContext } from "./subscriptions.ts";

/** The first protocol, and what a socket without one speaks. */
const OLD = "graphql-ws";
/**
 * Messages that may wait then, for each subscription that a socket may have. A client that sends on and does not read is
 * closed.
 */
const WAITING_MESSAGES = 5;
const FAULT = 4500;
const NOT_ACCEPTABLE = 4406;
const TEXT = "text/plain; charset=utf-8";

type Receive = (text: string) => Promise<void>;

/** Arguments of an operation as the library hands them on. */
interface Arguments extends ExecutionArgs {
  readonly prepared: Prepared;
}

export class Sockets {
  private readonly places: StreamPlaces;
  private readonly server: ReturnType<typeof makeServer<Record<string, unknown>, Client>>;

  constructor(private readonly execution: Execution) {
    const { limits } = execution.plane.context;
    this.places = new StreamPlaces(limits);
    const answer = ({ prepared, contextValue }: Arguments) =>
      answersOf(execution, prepared, contextValue as SubscriptionContext);
    this.server = makeServer<Record<string, unknown>, Client>({
      connectionInitWaitTimeout: limits.socketInitMs,
      context: ({ extra }) => extra.context,
      onSubscribe: ({ subscriptions }, _, payload) => {
        const open = Object.keys(subscriptions).length;
        if (open > limits.socketSubscriptionsMax)
          return [refusal(`more than ${limits.socketSubscriptionsMax} subscriptions of one socket`)];
        return this.prepared(payload);
      },
      execute: answer as never,
      subscribe: answer as never,
      // Results and errors have their final form already.
      onNext: (_, __, ___, ____, result) => result as never,
      onError: (_, __, ___, errors) => errors.map((error) => asAnswered(error)) as never,
    });
  }

  /** Upgrades a request to a WebSocket; an incomplete handshake is refused as in the original. @throws ApiError 429 */
  upgrade(app: HttpApp, request: Request): Response {
    if (!asksForSocket(request)) return badHandshake(request);
    const address = addressOf(app, request);
    const release = this.places.enter(address);
    const protocol = protocolOf(request);
    const client = new Client(protocol ?? OLD, new SubscriptionContext(this.execution.plane, address));
    const closed = client.begin((adapter) => this.server.opened(adapter, client));
    const headers: Record<string, string> = protocol ? { "sec-websocket-protocol": protocol } : {};
    const { queryBytesMax } = this.execution.plane.context.limits;
    const listener: SocketListener = {
      opened(socket) {
        client.attach(socket);
        if (protocol === undefined) socket.end(NOT_ACCEPTABLE, "Subprotocol not acceptable");
      },
      received(text) {
        if (text.length > queryBytesMax) client.close(Close.tooBig, `more than ${queryBytesMax} bytes`);
        else client.receiveText(text);
      },
      drained: () => client.drained(),
      closed(code, reason) {
        release();
        client.drop();
        void closed(code, reason);
      },
    };
    try {
      return becomeSocket(app, request, listener, headers);
    } catch {
      release();
      void closed(FAULT, "");
      return badHandshake(request);
    }
  }

  private prepared({ query, operationName, variables }: Payload): Arguments | GraphQLError[] {
    try {
      const prepared = this.execution.prepare({
        query,
        operationName: operationName ?? undefined,
        variables: variables ?? undefined,
      });
      const { schema } = this.execution;
      const name = prepared.operation.name?.value;
      return { prepared, schema, document: prepared.document, operationName: name };
    } catch (error) {
      if (!(error instanceof RefusedQuery)) throw error;
      return error.errors.map(
        ({ message, extensions }) => new GraphQLError(message, { extensions: { ...extensions } }),
      );
    }
  }
}

interface Payload {
  readonly query: string;
  readonly operationName?: string | null | undefined;
  readonly variables?: Record<string, unknown> | null | undefined;
}

function refusal(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: "TOO_MANY_SUBSCRIPTIONS" } });
}

function asAnswered({ message, extensions }: GraphQLError | AnsweredError): AnsweredError {
  const isEmpty = extensions === undefined || Object.keys(extensions).length === 0;
  return isEmpty ? { message } : { message, extensions };
}

/** The sub-protocol of a socket: the first one where a client offers both, as in the original; empty without one. */
function protocolOf({ headers }: Request): string | undefined {
  const text = headers.get("sec-websocket-protocol");
  if (text === null) return "";
  const offered = text.split(",").map((each) => each.trim());
  return [OLD, TRANSPORT].find((each) => offered.includes(each));
}

function badHandshake(request: Request): Response {
  const [status, line] = request.method === "GET" ? [400, "Bad Request"] : [405, "Method Not Allowed"];
  const body = renderPlain({ errors: [{ message: "unable to upgrade" }], data: null });
  const headers = { "content-type": TEXT, vary: "Origin" };
  return new Response(`${line}\n${body}`, { status, headers });
}

interface Adapter {
  readonly protocol: string;
  send(text: string): Promise<void>;
  close(code?: number, reason?: string): void;
  onMessage(receive: Receive): void;
}

/** A socket and its client. */
class Client {
  private socket: Socket | undefined;
  private receive: Receive = async () => {};
  private old: OldProtocol | undefined;
  private roomy: PromiseWithResolvers<void> | undefined;
  private waiting = 0;
  private readonly waitingMax: number;

  constructor(
    private readonly protocol: string,
    readonly context: SubscriptionContext,
  ) {
    this.waitingMax = WAITING_MESSAGES * context.plane.context.limits.socketSubscriptionsMax;
  }

  /** @param open begins the protocol */
  begin<T>(open: (adapter: Adapter) => T): T {
    const own = { send: (text: string) => this.send(text), close: this.close };
    if (this.protocol !== TRANSPORT)
      this.old = new OldProtocol(own, (text) => void this.receive(text).catch(this.fail));
    const { old } = this;
    return open({
      // The library serves the later one, whichever the client speaks.
      protocol: TRANSPORT,
      send: (text) => (old ? old.sendText(text) : own.send(text)),
      close: (code = FAULT, reason = "") => (old ? old.close(code, reason) : this.close(code, reason)),
      onMessage: (receive) => {
        this.receive = receive;
      },
    });
  }

  attach(socket: Socket): void {
    this.socket = socket;
  }

  receiveText(text: string): void {
    if (this.old) this.old.receiveText(text);
    else this.receive(text).catch(this.fail);
  }

  drained(): void {
    this.roomy?.resolve();
    this.roomy = undefined;
    this.waiting = 0;
  }

  drop(): void {
    this.socket = undefined;
    this.old?.drop();
    this.drained();
  }

  /** Settles when the client has read enough of what was sent before. */
  private async send(text: string): Promise<void> {
    const { socket } = this;
    if (socket === undefined) return;
    socket.sendText(text);
    if (!socket.isFull) return;
    if (++this.waiting > this.waitingMax) socket.terminate();
    this.roomy ??= Promise.withResolvers();
    await this.roomy.promise;
  }

  readonly close = (code: number, reason: string): void => this.socket?.end(code, reason);

  private readonly fail = (error: unknown): void => {
    this.context.plane.onFault(error);
    this.close(FAULT, "Internal server error");
  };
}
