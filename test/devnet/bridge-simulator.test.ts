// The simulated Ethereum: contracts that check what they are given
// (docs/protocol/60-state-engine-accounts.md#47-what-exactly-is-signed).
import { beforeEach, describe, expect, test } from "bun:test";
import {
  type BridgeArguments,
  type BridgeFunction,
  bridgeDigest,
  bundleSignatures,
} from "../../src/crypto/multisig.ts";
import { checksumAddress, ethereumAddress, secp256k1Sign } from "../../src/crypto/secp256k1.ts";
import { addressOfParty, BridgeSimulator, type Bundle } from "../../src/ethereum/bridge-simulator.ts";

const secrets = [1, 2, 3].map((byte) => new Uint8Array(32).fill(byte));
const [first, second, third] = secrets.map((secret) => ethereumAddress(secret)) as [string, string, string];
const stranger = new Uint8Array(32).fill(9);
const BRIDGE = `0x${"b4".repeat(20)}`;
const TOKEN = checksumAddress(`0x${"70".repeat(20)}`);
const OTHER_TOKEN = checksumAddress(`0x${"71".repeat(20)}`);
const ASSET = "a5".repeat(32);
const PARTY = "0a".repeat(32);
const RECEIVER = checksumAddress(`0x${"5e".repeat(20)}`);
const OPERATOR = `0x${"0b".repeat(20)}`;

let now: bigint;
let bridge: BridgeSimulator;

function simulator(): BridgeSimulator {
  return new BridgeSimulator({
    chainId: "test-chain",
    nowSeconds: () => now,
    contracts: { collateralBridge: BRIDGE, stakingToken: TOKEN },
    signers: [first, second, third],
    threshold: 500,
    listings: [{ token: TOKEN, assetId: ASSET, lifetimeLimit: 1_000n, withdrawThreshold: 100n }],
    tokens: [{ address: TOKEN, name: "Token", symbol: "TOK", decimals: 5 }],
    totalSupply: 10_000n,
  });
}

function signed<F extends BridgeFunction>(
  name: F,
  values: BridgeArguments<F>,
  by: readonly Uint8Array[],
  target = BRIDGE,
): Bundle<F> {
  const digest = bridgeDigest(name, values, target);
  return { ...values, signatures: bundleSignatures(by.map((secret) => secp256k1Sign(digest, secret))) };
}

const withdrawal = { token: TOKEN, amount: 40n, receiver: RECEIVER, creation: 1_000n, nonce: 7n };

beforeEach(() => {
  now = 1_000n;
  bridge = simulator();
  bridge.depositErc20(PARTY, ASSET, 100n);
});

