// The scripted month: it leaves nothing of a network empty, and everything answers on it.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { DEMO_SECONDS, type DemoResult, gapsOf, playDemo, summarise } from "../../src/devnet/demo/demo.ts";
import type { Devnet } from "../../src/devnet/devnet.ts";
import { madeUpAssetId } from "../../src/devnet/keys.ts";
import { DATA_ENDPOINTS } from "../../src/planes/data/endpoints.ts";
import { openReader } from "../../src/store/database.ts";
import { SECOND_NS } from "../../src/wire/time-text.ts";
import { startTestDevnet } from "../support/test-devnet.ts";

const NOW = 1_900_000_000_000_000_000n;

let devnet: Devnet;
let result: DemoResult;
let progress: number[];
let scenes: string[];
const problems: unknown[] = [];

/** Time that stands still except for what the chain is told. */
function start(): Promise<Devnet> {
  const genesisTimeNs = NOW - BigInt(DEMO_SECONDS) * SECOND_NS;
  return startTestDevnet({
    seed: "demo",
    genesisTimeNs,
    nowNs: () => NOW,
    onProblem: (error) => problems.push(error),
  });
}

beforeAll(async () => {
  devnet = await start();
  progress = [];
  scenes = [];
  const onProgress = (part: number, note: string, isScene: boolean) => {
    progress.push(part);
    if (isScene) scenes.push(note);
  };
  result = await playDemo(devnet, onProgress, () => NOW);
  await devnet.history();
});
afterAll(async () => {
  await devnet.stop();
  expect(problems).toEqual([]);
});

describe("the demo", () => {
  test("leaves no table empty that the engine feeds, and touches every account type it can", () => {
    expect(gapsOf(summarise(devnet.home))).toEqual([]);
  });

  test("trades: auctions, a close-out, settlements, and rewards for those who traded", async () => {
    const all = async (path: string, list: string) => {
      const answer = await (await fetch(`${devnet.dataUrl}/api/v2/${path}`)).json();
      return answer[list].edges.map(({ node }: { node: Record<string, string> }) => node);
    };
    const trades = await all("trades", "trades");
    const kinds = new Set(trades.map(({ type }: { type: string }) => type));
    expect([...kinds].sort()).toEqual([
      "TYPE_DEFAULT",
      "TYPE_NETWORK_CLOSE_OUT_BAD",
      "TYPE_NETWORK_CLOSE_OUT_GOOD",
    ]);
    const states = (await all("markets", "markets")).map(({ state }: { state: string }) => state);
    expect(states.sort()).toEqual(["STATE_ACTIVE", "STATE_SETTLED", "STATE_SETTLED"]);
    const party = devnet.parties.find(({ name }) => name === "ivan")!.publicKey;
    const rewards = await all(`rewards?partyId=${party}`, "rewards");
    expect(rewards.map(({ rewardType }: { rewardType: string }) => rewardType)).toContain(
      "ACCOUNT_TYPE_REWARD_LP_RECEIVED_FEES",
    );
    const orders = await all("orders", "orders");
    const seen = new Set(orders.map(({ status }: { status: string }) => status));
    for (const status of ["ACTIVE", "CANCELLED", "FILLED", "EXPIRED", "STOPPED"])
      expect(seen).toContain(`STATUS_${status}`);
  });

  test("plays thirty days, which end now", () => {
    expect(result.days).toBe(30);
    expect(result.refusals).toBeGreaterThan(0);
    expect(Number(devnet.chain.status.epoch.seq)).toBeGreaterThanOrEqual(30);
    expect(devnet.chain.status.timeNs - NOW).toBeLessThan(SECOND_NS);
  });

  test("leaves between two blocks a microsecond for each row that the original keys by time", () => {
    const db = openReader(devnet.home);
    const rows = "SELECT block, count(*) AS rows FROM ledger GROUP BY block";
    const gaps = db
      .query(
        `SELECT next.time - this.time AS gap, rows FROM (${rows}) AS counted
         JOIN blocks this ON this.no = counted.block JOIN blocks next ON next.no = this.no + 1`,
      )
      .all() as { gap: bigint; rows: bigint }[];
    db.close();
    expect(gaps.length).toBeGreaterThan(100);
    expect(gaps.filter(({ gap, rows: count }) => gap <= count)).toEqual([]);
  });

  test("tells how far it is, ever further", () => {
    expect(progress.length).toBeGreaterThan(30);
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
    expect(Math.max(...progress)).toBeLessThanOrEqual(1);
    expect(scenes[0]).toBe("day 1: transfers of every kind");
    expect(scenes.length).toBeLessThan(30);
    expect(new Set(scenes).size).toBe(scenes.length);
  });

  test("has segments that end where its parameter of snapshots says", async () => {
    const { segments } = await (await fetch(`${devnet.dataUrl}/api/v2/networkhistory/segments`)).json();
    const ends = segments.map(({ toHeight }: { toHeight: string }) => Number(toHeight));
    const count = Math.floor(devnet.chain.status.height / 100);
    expect(ends.toSorted((a: number, b: number) => a - b)).toEqual(
      Array.from({ length: count }, (_, n) => 100 * (n + 1)),
    );
    expect(count).toBeGreaterThan(10);
  });

  test("ends with two validators that both sign, and the contract knows their keys", async () => {
    const { nodes } = await (await fetch(`${devnet.dataUrl}/api/v2/nodes`)).json();
    const statuses = nodes.edges.map(
      (edge: { node: { rankingScore: { status: string } } }) => edge.node.rankingScore.status,
    );
    expect(statuses).toEqual(["VALIDATOR_NODE_STATUS_TENDERMINT", "VALIDATOR_NODE_STATUS_TENDERMINT"]);
    for (const change of ["added", "removed"]) {
      const path = `/api/v2/erc20/multisigcontrol/signer/${change}/bundles`;
      const { bundles } = await (await fetch(`${devnet.dataUrl}${path}`)).json();
      expect(bundles.edges[0].node.signatures).toMatch(/^0x/);
    }
  });
});

