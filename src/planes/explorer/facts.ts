// Facts of the chain that the network's interface lacks: blocks with their transactions, transactions in words, parameters
// beside their defaults.
import { PARAMETERS } from "../../engine/parameter-definitions.ts";
import type { Activity, Blocks, Parameters } from "../../http/chain-bodies.ts";
import { hasChain } from "../../store/head.ts";
import { WireError } from "../../wire/errors.ts";
import { rfc3339Nano } from "../../wire/time-text.ts";
import { COMMANDS } from "../../wire/transaction-commands.ts";
import type { DataContext } from "../data/context.ts";
import { type BlockRow, blockAt, firstBlockFrom, hashOf } from "./block-rows.ts";
import { CommandWords } from "./command-words.ts";
import {
  attributeOf,
  COMMAND_TYPE,
  type ExplorerTx,
  type ListRequest,
  selectTransactions,
  type TransactionSource,
} from "./transactions.ts";

/** Of one answer: what a chart of a wide page shows. */
const BLOCKS_MAX = 500;
const BLOCKS_DEFAULT = 50;
const ACTIVITY_MAX = 200;

interface BlocksRequest {
  readonly limit: number | undefined;
  /** Blocks below this height. */
  readonly before: number | undefined;
}

export function listBlocks({ db }: DataContext, { limit, before }: BlocksRequest): Blocks {
  const end = before === undefined ? Number.MAX_SAFE_INTEGER : firstBlockFrom(db, before);
  const rows = db
    .query("SELECT no, height, time, hash FROM blocks WHERE no < ? ORDER BY no DESC LIMIT ?")
    .all(end, Math.min(limit || BLOCKS_DEFAULT, BLOCKS_MAX)) as BlockRow[];
  const last = rows.at(-1);
  if (last === undefined) return { blocks: [] };
  // Blocks of one time share a row, so a row may stand for several heights.
  const counts = hasChain(db)
    ? (db
        .query(
          `SELECT (SELECT no FROM blocks b WHERE b.no <= ? AND b.height <= t.height ORDER BY b.no DESC LIMIT 1) AS no, count(*) AS n
            FROM chain_txs t WHERE t.height >= ?
              AND t.height < coalesce((SELECT height FROM blocks WHERE no > ? ORDER BY no LIMIT 1), ${Number.MAX_SAFE_INTEGER})
            GROUP BY 1`,
        )
        .all(rows[0]!.no, last.height, rows[0]!.no) as Count[])
    : (db
        .query("SELECT block AS no, count(*) AS n FROM tx_results WHERE block BETWEEN ? AND ? GROUP BY block")
        .all(last.no, rows[0]!.no) as Count[]);
  const countOf = new Map(counts.map(({ no, n }) => [no, Number(n)]));
  return {
    blocks: rows.map((row) => ({
      height: Number(row.height),
      hash: hashOf(row),
      time: rfc3339Nano(row.time * 1_000n),
      transactions: countOf.get(row.no) ?? 0,
    })),
  };
}

interface Count {
  readonly no: bigint;
  readonly n: bigint;
}

export interface ActivityRequest extends ListRequest {
  /** Leaves out the commands that validators send as part of their work. */
  readonly isWithoutValidators?: boolean;
}

/** @throws ApiError */
export async function listActivity(
  context: DataContext,
  source: TransactionSource,
  request: ActivityRequest,
): Promise<Activity> {
  const words = new CommandWords(context);
  const times = new Map<number, string>();
  const limited = { ...request, limit: Math.min(request.limit || ACTIVITY_MAX, ACTIVITY_MAX) };
  const transactions = await selectTransactions(source, limited, (tx) => {
    if (request.isWithoutValidators && isOfValidators(tx)) return undefined;
    const summary = summaryOf(tx, words);
    if (summary === undefined) return undefined;
    const time = times.get(tx.height) ?? blockTime(context, tx.height);
    times.set(tx.height, time);
    return { ...summary, time, cursor: `${tx.height}.${tx.index}` };
  });
  return { transactions };
}

const VALIDATOR_COMMANDS: ReadonlySet<string> = new Set(
  Object.values(COMMANDS).flatMap(({ displayName, isValidatorCommand }) =>
    isValidatorCommand ? [displayName] : [],
  ),
);

const isOfValidators = (tx: ExplorerTx) => VALIDATOR_COMMANDS.has(attributeOf(tx, COMMAND_TYPE));

/** The first members of every answer about a transaction; undefined for bytes that cannot be read. */
export function summaryOf(tx: ExplorerTx, words: CommandWords) {
  try {
    const { command } = tx.content();
    return {
      hash: tx.hash.toUpperCase(),
      height: tx.height,
      index: tx.index,
      submitter: attributeOf(tx, "tx.submitter"),
      type: attributeOf(tx, COMMAND_TYPE),
      title: words.of(command).title,
      code: tx.code,
      error: tx.error,
      impersonated: tx.isImpersonated ?? false,
      ofValidators: isOfValidators(tx),
    };
  } catch (error) {
    if (error instanceof WireError) return undefined;
    throw error;
  }
}

/** Empty where the store lacks the block. */
export function blockTime({ db }: DataContext, height: number): string {
  const row = blockAt(db, height);
  return row === undefined ? "" : rfc3339Nano(row.time * 1_000n);
}

interface ParametersRequest {
  /** Only those that differ from their defaults, or only those that do not. */
  readonly changed?: boolean;
  readonly limit?: number;
  /** A name: those behind it. */
  readonly after?: string;
}

export function listParameters(context: DataContext, request: ParametersRequest): Parameters {
  const rows = context.all<{ key: string; value: string }>(
    "SELECT key, value FROM network_parameters_current ORDER BY key",
  );
  const all = rows.map(({ key, value }) => {
    const initial = PARAMETERS.get(key)?.initial;
    return {
      key,
      value,
      default: initial ?? null,
      changed: initial !== undefined && !isSame(initial, value),
    };
  });
  const chosen = all.filter(({ changed }) => request.changed === undefined || changed === request.changed);
  const { after = "", limit = chosen.length } = request;
  // Names are ASCII: the store sorts them as `>` does.
  return { parameters: chosen.filter(({ key }) => key > after).slice(0, limit), total: chosen.length };
}

/** Defaults are the network's texts: `1.0` and `1` are the same number. */
function isSame(one: string, other: string): boolean {
  return shortest(one) === shortest(other);
}

const shortest = (text: string) => (/^-?\d+\.\d+$/.test(text) ? text.replace(/\.?0+$/, "") : text);
