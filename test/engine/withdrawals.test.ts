// Withdrawals: their events, their references, what is signed for them, and their claims
// (docs/protocol/60-state-engine-accounts.md#4-withdrawals-and-erc20-approval-bundles).
import { beforeEach, describe, expect, test } from "bun:test";
import { bridgeDigest, bundleSigners } from "../../src/crypto/multisig.ts";
import { unitOf } from "../../src/engine/assets.ts";
import type { Init } from "../../src/wire/codec.ts";
import {
  decodeWithdrawSubmission,
  encodeWithdrawSubmission,
  type WithdrawSubmission,
} from "../../src/wire/generated/commands.ts";
import { SECOND_NS } from "../../src/wire/time-text.ts";
import {
  ALICE,
  BOB,
  BRIDGE,
  COIN,
  CONTRACT,
  keyOf,
  RECEIVER,
  Rig,
  signatureOf,
  TOKEN,
} from "./banking-rig.ts";

const EXT = { erc20: { receiverAddress: RECEIVER } };

let rig: Rig;
beforeEach(() => {
  rig = new Rig();
});

function withdraw(party: string, command: Init<WithdrawSubmission>) {
  const whole = decodeWithdrawSubmission(encodeWithdrawSubmission(command));
  return rig.run(party, () => rig.banking.withdraw(whole));
}

function sign(id: string): void {
  const { digest } = rig.notary.owedSignatures(rig.node).find(({ resource }) => resource === id)!;
  const sig = signatureOf(rig.node, digest);
  expect(rig.run(keyOf(rig.node), () => rig.notary.nodeSignature({ id, sig, kind: 2 }))).toBeUndefined();
}

const claim = (referenceNonce: string, txId = "0xc1") =>
  rig.erc20(
    { withdrawal: { vegaAssetId: `0x${TOKEN}`, targetEthereumAddress: RECEIVER, referenceNonce } },
    txId,
  );

describe("a builtin withdrawal", () => {
  test("given funds, then money and one final event, then a checkpoint, and nothing to sign", () => {
    rig.fund(ALICE, COIN, 100n);
    const seconds = rig.core.nowSeconds;
    expect(withdraw(ALICE, { asset: COIN, amount: "30", ext: EXT })).toBeUndefined();
    const events = rig.events();
    expect(events.find((event) => event.withdrawal)!.withdrawal).toEqual({
      id: rig.lastId,
      partyId: ALICE,
      amount: "30",
      asset: COIN,
      status: 3,
      ref: seconds.toString(),
      txHash: "",
      createdTimestamp: rig.core.nowNs,
      withdrawnTimestamp: 0n,
      ext: undefined,
    });
    expect(rig.notary.owedSignatures(rig.node)).toEqual([]);
    expect(rig.general(ALICE)).toBe(70n);
    rig.collateral.checkConservation();
    withdraw(ALICE, { asset: COIN, amount: "30" });
    expect(rig.lines()).toEqual([
      "account alice general 40",
      "ledger 18:30",
      "withdrawal alice 30 status 3",
      "checkpoint",
    ]);
  });

  test.each([
    ["no account", BOB, "1", "account does not exists", 0n],
    ["too little", ALICE, "101", "not enough funds to withdraw", 100n],
  ])(
    "given %s, then one rejected event stays, and no checkpoint",
    (_what, party, amount, text, available) => {
      rig.fund(ALICE, COIN, 100n);
      const error = withdraw(party, { asset: COIN, amount })!;
      expect(error.message).toBe(text);
      expect(error.options.numbers).toEqual({
        ...{ available, needed: BigInt(amount) },
        ...unitOf(rig.assets.get(COIN)!),
      });
      expect(rig.lines()).toEqual([`withdrawal ${party === ALICE ? "alice" : "bob"} ${amount} status 2`]);
    },
  );
});

