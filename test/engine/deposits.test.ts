// Deposits of builtin and ERC20 assets, and what the bridge reports besides
// (docs/protocol/60-state-engine-accounts.md#3-deposits).
import { beforeEach, describe, expect, test } from "bun:test";
import { builtinTxHash } from "../../src/engine/banking.ts";
import { DepositStatus } from "../../src/wire/generated/vega.ts";
import { SECOND_NS } from "../../src/wire/time-text.ts";
import {
  ALICE,
  BOB,
  COIN,
  DAY,
  keyOf,
  RECEIVER,
  Rig,
  START,
  signatureOf,
  TOKEN,
  WAITING,
} from "./banking-rig.ts";

const { STATUS_OPEN, STATUS_CANCELLED, STATUS_FINALIZED } = DepositStatus;
const ZEROS = "0".repeat(64);

let rig: Rig;
beforeEach(() => {
  rig = new Rig();
});

const tokens = (amount: string, party = ALICE, asset = TOKEN) => ({
  vegaAssetId: asset,
  sourceEthereumAddress: RECEIVER,
  targetPartyId: party,
  amount,
});

describe("a builtin deposit", () => {
  test("given a chain event, then it is open, and credited in the tick after enough votes", () => {
    expect(rig.depositEvent(ALICE, COIN, "500")).toBeUndefined();
    const id = rig.lastId;
    const [open] = rig.events();
    expect(open!.deposit).toEqual({
      id,
      status: STATUS_OPEN,
      partyId: ALICE,
      asset: COIN,
      amount: "500",
      txHash: "",
      creditedTimestamp: 0n,
      createdTimestamp: START,
    });
    rig.tick();
    expect(rig.lines()).toEqual([]);
    rig.vote(id);
    expect(rig.lines()).toEqual([]);
    rig.tick();
    const events = rig.events();
    expect(events.at(-1)!.deposit).toEqual({
      ...open!.deposit!,
      status: STATUS_FINALIZED,
      creditedTimestamp: START + 2n * SECOND_NS,
    });
    expect(rig.general(ALICE)).toBe(500n);
    rig.collateral.checkConservation();
  });

  test("given a party's first and second deposit, then the events stand in the network's order", () => {
    for (const amount of ["500", "7"]) {
      rig.depositEvent(ALICE, COIN, amount);
      rig.vote(rig.lastId);
    }
    rig.events();
    rig.tick();
    expect(rig.lines()).toEqual([
      "party alice",
      "account alice general 0",
      "account alice general 500",
      "ledger 19:500",
      "deposit alice 500 status 3",
      "account alice general 507",
      "ledger 19:7",
      "deposit alice 7 status 3",
    ]);
  });

  test("given 0x in front of party and asset, then it is taken away", () => {
    rig.depositEvent(`0x${ALICE}`, `0x${COIN}`, "5");
    expect(rig.events()[0]!.deposit).toMatchObject({ partyId: ALICE, asset: COIN });
  });

  test("given the party of 64 zeros, then the treasury gets it and no party is made", () => {
    rig.depositEvent(ZEROS, COIN, "500");
    rig.vote(rig.lastId);
    rig.events();
    rig.tick();
    expect(rig.lines()).toEqual([
      "account * global_reward 500",
      "ledger 19:500",
      "deposit zeros 500 status 3",
    ]);
  });

  test("given an asset of the other class, then it is open, cancelled, and both events stay", () => {
    expect(rig.depositEvent(ALICE, TOKEN, "5")?.message).toBe(
      "non builtin asset used for builtin asset chain event",
    );
    expect(rig.lines()).toEqual(["deposit alice 5 status 1", "deposit alice 5 status 2"]);
    expect(rig.witness.openResources(rig.node)).toEqual([]);
  });

  test.each([
    ["an unknown asset", "ff".repeat(32), ALICE, "5", "asset does not exist"],
    ["no amount", COIN, ALICE, "", "invalid amount"],
    ["an amount of nothing", COIN, ALICE, "0", "invalid amount"],
    ["a negative amount", COIN, ALICE, "-5", "invalid amount"],
    ["more than 256 bits", COIN, ALICE, (1n << 256n).toString(), "invalid amount"],
    ["a party that is not a key", COIN, "alice", "5", "invalid party"],
  ])("given %s, then it is refused without an event", (_what, asset, party, amount, text) => {
    expect(rig.depositEvent(party, asset, amount)?.message).toBe(text);
    expect(rig.lines()).toEqual([]);
  });

  test("given the same nonce twice, then the second stays open for good", () => {
    for (const party of [ALICE, BOB]) {
      rig.depositEvent(party, COIN, "5", 42n);
      rig.vote(rig.lastId);
      rig.tick();
    }
    rig.tick(31n * DAY);
    expect(rig.lines().filter((line) => line.startsWith("deposit"))).toEqual([
      "deposit alice 5 status 1",
      "deposit alice 5 status 3",
      "deposit bob 5 status 1",
    ]);
    expect(rig.general(BOB)).toBe(0n);
    expect(rig.witness.openResources(rig.node)).toEqual([]);
  });

  test("given a nonce, then what stands for its transaction is the network's", () => {
    expect(builtinTxHash(42n)).toBe("0d0960b18e45fc0f2c2242904eb4d50921f2b6fa8434bd7015904e28ba55ba81");
  });

  test("given no votes in 30 days, then it stays open, and votes come too late", () => {
    rig.depositEvent(ALICE, COIN, "5");
    const id = rig.lastId;
    rig.events();
    rig.tick(30n * DAY);
    expect(rig.witness.openResources(rig.node)).toHaveLength(1);
    rig.tick();
    expect(rig.vote(id)?.message).toBe("invalid resource ID");
    rig.tick();
    expect(rig.lines()).toEqual([]);
    expect(rig.general(ALICE)).toBe(0n);
  });

  test("given a balance that 256 bits cannot hold, then it is cancelled", () => {
    const most = ((1n << 256n) - 1n).toString();
    rig.fund(ALICE, COIN, BigInt(most));
    rig.depositEvent(ALICE, COIN, "1");
    rig.vote(rig.lastId);
    rig.events();
    rig.tick();
    expect(rig.lines()).toEqual(["deposit alice 1 status 2"]);
  });
});

