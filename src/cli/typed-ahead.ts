// Text typed before a question was shown was meant for something else, and must not answer it.
import { dlopen, FFIType } from "bun:ffi";

/** tcflush(3): data that came and was not read. */
const TCIFLUSH = process.platform === "darwin" ? 1 : 0;
const STDIN = 0;
const LIBRARIES = ["libc.so.6", "libc.musl-x86_64.so.1", "libc.musl-aarch64.so.1", "libSystem.B.dylib"];
/** Without tcflush: as long as what was typed is read and dropped. */
const DROP_MS = 20;

type Flush = () => void;
let flush: Flush | undefined | "unavailable";

/**
 * Throws away what was typed on the terminal so far, also a line that has no end yet. To be called before a question is
 * printed. Nothing is thrown away of a file or a pipe, whose lines are answers in their order.
 */
export async function discardTyped(): Promise<void> {
  const { stdin } = process;
  if (stdin.isTTY !== true) return;
  flush ??= flushOfSystem();
  if (flush === "unavailable") return dropTyped();
  // Bytes that the runtime has read already come to this process in its next turn.
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
      // Another C library.
    }
  }
  return "unavailable";
}

/** Key by key, so that a line without its end is read too. */
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
