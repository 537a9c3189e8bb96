// The commands of a real network's markets, executed anew, give the trades, settlements and provisions that it has recorded.
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "..", "..", "..");
const RECORDING = join(ROOT, "..", "shared", "data", "smoketest_to_block_5000.evts.gz");

/** Of each kind: how many events are the same, and how many only one of the two has. */
async function reExecute(): Promise<Record<string, { same: number; recorded: number; made: number }>> {
  const child = Bun.spawn([process.execPath, join(ROOT, "scripts", "re-execute.ts"), RECORDING], {
    stdout: "pipe",
  });
  const text = await new Response(child.stdout).text();
  const lines = text.matchAll(/^(\S.*?) +same (\d+), only recorded (\d+), only made (\d+)$/gm);
  return Object.fromEntries(
    [...lines].map(([, kind, same, recorded, made]) => [
      kind!,
      { same: Number(same), recorded: Number(recorded), made: Number(made) },
    ]),
  );
}

if (!existsSync(RECORDING))
  console.log("no recording of a real network beside the project: re-execution is skipped");
test.skipIf(!existsSync(RECORDING))(
  "a real network's markets come out the same",
  async () => {
    const found = await reExecute();
    expect(found).toMatchObject({
      verdict: { same: 119, recorded: 0, made: 0 },
      trade: { same: 18, recorded: 0, made: 0 },
      liquidityProvision: { same: 32, recorded: 0, made: 0 },
      lossSocialization: { same: 3, recorded: 0, made: 0 },
      settleMarket: { same: 8, recorded: 0, made: 0 },
      oracleData: { same: 17, recorded: 0, made: 0 },
      settlePosition: { same: 60, recorded: 0 },
    });
    // The recording's version shows margins and providers' orders more often, and asks for margin without a bound on slippage.
    expect(found.marketData!.same).toBeGreaterThanOrEqual(5_076);
    expect(found.order!.same).toBeGreaterThanOrEqual(224);
  },
  120_000,
);
