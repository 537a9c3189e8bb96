// The keys that everybody knows, and the genesis that is made of them.
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { devnetGenesis } from "../../scripts/make-devnet-genesis.ts";
import { ethereumAddress } from "../../src/crypto/secp256k1.ts";
import { devnetGenesisText, readDevnetGenesis, simulatorOptions } from "../../src/devnet/genesis.ts";
import { DEVNET_RECOVERY_PHRASE, devnetParties, ValidatorKeys } from "../../src/devnet/keys.ts";
import { NodeError } from "../../src/errors/node-error.ts";
import { deriveKey, readRecoveryPhrase, seedOf, walletNode } from "../../src/wallet/keys/derivation.ts";
import { hexOf, isHex64 } from "../../src/wire/identifiers.ts";

describe("devnet keys", () => {
  test("the parties are keys 1 to 10 of the wallet of the phrase", async () => {
    const node = walletNode(await seedOf(readRecoveryPhrase(DEVNET_RECOVERY_PHRASE)));
    const parties = devnetParties();
    expect(parties.map(({ publicKey }) => publicKey)).toEqual(
      Array.from({ length: 10 }, (_, at) => deriveKey(node, 2, at + 1).publicKey),
    );
    expect(parties.map(({ key }) => hexOf(key.publicKey))).toEqual(parties.map(({ publicKey }) => publicKey));
  });

  test("validators, their rotations and the parties share no key", () => {
    const keys = [1, 2, 3].map((number) => new ValidatorKeys(number));
    const all = [
      ...devnetParties().map(({ publicKey }) => publicKey),
      ...keys.map(({ nodeId }) => nodeId),
      ...keys.flatMap((one) => [1, 2].map((index) => hexOf(one.vega(index).publicKey))),
      ...keys.flatMap((one) => [1, 2].map((index) => hexOf(one.ethereum(index)))),
      ...keys.map(({ tmPubKey }) => tmPubKey),
    ];
    expect(new Set(all).size).toBe(all.length);
  });
});

describe("devnet genesis", () => {
  test("the shipped file is what the script makes", () => {
    const file = readFileSync(join(import.meta.dir, "../../data/devnet-genesis.json"), "utf8");
    expect(JSON.parse(file)).toEqual(devnetGenesis());
  });

  test("its validator is the devnet's first, its assets can be withdrawn or are VOTE", () => {
    const { appState } = readDevnetGenesis(devnetGenesisText());
    const keys = new ValidatorKeys(1);
    const [validator] = Object.values(appState.validators!);
    expect(validator).toMatchObject({
      id: keys.nodeId,
      vega_pub_key: hexOf(keys.vega(1).publicKey),
      ethereum_address: ethereumAddress(keys.ethereum(1)),
      tm_pub_key: keys.tmPubKey,
    });
    const ids = Object.keys(appState.assets!);
    expect(ids.filter((id) => !isHex64(id))).toEqual(["VOTE"]);
    expect(appState.assets![appState.network_parameters["reward.asset"]!]!.symbol).toBe("LYRA");
  });

  test("given changes, then they and nothing else differ", () => {
    const timeNs = 1_900_000_000_123_456_000n;
    const changed = readDevnetGenesis(
      devnetGenesisText({ chainId: "mine", timeNs, parameters: { "validators.epoch.length": "5s" } }),
    );
    expect(changed).toMatchObject({ chainId: "mine", timeNs });
    const plain = readDevnetGenesis(devnetGenesisText());
    expect(changed.appState.network_parameters).toEqual({
      ...plain.appState.network_parameters,
      "validators.epoch.length": "5s",
    });
    expect(changed.hash).not.toBe(plain.hash);
    expect(changed.appState.assets).toEqual(plain.appState.assets!);
  });

  test("given a genesis without the devnet's validator, or with a stranger, then it is refused with a way out", () => {
    const document = JSON.parse(devnetGenesisText());
    const [key] = Object.keys(document.app_state.validators);
    const stranger = { ...document.app_state.validators[key!], id: "ab".repeat(32) };
    const read = (validators: object) => () =>
      readDevnetGenesis(JSON.stringify({ ...document, app_state: { ...document.app_state, validators } }));
    expect(read({})).toThrow("the genesis lacks the devnet's validator");
    expect(read({ ...document.app_state.validators, other: stranger })).toThrow(
      `does not hold the keys of validator ${"ab".repeat(32)}`,
    );
    expect(read({})).toThrow(NodeError);
  });

  const [first] = Object.keys(JSON.parse(devnetGenesisText()).app_state.validators);
  const PLACES = {
    time: "genesis_time",
    asset: "app_state.assets.VOTE",
    node: "app_state.validators",
    first: `app_state.validators.${first}`,
  };
  test.each([
    [PLACES.time, "9999-01-01T00:00:00Z", "genesis_time must be from 1970 to 2249"],
    [PLACES.time, "0001-01-01T00:00:00Z", "genesis_time must be from 1970 to 2249"],
    [PLACES.time, "2026-02-31T00:00:00Z", "genesis_time must be RFC 3339"],
    ["app_state.network_parameters", null, "app_state.network_parameters is required"],
    [PLACES.asset, null, "asset 'VOTE': missing asset source"],
    [PLACES.asset, { name: 1 }, "asset 'VOTE': missing asset source"],
    [`${PLACES.asset}.decimals`, 1e9, "decimals must be a whole number from 0 to 77"],
    [`${PLACES.asset}.name`, "\ud83d", "name and symbol must be texts in UTF-8"],
    [`${PLACES.first}.vega_pub_key_index`, 1.5, "vega_pub_key_index must be a whole number of 32 bits"],
    [`${PLACES.first}.vega_pub_key_index`, "2", "vega_pub_key_index must be a whole number of 32 bits"],
    [`${PLACES.first}.name`, 5, "name must be a text in UTF-8"],
    [`${PLACES.first}.country`, "\ud83d", "country must be a text in UTF-8"],
    [PLACES.node, { a: null }, "validator 'a': it must be an object"],
    [PLACES.node, { a: { id: 5 } }, "validator 'a': id must be 64 lower-case hexadecimal digits"],
  ])("given %s is %j, then it is refused with the reason", (place, value, reason) => {
    const document = JSON.parse(devnetGenesisText());
    const parts = place.split(".");
    const last = parts.pop()!;
    parts.reduce((inner, part) => inner[part], document)[last] = value;
    expect(() => readDevnetGenesis(JSON.stringify(document))).toThrow(reason);
    expect(() => readDevnetGenesis("null")).toThrow("it is not a JSON object");
  });

  test("Ethereum begins with the genesis' contracts, signers and tokens", () => {
    const genesis = readDevnetGenesis(devnetGenesisText());
    const { signers, listings, tokens, contracts } = simulatorOptions(genesis, () => 0n);
    expect(signers).toEqual([ethereumAddress(new ValidatorKeys(1).ethereum(1))]);
    expect(listings.map(({ token }) => token)).toEqual(tokens.map(({ address }) => address));
    expect(tokens.map(({ symbol, decimals }) => [symbol, decimals])).toEqual([
      ["LYRA", 18],
      ["dUSD", 6],
    ]);
    expect(contracts.stakingToken).toBe(tokens[0]!.address);
    expect(contracts.collateralBridge).toMatch(/^0x[0-9a-fA-F]{40}$/);
  });
});
