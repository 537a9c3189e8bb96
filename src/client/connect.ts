/**
 * `lyra/client`: every resource and stream of a node as typed calls, in Node, Bun and browsers (docs/package.md).
 */
import { LyraError } from "../errors/lyra-error.ts";
import { nearest } from "../errors/nearest.ts";
import { type OptionNames, unknownOption } from "../errors/options.ts";
import { type Command, RESOURCES, type Resources, STREAMS, type StreamCalls } from "./api.generated.ts";
import type { CallOptions, Sender, SendOptions, Sent, StreamOptions } from "./calls.ts";
import { Connection, type ConnectOptions } from "./connection.ts";
import { addressOf, bodyOf, checkNeeded, queryOf, type Resource, resourceOf } from "./requests.ts";
import { follow } from "./stream.ts";
import { framesOf, linesOf, type OpenStream } from "./transports.ts";

export type { ErrorDetail, TransactionOutcome } from "../errors/lyra-error.ts";
export type * from "./api.generated.ts";
export type * from "./calls.ts";
export type { ConnectOptions } from "./connection.ts";
export { LyraError };

/** A node's data API and node API. */
export interface Lyra extends Resources {
  readonly stream: StreamCalls;
  /**
   * Signs a command, makes its proof of work, and sends it; settles when it is in a block. The party sends it to its own node.
   * @throws LyraError `transaction_refused`, with rule, numbers, hash and outcome; `usage` for an unknown member
   */
  send(party: Sender<Command>, command: Command, options?: SendOptions): Promise<Sent>;
}

const STREAM_PREFIX = "/api/v2/stream/";

type Value = Readonly<Record<string, unknown>>;
interface Page {
  readonly edges: readonly { readonly node: unknown }[];
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string;
    readonly endCursor: string;
  };
}

/**
 * Connects to nothing yet: each call does. A running devnet of `lyra/devnet` may be given as it is.
 * @throws LyraError `usage` for an invalid address, and for an unknown option
 */
export function connect(options: ConnectOptions = {}): Lyra {
  // A running devnet has other members beside its addresses: none that looks like an option.
  const names = Object.keys(CONNECT_OPTIONS);
  const mistyped = Object.entries(options).filter(([name]) => nearest(name, names) !== undefined);
  checkOptions("connect", Object.fromEntries(mistyped), CONNECT_OPTIONS);
  const { dataUrl, nodeUrl } = options;
  const addresses = {
    ...(dataUrl !== undefined && { dataUrl: addressIn("dataUrl", dataUrl) }),
    ...(nodeUrl !== undefined && { nodeUrl: addressIn("nodeUrl", nodeUrl) }),
  };
  return new Client({ ...options, ...addresses }).calls();
}

const CONNECT_OPTIONS: OptionNames<ConnectOptions> = {
  dataUrl: true,
  nodeUrl: true,
  headers: true,
  fetch: true,
  retryMs: true,
  streams: true,
};
const CALL_OPTIONS: OptionNames<CallOptions> = { signal: true, minHeight: true };
const STREAM_OPTIONS: OptionNames<StreamOptions> = {
  signal: true,
  after: true,
  onHeight: true,
  onCursor: true,
  onReconnect: true,
};

/** @throws LyraError `usage` */
function checkOptions(call: string, options: object, names: object): void {
  const wrong = unknownOption(options, Object.keys(names));
  if (wrong) throw new LyraError("usage", `${call}: ${wrong.message}`, { hint: wrong.hint });
}

class Client {
  private readonly connection: Connection;

  constructor(private readonly options: ConnectOptions) {
    this.connection = new Connection(options);
  }

  calls(): Lyra {
    const groups = Object.entries(RESOURCES).map(([group, rows]) => {
      const calls = Object.entries(rows).map(([name, row]) => [
        name,
        this.call(`${group}.${name}`, resourceOf(row)),
      ]);
      return [group, Object.fromEntries(calls)];
    });
    const streams = Object.entries(STREAMS).map(([name, row]) => [name, this.stream(name, row.split(" "))]);
    const send: Lyra["send"] = (party, command, options) => party.send(command, options);
    return Object.fromEntries([...groups, ["stream", Object.fromEntries(streams)], ["send", send]]) as Lyra;
  }

