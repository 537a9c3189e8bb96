import type { ValidatorPair } from "../../src/testnet/pair.ts";
import { hexOf } from "../../src/wire/identifiers.ts";
import { hashesIn } from "./comparison.ts";
import { Patience, PROXIED, progress, type RigNetwork } from "./network.ts";
import { sendTransfers, untilIn } from "./transactions.ts";
import type { Trial } from "./trial.ts";

/** As of the reference, on a quiet machine. */
const CATCH_UP_MS = 10_000;

/** Moments of a block at which the application dies, and whether the engine brings the block again. */
const MOMENTS = [
  { name: "after finalize_block", isBroughtAgain: true },
  { name: "before commit", isBroughtAgain: true },
  { name: "after commit", isBroughtAgain: false },
] as const;

export const killedChain: Trial = {
  number: 2,
  title: "a chain killed between finalize_block and commit, or behind it, goes on with its engine",
  isShort: true,
  network: PROXIED,
  async run(network) {
    const { pairs } = network;
    const pair = pairs[0]!;
    const patience = new Patience(CATCH_UP_MS);
    const rounds = network.times(1, 3);
    for (let n = 0; n < rounds; n++)
      for (const moment of MOMENTS) {
        const sending = sendTransfers(network.others(pair), 20);
        await patience.within(() => killedAt(network, pair, moment));
        await untilIn(pair, await sending);
      }
    const others = network.times(0, 3);
    for (let n = 0; n < others; n++) {
      const sending = sendTransfers(network.others(pair), 20);
      await Bun.sleep(network.moment(400));
      process.kill(pair.chain.pid!, "SIGKILL");
      await patience.within(() => progress(pairs, 3, patience.ms));
      await untilIn(pair, await sending);
    }
    // The others are killed by the rig's pair when they hang.
    if (!network.lines.some((line) => line.includes("engine ended (exit code 0)")))
      throw new Error("no engine ended by itself");
    return `${rounds * MOMENTS.length + others} kills; ${patience.sentence}`;
  },
};

/** Kills the chain at a moment of the next block, and waits until it follows again. */
async function killedAt(
  network: RigNetwork,
  pair: ValidatorPair,
  { name, isBroughtAgain }: (typeof MOMENTS)[number],
): Promise<void> {
  const proxy = network.proxyOf(pair);
  const kill = () => process.kill(pair.chain.pid!, "SIGKILL");
  let height = 0;
  let appHash = "";
  let finalized = 0;
  let isKilled = false;
  await new Promise<void>((resolve) => {
    const die = (): false => {
      isKilled = true;
      kill();
      resolve();
      return false;
    };
    proxy.watch = {
      request({ finalizeBlock, commit }) {
        if (finalizeBlock && isKilled && Number(finalizeBlock.height) === height) finalized++;
        if (finalizeBlock && !isKilled) height = Number(finalizeBlock.height);
        return commit && height > 0 && !isKilled && name === "before commit" ? die() : undefined;
      },
      response({ finalizeBlock, commit }) {
        if (isKilled || height === 0) return undefined;
        if (finalizeBlock) appHash = hexOf(finalizeBlock.appHash);
        if (finalizeBlock && name === "after finalize_block") return die();
        return commit && name === "after commit" ? die() : undefined;
      },
    };
  });
  await progress(network.pairs);
  proxy.watch = {};
  if (finalized !== Number(isBroughtAgain))
    throw new Error(`killed ${name} of block ${height}: the block came ${finalized} times again`);
  const stored = hashesIn(pair, height).get(height);
  if (stored !== appHash)
    throw new Error(`killed ${name} of block ${height}: its hash was ${appHash}, and is ${stored}`);
}
