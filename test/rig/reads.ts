// Everything that can be read out of a store: all rows of all exported tables, and every resource of the data API
// for everything it knows. All data that ingest let in must come out of all of them.
import type { Database } from "bun:sqlite";
import { RowSource } from "../../src/history/rows/source.ts";
import { EXPORT_TABLES } from "../../src/history/tables.ts";
import { DEFAULT_LIMITS } from "../../src/http/limits.ts";
import { DataContext } from "../../src/planes/data/context.ts";
import { DATA_ENDPOINTS } from "../../src/planes/data/endpoints.ts";
import { DataPlane } from "../../src/planes/data/plane.ts";
import { identifierText } from "../../src/wire/identifiers.ts";

/**
 * Failures that the interface demands, whatever the rows
 * (docs/protocol/10-data-api-endpoints.md#45-geterc20withdrawalapproval, #56-getstake and
 * #515-markets-and-market-data).
 */
const DEMANDED = [
  "invalid erc20 token contract address",
  "not an update asset proposal",
  "no market data for market",
  "the stake is negative",
  "not a decimal number",
  "invalid candle id",
  "market or party filters are required",
];

/** Things of each kind that are asked for by their own id: the ones that changed last. */
const NEWEST_IDS = 3;
/** Parties are named by events of many kinds, not only by their own. */
const PARTIES = 20;

interface Question {
  readonly path: string;
  readonly at: Readonly<Record<string, string>>;
  readonly query: string;
}

/** Reads a store through one connection; its questions can be put again after each block. */
export class EverythingReader {
  private readonly plane: DataPlane;

  /** @param pageRows rows of a list; the newest ones, for most */
  constructor(
    private readonly db: Database,
    pageRows = DEFAULT_LIMITS.pageRowsDefault,
  ) {
    const limits = { ...DEFAULT_LIMITS, pageRowsDefault: pageRows };
    const context = new DataContext(db, { limits, build: { version: "v1", commit: "c" } });
    this.plane = new DataPlane(context);
  }

  /** The failed reads; empty when everything can be read. */
  failures(): string[] {
    const { last } = this.db.query("SELECT coalesce(max(no), 0) AS last FROM blocks").get() as {
      last: bigint;
    };
    return [...this.csvFailures(1, Number(last)), ...this.apiFailures()];
  }

  /** Rows of blocks `first` to `last` in all exported tables. */
  csvFailures(first: number, last: number): string[] {
    const source = new RowSource(this.db);
    const faults: string[] = [];
    for (const table of EXPORT_TABLES) {
      try {
        const columns = table.header.split(",").length;
        for (const line of table.lines(source, { first, last })) {
          if (!line.endsWith("\n") || line.split(",").length < columns) faults.push(`${table.name}: ${line}`);
          if (line.includes("undefined")) faults.push(`${table.name}: ${line}`);
        }
      } catch (error) {
        faults.push(`${table.name}: ${(error as Error).message}`);
      }
    }
    source.close();
    return faults;
  }

  /** @param paths only these resources; all without */
  apiFailures(paths?: ReadonlySet<string>): string[] {
    const faults: string[] = [];
    for (const question of this.questions(paths)) {
      const failure = this.ask(question);
      if (failure)
        faults.push(`${question.path} ${JSON.stringify(question.at)} ${question.query}: ${failure}`);
    }
    return faults;
  }