/** Those that need something of a market or an oracle, or that the scenes above and below ask. */
const NEEDS_MORE =
  /candle|order|oracle|market|trade|bundle|governance|ledgerentry|signatures|bootstrap|liquidity/;

/** The address of a resource with something in it. */
async function addressOf(path: string): Promise<string> {
  const party = devnet.parties[0]!.publicKey;
  const values: Record<string, string> = {
    asset_id: madeUpAssetId("tUSD"),
    party_id: party,
    key: "reward.asset",
  };
  if (path.includes("/estimate/")) {
    const { markets } = await (await fetch(`${devnet.dataUrl}/api/v2/markets`)).json();
    return `${path}?marketId=${markets.edges[0].node.id}&side=SIDE_BUY&price=300000&size=10&openVolume=10`;
  }
  if (path === "/api/v2/votes") return `${path}?partyId=${party}`;
  if (path === "/api/v2/node/{id}") return path.replace("{id}", devnet.validator.nodeId);
  if (path.includes("{id}")) return path.replace("{id}", await firstOf(path));
  return path.replace(/\{(\w+)\}/g, (_, name: string) => values[name]!);
}

/** For `/api/v2/deposit/{id}`: the id of the first one of the list. */
async function firstOf(path: string): Promise<string> {
  const list = `${/v2\/(\w+)\/\{id\}/.exec(path)![1]}s`;
  const answer = await (await fetch(`${devnet.dataUrl}/api/v2/${list}`)).json();
  return answer[list].edges[0].node.id;
}

describe("everything answers on it", () => {
  const paths = DATA_ENDPOINTS.map(({ path }) => path).filter((path) => !NEEDS_MORE.test(path));
  test.each(paths)("GET %s", async (path) => {
    const response = await fetch(`${devnet.dataUrl}${await addressOf(path)}`);
    expect(response.status).toBe(200);
    expect(await response.json()).toBeInstanceOf(Object);
  });

  test("governance has every proposal, decided", async () => {
    const { connection } = await (await fetch(`${devnet.dataUrl}/api/v2/governances`)).json();
    const states = connection.edges.map(
      (edge: { node: { proposal: { state: string } } }) => edge.node.proposal.state,
    );
    expect(states.toSorted()).toEqual([
      ...Array(2).fill("STATE_DECLINED"),
      ...Array(8).fill("STATE_ENACTED"),
    ]);
  });

  test.each([
    "TABLE_BALANCES",
    "TABLE_DEPOSITS",
    "TABLE_REWARDS",
    "TABLE_LEDGER",
    "TABLE_BLOCKS",
    "TABLE_WITHDRAWALS",
  ])("export of %s", async (table) => {
    const url = `${devnet.dataUrl}/api/v2/networkhistory/export?table=${table}&fromBlock=1&toBlock=1000`;
    const response = await fetch(url);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/zip");
    expect(new Uint8Array(await response.arrayBuffer()).subarray(0, 2)).toEqual(new Uint8Array([0x50, 0x4b]));
  });
});
