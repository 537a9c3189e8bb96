// Starts a devnet in a process of its own.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DevnetProcess, type Started } from "./devnet-process.ts";
import { findExecutable } from "./executable.ts";
import { type DevnetOptions, wordsOf } from "./options.ts";
import { type Devnet, RunningDevnet } from "./running-devnet.ts";

const START_MS_MAX = 30_000;
const DEMO_START_MS_MAX = 600_000;

/**
 * Starts a devnet. It listens, and its parties are funded, when this settles. It ends at the latest with this process.
 * @throws NodeError `usage`, `executable_missing`, `executable_other_version`, `executable_failed`, `devnet_ended`,
 * `devnet_slow`, and those of `lyra devnet`
 */
export async function startDevnet(options: DevnetOptions = {}): Promise<Devnet> {
  return (await startProcess(options)).devnet;
}

/** The same with what the process printed. */
export async function startProcess(options: DevnetOptions): Promise<{ devnet: Devnet; started: Started }> {
  const documents = new Documents();
  try {
    const words = wordsOf(options, (name, document) => documents.write(name, document));
    const startTimeoutMs = options.startTimeoutMs ?? (options.demo ? DEMO_START_MS_MAX : START_MS_MAX);
    const path = findExecutable(options.binary);
    const { process, started } = await DevnetProcess.start(path, words, { ...options, startTimeoutMs });
    if (!options.keepAlive) process.release();
    const devnet = new RunningDevnet(process, started, options.home === undefined);
    const stop = () => void devnet.stop();
    options.signal?.addEventListener("abort", stop);
    void devnet.ended.then(() => options.signal?.removeEventListener("abort", stop));
    if (options.signal?.aborted) stop();
    return { devnet, started };
  } finally {
    documents.remove();
  }
}

/** Files of options that were given as documents; the executable has read them when it listens. */
class Documents {
  private folder: string | undefined;

  write(name: string, document: object): string {
    this.folder ??= mkdtempSync(join(tmpdir(), "lyra-options-"));
    const path = join(this.folder, name);
    writeFileSync(path, JSON.stringify(document));
    return path;
  }

  remove(): void {
    if (this.folder !== undefined) rmSync(this.folder, { recursive: true, force: true });
  }
}
