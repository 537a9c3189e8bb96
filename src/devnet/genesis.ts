// What a devnet starts from: the shipped genesis, or one of the developer's own; and what follows from it for the
// simulated Ethereum.
import shipped from "../../data/devnet-genesis.json" with { type: "json" };
import { genesisDetails } from "../engine/assets.ts";
import type { CheckpointText } from "../engine/checkpoints.ts";
import { type Genesis, readGenesis } from "../engine/genesis.ts";
import { genesisNode } from "../engine/nodes.ts";
import { NodeError } from "../errors/node-error.ts";
import type { SimulatorOptions } from "../ethereum/bridge-simulator.ts";
import type { Listing } from "../ethereum/contracts.ts";
import { rfc3339Nano } from "../wire/time-text.ts";
import { checkpointValidators } from "./checkpoint.ts";
import { DEVNET_VALIDATORS_MAX, ValidatorKeys } from "./keys.ts";

/** Of the staking token, 18 decimals. */
const TOTAL_SUPPLY = 65_000_000n * 10n ** 18n;
/** Parts of a thousand; more than two thirds of the signers. */
const THRESHOLD = 667;
const UINT256_MAX = (1n << 256n) - 1n;

/** A devnet's genesis document can differ from the shipped one without a file of its own. */
export interface GenesisChanges {
  readonly chainId?: string;
  /** Unix nanoseconds. */
  readonly timeNs?: bigint;
  /** Network parameters that differ. */
  readonly parameters?: Readonly<Record<string, string>>;
}

/** The text of the shipped genesis, with changes. */
export function devnetGenesisText({ chainId, timeNs, parameters }: GenesisChanges = {}): string {
  const { app_state, ...head } = shipped;
  return JSON.stringify({
    ...head,
    ...(timeNs !== undefined && { genesis_time: rfc3339Nano(timeNs) }),
    ...(chainId !== undefined && { chain_id: chainId }),
    app_state: { ...app_state, network_parameters: { ...app_state.network_parameters, ...parameters } },
  });
}

/** A genesis document that begins with a checkpoint. */
export function withCheckpoint(text: string, checkpoint: CheckpointText): string {
  const document = JSON.parse(text) as { app_state?: object };
  return JSON.stringify({ ...document, app_state: { ...document.app_state, checkpoint } });
}

/** @throws NodeError when the genesis has no validators, or some whose keys the devnet does not hold */
export function readDevnetGenesis(text: string): Genesis {
  const genesis = readGenesis(text);
  const held = Array.from({ length: DEVNET_VALIDATORS_MAX }, (_, at) => new ValidatorKeys(at + 1).nodeId);
  const [first] = held;
  const { assets = {}, validators = {} } = genesis.appState;
  // Ethereum is made from them before the engine looks at them.
  for (const [id, asset] of Object.entries(assets)) genesisDetails(id, asset);
  const ids = [
    ...Object.entries(validators).map(([key, given]) => genesisNode(key, given).nodeId),
    ...checkpointValidators(genesis),
  ];
  if (ids.includes(first!) && ids.every((id) => held.includes(id))) return genesis;
  const stranger = ids.find((id) => !held.includes(id));
  throw new NodeError(
    "devnet.genesis",
    "validator_unknown",
    stranger === undefined
      ? `the genesis lacks the devnet's validator ${first}`
      : `the devnet does not hold the keys of validator ${stranger.slice(0, 64)}`,
    "take over app_state.validators of the shipped genesis",
  );
}

/** The asset that rewards are paid in, and that stake stands for (reference 60, section 10.2, default). */
export function rewardAsset({ appState }: Genesis): string {
  return appState.network_parameters["reward.asset"] ?? "VOTE";
}

interface EthereumConfig {
  readonly collateral_bridge_contract?: { readonly address?: string };
}

/** The contracts as somebody must have deployed them for this genesis. */
export function simulatorOptions(genesis: Genesis, nowSeconds: () => bigint): SimulatorOptions {
  const { assets = {}, validators = {}, network_parameters: parameters } = genesis.appState;
  const config = JSON.parse(parameters["blockchains.ethereumConfig"] ?? "{}") as EthereumConfig;
  const erc20 = Object.entries(assets).flatMap(([id, asset]) => {
    const contract = asset.source.erc20;
    return contract === undefined ? [] : [{ id, asset, contract }];
  });
  return {
    chainId: genesis.chainId,
    nowSeconds,
    contracts: {
      collateralBridge: config.collateral_bridge_contract?.address ?? "",
      stakingToken: assets[rewardAsset(genesis)]?.source.erc20?.contract_address ?? "",
    },
    signers: Object.values(validators).map(({ ethereum_address }) => ethereum_address),
    threshold: THRESHOLD,
    listings: erc20.map(
      ({ id, contract }): Listing => ({
        token: contract.contract_address,
        assetId: id,
        lifetimeLimit: limitOf(contract.lifetime_limit),
        withdrawThreshold: limitOf(contract.withdraw_threshold),
      }),
    ),
    tokens: erc20.map(({ asset: { name, symbol, decimals }, contract }) => ({
      address: contract.contract_address,
      name,
      symbol,
      decimals,
    })),
    totalSupply: TOTAL_SUPPLY,
  };
}

function limitOf(text: string): bigint {
  return /^\d{1,78}$/.test(text) ? BigInt(text) : UINT256_MAX;
}
