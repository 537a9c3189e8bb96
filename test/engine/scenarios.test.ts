// Whole stories on the composed engine: what goes in, which events come out, and what the data API answers.
import { afterEach, describe, expect, test } from "bun:test";
import { bridgeDigest, bundleSigners } from "../../src/crypto/multisig.ts";
import { ethereumAddress } from "../../src/crypto/secp256k1.ts";
import { SECOND_NS } from "../../src/wire/time-text.ts";
import type { CommandInit } from "../../src/wire/transaction.ts";
import { alice, bob, ChainRig, members, payloads, validator } from "./chain-rig.ts";

const USD = "d423f8eed06edc24859a01906f96f0a3b0ba7dbb0956276e51a3bf4ee9e08ad9";
const LYRA = "bf7e59e3e2291179ebe524531eb02f0573f65ef0d2241d616778de5ede32a597";
const LYRA_CONTRACT = "0x29B61b169AED2f8035866d93758413f531B21dB6";
const BRIDGE = "0x7Df0b7246DC7645Cbc93014700C2d019E23E6BF1";
const RECEIVER = `0x${"5e1f".repeat(10)}`;
const TOKEN = 10n ** 18n;
const GENERAL = 4;
const NOT_BY_VALIDATOR = "node signature not sent by validator";
const SIGNATURE = { value: "aa", algo: "vega/ed25519", version: 1 };
const HEARTBEAT = {
  nodeId: validator.nodeId,
  ethereumSignature: SIGNATURE,
  vegaSignature: SIGNATURE,
  message: "a",
};

const rigs: ChainRig[] = [];

function open(parameters: Record<string, string> = {}): ChainRig {
  const rig = new ChainRig(parameters);
  rigs.push(rig);
  return rig;
}

afterEach(() => {
  for (const rig of rigs.splice(0)) rig.close();
});

let nonce = 0n;

function depositBuiltin(rig: ChainRig, partyId: string, amount: string) {
  nonce += 1n;
  return rig.report({ nonce, builtin: { deposit: { vegaAssetId: USD, partyId, amount } } });
}

let ethereumBlock = 0n;

function erc20(event: object) {
  ethereumBlock += 1n;
  const txId = `0x${ethereumBlock.toString(16).padStart(64, "0")}`;
  return { txId, nonce: ethereumBlock, erc20: { index: 0n, block: ethereumBlock, ...event } };
}

function depositErc20(rig: ChainRig, targetPartyId: string, amount: bigint) {
  const deposit = {
    vegaAssetId: LYRA,
    sourceEthereumAddress: RECEIVER,
    targetPartyId,
    amount: amount.toString(),
  };
  return rig.report(erc20({ deposit }));
}

function stake(rig: ChainRig, vegaPublicKey: string, amount: bigint) {
  ethereumBlock += 1n;
  const stakeDeposited = {
    ethereumAddress: RECEIVER,
    vegaPublicKey,
    amount: amount.toString(),
    blockTime: 1n,
  };
  const txId = `0x${ethereumBlock.toString(16).padStart(64, "0")}`;
  return rig.report({
    txId,
    nonce: ethereumBlock,
    stakingEvent: { index: 0n, block: ethereumBlock, stakeDeposited },
  });
}

function addSigner(rig: ChainRig) {
  ethereumBlock += 1n;
  const signerAdded = { newSigner: ethereumAddress(validator.ethereum(1)), nonce: "1", blockTime: 1n };
  const txId = `0x${ethereumBlock.toString(16).padStart(64, "0")}`;
  return rig.report({
    txId,
    nonce: ethereumBlock,
    erc20Multisig: { index: 0n, block: ethereumBlock, signerAdded },
  });
}

const transfer = (to: string, amount: string, asset = USD) =>
  ({
    kind: "transfer",
    payload: {
      fromAccountType: GENERAL,
      to,
      toAccountType: GENERAL,
      asset,
      amount,
      reference: "r",
      oneOff: {},
    },
  }) as const;

