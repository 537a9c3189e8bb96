/**
 * Every network parameter with type, bounds and default, and the types themselves
 * (docs/protocol/60-state-engine-governance.md#63-parameters-per-kind and
 * docs/protocol/60-state-engine-parameters.md#10-network-parameters). A type states in the network's words why it
 * refuses a text; its caller puts the key in front.
 */

import { isEthereumAddress } from "../crypto/secp256k1.ts";
import { reasonOf } from "../errors/node-error.ts";
import { compare } from "../wire/arithmetic.ts";
import { Decimal } from "../wire/decimal.ts";
import { durationText, timeNs, UNIT_NS } from "../wire/time-text.ts";
import { parseDecimal, parseDuration, parseInt64, parseShortUint, shortened, UINT_MAX } from "./values.ts";

type ParameterKind = "decimal" | "uint" | "int" | "duration" | "string" | "json";

interface ParameterType {
  readonly kind: ParameterKind;
  /** @returns why the text is not a value of this type, or undefined when it is one */
  problem(text: string): string | undefined;
}

/** Limits as texts of the type they bound. */
interface Bounds {
  readonly min?: string;
  readonly max?: string;
  /** The value must be greater. */
  readonly above?: string;
  /** The value must be less. */
  readonly below?: string;
}

function decimal(bounds: Bounds = {}): ParameterType {
  return bounded("decimal", bounds, {
    parse: parseDecimal,
    compare: (a, b) => a.compare(b),
    print: (value) => value.toString(),
    malformed: (text) => `can't convert ${text} to decimal`,
  });
}

function uint(bounds: Bounds = {}): ParameterType {
  return bounded("uint", bounds, { ...WHOLE, parse: parseShortUint, malformed: () => "invalid uint" });
}

function int(bounds: Bounds = {}): ParameterType {
  return bounded("int", bounds, {
    ...WHOLE,
    parse: parseInt64,
    malformed: (text) =>
      `strconv.ParseInt: parsing ${JSON.stringify(text)}: ${/^[+-]?\d+$/.test(text) ? "value out of range" : "invalid syntax"}`,
  });
}

function duration(bounds: Bounds = {}): ParameterType {
  return bounded("duration", bounds, {
    ...WHOLE,
    parse: parseDuration,
    print: durationText,
    malformed: malformedDuration,
  });
}

/** Why a text is not a duration, in the words of Go, which reads numbers with their units one after the other. */
function malformedDuration(text: string): string {
  const whole = JSON.stringify(text);
  for (let rest = text.replace(/^[+-]/, ""); ; ) {
    const [part, unit] = /^(?:\d+\.?\d*|\.\d+)([^.\d]*)/.exec(rest) ?? [];
    if (part === undefined || unit === undefined) return `time: invalid duration ${whole}`;
    if (unit === "") return `time: missing unit in duration ${whole}`;
    if (!Object.hasOwn(UNIT_NS, unit)) {
      return `time: unknown unit ${JSON.stringify(unit)} in duration ${whole}`;
    }
    rest = rest.slice(part.length);
  }
}

/** @param problem what else is asked of the text */
function string(problem: (text: string) => string | undefined = () => undefined): ParameterType {
  return { kind: "string", problem };
}

/** @param problem the requirement of the text, valid JSON included */
function json(problem: (text: string) => string | undefined): ParameterType {
  return { kind: "json", problem };
}

interface Reading<V> {
  parse(text: string): V | undefined;
  compare(a: V, b: V): number;
  print(value: V): string;
  malformed(text: string): string;
}

const WHOLE = {
  compare: compare<bigint>,
  print: (value: bigint) => value.toString(),
};

/** The four ways to bound a value, with the sign that the text of a refusal shows. */
const RULES = [
  { member: "min", sign: ">=", holds: (order: number) => order >= 0 },
  { member: "above", sign: ">", holds: (order: number) => order > 0 },
  { member: "max", sign: "<=", holds: (order: number) => order <= 0 },
  { member: "below", sign: "<", holds: (order: number) => order < 0 },
] as const;