describe("an ERC20 withdrawal", () => {
  beforeEach(() => rig.fund(ALICE, TOKEN, 1_000n));

  test("given funds, then open, money, final, checkpoint, and the bundle's digest is the contract's", () => {
    expect(withdraw(ALICE, { asset: TOKEN, amount: "300", ext: EXT })).toBeUndefined();
    const id = rig.lastId;
    expect(rig.lines()).toEqual([
      "withdrawal alice 300 status 1",
      "account alice general 700",
      "ledger 18:300",
      "withdrawal alice 300 status 3",
      "checkpoint",
    ]);
    const record = rig.banking.withdrawals.get(id)!;
    const values = {
      token: CONTRACT,
      amount: 300n,
      receiver: RECEIVER,
      creation: rig.core.nowSeconds,
      nonce: BigInt(record.ref),
    };
    const digest = bridgeDigest("withdraw_asset", values, BRIDGE);
    expect(rig.notary.owedSignatures(rig.node)).toEqual([
      { resource: id, kind: 2, digest: Buffer.from(digest).toString("hex") },
    ]);
    sign(id);
    const { sig } = rig.events()[0]!.nodeSignature!;
    const bundle = `0x${Buffer.from(sig).toString("hex")}`;
    expect(bundleSigners(digest, bundle)).toEqual([rig.validators.node(rig.node)!.ethereumAddress]);
  });

  test.each([
    // quantum 2.5 times 10
    ["an amount below the minimum", ALICE, "24", "invalid withdrawal, amount under minimum required"],
    ["too little", ALICE, "1001", "not enough funds to withdraw"],
    ["no account", BOB, "25", "account does not exists"],
  ])("given %s, then open and rejected stay, and nothing is to be signed", (_what, party, amount, text) => {
    expect(withdraw(party, { asset: TOKEN, amount, ext: EXT })?.message).toBe(text);
    const who = party === ALICE ? "alice" : "bob";
    expect(rig.lines()).toEqual([
      `withdrawal ${who} ${amount} status 1`,
      `withdrawal ${who} ${amount} status 2`,
    ]);
    expect(rig.notary.owedSignatures(rig.node)).toEqual([]);
    expect(rig.general(ALICE, TOKEN)).toBe(1_000n);
  });

  test.each([
    ["an unknown asset", { asset: "ff".repeat(32), amount: "25", ext: EXT }, "asset does not exist"],
    ["no receiver", { asset: TOKEN, amount: "25" }, "missing withdraw submission erc20 ext"],
    ["no number of 256 bits", { asset: TOKEN, amount: "9".repeat(80), ext: EXT }, "invalid amount"],
  ])("given %s, then it is refused without an event", (_what, command, text) => {
    expect(withdraw(ALICE, command)?.message).toBe(text);
    expect(rig.lines()).toEqual([]);
  });

  test("given the bridge is stopped, then it is refused without an event until it is resumed; builtin assets go on", () => {
    rig.fund(ALICE, COIN, 100n);
    rig.erc20({ block: 5n, bridgeStopped: true });
    rig.vote(rig.lastId);
    rig.tick();
    rig.events();
    const command = { asset: TOKEN, amount: "25", ext: EXT };
    expect(withdraw(ALICE, command)?.message).toBe(
      "withdrawal issuance is disabled when the erc20 is stopped",
    );
    expect(rig.lines()).toEqual([]);
    expect(withdraw(ALICE, { asset: COIN, amount: "1" })).toBeUndefined();
    rig.erc20({ block: 6n, bridgeResumed: true });
    rig.vote(rig.lastId);
    rig.tick();
    expect(withdraw(ALICE, command)).toBeUndefined();
  });

  test("given a chain without a bridge, then it is refused", () => {
    rig.params.values.set("blockchains.ethereumConfig", '{"collateral_bridge_contract":{"address":"0xXXX"}}');
    expect(withdraw(ALICE, { asset: TOKEN, amount: "25", ext: EXT })?.message).toBe(
      "no collateral bridge is configured",
    );
    expect(rig.lines()).toEqual([]);
  });

  test("given withdrawals one after another, then references grow by those made, rejected and builtin ones too", () => {
    rig.fund(ALICE, COIN, 100n);
    const seconds = rig.core.nowSeconds;
    const commands = [
      { asset: TOKEN, amount: "25", ext: EXT },
      { asset: TOKEN, amount: "24", ext: EXT },
      { asset: TOKEN, amount: "25" },
      { asset: COIN, amount: "1" },
      { asset: TOKEN, amount: "26", ext: EXT },
    ];
    for (const command of commands) withdraw(ALICE, command);
    const refs = rig.events().flatMap(({ withdrawal }) => (withdrawal ? [withdrawal.ref] : []));
    const grown = [0n, 0n, 1n, 1n, 2n, 3n, 3n].map((count) => (seconds + count).toString());
    expect(refs).toEqual(grown);
  });
});

describe("a claim", () => {
  let ref: string;
  beforeEach(() => {
    rig.fund(ALICE, TOKEN, 1_000n);
    withdraw(ALICE, { asset: TOKEN, amount: "300", ext: EXT });
    ref = rig.banking.withdrawals.get(rig.lastId)!.ref;
  });

  test("given signatures, then the withdrawal is sent again with time and transaction, and no votes are needed", () => {
    const id = rig.lastId;
    sign(id);
    rig.tick(5n * SECOND_NS);
    rig.events();
    expect(claim(ref, "0xc1a1")).toBeUndefined();
    const [event] = rig.events();
    expect(event!.withdrawal).toMatchObject({
      id,
      status: 3,
      txHash: "0xc1a1",
      withdrawnTimestamp: rig.core.nowNs,
      createdTimestamp: rig.core.nowNs - 5n * SECOND_NS,
      ext: EXT,
    });
    expect(rig.witness.openResources(rig.node)).toEqual([]);
  });

  test("given an impossible claim, then it is refused by name", () => {
    rig.events();
    expect(claim(ref)?.message).toBe("withdrawal not ready");
    expect(claim("0x12")?.message).toBe("invalid withdrawal reference nonce");
    expect(claim("12")?.message).toBe("invalid reference for withdrawal chain event");
    withdraw(ALICE, { asset: TOKEN, amount: "24", ext: EXT });
    const rejected = rig.banking.withdrawals.get(rig.lastId)!.ref;
    rig.events();
    expect(claim(rejected)?.message).toBe("invalid withdrawal state");
    expect(rig.lines()).toEqual([]);
  });
});
