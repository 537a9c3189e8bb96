// What a policy approved in the running epoch, one JSON line each, so that its limits hold over a restart. The log of
// requests cannot serve for that: pages fill it, and what is old leaves it.
import { appendFileSync, readFileSync } from "node:fs";
import { realSteps, writeFileWhole } from "../../files/whole-file.ts";
import type { Spending } from "./spending.ts";

export interface UsageEntry {
  readonly epoch: bigint;
  /** When the epoch began for this wallet, Unix milliseconds. */
  readonly atMs: number;
  /** When it was approved, Unix milliseconds. */
  readonly signedMs: number;
  readonly rule: string;
  readonly spending: readonly Pick<Spending, "asset" | "amount">[];
  /** -1 takes back what was never signed. */
  readonly direction: 1 | -1;
}

export interface UsageJournal {
  /** @throws when it cannot be written: what would be forgotten must not be approved */
  append(entry: UsageEntry): void;
  /** Another epoch: nothing is left but these, all at once. */
  restart(entries: readonly UsageEntry[]): void;
}

const MODE = 0o600;
const NEVER_OVER_MS = Number.MAX_SAFE_INTEGER;

export class UsageJournalFile implements UsageJournal {
  constructor(private readonly path: string) {}

  append(entry: UsageEntry): void {
    // A line of its own also behind half a line, which a full disk leaves.
    appendFileSync(this.path, `\n${lineOf(entry)}\n`, { mode: MODE });
  }

  restart(entries: readonly UsageEntry[]): void {
    const text = entries.map((entry) => `${lineOf(entry)}\n`).join("");
    writeFileWhole(this.path, Buffer.from(text), realSteps);
  }

  /** What is no whole line is of an approval that never was: the process ended before, or the disk was full. */
  read(): UsageEntry[] {
    return this.text().split("\n").flatMap(entryOf);
  }

  private text(): string {
    try {
      return readFileSync(this.path, "utf8");
    } catch (error) {
      if ((error as { code?: string }).code === "ENOENT") return "";
      throw error;
    }
  }
}

function lineOf({ epoch, atMs, signedMs, rule, spending, direction }: UsageEntry): string {
  const amounts = spending.map(({ asset, amount }) => ({ asset, amount: amount.toString() }));
  return JSON.stringify({ epoch: epoch.toString(), atMs, signedMs, rule, spending: amounts, direction });
}

function entryOf(line: string): UsageEntry[] {
  if (line === "") return [];
  try {
    const { epoch, atMs, signedMs, rule, spending, direction } = JSON.parse(line) as Line;
    const amounts = spending.map(({ asset, amount }) => ({ asset, amount: BigInt(amount) }));
    const sign = direction === -1 ? -1 : 1;
    // Of a version that wrote no time: the epoch may have begun at any moment, the last one among them.
    const began = typeof atMs === "number" ? atMs : NEVER_OVER_MS;
    const signed = typeof signedMs === "number" ? signedMs : began;
    return [
      { epoch: BigInt(epoch), atMs: began, signedMs: signed, rule, spending: amounts, direction: sign },
    ];
  } catch {
    return [];
  }
}

interface Line {
  readonly epoch: string;
  readonly atMs?: number;
  readonly signedMs?: number;
  readonly rule: string;
  readonly spending: readonly { readonly asset: string; readonly amount: string }[];
  readonly direction: number;
}
