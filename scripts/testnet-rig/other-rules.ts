import { rmSync } from "node:fs";
import { eventually } from "../../test/support/eventually.ts";
import { dataUrlOf, heightOf, Patience, progress, urlOf } from "./network.ts";
import { parties, send, sendTransfers, signed, tipOf, transfer, untilIn } from "./transactions.ts";
import type { Trial } from "./trial.ts";

/** From its last block on, as of the reference, on a quiet machine. */
const NOTICE_MS = 10_000;

/** Answers of the data API while it stands. */
const REPORTS: readonly (readonly [path: string, words: RegExp])[] = [
  ["/readyz", /stands at block/],
  ["/metrics", /^lyra_ready(?:\{\})? 0$/m],
  ["/status", /stands at block/],
];

export const otherRules: Trial = {
  number: 10,
  title:
    "a validator with other rules comes to another state: it stands still and says so, three go on; rolled back, it comes again",
  async run(network) {
    const { pairs } = network;
    const pair = pairs[1]!;
    const others = network.others(pair);
    await pair.stop();
    const different = network.pairWith(pair, { more: ["--rules", "0.71.6"] });
    different.start();
    const patience = new Patience(NOTICE_MS);
    let stood = 0;
    let sinceMs = performance.now();
    const readyz = () =>
      fetch(urlOf(pair, "/readyz")).then(
        (answer) => answer.text(),
        () => "",
      );
    let hashes: string[] = [];
    await eventually(async () => {
      const height = await heightOf(pair).catch(() => 0);
      if (height !== stood) {
        stood = height;
        sinceMs = performance.now();
        hashes = [...hashes, ...(await sendTransfers(others, 10))];
      }
      return (await readyz()).includes("stands at block");
    });
    patience.note(performance.now() - sinceMs);
    for (const [path, words] of REPORTS) {
      const text = await (await fetch(dataUrlOf(pair, path))).text();
      if (!words.test(text)) throw new Error(`${path} says: ${text.slice(0, 300)}`);
    }
    await progress(others, 3);
    if ((await heightOf(pair)) !== stood) throw new Error("it does not stand still");
    const command = await transfer(others[0]!, 1, 100_000n);
    const late = signed(command, parties[0]!, await tipOf(others[0]!));
    const answer = JSON.stringify(await send(pair, late, "TYPE_SYNC"));
    if (!answer.includes("stands at block")) throw new Error(`a submission answers: ${answer}`);
    const data = await fetch(dataUrlOf(pair, "/api/v2/assets"));
    if (data.status !== 200) throw new Error(`reads answer ${data.status}`);
    await different.stop();
    network.engineCommand(pair, "rollback");
    rmSync(pair.node.home, { recursive: true });
    pair.start();
    await progress(pairs);
    await untilIn(pair, hashes);
    return `noticed: ${patience.sentence}`;
  },
};
