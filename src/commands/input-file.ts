// Reading of what a command was given: a file, or standard input, and never more than is wanted of it.
import { closeSync, openSync, readSync } from "node:fs";

const WAIT_MS = 5;

/** Fills a buffer from a descriptor, to its end or the buffer's. @returns how many bytes came */
export function readInto(descriptor: number, buffer: Uint8Array): number {
  let length = 0;
  while (length < buffer.length) {
    let count: number;
    try {
      count = readSync(descriptor, buffer, length, buffer.length - length, null);
    } catch (error) {
      if ((error as { code?: string }).code !== "EAGAIN") throw error;
      // A pipe that does not wait: its writer has not written yet.
      Bun.sleepSync(WAIT_MS);
      continue;
    }
    if (count === 0) break;
    length += count;
  }
  return length;
}

/**
 * The bytes of a file, or of standard input for `-`.
 * @returns one byte more than `bytesMax` where there are more: what is endless does not fill the memory
 */
export function readInputFile(path: string, bytesMax: number): Uint8Array {
  const descriptor = path === "-" ? 0 : openSync(path, "r");
  try {
    const buffer = new Uint8Array(bytesMax + 1);
    return buffer.subarray(0, readInto(descriptor, buffer));
  } finally {
    if (descriptor !== 0) closeSync(descriptor);
  }
}
