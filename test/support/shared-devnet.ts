// One devnet for all test files of a process, in the form that users get (two threads). A file borrows it with `borrowDevnet`
// before its tests, and everything that it did is taken back with `returnDevnet` after them.
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Devnet } from "../../src/devnet/devnet.ts";
import { startNode } from "../../src/start-node.ts";
import { MEMORY } from "../rig/homes.ts";

interface Shared {
  readonly devnet: Devnet;
  /** Snapshot of the state that each file begins with. */
  readonly clean: string;
}

/** The process's number follows. */
const PREFIX = "lyra-shared-devnet-";
let shared: Promise<Shared> | undefined;
let isBorrowed = false;

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** A devnet lives as long as its process, whose end no test sees: the next process removes its home. */
function removeAbandoned(): void {
  for (const name of readdirSync(MEMORY).filter((each) => each.startsWith(PREFIX))) {
    if (isRunning(Number(name.slice(PREFIX.length)))) continue;
    rmSync(join(MEMORY, name), { recursive: true, force: true });
  }
}

async function start(): Promise<Shared> {
  removeAbandoned();
  const folder = join(MEMORY, `${PREFIX}${process.pid}`);
  rmSync(folder, { recursive: true, force: true });
  const devnet = await startNode({ kind: "devnet", home: join(folder, "home"), thread: true });
  return { devnet, clean: await devnet.chain.snapshot() };
}

/** @param parameters of the network, changed for this file */
export async function borrowDevnet(parameters: Readonly<Record<string, string>> = {}): Promise<Devnet> {
  if (isBorrowed) throw new Error("the shared devnet was not returned by the file before");
  isBorrowed = true;
  shared ??= start();
  const { devnet } = await shared;
  for (const [key, value] of Object.entries(parameters)) await devnet.chain.setParameter(key, value);
  return devnet;
}

export async function returnDevnet(): Promise<void> {
  if (!isBorrowed) return;
  isBorrowed = false;
  const { devnet, clean } = await shared!;
  await devnet.chain.revert(clean);
}
