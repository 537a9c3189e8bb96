// Tables of a local chain beside the rows of its blocks (store/schema.ts): what another node can have of them, and what is a chain's own.
import type { Database } from "bun:sqlite";
import { OWN_HEAD } from "./head.ts";
import { OPTIONAL_TABLES } from "./schema.ts";

/** Facts of single blocks, which are the same on all validators. */
const OF_BLOCKS = ["chain_txs", "chain_blocks", "chain_commands", "chain_headers", "chain_texts"] as const;
/** The chain's place and state, and what it still has to send. */
const OF_CHAIN = ["chain_meta", "chain_state", "chain_outbox"] as const;

const among = (db: Database, names: readonly string[]): readonly string[] => {
  const select = db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?");
  try {
    return names.filter((name) => select.get(name) !== null);
  } finally {
    select.finalize();
  }
};

export const tablesOfChain = (db: Database): readonly string[] => among(db, OF_CHAIN);
export const tablesOfBlocks = (db: Database): readonly string[] => among(db, OF_BLOCKS);

/** Whether the store's blocks came from a consensus engine: other validators have the same. */
export const isOfConsensus = (db: Database): boolean => among(db, ["chain_headers"]).length > 0;

/** Where a chain of its own stands. */
export interface OwnChain {
  readonly chainId: string;
  readonly height: number;
  /** Lower-case hex. */
  readonly hash: string;
}

export function ownChain(db: Database): OwnChain | undefined {
  const read = (key: string) => {
    const row = db.query("SELECT value FROM chain_meta WHERE key = ?").get(key) as { value: string } | null;
    return row === null ? undefined : (JSON.parse(row.value) as Record<string, unknown>);
  };
  const head = read(OWN_HEAD);
  if (head === undefined) return undefined;
  const { height, hash } = head as { height: number; hash: string };
  return { chainId: String(read("genesis")?.chain_id ?? ""), height, hash };
}

/** Puts the chain of another home into a store that has the rows of its blocks. @param path of that home's store */
export function takeOverChain(db: Database, path: string): void {
  db.query("ATTACH ? AS own").run(path);
  const isThere = db.prepare("SELECT 1 FROM own.sqlite_schema WHERE type = 'table' AND name = ?");
  const owned = (names: readonly string[]) => names.filter((name) => isThere.get(name) !== null);
  try {
    db.transaction(() => {
      for (const name of owned([...OF_BLOCKS, ...OF_CHAIN])) {
        if (name in OPTIONAL_TABLES) db.run(OPTIONAL_TABLES[name as keyof typeof OPTIONAL_TABLES]);
        const columns = db.query("SELECT name FROM pragma_table_info(?)").values(name).flat().join(", ");
        db.run(`INSERT OR REPLACE INTO main.${name}(${columns}) SELECT ${columns} FROM own.${name}`);
      }
    })();
  } finally {
    isThere.finalize();
    db.run("DETACH own");
  }
}
