// The rows that an ExpiredOrders event makes (docs/protocol/70-trading-events.md#94-table-rules): five rules, as the
// original was seen to do it.
import { afterAll, describe, expect, test } from "bun:test";
import { blockRange } from "../../../src/history/block-range.ts";
import { RowSource } from "../../../src/history/rows/source.ts";
import { orders } from "../../../src/history/rows/trading.ts";
import { openReader } from "../../../src/store/database.ts";
import { Field } from "../../../src/wire/block.ts";
import { encodeExpiredOrders } from "../../../src/wire/generated/events.ts";
import { encodeOrder, type Order } from "../../../src/wire/generated/vega.ts";
import {
  folder,
  type MadeBlock,
  type MadeEvent,
  removeFolders,
  secondNs,
  writeBlocks,
} from "../../history/fixtures.ts";

afterAll(removeFolders);

const id = (byte: string) => byte.repeat(32);
const [MARKET, OTHER_MARKET] = [id("5d"), id("5e")];
const [ACTIVE, EXPIRED, CANCELLED, FILLED] = [1, 2, 3, 5];
const TX = { made: id("a1"), changed: id("a2"), expired: id("a3") };
const [COLUMN_SIZE, COLUMN_STATUS, COLUMN_VERSION] = [5, 9, 12];
const [COLUMN_UPDATED, COLUMN_TX, COLUMN_TIME, COLUMN_SEQ] = [18, 20, 21, 22];

function order(byte: string, seq: number, fields: Partial<Order> = {}, tx = TX.made): MadeEvent {
  const message = encodeOrder({
    ...{ id: id(byte), marketId: MARKET, partyId: id("c4"), side: 1, price: "10", size: 7n, remaining: 7n },
    ...{ timeInForce: 1, type: 1, createdAt: secondNs(1), status: ACTIVE, version: 1n },
    ...fields,
  });
  return { field: Field.order, message, seq, tx };
}

function expired(seq: number, bytes: readonly string[], marketId = MARKET): MadeEvent {
  const message = encodeExpiredOrders({ marketId, orderIds: bytes.map(id) });
  return { field: Field.expiredOrders, message, seq, tx: TX.expired };
}

/** Rows of the blocks from the second on: first byte of the id, size, status, version, first byte of tx, sequence. */
function rowsAfterFirst(...blocks: (readonly MadeEvent[])[]): string[][] {
  const chain = blocks.map((events, i): MadeBlock => ({ height: i + 1, timeNs: secondNs(i + 1), events }));
  return exportedRows(chain, 2).map((cells) => [
    cells[0]!.slice(2, 4),
    cells[COLUMN_SIZE]!,
    cells[COLUMN_STATUS]!,
    cells[COLUMN_VERSION]!,
    cells[COLUMN_TX]!.slice(2, 4),
    cells[COLUMN_SEQ]!,
  ]);
}

function exportedRows(blocks: readonly MadeBlock[], from: number): string[][] {
  const home = folder();
  writeBlocks(home, blocks).db.close();
  const db = openReader(home);
  const source = new RowSource(db);
  try {
    const { range } = blockRange(db, from, 10_000)!;
    return [...orders.lines(source, range)].map((line) => line.trimEnd().split(","));
  } finally {
    source.close();
    db.close();
  }
}

