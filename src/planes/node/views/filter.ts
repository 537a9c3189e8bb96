// Shared by the views of the core's state (docs/protocol/30-node-api-endpoints.md#52-corestateservice): plain lists
// without pages, filtered by whatever text the client sends. An unknown identifier selects nothing; it is not an error.

import { Grpc } from "../../../errors/statuses.ts";
import { ApiError } from "../../../http/errors.ts";
import type { Param } from "../../../http/pagination.ts";
import { InvalidIdentifier, identifierBytes } from "../../../wire/identifiers.ts";
import type { DataContext } from "../../data/context.ts";

/** The least that a row of a view adds to its answer: its members' names, without any value. */
const ROW_BYTES_MIN = 64;

export class Filter {
  private readonly conditions: string[] = [];
  readonly params: Param[] = [];

  constructor(private readonly context: DataContext) {}

  /** Only rows whose reference column names this identifier; an empty one selects nothing away. */
  reference(column: string, id: string): this {
    return id === ""
      ? this
      : this.equal(
          column,
          this.find(() => this.context.ids.find(id)?.ref),
        );
  }

  /** The same for a column that holds the identifier's bytes. */
  bytes(column: string, id: string): this {
    return id === ""
      ? this
      : this.equal(
          column,
          this.find(() => identifierBytes(id)),
        );
  }

  /** @param value null is equal to nothing */
  equal(column: string, value: Param): this {
    this.conditions.push(`${column} = ?`);
    this.params.push(value);
    return this;
  }

  /**
   * Rows of `SELECT … FROM … [WHERE …] ORDER BY …`, as long as an answer can hold them: JSON is never shorter than
   * the message that it is made from.
   * @param narrowing how to ask for less
   * @throws ApiError 429
   */
  rows<R extends object>(select: string, order: string, narrowing: string): R[] {
    const where = this.conditions.length > 0 ? `WHERE ${this.conditions.join(" AND ")}` : "";
    const sql = `SELECT ${select} ${where} ORDER BY ${order}`;
    const { responseBytesMax } = this.context.limits;
    const rows: R[] = [];
    let bytes = 0;
    for (const row of this.context.db.query(sql).iterate(...this.params) as Iterable<R>) {
      const { data } = row as { data?: Uint8Array | null };
      bytes += ROW_BYTES_MIN + (data?.length ?? 0);
      if (bytes > responseBytesMax) {
        const text = `the answer is larger than ${responseBytesMax} bytes: ${narrowing}`;
        throw new ApiError(Grpc.resourceExhausted, text);
      }
      rows.push(row);
    }
    return rows;
  }

  private find<T extends Param>(look: () => T | undefined): Param {
    try {
      return look() ?? null;
    } catch (error) {
      if (error instanceof InvalidIdentifier) return null;
      throw error;
    }
  }
}
