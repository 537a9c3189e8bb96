// Secrets from the person or the script that runs a command: by a prompt that shows nothing, from a file, or from a
// descriptor. Never from an argument or the environment, which other processes can read.

import { isUtf8 } from "node:buffer";
import { closeSync, fstatSync, openSync } from "node:fs";
import { isatty } from "node:tty";
import { wipe } from "../crypto/secrets.ts";
import { NodeError, reasonOf } from "../errors/node-error.ts";
import { readInto } from "../files/short-file.ts";
import { PASSPHRASE_BYTES_MAX, RECOVERY_PHRASE_BYTES_MAX } from "../wallet/limits.ts";
import type { Flag } from "./command/command.ts";
import { usageError } from "./command/usage-error.ts";
import { endSignals, say } from "./terminal.ts";
import { discardTyped } from "./typed-ahead.ts";

/** Mode bits of a file that group or others can read. */
const READABLE_BY_OTHERS = 0o044;
const TRIES_MAX = 3;
/** A shorter passphrase needs a second yes. */
const SHORT_BYTES = 4;
/** A shorter passphrase is called weak: half a second a guess is short beside what many machines can do. */
const WEAK_LENGTH = 12;
/** A passphrase with fewer different characters is called weak at any length. */
const DISTINCT_BYTES_MIN = 5;

/** Flags of one secret: `--NAME-file FILE` and `--NAME-fd N`. */
type SecretFlags<N extends string> = {
  readonly [K in `${N}-file` | `${N}-fd`]: Flag & { readonly type: "string" };
};

const MINOR = { type: "string", isMinor: true } as const;

export function secretFlags<const N extends string>(name: N): SecretFlags<N> {
  const title = words(name);
  return {
    [`${name}-file`]: { ...MINOR, value: "FILE", text: `the ${title}, from a file` },
    [`${name}-fd`]: { ...MINOR, value: "N", text: `the ${title}, from a descriptor` },
  } as SecretFlags<N>;
}

interface SecretRequest {
  /** Name of its flags, e.g. `passphrase`. */
  readonly flag: string;
  /** The prompt's text. */
  readonly question: string;
  /** Asked twice at the prompt: a new passphrase that is mistyped would lock its owner out. */
  readonly isNew?: boolean;
  readonly bytesMax?: number;
}

type Values = Readonly<Record<string, unknown>>;

/**
 * The bytes of a secret, without line ends around them. The caller wipes them.
 * @throws NodeError with exit code 2 where there is neither a flag nor a terminal
 */
export async function readSecret(values: Values, request: SecretRequest): Promise<Uint8Array> {
  const { flag, question, isNew = false, bytesMax = PASSPHRASE_BYTES_MAX } = request;
  const file = values[`${flag}-file`] as string | undefined;
  const descriptor = values[`${flag}-fd`] as string | undefined;
  if (file !== undefined && descriptor !== undefined) {
    throw usageError("wallet", `--${flag}-file and --${flag}-fd both give the same secret`);
  }
  const secret =
    file !== undefined
      ? fromFile(file, flag, bytesMax)
      : descriptor !== undefined
        ? await fromDescriptor(descriptor, flag, bytesMax)
        : await prompted(flag, question, isNew, bytesMax);
  if (secret.length > 0) return secret;
  throw secretError(flag, `the ${words(flag)} is empty`);
}

export function readPassphrase(values: Values, wallet: string): Promise<Uint8Array> {
  return readSecret(values, { flag: "passphrase", question: `passphrase of ${wallet}` });
}

/**
 * A weak passphrase is named as one, and taken; one that is guessed in a moment needs a second yes at the prompt. The
 * network's own wallet takes any.
 */
export async function readNewPassphrase(
  values: Values,
  wallet: string,
  flag = "passphrase",
): Promise<Uint8Array> {
  const passphrase = await readSecret(values, {
    flag,
    question: `new passphrase for ${wallet}`,
    isNew: true,
  });
  const weakness = weaknessOf(passphrase);
  if (weakness === undefined) return passphrase;
  const isAsked = values[`${flag}-file`] === undefined && values[`${flag}-fd`] === undefined;
  if (passphrase.length >= SHORT_BYTES || !isAsked) {
    if (values.quiet !== true && values.json !== true) say(`${weakness}\n${BETTER}`);
    return passphrase;
  }
  try {
    const answer = await promptLine(`${weakness}: take it all the same? yes/NO`);
    if (/^y(es)?$/i.test(answer.trim())) return passphrase;
  } catch (error) {
    wipe(passphrase);
    throw error;
  }
  wipe(passphrase);
  throw secretError(flag, "the passphrase was not taken", "nothing was changed");
}