describe("orders that expire", () => {
  test("the row has the transaction of the event that expired it, and the block's time", () => {
    const blocks = [
      { height: 1, timeNs: secondNs(1), events: [order("e1", 3)] },
      { height: 2, timeNs: secondNs(2), events: [expired(5, ["e1"])] },
    ];
    const [row] = exportedRows(blocks, 2);
    expect(row![COLUMN_STATUS]).toBe(String(EXPIRED));
    expect(row![COLUMN_TX]).toBe(`\\x${TX.expired}`);
    expect(row![COLUMN_UPDATED]).toBe(row![COLUMN_TIME]!);
  });

  test("rows are numbered by the rows found, sorted by id; an id twice or without a row leaves no gap", () => {
    const orders = [order("e3", 3), order("e1", 4), order("e2", 5)];
    expect(rowsAfterFirst(orders, [expired(10, ["e3", "ff", "e2", "e3", "e1"])])).toEqual([
      ["e1", "7", "2", "1", "a3", "10"],
      ["e2", "7", "2", "1", "a3", "11"],
      ["e3", "7", "2", "1", "a3", "12"],
    ]);
  });

  test("only orders of the event's market expire", () => {
    const orders = [order("e1", 3, { marketId: OTHER_MARKET }), order("e2", 4)];
    expect(rowsAfterFirst(orders, [expired(10, ["e1", "e2"])])).toEqual([["e2", "7", "2", "1", "a3", "10"]]);
    expect(rowsAfterFirst(orders, [expired(10, ["e1", "e2"], OTHER_MARKET)])).toEqual([
      ["e1", "7", "2", "1", "a3", "10"],
    ]);
  });

  test("only an order that was live before the block expires: one made in it stays active", () => {
    const orders = [order("e1", 3, { status: FILLED }), order("e2", 4, { timeInForce: 3 }), order("e3", 5)];
    expect(rowsAfterFirst(orders, [order("e4", 3), expired(10, ["e1", "e2", "e3", "e4"])])).toEqual([
      ["e4", "7", String(ACTIVE), "1", "a1", "3"],
      ["e3", "7", "2", "1", "a3", "10"],
    ]);
  });

  test("the row is the order as it stood before the block; an update of the same block is overwritten", () => {
    const orders = [order("e1", 3), order("e2", 4), order("e3", 5)];
    const changed = [
      order("e1", 3, { remaining: 1n, size: 9n }, TX.changed),
      order("e2", 4, { status: CANCELLED }, TX.changed),
      // Another version is another row.
      order("e3", 5, { version: 2n, size: 8n }, TX.changed),
    ];
    expect(rowsAfterFirst(orders, [...changed, expired(10, ["e1", "e2", "e3"])])).toEqual([
      ["e3", "8", String(ACTIVE), "2", "a2", "5"],
      ["e1", "7", "2", "1", "a3", "10"],
      ["e2", "7", "2", "1", "a3", "11"],
      ["e3", "7", "2", "1", "a3", "12"],
    ]);
  });

  test("a second event of the block finds what the first one found; an update behind it counts", () => {
    const orders = [order("e1", 3), order("e2", 4)];
    const block = [expired(10, ["e1", "e2"]), expired(12, ["e2"]), order("e1", 14, { size: 3n }, TX.changed)];
    expect(rowsAfterFirst(orders, block)).toEqual([
      ["e2", "7", "2", "1", "a3", "12"],
      ["e1", "3", String(ACTIVE), "1", "a2", "14"],
    ]);
    // In the next block there is one live order to expire.
    expect(rowsAfterFirst(orders, block, [expired(5, ["e1", "e2"])]).slice(2)).toEqual([
      ["e1", "3", "2", "1", "a3", "5"],
    ]);
  });

  test("blocks of one time: before the second stands the state that the first one left", () => {
    const timeNs = secondNs(2);
    const blocks = [
      { height: 1, timeNs: secondNs(1), events: [order("e1", 3)] },
      { height: 2, timeNs, events: [order("e1", 3, { size: 8n }), order("e2", 4)] },
      { height: 3, timeNs, events: [order("e1", 3, { size: 9n }), expired(10, ["e1", "e2"])] },
    ];
    expect(
      exportedRows(blocks, 2).map((cells) => [
        cells[0]!.slice(2, 4),
        cells[COLUMN_SIZE],
        cells[COLUMN_STATUS],
      ]),
    ).toEqual([
      ["e1", "8", "2"],
      ["e2", "7", "2"],
    ]);
  });
});
