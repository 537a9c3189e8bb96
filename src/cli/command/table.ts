// Finds a command by the words that were typed.

import { COMMON_FLAGS, type Commands, type Entry, type Flags } from "./command.ts";
import { looseWords, type Place } from "./parse.ts";

/** The command that the typed words name. */
export interface Match {
  /** The command's words; empty for none. */
  readonly path: string;
  readonly entry: Entry | undefined;
  /** The typed words without those of the path. */
  readonly rest: readonly string[];
  /** Words of `rest` that are neither flags nor values of the flags above. */
  readonly loose: readonly string[];
  /** Whether the word `help` stood behind the first one. */
  readonly isHelp: boolean;
  /** The commands among which it was looked up. */
  readonly commands: Commands;
}

/** @param argv the words behind `lyra` */
export async function findCommand(table: Commands, argv: readonly string[]): Promise<Match> {
  const flags: Flags = { ...COMMON_FLAGS };
  const [word] = argv;
  const [first] = word?.startsWith("-") === false ? [{ text: word, at: 0 }] : looseWords(argv, flags);
  const head = first && own(table, first.text);
  if (first === undefined || head === undefined) {
    const loose = first ? [first.text] : [];
    return { path: "", entry: undefined, rest: argv, loose, isHelp: false, commands: table };
  }
  const behind = argv.filter((_, at) => at !== first.at);
  const isGroup = head.loadCommands !== undefined || namesBelow(table, first.text).length > 0;
  const loose = isGroup ? looseWords(behind, { ...flags, ...(await leadingFlags(head, behind)) }) : [];
  // A command that runs by itself loads none of those below it.
  const commands = loose.length > 0 ? { ...table, ...(await below(first.text, head)) } : table;
  const isHelp = loose[0]?.text === "help";
  const names = isHelp ? loose.slice(1) : loose;
  const count = longestName(commands, [first.text, ...names.map(({ text }) => text)]);
  const matched = new Set(
    [...(isHelp ? loose.slice(0, 1) : []), ...names.slice(0, count - 1)].map(({ at }) => at),
  );
  const path = [first.text, ...names.slice(0, count - 1).map(({ text }) => text)].join(" ");
  return {
    path,
    entry: own(commands, path),
    rest: behind.filter((_, at) => !matched.has(at)),
    loose: names.slice(count - 1).map(({ text }) => text),
    isHelp,
    commands,
  };
}

async function below(path: string, { loadCommands }: Entry): Promise<Commands> {
  const commands = Object.entries((await loadCommands?.()) ?? {});
  return Object.fromEntries(commands.map(([name, entry]) => [`${path} ${name}`, entry]));
}

/** Flags whose values are not mistaken for the next word of the path. */
async function leadingFlags({ leadingFlags, load }: Entry, argv: readonly string[]): Promise<Flags> {
  const isAsked = argv[0]?.startsWith("-") === true;
  return { ...leadingFlags, ...(isAsked && (await load?.())?.flags) };
}

function longestName(commands: Commands, words: readonly string[]): number {
  for (let count = Math.min(3, words.length); count > 1; count--)
    if (own(commands, words.slice(0, count).join(" ")) !== undefined) return count;
  return 1;
}

export function own(commands: Commands, path: string): Entry | undefined {
  return Object.hasOwn(commands, path) ? commands[path] : undefined;
}

/** The names below a path, without it. */
export function namesBelow(commands: Commands, path: string): string[] {
  return Object.entries(commands)
    .filter(([name, { isHidden }]) => name.startsWith(`${path} `) && !isHidden)
    .map(([name]) => name.slice(path.length + 1));
}

/** All commands, including those that `loadCommands` makes. */
export async function allCommands(table: Commands): Promise<Commands> {
  const all: Record<string, Entry> = {};
  for (const [path, entry] of Object.entries(table))
    Object.assign(all, { [path]: entry }, await below(path, entry));
  return all;
}

/** Where a command stands, for its errors. */
export function placeOf(commands: Commands, path: string): Place {
  const words = path.split(" ");
  const [first] = words;
  const count = own(commands, path)?.hintWords ?? own(commands, first!)?.hintWords ?? 1;
  return { path, help: `${words.slice(0, count).join(" ")} --help` };
}

/** First words of names, each once. */
export function firstWords(names: readonly string[]): string[] {
  return [...new Set(names.map((name) => name.split(" ")[0]!))];
}
