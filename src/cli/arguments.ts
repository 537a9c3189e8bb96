// Reading of a command's words, the same way for every command.

import { closeSync, openSync } from "node:fs";
import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import { NodeError } from "../errors/node-error.ts";
import { readUpTo } from "../files/short-file.ts";

/** Flags that every command knows. */
export const COMMON = {
  home: { type: "string" },
  json: { type: "boolean" },
  quiet: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const satisfies ParseArgsOptionsConfig;

/** Flags of commands that serve. */
export const SERVING = {
  host: { type: "string" },
  "data-port": { type: "string" },
  "grpc-data-port": { type: "string" },
  "segment-length": { type: "string" },
  segments: { type: "string" },
  disk: { type: "string" },
  retention: { type: "string" },
  config: { type: "string" },
  "config-out": { type: "string" },
  limit: { type: "string", multiple: true },
} as const satisfies ParseArgsOptionsConfig;

/** Parses the words after a command's name. @throws NodeError with exit code 2 */
export function readArguments<const O extends ParseArgsOptionsConfig>(
  command: string,
  argv: string[],
  options: O,
) {
  try {
    return parseArgs({ args: argv, options, allowPositionals: true, strict: true });
  } catch (error) {
    const sentence = refusalOf((error as Error).message, argv);
    const unknown = /Unknown option '--([\w-]+)'/.exec(sentence)?.[1];
    const near = unknown && nearest(unknown, Object.keys(options));
    throw usageError(command, near ? `${sentence}: did you mean '--${near}'?` : sentence);
  }
}

/** The runtime's sentence, where a clearer one exists: of a value that begins with a dash, and of a word that is such a value. */
function refusalOf(message: string, argv: readonly string[]): string {
  const sentence = message.split("\n")[0]!.replace(/\. To specify.*$/, "");
  const flag = /^Option '(--[\w-]+)' argument is ambiguous/.exec(sentence)?.[1];
  if (flag !== undefined)
    return `'${flag}' needs a value; one that begins with a dash is given as ${flag}=-1`;
  const word = argv.find((text) => /^-\d/.test(text));
  return word !== undefined && /^Unknown option '-?\d/.test(sentence) ? `Unknown option '${word}'` : sentence;
}

/** The words that are not flags, whichever flags there are: which command they name decides what its flags are. */
export function looseWords(argv: readonly string[], options: ParseArgsOptionsConfig): string[] {
  return parseArgs({ args: [...argv], options, allowPositionals: true, strict: false }).positionals;
}

export function usageError(command: string, message: string): NodeError {
  return new NodeError(command, "usage", message, `see: lyra ${command} --help`);
}

// "Did you mean": the known word that a mistyped one is nearest to.

/** Changes of a letter, exchanges of neighbours among them, up to which a word counts as mistyped. */
const DISTANCE_MAX = 2;
const LENGTH_MAX = 40;

/** @returns undefined where none is near */
export function nearest(word: string, known: readonly string[]): string | undefined {
  if (word.length > LENGTH_MAX) return undefined;
  const near = known
    .map((candidate) => ({ candidate, distance: distance(word.toLowerCase(), candidate) }))
    .filter(
      ({ candidate, distance }) =>
        distance <= Math.min(DISTANCE_MAX, candidate.length - 2) || candidate.startsWith(word),
    )
    .sort((a, b) => a.distance - b.distance);
  return word === "" ? undefined : near[0]?.candidate;
}

/** `: did you mean 'balance'?`, or nothing. */
export function didYouMean(word: string, known: readonly string[]): string {
  const found = nearest(word, known);
  return found === undefined ? "" : `: did you mean '${found}'?`;
}

/** Damerau and Levenshtein's, of adjacent letters. */
function distance(a: string, b: string): number {
  const rows = Array.from({ length: a.length + 1 }, (_, i) => [i, ...Array<number>(b.length).fill(0)]);
  for (let j = 0; j <= b.length; j++) rows[0]![j] = j;
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const change = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min(rows[i - 1]![j]! + 1, rows[i]![j - 1]! + 1, rows[i - 1]![j - 1]! + change);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, rows[i - 2]![j - 2]! + 1);
      rows[i]![j] = least;
    }
  }
  return rows[a.length]![b.length]!;
}

// Reading of what a command was given: a file, or standard input, and never more than is wanted of it.

/**
 * The bytes of a file, or of standard input for `-`.
 * @returns one byte more than `bytesMax` where there are more: what is endless does not fill the memory
 */
export function readInputFile(path: string, bytesMax: number): Uint8Array {
  if (path === "-") return readUpTo(0, bytesMax);
  const descriptor = openSync(path, "r");
  try {
    return readUpTo(descriptor, bytesMax);
  } finally {
    closeSync(descriptor);
  }
}
