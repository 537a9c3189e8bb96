/**
 * Places to come back to: state, blocks, clock, randomness and mempool together. While the process runs, the state
 * goes back by its journal and the rows by the undo log (store/undo-log.ts), which costs what has changed since. After
 * a restart the journal is gone: then the rows go back, and the state is read from them.
 */
import type { Database } from "bun:sqlite";
import type { SnapshotPlace } from "../engine/chain-port.ts";
import type { Mark } from "../engine/state.ts";
import { NodeError } from "../errors/node-error.ts";
import { UndoLog } from "../store/undo-log.ts";
import type { ChainCore, SavePoint } from "./chain-core.ts";
import { storeErrorOf } from "./chain-store.ts";
import type { Mempool, MempoolState, PooledTx } from "./mempool.ts";
import { pooled } from "./mempool.ts";

/** A snapshot whose way back is in memory. */
interface Warm {
  /** In the state's journal. */
  readonly state: Mark;
  readonly chain: SavePoint;
  readonly mempool: MempoolState;
}

/**
 * A snapshot as it is stored: the rest lies in the rows that the undo log brings back, the last stored state and the
 * blocks after it among them.
 */
interface Stored {
  readonly height: number;
  /** Of that block, Unix nanoseconds; homes of older releases lack it. */
  readonly timeNs?: string;
  readonly mempool: readonly StoredTx[];
}

interface StoredTx {
  /** Base64. */
  readonly bytes: string;
  readonly gas: number;
  readonly isImpersonated: boolean;
}

/** Changes of state remembered for snapshots; beyond it they go back the slow way. */
const JOURNAL_MAX = 5_000_000;
/** Removed snapshots that are remembered, the newest ones. */
const REMOVED_MAX = 200;

export class Snapshots {
  private readonly undo: UndoLog;
  private readonly warm = new Map<number, Warm>();
  /** Those that reverts removed since the start: branches of the tree without a way back. */
  private removed: SnapshotPlace[] = [];

  constructor(
    private readonly db: Database,
    private readonly core: ChainCore,
    private readonly mempool: Mempool,
    private readonly max: number,
  ) {
    this.undo = new UndoLog(db);
  }

  /** Ids of the snapshots, the oldest first. */
  ids(): number[] {
    const rows = this.db.query("SELECT id FROM chain_snapshots ORDER BY id").all() as { id: bigint }[];
    return rows.map(({ id }) => Number(id));
  }

  /** Those that can be reverted to, and those that a revert removed, the oldest first. */
  places(): SnapshotPlace[] {
    return [...this.removed, ...this.usable()].sort((one, other) => Number(one.id) - Number(other.id));
  }

  /** Each was taken after the one before it: a revert removes all later ones. */
  private usable(): SnapshotPlace[] {
    const rows = this.db.query("SELECT id, value FROM chain_snapshots ORDER BY id").all() as {
      id: bigint;
      value: string;
    }[];
    return rows.map(({ id, value }, n) => {
      const { height, timeNs } = JSON.parse(value) as Stored;
      return {
        id: String(id),
        height,
        timeNs: timeNs === undefined ? undefined : BigInt(timeNs),
        parent: n === 0 ? undefined : String(rows[n - 1]!.id),
        isUsable: true,
      };
    });
  }

  /** @returns the new one's id @throws NodeError */
  create(): string {
    if (this.ids().length >= this.max) {
      const text = `there are ${this.max} snapshots, and no more can be held`;
      throw new NodeError(
        "devnet.snapshot",
        "too_many_snapshots",
        text,
        "revert to an earlier one: those after it are gone then",
      );
    }
    const chain = this.core.savePoint();
    const mempool = this.mempool.save();
    const { height, timeNs } = chain.point;
    const stored: Stored = { height, timeNs, mempool: mempool.entries.map(storedTx) };
    const id = this.transaction(() => {
      const row = this.db
        .query("INSERT INTO chain_snapshots(value) VALUES(?) RETURNING id")
        .get(JSON.stringify(stored)) as { id: bigint };
      this.undo.enter(Number(row.id));
      return Number(row.id);
    });
    this.keepWarm(id, chain, mempool);
    return String(id);
  }

