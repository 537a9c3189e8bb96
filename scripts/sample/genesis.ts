// The state the sample network begins with (docs/protocol/60-state-engine-blocks.md#13-initchain and
// docs/protocol/60-state-engine-parameters.md#102-all-keys-and-defaults).
import { AssetStatus } from "../../src/wire/generated/vega.ts";
import {
  ASSET,
  BRIDGE_ADDRESS,
  MULTISIG_ADDRESS,
  STAKING_ADDRESS,
  TOKEN_ADDRESS,
  VALIDATORS,
  type Validator,
} from "./cast.ts";
import type { Collateral } from "./collateral.ts";
import type { World } from "./world.ts";

const ETHEREUM = JSON.stringify({
  network_id: "7",
  chain_id: "7",
  confirmations: 2,
  collateral_bridge_contract: { address: BRIDGE_ADDRESS },
  multisig_control_contract: { address: MULTISIG_ADDRESS, deployment_block_height: 12 },
  staking_bridge_contract: { address: STAKING_ADDRESS, deployment_block_height: 14 },
  token_vesting_contract: { address: "", deployment_block_height: 0 },
});

/** Length of an epoch, as the parameter says it and in nanoseconds. */
export const EPOCH_LENGTH = { text: "6m40s", ns: 400_000_000_000n } as const;
export const CHECKPOINT_INTERVAL = { text: "3m", ns: 180_000_000_000n } as const;
export const SNAPSHOT_INTERVAL_BLOCKS = 500;

const GOVERNED = ["market", "updateMarket", "asset", "updateAsset", "updateNetParam", "freeform"];
const GOVERNANCE: readonly [suffix: string, value: string][] = [
  ["minClose", "30s"],
  ["maxClose", "8760h0m0s"],
  ["minEnact", "30s"],
  ["maxEnact", "8760h0m0s"],
  ["requiredParticipation", "0.01"],
  ["requiredMajority", "0.66"],
  ["minProposerBalance", "1000000000000000000"],
  ["minVoterBalance", "1000000000000000000"],
];

const PARAMETERS: readonly [key: string, value: string][] = [
  ["blockchains.ethereumConfig", ETHEREUM],
  ...GOVERNED.flatMap((kind) =>
    GOVERNANCE.map(([suffix, value]): [string, string] => [`governance.proposal.${kind}.${suffix}`, value]),
  ),
  ["governance.proposal.updateMarket.minProposerEquityLikeShare", "0.66"],
  ["governance.proposal.updateMarket.requiredMajorityLP", "0.66"],
  ["governance.proposal.updateMarket.requiredParticipationLP", "0.00001"],
  ["limits.assets.proposeEnabledFrom", ""],
  ["limits.markets.maxPeggedOrders", "1500"],
  ["limits.markets.proposeEnabledFrom", ""],
  ["market.auction.maximumDuration", "168h0m0s"],
  ["market.auction.minimumDuration", "30s"],
  ["market.fee.factors.infrastructureFee", "0.0005"],
  ["market.fee.factors.makerFee", "0.0002"],
  ["market.liquidity.bondPenaltyParameter", "1"],
  ["market.liquidity.maximumLiquidityFeeFactorLevel", "1"],
  ["market.liquidity.minimum.probabilityOfTrading.lpOrders", "1e-8"],
  ["market.liquidity.probabilityOfTrading.tau.scaling", "1"],
  ["market.liquidity.providers.fee.distributionTimeStep", "10m0s"],
  ["market.liquidity.stakeToCcyVolume", "1"],
  ["market.liquidity.targetstake.triggering.ratio", "0"],
  ["market.liquidityProvision.minLpStakeQuantumMultiple", "1"],
  ["market.liquidityProvision.shapes.maxSize", "5"],
  ["market.margin.scalingFactors", '{"search_level": 1.1, "initial_margin": 1.2, "collateral_release": 1.4}'],
  ["market.monitor.price.defaultParameters", '{"triggers": []}'],
  ["market.stake.target.scalingFactor", "10"],
  ["market.stake.target.timeWindow", "1h0m0s"],
  ["market.value.windowLength", "168h0m0s"],
  ["network.checkpoint.timeElapsedBetweenCheckpoints", CHECKPOINT_INTERVAL.text],
  ["network.floatingPointUpdates.delay", "5m"],
  ["network.markPriceUpdateMaximumFrequency", "5m0s"],
  ["network.transaction.defaultgas", "1"],
  ["network.transactions.maxgasperblock", "500000"],
  ["network.transactions.minBlockCapacity", "32"],
  ["network.validators.ersatz.multipleOfTendermintValidators", "0.5"],
  ["network.validators.ersatz.rewardFactor", "0.5"],
  ["network.validators.incumbentBonus", "1"],
  ["network.validators.minimumEthereumEventsForNewValidator", "3"],
  ["network.validators.multisig.numberOfSigners", "3"],
  ["network.validators.tendermint.number", "3"],
  ["reward.asset", ASSET.token],
  ["reward.staking.delegation.competitionLevel", "1.1"],
  ["reward.staking.delegation.delegatorShare", "0.883"],
  ["reward.staking.delegation.maxPayoutPerEpoch", "7000000000000000000000"],
  ["reward.staking.delegation.maxPayoutPerParticipant", "0"],
  ["reward.staking.delegation.minValidators", "3"],
  ["reward.staking.delegation.minimumValidatorStake", "0"],
  ["reward.staking.delegation.optimalStakeMultiplier", "3.0"],
  ["reward.staking.delegation.payoutDelay", "24h0m0s"],
  ["reward.staking.delegation.payoutFraction", "1.0"],
  ["rewards.marketCreationQuantumMultiple", "10000000"],
  ["snapshot.interval.length", String(SNAPSHOT_INTERVAL_BLOCKS)],
  ["spam.pow.difficulty", "15"],
  ["spam.pow.hashFunction", "sha3_24_rounds"],
  ["spam.pow.increaseDifficulty", "0"],
  ["spam.pow.numberOfPastBlocks", "100"],
  ["spam.pow.numberOfTxPerBlock", "2"],
  ["spam.protection.delegation.min.tokens", "1000000000000000000"],
  ["spam.protection.max.batchSize", "15"],
  ["spam.protection.max.delegations", "390"],
  ["spam.protection.max.proposals", "3"],
  ["spam.protection.max.votes", "3"],
  ["spam.protection.maxUserTransfersPerEpoch", "20"],
  ["spam.protection.minMultisigUpdates", "100000000000000000000"],
  ["spam.protection.minimumWithdrawalQuantumMultiple", "10"],
  ["spam.protection.proposal.min.tokens", "1000000000000000000"],
  ["spam.protection.voting.min.tokens", "1000000000000000000"],
  ["transfer.fee.factor", "0.001"],
  ["transfer.minTransferQuantumMultiple", "0.1"],
  ["validator.performance.scaling.factor", "0"],
  ["validators.delegation.minAmount", "1"],
  ["validators.epoch.length", EPOCH_LENGTH.text],
  ["validators.vote.required", "0.67"],
];

