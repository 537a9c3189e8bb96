// Peer of the data API's page of balance changes: the same prepared statement, objects and
// JSON.stringify behind a bare Bun.serve. No routing, no checks, no snapshot; the same body.
// bun bench/bare-server.ts HOME prints its port.
import { Database } from "bun:sqlite";
import { amountText, type StoredAmount } from "../src/store/amount.ts";
import { hexOf, identifierText } from "../src/wire/identifiers.ts";

const home = process.argv[2]!;
const db = new Database(`${home}/lyra.db`, { strict: true, safeIntegers: true });
db.run("PRAGMA query_only = ON");
db.run("PRAGMA cache_size = -32768");
const page = db.prepare(
  "SELECT b.block, b.account, b.balance FROM balances b WHERE b.block < ? ORDER BY b.block DESC, b.account DESC LIMIT ?",
);
const firstAfter = db.prepare("SELECT min(no) AS no FROM blocks WHERE time >= ?");
const accountRow = db.prepare(
  `SELECT a.hash, p.bytes AS party, s.bytes AS asset, m.bytes AS market FROM accounts a
   JOIN ids p ON p.ref = a.party JOIN ids s ON s.ref = a.asset JOIN ids m ON m.ref = a.market WHERE a.ref = ?`,
);
const blockRow = db.prepare("SELECT time FROM blocks WHERE no = ?");
void firstAfter;

const accounts = new Map<bigint, { id: string; party: string; asset: string; market: string }>();
const times = new Map<bigint, bigint>();
const START_US = 1_700_000_000_000_000;

function accountOf(ref: bigint) {
  let account = accounts.get(ref);
  if (!account) {
    const row = accountRow.get(ref) as {
      hash: Uint8Array;
      party: Uint8Array;
      asset: Uint8Array;
      market: Uint8Array;
    };
    account = {
      id: hexOf(row.hash),
      party: identifierText(row.party),
      asset: identifierText(row.asset),
      market: identifierText(row.market),
    };
    accounts.set(ref, account);
  }
  return account;
}

function timeOf(no: bigint): bigint {
  let time = times.get(no);
  if (time === undefined) {
    time = (blockRow.get(no) as { time: bigint }).time;
    times.set(no, time);
  }
  return time;
}

const kept = new Map<string, Uint8Array<ArrayBuffer>>();

const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  reusePort: false,
  fetch(request) {
    const url = request.url;
    const isStatic = url.endsWith("&static");
    const ready = isStatic ? kept.get(url) : undefined;
    if (ready) return new Response(ready, { headers: { "content-type": "application/json" } });
    const endNs = /endTimestamp=(\d+)/.exec(url)?.[1] ?? "";
    const before = endNs === "" ? 1e12 : Math.floor((Number(endNs) / 1000 - START_US) / 1_000_123);
    const rows = page.all(before, 51) as { block: bigint; account: bigint; balance: StoredAmount }[];
    const edges = rows.slice(0, 50).map((row) => {
      const account = accountOf(row.account);
      const time = timeOf(row.block);
      const iso = new Date(Number(time / 1000n)).toISOString();
      return {
        node: {
          timestamp: `${time}000`,
          balance: amountText(row.balance),
          partyId: account.party,
          assetId: account.asset,
          marketId: account.market,
          accountType: "ACCOUNT_TYPE_GENERAL",
        },
        cursor: btoa(JSON.stringify({ vega_time: iso, AccountID: account.id })),
      };
    });
    const pageInfo = {
      hasNextPage: rows.length > 50,
      hasPreviousPage: false,
      startCursor: edges[0]?.cursor ?? "",
      endCursor: edges.at(-1)?.cursor ?? "",
    };
    const body = JSON.stringify({ balances: { edges, pageInfo } });
    if (isStatic) kept.set(url, Buffer.from(body));
    return new Response(body, { headers: { "content-type": "application/json" } });
  },
});
console.log(server.port);
