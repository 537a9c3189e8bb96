import { ValidatorKeys } from "../../src/devnet/keys.ts";
import type { ValidatorPair } from "../../src/testnet/pair.ts";
import type { CommandInit } from "../../src/wire/transaction.ts";
import { eventually } from "../../test/support/eventually.ts";
import { expectSame, sameAt } from "./comparison.ts";
import { dialPeers, furtherNode } from "./further-node.ts";
import { dataUrlOf, heightOf, progress, type RigNetwork, reach, releaseWords, urlOf } from "./network.ts";
import { send, sendTransfers, signed, tipOf, untilIn } from "./transactions.ts";
import type { Trial } from "./trial.ts";

const RELEASE = "v0.72.0";
/** Blocks from the proposals to the upgrade. */
const BLOCKS = 40;

export const upgrade: Trial = {
  number: 12,
  network: {},
  isAlone: true,
  title:
    "an upgrade that all agree on: all stand behind its block with one hash, and serve reads, a node that joins meanwhile among them; the next release goes on, and the former one does not",
  async run(network) {
    const { pairs } = network;
    const late = pairs[3]!;
    const three = network.others(late);
    const at = (await heightOf(pairs[0]!)) + BLOCKS;
    await propose(pairs, at);
    await late.stop();
    await reach(three, at);
    await eventually(() => standsAt(three, at), "three validators stand behind the block");
    late.start();
    await reach([late], at);
    await eventually(() => standsAt(pairs, at), "all validators stand behind the block");
    await sameAt(pairs, at);

    const all = [...pairs, await joined(network, at)];
    await sameAt(all, at);
    for (const pair of all) await pair.stop();
    const next = all.map((pair) => network.pairWith(pair, { lyra: releaseWords(RELEASE) }));
    try {
      for (const pair of next) pair.start();
      await progress(next);
      const hashes = await sendTransfers(next, 40);
      for (const pair of next) await untilIn(pair, hashes);
      await former(network, next[3]!);
      await next[3]!.stop();
      next[3]!.start();
      await progress(next);
      const same = await expectSame(next);
      return `all stood behind block ${at} and go on with ${RELEASE}; ${same}`;
    } finally {
      for (const pair of next) await pair.stop();
    }
  },
};

/** A node that joins meanwhile executes all blocks, which it has from those that stand. */
async function joined(network: RigNetwork, at: number): Promise<ValidatorPair> {
  const nodes = network.pairs.map(({ node }) => node);
  const node = furtherNode(network.folder, nodes.length + 1, nodes[0]!);
  dialPeers(node, nodes, network.programs.cometbft);
  const pair = network.pairWith({ node }, {});
  pair.start();
  try {
    await reach([pair], at);
    await eventually(() => standsAt([pair], at), "a node that joins stands behind the block");
  } catch (error) {
    await pair.stop();
    throw error;
  }
  return pair;
}

async function propose(pairs: readonly ValidatorPair[], at: number): Promise<void> {
  const command: CommandInit = {
    kind: "protocolUpgradeProposal",
    payload: { upgradeBlockHeight: BigInt(at), vegaReleaseTag: RELEASE },
  };
  for (const pair of pairs) {
    const key = new ValidatorKeys(pair.node.number).vega(1);
    const answer = await send(pair, signed(command, { key }, await tipOf(pair)), "TYPE_COMMIT");
    if (!answer.success) throw new Error(`the proposal was refused: ${answer.log}`);
  }
}

/** They are at the block, say that an upgrade is due, and serve reads. */
async function standsAt(pairs: readonly ValidatorPair[], at: number): Promise<boolean> {
  for (const pair of pairs) {
    const height = await heightOf(pair);
    if (height > at) throw new Error(`validator ${pair.node.number} is at ${height}, not at ${at}`);
    const status = await (await fetch(urlOf(pair, "/readyz"))).text();
    if (height < at || !status.includes("upgrade")) return false;
    const data = await fetch(dataUrlOf(pair, "/api/v2/assets"));
    if (data.status !== 200) throw new Error(`reads answer ${data.status}`);
  }
  return true;
}

/** The former release over a home of the next one makes no block, and says why. */
async function former(network: RigNetwork, pair: ValidatorPair): Promise<void> {
  await pair.stop();
  const old = network.pairWith(pair, {});
  old.start();
  try {
    await eventually(async () => {
      const answer = await fetch(urlOf(old, "/readyz")).catch(() => undefined);
      return (await answer?.text())?.includes(`upgrade to ${RELEASE} was made`);
    }, "the former release says that it cannot go on");
    const height = await heightOf(old);
    await progress(network.pairs.slice(0, 3));
    if ((await heightOf(old)) !== height) throw new Error("the former release makes blocks");
  } finally {
    await old.stop();
  }
}
