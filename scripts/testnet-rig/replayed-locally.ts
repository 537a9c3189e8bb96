import { readFileSync } from "node:fs";
import { readGenesis } from "../../src/engine/genesis.ts";
import { genesisPath } from "../../src/testnet/files.ts";
import type { ValidatorPair } from "../../src/testnet/pair.ts";
import { FedSequencer } from "../../test/abci/fed-sequencer.ts";
import { removeHomes } from "../../test/chain/rig.ts";
import { alike, digestsOf, tablesOf } from "./comparison.ts";
import { engineOf, heightOf, progress, rowsIn } from "./network.ts";
import { sendTransfers, untilIn } from "./transactions.ts";
import type { Trial } from "./trial.ts";

/** An engine that stands still has delivered what was decided. */
const REST_MS = 1_500;

export const replayedLocally: Trial = {
  number: 15,
  title:
    "blocks of the consensus engine through the local sequencer: the same hash at each height, the same rows",
  async run(network) {
    const { pairs } = network;
    const pair = pairs[0]!;
    await untilIn(pair, await sendTransfers(pairs, network.times(40, 200)));
    pair.engine.pause();
    await Bun.sleep(REST_MS);
    const last = await heightOf(pair);
    const tables = tablesOf(pair);
    pair.engine.resume();
    await progress([pair], 2);
    try {
      const local = await replayed(pair, last);
      alike(`rows at block ${last}, of the engine and of the sequencer,`, [tables, digestsOf(local.rows())]);
      local.stop();
    } finally {
      removeHomes();
    }
    return `${last} blocks`;
  },
};

/** @throws Error at the first block whose hash differs from the one that the engines agreed on */
async function replayed(pair: ValidatorPair, last: number): Promise<FedSequencer> {
  const genesis = readGenesis(readFileSync(genesisPath(pair.node), "utf8"));
  const engine = engineOf(pair);
  let local: FedSequencer | undefined;
  for (let height = 1; height <= last; height++) {
    const [{ hash, timeNs, txs }, next] = await Promise.all([engine.block(height), engine.block(height + 1)]);
    const header = { height, hash, timeNs, proposer: proposerOf(pair, height) };
    if (local !== undefined) await local.block(header, txs);
    else if (txs.length === 0) local = new FedSequencer(genesis, header);
    else throw new Error("the first block has transactions");
    if (local.appHash !== next.appHash)
      throw new Error(`block ${height}: ${local.appHash} by the sequencer, ${next.appHash} by the engine`);
  }
  return local!;
}

/** Node id, as the validator stored it. */
function proposerOf(pair: ValidatorPair, height: number): string {
  using db = rowsIn(pair);
  return (db.query("SELECT proposer FROM chain_headers WHERE height = ?").get(height) as { proposer: string })
    .proposer;
}
