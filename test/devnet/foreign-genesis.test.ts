// A genesis as older tools of the network write it: assets named by words, without a quantum, and none of the devnet's own.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Devnet } from "../../src/devnet/devnet.ts";
import { devnetGenesisText } from "../../src/devnet/genesis.ts";
import { InvalidIdentifier, identifierBytes, identifierText } from "../../src/wire/identifiers.ts";
import { startTestDevnet } from "../support/test-devnet.ts";

// biome-ignore lint/suspicious/noExplicitAny: answers of any shape
type Json = any;

const home = mkdtempSync(join(tmpdir(), "lyra-foreign-genesis-"));
const start = () => startTestDevnet({ home, genesis: genesis(), cometPort: 0 });
let devnet: Devnet;
beforeAll(async () => {
  devnet = await start();
});
afterAll(async () => {
  await devnet.stop();
  rmSync(home, { recursive: true });
});

function genesis(): string {
  const document = JSON.parse(devnetGenesisText());
  document.consensus_params = { block: { time_iota_ms: "1" } };
  const asset = { total_supply: "0", decimals: 5, min_lp_stake: "1" };
  const source = { builtin_asset: { max_faucet_amount_mint: "10000000000" } };
  document.app_state.assets = {
    "XYZ-coin": { name: "XYZ", symbol: "XYZ", ...asset, source },
    tDAI: { name: "DAI", symbol: "tDAI", ...asset, source },
  };
  document.app_state.network_parameters["reward.asset"] = "tDAI";
  return JSON.stringify(document);
}

const get = async (path: string): Promise<Json> => (await fetch(`${devnet.address.dataUrl}${path}`)).json();

test("assets named by words are funded, listed, filtered by, and funded again", async () => {
  const { edges } = (await get("/api/v2/assets")).assets;
  expect(edges.map(({ node }: Json) => [node.id, node.details.quantum])).toEqual([
    ["tDAI", "1"],
    ["XYZ-coin", "1"],
  ]);
  const bob = devnet.parties.find(({ name }) => name === "bob")!.publicKey;
  const body = JSON.stringify({ party: "bob", asset: "XYZ-coin", amount: "500" });
  const funded = await fetch(`${devnet.address.nodeUrl}/devnet/fund`, { method: "POST", body });
  expect(funded.status).toBe(200);
  const balance = async (party: string) => {
    const path = `/api/v2/accounts?filter.assetId=XYZ-coin&filter.partyIds=${party}&filter.accountTypes=ACCOUNT_TYPE_GENERAL`;
    return (await get(path)).accounts.edges.map(({ node }: Json) => [node.asset, node.balance]);
  };
  expect(await balance(bob)).toEqual([["XYZ-coin", "100000000500"]]);
  expect((await get("/api/v2/asset/tDAI")).code).toBeUndefined();
});

test("a word that no genesis names is refused as before", async () => {
  const answer = await get("/api/v2/accounts?filter.assetId=another");
  expect(answer.details[0].inner).toContain("not a valid hex id");
});

const use = async (tool: string, body: object): Promise<Json> =>
  (
    await fetch(`${devnet.address.nodeUrl}/devnet/${tool}`, { method: "POST", body: JSON.stringify(body) })
  ).json();

test("a market of a preset settles in any asset; without its own it says which asset it needs", async () => {
  expect((await use("market/create", { preset: "simple" })).message).toBe(
    "a preset's market settles in the asset that 'asset' names: there is no asset 'tUSD': give tDAI, XYZ, or an asset's id",
  );
  const creation = await use("market/create", { preset: "simple", asset: "tDAI" });
  expect(creation).toMatchObject({ state: "STATE_ACTIVE", tradingMode: "TRADING_MODE_CONTINUOUS" });
  const { market } = await get(`/api/v2/market/${creation.market}`);
  expect(market.tradableInstrument.instrument.future.settlementAsset).toBe("tDAI");
});

test("a market can be left inside its opening auction, with an empty book", async () => {
  const creation = await use("market/create", { preset: "simple", asset: "XYZ", auction: true });
  expect(creation).toMatchObject({ tradingMode: "TRADING_MODE_OPENING_AUCTION" });
  const { edges } = (await get(`/api/v2/orders?filter.marketIds=${creation.market}`)).orders;
  expect(edges).toEqual([]);
});

test("a price is reached with any provider of liquidity, the tools' own traders included", async () => {
  for (const [at, provider] of ["grace", "heidi", "carol"].entries()) {
    const { market } = await use("market/create", { preset: "simple", asset: "XYZ" });
    const side = (reference: string) => [{ reference, proportion: 1, offset: "1" }];
    const liquidityProvisionSubmission = {
      marketId: market,
      commitmentAmount: "5000000000",
      fee: "0.01",
      buys: side(at === 2 ? "PEGGED_REFERENCE_MID" : "PEGGED_REFERENCE_BEST_BID"),
      sells: side(at === 2 ? "PEGGED_REFERENCE_MID" : "PEGGED_REFERENCE_BEST_ASK"),
      reference: "",
    };
    const command = { liquidityProvisionSubmission };
    expect(await use("impersonate", { party: provider, command })).not.toHaveProperty("message");
    for (const price of ["120", "90", "91"])
      expect([provider, await use("market/price", { market, price })]).toMatchObject([
        provider,
        { markPrice: price },
      ]);
  }
});

test("the engine's genesis keeps the document's own parameters of consensus", async () => {
  const { result } = (await (await fetch(`${devnet.address.cometUrl}/genesis`)).json()) as Json;
  expect(result.genesis.consensus_params.block).toEqual({
    max_bytes: "22020096",
    max_gas: "-1",
    time_iota_ms: "1",
  });
});

test("words of a genesis and hexadecimal identifiers never share their bytes", () => {
  expect(identifierText(identifierBytes("tDAI"))).toBe("tDAI");
  for (const text of ["ff".repeat(32), "ff", "ffff", `ff${Buffer.from("abcd").toString("hex")}`])
    expect(identifierText(identifierBytes(text))).toBe(text);
  expect(() => identifierBytes("nowhere-named")).toThrow(InvalidIdentifier);
});