/** Of UTF-8: a byte that continues a character. */
const isContinuation = (byte: number) => (byte & 0xc0) === 0x80;

const BETTER = "five words or more that were chosen at random are hard to guess, and easy to remember";

/** A sentence on the weakness of a passphrase; undefined for a passphrase of some length and variety. */
function weaknessOf(passphrase: Uint8Array): string | undefined {
  const length = passphrase.reduce((count, byte) => count + (isContinuation(byte) ? 0 : 1), 0);
  if (length === 1) return "a passphrase of one character is guessed in a moment";
  if (length < SHORT_BYTES) return "a passphrase of so few characters is guessed in a moment";
  if (length < WEAK_LENGTH)
    return `the passphrase is weak: a thief of the wallet's file can try all of ${length} characters`;
  if (new Set(passphrase).size < DISTINCT_BYTES_MIN)
    return "the passphrase is weak: it is made of very few different characters";
  return undefined;
}

/**
 * A passphrase as a running service takes it, which is text.
 * @throws NodeError for bytes that are not UTF-8: as text they would be another passphrase
 */
export function serviceText(passphrase: Uint8Array): string {
  if (isUtf8(passphrase)) return Buffer.from(passphrase).toString("utf8");
  throw secretError(
    "passphrase",
    "the passphrase is not UTF-8, and a running service takes no other",
    "unlock the wallet when the service starts, or give it another one: lyra wallet passphrase NAME",
  );
}

/** Reads a recovery phrase as text. */
export async function readPhrase(values: Values): Promise<string> {
  const bytes = await readSecret(values, {
    flag: "recovery-phrase",
    question: "recovery phrase, all words on one line (they are not shown)",
    bytesMax: RECOVERY_PHRASE_BYTES_MAX,
  });
  const phrase = Buffer.from(bytes).toString("utf8");
  wipe(bytes);
  return phrase;
}

async function prompted(
  flag: string,
  question: string,
  isNew: boolean,
  bytesMax: number,
): Promise<Uint8Array> {
  if (process.stdin.isTTY !== true || process.stderr.isTTY !== true) {
    throw new NodeError(
      "wallet",
      "no_terminal",
      `there is no terminal to ask for the ${words(flag)}`,
      `say --${flag}-file FILE or --${flag}-fd N`,
    );
  }
  for (let tries = 1; ; tries++) {
    const first = await promptHidden(question, bytesMax);
    if (first.length === 0) throw secretError(flag, `the ${words(flag)} is empty`, "");
    if (!isNew) return first;
    const second = await promptHidden("the same again", bytesMax);
    const isSame = Buffer.compare(first, second) === 0;
    wipe(second);
    if (isSame) return first;
    wipe(first);
    if (tries === TRIES_MAX) throw secretError(flag, "the two are not the same", "nothing was changed");
    say("the two are not the same: type them again");
  }
}

function fromFile(path: string, flag: string, bytesMax: number): Uint8Array {
  let descriptor: number;
  try {
    descriptor = openSync(path, "r");
  } catch (error) {
    throw secretError(flag, `the file of the ${words(flag)} cannot be read: ${codeOf(error)}`);
  }
  try {
    checkPrivate(path, descriptor, flag);
    return trimmed(readAll(descriptor, flag, bytesMax));
  } finally {
    closeSync(descriptor);
  }
}

/** @throws NodeError for a file that others can read. Pipes are not checked. */
function checkPrivate(path: string, descriptor: number, flag: string): void {
  const stats = fstatSync(descriptor);
  // A file without a name, such as a script's descriptor, cannot be opened by others.
  const hasName = stats.isFile() && stats.nlink > 0;
  if (!hasName || process.getuid === undefined || (stats.mode & READABLE_BY_OTHERS) === 0) return;
  const mode = (stats.mode & 0o777).toString(8);
  throw secretError(
    flag,
    `the file of the ${words(flag)} can be read by others (mode ${mode})`,
    `close it, and take another ${words(flag)} if others use this machine: chmod 600 ${path}`,
  );
}

async function fromDescriptor(text: string, flag: string, bytesMax: number): Promise<Uint8Array> {
  if (!/^\d{1,6}$/.test(text)) throw usageError("wallet", `--${flag}-fd is the number of a descriptor`);
  return trimmed(readAll(Number(text), flag, bytesMax));
}

function readAll(descriptor: number, flag: string, bytesMax: number): Uint8Array {
  const buffer = new Uint8Array(bytesMax + 1);
  let length: number;
  try {
    checkSource(descriptor, flag);
    length = readInto(descriptor, buffer);
  } catch (error) {
    wipe(buffer);
    if (error instanceof NodeError) throw error;
    throw secretError(flag, `the ${words(flag)} cannot be read: ${codeOf(error)}`);
  }
  if (length < buffer.length) return buffer.subarray(0, length);
  wipe(buffer);
  throw secretError(flag, `the ${words(flag)} has more than ${bytesMax} bytes`);
}

