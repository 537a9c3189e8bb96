// Errors for words that name no command.

import { didYouMean } from "../../errors/nearest.ts";
import { NodeError } from "../../errors/node-error.ts";
import { firstWords, type Match, namesBelow, own, placeOf } from "./table.ts";

/** Names up to which a group asks for one of them by "or". */
const FEW_NAMES = 6;

/** The error for a missing or an unknown word behind the path of a match. */
export function unknownCommand(match: Match): NodeError {
  const { path, loose, rest, commands, entry } = match;
  const [word] = loose;
  if (path === "") {
    const names = firstWords(Object.keys(commands));
    const typed = word ?? rest[0] ?? "";
    return usage("lyra", `there is no command '${typed.slice(0, 40)}'${didYouMean(typed, names)}`, "--help");
  }
  const { help } = placeOf(commands, path);
  const names = namesBelow(commands, path);
  const words = firstWords(names);
  if (word === undefined) return usage(path, `say ${choice(path, words)}`, help);
  const near = didYouMean(word, words) || didYouMean(loose.slice(0, 2).join(" "), names);
  if (entry?.loadCommands !== undefined) return unknownVerb(match, near);
  const list = near === "" && path.includes(" ") ? `: ${words.join(", ")}` : near;
  return usage(path, `there is no '${path} ${word.slice(0, 40)}'${list}`, help);
}

/** Behind a command that also runs by itself; some of its verbs have two words. */
function unknownVerb({ path, loose, commands }: Match, near: string): NodeError {
  const [word = ""] = loose;
  const seconds = own(commands, `${path} ${word}`) ? [] : namesBelow(commands, `${path} ${word}`);
  if (seconds.length === 0)
    return usage(path, `there is no '${path} ${loose.join(" ").slice(0, 60)}'${near}`, `${path} help`);
  if (loose.length === 1)
    return usage(path, `${path} ${word} needs another word: ${seconds.join(", ")}`, `${path} help ${word}`);
  const advice = didYouMean(loose.slice(0, 2).join(" "), namesBelow(commands, path));
  const typed = loose.join(" ").slice(0, 60);
  return usage(path, `there is no '${path} ${typed}'${advice}`, `${path} help ${word}`);
}

function usage(path: string, message: string, see: string): NodeError {
  return new NodeError(path.split(" ")[0]!, "usage", message, `see: lyra ${see}`);
}

function choice(path: string, names: readonly string[]): string {
  if (path.includes(" ") || names.length > FEW_NAMES) return `one of ${names.join(", ")}`;
  return `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
}
