// The end of an epoch with everything together: transfers, then rewards, over delegations and keys that
// changed within the epoch (docs/protocol/60-state-engine-staking.md#72-delegation, #84-recurring,
// #86-reward-accounts-and-payout-order-at-epoch-end, #87-staking-type-formula-types-1-2 and #91-vega-key-rotation).
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { ethereumAddress } from "../../src/crypto/secp256k1.ts";
import { sha3HexOf } from "../../src/crypto/sha.ts";
import type { CommandInit } from "../../src/wire/transaction.ts";
import { alice, bob, ChainRig, type SeenBlock, validator } from "./chain-rig.ts";

/** The devnet's staking token, which rewards are paid in. */
const LYRA = "bf7e59e3e2291179ebe524531eb02f0573f65ef0d2241d616778de5ede32a597";
const SOMEONE = `0x${"5e1f".repeat(10)}`;
const TREASURY = "0".repeat(64);
const TOKEN = 10n ** 18n;
const [NOW, AT_END_OF_EPOCH] = [1, 2] as const;
const [GENERAL, GLOBAL_REWARD] = [4, 12] as const;
const [DONE, STOPPED] = [2, 4] as const;

const self = validator.vega(1);
const selfKey = Buffer.from(self.publicKey).toString("hex");

let rig: ChainRig;
let place: bigint;

function onEthereum(event: object): SeenBlock[] {
  place += 1n;
  const txId = `0x${place.toString(16).padStart(64, "0")}`;
  return rig.report({ txId, nonce: place, ...event });
}

function open(parameters: Record<string, string> = {}): void {
  rig = new ChainRig({ "reward.staking.delegation.minimumValidatorStake": "0", ...parameters });
  place = 0n;
  rig.endEpoch();
  const signerAdded = { newSigner: ethereumAddress(validator.ethereum(1)), nonce: "1", blockTime: 1n };
  onEthereum({ erc20Multisig: { index: 0n, block: 1n, signerAdded } });
  for (const [vegaPublicKey, tokens] of [
    [selfKey, 3_000n],
    [alice.publicKey, 1_000n],
  ] as const) {
    const amount = (tokens * TOKEN).toString();
    const stakeDeposited = { ethereumAddress: SOMEONE, vegaPublicKey, amount, blockTime: 1n };
    onEthereum({ stakingEvent: { index: 0n, block: place, stakeDeposited } });
  }
  rig.send(self, delegate(3_000n));
  rig.send(alice.key, delegate(1_000n));
  rig.endEpoch();
}

function deposit(targetPartyId: string, amount: bigint): void {
  const deposit = {
    vegaAssetId: LYRA,
    sourceEthereumAddress: SOMEONE,
    targetPartyId,
    amount: amount.toString(),
  };
  onEthereum({ erc20: { index: 0n, block: place, deposit } });
}

function delegate(tokens: bigint): CommandInit {
  const payload = { nodeId: validator.nodeId, amount: (tokens * TOKEN).toString() };
  return { kind: "delegateSubmission", payload };
}

function undelegate(tokens: bigint, method: number): CommandInit {
  const payload = { nodeId: validator.nodeId, amount: (tokens * TOKEN).toString(), method };
  return { kind: "undelegateSubmission", payload };
}

/** The parties' shares of the block's payouts. */
function paidBy({ events }: SeenBlock): Record<string, bigint> {
  const paid: Record<string, bigint> = {};
  for (const { member, payload } of events) {
    if (member === "rewardPayout") paid[payload.party] = (paid[payload.party] ?? 0n) + BigInt(payload.amount);
  }
  return paid;
}

beforeEach(() => open());
afterEach(() => rig.close());

describe("delegations that changed within the epoch", () => {
  /** Of the whole, the delegators have this many thousandths of what their stake earns. */
  const share = 883n;
  const reward = 400n * TOKEN;

  test("given an undelegation at the end of the epoch, then that epoch is paid in full and the next one is not", () => {
    deposit(TREASURY, reward);
    rig.send(alice.key, undelegate(1_000n, AT_END_OF_EPOCH));
    const hers = (reward * share) / 1000n / 4n;
    expect(paidBy(rig.endEpoch())).toEqual({ [alice.publicKey]: hers, [selfKey]: reward - hers });
    deposit(TREASURY, reward);
    expect(paidBy(rig.endEpoch())).toEqual({ [selfKey]: reward });
  });

  test("given an undelegation now, then the running epoch pays for what is left", () => {
    deposit(TREASURY, reward);
    rig.send(alice.key, undelegate(600n, NOW));
    const paid = paidBy(rig.endEpoch());
    // 400 of 3400 are hers; a quotient has 16 decimals and is rounded, so that a few of 10^20 units go astray.
    const off = paid[alice.publicKey]! - (reward * share * 400n) / 1000n / 3400n;
    expect(off > -100_000n && off < 100_000n).toBe(true);
    const rest = reward - paid[alice.publicKey]! - paid[selfKey]!;
    expect(rest >= 0n && rest <= 2n).toBe(true);
    rig.send(alice.key, undelegate(0n, NOW));
    deposit(TREASURY, reward);
    expect(Object.keys(paidBy(rig.endEpoch()))).toEqual([selfKey]);
  });

  test("given a delegation within the epoch, then it is first paid for the next one", () => {
    rig.send(alice.key, undelegate(0n, AT_END_OF_EPOCH));
    rig.endEpoch();
    rig.send(alice.key, delegate(1_000n));
    deposit(TREASURY, reward);
    expect(Object.keys(paidBy(rig.endEpoch()))).toEqual([selfKey]);
    deposit(TREASURY, reward);
    expect(paidBy(rig.endEpoch())[alice.publicKey]).toBe((reward * share) / 1000n / 4n);
  });
});

