// Markets in a checkpoint, and in a chain that begins from it (docs/protocol/60-state-engine-parameters.md#12-checkpoints).
import { describe, expect, test } from "bun:test";
import { accountId } from "../../../src/engine/collateral.ts";
import { Engine } from "../../../src/engine/engine.ts";
import { UINT_MAX } from "../../../src/engine/values.ts";
import { RIG_ORACLE, type RigMarket } from "../../../src/testing/market-config.ts";
import { type MarketRig, orderOf, provisionOf, transactionOf } from "../../../src/testing/market-rig.ts";
import {
  decodeCheckpoint,
  decodeMarketTracker,
  decodeProposals,
} from "../../../src/wire/generated/checkpoint.ts";
import {
  AccountType,
  DispatchMetric,
  MarketState,
  MarketTradingMode,
  ProposalState,
} from "../../../src/wire/generated/vega.ts";
import { SECOND_NS } from "../../../src/wire/time-text.ts";
import type { CommandInit } from "../../../src/wire/transaction.ts";
import { governedRig, newMarket, PLAIN, proposed, SHAPE, update, updateParameter } from "./governed-rig.ts";
import { beginFrom, createMarketRig, idOf } from "./rig.ts";

const { STATE_PENDING } = MarketState;
const { TRADING_MODE_OPENING_AUCTION } = MarketTradingMode;
const contentOf = (engine: Engine) => decodeCheckpoint(Buffer.from(engine.checkpoint().state, "base64"));

/** A market by proposal and vote, whose time has come. @returns its id */
function enacted(rig: MarketRig, config: Partial<RigMarket> = {}): string {
  const id = proposed(rig, newMarket(config), { close: 2n, enact: 3n });
  rig.nextBlock(1, 5);
  return id;
}

/** A change of a market by proposal and vote. */
function changed(rig: MarketRig, id: string, config: Partial<RigMarket>): void {
  proposed(rig, update(id, config), { close: 2n, enact: 3n });
  rig.nextBlock(1, 5);
}

/** Blocks of a chain that began from a checkpoint; in the last one the party's commands are executed. */
class Restored {
  private nonce = 0;

  constructor(
    readonly engine: Engine,
    private timeNs: bigint,
  ) {}

  /** @returns texts of refusals */
  block(
    seconds: bigint,
    commands: readonly (readonly [party: string, command: CommandInit])[] = [],
  ): string[] {
    this.timeNs += seconds * SECOND_NS;
    const height = this.engine.core.height + 1;
    this.engine.beginBlock({ height, timeNs: this.timeNs, hash: height.toString(16).padStart(64, "0") });
    const results = commands.map(([party, command]) =>
      this.engine.deliver(transactionOf(idOf(party), command, idOf(`restored ${this.nonce++}`))),
    );
    this.engine.endBlock();
    this.engine.commit();
    return results.map(({ text }) => text);
  }

  general(party: string): bigint {
    const id = accountId(idOf("ETH"), AccountType.ACCOUNT_TYPE_GENERAL, idOf(party));
    return this.engine.domains.collateral.balance(id);
  }
}

function restoredFrom(rig: MarketRig): Restored {
  return new Restored(beginFrom(rig), rig.nowNs);
}

/** Liquidity and a trade, so that the market opens. */
function open(rig: MarketRig, id: string): void {
  for (const party of ["a", "b", "lp"]) rig.deposit(idOf(party), "ETH", 1_000_000n);
  for (const [party, command] of opening(id)) expect(rig.deliver(idOf(party), command).text).toBe("");
  rig.nextBlock(1, 3);
  expect(rig.market(id).context.record.state).toBe(MarketState.STATE_ACTIVE);
}

function opening(id: string): (readonly [party: string, command: CommandInit])[] {
  const provision = provisionOf(id, { commitment: 90_000, fee: "0.01", ...SHAPE });
  return [
    ["lp", { kind: "liquidityProvisionSubmission", payload: provision }],
    ["a", orderOf(id, "buy", 1, 900)],
    ["b", orderOf(id, "sell", 1, 1_100)],
    ["a", orderOf(id, "buy", 5, 1_000)],
    ["b", orderOf(id, "sell", 5, 1_000)],
  ];
}

