/**
 * A devnet as a child process. It ends with this one, however this one ends: its standard input is a pipe whose other end
 * only this process holds, and `--stop-with-stdin` makes it stop, and take its temporary home away, when that is closed.
 */
import { type ChildProcess, spawn } from "node:child_process";
import type { PartiesReport } from "../devnet/parties.ts";
import { codeOf, NodeError } from "../errors/node-error.ts";
import type { ErrorCode } from "../errors/program-codes.ts";
import { notExecutable } from "./executable.ts";
import type { ProcessOptions } from "./options.ts";

/** The executable stops within two seconds, and within five more while requests are under way. */
const STOP_MS_MAX = 8_000;
/** Of its log, for an error. */
const LOG_CHARACTERS_MAX = 16 * 1024;
/** The line that says where it listens has the parties and assets of its genesis. */
const FIRST_LINE_CHARACTERS_MAX = 16 * 1024 * 1024;

/** Variables that make the executable another program, or give it settings that a caller does not see. */
const WITHHELD = /^(?:LYRA_.*|BUN_BE_BUN|BUN_OPTIONS)$/;

/** The line that the executable prints once it listens (docs/cli.md). */
export interface Started extends PartiesReport {
  readonly nodeUrl: string;
  readonly dataUrl: string;
  readonly faucetUrl: string;
  readonly walletUrl?: string;
  readonly cometUrl?: string;
  readonly grpcNodeAddress?: string;
  readonly grpcDataAddress?: string;
  readonly chainId: string;
  readonly home: string;
}

/** A process, or one that a pool keeps. */
export interface DevnetHandle {
  readonly pid: number;
  /** Settles when the process has ended. */
  readonly ended: Promise<NodeError>;
  /** Why it has ended; undefined while it runs. */
  readonly endedBy: NodeError | undefined;
  /** Ends it and waits for its end. */
  stop(): Promise<void>;
}

export class DevnetProcess implements DevnetHandle {
  /** Settles when the process has ended. */
  readonly ended: Promise<NodeError>;
  private end: NodeError | undefined;
  private isStopping = false;
  private log = "";

  private constructor(
    private readonly child: ChildProcess,
    path: string,
    onLog: ((line: string) => void) | undefined,
  ) {
    this.readLog(onLog);
    // A write to a pipe whose reader has gone.
    child.stdin?.on("error", () => {});
    this.ended = new Promise((resolve) => {
      const finish = (end: NodeError) => {
        this.end ??= end;
        resolve(this.end);
      };
      child.once("error", (error) => finish(notExecutable(path, codeOf(error))));
      // After its pipes are read to their end: the last line may say why.
      child.once("close", (code, signal) => finish(this.reasonOf(code, signal)));
    });
  }