describe("deposits and transfers", () => {
  test("given a builtin deposit, when the validator has voted, then it is credited in a later block, with its events in order", async () => {
    const rig = open();
    // Epoch 0 ends in the first blocks.
    rig.endEpoch();
    const blocks = depositBuiltin(rig, alice.publicKey, "5000");
    expect(blocks.map(members)).toEqual([
      ["beginBlock", "timeUpdate", "deposit", "endBlock"],
      ["beginBlock", "timeUpdate", "endBlock"],
      ["beginBlock", "timeUpdate", "party", "account", "account", "ledgerMovements", "deposit", "endBlock"],
    ]);
    const [open_, final] = payloads(blocks, "deposit");
    expect([open_.status, final.status, open_.id === final.id, final.amount]).toEqual([1, 3, true, "5000"]);
    const { deposits } = await rig.get(`/deposits?partyId=${alice.publicKey}`);
    expect(deposits.edges.map((edge: { node: object }) => edge.node)).toEqual([
      expect.objectContaining({ status: "STATUS_FINALIZED", amount: "5000", asset: USD, txHash: "" }),
    ]);
    const { accounts } = await rig.get(`/accounts?filter.partyIds=${alice.publicKey}`);
    expect(accounts.edges[0].node.balance).toBe("5000");
  });

  test("given a transfer between parties, then the events come in the protocol's order and the fee is paid on top", async () => {
    const rig = open();
    depositBuiltin(rig, alice.publicKey, "1000000");
    const block = rig.send(alice.key, transfer(bob.publicKey, "500000"));
    expect(members(block)).toEqual([
      ...["beginBlock", "timeUpdate"],
      ...["account", "account", "party", "account", "account", "account", "account", "account"],
      ...["ledgerMovements", "transfer", "transactionResult", "endBlock"],
    ]);
    const balances = payloads(block, "account").map(({ owner, type, balance }) => [
      owner.slice(0, 4),
      type,
      balance,
    ]);
    expect(balances).toEqual([
      [alice.publicKey.slice(0, 4), 4, "500000"],
      ["*", 13, "500000"],
      [bob.publicKey.slice(0, 4), 4, "0"],
      ["*", 13, "0"],
      [bob.publicKey.slice(0, 4), 4, "500000"],
      [alice.publicKey.slice(0, 4), 4, "499500"],
      ["*", 5, "500"],
    ]);
    const [result] = payloads(block, "transactionResult");
    expect([result.status, result.failure, result.transfer.amount]).toEqual([true, undefined, "500000"]);
    const { ledgerEntries } = await rig.get(
      `/ledgerentry/history?filter.toAccountFilter.partyIds=${bob.publicKey}&filter.toAccountFilter.assetId=${USD}`,
    );
    expect(ledgerEntries.edges.length).toBeGreaterThan(0);
  });

  test("given a transfer that cannot be paid, then it is rejected by name, nothing moves and the failure is told", () => {
    const rig = open();
    depositBuiltin(rig, alice.publicKey, "100000");
    const block = rig.block([rig.tx(alice.key, transfer(bob.publicKey, "100000"))]);
    const text = "could not pay the fee for transfer: not enough funds to transfer";
    expect(block.results[0]).toMatchObject({ code: 70, text });
    expect(members(block).slice(2, -1)).toEqual(["transfer", "transactionResult", "txErrEvent"]);
    expect(payloads(block, "transfer")[0]).toMatchObject({ status: 3, reason: text });
    expect(payloads(block, "txErrEvent")[0].errMsg).toBe(`Transfer Funds - ${text}`);
  });

  test("given a command that the chain has no handler for, then it is refused with code 80 and leaves no event", () => {
    const rig = open();
    const proposal = {
      stateVarId: "a",
      eventId: "b",
      kvb: [{ key: "k", tolerance: "0", value: { scalarVal: { value: "1" } } }],
    };
    const command = { kind: "stateVariableProposal", payload: { proposal } } as const;
    const tx = rig.tx(validator.vega(1), command);
    expect(rig.engine.check(tx)).toMatchObject({ code: 80, text: "not supported by this chain" });
    const block = rig.block([tx]);
    expect(block.results[0]).toMatchObject({ code: 80, text: "not supported by this chain" });
    expect(members(block)).toEqual(["beginBlock", "timeUpdate", "endBlock"]);
  });

  test("given an order for a market that is not there, then it fails without an order's event", () => {
    const rig = open();
    const payload = { orderId: "aa".repeat(32), marketId: "bb".repeat(32) };
    const tx = rig.tx(alice.key, { kind: "orderCancellation", payload });
    expect(rig.engine.check(tx)).toMatchObject({ code: 0 });
    const block = rig.block([tx]);
    expect(block.results[0]).toMatchObject({ code: 70, text: "OrderError: Invalid Market ID" });
    expect(members(block).slice(2, -1)).toEqual(["transactionResult", "txErrEvent"]);
  });

  test.each([
    ["a node's vote", "nodeVote", { reference: "a", type: 1 }, NOT_BY_VALIDATOR],
    ["a heartbeat", "validatorHeartbeat", HEARTBEAT, "heartbeat received after expiry"],
    [
      "an upgrade",
      "protocolUpgradeProposal",
      { upgradeBlockHeight: 9n, vegaReleaseTag: "v0.72.0" },
      "only tendermint validator can propose a protocol upgrade",
    ],
  ] as const)(
    "given %s by a party, then the mempool asks for a validator's key, and a block as it does",
    (_title, kind, payload, delivered) => {
      const rig = open();
      const tx = rig.tx(alice.key, { kind, payload } as CommandInit);
      expect(rig.engine.check(tx)).toMatchObject({ code: 70, text: NOT_BY_VALIDATOR });
      expect(rig.block([tx]).results[0]).toMatchObject({ code: 70, text: delivered });
    },
  );

  test("given a refusal, then it wants no gas", () => {
    const rig = open({ "limits.assets.proposeEnabledFrom": "2999-01-01T00:00:00Z" });
    depositBuiltin(rig, alice.publicKey, "100000");
    const cancellation = {
      kind: "orderCancellation",
      payload: { orderId: "aa".repeat(32), marketId: "bb".repeat(32) },
    } as const;
    expect(rig.engine.check(rig.tx(alice.key, transfer(bob.publicKey, "50000")))).toMatchObject({
      code: 0,
      gasWanted: 1,
    });
    expect(rig.engine.check(rig.tx(alice.key, transfer(bob.publicKey, "100000")))).toMatchObject({
      code: 70,
      gasWanted: 0,
    });
    expect(rig.engine.check(rig.tx(alice.key, cancellation))).toMatchObject({
      code: 51,
      text: "trading disabled",
      gasWanted: 0,
    });
  });

  test("given a check, then nothing changes, whatever the verdict", () => {
    const rig = open();
    depositBuiltin(rig, alice.publicKey, "1000000");
    const before = [...rig.engine.state.entries()];
    expect(rig.engine.check(rig.tx(alice.key, transfer(bob.publicKey, "500000"))).code).toBe(0);
    expect(rig.engine.check(rig.tx(alice.key, transfer(bob.publicKey, "1"))).code).toBe(70);
    expect([...rig.engine.state.entries()]).toEqual(before);
    expect(rig.engine.state.takeChanges()).toEqual([]);
  });
});

