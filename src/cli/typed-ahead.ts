// Discards text that was typed before a question was shown: it must not answer the question.
import { dlopen, FFIType } from "bun:ffi";

/** tcflush(3): received data that was not read. */
const TCIFLUSH = process.platform === "darwin" ? 1 : 0;
const STDIN = 0;
const LIBRARIES = ["libc.so.6", "libc.musl-x86_64.so.1", "libc.musl-aarch64.so.1", "libSystem.B.dylib"];
/** Without tcflush: milliseconds of reading and dropping. */
const DROP_MS = 20;

type Flush = () => void;
let flush: Flush | undefined | "unavailable";

/**
 * Discards pending input of a terminal, also an unfinished line. Call it before printing a question. Input from files and
 * pipes is kept: their lines answer in order.
 */
export async function discardTyped(): Promise<void> {
  const { stdin } = process;
  if (stdin.isTTY !== true) return;
  flush ??= flushOfSystem();
  if (flush === "unavailable") return dropTyped();
  // Bytes that the runtime has already read arrive in the next turn of the event loop.
  for (const turn of [0, 1]) {
    while (stdin.read() !== null);
    flush();
    if (turn === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}

function flushOfSystem(): Flush | "unavailable" {
  const { i32 } = FFIType;
  for (const name of LIBRARIES) {
    try {
      const { symbols } = dlopen(name, { tcflush: { args: [i32, i32], returns: i32 } });
      return () => void symbols.tcflush(STDIN, TCIFLUSH);
    } catch {
      // Try the next C library.
    }
  }
  return "unavailable";
}

/** Reads in raw mode, so that an unfinished line is dropped, too. */
async function dropTyped(): Promise<void> {
  const { stdin } = process;
  const drop = () => {};
  const wasRaw = stdin.isRaw;
  stdin.setRawMode(true);
  stdin.on("data", drop);
  stdin.resume();
  await Bun.sleep(DROP_MS);
  stdin.off("data", drop);
  stdin.pause();
  stdin.setRawMode(wasRaw);
}