  /** The questions as a client puts them: addresses without the host. */
  requests(): string[] {
    return this.questions().map(({ path, at, query }) => {
      const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
        encodeURIComponent(at[camelCase(name)]!),
      );
      return query === "" ? filled : `${filled}?${query}`;
    });
  }

  private ask({ path, at, query }: Question): string | undefined {
    const endpoint = DATA_ENDPOINTS.find((candidate) => candidate.path === path)!;
    try {
      const answer = this.plane.answer(endpoint, { query, path: at, accept: null });
      const body = answer.body;
      JSON.parse(body);
      const isDemanded = answer.status < 500 || DEMANDED.some((text) => body.includes(text));
      return isDemanded ? undefined : body;
    } catch (error) {
      return (error as Error).message;
    }
  }

  private questions(paths?: ReadonlySet<string>): Question[] {
    const ids = this.ids();
    return DATA_ENDPOINTS.filter(({ path }) => !paths || paths.has(path)).flatMap(({ path }) => {
      const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);
      const title = names[0] ? camelCase(names[0]) : undefined;
      const ats = title ? (ids[AT[path] ?? title] ?? []).map((id) => ({ [title]: id })) : [{}];
      const queries = (QUERIES[path] ?? (() => [""]))(ids);
      return ats.flatMap((at) => queries.map((query) => ({ path, at, query })));
    });
  }

  private ids(): Ids {
    const texts = (sql: string) =>
      this.db
        .query(sql)
        .values()
        .map(([value]) => (value instanceof Uint8Array ? identifierText(value) : String(value)));
    const newest = (table: string, column: string, most = NEWEST_IDS) =>
      texts(`SELECT ${column} FROM ${table} GROUP BY ${column} ORDER BY max(block) DESC LIMIT ${most}`);
    const interned = (table: string, column: string, most = NEWEST_IDS) =>
      texts(`SELECT i.bytes FROM ${table} t JOIN ids i ON i.ref = t.${column}
        GROUP BY t.${column} ORDER BY max(t.block) DESC LIMIT ${most}`);
    // Each kind is looked for when it is asked for.
    return lazily({
      partyId: () => interned("parties", "id", PARTIES),
      marketId: () => interned("markets_current", "id"),
      assetId: () => interned("assets_current", "id"),
      nodeId: () => interned("nodes", "id"),
      orderId: () => newest("orders_current", "id"),
      proposalId: () => newest("proposals_current", "id"),
      depositId: () => newest("deposits_current", "id"),
      withdrawalId: () => newest("withdrawals_current", "id"),
      oracleSpecId: () => newest("oracle_specs", "id"),
      resourceId: () => newest("node_signatures", "resource"),
      epochId: () => newest("epochs", "id"),
      key: () => newest("network_parameters_current", "key"),
    });
  }
}

function lazily(makers: Readonly<Record<string, () => readonly string[]>>): Ids {
  const ids: Ids = {};
  for (const [name, make] of Object.entries(makers)) {
    let cached: readonly string[] | undefined;
    Object.defineProperty(ids, name, { get: () => (cached ??= make()) });
  }
  return ids;
}

type Ids = Readonly<Record<string, readonly string[]>>;

/** The thing that a path's parameter names, where its name does not say it. */
const AT: Readonly<Record<string, string>> = {
  "/api/v2/deposit/{id}": "depositId",
  "/api/v2/withdrawal/{id}": "withdrawalId",
  "/api/v2/node/{id}": "nodeId",
};

const FOREVER = "startTimestamp=0&endTimestamp=9223372036854775807";
/** Queries of the resources that give nothing, or not all, without one. */
const QUERIES: Readonly<Record<string, (ids: Ids) => string[]>> = {
  "/api/v2/ledgerentry/history": ({ partyId }) =>
    // Without a party the list refuses.
    partyId!.filter((id) => id !== "").map((id) => `filter.fromAccountFilter.partyIds=${id}`),
  "/api/v2/erc20/asset/withdrawal/bundle": each("withdrawalId"),
  "/api/v2/erc20/asset/list/bundle": each("assetId"),
  "/api/v2/erc20/asset/limits/bundle": each("proposalId"),
  "/api/v2/candle/intervals": each("marketId"),
  "/api/v2/candle": ({ marketId }) => marketId!.map((id) => `candleId=trades_candle_1_hour_${id}`),
  "/api/v2/epoch": ({ epochId }) => ["", ...epochId!.map((id) => `id=${id}`)],
  "/api/v2/nodes": ({ epochId }) => ["", ...epochId!.map((id) => `epochSeq=${id}`)],
  "/api/v2/governance": each("proposalId"),
  "/api/v2/node/signatures": ({ resourceId }) => resourceId!.map((id) => `id=${id}`),
  "/api/v2/market/data/{market_id}": () => [FOREVER],
  "/api/v2/liquidity/provisions": each("marketId"),
  "/api/v2/margin/levels": each("partyId"),
  "/api/v2/votes": each("proposalId"),
};

function each(name: string): (ids: Ids) => string[] {
  return (ids) => ids[name]!.map((id) => `${name}=${id}`);
}

function camelCase(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}
