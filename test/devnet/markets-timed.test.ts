// The tools of markets where a clock makes the blocks, where they are made by hand, and where the machine is slow.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemTimeNs } from "../../src/devnet/clock.ts";
import type { Devnet } from "../../src/devnet/devnet.ts";
import type { BlockMode } from "../../src/engine/chain-port.ts";
import { PartyClient } from "../../src/index.ts";
import { SECOND_NS } from "../../src/wire/time-text.ts";
import { startTestDevnet } from "../support/test-devnet.ts";

const folder = mkdtempSync(join(tmpdir(), "lyra-timed-"));

/** Seconds that pass on this machine whenever the time is read. */
let slownessNs = 0n;
let lateNs = 0n;
const nowNs = () => systemTimeNs() + (lateNs += slownessNs);

let devnet: Devnet;
let fresh: string;
beforeAll(async () => {
  devnet = await startTestDevnet({ home: join(folder, "home"), nowNs });
  fresh = await devnet.chain.snapshot();
});
afterAll(async () => {
  await devnet.stop();
  rmSync(folder, { recursive: true, force: true });
});

// biome-ignore lint/suspicious/noExplicitAny: an answer is looked at as it is
async function use(tool: string, body: object): Promise<any> {
  const url = `${devnet.nodeUrl}/devnet/${tool}`;
  const response = await fetch(url, { method: "POST", body: JSON.stringify(body) });
  // biome-ignore lint/suspicious/noExplicitAny: an answer is looked at as it is
  const answer = (await response.json()) as any;
  if (response.status !== 200) throw new Error(`${tool}: ${JSON.stringify(answer)}`);
  return answer;
}

const AN_HOUR: BlockMode = { kind: "interval", intervalMs: 3_600_000 };

test("a ban lasts as long as it was told to, however long ago the last block was", async () => {
  lateNs += 3_600n * SECOND_NS;
  await use("ban", { party: "alice", duration: "10m" });
  await devnet.chain.mine(2);
  const alice = new PartyClient(devnet.chain, devnet.parties[0]!.key);
  const vote = { proposalId: "ab".repeat(32), value: 1 };
  const { outcome } = await alice.send({ kind: "voteSubmission", payload: vote }, { allowRefusal: true });
  expect(outcome.details?.rule).toBe("pow_banned");
  await devnet.chain.revert(fresh);
});

describe("a market is made, priced and settled", () => {
  const cases: readonly [title: string, mode: BlockMode, before?: () => Promise<unknown>][] = [
    ["where the clock's next block is an hour away", AN_HOUR],
    [
      "where a second passes between any two looks at the time",
      { kind: "instant" },
      async () => (slownessNs = SECOND_NS),
    ],
    ["where both are so", AN_HOUR, async () => (slownessNs = 3n * SECOND_NS)],
    [
      "where blocks are made by hand and the clock is frozen",
      { kind: "manual" },
      () => devnet.chain.freezeClock(true),
    ],
    ["long after the last block", AN_HOUR, () => devnet.chain.forwardTime(100n * SECOND_NS)],
    [
      "where the network gives votes two days",
      AN_HOUR,
      async () => {
        await devnet.chain.setParameter("governance.proposal.market.minClose", "48h");
        await devnet.chain.setParameter("governance.proposal.market.minEnact", "49h");
      },
    ],
  ];
  for (const [title, mode, before] of cases)
    test(title, async () => {
      try {
        await before?.();
        await devnet.chain.setBlockMode(mode);
        expect(await use("market/create", { preset: "simple" })).toMatchObject({
          state: "STATE_ACTIVE",
          tradingMode: "TRADING_MODE_CONTINUOUS",
        });
        expect(await use("market/price", { market: "SIMPLE", price: "103" })).toMatchObject({
          markPrice: "103",
        });
        expect(await use("market/settle", { market: "SIMPLE", price: "105" })).toMatchObject({
          state: "STATE_SETTLED",
        });
      } finally {
        slownessNs = 0n;
        await devnet.chain.freezeClock(false);
        await devnet.chain.setBlockMode({ kind: "instant" });
        await devnet.chain.revert(fresh);
      }
    });
});
