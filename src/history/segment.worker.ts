// Builds segments on a thread and a connection of its own, so that building one never delays a block.
// An extra entry point of the compiled executable (scripts/build.ts lists it).

import type { Database } from "bun:sqlite";
import { NodeError, type NodeErrorParts, partsOf, reasonOf } from "../errors/node-error.ts";

import { openReader, segmentDirectory } from "../store/database.ts";
import { GarbageLimit } from "../store/garbage-limit.ts";
import { buildSegment, type SegmentPlan } from "./segment.ts";
import type { SegmentRow } from "./segment-table.ts";

export interface BuildRequest {
  readonly home: string;
  readonly plan: SegmentPlan;
  /** Four shared bytes; non-zero aborts the build. */
  readonly stop: SharedArrayBuffer;
}

export type BuildReply = { readonly row: SegmentRow } | { readonly failed: NodeErrorParts };

/** Pieces of text between two garbage collections. */
const GARBAGE_SLICES = 64;

declare const self: Worker;

self.onmessage = async ({ data }: MessageEvent<BuildRequest>) => {
  self.postMessage(await build(data));
};

async function build({ home, plan, stop }: BuildRequest): Promise<BuildReply> {
  const flag = new Int32Array(stop);
  let db: Database | undefined;
  try {
    db = openReader(home);
    const garbage = new GarbageLimit(GARBAGE_SLICES);
    const pause = async () => {
      garbage.noteWork(1);
      if (Atomics.load(flag, 0) !== 0)
        throw new NodeError("history.segment", "stopped", "the node is stopping");
    };
    return { row: await buildSegment(db, segmentDirectory(home), plan, pause) };
  } catch (error) {
    if (error instanceof NodeError) return { failed: partsOf(error) };
    return {
      failed: { attempt: "history.segment", code: "segment_failed", message: reasonOf(error), hint: "" },
    };
  } finally {
    db?.close();
  }
}
