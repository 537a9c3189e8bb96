import { progress } from "./network.ts";
import { sendTransfers, untilIn } from "./transactions.ts";
import type { Trial } from "./trial.ts";

export const voteExtensions: Trial = {
  number: 23,
  network: {
    changeGenesis(text) {
      const genesis = JSON.parse(text) as { consensus_params: object };
      const consensus_params = { ...genesis.consensus_params, abci: { vote_extensions_enable_height: "5" } };
      return JSON.stringify({ ...genesis, consensus_params });
    },
  },
  title: "vote extensions, which a genesis asks for: blocks go on, also for a validator that comes late",
  async run({ pairs }) {
    const late = pairs[3]!;
    await progress(pairs, 8);
    await late.stop();
    const hashes = await sendTransfers(pairs.slice(0, 3), 20);
    await progress(pairs.slice(0, 3), 5);
    late.start();
    await progress(pairs, 3);
    for (const pair of pairs) await untilIn(pair, hashes);
    return `${hashes.length} transactions`;
  },
};
