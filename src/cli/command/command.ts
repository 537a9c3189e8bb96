// The declaration of a command: its parser, help, completions and part of docs/cli.md are made from it.

export interface Flag {
  readonly type: "string" | "boolean";
  readonly multiple?: boolean;
  /** A letter: `-o`. */
  readonly short?: string;
  /** Name of its value in the help: `FILE`. */
  readonly value?: string;
  readonly text: string;
  /**
   * The variable `LYRA_` and its name gives the value where the flag is not given; an empty one counts as not set. A flag
   * without a value is set by `true`.
   */
  readonly hasVariable?: boolean;
  /** Earlier names, which scripts may still use. */
  readonly aliases?: readonly string[];
  /** Help names it without its text where there is no room for all of them; docs/cli.md has the text. */
  readonly isMinor?: boolean;
  /** It may be given by its place among the words, too: `market create eth` is `market create --preset eth`. */
  readonly place?: "required" | "optional";
}

export type Flags = Readonly<Record<string, Flag>>;

type More = Omit<Flag, "type" | "value" | "text">;

/** A flag with a value. @param value its name in the help: `FILE` */
export function option<const M extends More = Record<never, never>>(value: string, text: string, more?: M) {
  return { type: "string", value, text, ...more } as { readonly type: "string" } & Pick<
    Flag,
    "value" | "text"
  > &
    M;
}

/** A flag without a value. */
export function toggle<const M extends More = Record<never, never>>(text: string, more?: M) {
  return { type: "boolean", text, ...more } as { readonly type: "boolean" } & Pick<Flag, "text"> & M;
}

/** The variable of a flag: `LYRA_DATA_PORT` of `data-port`. */
export const variableOf = (flag: string) => `LYRA_${flag.toUpperCase().replaceAll("-", "_")}`;

/** A word that is given by its place, such as the name of a wallet. */
export interface Word {
  readonly text: string;
  readonly optional?: boolean;
  /** It may come again, or not at all where it is optional; the last word of a command only. */
  readonly many?: boolean;
  /** The only values, for help and completions. */
  readonly choices?: readonly string[];
}

/** By their names in the help, in their order. */
export type Words = Readonly<Record<string, Word>>;

/** Flags of every command. */
export const COMMON_FLAGS = {
  home: option("DIR", "folder of the chain, the wallets and the settings"),
  json: toggle("one JSON document on standard output"),
  quiet: toggle("no progress, no summary"),
} as const satisfies Flags;

type FlagValue<F extends Flag> = F extends { readonly type: "boolean" }
  ? boolean
  : F extends { readonly multiple: true }
    ? string[]
    : string;

export type FlagValues<F extends Flags> = {
  readonly [N in keyof F]?: FlagValue<F[N]> | undefined;
};

/** Values of a command's flags, with those of every command. */
export type ValuesOf<F extends Flags> = FlagValues<F & Omit<typeof COMMON_FLAGS, keyof F>>;

type WordValue<W extends Word> = W extends { readonly many: true }
  ? string[]
  : W extends { readonly optional: true }
    ? string | undefined
    : string;

type WordValues<W extends Words> = { readonly [N in keyof W]: WordValue<W[N]> };

export interface Invocation<F extends Flags, W extends Words> {
  readonly words: WordValues<W>;
  /** Values of flags, else of their variables. */
  readonly values: ValuesOf<F>;
  /** Values of flags alone. */
  readonly typed: ValuesOf<F>;
}

export interface Command<F extends Flags = Flags, W extends Words = Words> {
  readonly words?: W;
  readonly flags?: F;
  /** Lines of its help behind the command's name, where words and `[flags]` do not say enough. */
  readonly usage?: readonly string[];
  /** Behind the flags in the help: exit codes, conditions, an example. Lines of at most 80 characters. */
  readonly notes?: string;
  /** The document that `--json` prints, for docs/cli.md. */
  readonly json?: string;
  /** The sentence for words that are missing or too many. */
  wrongWords?(words: readonly string[]): string;
  /** Changes the words before flags are looked for among them. */
  prepare?(argv: readonly string[]): readonly string[];
  /** Whether it starts a node: its standard error is a log from the first line on. */
  startsNode?(values: ValuesOf<F>): boolean;
  /** @returns the exit code */
  run(invocation: Invocation<F, W>): Promise<number> | number;
}

/** Declares a command; types of words and values follow from the declaration. */
export function command<
  const F extends Flags = Record<never, Flag>,
  const W extends Words = Record<never, Word>,
>(declaration: Command<F, W>): Command<F, W> {
  return declaration;
}

/** A line of the table of commands. */
export interface Entry {
  readonly summary: string;
  /** Undefined for a group, which has commands below it only. */
  load?(): Promise<Command>;
  /** Commands below it that are known when they are asked for, by the words behind its own. */
  loadCommands?(): Promise<Commands>;
  /** Flags that may stand before the next word, too. */
  readonly leadingFlags?: Flags;
  /** Words of the path whose help a usage error points to (1 by default); of a group, for all below it. */
  readonly hintWords?: number;
  /** Another name of a command, which help does not show. */
  readonly isHidden?: boolean;
  /** Not in the overview, which must fit a screen. */
  readonly isMinor?: boolean;
}

/** Commands by their words: `wallet key list`. */
export type Commands = Readonly<Record<string, Entry>>;
