// The cost of one query while it is executed: rows, failures and time (docs/graphql.md). Its size is checked before
// (documents.ts).
import type { Limits } from "../../http/limits.ts";
import { LimitError } from "./errors.ts";

/** Rows between two looks at the clock. */
const ROWS_A_LOOK = 64;

export class Budget {
  private readonly untilMs: number;
  private rows = 0;
  private nextLook = ROWS_A_LOOK;
  private errors = 0;
  private exceeded: LimitError | undefined;

  constructor(private readonly limits: Limits) {
    this.untilMs = performance.now() + limits.queryMs;
  }

  /** No limit was reached. */
  get isWithin(): boolean {
    return this.exceeded === undefined;
  }

  /** To be called before each read of the store. @throws LimitError */
  checkTime(): void {
    if (this.exceeded !== undefined) throw this.exceeded;
    const { queryMs } = this.limits;
    if (performance.now() > this.untilMs)
      this.stop(`the query takes longer than ${queryMs} ms: ask for fewer rows with first`, "QUERY_TIMEOUT");
  }

  /** To be called for the rows of lists in the answer. @throws LimitError */
  spendRows(count: number): void {
    if (this.exceeded !== undefined) throw this.exceeded;
    const { queryRowsMax } = this.limits;
    this.rows += count;
    if (this.rows > queryRowsMax)
      this.stop(`the answer has more than ${queryRowsMax} rows: ask for fewer with first`, "TOO_MANY_ROWS");
    if (this.rows < this.nextLook) return;
    this.nextLook = this.rows + ROWS_A_LOOK;
    this.checkTime();
  }

  /** To be called for each field that fails. */
  noteError(): void {
    const { queryErrorsMax } = this.limits;
    if (this.exceeded === undefined && ++this.errors > queryErrorsMax)
      this.exceeded = new LimitError(`more than ${queryErrorsMax} fields failed`, "TOO_MANY_ERRORS");
  }

  private stop(message: string, code: string): never {
    this.exceeded = new LimitError(message, code);
    throw this.exceeded;
  }
}
