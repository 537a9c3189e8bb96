// A further thread that answers the data API on the same port: it reads the store by itself. An extra entry point of the
// compiled executable (scripts/build.ts lists it).
/// <reference lib="webworker" />

import type { CountValues } from "../http/counts.ts";
import type { Limits } from "../http/limits.ts";
import { joinRoutes } from "../http/plugin.ts";
import { requestBudget } from "../http/request-budget.ts";
import { ServerStatus } from "../http/status.ts";
import { type DataServer, serveData } from "../planes/data/app.ts";
import { explorerOf, explorerRoutes } from "../planes/explorer/routes.ts";
import { graphqlRoutes } from "../planes/graphql/routes.ts";
import { FeedInlet, type FeedMessage, type FeedOrder } from "../store/event-feed.ts";
import { limitGarbage } from "../store/garbage-limit.ts";
import { Reading, storeFacts } from "./reading.ts";

export interface ReaderOrder {
  readonly kind: "serve";
  readonly home: string;
  readonly limits: Limits;
  readonly host: string;
  readonly port: number;
  /** Memory of the budget for requests that all threads share. */
  readonly requestBudget: SharedArrayBuffer;
}

/** Texts that only the main thread can make. */
type StatusText = "metrics" | "status";

export type ToReader =
  | ReaderOrder
  /** The reason of `/readyz` from now on. */
  | { readonly kind: "ready"; readonly reason: string | undefined }
  /** The store has more blocks. */
  | { readonly kind: "committed" }
  /** The text of `/metrics` or `/status`, for the first that waits for it. */
  | { readonly kind: "text"; readonly of: StatusText; readonly text: string }
  /** Events of the blocks that are stored. */
  | { readonly kind: "feed"; readonly message: FeedMessage }
  | { readonly kind: "stop" };

export type FromReader =
  | { readonly kind: "listening" }
  /** Counts so far: now and then, and with each question for a text of the main thread's. */
  | { readonly kind: "counts"; readonly counts: CountValues; readonly asked?: StatusText }
  /** Streams want events, or have read some. */
  | { readonly kind: "feed"; readonly order: FeedOrder }
  | { readonly kind: "stopped" };

const COUNTS_MS = 1_000;

declare const self: Worker;

const post = (message: FromReader) => self.postMessage(message);
const status = new ServerStatus();
/** Requests for texts that the main thread makes. */
const waiting: Record<StatusText, ((text: string) => void)[]> = { metrics: [], status: [] };
let reading: Reading | undefined;
let server: DataServer | undefined;
const feed = new FeedInlet((order) => post({ kind: "feed", order }));
let notReady: string | undefined = "starting";

const ask = (of: StatusText) => () => {
  postCounts(of);
  return new Promise<string>((resolve) => waiting[of].push(resolve));
};
status.metrics = ask("metrics");
status.statusText = ask("status");

function serve({ home, limits, host, port, requestBudget: shared }: ReaderOrder): void {
  requestBudget.join(shared);
  reading = new Reading(home, limits);
  reading.plane.streams.feed = feed;
  status.source = { ...storeFacts(home, reading.plane), notReady: () => notReady };
  server = serveData(reading.plane, status, {
    host,
    port,
    sharing: "more",
    mounted: joinRoutes(
      graphqlRoutes(reading.plane, status),
      explorerRoutes(reading.plane, status, explorerOf(reading.plane)),
    ),
  });
  setInterval(() => postCounts(), COUNTS_MS).unref();
  post({ kind: "listening" });
}

function postCounts(asked?: StatusText): void {
  status.counts.streamsOpen = reading?.plane.streams.count ?? 0;
  post({ kind: "counts", counts: { ...status.counts }, ...(asked && { asked }) });
}

async function stop(): Promise<void> {
  await server?.stop();
  reading?.close();
  post({ kind: "stopped" });
}

limitGarbage();

self.onmessage = ({ data }: MessageEvent<ToReader>) => {
  if (data.kind === "serve") serve(data);
  else if (data.kind === "ready") notReady = data.reason;
  else if (data.kind === "committed") reading?.plane.notifyCommit();
  else if (data.kind === "feed") feed.receive(data.message);
  else if (data.kind === "text") waiting[data.of].shift()?.(data.text);
  else stop();
};
