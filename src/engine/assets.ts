/**
 * Assets and their states (docs/protocol/60-state-engine-governance.md#5-assets): from the genesis or a proposal to the
 * listing on the bridge, and the changes of their limits.
 */
import { bridgeDigest } from "../crypto/multisig.ts";
import { checksumAddress, isEthereumAddress, prefixedAddress } from "../crypto/secp256k1.ts";
import type { NodeError } from "../errors/node-error.ts";
import { compare } from "../wire/arithmetic.ts";
import { NodeSignatureKind } from "../wire/generated/commands.ts";
import {
  type AssetDetails,
  type AssetDetailsUpdate,
  AssetStatus,
  type ERC20,
  type ERC20Update,
  ProposalError,
} from "../wire/generated/vega.ts";
import { admitWord, hexOf } from "../wire/identifiers.ts";
import type { Collateral } from "./collateral.ts";
import type { Core } from "./core.ts";
import { CommandError, InvariantError, ProposalRefusal, refuseProposal } from "./errors.ts";
import { type GenesisAsset, invalidGenesis } from "./genesis.ts";
import { collateralBridge, ETHEREUM_CONFIG, type EthereumConfig } from "./parameter-definitions.ts";
import type { AssetReader, AssetRecord, NotaryPort, ParameterReader } from "./ports.ts";
import type { Table } from "./state.ts";
import { parseDecimal, parseUint } from "./values.ts";

/** An enacted update that waits for its event from the bridge. */
interface StagedUpdate {
  readonly assetId: string;
  /** Its proposal, under whose id signatures are collected. */
  readonly proposalId: string;
  readonly changes: AssetDetailsUpdate;
}

export class Assets implements AssetReader {
  private readonly assets: Table<AssetRecord>;
  /** Staged updates by asset: a later update replaces an unclaimed one. */
  private readonly updates: Table<StagedUpdate>;
  /** Contract addresses in lower case, each with the assets that have it: not part of the state. */
  private readonly byContract = new Map<string, Set<string>>();

  constructor(
    private readonly core: Core,
    private readonly params: ParameterReader,
    private readonly collateral: Pick<Collateral, "enableAsset">,
    private readonly notary: NotaryPort,
  ) {
    this.assets = core.state.table("assets");
    this.updates = core.state.table("assets.updates");
    this.assets.onChange((id, before, now) => {
      this.index(id, before, "delete");
      this.index(id, now, "add");
    });
  }

  /** Enables the assets of a genesis, by id. @throws NodeError `genesis_invalid` */
  initGenesis(assets: Readonly<Record<string, GenesisAsset>> = {}): void {
    for (const id of Object.keys(assets).sort(compare)) {
      const details = genesisDetails(id, assets[id]!);
      const contract = details.erc20?.contractAddress;
      if (contract !== undefined && this.isContractInUse(contract)) {
        throw invalidAsset(id, "erc20 address already in use");
      }
      this.put({ id, details, status: AssetStatus.STATUS_PROPOSED });
      this.enable(id);
    }
  }

  /**
   * An asset of a checkpoint, in place of one of the genesis that has its id
   * (docs/protocol/60-state-engine-parameters.md#12-checkpoints).
   * @throws Error, CommandError
   */
  restore(id: string, details: AssetDetails, isPending: boolean): void {
    const contract = details.erc20?.contractAddress;
    const isKnown = this.assets.has(id);
    if (!isKnown && contract !== undefined && this.isContractInUse(contract)) {
      throw new Error(`asset ${id}: erc20 address already in use`);
    }
    if (isPending) {
      this.put({ id, details, status: AssetStatus.STATUS_PENDING_LISTING });
      this.enact(id);
      return;
    }
    if (!isKnown) this.put({ id, details, status: AssetStatus.STATUS_PROPOSED });
    this.put({ id, details, status: AssetStatus.STATUS_ENABLED });
    if (!isKnown) this.collateral.enableAsset(id);
  }

  get(id: string): AssetRecord | undefined {
    return this.assets.get(id);
  }

  isEnabled(id: string): boolean {
    return this.assets.get(id)?.status === AssetStatus.STATUS_ENABLED;
  }

  all(): readonly AssetRecord[] {
    return this.assets.values();
  }

  /** Whether an asset, proposed ones included, has this contract, in any notation. */
  isContractInUse(address: string): boolean {
    return this.byContract.has(prefixedAddress(address).toLowerCase());
  }

