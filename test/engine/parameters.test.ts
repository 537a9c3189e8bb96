// Network parameters (docs/protocol/60-state-engine-governance.md#63-parameters-per-kind and
// docs/protocol/60-state-engine-parameters.md#10-network-parameters).
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { applyParameter } from "../../src/chain/admission/admission.ts";
import { Core } from "../../src/engine/core.ts";

import { CommandError } from "../../src/engine/errors.ts";
import { ETHEREUM_CONFIG, PARAMETERS, REWARD_ASSET } from "../../src/engine/parameter-definitions.ts";
import { NetworkParameters } from "../../src/engine/parameters.ts";
import { parseDuration } from "../../src/engine/values.ts";

import { decodeBusEvent } from "../../src/wire/generated/events.ts";
import { durationNs, durationText, sentenceTime, timeNs } from "../../src/wire/time-text.ts";
import { ETHEREUM, SmallChain, START, TOKEN } from "./governance-fixture.ts";

function loaded(values: Record<string, string> = {}): NetworkParameters {
  const params = new NetworkParameters(new Core("c"));
  params.useAssets((id) => id === "VOTE" || id === "ab".repeat(32));
  params.initGenesis(values);
  return params;
}

const config = (change: object) => JSON.stringify({ ...JSON.parse(ETHEREUM), ...change });
const trigger = (change: object) =>
  JSON.stringify({ triggers: [{ horizon: 60, probability: "0.95", auction_extension: 90, ...change }] });
const factors = (search: number, initial: number, release: number) =>
  JSON.stringify({ search_level: search, initial_margin: initial, collateral_release: release });

/**
 * Bounds of docs/protocol/60-state-engine-governance.md#63-parameters-per-kind and
 * docs/protocol/60-state-engine-parameters.md#102-all-keys-and-defaults, written down once more: [key, values that
 * hold, values that do not].
 */
