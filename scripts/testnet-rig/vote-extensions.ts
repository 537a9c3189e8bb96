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
    await late.stop();
    const hashes = await sendTransfers(others, 20);
    await progress(others, 5);
    const before = { ...counts.get(late)! };
    late.start();
    await progress(pairs, 3);
    for (const pair of pairs) await untilIn(pair, hashes);
    const { given, accepted } = counts.get(late)!;
    await eventually(
      () => counts.get(late)!.given > before.given && counts.get(late)!.accepted > before.accepted,
      () => `the late one gives and accepts extensions: ${given}, ${accepted} of them`,
    );
    for (const [{ node }, { given, accepted }] of counts)
      if (given === 0 || accepted === 0)
        throw new Error(`validator ${node.number} gave ${given} extensions, and accepted ${accepted}`);
    const sum = [...counts.values()].reduce((total, { accepted }) => total + accepted, 0);
    return `${hashes.length} transactions, ${sum} extensions accepted`;
  },
};

/** Answers of a validator to its engine, from now on. */
function countIn(network: RigNetwork, pair: ValidatorPair): { given: number; accepted: number } {
  const count = { given: 0, accepted: 0 };
  network.proxyOf(pair).watch = {
    response({ extendVote, verifyVoteExtension }) {
      if (extendVote) count.given++;
      if (verifyVoteExtension?.status === Status.ACCEPT) count.accepted++;
      return undefined;
    },
  };
  return count;
}
