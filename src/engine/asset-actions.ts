/**
 * What the bridge reports about assets, on its way through the witness to the banking tick (reference 60, sections
 * 3.3 to 3.6): started when the chain event comes in, finalised in the order of the ids, and each thing that
 * happened outside counts once.
 */
import type { Core } from "./core.ts";
import type { WitnessPort } from "./ports.ts";
import type { Table } from "./state/state.ts";

const WITNESS_KIND = "banking";
const NANOSECONDS_A_DAY = 86_400_000_000_000n;
/** How long validators may look at it (section 3.3, step 2). */
const DEADLINE_NS = 30n * NANOSECONDS_A_DAY;

/** Where outside the chain it happened. */
export interface ForeignPlace {
  readonly assetClass: "builtin" | "erc20";
  /** 0 for what is built in. */
  readonly block: bigint;
  readonly txHash: string;
  readonly logIndex: bigint;
}

/** A deposit before it is credited; part of the state. */
export interface OpenDeposit {
  readonly party: string;
  readonly asset: string;
  readonly amount: bigint;
  /** Of the other chain; empty for what is built in. */
  readonly txHash: string;
  readonly createdNs: bigint;
}

/** What is done once validators have seen it, by type. */
export interface ActionOf {
  readonly deposit: OpenDeposit;
  readonly listing: { readonly asset: string };
  readonly limits: {
    readonly asset: string;
    readonly lifetimeLimit: bigint;
    readonly withdrawThreshold: bigint;
  };
  readonly bridge: { readonly stopped: boolean };
}
export type ActionType = keyof ActionOf;

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

  on<T extends ActionType>(type: T, finaliser: Finaliser<T>): void {
    this.finalisers.set(type, finaliser as unknown as Finaliser<ActionType>);
  }

  /** @param voteType vega.commands.v1.NodeVote.Type */
  start<T extends ActionType>(
    id: string,
    voteType: number,
    type: T,
    place: ForeignPlace,
    content: ActionOf[T],
  ): void {
    const payload: Action = { type, place, content };
    this.witness.start({
      id,
      kind: WITNESS_KIND,
      voteType,
      deadlineNs: this.core.nowNs + DEADLINE_NS,
      payload,
    });
  }

  /** The first part of the banking tick (section 1.5, #12). */
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

  /** Had their effect before the chain began anew (section 12). */
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
