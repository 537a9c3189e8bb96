// The methods of the consensus engine's RPC, over a chain that makes its own blocks.
import type { ChainPort } from "../../engine/chain-port.ts";
import { rfc3339Nano } from "../../wire/time-text.ts";
import { attributesOf } from "../../wire/transaction-attributes.ts";
import type { NodeContext } from "../node/context.ts";
import { type CometBlocks, VERSION } from "./blocks.ts";
import { type CometGenesis, validatorJson } from "./genesis.ts";
import { Query, QueryError } from "./query.ts";
import { type BlockTx, broadcastResult, checkResult, deliverResult, NO_RESULT } from "./results.ts";
import { CometRpcError, type Given, type Parameters } from "./rpc.ts";

/** The engine that the network's nodes have inside (docs/protocol/30-node-api-endpoints.md#8-cometbft-rpc-underneath). */
const ENGINE_VERSION = "0.34.27";
const ID_CHARACTERS = 40;
const PER_PAGE = 30;
const PER_PAGE_MAX = 100;
/** Blocks of one answer of `blockchain`. */
const METAS_MAX = 20;
/** Transactions, or blocks, that a search looks at. */
const SEARCHED_MAX = 20_000;

export interface CometContext {
  readonly chain: ChainPort;
  readonly node: Pick<NodeContext, "submit" | "check">;
  readonly blocks: CometBlocks;
  readonly genesis: CometGenesis;
  /** Where the RPC listens, for `status`. */
  readonly address: string;
}

export interface Method {
  readonly parameters: Parameters;
  /** @throws CometRpcError, and the failures of the chain and of the store */
  answer(context: CometContext, given: Given): object | Promise<object>;
}

const HEIGHT: Parameters = [["height", "number"]];
const TX: Parameters = [["tx", "bytes"]];
const PAGE: Parameters = [
  ["page", "number"],
  ["per_page", "number"],
];
const SEARCH: Parameters = [...PAGE, ["order_by", "text"]];

/** @returns the height that is asked for; the last one where there is none @throws CometRpcError */
function heightOf({ blocks }: CometContext, { height }: Given): number {
  const { first, last } = blocks.range;
  if (height === undefined) return last;
  const target = height as number;
  if (target <= 0) throw new CometRpcError("internal", `height must be greater than 0, but got ${target}`);
  if (target > last) {
    const text = `height ${target} must be less than or equal to the current blockchain height ${last}`;
    throw new CometRpcError("internal", text);
  }
  if (target < first)
    throw new CometRpcError("internal", `height ${target} is not available, lowest height is ${first}`);
  return target;
}

function txOf({ tx }: Given): Uint8Array {
  return (tx as Uint8Array | undefined) ?? new Uint8Array(0);
}

function statusOf(context: CometContext): object {
  const { blocks, genesis, address } = context;
  const { first, last } = blocks.range;
  const [latest, earliest] = [blocks.find(last), blocks.find(first)];
  const [validator] = genesis.validators;
  const isSelf = validator && validatorOf(validator);
  return {
    node_info: {
      protocol_version: { p2p: "8", ...VERSION },
      id: earliest.hash.slice(0, ID_CHARACTERS).toLowerCase(),
      listen_addr: "tcp://127.0.0.1:26656",
      network: context.chain.status.chainId,
      version: ENGINE_VERSION,
      channels: "40202122233038606100",
      moniker: validator?.name || "lyra-devnet",
      other: { tx_index: "on", rpc_address: address },
    },
    sync_info: {
      latest_block_hash: latest.hash,
      latest_app_hash: blocks.appHash(last),
      latest_block_height: String(last),
      latest_block_time: rfc3339Nano(latest.timeNs),
      earliest_block_hash: earliest.hash,
      earliest_app_hash: blocks.appHash(first),
      earliest_block_height: String(first),
      earliest_block_time: rfc3339Nano(earliest.timeNs),
      catching_up: false,
    },
    validator_info: isSelf ?? { address: "", pub_key: null, voting_power: "0" },
  };
}

function validatorOf(validator: CometGenesis["validators"][number]) {
  return { ...validatorJson(validator), voting_power: String(validator.power) };
}

function foundTx({ hash, bytes, height, index, ...rest }: BlockTx & { height: number; index: number }) {
  return {
    hash,
    height: String(height),
    index,
    tx_result: deliverResult({ hash, bytes, ...rest }),
    tx: Buffer.from(bytes).toString("base64"),
  };
}

