/**
 * Who has which status in the next epoch (reference 60, section 7.6, "Promotion/demotion"): pure functions over the
 * ranking. Slots of status tendermint are filled first, then those of status ersatz.
 */
import type { Decimal } from "../wire/decimal.ts";
import type { NodeStatus } from "./ports.ts";
import type { Randomness } from "./randomness.ts";

export interface RankedNode {
  readonly nodeId: string;
  readonly status: NodeStatus;
  /** Height at which it got its status. */
  readonly statusHeight: number;
  readonly ranking: Decimal;
  /** Whether the multisig contract has its address as a signer. */
  readonly isSigner: boolean;
}

export interface Slots {
  readonly tendermint: number;
  readonly ersatz: number;
}

/** The multisig contract, as far as it forbids demotions. */
export interface ContractState {
  readonly signers: number;
  /** Thousandths that must be surpassed. */
  readonly threshold: number;
}

/** @returns the status of every node in the next epoch */
export function nextStatuses(
  nodes: readonly RankedNode[],
  slots: Slots,
  contract: ContractState,
  random: Randomness,
): Map<string, NodeStatus> {
  const sorted = sortByRanking(nodes, random);
  const status = new Map(nodes.map((node) => [node.nodeId, node.status] as const));
  const having = (wanted: NodeStatus) => sorted.filter(({ nodeId }) => status.get(nodeId) === wanted);
  const notTendermint = () => sorted.filter(({ nodeId }) => status.get(nodeId) !== "tendermint");

  const validators = having("tendermint");
  for (const node of demotable(validators, validators.length - slots.tendermint, contract)) {
    status.set(node.nodeId, "ersatz");
  }
  fill(status, validators, slots.tendermint, {
    candidates: notTendermint(),
    up: "tendermint",
    down: "ersatz",
    isFull: validators.length === slots.tendermint,
  });

  const standby = having("ersatz");
  for (const node of standby.slice(slots.ersatz)) status.set(node.nodeId, "pending");
  fill(status, standby, slots.ersatz, {
    candidates: having("pending").filter((node) => !standby.includes(node)),
    up: "ersatz",
    down: "pending",
    isFull: standby.length === slots.ersatz,
  });
  return status;
}

interface Change {
  /** Best first. */
  readonly candidates: readonly RankedNode[];
  readonly up: NodeStatus;
  readonly down: NodeStatus;
  /** Whether the group had exactly as many members as slots. */
  readonly isFull: boolean;
}

/** Fills free slots with the best; in a full group the best of the others takes the place of the worst. */
function fill(
  status: Map<string, NodeStatus>,
  members: readonly RankedNode[],
  slots: number,
  change: Change,
): void {
  const { up, down, isFull } = change;
  const candidates = change.candidates.filter(({ ranking }) => ranking.isPositive());
  for (const node of candidates.slice(0, Math.max(0, slots - members.length))) status.set(node.nodeId, up);
  const worst = members.at(-1);
  const best = candidates[0];
  if (!isFull || worst === undefined || best === undefined) return;
  if (worst.ranking.isLess(best.ranking)) {
    status.set(worst.nodeId, down);
    status.set(best.nodeId, up);
  }
}

/**
 * The worst validators, as many as there are too many: at most one of them a signer of the contract, and only while
 * the others can still surpass its threshold.
 */
function demotable(
  validators: readonly RankedNode[],
  count: number,
  { signers, threshold }: ContractState,
): readonly RankedNode[] {
  const signing = validators.filter(({ isSigner }) => isSigner).length;
  let mayDemoteSigner = signers > 0 && Math.floor(((signing - 1) * 1000) / signers) > threshold;
  const demoted: RankedNode[] = [];
  for (const node of [...validators].reverse()) {
    if (demoted.length >= count) break;
    if (node.isSigner && !mayDemoteSigner) continue;
    if (node.isSigner) mayDemoteSigner = false;
    demoted.push(node);
  }
  return demoted;
}

/** Best first; of equals the one that has its status for longer, then by lot. */
function sortByRanking(nodes: readonly RankedNode[], random: Randomness): readonly RankedNode[] {
  const lots = new Map(nodes.map(({ nodeId }) => [nodeId, random.below(0xffff_ffff)] as const));
  return [...nodes].sort(
    (a, b) =>
      b.ranking.compare(a.ranking) ||
      a.statusHeight - b.statusHeight ||
      lots.get(a.nodeId)! - lots.get(b.nodeId)! ||
      (a.nodeId < b.nodeId ? -1 : 1),
  );
}
