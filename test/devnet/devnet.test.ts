// A whole devnet in this process: what a developer has after one call, over real sockets.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Devnet } from "../../src/devnet/devnet.ts";
import { devnetAddressFile } from "../../src/devnet/home.ts";
import { madeUpAssetId } from "../../src/devnet/keys.ts";
import { PartyClient } from "../../src/devnet/party-client.ts";
import { AccountType } from "../../src/wire/generated/vega.ts";
import { SECOND_NS } from "../../src/wire/time-text.ts";
import { heightAtRest, startTestDevnet } from "../support/test-devnet.ts";

const DOLLAR = madeUpAssetId("tUSD");
const BRIDGED = madeUpAssetId("dUSD");
const TOKEN = madeUpAssetId("LYRA");
const RECEIVER = "0x5E1F5e1F5e1f5E1f5e1f5E1f5E1F5E1F5E1F5E1f";

let devnet: Devnet;
const problems: unknown[] = [];

beforeAll(async () => {
  devnet = await startTestDevnet({ onProblem: (error) => problems.push(error) });
});
afterAll(async () => {
  await devnet.stop();
  expect(problems).toEqual([]);
});

// biome-ignore lint/suspicious/noExplicitAny: answers are looked at member by member
async function data(path: string): Promise<any> {
  const response = await fetch(`${devnet.dataUrl}${path}`);
  expect(response.status).toBe(200);
  return response.json();
}

