// The answers of `lyra explain`: for each code and text that a client can meet, what it means, why, and what to do.

export type Kind =
  | "result code"
  | "rule"
  | "message"
  | "execution"
  | "proposal reason"
  | "status"
  | "detail code"
  | "wallet code"
  | "program code"
  | "wire code";

export interface Explanation {
  readonly kind: Kind;
  /** As it stands in an answer: `89`, `pow_tid_used`, `port_in_use`; for a message, the message itself. */
  readonly code: string;
  /** Its texts, word for word; `<…>` stands for the part that differs. */
  readonly texts: readonly string[];
  readonly means: string;
  readonly why: string;
  readonly fix: string;
}

/** A row of a table: what is told, what it means, why, what to do. */
export type Row = readonly [texts: string | readonly string[], means: string, why: string, fix: string];

/** Outcomes of the command line, each with an exit code (`ExitCode`). */
export type ExitName = "done" | "failed" | "usage" | "notReady" | "verificationFailed" | "interrupted";

/** A code of this program: its row, and how the command line ends with it, unless it simply failed. */
export type ProgramRow = readonly [
  texts: string | readonly string[],
  means: string,
  why: string,
  fix: string,
  exit?: ExitName,
];

/** Every text that fits a definition's: anything may stand for `<...>`. */
export type Filled<Text extends string> = Text extends `${infer Head}<${string}>${infer Rest}`
  ? `${Head}${string}${Filled<Rest>}`
  : Text;

/** Explanations by code. */
export function table(kind: Kind, rows: Readonly<Record<string, Row | ProgramRow>>): Explanation[] {
  return Object.entries(rows).map(([code, [texts, means, why, fix]]) => ({
    kind,
    code,
    texts: typeof texts === "string" ? (texts === "" ? [] : [texts]) : texts,
    means,
    why,
    fix,
  }));
}

/** A message's own row. */
export type MessageRow = readonly [means: string, why: string, fix: string];

/** Explanations of messages: the message is the code. */
export function messages(kind: Kind, rows: Readonly<Record<string, MessageRow>>): Explanation[] {
  return Object.entries(rows).map(([text, [means, why, fix]]) => ({
    kind,
    code: text,
    texts: [text],
    means,
    why,
    fix,
  }));
}
