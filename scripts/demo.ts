// npm run demo: a month on a devnet in seconds, and a summary of what it left. The home stays, to be looked at.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { bold, dim, green, grouped, ProgressBar, red, sayError } from "../src/cli/terminal.ts";
import { systemTimeNs } from "../src/devnet/clock.ts";
import { DEMO_SECONDS, type DemoSummary, gapsOf, playDemo, summarise } from "../src/devnet/demo/demo.ts";
import { ExitCode } from "../src/errors/node-error.ts";
import { startNode } from "../src/start-node.ts";
import { SECOND_NS } from "../src/wire/time-text.ts";

const HOME = join(".lyra", "demo");
const LEFT = 34;

async function main(): Promise<number> {
  rmSync(HOME, { recursive: true, force: true });
  const began = performance.now();
  const bar = new ProgressBar("a month");
  const genesisTimeNs = systemTimeNs() - BigInt(DEMO_SECONDS) * SECOND_NS;
  const devnet = await startNode({ kind: "devnet", home: HOME, genesisTimeNs });
  try {
    const { days, transactions, refusals } = await playDemo(devnet, (part, note, isScene) => {
      if (isScene) bar.step(part, note);
      else bar.update(part, note);
    });
    await devnet.history();
    bar.clear();
    const { height, epoch } = devnet.chain.status;
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    print(
      `${green("played")} ${days} days in ${seconds} s: ${grouped(height)} blocks, ${epoch.seq} epochs, ${transactions} transactions,`,
    );
    print(`       ${refusals} of them wrong on purpose, and refused`);
  } finally {
    bar.clear();
    await devnet.stop();
  }
  const summary = summarise(HOME);
  printSummary(summary);
  const gaps = gapsOf(summary);
  for (const gap of gaps) print(red(gap));
  print(`\nlook at it with: ${bold(`lyra devnet --home ${HOME}`)}`);
  return gaps.length === 0 ? ExitCode.done : ExitCode.failed;
}

function printSummary({ tables, accounts }: DemoSummary): void {
  print("");
  for (const { what, rows } of tables) print(`  ${what.padEnd(LEFT)} ${grouped(rows).padStart(8)}`);
  print(dim("\n  accounts by type"));
  for (const { type, accounts: count } of accounts)
    print(`  ${type.padEnd(LEFT)} ${grouped(count).padStart(8)}`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

try {
  process.exit(await main());
} catch (error) {
  process.exit(sayError(error, false));
}
