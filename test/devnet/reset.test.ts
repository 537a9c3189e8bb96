// A devnet that begins again while it runs.
import { afterAll, expect, test } from "bun:test";
import type { Devnet } from "../../src/devnet/devnet.ts";
import { madeUpAssetId } from "../../src/devnet/keys.ts";
import { startTestDevnet } from "../support/test-devnet.ts";

let devnet: Devnet;
afterAll(() => devnet?.stop());

const DOLLAR = madeUpAssetId("tUSD");

test("reset begins again from the genesis: parameters and parties are as at the start, all that came later is gone", async () => {
  devnet = await startTestDevnet({ accounts: 2, parameters: { "validators.epoch.length": "77s" } });
  const tool = async (path: string, body?: object) => {
    const init = body && { method: "POST", body: JSON.stringify(body) };
    const response = await fetch(`${devnet.nodeUrl}/devnet/${path}`, init);
    expect(response.status).toBe(200);
    return response.json();
  };
  const party = devnet.parties[0]!.publicKey;
  const balance = async () => {
    const path = `/api/v2/accounts?filter.partyIds=${party}&filter.assetId=${DOLLAR}&filter.accountTypes=ACCOUNT_TYPE_GENERAL`;
    const { accounts } = await (await fetch(devnet.dataUrl + path)).json();
    return accounts.edges[0].node.balance as string;
  };
  const parameter = async () => {
    const path = "/api/v2/network/parameters/validators.epoch.length";
    return (await (await fetch(devnet.dataUrl + path)).json()).networkParameter.value as string;
  };
  const begin = { balance: await balance(), height: devnet.chain.status.height };
  await tool("fund", { party, asset: DOLLAR, amount: "12345" });
  await tool("parameter", { key: "validators.epoch.length", value: "1h" });
  await tool("snapshot", {});
  await tool("mine", { blocks: 20 });
  expect([await balance(), await parameter()]).not.toEqual([begin.balance, "77s"]);

  const status = (await tool("reset", {})) as { height: string; chainId: string; time: string };
  expect(Number(status.height)).toBeLessThanOrEqual(begin.height + 1);
  expect(status.chainId).toBe(devnet.chainId);
  expect([await balance(), await parameter()]).toEqual([begin.balance, "77s"]);
  expect(await tool("snapshots")).toEqual({ snapshots: [] });
  expect(devnet.parties).toHaveLength(2);
  // It goes on, and can be reset again.
  await tool("fund", { party, asset: DOLLAR, amount: "1" });
  expect(await balance()).toBe(String(BigInt(begin.balance) + 1n));
  await tool("reset", {});
  expect(await balance()).toBe(begin.balance);
});
