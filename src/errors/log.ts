// The log of a running node: a JSON line for each failure or notice; on a terminal, text.
import { LogRepeats } from "./log-repeats.ts";
import type { NodeError } from "./node-error.ts";

/** A client can repeat a request as often as it likes. */
const repeats = new LogRepeats();
process.once("exit", () => repeats.flush());

export function logFailure({ attempt, code, message, hint }: NodeError): void {
  repeats.noteLine(attempt, `${code} ${message}`, (again) => {
    if (process.stderr.isTTY) process.stderr.write(`lyra: ${message}${timesOf(again)}\n      ${hint}\n`);
    else writeLine({ level: "error", attempt, code, message: message + timesOf(again), hint }, again);
  });
}

/** News for operators. */
export function logNotice(attempt: string, message: string): void {
  repeats.noteLine(attempt, message, (again) => {
    if (process.stderr.isTTY) process.stderr.write(`lyra: ${message}${timesOf(again)}\n`);
    else writeLine({ level: "info", attempt, message: message + timesOf(again) }, again);
  });
}

function timesOf(again: number): string {
  return again === 0 ? "" : ` (again, ${again} ${again === 1 ? "time" : "times"})`;
}

function writeLine(fields: Readonly<Record<string, string>>, again: number): void {
  const line = { time: new Date().toISOString(), ...fields, ...(again > 0 && { again }) };
  process.stderr.write(`${JSON.stringify(line)}\n`);
}
