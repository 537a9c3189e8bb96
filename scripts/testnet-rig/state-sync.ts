import { mkdirSync, rmSync } from "node:fs";
import { changeSettings, engineHeightOf, engineOf, progress, reach } from "./network.ts";
import { sendTransfers, timesIn, untilIn } from "./transactions.ts";
import type { Trial } from "./trial.ts";

/** Alone on a network: its validator has no rows of the first blocks afterwards. */
export const stateSync: Trial = {
  number: 6,
  network: {},
  isAlone: true,
  title: "an empty validator takes the state from a snapshot of the others, and follows",
  async run(network) {
    const { pairs } = network;
    const others = pairs.slice(0, 3);
    const late = pairs[3]!;
    await late.stop();
    const hashes = await sendTransfers(others, 40);
    await reach(others, 104, 300_000);
    const trusted = await engineOf(others[0]!).block(50);
    rmSync(late.node.home, { recursive: true });
    network.engineCommand(late, "unsafe-reset-all");
    const servers = others.slice(0, 2).map(({ node }) => `http://127.0.0.1:${node.rpcPort}`);
    changeSettings(late, {
      statesync: {
        enable: "true",
        rpc_servers: JSON.stringify(servers.join(",")),
        discovery_time: '"5s"',
        trust_height: "50",
        trust_hash: JSON.stringify(trusted.hash.toUpperCase()),
        trust_period: '"168h0m0s"',
      },
    });
    mkdirSync(late.node.home, { recursive: true });
    late.start();
    const start = performance.now();
    await progress(pairs, 3, 90_000);
    const tookMs = performance.now() - start;
    if (timesIn(late, hashes).some((times) => times > 0)) throw new Error("it executed the old blocks");
    const fresh = await sendTransfers(pairs, 20);
    await untilIn(late, fresh);
    const height = await engineHeightOf(late);
    const [own, other] = await Promise.all([late, others[0]!].map((pair) => engineOf(pair).block(height)));
    if (own!.appHash !== other!.appHash) throw new Error(`hashes differ at block ${height}`);
    return `follows after ${(tookMs / 1_000).toFixed(1)} s`;
  },
};
