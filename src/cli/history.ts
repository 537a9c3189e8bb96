// lyra history: list segments of a home, export them, verify an export.
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { type FileHandle, lstat, open, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { ExitCode, NodeError, reasonOf } from "../errors/node-error.ts";
import type { Verification } from "../history/archive-check.ts";
import { exportChunks } from "../history/export.ts";
import { type ExportPlan, planExport } from "../history/export-plan.ts";
import { listSegments, NO_SEGMENT, type SegmentRow, segmentRuns } from "../history/segment-table.ts";
import { tableNames, tableNumber } from "../history/tables.ts";
import { verifyArchive } from "../history/verify.ts";
import { defaultHome } from "../node/config.ts";
import { openReader, segmentDirectory } from "../store/database.ts";
import { command, option, toggle } from "./command/command.ts";
import { usageError } from "./command/usage-error.ts";
import { verifyAgainst } from "./history-peers.ts";
import { dim, green, grouped, onEndSignal, ProgressBar, say } from "./terminal.ts";

/** Suffix of unfinished output. */
const PARTIAL_SUFFIX = ".partial";
/** Longer than an export waits between two writes: an older file has no writer any more. */
const PARTIAL_OLD_MS = 3_600_000;
/** Name of an unfinished export without --out (history/export-plan.ts). */
const OWN_PARTIAL = /-[a-z_]+-\d{6,}-\d{6,}\.zip\.[0-9a-f]{8}\.partial$/;

function storedSegments(home: string): SegmentRow[] {
  const db = openReader(home);
  try {
    return listSegments(db);
  } finally {
    db.close();
  }
}

const notUnderstood = ([word]: readonly string[]) => `'${word}' is not understood`;

export const segments = command({
  json: "{segments: [{from, to, id, previousId, databaseVersion, chainId, bytes}]}",
  wrongWords: notUnderstood,
  run({ values }) {
    const rows = storedSegments(values.home ?? defaultHome());
    if (values.json) process.stdout.write(`${JSON.stringify({ segments: rows })}\n`);
    else {
      for (const row of rows) {
        const range = `${row.from}-${row.to}`.padEnd(20);
        process.stdout.write(
          `${range} version ${row.databaseVersion}  ${grouped(row.bytes).padStart(13)} bytes  ${row.id}\n`,
        );
      }
      const runs = segmentRuns(rows).map((run) => `${run[0]!.from} to ${run.at(-1)!.to}`);
      if (!values.quiet) say(dim(runs.length === 0 ? NO_SEGMENT : `can be exported: ${runs.join(", ")}`));
    }
    return ExitCode.done;
  },
});

export const exportArchive = command({
  usage: ["--table TABLE --from N --to N [flags]"],
  flags: {
    table: option("TABLE", "TABLE_TRADES, or just trades"),
    from: option("N", "first block; on a segment boundary"),
    to: option("N", "last block; on a segment boundary"),
    out: option("FILE", "where to write the archive (its own name, here); - is standard output", {
      short: "o",
    }),
    force: toggle("replace a file that exists"),
    "no-manifest": toggle("without hashes"),
  },
  json: "{out, bytes, files: [{name, rows, bytes}]}: the archive that was written",
  wrongWords: notUnderstood,
  async run({ values }) {
    const table = tableNumber(values.table ?? "");
    if (values.table === undefined) throw wrongTable("say which table: --table TABLE_TRADES");
    if (table === 0) throw wrongTable(`there is no table '${values.table.slice(0, 60)}'`);
    const request = {
      table,
      from: blockHeight("--from", values.from),
      to: blockHeight("--to", values.to),
      manifest: !values["no-manifest"],
    };
    if (values.out === "-" && values.json)
      throw usageError("history", "--json and --out - both want standard output");
    const home = values.home ?? defaultHome();
    const plan = await planExport(segmentDirectory(home), storedSegments(home), request);
    const out = values.out ?? plan.name;
    const isSilent = values.quiet === true || values.json === true;
    const bar = new ProgressBar("exporting", isSilent ? false : undefined);
    const isWhole = await writeArchive(plan, out, values.force === true, bar);
    if (!isWhole) return ExitCode.interrupted;
    const files = plan.files.map((file) => ({ name: file.name, rows: file.rows, bytes: file.entry.bytes }));
    if (values.json) process.stdout.write(`${JSON.stringify({ out, bytes: plan.totalBytes, files })}\n`);
    else if (!isSilent) {
      const rows = files.reduce((sum, file) => sum + file.rows, 0);
      say(
        `${green("exported")} ${grouped(rows)} rows of ${plan.table} to ${out} (${grouped(plan.totalBytes)} bytes)`,
      );
      if (plan.hasManifest && out !== "-") say(dim(`         check it with: lyra history verify ${out}`));
    }
    return ExitCode.done;
  },
});

/** Writes the archive. @returns false when interrupted; no file is left then */
async function writeArchive(
  plan: ExportPlan,
  out: string,
  force: boolean,
  bar: ProgressBar,
): Promise<boolean> {
  let isInterrupted = false;
  const forget = onEndSignal(() => {
    isInterrupted = true;
  });
  const sink = out === "-" ? standardOutput() : await fileOutput(out, force);
  let done = 0;
  try {
    for await (const chunk of exportChunks(plan)) {
      if (isInterrupted) break;
      await sink.write(chunk);
      done += chunk.length;
      bar.update(done / plan.totalBytes, `${grouped(done / 1e6)} MB`);
    }
    if (!isInterrupted) await sink.finish();
    return !isInterrupted;
  } finally {
    bar.clear();
    await sink.abandon();
    forget();
  }
}

interface Output {
  write(chunk: Uint8Array): Promise<void>;
  finish(): Promise<void>;
  /** Removes an unfinished file. */
  abandon(): Promise<void>;
}

function standardOutput(): Output {
  if (process.stdout.isTTY)
    throw usageError("history", "an archive is not for a terminal: pipe it or say --out FILE");
  const failed = (error: unknown) => outputError("standard output", error);
  return {
    write: (chunk) =>
      new Promise((resolve, reject) => {
        process.stdout.write(chunk, (error) => (error ? reject(failed(error)) : resolve()));
      }),
    finish: async () => {},
    abandon: async () => {},
  };
}

/** A file that gets its name once it is complete. Until then only this process uses it. */
async function fileOutput(path: string, force: boolean): Promise<Output> {
  const partial = `${path}.${randomBytes(4).toString("hex")}${PARTIAL_SUFFIX}`;
  refuseExisting(path, force);
  await removeOldPartials(path);
  let file: FileHandle | undefined;
  try {
    file = await open(partial, "wx");
  } catch (error) {
    throw outputError(path, error);
  }
  return {
    async write(chunk) {
      try {
        for (let done = 0; done < chunk.length; ) {
          done += (await file!.write(chunk, done, chunk.length - done)).bytesWritten;
        }
      } catch (error) {
        throw outputError(path, error);
      }
    },
    async finish() {
      refuseExisting(path, force);
      try {
        await file!.sync();
        await file!.close();
        await rename(partial, path);
      } catch (error) {
        throw outputError(path, error);
      }
      file = undefined;
    },
    async abandon() {
      if (!file) return;
      await file.close().catch(() => {});
      await rm(partial, { force: true });
    },
  };
}

/** Removes files of killed exports: old ones of this user, named like ours. */
async function removeOldPartials(path: string): Promise<void> {
  const folder = dirname(path);
  const isOfPath = (name: string) =>
    name.startsWith(`${basename(path)}.`) &&
    /^[0-9a-f]{8}\.partial$/.test(name.slice(basename(path).length + 1));
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((one) => isOfPath(one) || OWN_PARTIAL.test(one))) {
    const partial = join(folder, name);
    const stats = await lstat(partial).catch(() => undefined);
    const isOurs = stats?.isFile() === true && stats.uid === (process.getuid?.() ?? stats.uid);
    if (isOurs && Date.now() - stats.mtimeMs > PARTIAL_OLD_MS)
      await rm(partial, { force: true }).catch(() => {});
  }
}

