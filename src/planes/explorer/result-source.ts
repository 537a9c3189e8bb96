// Results of transactions out of the network's events, for a store that holds no transactions.
import type { Database } from "bun:sqlite";
import type { InputData } from "../../wire/generated/commands.ts";
import { readTransactionResultAt, type TransactionResult } from "../../wire/generated/events.ts";
import { COMMAND_KINDS, COMMANDS } from "../../wire/transaction-commands.ts";
import { firstBlockFrom } from "./block-rows.ts";
import type { ExplorerTx, TransactionSource, TxRange } from "./transactions.ts";

const CHUNK_ROWS = 500;
/** Results looked through for a hash, the newest first. */
const SEARCHED_MAX = 200_000;
/** Code of a failed command: an event has only success or failure. */
const FAILED = 70;

interface Row {
  readonly block: bigint;
  readonly ord: bigint;
  readonly height: bigint;
  readonly n: bigint;
  readonly data: Uint8Array;
}

const SELECT = `SELECT r.block, r.ord, b.height, r.data,
  (SELECT count(*) FROM tx_results e WHERE e.block = r.block AND e.ord < r.ord) AS n
  FROM tx_results r JOIN blocks b ON b.no = r.block`;

export class ResultSource implements TransactionSource {
  constructor(private readonly db: Database) {}

  *newestFirst({ before, after }: TxRange): Generator<ExplorerTx, void, undefined> {
    const first = after === undefined ? 0 : firstBlockFrom(this.db, after.height);
    let last: readonly [block: number | bigint, ord: number | bigint] = [
      before === undefined ? Number.MAX_SAFE_INTEGER : firstBlockFrom(this.db, before.height + 1),
      0,
    ];
    const select = this.db.query(
      `${SELECT} WHERE (r.block, r.ord) < (?, ?) AND r.block >= ? ORDER BY r.block DESC, r.ord DESC LIMIT ${CHUNK_ROWS}`,
    );
    for (;;) {
      const rows = select.all(last[0], last[1], first) as Row[];
      for (const row of rows) {
        const tx = txOf(row);
        if (before && !(tx.height < before.height || tx.index < before.index)) continue;
        if (after && !(tx.height > after.height || tx.index > after.index)) return;
        yield tx;
      }
      const end = rows.at(-1);
      if (rows.length < CHUNK_ROWS || !end) return;
      last = [end.block, end.ord];
    }
  }

  withHash(hash: string): ExplorerTx[] {
    const rows = this.db
      .query(`${SELECT} ORDER BY r.block DESC, r.ord DESC LIMIT ?`)
      .iterate(SEARCHED_MAX) as Iterable<Row>;
    for (const row of rows) {
      const tx = txOf(row);
      if (tx.hash.toLowerCase() === hash) return [tx];
    }
    return [];
  }

  /** Text of a failure. @param hash lower-case hexadecimal */
  failureOf(height: number, hash: string): string {
    const rows = this.db
      .query("SELECT data FROM tx_results WHERE block = ?")
      .all(firstBlockFrom(this.db, height)) as Pick<Row, "data">[];
    const results = rows.map(({ data }) => readTransactionResultAt(data, 0, data.length));
    return results.find((each) => each.hash.toLowerCase() === hash)?.failure?.error ?? "";
  }
}

function txOf({ height, n, data }: Row): ExplorerTx {
  const result = readTransactionResultAt(data, 0, data.length);
  const command = commandOf(result);
  const [kind] = COMMAND_KINDS.filter((each) => command[each] !== undefined);
  return {
    height: Number(height),
    index: Number(n),
    hash: result.hash,
    code: result.status ? 0 : FAILED,
    error: result.failure?.error ?? "",
    attributes: [
      ["tx.submitter", result.partyId],
      ...(kind ? ([["command.type", COMMANDS[kind].displayName]] as const) : []),
    ],
    content: () => ({ command }),
  };
}

/** The command of a result, as a transaction has it; nonce and height are not in the event. */
function commandOf({ proposal, ...result }: TransactionResult): Partial<InputData> {
  const { partyId, status, hash, success, failure, ...command } = result;
  return proposal ? { proposalSubmission: proposal } : command;
}
