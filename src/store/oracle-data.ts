// Oracle data that say the same: equal specs in equal order, and equal names and values. The last of them stands for all.
import type { Database } from "bun:sqlite";
import { type OracleData, readOracleDataAt } from "../wire/generated/vega.ts";
import { idText } from "./field.ts";

/** Equal for data that say the same. @throws FieldFault */
export function oracleDataKey({ externalData }: OracleData): Uint8Array {
  const { matchedSpecIds = [], data = [] } = externalData?.data ?? {};
  const specs = matchedSpecIds.map((id) => idText(id, "external_data.data.matched_spec_ids"));
  const values = data.map(({ name, value }) => [name, value]);
  return new Bun.CryptoHasher("sha256").update(JSON.stringify([specs, values])).digest();
}

/** For a store from before schema 7. */
export function fillCurrentOracleData(db: Database): void {
  const rows = db.prepare("SELECT block, ord, data FROM oracle_data ORDER BY block, ord");
  const put = db.prepare("INSERT OR REPLACE INTO oracle_data_current(key, block, ord) VALUES(?, ?, ?)");
  for (const { block, ord, data } of rows.iterate() as Iterable<OracleDataRow>)
    put.run(oracleDataKey(readOracleDataAt(data, 0, data.length)), block, ord);
  rows.finalize();
  put.finalize();
}

interface OracleDataRow {
  readonly block: bigint;
  readonly ord: bigint;
  readonly data: Uint8Array;
}