// biome-ignore lint/suspicious/noExplicitAny: as above
async function tool(path: string, body: object = {}): Promise<any> {
  const response = await fetch(`${devnet.nodeUrl}/devnet/${path}`, {
    method: "POST",
    body: JSON.stringify(body),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error((answer as { message: string }).message);
  return answer;
}

async function general(party: string, asset: string): Promise<bigint> {
  const path = `/api/v2/accounts?filter.partyIds=${party}&filter.assetId=${asset}&filter.accountTypes=ACCOUNT_TYPE_GENERAL`;
  const { accounts } = await data(path);
  return BigInt(accounts.edges[0]?.node.balance ?? "0");
}

describe("a new devnet", () => {
  test("has ten funded parties in every asset, and their deposits in its history", async () => {
    const { assets } = await data("/api/v2/assets");
    expect(assets.edges).toHaveLength(6);
    for (const { publicKey } of devnet.parties) {
      for (const { node } of assets.edges) expect(await general(publicKey, node.id)).toBeGreaterThan(0n);
    }
    const { deposits } = await data(`/api/v2/deposits?partyId=${devnet.parties[0]!.publicKey}`);
    expect(new Set(deposits.edges.map((edge: { node: { status: string } }) => edge.node.status))).toEqual(
      new Set(["STATUS_FINALIZED"]),
    );
  });

  test("has a validator with stake and delegations, which gets scores and rewards at the end of an epoch", async () => {
    await tool("epoch/end");
    await tool("epoch/end");
    const { nodeId } = devnet.validator;
    const { node } = await data(`/api/v2/node/${nodeId}`);
    expect(node.id).toBe(nodeId);
    expect(BigInt(node.stakedTotal)).toBe(4_000_000n * 10n ** 18n);
    expect(node.rankingScore).toMatchObject({ stakeScore: "1", performanceScore: "1", votingPower: 10000 });
    const { rewards } = await data(`/api/v2/rewards?partyId=${devnet.parties[0]!.publicKey}`);
    // An eighth of what delegators get: 0.883 of the treasury's 10,000.
    expect(rewards.edges[0].node).toMatchObject({
      assetId: TOKEN,
      rewardType: "ACCOUNT_TYPE_GLOBAL_REWARD",
      amount: "1103750000000000000000",
    });
  });

  test("answers on all its ports, and the data port has the core's routes too", async () => {
    const height = Number((await (await fetch(`${devnet.nodeUrl}/blockchain/height`)).json()).height);
    expect(height).toBe(devnet.chain.status.height);
    expect((await data("/blockchain/height")).height).toBe(String(height));
    expect(await (await fetch(`${devnet.faucetUrl}/api/v1/health`)).json()).toEqual({ success: true });
    expect((await fetch(`${devnet.dataUrl}/readyz`)).status).toBe(200);
  });

  test("writes where it listens into its home", () => {
    expect(JSON.parse(readFileSync(join(devnet.home, devnetAddressFile), "utf8"))).toEqual(devnet.address);
  });
});

describe("a party's transaction", () => {
  test("is proven, signed, accepted, executed, and seen in the data API in the same block", async () => {
    const [alice, bob] = devnet.parties;
    const before = await general(bob!.publicKey, DOLLAR);
    const { outcome, id } = await new PartyClient(devnet.chain, alice!.key).send({
      kind: "transfer",
      payload: {
        fromAccountType: AccountType.ACCOUNT_TYPE_GENERAL,
        to: bob!.publicKey,
        toAccountType: AccountType.ACCOUNT_TYPE_GENERAL,
        asset: DOLLAR,
        amount: "12345678",
        oneOff: {},
      },
    });
    expect(outcome).toMatchObject({ code: 0, height: devnet.chain.status.height });
    expect(await general(bob!.publicKey, DOLLAR)).toBe(before + 12_345_678n);
    const { transfers } = await data(
      `/api/v2/transfers?pubkey=${alice!.publicKey}&direction=TRANSFER_DIRECTION_TRANSFER_FROM`,
    );
    expect(transfers.edges[0].node).toMatchObject({ id, status: "STATUS_DONE", amount: "12345678" });
  });
});

describe("money from the outside", () => {
  test("the original's faucet mints, and the deposit is credited when it answers", async () => {
    const party = "0c".repeat(32);
    const response = await fetch(`${devnet.faucetUrl}/api/v1/mint`, {
      method: "POST",
      body: JSON.stringify({ party, amount: "500", asset: DOLLAR }),
    });
    expect(await response.json()).toEqual({ success: true });
    expect(await general(party, DOLLAR)).toBe(500n);
  });

  test("deposits at once are all credited, each under the id that was told", async () => {
    const parties = Array.from({ length: 20 }, (_, at) => (100 + at).toString(16).repeat(32));
    const answers = await Promise.all(
      parties.map((party) => tool("fund", { party, asset: BRIDGED, amount: "7" })),
    );
    for (const [at, party] of parties.entries()) {
      const { deposits } = await data(`/api/v2/deposits?partyId=${party}`);
      expect(deposits.edges.map((edge: { node: object }) => edge.node)).toMatchObject([
        {
          id: answers[at].deposit,
          amount: "7",
          status: "STATUS_FINALIZED",
          txHash: expect.stringMatching(/^0x/),
        },
      ]);
    }
  });

  test("an unknown asset is refused, and nothing is left behind", async () => {
    const party = "1c".repeat(32);
    const fund = tool("fund", { party, asset: "ff".repeat(32), amount: "1" });
    expect(fund).rejects.toThrow("there is no asset");
    await fund.catch(() => {});
    await tool("mine", { blocks: 3 });
    expect((await data(`/api/v2/deposits?partyId=${party}`)).deposits.edges).toEqual([]);
  });

  test("stake is linked, and taken back no further than it goes", async () => {
    const party = devnet.parties[7]!.publicKey;
    await tool("stake", { party, amount: "1000" });
    await tool("stake", { party, amount: "400", remove: true });
    expect((await data(`/api/v2/parties/${party}/stake`)).currentStakeAvailable).toBe("600");
    expect(tool("stake", { party, amount: "601", remove: true })).rejects.toThrow("has staked 600");
  });
});

describe("a withdrawal", () => {
  test("is signed by the validator, verified by the bridge, paid once, and reported to the chain", async () => {
    const party = devnet.parties[2]!;
    const { id, outcome } = await new PartyClient(devnet.chain, party.key).send({
      kind: "withdrawSubmission",
      payload: { amount: "25000000", asset: BRIDGED, ext: { erc20: { receiverAddress: RECEIVER } } },
    });
    expect(outcome.text).toBe("");
    await tool("mine", { blocks: 2 });
    const bundle = await data(`/api/v2/erc20/asset/withdrawal/bundle?withdrawalId=${id}`);
    expect(bundle).toMatchObject({ amount: "25000000", targetAddress: RECEIVER });
    expect(bundle.signatures).toMatch(/^0x[0-9a-f]{130}$/);

    expect(await tool("bridge/claim", { withdrawal: id })).toEqual({ claimed: id });
    const { withdrawal } = await data(`/api/v2/withdrawal/${id}`);
    expect(withdrawal.txHash).toMatch(/^0x[0-9a-f]{64}$/);
    expect(withdrawal.withdrawnTimestamp).not.toBe("0");
    expect(tool("bridge/claim", { withdrawal: id })).rejects.toThrow(`nonce ${bundle.nonce} has been used`);
  });

  test("is not issued while the bridge is stopped", async () => {
    const client = new PartyClient(devnet.chain, devnet.parties[3]!.key);
    const withdraw = (options = {}) =>
      client.send(
        {
          kind: "withdrawSubmission",
          payload: { amount: "25000000", asset: BRIDGED, ext: { erc20: { receiverAddress: RECEIVER } } },
        },
        options,
      );
    await tool("bridge/stop");
    expect(withdraw()).rejects.toMatchObject({
      code: "transaction_refused",
      message:
        "the withdrawSubmission was refused: withdrawal issuance is disabled when the erc20 is stopped",
    });
    expect((await withdraw({ allowRefusal: true })).outcome).toMatchObject({
      code: 70,
      text: "withdrawal issuance is disabled when the erc20 is stopped",
    });
    await tool("bridge/resume");
    expect((await withdraw()).outcome.code).toBe(0);
  });
});

describe("an update of an asset", () => {
  async function enact(client: PartyClient, quantum: string): Promise<string> {
    const { erc20 } = (await data(`/api/v2/asset/${BRIDGED}`)).asset.details;
    const { lifetimeLimit, withdrawThreshold } = erc20;
    const changes = { quantum, erc20: { lifetimeLimit, withdrawThreshold } };
    const now = devnet.chain.status.timeNs / SECOND_NS;
    const proposal = await client.send({
      kind: "proposalSubmission",
      payload: {
        rationale: { title: "quantum", description: "another one" },
        terms: {
          closingTimestamp: now + 5n,
          enactmentTimestamp: now + 5n,
          updateAsset: { assetId: BRIDGED, changes },
        },
      },
    });
    expect(proposal.outcome.text).toBe("");
    await client.send({ kind: "voteSubmission", payload: { proposalId: proposal.id, value: 2 } });
    await tool("time/forward", { duration: "10s" });
    await tool("mine", { blocks: 3 });
    return proposal.id;
  }

  test("given the quantum alone changes, then it has changed when its limits are brought", async () => {
    const client = new PartyClient(devnet.chain, devnet.parties[0]!.key);
    const proposal = await enact(client, "1500000");
    expect((await data(`/api/v2/asset/${BRIDGED}`)).asset.details.quantum).toBe("1000000");
    await tool("bridge/limits", { proposal });
    expect((await data(`/api/v2/asset/${BRIDGED}`)).asset.details.quantum).toBe("1500000");
  });
});

describe("snapshot and revert", () => {
  test("take back state, rows, Ethereum and the validators' work together, and the same steps follow again", async () => {
    const party = "0d".repeat(32);
    const height = await heightAtRest(devnet);
    const { snapshot } = await tool("snapshot");
    const first = await tool("fund", { party, asset: BRIDGED, amount: "7" });
    expect(await general(party, BRIDGED)).toBe(7n);

    await tool("revert", { snapshot });
    expect(devnet.chain.status.height).toBe(height);
    expect(await general(party, BRIDGED)).toBe(0n);

    const second = await tool("fund", { party, asset: BRIDGED, amount: "7" });
    expect(second).toEqual(first);
    expect(await general(party, BRIDGED)).toBe(7n);
  });

  test("a dump is taken back as one", async () => {
    await heightAtRest(devnet);
    const dump = await (await fetch(`${devnet.nodeUrl}/devnet/dump`, { method: "POST" })).text();
    const { height, appHash } = devnet.chain.status;
    await tool("fund", { party: "0e".repeat(32), asset: DOLLAR, amount: "7" });
    await fetch(`${devnet.nodeUrl}/devnet/load`, { method: "POST", body: dump });
    expect(devnet.chain.status).toMatchObject({ height, appHash });
    expect(await general("0e".repeat(32), DOLLAR)).toBe(0n);
    await tool("fund", { party: "0e".repeat(32), asset: DOLLAR, amount: "7" });
    expect(await general("0e".repeat(32), DOLLAR)).toBe(7n);
  });
});

describe("the tools on a real chain", () => {
  test("time, balance, parameter, impersonation, ban", async () => {
    const [alice, , , , , , , , ivan] = devnet.parties.map(({ publicKey }) => publicKey);
    const before = devnet.chain.status.timeNs;
    await tool("time/forward", { duration: "1h" });
    await tool("mine");
    expect(devnet.chain.status.timeNs - before).toBeGreaterThan(3_600_000_000_000n);

    await tool("balance", { party: ivan, asset: DOLLAR, amount: "42" });
    expect(await general(ivan!, DOLLAR)).toBe(42n);

    await tool("parameter", { key: "spam.protection.max.votes", value: "7" });
    expect((await data("/api/v2/network/parameters/spam.protection.max.votes")).networkParameter.value).toBe(
      "7",
    );
    expect(tool("parameter", { key: "spam.protection.max.votes", value: "0" })).rejects.toThrow("max.votes");

    const command = {
      undelegateSubmission: { nodeId: devnet.validator.nodeId, amount: "0", method: "METHOD_NOW" },
    };
    expect(await tool("impersonate", { party: alice, command })).toMatchObject({ success: true, code: 0 });

    expect(tool("impersonate", { party: alice, command: { voteSubmission: {} } })).rejects.toThrow();

    await tool("ban", { party: ivan, duration: "10m" });
    const client = new PartyClient(devnet.chain, devnet.parties[8]!.key);
    const vote = { kind: "voteSubmission", payload: { proposalId: "0f".repeat(32), value: 1 } } as const;
    expect((await client.send(vote, { wait: "check", allowRefusal: true })).outcome.text).toBe(
      "party is banned from sending transactions",
    );
    await tool("pardon", { party: ivan });
    expect((await client.send(vote, { wait: "check", allowRefusal: true })).outcome.text).not.toBe(
      "party is banned from sending transactions",
    );
  });

  test("GET /devnet/parties tells keys and balances, with the warning", async () => {
    const report = await (await fetch(`${devnet.nodeUrl}/devnet/parties`)).json();
    expect(report.warning).toContain("PUBLIC TEST KEYS");
    expect(report.recoveryPhrase).toBe(devnet.recoveryPhrase);
    expect(report.parties).toHaveLength(10);
    expect(report.parties[0]).toMatchObject({
      name: "alice",
      index: 1,
      publicKey: devnet.parties[0]!.publicKey,
    });
  });
});

describe("two devnets, and one that comes back", () => {
  test("the same genesis, clock and seed give the same application hash", async () => {
    const run = async () => {
      let now = 1_900_000_000_000_000_000n;
      const one = await startTestDevnet({
        seed: "same",
        mode: { kind: "manual" },
        genesisTimeNs: now,
        nowNs: () => (now += 1_000_000n),
      });
      try {
        await one.chain.bridge.deposit("0d".repeat(32), DOLLAR, 5n);
        const { height, appHash } = one.chain.status;
        return { height, appHash };
      } finally {
        await one.stop();
      }
    };
    const first = await run();
    expect(await run()).toEqual(first);
  });

  test("a home goes on where it ended: same chain, same Ethereum, no second funding", async () => {
    const home = mkdtempSync(join(tmpdir(), "lyra-test-"));
    try {
      const first = await startTestDevnet({ home, mode: { kind: "manual" } });
      await first.chain.bridge.deposit("0d".repeat(32), BRIDGED, 5n);
      const { height, appHash } = first.chain.status;
      await first.stop();
      expect(existsSync(join(home, devnetAddressFile))).toBe(false);

      const second = await startTestDevnet({ home, mode: { kind: "manual" } });
      try {
        expect(second.chain.status).toMatchObject({ height, appHash });
        expect(second.resumed).toContain(`resumed at block ${height}`);
        await second.chain.bridge.deposit("0d".repeat(32), BRIDGED, 5n);
        expect(second.chain.status.height).toBeGreaterThan(height);
      } finally {
        await second.stop();
      }
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  });

  test("a home that has loaded a dump goes on with the dump's genesis", async () => {
    const home = mkdtempSync(join(tmpdir(), "lyra-test-"));
    const dump = await devnet.chain.dump();
    const { genesisTimeNs } = devnet.chain.status;
    const withoutValidators = JSON.parse(dump);
    withoutValidators.genesis.app_state.validators = {};
    try {
      const first = await startTestDevnet({ home, fund: false });
      await expect(first.chain.load(JSON.stringify(withoutValidators))).rejects.toThrow(
        "lacks the devnet's validator",
      );
      expect((await first.chain.load(dump)).genesisTimeNs).toBe(genesisTimeNs);
      await first.stop();
      const second = await startTestDevnet({ home });
      expect(second.chain.status.genesisTimeNs).toBe(genesisTimeNs);
      expect(JSON.parse(await second.chain.dump()).genesis).toEqual(JSON.parse(dump).genesis);
      await second.stop();
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  });

  test("a port that is in use ends the start, and everything is taken back", async () => {
    const start = startTestDevnet({ dataPort: Number(new URL(devnet.nodeUrl).port) });
    expect(start).rejects.toThrow("is in use");
    await start.catch(() => {});
  });
});
