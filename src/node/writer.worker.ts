// The writer's thread: loads recordings and makes history segments while the main thread answers requests.
/// <reference lib="webworker" />
import { NodeError, reasonOf } from "../errors.ts";
import { SegmentMaker } from "../history/segment-maker.ts";
import { recordSegment } from "../history/segment-table.ts";
import { type ReplayResult, replayFiles } from "../sources/replay.ts";
import { BlockWriter } from "../store/block-writer.ts";
import { openWriter } from "../store/database.ts";
import type { ChainHead } from "../store/head.ts";

export interface WriterOrder {
  readonly home: string;
  readonly segmentLength: number;
  readonly replay: readonly string[];
}

export type WriterReport =
  | { readonly kind: "committed"; readonly head: ChainHead }
  | { readonly kind: "replayed"; readonly result: ReplayResult }
  | {
      readonly kind: "failed";
      readonly attempt: string;
      readonly code: string;
      readonly message: string;
      readonly hint: string;
    }
  | { readonly kind: "idle" }
  | { readonly kind: "stopped" };

declare const self: Worker;
let isStopping = false;

function report(message: WriterReport): void {
  self.postMessage(message);
}

async function work(order: WriterOrder): Promise<void> {
  const db = openWriter(order.home);
  const writer = new BlockWriter(db);
  const segments = new SegmentMaker({
    db,
    home: order.home,
    segmentLength: order.segmentLength,
    record: (row) => recordSegment(db, row),
  });
  try {
    segments.onCommitted(writer.committedHead?.height ?? 0);
    const result = await replayFiles(writer, db, order.replay, {
      isStopping: () => isStopping,
      onCommit(head) {
        report({ kind: "committed", head });
        segments.onCommitted(head.height);
      },
    });
    report({ kind: "replayed", result });
  } catch (error) {
    reportFailure(error);
  }
  if (!isStopping) await segments.idle().catch(reportFailure);
  report({ kind: "idle" });
  while (!isStopping) await new Promise<void>((wake) => stopped.push(wake));
  await segments.stop();
  writer.checkpoint();
  db.close();
  report({ kind: "stopped" });
}

function reportFailure(error: unknown): void {
  if (error instanceof NodeError) {
    report({
      kind: "failed",
      attempt: error.attempt,
      code: error.code,
      message: error.message,
      hint: error.hint,
    });
  } else {
    report({ kind: "failed", attempt: "writer", code: "internal", message: reasonOf(error), hint: "" });
  }
}

const stopped: (() => void)[] = [];

self.onmessage = (event: MessageEvent<WriterOrder | "stop">) => {
  if (event.data === "stop") {
    isStopping = true;
    for (const wake of stopped) wake();
    return;
  }
  work(event.data).catch((error) => {
    reportFailure(error);
    report({ kind: "stopped" });
  });
};
