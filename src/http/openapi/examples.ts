// Examples that work when they are tried: found in what the server holds now, and only given where it answers 200.
import type { Operation, Parameter, Paths, Schema } from "./types.ts";

/** The answer of this server to a path; undefined unless it is 200. */
export type Ask = (path: string) => Promise<unknown>;

/** Where candidates are found: a list and the way to the value in a row, or a way from an answer's root. */
interface Source {
  readonly list: string;
  /** Names of members from the root of the answer; `*` for each element of a list. */
  readonly way: string;
  readonly convert?: (value: string) => string;
}

const rows = (list: string, member: string, way: string): Source => ({
  list: `/api/v2/${list}${list.includes("?") ? "&" : "?"}pagination.first=${CANDIDATES_MAX}`,
  way: `${member}.edges.*.node.${way}`,
});

/** Bundles exist for some of the rows only. */
const CANDIDATES_MAX = 40;

const ASSET = rows("assets", "assets", "id");
const MARKET = rows("markets", "markets", "id");
const ORDER = rows("orders", "orders", "id");
const PARTY = rows("parties?pagination.newestFirst=false", "parties", "id");
const NODE = rows("nodes", "nodes", "id");
const PROPOSAL = rows("governances", "connection", "proposal.id");
const SPEC = rows("oracle/specs", "oracleSpecs", "externalDataSourceSpec.spec.id");
const CANDLES: Source = { ...MARKET, convert: (market) => `trades_candle_5_minutes_${market}` };
const SEGMENTS = "/api/v2/networkhistory/segments";
const fixed = (value: string): Source => ({ list: "", way: "", convert: () => value });

type Columns = Readonly<Record<string, Source>>;

/** By operation and parameter; of several possibilities the first that finds something counts. */
type Sources = Readonly<Record<string, Columns | readonly Columns[]>>;

/** Parameters of the data API without which the operation refuses, or shows nothing. */
export const DATA_SOURCES: Sources = {
  GetAsset: { asset_id: ASSET },
  GetDeposit: { id: rows("deposits", "deposits", "id") },
  GetWithdrawal: { id: rows("withdrawals", "withdrawals", "id") },
  GetNode: { id: NODE },
  GetNetworkParameter: { key: rows("network/parameters", "networkParameters", "key") },
  GetMarket: { market_id: MARKET },
  GetLatestMarketData: { market_id: MARKET },
  GetMarketDataHistoryByID: {
    market_id: MARKET,
    startTimestamp: fixed("0"),
    endTimestamp: { list: "/api/v2/vega/time", way: "timestamp" },
  },
  GetLatestMarketDepth: { market_id: MARKET },
  GetLastTrade: { market_id: MARKET },
  EstimateFee: { marketId: MARKET, price: fixed("100"), size: fixed("1") },
  EstimateMargin: {
    marketId: MARKET,
    side: fixed("SIDE_BUY"),
    type: fixed("TYPE_LIMIT"),
    size: fixed("1"),
    price: fixed("100"),
  },
  EstimatePosition: { marketId: MARKET, openVolume: fixed("1"), collateralAvailable: fixed("1000") },
  GetOracleSpec: { oracle_spec_id: SPEC },
  GetOrder: { order_id: ORDER },
  ListOrderVersions: { order_id: ORDER },
  GetParty: { party_id: PARTY },
  GetStake: { party_id: PARTY },
  ListNodeSignatures: { id: ASSET },
  ListVotes: { partyId: PARTY },
  GetGovernanceData: { proposalId: PROPOSAL },
  ListCandleIntervals: { marketId: MARKET },
  ListCandleData: { candleId: CANDLES, fromTimestamp: fixed("0"), toTimestamp: fixed("0") },
  ListLiquidityProvisions: [{ marketId: MARKET }, { partyId: PARTY }],
  GetERC20WithdrawalApproval: { withdrawalId: rows("withdrawals", "withdrawals", "id") },
  GetERC20ListAssetBundle: { assetId: ASSET },
  GetERC20SetAssetLimitsBundle: { proposalId: PROPOSAL },
  ListRewards: { partyId: PARTY },
  ListLedgerEntries: { "filter.fromAccountFilter.partyIds": PARTY },
  ExportLedgerEntries: { partyId: PARTY, assetId: ASSET },
  ExportNetworkHistory: {
    table: { list: SEGMENTS, way: "segments.*.toHeight", convert: () => "TABLE_BLOCKS" },
    fromBlock: { list: SEGMENTS, way: "segments.*.fromHeight" },
    toBlock: { list: SEGMENTS, way: "segments.*.toHeight" },
  },
  ObserveCandleData: { candleId: CANDLES },
  ObserveMarketsData: { marketIds: MARKET },
  ObserveMarketsDepth: { marketIds: MARKET },
  ObserveMarketsDepthUpdates: { marketIds: MARKET },
  ObserveVotes: { partyId: PARTY },
  HistorySegment: { id: { list: SEGMENTS, way: "segments.*.historySegmentId" } },
  HistoryImageBytes: { id: { list: "/lyra/v1/history/image", way: "image.id" } },
};

