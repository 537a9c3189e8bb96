// The error type for everything a person or a script can meet: what was attempted, a stable code, a sentence,
// and a way out. The command line prints sentence and hint; HTTP maps the code; nothing prints a stack.
import type { ExitName, ProgramEntry } from "./explanation.ts";
import { type ErrorFacts, LyraError } from "./lyra-error.ts";
import { type ErrorCode, isProgramCode, type MessageOf, PROGRAM_CODES } from "./program-codes.ts";

/** Exit codes of the command line (README.md, "Commands"). */
export const ExitCode = {
  done: 0,
  failed: 1,
  usage: 2,
  notReady: 3,
  verificationFailed: 4,
  interrupted: 130,
} as const satisfies Readonly<Record<ExitName, number>>;

export class NodeError<Code extends ErrorCode = ErrorCode> extends LyraError {
  static override readonly name: string = "NodeError";
  override readonly name = "NodeError";
  declare readonly code: Code;

  /**
   * @param attempt the operation, e.g. `history.export`
   * @param code stable, in snake case, e.g. `segment_missing`
   * @param hint the way out in this case; empty when there is none
   */
  constructor(
    readonly attempt: string,
    code: Code,
    message: MessageOf<Code>,
    hint = "",
    facts: Omit<ErrorFacts, "hint"> = {},
  ) {
    super(code, message, { ...facts, hint });
  }

  get exitCode(): number {
    const entry: ProgramEntry | undefined = isProgramCode(this.code) ? PROGRAM_CODES[this.code] : undefined;
    return ExitCode[entry?.exit ?? "failed"];
  }
}

/** A NodeError on its way between threads, whose messages carry no classes. */
export type NodeErrorParts = Pick<NodeError, "attempt" | "code" | "message" | "hint">;

export const partsOf = ({ attempt, code, message, hint }: NodeError): NodeErrorParts => ({
  ...{ attempt, code, message, hint },
});

export const nodeErrorOf = ({ attempt, code, message, hint }: NodeErrorParts): NodeError =>
  new NodeError(attempt, code, message, hint);

/** Advice of the runtime for programmers, useless to a reader of our errors. */
const ADVICE =
  /\.? (?:For more information, pass `verbose: true` in the second argument to fetch\(\)|Is the computer able to access the url\?)/;

/** The system's code of a thrown value, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  return (error as { code?: string } | undefined)?.code;
}

/** A short text for an unknown thrown value, without stack or path. */
export function reasonOf(error: unknown): string {
  if (error instanceof Error) return error.message.replace(ADVICE, "");
  return String(error);
}

/** The reason for the end of a thread, without the piece of the sources and the stack that the runtime puts around it. */
export function threadReason(message: string): string {
  return /^(?:\w*Error|error): (.*)$/m.exec(message)?.[1] ?? message.split("\n")[0]!;
}
