// Reading of files that are not trusted to be short: what is endless (`/dev/zero`, a pipe) does not fill the memory.
import { closeSync, openSync, readSync } from "node:fs";
import { reasonOf } from "./errors.ts";

const FIRST_BYTES = 64 * 1024;

/** The bytes of a file. @throws Error that says why it cannot be read, also when it has more bytes than that */
export function readShortFile(path: string, bytesMax: number): Uint8Array {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, "r");
    let bytes = new Uint8Array(Math.min(FIRST_BYTES, bytesMax + 1));
    let length = 0;
    for (;;) {
      const count = readSync(descriptor, bytes, length, bytes.length - length, null);
      if (count === 0) return bytes.subarray(0, length);
      length += count;
      if (length > bytesMax) throw new Error(`it has more than ${bytesMax} bytes`);
      if (length < bytes.length) continue;
      const larger = new Uint8Array(Math.min(2 * bytes.length, bytesMax + 1));
      larger.set(bytes);
      bytes = larger;
    }
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
