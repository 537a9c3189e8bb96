/**
 * The nodes that the chain knows, of every status, with the indexes that other domains ask for. `Validators` adds
 * what happens to them.
 */
import type { Core } from "./core.ts";
import type { NodeStatus, ValidatorNode, ValidatorReader } from "./ports.ts";
import type { Table } from "./state/state.ts";

/** Voting power of a node of the genesis, and of every one as long as nobody has a score (reference 60, section 7.6). */
export const INITIAL_POWER = 10n;

export interface NodeRecord extends ValidatorNode {
  /** Height at which it got its status. */
  readonly statusHeight: number;
  /** Height at which its ranking was last above 0; at first that of its coming. */
  readonly rankedHeight: number;
}

interface Index {
  readonly all: readonly NodeRecord[];
  readonly tendermint: readonly NodeRecord[];
  readonly byKey: ReadonlyMap<string, NodeRecord>;
  readonly power: bigint;
}

export class Nodes implements ValidatorReader {
  protected readonly records: Table<NodeRecord>;
  /** Chain events that a node has forwarded, duplicates too (section 3.2). */
  private readonly forwarded: Table<bigint>;
  private cached: Index | undefined;

  constructor(protected readonly core: Core) {
    this.records = core.state.table("validators.nodes");
    this.forwarded = core.state.table("validators.forwarded");
    this.records.onChange(() => {
      this.cached = undefined;
    });
  }

  node(nodeId: string): NodeRecord | undefined {
    return this.records.get(nodeId);
  }

  nodeByKey(vegaPubKey: string): NodeRecord | undefined {
    return this.index.byKey.get(vegaPubKey);
  }

  nodes(): readonly NodeRecord[] {
    return this.index.all;
  }

  tendermint(): readonly NodeRecord[] {
    return this.index.tendermint;
  }

  withStatus(status: NodeStatus): readonly NodeRecord[] {
    return this.index.all.filter((node) => node.status === status);
  }

  totalPower(): bigint {
    return this.index.power;
  }

  countForwarded(nodeId: string): void {
    if (this.records.has(nodeId)) this.forwarded.set(nodeId, this.forwardedBy(nodeId) + 1n);
  }

  forwardedBy(nodeId: string): bigint {
    return this.forwarded.get(nodeId) ?? 0n;
  }

  /** A node of a checkpoint, in place of one of the genesis that has its id (section 12). @throws Error */
  restore(node: ValidatorNode, forwarded: bigint, epoch: bigint): void {
    const other = this.nodeByKey(node.vegaPubKey);
    if (other !== undefined && other.nodeId !== node.nodeId) {
      throw new Error(`validators ${other.nodeId} and ${node.nodeId} have one Vega key`);
    }
    this.add(node, epoch);
    if (forwarded > 0n) this.forwarded.set(node.nodeId, forwarded);
  }

  /** Changes members of a node's record. */
  update(nodeId: string, change: Partial<NodeRecord>): void {
    this.records.set(nodeId, { ...this.records.get(nodeId)!, ...change });
  }

  /** Puts a node that is new: its ValidatorUpdate and its first ValidatorRanking (section 7.5). */
  protected add(node: ValidatorNode, epoch: bigint): void {
    const height = this.core.height;
    this.records.set(node.nodeId, { ...node, statusHeight: height, rankedHeight: height });
    this.reportUpdate(node, true, epoch);
    this.core.emit("rankingEvent", {
      nodeId: node.nodeId,
      stakeScore: "0",
      performanceScore: "0",
      rankingScore: "0",
      previousStatus: "pending",
      nextStatus: node.status,
      epochSeq: epoch.toString(),
      tmVotingPower: Number(node.power),
    });
  }

  /** Drops a node that has been idle for long (section 7.6, "Removal"). */
  protected remove(node: ValidatorNode, epoch: bigint): void {
    this.records.delete(node.nodeId);
    this.forwarded.delete(node.nodeId);
    this.reportUpdate(node, false, epoch);
  }

  private reportUpdate(node: ValidatorNode, added: boolean, epochSeq: bigint): void {
    const { nodeId, vegaPubKey, ethereumAddress, tmPubKey, infoUrl, country, name, avatarUrl } = node;
    this.core.emit("validatorUpdate", {
      nodeId,
      vegaPubKey,
      ethereumAddress,
      tmPubKey,
      infoUrl,
      country,
      name,
      avatarUrl,
      vegaPubKeyIndex: node.vegaPubKeyIndex,
      added,
      fromEpoch: node.fromEpoch,
      epochSeq,
    });
  }

  private get index(): Index {
    if (this.cached === undefined) {
      const all = this.records.values();
      const tendermint = all.filter(({ status }) => status === "tendermint");
      const byKey = new Map<string, NodeRecord>();
      // Of two nodes with one key the first by id has it: nothing forbids that they share one.
      for (const node of all) if (!byKey.has(node.vegaPubKey)) byKey.set(node.vegaPubKey, node);
      const power = tendermint.reduce((sum, node) => sum + node.power, 0n);
      this.cached = { all, tendermint, byKey, power };
    }
    return this.cached;
  }
}
