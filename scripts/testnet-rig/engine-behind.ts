import { cpSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { ValidatorPair } from "../../src/testnet/pair.ts";
import { eventually } from "../../test/support/eventually.ts";
import { tablesOf } from "./comparison.ts";
import { heightOf, progress, type RigNetwork } from "./network.ts";
import { sendTransfers, untilIn } from "./transactions.ts";
import type { Trial } from "./trial.ts";

export const engineBehind: Trial = {
  number: 5,
  network: {},
  title:
    "an engine whose data are older than the home, or gone, does not start: both heights and the way out are said, nothing is written",
  async run(network) {
    const { pairs } = network;
    const pair = pairs[1]!;
    const data = join(pair.node.consensusHome, "data");
    const copy = join(network.folder, "older-data");
    await pair.stop();
    cpSync(data, copy, { recursive: true });
    pair.start();
    const hashes = await sendTransfers(network.others(pair), 20);
    await progress(pairs, 7);

    // Older data, as restored from a backup.
    await pair.stop();
    rmSync(data, { recursive: true });
    cpSync(copy, data, { recursive: true });
    const older = await writesNothing(pair, () => refused(network, pair));

    // None at all.
    rmSync(data, { recursive: true });
    mkdirSync(data);
    network.engineCommand(pair, "unsafe-reset-all");
    const none = await writesNothing(pair, () => refused(network, pair));
    if (none.store !== 0) throw new Error(`an engine without data is at block ${none.store}`);

    // The way out.
    rmSync(pair.node.home, { recursive: true });
    mkdirSync(pair.node.home);
    pair.start();
    await progress(pairs);
    await untilIn(pair, hashes);
    return `refused at block ${older.store} and at 0 with a home at ${older.home}; the way out leads to the others`;
  },
};

const ADVICE = /engine's data end at block (\d+), and Lyra's home is at block (\d+).*Restore both/;

/** Starts the pair, which must say that it cannot go on, and stops it. @returns both heights */
async function refused(network: RigNetwork, pair: ValidatorPair): Promise<{ store: number; home: number }> {
  const from = network.lines.length;
  pair.start();
  try {
    const said = await eventually(
      () =>
        network.lines
          .slice(from)
          .map((line) => ADVICE.exec(line))
          .find((match) => match !== null),
      "both heights are said",
    );
    await eventually(
      () => network.lines.slice(from).filter((line) => line.includes("engine ended")).length > 1,
      "the engine ends each time",
    );
    const [store, home] = said.slice(1).map(Number);
    if ((await heightOf(pair)) !== home) throw new Error(`the home is not at block ${home}`);
    return { store: store!, home: home! };
  } finally {
    await pair.stop();
  }
}

/** @throws Error when the pair writes rows meanwhile */
async function writesNothing<T>(pair: ValidatorPair, work: () => Promise<T>): Promise<T> {
  const before = JSON.stringify([...tablesOf(pair)]);
  const result = await work();
  if (JSON.stringify([...tablesOf(pair)]) !== before) throw new Error("something was written");
  return result;
}