const BOUNDS: readonly (readonly [key: string, good: readonly string[], bad: readonly string[]])[] = [
  [
    "market.margin.scalingFactors",
    [factors(1, 2, 100)],
    [
      factors(0.9, 2, 3),
      factors(1, 2, 101),
      factors(1, 1, 2),
      factors(1, 3, 2),
      "{",
      "[]",
      '{"search_level":1.1,"initial_margin":1.2,"collateral_release":1.4,"x":1}',
      '{"search_level":"1.1","initial_margin":1.2,"collateral_release":1.4}',
    ],
  ],
  ["market.fee.factors.makerFee", ["0", "1", "1e-3"], ["-0.1", "1.1", "", "abc", "."]],
  ["market.fee.factors.infrastructureFee", ["0", "1"], ["-1", "2"]],
  ["market.auction.minimumDuration", ["1s", "24h"], ["999ms", "24h1s", "0", "1"]],
  ["market.auction.maximumDuration", ["30m1s", "720h"], ["999ms", "720h1s", "30m"]],
  ["market.liquidity.bondPenaltyParameter", ["0", "1"], ["-1", "1.1"]],
  ["market.liquidity.maximumLiquidityFeeFactorLevel", ["0.1", "1"], ["0", "1.1"]],
  ["market.liquidity.stakeToCcyVolume", ["0", "100"], ["-1", "100.1"]],
  ["market.liquidity.providers.fee.distributionTimeStep", ["0s", "720h"], ["-1s", "720h1s"]],
  ["market.liquidity.targetstake.triggering.ratio", ["0", "1"], ["-1", "1.1"]],
  ["market.liquidity.probabilityOfTrading.tau.scaling", ["1", "1000"], ["0.9", "1000.1"]],
  ["market.liquidity.minimum.probabilityOfTrading.lpOrders", ["1e-12", "0.1"], ["9e-13", "0.11"]],
  ["market.stake.target.timeWindow", ["1s", "720h"], ["1ms", "721h"]],
  ["market.stake.target.scalingFactor", ["0.1", "100"], ["0", "101"]],
  ["market.value.windowLength", ["1m", "720h"], ["59s", "721h"]],
  [
    "market.monitor.price.defaultParameters",
    [
      "{}",
      trigger({}),
      trigger({ horizon: 5, probability: "0.9" }),
      trigger({ auction_extension: 2_592_000, probability: "1" }),
    ],
    [
      trigger({ horizon: 4 }),
      trigger({ auction_extension: 2_592_001 }),
      trigger({ probability: "0.89" }),
      trigger({ probability: "1.1" }),
      trigger({ probability: "x" }),
      trigger({ probability: 0.95 }),
      trigger({ more: 1 }),
      '{"trigger":[]}',
      '{"triggers":{}}',
    ],
  ],
  ["market.liquidityProvision.shapes.maxSize", ["1", "1000"], ["0", "1001", "1.5", "9".repeat(20)]],
  ["market.liquidityProvision.minLpStakeQuantumMultiple", ["0.1", "9999999999"], ["0", "1e10"]],
  ["rewards.marketCreationQuantumMultiple", ["1", "9e19"], ["0.9", "1e20"]],
  ["limits.markets.maxPeggedOrders", ["0", "10000"], ["-1", "10001", "1.5"]],
  ["network.markPriceUpdateMaximumFrequency", ["0s", "1h"], ["-1s", "1h1s"]],
  ["validators.epoch.length", ["1s", "255h"], ["999ms", "256h"]],
  ["validators.delegation.minAmount", ["0.1"], ["0"]],
  ["validators.vote.required", ["0.1", "1"], ["0", "1.1"]],
  ["validator.performance.scaling.factor", ["0", "1"], ["-1", "1.1"]],
  ["reward.asset", ["VOTE", "ab".repeat(32)], ["cd".repeat(32), ""]],
  ["reward.staking.delegation.payoutFraction", [".1", "1"], ["-1", "1.1"]],
  ["reward.staking.delegation.payoutDelay", ["0s", "1000h"], ["-1s"]],
  ["reward.staking.delegation.maxPayoutPerEpoch", ["0"], ["-1"]],
  ["reward.staking.delegation.maxPayoutPerParticipant", ["0"], ["-1"]],
  ["reward.staking.delegation.delegatorShare", ["0", "1"], ["-1", "1.1"]],
  ["reward.staking.delegation.minimumValidatorStake", ["0"], ["-1"]],
  ["reward.staking.delegation.competitionLevel", ["1"], ["0.9"]],
  ["reward.staking.delegation.minValidators", ["1", "500"], ["0", "501"]],
  ["reward.staking.delegation.optimalStakeMultiplier", ["1"], ["0.9"]],
  ["network.validators.tendermint.number", ["13", "500"], ["0", "501", "12"]],
  ["network.validators.incumbentBonus", ["0"], ["-1"]],
  ["network.validators.multisig.numberOfSigners", ["1", "30"], ["0", "501", "31"]],
  ["network.validators.ersatz.rewardFactor", ["0", "1"], ["-1", "1.1"]],
  ["network.validators.ersatz.multipleOfTendermintValidators", ["0"], ["-1"]],
  ["network.validators.minimumEthereumEventsForNewValidator", ["0"], ["-1"]],
  ["transfer.fee.factor", ["0", "1"], ["-1", "1.1"]],
  ["transfer.minTransferQuantumMultiple", ["0"], ["-1"]],
  ["spam.protection.maxUserTransfersPerEpoch", ["0"], ["-1"]],
  ["spam.protection.max.votes", ["1"], ["0"]],
  ["spam.protection.voting.min.tokens", ["1", "1e20"], ["0", "1e9999"]],
  ["spam.protection.max.proposals", ["1"], ["0"]],
  ["spam.protection.proposal.min.tokens", ["1"], ["0"]],
  ["spam.protection.max.delegations", ["1"], ["0"]],
  ["spam.protection.delegation.min.tokens", ["1"], ["0"]],
  ["spam.protection.max.batchSize", ["2", "200"], ["1", "201"]],
  ["spam.protection.minimumWithdrawalQuantumMultiple", ["0.1", "999999"], ["0", "1e6"]],
  ["spam.protection.minMultisigUpdates", ["1"], ["0"]],
  ["spam.pow.numberOfPastBlocks", ["5", "500"], ["4", "501"]],
  ["spam.pow.difficulty", ["0", "256"], ["-1", "257"]],
  ["spam.pow.hashFunction", ["sha3_24_rounds"], ["sha3", ""]],
  ["spam.pow.numberOfTxPerBlock", ["1"], ["0"]],
  ["spam.pow.increaseDifficulty", ["0", "1"], ["2"]],
  [
    "blockchains.ethereumConfig",
    [
      ETHEREUM,
      config({ token_vesting_contract: { address: "" } }),
      config({ staking_bridge_contract: undefined, token_vesting_contract: { address: TOKEN } }),
    ],
    [
      config({ network_id: "" }),
      config({ chain_id: undefined }),
      config({ confirmations: 0 }),
      config({ confirmations: 1.5 }),
      config({ collateral_bridge_contract: {} }),
      config({ collateral_bridge_contract: { address: TOKEN, deployment_block_height: 1 } }),
      config({ multisig_control_contract: undefined }),
      config({ staking_bridge_contract: { address: "" } }),
      config({ extra: 1 }),
      config({ staking_bridge_contract: { address: TOKEN, more: 1 } }),
      "null",
      "no json",
    ],
  ],
  ["network.checkpoint.timeElapsedBetweenCheckpoints", ["1ns"], ["0s"]],
  ["snapshot.interval.length", ["0"], ["-1"]],
  ["network.floatingPointUpdates.delay", ["10s", "1h"], ["9s", "61m"]],
  [
    "limits.markets.proposeEnabledFrom",
    ["", "2030-01-01T00:00:00Z", "2030-01-01T00:00:00.5+02:00"],
    ["2030", "2030-02-30T00:00:00Z", "2030-01-01 00:00:00Z", "2030-01-01T00:00:00+24:00"],
  ],
  ["limits.assets.proposeEnabledFrom", [""], ["tomorrow"]],
  ["network.transactions.maxgasperblock", ["100", "10000000"], ["99", "10000001"]],
  ["network.transaction.defaultgas", ["1", "99"], ["0", "100"]],
  ["network.transactions.minBlockCapacity", ["1", "10000"], ["0", "10001"]],
  ...["market", "updateMarket", "asset", "updateAsset", "updateNetParam", "freeform"].flatMap((kind) => {
    const prefix = `governance.proposal.${kind}`;
    const time = [
      ["1s", "8760h"],
      ["999ms", "8760h1s"],
    ] as const;
    const share = [
      ["0", "1"],
      ["-0.1", "1.1"],
    ] as const;
    const balance = [
      ["1", (2n ** 256n - 2n).toString()],
      ["0", (2n ** 256n - 1n).toString(), "1.5"],
    ] as const;
    return [
      [`${prefix}.minClose`, ...time] as const,
      [`${prefix}.maxClose`, ...time] as const,
      ...(kind === "freeform"
        ? []
        : [[`${prefix}.minEnact`, ...time] as const, [`${prefix}.maxEnact`, ...time] as const]),
      [`${prefix}.requiredParticipation`, ...share] as const,
      [`${prefix}.requiredMajority`, ...share] as const,
      [`${prefix}.minProposerBalance`, ...balance] as const,
      [`${prefix}.minVoterBalance`, ...balance] as const,
      ...(kind === "updateMarket"
        ? ["requiredParticipationLP", "requiredMajorityLP", "minProposerEquityLikeShare"].map(
            (name) => [`${prefix}.${name}`, ...share] as const,
          )
        : []),
    ];
  }),
];

