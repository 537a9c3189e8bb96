// Stake on each node, as the scores and the rewards of an epoch need it
// (docs/protocol/60-state-engine-staking.md#74-epoch-end and #76-scores-at-epoch-end).
import { compare } from "../wire/arithmetic.ts";

export interface NodeStake {
  /** Delegated by the node's own Vega key. */
  readonly self: bigint;
  /** Delegated by others: party → amount, in the order of the parties, without zeros. */
  readonly delegators: ReadonlyMap<string, bigint>;
  /** Sum over `delegators`. */
  readonly byDelegators: bigint;
  readonly total: bigint;
}

/** By node id. */
export type StakeByNode = ReadonlyMap<string, NodeStake>;

/** Results of the end of an epoch. */
export interface EpochStakes {
  /** Of the epoch that ended. */
  readonly ended: StakeByNode;
  /** Of the epoch that is about to start. */
  readonly next: StakeByNode;
}

export const NO_STAKE: NodeStake = { self: 0n, delegators: new Map(), byDelegators: 0n, total: 0n };

/** Delegations of a party: by node id, ascending. */
export type Shares = readonly { readonly node: string; readonly amount: bigint }[];

/** @param parties party and shares, by party @param keyOf the Vega key of a node */
export function stakeByNode(
  parties: Iterable<readonly [party: string, shares: Shares]>,
  keyOf: (node: string) => string | undefined,
): StakeByNode {
  const nodes = new Map<
    string,
    { self: bigint; delegators: Map<string, bigint>; byDelegators: bigint; total: bigint }
  >();
  for (const [party, shares] of parties) {
    for (const { node, amount } of shares) {
      if (amount === 0n) continue;
      let stake = nodes.get(node);
      if (stake === undefined) {
        stake = { self: 0n, delegators: new Map(), byDelegators: 0n, total: 0n };
        nodes.set(node, stake);
      }
      stake.total += amount;
      if (keyOf(node) === party) {
        stake.self += amount;
      } else {
        stake.delegators.set(party, amount);
        stake.byDelegators += amount;
      }
    }
  }
  return nodes;
}

// Sums over what one party has delegated: pure functions over shares in the order of their nodes
// (docs/protocol/60-state-engine-staking.md#72-delegation to #74-epoch-end).

export const NO_SHARES: Shares = [];

export function amountOn(shares: Shares, node: string): bigint {
  return shares.find((share) => share.node === node)?.amount ?? 0n;
}

export function totalOf(shares: Shares): bigint {
  return shares.reduce((sum, { amount }) => sum + amount, 0n);
}

/** The same shares with another amount on one node; a node that is left with nothing stays, with 0. */
export function withAmount(shares: Shares, node: string, amount: bigint): Shares {
  const others = shares.filter((share) => share.node !== node);
  return [...others, { node, amount }].sort((a, b) => compare(a.node, b.node));
}

/** Whether two hold the same amounts; nothing and 0 are the same. */
export function areEqual(a: Shares, b: Shares): boolean {
  return isCovered(a, b) && isCovered(b, a);
}

function isCovered(a: Shares, b: Shares): boolean {
  return a.every(({ node, amount }) => amountOn(b, node) === amount);
}

/**
 * Shares that no longer exceed `stake`: each gives up its part of the deficit, cut, and then 1 more, node by node,
 * until the deficit is gone (docs/protocol/60-state-engine-staking.md#73-reconciliation). @param stake at most the
 * total of `shares`
 */
export function reduced(shares: Shares, stake: bigint): Shares {
  const total = totalOf(shares);
  let deficit = total - stake;
  if (deficit <= 0n) return shares;
  const whole = deficit;
  const cut = shares.map(({ node, amount }) => {
    const part = (amount * whole) / total;
    deficit -= part;
    return { node, amount: amount - part };
  });
  // The remainders of the division are less than one for each node that has something, so that one round is enough.
  return cut.map(({ node, amount }) => {
    const one = deficit > 0n && amount > 0n ? 1n : 0n;
    deficit -= one;
    return { node, amount: amount - one };
  });
}

/** Each node's part of `spare`, in proportion to its share, cut; nodes that get nothing are left out. */
export function proportional(shares: Shares, spare: bigint): Shares {
  const total = totalOf(shares);
  if (total === 0n || spare <= 0n) return NO_SHARES;
  return shares
    .map(({ node, amount }) => ({ node, amount: (spare * amount) / total }))
    .filter(({ amount }) => amount > 0n);
}
