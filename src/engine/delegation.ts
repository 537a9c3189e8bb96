/**
 * Delegation of stake to nodes (docs/protocol/60-state-engine-staking.md#72-delegation to #74-epoch-end). There are two
 * maps, of the current and of the next epoch; the second becomes the first when an epoch ends.
 */

import { smaller } from "../wire/arithmetic.ts";
import { Decimal } from "../wire/decimal.ts";
import type { DelegateSubmission, UndelegateSubmission } from "../wire/generated/commands.ts";
import { UndelegateSubmissionMethod } from "../wire/generated/commands.ts";
import { SECOND_NS } from "../wire/time-text.ts";
import type { Core } from "./core.ts";
import { CommandError } from "./errors.ts";
import type { EpochInfo, EpochReader, ParameterReader, StakeReader, ValidatorReader } from "./ports.ts";
import {
  amountOn,
  areEqual,
  type EpochStakes,
  NO_SHARES,
  proportional,
  reduced,
  type Shares,
  type StakeByNode,
  stakeByNode,
  totalOf,
  withAmount,
} from "./stakes.ts";
import type { Cell, Table } from "./state.ts";
import { readAmount } from "./values.ts";

const NOT_A_NUMBER = "amount is not a valid base 10 number";
/** Time between reconciliations with the stake (docs/protocol/60-state-engine-staking.md#73-reconciliation). */
const RECONCILIATION_NS = 30n * SECOND_NS;
/**
 * Share of its stake, with 16 decimals, that a party must have delegated so that more follows by itself
 * (docs/protocol/60-state-engine-staking.md#74-epoch-end).
 */
const AUTO_SHARE = Decimal.parse("0.95");
const UNAVAILABLE = "incorrect token amount for undelegation";
const METHODS: ReadonlySet<number> = new Set([
  UndelegateSubmissionMethod.METHOD_NOW,
  UndelegateSubmissionMethod.METHOD_AT_END_OF_EPOCH,
]);

type SharesOf = readonly (readonly [party: string, shares: Shares])[];

interface DelegationState {
  readonly current: SharesOf;
  readonly next: SharesOf;
  readonly automatic: readonly string[];
}

export class Delegation {
  /** By party: what counts in the running epoch. */
  private readonly current: Table<Shares>;
  /** By party: what will count in the next one. */
  private readonly next: Table<Shares>;
  /** Parties whose new stake follows their old one by itself. */
  private readonly automatic: Table<true>;
  /** Block time of the last reconciliation; undefined before the first epoch. */
  private readonly reconciledNs: Cell<bigint | undefined>;

  constructor(
    private readonly core: Core,
    private readonly params: ParameterReader,
    private readonly epochs: EpochReader,
    private readonly staking: StakeReader,
    private readonly validators: ValidatorReader,
  ) {
    this.current = core.state.table("delegation.current");
    this.next = core.state.table("delegation.next");
    this.automatic = core.state.table("delegation.automatic");
    this.reconciledNs = core.state.cell<bigint | undefined>("delegation.reconciled", undefined);
  }

  /** The Delegate command of the transaction in hand. @throws CommandError */
  delegate({ nodeId, amount: text }: DelegateSubmission): void {
    const { party } = this.core.currentTx;
    const amount = readAmount(text, NOT_A_NUMBER);
    this.checkNode(nodeId);
    const stake = this.staking.balance(party);
    if (stake === undefined) throw new CommandError("cannot find staking account for the party");
    const amountMin = this.params.integer("validators.delegation.minAmount");
    if (amount < amountMin) {
      throw new CommandError(
        "delegation amount is lower than the minimum amount for delegation for a validator",
        { numbers: { amount, amountMin } },
      );
    }
    const shares = this.next.get(party) ?? NO_SHARES;
    const delegated = totalOf(shares);
    if (delegated + amount > stake) {
      throw new CommandError("insufficient balance for delegation", {
        numbers: { amount, delegated, stake },
      });
    }
    this.setNext(party, withAmount(shares, nodeId, amountOn(shares, nodeId) + amount), [nodeId]);
  }

  /** The Undelegate command of the transaction in hand: amount 0 takes back everything. @throws CommandError */
  undelegate({ nodeId, amount: text, method }: UndelegateSubmission): void {
    const { party } = this.core.currentTx;
    // Stateless validation lets any text pass.
    const size = readAmount(text, NOT_A_NUMBER);
    if (!METHODS.has(method)) throw new CommandError("unimplemented");
    this.checkNode(nodeId);
    const now = this.current.get(party) ?? NO_SHARES;
    const later = this.next.get(party) ?? NO_SHARES;
    const [onNow, onLater] = [amountOn(now, nodeId), amountOn(later, nodeId)];
    if (method === UndelegateSubmissionMethod.METHOD_NOW) {
      const amount = available(size, onNow > onLater ? onNow : onLater);
      const [fromNow, fromLater] = [smaller(onNow, amount), smaller(onLater, amount)];
      if (fromNow > 0n) this.setCurrent(party, withAmount(now, nodeId, onNow - fromNow), [nodeId]);
      if (fromLater > 0n) this.setNext(party, withAmount(later, nodeId, onLater - fromLater), [nodeId]);
    } else {
      const amount = available(size, onLater);
      if (amount > 0n) this.setNext(party, withAmount(later, nodeId, onLater - amount), [nodeId]);
    }
    this.automatic.delete(party);
  }

  /** @throws CommandError unless the node is a validator of any status */
  private checkNode(nodeId: string): void {
    if (this.validators.node(nodeId) === undefined) throw new CommandError("invalid node ID");
  }

  /** Everything that is delegated, by party. For checkpoints. */
  allShares(): DelegationState {
    return {
      current: this.current.entries(),
      next: this.next.entries(),
      automatic: [...this.automatic.keys()],
    };
  }

