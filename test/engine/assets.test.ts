// Assets from the genesis or a proposal to the bridge (docs/protocol/60-state-engine-governance.md#5-assets).
import { describe, expect, test } from "bun:test";
import { bridgeDigest } from "../../src/crypto/multisig.ts";
import { checksumAddress } from "../../src/crypto/secp256k1.ts";
import { ProposalRefusal } from "../../src/engine/errors.ts";
import type { GenesisAsset } from "../../src/engine/genesis.ts";
import type { AssetDetails } from "../../src/wire/generated/vega.ts";
import { BRIDGE, outline, SmallChain, TOKEN, VOTE } from "./governance-fixture.ts";

const ID = `00c0ffee${"0".repeat(48)}0badcafe`;
/** A token whose checksum has capitals. */
const LETTERS = "0xabcdefabcdefabcdefabcdefabcdefabcdefabcd";

const ERC20: GenesisAsset = {
  name: "Toy Dollar",
  symbol: "TUSD",
  decimals: 6,
  quantum: "1000",
  source: {
    erc20: { contract_address: LETTERS, lifetime_limit: "1000000000000", withdraw_threshold: "5000000000" },
  },
};

function details(change: Partial<AssetDetails> = {}): AssetDetails {
  return {
    name: "Toy Dollar",
    symbol: "TUSD",
    decimals: 6n,
    quantum: "1000",
    builtinAsset: undefined,
    erc20: { contractAddress: TOKEN, lifetimeLimit: "1000000000000", withdrawThreshold: "5000000000" },
    ...change,
  };
}

const erc20 = (change: object) => details({ erc20: { ...details().erc20!, ...change } });
const builtin = (maxFaucetAmountMint: string) =>
  details({ erc20: undefined, builtinAsset: { maxFaucetAmountMint } });

function started(): SmallChain {
  const chain = new SmallChain();
  chain.genesis();
  chain.enabled.length = 0;
  return chain;
}

function refusalOf(chain: SmallChain, proposed: AssetDetails): { reason: number; text: string } | undefined {
  try {
    chain.assets.checkProposed(proposed);
    return undefined;
  } catch (error) {
    if (!(error instanceof ProposalRefusal)) throw error;
    return { reason: error.reason, text: error.message };
  }
}

describe("assets of the genesis", () => {
  test("given two assets, then by id each is proposed, enabled, and gets its accounts", () => {
    const chain = new SmallChain();
    const events = chain.genesis({ assets: { VOTE, [ID]: ERC20 } }).slice(0, 6);
    expect(outline(events)).toEqual(["asset 1", "asset 4", "account", "asset 1", "asset 4", "account"]);
    expect(events[1]!.payload).toEqual({
      id: ID,
      status: 4,
      details: {
        name: "Toy Dollar",
        symbol: "TUSD",
        decimals: 6n,
        quantum: "1000",
        erc20: {
          contractAddress: checksumAddress(LETTERS),
          lifetimeLimit: "1000000000000",
          withdrawThreshold: "5000000000",
        },
      },
    });
    expect(events[3]!.payload).toEqual({
      id: "VOTE",
      status: 1,
      details: {
        name: "Vote",
        symbol: "VOTE",
        decimals: 5n,
        quantum: "1",
        builtinAsset: { maxFaucetAmountMint: "10000" },
      },
    });
    expect(chain.enabled).toEqual([ID, "VOTE"]);
    expect(chain.assets.all().map(({ id }) => id)).toEqual([ID, "VOTE"]);
    expect(chain.assets.isEnabled(ID)).toBe(true);
    expect(chain.assets.isEnabled("none")).toBe(false);
    expect(chain.signed).toEqual([]);
  });

  const both = { ...ERC20.source, ...VOTE.source };
  test.each([
    ["no source", { VOTE: { ...VOTE, source: {} } }, "missing asset source"],
    ["two sources", { VOTE: { ...VOTE, source: both } }, "multiple asset sources specified"],
    ["an id that is no identifier", { "a toy": VOTE }, "its id must be hexadecimal, or a word"],
    ["no name", { VOTE: { ...VOTE, name: "" } }, "name is required"],
    ["no symbol", { VOTE: { ...VOTE, symbol: "" } }, "symbol is required"],
    ["half a decimal place", { VOTE: { ...VOTE, decimals: 0.5 } }, "decimals must be a whole number"],
    ["too many decimal places", { VOTE: { ...VOTE, decimals: 2 ** 31 } }, "decimals must be a whole number"],
    [
      "a quantum that is not a number",
      { VOTE: { ...VOTE, quantum: "x" } },
      "quantum must be a number, 0 or more",
    ],
    [
      "a limit that is not a number",
      { [ID]: withErc20({ lifetime_limit: "-1" }) },
      "lifetime_limit must be a whole number",
    ],
    [
      "a contract that is not an address",
      { [ID]: withErc20({ contract_address: "0x12" }) },
      "must be an Ethereum address",
    ],
    [
      "one contract twice",
      { [ID]: ERC20, cafe: withErc20({ contract_address: LETTERS.toUpperCase() }) },
      "already in use",
    ],
  ])("given %s, then the chain does not start", (_name, assets, text) => {
    expect(() => new SmallChain().genesis({ assets: assets as Record<string, GenesisAsset> })).toThrow(text);
  });

  function withErc20(change: object): GenesisAsset {
    return { ...ERC20, source: { erc20: { ...ERC20.source.erc20!, ...change } } };
  }
});

