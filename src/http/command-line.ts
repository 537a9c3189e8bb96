// The words that start this program where it runs: `lyra` is on the path of an installed executable alone.
import { realpathSync } from "node:fs";
import { isAbsolute, relative } from "node:path";
import { shellWord } from "./shell-word.ts";

/** Where files of the executable lie. */
const INSIDE = /^(?:\/\$bunfs\/|.*[/\\]~BUN[/\\])/;
const SOURCES = /[/\\]src[/\\]http$/;
const NAME = "lyra";

/**
 * The words to type in place of `lyra`.
 * @param folder of this module
 * @param executable path of the running program
 * @param onPath where the shell finds `lyra`
 */
export function commandLine(
  folder = import.meta.dir,
  executable = process.execPath,
  onPath: string | null = Bun.which(NAME),
): string {
  if (SOURCES.test(folder) && !INSIDE.test(folder)) return "npm run lyra --";
  if (!INSIDE.test(folder)) return NAME;
  return onPath !== null && isSameFile(onPath, executable) ? NAME : shellWord(executable);
}

/** Not where one is gone: an upgrade removes the file of a running program. */
function isSameFile(one: string, other: string): boolean {
  try {
    return realpathSync(one) === realpathSync(other);
  } catch {
    return false;
  }
}

/** The home for `--home`, as short as it can be; undefined of the default one. */
export function homeWord(home: string, defaultHome: string, from = process.cwd()): string | undefined {
  if (home === defaultHome) return undefined;
  const short = relative(from, home);
  return shellWord(short === "" || short.startsWith("..") || isAbsolute(short) ? home : short);
}
