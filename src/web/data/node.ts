/**
 * The page's only way to the node: where it is, whether it answers, how far its chain is, and requests. Views use `read.ts`
 * over this.
 */
import { computed, effect, signal, untracked } from "@preact/signals";
import { connect as connectClient, LyraError } from "../../client/connect.ts";
import type { Addresses } from "../../http/chain-bodies.ts";
import type { StatusBody } from "../../http/status-body.ts";
import { visible } from "../format.ts";

interface Head {
  readonly height: number;
  /** Time of the block, Unix milliseconds; 0 before the first. */
  readonly timeMs: number;
}

/** Mode and ports of the node; undefined until it has answered. */
export const addresses = signal<Addresses | undefined>(undefined);
export const chainId = signal("");
export const head = signal<Head | undefined>(undefined);
/** Rises when a devnet goes back: what was said of its blocks has ended. */
export const reverts = signal(0);
export const connection = signal<"connecting" | "open" | "away">("connecting");
const listeners = new Set<() => void>();
/**
 * Calls when what is shown may have changed: after new blocks, at most once a second, and not while the page is hidden.
 * @returns the end of it
 */
export function onBeat(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Lets every view read what it shows. */
export function readAgain(): void {
  for (const listener of [...listeners]) listener();
}

const BEAT_MS = 1_000;
const HEIGHT_MS = 200;
const RETRY_MS = [500, 1_000, 2_000, 3_000] as const;
const REQUEST_MS = 20_000;
/** A devnet's tool may make many blocks. */
const TOOL_MS = 600_000;
const LOOK_MS = 10_000;

/** A request that was refused, or did not come through. */
export class RequestFailure extends Error {
  constructor(
    /** 0 where there was no answer. */
    readonly status: number,
    message: string,
    /** The way out, in the node's words; empty without any. */
    readonly hint = "",
  ) {
    super(message);
  }
}

const { origin, protocol, hostname, port } = location;

function portOf(name: "data" | "node"): string {
  const place = addresses.value?.listening.find((each) => each.name === name);
  const own = addresses.value?.listening.find((each) => String(each.port) === port);
  // Behind a proxy the ports are not the node's: then everything is at one origin.
  if (place === undefined || own === undefined || place.name === own.name) return origin;
  return `${protocol}//${hostname}:${place.port}`;
}

/** Origin of the data API, and of the node API: with the tools of a devnet. */
export const dataOrigin = () => portOf("data");
export const nodeOrigin = () => portOf("node");

/** @param path of the data API, with its query @throws RequestFailure */
export function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return request<T>(dataOrigin() + path, signal);
}

/** @param path of the node API @throws RequestFailure */
export function getFromNode<T>(path: string, signal?: AbortSignal): Promise<T> {
  return request<T>(nodeOrigin() + path, signal);
}

/** @param path of the data API with an answer that is text @throws RequestFailure */
export function getText(path: string, signal?: AbortSignal): Promise<string> {
  return textOf(dataOrigin() + path, signal);
}

/** @param path of the node API, for a devnet's tools @throws RequestFailure */
export function postToNode<T>(path: string, body: object | string): Promise<T> {
  return request<T>(nodeOrigin() + path, undefined, posted(body));
}

/** The same with the answer as the node wrote it: for a file, not to be shown. @throws RequestFailure */
export function postForText(path: string, body: object | string): Promise<string> {
  return textOf(nodeOrigin() + path, undefined, posted(body));
}

const posted = (body: object | string): RequestInit => ({
  method: "POST",
  body: typeof body === "string" ? body : JSON.stringify(body),
});

async function request<T>(url: string, signal?: AbortSignal, init?: RequestInit): Promise<T> {
  const text = await textOf(url, signal, init);
  try {
    return shown(JSON.parse(text)) as T;
  } catch {
    throw new RequestFailure(0, "the answer is not JSON");
  }
}

/** Every text that a chain can carry is made visible here, once for all views, in place. */
export function shown(value: unknown): unknown {
  if (typeof value === "string") return visible(value);
  if (typeof value !== "object" || value === null) return value;
  for (const [name, each] of Object.entries(value)) {
    if (typeof each === "string" || typeof each === "object")
      (value as Record<string, unknown>)[name] = shown(each);
  }
  return value;
}

async function textOf(url: string, signal?: AbortSignal, init: RequestInit = {}): Promise<string> {
  const response = await send(url, { ...init, signal: signal ?? null });
  let text: string;
  try {
    text = await response.text();
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new RequestFailure(0, "the answer is incomplete");
  }
  if (response.ok) return text;
  throw failureOf(response.status, text);
}

/** Every request of the page. @throws RequestFailure where there is no answer; the reason of the signal */
async function send(url: string, init: RequestInit): Promise<Response> {
  const timeout = AbortSignal.timeout(init.method === "POST" ? TOOL_MS : REQUEST_MS);
  const signal = init.signal ? AbortSignal.any([init.signal, timeout]) : timeout;
  try {
    const response = await fetch(url, { ...init, signal });
    noteHead(response.headers);
    return response;
  } catch (error) {
    if (init.signal?.aborted) throw error;
    if (timeout.aborted) throw new RequestFailure(0, "the answer takes too long");
    noteAway();
    throw new RequestFailure(0, "the node does not answer");
  }
}

/** The calls of `lyra/client` at this node. Views repeat a read by themselves. */
export const client = computed(() =>
  connectClient({
    dataUrl: dataOrigin(),
    nodeUrl: nodeOrigin(),
    streams: "socket",
    retryMs: 0,
    fetch: send,
  }),
);