  /** Restores delegations of a checkpoint (docs/protocol/60-state-engine-parameters.md#12-checkpoints); the epoch exists already. */
  restore({ current, next, automatic }: DelegationState): void {
    const { seq } = this.epochs.current;
    for (const [party, shares] of current) {
      this.current.set(party, shares);
      this.report(party, shares, seq);
    }
    for (const [party, shares] of next) {
      this.next.set(party, shares);
      this.report(party, shares, seq + 1n);
    }
    for (const party of automatic) this.automatic.set(party, true);
  }

  /** Tick 10 of docs/protocol/60-state-engine-blocks.md#15-tick-listener-order-exact. */
  onTick(): void {
    const last = this.reconciledNs.get();
    if (last !== undefined && this.core.nowNs - last >= RECONCILIATION_NS) this.reconcile();
  }

  /** docs/protocol/60-state-engine-staking.md#74-epoch-end. @returns the stake by node of the epoch that ended and of the one to come */
  onEpochEnd(epoch: EpochInfo): EpochStakes {
    this.reconcile();
    const ended = this.stakeIn(this.current);
    this.delegateAutomatically(epoch);
    this.startNextEpoch();
    this.enterAutomatic();
    return { ended, next: this.stakeIn(this.current) };
  }

  /** Reports the delegations of the epoch after this one. */
  onEpochStart(epoch: EpochInfo): void {
    if (this.reconciledNs.get() === undefined) this.reconciledNs.set(epoch.startNs);
    for (const [party, shares] of this.next.entries()) this.report(party, shares, epoch.seq + 1n);
  }

  /** Takes back what exceeds the stake, in both maps (docs/protocol/60-state-engine-staking.md#73-reconciliation). */
  private reconcile(): void {
    this.reconciledNs.set(this.core.nowNs);
    for (const party of this.current.keys()) this.reconcileIn(this.current, party, this.epochs.current.seq);
    for (const party of this.next.keys()) this.reconcileIn(this.next, party, this.epochs.current.seq + 1n);
  }

  private reconcileIn(table: Table<Shares>, party: string, epoch: bigint): void {
    const shares = table.get(party)!;
    const stake = this.staking.balance(party) ?? 0n;
    if (totalOf(shares) <= stake) return;
    const rest = reduced(shares, stake);
    table.set(party, rest);
    this.report(party, rest, epoch);
    this.automatic.delete(party);
  }

  /** Spreads new stake of parties that changed nothing during the epoch as they have spread the old (step 3). */
  private delegateAutomatically(epoch: EpochInfo): void {
    for (const party of this.automatic.keys()) {
      const shares = this.next.get(party) ?? NO_SHARES;
      if (!areEqual(this.current.get(party) ?? NO_SHARES, shares)) continue;
      const extra = proportional(shares, (this.staking.balance(party) ?? 0n) - totalOf(shares));
      if (extra.length === 0) continue;
      const sum = extra.reduce(
        (sums, { node, amount }) => withAmount(sums, node, amountOn(sums, node) + amount),
        shares,
      );
      this.setNext(
        party,
        sum,
        extra.map(({ node }) => node),
        epoch.seq + 1n,
      );
    }
  }

  /** The next map becomes the current one. A node without a share stays once, so that its 0 is reported (step 2). */
  private startNextEpoch(): void {
    for (const party of new Set([...this.current.keys(), ...this.next.keys()])) {
      const before = this.current.get(party) ?? NO_SHARES;
      const shares = this.next.get(party) ?? NO_SHARES;
      const kept = shares.filter(({ node, amount }) => amount > 0n || amountOn(before, node) > 0n);
      if (kept.length === 0) {
        this.current.delete(party);
        this.next.delete(party);
        continue;
      }
      if (kept.length !== shares.length) this.next.set(party, kept);
      if (kept.length !== before.length || !areEqual(before, kept)) this.current.set(party, kept);
    }
  }

  private enterAutomatic(): void {
    for (const [party, shares] of this.current.entries()) {
      const delegated = totalOf(shares);
      const stake = this.staking.balance(party) ?? 0n;
      if (delegated === 0n || stake === 0n || this.automatic.has(party)) continue;
      const share = Decimal.of(delegated).dividedBy(Decimal.of(stake));
      if (!share.isLess(AUTO_SHARE)) this.automatic.set(party, true);
    }
  }

  private setCurrent(party: string, shares: Shares, nodes: readonly string[]): void {
    this.current.set(party, shares);
    this.report(party, onlyOn(shares, nodes), this.epochs.current.seq);
  }

  private setNext(
    party: string,
    shares: Shares,
    nodes: readonly string[],
    epoch: bigint = this.epochs.current.seq + 1n,
  ): void {
    this.next.set(party, shares);
    this.report(party, onlyOn(shares, nodes), epoch);
  }

  private report(party: string, shares: Shares, epoch: bigint): void {
    for (const { node, amount } of shares) {
      this.core.emit("delegationBalance", {
        party,
        nodeId: node,
        amount: amount.toString(),
        epochSeq: epoch.toString(),
      });
    }
  }

  private stakeIn(table: Table<Shares>): StakeByNode {
    return stakeByNode(table.entries(), (node) => this.validators.node(node)?.vegaPubKey);
  }
}

/** Amount of an undelegation: all of it for 0. @throws CommandError for more than there is */
function available(requested: bigint, there: bigint): bigint {
  if (requested > there)
    throw new CommandError(UNAVAILABLE, { numbers: { wanted: requested, available: there } });
  return requested === 0n ? there : requested;
}

function onlyOn(shares: Shares, nodes: readonly string[]): Shares {
  return shares.filter(({ node }) => nodes.includes(node));
}