function bounded<V>(kind: ParameterKind, bounds: Bounds, reading: Reading<V>): ParameterType {
  const rules = RULES.flatMap(({ member, sign, holds }) => {
    const text = bounds[member];
    return text === undefined ? [] : [{ limit: reading.parse(text)!, sign, holds }];
  });
  return {
    kind,
    problem(text) {
      const value = reading.parse(text);
      if (value === undefined) return reading.malformed(shortened(text));
      const broken = rules.find(({ limit, holds }) => !holds(reading.compare(value, limit)));
      return broken && `expect ${broken.sign} ${reading.print(broken.limit)} got ${reading.print(value)}`;
    },
  };
}

/** Runs a check that throws; the reason is the problem. */
function problemOf(check: () => void): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}

// Network parameters that are JSON (docs/protocol/60-state-engine-parameters.md#102-all-keys-and-defaults and
// #103-ethereum-config-json). A member that is not known is refused; one that is left out has its empty value.

interface Contract {
  readonly address?: string;
  readonly deployment_block_height?: number;
}

/** `blockchains.ethereumConfig` */
export interface EthereumConfig {
  readonly network_id?: string;
  readonly chain_id?: string;
  readonly confirmations?: number;
  readonly collateral_bridge_contract?: Contract;
  readonly multisig_control_contract?: Contract;
  readonly staking_bridge_contract?: Contract;
  readonly token_vesting_contract?: Contract;
}

type Shape = "string" | "number" | "whole" | { readonly [member: string]: Shape } | readonly [Shape];

const CONTRACT = { address: "string", deployment_block_height: "whole" } as const;
const ETHEREUM_CONFIG_SHAPE: Shape = {
  network_id: "string",
  chain_id: "string",
  confirmations: "whole",
  collateral_bridge_contract: CONTRACT,
  multisig_control_contract: CONTRACT,
  staking_bridge_contract: CONTRACT,
  token_vesting_contract: CONTRACT,
};

const SCALING_FACTORS: Shape = {
  search_level: "number",
  initial_margin: "number",
  collateral_release: "number",
};

const PRICE_MONITORING: Shape = {
  triggers: [{ horizon: "whole", probability: "string", auction_extension: "whole" }],
};

function ethereumConfigProblem(text: string): string | undefined {
  return problemOf(() => {
    const config = parseShape<EthereumConfig>(text, ETHEREUM_CONFIG_SHAPE);
    const bridge = config.collateral_bridge_contract ?? {};
    demand(config.network_id, "missing network ID");
    demand(config.chain_id, "missing chain ID");
    demand(config.confirmations, "confirmations must be greater than 0");
    demand(bridge.address, "missing collateral bridge contract address");
    demand(
      !bridge.deployment_block_height,
      "collateral bridge contract must have no deployment block height",
    );
    demand(config.multisig_control_contract?.address, "missing multisig control contract address");
    demand(
      config.staking_bridge_contract?.address || config.token_vesting_contract?.address,
      "at least one of the staking bridge and token vesting contract addresses is required",
    );
  });
}

/** The address of the collateral bridge, to which signatures are bound; undefined where the configuration has none. */
export function collateralBridge(config: EthereumConfig): string | undefined {
  const address = config.collateral_bridge_contract?.address ?? "";
  return isEthereumAddress(address) ? address : undefined;
}

/** Each factor is 1 to 100, and each is greater than the one before. */
function scalingFactorsProblem(text: string): string | undefined {
  return problemOf(() => {
    const factors = parseShape<Readonly<Record<string, number | undefined>>>(text, SCALING_FACTORS);
    const values = Object.keys(SCALING_FACTORS).map((name) => [name, factors[name] ?? 0] as const);
    for (const [name, value] of values) {
      demand(value >= 1, `${name}: expect >= 1 got ${value}`);
      demand(value <= 100, `${name}: expect <= 100 got ${value}`);
    }
    const [search, initial, release] = values.map(([, value]) => value) as [number, number, number];
    demand(
      search < initial && initial < release,
      "invalid scaling factors (search_level < initial_margin < collateral_release)",
    );
  });
}

