// A devnet of a test's own, in the form that users get: HTTP and gRPC are answered by a thread of their own. Tests that can
// share one borrow it (shared-devnet.ts).
import type { Devnet, DevnetConfig } from "../../src/devnet/devnet.ts";
import { startNode } from "../../src/start-node.ts";
import { eventually } from "./eventually.ts";

/** A reason for one thread. */
export const NO_HTTP = "nothing is asked over HTTP";

interface TestDevnetConfig extends Omit<DevnetConfig, "kind" | "thread"> {
  /** Why one thread does everything, as in a program that starts its devnet by `createDevnet` without `thread`. */
  readonly oneThread?: string;
}

export function startTestDevnet({ oneThread, ...config }: TestDevnetConfig = {}): Promise<Devnet> {
  return startNode({ ...config, kind: "devnet", thread: oneThread === undefined });
}

/** Waits until no block is wanted any more: the validators' own transactions, and what follows from them, are in blocks. @returns the height */
export async function heightAtRest({ chain }: Devnet): Promise<number> {
  let { height } = chain.status;
  let looks = 0;
  await eventually(() => {
    looks = chain.status.height === height ? looks + 1 : 0;
    height = chain.status.height;
    return looks === 8;
  });
  return height;
}

/** Makes blocks over HTTP: the thread that answers knows of them then. */
export async function mineOverHttp({ nodeUrl }: Pick<Devnet, "nodeUrl">, blocks: number): Promise<void> {
  const answer = await fetch(`${nodeUrl}/devnet/mine`, { method: "POST", body: JSON.stringify({ blocks }) });
  if (!answer.ok) throw new Error(await answer.text());
}
