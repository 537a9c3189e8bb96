/**
 * State synchronisation: snapshots for nodes that begin, and the restoration of one that another node offers. The
 * consensus engine moves the chunks and brings the trusted application hash.
 */
import { checkOffer, SnapshotRestore, StateSnapshots } from "../chain/state-snapshots.ts";
import { logFailure, logNotice } from "../errors/log.ts";
import { NodeError, reasonOf } from "../errors/node-error.ts";
import {
  ResponseApplySnapshotChunkResult as ChunkResult,
  ResponseOfferSnapshotResult as OfferResult,
  type RequestApplySnapshotChunk,
  type RequestLoadSnapshotChunk,
  type RequestOfferSnapshot,
} from "../wire/generated/abci.ts";
import type { AbciChain } from "./abci-chain.ts";

/** Snapshots are made at heights that all validators share: the state's size is the same on all of them. */
const INTERVAL_BLOCKS = 100;
const LARGE_INTERVAL_BLOCKS = 1_000;
const LARGE_ENTRIES = 100_000;
const REASON_LENGTH_MAX = 300;

export class StateSync {
  private readonly snapshots: StateSnapshots;
  private restore: SnapshotRestore | undefined;

  constructor(
    private readonly chain: AbciChain,
    private readonly nowMs: () => number = Date.now,
  ) {
    this.snapshots = new StateSnapshots(chain.home, this.identity);
  }

  /** Begins a snapshot where one is due; blocks go on meanwhile. */
  onCommitted(): void {
    const { entries, committed } = this.chain;
    const interval = entries > LARGE_ENTRIES ? LARGE_INTERVAL_BLOCKS : INTERVAL_BLOCKS;
    if (committed.height % interval === 0) void this.write();
  }

  /** Writes a snapshot of the last block. A failure is logged: the chain goes on. */
  async write(): Promise<void> {
    try {
      this.chain.storeState();
      await this.snapshots.write(this.nowMs());
    } catch (error) {
      logFailure(error instanceof NodeError ? error : failed(error));
    }
  }

  /** Height of the oldest snapshot; undefined while there is none. */
  get oldestHeight(): number | undefined {
    return this.snapshots.oldestHeight;
  }

  /** Whether a snapshot of another node is being taken. */
  get isRestoring(): boolean {
    return this.restore !== undefined;
  }

  /** Settles when no snapshot is being written. */
  idle(): Promise<void> {
    return this.snapshots.idle();
  }

  list() {
    return this.snapshots.list().map((snapshot) => ({ ...snapshot, height: BigInt(snapshot.height) }));
  }

  /** Empty bytes say that it is missing. */
  load({ height, format, chunk }: RequestLoadSnapshotChunk): Uint8Array {
    return this.snapshots.chunk(Number(height), format, chunk) ?? new Uint8Array(0);
  }

  offer({ snapshot, appHash }: RequestOfferSnapshot): number {
    const { chain } = this;
    this.restore?.discard();
    this.restore = undefined;
    if (snapshot === undefined || chain.committed.height >= chain.genesis.initialHeight)
      return OfferResult.REJECT;
    const offered = { ...snapshot, height: Number(snapshot.height) };
    if (chain.rowsTo > 0 && offered.height > chain.rowsTo) {
      notice(
        `a snapshot of block ${offered.height} is refused: the home has rows up to block ${chain.rowsTo}, and those between would be missing; an older one is taken, or fetch the history again`,
      );
      return OfferResult.REJECT;
    }
    const verdict = checkOffer(offered);
    if (!verdict.accepted) {
      notice(`a snapshot of block ${offered.height} is refused: ${verdict.text}`);
      return OfferResult.REJECT;
    }
    this.restore = new SnapshotRestore(chain.home, offered, appHash.toHex(), this.identity);
    notice(`takes the snapshot of block ${offered.height} in ${offered.chunks} chunks`);
    return OfferResult.ACCEPT;
  }

  apply({ index, chunk, sender }: RequestApplySnapshotChunk) {
    const { restore } = this;
    if (restore === undefined) return { result: ChunkResult.REJECT_SNAPSHOT };
    const verdict = restore.apply(index, chunk);
    if (!verdict.accepted) {
      notice(`a chunk of node ${sender.slice(0, 40)} is refused: ${verdict.text}`);
      return { result: ChunkResult.RETRY, refetchChunks: [index], rejectSenders: [sender] };
    }
    if (!restore.isComplete) return { result: ChunkResult.ACCEPT };
    this.restore = undefined;
    try {
      const point = restore.verify();
      this.chain.restore(point, () => restore.entries());
      notice(`goes on from the snapshot of block ${point.height}`);
      return { result: ChunkResult.ACCEPT };
    } catch (error) {
      logFailure(error instanceof NodeError ? error : failed(error));
      return { result: ChunkResult.REJECT_SNAPSHOT };
    } finally {
      restore.discard();
    }
  }

  private get identity() {
    const { chainId, hash } = this.chain.genesis;
    return { chainId, genesis: hash };
  }
}

function notice(text: string): void {
  logNotice("validator.sync", text);
}

function failed(error: unknown): NodeError {
  const reason = reasonOf(error).slice(0, REASON_LENGTH_MAX);
  return new NodeError("validator.sync", "snapshot_failed", `a snapshot of the state failed: ${reason}`);
}