/** The same of the node API. */
export const NODE_SOURCES: Sources = {
  GetSpamStatistics: { party_id: { list: "/parties", way: "parties.*.id" } },
  ListVotes: { party: { list: "/parties", way: "parties.*.id" } },
};
/** Answered with files, or without end: a search for an example does not read them. */
const UNREAD: ReadonlySet<string> = new Set([
  "ObserveCandleData",
  "ObserveMarketsData",
  "ObserveMarketsDepth",
  "ObserveMarketsDepthUpdates",
  "ObserveVotes",
  "ExportLedgerEntries",
  "ExportNetworkHistory",
  "HistorySegment",
  "HistoryImageBytes",
]);

type Found = Readonly<Record<string, string>>;

/** The paths with an example for each parameter that needs one, as far as there is something to show. */
export async function withExamples(paths: Paths, sources: Sources, ask: Ask): Promise<Paths> {
  const lists = new Map<string, Promise<unknown>>();
  const askOnce = (path: string) => {
    const answer = lists.get(path) ?? ask(path);
    lists.set(path, answer);
    return answer;
  };
  const examples: Paths = {};
  for (const [path, item] of Object.entries(paths)) {
    const source = item.get && sources[item.get.operationId.replace(/Alias\d+$/, "")];
    const example = source && (await searchAll(path, item.get!, [source].flat(), askOnce));
    examples[path] = example ? { ...item, get: exemplify(item.get!, example) } : item;
  }
  return examples;
}

async function searchAll(
  path: string,
  operation: Operation,
  possibilities: readonly Columns[],
  ask: Ask,
): Promise<Found | undefined> {
  for (const sources of possibilities) {
    const example = await search(path, operation, sources, ask);
    if (example !== undefined) return example;
  }
  return undefined;
}

async function search(
  path: string,
  { operationId }: Operation,
  sources: Columns,
  ask: Ask,
): Promise<Found | undefined> {
  const columns = await Promise.all(
    Object.entries(sources).map(async ([name, source]) => [name, await candidates(source, ask)] as const),
  );
  const count = Math.max(...columns.map(([, values]) => values.length));
  for (let i = 0; i < count; i++) {
    // A column with one value alone goes with every row of the others.
    const row = columns.map(([name, values]) => [name, values[values.length === 1 ? 0 : i]] as const);
    if (row.some(([, value]) => value === undefined)) return undefined;
    const values = Object.fromEntries(row) as Found;
    if (UNREAD.has(operationId) || (await ask(urlOf(path, values))) !== undefined) return values;
  }
  return undefined;
}

async function candidates({ list, way, convert }: Source, ask: Ask): Promise<string[]> {
  if (list === "") return [convert!("")];
  const values = follow(await ask(list), way.split("."));
  const texts = values.filter((value): value is string => typeof value === "string" && value !== "network");
  return convert ? texts.map(convert) : texts;
}

function follow(value: unknown, way: readonly string[]): unknown[] {
  if (value === undefined || value === null) return [];
  const [name, ...rest] = way;
  if (name === undefined) return [value];
  if (name === "*") return (value as unknown[]).flatMap((each) => follow(each, rest));
  return follow((value as Record<string, unknown>)[name], rest);
}

/** The address that is asked when an example is tried. */
function urlOf(path: string, values: Found): string {
  const left = new URLSearchParams(values);
  const url = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = left.get(name) ?? "";
    left.delete(name);
    return encodeURIComponent(value);
  });
  return left.size > 0 ? `${url}?${left}` : url;
}

function exemplify(operation: Operation, values: Found): Operation {
  const parameters = operation.parameters.map((parameter) => {
    const value = "name" in parameter ? values[parameter.name] : undefined;
    return value === undefined ? parameter : { ...parameter, example: typed(parameter as Parameter, value) };
  });
  return { ...operation, parameters };
}

function typed({ schema }: Parameter, value: string): unknown {
  return isList(schema) ? [value] : value;
}

const isList = ({ type }: Schema) => type === "array";
