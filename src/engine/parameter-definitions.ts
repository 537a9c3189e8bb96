/**
 * Every network parameter with type, bounds and default (reference 60, sections 6.3 and 10.2). Defaults are the
 * texts that the network shows, not normal forms.
 */
import { ethereumConfigProblem, priceMonitoringProblem, scalingFactorsProblem } from "./parameter-json.ts";
import {
  decimal,
  duration,
  int,
  json,
  type ParameterType,
  string,
  UINT_MAX_TEXT,
  uint,
} from "./parameter-types.ts";
import { timeNs } from "./rfc3339.ts";

export interface ParameterDefinition {
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
const balance = uint({ min: "1", below: UINT_MAX_TEXT });
const notNegative = decimal({ min: "0" });
const atLeastOne = decimal({ min: "1" });
const date = string((text) =>
  text === "" || timeNs(text) !== undefined ? undefined : "expect a time in RFC 3339 or nothing",
);
const hashFunction = string((text) =>
  text === POW_HASH_FUNCTION ? undefined : "Spam Proof of Work hash function must be SHA3",
);

/** Kinds of proposals, as the keys of section 6.3 name them. */
export const PROPOSAL_KINDS = [
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
  "network.validators.tendermint.number": define(int({ min: "1", max: "500" }), "30"),
  "network.validators.incumbentBonus": define(notNegative, "1"),
  "network.validators.multisig.numberOfSigners": define(int({ min: "1", max: "500" }), "13"),
  "network.validators.ersatz.rewardFactor": define(decimal(fraction), "0.5"),
  "network.validators.ersatz.multipleOfTendermintValidators": define(notNegative, "0.5"),
  "network.validators.minimumEthereumEventsForNewValidator": define(int({ min: "0" }), "3"),
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

/** A rule between two parameters: the value of `key` against that of `other`, divided by `divisor`. */
export interface CrossRule {
  readonly key: string;
  readonly sign: "<" | "<=" | ">" | ">=";
  readonly other: string;
  /** What the other value is multiplied with, as [numerator, denominator]. */
  readonly factor: readonly [bigint, bigint];
}

const SAME = [1n, 1n] as const;

/** Each rule stands here from both of its sides, because either value may be the one that changes (section 10.1). */
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