export function toFailure(error: unknown): RequestFailure {
  if (!(error instanceof LyraError)) return new RequestFailure(0, String(error));
  const isComplete = error.code !== "not_json" && error.status !== undefined;
  return new RequestFailure(isComplete ? error.status! : 0, visible(error.message));
}

/** The sentence and the hint of an error's body. */
export function failureOf(status: number, text: string): RequestFailure {
  try {
    const { message, details } = JSON.parse(text) as { message?: unknown; details?: { inner?: unknown }[] };
    const inner = details?.[0]?.inner;
    if (typeof message === "string")
      return new RequestFailure(status, visible(message), typeof inner === "string" ? visible(inner) : "");
  } catch {
    // A proxy's page.
  }
  return new RequestFailure(status, `status ${status}`);
}

/** Every answer says at which block it was read. */
function noteHead(headers: Headers): void {
  const height = Number(headers.get("x-block-height") ?? 0);
  const timeMs = Math.floor(Number(headers.get("x-block-timestamp") ?? 0) / 1e6);
  if (height === 0 || (head.value?.height ?? 0) > height) return;
  if (head.value?.height !== height || head.value.timeMs !== timeMs) head.value = { height, timeMs };
}

// The connection: a stream that carries each block's height. While it is closed, the node is asked again and again.

/** The wallet's page shares parts of this one, and has no node. */
let isStarted = false;
let attempts = 0;
let isTrying = false;
let following: AbortController | undefined;
let beatAt = 0;
let beatTimer: ReturnType<typeof setTimeout> | undefined;
let retry: ReturnType<typeof setTimeout> | undefined;

/** While the page is hidden it asks for nothing. */
const isHidden = () => document.visibilityState === "hidden";

export function connect(): void {
  isStarted = true;
  if (isTrying || isHidden()) return;
  isTrying = true;
  void open().finally(() => {
    isTrying = false;
  });
}

async function open(): Promise<void> {
  try {
    addresses.value = await request<Addresses>(`${origin}/lyra/v1/addresses`);
    await look();
    attempts = 0;
    connection.value = "open";
    strike();
    void follow();
  } catch (error) {
    // Its views go on meanwhile.
    if (connection.value === "open" && isRefusal(error)) tryAgain();
    else noteAway();
  }
}

/** The node runs: it is busy, or not ready. */
const isRefusal = (error: unknown) => error instanceof RequestFailure && error.status !== 0;

/** Asks how far the node is. @throws RequestFailure */
async function look(): Promise<void> {
  const status = await get<Pick<StatusBody, "chainId" | "height" | "time">>("/status");
  const { height } = status;
  chainId.value = status.chainId ?? "";
  const timeMs = Date.parse(status.time ?? "") || 0;
  // A devnet that was reverted is lower than before.
  if (height === null || (height === head.value?.height && timeMs === head.value.timeMs)) return;
  head.value = { height, timeMs };
  strike();
}

function noteAway(): void {
  following?.abort();
  following = undefined;
  connection.value = "away";
  tryAgain();
}

function tryAgain(): void {
  // Several requests may fail at once.
  if (retry !== undefined) return;
  retry = setTimeout(
    () => {
      retry = undefined;
      connect();
    },
    RETRY_MS[Math.min(attempts++, RETRY_MS.length - 1)]!,
  );
}

/** Follows the heights by a stream of events that hardly ever come. */
async function follow(): Promise<void> {
  // It may have been hidden while the node was asked how far it is.
  if (isHidden()) return;
  following?.abort();
  following = new AbortController();
  const { signal } = following;
  const { stream } = client.value;
  const options = {
    signal,
    onHeight: noteHeight,
    // The node ends, a devnet goes back, or too many streams are open: the node says which.
    onReconnect: () => void look().catch(() => {}),
  };
  try {
    for await (const _ of stream.eventBus({ type: ["BUS_EVENT_TYPE_PROTOCOL_UPGRADE_STARTED"] }, options)) {
      // Only the heights are of interest.
    }
  } catch {
    // Blocks were taken back: the stream begins again where the chain is now.
    if (!signal.aborted) setTimeout(connect, BEAT_MS);
  }
}

let nextHeight: number | undefined;
let heightTimer: ReturnType<typeof setTimeout> | undefined;

/** Blocks may come faster than anybody reads their numbers. */
function noteHeight(height: number): void {
  nextHeight = height;
  if (heightTimer !== undefined) return;
  showHeight();
  // real time: for the eye.
  heightTimer = setTimeout(() => {
    heightTimer = undefined;
    if (nextHeight !== undefined) noteHeight(nextHeight);
  }, HEIGHT_MS);
}

function showHeight(): void {
  const height = nextHeight;
  nextHeight = undefined;
  if (height === undefined || height === head.value?.height) return;
  head.value = { height, timeMs: head.value?.timeMs ?? 0 };
  strike();
}

/** Lets views read again, soon. */
function strike(): void {
  if (beatTimer !== undefined) return;
  const waitMs = Math.max(0, beatAt + BEAT_MS - performance.now());
  beatTimer = setTimeout(() => {
    beatTimer = undefined;
    if (isHidden()) return;
    beatAt = performance.now();
    readAgain();
  }, waitMs);
}
document.addEventListener("visibilitychange", () => {
  if (isHidden()) {
    following?.abort();
    following = undefined;
  } else if (isStarted) connect();
});

// real time: a stream of a node that has stopped may stay open in silence.
setInterval(() => {
  if (connection.value === "open" && !isHidden())
    void look().catch((error: unknown) => void (isRefusal(error) || noteAway()));
}, LOOK_MS);

let lastHeight = 0;
effect(() => {
  const height = head.value?.height ?? 0;
  if (height < lastHeight) untracked(() => reverts.value++);
  lastHeight = height;
});
