/** A rig whose blocks go to a store, as a chain's do: what the store refuses stops a chain. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BlockWriter } from "../../../src/store/block-writer.ts";
import { openWriter } from "../../../src/store/database.ts";
import { createMarketRig, type MarketRig, type MarketRigOptions } from "./rig.ts";

/** @returns the rig, whose blocks throw what the store says against them, and its end */
export function createStoredRig(options: MarketRigOptions = {}): { rig: MarketRig; close: () => void } {
  const home = mkdtempSync(join(tmpdir(), "lyra-stored-rig-"));
  const db = openWriter(home);
  const writer = new BlockWriter(db, { isTemporary: true });
  const rig = createMarketRig(options);
  const { engine } = rig;
  const commit = engine.commit.bind(engine);
  engine.commit = () => {
    const committed = commit();
    const { height, timeNs, hash } = engine.core.block;
    const { events, txHashes } = committed.block;
    const inner = events.slice(1, -1);
    writer.write({
      chainId: engine.chainId,
      height,
      timeNs,
      hash: hash.toUpperCase(),
      txHashes,
      events: inner,
    });
    return committed;
  };
  const close = () => {
    db.close();
    rmSync(home, { recursive: true });
  };
  return { rig, close };
}
