// lyra doctor: is this home sound, and is this machine fit for it?
import type { Database } from "bun:sqlite";
import { existsSync, rmSync, statfsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ExitCode, NodeError, reasonOf } from "../errors/node-error.ts";
import { checkRows, checkSegment } from "../history/segment-check.ts";
import { REMAKE_HINT, SegmentDamage } from "../history/segment-format.ts";
import { listSegments } from "../history/segment-table.ts";
import { checkRecordings } from "../ingest/recording.ts";
import { loadConfig } from "../node/config.ts";
import { DiskReporter } from "../node/disk-report.ts";
import { repairHome } from "../node/repair.ts";
import { hasStore, openReader, schemaVersionOf, segmentDirectory, storePath } from "../store/database.ts";
import { digestStore } from "../store/dump.ts";
import { readHead } from "../store/head.ts";
import { checkPages } from "../store/page-check.ts";
import { checkRowsAgree } from "../store/row-check.ts";
import { ROW_BYTES_MAX, tableOfHugeRow, tablesOf } from "../store/row-size.ts";
import { schemaFaults, shortList } from "../store/schema-check.ts";
import { command, option, toggle } from "./command/command.ts";
import { usageError } from "./command/usage-error.ts";
import { dim, green, grouped, red } from "./terminal.ts";

const FREE_BYTES_LOW = 512 * 1024 * 1024;

interface Finding {
  readonly check: string;
  readonly ok: boolean;
  readonly detail: string;
}

export const doctor = command({
  usage: ["[--deep] [--digest]", "--repair [--recording FILE]..."],
  flags: {
    deep: toggle(
      "also run SQLite's own integrity check, which compares each index with its table; compare every page with the sum that its writer kept of it, every row that a history segment covers with that segment, and rows that say the same with each other",
    ),
    digest: toggle("also print one hash of all that the home holds: equal homes have equal digests"),
    repair: toggle(
      "make damaged segments again from the store's rows, damaged indices from their tables, and a damaged store from its recordings; then check as with --deep. Replacements are verified first; the old store is kept",
    ),
    recording: option("FILE", "the chain's recording from its first block; for each file, in their order", {
      multiple: true,
    }),
  },
  notes: "  Exit code 0: all is well, 1: something is wrong, 3: there is no store.",
  json: "{home, findings: [{check, ok, detail}]}",
  wrongWords: ([home]) => `give the home as --home ${home}`,
  async run({ values }) {
    if (values.recording && !values.repair) throw usageError("doctor", "--recording goes with --repair");
    const { home } = loadConfig({ home: values.home });
    const repairs = values.repair ? await repair(home, values.recording ?? []) : [];
    const wants = { deep: values.deep === true || values.repair === true, digest: values.digest === true };
    const findings = [...repairs, ...(await examine(home, wants))];
    if (values.json) process.stdout.write(`${JSON.stringify({ home, findings })}\n`);
    else {
      for (const { check, ok, detail } of findings) {
        process.stdout.write(`${ok ? green("ok  ") : red("bad ")} ${check.padEnd(18)} ${dim(detail)}\n`);
      }
    }
    if (findings.some(({ detail }) => detail === missing(home))) return ExitCode.notReady;
    return findings.every((finding) => finding.ok) ? ExitCode.done : ExitCode.failed;
  },
});

async function examine(home: string, wants: { deep: boolean; digest: boolean }): Promise<Finding[]> {
  const findings: Finding[] = [machine(), writable(home), space(home)];
  let db: Database;
  try {
    if (!hasStore(home)) {
      findings.push({ check: "store", ok: false, detail: missing(home) });
      return findings;
    }
    db = openReader(home);
  } catch (error) {
    const hint = error instanceof NodeError && error.code === "home_read_only" ? `; ${error.hint}` : "";
    findings.push({ check: "store", ok: false, detail: `${reasonOf(error)}${hint}` });
    return findings;
  }
  try {
    findings.push(...store(db, home), growth(db, home), ...(await segments(db, home)));
    if (wants.deep) findings.push(await pageSums(home));
    const huge = hugeRow(db);
    if (huge !== undefined) findings.push(huge);
    else {
      if (wants.deep) findings.push(await segmentRows(db, home), await agreement(db));
      findings.push(integrity(db, wants.deep));
    }
    if (wants.digest) findings.push({ check: "digest", ok: true, detail: digestStore(db, home).sha256 });
  } catch (error) {
    findings.push({ check: "store", ok: false, detail: reasonOf(error) });
  } finally {
    db.close();
  }
  return findings;
}

async function repair(home: string, recordings: readonly string[]): Promise<Finding[]> {
  if (!hasStore(home)) return [];
  checkRecordings(recordings);
  const repairs = await repairHome(home, recordings);
  if (repairs.length === 0) return [{ check: "repair", ok: true, detail: "nothing had to be made again" }];
  return repairs.map((done) => ({ check: "repair", ...done }));
}

const missing = (home: string) => `there is none in ${home}; load one with: lyra replay FILE --home ${home}`;

function machine(): Finding {
  return {
    check: "machine",
    ok: true,
    detail: `Bun ${Bun.version}, ${process.platform} ${process.arch}, ${navigator.hardwareConcurrency} cores`,
  };
}

