// Reading of files that are not trusted to be short: an endless one (`/dev/zero`, a pipe) does not fill the memory.
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { reasonOf } from "../errors/node-error.ts";

const FIRST_BYTES = 64 * 1024;

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

/** The bytes of a descriptor, to its end. @returns one byte more than `bytesMax` where there are more */
export function readUpTo(descriptor: number, bytesMax: number): Uint8Array {
  let bytes = new Uint8Array(Math.min(FIRST_BYTES, bytesMax + 1));
  for (let length = 0; ; ) {
    length += readInto(descriptor, bytes.subarray(length));
    if (length < bytes.length || length > bytesMax) return bytes.subarray(0, length);
    const larger = new Uint8Array(Math.min(2 * bytes.length, bytesMax + 1));
    larger.set(bytes);
    bytes = larger;
  }
}

/**
 * Opens a plain file for reading. A named pipe is refused: opening one waits for a writer, and nothing else happens
 * meanwhile, the end of the process among it.
 * @throws Error that says why it cannot be read
 */
export function openPlainFile(path: string): number {
  const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  if (fstatSync(descriptor).isFile()) return descriptor;
  closeSync(descriptor);
  throw Object.assign(new Error("it is not a file"), { code: "not a file" });
}

/** The bytes of a file. @throws Error that says why it cannot be read, also when it has more bytes than that */
export function readShortFile(path: string, bytesMax: number): Uint8Array {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, "r");
    const bytes = readUpTo(descriptor, bytesMax);
    if (bytes.length > bytesMax) throw new Error(`it has more than ${bytesMax} bytes`);
    return bytes;
  } catch (error) {
    throw new Error((error as { code?: string }).code ?? reasonOf(error), { cause: error });
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** The same as text. */
export function readShortText(path: string, bytesMax: number): string {
  const bytes = readShortFile(path, bytesMax);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8");
}
