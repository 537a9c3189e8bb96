// A thousand transactions as fast as they can be sent, through wallets, against a devnet with the network's own limits:
// each is executed, or has a reason and a time, and the key is never banned.
//
//   bun scripts/wallet-flood.ts [--transactions 1000] [--only NAME,...] [--binary PATH]
//
// test/wallet/sending/flood.test.ts does the same with smaller numbers. Exit code 1 when a key was banned, something
// that was sent is not executed, or a refusal says no time.
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { Scratch } from "../test/rig/homes.ts";
import { type FloodPlan, flood, NETWORK_LIMITS } from "../test/rig/wallet-flood.ts";

const { values } = parseArgs({
  options: {
    transactions: { type: "string", default: "1000" },
    only: { type: "string" },
    binary: { type: "string" },
  },
});
const transactions = Number(values.transactions);
const scratch = new Scratch("wallet-flood");
const rising = { ...NETWORK_LIMITS, "spam.pow.increaseDifficulty": "1" };

type Scenario = Pick<FloodPlan, "block"> & Partial<FloodPlan>;
const scenarios: Readonly<Record<string, Scenario>> = {
  patient: { block: "200ms", waitMs: 600_000 },
  hasty: { block: "1s" },
  sole: { block: "200ms", waitMs: 600_000, isSoleUser: true },
  rising: { block: "1s", parameters: rising, isSoleUser: true },
  instant: { block: "instant" },
  stalled: {
    block: "manual",
    meanwhile: async ({ client }) => {
      await Bun.sleep(12_000);
      await client.tool("mine", { blocks: 3 });
    },
  },
  again: {
    block: "200ms",
    waitMs: 60_000,
    meanwhile: async (running) => {
      await Bun.sleep(8_000);
      await running.startAgain();
    },
  },
  shared: { block: "200ms", wallets: 2, waitMs: 60_000 },
  "shared and rising": { block: "200ms", wallets: 2, waitMs: 60_000, parameters: rising },
};

let problems = 0;
try {
  for (const [name, scenario] of Object.entries(scenarios)) {
    if (values.only !== undefined && !values.only.split(",").includes(name)) continue;
    const outcome = await flood({
      ...{ scratch, transactions, parameters: NETWORK_LIMITS, waitMs: 20_000 },
      ...scenario,
      ...(values.binary !== undefined && { program: [resolve(values.binary)] }),
    });
    const { sent, executed, unknown, lostWithChain, refusals, withoutTime, bannedUntil, seconds } = outcome;
    const isLost = executed > sent + unknown || executed < sent - lostWithChain;
    const isWell = bannedUntil === undefined && withoutTime.length === 0 && !isLost;
    if (!isWell) problems++;
    const banned = bannedUntil === undefined ? "not banned" : `BANNED until ${bannedUntil}`;
    console.log(
      `${isWell ? "ok" : "NO"} ${name}: ${sent} sent, ${executed} executed, ${banned}, ${seconds.toFixed(1)} s`,
    );
    for (const [text, count] of refusals) console.log(`     ${count} times: ${text}`);
  }
} finally {
  scratch.remove();
}
process.exitCode = problems === 0 ? 0 : 1;
