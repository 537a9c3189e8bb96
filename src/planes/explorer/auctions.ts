// Auctions of a market: the network's interface has the running one alone, and market data after each block, which say what were
// before.
import type { Auctions } from "../../http/chain-bodies.ts";
import { notFound } from "../../http/errors.ts";
import { enumDescriptor } from "../../wire/descriptors.ts";
import { readMarketDataAt } from "../../wire/generated/vega.ts";
import { rfc3339Nano } from "../../wire/time-text.ts";
import type { DataContext } from "../data/context.ts";
import { knownPosition } from "../data/markets.ts";

/** Market data looked through for one answer, one a block: some tens of milliseconds of work. */
const ROWS_MAX = 20_000;

type Auction = Auctions["auctions"][number];

interface DataRow {
  readonly block: bigint;
  readonly data: Uint8Array;
}

/** @param from Unix seconds: auctions that still ran then, and those after @throws ApiError 404 */
export function listAuctions(context: DataContext, id: string, from: number): Auctions {
  const { db } = context;
  const market = knownPosition(context, id);
  if (market === null || !db.query("SELECT 1 FROM markets_current WHERE id = ?").get(market))
    throw notFound("market not found");
  const first = context.blocks.firstAtOrAfter(from * 1_000_000);
  const rows = db
    .query(
      "SELECT block, data FROM market_data WHERE market = ? AND block >= ? ORDER BY block DESC, ord DESC LIMIT ?",
    )
    .iterate(market, first, ROWS_MAX) as IterableIterator<DataRow>;
  const auctions: Auction[] = [];
  const timeOf = (block: bigint) => rfc3339Nano(context.timeNs(block));
  let [count, oldest, start] = [0, 0n, 0n];
  let newer: bigint | undefined;
  for (const { block, data } of rows) {
    count++;
    oldest = block;
    const row = readMarketDataAt(data, 0, data.length);
    if (row.auctionStart !== 0n && row.auctionStart !== start)
      auctions.push({
        start: rfc3339Nano(row.auctionStart),
        // The newest market data of an auction have its last end, and the reason for which it was extended.
        end: row.auctionEnd === 0n ? null : rfc3339Nano(row.auctionEnd),
        left: newer === undefined ? null : timeOf(newer),
        mode: nameOf("vega.Market.TradingMode", row.marketTradingMode),
        trigger: nameOf("vega.AuctionTrigger", row.trigger),
        extension: nameOf("vega.AuctionTrigger", row.extensionTrigger),
      });
    start = row.auctionStart;
    newer = block;
  }
  const isCut = count === ROWS_MAX;
  return { auctions, since: isCut ? timeOf(oldest) : null };
}

const nameOf = (type: string, number: number) => enumDescriptor(type).nameOf.get(number) ?? String(number);
