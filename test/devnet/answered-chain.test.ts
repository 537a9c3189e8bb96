// A call of the chain in this process, and a read over HTTP right after it, which another thread answers.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Devnet } from "../../src/devnet/devnet.ts";
import { borrowDevnet, returnDevnet } from "../support/shared-devnet.ts";

let devnet: Devnet;
beforeAll(async () => {
  devnet = await borrowDevnet();
});
afterAll(returnDevnet);

/** As the thread that answers knows it. */
async function answeredHash(): Promise<string> {
  const answer = await fetch(`${devnet.nodeUrl}/blockchain/height`);
  return ((await answer.json()) as { hash: string }).hash;
}

const calls: readonly (readonly [string, () => Promise<unknown>])[] = [
  ["mine", () => devnet.chain.mine(1)],
  ["a tool's command", () => devnet.chain.setParameter("spam.protection.max.votes", "9")],
  ["a bridge's event", () => devnet.chain.bridge.deposit("0d".repeat(32), devnet.report().assets[0]!.id, 1n)],
];

test.each(calls)("a block of %s is answered over HTTP when the call has settled", async (_name, call) => {
  const missed: number[] = [];
  for (let n = 0; n < 40; n++) {
    // Keeps the other thread busy.
    const busy = Array.from({ length: 8 }, () => fetch(`${devnet.dataUrl}/api/v2/assets`));
    await call();
    if ((await answeredHash()) !== devnet.chain.status.hash) missed.push(n);
    await Promise.all(busy);
  }
  expect(missed).toEqual([]);
});

test("a revert is answered over HTTP, too, and a call that fails settles as it does", async () => {
  const id = await devnet.chain.snapshot();
  const { hash } = devnet.chain.status;
  await devnet.chain.mine(3);
  await devnet.chain.revert(id);
  expect(await answeredHash()).toBe(hash);
  await expect(devnet.chain.revert("999999")).rejects.toMatchObject({ code: "snapshot_unknown" });
});

test("a call that fails settles also for a test that blocks on it right after another call", async () => {
  await devnet.chain.mine(1);
  await expect(devnet.chain.revert("999999")).rejects.toMatchObject({ code: "snapshot_unknown" });
});