describe("rules of a proposed asset", () => {
  test.each([
    ["no name", details({ name: "" }), 33],
    ["no symbol", details({ symbol: "" }), 33],
    ["a quantum of zero", details({ quantum: "0" }), 33],
    ["a quantum that is not a number", details({ quantum: "x" }), 33],
    ["a quantum beyond all measure", details({ quantum: "1e9999" }), 33],
    ["decimals beyond 31 bits", details({ decimals: 2n ** 31n }), 33],
    ["no faucet limit", builtin("0"), 14],
    ["a faucet limit that is not a number", builtin(""), 14],
    ["no contract", erc20({ contractAddress: "" }), 15],
    ["a contract that is not an address", erc20({ contractAddress: "0x12" }), 33],
    ["no lifetime limit", erc20({ lifetimeLimit: "0" }), 33],
    ["a withdraw threshold beyond 256 bits", erc20({ withdrawThreshold: (2n ** 256n).toString() }), 33],
    ["no source", details({ erc20: undefined }), 33],
  ])("given %s, then it is refused with its reason", (_name, proposed, reason) => {
    expect(refusalOf(started(), proposed)?.reason).toBe(reason);
  });

  test.each([
    ["an ERC20 asset", details()],
    ["a builtin asset", builtin("1")],
    ["a quantum below one", details({ quantum: "0.001" })],
    ["decimals of 31 bits", details({ decimals: 2n ** 31n - 1n })],
  ])("given %s, then it may be proposed", (_name, proposed) => {
    expect(refusalOf(started(), proposed)).toBeUndefined();
  });

  test("given a contract that another asset has or had, then the case does not matter, and rejection frees it", () => {
    const chain = started();
    chain.assets.propose(ID, erc20({ contractAddress: LETTERS }));
    const again = erc20({ contractAddress: LETTERS.toUpperCase().replace("0X", "0x") });
    expect(refusalOf(chain, again)).toEqual({ reason: 41, text: "erc20 address already in use" });
    const bare = erc20({ contractAddress: LETTERS.slice(2) });
    expect(refusalOf(chain, bare)).toEqual({ reason: 41, text: "erc20 address already in use" });
    chain.assets.reject(ID);
    expect(chain.assets.get(ID)).toBeUndefined();
    expect(refusalOf(chain, again)).toBeUndefined();
  });

  test("given a state that was taken back, then so is the contract", () => {
    const chain = started();
    const mark = chain.core.state.mark();
    chain.assets.propose(ID, details());
    chain.core.state.rollback(mark);
    expect(chain.assets.isContractInUse(TOKEN)).toBe(false);
  });
});

