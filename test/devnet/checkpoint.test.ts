// A chain that begins from another chain's checkpoint (docs/protocol/60-state-engine-parameters.md#12-checkpoints): its
// content exists again, what waits goes on, and Ethereum is the one that the chain knew.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Devnet } from "../../src/devnet/devnet.ts";
import { devnetGenesisText, withCheckpoint } from "../../src/devnet/genesis.ts";
import { madeUpAssetId } from "../../src/devnet/keys.ts";
import { PartyClient } from "../../src/devnet/party-client.ts";
import {
  type CheckpointText,
  checkpointHash,
  genesisCheckpoint,
  readCheckpointFile,
} from "../../src/engine/checkpoints.ts";
import { NodeError } from "../../src/errors/node-error.ts";
import {
  decodeAssets,
  decodeBanking,
  decodeCheckpoint,
  decodeCollateral,
  decodeDelegate,
  decodeProposals,
  decodeStaking,
  decodeValidators,
  encodeCheckpoint,
  encodeCheckpointState,
  encodeCollateral,
} from "../../src/wire/generated/checkpoint.ts";
import { decodeEpochEvent } from "../../src/wire/generated/events.ts";
import { AccountType } from "../../src/wire/generated/vega.ts";
import { SECOND_NS } from "../../src/wire/time-text.ts";
import { startTestDevnet } from "../support/test-devnet.ts";

const DOLLAR = madeUpAssetId("tUSD");
const BRIDGED = madeUpAssetId("dUSD");
const { ACCOUNT_TYPE_GENERAL, ACCOUNT_TYPE_GLOBAL_REWARD } = AccountType;

const seeded = { seed: "checkpoint", mode: { kind: "instant" } } as const;

// biome-ignore lint/suspicious/noExplicitAny: an answer is looked at as it is
async function get(devnet: Devnet, path: string): Promise<any> {
  return (await fetch(`${devnet.dataUrl}/api/v2/${path}`)).json();
}

/** Balances of all accounts, by owner, asset and type. */
async function balances(devnet: Devnet): Promise<Record<string, string>> {
  const { accounts } = await get(devnet, "accounts?pagination.first=1000");
  return Object.fromEntries(
    (accounts.edges as { node: Record<string, string> }[])
      .map(({ node }) => [`${node.owner} ${node.asset} ${node.type}`, node.balance!] as const)
      .filter(([, balance]) => balance !== "0"),
  );
}

function transfer(to: string, amount: bigint, more: object) {
  const [fromAccountType, toAccountType] = [ACCOUNT_TYPE_GENERAL, ACCOUNT_TYPE_GENERAL];
  return {
    kind: "transfer",
    payload: { fromAccountType, to, toAccountType, asset: DOLLAR, amount: amount.toString(), ...more },
  } as const;
}

