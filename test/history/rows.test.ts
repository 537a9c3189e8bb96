// Events to CSV rows: the example rows of docs/protocol/20-network-history-tables.md#34-columns-per-table (made up
// there, and passed through PostgreSQL), and the order of rows where the order in which the store keeps them is not
// enough.
import { afterAll, describe, expect, test } from "bun:test";
import { blockRange } from "../../src/history/block-range.ts";
import { RowSource } from "../../src/history/rows/source.ts";
import { EXPORT_TABLES, tableNumber, tableOfNumber } from "../../src/history/tables.ts";
import { openReader } from "../../src/store/database.ts";
import { accountHash } from "../../src/store/ids.ts";
import { Field } from "../../src/wire/block.ts";
import { enumDescriptor } from "../../src/wire/descriptors.ts";
import * as events from "../../src/wire/generated/events.ts";
import * as vega from "../../src/wire/generated/vega.ts";
import {
  BLOCK_HASH,
  folder,
  type MadeBlock,
  type MadeEvent,
  parseCsv,
  removeFolders,
  secondNs,
  writeBlocks,
} from "./fixtures.ts";

afterAll(removeFolders);

const id = (byte: string) => byte.repeat(32);
const MARKET = id("5d");
const PARTY = id("c4");
const ASSET = id("7e");
const TX = "F1".repeat(32);
const tx = `\\x${id("f1")}`;
/** 2023-05-02 09:15:30.123456789 */
const TIME_NS = 1683018930123456789n;
const time = "2023-05-02 09:15:30.123456+00";

/** Lines of a table after these blocks. */
function linesOf(table: string, blocks: readonly MadeBlock[], from = 0, to = 10_000): string[] {
  const home = folder();
  writeBlocks(home, blocks).db.close();
  const db = openReader(home);
  const source = new RowSource(db);
  try {
    const ends = blockRange(db, from, to);
    return ends ? [...tableOfNumber(tableNumber(table))!.lines(source, ends.range)] : [];
  } finally {
    source.close();
    db.close();
  }
}

/** The one line an event makes. */
function lineOf(table: string, event: MadeEvent): string {
  const lines = linesOf(table, [{ height: 3012, timeNs: TIME_NS, events: [{ tx: TX, ...event }] }]);
  expect(lines).toHaveLength(1);
  return lines[0]!;
}

