/**
 * A busy network inside a disk budget: blocks of this many events each, of accounts, ledger entries, orders, trades and
 * market data of many parties, are loaded into a home with `--disk`, while clients read pages.
 *
 *   bun scripts/disk-budget-rig.ts [--events 3000000] [--per-block 1000] [--disk 600MB] [--parties 20000]
 *
 * Prints a line for each part of the way: size of the home, of its log, memory, events a second, page times; at the end
 * the extrapolation. Exit code 1 when the home left its budget, or memory, log or page times grew.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { sha256HexOf } from "../src/crypto/sha.ts";
import { DEFAULT_LIMITS } from "../src/http/limits.ts";
import { sizeOf } from "../src/node/config.ts";
import { DiskReporter, sizeText } from "../src/node/disk-report.ts";
import { homeSize, totalOf } from "../src/node/home-size.ts";
import { Loading } from "../src/node/loading.ts";
import { Reading } from "../src/node/reading.ts";
import { openReader } from "../src/store/database.ts";
import { readFloors } from "../src/store/retention.ts";
import { type Block, type BlockEvent, Field } from "../src/wire/block.ts";
import { encodeLedgerMovements } from "../src/wire/generated/events.ts";
import * as vega from "../src/wire/generated/vega.ts";
import { SECOND_NS } from "../src/wire/time-text.ts";

const { values } = parseArgs({
  options: {
    events: { type: "string", default: "3000000" },
    "per-block": { type: "string", default: "1000" },
    disk: { type: "string", default: "600MB" },
    parties: { type: "string", default: "20000" },
    home: { type: "string" },
  },
});
const EVENTS = Number(values.events);
const PER_BLOCK = Number(values["per-block"]);
const PARTIES = Number(values.parties);
const BUDGET = sizeOf("disk", values.disk, 0)!;
const LINES = 12;
const MARKETS = 20;
const CHAIN = "busy-1";
const START_NS = 1_750_000_000_000_000_000n;
const SEGMENT_LENGTH = 200;
const COMMIT_BLOCKS = 8;
/** Growth that is noise. */
const MEMORY_NOISE = 1.25;
const PAGE_NOISE = 3;

const idOf = (text: string) => sha256HexOf(Buffer.from(text));
const parties = Array.from({ length: PARTIES }, (_, at) => idOf(`party ${at}`));
const markets = Array.from({ length: MARKETS }, (_, at) => idOf(`market ${at}`));
const ASSET = idOf("asset");
let random = 1;
/** A small generator of whole numbers: the same run each time. */
function dice(below: number): number {
  random = (Math.imul(random, 1_103_515_245) + 12_345) & 0x7fffffff;
  return random % below;
}

function account(owner: string) {
  return { assetId: ASSET, owner, type: vega.AccountType.ACCOUNT_TYPE_GENERAL };
}

function eventOf(field: number, bytes: Uint8Array, seq: number, tx: number): BlockEvent {
  return { field, seq, tx, bytes, start: 0, end: bytes.length };
}