interface Trigger {
  readonly horizon?: number;
  readonly probability?: string;
  readonly auction_extension?: number;
}

const SECONDS_MIN = 5;
const SECONDS_MAX = 720 * 3_600;
const PROBABILITY_MIN = Decimal.parse("0.9");

function priceMonitoringProblem(text: string): string | undefined {
  return problemOf(() => {
    const { triggers = [] } = parseShape<{ readonly triggers?: readonly Trigger[] }>(text, PRICE_MONITORING);
    for (const { horizon = 0, auction_extension: extension = 0, probability = "" } of triggers) {
      for (const [name, value] of [
        ["horizon", horizon],
        ["auction_extension", extension],
      ] as const) {
        demand(value >= SECONDS_MIN, `${name}: expect >= ${SECONDS_MIN} got ${value}`);
        demand(value <= SECONDS_MAX, `${name}: expect <= ${SECONDS_MAX} got ${value}`);
      }
      const chance = parseDecimal(probability);
      demand(chance, `probability: can't convert ${shortened(probability)} to decimal`);
      demand(!chance!.isLess(PROBABILITY_MIN), `probability: expect >= 0.9 got ${chance}`);
      demand(!Decimal.one.isLess(chance!), `probability: expect <= 1 got ${chance}`);
    }
  });
}

/** Parses and holds against a shape. @throws Error with the first thing that is wrong */
function parseShape<T>(text: string, shape: Shape): T {
  try {
    const value = parseJson(text);
    checkShape(value, shape, "value");
    return value as T;
  } catch (error) {
    throw new Error(`unable to unmarshal value, ${reasonOf(error)}`);
  }
}

function parseJson(text: string): unknown {
  // No event could show a lone surrogate, which a devnet's tool and a genesis can bring.
  if (!text.isWellFormed()) throw new Error("invalid JSON");
  try {
    return JSON.parse(text);
  } catch {
    throw new Error("invalid JSON");
  }
}

function checkShape(value: unknown, shape: Shape, place: string): void {
  if (typeof shape === "string") {
    const fits =
      shape === "whole" ? Number.isSafeInteger(value) && (value as number) >= 0 : typeof value === shape;
    demand(fits, `json: ${place} is not a ${shape === "whole" ? "whole number" : shape}`);
  } else if (isList(shape)) {
    demand(Array.isArray(value), `json: ${place} is not a list`);
    for (const item of value as unknown[]) checkShape(item, shape[0], place);
  } else {
    demand(
      typeof value === "object" && value !== null && !Array.isArray(value),
      `json: ${place} is not an object`,
    );
    for (const [name, member] of Object.entries(value as object)) {
      demand(Object.hasOwn(shape, name), `json: unknown field ${JSON.stringify(shortened(name))}`);
      checkShape(member, shape[name]!, name);
    }
  }
}

function isList(shape: Shape): shape is readonly [Shape] {
  return Array.isArray(shape);
}

function demand(holds: unknown, problem: string): void {
  if (!holds) throw new Error(problem);
}

// The table. Defaults are the texts that the network shows, not normal forms.

interface ParameterDefinition {
  readonly type: ParameterType;
  readonly initial: string;
}

function define(type: ParameterType, initial: string): ParameterDefinition {
  return { type, initial };
}

/** The one key that no proposal may change. */
export const ETHEREUM_CONFIG = "blockchains.ethereumConfig";
export const REWARD_ASSET = "reward.asset";

const POW_HASH_FUNCTION = "sha3_24_rounds";