describe("a validator's new key", () => {
  function rotate(): string {
    const next = Buffer.from(validator.vega(2).publicKey).toString("hex");
    rig.send(validator.master, {
      kind: "keyRotateSubmission",
      payload: {
        newPubKeyIndex: 2,
        targetBlock: BigInt(rig.height) + 2n,
        newPubKey: next,
        currentPubKeyHash: sha3HexOf(Buffer.from(selfKey, "hex")),
      },
    });
    rig.block();
    return next;
  }

  test("given a rotation, then the old key's delegation stays where it is: a delegator's like any other", () => {
    const reward = 4_000n * TOKEN;
    deposit(TREASURY, reward);
    const next = rotate();
    // All stake is delegators' now: 883 thousandths are theirs, by stake; the rest goes to the new key.
    expect(paidBy(rig.endEpoch())).toEqual({
      [selfKey]: 2_649n * TOKEN,
      [alice.publicKey]: 883n * TOKEN,
      [next]: 468n * TOKEN,
    });
  });

  test("given a minimum of self stake, then a rotated node is below it and nobody is paid", () => {
    rig.close();
    open({ "reward.staking.delegation.minimumValidatorStake": (3_000n * TOKEN).toString() });
    deposit(TREASURY, 400n * TOKEN);
    expect(Object.keys(paidBy(rig.endEpoch())).sort()).toEqual([alice.publicKey, selfKey].sort());
    deposit(TREASURY, 400n * TOKEN);
    rotate();
    expect(paidBy(rig.endEpoch())).toEqual({});
  });
});

describe("a recurring transfer to the rewards", () => {
  const transfers = ({ events }: SeenBlock) =>
    events
      .filter(({ member }) => member === "transfer")
      .map(({ payload }) => [payload.status, payload.reason ?? ""]);

  function recurring(amount: bigint, factor: string, epochs: bigint): void {
    const start = rig.engine.epoch.seq;
    rig.send(bob.key, {
      kind: "transfer",
      payload: {
        fromAccountType: GENERAL,
        to: TREASURY,
        toAccountType: GLOBAL_REWARD,
        asset: LYRA,
        amount: amount.toString(),
        reference: "",
        recurring: { startEpoch: start + 1n, endEpoch: start + epochs, factor },
      },
    });
  }

  /** Alice's quarter of the delegators' share of what was sent, and of its fee of a thousandth, which is paid out too. */
  const hersOf = (tokens: bigint) => (883n * tokens * TOKEN) / 4_000n + (883n * tokens * TOKEN) / 4_000_000n;

  test("given it starts in the next epoch and halves, then each epoch pays out what came in at its very end, and the last one tells it is done", () => {
    deposit(bob.publicKey, 1_000n * TOKEN);
    recurring(400n * TOKEN, "0.5", 3n);
    const seen = [1, 2, 3, 4, 5].map(() => {
      const block = rig.endEpoch();
      return [paidBy(block)[alice.publicKey] ?? 0n, transfers(block)];
    });
    expect(seen).toEqual([
      [0n, []],
      [hersOf(400n), []],
      [hersOf(200n), []],
      [hersOf(100n), [[DONE, ""]]],
      [0n, []],
    ]);
  });

  test("given the sender runs dry, then it is stopped with the reason, and what came in before was paid", () => {
    deposit(bob.publicKey, 500n * TOKEN);
    recurring(400n * TOKEN, "1", 9n);
    rig.endEpoch();
    expect(paidBy(rig.endEpoch())[alice.publicKey]).toBe(hersOf(400n));
    const block = rig.endEpoch();
    expect(paidBy(block)).toEqual({});
    expect(transfers(block)).toEqual([
      [STOPPED, "could not pay the fee for transfer: not enough funds to transfer"],
    ]);
    deposit(bob.publicKey, 1_000n * TOKEN);
    expect(paidBy(rig.endEpoch())).toEqual({});
  });
});
