// lyra backup: one file of all that a home holds, while its node runs.
import { ExitCode } from "../errors/node-error.ts";
import { type BackupProgress, type BackupResult, backupHome } from "../history/backup.ts";
import { defaultHome } from "../node/config.ts";
import { command, option, toggle } from "./command/command.ts";
import { usageError } from "./command/usage-error.ts";
import { dim, green, grouped, onEndSignal, ProgressBar, say } from "./terminal.ts";

export const backup = command({
  usage: ["--out FILE [flags]"],
  flags: {
    out: option("FILE", "the backup; it gets its name once it was read back and verified", { short: "o" }),
    force: toggle("replace a file that exists"),
  },
  notes: `  In it are the store as of one moment, the history segments and lyra.toml, as a
  tar archive with the SHA-256 of each. It takes the room of two stores while
  it is made. Wallets are never in it: keep their recovery phrases, or their
  files (lyra wallet export), elsewhere. The way back is: lyra restore FILE`,
  json: "{out, chainId, height, segments, bytes}",
  wrongWords: ([file]) => `name the file as --out ${file}`,
  async run({ values }) {
    const { out } = values;
    if (out === undefined) throw usageError("backup", "say where to: --out FILE");
    const home = values.home ?? defaultHome();
    const shown = { isQuiet: values.quiet === true, isJson: values.json === true };
    return withProgress("backing up", shown, async (hooks) => {
      const result = await backupHome({ home, out, force: values.force === true, ...hooks });
      if (result && !shown.isQuiet && !shown.isJson) {
        say(`${green("saved")} ${summaryOf(result)} to ${out} (${grouped(result.bytes)} bytes)`);
        say(dim("      wallets are not in it; the way back is: lyra restore FILE --home DIR"));
      }
      return result && { out, ...result };
    });
  },
});

export function summaryOf({ chainId, height, segments }: BackupResult): string {
  return `chain ${chainId} up to block ${grouped(height)}, ${grouped(segments)} segments`;
}

interface Shown {
  readonly isQuiet: boolean;
  readonly isJson: boolean;
}

interface ProgressHooks {
  onProgress(progress: BackupProgress): void;
  isStopping(): boolean;
}

/** Runs work with a progress bar until a signal. @param work returns the document for `--json`, undefined when stopped */
export async function withProgress(
  title: string,
  { isQuiet, isJson }: Shown,
  work: (hooks: ProgressHooks) => Promise<object | undefined>,
): Promise<number> {
  const bar = new ProgressBar(title, isQuiet || isJson ? false : undefined);
  let isInterrupted = false;
  const forget = onEndSignal(() => {
    isInterrupted = true;
  });
  try {
    const result = await work({
      onProgress: ({ step, part }) => bar.update(part, step),
      isStopping: () => isInterrupted,
    });
    if (result === undefined) return ExitCode.interrupted;
    if (isJson) process.stdout.write(`${JSON.stringify(result)}\n`);
    return ExitCode.done;
  } finally {
    bar.clear();
    forget();
  }
}
