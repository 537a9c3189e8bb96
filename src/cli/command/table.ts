// Finds a command by the words that were typed.

import { NodeError } from "../../errors/node-error.ts";
import { COMMON_FLAGS, type Commands, type Entry, type Flags } from "./command.ts";
import { looseWords, type Place } from "./parse.ts";
import { didYouMean } from "./usage-error.ts";

/** Names up to which a group asks for one of them by "or". */
const FEW_NAMES = 6;

/** The command that the typed words name. */
export interface Match {
  /** The command's words; empty for none. */
  readonly path: string;
  readonly entry: Entry | undefined;
  /** The typed words without those of the path. */
  readonly rest: readonly string[];
  /** Words of `rest` that are neither flags nor, as far as is known, their values. */
  readonly loose: readonly string[];
  /** Whether the word `help` stood behind the first one. */
  readonly isHelp: boolean;
  /** The commands that were looked through: those that are known when asked for, too. */
  readonly commands: Commands;
}

/** @param argv the words behind `lyra` */
export async function findCommand(table: Commands, argv: readonly string[]): Promise<Match> {
  const flags: Flags = { ...COMMON_FLAGS };
  const [first] = looseWords(argv, flags);
  const head = first && own(table, first.text);
  if (first === undefined || head === undefined) {
    const loose = first ? [first.text] : [];
    return { path: "", entry: undefined, rest: argv, loose, isHelp: false, commands: table };
  }
  const commands = head.loadCommands ? { ...table, ...(await below(first.text, head)) } : table;
  const behind = argv.filter((_, at) => at !== first.at);
  const hasMore = Object.keys(commands).some((path) => path.startsWith(`${first.text} `));
  const loose = hasMore ? looseWords(behind, { ...flags, ...(await leadingFlags(head, behind)) }) : [];
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

/** A command's own flags may stand before a word below it, and their values are no such words. */
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

/** Every command with those that are known when asked for, for completions and documents. */
export async function allCommands(table: Commands): Promise<Commands> {
  const all: Record<string, Entry> = {};
  for (const [path, entry] of Object.entries(table))
    Object.assign(all, { [path]: entry }, await below(path, entry));
  return all;
}

export function placeOf(commands: Commands, path: string): Place {
  const words = path.split(" ");
  const [first] = words;
  const count = own(commands, path)?.hintWords ?? own(commands, first!)?.hintWords ?? 1;
  return { path, help: `${words.slice(0, count).join(" ")} --help` };
}

/** Of words that no command has. @throws always */
export function unknownCommand({ path, loose, rest, commands, entry }: Match): NodeError {
  const [word] = loose;
  if (path === "") {
    const names = Object.keys(commands).filter((name) => !name.includes(" "));
    const typed = word ?? rest[0] ?? "";
    return usage("lyra", `there is no command '${typed.slice(0, 40)}'${didYouMean(typed, names)}`, "--help");
  }
  const [first] = path.split(" ");
  const { help } = placeOf(commands, path);
  const names = namesBelow(commands, path);
  if (word === undefined) return usage(first!, `say ${choice(path, direct(names))}`, help);
  // A name of two words, of which the first one is typed.
  const seconds = names.filter((name) => name.startsWith(`${word} `)).map((name) => name.split(" ")[1]!);
  const isGroup = own(commands, `${path} ${word}`) !== undefined;
  const helpPath = `${path} help ${seconds.length > 0 ? word : ""}`.trimEnd();
  if (seconds.length > 0 && !isGroup) {
    if (loose.length === 1)
      return usage(first!, `${path} ${word} needs another word: ${seconds.join(", ")}`, helpPath);
    return missing(
      `${path} ${loose.join(" ").slice(0, 60)}`,
      didYouMean(loose.slice(0, 2).join(" "), names),
      helpPath,
    );
  }
  const near = didYouMean(word, direct(names)) || didYouMean(loose.slice(0, 2).join(" "), names);
  const isNested = path.includes(" ");
  const list = near || (isNested ? `: ${direct(names).join(", ")}` : "");
  const typed = entry?.loadCommands ? loose.join(" ").slice(0, 60) : word.slice(0, 40);
  return missing(`${path} ${typed}`, list, entry?.loadCommands ? helpPath : help);

  function missing(typed: string, advice: string, see: string): NodeError {
    return usage(first!, `there is no '${typed}'${advice}`, see);
  }
}

function usage(attempt: string, message: string, see: string): NodeError {
  return new NodeError(attempt, "usage", message, `see: lyra ${see}`);
}

/** First words of names, each once. */
export function direct(names: readonly string[]): string[] {
  return [...new Set(names.map((name) => name.split(" ")[0]!))];
}

function choice(path: string, names: readonly string[]): string {
  if (path.includes(" ") || names.length > FEW_NAMES) return `one of ${names.join(", ")}`;
  return `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
}
