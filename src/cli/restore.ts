// lyra restore: a home from a backup.
import { restoreHome } from "../history/backup.ts";
import { defaultHome } from "../node/config.ts";
import { COMMON, readArguments, usageError } from "./arguments.ts";
import { told, withProgress } from "./backup.ts";
import { green, say } from "./terminal.ts";

export const help = `lyra restore: a home from a backup

  lyra restore FILE [--home DIR]

  --home DIR   where to; there must be nothing (default: $LYRA_HOME, XDG data
               folder)
  --json       print the result as JSON
  --quiet      no progress, no summary

  Every byte is verified before anything is written, and the store and its rows
  again before it gets its name. After a kill, run the same command again.
  Then: lyra serve --home DIR, or lyra sidecar --home DIR.
`;

export async function run(argv: string[]): Promise<number> {
  const { values, positionals } = readArguments("restore", argv, COMMON);
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0) throw usageError("restore", "name one backup to restore");
  const home = values.home ?? defaultHome();
  const shown = { isQuiet: values.quiet === true, isJson: values.json === true };
  return withProgress("restoring", shown, async (hooks) => {
    const result = await restoreHome({ file, home, ...hooks });
    if (result && !shown.isQuiet && !shown.isJson) say(`${green("restored")} ${told(result)} to ${home}`);
    return result && { home, ...result };
  });
}
