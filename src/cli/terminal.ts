// Output for people: colours and progress on a terminal only, errors as sentence and hint.

import { readFileSync } from "node:fs";
import { logFailure } from "../errors/log.ts";
import { ExitCode, NodeError } from "../errors/node-error.ts";
import { storeFailure } from "../files/sqlite-error.ts";

const isTerminal = process.stderr.isTTY === true;
/** Whether control sequences do anything. */
const isSmart = isTerminal && process.env.TERM !== "dumb";
const hasColour = isSmart && !process.env.NO_COLOR;

function paint(code: number, text: string): string {
  return hasColour ? `\u001b[${code}m${text}\u001b[0m` : text;
}

export const bold = (text: string) => paint(1, text);
export const dim = (text: string) => paint(2, text);
export const red = (text: string) => paint(31, text);
export const green = (text: string) => paint(32, text);

/** A line for people, on standard error: standard output carries data only. JSON lines without a terminal. */
export function say(text: string, fields: Record<string, unknown> = {}): void {
  if (isTerminal || Object.keys(fields).length === 0) process.stderr.write(`${text}\n`);
  else
    process.stderr.write(
      `${JSON.stringify({ time: new Date().toISOString(), level: "info", message: text, ...fields })}\n`,
    );
}

/** Logs a node's failure: a JSON line unless the log is a terminal. */
export function sayFailure(error: unknown, asJson: boolean): number {
  if (asJson || isTerminal) return sayError(error, asJson);
  const failure = nodeErrorOf(error);
  logFailure(failure);
  return failure.exitCode;
}

/** Prints sentence and hint of a failure. @returns its exit code */
export function sayError(error: unknown, asJson: boolean): number {
  const failure = nodeErrorOf(error);
  if (asJson) {
    const { attempt, code, message, hint } = failure;
    process.stderr.write(`${JSON.stringify({ error: { attempt, code, message, hint } })}\n`);
  } else {
    process.stderr.write(`${red("lyra:")} ${harmless(failure.message)}\n`);
    if (failure.hint) process.stderr.write(`      ${dim(harmless(failure.hint))}\n`);
  }
  return failure.exitCode ?? ExitCode.failed;
}

function nodeErrorOf(error: unknown): NodeError {
  if (error instanceof NodeError) return error;
  if (process.env.LYRA_DEBUG) console.error(error);
  const failure = storeFailure(error) ?? fileFailure(error);
  const hint = "run again with LYRA_DEBUG=1 to see where, and report it";
  return failure ?? new NodeError("lyra", "internal", "something went wrong inside Lyra", hint);
}

/** Converts a system error about a file or folder; undefined for other errors. */
function fileFailure(error: unknown): NodeError | undefined {
  const { code, syscall, path } = (error ?? {}) as NodeJS.ErrnoException;
  if (code === undefined || syscall === undefined || typeof path !== "string") return undefined;
  const sentence = `${path} cannot be used (${code})`;
  return new NodeError("file", "file_failed", sentence, "check its rights, and the room on the disk");
}

/** Characters that cannot be seen as numbers: an error may repeat content of a file, which must not steer a terminal. */
function harmless(text: string): string {
  return text.replace(
    /[^\P{C}\n\t]|[\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`,
  );
}

const BAR_WIDTH = 30;
const REDRAW_MS = 80;

/** A progress bar on a terminal; elsewhere a line for each step. */
export class ProgressBar {
  private drawnMs = 0;
  private readonly isOn: boolean;
  private readonly hasLines: boolean;

  /** @param isShown false: nothing at all */
  constructor(
    private readonly title: string,
    isShown?: false,
  ) {
    this.isOn = isShown !== false && isSmart;
    this.hasLines = isShown !== false && !isSmart;
  }

  /** Reports a step, of few: each is worth a line. */
  step(part: number, note: string): void {
    this.update(part, note);
    if (this.hasLines) say(`${this.title}: ${Math.floor(part * 100)} %, ${note}`);
  }

  /** @param part done so far, 0 to 1 */
  update(part: number, note: string): void {
    const now = performance.now();
    if (!this.isOn || now - this.drawnMs < REDRAW_MS) return;
    this.drawnMs = now;
    const full = Math.round(Math.min(1, Math.max(0, part)) * BAR_WIDTH);
    const bar = "█".repeat(full) + "░".repeat(BAR_WIDTH - full);
    process.stderr.write(
      `\r\u001b[K${this.title} ${bar} ${String(Math.floor(part * 100)).padStart(3)}% ${note}`,
    );
  }

  clear(): void {
    if (this.isOn && this.drawnMs > 0) process.stderr.write("\r\u001b[K");
  }
}

/** 1234567 as `1,234,567`. */
export function grouped(value: number | bigint): string {
  return String(Math.round(Number(value))).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** Signals that ask for an orderly end; SIGHUP comes when the terminal or its connection closes. */
const END_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

type EndSignal = (typeof END_SIGNALS)[number];

/** A second signal within this time is an echo: timeout(1) and npm pass a signal on to a group that already has it. */
const ECHO_MS = 250;

/**
 * Calls back at the first end signal; later signals have their default effect.
 * @returns a function that stops listening
 */
export function onEndSignal(onSignal: (signal: EndSignal) => void): () => void {
  let hasCome = false;
  const forget = () => {
    for (const signal of END_SIGNALS) process.off(signal, come);
  };
  const come = (signal: NodeJS.Signals) => {
    if (hasCome) return;
    hasCome = true;
    setTimeout(forget, ECHO_MS).unref();
    onSignal(signal as EndSignal);
  };
  for (const signal of endSignals()) process.on(signal, come);
  return forget;
}

/** Settles at the first end signal; a second one has its default effect. */
export function waitForSignal(): Promise<EndSignal> {
  return new Promise((resolve) => onEndSignal(resolve));
}

/**
 * Settles when standard input ends. A pipe ends with the process at its other end, also when that is killed. Text on it is
 * discarded.
 */
export function waitForInputEnd(): Promise<"end of input"> {
  return new Promise((resolve) => {
    const end = () => resolve("end of input");
    process.stdin.once("end", end).once("close", end).once("error", end);
    process.stdin.resume();
  });
}

/** The signals to listen to. SIGHUP is not one under nohup(1), whose effect a listener would undo. */
export function endSignals(): readonly EndSignal[] {
  return isHangUpIgnored() ? END_SIGNALS.filter((signal) => signal !== "SIGHUP") : END_SIGNALS;
}

/** Whether this process was started to outlive its terminal, as nohup(1) does. */
function isHangUpIgnored(): boolean {
  try {
    const ignored = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync("/proc/self/status", "latin1"))?.[1];
    // A mask of signals, the first one in the lowest bit; SIGHUP is the first.
    return ignored !== undefined && (BigInt(`0x${ignored}`) & 1n) === 1n;
  } catch {
    // Other systems do not show it; nohup(1) leaves no terminal as standard output.
    return false;
  }
}
