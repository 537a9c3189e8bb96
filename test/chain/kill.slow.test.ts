// kill -9 of a chain under load.
import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { differences } from "../support/digests.ts";
import { runs, SEED } from "../support/seed.ts";
import { madeAgain } from "./made-again.ts";
import { Rig, type RigOptions, randomOf, removeHomes } from "./rig.ts";

afterAll(removeHomes);

const MANUAL: RigOptions = { mode: { kind: "manual" } };

test("a chain that is killed under load, again and again, loses no acknowledged transaction", async () => {
  const random = randomOf(SEED);
  const { home, ...rig } = await emptyHome();
  rig.close();
  const acknowledged = new Map<string, number>();
  let replays = 0;
  for (let round = 1; round <= runs(6); round++) {
    const child = Bun.spawn([process.execPath, join(import.meta.dir, "kill-child.ts"), home, String(round)], {
      stdout: "pipe",
      stderr: "inherit",
    });
    let output = "";
    const decoder = new TextDecoder();
    let killing: Promise<void> | undefined;
    for await (const piece of child.stdout) {
      output += decoder.decode(piece, { stream: true });
      // Some time after the first transaction of this life.
      if (output.includes("ack ")) killing ??= Bun.sleep(random() * 350).then(() => child.kill("SIGKILL"));
    }
    await killing;
    const lines = output.split("\n").slice(0, -1);
    if (lines.some((line) => /state of block \d+, [1-9]\d* blocks replayed/.test(line))) replays++;
    for (const line of lines) {
      const [, hash, height] = /^ack ([0-9A-F]{64}) (\d+)$/.exec(line) ?? [];
      if (hash) acknowledged.set(hash, Number(height));
    }
    expect(lines.filter((line) => line.startsWith("refused"))).toEqual([]);
  }
  expect(acknowledged.size).toBeGreaterThan(6);
  expect(replays).toBeGreaterThan(0);
  const survivor = new Rig({ ...MANUAL, home });
  const stored = survivor.db.query("SELECT height, bytes FROM chain_txs").all() as {
    height: bigint;
    bytes: Uint8Array;
  }[];
  const heights = new Map(
    stored.map(({ height, bytes }) => [
      new Bun.CryptoHasher("sha256").update(bytes).digest("hex").toUpperCase(),
      Number(height),
    ]),
  );
  for (const [hash, height] of acknowledged) expect(heights.get(hash)).toBe(height);
  const again = await madeAgain(survivor.db);
  expect(again.chain.status.appHash).toBe(survivor.chain.status.appHash);
  expect(differences(again.digest(), survivor.digest())).toEqual([]);
  await again.stop();
  await survivor.stop();
}, 120_000);

async function emptyHome(): Promise<{ home: string; close(): void }> {
  const rig = new Rig(MANUAL);
  return { home: rig.home, close: () => rig.abandon() };
}
