import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { ValidatorPair } from "../../src/testnet/pair.ts";
import { eventually } from "../../test/support/eventually.ts";
import { expectSame } from "./comparison.ts";
import { dialPeers, furtherNode, takeSnapshot } from "./further-node.ts";
import { engineOf, Patience, progress, type RigNetwork, reach } from "./network.ts";
import { sendTransfers, timesIn, untilIn } from "./transactions.ts";
import type { Trial } from "./trial.ts";

const KEPT = 20;
/** Of the second snapshot, at which the first blocks are dropped, and two headers more. */
const HEIGHT = 204;
const TRUST_HEIGHT = 110;
const REACH_MS = 400_000;
const FOLLOW_MS = 30_000;

export const droppedBlocks: Trial = {
  number: 20,
  network: { more: () => ["--retain-blocks", String(KEPT)] },
  isAlone: true,
  title:
    "where all engines drop old blocks, a node that comes late takes a snapshot; a lost home cannot be executed again, is told so, and takes one, too",
  async run(network) {
    const { pairs } = network;
    const nodes = pairs.map(({ node }) => node);
    const old = await sendTransfers(pairs, 20);
    await reach(pairs, HEIGHT, REACH_MS);
    await progress(pairs, 3);
    const { earliestHeight } = await engineOf(pairs[0]!).status();
    if (earliestHeight !== 100) throw new Error(`the engine's blocks begin at ${earliestHeight}`);
    const node = furtherNode(network.folder, 5, nodes[0]!);
    dialPeers(node, nodes, network.programs.cometbft);
    await takeSnapshot(node, nodes, TRUST_HEIGHT);
    const late = network.pairWith({ node }, {});
    const patience = new Patience(FOLLOW_MS);
    try {
      late.start();
      await patience.within(() => progress([...pairs, late]));
      const fresh = await sendTransfers([...pairs, late], 20);
      await untilIn(late, fresh);
      if (timesIn(late, old).some((times) => times > 0)) throw new Error("it executed the old blocks");
      await loseHome(network, pairs[2]!);
      const same = await expectSame(network.others(pairs[2]!));
      return `blocks from ${earliestHeight} on are kept; ${patience.sentence}; ${same}`;
    } finally {
      await late.stop();
    }
  },
};

/** A validator's home is gone, and its engine's blocks do not reach back to the first. */
async function loseHome(network: RigNetwork, pair: ValidatorPair): Promise<void> {
  const { node } = pair;
  const others = network.others(pair);
  await pair.stop();
  rmSync(node.home, { recursive: true });
  mkdirSync(node.home);
  const from = network.lines.length;
  pair.start();
  await eventually(
    () => network.lines.slice(from).some((line) => line.includes("too far below block store base")),
    "its engine says that the blocks are gone",
  );
  await pair.stop();
  const data = join(node.consensusHome, "data");
  for (const name of readdirSync(data))
    if (name !== "priv_validator_state.json") rmSync(join(data, name), { recursive: true });
  const nodes = others.map((other) => other.node);
  await takeSnapshot(node, nodes, TRUST_HEIGHT);
  pair.start();
  await progress(network.pairs);
  const hashes = await sendTransfers(network.pairs, 20);
  await untilIn(pair, hashes);
}
