// Explanations of errors: entries as the tables of this folder hold them, explanations as `lyra explain` prints them.

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

/** Outcomes of the command line, each with an exit code (`ExitCode`). */
export type ExitName = "done" | "failed" | "usage" | "notReady" | "verificationFailed" | "interrupted";

/** Explains a text or a code. */
interface Entry {
  readonly meaning: string;
  /** Left out where the meaning says it. */
  readonly cause?: string;
  readonly fix: string;
}

/** An entry of a code. */
export interface CodeEntry extends Entry {
  /** Its texts, word for word; `<...>` stands for the part that differs. Left out where any text may go with the code. */
  readonly text?: string | readonly string[];
}

/** An entry of a message, which is its own code. */
export interface MessageEntry extends Entry {
  /** Names of `Order.reason` on an order that is refused with the message. */
  readonly reason?: string | readonly string[];
}

/** An entry of this program's own codes. */
export interface ProgramEntry extends CodeEntry {
  /** Exit of the command line; "failed" unless set. */
  readonly exit?: ExitName;
}

/** An entry with its code: the members of `lyra explain --json`. */
export interface Explanation {
  readonly kind: Kind;
  /** As it stands in an answer: `89`, `pow_tid_used`, `port_in_use`; for a message, the message itself. */
  readonly code: string;
  readonly texts: readonly string[];
  readonly means: string;
  readonly why: string;
  readonly fix: string;
}

/** The texts that a code's entry allows: any where it names none. */
export type TextOf<Entry> = Entry extends { readonly text: infer Texts }
  ? Texts extends readonly (infer Text extends string)[]
    ? Filled<Text>
    : Texts extends string
      ? Filled<Texts>
      : never
  : string;

/** Every text that fits a definition's: anything may stand for `<...>`. */
export type Filled<Text extends string> = Text extends `${infer Head}<${string}>${infer Rest}`
  ? `${Head}${string}${Filled<Rest>}`
  : Text;

const listOf = (texts: string | readonly string[] = []): readonly string[] =>
  typeof texts === "string" ? [texts] : texts;

export const textsOf = ({ text }: CodeEntry): readonly string[] => listOf(text);

export function explanationOf(kind: Kind, code: string, entry: CodeEntry): Explanation {
  const { meaning, cause = "", fix } = entry;
  return { kind, code, texts: textsOf(entry), means: meaning, why: cause, fix };
}

/** Explanations of a table of codes. */
export function explanationsOf(kind: Kind, entries: Readonly<Record<string, CodeEntry>>): Explanation[] {
  return Object.entries(entries).map(([code, entry]) => explanationOf(kind, code, entry));
}

/** Explanations of a table of messages: the message is the code, and its only text. */
export function messageExplanations(
  kind: Kind,
  entries: Readonly<Record<string, MessageEntry>>,
): Explanation[] {
  return Object.entries(entries).map(([message, entry]) =>
    explanationOf(kind, message, { ...entry, text: [message, ...listOf(entry.reason)] }),
  );
}