const fraction = { min: "0", max: "1" };
const proposalTime = duration({ min: "1s", max: "8760h" });
const balance = uint({ min: "1", below: UINT_MAX.toString() });
const notNegative = decimal({ min: "0" });
const atLeastOne = decimal({ min: "1" });
const date = string((text) =>
  text === "" || timeNs(text) !== undefined ? undefined : "expect a time in RFC 3339 or nothing",
);
const hashFunction = string((text) =>
  text === POW_HASH_FUNCTION ? undefined : "Spam Proof of Work hash function must be SHA3",
);

/** Kinds of proposals, as the keys of docs/protocol/60-state-engine-governance.md#63-parameters-per-kind name them. */
const PROPOSAL_KINDS = [
  "market",
  "updateMarket",
  "asset",
  "updateAsset",
  "updateNetParam",
  "freeform",
] as const;
export type ProposalKind = (typeof PROPOSAL_KINDS)[number];

function proposalParameters(kind: ProposalKind): Record<string, ParameterDefinition> {
  const prefix = `governance.proposal.${kind}`;
  return {
    [`${prefix}.minClose`]: define(proposalTime, "48h0m0s"),
    [`${prefix}.maxClose`]: define(proposalTime, "8760h0m0s"),
    ...(kind !== "freeform" && {
      [`${prefix}.minEnact`]: define(proposalTime, "48h0m0s"),
      [`${prefix}.maxEnact`]: define(proposalTime, "8760h0m0s"),
    }),
    [`${prefix}.requiredParticipation`]: define(decimal(fraction), "0.00001"),
    [`${prefix}.requiredMajority`]: define(decimal(fraction), "0.66"),
    [`${prefix}.minProposerBalance`]: define(balance, "1"),
    [`${prefix}.minVoterBalance`]: define(balance, "1"),
    ...(kind === "updateMarket" && {
      [`${prefix}.requiredParticipationLP`]: define(decimal(fraction), "0.00001"),
      [`${prefix}.requiredMajorityLP`]: define(decimal(fraction), "0.66"),
      [`${prefix}.minProposerEquityLikeShare`]: define(decimal(fraction), "0.66"),
    }),
  };
}

const MARKETS: Readonly<Record<string, ParameterDefinition>> = {
  "market.margin.scalingFactors": define(
    json(scalingFactorsProblem),
    '{"search_level": 1.1, "initial_margin": 1.2, "collateral_release": 1.4}',
  ),
  "market.fee.factors.makerFee": define(decimal(fraction), "0.00025"),
  "market.fee.factors.infrastructureFee": define(decimal(fraction), "0.0005"),
  "market.auction.minimumDuration": define(duration({ min: "1s", max: "24h" }), "30m0s"),
  "market.auction.maximumDuration": define(duration({ min: "1s", max: "720h" }), "168h0m0s"),
  "market.liquidity.bondPenaltyParameter": define(decimal(fraction), "1"),
  "market.liquidity.maximumLiquidityFeeFactorLevel": define(decimal({ above: "0", max: "1" }), "1"),
  "market.liquidity.stakeToCcyVolume": define(decimal({ min: "0", max: "100" }), "1"),
  "market.liquidity.providers.fee.distributionTimeStep": define(duration({ min: "0s", max: "720h" }), "0s"),
  "market.liquidity.targetstake.triggering.ratio": define(decimal(fraction), "0"),
  "market.liquidity.probabilityOfTrading.tau.scaling": define(decimal({ min: "1", max: "1000" }), "1"),
  "market.liquidity.minimum.probabilityOfTrading.lpOrders": define(
    decimal({ min: "1e-12", max: "0.1" }),
    "1e-8",
  ),
  "market.stake.target.timeWindow": define(duration({ min: "1s", max: "720h" }), "1h0m0s"),
  "market.stake.target.scalingFactor": define(decimal({ above: "0", max: "100" }), "10"),
  "market.value.windowLength": define(duration({ min: "1m", max: "720h" }), "168h0m0s"),
  "market.monitor.price.defaultParameters": define(json(priceMonitoringProblem), '{"triggers": []}'),
  "market.liquidityProvision.shapes.maxSize": define(int({ min: "1", max: "1000" }), "5"),
  "market.liquidityProvision.minLpStakeQuantumMultiple": define(decimal({ above: "0", below: "1e10" }), "1"),
  "rewards.marketCreationQuantumMultiple": define(decimal({ min: "1", below: "1e20" }), "10000000"),
  "limits.markets.maxPeggedOrders": define(uint({ min: "0", max: "10000" }), "1500"),
  "network.markPriceUpdateMaximumFrequency": define(duration({ min: "0s", max: "1h" }), "5s"),
};

