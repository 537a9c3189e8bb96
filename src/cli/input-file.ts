// Bounded reading of a file or of standard input.

import { closeSync, openSync } from "node:fs";
import { readUpTo } from "../files/short-file.ts";

/**
 * The bytes of a file, or of standard input for `-`.
 * @returns at most one byte more than `bytesMax`, so that endless input does not fill the memory
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