describe("a withdrawal", () => {
  test("given two of three signatures, then it is paid and the claim goes to the chain", () => {
    const log = bridge.withdraw(signed("withdraw_asset", withdrawal, secrets.slice(0, 2)));
    expect(log.voteType).toBeUndefined();
    expect(log.event.erc20?.withdrawal).toEqual({
      vegaAssetId: ASSET,
      targetEthereumAddress: RECEIVER,
      referenceNonce: "7",
    });
    expect(log.event.txId).toMatch(/^0x[0-9a-f]{64}$/);
    expect(bridge.collateral.balance(ASSET)).toBe(60n);
  });

  test("given a receiver in lower case, then its log names it with the checksum", () => {
    const plain = { ...withdrawal, receiver: RECEIVER.toLowerCase() };
    const log = bridge.withdraw(signed("withdraw_asset", plain, secrets));
    expect(log.event.erc20?.withdrawal?.targetEthereumAddress).toBe(RECEIVER);
  });

  const good = () => signed("withdraw_asset", withdrawal, secrets.slice(0, 2));
  const refusals: [name: string, bundle: () => Bundle<"withdraw_asset">, sentence: string][] = [
    ["no signatures", () => ({ ...good(), signatures: "" }), "the bundle holds no signatures"],
    ["no signatures but a prefix", () => ({ ...good(), signatures: "0x" }), "the bundle holds no signatures"],
    [
      "half a signature",
      () => ({ ...good(), signatures: good().signatures.slice(0, -2) }),
      "the bundle holds no signatures",
    ],
    [
      "one signature of three",
      () => signed("withdraw_asset", withdrawal, secrets.slice(0, 1)),
      "signatures of 1 of 3 signers are 333 of 1,000, and more than 500 are needed",
    ],
    [
      "the same signature twice",
      () => signed("withdraw_asset", withdrawal, [secrets[0]!, secrets[0]!]),
      "signatures of 1 of 3 signers are 333 of 1,000, and more than 500 are needed",
    ],
    [
      "a stranger's signatures beside one",
      () => signed("withdraw_asset", withdrawal, [secrets[0]!, stranger]),
      "signatures of 1 of 3 signers are 333 of 1,000, and more than 500 are needed",
    ],
    [
      "another amount than was signed",
      () => ({ ...good(), amount: 41n }),
      "signatures of 0 of 3 signers are 0 of 1,000, and more than 500 are needed",
    ],
    [
      "another receiver than was signed",
      () => ({ ...good(), receiver: `0x${"66".repeat(20)}` }),
      "signatures of 0 of 3 signers are 0 of 1,000, and more than 500 are needed",
    ],
    [
      "another creation than was signed",
      () => ({ ...good(), creation: 999n }),
      "signatures of 0 of 3 signers are 0 of 1,000, and more than 500 are needed",
    ],
    [
      "another nonce than was signed",
      () => ({ ...good(), nonce: 8n }),
      "signatures of 0 of 3 signers are 0 of 1,000, and more than 500 are needed",
    ],
    [
      "signatures for another bridge",
      () => signed("withdraw_asset", withdrawal, secrets, `0x${"b5".repeat(20)}`),
      "signatures of 0 of 3 signers are 0 of 1,000, and more than 500 are needed",
    ],
    [
      "a token that is not listed",
      () => signed("withdraw_asset", { ...withdrawal, token: OTHER_TOKEN }, secrets),
      `the token ${OTHER_TOKEN} is not listed`,
    ],
    [
      "more than the pool holds",
      () => signed("withdraw_asset", { ...withdrawal, amount: 101n }, secrets),
      "the pool holds 100 of the 101 to be withdrawn",
    ],
    [
      "a creation that is to come",
      () => signed("withdraw_asset", { ...withdrawal, creation: 1_001n }, secrets),
      "it is from the future: 1001",
    ],
  ];
  test.each(refusals)("given %s, then it reverts and nothing has changed", (_name, bundle, sentence) => {
    const before = bridge.save();
    expect(() => bridge.withdraw(bundle())).toThrow(`the Ethereum bridge refuses it: ${sentence}`);
    expect(bridge.save()).toBe(before);
  });

  test("given a bundle that was paid, when it comes again, then its nonce has been used", () => {
    bridge.withdraw(good());
    expect(() => bridge.withdraw(good())).toThrow("nonce 7 has been used");
    expect(bridge.collateral.balance(ASSET)).toBe(60n);
  });

  test("given signatures with a high s, which anybody can make from good ones, then they count for nobody", () => {
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
    const digest = bridgeDigest("withdraw_asset", withdrawal, BRIDGE);
    const twins = secrets.map((secret) => {
      const signature = Buffer.from(secp256k1Sign(digest, secret));
      const s = BigInt(`0x${signature.subarray(32, 64).toString("hex")}`);
      signature.set(Buffer.from((order - s).toString(16).padStart(64, "0"), "hex"), 32);
      signature[64]! ^= 1;
      return signature;
    });
    expect(() => bridge.withdraw({ ...withdrawal, signatures: bundleSignatures(twins) })).toThrow(
      "0 of 3 signers",
    );
  });

  test("given a stopped bridge, then nothing is paid or taken until it goes on", () => {
    expect(bridge.stopBridge(signed("global_stop", { nonce: 1n }, secrets)).event.erc20?.bridgeStopped).toBe(
      true,
    );
    expect(() => bridge.withdraw(good())).toThrow("the bridge is stopped");
    expect(() => bridge.depositErc20(PARTY, ASSET, 1n)).toThrow("the bridge is stopped");
    expect(() => bridge.resumeBridge(signed("global_resume", { nonce: 1n }, secrets))).toThrow(
      "nonce 1 has been used",
    );
    bridge.resumeBridge(signed("global_resume", { nonce: 2n }, secrets));
    expect(bridge.withdraw(good()).event.erc20?.withdrawal).toBeDefined();
  });
});

