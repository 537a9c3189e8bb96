// lyra restore: a home from a backup.
import { type RestoreResult, restoreHome } from "../history/backup.ts";
import { defaultHome } from "../node/config.ts";
import { shortList } from "../store/schema-check.ts";
import { COMMON, readArguments, usageError } from "./arguments.ts";
import { told, withProgress } from "./backup.ts";
import { dim, green, red, say } from "./terminal.ts";

export const help = `lyra restore: a home from a backup

  lyra restore FILE [--home DIR] [--with-settings]

  --home DIR   where to; there must be nothing (default: $LYRA_HOME, XDG data
               folder)
  --with-settings  its lyra.toml becomes the home's; else it is put beside the
               store as lyra.toml.restored, which nothing reads
  --json       print the result as JSON
  --quiet      no progress, no summary

  Every byte is verified before anything is written. The store is made anew of
  the backup's rows, which are compared with its segments: no index, trigger or
  table comes along that is not this program's. After a kill, run the same
  command again.
  Then: lyra serve --home DIR, or lyra sidecar --home DIR.
`;

export async function run(argv: string[]): Promise<number> {
  const { values, positionals } = readArguments("restore", argv, {
    ...COMMON,
    "with-settings": { type: "boolean" },
  });
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0) throw usageError("restore", "name one backup to restore");
  const home = values.home ?? defaultHome();
  const shown = { isQuiet: values.quiet === true, isJson: values.json === true };
  return withProgress("restoring", shown, async (hooks) => {
    const withSettings = values["with-settings"] === true;
    const result = await restoreHome({ file, home, withSettings, ...hooks });
    if (result && !shown.isQuiet && !shown.isJson) report(result, home);
    return result && { home, ...result };
  });
}

function report(result: RestoreResult, home: string): void {
  const { leftOut, settings } = result;
  say(`${green("restored")} ${told(result)} to ${home}`);
  if (leftOut.length > 0) say(`${red("left out")} of the backup's store: ${shortList(leftOut)}`);
  if (settings?.endsWith(".restored"))
    say(dim(`         its lyra.toml is not in use: look at ${settings}, then rename it`));
}