describe("network parameters", () => {
  test("given every key there is, then the table of bounds in this test speaks of it", () => {
    expect(BOUNDS.map(([key]) => key).sort()).toEqual([...PARAMETERS.keys()]);
  });

  test.each(BOUNDS)("given %s, then values within its bounds hold and others do not", (key, good, bad) => {
    const params = loaded();
    expect(params.validate(key, params.text(key))).toBeUndefined();
    for (const value of good) expect([value, params.validate(key, value)]).toEqual([value, undefined]);
    for (const value of bad) {
      expect([value, params.validate(key, value)]).toEqual([
        value,
        expect.stringContaining(`unable to validate ${key}: `),
      ]);
    }
  });

  test.each([
    ["spam.protection.minimumWithdrawalQuantumMultiple", "0", "expect > 0 got 0"],
    ["spam.protection.minimumWithdrawalQuantumMultiple", "1000000.50", "expect < 1000000 got 1000000.5"],
    ["spam.pow.numberOfPastBlocks", "4", "expect >= 5 got 4"],
    ["spam.pow.numberOfPastBlocks", "501", "expect <= 500 got 501"],
    ["spam.pow.numberOfPastBlocks", "many", "invalid uint"],
    ["spam.pow.hashFunction", "md5", "Spam Proof of Work hash function must be SHA3"],
    ["validators.epoch.length", "500ms", "expect >= 1s got 500ms"],
    ["validators.epoch.length", "300h", "expect <= 255h0m0s got 300h0m0s"],
    ["validators.epoch.length", "long", 'time: invalid duration "long"'],
    ["validators.epoch.length", "", 'time: invalid duration ""'],
    ["validators.epoch.length", "1h.", 'time: invalid duration "1h."'],
    ["validators.epoch.length", "9999999h", 'time: invalid duration "9999999h"'],
    ["validators.epoch.length", "60", 'time: missing unit in duration "60"'],
    ["validators.epoch.length", "1h30", 'time: missing unit in duration "1h30"'],
    ["validators.epoch.length", "-1.5 m", 'time: unknown unit " m" in duration "-1.5 m"'],
    ["validators.epoch.length", "1d", 'time: unknown unit "d" in duration "1d"'],
    ["spam.protection.max.votes", "3.5", 'strconv.ParseInt: parsing "3.5": invalid syntax'],
    [
      "spam.protection.max.votes",
      "9223372036854775808",
      'strconv.ParseInt: parsing "9223372036854775808": value out of range',
    ],
    ["market.auction.minimumDuration", "24h", undefined],
    ["market.auction.maximumDuration", "1s", "expect > 30m0s (market.auction.minimumDuration) got 1s"],
    [
      "network.validators.multisig.numberOfSigners",
      "31",
      "expect <= 30 (network.validators.tendermint.number * 1) got 31",
    ],
    [
      "network.validators.tendermint.number",
      "12",
      "expect >= 13 (network.validators.multisig.numberOfSigners * 1) got 12",
    ],
    ["network.validators.tendermint.number", "-12", "invalid uint"],
    ["network.validators.minimumEthereumEventsForNewValidator", "-1", "invalid uint"],
    ["reward.asset", "cafe", "invalid asset cafe"],
    [
      "blockchains.ethereumConfig",
      '{"unheard":1}',
      'unable to unmarshal value, json: unknown field "unheard"',
    ],
  ])("given %s = %s, then the text is %s", (key, value, text) => {
    expect(loaded().validate(key, value)).toBe(text && `unable to validate ${key}: ${text}`);
  });

  test("given a rule between two keys, then it holds from both sides and to the last unit", () => {
    const params = loaded({
      "network.transactions.maxgasperblock": "101",
      "network.transactions.minBlockCapacity": "50",
    });
    expect(params.validate("network.transactions.minBlockCapacity", "51")).toContain(
      "expect <= 50 (network.transactions.maxgasperblock * 0.5) got 51",
    );
    expect(params.validate("network.transactions.maxgasperblock", "99")).toContain(
      ": expect >= 100 got 99, expect >= 100 (network.transactions.minBlockCapacity * 2) got 99",
    );
    expect(params.validate("network.transactions.maxgasperblock", "100")).toBeUndefined();
    params.setValue("market.auction.maximumDuration", "31m");
    expect(params.validate("market.auction.minimumDuration", "31m")).toContain(
      "expect < 31m0s (market.auction.maximumDuration) got 31m0s",
    );
    params.setValue("network.validators.tendermint.number", "500");
    expect(params.validate("network.validators.multisig.numberOfSigners", "31")).toBeUndefined();
  });

  test("given half a character, cut or written as JSON can, then the refusal has none", () => {
    const params = loaded();
    const half = String.raw`"\ud83d"`;
    const refusals = [
      params.validate("transfer.fee.factor", `${"a".repeat(199)}😀`),
      params.validate(REWARD_ASSET, `${"a".repeat(199)}😀`),
      params.validate("market.monitor.price.defaultParameters", trigger({}).replace('"0.95"', half)),
    ];
    for (const text of refusals) expect(text?.isWellFormed()).toBe(true);
    const network = config({ network_id: "\ud83d" }).replace(String.raw`\ud83d`, "\ud83d");
    expect(params.validate(ETHEREUM_CONFIG, network)).toContain("invalid JSON");
  });

  test("given a whole number with zeros in front, then no more of them than the network reads again", () => {
    const params = loaded();
    for (const [key, { type }] of PARAMETERS) {
      if (type.kind !== "uint") continue;
      const value = params.integer(key).toString();
      params.setValue(key, value.padStart(200, "0"));
      expect(params.integer(key)).toBe(BigInt(value));
      expect(params.validate(key, value.padStart(201, "0"))).toContain("invalid uint");
    }
  });

  test("given an unknown key, then it is said", () => {
    const params = loaded();
    expect(params.validate("no.such.key", "1")).toBe("unknown key");
    expect(() => params.setValue("no.such.key", "1")).toThrow(new CommandError("unknown key"));
    expect(() => params.text("no.such.key")).toThrow();
    expect(() => params.watch(["no.such.key"], () => {})).toThrow();
  });

  test("given a genesis, then all defaults come first by key, then what it gives by key, then the watchers", () => {
    const chain = new SmallChain();
    const pushed: string[] = [];
    chain.params.watch(["spam.pow.difficulty", "reward.asset"], (key, value) =>
      pushed.push(`${key}=${value}`),
    );
    const values = { "spam.pow.difficulty": "4", "market.value.windowLength": "60s" };
    const events = chain
      .genesis({ network_parameters: values })
      .filter(({ member }) => member === "networkParameter");
    const defaults = [...PARAMETERS].map(([key, { initial }]) => ({ key, value: initial }));
    expect(events.map(({ payload }) => payload)).toEqual([
      ...defaults.map((payload) => payload),
      { key: "market.value.windowLength", value: "60s" },
      { key: "spam.pow.difficulty", value: "4" },
    ]);
    expect(pushed).toEqual(["reward.asset=VOTE", "spam.pow.difficulty=4"]);
  });

  test("given keys of the genesis, then they are pushed again in the first tick and not in the second", () => {
    const chain = new SmallChain();
    const pushed: string[] = [];
    chain.params.watch([...PARAMETERS.keys()], (key) => pushed.push(key));
    chain.genesis({ network_parameters: { "spam.pow.difficulty": "4", "market.value.windowLength": "60s" } });
    expect(pushed).toEqual([...PARAMETERS.keys()]);
    pushed.length = 0;
    expect(chain.tick(START).filter(({ member }) => member === "networkParameter")).toEqual([]);
    expect(pushed).toEqual(["market.value.windowLength", "spam.pow.difficulty"]);
    chain.tick(START + 1n);
    expect(pushed).toHaveLength(2);
  });

  test.each([
    ["an unknown key", { "no.such": "1" }, "network parameter 'no.such': unknown key"],
    ["a value that is not a text", { "spam.pow.difficulty": 4 as unknown as string }, "must be a text"],
    ["a value out of bounds", { "spam.pow.difficulty": "257" }, "expect <= 256 got 257"],
    [
      "a value of another type, which a rule between two keys reads first",
      { "network.validators.tendermint.number": "many" },
      "network parameter 'network.validators.tendermint.number': ",
    ],
    ["two values that contradict", { "network.validators.tendermint.number": "5" }, "got"],
    ["a reward asset that is not enabled", { "reward.asset": "beef" }, "invalid asset beef"],
  ])("given %s in the genesis, then the chain does not start", (_name, values, text) => {
    expect(() => loaded(values)).toThrow(text);
  });

  test("given two values that only hold together, then a genesis may give both", () => {
    const params = loaded({
      "network.validators.tendermint.number": "5",
      "network.validators.multisig.numberOfSigners": "5",
    });
    expect(params.integer("network.validators.multisig.numberOfSigners")).toBe(5n);
  });

  test("given an enactment, then the event and the watchers come at once, and a bad value changes nothing", () => {
    const chain = new SmallChain();
    chain.genesis();
    const pushed: string[] = [];
    chain.params.watch(["transfer.fee.factor"], (_key, value) => pushed.push(value));
    chain.params.setValue("transfer.fee.factor", "0.50");
    expect(chain.events()).toEqual([
      { member: "networkParameter", payload: { key: "transfer.fee.factor", value: "0.50" } },
    ]);
    expect(pushed).toEqual(["0.50"]);
    expect(() => chain.params.setValue("transfer.fee.factor", "2")).toThrow(
      new CommandError("unable to update transfer.fee.factor: expect <= 1 got 2"),
    );
    chain.params.setValue("transfer.fee.factor", "1");
    expect(chain.params.decimal("transfer.fee.factor").toString()).toBe("1");
    expect(pushed).toEqual(["0.50", "1"]);
  });

  test("given values of each type, then they are read as such, also after the state was taken back", () => {
    const core = new Core("c");
    const params = new NetworkParameters(core);
    params.useAssets(() => true);
    params.initGenesis({ "spam.protection.voting.min.tokens": "12.9", "validators.epoch.length": "1m30s" });
    expect(params.integer("spam.protection.voting.min.tokens")).toBe(12n);
    expect(params.duration("validators.epoch.length")).toBe(90_000_000_000n);
    expect(params.json<object>("market.margin.scalingFactors")).toEqual({
      search_level: 1.1,
      initial_margin: 1.2,
      collateral_release: 1.4,
    });
    const mark = core.state.mark();
    params.setValue("validators.epoch.length", "2m");
    expect(params.duration("validators.epoch.length")).toBe(120_000_000_000n);
    core.state.rollback(mark);
    expect(params.duration("validators.epoch.length")).toBe(90_000_000_000n);
    expect(params.entries()).toHaveLength(PARAMETERS.size);
  });

  const recording = join(import.meta.dir, "../../../shared/data/smoketest_to_block_5000.evts.gz");
  test.skipIf(!existsSync(recording))(
    "given a recorded network, then its defaults are ours (needs ../shared)",
    () => {
      const bytes = gunzipSync(readFileSync(recording));
      const recorded = new Map<string, string>();
      // The genesis block of the recording is far shorter than its first 200 kB; the first value of a key is its default.
      for (let at = 0; at < 200_000; at += 4 + bytes.readUInt32BE(at)) {
        const event = decodeBusEvent(bytes.subarray(at + 12, at + 4 + bytes.readUInt32BE(at)));
        const parameter = event.networkParameter;
        if (parameter !== undefined && !recorded.has(parameter.key))
          recorded.set(parameter.key, parameter.value);
      }
      const ours = [...PARAMETERS].map(([key, { initial }]) => [key, initial]);
      // A single key is newer than the recording.
      const newer = "spam.protection.minMultisigUpdates";
      expect([...recorded].sort()).toEqual(ours.filter(([key]) => key !== newer) as [string, string][]);
    },
  );
});

