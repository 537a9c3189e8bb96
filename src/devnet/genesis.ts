// The start of a devnet: the shipped genesis or the developer's own, and the simulated Ethereum that matches it.
import shipped from "../../data/devnet-genesis.json" with { type: "json" };
import { genesisDetails } from "../engine/assets.ts";
import { type CheckpointText, genesisCheckpoint } from "../engine/checkpoints.ts";
import { type Genesis, readGenesis } from "../engine/genesis.ts";
import { genesisNode } from "../engine/nodes.ts";
import { NodeError } from "../errors/node-error.ts";
import type { SimulatorOptions, SimulatorState } from "../ethereum/bridge-simulator.ts";
import type { Listing } from "../ethereum/contracts.ts";
import {
  decodeAssets,
  decodeBanking,
  decodeCollateral,
  decodeMultisigControl,
  decodeStaking,
  decodeValidators,
} from "../wire/generated/checkpoint.ts";
import { ERC20MultiSigSignerEventType, StakeLinkingType } from "../wire/generated/events.ts";
import { type AssetDetails, ValidatorNodeStatus } from "../wire/generated/vega.ts";
import { rfc3339Nano } from "../wire/time-text.ts";
import { publicValidators } from "./keys.ts";

/** Of the staking token, 18 decimals. */
const TOTAL_SUPPLY = 65_000_000n * 10n ** 18n;
/** Parts of a thousand; more than two thirds of the signers. */
const THRESHOLD = 667;
const UINT256_MAX = (1n << 256n) - 1n;

/** A devnet's genesis document can differ from the shipped one without a file of its own. */
interface GenesisChanges {
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
export function readDevnetGenesis(
  text: string,
  keys: readonly { readonly nodeId: string }[] = publicValidators(),
): Genesis {
  const genesis = readGenesis(text);
  const held = keys.map(({ nodeId }) => nodeId);
  const [first] = held;
  const { assets = {}, validators = {} } = genesis.appState;
  // Ethereum is built from them before the engine checks them.
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

/**
 * The asset that rewards are paid in, and that stake stands for
 * (docs/protocol/60-state-engine-parameters.md#102-all-keys-and-defaults, default).
 */
export function rewardAsset({ appState }: Genesis): string {
  return appState.network_parameters["reward.asset"] ?? "VOTE";
}

interface EthereumConfig {
  readonly collateral_bridge_contract?: { readonly address?: string };
}

/** The contracts as deployed for this genesis. */
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
        lifetimeLimit: lifetimeLimitOf(contract),
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

/** Sum of the deposits that a bridge takes from one address. */
export const lifetimeLimitOf = ({ lifetime_limit }: { readonly lifetime_limit: string }) =>
  limitOf(lifetime_limit);

function limitOf(text: string): bigint {
  return /^\d{1,78}$/.test(text) ? BigInt(text) : UINT256_MAX;
}

/**
 * A devnet that begins from a checkpoint has the Ethereum of the checkpoint's chain. The contracts' holdings follow from the
 * checkpoint, except for open claims and the past deposits of each address.
 */

/** Node ids of the validators in a checkpoint; empty without a checkpoint. @throws NodeError */
function checkpointValidators({ appState }: Genesis): string[] {
  const content = genesisCheckpoint(appState);
  if (content === undefined) return [];
  return decodeValidators(content.validators).validatorState.flatMap(({ validatorUpdate, status }) =>
    status === ValidatorNodeStatus.VALIDATOR_NODE_STATUS_TENDERMINT ? [validatorUpdate?.nodeId ?? ""] : [],
  );
}

/** Ethereum as the checkpoint describes it; undefined without one. @param deployed as the genesis has it */
export function ethereumAfter(genesis: Genesis, deployed: SimulatorState): SimulatorState | undefined {
  const content = genesisCheckpoint(genesis.appState);
  if (content === undefined) return undefined;
  const { assets, pendingListingAssets } = decodeAssets(content.assets);
  const erc20 = [...assets, ...pendingListingAssets].flatMap(({ id, assetDetails: details }) =>
    details?.erc20 === undefined ? [] : [{ id, details, erc20: details.erc20 }],
  );
  const listed = erc20.slice(
    0,
    assets.filter(({ assetDetails }) => assetDetails?.erc20 !== undefined).length,
  );
  const multisig = decodeMultisigControl(content.multisigControl);
  const staking = decodeStaking(content.staking);
  const banking = decodeBanking(content.banking);
  const places = [staking.lastBlockSeen, multisig.lastBlockSeen, banking.bridgeState?.blockHeight ?? 0n];
  const blocks = [...places, ...banking.seenRefs.map(blockOf)];
  return {
    ...deployed,
    // Later events must differ from all earlier ones in block and hash.
    blocks: {
      block: blocks.reduce((last, block) => (block > last ? block : last), 0n).toString(),
      logIndex: "0",
      timeSeconds: "0",
      transactions: Number(genesis.timeNs / 1_000n),
    },
    builtinNonce: genesis.timeNs.toString(),
    multisig: {
      signers: multisig.signers
        .filter(({ type }) => type === ERC20MultiSigSignerEventType.TYPE_ADDED)
        .map(({ signer }) => signer),
      threshold: multisig.thresholdSet?.newThreshold ?? deployed.multisig.threshold,
      usedNonces: [],
    },
    collateral: {
      listings: listed.map(({ id, erc20: { contractAddress, lifetimeLimit, withdrawThreshold } }) => ({
        ...{ token: contractAddress, assetId: id, lifetimeLimit, withdrawThreshold },
      })),
      stopped: banking.bridgeState?.active === false,
      pool: poolOf(content.collateral, new Set(listed.map(({ id }) => id))),
      deposited: {},
    },
    staking: stakesOf(staking.accepted),
    tokens: erc20.map(({ details, erc20: { contractAddress: address } }) => tokenOf(address, details)),
  };
}

function tokenOf(address: string, { name, symbol, decimals }: AssetDetails) {
  return { address, name, symbol, decimals: Number(decimals) };
}

/** The pool holds the sum of the chain's accounts. */
function poolOf(collateral: Uint8Array, bridged: ReadonlySet<string>): Record<string, string> {
  const sums = new Map<string, bigint>();
  for (const { asset, balance } of decodeCollateral(collateral).balances) {
    if (bridged.has(asset)) sums.set(asset, (sums.get(asset) ?? 0n) + BigInt(balance));
  }
  return texts(sums);
}

function stakesOf(linkings: ReturnType<typeof decodeStaking>["accepted"]): Record<string, string> {
  const sums = new Map<string, bigint>();
  for (const { type, party, amount, ethereumAddress } of linkings) {
    const key = `${ethereumAddress.toLowerCase()} ${party}`;
    const change = type === StakeLinkingType.TYPE_LINK ? BigInt(amount) : -BigInt(amount);
    sums.set(key, (sums.get(key) ?? 0n) + change);
  }
  return texts(new Map([...sums].filter(([, amount]) => amount > 0n)));
}

function texts(sums: ReadonlyMap<string, bigint>): Record<string, string> {
  return Object.fromEntries([...sums].map(([key, amount]) => [key, amount.toString()]));
}

/** The Ethereum block in `erc20/block/hash/log`; 0 in any other form. */
function blockOf(place: string): bigint {
  const [, block = ""] = place.split("/");
  return /^\d{1,18}$/.test(block) ? BigInt(block) : 0n;
}