describe("example rows", () => {
  test("checkpoints", () => {
    const message = events.encodeCheckpointEvent({ hash: id("ab"), blockHash: id("CD"), blockHeight: 3012n });
    const blocks = [
      { height: 3012, timeNs: 1683018930123400000n, events: [{ field: Field.checkpoint, message, seq: 9 }] },
    ];
    expect(linesOf("checkpoints", blocks)).toEqual([
      `${id("ab")},${id("CD")},3012,\\x${id("cd")},2023-05-02 09:15:30.1234+00,9\n`,
    ]);
  });

  test("delegations", () => {
    const message = events.encodeDelegationBalanceEvent({
      party: PARTY,
      nodeId: id("d7"),
      epochSeq: "118",
      amount: "1500000000000000000",
    });
    expect(lineOf("delegations", { field: Field.delegationBalance, message, seq: 42 })).toBe(
      `\\x${PARTY},\\x${id("d7")},118,1500000000000000000,${tx},${time},42\n`,
    );
  });

  test("orders", () => {
    const message = vega.encodeOrder({
      id: id("e1"),
      marketId: MARKET,
      partyId: PARTY,
      side: 1,
      price: "2750000",
      size: 1000n,
      remaining: 400n,
      timeInForce: 1,
      type: 1,
      status: 1,
      reference: "my order, no. 1",
      version: 2n,
      batchId: 3n,
      createdAt: 1683018929500000000n,
      updatedAt: TIME_NS,
    });
    expect(lineOf("orders", { field: Field.order, message, seq: 57 })).toBe(
      `\\x${id("e1")},\\x${MARKET},\\x${PARTY},1,2750000,1000,400,1,1,1,"my order, no. 1",0,2,3,0,0,\\x,2023-05-02 09:15:29.5+00,${time},1970-01-01 00:00:00+00,${tx},${time},57,f,f\n`,
    );
  });

  test("trades", () => {
    const message = vega.encodeTrade({
      id: id("e9"),
      marketId: MARKET,
      price: "2750000",
      size: 600n,
      buyer: PARTY,
      seller: id("c5"),
      aggressor: 2,
      buyOrder: id("e1"),
      sellOrder: id("e2"),
      type: 1,
      sellerFee: { makerFee: "330", infrastructureFee: "825", liquidityFee: "1650" },
    });
    expect(lineOf("trades", { field: Field.trade, message, seq: 59 })).toBe(
      `2023-05-02 09:15:30.123515+00,${tx},${time},59,\\x${id("e9")},\\x${MARKET},2750000,600,\\x${PARTY},\\x${id("c5")},2,\\x${id("e1")},\\x${id("e2")},1,0,0,0,330,825,1650,0,0\n`,
    );
  });

  test("market_data", () => {
    const price = {
      bestBidPrice: "2749000",
      bestBidVolume: 1200n,
      bestOfferPrice: "2751000",
      bestOfferVolume: 900n,
    };
    const message = vega.encodeMarketData({
      market: MARKET,
      markPrice: "2750000",
      ...price,
      bestStaticBidPrice: "2749000",
      bestStaticBidVolume: 1200n,
      bestStaticOfferPrice: "2751000",
      bestStaticOfferVolume: 900n,
      midPrice: "2750000",
      staticMidPrice: "2750000",
      openInterest: 4600n,
      marketTradingMode: 1,
      targetStake: "1250000000",
      suppliedStake: "5000000000",
      priceMonitoringBounds: [
        {
          minValidPrice: "2600000",
          maxValidPrice: "2900000",
          trigger: { horizon: 3600n, probability: "0.9999", auctionExtension: 300n },
          referencePrice: "2750000.5",
        },
      ],
      marketValueProxy: "5000000000",
      liquidityProviderFeeShare: [
        { party: id("c6"), equityLikeShare: "1", averageEntryValuation: "5000000000", averageScore: "0.5" },
      ],
      marketState: 5,
      nextMarkToMarket: TIME_NS + 5_000_000_000n,
    });
    const bounds = `"[{""trigger"": {""horizon"": 3600, ""probability"": ""0.9999"", ""auction_extension"": 300}, ""max_valid_price"": ""2900000"", ""min_valid_price"": ""2600000"", ""reference_price"": ""2750000.5""}]"`;
    const shares = `"[{""party"": ""${id("c6")}"", ""average_score"": ""0.5"", ""equity_like_share"": ""1"", ""average_entry_valuation"": ""5000000000""}]"`;
    expect(lineOf("market_data", { field: Field.marketData, message, seq: 63 })).toBe(
      `2023-05-02 09:15:30.123519+00,${tx},${time},63,\\x${MARKET},2750000,2749000,1200,2751000,900,2749000,1200,2751000,900,2750000,2750000,4600,0,0,0,0,TRADING_MODE_CONTINUOUS,AUCTION_TRIGGER_UNSPECIFIED,AUCTION_TRIGGER_UNSPECIFIED,1250000000,5000000000,${bounds},5000000000,${shares},STATE_ACTIVE,2023-05-02 09:15:35.123456+00\n`,
    );
  });

  test("market_data: lists that are absent are jsonb null, numbers that are absent 0", () => {
    const message = vega.encodeMarketData({ market: MARKET });
    const fields = parseCsv(lineOf("market_data", { field: Field.marketData, message }))[0]!;
    expect([26, 28].map((column) => fields[column])).toEqual([
      { text: "null", quoted: false },
      { text: "null", quoted: false },
    ]);
    expect([fields[5], fields[27], fields[30]].map((field) => field?.text)).toEqual([
      "0",
      "",
      "1970-01-01 00:00:00+00",
    ]);
    expect(fields[27]!.quoted).toBe(true);
  });

  test("liquidity_provisions", () => {
    const shape = (order: string, reference: number) => [
      { orderId: order, liquidityOrder: { reference, proportion: 1, offset: "1000" } },
    ];
    const message = vega.encodeLiquidityProvision({
      id: id("1a"),
      partyId: id("c6"),
      createdAt: TIME_NS,
      updatedAt: TIME_NS,
      marketId: MARKET,
      commitmentAmount: "5000000000",
      fee: "0.001",
      sells: shape(id("e3"), 3),
      buys: shape(id("e4"), 2),
      version: 1n,
      status: 6,
      reference: "lp-1",
    });
    const json = (order: string, reference: number) =>
      `"[{""order_id"": ""${order}"", ""liquidity_order"": {""offset"": ""1000"", ""reference"": ${reference}, ""proportion"": 1}}]"`;
    expect(lineOf("liquidity_provisions", { field: Field.liquidityProvision, message })).toBe(
      `\\x${id("1a")},\\x${id("c6")},${time},${time},\\x${MARKET},5000000000,0.0010000000000000,${json(id("e3"), 3)},${json(id("e4"), 2)},1,STATUS_PENDING,lp-1,${tx},${time}\n`,
    );
  });

  test("markets", () => {
    const message = vega.encodeMarket({
      id: MARKET,
      tradableInstrument: {
        instrument: {
          code: "ABC.TEST",
          name: "ABC test future",
          metadata: { tags: ["product:futures"] },
          future: { settlementAsset: ASSET, quoteName: "USD" },
        },
        marginCalculator: {
          scalingFactors: { searchLevel: 1.1, initialMargin: 1.2, collateralRelease: 1.4 },
        },
      },
      decimalPlaces: 5n,
      fees: { factors: { makerFee: "0.0002", infrastructureFee: "0.0005", liquidityFee: "0.001" } },
      openingAuction: { duration: 300n },
      priceMonitoringSettings: {
        parameters: { triggers: [{ horizon: 3600n, probability: "0.99990", auctionExtension: 300n }] },
      },
      liquidityMonitoringParameters: {
        triggeringRatio: "0.7",
        auctionExtension: 1n,
        targetStakeParameters: { timeWindow: 3600n, scalingFactor: 10 },
      },
      tradingMode: 1,
      state: 5,
      marketTimestamps: { proposed: 1683017000000000000n, pending: 1683018000000000000n, open: TIME_NS },
      positionDecimalPlaces: 3n,
      lpPriceRange: "0.5",
      linearSlippageFactor: "0.001",
      quadraticSlippageFactor: "0.1",
    });
    const line = `\\x${MARKET},${tx},${time},"","{""instrument"": {""code"": ""ABC.TEST"", ""name"": ""ABC test future"", ""future"": {""quoteName"": ""USD"", ""settlementAsset"": ""${ASSET}""}, ""metadata"": {""tags"": [""product:futures""]}}, ""marginCalculator"": {""scalingFactors"": {""searchLevel"": 1.1, ""initialMargin"": 1.2, ""collateralRelease"": 1.4}}}",5,"{""factors"": {""makerFee"": ""0.0002"", ""liquidityFee"": ""0.001"", ""infrastructureFee"": ""0.0005""}}","{""duration"": 300}","{""priceMonitoringParameters"": {""triggers"": [{""horizon"": 3600, ""probability"": ""0.9999"", ""auctionExtension"": 300}]}}","{""triggeringRatio"": ""0.7"", ""auctionExtension"": 1, ""targetStakeParameters"": {""timeWindow"": 3600, ""scalingFactor"": 10}}",TRADING_MODE_CONTINUOUS,STATE_ACTIVE,"{""open"": 1683018930123456789, ""pending"": 1683018000000000000, ""proposed"": 1683017000000000000}",3,0.5,0.1,0.001\n`;
    expect(lineOf("markets", { field: Field.marketCreated, message })).toBe(line);
  });

  test("markets: empty slippage factors are the only NULLs, and settings that are absent are empty objects", () => {
    const message = vega.encodeMarket({ id: MARKET, priceMonitoringSettings: { parameters: {} } });
    const line = lineOf("markets", { field: Field.marketCreated, message });
    expect(line).toBe(
      `\\x${MARKET},${tx},${time},"",{},0,{},{},"{""priceMonitoringParameters"": {}}",{},TRADING_MODE_UNSPECIFIED,STATE_UNSPECIFIED,{},0,"",,\n`,
    );
  });

  test("deposits", () => {
    const message = vega.encodeDeposit({
      id: id("2b"),
      status: 3,
      partyId: PARTY,
      asset: ASSET,
      amount: "1000000000",
      txHash: `0x${id("9f")}`,
      creditedTimestamp: TIME_NS,
      createdTimestamp: 1683018842700000000n,
    });
    expect(lineOf("deposits", { field: Field.deposit, message })).toBe(
      `\\x${id("2b")},STATUS_FINALIZED,\\x${PARTY},\\x${ASSET},1000000000,0x${id("9f")},${time},2023-05-02 09:14:02.7+00,${tx},${time}\n`,
    );
  });

  test("withdrawals", () => {
    const receiverAddress = `0x${"aB".repeat(20)}`;
    const withdrawal = {
      id: id("3c"),
      partyId: PARTY,
      amount: "40000000",
      asset: ASSET,
      status: 3,
      ref: "1683018930",
      createdTimestamp: TIME_NS,
    };
    const line = (ext: string) =>
      `\\x${id("3c")},\\x${PARTY},40000000,\\x${ASSET},STATUS_FINALIZED,1683018930,"",${time},1970-01-01 00:00:00+00,${ext},${tx},${time}\n`;
    const full = vega.encodeWithdrawal({ ...withdrawal, ext: { erc20: { receiverAddress } } });
    expect(lineOf("withdrawals", { field: Field.withdrawal, message: full })).toBe(
      line(`"{""erc20"": {""receiverAddress"": ""${receiverAddress}""}}"`),
    );
    const bare = vega.encodeWithdrawal(withdrawal);
    expect(lineOf("withdrawals", { field: Field.withdrawal, message: bare })).toBe(line("{}"));
  });

  test("rewards", () => {
    const message = events.encodeRewardPayoutEvent({
      party: PARTY,
      asset: ASSET,
      market: "!",
      rewardType: "ACCOUNT_TYPE_FEES_INFRASTRUCTURE",
      epochSeq: "118",
      amount: "450000000000000000",
      percentOfTotalReward: "12.50",
      timestamp: TIME_NS,
    });
    expect(lineOf("rewards", { field: Field.rewardPayout, message, seq: 17 })).toBe(
      `\\x${PARTY},\\x${ASSET},\\x,ACCOUNT_TYPE_FEES_INFRASTRUCTURE,118,450000000000000000,12.5,${time},${tx},${time},17\n`,
    );
  });

  test("blocks, balances, margin levels: the account is its hash", () => {
    const account = {
      owner: PARTY,
      asset: ASSET,
      marketId: MARKET,
      type: 3,
      balance: "250000000000000000000",
    };
    const levels = {
      partyId: PARTY,
      marketId: MARKET,
      asset: ASSET,
      maintenanceMargin: "6000000",
      searchLevel: "6600000",
      initialMargin: "7200000",
      collateralReleaseLevel: "8400000",
      timestamp: 5n,
    };
    const block: MadeBlock = {
      height: 3012,
      timeNs: TIME_NS,
      events: [
        { field: Field.account, message: vega.encodeAccount(account), tx: TX },
        { field: Field.marginLevels, message: vega.encodeMarginLevels(levels), tx: TX },
      ],
    };
    const hash = `\\x${Buffer.from(accountHash(ASSET, PARTY, MARKET, 3)).toString("hex")}`;
    expect(linesOf("blocks", [block])).toEqual([`${time},3012,\\x${BLOCK_HASH.toLowerCase()}\n`]);
    expect(linesOf("balances", [block])).toEqual([`${hash},${time},${tx},250000000000000000000\n`]);
    expect(linesOf("margin_levels", [block])).toEqual([
      `${hash},${time},6000000,6600000,7200000,8400000,${tx},${time}\n`,
    ]);
  });

  test("ledger: a row for each entry, a microsecond apart; the type is the last column", () => {
    const side = (type: number) => ({ assetId: ASSET, type, owner: PARTY, marketId: "" });
    const entry = {
      fromAccount: side(4),
      toAccount: side(7),
      amount: "7500000",
      type: enumDescriptor("vega.TransferType").numberOf.get("TRANSFER_TYPE_MARGIN_LOW")!,
      timestamp: TIME_NS,
      fromAccountBalance: "992500000",
      toAccountBalance: "7500000",
    };
    const message = events.encodeLedgerMovements({
      ledgerMovements: [{ entries: [entry, entry] }, { entries: [entry] }],
    });
    const block = {
      height: 3012,
      timeNs: TIME_NS,
      events: [{ field: Field.ledgerMovements, message, tx: TX }],
    };
    const account = (type: number) =>
      `\\x${Buffer.from(accountHash(ASSET, PARTY, "", type)).toString("hex")}`;
    const row = (entryTime: string) =>
      `${entryTime},${account(4)},${account(7)},7500000,${tx},${time},${time},992500000,7500000,TRANSFER_TYPE_MARGIN_LOW\n`;
    expect(linesOf("ledger", [block])).toEqual(
      ["2023-05-02 09:15:30.123456+00", "2023-05-02 09:15:30.123457+00", "2023-05-02 09:15:30.123458+00"].map(
        row,
      ),
    );
  });
});

