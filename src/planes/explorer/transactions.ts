/**
 * Transactions of blocks as the block explorer shows them (docs/protocol/95-graphql-explorer.md#13-block-explorer-api):
 * newest first, between cursors, and filtered by the attributes that the consensus engine indexes.
 */
import { ApiError, type ErrorDetail, internal, invalidArgument } from "../../http/errors.ts";
import { WireError } from "../../wire/errors.ts";
import { decodeInputData, type InputData } from "../../wire/generated/commands.ts";
import { isHex64 } from "../../wire/identifiers.ts";
import { readTransaction } from "../../wire/transaction.ts";
import type { Attributes } from "../../wire/transaction-attributes.ts";

const LIMIT_DEFAULT = 50;
/** Transactions of one answer. */
const LIMIT_MAX = 1_000;
/** Filters of one request; a transaction has a dozen attributes. */
const FILTERS_MAX = 100;
/** Transactions examined for one answer with filters. */
const SEEN_MAX = 50_000;

/** Where a transaction stands. */
interface TxPlace {
  readonly height: number;
  readonly index: number;
}

/** Transactions strictly between two places. */
export interface TxRange {
  readonly before?: TxPlace | undefined;
  readonly after?: TxPlace | undefined;
}

/** A transaction in a block. */
export interface ExplorerTx extends TxPlace {
  /** Hexadecimal. */
  readonly hash: string;
  readonly code: number;
  /** Text of a failure. */
  readonly error: string;
  readonly attributes: Attributes;
  /** Command and signature. @throws WireError for bytes that are not a transaction */
  content(): TxContent;
  /** The transaction itself; absent where only the result is known. */
  readonly bytes?: Uint8Array;
  /** Made by a tool of a devnet, without a signature. */
  readonly isImpersonated?: boolean;
}

interface TxContent {
  readonly command: Partial<InputData>;
  /** Absent where only the result is known. */
  readonly signature?: object | undefined;
}

type Some<T> = Iterable<T> | AsyncIterable<T>;

/** Where transactions are found. */
export interface TransactionSource {
  /** @param attributes of the filters; a source may use them to find transactions faster */
  newestFirst(range: TxRange, attributes: Attributes): Some<ExplorerTx>;
  /** @param hash lower-case hexadecimal */
  withHash(hash: string): Promise<readonly ExplorerTx[]> | readonly ExplorerTx[];
}

export interface ListRequest {
  readonly limit?: number;
  readonly before?: string;
  readonly after?: string;
  readonly filters?: readonly { readonly key: string; readonly value: string }[];
}

/** Command and signature out of a transaction's bytes. @throws WireError */
export function contentOf(bytes: Uint8Array): TxContent {
  const { inputData, signature } = readTransaction(bytes);
  return { command: decodeInputData(inputData), signature };
}

/** @returns `ListTransactionsResponse` @throws ApiError */
export async function listTransactions(source: TransactionSource, request: ListRequest): Promise<object> {
  return { transactions: await selectTransactions(source, request, readable) };
}

/** The newest transactions that fit, each as `form` shows it, without those that it cannot show. @throws ApiError */
export async function selectTransactions<T>(
  source: TransactionSource,
  request: ListRequest,
  form: (tx: ExplorerTx) => T | undefined,
): Promise<T[]> {
  const limit = Math.min(request.limit || LIMIT_DEFAULT, LIMIT_MAX);
  const { range, attributes } = selectionOf(request);
  const transactions: T[] = [];
  let seen = 0;
  for await (const tx of source.newestFirst(range, attributes)) {
    if (transactions.length === limit || ++seen > SEEN_MAX) break;
    const shown = hasAll(tx.attributes, attributes) ? form(tx) : undefined;
    if (shown !== undefined) transactions.push(shown);
  }
  return transactions;
}

/** @returns `GetTransactionResponse` @throws ApiError */
export async function getTransaction(source: TransactionSource, hash: string): Promise<object> {
  const message = readable(await transactionWith(source, hash));
  if (message === undefined) throw internal("the transaction cannot be read");
  return { transaction: message };
}

/** @throws ApiError unless there is exactly one */
export async function transactionWith(source: TransactionSource, hash: string): Promise<ExplorerTx> {
  const matches = isHex64(hash) ? await source.withHash(hash.toLowerCase()) : [];
  if (matches.length === 0) throw numbered(5, "NotFound error", 10_001, "transaction not found");
  if (matches.length > 1)
    throw numbered(9, "FailedPrecondition error", 10_002, "multiple transactions found", 400);
  return matches[0]!;
}