test("given more of an asset than 256 bits can say, then the deposit is cancelled and the chain goes on", () => {
  const rig = open();
  const most = (1n << 256n) - 1n;
  depositBuiltin(rig, alice.publicKey, most.toString());
  const blocks = depositBuiltin(rig, bob.publicKey, "1");
  expect(payloads(blocks, "deposit").map(({ status }) => status)).toEqual([1, 2]);
  const [transferred] = rig.block([
    rig.tx(alice.key, transfer(bob.publicKey, (most / 2n).toString())),
  ]).results;
  expect(transferred?.code).toBe(0);
});

test("given a chain event that is refused, then it leaves no trace but that it was forwarded", () => {
  const rig = open();
  const forwarded = () => rig.engine.domains.validators.forwardedBy(validator.nodeId);
  const report = () => {
    const deposit = { vegaAssetId: "0f".repeat(32), partyId: alice.publicKey, amount: "5" };
    const payload = { nonce: 1n, builtin: { deposit } };
    return rig.block([rig.tx(validator.vega(1), { kind: "chainEvent", payload })]);
  };
  for (const times of [1n, 2n]) {
    const block = report();
    expect(block.results[0]).toMatchObject({ code: 70, text: "asset does not exist" });
    expect(members(block)).not.toContain("deposit");
    expect(forwarded()).toBe(times);
  }
});

