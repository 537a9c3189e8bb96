// Small things the benchmarks share.
import { existsSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/** The word after a flag of this process. */
export function argument(name: string): string | undefined {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : process.argv[at + 1];
}

/** The command that starts Lyra: the given executable, else the sources. */
export function programOf(binary: string | undefined): string[] {
  return binary ? [resolve(binary)] : [process.execPath, join(import.meta.dir, "..", "src", "main.ts")];
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** The recording of a real network when it lies beside the project, else the sample that ships with it. */
export function defaultRecording(): string {
  const real = join(import.meta.dir, "..", "..", "shared", "data", "smoketest_to_block_5000.evts.gz");
  return existsSync(real) ? real : join(import.meta.dir, "..", "data", "sample.evts.gz");
}

export interface RunningLyra {
  readonly port: number;
  /** Of the same over gRPC. */
  readonly grpcPort: number;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Starts `lyra serve` on a home, from sources or as the given executable, and waits until it listens. */
export async function startLyra(home: string, binary?: string): Promise<RunningLyra> {
  const out = join(tmpdir(), `lyra-bench-${process.pid}-${Math.random().toString(36).slice(2)}.json`);
  const words = [
    "serve",
    "--home",
    home,
    "--data-port",
    "0",
    "--quiet",
    "--config-out",
    out,
    "--segment-length",
    "1000000",
  ];
  const child = Bun.spawn([...programOf(binary), ...words], { stdout: "ignore", stderr: "inherit" });
  for (let tries = 0; tries < 1000 && !existsSync(out); tries++) await Bun.sleep(10);
  const where = (await Bun.file(out).json()) as { dataPort: number; grpcDataPort: number };
  rmSync(out);
  return {
    port: where.dataPort,
    grpcPort: where.grpcDataPort,
    pid: child.pid,
    async stop() {
      child.kill();
      await child.exited;
    },
  };
}

const TICKS_PER_SECOND = 100;

/** Processor time of a process, all its threads, in seconds. */
export function processorSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** Processor time of this process so far, in milliseconds: collections and compilation count, neighbours on the machine do not. */
export function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** Processor time of a call, in milliseconds. */
export async function costOf(run: () => unknown): Promise<number> {
  const began = processorMs();
  await run();
  return processorMs() - began;
}

/** Resident memory of a process, in MB. */
export function residentMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "latin1");
  return (Number(/^VmRSS:\s+(\d+)/m.exec(status)![1]) * 1024) / 1e6;
}
