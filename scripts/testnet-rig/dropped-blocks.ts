import { expectSame } from "./comparison.ts";
import { dialPeers, furtherNode, takeSnapshot } from "./further-node.ts";
import { engineOf, Patience, progress, reach } from "./network.ts";
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
    "where all engines drop old blocks, a node that comes late takes a snapshot, and an empty home does, too",
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
      return `blocks from ${earliestHeight} on are kept; ${patience.sentence}; ${await expectSame(pairs)}`;
    } finally {
      await late.stop();
    }
  },
};
