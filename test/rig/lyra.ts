// The program as a process: from the sources, or the built executable.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { eventually } from "../support/eventually.ts";

const MAIN = join(import.meta.dir, "..", "..", "src", "main.ts");
/** As `npm start` runs it. */
export const SOURCES: readonly string[] = [process.execPath, MAIN];
/** The executable that `npm test` has built; a single test that is run by itself runs the sources. */
const built = process.env.LYRA_TEST_PROGRAM;
/** The program that tests run. */
export const PROGRAM: readonly string[] = built ? [resolve(built)] : SOURCES;
/** When code is compiled in a run of the tests (scripts/test.ts): in the processes that they start, too. */
export const COMPILING = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => name.startsWith("BUN_JSC_")),
);

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface StartOptions {
  readonly program?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The folder it runs in. */
  readonly cwd?: string;
  /** Run as this user; only where the test is root. */
  readonly uid?: number;
}

/** A running `lyra`. */
export class Lyra {
  private readonly child: Bun.Subprocess<"ignore", "pipe", "pipe">;
  private readonly out: Promise<string>;
  private readonly err: Promise<string>;

  constructor(words: readonly string[], { program = PROGRAM, env = {}, cwd }: StartOptions = {}) {
    this.child = Bun.spawn([...program, ...words], {
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
      ...(cwd !== undefined && { cwd }),
      env: { PATH: process.env.PATH, HOME: tmpdir(), NO_COLOR: "1", ...COMPILING, ...env },
    });
    this.out = new Response(this.child.stdout).text();
    this.err = new Response(this.child.stderr).text();
  }

  get pid(): number {
    return this.child.pid;
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  async end(): Promise<Ended> {
    await this.child.exited;
    return { code: this.child.exitCode, out: await this.out, err: await this.err };
  }

  /** Ends it with a signal; `ms` is how long that took. */
  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<Ended & { ms: number }> {
    const started = performance.now();
    this.kill(signal);
    await this.child.exited;
    const ms = performance.now() - started;
    return { ...(await this.end()), ms };
  }
}

/** Runs a command to its end. */
export function lyra(words: readonly string[], options?: StartOptions): Promise<Ended> {
  return new Lyra(words, options).end();
}

/** A `lyra` that listens, on free ports, and says where. @typeParam A what it says of itself */
export class ListeningLyra<A> extends Lyra {
  readonly startedMs = performance.now();
  private readonly folder: string;
  private said: A | undefined;

  constructor(words: readonly string[], options?: StartOptions) {
    const folder = mkdtempSync(join(tmpdir(), "lyra-where-"));
    super([...words, "--config-out", join(folder, "where.json")], options);
    this.folder = folder;
  }

  get ageMs(): number {
    return performance.now() - this.startedMs;
  }

  /** The announced addresses, once it listens. */
  get where(): A | undefined {
    const file = join(this.folder, "where.json");
    if (this.said || !existsSync(file)) return this.said;
    this.said = JSON.parse(readFileSync(file, "utf8")) as A;
    return this.said;
  }

  /** Waits until it listens. @throws Error with what it said when it ends instead */
  async listens(): Promise<A> {
    await eventually(() => this.where !== undefined || this.hasEnded).catch(() => this.kill("SIGKILL"));
    if (this.where === undefined) throw new Error(`it does not listen: ${(await this.end()).err}`);
    return this.where;
  }

  override async end(): Promise<Ended> {
    const ended = await super.end();
    rmSync(this.folder, { recursive: true, force: true });
    return ended;
  }
}

export interface Address {
  readonly url: string;
  readonly port: number;
}

interface DataAddress {
  readonly dataUrl: string;
  readonly dataPort: number;
}

/** A `lyra` that serves recordings. */
export class ServingLyra extends ListeningLyra<DataAddress> {
  constructor(words: readonly string[], options?: StartOptions) {
    super([...words, "--data-port", "0"], options);
  }

  get address(): Address | undefined {
    const { where } = this;
    return where && { url: where.dataUrl, port: where.dataPort };
  }

  /** Waits until it listens. @throws Error with what it said when it ends instead */
  async listening(): Promise<Address> {
    await this.listens();
    return this.address!;
  }
}
