#!/usr/bin/env node
// The package's command `lyra`: the executable in place of this process where Node can do that (22.15), else as a child
// with the same terminal, to which signals are passed on and whose end is this process's end.
import { type ChildProcess, spawn } from "node:child_process";
import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { codeOf, ExitCode, NodeError } from "../errors/node-error.ts";
import { findExecutable, notExecutable } from "./executable.ts";

/** Signals that a supervisor, a shell or another process may send. A terminal sends its own to the child, too. */
const PASSED_ON: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR2"];
/** A shell's exit code for a file that cannot be run. */
const NOT_RUN = 126;

type Execve = (file: string, args: readonly string[], env: NodeJS.ProcessEnv) => never;

function launch(words: readonly string[]): void {
  const path = findExecutable();
  if (realpathSync(path) === realpathSync(fileURLToPath(import.meta.url))) {
    const sentence = `${path} cannot be run: it is this command itself`;
    throw new NodeError("lyra.executable", "executable_failed", sentence, "set LYRA_BINARY to an executable");
  }
  const { execve } = process as { execve?: Execve };
  if (execve !== undefined) {
    try {
      execve.call(process, path, [path, ...words], process.env);
    } catch {
      // Not on this system: as a child.
    }
  }
  let child: ChildProcess | undefined;
  // Before the child runs: a signal between the two would end this process alone.
  for (const signal of PASSED_ON) process.on(signal, () => child?.kill(signal));
  child = spawn(path, words, { stdio: "inherit" });
  child.on("error", (error) => fail(notExecutable(path, codeOf(error)), NOT_RUN));
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code ?? ExitCode.failed);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

function fail({ attempt, code, message, hint }: NodeError, exitCode: number): void {
  const isJson = process.argv.includes("--json");
  const json = `${JSON.stringify({ error: { attempt, code, message, hint } })}\n`;
  process.stderr.write(isJson ? json : `lyra: ${message}\n      ${hint}\n`);
  process.exitCode = exitCode;
}

try {
  launch(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof NodeError)) throw error;
  fail(error, ExitCode.failed);
}
