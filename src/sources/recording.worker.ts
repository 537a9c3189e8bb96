// Reads event files on a thread of its own: inflates, checks sums, takes apart, puts blocks together, skims. The
// classes are those of the way without a thread; this file only says how blocks and errors get across.
// An extra entry point of the compiled executable (scripts/build.ts lists it).
/// <reference lib="webworker" />
import { NodeError, reasonOf } from "../errors.ts";
import { BlockAssembler } from "./block-assembler.ts";
import { type BlockBatch, buffersOf, packBlocks } from "./block-batch.ts";
import { type RecordingEnd, type RecordingProgress, RecordingReader } from "./recording.ts";

/** To the thread. */
export type RecordingOrder =
  /** Read a file; one that `follows` goes on where the last one ended. */
  | { readonly kind: "read"; readonly path: string; readonly follows: boolean }
  /** A batch was taken: one more may be sent. */
  | { readonly kind: "taken" }
  | { readonly kind: "stop" };

/** From the thread. A file ends with `ended` or `failed`, stopped or not. */
export type RecordingReport =
  | { readonly kind: "batch"; readonly batch: BlockBatch | undefined; readonly progress: RecordingProgress }
  | { readonly kind: "ended"; readonly end: RecordingEnd | undefined; readonly progress: RecordingProgress }
  | { readonly kind: "failed"; readonly error: RecordingError };

/** What is left of an error on the way. */
export interface RecordingError {
  readonly message: string;
  /** For a NodeError. */
  readonly attempt?: string;
  readonly code?: string;
  readonly hint?: string;
  readonly exitCode?: number;
}

/** Batches that may be on their way, each of about half a megabyte of the stream. */
const AHEAD_MAX = 6;

declare const self: Worker;

let assembler = new BlockAssembler();
let ahead = 0;
let isStopping = false;
let wake: (() => void) | undefined;

self.onmessage = ({ data }: MessageEvent<RecordingOrder>) => {
  if (data.kind === "read") {
    void read(data.path, data.follows);
    return;
  }
  if (data.kind === "taken") ahead--;
  else isStopping = true;
  wake?.();
};

async function read(path: string, follows: boolean): Promise<void> {
  if (!follows) assembler = new BlockAssembler();
  ahead = 0;
  isStopping = false;
  const reader = new RecordingReader(path, assembler);
  try {
    for await (const blocks of reader.batches()) {
      const batch = blocks.length > 0 ? packBlocks(blocks) : undefined;
      send({ kind: "batch", batch, progress: reader.progress }, batch ? buffersOf(batch) : []);
      ahead++;
      while (ahead >= AHEAD_MAX && !isStopping) await taken();
      if (isStopping) break;
    }
    send({ kind: "ended", end: reader.end, progress: reader.progress });
  } catch (error) {
    send({ kind: "failed", error: errorOf(error) });
  }
}

function taken(): Promise<void> {
  return new Promise((resolve) => {
    wake = resolve;
  });
}

function errorOf(error: unknown): RecordingError {
  if (!(error instanceof NodeError)) return { message: reasonOf(error) };
  const { message, attempt, code, hint, exitCode } = error;
  return { message, attempt, code, hint, exitCode };
}

function send(report: RecordingReport, transfer: ArrayBuffer[] = []): void {
  self.postMessage(report, transfer);
}
