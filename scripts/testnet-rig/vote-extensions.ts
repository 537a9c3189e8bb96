import type { ValidatorPair } from "../../src/testnet/pair.ts";
import { ResponseVerifyVoteExtensionVerifyStatus as Status } from "../../src/wire/generated/abci.ts";
import { eventually } from "../../test/support/eventually.ts";
import { progress, type RigNetwork } from "./network.ts";
import { sendTransfers, untilIn } from "./transactions.ts";
import type { Trial } from "./trial.ts";

/** Of the first block whose votes have extensions. */
const HEIGHT = 5;

export const voteExtensions: Trial = {
  number: 23,
  network: {
    isProxied: true,
    changeGenesis(text) {
      const genesis = JSON.parse(text) as { consensus_params: object };
      const abci = { vote_extensions_enable_height: String(HEIGHT) };
      return JSON.stringify({ ...genesis, consensus_params: { ...genesis.consensus_params, abci } });
    },
  },
  title:
    "vote extensions, which a genesis asks for: each validator gives its own and accepts the others', and blocks go on, also for one that comes late",
  async run(network) {
    const { pairs } = network;
    const late = pairs[3]!;
    const others = network.others(late);
    const counts = new Map(pairs.map((pair) => [pair, countIn(network, pair)]));
    await progress(pairs, HEIGHT + 3);
    for (const [{ node }, { extended, accepted }] of counts)
      if (extended === 0 || accepted === 0)
        throw new Error(`validator ${node.number} gave ${extended} extensions, and accepted ${accepted}`);
    await late.stop();
    const hashes = await sendTransfers(others, 20);
    await progress(others, 5);
    const count = countIn(network, late);
    late.start();
    await progress(pairs, 3);
    for (const pair of pairs) await untilIn(pair, hashes);
    await eventually(
      () => count.extended > 0 && count.accepted > 0,
      () => `the late one gives ${count.extended} extensions, and accepts ${count.accepted}`,
    );
    const sum = [...counts.values(), count].reduce((total, { accepted }) => total + accepted, 0);
    return `${hashes.length} transactions, ${sum} extensions accepted`;
  },
};

/** Answers of a validator to its engine, from now on. */
function countIn(network: RigNetwork, pair: ValidatorPair): { extended: number; accepted: number } {
  const count = { extended: 0, accepted: 0 };
  network.proxyOf(pair).watch = {
    response({ extendVote, verifyVoteExtension }) {
      if (extendVote) count.extended++;
      if (verifyVoteExtension?.status === Status.ACCEPT) count.accepted++;
      return undefined;
    },
  };
  return count;
}
