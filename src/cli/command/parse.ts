// Reads the words behind a command's name as its declaration says. Node's own parser does the reading.

import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import { nearest } from "../../errors/nearest.ts";
import { NodeError } from "../../errors/node-error.ts";
import {
  COMMON_FLAGS,
  type Command,
  type Flag,
  type Flags,
  type Invocation,
  variableOf,
  type Words,
} from "./command.ts";

/** Where a command stands, for its errors. */
export interface Place {
  /** `wallet key list` */
  readonly path: string;
  /** The words behind `lyra` that show the help that a usage error points to. */
  readonly help: string;
}

const HELP = { help: { type: "boolean", short: "h" } } as const satisfies ParseArgsOptionsConfig;

/** Flags as the parser takes them, earlier names among them. */
function optionsOf(flags: Flags): ParseArgsOptionsConfig {
  const options: Record<string, ParseArgsOptionsConfig[string]> = { ...HELP };
  for (const [name, { type, short, multiple = false, aliases = [] }] of Object.entries(flags)) {
    options[name] = { type, multiple, ...(short !== undefined && { short }) };
    for (const alias of aliases) options[alias] = { type, multiple };
  }
  return options;
}

interface LooseWord {
  readonly text: string;
  /** Its place among all words. */
  readonly at: number;
}

/** The words that are neither flags nor values of these flags. */
export function looseWords(argv: readonly string[], flags: Flags): LooseWord[] {
  const { tokens } = parseArgs({
    args: [...argv],
    options: optionsOf(flags),
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  return tokens.flatMap((token) =>
    token.kind === "positional" ? [{ text: token.value, at: token.index }] : [],
  );
}

/** @throws NodeError with exit code 2 */
export function readInvocation(
  place: Place,
  command: Command,
  argv: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Invocation<Flags, Words> {
  const flags: Flags = { ...COMMON_FLAGS, ...command.flags };
  const { typed, positionals } = readFlags(place, flags, command.prepare?.(argv) ?? argv);
  const placed = Object.entries(flags).filter(([, { place }]) => place !== undefined);
  const words =
    placed.length === 0
      ? wordsOf(place, command, positionals)
      : readPlaced(place, placed, positionals, typed);
  return { words, typed, values: { ...variablesOf(flags, env), ...typed } } as Invocation<Flags, Words>;
}

/** @throws NodeError with exit code 2 for a flag that the command does not have */
export function checkFlags(place: Place, command: Command, argv: readonly string[]): void {
  readFlags(place, { ...COMMON_FLAGS, ...command.flags }, argv);
}

type Typed = Record<string, string | string[] | boolean>;

function readFlags(place: Place, flags: Flags, argv: readonly string[]) {
  const options = optionsOf(flags);
  const names = new Map(
    Object.entries(flags).flatMap(([name, { aliases = [] }]) => aliases.map((alias) => [alias, name])),
  );
  const typed: Typed = {};
  const positionals: string[] = [];
  for (const token of tokensOf(place, options, argv)) {
    if (token.kind === "positional") positionals.push(token.value);
    if (token.kind !== "option") continue;
    const name = names.get(token.name) ?? token.name;
    const { type, multiple } = options[token.name]!;
    if (type === "boolean") typed[name] = true;
    else if (multiple) typed[name] = [...((typed[name] as string[] | undefined) ?? []), token.value!];
    else typed[name] = token.value!;
  }
  return { typed, positionals };
}

function tokensOf(place: Place, options: ParseArgsOptionsConfig, argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true, strict: true, tokens: true }).tokens;
  } catch (error) {
    const sentence = refusalOf((error as Error).message, argv);
    const unknown = /Unknown option '--([\w-]+)'/.exec(sentence)?.[1];
    const near = unknown && nearest(unknown, Object.keys(options));
    throw wrongUse(place, near ? `${sentence}: did you mean '--${near}'?` : sentence);
  }
}

/** The parser's sentence, or a clearer one for a value that begins with a dash, and for a word that is such a value. */
function refusalOf(message: string, argv: readonly string[]): string {
  const sentence = message.split("\n")[0]!.replace(/\. To specify.*$/, "");
  const flag = /^Option '(--[\w-]+)' argument is ambiguous/.exec(sentence)?.[1];
  if (flag !== undefined)
    return `'${flag}' needs a value; one that begins with a dash is given as ${flag}=-1`;
  const word = argv.find((text) => /^-\d/.test(text));
  return word !== undefined && /^Unknown option '-?\d/.test(sentence) ? `Unknown option '${word}'` : sentence;
}

function variablesOf(flags: Flags, env: NodeJS.ProcessEnv): Typed {
  const values: Typed = {};
  for (const [name, { type, hasVariable, multiple }] of Object.entries(flags)) {
    const value = hasVariable ? env[variableOf(name)] : undefined;
    if (!value) continue;
    if (type === "string") values[name] = multiple ? [value] : value;
    else if (value === "true") values[name] = true;
  }
  return values;
}

function wordsOf(place: Place, command: Command, positionals: readonly string[]) {
  const entries = Object.entries(command.words ?? {});
  const isOpen = entries.at(-1)?.[1].many === true;
  const required = entries.filter(([, { optional }]) => !optional).length;
  const isWrong = positionals.length < required || (!isOpen && positionals.length > entries.length);
  const names = entries.map(([name]) => name).join(" ");
  const { wrongWords = () => `say ${names || "nothing more"}` } = command;
  if (isWrong) throw wrongUse(place, wrongWords(positionals));
  return Object.fromEntries(
    entries.map(([name, { many }], at) => [name, many ? positionals.slice(at) : positionals[at]]),
  );
}

/** Words by position give the flags that have a place and were not given by name. An empty word leaves one out. */
function readPlaced(
  place: Place,
  placed: readonly (readonly [string, Flag])[],
  positionals: readonly string[],
  typed: Typed,
): object {
  const open = placed.filter(([name]) => !Object.hasOwn(typed, name));
  const [group, ...rest] = place.path.split(" ");
  const name = rest.join(" ");
  const wrong = (sentence: string) => wrongUse({ ...place, help: `${group} help ${name}` }, sentence);
  if (positionals.length > open.length) throw wrong(`${name} takes ${placed.length} words at the most`);
  const missing = open.slice(positionals.length).find(([, { place }]) => place === "required");
  if (missing !== undefined) throw wrong(`${name} needs ${missing[0].toUpperCase()}`);
  for (const [at, word] of positionals.entries()) {
    const [flag, { place: need }] = open[at]!;
    if (word !== "" || need === "required") typed[flag] = word;
  }
  return {};
}

function wrongUse({ path, help }: Place, message: string): NodeError {
  return new NodeError(path.split(" ")[0]!, "usage", message, `see: lyra ${help}`);
}
