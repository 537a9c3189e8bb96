// Orders as people say them: the market's own decimals, kinds and times; on a real market the order trades.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Devnet } from "../../src/devnet/devnet.ts";
import { NetworkFacts } from "../../src/wallet/approvals/network-facts.ts";
import { HttpNode } from "../../src/wallet/sending/http-node.ts";
import { decodeInputData } from "../../src/wire/generated/commands.ts";
import type { CommandInit } from "../../src/wire/transaction.ts";
import { lyra } from "../rig/lyra.ts";
import { startTestDevnet } from "../support/test-devnet.ts";

const MARKET = "ab".repeat(32);
const folder = mkdtempSync(join(tmpdir(), "lyra-order-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const build = (...words: string[]) => lyra(["tx", "build", "order", ...words]);
const alone = (...words: string[]) =>
  build(...words, "--market", MARKET, "--price-decimals", "2", "--size-decimals", "1", "--height", "9");

async function orderOf(...words: string[]) {
  const { code, out, err } = await alone(...words, "--json");
  if (code !== 0) throw new Error(err);
  return decodeInputData(Uint8Array.fromBase64(JSON.parse(out).inputData)).orderSubmission!;
}

describe("without a node", () => {
  test("a limit order in the market's decimals", async () => {
    expect(await orderOf("buy", "5@100.2", "--reference", "mine")).toMatchObject({
      ...{ marketId: MARKET, side: 1, size: 50n, price: "10020", type: 1, timeInForce: 1, expiresAt: 0n },
      ...{ reference: "mine", postOnly: false, reduceOnly: false, peggedOrder: undefined },
    });
  });

  test("a market order, a pegged one, and one with an end", async () => {
    expect(await orderOf("sell", "0.5", "--reduce-only")).toMatchObject({
      side: 2,
      size: 5n,
      price: "",
      type: 2,
      timeInForce: 3,
    });
    const pegged = await orderOf("sell", "3", "--peg", "ask", "--offset", "0.05");
    expect(pegged).toMatchObject({ type: 1, price: "", timeInForce: 1 });
    expect(pegged.peggedOrder).toEqual({ reference: 3, offset: "5" });
    const timed = await orderOf("buy", "1@2", "--expires", "2030-01-01T00:00:00Z", "--post-only");
    expect(timed).toMatchObject({ timeInForce: 2, expiresAt: 1_893_456_000_000_000_000n, postOnly: true });
  });

  test.each([
    [["buy", "5.55@1"], "the market's sizes have 1 decimal, and 5.55 has more"],
    [["buy", "5@1.001"], "the market's prices have 2 decimals, and 1.001 has more"],
    [["hold", "5@1"], "an order is: buy SIZE@PRICE, or sell SIZE for a market order"],
    [["buy", "5@1", "more"], "an order is: buy SIZE@PRICE"],
    [["buy", "-5@1"], "unknown option '-5@1'"],
    [
      ["buy", "1844674407370955161.6@1"],
      "the size 1844674407370955161.6 is too large: it has more than 64 bits",
    ],
    [["buy", `1@1${"0".repeat(78)}`], "is too large: it has more than 256 bits"],
    [["buy", "5@1", "--expires", "5"], "--expires is a time such as"],
    [["buy", "5@1", "--expires", "9999-01-01T00:00:00Z"], "--expires is a time such as"],
    [["buy", "5@1", "--expires", "-5"], "'--expires' needs a value; one that begins with a dash is"],
    [["buy", "5", "--peg", "mid", "--offset", "x"], "--offset is a number such as 0.5"],
    [["buy", "5", "--peg", "mid", "--offset="], "--offset is a number such as 0.5"],
    [["buy", "5", "--peg", "mid", "--offset=-1"], "--offset is a number such as 0.5"],
    [["buy", "5@1", "--tif", "x"], "see: lyra tx build order --help"],
    [["buy", "5@1", "--tif", "x"], "--tif is gtc, gtt, ioc, fok, gfa, gfn"],
    [["buy", "5@1", "--tif", "gtt"], "an order good till a time needs --expires TIME"],
    [["buy", "5@1", "--tif", "gtc", "--expires", "2030-01-01"], "--expires goes with --tif gtt"],
    [["buy", "5@1", "--expires", "tomorrow"], "--expires is a time such as"],
    [["buy", "5@1", "--peg", "mid"], "a pegged order has no price: say --offset"],
    [["buy", "5", "--peg", "top"], "--peg is mid, bid or ask"],
    [["buy", "5@1", "--offset", "1"], "--offset goes with --peg"],
    [["buy", "0@1"], "order_submission.size (must be positive)"],
  ])("%p is refused", async (words, text) => {
    const { code, err } = await alone(...words);
    expect([1, 2]).toContain(code!);
    expect(err.toLowerCase()).toContain(text.toLowerCase());
  });

  test("sizes in hundreds, a market by its code, and half of the decimals", async () => {
    const hundreds = ["--price-decimals", "0", "--size-decimals=-2", "--height", "9"];
    const built = await build("buy", "1200@3", "--market", MARKET, ...hundreds);
    expect(decodeInputData(Uint8Array.fromBase64(built.out.trim())).orderSubmission!.size).toBe(12n);
    const odd = await build("buy", "1250@3", "--market", MARKET, ...hundreds);
    expect(odd.err).toContain("the market's sizes are multiples of 100, and 1250 is not");
    const broken = await build("buy", "1200@3.5", "--market", MARKET, ...hundreds);
    expect(broken.err).toContain("the market's prices are whole numbers, and 3.5 is not");
    const coded = await build("buy", "1@3", "--market", "BTC/USD", ...hundreds);
    expect(coded.err).toContain("without a node --market is 64 hexadecimal digits");
    const half = await build("buy", "1@3", "--market", MARKET, "--price-decimals", "0");
    expect(half.err).toContain("say both --price-decimals and --size-decimals");
  });
});

describe("with a node", () => {
  let devnet: Devnet;
  let market: { market: string; code: string };
  beforeAll(async () => {
    const ports = { dataPort: 0, nodePort: 0, faucetPort: 0 };
    devnet = (await startTestDevnet({ home: join(folder, "home"), ...ports } as never)) as never;
    const response = await fetch(`${devnet.nodeUrl}/devnet/market/create`, { method: "POST", body: "{}" });
    market = await response.json();
  });
  afterAll(() => devnet.stop());

  test("the market is found by its code, and the block comes along", async () => {
    const words = ["buy", "0.002@60000.5", "--market", market.code, "--node", devnet.nodeUrl, "--json"];
    const { code, out, err } = await build(...words);
    expect(err).toBe("");
    expect(code).toBe(0);
    const document = JSON.parse(out);
    expect(document).toMatchObject({ command: "orderSubmission", block: { chainId: devnet.chainId } });
    const order = decodeInputData(Uint8Array.fromBase64(document.inputData)).orderSubmission!;
    const facts = (await new HttpNode(devnet.nodeUrl).market(market.market))!;
    expect(order).toMatchObject({
      marketId: market.market,
      size: BigInt(0.002 * 10 ** facts.positionDecimals),
      price: (60_000.5 * 10 ** facts.decimals).toString(),
    });
    const file = join(folder, "order.json");
    writeFileSync(file, out);
    expect((await lyra(["tx", "check", file])).out).toStartWith("valid orderSubmission");
  });

  test("a node that does not answer is named, without the runtime's advice", async () => {
    const { code, err } = await build("buy", "1@1", "--market", "XYZ", "--node", "http://127.0.0.1:1");
    expect(code).toBe(3);
    expect(err).toStartWith("lyra: the node http://127.0.0.1:1 does not answer: ECONNREFUSED");
    expect(err).not.toContain("Is the computer");
  });

  test("another code is refused with those that there are", async () => {
    const { code, err } = await build("buy", "1@1", "--market", "XYZ", "--node", devnet.nodeUrl);
    expect(code).toBe(2);
    expect(err).toContain(`there is no market 'XYZ': the node's markets are ${market.code}`);
  });

  test("an approval says margin and fees at worst: those that the engine asks for when all of it has traded", async () => {
    const node = new HttpNode(devnet.nodeUrl);
    const facts = new NetworkFacts([node]);
    const payload = {
      marketId: market.market,
      side: 1,
      size: 2_000n,
      price: "6000000",
      type: 1,
      timeInForce: 1,
    };
    const command = { kind: "orderSubmission", payload } as CommandInit;
    const costs = async (one: CommandInit) => facts.costs(one, "ab".repeat(32), await facts.of(one));
    const [line, fee] = await costs(command);
    expect([line!.kind, line!.label, fee!.label]).toEqual([
      "margin",
      "margin (node says)",
      "fee (node says)",
    ]);
    expect(line!.text).toStartWith("at worst ");
    const query = `marketId=${market.market}&openVolume=2000`;
    const response = await fetch(`${devnet.dataUrl}/api/v2/estimate/position?${query}`);
    const { margin } = (await response.json()) as { margin: { worstCase: { initialMargin: string } } };
    const cents = BigInt(margin.worstCase.initialMargin);
    expect(Number(line!.amount) / 10 ** 5).toBeCloseTo(Number(cents) / 10 ** 5, 2);
    const feeQuery = `marketId=${market.market}&price=6000000&size=2000`;
    const estimate = await fetch(`${devnet.dataUrl}/api/v2/estimate/fee?${feeQuery}`);
    const parts = ((await estimate.json()) as { fee: Record<string, string> }).fee;
    expect(BigInt(fee!.amount!)).toBe(Object.values(parts).reduce((sum, part) => sum + BigInt(part), 0n));
    const withoutPrice = { kind: "orderSubmission", payload: { ...payload, price: "" } } as CommandInit;
    expect((await costs(withoutPrice)).map(({ kind }) => kind)).toContain("margin");
    const other = { kind: "voteSubmission", payload: { proposalId: "p", value: 1 } } as CommandInit;
    expect(await costs(other)).toEqual([]);
  });
});
