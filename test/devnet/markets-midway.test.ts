// Markets in the middle of an auction, of a close-out without a book, and of an end of trading without a price: a revert,
// a load, a restart and a checkpoint there keep everything.
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Devnet } from "../../src/devnet/devnet.ts";
import { presetChanges } from "../../src/planes/devnet/markets.ts";
import { SECOND_NS } from "../../src/wire/time-text.ts";
import { startTestDevnet } from "../support/test-devnet.ts";

const folder = mkdtempSync(join(tmpdir(), "lyra-midway-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const home = join(folder, "home");
const MIDDLE = 300_000n;

// biome-ignore lint/suspicious/noExplicitAny: an answer is looked at as it is
type Answer = any;

/** A devnet, restarted where a state is looked at, and what its parties do there. */
class Midway {
  private devnet!: Devnet;
  market = "";

  async start(): Promise<void> {
    const ports = { dataPort: 0, nodePort: 0, faucetPort: 0 };
    this.devnet = (await startTestDevnet({ home, ...ports } as never)) as never;
  }

  stop(): Promise<void> {
    return this.devnet.stop();
  }

  get chain() {
    return this.devnet.chain;
  }

  key(name: string): string {
    return this.devnet.parties.find((party) => party.name === name)!.publicKey;
  }

  async send(name: string, command: object): Promise<void> {
    const { code, text } = await this.chain.impersonate(this.key(name), command);
    expect({ name, code, text }).toMatchObject({ code: 0 });
  }

  order(name: string, side: string, size: number, price: bigint): Promise<void> {
    const life = { timeInForce: "TIME_IN_FORCE_GTC", type: "TYPE_LIMIT" };
    const orderSubmission = {
      ...{ marketId: this.market, side: `SIDE_${side}`, size: `${size}`, price: `${price}` },
      ...life,
    };
    return this.send(name, { orderSubmission });
  }

  async pass(seconds: bigint): Promise<void> {
    await this.chain.forwardTime(seconds * SECOND_NS);
    await this.chain.mine(1);
  }

  async get(path: string): Promise<Answer> {
    return (await fetch(`${this.devnet.dataUrl}/api/v2/${path}`)).json();
  }

  async data(): Promise<Answer> {
    return (await this.get(`market/data/${this.market}/latest`)).marketData;
  }

  async propose(): Promise<void> {
    const assets = (await this.get("assets")).assets.edges.map(({ node }: Answer) => node);
    const dollar = assets.find(({ details }: Answer) => details.symbol === "tUSD").id;
    const triggers = [{ horizon: "3600", probability: "0.9999", auctionExtension: "30" }];
    const changes = presetChanges("eth", dollar, this.key("judy"));
    const rationale = { title: "Midway", description: "a market" };
    for (const [key, value] of [
      ["market.auction.minimumDuration", "1s"],
      ["network.markPriceUpdateMaximumFrequency", "0s"],
      ["governance.proposal.market.minClose", "1s"],
      ["governance.proposal.market.minEnact", "1s"],
      ["governance.proposal.market.requiredMajority", "0.5"],
    ])
      await this.chain.setParameter(key!, value!);
    const now = this.chain.status.timeNs / SECOND_NS;
    const terms = {
      closingTimestamp: `${now + 3n}`,
      enactmentTimestamp: `${now + 20n}`,
      newMarket: { changes: { ...changes, priceMonitoringParameters: { triggers } } },
    };
    await this.send("alice", { proposalSubmission: { reference: "midway", rationale, terms } });
    this.market = (await this.get("governance?reference=midway")).data.proposal.id;
    await this.send("alice", { voteSubmission: { proposalId: this.market, value: "VALUE_YES" } });
    await this.pass(4n);
  }

  /** Whatever is done from here is taken back, and the state is the same again. */
  async expectSame(somethingElse: () => Promise<void>): Promise<void> {
    const { appHash } = this.chain.status;
    const [snapshot, dump, checkpoint] = [
      await this.chain.snapshot(),
      await this.chain.dump(),
      await this.chain.checkpoint(),
    ];
    await somethingElse();
    expect(this.chain.status.appHash).not.toBe(appHash);
    await this.chain.revert(snapshot);
    expect(this.chain.status.appHash).toBe(appHash);
    expect(await this.chain.checkpoint()).toEqual(checkpoint);
    await somethingElse();
    await this.chain.load(dump);
    expect(this.chain.status.appHash).toBe(appHash);
    const { height } = this.chain.status;
    await this.stop();
    await this.start();
    expect(this.chain.status).toMatchObject({ appHash, height });
    expect(await this.chain.checkpoint()).toEqual(checkpoint);
  }
}

test("auctions, a close-out and an end come back the same", async () => {
  const midway = new Midway();
  await midway.start();
  await midway.propose();
  const quote = () => midway.order("carol", "BUY", 7, MIDDLE - 9_000n);

  const shape = (reference: string) => [{ reference, proportion: 1, offset: "500" }];
  await midway.send("ivan", {
    liquidityProvisionSubmission: {
      ...{ marketId: midway.market, commitmentAmount: "500000000", fee: "0.001", reference: "lp" },
      ...{ buys: shape("PEGGED_REFERENCE_BEST_BID"), sells: shape("PEGGED_REFERENCE_BEST_ASK") },
    },
  });
  await midway.order("grace", "BUY", 100, MIDDLE - 2_000n);
  await midway.order("heidi", "SELL", 100, MIDDLE + 2_000n);
  await midway.order("erin", "BUY", 100, MIDDLE);
  await midway.order("frank", "SELL", 100, MIDDLE);
  expect(await midway.data()).toMatchObject({ marketTradingMode: "TRADING_MODE_OPENING_AUCTION" });
  await midway.expectSame(quote);

  await midway.pass(30n);
  await midway.pass(1n);
  expect(await midway.data()).toMatchObject({ marketTradingMode: "TRADING_MODE_CONTINUOUS" });
  await midway.expectSame(quote);

  // A newcomer with little money buys, the bids go, and a sale far below begins an auction.
  const dave = midway.key("dave");
  const general = (await midway.get(`accounts?filter.partyIds=${dave}`)).accounts.edges.find(
    ({ node }: Answer) => node.type === "ACCOUNT_TYPE_GENERAL" && node.asset.length === 64,
  );
  expect(general).toBeDefined();
  const asset = (await midway.get(`market/${midway.market}`)).market.tradableInstrument.instrument.future
    .settlementAsset;
  await midway.chain.setBalance(dave, asset, 200_000_000n);
  await midway.order("heidi", "SELL", 500, MIDDLE + 100n);
  await midway.order("dave", "BUY", 500, MIDDLE + 100n);
  await midway.pass(1n);
  await midway.order("carol", "BUY", 60, MIDDLE - 25_000n);
  await midway.send("grace", { orderCancellation: { marketId: midway.market } });
  await midway.order("frank", "SELL", 50, MIDDLE - 25_000n);
  await midway.pass(1n);
  expect(await midway.data()).toMatchObject({
    ...{ marketTradingMode: "TRADING_MODE_MONITORING_AUCTION", trigger: "AUCTION_TRIGGER_PRICE" },
  });
  await midway.expectSame(quote);

  await midway.pass(31n);
  await midway.pass(1n);
  const positions = (await midway.get(`positions?filter.partyIds=${dave}`)).positions.edges;
  expect(positions[0].node).toMatchObject({
    ...{ openVolume: "500", positionStatus: "POSITION_STATUS_DISTRESSED" },
  });
  await midway.expectSame(quote);

  const payload = (values: object) => Buffer.from(JSON.stringify(values)).toString("base64");
  const oracle = (values: object) =>
    midway.send("judy", {
      oracleDataSubmission: { source: "ORACLE_SOURCE_JSON", payload: payload(values) },
    });
  await oracle({ "trading.ETH/USD.terminated": "true" });
  expect((await midway.get(`market/${midway.market}`)).market.state).toBe("STATE_TRADING_TERMINATED");
  await midway.expectSame(() => midway.pass(1n));

  await oracle({ "prices.ETH/USD.value": "295000" });
  expect((await midway.get(`market/${midway.market}`)).market.state).toBe("STATE_SETTLED");
  await midway.expectSame(() => midway.pass(1n));
  await midway.stop();
}, 120_000);