/** An event of the mix of a trading network. */
function payload(height: number, n: number, timeNs: bigint): { field: number; bytes: Uint8Array } {
  const party = parties[dice(PARTIES)]!;
  const kind = n % 10;
  const market = markets[n % MARKETS]!;
  if (kind < 3) {
    const to = parties[dice(PARTIES)]!;
    const entry = {
      fromAccount: account(party),
      toAccount: account(to),
      amount: String(dice(1e6)),
      type: 1,
      timestamp: timeNs,
      fromAccountBalance: String(dice(1e9)),
      toAccountBalance: String(dice(1e9)),
    };
    const movement = { entries: [entry], balances: [] };
    return { field: Field.ledgerMovements, bytes: encodeLedgerMovements({ ledgerMovements: [movement] }) };
  }
  if (kind < 6) {
    const fields = { id: "", owner: party, asset: ASSET, balance: String(dice(1e9)), type: 4 };
    return { field: Field.account, bytes: vega.encodeAccount(fields) };
  }
  if (kind < 9) {
    // Most have ended at once; a party's live one takes the place of its last.
    const isLive = dice(20) === 0;
    const id = isLive ? idOf(`live ${party}`) : idOf(`order ${height} ${n}`);
    const order = {
      ...{ id, marketId: market, partyId: party, side: 1, price: String(dice(1e6) + 1), size: 10n },
      ...{ remaining: isLive ? 5n : 0n, timeInForce: 1, type: 1, status: isLive ? 1 : 5, version: 1n },
      createdAt: isLive ? START_NS : timeNs,
    };
    return { field: Field.order, bytes: vega.encodeOrder(order) };
  }
  if (n % 20 === 9) {
    const trade = {
      ...{ id: idOf(`trade ${height} ${n}`), marketId: market, price: String(dice(1e6) + 1), size: 3n },
      ...{ buyer: party, seller: parties[dice(PARTIES)]!, aggressor: 1, timestamp: timeNs },
      ...{ buyOrder: idOf(`order ${height} ${n - 1}`), sellOrder: idOf(`live ${party}`), type: 1 },
    };
    return { field: Field.trade, bytes: vega.encodeTrade(trade) };
  }
  const data = {
    market,
    markPrice: String(dice(1e6) + 1),
    timestamp: timeNs,
    bestBidPrice: "1",
    bestOfferPrice: "2",
  };
  return { field: Field.marketData, bytes: vega.encodeMarketData(data) };
}

function blockOf(height: number): Block {
  const timeNs = START_NS + BigInt(height) * SECOND_NS;
  const hash = idOf(`block ${height}`).toUpperCase();
  const txHashes = [hash];
  const events: BlockEvent[] = [];
  if (height === 1) {
    for (const id of markets) {
      const market = { id, state: 5, tradingMode: 1, decimalPlaces: 2n };
      events.push(eventOf(Field.marketCreated, vega.encodeMarket(market), events.length + 3, 0));
    }
  }
  for (let n = 0; n < PER_BLOCK; n++) {
    // A transaction has about five events.
    if (n % 5 === 0) txHashes.push(idOf(`tx ${height} ${n}`).toUpperCase());
    const { field, bytes } = payload(height, n, timeNs);
    events.push(eventOf(field, bytes, events.length + 3, txHashes.length - 1));
  }
  return { chainId: CHAIN, height, timeNs, hash, txHashes, events };
}

interface Line {
  readonly homeBytes: number;
  readonly logBytes: number;
  readonly memoryBytes: number;
  readonly pageMs: number;
  readonly slowestCommitMs: number;
}

const PAGES: readonly (readonly [path: string, filter?: string])[] = [
  ["/api/v2/accounts", "filter.partyIds"],
  ["/api/v2/ledgerentry/history", "filter.accountFromFilter.partyIds"],
  ["/api/v2/balance/changes", "filter.partyIds"],
  ["/api/v2/orders", "partyId"],
  ["/api/v2/trades", "partyId"],
  ["/api/v2/markets/data"],
];

const ROUNDS = 20;

/** Of pages with and without a party, the slowest except for one in twenty. */
function pageMs({ reader }: Reading): number {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    for (const [path, filter] of PAGES) {
      const own = filter === undefined ? [] : [{ [filter]: parties[dice(PARTIES)]! }];
      for (const values of [{}, ...own]) {
        const began = performance.now();
        reader.find(path, { "pagination.first": "50", ...values });
        times.push(performance.now() - began);
      }
    }
  }
  return times.sort((a, b) => a - b)[Math.floor(times.length * 0.95)]!;
}

function ratio(pick: (line: Line) => number): number {
  const third = Math.ceil(lines.length / 3);
  const [middle, last] = [lines.slice(third, -third), lines.slice(-third)];
  return Math.max(...last.map(pick)) / Math.max(...middle.map(pick), 1e-9);
}

