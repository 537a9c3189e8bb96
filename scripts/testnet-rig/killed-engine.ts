import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestnetNode } from "../../src/testnet/files.ts";
import type { ValidatorPair } from "../../src/testnet/pair.ts";
import { follow, Patience, progress, rowsIn } from "./network.ts";
import { sendTransfers, timesIn, untilIn } from "./transactions.ts";
import type { Trial } from "./trial.ts";

/** Ten to catch up, as of the reference, and for an engine that was killed the time until it is started again. */
const CATCH_UP_MS = 15_000;
/** Kills of engines alone, and of both processes. */
const ENGINES = 20;
const BOTH = 8;
const ORDERS = [
  ["engine", "chain"],
  ["chain", "engine"],
] as const;

export const killedEngine: Trial = {
  number: 3,
  network: { more: (node) => ["--record", eventFileOf(node)] },
  title: "engines killed at any moment, then both processes in both orders: nothing is lost or doubled",
  async run(network) {
    const { pairs } = network;
    const patience = new Patience(CATCH_UP_MS);
    const sent: string[] = [];
    const rounds = ENGINES + BOTH;
    for (let n = 0; n < rounds; n++) {
      const pair = pairs[n % pairs.length]!;
      const kill = n < ENGINES ? (["engine"] as const) : ORDERS[n % 2]!;
      const sending = sendTransfers(network.others(pair), 15);
      await Bun.sleep(network.moment(600));
      for (const role of kill) {
        const { pid } = pair[role];
        if (pid !== undefined) process.kill(pid, "SIGKILL");
        await Bun.sleep(network.moment(30));
      }
      await patience.within(() => progress(pairs));
      await follow(pairs);
      sent.push(...(await sending));
    }
    for (const pair of pairs) {
      await untilIn(pair, sent);
      if (timesIn(pair, sent).some((each) => each !== 1)) throw new Error("a transaction is in two blocks");
      using db = rowsIn(pair);
      const [row] = db
        .query("SELECT count(*) AS blocks, count(DISTINCT height) AS heights FROM blocks")
        .all() as { blocks: bigint; heights: bigint }[];
      if (row!.blocks !== row!.heights) throw new Error("a block has two rows");
    }
    const bytes = sameEvents(pairs);
    return `${rounds} kills, ${sent.length} transactions, ${bytes} bytes of events alike; ${patience.sentence}`;
  },
};

const eventFileOf = ({ home }: TestnetNode): string => join(home, "..", "events.evts");

/** The event files are alike as far as the shortest goes: a block that came twice would be in it twice. */
function sameEvents(pairs: readonly ValidatorPair[]): number {
  const files = pairs.map(({ node }) => readFileSync(eventFileOf(node)));
  const bytes = Math.min(...files.map(({ length }) => length));
  if (bytes === 0) throw new Error("an event file is empty");
  for (const [n, file] of files.entries())
    if (!file.subarray(0, bytes).equals(files[0]!.subarray(0, bytes)))
      throw new Error(`event files of validators 1 and ${n + 1} differ`);
  return bytes;
}
