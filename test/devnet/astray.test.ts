// A devnet that something outside of it leads astray says so: the machine's clock, a validator whose work is refused.
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SECOND_NS } from "../../src/wire/time-text.ts";
import { eventually } from "../support/eventually.ts";
import { NO_HTTP, startTestDevnet } from "../support/test-devnet.ts";

const DAY_NS = 86_400_000_000_000n;
const NOW = 1_900_000_000_000_000_000n;

test("given the machine's clock went back 400 days, when a devnet is restarted, then it says so, and time forward goes on from the chain's time", async () => {
  const home = mkdtempSync(join(tmpdir(), "lyra-astray-"));
  try {
    const first = await startTestDevnet({ oneThread: NO_HTTP, home, nowNs: () => NOW, genesisTimeNs: NOW });
    expect(first.resumed).toBe("");
    const last = first.chain.status.timeNs;
    await first.stop();
    let now = NOW - 400n * DAY_NS;
    const again = await startTestDevnet({ oneThread: NO_HTTP, home, nowNs: () => now });
    try {
      expect(again.resumed).toContain("is 400 days ahead of the clock");
      expect(again.resumed).toContain("lyra devnet time forward");
      now += 3_600_000_000_000n;
      const standing = await again.chain.mine(1);
      expect(standing.timeNs - last).toBeLessThan(SECOND_NS);
      await again.chain.forwardTime(SECOND_NS);
      const moved = await again.chain.mine(1);
      now += 5_000_000_000n;
      expect((await again.chain.mine(1)).timeNs).toBe(moved.timeNs + 5_000_000_000n);
    } finally {
      await again.stop();
    }
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});

test("given a clock that is where the chain is, when a devnet is restarted, then nothing is said of it", async () => {
  const home = mkdtempSync(join(tmpdir(), "lyra-astray-"));
  try {
    await (await startTestDevnet({ oneThread: NO_HTTP, home })).stop();
    const again = await startTestDevnet({ oneThread: NO_HTTP, home });
    expect(again.resumed).not.toContain("ahead of the clock");
    await again.stop();
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});

test("given validators whose votes the chain refuses, then the reason is reported once", async () => {
  const problems: unknown[] = [];
  const devnet = await startTestDevnet({ oneThread: NO_HTTP, onProblem: (error) => problems.push(error) });
  try {
    const { agent, chain } = devnet;
    // A vote for something that is not on the chain, as if a duty had asked for it.
    const vote = () => [
      agent.command({ kind: "nodeVote", payload: { reference: "no such thing", type: 1 } }).bytes,
    ];
    agent.answerDuties = vote;
    await chain.mine(1);
    await chain.mine(1);
    await eventually(() => problems.length > 0);
    expect(problems).toEqual([
      expect.objectContaining({
        code: "duty_failed",
        message: expect.stringContaining("a validator's transaction failed: "),
      }),
    ]);
  } finally {
    await devnet.stop();
  }
});
