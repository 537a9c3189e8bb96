/**
 * Heartbeats (docs/protocol/60-state-engine-staking.md#77-heartbeats): now and then a node is asked to sign the block's
 * hash, and what came of the last ten makes its performance. Validators of status tendermint are judged by their blocks
 * and owe none; one that leaves that status begins with ten good ones (docs/compatibility.md).
 */

import type { ValidatorHeartbeat } from "../wire/generated/commands.ts";
import { SECOND_NS } from "../wire/time-text.ts";
import type { Core } from "./core.ts";
import { CommandError } from "./errors.ts";
import { checkEthereumSignature, checkVegaSignature } from "./nodes.ts";
import type { EpochReader, ParameterReader, ValidatorReader } from "./ports.ts";
import type { Cell, Table } from "./state.ts";

/** Heartbeats that count. */
const REMEMBERED = 10;
const INTERVAL_MIN_NS = 50n * SECOND_NS;

interface Heartbeats {
  /** The message that is waited for; empty when none is. */
  readonly expected: string;
  /** When the node was asked last; Unix nanoseconds. */
  readonly sinceNs: bigint;
  /** 1 for good and 0 for missed, the newest last. */
  readonly results: readonly number[];
}

const NONE: Heartbeats = { expected: "", sinceNs: 0n, results: [] };

export class HeartbeatTracker {
  private readonly table: Table<Heartbeats>;

  constructor(
    private readonly core: Core,
    private readonly params: ParameterReader,
    private readonly epochs: EpochReader,
    private readonly validators: ValidatorReader,
  ) {
    this.table = core.state.table("validators.heartbeats");
  }

  /** Good ones among the last ten. */
  goodCount(nodeId: string): number {
    return this.of(nodeId).results.reduce((sum, result) => sum + result, 0);
  }

  /** The message that the node has to sign now. */
  expectedMessage(nodeId: string): string | undefined {
    return this.of(nodeId).expected || undefined;
  }

  remove(nodeId: string): void {
    this.table.delete(nodeId);
  }

  /** A node is no longer of status tendermint: it has answered so far, and misses them from here on if it is down. */
  beginAnswered(nodeId: string): void {
    this.table.set(nodeId, { expected: "", sinceNs: this.core.nowNs, results: Array(REMEMBERED).fill(1) });
  }

  /** Once a block: counts late duties as missed, and requests one node that is due, from its named epoch on. */
  onBeginBlock(): void {
    const owing = this.validators.nodes().filter(({ status }) => status !== "tendermint");
    if (owing.length === 0) return;
    const intervalNs = this.intervalNs();
    for (const { nodeId } of owing) {
      const { expected, sinceNs } = this.of(nodeId);
      if (expected !== "" && sinceNs + intervalNs / 2n < this.core.nowNs) this.record(nodeId, 0);
    }
    const { seq } = this.epochs.current;
    const due = owing.filter(({ nodeId, fromEpoch }) => {
      const { expected, sinceNs } = this.of(nodeId);
      return fromEpoch <= seq && expected === "" && sinceNs + intervalNs < this.core.nowNs;
    });
    if (due.length === 0) return;
    const trace = this.core.block.hash.toUpperCase();
    const { nodeId } = due[Number(fnv1a64(trace) % BigInt(due.length))]!;
    this.table.set(nodeId, { expected: trace, sinceNs: this.core.nowNs, results: this.of(nodeId).results });
  }

  /** The ValidatorHeartbeat command. @throws CommandError */
  acceptHeartbeat({ nodeId, message, vegaSignature, ethereumSignature }: ValidatorHeartbeat): void {
    const node = this.validators.node(nodeId);
    if (node === undefined) {
      throw new CommandError(`received an heartbeat from a non-validator node: ${nodeId}`);
    }
    const { expected } = this.of(nodeId);
    if (expected === "" || expected !== message) throw new CommandError("heartbeat received after expiry");
    checkVegaSignature(node.vegaPubKey, message, vegaSignature);
    checkEthereumSignature(node.ethereumAddress, message, ethereumSignature);
    this.record(nodeId, 1);
  }

  private of(nodeId: string): Heartbeats {
    return this.table.get(nodeId) ?? NONE;
  }

  private record(nodeId: string, result: number): void {
    const { sinceNs, results } = this.of(nodeId);
    this.table.set(nodeId, { expected: "", sinceNs, results: [...results, result].slice(-REMEMBERED) });
  }

  /** A hundredth of an epoch, and never less than 50 seconds. */
  private intervalNs(): bigint {
    const hundredth = this.params.duration("validators.epoch.length") / 100n;
    return hundredth > INTERVAL_MIN_NS ? hundredth : INTERVAL_MIN_NS;
  }
}

/** FNV-1a, 64 bits, of an ASCII text. */
export function fnv1a64(text: string): bigint {
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(text, "latin1")) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  }
  return hash;
}

// Blocks of the running epoch by their proposers (docs/protocol/60-state-engine-blocks.md#14-beginblock-order step 8
// and docs/protocol/60-state-engine-staking.md#76-scores-at-epoch-end). A value that changes with every block: it also
// holds when the last block began, which signer nonces follow.

interface Counted {
  /** Time of the last block that began, Unix seconds. */
  readonly seconds: bigint;
  readonly blocks: bigint;
  /** By node id. */
  readonly proposed: readonly { readonly node: string; readonly blocks: bigint }[];
  /** The epoch has ended: the counts go with the next block. */
  readonly isOver: boolean;
}

export class Proposers {
  private readonly counted: Cell<Counted>;

  constructor(private readonly core: Core) {
    this.counted = core.state.cell<Counted>("validators.proposers", {
      seconds: 0n,
      blocks: 0n,
      proposed: [],
      isOver: false,
    });
  }

  get seconds(): bigint {
    return this.counted.get().seconds;
  }

  /** Blocks of the epoch. */
  get blocks(): bigint {
    return this.counted.get().blocks;
  }

  proposedBy(nodeId: string): bigint {
    return this.counted.get().proposed.find(({ node }) => node === nodeId)?.blocks ?? 0n;
  }

  /**
   * Counts a block. The one in which an epoch ends is dropped with the counts of that epoch
   * (docs/protocol/60-state-engine-blocks.md#18-endblock-and-commit).
   */
  countBlock(nodeId: string | undefined): void {
    const before = this.counted.get();
    const seconds = this.core.nowSeconds;
    if (before.isOver) {
      this.counted.set({ seconds, blocks: 0n, proposed: [], isOver: false });
      return;
    }
    const others = before.proposed.filter(({ node }) => node !== nodeId);
    const own = nodeId === undefined ? [] : [{ node: nodeId, blocks: this.proposedBy(nodeId) + 1n }];
    const proposed = [...others, ...own].sort((a, b) => (a.node < b.node ? -1 : 1));
    this.counted.set({ seconds, blocks: before.blocks + 1n, proposed, isOver: false });
  }

  /** The epoch has ended. */
  endEpoch(): void {
    this.counted.set({ ...this.counted.get(), isOver: true });
  }
}
