import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { progress } from "./network.ts";
import { sendTransfers, untilIn } from "./transactions.ts";
import type { Trial } from "./trial.ts";

export const olderHome: Trial = {
  number: 4,
  network: { changeGenesis: spelledOut },
  title:
    "a home of seven blocks ago, then an empty one, comes to where the others are, from a genesis in another spelling, too",
  async run({ pairs, folder }) {
    const pair = pairs[2]!;
    const copy = join(folder, "older");
    await pair.stop();
    cpSync(pair.node.home, copy, { recursive: true });
    pair.start();
    const hashes = await sendTransfers(pairs.slice(0, 2), 30);
    await progress(pairs, 7);
    await pair.stop();
    rmSync(pair.node.home, { recursive: true });
    cpSync(copy, pair.node.home, { recursive: true });
    pair.start();
    await progress(pairs);
    await pair.stop();
    rmSync(pair.node.home, { recursive: true });
    pair.start();
    await progress(pairs);
    await untilIn(pair, hashes);
    return "replayed from its copy, and from the genesis";
  },
};

/** With names that the engine's copy spells in another way from the second start on. */
function spelledOut(text: string): string {
  const genesis = JSON.parse(text) as { app_state: { validators: Record<string, { name: string }> } };
  for (const validator of Object.values(genesis.app_state.validators)) validator.name += " <a> & \u2028";
  return `\n${JSON.stringify(genesis, undefined, 4)}\n\n`;
}
