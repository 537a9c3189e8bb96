// The story of a transaction: its command, its verdict, and the rows that it produced.
import type { Database } from "bun:sqlite";
import type { RememberedRefusal } from "../../engine/chain-port.ts";
import { chainTransaction } from "../../store/chain-transactions.ts";
import {
  type AccountName,
  type TransactionEffects,
  transactionEffects,
} from "../../store/transaction-effects.ts";
import { decodeInputData } from "../../wire/generated/commands.ts";
import { toPlain } from "../../wire/json.ts";
import { rfc3339Nano } from "../../wire/time-text.ts";
import { readTransaction } from "../../wire/transaction.ts";

export interface TransactionStory extends Effects {
  readonly hash: string;
  /** `executed`, `failed` in its block, or `refused` before it was in one. */
  readonly state: "executed" | "failed" | "refused";
  readonly height?: string;
  readonly time?: string;
  readonly party?: string;
  /** Member of `InputData`, with its payload. */
  readonly command?: Readonly<Record<string, unknown>>;
  readonly code: number;
  /** The verdict's text, rule and sentence; for a transaction in a block only while this process remembers them. */
  readonly text?: string;
  readonly rule?: string;
  readonly sentence?: string;
}

type StoredMovement = TransactionEffects["movements"][number];
type StoredBalance = TransactionEffects["balances"][number];
type StoryAccount = Omit<AccountName, "market">;

// Written out, not inferred from `effectsOf`: the package's declarations must not reach the database's type.
interface Effects {
  readonly movements: readonly (Omit<StoredMovement, "from" | "to"> & {
    readonly from: StoryAccount;
    readonly to: StoryAccount;
  })[];
  readonly balances: readonly Omit<StoredBalance, "market">[];
  readonly events: TransactionEffects["events"];
}

interface BlockRow {
  readonly no: bigint;
  readonly time: bigint;
}

/**
 * @param hash of the transaction's bytes, 64 hexadecimal digits
 * @param refusal the verdict, where the chain's process still has it
 * @returns undefined for a transaction that is in no block and was not recently refused
 */
export function transactionStory(
  db: Database,
  hash: string,
  refusal: RememberedRefusal | undefined,
): TransactionStory | undefined {
  const remembered = refusal?.outcome;
  const verdict = remembered && {
    text: remembered.text,
    ...(remembered.details && { rule: remembered.details.rule, sentence: remembered.details.sentence }),
  };
  const row = chainTransaction(db, hash.toLowerCase(), false);
  if (row === undefined) {
    if (remembered === undefined) return undefined;
    const nothing = { movements: [], balances: [], events: [] };
    const { outcome: _, ...sent } = refusal!;
    return {
      hash: hash.toUpperCase(),
      state: "refused",
      ...sent,
      code: remembered.code,
      ...verdict,
      ...nothing,
    };
  }
  const block = db
    .query("SELECT no, time FROM blocks WHERE height <= ? ORDER BY no DESC LIMIT 1")
    .get(Number(row.height)) as BlockRow;
  const { inputData, pubKey = "" } = readTransaction(row.bytes);
  const code = Number(row.code);
  return {
    hash: hash.toUpperCase(),
    state: code === 0 ? "executed" : "failed",
    height: row.height.toString(),
    time: rfc3339Nano(block.time * 1_000n),
    party: pubKey,
    command: toPlain("vega.commands.v1.InputData", decodeInputData(inputData), "stored"),
    code,
    ...(code !== 0 && verdict),
    ...effectsOf(db, block.no, hash),
  };
}

/** The rows of its block, whose accounts are named without their market. */
function effectsOf(db: Database, block: bigint, hash: string): Effects {
  const { movements, balances, events } = transactionEffects(db, block, hash);
  return {
    movements: movements.map(({ from, to, ...rest }) => ({ from: named(from), to: named(to), ...rest })),
    balances: balances.map(({ market: _, ...balance }) => balance),
    events,
  };
}

const named = ({ party, asset, type }: AccountName) => ({ party, asset, type });
