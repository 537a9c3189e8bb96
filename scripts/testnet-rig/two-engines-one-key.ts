import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ValidatorPair } from "../../src/testnet/pair.ts";
import { eventually } from "../../test/support/eventually.ts";
import { furtherNode } from "./further-node.ts";
import { dataUrlOf, heightOf, progress, type RigNetwork } from "./network.ts";
import { sendTransfers, untilIn } from "./transactions.ts";
import type { Trial } from "./trial.ts";

/** An error of the log, with the validator's name. */
const NOTICE =
  /"level":"error".*"code":"signed_twice".*block (\d+) has evidence that (\S+) \([0-9a-f]{40}\) signed twice at block \d+/;

export const twoEnginesOneKey: Trial = {
  number: 13,
  network: {},
  title:
    "two engines with one key: every validator has the evidence once, in the same block, and goes on alike",
  async run(network) {
    const { pairs } = network;
    const double = await doubleOf(network, pairs[3]!);
    double.start();
    try {
      await eventually(
        () => pairs.every((pair) => noticesOf(pair).length > 0),
        () => `evidence on every validator: ${pairs.map((pair) => noticesOf(pair).length)}`,
      );
    } finally {
      await double.stop();
    }
    await progress(pairs, 5);
    const last = Math.min(...(await Promise.all(pairs.map(heightOf))));
    const blocks = await evidenceIn(pairs[0]!, last);
    for (const pair of pairs) {
      const notices = noticesOf(pair)
        .map((notice) => Number(NOTICE.exec(notice)![1]))
        .filter((height) => height <= last);
      if (String(notices) !== String(blocks))
        throw new Error(`blocks ${blocks} have evidence, validator ${pair.node.number} has it of ${notices}`);
    }
    const names = new Set(pairs.flatMap(noticesOf).map((notice) => NOTICE.exec(notice)![2]));
    if (names.size !== 1) throw new Error(`the evidence names ${[...names]}`);
    for (const pair of pairs) await expectAlarm(pair, pair === pairs[3]);
    const hashes = await sendTransfers(pairs, 20);
    for (const pair of pairs) await untilIn(pair, hashes);
    return `${blocks.length} pieces of evidence`;
  },
};

/** A copy of a validator with its key, and without what keeps it from signing twice. */
async function doubleOf(network: RigNetwork, { node: pattern }: ValidatorPair): Promise<ValidatorPair> {
  // The engine makes a node key: of two peers with one id the later is refused.
  const without = ["node_key.json"];
  const node = furtherNode(join(network.folder, "double"), pattern.number, pattern, without);
  writeFileSync(
    join(node.consensusHome, "data", "priv_validator_state.json"),
    JSON.stringify({ height: "0", round: 0, step: 0 }),
  );
  return new ValidatorPair(node, network.programs, network.events);
}

/** A metric of every validator rises, and the one whose key it is says so. */
async function expectAlarm(pair: ValidatorPair, isOwn: boolean): Promise<void> {
  const metrics = await (await fetch(dataUrlOf(pair, "/metrics"))).text();
  if (!/^lyra_double_signed_total [1-9]/m.test(metrics)) throw new Error("no metric of double signing");
  const status = await (await fetch(dataUrlOf(pair, "/status"))).text();
  if (status.includes("does another machine have its key?") !== isOwn) throw new Error(`/status: ${status}`);
}

/** Lines of the application's log. */
function noticesOf({ node }: ValidatorPair): string[] {
  const text = readFileSync(join(node.home, "..", "lyra.log"), "utf8");
  return text.split("\n").flatMap((line) => NOTICE.exec(line)?.[0] ?? []);
}

/** Heights of blocks with evidence, once for each piece. @throws Error for a piece that is in two blocks */
async function evidenceIn({ node }: ValidatorPair, last: number): Promise<number[]> {
  const heights: number[] = [];
  const pieces = new Set<string>();
  for (let height = 1; height <= last; height++) {
    const answer = await fetch(`http://127.0.0.1:${node.rpcPort}/block?height=${height}`);
    const { result } = (await answer.json()) as {
      result: { block: { evidence: { evidence: readonly object[] } } };
    };
    for (const piece of result.block.evidence.evidence) {
      const text = JSON.stringify(piece);
      if (pieces.has(text)) throw new Error(`block ${height} has evidence that an earlier one has`);
      pieces.add(text);
      heights.push(height);
    }
  }
  return heights;
}
