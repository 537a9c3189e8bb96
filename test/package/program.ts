// The program that tests of the package start: the built executable, or a file that runs the sources.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PROGRAM } from "../rig/lyra.ts";

export class Workshop {
  readonly folder = mkdtempSync(join(tmpdir(), "lyra-package-"));
  /** Path of one file that is Lyra. */
  readonly lyra: string;

  constructor() {
    this.lyra = PROGRAM.length === 1 ? PROGRAM[0]! : this.script("lyra", `exec ${PROGRAM.join(" ")} "$@"`);
  }

  /** An executable file of the shell. */
  script(name: string, text: string): string {
    const path = join(this.folder, name);
    writeFileSync(path, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    return path;
  }

  /** A module of the sources as Node reads it. @returns its path */
  async compiled(entry: string): Promise<string> {
    const built = await Bun.build({
      entrypoints: [join(import.meta.dir, "..", "..", "src", "package", `${entry}.ts`)],
      target: "node",
      outdir: this.folder,
      naming: `${entry}.mjs`,
    });
    return built.outputs[0]!.path;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

interface Ran {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | number | null;
  readonly out: string;
  readonly err: string;
}

interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly cwd?: string;
  /** Called with the process while it runs. */
  readonly meanwhile?: (child: Bun.Subprocess<"pipe", "pipe", "pipe">) => Promise<void>;
}

/** Runs a program to its end. */
export async function ran(words: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const child = Bun.spawn([...words], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
    env: { PATH: process.env.PATH, ...options.env },
    ...(options.cwd !== undefined && { cwd: options.cwd }),
  });
  const out = new Response(child.stdout).text();
  const err = new Response(child.stderr).text();
  if (options.input !== undefined) child.stdin.write(options.input);
  await options.meanwhile?.(child);
  child.stdin.end();
  await child.exited;
  return { code: child.exitCode, signal: child.signalCode, out: await out, err: await err };
}

/** Whether a process of this id runs: one that has ended may wait to be looked at by its parent. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch (error) {
    // Elsewhere than on Linux.
    return (error as NodeJS.ErrnoException).syscall === "open" && process.platform !== "linux";
  }
}