/** The assets of genesis; the third one is proposed later. */
const TOKEN_DETAILS = {
  name: "Lyre (sample)",
  symbol: "LYRE",
  decimals: 18n,
  quantum: "1000000000000000",
  erc20: {
    contractAddress: TOKEN_ADDRESS,
    lifetimeLimit: "100000000000000000000000",
    withdrawThreshold: "5000000000000000000000",
  },
};
const DOLLAR_DETAILS = {
  name: "Sample Dollar",
  symbol: "sUSD",
  decimals: 6n,
  quantum: "1000000",
  builtinAsset: { maxFaucetAmountMint: "100000000000" },
};

export function tellGenesis(world: World, collateral: Collateral): void {
  for (const [id, details] of [
    [ASSET.token, TOKEN_DETAILS],
    [ASSET.dollar, DOLLAR_DETAILS],
  ] as const) {
    world.emit({ asset: { id, details, status: AssetStatus.STATUS_PROPOSED } });
    world.emit({ asset: { id, details, status: AssetStatus.STATUS_ENABLED } });
    collateral.openAsset(id);
  }
  for (const [key, value] of PARAMETERS) world.emit({ networkParameter: { key, value } });
  for (const validator of VALIDATORS) tellValidator(world, validator);
  world.emit({
    networkLimits: {
      canProposeMarket: true,
      canProposeAsset: true,
      proposeMarketEnabled: true,
      proposeAssetEnabled: true,
    },
  });
}

function tellValidator(world: World, node: Validator): void {
  const name = node.name.toLowerCase();
  world.emit({
    validatorUpdate: {
      nodeId: node.id,
      vegaPubKey: node.pubKey,
      ethereumAddress: node.ethereumAddress,
      tmPubKey: node.consensusKey,
      infoUrl: `https://${name}.example`,
      country: node.country,
      name: node.name,
      avatarUrl: `https://${name}.example/star.png`,
      vegaPubKeyIndex: node.pubKeyIndex,
      added: true,
    },
  });
  world.emit({
    rankingEvent: {
      nodeId: node.id,
      stakeScore: "0",
      performanceScore: "0",
      rankingScore: "0",
      previousStatus: "pending",
      nextStatus: "tendermint",
      epochSeq: "0",
      tmVotingPower: 10,
    },
  });
}