describe("an ERC20 deposit", () => {
  test("given a chain event, then it carries the Ethereum transaction and is credited by votes", () => {
    expect(rig.erc20({ index: 3n, block: 9n, deposit: tokens("500") }, "0xabc")).toBeUndefined();
    expect(rig.events()[0]!.deposit).toMatchObject({ status: STATUS_OPEN, txHash: "0xabc", amount: "500" });
    rig.vote(rig.lastId);
    rig.tick();
    expect(rig.events().at(-1)!.deposit).toMatchObject({ status: STATUS_FINALIZED, txHash: "0xabc" });
    expect(rig.general(ALICE, TOKEN)).toBe(500n);
  });

  test("given a builtin asset, then it is cancelled at once", () => {
    expect(rig.erc20({ deposit: tokens("5", ALICE, COIN) })?.message).toBe("non ERC20 for ERC20 chain event");
    const statuses = rig.events().map(({ deposit }) => deposit!.status);
    expect(statuses).toEqual([STATUS_CANCELLED]);
  });

  test("given an asset that is not listed yet, then collateral refuses it: cancelled", () => {
    rig.erc20({ deposit: tokens("5", ALICE, WAITING) });
    rig.vote(rig.lastId);
    rig.events();
    rig.tick();
    expect(rig.lines()).toEqual(["deposit alice 5 status 2"]);
  });

  test("given the same log again in another event, then it is credited once; another log counts", () => {
    const logs = [
      { index: 1n, amount: "5" },
      { index: 1n, amount: "6" },
      { index: 2n, amount: "7" },
    ];
    for (const { index, amount } of logs) {
      rig.erc20({ index, block: 9n, deposit: tokens(amount) });
      rig.vote(rig.lastId);
    }
    rig.tick();
    expect(rig.general(ALICE, TOKEN)).toBe(12n);
  });
});

describe("the intake of chain events", () => {
  const deposit = { nonce: 7n, builtin: { deposit: { vegaAssetId: COIN, partyId: ALICE, amount: "5" } } };

  test("given a sender that is not a validator, then it is refused", () => {
    const stranger = rig.run(BOB, () => rig.chainEvents.process({ ...deposit, txId: "" } as never));
    expect(stranger?.message).toBe("chain event emitted from a non-validator node");
  });

  test("given the same event by two validators, then both are counted and it happens once, in silence", () => {
    const second = rig.validators.add();
    expect(rig.chainEvent(deposit)).toBeUndefined();
    expect(rig.lines()).toEqual(["deposit alice 5 status 1"]);
    expect(rig.chainEvent(deposit, second)).toBeUndefined();
    expect(rig.lines()).toEqual([]);
    expect([...rig.validators.forwarded.values()]).toEqual([1, 1]);
    expect(rig.witness.openResources(rig.node)).toHaveLength(1);
  });

  test("given an event that was refused, then it can come again; one that left an event is taken", () => {
    const early = {
      ...deposit,
      builtin: { deposit: { ...deposit.builtin.deposit, vegaAssetId: "0f".repeat(32) } },
    };
    expect(rig.chainEvent(early)?.message).toBe("asset does not exist");
    expect(rig.chainEvent(early)?.message).toBe("asset does not exist");
    const wrong = { ...deposit, builtin: { deposit: { ...deposit.builtin.deposit, vegaAssetId: TOKEN } } };
    expect(rig.chainEvent(wrong)).toBeDefined();
    rig.events();
    expect(rig.chainEvent(wrong)).toBeUndefined();
    expect(rig.lines()).toEqual([]);
  });

  test("given events of stake and signers, then they go to their takers; what nobody takes is refused", () => {
    rig.chainEvent({ txId: "0x1", nonce: 1n, stakingEvent: { block: 5n } });
    rig.chainEvent({ txId: "0x2", nonce: 1n, erc20Multisig: { block: 6n } });
    expect(rig.taken).toEqual(["staking 0x1 5", "multisig 0x2 6"]);
    expect(rig.chainEvent({ nonce: 1n })?.message).toBe("unsupported event action");
    expect(rig.chainEvent({ nonce: 1n, builtin: {} })?.message).toBe("unsupported event action");
    expect(rig.erc20({ block: 1n })?.message).toBe("unsupported event action");
    expect(rig.erc20({ assetDelist: { vegaAssetId: TOKEN } })?.message).toBe(
      "ERC20.AssetDelist not implemented",
    );
  });
});

