// Compares this home with another node: the ids of all segments, then the tables and rows of the first that differs.
import type { Database } from "bun:sqlite";
import { closeSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NodeError, reasonOf } from "../../errors/node-error.ts";
import { realSteps } from "../../files/whole-file.ts";
import { openReader, segmentDirectory } from "../../store/database.ts";
import { readHead } from "../../store/head.ts";
import { blockRange } from "../block-range.ts";
import { EntryHasher } from "../deflate.ts";
import { RowSource } from "../rows/source.ts";
import { checkRows, checkSegment } from "../segment-check.ts";
import {
  openSegment,
  pieceOf,
  readExactly,
  SegmentDamage,
  type SegmentRecord,
  segmentPath,
} from "../segment-format.ts";
import { listSegments, type SegmentRow } from "../segment-table.ts";
import { EXPORT_TABLES } from "../tables.ts";
import type { HistorySource } from "./source.ts";

const READ_BYTES = 256 * 1024;
/** Most characters of a printed row. */
const SHOWN_CHARACTERS = 400;

interface HistoryDifference {
  /** The damaged side; `between` if both are sound but differ. */
  readonly where: "here" | "there" | "between";
  readonly from: number;
  readonly to: number;
  readonly text: string;
  readonly table?: string;
  /** Counted from 1, with its content on either side. */
  readonly row?: number;
  readonly here?: string;
  readonly there?: string;
}

export interface HistoryComparison {
  readonly chainId: string;
  /** Last block up to which both have the same segments; 0 for none. */
  readonly equalTo: number;
  readonly equalSegments: number;
  /** Segments that only this home has, or only the other node. */
  readonly moreHere: number;
  readonly moreThere: number;
  readonly difference?: HistoryDifference;
}

interface CompareOptions {
  readonly home: string;
  readonly source: HistorySource;
  /** Also reads all segment files of the other node. */
  readonly deep: boolean;
  onProgress?(part: number, text: string): void;
}

/** Works beside a running node. @throws NodeError if the two cannot be compared */
export async function compareHistory(options: CompareOptions): Promise<HistoryComparison> {
  const db = openReader(options.home);
  const work = mkdtempSync(join(tmpdir(), "lyra-verify-"));
  try {
    return await new Comparison(options, db, work).run();
  } finally {
    rmSync(work, { recursive: true, force: true });
    db.close();
  }
}

class Comparison {
  private readonly directory: string;

  constructor(
    private readonly options: CompareOptions,
    private readonly db: Database,
    /** Folder for files of the other node. */
    private readonly work: string,
  ) {
    this.directory = segmentDirectory(options.home);
  }

  async run(): Promise<HistoryComparison> {
    const { source } = this.options;
    const chainId = readHead(this.db)?.chainId ?? "";
    const own = listSegments(this.db);
    const summary = await source.summary();
    if (summary.chainId !== chainId) {
      const sentence = `this home holds chain '${chainId}', the node at ${source.url} chain '${summary.chainId}'`;
      throw new NodeError("history.verify", "chain_mismatch", sentence, "compare nodes of one chain");
    }
    const others = await source.segments();
    const pairs = pairsOf(own, others);
    const first = pairs.findIndex(({ here, there }) => here.id !== there.id);
    const equal = first >= 0 ? first : pairs.length;
    const facts = {
      chainId,
      equalTo: pairs[equal - 1]?.here.to ?? 0,
      equalSegments: equal,
      moreHere: own.length - equal,
      moreThere: others.length - equal,
    };
    const difference =
      (await this.damageHere(own)) ??
      (first >= 0 ? await this.between(pairs[first]!) : undefined) ??
      (this.options.deep ? await this.damageThere(others) : undefined);
    return { ...facts, ...(difference && { difference }) };
  }

  /** The first difference between this home's segments and its own files and rows. */
  private async damageHere(rows: readonly SegmentRow[]): Promise<HistoryDifference | undefined> {
    for (const [i, row] of rows.entries()) {
      this.options.onProgress?.((i + 1) / rows.length, `blocks ${row.from} to ${row.to} here`);
      const { from, to } = row;
      const isListed = () => listSegments(this.db).some(({ id }) => id === row.id);
      try {
        await checkSegment(this.directory, row);
        await checkRows(this.db, this.directory, row);
      } catch (error) {
        // A running node has rebuilt it meanwhile.
        if (!isListed()) continue;
        if (error instanceof NodeError) return this.rowHere(row, error);
        const reason = error instanceof SegmentDamage ? error.message : "its file is not there";
        const text = `the file of segment ${from}-${to} of this home: ${reason}`;
        const table = /rows of (\w+) are/.exec(reason)?.[1];
        return { where: "here", from, to, text, ...(table && { table }) };
      }
    }
    return undefined;
  }

  /** The first row of the store that differs from its segment. */
  private async rowHere(row: SegmentRow, error: NodeError): Promise<HistoryDifference> {
    const { from, to } = row;
    const text = `the store of this home: ${error.message}`;
    const ends = blockRange(this.db, from, to);
    const source = new RowSource(this.db);
    try {
      for (const { name, lines } of ends ? EXPORT_TABLES : []) {
        const difference = await firstDifference(
          lines(source, ends!.range),
          rowsOf(this.directory, row.id, name),
        );
        if (difference === undefined) continue;
        return {
          where: "here",
          from,
          to,
          text,
          table: name,
          row: difference.row,
          here: difference.one,
          there: difference.other,
        };
      }
    } catch {
      // The rows cannot be read.
    } finally {
      source.close();
    }
    return { where: "here", from, to, text };
  }