describe("values that admission takes over", () => {
  test.each([
    ["1e20", 10n ** 20n],
    ["12.9", 12n],
    ["+3", 3n],
  ])("given %s, which a proposal may set, then admission reads it", (value, minProposalTokens) => {
    const key = "spam.protection.proposal.min.tokens";
    expect(loaded().validate(key, value)).toBeUndefined();
    const changes: object[] = [];
    const target = {
      changePow: () => {},
      changeSpam: (change: object) => changes.push(change),
      setEpochLength: () => {},
    };
    expect(applyParameter(target, key, value)).toBe(true);
    expect(changes).toEqual([{ minProposalTokens }]);
  });

  test.each(["", "-1", "x"])("given '%s', then admission refuses it", (value) => {
    const target = { changePow: () => {}, changeSpam: () => {}, setEpochLength: () => {} };
    expect(() => applyParameter(target, "spam.protection.max.votes", value)).toThrow(
      "is not a number, 0 or more",
    );
  });
});

describe("texts of times and durations", () => {
  test.each([
    ["0s", 0n],
    ["1ns", 1n],
    ["1.5µs", 1_500n],
    ["250ms", 250_000_000n],
    ["1.000000001s", 1_000_000_001n],
    ["1m0s", 60_000_000_000n],
    ["8760h0m0s", 31_536_000_000_000_000n],
    ["-1h0m0.5s", -3_600_500_000_000n],
  ])("given %s, then it is printed and read alike", (text, ns) => {
    expect(durationText(ns)).toBe(text);
    expect(parseDuration(text)).toBe(ns);
  });

  test.each([
    ["+1h", 3_600_000_000_000n],
    ["0", 0n],
    [".5s", 500_000_000n],
    ["1.s", 1_000_000_000n],
    ["1h1h", 7_200_000_000_000n],
  ])("given the duration %s, then it is read as Go reads it", (text, ns) => {
    expect(durationNs(text)).toBe(ns);
  });

  test.each(["", "1", ".s", "s", "1x", "1 s", "--1s", "-+1s"])(
    "given '%s', then it is no duration",
    (text) => {
      expect(() => durationNs(text)).toThrow();
      expect(parseDuration(text)).toBeUndefined();
    },
  );

  test.each([
    ["2030-01-01T00:00:00Z", START * 1_000_000_000n],
    ["2030-01-01T01:30:00.000000001+01:30", START * 1_000_000_000n + 1n],
    ["2029-12-31T23:00:00-01:00", START * 1_000_000_000n],
    ["1969-12-31T23:59:59.5Z", -500_000_000n],
  ])("given the time %s, then its nanoseconds are exact", (text, ns) => {
    expect(timeNs(text)).toBe(ns);
  });

  test.each([
    [1_682_942_400_000_000_000n, "2023-05-01 12:00:00 +0000 UTC"],
    [1_682_942_400_120_000_000n, "2023-05-01 12:00:00.12 +0000 UTC"],
    [-1n, "1969-12-31 23:59:59.999999999 +0000 UTC"],
    [253_402_300_800_000_000_000n, "10000-01-01 00:00:00 +0000 UTC"],
    [(2n ** 63n - 1n) * 1_000_000_000n, "292277026596-12-04 15:30:07 +0000 UTC"],
  ])("given %s nanoseconds, then a sentence shows %s", (ns, text) => {
    expect(sentenceTime(ns)).toBe(text);
  });
});
