// A validator's two processes: what is started again, and what has to be killed for it. Shell scripts stand for the programs.
import { afterAll, expect, test } from "bun:test";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { ValidatorPair } from "../../src/testnet/pair.ts";
import { Scratch } from "../rig/homes.ts";
import { eventually } from "../support/eventually.ts";

const scratch = new Scratch("pair");
afterAll(() => scratch.remove());

function script(name: string, text: string): string {
  const path = scratch.path(name);
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
  return path;
}

test("given an engine that hangs after its chain was killed, then it is killed and started again", async () => {
  const home = scratch.path("node1/lyra");
  mkdirSync(home, { recursive: true });
  const waits = "exec sleep 1000";
  // As CometBFT, which traps the signal that it sends to itself, and then waits for ever.
  const cometbft = script("engine", "trap '' TERM\nexec sleep 1000");
  const ended: string[] = [];
  const pair = new ValidatorPair(
    {
      ...{ number: 1, home, consensusHome: scratch.path("node1/consensus"), abci: "tcp://127.0.0.1:1" },
      ...{ peerPort: 1, rpcPort: 1, nodePort: 1, dataPort: 1 },
    },
    { lyra: [script("chain", waits)], cometbft },
    { onEnded: (_, role, how) => ended.push(`${role} ${how}`) },
    { pauseMs: 1, engineEndMs: 10 },
  );
  pair.start();
  const first = { chain: pair.chain.pid!, engine: pair.engine.pid! };
  process.kill(first.chain, "SIGKILL");
  await eventually(() => ended.length === 2);
  expect(ended).toEqual(["chain SIGKILL", "engine SIGKILL"]);
  await eventually(() => pair.chain.pid !== undefined && pair.engine.pid !== undefined);
  expect(pair.engine.pid).not.toBe(first.engine);
  await Promise.all([pair.engine.stop("SIGKILL"), pair.chain.stop()]);
});
