// Compares tables that sum or group the rows of other tables with those rows: rewards of a party and of an epoch, oracle data by
// spec and by content.
import type { Database } from "bun:sqlite";
import { NodeError } from "../errors/node-error.ts";
import { readRewardPayoutEventAt } from "../wire/generated/events.ts";
import { readOracleDataAt } from "../wire/generated/vega.ts";
import { identifierBytes } from "../wire/identifiers.ts";
import { loadAmount, parseAmount, type StoredAmount } from "./amount.ts";
import { Ids } from "./ids.ts";
import { SLICE_ROWS } from "./index-check.ts";
import { oracleDataKey } from "./oracle-data.ts";
import { readFloors } from "./retention.ts";

type Pause = () => Promise<void>;
type Value = bigint | string;

/** @throws NodeError `store_damaged`; whatever `pause` throws */
export async function checkDerivedRows(db: Database, pause: Pause): Promise<void> {
  // Totals include rows that were removed.
  if (!readFloors(db).has("rewards")) for (const totals of TOTALS) await checkTotals(db, totals, pause);
  await checkOracleData(db, pause);
  await checkCurrentOracleData(db, pause);
}

function differs(table: string): NodeError {
  const hint = "restore the home from a backup, or load its recording into another home";
  const fault = `a row of the store's table ${table} is not what other tables say`;
  return new NodeError("store.check", "store_damaged", fault, hint);
}

interface Totals {
  readonly table: string;
  /** The total's key: first the column by which the rewards are read in order, then the others of the table. */
  readonly group: "party" | "epoch";
  readonly others: string;
}

const TOTALS: readonly Totals[] = [
  { table: "reward_totals", group: "party", others: "asset" },
  { table: "reward_totals_by_epoch", group: "epoch", others: "asset, market, type" },
];

/** Memory holds the sums of a single party or epoch at a time. */
async function checkTotals(db: Database, { table, group, others }: Totals, pause: Pause): Promise<void> {
  const ids = new Ids(db);
  const select = db.prepare(`SELECT ${others}, amount FROM ${table} WHERE ${group} = ?`);
  let groups = 0n;
  let current: bigint | undefined;
  let sums = new Map<string, bigint>();
  const compare = (): void => {
    if (current === undefined) return;
    groups++;
    const rows = select.values(current) as [...Value[], StoredAmount][];
    if (rows.length !== sums.size) throw differs(table);
    for (const row of rows)
      if (sums.get(row.slice(0, -1).join()) !== loadAmount(row.at(-1) as StoredAmount)) throw differs(table);
  };
  try {
    const rewards = `SELECT ${group} AS key, asset, data FROM rewards INDEXED BY rewards_by_${group} ORDER BY ${group}`;
    for await (const row of rowsOf(db, rewards, pause)) {
      if (row.key !== current) {
        compare();
        current = row.key as bigint;
        sums = new Map();
      }
      const data = row.data as Uint8Array;
      const m = readRewardPayoutEventAt(data, 0, data.length);
      const market = ids.find(m.market === "!" ? "" : m.market)?.ref;
      const key = group === "party" ? `${row.asset}` : [row.asset, market, m.rewardType].join();
      sums.set(key, (sums.get(key) ?? 0n) + parseAmount(m.amount));
    }
    compare();
    const [[count]] = db.query(`SELECT count(DISTINCT ${group}) FROM ${table}`).values() as [[bigint]];
    if (count !== groups) throw differs(table);
  } finally {
    select.finalize();
  }
}

/** Each row has its entries: by its specs, and the newest of its content is not older. */
async function checkOracleData(db: Database, pause: Pause): Promise<void> {
  const current = db.prepare("SELECT 1 FROM oracle_data_current WHERE key = ? AND (block, ord) >= (?, ?)");
  const bySpec = db.prepare("SELECT 1 FROM oracle_data_by_spec WHERE spec = ? AND block = ? AND ord = ?");
  let entries = 0n;
  try {
    for await (const row of rowsOf(db, "SELECT block, ord, data FROM oracle_data", pause)) {
      const [block, ord, data] = [row.block as bigint, row.ord as bigint, row.data as Uint8Array];
      const m = readOracleDataAt(data, 0, data.length);
      if (current.get(oracleDataKey(m), block, ord) === null) throw differs("oracle_data_current");
      const specs = new Set(
        (m.externalData?.data?.matchedSpecIds ?? []).map((id) =>
          Buffer.from(identifierBytes(id)).toString("hex"),
        ),
      );
      for (const spec of specs)
        if (bySpec.get(Buffer.from(spec, "hex"), block, ord) === null) throw differs("oracle_data_by_spec");
      entries += BigInt(specs.size);
    }
    const [[count]] = db.query("SELECT count(*) FROM oracle_data_by_spec").values() as [[bigint]];
    if (count !== entries) throw differs("oracle_data_by_spec");
  } finally {
    current.finalize();
    bySpec.finalize();
  }
}

async function checkCurrentOracleData(db: Database, pause: Pause): Promise<void> {
  const sql =
    "SELECT c.key, d.data FROM oracle_data_current c LEFT JOIN oracle_data d ON d.block = c.block AND d.ord = c.ord";
  for await (const { key, data } of rowsOf(db, sql, pause)) {
    if (data === null) throw differs("oracle_data_current");
    const bytes = data as Uint8Array;
    const own = oracleDataKey(readOracleDataAt(bytes, 0, bytes.length));
    if (Buffer.compare(own, key as Uint8Array) !== 0) throw differs("oracle_data_current");
  }
}

type Row = Readonly<Record<string, unknown>>;

/** The rows of a statement, with a pause after each slice. */
export async function* rowsOf(db: Database, sql: string, pause: Pause): AsyncGenerator<Row> {
  const statement = db.prepare(sql);
  let count = 0;
  try {
    for (const row of statement.iterate() as Iterable<Row>) {
      yield row;
      if (++count % SLICE_ROWS === 0) await pause();
    }
  } finally {
    statement.finalize();
  }
}
