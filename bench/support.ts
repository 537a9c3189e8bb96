// Small things the benchmarks share.
import { existsSync } from "node:fs";
import { join } from "node:path";

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** The recording of a real network when it lies beside the project, else the sample that ships with it. */
export function defaultRecording(): string {
  const real = join(import.meta.dir, "..", "..", "shared", "data", "smoketest_to_block_5000.evts.gz");
  return existsSync(real) ? real : join(import.meta.dir, "..", "data", "sample.evts.gz");
}
