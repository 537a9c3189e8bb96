// Feeds a recording into the store: skips what is there, commits several whole blocks at once while catching up.
import type { Database } from "bun:sqlite";
import { NodeError } from "../errors.ts";
import type { BlockWriter } from "../store/block-writer.ts";
import type { ChainHead } from "../store/head.ts";
import type { Block } from "./block.ts";
import { type RecordingEnd, type RecordingProgress, RecordingReader } from "./recording.ts";

/** A commit is due after this many events ... */
const COMMIT_EVENTS = 8_192;
/** ... or this long after the last one, so that readers see the height move. */
const COMMIT_MS = 250;

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

/** Loads event files in the order given. A damaged file ends the replay; `files` says where. @throws NodeError from the store; earlier blocks are committed */
export async function replayFiles(
  writer: BlockWriter,
  db: Database,
  paths: readonly string[],
  hooks: ReplayHooks = {},
): Promise<ReplayResult> {
  const files: ({ path: string } & RecordingEnd)[] = [];
  const count = { blocks: 0, known: 0, events: 0 };
  let stopped = false;
  for (const path of paths) {
    hooks.onFile?.(path);
    const reader = new RecordingReader(path);
    stopped = await replayOne(writer, new KnownBlocks(db, writer.writtenHead), reader, hooks, count);
    if (stopped) break;
    files.push({ path, ...reader.end! });
    if (reader.end!.damage) break;
  }
  return { files, ...count, head: writer.committedHead, stopped };
}

async function replayOne(
  writer: BlockWriter,
  known: KnownBlocks,
  reader: RecordingReader,
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
  try {
    for await (const blocks of reader.batches()) {
      for (const block of blocks) {
        if (hooks.isStopping?.()) return true;
        if (known.has(block)) {
          count.known++;
          continue;
        }
        writer.stage(block);
        count.blocks++;
        count.events += block.events.length + 2;
        pending += block.events.length + 2;
        if (pending >= COMMIT_EVENTS || performance.now() - lastCommit > COMMIT_MS) commit();
      }
    }
  } finally {
    commit();
  }
  return false;
}

/** Tells blocks that the store already holds from new ones, and refuses another history of the same chain. */
class KnownBlocks {
  private checkedFirst = false;

  constructor(
    private readonly db: Database,
    private readonly head: ChainHead | undefined,
  ) {}

  has(block: Block): boolean {
    const head = this.head;
    if (!head || block.height > head.height || block.chainId !== head.chainId) return false;
    if (block.height < head.height) {
      if (!this.checkedFirst) this.check(block, [this.firstHashAt(block.height)]);
      this.checkedFirst = true;
      return true;
    }
    if (block.hash === head.hash) return true;
    if (head.height === head.firstHeight && head.blocksAtHeight === 1) return false;
    this.check(block, [this.firstHashAt(block.height), head.hash]);
    return true;
  }

  private firstHashAt(height: number): string | undefined {
    const row = this.db.query("SELECT hash FROM blocks WHERE height = ? ORDER BY no LIMIT 1").get(height) as {
      hash: Uint8Array;
    } | null;
    return row ? Buffer.from(row.hash).toString("hex").toUpperCase() : undefined;
  }

  private check(block: Block, hashes: readonly (string | undefined)[]): void {
    const stored = hashes.filter((hash) => hash !== undefined);
    if (stored.length === 0 || stored.includes(block.hash.toUpperCase())) return;
    throw new NodeError(
      "replay",
      "history_mismatch",
      `block ${block.height} of the recording is not the block ${block.height} of this home`,
      "use another --home for another history of the chain",
    );
  }
}