describe("order of rows", () => {
  const checkpoint = (hash: string, seq: number): MadeEvent => ({
    field: Field.checkpoint,
    message: events.encodeCheckpointEvent({ hash }),
    seq,
  });
  const first = (line: string) => line.slice(0, line.indexOf(","));

  test("blocks that share a time sort by sequence number together, and rows keep the hash of their own block", () => {
    const blocks: MadeBlock[] = [
      {
        height: 1,
        timeNs: secondNs(1),
        hash: "AA".repeat(32),
        events: [checkpoint("a3", 3), checkpoint("a9", 9)],
      },
      {
        height: 1,
        timeNs: secondNs(1),
        hash: "BB".repeat(32),
        events: [checkpoint("b3", 3), checkpoint("b5", 5)],
      },
    ];
    const lines = linesOf("checkpoints", blocks);
    expect(lines.map(first)).toEqual(["a3", "b3", "b5", "a9"]);
    expect(lines.map((line) => line.split(",")[3]!.slice(2, 4))).toEqual(["aa", "bb", "bb", "aa"]);
    expect(linesOf("blocks", blocks)).toEqual([`2026-01-01 00:00:01+00,1,\\x${"aa".repeat(32)}\n`]);
  });

  test("a sequence number that passes the time of the next block moves behind its rows", () => {
    const trade = (name: string, seq: number): MadeEvent => ({
      field: Field.trade,
      message: vega.encodeTrade({ id: name, marketId: MARKET, price: "1", buyer: PARTY, seller: id("c5") }),
      seq,
    });
    const blocks: MadeBlock[] = [
      { height: 1, timeNs: secondNs(1), events: [trade("a1", 3), trade("a2", 5_000)] },
      { height: 2, timeNs: secondNs(1) + 1_000_000n, events: [trade("b1", 3), trade("b2", 4_500)] },
      { height: 3, timeNs: secondNs(2), events: [trade("c1", 3)] },
    ];
    const ids = linesOf("trades", blocks).map((line) => line.split(",")[4]);
    expect(ids).toEqual(["\\xa1", "\\xb1", "\\xa2", "\\xb2", "\\xc1"]);
  });

  test("market data of many markets comes in the order of its events", () => {
    const data = (market: string, seq: number): MadeEvent => ({
      field: Field.marketData,
      message: vega.encodeMarketData({ market: id(market) }),
      seq,
    });
    const blocks = Array.from({ length: 150 }, (_, i) => ({
      height: i + 1,
      timeNs: secondNs(i + 1),
      events: [data("30", 3), data("10", 4), data("20", 5)],
    }));
    const lines = linesOf("market_data", blocks);
    expect(lines).toHaveLength(450);
    expect(lines.map((line) => line.split(",")[4]!.slice(2, 4)).join("")).toBe("301020".repeat(150));
    expect(linesOf("market_data", blocks, 64, 65)).toEqual(lines.slice(63 * 3, 65 * 3));
  });

  test("deposits sort by id, party, time; provisions and markets by id, time", () => {
    const deposit = (deposit: string, party: string): MadeEvent => ({
      field: Field.deposit,
      message: vega.encodeDeposit({ id: deposit, partyId: party, asset: ASSET, amount: "1" }),
    });
    const market = (name: string): MadeEvent => ({
      field: Field.marketUpdated,
      message: vega.encodeMarket({ id: name }),
    });
    // A byte longer than the identifier before it: six bytes tell none of these apart.
    const long = `${"00".repeat(6)}01`;
    const short = "00".repeat(6);
    const blocks: MadeBlock[] = [
      { height: 1, timeNs: secondNs(1), events: [deposit("bb", long), deposit("aa", PARTY), market(long)] },
      {
        height: 2,
        timeNs: secondNs(2),
        events: [deposit("bb", short), deposit("aa", PARTY), market(short), market("0000")],
      },
      { height: 3, timeNs: secondNs(3), events: [market(long)] },
    ];
    const deposits = linesOf("deposits", blocks).map((line) => line.split(","));
    expect(deposits.map(([name, , party]) => `${name} ${party}`)).toEqual([
      `\\xaa \\x${PARTY}`,
      `\\xaa \\x${PARTY}`,
      `\\xbb \\x${short}`,
      `\\xbb \\x${long}`,
    ]);
    expect(deposits.map((fields) => fields.at(-1)!.slice(18, 19))).toEqual(["1", "2", "2", "1"]);
    const markets = linesOf("markets", blocks).map((line) => line.split(","));
    expect(markets.map((fields) => fields[0])).toEqual([
      "\\x0000",
      `\\x${short}`,
      `\\x${long}`,
      `\\x${long}`,
    ]);
  });

  test("the volume of a position ends at 64 bits", () => {
    const size = 2n ** 63n - 1n;
    const trade = (n: string) => ({
      field: Field.trade,
      message: vega.encodeTrade({
        id: id(n),
        marketId: MARKET,
        price: "1",
        size,
        buyer: id("01"),
        seller: PARTY,
      }),
    });
    const block = { height: 1, timeNs: secondNs(1), events: [trade("0a"), trade("0b")] };
    const volumes = linesOf("positions", [block]).map((line) => line.split(",")[11]);
    expect(volumes).toEqual([String(size), String(-size)]);
  });

  test("positions sort by party before market, though the market stands first", () => {
    const settle = (market: string, party: string): MadeEvent => ({
      field: Field.settlePosition,
      message: events.encodeSettlePosition({
        marketId: market,
        partyId: party,
        price: "1",
        positionFactor: "1",
      }),
    });
    const blocks = [
      {
        height: 1,
        timeNs: secondNs(1),
        events: [settle("bb", "02"), settle("aa", "03"), settle("aa", "02")],
      },
    ];
    const pairs = linesOf("positions", blocks).map((line) => line.split(",").slice(0, 2).join(" "));
    expect(pairs).toEqual(["\\xaa \\x02", "\\xbb \\x02", "\\xaa \\x03"]);
  });

  test("identifiers that share their first six bytes sort by what follows, in whatever order they came", () => {
    const party = (n: number) => `aabbccddeeff${n.toString(16).padStart(52, "0")}`;
    const numbers = [5, 90, 7, 6, 1, ...Array.from({ length: 40 }, (_, i) => 80 - i), 3, 2];
    const settled = numbers.map((n) => ({
      field: Field.settlePosition,
      message: events.encodeSettlePosition({
        marketId: "bb",
        partyId: party(n),
        price: "1",
        positionFactor: "1",
      }),
    }));
    const parties = linesOf("positions", [{ height: 1, timeNs: secondNs(1), events: settled }]).map(
      (line) => line.split(",")[1],
    );
    expect(parties).toEqual([...numbers].sort((a, b) => a - b).map((n) => `\\x${party(n)}`));
  });

  test("heights outside a range are left out, the doubled first height belongs to the first", () => {
    const blocks: MadeBlock[] = [
      { height: 7, timeNs: secondNs(1), hash: "AA".repeat(32), events: [checkpoint("a", 3)] },
      { height: 7, timeNs: secondNs(2), hash: "BB".repeat(32), events: [checkpoint("b", 3)] },
      { height: 8, timeNs: secondNs(3), events: [checkpoint("c", 3)] },
      { height: 9, timeNs: secondNs(4), events: [checkpoint("d", 3)] },
    ];
    const hashes = (from: number, to: number) => linesOf("checkpoints", blocks, from, to).map(first);
    expect(hashes(7, 8)).toEqual(["a", "b", "c"]);
    expect(hashes(8, 8)).toEqual(["c"]);
    expect(hashes(7, 7)).toEqual(["a", "b"]);
    expect(hashes(9, 99)).toEqual(["d"]);
    expect(hashes(10, 99)).toEqual([]);
    expect(hashes(1, 6)).toEqual([]);
  });
});

test("tables answer to their names and numbers", () => {
  expect(EXPORT_TABLES.map(({ name }) => name).join(" ")).toBe(
    "balances checkpoints delegations ledger orders trades market_data margin_levels positions liquidity_provisions markets deposits withdrawals blocks rewards",
  );
  expect(["TABLE_TRADES", "trades", "6", "Trades"].map(tableNumber)).toEqual([6, 6, 6, 6]);
  expect(["TABLE_UNSPECIFIED", "0", "16", "", "table"].map(tableNumber)).toEqual([0, 0, 0, 0, 0]);
  for (const { header, lines } of EXPORT_TABLES) {
    expect(header).toMatch(/^[a-z_]+(,[a-z_]+)+$/);
    expect(lines).toBeFunction();
  }
});