  /**
   * @throws ProposalRefusal when a new asset cannot be proposed like this
   * (docs/protocol/60-state-engine-governance.md#53-new-asset-proposal-rules)
   */
  checkProposed(details: AssetDetails): void {
    checkNewAsset(details);
    const contract = details.erc20?.contractAddress;
    if (contract !== undefined && this.isContractInUse(contract)) {
      throw new ProposalRefusal(
        ProposalError.PROPOSAL_ERROR_ERC20_ADDRESS_ALREADY_IN_USE,
        "erc20 address already in use",
      );
    }
  }

  /** A proposal of a new asset has passed its checks. @param id the proposal's */
  propose(id: string, details: AssetDetails): void {
    this.put({ id, details: normalDetails(details), status: AssetStatus.STATUS_PROPOSED });
  }

  /** The proposal failed: deletes the asset. */
  reject(id: string): void {
    const asset = this.existing(id);
    this.assets.delete(id);
    this.updates.delete(id);
    this.core.emit("asset", { ...asset, status: AssetStatus.STATUS_REJECTED });
  }

  /** The time of enactment has come. @throws CommandError when there is no bridge to list the asset on */
  awaitListing(id: string): void {
    const asset = this.existing(id);
    if (asset.details.erc20 !== undefined) this.bridge();
    this.put({ ...asset, status: AssetStatus.STATUS_PENDING_LISTING });
  }

  /** Enacts a new asset: a builtin one is enabled, signatures are collected for the listing of the others. */
  enact(id: string): void {
    const { erc20 } = this.existing(id).details;
    if (erc20 === undefined) {
      this.enable(id);
      return;
    }
    const values = {
      token: erc20.contractAddress,
      assetId: id,
      lifetimeLimit: BigInt(erc20.lifetimeLimit),
      withdrawThreshold: BigInt(erc20.withdrawThreshold),
      nonce: idAsNumber(id),
    };
    const digest = bridgeDigest("list_asset", values, this.bridge());
    this.notary.requestSignatures(id, NodeSignatureKind.NODE_SIGNATURE_KIND_ASSET_NEW, hexOf(digest));
  }

  /** The bridge has listed the asset. @throws CommandError when it does not wait for that */
  list(id: string): void {
    const asset = this.assets.get(id);
    if (asset === undefined) throw new CommandError("asset does not exist");
    if (asset.status !== AssetStatus.STATUS_PENDING_LISTING)
      throw new CommandError("asset is not pending listing");
    this.enable(id);
  }

  /** An asset of the bridge, and what an update changes of it. @throws ProposalRefusal when the asset is unknown or of another kind */
  checkUpdatable(assetId: string, changes: AssetDetailsUpdate): { erc20: ERC20; update: ERC20Update } {
    const asset = this.assets.get(assetId);
    if (asset === undefined) {
      refuseProposal("INVALID_ASSET", "asset does not exist");
    }
    const { erc20 } = asset.details;
    if (erc20 === undefined || changes.erc20 === undefined) {
      refuseProposal("INVALID_ASSET", "expected an ERC20 asset but was not");
    }
    return { erc20, update: changes.erc20 };
  }

  /** Stages an enacted update and collects signatures for it. @throws CommandError when it does not fit the asset */
  stageUpdate(proposalId: string, assetId: string, changes: AssetDetailsUpdate): void {
    const { erc20, update } = this.checkUpdatable(assetId, changes);
    const values = {
      token: erc20.contractAddress,
      lifetimeLimit: BigInt(update.lifetimeLimit),
      withdrawThreshold: BigInt(update.withdrawThreshold),
      nonce: idAsNumber(proposalId),
    };
    const digest = bridgeDigest("set_asset_limits", values, this.bridge());
    this.updates.set(assetId, { assetId, proposalId, changes });
    this.notary.requestSignatures(
      proposalId,
      NodeSignatureKind.NODE_SIGNATURE_KIND_ASSET_UPDATE,
      hexOf(digest),
    );
  }

  /** The update of an asset that waits for the bridge. */
  stagedUpdate(assetId: string): StagedUpdate | undefined {
    return this.updates.get(assetId);
  }

  /**
   * The bridge has the new limits: the staged update becomes the asset
   * (docs/protocol/60-state-engine-governance.md#55-asset-update).
   * @throws CommandError
   */
  applyLimits(assetId: string): void {
    const asset = this.assets.get(assetId);
    if (asset === undefined) throw new CommandError("asset does not exist");
    const staged = this.updates.get(assetId);
    if (staged === undefined) throw new CommandError("asset has no update to apply");
    this.updates.delete(assetId);
    this.put({ ...asset, details: updated(asset.details, staged.changes) });
  }

