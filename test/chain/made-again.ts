// A chain made again from nothing but its transactions and the times of its blocks.
import { Rig } from "./rig.ts";

/** Makes the chain of a store again, from nothing but its transactions and block times. */
export async function madeAgain(db: Rig["db"]): Promise<Rig> {
  const rig = new Rig({ mode: { kind: "manual" } });
  const rows = db.query("SELECT height, time FROM blocks WHERE height > 1 ORDER BY no").all() as {
    height: bigint;
    time: bigint;
  }[];
  const txs = db.prepare("SELECT bytes FROM chain_txs WHERE height = ? ORDER BY n");
  for (const { height, time } of rows) {
    await rig.chain.setNextBlockTime(time * 1_000n);
    for (const { bytes } of txs.all(height) as { bytes: Uint8Array }[])
      await rig.chain.submit(bytes, "check");
    await rig.chain.mine(1);
  }
  txs.finalize();
  return rig;
}