  private async between({ here: own, there: other }: Pair): Promise<HistoryDifference> {
    const { from, to } = own;
    const where = "between";
    if (from !== other.from || to !== other.to) {
      const text = `this home has a segment ${from}-${to} where the other node has ${other.from}-${other.to}: they do not cut their history alike (--segments)`;
      return { where, from, to, text };
    }
    await this.download(other);
    const [ours, theirs] = [await recordOf(this.directory, own.id), await recordOf(this.work, other.id)];
    for (const { name } of EXPORT_TABLES) {
      if (ours.tables[name] === theirs.tables[name]) continue;
      const difference = await firstDifference(
        rowsOf(this.directory, own.id, name),
        rowsOf(this.work, other.id, name),
      );
      const text = `the rows of ${name} in blocks ${from} to ${to} differ`;
      return {
        ...{ where, from, to, text, table: name },
        ...(difference && { row: difference.row, here: difference.one, there: difference.other }),
      };
    }
    const member = (["databaseVersion", "previousId", "first", "last"] as const).find(
      (name) => !Bun.deepEquals(ours[name], theirs[name]),
    );
    const text = `segment ${from}-${to} has the same rows on both sides, and another '${member ?? "record"}'`;
    return { where, from, to, text };
  }

  private async damageThere(rows: readonly SegmentRow[]): Promise<HistoryDifference | undefined> {
    for (const [i, row] of rows.entries()) {
      this.options.onProgress?.((i + 1) / rows.length, `blocks ${row.from} to ${row.to} there`);
      try {
        await this.download(row);
      } catch (error) {
        if (!(error instanceof NodeError) || !/^source_(?:damaged|refused)$/.test(error.code)) throw error;
        return { where: "there", from: row.from, to: row.to, text: error.message };
      }
      rmSync(segmentPath(this.work, row.id));
    }
    return undefined;
  }

  /** @throws NodeError `source_damaged` */
  private async download(row: SegmentRow): Promise<void> {
    const { source } = this.options;
    const file = openSync(segmentPath(this.work, row.id), "w", 0o600);
    try {
      await source.segment(row, async (bytes) => realSteps.write(file, bytes));
    } finally {
      closeSync(file);
    }
    await checkSegment(this.work, row).catch((error: unknown) => {
      throw source.damaged(`segment ${row.from}-${row.to}: ${reasonOf(error)}`);
    });
  }
}

interface Pair {
  readonly here: SegmentRow;
  readonly there: SegmentRow;
}

/** Pairs of segments that share a block. Either side may have removed or lost some. */
function pairsOf(own: readonly SegmentRow[], others: readonly SegmentRow[]): Pair[] {
  const pairs: Pair[] = [];
  for (let i = 0, j = 0; i < own.length && j < others.length; ) {
    const [here, there] = [own[i]!, others[j]!];
    if (here.to < there.from) i++;
    else if (there.to < here.from) j++;
    else {
      pairs.push({ here, there });
      i++;
      j++;
    }
  }
  return pairs;
}

async function recordOf(directory: string, id: string): Promise<SegmentRecord> {
  const { file, index } = await openSegment(directory, id);
  await file.close();
  return index.record;
}

type Rows = Iterable<string> | AsyncIterable<string>;

/** The first difference of two lists of rows; a row that only one has is empty on the other side. */
async function firstDifference(
  one: Rows,
  other: Rows,
): Promise<{ row: number; one: string; other: string } | undefined> {
  const [ours, theirs] = [iteratorOf(one), iteratorOf(other)];
  try {
    for (let row = 1; ; row++) {
      const [a, b] = [await ours.next(), await theirs.next()];
      if (a.done && b.done) return undefined;
      const [left, right] = [a.done ? "" : a.value, b.done ? "" : b.value];
      if (left !== right) return { row, one: truncated(left), other: truncated(right) };
    }
  } finally {
    await ours.return?.();
    await theirs.return?.();
  }
}

function iteratorOf(rows: Rows): Iterator<string> | AsyncIterator<string> {
  return Symbol.asyncIterator in rows ? rows[Symbol.asyncIterator]() : rows[Symbol.iterator]();
}

function truncated(row: string): string {
  const text = row.replace(/\n$/, "");
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}...` : text;
}

/** The CSV rows of a table in a segment's file, with their line feeds. */
async function* rowsOf(directory: string, id: string, table: string): AsyncGenerator<string> {
  const { file, index } = await openSegment(directory, id);
  try {
    const piece = pieceOf(index, table);
    if (piece === undefined) return;
    const splitter = new RowSplitter();
    const hasher = new EntryHasher((csv) => splitter.push(csv));
    for (let done = 0; done < piece.deflatedBytes; done += READ_BYTES) {
      const length = Math.min(READ_BYTES, piece.deflatedBytes - done);
      await hasher.update(await readExactly(file, piece.offset + done, length));
      yield* splitter.rows();
    }
  } finally {
    await file.close();
  }
}

/** Splits CSV at unquoted line feeds. */
class RowSplitter {
  private whole: string[] = [];
  private rest: Uint8Array = new Uint8Array(0);
  private isQuoted = false;

  push(csv: Uint8Array): void {
    let start = 0;
    for (let i = 0; i < csv.length; i++) {
      if (csv[i] === 0x22) this.isQuoted = !this.isQuoted;
      else if (csv[i] === 0x0a && !this.isQuoted) {
        this.whole.push(Buffer.concat([this.rest, csv.subarray(start, i + 1)]).toString("utf8"));
        this.rest = new Uint8Array(0);
        start = i + 1;
      }
    }
    this.rest = Buffer.concat([this.rest, csv.subarray(start)]);
  }

  rows(): string[] {
    const whole = this.whole;
    this.whole = [];
    return whole;
  }
}