const home = values.home ?? mkdtempSync(join(tmpdir(), "lyra-disk-budget-"));
const disk = { bytes: BUDGET, retention: "archive" } as const;
const loading = new Loading(home, { segmentLength: SEGMENT_LENGTH, segments: undefined, disk });
const lines: Line[] = [];
const blocks = Math.ceil(EVENTS / PER_BLOCK);
let reading: Reading | undefined;
let peakBytes = 0;
let slowestCommitMs = 0;
let workMs = 0;
/** Bytes of a block before anything went. */
let blockBytes = 0;
for (let height = 1; height <= blocks; height++) {
  const block = blockOf(height);
  const began = performance.now();
  loading.writer.stage(block);
  if (height % COMMIT_BLOCKS === 0 || height === blocks) {
    const commitBegan = performance.now();
    loading.writer.commit();
    loading.noteCommit(loading.writer.committedHead!);
    slowestCommitMs = Math.max(slowestCommitMs, performance.now() - commitBegan);
    reading ??= new Reading(home, DEFAULT_LIMITS);
    await new Promise((resolve) => setImmediate(resolve));
    peakBytes = Math.max(peakBytes, totalOf(homeSize(home)));
  }
  workMs += performance.now() - began;
  if (height % Math.ceil(blocks / LINES) !== 0 || reading === undefined) continue;
  const size = homeSize(home);
  if (blockBytes === 0 || readFloors(reading.db).size === 0) blockBytes = totalOf(size) / height;
  const line = {
    homeBytes: totalOf(size),
    logBytes: size.logBytes,
    memoryBytes: process.memoryUsage().rss,
    pageMs: pageMs(reading),
    slowestCommitMs,
  };
  lines.push(line);
  slowestCommitMs = 0;
  console.log(
    [
      `${height * PER_BLOCK} events`,
      `home ${sizeText(line.homeBytes)} (log ${sizeText(line.logBytes)}, segments ${sizeText(size.segmentBytes)})`,
      `memory ${sizeText(line.memoryBytes)}`,
      `${Math.round((height * PER_BLOCK * 1_000) / workMs)} events/s`,
      `page p95 ${line.pageMs.toFixed(1)} ms, commit ${Math.round(line.slowestCommitMs)} ms`,
    ].join(", "),
  );
}
await loading.segmentsMade();
reading!.close();
const db = openReader(home);
const { n: hashes } = db.query("SELECT count(*) AS n FROM txs").get() as { n: bigint };
console.log(
  `rows from: ${[...readFloors(db)].map(([name, { height }]) => `${name} ${height + 1}`).join(", ")}`,
);
console.log(`hashes of transactions: ${hashes} of ${Math.floor(blocks * Math.ceil(PER_BLOCK / 5))}`);
console.log(new DiskReporter(home, db, disk).report().text);
db.close();
await loading.close();
if (values.home === undefined) rmSync(home, { recursive: true, force: true });
const dayBytes = blockBytes * 86_400;
console.log(
  `extrapolated: a block of ${PER_BLOCK} events takes ${sizeText(blockBytes)}, a day at a block a second ${sizeText(dayBytes)}; 20 GB reach ${((20e9 / dayBytes) * 24).toFixed(1)} hours back, 1 TB ${(1e12 / dayBytes).toFixed(0)} days`,
);
const grown = { memory: ratio((line) => line.memoryBytes), pages: ratio((line) => line.pageMs) };
const isInside = peakBytes <= BUDGET;
console.log(
  `peak ${sizeText(peakBytes)} of ${sizeText(BUDGET)}; the last third against the one before: memory x${grown.memory.toFixed(2)}, page p95 x${grown.pages.toFixed(2)}`,
);
if (!isInside || grown.memory > MEMORY_NOISE || grown.pages > PAGE_NOISE) process.exitCode = 1;
