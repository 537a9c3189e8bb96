// A market that a fault of the program has stopped: /status names it, also after a restart, and the devnet goes on.
import { afterAll, expect, spyOn, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Devnet } from "../../src/devnet/devnet.ts";
import { EquityShares } from "../../src/engine/markets/equity.ts";
import { startTestDevnet } from "../support/test-devnet.ts";

const home = mkdtempSync(join(tmpdir(), "lyra-halted-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const start = async () =>
  (await startTestDevnet({ dataPort: 0, nodePort: 0, faucetPort: 0, home })) as Devnet;

// biome-ignore lint/suspicious/noExplicitAny: an answer is looked at as it is
async function answer(url: string, body?: object): Promise<any> {
  return (await fetch(url, body && { method: "POST", body: JSON.stringify(body) })).json();
}

test("given a fault in a market's tick, then /status names the market, the log says why, and blocks go on", async () => {
  let devnet = await start();
  const { market } = await answer(`${devnet.nodeUrl}/devnet/market/create`, { preset: "simple" });
  expect(await answer(`${devnet.dataUrl}/status`)).not.toHaveProperty("haltedMarkets");
  const logged = spyOn(process.stderr, "write").mockImplementation(() => true);
  const fault = spyOn(EquityShares.prototype, "onTick").mockImplementation(() => {
    throw new TypeError("undefined is not an object");
  });
  const { height } = await answer(`${devnet.nodeUrl}/devnet/mine`, { blocks: 1 });
  fault.mockRestore();
  const lines = logged.mock.calls.map(([line]) => String(line)).filter((line) => line.includes(market));
  logged.mockRestore();
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain(
    "is halted by a fault of this program in its tick: TypeError: undefined is not an object",
  );
  const haltedMarkets = [{ market, height: Number(height), step: "tick" }];
  expect(await answer(`${devnet.dataUrl}/status`)).toMatchObject({ haltedMarkets, ready: true });
  const shown = await answer(`${devnet.dataUrl}/api/v2/market/${market}`);
  expect(shown.market.state).toBe("STATE_SUSPENDED");
  await answer(`${devnet.nodeUrl}/devnet/mine`, { blocks: 3 });
  await devnet.stop();

  devnet = await start();
  expect(await answer(`${devnet.dataUrl}/status`)).toMatchObject({
    haltedMarkets,
    height: Number(height) + 3,
  });
  await devnet.stop();
});