describe("signers and threshold", () => {
  test("given a removed signer, then its signature counts no more", () => {
    bridge.removeSigner(signed("remove_signer", { signer: second, nonce: 1n }, secrets, OPERATOR), OPERATOR);
    expect(bridge.multisig.currentSigners).toEqual([first, third]);
    const bundle = signed("withdraw_asset", withdrawal, secrets.slice(0, 2));
    expect(() => bridge.withdraw(bundle)).toThrow("signatures of 1 of 2 signers are 500 of 1,000");
  });

  test("given a new signer, then it counts", () => {
    const signer = ethereumAddress(stranger);
    const log = bridge.addSigner(signed("add_signer", { signer, nonce: 1n }, secrets, OPERATOR), OPERATOR);
    expect(log.event.erc20Multisig?.signerAdded).toEqual({
      newSigner: signer,
      nonce: "1",
      blockTime: 1_001n,
    });
    bridge.withdraw(signed("withdraw_asset", withdrawal, [stranger, ...secrets.slice(0, 2)]));
    expect(bridge.collateral.balance(ASSET)).toBe(60n);
  });

  test("given a bundle bound to another submitter, then it is refused", () => {
    const bundle = signed("add_signer", { signer: ethereumAddress(stranger), nonce: 1n }, secrets, OPERATOR);
    expect(() => bridge.addSigner(bundle, `0x${"0c".repeat(20)}`)).toThrow("signatures of 0 of 3 signers");
    expect(bridge.multisig.currentSigners).toEqual([first, second, third]);
  });

  test("given a raised threshold, then two of three are not enough", () => {
    const values = { threshold: 700n, nonce: 1n };
    bridge.setThreshold(signed("set_threshold", values, secrets, OPERATOR), OPERATOR);
    expect(() => bridge.withdraw(signed("withdraw_asset", withdrawal, secrets.slice(0, 2)))).toThrow(
      "signatures of 2 of 3 signers are 666 of 1,000, and more than 700 are needed",
    );
    bridge.withdraw(signed("withdraw_asset", withdrawal, secrets));
  });

  test.each([0n, 1_000n, 65_535n])("a threshold of %s is none", (threshold) => {
    const bundle = signed("set_threshold", { threshold, nonce: 1n }, secrets, OPERATOR);
    expect(() => bridge.setThreshold(bundle, OPERATOR)).toThrow(
      "a threshold is a whole number from 1 to 999",
    );
    expect(bridge.multisig.currentThreshold).toBe(500);
  });

  test("changes within one second lie in blocks of their own, so that the latest can be told", () => {
    const signer = ethereumAddress(stranger);
    const added = bridge.addSigner(signed("add_signer", { signer, nonce: 1n }, secrets, OPERATOR), OPERATOR);
    const removed = bridge.removeSigner(
      signed("remove_signer", { signer, nonce: 2n }, secrets, OPERATOR),
      OPERATOR,
    );
    const [a, b] = [added.event.erc20Multisig!, removed.event.erc20Multisig!];
    expect(b.signerRemoved!.blockTime! > a.signerAdded!.blockTime!).toBe(true);
    expect(b.block! > a.block!).toBe(true);
  });
});

describe("listing and limits", () => {
  const listing = {
    token: OTHER_TOKEN,
    assetId: "a6".repeat(32),
    lifetimeLimit: 50n,
    withdrawThreshold: 5n,
    nonce: 3n,
  };

  test("given the validators' signatures, then an asset is listed and can be deposited", () => {
    expect(() => bridge.depositErc20(PARTY, listing.assetId, 10n)).toThrow("is not listed");
    const log = bridge.listAsset(signed("list_asset", listing, secrets));
    expect(log.event.erc20?.assetList).toEqual({ vegaAssetId: listing.assetId, assetSource: OTHER_TOKEN });
    expect(bridge.depositErc20(PARTY, listing.assetId, 10n).event.erc20?.deposit?.amount).toBe("10");
  });

  test("given limits that were not signed, then it is not listed", () => {
    const bundle = { ...signed("list_asset", listing, secrets), lifetimeLimit: 51n };
    expect(() => bridge.listAsset(bundle)).toThrow("signatures of 0 of 3 signers");
    expect(bridge.collateral.listing(listing.assetId)).toBeUndefined();
  });

  test("an address brings in no more than the lifetime limit, whatever was withdrawn since", () => {
    bridge.depositErc20(PARTY, ASSET, 900n);
    bridge.withdraw(signed("withdraw_asset", { ...withdrawal, amount: 500n }, secrets));
    expect(() => bridge.depositErc20(PARTY, ASSET, 1n)).toThrow(
      `${addressOfParty(PARTY)} would have deposited 1001, and the lifetime limit is 1000`,
    );
    const limits = { token: TOKEN, lifetimeLimit: 1_001n, withdrawThreshold: 9n, nonce: 9n };
    const log = bridge.setLimits(signed("set_asset_limits", limits, secrets));
    expect(log.event.erc20?.assetLimitsUpdated).toEqual({
      vegaAssetId: ASSET,
      sourceEthereumAddress: TOKEN,
      lifetimeLimits: "1001",
      withdrawThreshold: "9",
    });
    bridge.depositErc20(PARTY, ASSET, 1n);
    bridge.depositErc20("0b".repeat(32), ASSET, 1_000n);
  });
});