  /**
   * Starts it and waits for its first line, which it prints once it listens.
   * @throws NodeError with the executable's own words; `devnet_ended`, `devnet_slow`, `executable_failed`
   */
  static async start(
    path: string,
    words: readonly string[],
    { env, onLog, signal, startTimeoutMs }: ProcessOptions & { readonly startTimeoutMs: number },
  ): Promise<{ readonly process: DevnetProcess; readonly started: Started }> {
    if (signal?.aborted) throw ended("the start of the devnet was given up");
    const child = spawn(path, words, {
      stdio: ["pipe", "pipe", "pipe"],
      env: { ...environment(), ...env },
      windowsHide: true,
    });
    const process = new DevnetProcess(child, path, onLog);
    let timer: ReturnType<typeof setTimeout> | undefined;
    let giveUp: (() => void) | undefined;
    const gaveUp = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(slow(startTimeoutMs, process.log)), startTimeoutMs);
      giveUp = () => reject(ended("the start of the devnet was given up"));
      signal?.addEventListener("abort", giveUp);
    });
    try {
      const failed = process.ended.then((end) => Promise.reject(end));
      const started = await Promise.race([process.firstLine(), failed, gaveUp]);
      return { process, started };
    } catch (error) {
      await process.stop();
      throw error;
    } finally {
      clearTimeout(timer);
      if (giveUp) signal?.removeEventListener("abort", giveUp);
    }
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Why it has ended; undefined while it runs. */
  get endedBy(): NodeError | undefined {
    return this.end ?? (this.isStopping ? ended("the devnet was stopped") : undefined);
  }

  /** Lets this process end although the devnet runs, which then ends too. */
  release(): void {
    this.child.unref();
    for (const stream of [this.child.stdin, this.child.stdout, this.child.stderr]) {
      (stream as { unref?: () => void } | null)?.unref?.();
    }
  }

  /** Ends it and waits for its end. */
  async stop(): Promise<void> {
    this.isStopping = true;
    if (this.end !== undefined) return;
    this.child.ref();
    this.child.stdin?.end();
    // A program that is still starting, or is not Lyra, does not look at its input.
    this.child.kill("SIGTERM");
    const timer = setTimeout(() => this.child.kill("SIGKILL"), STOP_MS_MAX);
    await this.ended;
    clearTimeout(timer);
  }

  private firstLine(): Promise<Started> {
    return new Promise((resolve, reject) => {
      let text = "";
      this.child.stdout?.setEncoding("utf8").on("data", (part: string) => {
        // Nothing else is printed there.
        if (text.includes("\n")) return;
        text += part;
        const end = text.indexOf("\n");
        const started = end < 0 ? undefined : startedIn(text.slice(0, end));
        if (started) resolve(started);
        else if (end >= 0 || text.length > FIRST_LINE_CHARACTERS_MAX) reject(notLyra());
      });
    });
  }

  private readLog(onLog: ((line: string) => void) | undefined): void {
    let rest = "";
    this.child.stderr?.setEncoding("utf8").on("data", (part: string) => {
      this.log = (this.log + part).slice(-LOG_CHARACTERS_MAX);
      if (onLog === undefined) return;
      const lines = (rest + part).split("\n");
      rest = (lines.pop() ?? "").slice(-LOG_CHARACTERS_MAX);
      for (const line of lines) onLog(line);
    });
  }

  private reasonOf(code: number | null, signal: NodeJS.Signals | null): NodeError {
    if (this.isStopping) return ended("the devnet was stopped");
    const last = this.log.trimEnd().split("\n").at(-1) ?? "";
    const own = ownError(last);
    if (own !== undefined) return own;
    const by = signal === null ? `with code ${code}` : `by ${signal}`;
    return ended(`the devnet has ended ${by}${last === "" ? "" : `: ${last.slice(0, 500)}`}`);
  }
}

/** The error that the executable printed (docs/cli.md). */
function ownError(line: string): NodeError | undefined {
  try {
    const { error } = JSON.parse(line) as {
      readonly error?: { attempt: string; code: string; message: string; hint: string };
    };
    // Another version may have a code that is unknown here.
    return error && new NodeError(error.attempt, error.code as ErrorCode, error.message, error.hint);
  } catch {
    return undefined;
  }
}

function startedIn(line: string): Started | undefined {
  try {
    const started = JSON.parse(line) as Partial<Started>;
    return started.nodeUrl && started.parties ? (started as Started) : undefined;
  } catch {
    return undefined;
  }
}

function notLyra(): NodeError {
  const text = "the executable is not Lyra's: its first line is not where a devnet listens";
  return new NodeError("devnet.process", "executable_failed", text, "see what LYRA_BINARY names");
}

function environment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !WITHHELD.test(name)));
}

function ended(message: string): NodeError {
  return new NodeError("devnet.process", "devnet_ended", message, "start another one");
}

function slow(startTimeoutMs: number, log: string): NodeError {
  const said = log.trimEnd().split("\n").at(-1) ?? "";
  const text = `the devnet did not listen within ${startTimeoutMs} ms`;
  return new NodeError(
    "devnet.process",
    "devnet_slow",
    said === "" ? text : `${text}; its last words: ${said.slice(0, 500)}`,
    "give it more time with startTimeoutMs",
  );
}