describe("withdrawals", () => {
  test("given an ERC20 withdrawal, then the bundle verifies against the bridge's digest, and a claim is recorded", async () => {
    const rig = open();
    depositErc20(rig, alice.publicKey, 100n * TOKEN);
    const amount = 20n * TOKEN;
    const block = rig.send(alice.key, {
      kind: "withdrawSubmission",
      payload: { amount: amount.toString(), asset: LYRA, ext: { erc20: { receiverAddress: RECEIVER } } },
    });
    expect(members(block).slice(2, -1)).toEqual([
      "withdrawal",
      "account",
      "ledgerMovements",
      "withdrawal",
      "checkpoint",
      "transactionResult",
    ]);
    const [first, second] = payloads(block, "withdrawal");
    expect([first.status, second.status]).toEqual([1, 3]);
    rig.settle();
    const bundle = await rig.get(`/erc20/asset/withdrawal/bundle?withdrawalId=${first.id}`);
    const digest = bridgeDigest(
      "withdraw_asset",
      {
        token: LYRA_CONTRACT,
        amount: BigInt(bundle.amount),
        receiver: bundle.targetAddress,
        creation: BigInt(bundle.creation),
        nonce: BigInt(bundle.nonce),
      },
      BRIDGE,
    );
    expect(bundleSigners(digest, bundle.signatures)).toEqual([ethereumAddress(validator.ethereum(1))]);
    const withdrawal = { vegaAssetId: LYRA, targetEthereumAddress: RECEIVER, referenceNonce: bundle.nonce };
    const claim = rig.send(validator.vega(1), { kind: "chainEvent", payload: erc20({ withdrawal }) });
    expect(payloads(claim, "withdrawal")[0]).toMatchObject({
      status: 3,
      withdrawnTimestamp: rig.engine.core.nowNs,
    });
    const answer = await rig.get(`/withdrawal/${first.id}`);
    expect(answer.withdrawal).toMatchObject({ status: "STATUS_FINALIZED", amount: amount.toString() });
    expect(answer.withdrawal.txHash).toStartWith("0x");
  });
});