describe("a listing on the bridge", () => {
  const list = (nonce: bigint) =>
    rig.chainEvent({ txId: `0x${nonce}`, nonce, erc20: { assetList: { vegaAssetId: `0x${WAITING}` } } });

  function signListing(): void {
    rig.notary.requestSignatures(WAITING, 1, "11".repeat(32));
    const sig = signatureOf(rig.node, "11".repeat(32));
    rig.run(keyOf(rig.node), () => rig.notary.nodeSignature({ id: WAITING, sig, kind: 1 }));
    rig.events();
  }

  test("given not enough signatures, then it is refused", () => {
    rig.notary.requestSignatures(WAITING, 1, "11".repeat(32));
    expect(list(1n)?.message).toBe("chain event for erc20 asset list received with missing node signatures");
  });

  test("given signatures and votes, then the asset is listed in the tick, and a second event meanwhile is refused", () => {
    signListing();
    expect(list(1n)).toBeUndefined();
    const id = rig.lastId;
    expect(rig.witness.openResources(rig.node)[0]).toMatchObject({ id, voteType: 8 });
    expect(list(2n)?.message).toBe("asset already being listed");
    rig.vote(id);
    expect(rig.assets.listed).toEqual([]);
    rig.tick();
    expect(rig.assets.listed).toEqual([WAITING]);
    // Listed once more, it changes nothing.
    expect(list(3n)).toBeUndefined();
    rig.vote(rig.lastId);
    rig.tick();
    expect(rig.assets.listed).toEqual([WAITING]);
  });

  test("given no votes in time, then it can be reported again", () => {
    signListing();
    list(1n);
    rig.tick(31n * DAY);
    expect(list(2n)).toBeUndefined();
    expect(rig.assets.listed).toEqual([]);
  });
});

describe("limits and the bridge's switch", () => {
  test("given an enacted update, then the event and votes apply it; without one nothing happens", () => {
    const event = { vegaAssetId: TOKEN, lifetimeLimits: "9", withdrawThreshold: "8" };
    rig.erc20({ index: 1n, assetLimitsUpdated: event });
    expect(rig.witness.openResources(rig.node)[0]).toMatchObject({ voteType: 9 });
    rig.vote(rig.lastId);
    rig.tick();
    expect(rig.assets.updated).toEqual([]);
    rig.assets.staged.set(TOKEN, rig.assets.get(TOKEN)!);
    rig.erc20({ index: 2n, assetLimitsUpdated: event });
    rig.vote(rig.lastId);
    rig.tick();
    expect(rig.assets.updated).toEqual([TOKEN]);
    expect(rig.erc20({ assetLimitsUpdated: { ...event, withdrawThreshold: "x" } })?.message).toBe(
      "invalid withdraw threshold",
    );
  });

  test("given stop and resume, then the later one in Ethereum's order holds, whichever is seen first", () => {
    rig.erc20({ block: 5n, index: 1n, bridgeStopped: true });
    const stop = rig.lastId;
    rig.erc20({ block: 5n, index: 2n, bridgeResumed: true });
    const resume = rig.lastId;
    expect(rig.witness.openResources(rig.node).map(({ voteType }) => voteType)).toEqual([6, 7]);
    rig.vote(resume);
    rig.tick();
    rig.vote(stop);
    rig.tick();
    expect(rig.banking.bridge.isStopped).toBe(false);
    rig.erc20({ block: 6n, index: 1n, bridgeStopped: true });
    expect(rig.banking.bridge.isStopped).toBe(false);
    rig.vote(rig.lastId);
    rig.tick();
    expect(rig.banking.bridge.isStopped).toBe(true);
  });
});
