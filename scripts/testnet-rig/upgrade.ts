import { ValidatorKeys } from "../../src/devnet/keys.ts";
import type { ValidatorPair } from "../../src/testnet/pair.ts";
import type { CommandInit } from "../../src/wire/transaction.ts";
import { sameHashes, tablesOf } from "./comparison.ts";
import { dataUrlOf, heightOf, reach, urlOf } from "./network.ts";
import { send, signed, tipOf } from "./transactions.ts";
import type { Trial } from "./trial.ts";

export const upgrade: Trial = {
  number: 12,
  network: {},
  isAlone: true,
  title: "an upgrade that all agree on: all stand behind its block with one hash, and serve reads",
  async run(network) {
    const { pairs } = network;
    const at = (await heightOf(pairs[0]!)) + 40;
    for (const pair of pairs) {
      const keys = new ValidatorKeys(pair.node.number);
      const command: CommandInit = {
        kind: "protocolUpgradeProposal",
        payload: { upgradeBlockHeight: BigInt(at), vegaReleaseTag: "v0.72.0" },
      };
      const bytes = signed(command, { key: keys.vega(1) }, await tipOf(pair));
      const answer = await send(pair, bytes, "TYPE_COMMIT");
      if (!answer.success) throw new Error(`the proposal was refused: ${answer.log}`);
    }
    const late = pairs[3]!;
    await late.stop();
    const three = network.others(late);
    await reach(three, at);
    await Bun.sleep(3_000);
    await stand(three, at);
    late.start();
    await reach([late], at);
    await stand(pairs, at);
    const hashes = await Promise.all(
      pairs.map(async (pair) => {
        const statistics = (await (await fetch(urlOf(pair, "/statistics"))).json()) as {
          statistics: { blockHash: string };
        };
        return statistics.statistics.blockHash;
      }),
    );
    if (new Set(hashes).size !== 1) throw new Error(`hashes differ: ${hashes}`);
    await sameHashes(pairs, at);
    const digests = pairs.map((pair) => JSON.stringify([...tablesOf(pair)]));
    if (new Set(digests).size !== 1) throw new Error("rows differ");
    return `all stand behind block ${at}`;
  },
};

async function stand(pairs: readonly ValidatorPair[], at: number): Promise<void> {
  for (const pair of pairs) {
    const height = await heightOf(pair);
    const status = (await (await fetch(urlOf(pair, "/readyz"))).text()).trim();
    if (height !== at) throw new Error(`validator ${pair.node.number} is at ${height}, not at ${at}`);
    if (!status.includes("upgrade")) throw new Error(`/readyz says: ${status}`);
    const data = await fetch(dataUrlOf(pair, "/api/v2/assets"));
    if (data.status !== 200) throw new Error(`reads answer ${data.status}`);
  }
}