describe("staking, delegation and rewards", () => {
  test("given stake, a delegation, a known signer and a funded treasury, when the epoch ends, then rewards are paid", async () => {
    const rig = open();
    rig.endEpoch();
    addSigner(rig);
    const self = validator.vega(1);
    const selfKey = Buffer.from(self.publicKey).toString("hex");
    stake(rig, selfKey, 3_000n * TOKEN);
    const linked = stake(rig, alice.publicKey, 1_000n * TOKEN);
    expect(payloads(linked, "stakeLinking").map(({ status }) => status)).toEqual([1, 2]);
    const delegate = (amount: bigint) =>
      ({
        kind: "delegateSubmission",
        payload: { nodeId: validator.nodeId, amount: amount.toString() },
      }) as const;
    rig.send(self, delegate(3_000n * TOKEN));
    const delegated = rig.send(alice.key, delegate(1_000n * TOKEN));
    expect(payloads(delegated, "delegationBalance")[0]).toMatchObject({
      amount: (1_000n * TOKEN).toString(),
    });
    rig.endEpoch();
    depositErc20(rig, "0".repeat(64), 400n * TOKEN);
    const end = rig.endEpoch();
    const rewards = payloads(end, "rewardPayout");
    expect(rewards.map(({ party }) => party).sort()).toEqual([alice.publicKey, selfKey].sort());
    const paid = rewards.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
    expect(paid).toBeLessThanOrEqual(400n * TOKEN);
    expect(paid).toBeGreaterThan(399n * TOKEN);
    // Alice's part: the delegators' share of what her quarter earned.
    const hers = rewards.find(({ party }) => party === alice.publicKey)!;
    expect(BigInt(hers.amount)).toBe((400n * TOKEN * 883n) / 1000n / 4n);
    const order = members(end);
    expect(order.indexOf("validatorScore")).toBeLessThan(order.indexOf("rankingEvent"));
    expect(order.indexOf("rankingEvent")).toBeLessThan(order.indexOf("rewardPayout"));
    expect(order.filter((member) => member === "epochEvent").length).toBe(2);
    const { summaries } = await rig.get(`/rewards/summaries?partyId=${alice.publicKey}`);
    expect(summaries).toEqual([{ partyId: alice.publicKey, assetId: LYRA, amount: hers.amount }]);
    const { epoch } = await rig.get("/epoch");
    expect(Number(epoch.seq)).toBe(Number(rig.engine.epoch.seq));
  });
});

describe("governance", () => {
  const rationale = { title: "a change", description: "why" };

  test("given a parameter proposal with enough votes, then it passes, is enacted and is seen at once", async () => {
    const rig = open();
    stake(rig, alice.publicKey, 10_000n * TOKEN);
    const now = rig.engine.core.nowSeconds;
    const proposed = rig.send(alice.key, {
      kind: "proposalSubmission",
      payload: {
        reference: "p",
        rationale,
        terms: {
          closingTimestamp: now + 10n,
          enactmentTimestamp: now + 20n,
          updateNetworkParameter: { changes: { key: "transfer.fee.factor", value: "0.25" } },
        },
      },
    });
    const { id } = payloads(proposed, "proposal")[0];
    const voted = rig.send(alice.key, { kind: "voteSubmission", payload: { proposalId: id, value: 2 } });
    expect(payloads(voted, "vote")[0]).toMatchObject({ value: 2, totalGovernanceTokenWeight: "0" });
    const closed = rig.block([], 12n * SECOND_NS);
    expect(payloads(closed, "proposal")[0].state).toBe(3);
    expect(payloads(closed, "vote")[0].totalGovernanceTokenWeight).toBe("1");
    const enacted = rig.block([], 12n * SECOND_NS);
    expect(members(enacted).slice(2, -1)).toEqual(["networkParameter", "proposal"]);
    const { networkParameter } = await rig.get("/network/parameters/transfer.fee.factor");
    expect(networkParameter).toEqual({ key: "transfer.fee.factor", value: "0.25" });
    const { data } = await rig.get(`/governance?proposalId=${id}`);
    expect(data.proposal.state).toBe("STATE_ENACTED");
  });

  test("given a proposal of a party without stake, then it is rejected with its reason", () => {
    const rig = open();
    const now = rig.engine.core.nowSeconds;
    const terms = { closingTimestamp: now + 10n, newFreeform: {} };
    const block = rig.block([
      rig.tx(alice.key, { kind: "proposalSubmission", payload: { reference: "", rationale, terms } }),
    ]);
    expect(block.results[0]).toMatchObject({ code: 70, text: "no balance for party" });
    expect(payloads(block, "proposal")[0]).toMatchObject({ state: 4, reason: 5 });
  });
});

test("given the same transactions twice, then every block has the same events and the same state", () => {
  const run = () => {
    const rig = open();
    nonce = 0n;
    ethereumBlock = 0n;
    depositBuiltin(rig, alice.publicKey, "1000000");
    stake(rig, alice.publicKey, 5n * TOKEN);
    rig.send(alice.key, transfer(bob.publicKey, "500000"));
    rig.endEpoch();
    return rig.blocks;
  };
  expect(run()).toEqual(run());
});
