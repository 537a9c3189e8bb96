/**
 * Assets and their states (reference 60, section 5): from the genesis or a proposal to the listing on the bridge,
 * and the changes of their limits.
 */
import { bridgeDigest } from "../crypto/multisig.ts";
import { prefixedAddress } from "../crypto/secp256k1.ts";
import { NodeSignatureKind } from "../wire/generated/commands.ts";
import {
  type AssetDetails,
  type AssetDetailsUpdate,
  AssetStatus,
  ProposalError,
} from "../wire/generated/vega.ts";
import {
  checkNewAsset,
  genesisDetails,
  idAsNumber,
  invalidAsset,
  normalDetails,
  updated,
} from "./asset-details.ts";
import type { Core } from "./core.ts";
import { CommandError, InvariantError } from "./errors.ts";
import type { GenesisAsset } from "./genesis.ts";
import { ETHEREUM_CONFIG } from "./parameter-definitions.ts";
import { collateralBridge, type EthereumConfig } from "./parameter-json.ts";
import type { AssetReader, AssetRecord, NotaryPort, ParameterReader } from "./ports.ts";
import { ProposalRefusal } from "./proposal-refusal.ts";
import { compare, type Table } from "./state/state.ts";

/** An enacted update that waits for its event from the bridge. */
export interface StagedUpdate {
  readonly assetId: string;
  /** Its proposal: what the signatures are collected under. */
  readonly proposalId: string;
  readonly changes: AssetDetailsUpdate;
}

/** What assets ask of collateral. */
export interface AssetAccounts {
  enableAsset(asset: string): void;
}

export class Assets implements AssetReader {
  private readonly assets: Table<AssetRecord>;
  /** Staged updates by asset: a later one takes the place of one that was not claimed. */
  private readonly updates: Table<StagedUpdate>;
  /** Contract addresses in lower case, each with the assets that have it: not part of the state. */
  private readonly byContract = new Map<string, Set<string>>();

  constructor(
    private readonly core: Core,
    private readonly params: ParameterReader,
    private readonly collateral: AssetAccounts,
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

  /** An asset of a checkpoint, in place of one of the genesis that has its id (section 12). @throws Error, CommandError */
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

  /** Whether an asset, proposed ones included, has this contract, in whatever form it is written. */
  isContractInUse(address: string): boolean {
    return this.byContract.has(prefixedAddress(address).toLowerCase());
  }

  /** @throws ProposalRefusal when a new asset cannot be proposed like this (section 5.3) */
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

  /** The proposal came to nothing: the asset is forgotten. */
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
    this.notary.start(id, NodeSignatureKind.NODE_SIGNATURE_KIND_ASSET_NEW, hex(digest));
  }

  /** The bridge has listed the asset. @throws CommandError when it does not wait for that */
  list(id: string): void {
    const asset = this.assets.get(id);
    if (asset === undefined) throw new CommandError("asset does not exist");
    if (asset.status !== AssetStatus.STATUS_PENDING_LISTING)
      throw new CommandError("asset is not pending listing");
    this.enable(id);
  }

  /**
   * Stages an enacted update and collects signatures for it.
   * @throws CommandError when the asset is unknown (as ProposalRefusal) or of another kind
   */
  stageUpdate(proposalId: string, assetId: string, changes: AssetDetailsUpdate): void {
    const asset = this.assets.get(assetId);
    if (asset === undefined) {
      throw new ProposalRefusal(ProposalError.PROPOSAL_ERROR_INVALID_ASSET, "asset does not exist");
    }
    const { erc20 } = asset.details;
    if (erc20 === undefined || changes.erc20 === undefined) {
      throw new CommandError("expected an ERC20 asset but was not");
    }
    const values = {
      token: erc20.contractAddress,
      lifetimeLimit: BigInt(changes.erc20.lifetimeLimit),
      withdrawThreshold: BigInt(changes.erc20.withdrawThreshold),
      nonce: idAsNumber(proposalId),
    };
    const digest = bridgeDigest("set_asset_limits", values, this.bridge());
    this.updates.set(assetId, { assetId, proposalId, changes });
    this.notary.start(proposalId, NodeSignatureKind.NODE_SIGNATURE_KIND_ASSET_UPDATE, hex(digest));
  }

  /** The update of an asset that waits for the bridge. */
  stagedUpdate(assetId: string): StagedUpdate | undefined {
    return this.updates.get(assetId);
  }

  /** The bridge has the new limits: what was staged becomes the asset (section 5.5). @throws CommandError */
  applyLimits(assetId: string): void {
    const asset = this.assets.get(assetId);
    if (asset === undefined) throw new CommandError("asset does not exist");
    const staged = this.updates.get(assetId);
    if (staged === undefined) throw new CommandError("asset has no update to apply");
    this.updates.delete(assetId);
    this.put({ ...asset, details: updated(asset.details, staged.changes) });
  }

  /** The contract that signatures for assets are bound to. @throws CommandError when there is none */
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

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}