/** Data of the market's oracle. */
function oracle(name: string, value: string): [party: string, command: CommandInit] {
  const payload = Buffer.from(JSON.stringify({ [name]: value }));
  return [RIG_ORACLE, { kind: "oracleDataSubmission", payload: { source: 2, payload } }];
}

describe("proposals in a checkpoint", () => {
  const referencesOf = (engine: Engine) =>
    decodeProposals(contentOf(engine).governance).proposals.map(({ id, state }) => [id, state]);

  test("passed ones that make new markets are in it, and wait on the other chain until they are due", () => {
    const rig = governedRig();
    const passed = proposed(rig, newMarket(), { close: 2n, enact: 500n });
    proposed(rig, updateParameter("market.fee.factors.makerFee", "0.5"), { close: 2n, enact: 500n });
    proposed(rig, newMarket(), { close: 400n, enact: 500n });
    rig.nextBlock(1, 4);
    expect(referencesOf(rig.engine)).toEqual([[passed, ProposalState.STATE_PASSED]]);
    const restored = restoredFrom(rig);
    expect(referencesOf(restored.engine)).toEqual([[passed, ProposalState.STATE_PASSED]]);
    restored.block(1n);
    restored.block(510n);
    expect(referencesOf(restored.engine)).toEqual([[passed, ProposalState.STATE_ENACTED]]);
    expect(restored.engine.domains.governance.proposals.active()).toEqual([]);
  });

  test("an enacted change of a market keeps what it requires of its providers", () => {
    const rig = governedRig({
      parameters: { "governance.proposal.updateMarket.requiredParticipationLP": "0.3" },
    });
    changed(rig, enacted(rig), { lpPriceRange: "0.25" });
    const saved = decodeProposals(contentOf(beginFrom(rig)).governance).proposals;
    expect(saved.find(({ terms }) => terms?.updateMarket !== undefined)).toMatchObject({
      requiredLiquidityProviderParticipation: "0.3",
      requiredLiquidityProviderMajority: "0.66",
    });
  });

  test("a market whose trading has ended is not in it, and neither is its change", () => {
    const rig = governedRig();
    const id = enacted(rig);
    changed(rig, id, { lpPriceRange: "0.25" });
    expect(referencesOf(rig.engine)).toHaveLength(2);
    open(rig, id);
    expect(rig.deliver(...oracle("trading.terminated", "true")).text).toBe("");
    expect(rig.market(id).context.record.state).toBe(MarketState.STATE_TRADING_TERMINATED);
    expect(referencesOf(rig.engine)).toEqual([]);
    expect(beginFrom(rig).domains.markets.list()).toEqual([]);
  });
});

test("traded values of more than 256 bits do not keep another chain from beginning from it", () => {
  const rig = createMarketRig({ assets: { ETH: { decimals: 18 } } });
  rig.createMarket("M", { asset: "ETH", decimals: 18, simple: { long: 0, short: 0 } });
  for (const party of ["p1", "p2"]) rig.deposit(party, "ETH", 10n ** 70n);
  // The first trade of a market without triggers may have any price, and a risk of 0 asks for no margin.
  for (let n = 0; n < 2; n++) {
    rig.order("p1", "M", "buy", 10, UINT_MAX);
    rig.order("p2", "M", "sell", 10, UINT_MAX);
  }
  rig.order("p1", "M", "buy", 1, 90);
  rig.order("p2", "M", "sell", 1, UINT_MAX);
  for (let n = 0; n < 5; n++) rig.nextBlock();
  expect(rig.market("M").context.status.tradedValue).toBe(20n * UINT_MAX);
  const { marketActivity } = decodeMarketTracker(contentOf(beginFrom(rig)).marketTracker);
  expect(marketActivity.map(({ valueTraded }) => BigInt(valueTraded))).toEqual([UINT_MAX]);
});

