// Kills whatever writes wallets, and looks at what it leaves (test/rig/wallet-crash.ts).
//
//   bun scripts/wallet-crash-rig.ts [--rounds 500] [--seed N] [--binary PATH]
//
// Without --binary the sources are run. At the end canaries: homes are damaged, and the rig must see it. Exit code 1
// when anything is wrong.
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { WALLET_CANARIES, type WalletRound, walletCrashRounds } from "../test/rig/wallet-crash.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "500" },
    seed: { type: "string", default: "1" },
    binary: { type: "string" },
  },
});
const rounds = Number(values.rounds);
const seed = Number(values.seed);
const program = values.binary === undefined ? {} : { program: [resolve(values.binary)] };

function tell({ round, mode, operation, when, found, isMidway, failures }: WalletRound): void {
  const word = failures.length === 0 ? "ok  " : "FAIL";
  const left = isMidway ? ", with a temporary file" : "";
  console.log(
    `${word} round ${round} (${mode}, ${operation}): killed ${when}; ${found ?? "it was done before"}${left}`,
  );
  for (const text of failures) console.log(`     ${text}`);
}

const began = performance.now();
const report = await walletCrashRounds({ ...program, rounds, seed, onRound: tell });
const problems = [...report.failures];
for (const { name, tamper, sign } of WALLET_CANARIES) {
  const canary = await walletCrashRounds({ ...program, rounds: 1, seed, tamper });
  const isAlive = canary.failures.some((text) => sign.test(text));
  console.log(`canary (${name}): ${isAlive ? "seen" : "NOT seen"}`);
  if (!isAlive) problems.push(`the canary is dead: ${name} was not seen`);
}
const { kills, midway, found, operations } = report;
const seconds = Math.round((performance.now() - began) / 1_000);
const contents = `${found.old} the old content, ${found.new} the new, ${found["in between"]} both names of a rename`;
console.log(
  `\n${rounds} rounds in ${seconds} s, ${kills} kills of ${operations} operations, ${midway} of them in the middle of a write; ${contents}: ${problems.length} failures`,
);
for (const text of problems) console.log(text);
process.exitCode = problems.length === 0 ? 0 : 1;
