// Help, made from the declarations.

import { COMMON_FLAGS, type Command, type Commands, type Entry, type Flag } from "./command.ts";
import { COLUMNS, LINES, type Row, roomy, wrap } from "./layout.ts";
import { firstWords, namesBelow } from "./table.ts";

/** Lists of everything may be wider than a screen. */
const WIDE_COLUMNS = 100;
const WIDE_LABEL = 42;

/** `lyra --help` */
export function overview(commands: Commands): string {
  const first = Object.entries(commands).filter(([path]) => !path.includes(" "));
  const minor = first.filter(([, { isMinor }]) => isMinor).map(([path]) => path);
  const rows = first
    .filter(([, { isMinor }]) => !isMinor)
    .map(([path, { summary }]): Row => [`lyra ${path}`, summary]);
  return `Lyra: a whole trading network in one executable

${roomy(rows).join("\n")}

  Also ${minor.join(", ")}. Most take --home DIR, --json, --help.
  Exit: 0 done, 1 failed, 2 usage, 3 not ready, 4 not verified, 130 interrupted.
`;
}

/** Of a command, or of a group of them. */
export async function helpOf(path: string, entry: Entry, commands: Commands): Promise<string> {
  const command = await entry.load?.();
  const names = namesBelow(commands, path);
  const below = names.filter((name) => !names.some((group) => name.startsWith(`${group} `)));
  const title = `lyra ${path}: ${entry.summary}`;
  if (command === undefined) return groupHelp(path, title, commands);
  const notes = [command.notes ?? "", ...verbLines(path, firstWords(below))]
    .filter((part) => part !== "")
    .join("\n\n");
  const of = (withMinor: boolean) =>
    screen(title, usageOf(path, command).map(wrapUsage), roomy(rowsOf(command, withMinor)), notes);
  const full = of(true);
  return fits(full) ? full : of(false);
}

function verbLines(path: string, verbs: readonly string[]): string[] {
  if (verbs.length === 0) return [];
  return [paragraph(`Verbs (lyra ${path} help VERB says more): ${verbs.join(" ")}`)];
}

/** All commands below a path that begin with these words; undefined if no command does. */
export async function listOf(
  path: string,
  words: readonly string[],
  commands: Commands,
): Promise<string | undefined> {
  const start = [path, ...words].join(" ");
  const names = Object.keys(commands).filter((name) => name.startsWith(`${start} `));
  if (names.length === 0) return undefined;
  const rows = await Promise.all(
    names.map(async (name): Promise<Row> => {
      const command = await commands[name]!.load?.();
      const label = [name.slice(path.length + 1), ...(command ? wordLabels(command) : [])].join(" ");
      return [label, commands[name]!.summary];
    }),
  );
  return `${roomy(rows, WIDE_COLUMNS, WIDE_LABEL).join("\n")}\n\n  lyra ${path} help VERB says more.\n`;
}

/** Of commands that have no command of their own above them: a row for each; groups among them in a list where rows are too many. */
function groupHelp(path: string, title: string, commands: Commands): string {
  const words = firstWords(namesBelow(commands, path)).map((word) => {
    const verbs = namesBelow(commands, `${path} ${word}`);
    const { summary, load } = commands[`${path} ${word}`]!;
    return { word, verbs, summary, isGroup: load === undefined };
  });
  const rows = words.map(
    ({ word, verbs, summary, isGroup }): Row => [word, isGroup ? `${summary}: ${verbs.join(", ")}` : summary],
  );
  const more = `lyra ${path} WORD --help says more`;
  const full = screen(title, [], roomy(rows), `  ${more}.`);
  if (fits(full)) return full;
  const groups = words.filter(({ isGroup }) => isGroup);
  const list = groups.map(({ word, verbs }) => `${word} (${verbs.join(" ")})`).join(" ");
  return screen(title, [], roomy(rows.filter((_, at) => !words[at]!.isGroup)), paragraph(list));
}

function paragraph(text: string): string {
  return wrap(text, COLUMNS - 2)
    .map((line) => `  ${line}`)
    .join("\n");
}

function screen(title: string, usage: readonly string[], table: readonly string[], notes: string): string {
  const parts = [title, usage.join("\n"), table.join("\n"), notes.replace(/^\n+|\n+$/g, "")];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

const fits = (text: string) => text.trimEnd().split("\n").length <= LINES;

export function usageOf(path: string, command: Command): string[] {
  const flags = Object.keys(command.flags ?? {}).length > 0 ? ["[flags]"] : [];
  const { usage = [[...wordLabels(command), ...flags].join(" ")] } = command;
  return usage.map((text) => `  lyra ${path} ${text}`.trimEnd());
}

function wrapUsage(line: string): string {
  const [first, ...others] = wrap(line.trim(), COLUMNS - 2, COLUMNS - 6);
  return [`  ${first}`, ...others.map((text) => `      ${text}`)].join("\n");
}

/** `NAME`, `[KEY]`, `FILE...` */
function wordLabels({ words = {}, flags = {} }: Command): string[] {
  const labels = Object.entries(words).map(([name, { optional, many }]) =>
    optional ? `[${name}]${many ? "..." : ""}` : `${name}${many ? "..." : ""}`,
  );
  const placed = Object.entries(flags).flatMap(([name, { place }]) => {
    const label = name.toUpperCase();
    return place === undefined ? [] : [place === "optional" ? `[${label}]` : label];
  });
  return [...labels, ...placed];
}

/** Words and flags; in the last row the flags of every command, and the minor ones where they get no row. */
function rowsOf({ words = {}, flags = {} }: Command, withMinor: boolean): Row[] {
  const wordRows = Object.entries(words)
    .filter(([, { text }]) => text !== "")
    .map(([name, { text }]): Row => [name, text]);
  const isShown = ([, flag]: readonly [string, Flag]) => withMinor || flag.isMinor !== true;
  const own = Object.entries<Flag>(flags);
  const flagRows = own.filter(isShown).map(([name, flag]): Row => [flagLabel(name, flag), flag.text]);
  const common = Object.entries(COMMON_FLAGS).filter(([name]) => !Object.hasOwn(flags, name));
  const others = [...own.filter((flag) => !isShown(flag)), ...common];
  return [...wordRows, ...flagRows, [others.map(([name, flag]) => flagLabel(name, flag)).join(", "), ""]];
}

export function flagLabel(name: string, { type, value = "TEXT", place }: Flag): string {
  if (place !== undefined) return name.toUpperCase();
  return type === "boolean" ? `--${name}` : `--${name} ${value}`;
}
