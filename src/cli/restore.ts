// lyra restore: a home from a backup.
import { type RestoreResult, restoreHome } from "../history/backup.ts";
import { defaultHome } from "../node/config.ts";
import { shortList } from "../store/schema-check.ts";
import { summaryOf, withProgress } from "./backup.ts";
import { command, option, toggle } from "./command/command.ts";
import { dim, green, red, say } from "./terminal.ts";

export const restore = command({
  words: { FILE: { text: "the backup" } },
  flags: {
    home: option(
      "DIR",
      "where to; the folder must be empty or missing (default: $LYRA_HOME, XDG data folder)",
    ),
    "with-settings": toggle(
      "its lyra.toml becomes the home's; else it is put beside the store as lyra.toml.restored, which nothing reads",
    ),
  },
  notes: `  Every byte is verified before anything is written. The store is rebuilt from
  the backup's rows, which are compared with its segments: no index, trigger or
  table comes along that is not this program's. After a kill, run the same
  command again.
  Then: lyra serve --home DIR, or lyra sidecar --home DIR.`,
  json: "{home, chainId, height, segments, bytes, leftOut, settings?}; exit code 4 for a backup that is not sound",
  wrongWords: () => "name one backup to restore",
  async run({ words: { FILE: file }, values }) {
    const home = values.home ?? defaultHome();
    const shown = { isQuiet: values.quiet === true, isJson: values.json === true };
    return withProgress("restoring", shown, async (hooks) => {
      const withSettings = values["with-settings"] === true;
      const result = await restoreHome({ file, home, withSettings, ...hooks });
      if (result && !shown.isQuiet && !shown.isJson) report(result, home);
      return result && { home, ...result };
    });
  },
});

function report(result: RestoreResult, home: string): void {
  const { leftOut, settings } = result;
  say(`${green("restored")} ${summaryOf(result)} to ${home}`);
  if (leftOut.length > 0) say(`${red("left out")} of the backup's store: ${shortList(leftOut)}`);
  if (settings?.endsWith(".restored"))
    say(dim(`         its lyra.toml is not in use: look at ${settings}, then rename it`));
}
