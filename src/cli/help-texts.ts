// Every help text by the words that it is of: what completions are made from.
import { TOOLS } from "../planes/devnet/tools.ts";
import { COMMANDS } from "./commands.ts";
import { HELP_WORDS, helpOf } from "./wallet-help.ts";

export async function helpTexts(): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>([["", ""]]);
  for (const [name, { load }] of Object.entries(COMMANDS)) texts.set(name, (await load()).help);
  for (const word of HELP_WORDS) texts.set(`wallet ${word}`, helpOf([word]));
  for (const { path } of TOOLS) texts.set(`devnet ${path.replace("/", " ")}`, "");
  return texts;
}
