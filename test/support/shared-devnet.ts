// Devnets for all test files of a process, in the form that users get (two threads): an empty one, and one with the
// demonstration's month of history. A file borrows one before its tests, and everything that it did is taken back after them.
import { join } from "node:path";
import type { Devnet } from "../../src/devnet/devnet.ts";
import { processFolder } from "./process-folder.ts";
import { startTestDevnet } from "./test-devnet.ts";

interface Shared {
  readonly devnet: Devnet;
  /** Snapshot of the state that each file begins with. */
  readonly clean: string;
}

class SharedDevnet {
  private shared: Promise<Shared> | undefined;
  private isBorrowed = false;

  constructor(private readonly start: () => Promise<Devnet>) {}

  async borrow(): Promise<Devnet> {
    if (this.isBorrowed) throw new Error("the shared devnet was not returned by the file before");
    this.isBorrowed = true;
    this.shared ??= this.start().then(async (devnet) => ({ devnet, clean: await devnet.chain.snapshot() }));
    return (await this.shared).devnet;
  }

  async return(): Promise<void> {
    if (!this.isBorrowed) return;
    this.isBorrowed = false;
    const { devnet, clean } = await this.shared!;
    await devnet.chain.revert(clean);
  }
}

const homeOf = (name: string) => join(processFolder(name), "home");
const empty = new SharedDevnet(() => startTestDevnet({ home: homeOf("lyra-shared-devnet") }));
const demo = new SharedDevnet(async () => {
  const { DEMO_SECONDS, playDemo } = await import("../../src/devnet/demo/demo.ts");
  const genesisTimeNs = (BigInt(Date.now()) - BigInt(DEMO_SECONDS) * 1_000n) * 1_000_000n;
  const devnet = await startTestDevnet({ home: homeOf("lyra-shared-demo"), genesisTimeNs });
  await playDemo(devnet);
  return devnet;
});

/** @param parameters of the network, changed for this file */
export async function borrowDevnet(parameters: Readonly<Record<string, string>> = {}): Promise<Devnet> {
  const devnet = await empty.borrow();
  for (const [key, value] of Object.entries(parameters)) await devnet.chain.setParameter(key, value);
  return devnet;
}
export const returnDevnet = () => empty.return();

export const borrowDemo = () => demo.borrow();
export const returnDemo = () => demo.return();