function refuseExisting(path: string, force: boolean): void {
  if (force || !existsSync(path)) return;
  throw new NodeError(
    "history.export",
    "file_exists",
    `${path} is there already`,
    "choose another --out, or say --force",
  );
}

function outputError(where: string, error: unknown): NodeError {
  const message = `${where} cannot be written: ${reasonOf(error)}`;
  return new NodeError("history.export", "output_failed", message, "", { cause: error });
}

export const verify = command({
  words: { FILE: { text: "an archive", optional: true } },
  usage: ["FILE", "--against URL [--deep]"],
  flags: {
    against: option(
      "URL",
      "a Lyra node's data port: names the first segment, table and row in which the home and that node differ",
    ),
    deep: toggle("with --against: reads all segments of that node, too"),
  },
  notes: `  Exit code 4 for an archive that is not sound, and for a difference; --against:
  3 where there is nothing to compare.`,
  json: "{verified, hasManifest, files: [{name, rows, bytes, sha256}], segments, from?, to?, table?, chainId?}; exit code 4 and an error when it is not sound. With `--against` {chainId, equalTo, equalSegments, moreHere, moreThere, difference?: {where, from, to, text, table?, row?, here?, there?}}, where `where` is `here`, `there` or `between`; exit code 4 with a difference, 3 when the two have no segment of the same blocks to compare",
  wrongWords: () => "name one archive to verify",
  async run({ words: { FILE: path }, values }) {
    const { against, deep } = values;
    if (against !== undefined || deep) {
      if (path !== undefined) throw usageError("history", "give a file or --against URL, not both");
      if (against === undefined) throw usageError("history", "--deep goes with --against URL");
      return verifyAgainst(against, values);
    }
    if (path === undefined) throw usageError("history", "name one archive to verify");
    const result = await verifyArchive(path);
    if (values.json) process.stdout.write(`${JSON.stringify({ verified: true, ...result })}\n`);
    else if (!values.quiet) printVerification(path, result);
    return ExitCode.done;
  },
});

function printVerification(path: string, { hasManifest, files, segments, from, to }: Verification): void {
  for (const { name, rows, bytes, sha256 } of files) {
    process.stdout.write(
      `${green("ok")} ${name}: ${grouped(rows)} rows, ${grouped(bytes)} bytes, SHA-256 ${sha256}\n`,
    );
  }
  if (!hasManifest) {
    say(dim(`${path} has no manifest: only names, sizes and CRC-32 checksums could be checked`));
    return;
  }
  process.stdout.write(
    `${green("ok")} chain of ${grouped(segments.length)} segments, blocks ${from} to ${to}\n`,
  );
  say(
    dim(`the last segment is ${segments.at(-1)}: compare it with a node you trust (lyra history segments)`),
  );
}

function blockHeight(flag: string, text: string | undefined): bigint {
  if (text === undefined) throw usageError("history", `say which blocks: ${flag} N`);
  if (!/^\d{1,18}$/.test(text)) throw usageError("history", `${flag} must be a block height, not '${text}'`);
  return BigInt(text);
}

function wrongTable(message: string): NodeError {
  return new NodeError("history", "usage", message, `tables are ${tableNames()}`);
}