describe("the way of a new asset", () => {
  test("given a builtin asset, then its enactment enables it at once", () => {
    const chain = started();
    chain.assets.propose(ID, builtin("007"));
    chain.assets.awaitListing(ID);
    chain.assets.enact(ID);
    const events = chain.events();
    expect(outline(events)).toEqual(["asset 1", "asset 3", "asset 4", "account"]);
    expect(events[0]!.payload.details).toMatchObject({ builtinAsset: { maxFaucetAmountMint: "7" } });
    expect(chain.enabled).toEqual([ID]);
    expect(chain.signed).toEqual([]);
  });

  test("given an ERC20 asset, then its enactment collects signatures and the bridge's listing enables it", () => {
    const chain = started();
    chain.assets.propose(ID, details({ quantum: "1e3" }));
    expect(() => chain.assets.list(ID)).toThrow("asset is not pending listing");
    chain.assets.awaitListing(ID);
    chain.assets.enact(ID);
    // Vector B of docs/protocol/60-state-engine-accounts.md#48-test-vectors.
    const digest = "47ccc7267ee2552ba7265762e016bea73b9563a492d8e368dfdccc93895ab72e";
    expect(chain.signed).toEqual([{ resource: ID, kind: 1, digest }]);
    expect(outline(chain.events())).toEqual(["asset 1", "asset 3"]);
    chain.assets.list(ID);
    const events = chain.events();
    expect(outline(events)).toEqual(["asset 4", "account"]);
    expect(events[0]!.payload.details).toMatchObject({ quantum: "1000" });
    expect(() => chain.assets.list(ID)).toThrow("asset is not pending listing");
    expect(() => chain.assets.list("none")).toThrow("asset does not exist");
  });

  test("given no bridge, then an ERC20 asset cannot be listed", () => {
    const chain = new SmallChain();
    chain.genesis({ network_parameters: {} });
    chain.assets.propose(ID, details());
    expect(() => chain.assets.awaitListing(ID)).toThrow("no collateral bridge is configured");
  });
});

describe("an update of an asset", () => {
  const PROPOSAL = `ffff${"0".repeat(59)}1`;
  const changes = {
    quantum: "2000",
    erc20: { lifetimeLimit: "2000000000000", withdrawThreshold: "7000000000" },
  };

  function listed(): SmallChain {
    const chain = started();
    chain.assets.propose(ID, details());
    chain.assets.awaitListing(ID);
    chain.assets.list(ID);
    chain.events();
    return chain;
  }

  test("given an enacted update, then it waits for the bridge, and changes quantum and limits only", () => {
    const chain = listed();
    chain.assets.stageUpdate(PROPOSAL, ID, changes);
    // Vector C of docs/protocol/60-state-engine-accounts.md#48-test-vectors.
    const digest = "e917e62c86ac936c68021c2805dbc2f4e2b2d8075fd05b85132716a9f40f825d";
    expect(chain.signed).toEqual([{ resource: PROPOSAL, kind: 5, digest }]);
    expect(chain.events()).toEqual([]);
    expect(chain.assets.get(ID)!.details.quantum).toBe("1000");
    chain.assets.applyLimits(ID);
    const expected = details({ quantum: "2000", erc20: { contractAddress: TOKEN, ...changes.erc20 } });
    expect(chain.assets.get(ID)).toEqual({ id: ID, status: 4, details: expected });
    expect(outline(chain.events())).toEqual(["asset 4"]);
    expect(() => chain.assets.applyLimits(ID)).toThrow("asset has no update to apply");
  });

  test("given two enacted updates, then the later one is what the bridge's event brings", () => {
    const chain = listed();
    chain.assets.stageUpdate(PROPOSAL, ID, changes);
    chain.assets.stageUpdate("ab".repeat(32), ID, { ...changes, quantum: "3000" });
    expect(chain.assets.stagedUpdate(ID)?.proposalId).toBe("ab".repeat(32));
    chain.assets.applyLimits(ID);
    expect(chain.assets.get(ID)!.details.quantum).toBe("3000");
    expect(chain.signed).toHaveLength(2);
    const token = checksumAddress(TOKEN);
    const values = { token, lifetimeLimit: 2_000_000_000_000n, withdrawThreshold: 7_000_000_000n };
    const nonce = BigInt(`0x${"ab".repeat(32)}`);
    const digest = Buffer.from(bridgeDigest("set_asset_limits", { ...values, nonce }, BRIDGE)).toString(
      "hex",
    );
    expect(chain.signed[1]!.digest).toBe(digest);
  });

  test("given an asset that is unknown or builtin, then the update fails as the protocol says", () => {
    const chain = listed();
    expect(() => chain.assets.stageUpdate(PROPOSAL, "none", changes)).toThrow("asset does not exist");
    expect(() => chain.assets.stageUpdate(PROPOSAL, "VOTE", changes)).toThrow(
      "expected an ERC20 asset but was not",
    );
    expect(() => chain.assets.applyLimits("none")).toThrow("asset does not exist");
    expect(chain.signed).toEqual([]);
  });
});
