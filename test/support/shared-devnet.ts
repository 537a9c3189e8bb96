// A devnet for all test files of a process, in the form that users get (two threads). A file borrows it with `borrowDevnet`
// before its tests, and everything that it did is taken back with `returnDevnet` after them.
import { join } from "node:path";
import type { Devnet } from "../../src/devnet/devnet.ts";
import { processFolder } from "./process-folder.ts";
import { startTestDevnet } from "./test-devnet.ts";

interface Shared {
  readonly devnet: Devnet;
  /** Snapshot of the state that each file begins with. */
  readonly clean: string;
}

let shared: Promise<Shared> | undefined;
let isBorrowed = false;

async function start(): Promise<Shared> {
  const folder = processFolder("lyra-shared-devnet");
  const devnet = await startTestDevnet({ home: join(folder, "home") });
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
