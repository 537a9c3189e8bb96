// The block explorer of a node: where its transactions are found, and its three calls.
import { badRequest } from "../../http/errors.ts";
import type { QueryPairs } from "../../http/query.ts";
import { hasChain } from "../../store/head.ts";
import type { DataContext } from "../data/context.ts";
import { ChainSource } from "./chain-source.ts";
import { CometSource, type TxIndex } from "./comet-source.ts";
import { ResultSource } from "./result-source.ts";
import {
  getTransaction,
  type ListRequest,
  listTransactions,
  type TransactionSource,
} from "./transactions.ts";

const PACKAGE = "blockexplorer.api.v1";
const LIMIT_MAX = 2n ** 32n - 1n;
const KEY_OF_FILTER = /^filters\[([^\]]*)\]$/;

export class Explorer {
  /** @param index the consensus engine's, where there is one */
  constructor(
    private readonly context: () => DataContext,
    private readonly index?: TxIndex,
  ) {}

  info(): object {
    const { version, commit } = this.context().build;
    return { version, commitHash: commit };
  }

  /** @throws ApiError */
  list(request: ListRequest): Promise<object> {
    return listTransactions(this.source({ isSignedOnly: true }), request);
  }

  /** @throws ApiError */
  get(hash: string): Promise<object> {
    return getTransaction(this.source({ isSignedOnly: true }), hash);
  }

  /** @param isSignedOnly without those of a devnet's tools, which no indexer of the chain sees */
  source({ isSignedOnly = false } = {}): TransactionSource {
    if (this.index) return new CometSource(this.index);
    const { db } = this.context();
    const results = new ResultSource(db);
    if (!hasChain(db)) return results;
    return new ChainSource(db, isSignedOnly, (height, hash) => results.failureOf(height, hash));
  }
}

/** A list request out of a query. @throws ApiError 400 with the original's text */
export function listRequestOf(pairs: QueryPairs): ListRequest {
  const filters = new Map<string, string>();
  const request: { limit?: number; before?: string; after?: string } = {};
  for (const [key, value] of pairs) {
    const name = key === "filters" ? value : KEY_OF_FILTER.exec(key)?.[1];
    if (name !== undefined) {
      if (key === "filters" || filters.has(name)) throw severalValues(name);
      filters.set(name, value);
    } else if (key === "limit") request.limit = limitOf(value);
    else if (key === "before" || key === "after") request[key] = value;
  }
  return { ...request, filters: [...filters].map(([key, value]) => ({ key, value })) };
}

function severalValues(name: string): Error {
  const shown = JSON.stringify(name.slice(0, 100));
  return badRequest(
    `more than one value provided for key ${shown} in map "${PACKAGE}.ListTransactionsRequest.filters"`,
  );
}

function limitOf(text: string): number {
  const shown = JSON.stringify(text.slice(0, 100));
  const fail = (reason: string) =>
    badRequest(`parsing field "limit": strconv.ParseUint: parsing ${shown}: ${reason}`);
  if (!/^\d+$/.test(text)) throw fail("invalid syntax");
  if (text.length > 10 || BigInt(text) > LIMIT_MAX) throw fail("value out of range");
  return Number(text);
}
