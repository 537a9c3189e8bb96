import type { StoreDigest } from "../../src/store/dump.ts";

/** In which tables and files two digests differ; empty when they are the same. */
export function differences(a: StoreDigest, b: StoreDigest): string[] {
  const lines: string[] = [];
  for (const name of new Set([...Object.keys(a.tables), ...Object.keys(b.tables)])) {
    const [left, right] = [a.tables[name], b.tables[name]];
    if (left?.sha256 === right?.sha256) continue;
    lines.push(`table ${name}: ${left?.rows ?? "no"} rows against ${right?.rows ?? "no"}`);
  }
  for (const name of new Set([...Object.keys(a.files), ...Object.keys(b.files)])) {
    const [left, right] = [a.files[name], b.files[name]];
    if (left === right) continue;
    lines.push(`file ${name} ${left && right ? "differs" : `only in the ${left ? "first" : "second"}`}`);
  }
  return lines;
}
