import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { genesisPath } from "../../src/testnet/files.ts";
import { eventually } from "../../test/support/eventually.ts";
import { heightOf, progress } from "./network.ts";
import { sendTransfers, untilIn } from "./transactions.ts";
import type { Trial } from "./trial.ts";

export const otherGenesis: Trial = {
  number: 21,
  network: {},
  title:
    "one validator's files have another genesis, first the engine's alone, then both: it makes no block and says so, three go on; with the network's it follows",
  async run(network) {
    const { pairs } = network;
    const pair = pairs[2]!;
    const others = network.others(pair);
    await progress(pairs, 3);
    const path = genesisPath(pair.node);
    const own = join(pair.node.home, "..", "own-genesis.json");
    const right = readFileSync(path, "utf8");
    const wrong = right.replace(
      '"spam.protection.maxUserTransfersPerEpoch": "1000000"',
      '"spam.protection.maxUserTransfersPerEpoch": "999999"',
    );
    if (wrong === right) throw new Error("the genesis has no such parameter");
    const anew = async (engine: string, chain: string) => {
      await pair.stop();
      rmSync(pair.node.home, { recursive: true, force: true });
      network.engineCommand(pair, "unsafe-reset-all");
      writeFileSync(path, engine);
      writeFileSync(own, chain);
      return network.pairWith(pair, { more: ["--genesis", own] });
    };
    const hashes: string[] = [];
    const said: string[] = [];
    for (const [engine, chain, words] of [
      [wrong, right, /genesis_differs/],
      [wrong, wrong, /wrong Block\.Header|AppHash/],
    ] as const) {
      const from = network.lines.length;
      const different = await anew(engine, chain);
      different.start();
      try {
        hashes.push(...(await sendTransfers(others, 10)));
        await progress(others, 5);
        const line = await eventually(
          () => network.lines.slice(from).find((each) => words.test(each)),
          () => `a line that says why:\n${network.lines.slice(from).slice(-10).join("\n")}`,
        );
        said.push(line.slice(0, 160));
        if ((await heightOf(different).catch(() => 0)) > 1) throw new Error("it makes blocks");
      } finally {
        await different.stop();
      }
    }
    rmSync(own);
    const again = await anew(right, right);
    await again.stop();
    pair.start();
    await progress(pairs, 3);
    await untilIn(pair, hashes);
    return said.join("; ");
  },
};
