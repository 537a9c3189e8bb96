// Kills whatever writes wallets, and looks at what it leaves (test/rig/wallet-crash.ts).
//
//   bun scripts/wallet-crash-rig.ts [--rounds 500] [--seed N] [--binary PATH]
//
// Without --binary the sources are run. At the end canaries: homes are damaged, and the rig must see it. Exit code 1
// when anything is wrong.
import { printRound, rigOptions } from "../test/rig/options.ts";
import { WALLET_CANARIES, type WalletRound, walletCrashRounds } from "../test/rig/wallet-crash.ts";

const { rounds, seed, program } = rigOptions(500);

function print({ round, mode, operation, when, found: content, isMidway, failures }: WalletRound): void {
  const left = isMidway ? ", with a temporary file" : "";
  const state = `killed ${when}; ${content ?? "it was done before"}${left}`;
  printRound(`round ${round} (${mode}, ${operation}): ${state}`, failures);
}

const began = performance.now();
const report = await walletCrashRounds({ ...program, rounds, seed, onRound: print });
const problems = [...report.failures];
for (const { name, tamper, sign } of WALLET_CANARIES) {
  const canary = await walletCrashRounds({ ...program, rounds: 1, seed, tamper });
  const isAlive = canary.failures.some((text) => sign.test(text));
  console.log(`canary (${name}): ${isAlive ? "seen" : "NOT seen"}`);
  if (!isAlive) problems.push(`the canary is dead: ${name} was not seen`);
}
const { kills, midway, found: contentCounts, operations } = report;
const seconds = Math.round((performance.now() - began) / 1_000);
const contents = `${contentCounts.old} the old content, ${contentCounts.new} the new, ${contentCounts["in between"]} both names of a rename`;
console.log(
  `\n${rounds} rounds in ${seconds} s, ${kills} kills of ${operations} operations, ${midway} of them in the middle of a write; ${contents}: ${problems.length} failures`,
);
for (const text of problems) console.log(text);
process.exitCode = problems.length === 0 ? 0 : 1;
