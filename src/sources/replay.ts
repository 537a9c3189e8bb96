// Feeds a recording into the store: skips what is there, commits several whole blocks at once while catching up.
import type { Database } from "bun:sqlite";
import { NodeError } from "../errors.ts";
import type { BlockWriter } from "../store/block-writer.ts";
import type { ChainHead } from "../store/head.ts";
import { type Block, eventCount } from "./block.ts";
import { BlockAssembler } from "./block-assembler.ts";
import { KnownBlocks, mismatch } from "./known-blocks.ts";
import { type RecordingEnd, type RecordingProgress, RecordingReader } from "./recording.ts";

/** Failures of the store itself: the file has no part in them. */
const STORE_CODES: ReadonlySet<string> = new Set(["disk_full", "store_failed"]);
/** A commit is due after this many events ... */
const COMMIT_EVENTS = 8_192;
/** ... or this long after the last one, so that readers see the height move. */
const COMMIT_MS = 250;

/** Whoever else runs on this thread, a signal or a message among them, waits no longer than this and one batch. */
const TURN_MS = 10;

export interface ReplayHooks {
  /** Called after each commit. */
  onCommit?(head: ChainHead, progress: RecordingProgress): void;
  /** Called at the start of a file. */
  onFile?(path: string): void;
  /** True ends the replay at the next block boundary; what is staged is committed. */
  isStopping?(): boolean;
}

export interface ReplayResult {
  readonly files: ReadonlyArray<{ path: string } & RecordingEnd>;
  /** Blocks stored by this call. */
  readonly blocks: number;
  /** Blocks that were there before. */
  readonly known: number;
  /** Events of the stored blocks, begin and end markers included. */
  readonly events: number;
  readonly head: ChainHead | undefined;
  readonly stopped: boolean;
}

/** Loads event files in the order given, as one stream: a block may begin in one and end in the next. A damaged file ends the replay; `files` says where. @throws NodeError from the store; earlier blocks are committed */
export async function replayFiles(
  writer: BlockWriter,
  db: Database,
  paths: readonly string[],
  hooks: ReplayHooks = {},
): Promise<ReplayResult> {
  const files: ({ path: string } & RecordingEnd)[] = [];
  const count = { blocks: 0, known: 0, events: 0 };
  const assembler = new BlockAssembler();
  let stopped = false;
  for (const path of paths) {
    hooks.onFile?.(path);
    const reader = new RecordingReader(path, assembler);
    const known = new KnownBlocks(db, writer.writtenHead, count.blocks + count.known > 0);
    stopped = await replayOne(writer, { path, known, reader }, hooks, count);
    if (stopped) break;
    files.push({ path, ...reader.end! });
    if (reader.end!.damage) break;
  }
  return { files, ...count, head: writer.committedHead, stopped };
}

async function replayOne(
  writer: BlockWriter,
  { path, known, reader }: { path: string; known: KnownBlocks; reader: RecordingReader },
  hooks: ReplayHooks,
  count: { blocks: number; known: number; events: number },
): Promise<boolean> {
  let pending = 0;
  let lastCommit = performance.now();
  const commit = () => {
    writer.commit();
    pending = 0;
    lastCommit = performance.now();
    if (writer.committedHead) hooks.onCommit?.(writer.committedHead, reader.progress);
  };
  const take = (block: Block) => {
    try {
      if (known.has(block)) {
        count.known++;
        return;
      }
      writer.stage(block);
    } catch (error) {
      throw placed(error, path, block);
    }
    count.blocks++;
    count.events += eventCount(block);
    pending += eventCount(block);
    if (pending >= COMMIT_EVENTS || performance.now() - lastCommit > COMMIT_MS) commit();
  };
  const isDoubtful = (block: Block) => {
    try {
      return known.isDoubtful(block);
    } catch (error) {
      throw placed(error, path, block);
    }
  };
  /** A block that waits for the one after it. */
  let doubtful: Block | undefined;
  let lastTurn = performance.now();
  try {
    for await (const blocks of reader.batches()) {
      if (performance.now() - lastTurn > TURN_MS) {
        await nextTurn();
        lastTurn = performance.now();
      }
      if (hooks.isStopping?.()) return true;
      for (const block of blocks) {
        if (hooks.isStopping?.()) return true;
        if (doubtful) {
          if (block.height === doubtful.height) throw placed(mismatch(doubtful), path, doubtful);
          take(doubtful);
          doubtful = undefined;
        }
        if (isDoubtful(block)) doubtful = block;
        else take(block);
      }
    }
    // Nothing came that could tell what it is; where the file is damaged, that is what there is to say.
    if (doubtful && !reader.end!.damage) throw placed(mismatch(doubtful), path, doubtful);
  } finally {
    commit();
  }
  return false;
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** The same error with the place in the file: what was stored before it ends there. */
function placed(error: unknown, path: string, block: Block): unknown {
  if (!(error instanceof NodeError) || !block.place || STORE_CODES.has(error.code)) return error;
  const { record, offset } = block.place;
  const place = `block ${block.height} begins at record ${record}, byte ${offset} of the inflated data`;
  const message = `${path}: ${error.message} (${place})`;
  return new NodeError(error.attempt, error.code, message, error.hint, error.exitCode, { cause: error });
}