const VALIDATORS: Readonly<Record<string, ParameterDefinition>> = {
  "validators.epoch.length": define(duration({ min: "1s", max: "255h" }), "24h0m0s"),
  "validators.delegation.minAmount": define(decimal({ above: "0" }), "1"),
  "validators.vote.required": define(decimal({ above: "0", max: "1" }), "0.67"),
  "validator.performance.scaling.factor": define(decimal(fraction), "0"),
  [REWARD_ASSET]: define(string(), "VOTE"),
  "reward.staking.delegation.payoutFraction": define(decimal(fraction), "1.0"),
  "reward.staking.delegation.payoutDelay": define(duration({ min: "0s" }), "24h0m0s"),
  "reward.staking.delegation.maxPayoutPerEpoch": define(notNegative, "7000000000000000000000"),
  "reward.staking.delegation.maxPayoutPerParticipant": define(notNegative, "0"),
  "reward.staking.delegation.delegatorShare": define(decimal(fraction), "0.883"),
  "reward.staking.delegation.minimumValidatorStake": define(notNegative, "0"),
  "reward.staking.delegation.competitionLevel": define(atLeastOne, "1.1"),
  "reward.staking.delegation.minValidators": define(int({ min: "1", max: "500" }), "5"),
  "reward.staking.delegation.optimalStakeMultiplier": define(atLeastOne, "3.0"),
  "network.validators.tendermint.number": define(uint({ min: "1", max: "500" }), "30"),
  "network.validators.incumbentBonus": define(notNegative, "1"),
  "network.validators.multisig.numberOfSigners": define(uint({ min: "1", max: "500" }), "13"),
  "network.validators.ersatz.rewardFactor": define(decimal(fraction), "0.5"),
  "network.validators.ersatz.multipleOfTendermintValidators": define(notNegative, "0.5"),
  "network.validators.minimumEthereumEventsForNewValidator": define(uint(), "3"),
};

const TRANSFERS_AND_SPAM: Readonly<Record<string, ParameterDefinition>> = {
  "transfer.fee.factor": define(decimal(fraction), "0.001"),
  "transfer.minTransferQuantumMultiple": define(notNegative, "0.1"),
  "spam.protection.maxUserTransfersPerEpoch": define(int({ min: "0" }), "20"),
  "spam.protection.max.votes": define(int({ min: "1" }), "3"),
  "spam.protection.voting.min.tokens": define(atLeastOne, "100000000000000000000"),
  "spam.protection.max.proposals": define(int({ min: "1" }), "3"),
  "spam.protection.proposal.min.tokens": define(atLeastOne, "100000000000000000000000"),
  "spam.protection.max.delegations": define(int({ min: "1" }), "390"),
  "spam.protection.delegation.min.tokens": define(atLeastOne, "1000000000000000000"),
  "spam.protection.max.batchSize": define(uint({ min: "2", max: "200" }), "15"),
  "spam.protection.minimumWithdrawalQuantumMultiple": define(decimal({ above: "0", below: "1e6" }), "10"),
  "spam.protection.minMultisigUpdates": define(atLeastOne, "100000000000000000000"),
  "spam.pow.numberOfPastBlocks": define(uint({ min: "5", max: "500" }), "100"),
  "spam.pow.difficulty": define(uint({ min: "0", max: "256" }), "15"),
  "spam.pow.hashFunction": define(hashFunction, POW_HASH_FUNCTION),
  "spam.pow.numberOfTxPerBlock": define(uint({ min: "1" }), "2"),
  "spam.pow.increaseDifficulty": define(uint({ min: "0", max: "1" }), "0"),
};