  private call(name: string, resource: Resource) {
    const once = (request: Value = {}, options: CallOptions = {}) =>
      this.once(name, resource, request, options);
    if (resource.pages === "") return once;
    const pages = (request?: Value, options?: CallOptions) => this.pages(name, resource, request, options);
    const rows = (request?: Value, options?: CallOptions) => this.rows(name, resource, request, options);
    return Object.assign(once, { pages, rows });
  }

  private async once(
    name: string,
    resource: Resource,
    request: Value,
    options: CallOptions,
  ): Promise<unknown> {
    checkOptions(name, options, CALL_OPTIONS);
    const { method, plane, names } = resource;
    const { signal, minHeight } = options;
    const base = this.base(plane);
    const headers: Record<string, string> = {};
    if (minHeight !== undefined) headers["x-min-height"] = String(minHeight);
    if (method === "GET")
      return this.connection.json({
        method,
        url: base + addressOf(name, resource, request),
        headers,
        signal,
      });
    const url = `${base}${resource.path}?details=true`;
    return this.connection.json({ method, url, headers, body: bodyOf(name, names, request), signal });
  }

  /** Pages up to the end of the list; with `pagination.last` or `before` from there to its beginning. */
  private async *pages(name: string, resource: Resource, request: Value = {}, options: CallOptions = {}) {
    const { pagination = {}, ...rest } = request as { readonly pagination?: Value };
    const isBackward = pagination.last !== undefined || pagination.before !== undefined;
    let cursor: string | undefined;
    for (;;) {
      const at = cursor === undefined ? {} : { [isBackward ? "before" : "after"]: cursor };
      const answer = (await this.once(
        name,
        resource,
        { ...rest, pagination: { ...pagination, ...at } },
        options,
      )) as Value;
      yield answer;
      const { pageInfo } = answer[resource.pages] as Page;
      const next = isBackward ? pageInfo.startCursor : pageInfo.endCursor;
      if (!(isBackward ? pageInfo.hasPreviousPage : pageInfo.hasNextPage) || next === cursor) return;
      cursor = next;
    }
  }

  private async *rows(name: string, resource: Resource, request?: Value, options?: CallOptions) {
    for await (const answer of this.pages(name, resource, request, options)) {
      for (const { node } of (answer[resource.pages] as Page).edges) yield node;
    }
  }

  private stream(name: string, [path, ...members]: string[]) {
    const names = members.map((member) => member.replace("!", ""));
    const needed = members.filter((member) => member.endsWith("!")).map((member) => member.slice(0, -1));
    return (request: Value = {}, options: StreamOptions = {}) => {
      // A wrong name is told by the call, not by the first turn of the loop.
      const query = queryOf(`stream.${name}`, names, request);
      checkNeeded(`stream.${name}`, needed, request);
      checkOptions(`stream.${name}`, options, STREAM_OPTIONS);
      const url = `${this.base("data")}${STREAM_PREFIX}${path}?height=true&full=true${query === "" ? "" : `&${query}`}`;
      const firstFrame = path === "event/bus" ? JSON.stringify(request) : undefined;
      const open = (after: string | undefined, signal: AbortSignal) =>
        this.open({ url: after === undefined ? url : `${url}&afterHeight=${after}`, firstFrame, signal });
      return follow(open, options);
    };
  }

  private open(stream: OpenStream) {
    const { streams = isBrowser() ? "socket" : "lines" } = this.options;
    return streams === "socket" ? framesOf(stream) : linesOf(this.connection, stream);
  }

  private base(plane: Resource["plane"]): string {
    const { dataUrl = pageOrigin(), nodeUrl } = this.options;
    const url = plane === "data" ? dataUrl : nodeUrl;
    if (url !== undefined) return url;
    const option = plane === "data" ? "dataUrl" : "nodeUrl";
    throw new LyraError("usage", `there is no address of the ${plane} API: connect({ ${option} })`);
  }
}

/** A page has an address of its own, and few connections to one place. */
const pageOrigin = (): string | undefined => (isBrowser() ? globalThis.location.origin : undefined);
const isBrowser = () => typeof globalThis.location === "object" && typeof globalThis.WebSocket === "function";

/** @throws LyraError `usage` */
function addressIn(option: string, text: string): string {
  try {
    if (/^https?:\/\//.test(text)) return new URL(text).href.replace(/\/$/, "");
  } catch {
    // Said below.
  }
  throw new LyraError("usage", `${option} must be an address such as http://127.0.0.1:3008`);
}
