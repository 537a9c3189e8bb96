// A line from the terminal: one that is not shown, key by key, and one that is.

import { wipe } from "../crypto/secrets.ts";
import { NodeError } from "../errors/node-error.ts";

const KEY = {
  interrupt: 3,
  end: 4,
  backspace: 8,
  newLine: 10,
  enter: 13,
  clear: 21,
  escape: 27,
  delete: 127,
} as const;

/** What came behind the line that was asked for: a paste of two lines answers two questions. */
let ahead: Uint8Array = new Uint8Array(0);

/** Asks the process to end: the terminal must be as it was before that. A second one ends it whatever happens. */
const ENDING_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const;

/** A line that may be seen: the terminal itself shows and edits it. @throws NodeError `cancelled` at its end */
export function promptLine(question: string): Promise<string> {
  const { stdin, stderr } = process;
  stderr.write(`${question}: `);
  return new Promise((resolve, reject) => {
    const finish = () => {
      stdin.off("data", onData);
      stdin.off("end", onEnd);
      stdin.pause();
    };
    const onData = (chunk: Uint8Array) => {
      finish();
      resolve(
        Buffer.from(chunk)
          .toString("utf8")
          .replace(/\r?\n$/, ""),
      );
    };
    const onEnd = () => {
      finish();
      stderr.write("\n");
      reject(cancelled());
    };
    if (stdin.readableEnded) {
      onEnd();
      return;
    }
    stdin.on("data", onData);
    stdin.on("end", onEnd);
    stdin.resume();
  });
}

/** Bytes typed until Enter, with nothing shown. The caller wipes them. @throws NodeError `cancelled` */
export function promptHidden(question: string, bytesMax: number): Promise<Uint8Array> {
  const { stdin, stderr } = process;
  const line = new Line(bytesMax);
  return new Promise((resolve, reject) => {
    const restore = () => stdin.setRawMode(false);
    const finish = () => {
      stdin.off("data", onData);
      stdin.off("end", cancel);
      stdin.pause();
      restore();
      process.off("exit", restore);
      for (const signal of ENDING_SIGNALS) process.off(signal, cancel);
      stderr.write("\n");
    };
    const cancel = () => {
      finish();
      line.wipe();
      reject(cancelled());
    };
    const onData = (chunk: Uint8Array) => {
      for (const [index, byte] of chunk.entries()) {
        const outcome = line.press(byte);
        if (outcome === "more") continue;
        if (outcome === "cancelled") {
          wipe(chunk);
          cancel();
          return;
        }
        ahead = Uint8Array.from(chunk.subarray(index + 1));
        wipe(chunk);
        finish();
        if (line.isTooLong) reject(tooLong(bytesMax));
        else resolve(line.take());
        line.wipe();
        return;
      }
      wipe(chunk);
    };
    // Before there is a question: whoever sees it may type, and nothing of that is shown.
    process.on("exit", restore);
    for (const signal of ENDING_SIGNALS) process.on(signal, cancel);
    stdin.setRawMode(true);
    stderr.write(`${question}: `);
    if (stdin.readableEnded) {
      cancel();
      return;
    }
    stdin.on("data", onData);
    stdin.on("end", cancel);
    stdin.resume();
    if (ahead.length > 0) {
      const waiting = ahead;
      ahead = new Uint8Array(0);
      onData(waiting);
    }
  });
}

function cancelled(): NodeError {
  return new NodeError("wallet", "cancelled", "cancelled");
}

function tooLong(bytesMax: number): NodeError {
  return new NodeError("wallet", "secret_unusable", `this has more than ${bytesMax} bytes`);
}

/** A line being typed, in a buffer that can be wiped. */
class Line {
  private readonly bytes: Uint8Array;
  private length = 0;
  /** Something that was typed is missing. */
  isTooLong = false;
  /** Inside the sequence of a key such as an arrow, which is no text. */
  private escape: "none" | "begun" | "inside" = "none";

  constructor(bytesMax: number) {
    this.bytes = new Uint8Array(bytesMax);
  }

  press(byte: number): "more" | "done" | "cancelled" {
    if (this.escape !== "none") return this.escaped(byte);
    switch (byte) {
      case KEY.enter:
      case KEY.newLine:
        return "done";
      case KEY.interrupt:
        return "cancelled";
      case KEY.end:
        return this.length === 0 ? "cancelled" : "done";
      case KEY.backspace:
      case KEY.delete:
        this.eraseCharacter();
        return "more";
      case KEY.clear:
        this.wipe();
        return "more";
      case KEY.escape:
        this.escape = "begun";
        return "more";
      default:
        if (this.length < this.bytes.length) this.bytes[this.length++] = byte;
        else this.isTooLong = true;
        return "more";
    }
  }

  take(): Uint8Array {
    const line = Uint8Array.from(this.bytes.subarray(0, this.length));
    this.wipe();
    return line;
  }

  wipe(): void {
    wipe(this.bytes);
    this.length = 0;
    this.isTooLong = false;
  }

  /** ESC [ parameters, ended by a byte from 0x40 on (ECMA-48, section 5.4); or ESC and one byte. */
  private escaped(byte: number): "more" {
    const isIntroducer = this.escape === "begun" && (byte === 0x5b || byte === 0x4f);
    if (isIntroducer) this.escape = "inside";
    else if (this.escape === "begun" || byte >= 0x40) this.escape = "none";
    return "more";
  }

  /** UTF-8: the last byte that does not continue a character, and those behind it. */
  private eraseCharacter(): void {
    while (this.length > 0) {
      const byte = this.bytes[--this.length]!;
      this.bytes[this.length] = 0;
      if ((byte & 0xc0) !== 0x80) return;
    }
  }
}
