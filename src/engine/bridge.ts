/**
 * What the Ethereum bridge reports besides deposits and claims: assets listed, limits updated, the bridge stopped and
 * resumed (reference 60, sections 3.6, 5.4 and 5.5).
 */
import { NodeSignatureKind, NodeVoteType } from "../wire/generated/commands.ts";
import { AssetStatus, type ERC20AssetLimitsUpdated, type ERC20AssetList } from "../wire/generated/vega.ts";
import { readAmount, without0x } from "./amounts.ts";
import type { ActionOf, AssetActions, ForeignPlace } from "./asset-actions.ts";
import type { Core } from "./core.ts";
import { CommandError } from "./errors.ts";
import { type AssetReader, knownAsset } from "./known-asset.ts";
import type { NotaryPort } from "./ports.ts";
import type { Cell, Table } from "./state/state.ts";

/** What the bridge can do to assets (assets.ts). */
export interface BridgedAssets extends AssetReader {
  /** The bridge has listed the asset: it becomes usable. */
  list(id: string): void;
  /** What the update of the asset is, when one waits for the bridge. */
  stagedUpdate(id: string): object | undefined;
  /** The update takes effect. */
  applyLimits(id: string): void;
}

/** Where the bridge was last stopped or resumed. */
export interface Switched {
  readonly stopped: boolean;
  readonly block: bigint;
  readonly logIndex: bigint;
}

export class Bridge {
  private readonly switched: Cell<Switched>;
  /** Asset → action that is being looked at. */
  private readonly listing: Table<string>;

  constructor(
    private readonly core: Core,
    private readonly assets: BridgedAssets,
    private readonly notary: NotaryPort,
    private readonly actions: AssetActions,
  ) {
    this.switched = core.state.cell<Switched>("bridge.switched", { stopped: false, block: 0n, logIndex: 0n });
    this.listing = core.state.table("bridge.listing");
    actions.on("listing", {
      finalise: (_id, { asset }) => this.finaliseListing(asset),
      drop: (_id, { asset }) => this.listing.delete(asset),
    });
    actions.on("limits", { finalise: (_id, { asset }) => this.finaliseLimits(asset) });
    actions.on("bridge", { finalise: (_id, content, place) => this.switch(content, place) });
  }

  /** While it is, no withdrawal of an ERC20 asset is taken. */
  get isStopped(): boolean {
    return this.switched.get().stopped;
  }

  /** For checkpoints. */
  get lastSwitched(): Switched {
    return this.switched.get();
  }

  /** As it was before the chain began anew (section 12). */
  restore({ stopped, block, logIndex }: Switched): void {
    this.switched.set({ stopped, block, logIndex });
  }

  /** @throws CommandError without enough signatures for the listing, or while one is being looked at */
  list(event: ERC20AssetList, place: ForeignPlace): void {
    const asset = without0x(event.vegaAssetId);
    knownAsset(this.assets, asset);
    if (!this.notary.isComplete(asset, NodeSignatureKind.NODE_SIGNATURE_KIND_ASSET_NEW)) {
      throw new CommandError("chain event for erc20 asset list received with missing node signatures");
    }
    if (this.listing.has(asset)) throw new CommandError("asset already being listed");
    this.listing.set(asset, this.core.currentTx.id);
    this.start(NodeVoteType.TYPE_ASSET_LISTED, "listing", place, { asset });
  }

  /** @throws CommandError */
  updateLimits(event: ERC20AssetLimitsUpdated, place: ForeignPlace): void {
    const asset = without0x(event.vegaAssetId);
    knownAsset(this.assets, asset);
    const lifetimeLimit = readAmount(event.lifetimeLimits, "invalid lifetime limit");
    const withdrawThreshold = readAmount(event.withdrawThreshold, "invalid withdraw threshold");
    this.start(NodeVoteType.TYPE_LIMITS_UPDATED, "limits", place, {
      asset,
      lifetimeLimit,
      withdrawThreshold,
    });
  }

  stop(place: ForeignPlace): void {
    this.start(NodeVoteType.TYPE_BRIDGE_STOPPED, "bridge", place, { stopped: true });
  }

  resume(place: ForeignPlace): void {
    this.start(NodeVoteType.TYPE_BRIDGE_RESUMED, "bridge", place, { stopped: false });
  }

  private start<T extends "listing" | "limits" | "bridge">(
    voteType: number,
    type: T,
    place: ForeignPlace,
    content: ActionOf[T],
  ): void {
    this.actions.start(this.core.currentTx.id, voteType, type, place, content);
  }

  private finaliseListing(asset: string): void {
    this.listing.delete(asset);
    // Declined meanwhile, or listed before: nothing to do.
    if (this.assets.get(asset)?.status === AssetStatus.STATUS_PENDING_LISTING) this.assets.list(asset);
  }

  /** An event that answers no update changes nothing. */
  private finaliseLimits(asset: string): void {
    if (this.assets.stagedUpdate(asset) !== undefined) this.assets.applyLimits(asset);
  }

  /** The later event of the two decides, whichever the validators saw first. */
  private switch({ stopped }: ActionOf["bridge"], { block, logIndex }: ForeignPlace): void {
    const last = this.switched.get();
    const isLater = block > last.block || (block === last.block && logIndex > last.logIndex);
    if (isLater) this.switched.set({ stopped, block, logIndex });
  }
}
