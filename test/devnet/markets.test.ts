// Markets on a running devnet: made, moved and settled by its tools, read back by the data API, recorded, taken back and restarted.
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Devnet } from "../../src/devnet/devnet.ts";
import { replayFiles } from "../../src/ingest/replay.ts";
import { BlockWriter } from "../../src/store/block-writer.ts";
import { openReader, openWriter } from "../../src/store/database.ts";
import { digestStore } from "../../src/store/dump.ts";
import { SECOND_NS } from "../../src/wire/time-text.ts";
import { lyra } from "../rig/lyra.ts";
import { eventually } from "../support/eventually.ts";
import { runs } from "../support/seed.ts";
import { borrowDevnet, returnDevnet } from "../support/shared-devnet.ts";
import { heightAtRest, startTestDevnet } from "../support/test-devnet.ts";

const folder = mkdtempSync(join(tmpdir(), "lyra-markets-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

// biome-ignore lint/suspicious/noExplicitAny: an answer is looked at as it is
type Answer = any;

async function start(options: object): Promise<Devnet> {
  const ports = { dataPort: 0, nodePort: 0, faucetPort: 0 };
  return (await startTestDevnet({ ...ports, ...options } as never)) as never;
}

let borrowed: Devnet | undefined;
let clean: string | undefined;
/** The borrowed devnet as it began: for tests that need no home or mode of their own. */
async function fresh(): Promise<Devnet> {
  if (clean === undefined) {
    borrowed = await borrowDevnet();
    clean = await borrowed.chain.snapshot();
  }
  await borrowed!.chain.revert(clean);
  return borrowed!;
}
afterAll(returnDevnet);

async function use(devnet: Devnet, tool: string, body: object = {}): Promise<Answer> {
  const response = await fetch(`${devnet.nodeUrl}/devnet/${tool}`, {
    method: "POST",
    body: JSON.stringify(body),
  });
  const answer = await response.json();
  if (response.status !== 200) throw new Error(`${tool}: ${JSON.stringify(answer)}`);
  return answer;
}

async function get(devnet: Devnet, path: string): Promise<Answer> {
  return (await fetch(`${devnet.dataUrl}/api/v2/${path}`)).json();
}

const nodesOf = (connection: Answer) => connection.edges.map(({ node }: Answer) => node);

function rowsOf(home: string): unknown {
  const db = openReader(home);
  try {
    const tables = Object.entries(digestStore(db).tables);
    return Object.fromEntries(tables.filter(([name]) => !/^(?:chain_|undo_)/.test(name)));
  } finally {
    db.close();
  }
}

describe("the tools", () => {
  test("make a market, move it, and settle it; the data API tells of it, and a record makes the same rows", async () => {
    const [home, copy, record] = ["home", "copy", "run.evts"].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    const devnet = await start({ home, record });
    const creation = await use(devnet, "market/create", { preset: "btc" });
    expect(creation).toMatchObject({
      code: "BTC/USD",
      state: "STATE_ACTIVE",
      tradingMode: "TRADING_MODE_CONTINUOUS",
    });
    const { market } = creation;
    expect(await use(devnet, "market/price", { market: "BTC/USD", price: "60500.5" })).toMatchObject({
      markPrice: "6050050",
    });
    const trades = nodesOf((await get(devnet, `trades?marketIds=${market}`)).trades);
    expect(trades.map(({ price, size }: Answer) => `${size}@${price}`)).toContain("1000@6050050");
    const { statistics } = await (await fetch(`${devnet.nodeUrl}/statistics`)).json();
    expect(Number(statistics.totalTrades)).toBe(trades.length);
    const orders = nodesOf(
      (await get(devnet, `orders?filter.marketIds=${market}&pagination.first=1000`)).orders,
    );
    // A provision's orders are made by the market.
    const sent = orders.filter(({ liquidityProvisionId }: Answer) => liquidityProvisionId === "");
    expect(Number(statistics.totalCreateOrder)).toBe(sent.length);
    expect(statistics).toMatchObject({ totalOrders: String(sent.length), totalAmendOrder: "0" });
    const cancelled = sent.filter(({ status }: Answer) => status === "STATUS_CANCELLED");
    expect(Number(statistics.totalCancelOrder)).toBe(cancelled.length);
    const positions = nodesOf((await get(devnet, `positions?filter.marketIds=${market}`)).positions);
    const open = positions.map(({ openVolume }: Answer) => BigInt(openVolume));
    expect(open.some((volume: bigint) => volume !== 0n)).toBe(true);
    expect(open.reduce((sum: bigint, volume: bigint) => sum + volume, 0n)).toBe(0n);
    const provisions = nodesOf(
      (await get(devnet, `liquidity/provisions?marketId=${market}`)).liquidityProvisions,
    );
    expect(provisions.map(({ status }: Answer) => status)).toContain("STATUS_ACTIVE");
    const levels = nodesOf(
      (await get(devnet, `margin/levels?marketId=${market}&partyId=${positions[0].partyId}`)).marginLevels,
    );
    expect(BigInt(levels[0].initialMargin)).toBeGreaterThan(0n);
    const specs = nodesOf((await get(devnet, "oracle/specs")).oracleSpecs);
    expect(specs.length).toBeGreaterThanOrEqual(2);

    expect(await use(devnet, "market/settle", { market: "BTC/USD", price: "61000" })).toMatchObject({
      state: "STATE_SETTLED",
    });
    const accounts = nodesOf((await get(devnet, `accounts?filter.marketIds=${market}`)).accounts);
    const left = accounts.filter(({ type }: Answer) => /MARGIN|BOND/.test(type));
    expect(left.every(({ balance }: Answer) => balance === "0")).toBe(true);
    await devnet.chain.endEpoch();
    await devnet.stop();

    const db = openWriter(copy);
    await replayFiles(new BlockWriter(db), db, [record]);
    db.close();
    expect(rowsOf(copy)).toEqual(rowsOf(home));

    const { code, out } = await lyra(["replay", "--re-execute", record, "--json"]);
    const report = JSON.parse(out) as { commands: number; kinds: object; explained: object; different: [] };
    expect(report).toMatchObject({ faults: 0, explained: {}, different: [] });
    expect(report.commands).toBeGreaterThan(10);
    expect(Object.keys(report.kinds)).toContain("settlePosition");
    expect(code).toBe(0);
  }, 120_000);

  test("let a crowd trade, the same one for the same seed", async () => {
    const devnet = await fresh();
    await use(devnet, "market/create", { preset: "eth" });
    const snapshot = await devnet.chain.snapshot();
    const crowd = async (seed: number) => {
      const { markPrice, market } = await use(devnet, "market/run", { market: "ETH/USD", orders: 32, seed });
      const trades = nodesOf((await get(devnet, `trades?marketIds=${market}`)).trades);
      await devnet.chain.revert(snapshot);
      return {
        markPrice,
        trades: trades.map(({ price, size, buyer }: Answer) => `${buyer} ${size}@${price}`),
      };
    };
    const first = await crowd(7);
    expect(first.trades.length).toBeGreaterThan(8);
    expect(await crowd(7)).toEqual(first);
    expect((await crowd(8)).trades).not.toEqual(first.trades);
  }, 120_000);

  test("send a crowd's orders together where a clock makes the blocks", async () => {
    const devnet = await start({ home: join(folder, "timed") });
    const { market } = await use(devnet, "market/create", { preset: "simple" });
    await devnet.chain.setBlockMode({ kind: "interval", intervalMs: 100 });
    const { height } = devnet.chain.status;
    expect(await use(devnet, "market/run", { market, orders: 40 })).toMatchObject({ orders: 40 });
    // Five rounds of 16 commands: a block or two for each, and three at the end.
    expect(devnet.chain.status.height - height).toBeLessThan(20);
    expect(nodesOf((await get(devnet, `trades?marketIds=${market}`)).trades).length).toBeGreaterThan(15);
    await devnet.stop();
  }, 120_000);

  test("go on for as long as one likes, also when a party has lost what it had", async () => {
    const devnet = await fresh();
    const { market } = await use(devnet, "market/create", { preset: "btc" });
    const { settlementAsset } = (await get(devnet, `market/${market}`)).market.tradableInstrument.instrument
      .future;
    const poor = devnet.parties.find(({ name }) => name === "grace")!.publicKey;
    for (const seed of [1, 2, 3].slice(0, runs(3))) {
      await devnet.chain.setBalance(poor, settlementAsset, 1n);
      const run = await use(devnet, "market/run", { market, orders: 60, seed });
      expect(run).toMatchObject({ orders: 60, tradingMode: "TRADING_MODE_CONTINUOUS" });
    }
    for (const price of ["66000", "54000", "90000", "30000"])
      expect(await use(devnet, "market/price", { market, price })).toMatchObject({
        markPrice: `${price}00`,
        tradingMode: "TRADING_MODE_CONTINUOUS",
      });
  }, 120_000);

  test("let no party trade with itself, not even at the end of an auction", async () => {
    const devnet = await fresh();
    const { presetChanges } = await import("../../src/planes/devnet/markets.ts");
    const asset = devnet.report().assets.find(({ symbol }) => symbol === "tUSD")!.id;
    const changes = {
      ...presetChanges("simple", asset, devnet.parties[9]!.publicKey),
      priceMonitoringParameters: { triggers: [{ horizon: "1", probability: "0.95", auctionExtension: "3" }] },
    };
    const { market } = await use(devnet, "market/create", { proposal: { changes } });
    const run = await use(devnet, "market/run", { market, orders: 150, seed: 2 });
    expect(run.tradingMode).toBe("TRADING_MODE_CONTINUOUS");
    const trades = nodesOf((await get(devnet, `trades?marketIds=${market}`)).trades);
    // Of an auction: nobody was the aggressor.
    expect(trades.filter(({ aggressor }: Answer) => aggressor === "SIDE_UNSPECIFIED").length).toBeGreaterThan(
      2,
    );
    expect(trades.filter(({ buyer, seller }: Answer) => buyer === seller)).toEqual([]);
  }, 120_000);

  test("leave the clock of a devnet that is killed meanwhile running", async () => {
    const devnet = await start({ home: join(folder, "killed") });
    await use(devnet, "market/create", { preset: "simple" });
    const before = devnet.chain.status;
    const running = use(devnet, "market/run", { market: "SIMPLE", orders: 200 });
    await eventually(() => devnet.chain.status.height > before.height + 5);
    expect((await devnet.chain.clock()).isFrozen).toBe(true);
    // Holds what the next start reads.
    const dump = await devnet.chain.dump();
    const { timeNs } = devnet.chain.status;
    await running;
    await devnet.chain.load(dump);
    const { isFrozen, nextTimeNs } = await devnet.chain.clock();
    expect([isFrozen, nextTimeNs - timeNs < 3_600n * SECOND_NS]).toEqual([false, true]);
    await devnet.stop();
  }, 120_000);

  test("bring a price about through the orders of others", async () => {
    const devnet = await fresh();
    for (const preset of ["btc", "simple"]) {
      const { market, code } = await use(devnet, "market/create", { preset });
      await use(devnet, "market/run", { market, orders: 30, seed: 3 });
      const [up, down] = code === "SIMPLE" ? ["108", "95"] : ["60400.5", "59100"];
      for (const price of [up!, down!, up!]) {
        const { markPrice, tradingMode } = await use(devnet, "market/price", { market: code, price });
        expect([price, Number(markPrice), tradingMode]).toEqual([
          price,
          Number(price) * (code === "SIMPLE" ? 1 : 100),
          "TRADING_MODE_CONTINUOUS",
        ]);
      }
    }
  }, 120_000);

  test("refuse what is not there", async () => {
    const devnet = await fresh();
    await expect(use(devnet, "market/price", { market: "none", price: "1" })).rejects.toThrow(
      "there is no market",
    );
    await expect(use(devnet, "market/create", { preset: "none" })).rejects.toThrow(
      "must be one of btc, eth, simple",
    );
    await expect(use(devnet, "market/create", { preset: "btc", proposal: {} })).rejects.toThrow("not both");
    await use(devnet, "market/create", { preset: "simple" });
    const refusals: [string, object, string][] = [
      ["price", { market: "SIMPLE", price: "1.5" }, "'price' must be a whole number, not '1.5'"],
      ["price", { market: "SIMPLE", price: "9".repeat(40) }, "'price' has more than 30 digits"],
      ["price", { market: "SIMPLE", price: "9".repeat(20) }, "orderSubmission of grace was refused: "],
      ["price", { market: ["SIMPLE"], price: "1" }, "'market' must be a text, not a list"],
      ["settle", { market: "SIMPLE", price: "x" }, "'price' must be a whole number, not 'x'"],
      ["run", { market: "SIMPLE", orders: "x" }, "'orders' must be a whole number from 1 to 10000, not 'x'"],
      ["run", { market: "SIMPLE", orders: ["5"] }, "whole number from 1 to 10000, not a list"],
    ];
    for (const [tool, body, sentence] of refusals)
      await expect(use(devnet, `market/${tool}`, body)).rejects.toThrow(sentence);
    const { market } = await use(devnet, "market/settle", { market: "SIMPLE", price: "100" });
    const settled = `the market SIMPLE (${market.slice(0, 8)}) is settled`;
    for (const [tool, body] of [
      ["price", { price: "1" }],
      ["settle", { price: "1" }],
      ["run", {}],
      ["terminate", {}],
    ] as const) {
      await expect(use(devnet, `market/${tool}`, { market, ...body })).rejects.toThrow(settled);
    }
  }, 120_000);

  test("leave no market behind whose price is refused, and take the newest of one code", async () => {
    const devnet = await fresh();
    for (const body of [{ price: "x" }, { price: "0" }, { price: "1.234" }])
      await expect(use(devnet, "market/create", body)).rejects.toThrow("'price' must be");
    expect(nodesOf((await get(devnet, "markets?includeSettled=true")).markets)).toEqual([]);
    const first = await use(devnet, "market/create");
    const second = await use(devnet, "market/create");
    for (const price of ["60100", "60200"]) {
      expect(await use(devnet, "market/price", { market: "BTC/USD", price })).toMatchObject({
        market: second.market,
        tradingMode: "TRADING_MODE_CONTINUOUS",
      });
    }
    expect(await use(devnet, "market/price", { market: first.market, price: "60300" })).toMatchObject({
      markPrice: "6030000",
    });
  }, 120_000);

  test("make a market of any asset, and say whose data settles it", async () => {
    const devnet = await fresh();
    const { presetChanges } = await import("../../src/planes/devnet/markets.ts");
    const assets = nodesOf((await get(devnet, "assets")).assets);
    const oracle = devnet.parties.find(({ name }) => name === "bob")!.publicKey;
    for (const symbol of ["LYRA", "tBTC", "dUSD"]) {
      const { id } = assets.find(({ details }: Answer) => details.symbol === symbol);
      const proposal = { changes: presetChanges("simple", id, oracle) };
      expect(await use(devnet, "market/create", { proposal })).toMatchObject({
        state: "STATE_ACTIVE",
        tradingMode: "TRADING_MODE_CONTINUOUS",
        oracle,
      });
    }
  }, 120_000);

  test("stop a crowd whose caller goes away", async () => {
    const devnet = await fresh();
    await use(devnet, "market/create", { preset: "simple" });
    const caller = new AbortController();
    const body = JSON.stringify({ market: "SIMPLE", orders: 10_000 });
    const url = `${devnet.nodeUrl}/devnet/market/run`;
    const before = devnet.chain.status.height;
    const running = fetch(url, { method: "POST", body, signal: caller.signal }).catch(() => undefined);
    await eventually(() => devnet.chain.status.height > before + 2);
    caller.abort();
    await running;
    // It comes to rest, long before ten thousand orders.
    const height = await heightAtRest(devnet);
    expect(height).toBeLessThan(before + 2_000);
  }, 120_000);
});

test("a market is changed by a vote, and a proposal that cannot stand is rejected with its reason", async () => {
  const devnet = await fresh();
  const { chain } = devnet;
  const { market, oracle } = await use(devnet, "market/create", { preset: "eth" });
  const alice = devnet.parties[0]!.publicKey;
  const rationale = { title: "a change", description: "why" };
  const propose = async (reference: string, change: object, minutes = 0n) => {
    const now = chain.status.timeNs / SECOND_NS;
    const terms = {
      closingTimestamp: (now + 3n).toString(),
      enactmentTimestamp: (now + 5n + minutes * 60n).toString(),
      ...change,
    };
    const { text } = await chain.impersonate(alice, { proposalSubmission: { reference, rationale, terms } });
    const { data } = await get(devnet, `governance?reference=${reference}`);
    return { text, id: data?.proposal.id, state: data?.proposal.state, reason: data?.proposal.reason };
  };
  const { presetChanges } = await import("../../src/planes/devnet/markets.ts");
  const dollar = nodesOf((await get(devnet, "assets")).assets).find(
    ({ details }: Answer) => details.symbol === "tUSD",
  ).id;
  const terms = presetChanges("eth", dollar, oracle);
  const { decimalPlaces, positionDecimalPlaces, ...rest } = terms;
  const { settlementAsset, ...future } = terms.instrument.future;
  const changes = { ...rest, instrument: { code: "ETH/NEW", future }, lpPriceRange: "0.5" };
  void [decimalPlaces, positionDecimalPlaces, settlementAsset];

  const poor = await propose("too-small-a-share", { updateMarket: { marketId: market, changes } });
  expect(poor).toMatchObject({
    state: "STATE_REJECTED",
    reason: "PROPOSAL_ERROR_INSUFFICIENT_EQUITY_LIKE_SHARE",
  });
  await chain.setParameter("governance.proposal.updateMarket.minProposerEquityLikeShare", "0");
  const unknown = await propose("unknown", { updateMarket: { marketId: "ab".repeat(32), changes } });
  expect(unknown).toMatchObject({ state: "STATE_REJECTED", reason: "PROPOSAL_ERROR_INVALID_MARKET" });
  const fine = await propose("fine", { updateMarket: { marketId: market, changes } });
  expect(fine).toMatchObject({ state: "STATE_OPEN", text: "" });
  await chain.impersonate(alice, { voteSubmission: { proposalId: fine.id, value: "VALUE_YES" } });
  for (let n = 0; n < 3; n++) {
    await chain.forwardTime(3_000_000_000n);
    await chain.mine(1);
  }
  const changed = (await get(devnet, `market/${market}`)).market;
  expect(changed.tradableInstrument.instrument.code).toBe("ETH/NEW");
  expect(changed).toMatchObject({ lpPriceRange: "0.5", state: "STATE_ACTIVE", decimalPlaces: "2" });
  expect((await get(devnet, "governance?reference=fine")).data.proposal.state).toBe("STATE_ENACTED");

  const decimals = await propose("decimals", { newMarket: { changes: { ...terms, decimalPlaces: "9" } } });
  expect(decimals).toMatchObject({ reason: "PROPOSAL_ERROR_TOO_MANY_MARKET_DECIMAL_PLACES" });
  const long = await propose("long", { newMarket: { changes: terms } }, 60n * 24n * 30n);
  expect(long).toMatchObject({ reason: "PROPOSAL_ERROR_OPENING_AUCTION_DURATION_TOO_LARGE" });

  const declined = await propose("declined", { newMarket: { changes: terms } });
  expect(declined.state).toBe("STATE_OPEN");
  expect((await get(devnet, `market/${declined.id}`)).market.state).toBe("STATE_PROPOSED");
  await chain.forwardTime(5_000_000_000n);
  await chain.mine(2);
  expect((await get(devnet, `market/${declined.id}`)).market.state).toBe("STATE_REJECTED");
}, 120_000);

test("estimates are what the engine then asks for", async () => {
  const devnet = await fresh();
  const { market } = await use(devnet, "market/create", { preset: "btc" });
  const trader = devnet.parties.find(({ name }) => name === "bob")!.publicKey;
  const order = {
    marketId: market,
    side: "SIDE_BUY",
    size: "1500",
    timeInForce: "TIME_IN_FORCE_GTC",
    type: "TYPE_LIMIT",
  };
  const query = `marketId=${market}&partyId=${trader}&side=SIDE_BUY&size=1500`;
  const { marginLevels } = await get(devnet, `estimate/margin?${query}`);
  const send = (party: string, command: object) => devnet.chain.impersonate(party, command);
  expect(await send(trader, { orderSubmission: { ...order, price: "5950000" } })).toMatchObject({ code: 0 });
  const [levels] = nodesOf(
    (await get(devnet, `margin/levels?marketId=${market}&partyId=${trader}`)).marginLevels,
  );
  // The engine rounds a maintenance margin up, an estimate to the nearest unit.
  const isNear = (charged: string, estimate: string) =>
    [0, 1, 2].includes(Number(BigInt(charged) - BigInt(estimate)));
  expect(isNear(levels.initialMargin, marginLevels.initialMargin)).toBe(true);
  expect(isNear(levels.maintenanceMargin, marginLevels.maintenanceMargin)).toBe(true);
  const half = await get(devnet, `estimate/margin?${query}&type=TYPE_LIMIT&price=3e6`);
  expect(
    2n * BigInt(half.marginLevels.maintenanceMargin) - BigInt(marginLevels.maintenanceMargin),
  ).toBeLessThan(2n);

  const { fee } = await get(devnet, `estimate/fee?marketId=${market}&price=6060000&size=700`);
  const seller = { ...order, side: "SIDE_SELL", size: "700", price: "6060000" };
  const [asker, taker] = ["carol", "dave"].map(
    (name) => devnet.parties.find((party) => party.name === name)!.publicKey,
  );
  await send(asker!, { orderSubmission: seller });
  await send(taker!, { orderSubmission: { ...seller, side: "SIDE_BUY", timeInForce: "TIME_IN_FORCE_IOC" } });
  const trades = nodesOf((await get(devnet, `trades?marketIds=${market}&partyIds=${taker}`)).trades);
  expect(trades.find(({ size }: Answer) => size === "700").buyerFee).toEqual(fee);

  const { margin, liquidation } = await get(
    devnet,
    `estimate/position?marketId=${market}&openVolume=1000&collateralAvailable=1000000000`,
  );
  expect(BigInt(margin.worstCase.maintenanceMargin)).toBeGreaterThan(
    BigInt(margin.bestCase.maintenanceMargin),
  );
  const { worstCase, bestCase } = liquidation;
  expect(Number(worstCase.openVolumeOnly)).toBeGreaterThan(Number(bestCase.openVolumeOnly));
  // In units of the asset, of which the market's price has three digits more than it shows.
  expect(Number(worstCase.openVolumeOnly)).toBeLessThan(6_000_000_000);
  expect(Number(worstCase.openVolumeOnly)).toBeGreaterThan(4_000_000_000);
  // Without orders the market is in an auction, whose margins count slippage wherever the book stands.
  for (const { publicKey } of devnet.parties)
    await send(publicKey, { orderCancellation: { marketId: market } });
  await devnet.chain.mine(2);
  const { marketData } = await get(devnet, `market/data/${market}/latest`);
  expect(marketData.marketTradingMode).toBe("TRADING_MODE_MONITORING_AUCTION");
  const inAuction = await get(devnet, `estimate/position?marketId=${market}&openVolume=1000`);
  expect(inAuction.margin.bestCase.maintenanceMargin).toBe(margin.bestCase.maintenanceMargin);
  expect(inAuction.margin.worstCase.maintenanceMargin).toBe(margin.worstCase.maintenanceMargin);
}, 120_000);

test("an estimate that fails says so under its own name, and its cause within", async () => {
  const devnet = await fresh();
  const { market } = await use(devnet, "market/create", { preset: "btc" });
  const unknown = "ab".repeat(32);
  const faults = async (name: string, queries: Record<string, string>) =>
    Object.fromEntries(
      await Promise.all(
        Object.entries(queries).map(async ([title, query]) => {
          const response = await fetch(`${devnet.dataUrl}/api/v2/estimate/${name}?${query}`);
          const { details = [] } = (await response.json()) as Answer;
          return [
            title,
            [response.status, ...["code", "message", "inner"].map((name) => details[0]?.[name])],
          ];
        }),
      ),
    );
  const fee = (cause: string) => [400, 10039, "failed to estimate fee", cause];
  const notFound = "no resource corresponding to this id";
  expect(
    await faults("fee", {
      nowhere: "price=1&size=1",
      elsewhere: "marketId=none&price=1&size=1",
      unknown: `marketId=${unknown}&price=1&size=1`,
      unpriced: `marketId=${market}&size=1`,
      free: `marketId=${market}&price=0&size=1`,
      wrong: `marketId=${market}&price=x&size=1`,
      empty: `marketId=${market}&price=1&size=0`,
    }),
  ).toEqual({
    nowhere: [400, 10003, "empty or missing market ID", ""],
    elsewhere: [400, 10000, "invalid market ID", ""],
    unknown: [404, 10039, "failed to estimate fee", notFound],
    unpriced: [400, 10026, "missing price", ""],
    free: fee("invalid order price"),
    wrong: fee("invalid order price"),
    empty: fee("invalid order size"),
  });
  const margin = (cause: string) => [400, 10040, "failed to estimate margin", cause];
  const limit = `marketId=${market}&type=TYPE_LIMIT&side=SIDE_BUY`;
  expect(
    await faults("margin", {
      sideless: `marketId=${market}&price=1&size=1`,
      unknown: `marketId=${unknown}&price=1&size=1&side=SIDE_BUY`,
      free: `${limit}&price=0&size=1`,
      empty: `${limit}&price=1&size=0`,
    }),
  ).toEqual({
    sideless: margin("invalid order side"),
    unknown: [404, 10040, "failed to estimate margin", notFound],
    free: margin("invalid order price"),
    empty: margin("invalid order size"),
  });
  expect(
    await faults("position", {
      unknown: `marketId=${unknown}&openVolume=1`,
      poor: `marketId=${market}&openVolume=1&collateralAvailable=some`,
    }),
  ).toEqual({
    unknown: [404, 30002, "failed to get market for ID", notFound],
    poor: [400, 10000, "invalid collateral amount", ""],
  });

  // Any but a limit order has the price of the moment, and an estimate is of no time.
  const { marginLevels } = await get(devnet, `estimate/margin?marketId=${market}&size=1000&side=SIDE_SELL`);
  expect(BigInt(marginLevels.maintenanceMargin)).toBeGreaterThan(0n);
  expect(marginLevels.timestamp).toBe("0");
  const position = `estimate/position?marketId=${market}&openVolume=1000&collateralAvailable`;
  const priceWith = async (collateral: string) =>
    Number((await get(devnet, `${position}=${collateral}`)).liquidation.bestCase.openVolumeOnly);
  expect(await priceWith("1000000000.5")).toBeLessThan(await priceWith("1e9"));
  expect(await priceWith("1e9")).toBe(await priceWith("1000000000"));

  // Orders cannot be said in a query of REST.
  const withOrders = async (orders: string) => {
    const [members, cases] = ["open_volume_only including_buy_orders including_sell_orders", "bestCase"];
    const query = `{estimatePosition(marketId:"${market}",openVolume:"1000",orders:[${orders}],collateralAvailable:"1e9"){liquidation{${cases}{${members}}}}}`;
    const body = JSON.stringify({ query });
    const headers = { "content-type": "application/json" };
    const { data } = (await (
      await fetch(`${devnet.dataUrl}/graphql`, { method: "POST", headers, body })
    ).json()) as Answer;
    return Object.values(data.estimatePosition.liquidation.bestCase).map(Number);
  };
  const [alone, same] = await withOrders(`{side:SIDE_BUY,price:"5.8e6",remaining:"0",isMarketOrder:false}`);
  expect(same).toBe(alone!);
  const [, buying, selling] = await withOrders(
    `{side:SIDE_BUY,price:"5800000.5",remaining:"500",isMarketOrder:false}`,
  );
  expect([buying! > alone!, selling]).toEqual([true, alone!]);
  const [, bought] = await withOrders(`{side:SIDE_BUY,price:"",remaining:"500",isMarketOrder:true}`);
  expect(bought!).toBeGreaterThan(buying!);
  expect(await priceWith("-1000000000")).toBeGreaterThan(await priceWith("0"));
}, 120_000);

test("a market is the same after a restart, a revert, and a dump that is loaded", async () => {
  const home = join(folder, "again");
  const devnet = await start({ home });
  await use(devnet, "market/create", { preset: "simple" });
  const snapshot = await devnet.chain.snapshot();
  const before = devnet.chain.status.appHash;
  const dump = await devnet.chain.dump();
  await use(devnet, "market/price", { market: "SIMPLE", price: "105" });
  await devnet.chain.revert(snapshot);
  expect(devnet.chain.status.appHash).toBe(before);
  await use(devnet, "market/price", { market: "SIMPLE", price: "110" });
  await devnet.chain.load(dump);
  expect(devnet.chain.status.appHash).toBe(before);
  const answer = await use(devnet, "market/price", { market: "SIMPLE", price: "120" });
  expect(answer.markPrice).toBe("120");
  const { appHash, height } = devnet.chain.status;
  await devnet.stop();
  const again = await start({ home });
  expect(again.chain.status).toMatchObject({ appHash, height });
  expect(await use(again, "market/settle", { market: "SIMPLE", price: "90" })).toMatchObject({
    state: "STATE_SETTLED",
  });
  await again.stop();
}, 120_000);
