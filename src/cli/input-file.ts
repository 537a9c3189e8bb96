// The bytes that a command reads from a file or from standard input, and never more than it needs.

import { closeSync, openSync } from "node:fs";
import { readUpTo } from "../files/short-file.ts";

/**
 * The bytes of a file, or of standard input for `-`.
 * @returns one byte more than `bytesMax` where there are more: what is endless does not fill the memory
 */
export function readInputFile(path: string, bytesMax: number): Uint8Array {
  if (path === "-") return readUpTo(0, bytesMax);
  const descriptor = openSync(path, "r");
  try {
    return readUpTo(descriptor, bytesMax);
  } finally {
    closeSync(descriptor);
  }
}