test("of markets in every stage of governance, the other chain has the money and the markets that were voted for", () => {
  const rig = governedRig({ parameters: { "market.fee.factors.infrastructureFee": "0.02" } });
  for (const party of ["a", "b", "lp"]) rig.deposit(idOf(party), "ETH", 1_000_000n);
  rig.createMarket("M", PLAIN);
  rig.provide(idOf("lp"), "M", { commitment: 90_000, fee: "0.01", ...SHAPE });
  rig.order(idOf("a"), "M", "buy", 1, 900);
  rig.order(idOf("b"), "M", "sell", 1, 1_100);
  for (const size of [1, 50]) {
    rig.order(idOf("a"), "M", "buy", size, 1_000);
    rig.order(idOf("b"), "M", "sell", size, 1_000);
    rig.nextBlock(1, 3);
  }
  rig.fundInsurance("M", 777n);
  const done = proposed(rig, newMarket(), { close: 2n, enact: 3n });
  const passed = proposed(rig, newMarket(), { close: 2n, enact: 500n });
  proposed(rig, updateParameter("market.fee.factors.makerFee", "0.5"), { close: 2n, enact: 500n });
  proposed(rig, update("M"), { close: 400n, enact: 500n });
  const voted = proposed(rig, newMarket(), { close: 400n, enact: 500n });
  for (const id of [done, passed, voted])
    expect(rig.provide(idOf("lp"), id, { commitment: 500, fee: "0", ...SHAPE }).text).toBe("");
  rig.nextBlock(1, 5);
  const restored = beginFrom(rig);
  const { collateral, governance, markets } = restored.domains;
  for (const party of ["a", "b", "lp"]) {
    const owned = rig.accounts().filter(({ owner }) => owner === idOf(party));
    const sum = owned.reduce((all, { balance }) => all + balance, 0n);
    const general = accountId(idOf("ETH"), AccountType.ACCOUNT_TYPE_GENERAL, idOf(party));
    expect(collateral.balance(general)).toBe(sum);
  }
  const network = (type: number) => collateral.balance(accountId(idOf("ETH"), type as never));
  // Insurance, with what liquidity fees have not been paid out; and the fee of 0.02 of 50 at 1000.
  const fees = rig.systemBalance("ETH", AccountType.ACCOUNT_TYPE_FEES_LIQUIDITY, "M");
  expect(network(AccountType.ACCOUNT_TYPE_GLOBAL_REWARD)).toBe(777n + fees);
  expect(network(AccountType.ACCOUNT_TYPE_FEES_INFRASTRUCTURE)).toBe(1_000n);
  const { provisions } = markets.tables;
  expect([...markets.tables.orders.values(), ...provisions.values()]).toEqual([]);
  // The network's least time to an enactment is a second; the passed one keeps its own time.
  expect(
    markets
      .list()
      .map(({ id, context: { record, auction } }) => [id, record.state, auction.mode, auction.endNs]),
  ).toEqual([
    [done, STATE_PENDING, TRADING_MODE_OPENING_AUCTION, rig.nowNs + 1n * SECOND_NS],
    [passed, STATE_PENDING, TRADING_MODE_OPENING_AUCTION, rig.nowNs + 495n * SECOND_NS],
  ]);
  expect(governance.proposals.active().map(({ id }) => id)).toEqual([passed]);
  expect(governance.proposals.enacted().map(({ id }) => id)).toEqual([done]);
});