function numbered(grpc: number, text: string, code: number, message: string, status?: number): ApiError {
  const detail: ErrorDetail = { "@type": "type.googleapis.com/vega.ErrorDetail", code, message, inner: "" };
  return new ApiError(grpc, text, [detail], false, status === undefined ? {} : { status });
}

/** undefined for a transaction that cannot be read: lists leave it out. */
function readable(tx: ExplorerTx): object | undefined {
  let content: TxContent;
  try {
    content = tx.content();
  } catch (error) {
    if (error instanceof WireError) return undefined;
    throw error;
  }
  const { height, index, hash, code, error } = tx;
  return {
    block: BigInt(height),
    index,
    hash: hash.toUpperCase(),
    submitter: attributeOf(tx, "tx.submitter"),
    type: attributeOf(tx, COMMAND_TYPE),
    code,
    cursor: `${height}.${index}`,
    ...content,
    ...(code !== 0 && { error }),
  };
}

export const attributeOf = ({ attributes }: ExplorerTx, name: string) =>
  attributes.find(([key]) => key === name)?.[1] ?? "";

export const COMMAND_TYPE = "command.type";
/** The column's name in the original's database. */
const TYPE_COLUMN = "cmd.type";
const HEIGHT = "block.height";
const WHOLE = /^\d+$/;
const UINT64_MAX = 2n ** 64n - 1n;
const UINT32_MAX = 2n ** 32n - 1n;

/** @throws ApiError */
function selectionOf({ before, after, filters = [] }: ListRequest): {
  range: TxRange;
  attributes: Attributes;
} {
  if (filters.length > FILTERS_MAX) throw invalidArgument(`more than ${FILTERS_MAX} filters`);
  const range = {
    before: before === undefined ? undefined : placeOf(before),
    after: after === undefined ? undefined : placeOf(after),
  };
  // The message has a map: of two values of a key the last one counts.
  const {
    [HEIGHT]: height,
    [TYPE_COLUMN]: type,
    ...others
  } = Object.fromEntries(filters.map(({ key, value }) => [key, value]));
  const attributes = Object.entries(others);
  if (type !== undefined) attributes.push([COMMAND_TYPE, type]);
  return { range: height === undefined ? range : withinBlock(range, height), attributes };
}

/** @throws ApiError 500 for an invalid height, as in the original */
function withinBlock({ before, after }: TxRange, text: string): TxRange {
  if (!WHOLE.test(text) || text.length > 15) throw internal("not a block height", text.slice(0, 100));
  const height = Number(text);
  const next = { height: height + 1, index: 0 };
  const first = { height, index: -1 };
  return {
    before: before && isEarlier(before, next) ? before : next,
    after: after && isEarlier(first, after) ? after : first,
  };
}

function isEarlier(a: TxPlace, b: TxPlace): boolean {
  return a.height < b.height || (a.height === b.height && a.index < b.index);
}

export function isWithin(place: TxPlace, { before, after }: TxRange): boolean {
  return (!before || isEarlier(place, before)) && (!after || isEarlier(after, place));
}

/** @throws ApiError 400 */
function placeOf(cursor: string): TxPlace {
  const parts = cursor.split(".");
  if (parts.length !== 2) throw invalidArgument(`invalid cursor string: ${cursor.slice(0, 200)}`);
  const [height, index] = [
    numberIn(parts[0]!, UINT64_MAX, "block number"),
    numberIn(parts[1]!, UINT32_MAX, "transaction index"),
  ];
  return { height: Number(height), index: Number(index) };
}

function numberIn(text: string, maximum: bigint, title: string): bigint {
  const shown = JSON.stringify(text.slice(0, 100));
  const fail = (reason: string) =>
    invalidArgument(`invalid ${title}: strconv.ParseUint: parsing ${shown}: ${reason}`);
  if (!WHOLE.test(text)) throw fail("invalid syntax");
  if (text.length > 20 || BigInt(text) > maximum) throw fail("value out of range");
  return BigInt(text);
}

function hasAll(attributes: Attributes, expected: Attributes): boolean {
  return expected.every(([name, value]) => attributes.some((each) => each[0] === name && each[1] === value));
}
