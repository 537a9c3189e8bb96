/**
 * Reports of the bridge about assets, on their way through the witness to the banking tick
 * (docs/protocol/60-state-engine-accounts.md#33-builtin-deposit-flow to #36-other-erc20-chain-events): started when the
 * chain event comes in, finalised in the order of the ids, and each thing that happened outside counts once.
 */

import { NodeSignatureKind, NodeVoteType } from "../wire/generated/commands.ts";
import { AssetStatus, type ERC20AssetLimitsUpdated, type ERC20AssetList } from "../wire/generated/vega.ts";
import { knownAsset } from "./assets.ts";
import type { Core } from "./core.ts";
import { CommandError } from "./errors.ts";
import type { AssetReader, NotaryPort, WitnessPort } from "./ports.ts";
import type { Cell, Table } from "./state.ts";
import { readAmount, without0x } from "./values.ts";

const WITNESS_KIND = "banking";
const NANOSECONDS_A_DAY = 86_400_000_000_000n;
/** Time that validators have to look at it (docs/protocol/60-state-engine-accounts.md#33-builtin-deposit-flow, step 2). */
const DEADLINE_NS = 30n * NANOSECONDS_A_DAY;

/** Where outside the chain it happened. */
export interface ForeignPlace {
  readonly assetClass: "builtin" | "erc20";
  /** 0 for built-in assets. */
  readonly block: bigint;
  readonly txHash: string;
  readonly logIndex: bigint;
}

/** A deposit before it is credited; part of the state. */
export interface OpenDeposit {
  readonly party: string;
  readonly asset: string;
  readonly amount: bigint;
  /** Of the other chain; empty for built-in assets. */
  readonly txHash: string;
  readonly createdNs: bigint;
}

/** Content of an action by its type. */
interface ActionOf {
  readonly deposit: OpenDeposit;
  readonly listing: { readonly asset: string };
  readonly limits: {
    readonly asset: string;
    readonly lifetimeLimit: bigint;
    readonly withdrawThreshold: bigint;
  };
  readonly bridge: { readonly stopped: boolean };
}
type ActionType = keyof ActionOf;

/** As it is stored while it waits. */
interface Action {
  readonly type: ActionType;
  readonly place: ForeignPlace;
  readonly content: ActionOf[ActionType];
}

interface Finaliser<T extends ActionType> {
  finalise(id: string, content: ActionOf[T], place: ForeignPlace): void;
  /** It will never be done: validators did not see it in time, or it was done before. */
  drop?(id: string, content: ActionOf[T]): void;
}

export class AssetActions {
  /** Seen by enough validators, to be done in the banking tick. */
  private readonly accepted: Table<Action>;
  /** Places that have had their effect. */
  private readonly seen: Table<true>;
  private readonly finalisers = new Map<ActionType, Finaliser<ActionType>>();

  constructor(
    private readonly core: Core,
    private readonly witness: WitnessPort,
  ) {
    this.accepted = core.state.table("banking.accepted");
    this.seen = core.state.table("banking.seen");
    witness.onOutcome<Action>(WITNESS_KIND, (id, action, isAccepted) => {
      if (isAccepted) this.accepted.set(id, action);
      else this.drop(id, action);
    });
  }

  setFinaliser<T extends ActionType>(type: T, finaliser: Finaliser<T>): void {
    this.finalisers.set(type, finaliser as unknown as Finaliser<ActionType>);
  }

  /** @param voteType vega.commands.v1.NodeVote.Type */
  startAction<T extends ActionType>(
    id: string,
    voteType: number,
    type: T,
    place: ForeignPlace,
    content: ActionOf[T],
  ): void {
    const payload: Action = { type, place, content };
    this.witness.requestVotes({
      id,
      kind: WITNESS_KIND,
      voteType,
      deadlineNs: this.core.nowNs + DEADLINE_NS,
      payload,
    });
  }

  /** The first part of the banking tick (docs/protocol/60-state-engine-blocks.md#15-tick-listener-order-exact, #12). */
  onTick(): void {
    for (const [id, action] of this.accepted.entries()) {
      this.accepted.delete(id);
      const reference = referenceOf(action.place);
      if (this.seen.has(reference)) {
        this.drop(id, action);
      } else {
        this.seen.set(reference, true);
        this.finalisers.get(action.type)!.finalise(id, action.content, action.place);
      }
    }
  }

