/**
 * Writes the reference of all commands into docs/cli.md, out of their declarations (`src/cli/commands.ts`).
 *
 * `bun run generate` does it.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Command, type Commands, type Flag, variableOf } from "../src/cli/command/command.ts";
import { flagLabel, usageOf } from "../src/cli/command/help.ts";
import { COMMANDS } from "../src/cli/commands.ts";

const DOCUMENT = join(import.meta.dir, "..", "docs/cli.md");
const REFERENCE = /(?<=<!-- made from src\/cli\/commands\.ts -->\n)[\s\S]*?(?=<!-- end -->)/;

const code = (text: string) => `\`${text}\``;
const cell = (text: string) => text.replaceAll("|", "\\|");

/** Flags that several commands take with one meaning, by name. */
type SharedFlags = ReadonlyMap<string, Flag>;

/** The reference of all commands; the verbs of a devnet have a table of their own in docs/devnet.md. */
async function referenceText(commands: Commands): Promise<string> {
  const shown = Object.entries(commands).filter(([, { isHidden }]) => !isHidden);
  const declared = await Promise.all(
    shown.map(async ([path, { summary, load }]) => ({ path, summary, command: await load?.() })),
  );
  const shared = sharedFlags(declared.flatMap(({ command }) => (command === undefined ? [] : [command])));
  const rows = [...shared].map(([name, flag]) => row(flagLabel(name, flag), flagText(name, flag)));
  const sections = declared.map(({ path, summary, command }) => {
    const sentence = `${summary[0]!.toUpperCase()}${summary.slice(1)}${summary.endsWith("?") ? "" : "."}`;
    const usage =
      command === undefined
        ? ""
        : ` ${usageOf(path, command)
            .map((line) => code(line.trim()))
            .join(" or ")}`;
    const title = `${path.includes(" ") ? "####" : "###"} lyra ${path}`;
    return [title, sentence + usage, ...(command ? body(command, shared) : [])].join("\n\n");
  });
  return ["### Shared flags", table(rows), ...sections].join("\n\n");
}

function sharedFlags(commands: readonly Command[]): SharedFlags {
  const uses = Map.groupBy(
    commands.flatMap(({ flags = {} }) => Object.entries<Flag>(flags)).filter(([, { isMinor }]) => isMinor),
    ([name]) => name,
  );
  const isShared = (flags: readonly (readonly [string, Flag])[]) =>
    flags.length > 1 && flags.every(([, { text }]) => text === flags[0]![1].text);
  return new Map([...uses].flatMap(([name, flags]) => (isShared(flags) ? [[name, flags[0]![1]]] : [])));
}

/** Parts of a command's section. */
function body(command: Command, shared: SharedFlags): string[] {
  const flags = Object.entries<Flag>(command.flags ?? {});
  const isShared = ([name, { text }]: readonly [string, Flag]) => shared.get(name)?.text === text;
  const rows = [
    ...Object.entries(command.words ?? {}).map(([name, { text }]) => row(name, text)),
    ...flags
      .filter((flag) => !isShared(flag))
      .map(([name, flag]) => row(flagLabel(name, flag), flagText(name, flag))),
  ];
  const others = flags.filter(isShared).map(([name]) => code(`--${name}`));
  const facts = [
    ...(others.length === 0 ? [] : [`Shared: ${others.join(", ")}.`]),
    ...(command.json === undefined ? [] : [`JSON: ${jsonText(command.json)}.`]),
  ];
  return [
    ...(rows.length === 0 ? [] : [table(rows)]),
    ...(command.notes === undefined ? [] : [fenced(command.notes.split("\n"))]),
    ...(facts.length === 0 ? [] : [facts.join(" ")]),
  ];
}

const table = (rows: readonly string[]) => ["| | |", "|---|---|", ...rows].join("\n");
const fenced = (lines: readonly string[]) => ["```", ...lines.map((line) => line.slice(2)), "```"].join("\n");
const row = (label: string, text: string) => `| ${code(cell(label))} | ${cell(text)} |`;

function flagText(name: string, { text, short, aliases = [], hasVariable, multiple }: Flag): string {
  const variable = variableOf(name);
  return [
    text,
    ...(short === undefined ? [] : [`short ${code(`-${short}`)}`]),
    ...aliases.map((alias) => `older name ${code(`--${alias}`)}`),
    ...(hasVariable && !text.includes(variable) ? [code(variable)] : []),
    ...(multiple && !/again|each/.test(text) ? ["may come again"] : []),
  ].join("; ");
}

/** Documents as code; words around them stay. */
function jsonText(json: string): string {
  let depth = 0;
  let text = "";
  for (const character of json) {
    if (character === "{" && depth++ === 0) text += "`";
    text += character;
    if (character === "}" && --depth === 0) text += "`";
  }
  return text;
}

/** docs/cli.md with the reference in its place. */
export async function documentText(document: string): Promise<string> {
  const reference = await referenceText(COMMANDS);
  return document.replace(REFERENCE, () => `\n${reference}\n\n`);
}

if (import.meta.main) {
  const document = readFileSync(DOCUMENT, "utf8");
  const written = await documentText(document);
  if (written !== document) writeFileSync(DOCUMENT, written);
}
