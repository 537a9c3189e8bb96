// The memory of a wallet's transactions over a restart: the planner's state of each key and chain, and
// what was sent of the limits of the epoch.
import { Database } from "bun:sqlite";
import { chmodSync, closeSync, openSync } from "node:fs";
import { resolve } from "node:path";
import { NodeError } from "../../errors/node-error.ts";
import type { PlannerOptions, PlannerState } from "./blocks.ts";
import { EpochQuota, type EpochQuotaState } from "./epoch-quota.ts";
import { ProofPlanner } from "./planner.ts";

interface PartyState extends PlannerState {
  /** Undefined in files from before it was written down. */
  readonly quota?: EpochQuotaState;
}

interface SentLedger {
  load(chainId: string, party: string): PartyState | undefined;
  /** Before a transaction leaves: a forgotten one might be sent on top. */
  save(chainId: string, party: string, state: PartyState): void;
  close(): void;
}

/** The format of the state; what another version wrote is not read. */
const VERSION = 1;

export class FileLedger implements SentLedger {
  private readonly db: Database;

  /**
   * @param path a file in a folder that is closed to others
   * @throws NodeError `ledger_damaged`
   */
  constructor(private readonly path: string) {
    // Closed to others from its first moment on; SQLite gives its other files the same mode.
    closeSync(openSync(path, "a", 0o600));
    chmodSync(path, 0o600);
    // Absolute: Bun cuts off blanks at the start of the path.
    this.db = new Database(resolve(path), { create: true, readwrite: true, strict: true });
    this.reading(() => this.prepare());
  }

  private prepare(): void {
    this.db.run("PRAGMA journal_mode = WAL");
    // A crash of the process loses nothing; after a power cut the chain has moved on anyway.
    this.db.run("PRAGMA synchronous = OFF");
    this.db.run("PRAGMA busy_timeout = 1000");
    this.db.run(
      "CREATE TABLE IF NOT EXISTS planners (chain TEXT, party TEXT, version INTEGER, state TEXT, PRIMARY KEY (chain, party)) STRICT, WITHOUT ROWID",
    );
  }

  /** @throws NodeError `ledger_damaged`: to begin with nothing could get the key banned */
  load(chainId: string, party: string): PartyState | undefined {
    return this.reading(() => {
      const row = this.db
        .query("SELECT state FROM planners WHERE chain = ? AND party = ? AND version = ?")
        .get(chainId, party, VERSION) as { state: string } | null;
      return row === null ? undefined : stateIn(row.state);
    });
  }

  save(chainId: string, party: string, state: PartyState): void {
    this.db
      .query("INSERT OR REPLACE INTO planners VALUES (?, ?, ?, ?)")
      .run(chainId, party, VERSION, JSON.stringify(state));
  }

  close(): void {
    this.db.close();
  }

  private reading<T>(action: () => T): T {
    try {
      return action();
    } catch (error) {
      if (!isDamage(error)) throw error;
      throw new NodeError(
        "tx.send",
        "ledger_damaged",
        `what was sent cannot be read: ${this.path} is damaged`,
        "remove it when the last transaction is some minutes old and in a block, or lost: a new one is made",
      );
    }
  }
}

function stateIn(text: string): PartyState {
  const state = JSON.parse(text) as Partial<PartyState> | null;
  const isWhole = typeof state?.head === "string" && Array.isArray(state.blocks);
  if (!isWhole) throw new SyntaxError("not the state of a planner");
  return state as PartyState;
}

function isDamage(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return error instanceof SyntaxError || code === "SQLITE_NOTADB" || code === "SQLITE_CORRUPT";
}

// The memory of everything that was sent, by chain and key: one for a process, whatever nodes it talks to. Two
// memories of the same key would each give away the same places.

export interface PartyMemory {
  readonly planner: ProofPlanner;
  readonly quota: EpochQuota;
  /** Before a place is given away. */
  remember(): void;
}

interface PlannerBookOptions extends PlannerOptions {
  /** The part that outlives the process. */
  readonly ledger?: SentLedger;
}

export class PlannerBook {
  private readonly memories = new Map<string, PartyMemory>();

  constructor(private readonly options: PlannerBookOptions = {}) {}

  of(chainId: string, party: string): PartyMemory {
    const key = `${party} ${chainId}`;
    const existing = this.memories.get(key);
    if (existing !== undefined) return existing;
    const { ledger } = this.options;
    const planner = new ProofPlanner(this.options);
    const quota = new EpochQuota();
    const remembered = ledger?.load(chainId, party);
    if (remembered !== undefined) planner.load(remembered);
    if (remembered?.quota !== undefined) quota.load(remembered.quota);
    const remember = () => ledger?.save(chainId, party, { ...planner.save(), quota: quota.save() });
    const memory = { planner, quota, remember };
    this.memories.set(key, memory);
    return memory;
  }

  close(): void {
    this.options.ledger?.close();
  }
}