describe("a chain that begins from a checkpoint", () => {
  let before: Devnet;
  let after: Devnet;
  let text: string;
  let content: ReturnType<typeof decodeCheckpoint>;
  let held: Record<string, string>;
  let endTime: bigint;

  beforeAll(async () => {
    before = await startTestDevnet({ ...seeded, parameters: { "validators.epoch.length": "1h" } });
    const { chain, parties } = before;
    const [alice, bob] = parties.map(({ key }) => new PartyClient(chain, key));
    // Amid an epoch: what ends one does not deliver it.
    const deliverOn = BigInt(chain.status.timeNs) + 9_000n * SECOND_NS;
    await alice!.send(transfer(parties[1]!.publicKey, 7_000_000n, { oneOff: { deliverOn } }));
    const startEpoch = chain.status.epoch.seq;
    await bob!.send(transfer(parties[2]!.publicKey, 300_000n, { recurring: { startEpoch, factor: "1" } }));
    await alice!.send({
      kind: "transfer",
      payload: {
        fromAccountType: ACCOUNT_TYPE_GENERAL,
        to: "0".repeat(64),
        toAccountType: ACCOUNT_TYPE_GLOBAL_REWARD,
        asset: DOLLAR,
        amount: "5000000",
        oneOff: {},
      },
    });
    const closing = BigInt(chain.status.timeNs) / SECOND_NS + 60n;
    const { text: refused } = await chain.impersonate(parties[0]!.publicKey, {
      proposalSubmission: {
        reference: "kept",
        rationale: { title: "kept", description: "what was enacted is told again" },
        terms: {
          closingTimestamp: closing.toString(),
          enactmentTimestamp: (closing + 1n).toString(),
          updateNetworkParameter: { changes: { key: "spam.protection.max.votes", value: "17" } },
        },
      },
    });
    expect(refused).toBe("");
    const { connection } = await get(before, "governances");
    await alice!.send({
      kind: "voteSubmission",
      payload: { proposalId: connection.edges[0].node.proposal.id, value: 2 },
    });
    await chain.forwardTime(90n * SECOND_NS);
    await chain.mine(2);
    await chain.endEpoch();
    text = await chain.checkpoint();
    content = decodeCheckpoint(Buffer.from((JSON.parse(text) as CheckpointText).state, "base64"));
    held = await balances(before);
    endTime = BigInt(chain.status.timeNs);
    after = await startTestDevnet({
      ...seeded,
      nowNs: () => endTime + 60n * SECOND_NS,
      genesisTimeNs: endTime + 60n * SECOND_NS,
      checkpoint: Buffer.from(text),
    });
  }, 120_000);
  afterAll(async () => {
    await before?.stop();
    await after?.stop();
  });

  test("given the same state, then the checkpoint is the same, and its hash is that of its parts", async () => {
    expect(await before.chain.checkpoint()).toBe(text);
    expect(checkpointHash(content)).toBe((JSON.parse(text) as CheckpointText).load_hash);
    expect(decodeProposals(content.governance).proposals.map(({ reference }) => reference)).toEqual(["kept"]);
  });

  test("then every account holds what it held, by movements of their own type", async () => {
    expect(await balances(after)).toEqual(held);
    const type = "TRANSFER_TYPE_CHECKPOINT_BALANCE_RESTORE";
    const { publicKey: alice } = after.parties[0]!;
    const filter = `filter.transferTypes=${type}&filter.toAccountFilter.partyIds=${alice}`;
    const { ledgerEntries } = await get(after, `ledgerentry/history?${filter}`);
    const { balances: kept } = decodeCollateral(content.collateral);
    const own = kept.filter(({ party }) => party === alice).map(({ balance }) => balance);
    expect(own.length).toBeGreaterThan(3);
    const amounts = ledgerEntries.edges.map(({ node }: { node: { quantity: string } }) => node.quantity);
    expect(amounts.sort()).toEqual(own.sort());
  });

  test("then stake, delegations, parameters, assets, validators, proposals and the epoch are there", async () => {
    const again = decodeCheckpoint(
      Buffer.from((JSON.parse(await after.chain.checkpoint()) as CheckpointText).state, "base64"),
    );
    expect(decodeStaking(again.staking).accepted).toEqual(decodeStaking(content.staking).accepted);
    expect(decodeDelegate(again.delegation)).toEqual(decodeDelegate(content.delegation));
    expect(decodeAssets(again.assets)).toEqual(decodeAssets(content.assets));
    expect(decodeCollateral(again.collateral)).toEqual(decodeCollateral(content.collateral));
    expect(decodeProposals(again.governance)).toEqual(decodeProposals(content.governance));
    expect(again.networkParameters).toEqual(content.networkParameters);
    expect(decodeBanking(again.banking)).toEqual(decodeBanking(content.banking));
    expect(decodeBanking(content.banking)).toMatchObject({
      transfersAtTime: [{ transfers: [{ reference: "" }] }],
      recurringTransfers: { recurringTransfers: [{ amount: "300000" }] },
      seenRefs: expect.arrayContaining([expect.stringMatching(/^builtin\//)]),
    });
    const powers = (bytes: Uint8Array) =>
      decodeValidators(bytes).validatorState.map(({ validatorPower, status }) => [validatorPower, status]);
    expect(powers(again.validators)).toEqual(powers(content.validators));
    expect(decodeEpochEvent(again.epoch)).toEqual(decodeEpochEvent(content.epoch));
    expect(after.chain.status.epoch.seq).toBe(before.chain.status.epoch.seq);
    const { networkParameter } = await get(after, "network/parameters/spam.protection.max.votes");
    expect(networkParameter.value).toBe("17");
    const { proposal } = (await get(after, "governances")).connection.edges[0].node;
    expect(proposal).toMatchObject({ reference: "kept", state: "STATE_ENACTED" });
  });

  test("then a deposit is credited, a withdrawal claimed and stake taken back on the bridge that it knew", async () => {
    const { chain, parties } = after;
    const dave = parties[3]!.publicKey;
    const before = BigInt((await balances(after))[`${dave} ${BRIDGED} ACCOUNT_TYPE_GENERAL`]!);
    await chain.bridge.deposit(dave, BRIDGED, 5_000_000n);
    await chain.bridge.deposit(dave, DOLLAR, 1_000_000n);
    expect((await balances(after))[`${dave} ${BRIDGED} ACCOUNT_TYPE_GENERAL`]).toBe(`${before + 5_000_000n}`);
    const client = new PartyClient(chain, parties[3]!.key);
    await client.send({
      kind: "withdrawSubmission",
      payload: {
        amount: (before + 5_000_000n).toString(),
        asset: BRIDGED,
        ext: { erc20: { receiverAddress: `0x${"5e".repeat(20)}` } },
      },
    });
    await chain.mine(3);
    const { withdrawals } = await get(after, `withdrawals?partyId=${dave}`);
    const { id } = withdrawals.edges[0].node;
    await chain.bridge.claim(id);
    expect((await get(after, `withdrawal/${id}`)).withdrawal.withdrawnTimestamp).not.toBe("0");
    await chain.bridge.unstake(parties[4]!.publicKey, 1_000n);
    expect((await get(after, `parties/${parties[4]!.publicKey}/stake`)).currentStakeAvailable).toBe(
      "999999999999999999999000",
    );
  }, 120_000);

  test("given parameters that the genesis keeps, then the checkpoint's are passed over", async () => {
    const document = JSON.parse(withCheckpoint(devnetGenesisText(), JSON.parse(text) as CheckpointText));
    document.app_state.network_parameters_checkpoint_overwrite = ["spam.protection.max.votes"];
    const kept = await startTestDevnet({ ...seeded, genesis: JSON.stringify(document) });
    const value = async (key: string) =>
      (await get(kept, `network/parameters/${key}`)).networkParameter.value;
    expect(await value("spam.protection.max.votes")).toBe("3");
    expect(await value("validators.epoch.length")).toBe("1h");
    await kept.stop();
  });

  test("then what was scheduled is delivered, and what recurs goes on", async () => {
    const { chain, parties } = after;
    const key = (party: number) => `${parties[party]!.publicKey} ${DOLLAR} ACCOUNT_TYPE_GENERAL`;
    const before = await balances(after);
    await chain.endEpoch();
    const once = await balances(after);
    // With a few more from the fees of the epoch, which delegators share.
    const received = BigInt(once[key(2)]!) - BigInt(before[key(2)]!);
    expect(received >= 300_000n && received < 310_000n).toBe(true);
    await chain.forwardTime(7_200n * SECOND_NS);
    await chain.mine(1);
    const later = await balances(after);
    expect(BigInt(later[key(1)]!)).toBeGreaterThan(BigInt(once[key(1)]!) + 6_000_000n);
  }, 120_000);
});

describe("a checkpoint that cannot be used", () => {
  const genesis = (checkpoint: CheckpointText) => ({
    seed: "bad",
    genesis: withCheckpoint(devnetGenesisText(), checkpoint),
    fund: false,
  });
  const empty = decodeCheckpoint(new Uint8Array());
  const checkpointFile = (change: object = {}): CheckpointText => {
    const changed = { ...empty, ...change };
    return {
      load_hash: checkpointHash(changed),
      state: Buffer.from(encodeCheckpoint(changed)).toString("base64"),
    };
  };

  test.each([
    ["another hash", { ...checkpointFile(), load_hash: "ab".repeat(32) }, "the genesis asks for abab"],
    ["no base64", { ...checkpointFile(), state: "?" }, "its state is not base64"],
    ["bytes that are no message", { ...checkpointFile(), state: "/w==" }, "its state cannot be read"],
    [
      "a balance of an unknown asset",
      checkpointFile({
        collateral: encodeCollateral({ balances: [{ party: "ab".repeat(32), asset: "cd", balance: "1" }] }),
      }),
      "collateral: asset cd does not exist",
    ],
    [
      "a balance that is no amount",
      checkpointFile({
        collateral: encodeCollateral({
          balances: [{ party: "ab".repeat(32), asset: DOLLAR, balance: "-1" }],
        }),
      }),
      "collateral: a balance is not an amount",
    ],
    [
      "an account that the network does not have",
      checkpointFile({
        collateral: encodeCollateral({ balances: [{ party: "*NONE", asset: DOLLAR, balance: "1" }] }),
      }),
      "there is no account '*NONE' of the network",
    ],
  ])("given %s, then the chain does not begin, and says why", async (_title, checkpoint, reason) => {
    const failure = await startTestDevnet({ ...genesis(checkpoint) }).catch((error) => error);
    expect(failure).toBeInstanceOf(NodeError);
    expect(failure).toMatchObject({ code: "checkpoint_invalid", message: expect.stringContaining(reason) });
  });

  test("given a file of either form, then it is read; given another one, then it is refused", () => {
    const checkpoint = checkpointFile();
    const state = Buffer.from(checkpoint.state, "base64");
    const hash = Buffer.from(checkpoint.load_hash, "hex");
    expect(readCheckpointFile(Buffer.from(JSON.stringify(checkpoint)))).toEqual(checkpoint);
    expect(readCheckpointFile(encodeCheckpointState({ hash, state }))).toEqual(checkpoint);
    for (const bytes of ["{", "{}", "nothing of the kind"]) {
      expect(() => readCheckpointFile(Buffer.from(bytes))).toThrow(NodeError);
    }
    expect(genesisCheckpoint({})).toBeUndefined();
    expect(genesisCheckpoint({ checkpoint: { load_hash: "", state: "" } })).toBeUndefined();
  });
});