function writable(home: string): Finding {
  const probe = join(home, `.doctor-${process.pid}.tmp`);
  if (!existsSync(home)) return { check: "home", ok: true, detail: `${home} does not exist yet` };
  try {
    writeFileSync(probe, "", { flag: "wx" });
    rmSync(probe);
    const mode = statSync(home).mode & 0o777;
    const isPrivate = (mode & 0o077) === 0;
    return {
      check: "home",
      ok: true,
      detail: `${home} can be written${isPrivate ? "" : `, and read by others (mode ${mode.toString(8)})`}`,
    };
  } catch (error) {
    // A home on a read-only medium can be served; a full disk cannot be loaded into.
    const { code } = error as { code?: string };
    const canBeRead = code === "EACCES" || code === "EROFS" || code === "EPERM";
    const detail = `${home} cannot be written (${code})`;
    return {
      check: "home",
      ok: canBeRead,
      detail: canBeRead ? `${detail}: it can be served and examined` : detail,
    };
  }
}

function space(home: string): Finding {
  try {
    const { bavail, bsize } = statfsSync(existsSync(home) ? home : "/");
    const free = bavail * bsize;
    return { check: "free space", ok: free > FREE_BYTES_LOW, detail: `${grouped(free / 1e6)} MB free` };
  } catch (error) {
    return { check: "free space", ok: false, detail: reasonOf(error) };
  }
}

/** Size of the home against the disk or its budget, with a forecast. */
function growth(db: Database, home: string): Finding {
  const { disk } = loadConfig({ home });
  return { check: "growth", ok: true, detail: new DiskReporter(home, db, disk).report().text };
}

function store(db: Database, home: string): Finding[] {
  const head = readHead(db);
  const bytes = statSync(storePath(home)).size;
  const last = db.query("SELECT no, height FROM blocks ORDER BY no DESC LIMIT 1").get() as {
    no: bigint;
    height: bigint;
  } | null;
  const agrees = head === undefined ? last === null : Number(last?.no) === head.no;
  const faults = schemaFaults(db);
  const schema = `version ${schemaVersionOf(db)}, ${grouped(bytes / 1e6)} MB`;
  return [
    {
      check: "schema",
      ok: faults.length === 0,
      detail: faults.length === 0 ? schema : `${schema}: ${shortList(faults)}`,
    },
    {
      check: "chain",
      ok: agrees,
      detail: head
        ? `${head.chainId}, block ${grouped(head.height)}${agrees ? "" : `, but the last row is of block ${last?.height ?? "none"}`}`
        : "empty",
    },
  ];
}

async function segments(db: Database, home: string): Promise<Finding[]> {
  const rows = listSegments(db);
  const bad: string[] = [];
  for (const row of rows) {
    try {
      await checkSegment(segmentDirectory(home), row);
    } catch (error) {
      const help = error instanceof SegmentDamage ? ` (segments/${row.id}.seg; ${REMAKE_HINT})` : "";
      bad.push(`${row.from}-${row.to}: ${reasonOf(error)}${help}`);
    }
  }
  const detail = bad.length > 0 ? bad.join("; ") : `${rows.length} whole`;
  return [{ check: "history segments", ok: bad.length === 0, detail }];
}

async function pageSums(home: string): Promise<Finding> {
  const check = "page sums";
  try {
    const checked = await checkPages(home);
    if (checked === undefined) {
      const detail =
        "there are none yet; the next process that writes here makes them of the pages as they are";
      return { check, ok: true, detail };
    }
    const { pages, sumsDamaged, isLater } = checked;
    if (sumsDamaged > 0) {
      const detail = `${sumsDamaged} sums are damaged; when all else is well, stop lyra and remove lyra.db-sums`;
      return { check, ok: false, detail };
    }
    const since = isLater ? ", or were there when the sums were first made" : "";
    return { check, ok: true, detail: `${grouped(pages)} pages are those that were written${since}` };
  } catch (error) {
    return { check, ok: false, detail: reasonOf(error) };
  }
}

/** With such a row neither this check nor SQLite reads the rows. */
function hugeRow(db: Database): Finding | undefined {
  const table = tableOfHugeRow(db, "main", tablesOf(db));
  if (table === undefined) return undefined;
  const mebibytes = grouped(ROW_BYTES_MAX / 1024 ** 2);
  const detail = `the table ${table} has a row of more than ${mebibytes} MiB, which this program never writes; no row was read`;
  return { check: "rows", ok: false, detail };
}

async function segmentRows(db: Database, home: string): Promise<Finding> {
  const rows = listSegments(db);
  const bad: string[] = [];
  for (const row of rows) {
    try {
      await checkRows(db, segmentDirectory(home), row);
    } catch (error) {
      if (!(error instanceof SegmentDamage)) bad.push(`${row.from}-${row.to}: ${reasonOf(error)}`);
    }
  }
  const last = rows.at(-1)?.to;
  const sound =
    last === undefined
      ? "no segment covers any"
      : `rows of blocks up to ${grouped(last)} are those of the segments`;
  return { check: "rows", ok: bad.length === 0, detail: bad.length > 0 ? bad.join("; ") : sound };
}

async function agreement(db: Database): Promise<Finding> {
  const check = "rows' agreement";
  try {
    await checkRowsAgree(db);
    return {
      check,
      ok: true,
      detail: "columns are those of their messages, and tables by party those of all",
    };
  } catch (error) {
    return { check, ok: false, detail: reasonOf(error) };
  }
}

function integrity(db: Database, deep: boolean): Finding {
  const rows = db.query(deep ? "PRAGMA integrity_check(5)" : "PRAGMA quick_check(5)").values() as string[][];
  const ok = rows.length === 1 && rows[0]![0] === "ok";
  return {
    check: deep ? "integrity" : "pages",
    ok,
    detail: ok ? "ok" : rows.map((row) => row[0]).join("; "),
  };
}
