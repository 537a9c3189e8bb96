// A validator's two processes: what is started again, and what has to be killed for it. Shell scripts stand for the programs.
import { afterAll, expect, test } from "bun:test";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
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

function place() {
  const home = join(scratch.path("node"), "lyra");
  mkdirSync(home, { recursive: true });
  return {
    ...{ number: 1, home, consensusHome: join(home, "..", "consensus"), abci: "tcp://127.0.0.1:1" },
    ...{ peerPort: 1, rpcPort: 1, nodePort: 1, dataPort: 1 },
  };
}

test("given an engine whose blocks end below the home's, then both heights and the way out are said once", async () => {
  const heights = (application: number, store: number) =>
    `I[2026-11-29|01:31:12.477] ABCI Replay Blocks module=consensus appHeight=${application} storeHeight=${store} stateHeight=${store}`;
  const cometbft = script("engine", `echo '${heights(80, 80)}'\necho '${heights(80, 74)}'\necho done`);
  const lines: string[] = [];
  let ends = 0;
  const pair = new ValidatorPair(
    place(),
    { lyra: [script("chain", "exec sleep 1000")], cometbft },
    { onLine: (_, role, line) => lines.push(`${role} ${line}`), onEnded: () => ends++ },
    { pauseMs: 1, engineEndMs: 10_000 },
  );
  pair.start();
  await eventually(() => ends > 1);
  await Promise.all([pair.engine.stop("SIGKILL"), pair.chain.stop()]);
  expect(lines).toEqual([
    "engine the consensus engine's data end at block 74, and Lyra's home is at block 80: it cannot start. Restore both from the same time, or stop both and move Lyra's home away: it is filled again from blocks",
  ]);
});

test("given an engine that hangs after its chain was killed, then it is killed and started again", async () => {
  const waits = "exec sleep 1000";
  // As CometBFT, which traps the signal that it sends to itself, and then waits for ever.
  const cometbft = script(
    "engine",
    "trap '' TERM\necho ABCI Handshake App Info\necho ERROR later\nexec sleep 1000",
  );
  const ended: string[] = [];
  const met = Promise.withResolvers<void>();
  const pair = new ValidatorPair(
    place(),
    { lyra: [script("chain", waits)], cometbft },
    {
      onLine: () => met.resolve(),
      onEnded: (_, role, how) => ended.push(`${role} ${how}`),
    },
    { pauseMs: 1, engineEndMs: 10 },
  );
  pair.start();
  await met.promise;
  const first = { chain: pair.chain.pid!, engine: pair.engine.pid! };
  process.kill(first.chain, "SIGKILL");
  await eventually(() => ended.length === 2);
  expect(ended).toEqual(["chain SIGKILL", "engine SIGKILL"]);
  await eventually(() => pair.chain.pid !== undefined && pair.engine.pid !== undefined);
  expect(pair.engine.pid).not.toBe(first.engine);
  await Promise.all([pair.engine.stop("SIGKILL"), pair.chain.stop()]);
});
