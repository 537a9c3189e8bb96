// One more thread that answers the data API on the same port, while one alone is not enough: it reads the store by
// itself. An extra entry point of the compiled executable (scripts/build.ts lists it).
/// <reference lib="webworker" />

import type { Limits } from "../http/limits.ts";
import { type CountsMemory, ServerCounts } from "../planes/data/counts.ts";
import { type DataServer, serveData } from "../planes/data/server.ts";
import { ServerStatus } from "../planes/data/status.ts";
import { Reading } from "./reading.ts";
import { storeFacts, storeIdentity } from "./store-facts.ts";

export interface ReaderOrder {
  readonly kind: "serve";
  readonly home: string;
  /** The store that the others read (`storeIdentity`): no answers come from one that was put in its place. */
  readonly store: string | undefined;
  readonly limits: Limits;
  readonly host: string;
  readonly port: number;
  readonly memory: CountsMemory;
  /** Place among those that count. */
  readonly thread: number;
  /** How long the node has been running, milliseconds. */
  readonly uptimeMs: number;
}

export type ToReader =
  | ReaderOrder
  /** What `/readyz` says from now on. */
  | { readonly kind: "ready"; readonly reason: string | undefined }
  /** The store has more blocks. */
  | { readonly kind: "committed" }
  | { readonly kind: "stop" };

export type FromReader =
  | { readonly kind: "listening" }
  | { readonly kind: "failed" }
  /** There was nothing to do for a while. */
  | { readonly kind: "idle" }
  | { readonly kind: "stopped" };

/** Longer than a connection may be idle (http/http.ts): then nobody is left who could ask here. */
const IDLE_MS = 60_000;
const LOOK_MS = 5_000;

declare const self: Worker;

const say = (message: FromReader) => self.postMessage(message);
let reading: Reading | undefined;
let server: DataServer | undefined;
let status: ServerStatus | undefined;
let notReady: string | undefined;

function serve({ home, store, limits, host, port, memory, thread, uptimeMs }: ReaderOrder): void {
  try {
    const opened = new Reading(home, limits);
    reading = opened;
    if (storeIdentity(home) !== store) throw new Error("another store has taken the place");
    const counts = new ServerCounts(memory, thread);
    status = new ServerStatus(counts, performance.now() - uptimeMs);
    status.source = { ...storeFacts(home, opened.plane), notReady: () => notReady };
    server = serveData(opened.plane, status, { host, port, sharing: "more" });
    watch(counts, server);
    say({ kind: "listening" });
  } catch {
    // The others go on without it.
    say({ kind: "failed" });
  }
}

function watch(counts: ServerCounts, { pending }: DataServer): void {
  let last = counts.ownResponses;
  let quietMs = 0;
  const timer = setInterval(() => {
    const now = counts.ownResponses;
    quietMs = now === last && pending() === 0 ? quietMs + LOOK_MS : 0;
    last = now;
    if (quietMs < IDLE_MS) return;
    clearInterval(timer);
    say({ kind: "idle" });
  }, LOOK_MS);
  timer.unref();
}

function noteCommit(): void {
  reading?.plane.heightWaiters.notify();
  status?.ingest.note(() => reading?.plane.head()?.height ?? 0);
}

async function stop(): Promise<void> {
  await server?.stop();
  reading?.close();
  say({ kind: "stopped" });
}

self.onmessage = ({ data }: MessageEvent<ToReader>) => {
  if (data.kind === "serve") serve(data);
  else if (data.kind === "ready") notReady = data.reason;
  else if (data.kind === "committed") noteCommit();
  else stop();
};