function findTx({ blocks }: CometContext, { hash }: Given): object {
  const bytes = (hash as Uint8Array | undefined) ?? new Uint8Array(0);
  const target = bytes.toHex().toUpperCase();
  const { first, last } = blocks.range;
  let looked = 0;
  for (const tx of blocks.txsBack(last, first)) {
    if (tx.hash === target) return foundTx(tx);
    if (++looked >= SEARCHED_TX_HASHES_MAX) break;
  }
  throw new CometRpcError("internal", `tx (${target}) not found`);
}

/** A hash is quick to compare. */
const SEARCHED_TX_HASHES_MAX = 200_000;

function queryOf({ query }: Given): Query {
  return parseQuery((query as string | undefined) ?? "");
}

/** @throws CometRpcError */
export function parseQuery(text: string): Query {
  try {
    return Query.parse(text);
  } catch (error) {
    if (error instanceof QueryError) throw new CometRpcError("internal", error.message);
    throw error;
  }
}

/** Heights that a query's conditions on one attribute leave. */
function heightsOf(query: Query, name: string, { first, last }: { first: number; last: number }) {
  let [from, to] = [first, last];
  for (const { operator, value, isNumber } of query.on(name)) {
    if (!isNumber) continue;
    const number = Number(value);
    if (operator === "=" || operator === ">=" || operator === ">")
      from = Math.max(from, operator === ">" ? Math.floor(number) + 1 : Math.ceil(number));
    if (operator === "=" || operator === "<=" || operator === "<")
      to = Math.min(to, operator === "<" ? Math.ceil(number) - 1 : Math.floor(number));
  }
  return { from, to };
}

/** Values of a transaction that searches and subscriptions compare. */
export function valuesOf(tx: BlockTx, height: number): Map<string, string[]> {
  const values = new Map<string, string[]>([
    ["tm.event", ["Tx"]],
    ["tx.hash", [tx.hash]],
    ["tx.height", [String(height)]],
  ]);
  for (const [name, value] of attributesOf(tx)) values.set(name, [...(values.get(name) ?? []), value]);
  return values;
}

function searchTxs({ blocks }: CometContext, given: Given): object {
  const query = queryOf(given);
  const { from, to } = heightsOf(query, "tx.height", blocks.range);
  const matches: (BlockTx & { height: number; index: number })[] = [];
  let looked = 0;
  for (const tx of blocks.txsBack(to, from)) {
    if (++looked > SEARCHED_MAX) throw tooMany("transactions", "tx.height");
    if (query.matches(valuesOf(tx, tx.height))) matches.push(tx);
  }
  const page = pageOf(ordered(matches, given), given);
  return { txs: page.map(foundTx), total_count: String(matches.length) };
}

function searchBlocks({ blocks }: CometContext, given: Given): object {
  const query = queryOf(given);
  const { from, to } = heightsOf(query, "block.height", blocks.range);
  if (to - from >= SEARCHED_MAX) throw tooMany("blocks", "block.height");
  const matches: number[] = [];
  // The application's blocks have no events: only their height is indexed.
  for (let height = to; height >= from; height--)
    if (query.matches(new Map([["block.height", [String(height)]]]))) matches.push(height);
  const page = pageOf(ordered(matches, given), given);
  return { blocks: page.map((height) => blocks.block(height)), total_count: String(matches.length) };
}

function tooMany(things: string, name: string): CometRpcError {
  return new CometRpcError(
    "internal",
    `the search looks at more than ${SEARCHED_MAX} ${things}: add conditions on ${name}`,
  );
}

/** @param rows the newest first */
function ordered<T>(rows: T[], { order_by: order = "asc" }: Given): T[] {
  if (order === "desc") return rows;
  if (order !== "asc" && order !== "") {
    throw new CometRpcError("internal", "expected order_by to be either `asc` or `desc` or empty");
  }
  return rows.reverse();
}

/** @throws CometRpcError */
function pageOf<T>(all: readonly T[], { page = 1, per_page: size = PER_PAGE }: Given): readonly T[] {
  const rows = Math.min(PER_PAGE_MAX, (size as number) < 1 ? PER_PAGE : (size as number));
  const pages = Math.max(1, Math.ceil(all.length / rows));
  if ((page as number) <= 0 || (page as number) > pages) {
    throw new CometRpcError("internal", `page should be within [1, ${pages}] range, given ${page}`);
  }
  return all.slice(((page as number) - 1) * rows, (page as number) * rows);
}