describe("a market restored from a checkpoint", () => {
  test("pays its proposer's bonus for earlier trades once", () => {
    const rig = governedRig({
      parameters: {
        "validators.epoch.length": "1000s",
        "rewards.marketCreationQuantumMultiple": "4999",
        "transfer.fee.factor": "0",
        "transfer.minTransferQuantumMultiple": "0",
      },
    });
    open(rig, enacted(rig));
    const funded = rig.deliver(idOf("a"), {
      kind: "transfer",
      payload: {
        fromAccountType: AccountType.ACCOUNT_TYPE_GENERAL,
        to: "0".repeat(64),
        toAccountType: AccountType.ACCOUNT_TYPE_REWARD_MARKET_PROPOSERS,
        asset: idOf("ETH"),
        amount: "1000",
        recurring: {
          startEpoch: rig.engine.domains.epochs.current.seq,
          factor: "1",
          dispatchStrategy: { metric: DispatchMetric.DISPATCH_METRIC_MARKET_VALUE },
        },
      },
    });
    expect(funded.text).toBe("");
    const bonus = (restored: Restored): bigint => {
      const before = restored.general("proposer");
      restored.block(1_001n);
      restored.block(1n);
      return restored.general("proposer") - before;
    };
    expect(bonus(restoredFrom(rig))).toBe(1_000n);
    rig.nextBlock(1_001);
    rig.nextBlock();
    expect(rig.events("rewardPayout").map(({ payload }) => payload.amount)).toEqual(["1000"]);
    expect(bonus(restoredFrom(rig))).toBe(0n);
  });

  test("has its latest terms, and nothing of its trading", () => {
    const rig = governedRig();
    const id = enacted(rig, {
      simple: { long: 0.2, short: 0.3 },
      triggers: [{ horizon: 60, probability: 0.95, extension: 10 }],
    });
    changed(rig, id, { simple: { long: 0.4, short: 0.5 }, lpPriceRange: "0.25" });
    changed(rig, id, { simple: { long: 0.6, short: 0.7 }, lpPriceRange: "0.35" });
    open(rig, id);
    const { record } = rig.market(id).context;
    const market = restoredFrom(rig).engine.domains.markets.get(id)!;
    const { openingAuction: _before, ...terms } = record.definition;
    const { openingAuction: _after, ...again } = market.context.record.definition;
    expect(again).toEqual(terms);
    expect([market.context.record.riskLong, market.context.record.riskShort]).toEqual(["0.6", "0.7"]);
    expect(market.context.record.proposer).toBe(record.proposer);
    expect([market.context.status.mark, market.context.status.openInterest]).toEqual([0n, 0n]);
    // Rewards of proposers go by it.
    expect(market.context.status.tradedValue).toBe(rig.market(id).context.status.tradedValue);
  });

  test("opens, trades, ends and is settled there", () => {
    const rig = governedRig();
    const id = enacted(rig);
    open(rig, id);
    const chain = restoredFrom(rig);
    const before = ["a", "b", "lp"].map((party) => chain.general(party));
    chain.block(1n);
    expect(chain.block(1n, opening(id))).toEqual(["", "", "", "", ""]);
    chain.block(5n);
    chain.block(1n);
    const market = chain.engine.domains.markets.get(id)!;
    expect([
      market.context.record.state,
      market.context.status.mark,
      market.context.status.openInterest,
    ]).toEqual([MarketState.STATE_ACTIVE, 1_000n, 5n]);
    expect(
      chain.block(1n, [oracle("trading.terminated", "true"), oracle("prices.settlement", "1010")]),
    ).toEqual(["", ""]);
    chain.block(1n);
    expect(chain.engine.domains.markets.get(id)).toBeUndefined();
    const gains = ["a", "b", "lp"].map((party, index) => chain.general(party) - before[index]!);
    expect(gains).toEqual([50n, -50n, 0n]);
  });

  test("can be restored from a further checkpoint taken before it opened", () => {
    const rig = governedRig({ parameters: { "governance.proposal.market.minEnact": "48h" } });
    const id = proposed(rig, newMarket(), { close: 2n, enact: 3n + 48n * 3_600n });
    rig.nextBlock(48n * 3_600n + 4n, 2);
    const first = beginFrom(rig);
    const appState = { ...first.genesis.appState, checkpoint: first.checkpoint() };
    for (const days of [1n, 30n, -30n]) {
      const timeNs = rig.nowNs + days * 24n * 3_600n * SECOND_NS;
      const engine = new Engine({ ...first.genesis, timeNs, appState });
      engine.initChain();
      const market = engine.domains.markets.get(id)!;
      expect([market.context.record.state, market.context.auction.endNs]).toEqual([
        STATE_PENDING,
        timeNs + 48n * 3_600n * SECOND_NS,
      ]);
    }
  });

  test("is not restored if the time at which its trading ends has passed", () => {
    const rig = governedRig();
    const end = rig.nowNs / SECOND_NS + 60n;
    const id = enacted(rig, { terminationSeconds: end });
    const { markets, governance } = beginFrom(rig).domains;
    expect([markets.list().map((market) => market.id), governance.proposals.enacted().length]).toEqual([
      [id],
      1,
    ]);
    const late = beginFrom(rig, 60n).domains;
    expect([late.markets.list(), late.governance.proposals.enacted().length]).toEqual([[], 1]);
  });
});
