// Stake on each node, as the scores and the rewards of an epoch need it (reference 60, sections 7.4 and 7.6).

export interface NodeStake {
  /** Delegated by the node's own Vega key. */
  readonly self: bigint;
  /** Delegated by others: party → amount, in the order of the parties; nobody with nothing. */
  readonly delegators: ReadonlyMap<string, bigint>;
  /** Sum over `delegators`. */
  readonly byDelegators: bigint;
  readonly total: bigint;
}

/** By node id. */
export type StakeByNode = ReadonlyMap<string, NodeStake>;

/** What the end of an epoch hands on. */
export interface EpochStakes {
  /** Of the epoch that ended. */
  readonly ended: StakeByNode;
  /** Of the epoch that is about to start. */
  readonly next: StakeByNode;
}

export const NO_STAKE: NodeStake = { self: 0n, delegators: new Map(), byDelegators: 0n, total: 0n };

/** What one party has delegated: by node id, ascending. */
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