  /**
   * @returns the height that the chain is at now, and whether its mempool is one that was judged at this height before
   * @throws NodeError
   */
  revert(id: string): { height: number; mempoolIsValid: boolean } {
    const level = this.levelOf(id);
    const later = this.usable().filter((each) => Number(each.id) > level);
    const reverted = this.revertTo(level);
    this.removed.push(...later.map((each) => ({ ...each, isUsable: false })));
    this.removed = this.removed.slice(-REMOVED_MAX);
    return reverted;
  }

  private revertTo(level: number): { height: number; mempoolIsValid: boolean } {
    const warm = this.warm.get(level);
    if (warm) {
      const { height } = warm.chain.point;
      this.revertRows(level, height);
      this.goBack(level, warm);
      return { height, mempoolIsValid: true };
    }
    const { height, mempool } = JSON.parse(this.value(level)) as Stored;
    this.revertRows(level, height);
    this.warm.clear();
    this.core.reopen();
    this.mempool.load({ entries: mempool.map(pooledTx), cache: [] });
    this.keepWarm(level, this.core.savePoint(), this.mempool.save());
    return { height, mempoolIsValid: false };
  }

  private revertRows(level: number, height: number): void {
    this.transaction(() => {
      this.undo.revertTo(level);
      this.db.run("DELETE FROM chain_snapshots WHERE id > ?", [level]);
      this.db.run("DELETE FROM segments WHERE to_height > ?", [height]);
    });
  }

  /** Gives up one; its changes count to the one before it. @throws NodeError */
  drop(id: string): void {
    const level = this.levelOf(id);
    const before = this.ids()
      .filter((each) => each < level)
      .at(-1);
    this.transaction(() => {
      this.undo.drop(level, before);
      this.db.run("DELETE FROM chain_snapshots WHERE id = ?", [level]);
      if (this.ids().length === 0) this.undo.remove();
      else this.undo.enter(this.ids().at(-1)!);
    });
    this.coolOne(level);
  }

  /** Gives up all of them, inside an open transaction. */
  dropAll(): void {
    this.undo.remove();
    this.db.run("DELETE FROM chain_snapshots");
    this.removed = [];
  }

  /** Forgets the ways back that are in memory: those in the store stay. */
  cool(): void {
    for (const level of [...this.warm.keys()]) this.coolOne(level);
  }

  /** Called after every commit: the memory that snapshots hold on to is bounded. */
  limitMemory(): void {
    const oldest = this.warm.values().next().value;
    if (oldest === undefined || this.core.engine.state.mark() - oldest.state <= JOURNAL_MAX) return;
    this.cool();
    this.core.engine.state.dropJournal();
  }

  private keepWarm(id: number, chain: SavePoint, mempool: MempoolState): void {
    this.warm.set(id, { state: this.core.engine.state.place(), chain, mempool });
  }

  private goBack(level: number, { state, chain, mempool }: Warm): void {
    for (const later of [...this.warm.keys()]) if (later > level) this.coolOne(later);
    // The stored state, with the layers not stored yet, is this state already.
    this.core.engine.state.returnTo(state);
    this.core.resumeAt(chain);
    this.mempool.load(mempool);
  }

  private coolOne(level: number): void {
    const warm = this.warm.get(level);
    if (warm === undefined) return;
    this.warm.delete(level);
    this.core.engine.state.release(warm.state);
  }

  private levelOf(id: string): number {
    const level = /^[1-9]\d{0,14}$/.test(id) ? Number(id) : 0;
    if (this.ids().includes(level)) return level;
    const ids = this.ids();
    const hint = ids.length === 0 ? "take one first" : `there are: ${ids.join(", ")}`;
    throw new NodeError(
      "devnet.snapshot",
      "snapshot_unknown",
      `there is no snapshot ${id.slice(0, 50)}`,
      hint,
    );
  }

  private value(level: number): string {
    return (this.db.query("SELECT value FROM chain_snapshots WHERE id = ?").get(level) as { value: string })
      .value;
  }

  private transaction<T>(run: () => T): T {
    try {
      return this.db.transaction(run).immediate();
    } catch (error) {
      throw storeErrorOf(error);
    }
  }
}

function storedTx({ bytes, gas, isImpersonated }: PooledTx): StoredTx {
  return { bytes: Buffer.from(bytes).toString("base64"), gas, isImpersonated };
}

function pooledTx({ bytes, gas, isImpersonated }: StoredTx): PooledTx {
  return pooled(new Uint8Array(Buffer.from(bytes, "base64")), gas, isImpersonated);
}