  /** Places that have had their effect. For checkpoints. */
  seenPlaces(): readonly string[] {
    return [...this.seen.keys()];
  }

  /** Had their effect before the chain restarted (docs/protocol/60-state-engine-parameters.md#12-checkpoints). */
  restore(places: readonly string[]): void {
    for (const place of places) this.seen.set(place, true);
  }

  private drop(id: string, action: Action): void {
    this.finalisers.get(action.type)!.drop?.(id, action.content);
  }
}

function referenceOf({ assetClass, block, txHash, logIndex }: ForeignPlace): string {
  return `${assetClass}/${block}/${txHash}/${logIndex}`;
}

// Reports of the Ethereum bridge besides deposits and claims: assets listed, limits updated, the bridge stopped and
// resumed (docs/protocol/60-state-engine-accounts.md#36-other-erc20-chain-events,
// docs/protocol/60-state-engine-governance.md#54-erc20-listing and #55-asset-update).

/** The bridge's view of assets (assets.ts). */
export interface BridgedAssets extends AssetReader {
  /** The bridge has listed the asset: it becomes usable. */
  list(id: string): void;
  /** The update of the asset that waits for the bridge. */
  stagedUpdate(id: string): object | undefined;
  /** The update takes effect. */
  applyLimits(id: string): void;
}

/** Where the bridge was last stopped or resumed. */
interface Switched {
  readonly stopped: boolean;
  readonly block: bigint;
  readonly logIndex: bigint;
}

export class Bridge {
  private readonly switched: Cell<Switched>;
  /** Asset → action under verification. */
  private readonly listing: Table<string>;

  constructor(
    private readonly core: Core,
    private readonly assets: BridgedAssets,
    private readonly notary: NotaryPort,
    private readonly actions: AssetActions,
  ) {
    this.switched = core.state.cell<Switched>("bridge.switched", { stopped: false, block: 0n, logIndex: 0n });
    this.listing = core.state.table("bridge.listing");
    actions.setFinaliser("listing", {
      finalise: (_id, { asset }) => this.finaliseListing(asset),
      drop: (_id, { asset }) => this.listing.delete(asset),
    });
    actions.setFinaliser("limits", { finalise: (_id, { asset }) => this.finaliseLimits(asset) });
    actions.setFinaliser("bridge", { finalise: (_id, content, place) => this.switch(content, place) });
  }

  /** While it is, no withdrawal of an ERC20 asset is taken. */
  get isStopped(): boolean {
    return this.switched.get().stopped;
  }

  /** For checkpoints. */
  get lastSwitched(): Switched {
    return this.switched.get();
  }

  /** As it was before the chain restarted (docs/protocol/60-state-engine-parameters.md#12-checkpoints). */
  restore({ stopped, block, logIndex }: Switched): void {
    this.switched.set({ stopped, block, logIndex });
  }

  /** @throws CommandError without enough signatures for the listing, or while a listing is under verification */
  startListing(event: ERC20AssetList, place: ForeignPlace): void {
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
  startLimits(event: ERC20AssetLimitsUpdated, place: ForeignPlace): void {
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

  startStop(place: ForeignPlace): void {
    this.start(NodeVoteType.TYPE_BRIDGE_STOPPED, "bridge", place, { stopped: true });
  }

  startResume(place: ForeignPlace): void {
    this.start(NodeVoteType.TYPE_BRIDGE_RESUMED, "bridge", place, { stopped: false });
  }

  private start<T extends "listing" | "limits" | "bridge">(
    voteType: number,
    type: T,
    place: ForeignPlace,
    content: ActionOf[T],
  ): void {
    this.actions.startAction(this.core.currentTx.id, voteType, type, place, content);
  }

  private finaliseListing(asset: string): void {
    this.listing.delete(asset);
    // Declined meanwhile, or listed before: nothing to do.
    if (this.assets.get(asset)?.status === AssetStatus.STATUS_PENDING_LISTING) this.assets.list(asset);
  }

  /** An event without a matching update has no effect. */
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
