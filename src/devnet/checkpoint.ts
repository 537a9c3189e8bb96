/**
 * A devnet that begins from a checkpoint: its Ethereum must be the one that the checkpoint's chain knew. What the
 * contracts held can be told from the checkpoint, but for claims that nobody has made yet and what each address has
 * brought in so far.
 */
import { genesisCheckpoint } from "../engine/checkpoints.ts";
import type { Genesis } from "../engine/genesis.ts";
import type { SimulatorState } from "../ethereum/bridge-simulator.ts";
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

/** Node ids of the validators that a checkpoint's chain counts on; none without a checkpoint. @throws NodeError */
export function checkpointValidators({ appState }: Genesis): string[] {
  const content = genesisCheckpoint(appState);
  if (content === undefined) return [];
  return decodeValidators(content.validators).validatorState.flatMap(({ validatorUpdate, status }) =>
    status === ValidatorNodeStatus.VALIDATOR_NODE_STATUS_TENDERMINT ? [validatorUpdate?.nodeId ?? ""] : [],
  );
}

/** Ethereum after what the checkpoint tells of it; undefined without one. @param deployed as the genesis has it */
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
    // Whatever happens from here on has another place and another hash than all before it.
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

/** The pool holds what the chain's accounts hold. */
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

/** The Ethereum block in `erc20/block/hash/log`; 0 where it is told otherwise. */
function blockOf(place: string): bigint {
  const [, block = ""] = place.split("/");
  return /^\d{1,18}$/.test(block) ? BigInt(block) : 0n;
}