describe("stake", () => {
  test("a withdrawal of stake is limited by the stake, and a deposit by the balance", () => {
    expect(bridge.stake(PARTY, 9_000n).event.stakingEvent?.stakeDeposited).toMatchObject({
      vegaPublicKey: PARTY,
      amount: "9000",
      blockTime: 1_000n,
    });
    expect(() => bridge.stake("0b".repeat(32), 1_001n)).toThrow("1000 tokens are not staked, and not 1001");
    expect(() => bridge.unstake(PARTY, 9_001n)).toThrow("has staked 9000 for the party, and not 9001");
    expect(() => bridge.unstake("0b".repeat(32), 1n)).toThrow("has staked 0");
    bridge.unstake(PARTY, 9_000n);
    expect(bridge.staking.total()).toBe(0n);
  });
});

describe("logs that validators look up", () => {
  test("only what was brought is confirmed, as what it is, and until it is forgotten", () => {
    const { voteType } = bridge.depositErc20(PARTY, ASSET, 1n);
    expect(bridge.confirms("id", voteType!)).toBe(false);
    bridge.openVote("id", voteType);
    expect(bridge.confirms("id", voteType!)).toBe(true);
    expect(bridge.confirms("id", voteType! + 1)).toBe(false);
    bridge.closeVote("id");
    expect(bridge.confirms("id", voteType!)).toBe(false);
  });

  test("a contract that was deployed keeps its details, whatever a proposal says", () => {
    const token = { address: TOKEN.toLowerCase(), name: "Token", symbol: "TOK", decimals: 5 };
    expect(bridge.isToken(token)).toBe(true);
    expect(bridge.isToken({ ...token, decimals: 6 })).toBe(false);
    const fresh = { ...token, address: OTHER_TOKEN, name: "New" };
    expect(bridge.isToken(fresh)).toBe(true);
    expect(bridge.isToken({ ...fresh, symbol: "NEW" })).toBe(false);
  });
});

describe("the simulator belongs to the chain", () => {
  test("two runs have the same Ethereum", () => {
    const run = () => {
      const one = simulator();
      return [one.deploymentLogs(), one.stake(PARTY, 5n), one.depositErc20(PARTY, ASSET, 5n), one.save()];
    };
    expect(run()).toEqual(run());
  });

  test("a saved state is restored whole: nonces, balances, signers, blocks", () => {
    const saved = bridge.save();
    const bundle = signed("withdraw_asset", withdrawal, secrets);
    const log = bridge.withdraw(bundle);
    bridge.stake(PARTY, 5n);
    bridge.removeSigner(signed("remove_signer", { signer: third, nonce: 1n }, secrets, OPERATOR), OPERATOR);
    bridge.load(saved);
    expect(bridge.save()).toBe(saved);
    expect(bridge.withdraw(bundle)).toEqual(log);

    const other = simulator();
    other.load(saved);
    expect(other.withdraw(bundle)).toEqual(log);
  });

  test("blocks and their logs follow the chain's time, and never go back", () => {
    const place = () => {
      const { block, index } =
        bridge.depositBuiltin(PARTY, "VOTE", 1n) && bridge.depositErc20(PARTY, ASSET, 1n).event.erc20!;
      return { block, index };
    };
    expect(place()).toEqual({ block: 1n, index: 1n });
    expect(place()).toEqual({ block: 1n, index: 2n });
    now = 1_060n;
    expect(place()).toEqual({ block: 2n, index: 0n });
    now = 900n;
    expect(place()).toEqual({ block: 2n, index: 1n });
  });
});