  /** The contract that signatures for assets are bound to. @throws CommandError when none is configured */
  private bridge(): string {
    const address = collateralBridge(this.params.json<EthereumConfig>(ETHEREUM_CONFIG));
    if (address === undefined) throw new CommandError("no collateral bridge is configured");
    return address;
  }

  private enable(id: string): void {
    this.put({ ...this.existing(id), status: AssetStatus.STATUS_ENABLED });
    this.collateral.enableAsset(id);
  }

  private put(asset: AssetRecord): void {
    this.assets.set(asset.id, asset);
    this.core.emit("asset", asset);
  }

  private existing(id: string): AssetRecord {
    const asset = this.assets.get(id);
    if (asset === undefined) throw new InvariantError(`asset ${id} of a proposal is not there`);
    return asset;
  }

  private index(id: string, asset: AssetRecord | undefined, change: "add" | "delete"): void {
    const contract = asset?.details.erc20?.contractAddress.toLowerCase();
    if (contract === undefined) return;
    const ids = this.byContract.get(contract) ?? new Set();
    ids[change](id);
    if (ids.size > 0) this.byContract.set(contract, ids);
    else this.byContract.delete(contract);
  }
}

// Details of assets: what a genesis and a proposal may say (docs/protocol/60-state-engine-governance.md#51-record,
// #53-new-asset-proposal-rules, #55-asset-update and docs/protocol/60-state-engine-parameters.md#111-keys).

/** Decimals of an asset are kept in a column of 32 bits with a sign. */
const DECIMALS_MAX = 2n ** 31n - 1n;
/** Of an asset of a genesis, which is funded: with more, one unit of it is more than 256 bits hold. */
const FUNDED_DECIMALS_MAX = 77;

/** Details of an asset of a genesis; quantum and limits may be zero there. @throws NodeError */
export function genesisDetails(id: string, asset: GenesisAsset): AssetDetails {
  const { builtin_asset: builtin, erc20 } = asset?.source ?? {};
  if (builtin === undefined && erc20 === undefined) throw invalidAsset(id, "missing asset source");
  if (builtin !== undefined && erc20 !== undefined)
    throw invalidAsset(id, "multiple asset sources specified");
  // Documents of former releases have no quantum: then it is the smallest unit.
  const { name, symbol, decimals, quantum = "1" } = asset;
  if (!admitWord(id))
    throw invalidAsset(
      id,
      "its id must be hexadecimal, or a word of 1 to 48 letters, digits, '_', '-' and '.'",
    );
  if (typeof name !== "string" || name === "") throw invalidAsset(id, "name is required");
  if (typeof symbol !== "string" || symbol === "") throw invalidAsset(id, "symbol is required");
  if (![name, symbol].every((text) => text.isWellFormed()))
    throw invalidAsset(id, "name and symbol must be texts in UTF-8");
  if (!Number.isSafeInteger(decimals) || decimals < 0 || decimals > FUNDED_DECIMALS_MAX)
    throw invalidAsset(id, `decimals must be a whole number from 0 to ${FUNDED_DECIMALS_MAX}`);
  const unit = parseDecimal(String(quantum));
  if (unit === undefined || unit.isNegative()) throw invalidAsset(id, "quantum must be a number, 0 or more");
  const amount = (title: string, text: string) => {
    const value = parseUint(String(text));
    if (value === undefined) throw invalidAsset(id, `${title} must be a whole number, 0 or more`);
    return value.toString();
  };
  if (erc20 !== undefined && !isEthereumAddress(String(erc20.contract_address))) {
    throw invalidAsset(id, "contract_address must be an Ethereum address");
  }
  return {
    name,
    symbol,
    decimals: BigInt(decimals),
    quantum: unit.toString(),
    builtinAsset: builtin && {
      maxFaucetAmountMint: amount("max_faucet_amount_mint", builtin.max_faucet_amount_mint),
    },
    erc20: erc20 && {
      contractAddress: checksumAddress(erc20.contract_address),
      lifetimeLimit: amount("lifetime_limit", erc20.lifetime_limit),
      withdrawThreshold: amount("withdraw_threshold", erc20.withdraw_threshold),
    },
  };
}

function invalidAsset(id: string, problem: string): NodeError {
  return invalidGenesis(`asset '${id}': ${problem}`);
}

