// The chain of a home made again from nothing but its genesis, its transactions and the times of its blocks, and the
// state of a home beside what its data API answers.
import type { Database } from "bun:sqlite";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ChainCore } from "../../src/chain/chain-core.ts";
import type { ChainPoint } from "../../src/chain/chain-store.ts";
import { pooled } from "../../src/chain/mempool.ts";
import type { ToolCommand } from "../../src/chain/options.ts";
import { SEQUENCER_LIMITS } from "../../src/chain/options.ts";
import { Clock } from "../../src/devnet/clock.ts";
import { Random } from "../../src/devnet/random.ts";
import { Engine } from "../../src/engine/engine.ts";
import { type Genesis, readGenesis } from "../../src/engine/genesis.ts";
import { DEFAULT_LIMITS } from "../../src/http/limits.ts";
import { Reading } from "../../src/node/reading.ts";
import { BlockWriter } from "../../src/store/block-writer.ts";
import { openReader, openWriter, storePath } from "../../src/store/database.ts";
import { digestStore, type StoreDigest } from "../../src/store/dump.ts";
import { AccountType } from "../../src/wire/generated/vega.ts";
import { differences } from "../support/digests.ts";

/** Blocks that share a commit. */
const BATCH = 200;

function genesisOf(home: string): Genesis {
  return readGenesis(readFileSync(join(home, "genesis.json"), "utf8"));
}

class OpenCore {
  readonly db: Database;
  readonly core: ChainCore;
  engine!: Engine;
  /** Time of the next block, Unix nanoseconds. */
  nextNs = 0n;

  constructor(home: string, genesis: Genesis) {
    this.db = openWriter(home);
    // Its snapshots are not returned to.
    this.db.run("PRAGMA synchronous = OFF");
    const writer = new BlockWriter(this.db, { allOrNothing: true });
    const options = {
      db: this.db,
      genesis,
      makeEngine: (follower: object) => (this.engine = new Engine(genesis, follower)),
      clock: new Clock(() => this.nextNs),
      random: new Random("again"),
      startedNs: 0n,
    };
    this.core = new ChainCore(options, writer, SEQUENCER_LIMITS);
    this.core.open();
  }

  close(): void {
    this.core.close();
    this.db.close();
  }
}

/** Where the chain of a home stands, as it is stored. */
export function pointOf(db: Database): ChainPoint {
  const row = db.query("SELECT value FROM chain_meta WHERE key = 'head'").get() as { value: string };
  return JSON.parse(row.value) as ChainPoint;
}

/**
 * Makes the chain of a home again in a second home that does not exist yet.
 * @returns in what the two differ: application hash, block hash, any row that readers see
 */
export function differencesToReplay(home: string, scratch: string): string[] {
  const original = openReader(home);
  const again = new OpenCore(scratch, genesisOf(home));
  try {
    const blocks = original.query("SELECT height, time FROM blocks WHERE height > 1 ORDER BY no").all() as {
      height: bigint;
      time: bigint;
    }[];
    const txs = original.prepare("SELECT bytes, impersonated FROM chain_txs WHERE height = ? ORDER BY n");
    const commands = original.prepare("SELECT command FROM chain_commands WHERE height = ?");
    for (const [n, { height, time }] of blocks.entries()) {
      again.nextNs = time * 1_000n;
      const stored = txs.all(height) as { bytes: Uint8Array; impersonated: bigint }[];
      const tool = commands.get(height) as { command: string } | null;
      again.core.execute(
        stored.map(({ bytes, impersonated }) => pooled(bytes, 0, impersonated !== 0n)),
        tool === null ? undefined : (JSON.parse(tool.command) as ToolCommand),
      );
      if (n % BATCH === BATCH - 1) again.core.commit();
    }
    again.core.commit();
    const [was, is] = [pointOf(original), again.core.point];
    const fieldDifferences = (["height", "hash", "timeNs", "appHash", "events"] as const)
      .filter((name) => was[name] !== is[name])
      .map((name) => `${name} is ${was[name]}, and ${is[name]} when the chain is made again`);
    return [
      ...fieldDifferences,
      ...differences(rowsOf(digestStore(again.db)), rowsOf(digestStore(original))),
    ];
  } finally {
    again.close();
    original.close();
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Without what a chain keeps for itself, and without segments: they are made when there is time. */
function rowsOf({ tables }: StoreDigest): StoreDigest {
  const kept = Object.entries(tables).filter(([name]) => !/^(?:chain|undo)_|^segments$/.test(name));
  return { sha256: "", tables: Object.fromEntries(kept), files: {} };
}

interface ApiAccount {
  readonly owner: string;
  readonly asset: string;
  readonly marketId: string;
  readonly type: string;
  readonly balance: string;
}

/**
 * Opens the chain of a home, which replays what its stored state lacks, and compares its state with the data API.
 * @param home not open anywhere; it is changed as by any start
 */
export function differencesToState(home: string): string[] {
  const chain = new OpenCore(home, genesisOf(home));
  const reading = new Reading(home, DEFAULT_LIMITS);
  try {
    const { accounts } = reading.reader.get<{ accounts: { edges: { node: ApiAccount }[] } }>(
      "/api/v2/accounts",
      {
        "pagination.first": "10000",
      },
    )!;
    const answered = new Map(
      accounts.edges.map(({ node }) => [
        [node.asset, node.type, node.owner, node.marketId].join(),
        node.balance,
      ]),
    );
    const { collateral, staking } = chain.engine.domains;
    const problems: string[] = [];
    for (const [, { asset, type, owner, market, balance }] of collateral.entries()) {
      const name = AccountTypeName[type]!;
      const party = owner === "*" ? "network" : owner;
      const key = [asset, name, party, market === "!" ? "" : market].join();
      const api = answered.get(key);
      answered.delete(key);
      // External accounts have no events (docs/protocol/60-state-engine-accounts.md#24-accountevent-emission-rule).
      const expected = type === AccountType.ACCOUNT_TYPE_EXTERNAL ? 0n : balance;
      if (api !== expected.toString())
        problems.push(`account ${key}: ${expected} in the state, ${api} in the API`);
    }
    for (const [key, balance] of answered) {
      if (balance !== "0") problems.push(`account ${key}: ${balance} in the API, and unknown to the state`);
    }
    for (const partyId of staking.parties()) {
      const api = reading.reader.get<{ currentStakeAvailable: string }>("/api/v2/parties/{party_id}/stake", {
        partyId,
      })!.currentStakeAvailable;
      const state = (staking.balance(partyId) ?? 0n).toString();
      if (api !== state) problems.push(`stake of ${partyId}: ${state} in the state, ${api} in the API`);
    }
    return problems;
  } finally {
    reading.close();
    chain.close();
  }
}

const AccountTypeName: Readonly<Record<number, string>> = Object.fromEntries(
  Object.entries(AccountType).map(([name, value]) => [value, name]),
);

/** A copy of what a killed process left, the log included; segments stay where they are. */
export function copyOf(home: string, to: string): string {
  mkdirSync(to, { recursive: true });
  for (const suffix of ["", "-wal"]) {
    const from = storePath(home) + suffix;
    if (existsSync(from)) cpSync(from, storePath(to) + suffix);
  }
  cpSync(join(home, "genesis.json"), join(to, "genesis.json"));
  return to;
}
