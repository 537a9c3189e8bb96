// The fields of a devnet's tool as the body of its request, and as the command line that sends the same.
import { isOptional, plainName } from "../../http/declaration.ts";
import { shellWord } from "../../http/shell-word.ts";
import type { TOOL_LIST } from "../../planes/devnet/declarations.ts";
import type { Member } from "../../planes/devnet/members.ts";

export type Tool = (typeof TOOL_LIST)[number];
/** Texts of the fields by their names. */
export type ToolValues = Readonly<Record<string, string>>;

/** @throws SyntaxError for an object that is not JSON */
export function bodyOf(members: readonly [string, Member][], values: ToolValues): object {
  const given = members.flatMap(([word, { kind }]) => {
    const name = plainName(word);
    const value = values[name]?.trim() ?? "";
    if (value === "") return [];
    if (kind === "object") return [[name, JSON.parse(value) as unknown] as const];
    if (kind === "flag") return [[name, value === "true"] as const];
    return [[name, value] as const];
  });
  return Object.fromEntries(given);
}

/** Required members stand in their places, the others have their names; so has a value that looks like a flag. */
export function commandOf(
  { path, file }: Tool,
  members: readonly [string, Member][],
  values: ToolValues,
): string {
  const words = members.flatMap(([word]) => {
    const name = plainName(word);
    const value = values[name]?.trim() ?? "";
    if (value.startsWith("-")) return [`--${name}=${shellWord(value)}`];
    if (!isOptional(word)) return [value === "" ? name.toUpperCase() : shellWord(value)];
    return value === "" ? [] : [`--${name} ${shellWord(value)}`];
  });
  const tail = file === undefined ? [] : [file.word];
  return ["lyra devnet", path.replace("/", " "), ...words, ...tail].join(" ");
}