/**
 * Checks a proposed asset (docs/protocol/60-state-engine-governance.md#53-new-asset-proposal-rules), except that its
 * contract is unique.
 * @throws ProposalRefusal
 */
function checkNewAsset(details: AssetDetails): void {
  const { name, symbol, decimals, quantum, builtinAsset: builtin, erc20 } = details;
  if (name === "" || symbol === "")
    refuseProposal("INVALID_ASSET_DETAILS", "asset name and symbol are required");
  if (!isPositive(quantum)) refuseProposal("INVALID_ASSET_DETAILS", "asset quantum must be positive");
  if (decimals > DECIMALS_MAX)
    refuseProposal("INVALID_ASSET_DETAILS", "asset decimals must not exceed 31 bits");
  if (builtin !== undefined && !isPositiveUint(builtin.maxFaucetAmountMint)) {
    refuseProposal("MISSING_BUILTIN_ASSET_FIELD", "missing builtin asset field");
  }
  if (builtin !== undefined) return;
  if (erc20 === undefined) refuseProposal("INVALID_ASSET_DETAILS", "missing asset source");
  if (erc20.contractAddress === "")
    refuseProposal("MISSING_ERC20_CONTRACT_ADDRESS", "missing erc20 contract address");
  if (!isEthereumAddress(erc20.contractAddress)) {
    refuseProposal("INVALID_ASSET_DETAILS", "invalid erc20 contract address");
  }
  if (!isPositiveUint(erc20.lifetimeLimit) || !isPositiveUint(erc20.withdrawThreshold)) {
    refuseProposal("INVALID_ASSET_DETAILS", "asset limits must be positive numbers of at most 256 bits");
  }
}

/** Checks an update of an asset (docs/protocol/60-state-engine-governance.md#55-asset-update). @throws ProposalRefusal */
export function checkAssetUpdate(changes: AssetDetailsUpdate): void {
  if (!isPositive(changes.quantum)) refuseProposal("INVALID_ASSET_DETAILS", "asset quantum must be positive");
  const { erc20 } = changes;
  if (
    erc20 === undefined ||
    !isPositiveUint(erc20.lifetimeLimit) ||
    !isPositiveUint(erc20.withdrawThreshold)
  ) {
    refuseProposal("INVALID_ASSET_DETAILS", "asset limits must be positive numbers of at most 256 bits");
  }
}

/** As the state keeps a proposed asset: numbers in their plain form, the contract with its checksum. */
function normalDetails(details: AssetDetails): AssetDetails {
  const { name, symbol, decimals, quantum, builtinAsset: builtin, erc20 } = details;
  return {
    name,
    symbol,
    decimals,
    quantum: parseDecimal(quantum)!.toString(),
    builtinAsset: builtin && { maxFaucetAmountMint: plain(builtin.maxFaucetAmountMint) },
    erc20: erc20 && { contractAddress: checksumAddress(erc20.contractAddress), ...plainLimits(erc20) },
  };
}

/** Quantum and limits are new, everything else stays. */
function updated(details: AssetDetails, { quantum, erc20 }: AssetDetailsUpdate): AssetDetails {
  return {
    ...details,
    quantum: parseDecimal(quantum)!.toString(),
    erc20: { contractAddress: details.erc20!.contractAddress, ...plainLimits(erc20!) },
  };
}

function plainLimits({ lifetimeLimit, withdrawThreshold }: ERC20Update): ERC20Update {
  return { lifetimeLimit: plain(lifetimeLimit), withdrawThreshold: plain(withdrawThreshold) };
}

function plain(text: string): string {
  return BigInt(text).toString();
}

/** An identifier as the contracts' nonce: its digits as a number. */
function idAsNumber(id: string): bigint {
  return BigInt(`0x${id}`);
}

function isPositive(text: string): boolean {
  return parseDecimal(text)?.isPositive() ?? false;
}

function isPositiveUint(text: string): boolean {
  return (parseUint(text.replace(/^\+/, "")) ?? 0n) > 0n;
}

/** The unit of amounts, for the details of refusals. */
export function unitOf({ details: { symbol, decimals } }: AssetRecord) {
  return { symbol, decimals };
}

/** The asset, usable or on its way there. @throws CommandError */
export function knownAsset(assets: AssetReader, id: string): AssetRecord {
  const asset = assets.get(id);
  if (asset === undefined) throw new CommandError("asset does not exist");
  return asset;
}
