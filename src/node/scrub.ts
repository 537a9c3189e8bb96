// Goes through the store in the background, slowly: are its pages those that were written, and do its rows still make
// the history segments that were made of them, and do the indices agree with their tables? Each segment is read on a fresh connection, so that its pages come from the file and not from an old cache.
import { NodeError, reasonOf } from "../errors/node-error.ts";
import { isSqliteError, isStoreDamage } from "../files/sqlite-error.ts";
import { checkRows } from "../history/segment-check.ts";
import { SegmentDamage } from "../history/segment-format.ts";
import { listSegments, type SegmentRow } from "../history/segment-table.ts";
import { openReader, segmentDirectory, storeIdentity, storePath } from "../store/database.ts";
import { checkIndices } from "../store/index-check.ts";
import { checkPages } from "../store/page-check.ts";
import { schemaFaults, shortList } from "../store/schema-check.ts";

/** After each few milliseconds of work: at most about a tenth of a core. */
const REST_MS = 30;
/** While the rows of a table are read: what these rests save comes after the table. */
const SLICE_REST_MS = 2;
const REST_PARTS = 9;
const REST_MAX_MS = 30_000;
/** Interval at which the file is opened again meanwhile. */
const PROBE_MS = 5_000;
const BETWEEN_ROUNDS_MS = 60 * 60 * 1_000;

interface ScrubOptions {
  readonly home: string;
  isStopping(): boolean;
  /** Settles when the scrub has to end. */
  readonly stopped: Promise<unknown>;
  readonly restMs?: number;
  /** For a chain that reverts blocks meanwhile, and the segments made of them. */
  readonly pagesOnly?: boolean;
  /** Called after each whole round. @param timeUs Unix microseconds */
  onRound?(timeUs: number): void;
}

/** Rounds over all segments until stopped. @throws NodeError `store_damaged` */
export async function scrubRounds(options: ScrubOptions): Promise<void> {
  while (!options.isStopping()) {
    if (await scrub(options)) options.onRound?.((performance.timeOrigin + performance.now()) * 1_000);
    const nextMs = performance.now() + BETWEEN_ROUNDS_MS;
    while (!options.isStopping() && performance.now() < nextMs) {
      await Promise.race([Bun.sleep(PROBE_MS), options.stopped]);
      if (!options.isStopping()) probe(options.home);
    }
  }
}

/** Whether the store can be opened at all: one that was cut short cannot. */
function probe(home: string): void {
  try {
    openReader(home).close();
  } catch (error) {
    const damage = damageOf(error);
    if (damage) throw damage;
  }
}

/** @returns whether a whole round was made @throws NodeError `store_damaged` */
export async function scrub(options: ScrubOptions): Promise<boolean> {
  const { home, restMs = REST_MS } = options;
  const rest = async (ms: number) => {
    await Promise.race([Bun.sleep(ms), options.stopped]);
    if (options.isStopping()) throw new NodeError("store.check", "stopped", "the node is stopping");
  };
  const pause = () => rest(restMs);
  const before = storeIdentity(storePath(home));
  try {
    await checkPages(home, pause);
    await checkEntries(home, rest, restMs);
    for (const row of options.pagesOnly ? [] : segmentsOf(home)) {
      await checkOne(home, row, pausesOf(rest, restMs));
      await pause();
    }
    return true;
  } catch (error) {
    // A store that was moved away or replaced meanwhile is the home watch's matter.
    const isOver = options.isStopping() || storeIdentity(storePath(home)) !== before;
    const damage = isOver ? undefined : damageOf(error);
    if (damage) throw damage;
    return false;
  }
}

/** Indices against their tables, and whether anything else is in the schema. */
async function checkEntries(
  home: string,
  rest: (ms: number) => Promise<void>,
  restMs: number,
): Promise<void> {
  const db = openReader(home);
  try {
    const faults = schemaFaults(db);
    if (faults.length > 0) throw foreignSchema(faults);
    let begunMs = performance.now();
    await checkIndices(db, async () => {
      const workedMs = performance.now() - begunMs;
      await rest(Math.min(REST_MAX_MS, restMs === 0 ? 0 : REST_PARTS * workedMs));
      begunMs = performance.now();
    });
  } finally {
    db.close();
  }
}

function foreignSchema(faults: readonly string[]): NodeError {
  const hint =
    "another program has changed the store: restore the home from a backup, or load its recording again";
  return new NodeError("store.check", "store_damaged", `the store's schema: ${shortList(faults)}`, hint);
}

function segmentsOf(home: string): SegmentRow[] {
  const db = openReader(home);
  try {
    return listSegments(db);
  } finally {
    db.close();
  }
}

/** Nine parts of rest to one of work, most of it where nothing is open. */
function pausesOf(rest: (ms: number) => Promise<void>, restMs: number) {
  let begunMs = performance.now();
  return {
    onSlice: () => rest(Math.min(SLICE_REST_MS, restMs)),
    onTable: async () => {
      const workedMs = performance.now() - begunMs;
      await rest(Math.min(REST_MAX_MS, restMs === 0 ? 0 : REST_PARTS * workedMs));
      begunMs = performance.now();
    },
  };
}

async function checkOne(
  home: string,
  row: SegmentRow,
  pauses: Parameters<typeof checkRows>[3],
): Promise<void> {
  const db = openReader(home);
  try {
    await checkRows(db, segmentDirectory(home), row, pauses);
  } catch (error) {
    // The file of a segment is `lyra doctor`'s affair: the rows may be sound.
    if (!(error instanceof SegmentDamage)) throw error;
  } finally {
    db.close();
  }
}

/** Undefined for failures that do not concern the file: a home that was moved, a full disk, too many open files. */
function damageOf(error: unknown): NodeError | undefined {
  if (error instanceof NodeError && error.code === "store_damaged") return error;
  const cause = error instanceof NodeError ? error.cause : error;
  if (isSystemError(cause) && cause.code !== "EIO") return undefined;
  // A row whose bytes cannot be decoded any more is neither.
  const isRows = !(error instanceof NodeError) && !isSqliteError(error);
  if (!isStoreDamage(cause) && !isRows) return undefined;
  const sentence = `the store's rows cannot be read again: ${reasonOf(cause)}`;
  return new NodeError("store.check", "store_damaged", sentence, "lyra doctor --home DIR --deep says where");
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return (error as NodeJS.ErrnoException | undefined)?.syscall !== undefined;
}