/** Headers of the newest blocks of a range, the newest first. */
function blockMetas({ blocks }: CometContext, given: Given): object {
  const { minHeight: least = 0, maxHeight: most = 0 } = given as { minHeight?: number; maxHeight?: number };
  if (least < 0 || most < 0) throw new CometRpcError("internal", "heights must be non-negative");
  const { first, last } = blocks.range;
  const to = Math.min(most || last, last);
  const from = Math.max(least, first, to - METAS_MAX + 1);
  if (from > to)
    throw new CometRpcError("internal", `min height ${from} can't be greater than max height ${to}`);
  const metas: object[] = [];
  for (let height = to; height >= from; height--) metas.push(blocks.meta(height));
  return { last_height: String(last), block_metas: metas };
}

function validators(context: CometContext, given: Given): object {
  const height = heightOf(context, given);
  const all = context.genesis.validators;
  const page = pageOf(all, given).map((each) => ({ ...validatorOf(each), proposer_priority: "0" }));
  return {
    block_height: String(height),
    validators: page,
    count: String(page.length),
    total: String(all.length),
  };
}

function genesisChunk({ genesis: { chunks } }: CometContext, { chunk = 0 }: Given): object {
  const at = chunk as number;
  const bytes = chunks[at];
  if (bytes === undefined)
    throw new CometRpcError("internal", `there are ${chunks.length - 1} chunks, ${at} is invalid`);
  return {
    chunk: String(at),
    total: String(chunks.length),
    data: Buffer.from(bytes).toString("base64"),
  };
}

function wholeGenesis({ genesis: { document, chunks } }: CometContext): object {
  if (chunks.length > 1) {
    const text = "genesis response is large, please use the genesis_chunked API instead";
    throw new CometRpcError("internal", text);
  }
  return { genesis: document };
}

async function commitTx({ node }: CometContext, given: Given): Promise<object> {
  const bytes = txOf(given);
  const outcome = await node.submit(bytes, "commit");
  const { hash, height } = outcome;
  // Refused before a block, or when it was looked at again.
  if (height === 0) {
    return { check_tx: checkResult(outcome, bytes), deliver_tx: NO_RESULT, hash, height: "0" };
  }
  return {
    check_tx: checkResult({ ...outcome, code: 0, text: "" }, bytes),
    deliver_tx: deliverResult({ ...outcome, bytes }),
    hash,
    height: String(height),
  };
}

function unconfirmed({ chain }: CometContext): object {
  const { count, bytes } = chain.status.mempool;
  return { n_txs: String(count), total: String(count), total_bytes: String(bytes), txs: null };
}

export const METHODS: Readonly<Record<string, Method>> = {
  health: { parameters: [], answer: () => ({}) },
  status: { parameters: [], answer: statusOf },
  net_info: {
    parameters: [],
    answer: () => ({ listening: true, listeners: ["Listener(@)"], n_peers: "0", peers: [] }),
  },
  genesis: { parameters: [], answer: wholeGenesis },
  genesis_chunked: { parameters: [["chunk", "number"]], answer: genesisChunk },
  block: { parameters: HEIGHT, answer: (context, given) => context.blocks.block(heightOf(context, given)) },
  blockchain: {
    parameters: [
      ["minHeight", "number"],
      ["maxHeight", "number"],
    ],
    answer: blockMetas,
  },
  block_results: {
    parameters: HEIGHT,
    answer: (context, given) => context.blocks.results(heightOf(context, given)),
  },
  validators: { parameters: [...HEIGHT, ...PAGE], answer: validators },
  num_unconfirmed_txs: { parameters: [], answer: unconfirmed },
  tx: {
    parameters: [
      ["hash", "bytes"],
      ["prove", "flag"],
    ],
    answer: findTx,
  },
  tx_search: { parameters: [["query", "text"], ["prove", "flag"], ...SEARCH], answer: searchTxs },
  block_search: { parameters: [["query", "text"], ...SEARCH], answer: searchBlocks },
  check_tx: {
    parameters: TX,
    answer: async ({ node }, given) => checkResult(await node.check(txOf(given)), txOf(given)),
  },
  broadcast_tx_async: {
    parameters: TX,
    // Its verdict is not told, but a transaction that cannot be taken at all is.
    answer: async ({ node }, given) => ({
      ...broadcastResult({ ...(await node.submit(txOf(given), "check")), code: 0, text: "" }),
    }),
  },
  broadcast_tx_sync: {
    parameters: TX,
    answer: async ({ node }, given) => broadcastResult(await node.submit(txOf(given), "check")),
  },
  broadcast_tx_commit: { parameters: TX, answer: commitTx },
};