/** Refuses a terminal, which shows what is typed, and descriptors of this process's own, which never end. */
function checkSource(descriptor: number, flag: string): void {
  if (isatty(descriptor)) {
    throw secretError(flag, "this is the terminal, which would show it", "leave the flag away");
  }
  const stats = fstatSync(descriptor);
  const isSource = stats.isFile() || stats.isFIFO() || stats.isSocket() || stats.isCharacterDevice();
  if (isSource || stats.isDirectory()) return;
  throw secretError(flag, `the ${words(flag)} cannot be read: nothing was given there`);
}

/** Without CR and LF at its ends, as the original reads such files; blanks stay. Wipes what it does not return. */
function trimmed(bytes: Uint8Array): Uint8Array {
  const isLineEnd = (byte: number | undefined) => byte === 10 || byte === 13;
  let start = 0;
  let end = bytes.length;
  while (start < end && isLineEnd(bytes[start])) start++;
  while (end > start && isLineEnd(bytes[end - 1])) end--;
  const secret = Uint8Array.from(bytes.subarray(start, end));
  wipe(bytes);
  return secret;
}

function words(flag: string): string {
  return flag.replaceAll("-", " ");
}

function secretError(flag: string, message: string, hint = `see --${flag}-file and --${flag}-fd`): NodeError {
  return new NodeError("wallet", "secret_unusable", message, hint);
}

function codeOf(error: unknown): string {
  return (error as { code?: string }).code ?? reasonOf(error);
}

// A line from the terminal: hidden ones key by key, shown ones as they come.

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

/**
 * A line that may be seen: the terminal itself shows and edits it. Only what is typed after the question counts.
 * @throws NodeError `cancelled` at its end, and when the signal ends it
 */
export async function promptLine(question: string, signal?: AbortSignal): Promise<string> {
  const { stdin, stderr } = process;
  await discardTyped();
  if (signal?.aborted) throw cancelled();
  stderr.write(`${question}: `);
  return new Promise((resolve, reject) => {
    const finish = () => {
      stdin.off("data", onData);
      stdin.off("end", onEnd);
      signal?.removeEventListener("abort", onEnd);
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
    signal?.addEventListener("abort", onEnd);
    stdin.resume();
  });
}

/**
 * Bytes typed until Enter, with nothing shown; only what is typed after the question counts. The caller wipes them.
 * @throws NodeError `cancelled`
 */
export async function promptHidden(
  question: string,
  bytesMax: number,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  if (signal?.aborted) throw cancelled();
  const { stdin, stderr } = process;
  const line = new Line(bytesMax);
  // Restore the terminal before the process ends. A second signal ends it at once.
  const signals = [...endSignals(), "SIGQUIT"] as const;
  return new Promise((resolve, reject) => {
    const restore = () => stdin.setRawMode(false);
    let isOver = false;
    const finish = () => {
      isOver = true;
      stdin.off("data", onData);
      stdin.off("end", cancel);
      stdin.pause();
      restore();
      process.off("exit", restore);
      for (const name of signals) process.off(name, cancel);
      signal?.removeEventListener("abort", cancel);
      stderr.write("\n");
    };
    const cancel = () => {
      finish();
      line.wipe();
      reject(cancelled());
    };
    const onData = (chunk: Uint8Array) => {
      for (const byte of chunk) {
        const outcome = line.press(byte);
        if (outcome === "more") continue;
        if (outcome === "cancelled") {
          wipe(chunk);
          cancel();
          return;
        }
        wipe(chunk);
        finish();
        if (line.isTooLong) reject(tooLong(bytesMax));
        else resolve(line.takeLine());
        line.wipe();
        return;
      }
      wipe(chunk);
    };
    // Before the question is printed: whatever is typed after it must not be shown.
    process.on("exit", restore);
    for (const name of signals) process.on(name, cancel);
    signal?.addEventListener("abort", cancel);
    stdin.setRawMode(true);
    void discardTyped().then(() => {
      if (isOver) return;
      stderr.write(`${question}: `);
      if (stdin.readableEnded) {
        cancel();
        return;
      }
      stdin.on("data", onData);
      stdin.on("end", cancel);
      stdin.resume();
    });
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
  /** Inside the sequence of a key such as an arrow, which is not text. */
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

  takeLine(): Uint8Array {
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
      if (!isContinuation(byte)) return;
    }
  }
}
