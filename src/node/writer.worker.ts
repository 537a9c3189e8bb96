// The writer's thread: loads recordings and makes history segments while the main thread answers requests.
/// <reference lib="webworker" />

import { NodeError, type NodeErrorParts, partsOf, reasonOf } from "../errors/node-error.ts";
import { storeFailure } from "../files/sqlite-error.ts";
import type { SegmentMode } from "../history/segment-bounds.ts";
import type { LogPlace } from "../ingest/event-log.ts";
import type { Intake, IntakeTrouble } from "../ingest/intake.ts";
import type { ReplayResult } from "../ingest/replay.ts";
import { type FeedMessage, type FeedOrder, FeedOutlet } from "../store/event-feed.ts";
import { limitGarbage } from "../store/garbage-limit.ts";
import type { ChainHead } from "../store/head.ts";
import type { DiskPolicy } from "./config.ts";
import { type LiveSettings, Loading } from "./loading.ts";
import { scrubRounds } from "./scrub.ts";

export interface WriterOrder {
  readonly home: string;
  readonly segmentLength: number | undefined;
  readonly segments: SegmentMode | undefined;
  readonly replay: readonly string[];
  readonly disk: DiskPolicy;
  /** For a node that goes on with live events. */
  readonly live?: LiveSettings;
}

/** While it works. */
export type LiveOrder =
  /** The event log has grown. */
  | { readonly kind: "grown" }
  /** Records of a block that is missing in the event log. */
  | { readonly kind: "fill"; readonly records: Uint8Array }
  /** The disk is full: the log of the store gives its room back. */
  | { readonly kind: "fold" }
  /** Streams want events, or have read some. */
  | { readonly kind: "feed"; readonly order: FeedOrder };

/** Of the live intake. */
export type LiveReport =
  /** The event log is read up to a place. */
  | { readonly kind: "read"; readonly place: LogPlace; readonly isAtEnd: boolean }
  /** Blocks are stored (without trouble), or cannot be. */
  | { readonly kind: "state"; readonly trouble: IntakeTrouble | undefined }
  /** Blocks come that the store has. */
  | { readonly kind: "known"; readonly height: number }
  | { readonly kind: "refused"; readonly connection: number; readonly trouble: IntakeTrouble }
  /** A block that was missing is stored, or why not. */
  | { readonly kind: "filled"; readonly failure: string | undefined }
  /** Nothing more comes. */
  | { readonly kind: "ended"; readonly text: string }
  /** Everything before an upgrade is stored, and its segments are made. */
  | { readonly kind: "upgrade"; readonly height: number };

export type WriterReport =
  | { readonly kind: "committed"; readonly head: ChainHead }
  | { readonly kind: "live"; readonly report: LiveReport }
  | { readonly kind: "feed"; readonly message: FeedMessage }
  | { readonly kind: "replayed"; readonly result: ReplayResult }
  | ({ readonly kind: "failed" } & NodeErrorParts)
  /** A round of background checks has ended. */
  | { readonly kind: "scrubbed"; readonly timeUs: number }
  /** Segments could not be made for a while, and now all are made. */
  | { readonly kind: "recovered" }
  | { readonly kind: "idle" }
  | { readonly kind: "stopped" };

/** Skipped blocks are reported this often. */
const KNOWN_MS = 250;
/** Interval at which segments that could not be made are looked after. */
const LOOK_MS = 1_000;

declare const self: Worker;
let outlet: FeedOutlet | undefined;
let isStopping = false;
const stopRequest = Promise.withResolvers<void>();

function report(message: WriterReport): void {
  self.postMessage(message);
}

