// Ingest: a recording decoded, projected and committed, against the same rows put in by bare prepared statements.
// Both run in processes of their own, in turn; each makes several passes: the first is cold (nothing compiled yet),
// the others tell the rate that a longer recording runs at.
// bun bench/ingest.ts [FILE] [--rounds N]
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { replayFiles } from "../src/ingest/replay.ts";
import { BlockWriter } from "../src/store/block-writer.ts";
import { openWriter } from "../src/store/database.ts";
import { defaultRecording, median } from "./support.ts";

export const EVENTS_PER_SECOND_MIN = 60_000;
export const BARE_RATIO_MIN = 0.45;

/** A statement's run, as the writer made it. */
interface Call {
  readonly statement: number;
  readonly params: readonly (bigint | number | string | Uint8Array | null)[];
}

/** Ingests once and writes down every statement that was run, in order, with its values. */
async function capture(file: string): Promise<{ sql: string[]; calls: Call[] }> {
  const home = mkdtempSync(join(tmpdir(), "lyra-bench-"));
  const db = openWriter(home);
  const sql: string[] = [];
  const calls: Call[] = [];
  const prepare = db.prepare.bind(db);
  db.prepare = ((text: string) => {
    const statement = prepare(text);
    const isWriting = /^\s*(?:INSERT|UPDATE|DELETE|BEGIN)/i.test(text);
    if (!isWriting) return statement;
    const number = sql.push(text) - 1;
    const run = statement.run.bind(statement);
    statement.run = ((...params: Call["params"]) => {
      calls.push({ statement: number, params });
      return run(...(params as []));
    }) as typeof statement.run;
    return statement;
  }) as typeof db.prepare;
  db.query = db.prepare as typeof db.query;
  const commits = new Set<number>();
  const writer = new BlockWriter(db);
  await replayFiles(writer, db, [file], { onCommit: () => commits.add(calls.length) });
  db.close();
  rmSync(home, { recursive: true });
  const number = sql.push("COMMIT") - 1;
  const withCommits = calls.flatMap((call, i) =>
    commits.has(i + 1) ? [call, { statement: number, params: [] }] : [call],
  );
  return { sql, calls: withCommits };
}

async function ingestOnce(file: string): Promise<{ ms: number; count: number }> {
  const home = mkdtempSync(join(tmpdir(), "lyra-bench-"));
  const db = openWriter(home);
  const started = performance.now();
  const result = await replayFiles(new BlockWriter(db), db, [file]);
  const ms = performance.now() - started;
  db.close();
  rmSync(home, { recursive: true });
  return { ms, count: result.events };
}

/** The same rows into the same schema with the same settings, in the same order, with the same commits: nothing else. */
function insertBare(sql: readonly string[], calls: readonly Call[]): { ms: number; count: number } {
  const home = mkdtempSync(join(tmpdir(), "lyra-bench-"));
  const db = openWriter(home);
  const started = performance.now();
  const statements = sql.map((text) => db.prepare(text));
  for (const { statement, params } of calls) statements[statement]!.run(...(params as []));
  const ms = performance.now() - started;
  db.close();
  rmSync(home, { recursive: true });
  return { ms, count: calls.length };
}

const PASSES = 12;
/** Warm is from here on: before, the compilers are still at work on either side. */
const WARM_FROM = 4;

interface Passes {
  readonly coldMs: number;
  readonly warmMs: number;
  /** Events read, or rows inserted. */
  readonly count: number;
}

async function passes(run: () => Promise<{ ms: number; count: number }>): Promise<Passes> {
  const cold = await run();
  const warm: number[] = [];
  for (let i = 1; i < PASSES; i++) {
    const { ms } = await run();
    if (i >= WARM_FROM) warm.push(ms);
  }
  return { coldMs: cold.ms, warmMs: median(warm), count: cold.count };
}

async function child<T>(...words: string[]): Promise<T> {
  const run = Bun.spawn([process.execPath, import.meta.path, ...words], {
    stdout: "pipe",
    stderr: "inherit",
  });
  return JSON.parse(await new Response(run.stdout).text()) as T;
}

export async function benchIngest(file: string, rounds: number) {
  const ours: Passes[] = [];
  const bare: Passes[] = [];
  for (let round = 0; round < rounds; round++) {
    ours.push(await child<Passes>("--ingest", file));
    bare.push(await child<Passes>("--bare", file));
  }
  const events = ours[0]!.count;
  const ingestMs = median(ours.map((run) => run.warmMs));
  return {
    events,
    inserts: bare[0]!.count,
    coldIngestMs: median(ours.map((run) => run.coldMs)),
    coldEventsPerSecond: (events / median(ours.map((run) => run.coldMs))) * 1000,
    coldRatioToBare: median(bare.map((run, i) => run.coldMs / ours[i]!.coldMs)),
    ingestMs,
    bareMs: median(bare.map((run) => run.warmMs)),
    eventsPerSecond: (events / ingestMs) * 1000,
    ratioToBare: median(bare.map((run, i) => run.warmMs / ours[i]!.warmMs)),
  };
}

if (import.meta.main) {
  const [mode, path] = process.argv.slice(2);
  if (mode === "--ingest") console.log(JSON.stringify(await passes(() => ingestOnce(path!))));
  else if (mode === "--bare") {
    const { sql, calls } = await capture(path!);
    console.log(JSON.stringify(await passes(async () => insertBare(sql, calls))));
  } else {
    const file = mode && existsSync(mode) ? mode : defaultRecording();
    console.log(JSON.stringify(await benchIngest(file, 11), undefined, 1));
  }
}