const NO_CONTRACT = '{ "address": "0xXXX", "deployment_block_height": 0 }';

const CHAIN: Readonly<Record<string, ParameterDefinition>> = {
  [ETHEREUM_CONFIG]: define(
    json(ethereumConfigProblem),
    '{"network_id": "XXX", "chain_id": "XXX", "collateral_bridge_contract": { "address": "0xXXX" }, ' +
      '"confirmations": 3, "staking_bridge_contract": { "address": "0xXXX", "deployment_block_height": 0}, ' +
      `"token_vesting_contract": ${NO_CONTRACT}, "multisig_control_contract": ${NO_CONTRACT}}`,
  ),
  "network.checkpoint.timeElapsedBetweenCheckpoints": define(duration({ above: "0s" }), "1m"),
  "snapshot.interval.length": define(uint({ min: "0" }), "1000"),
  "network.floatingPointUpdates.delay": define(duration({ min: "10s", max: "1h" }), "5m"),
  "limits.markets.proposeEnabledFrom": define(date, ""),
  "limits.assets.proposeEnabledFrom": define(date, ""),
  "network.transactions.maxgasperblock": define(uint({ min: "100", max: "10000000" }), "500000"),
  "network.transaction.defaultgas": define(uint({ min: "1", max: "99" }), "1"),
  "network.transactions.minBlockCapacity": define(uint({ min: "1", max: "10000" }), "32"),
};

export const PARAMETERS: ReadonlyMap<string, ParameterDefinition> = new Map(
  Object.entries({
    ...MARKETS,
    ...Object.assign({}, ...PROPOSAL_KINDS.map(proposalParameters)),
    ...VALIDATORS,
    ...TRANSFERS_AND_SPAM,
    ...CHAIN,
  } as Record<string, ParameterDefinition>).sort(([a], [b]) => (a < b ? -1 : 1)),
);

/** A rule between two parameters: the value of `key` against that of `other`, times `factor`. */
export interface CrossRule {
  readonly key: string;
  readonly sign: "<" | "<=" | ">" | ">=";
  readonly other: string;
  /** Factor of the other value, as [numerator, denominator]. */
  readonly factor: readonly [bigint, bigint];
}

const SAME = [1n, 1n] as const;

/**
 * Each rule stands here from both of its sides, because either value may be the one that changes
 * (docs/protocol/60-state-engine-parameters.md#101-mechanics).
 */
export const CROSS_RULES: readonly CrossRule[] = [
  { key: "market.auction.minimumDuration", sign: "<", other: "market.auction.maximumDuration", factor: SAME },
  { key: "market.auction.maximumDuration", sign: ">", other: "market.auction.minimumDuration", factor: SAME },
  {
    key: "network.validators.multisig.numberOfSigners",
    sign: "<=",
    other: "network.validators.tendermint.number",
    factor: SAME,
  },
  {
    key: "network.validators.tendermint.number",
    sign: ">=",
    other: "network.validators.multisig.numberOfSigners",
    factor: SAME,
  },
  {
    key: "network.transactions.minBlockCapacity",
    sign: "<=",
    other: "network.transactions.maxgasperblock",
    factor: [1n, 2n],
  },
  {
    key: "network.transactions.maxgasperblock",
    sign: ">=",
    other: "network.transactions.minBlockCapacity",
    factor: [2n, 1n],
  },
];