async function work(order: WriterOrder): Promise<void> {
  const loading = new Loading(order.home, order);
  outlet = new FeedOutlet(loading.tap, (message) => report({ kind: "feed", message }));
  let isLoaded = false;
  let isWaiting = false;
  const load = () =>
    loading.replay(order.replay, {
      isStopping: () => isStopping,
      onCommit(head) {
        if (isWaiting) report({ kind: "recovered" });
        isWaiting = false;
        report({ kind: "committed", head });
      },
    });
  do {
    try {
      const result = await load();
      if (isWaiting) report({ kind: "recovered" });
      report({ kind: "replayed", result });
      isLoaded = true;
    } catch (error) {
      // Reported once: it is the same each time.
      if (!isWaiting) reportFailure(error);
      isWaiting = error instanceof NodeError && error.code === "disk_full";
      // Stored blocks are passed over when the files are read again.
      if (isWaiting) await Promise.race([Bun.sleep(LOOK_MS), stopRequest.promise]);
    }
  } while (isWaiting && !isLoaded && !isStopping);
  const hasSegments = loading.segmentsMade().then(
    () => true,
    (error) => {
      reportFailure(error);
      return false;
    },
  );
  const areMade = await Promise.race([hasSegments, stopRequest.promise]);
  report({ kind: "idle" });
  if (areMade === true) await loading.prune(() => isStopping);
  // Nothing is written now: the log gives its room back.
  if (areMade === true) loading.writer.checkpoint();
  if (areMade === false && isLoaded) await recovery(loading);
  const scrubbing = scrubRounds({
    home: order.home,
    isStopping: () => isStopping,
    stopped: stopRequest.promise,
    onRound: (timeUs) => report({ kind: "scrubbed", timeUs }),
  }).catch(reportFailure);
  if (order.live && isLoaded) await takeIn(loading, order.live);
  await stopRequest.promise;
  await scrubbing;
  await loading.close();
  report({ kind: "stopped" });
}

let intake: Intake | undefined;

/** Stores live events until the end. */
async function takeIn(loading: Loading, settings: LiveSettings): Promise<void> {
  const tell = (live: LiveReport) => report({ kind: "live", report: live });
  let knownMs = 0;
  try {
    intake = loading.intake(settings, {
      onCommit: (head) => report({ kind: "committed", head }),
      onRead: (place, isAtEnd) => tell({ kind: "read", place, isAtEnd }),
      onState: (trouble) => tell({ kind: "state", trouble }),
      onKnown(height) {
        const nowMs = performance.now();
        if (nowMs - knownMs < KNOWN_MS) return;
        knownMs = nowMs;
        tell({ kind: "known", height });
      },
      onRefused: (connection, trouble) => tell({ kind: "refused", connection, trouble }),
      onFilled: (failure) => tell({ kind: "filled", failure }),
      async onUpgrade(height) {
        await untilSegmentsMade(loading);
        if (!isStopping) tell({ kind: "upgrade", height });
      },
      onEnd(missingBytes) {
        const isCut = missingBytes > 0;
        tell({ kind: "ended", text: isCut ? "the input has ended inside a record" : "the input has ended" });
      },
      onFailed(error) {
        reportFailure(error);
        tell({ kind: "state", trouble: troubleOf(error) });
        intake?.stop();
      },
    });
    if (isStopping) return;
    await intake.run();
  } catch (error) {
    reportFailure(error);
    tell({ kind: "state", trouble: troubleOf(error) });
  }
}

async function untilSegmentsMade(loading: Loading): Promise<void> {
  try {
    await Promise.race([loading.segmentsMade(), stopRequest.promise]);
  } catch (error) {
    reportFailure(error);
    await recovery(loading);
  }
}

/** They are tried again and again: when they are made after all, nothing is wrong any more. */
async function recovery(loading: Loading): Promise<void> {
  while (!isStopping) {
    await Promise.race([Bun.sleep(LOOK_MS), stopRequest.promise]);
    const areMade = await loading.segmentsMade().then(
      () => true,
      () => false,
    );
    if (!areMade || isStopping) continue;
    report({ kind: "recovered" });
    return;
  }
}

function reportFailure(error: unknown): void {
  report({ kind: "failed", ...failureOf(error) });
}

function troubleOf(error: unknown): IntakeTrouble {
  const { code, message } = failureOf(error);
  return { code, text: message };
}

function failureOf(error: unknown): NodeErrorParts {
  const nodeError = error instanceof NodeError ? error : storeFailure(error);
  return partsOf(nodeError ?? new NodeError("writer", "internal", reasonOf(error)));
}

limitGarbage();

self.onmessage = (event: MessageEvent<WriterOrder | LiveOrder | "stop">) => {
  if (event.data === "stop") {
    isStopping = true;
    stopRequest.resolve();
    intake?.stop();
    return;
  }
  if ("kind" in event.data) {
    if (event.data.kind === "feed") outlet?.receive(event.data.order);
    else if (event.data.kind === "fold") intake?.requestFold();
    else if (event.data.kind === "fill") intake?.fill(event.data.records);
    else intake?.notifyGrown();
    return;
  }
  work(event.data).catch((error) => {
    reportFailure(error);
    report({ kind: "stopped" });
  });
};
