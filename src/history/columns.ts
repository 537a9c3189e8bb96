// Columns of the exported tables with their types: the header line of each CSV and the tables of docs/analysts.md.

/** Things that identifiers name. Columns of the same thing join. */
type Thing =
  | "account"
  | "asset"
  | "block"
  | "deposit"
  | "market"
  | "node"
  | "order"
  | "party"
  | "provision"
  | "trade"
  | "transaction"
  | "withdrawal";

/** Types of values; docs/analysts.md has the form of each. */
type ColumnType =
  | "time"
  /** Money, in the asset's smallest unit. */
  | "amount"
  /** A price, in the market's smallest unit. */
  | "price"
  /** A volume of a market, in its smallest unit. */
  | "size"
  | "whole"
  | "decimal"
  | "double"
  | "bool"
  | "text"
  | "json";

interface PlainColumn {
  readonly type: ColumnType;
}

interface IdColumn {
  readonly type: "id";
  readonly of: Thing;
}

/** A value of an enum by its number or by its name. */
interface EnumColumn {
  readonly type: "code" | "label";
  /** Full name of the enum in the messages. */
  readonly of: string;
}

export type Column = (PlainColumn | IdColumn | EnumColumn) & {
  /** For a reader of the documents, where the name does not say it. */
  readonly note?: string;
  /** Can be an empty field without quotes. */
  readonly isNullable?: true;
};

/** By name, in the order of the CSV. */
export type Columns = Readonly<Record<string, Column>>;

type PlainMaker = (note?: string) => Column;
const plain =
  (type: ColumnType): PlainMaker =>
  (note) => ({ type, ...(note !== undefined && { note }) });

export const time = plain("time");
export const amount = plain("amount");
export const price = plain("price");
export const size = plain("size");
export const whole = plain("whole");
export const decimal = plain("decimal");
export const double = plain("double");
export const flag = plain("bool");
export const words = plain("text");
export const json = plain("json");
export const idOf = (of: Thing, note?: string): Column => ({
  type: "id",
  of,
  ...(note !== undefined && { note }),
});
export const codeOf = (of: string): Column => ({ type: "code", of });
export const labelOf = (of: string): Column => ({ type: "label", of });
export const nullable = (column: Column): Column => ({ ...column, isNullable: true });

/** The columns and the header line of a table. */
export function declared(columns: Columns): { readonly columns: Columns; readonly header: string } {
  return { columns, header: Object.keys(columns).join(",") };
}
