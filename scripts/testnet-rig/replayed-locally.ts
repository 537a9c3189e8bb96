import { readFileSync } from "node:fs";
import { StateSnapshots } from "../../src/chain/state-snapshots.ts";
import { type Genesis, readGenesis } from "../../src/engine/genesis.ts";
import { genesisPath } from "../../src/testnet/files.ts";
import type { ValidatorPair } from "../../src/testnet/pair.ts";
import { hexOf } from "../../src/wire/identifiers.ts";
import { FedSequencer } from "../../test/abci/fed-sequencer.ts";
import { handSnapshot, identityOf } from "../../test/abci/snapshots.ts";
import { removeHomes } from "../../test/chain/rig.ts";
import { alike, digestsOf, tablesOf } from "./comparison.ts";
import { atOneHeight, engineOf, progress, reach, rowsIn } from "./network.ts";
import { runExample } from "./readme-examples.ts";
import { sendTransfers, untilIn } from "./transactions.ts";
import type { Trial } from "./trial.ts";

/** Behind two snapshots. */
const BLOCKS = 250;
const BLOCKS_MS = 600_000;

export const replayedLocally: Trial = {
  number: 15,
  title:
    "blocks of the consensus engine through the local sequencer: the same hash at each height, the same rows, the same snapshots, from which it goes on, too",
  async run(network) {
    const { pairs } = network;
    const pair = pairs[0]!;
    await runExample("first-market", pair);
    await untilIn(pair, await sendTransfers(pairs, network.times(40, 1_000)));
    if (!network.isShort) await reach([pair], BLOCKS, BLOCKS_MS);
    const [last, tables] = await atOneHeight([pair], (height) => [height, tablesOf(pair)] as const);
    await progress([pair], 2);
    const replay = new Replay(pair);
    try {
      const local = await replay.until(last);
      alike(`rows at block ${last}, of the engine and of the sequencer,`, [tables, digestsOf(local.rows())]);
    } finally {
      replay.stop();
      removeHomes();
    }
    if (!network.isShort && replay.snapshots < 2) throw new Error(`only ${replay.snapshots} snapshots`);
    return `${last} blocks with ${replay.txs} transactions, ${replay.snapshots} snapshots`;
  },
};

/** A validator's blocks through the local sequencer, from the genesis on, and from the first snapshot on. */
class Replay {
  txs = 0;
  snapshots = 0;
  private readonly genesis: Genesis;
  private readonly theirs: StateSnapshots;
  private local: FedSequencer | undefined;
  private late: FedSequencer | undefined;

  constructor(private readonly pair: ValidatorPair) {
    this.genesis = readGenesis(readFileSync(genesisPath(pair.node), "utf8"));
    this.theirs = new StateSnapshots(pair.node.home, identityOf(this.genesis));
  }

  /** @throws Error at the first block whose hash differs from the one that the engines agreed on */
  async until(last: number): Promise<FedSequencer> {
    const engine = engineOf(this.pair);
    for (let height = 1; height <= last; height++) {
      const [{ hash, timeNs, txs }, next] = await Promise.all([
        engine.block(height),
        engine.block(height + 1),
      ]);
      const header = { height, hash, timeNs, proposer: proposerOf(this.pair, height) };
      this.txs += txs.length;
      if (this.local !== undefined) await this.local.block(header, txs);
      else if (txs.length === 0) this.local = new FedSequencer(this.genesis, header);
      else throw new Error("the first block has transactions");
      await this.late?.block(header, txs);
      for (const chain of [this.local, this.late])
        if (chain !== undefined && chain.appHash !== next.appHash)
          throw new Error(
            `block ${height}: ${chain.appHash} by the sequencer, ${next.appHash} by the engine`,
          );
      await this.compareSnapshot(this.local, height, next.appHash);
    }
    return this.local!;
  }

  stop(): void {
    this.local?.stop();
    this.late?.stop();
  }

  /** A snapshot of the sequencer's has the same content as the validator's; another sequencer begins with the first of these. */
  private async compareSnapshot(local: FedSequencer, height: number, appHash: string): Promise<void> {
    const snapshot = this.theirs.list().find((each) => each.height === height);
    if (snapshot === undefined) return;
    local.core.flush();
    const own = await new StateSnapshots(local.home, identityOf(this.genesis)).write(0);
    if (hexOf(own.hash) !== hexOf(snapshot.hash)) throw new Error(`snapshots of block ${height} differ`);
    this.snapshots++;
    if (this.late !== undefined) return;
    this.late = new FedSequencer(this.genesis, undefined);
    handSnapshot(this.theirs, snapshot, this.genesis, appHash, this.late);
  }
}

/** Node id, as the validator stored it. */
function proposerOf(pair: ValidatorPair, height: number): string {
  using db = rowsIn(pair);
  return (db.query("SELECT proposer FROM chain_headers WHERE height = ?").get(height) as { proposer: string })
    .proposer;
}
