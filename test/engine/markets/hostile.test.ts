// Values at every bound: clear refusals, and a chain that goes on.
// Notation of statements and results: rig.ts.
import { describe, expect, test } from "bun:test";
import { FREE, HUGE, opened, sound } from "./hostile-rig.ts";
import { createMarketRig, idOf, type MarketRig, Play } from "./rig.ts";

describe("sizes and prices at their bounds", () => {
  test("an order larger than a position can hold is refused; the largest possible one trades", () => {
    const { rig, play } = opened();
    const tooLarge = rig.order("p1", "M", "buy", (1n << 64n) - 1n, 95);
    expect(tooLarge.text).toBe("OrderError: Invalid Size");
    const most = (1n << 63n) - 1n;
    for (let n = 0; n < 3; n++) {
      expect(rig.order("p1", "M", "buy", most, 100).code).toBe(0);
      expect(rig.order("p2", "M", "sell", most, 100).code).toBe(0);
    }
    sound({ rig });
    expect(rig.position("p1", "M")!.size).toBeGreaterThan(most);
    expect(play.mark()).toBe(100n);
    rig.terminate();
    rig.settle(0);
    sound({ rig });
  });

  test("the largest price", () => {
    const { rig } = opened();
    const price = ((1n << 256n) - 1n) / 10n ** 18n;
    rig.order("p1", "M", "buy", 1, price);
    rig.order("p2", "M", "sell", 1, price);
    rig.order("p2", "M", "sell", 1, 1);
    sound({ rig });
    expect(rig.order("p2", "M", "sell", 1, price + 1n).text).toBe("invalid order price");
    expect(rig.order("p2", "M", "sell", 1, 10n ** 5_000n).text).toBe("invalid order price");
  });

  test("a commitment whose orders are larger than an order can be", () => {
    const { rig, play } = opened({ ...FREE, decimals: 18 });
    play.run("p1 B 1@2; p2 S 1@100000");
    const payload = {
      marketId: idOf("M"),
      commitmentAmount: (10n ** 60n).toString(),
      fee: "0",
      buys: [{ reference: 2, offset: "1", proportion: 4_294_967_295 }],
      sells: [{ reference: 3, offset: "0", proportion: 1 }],
      reference: "",
    };
    rig.deliver("lp", { kind: "liquidityProvisionSubmission", payload });
    sound({ rig });
  });

  test.each([
    ["0", "0"],
    ["1", (1n << 255n).toString()],
    ["3", "1e5"],
  ])("an offset of %s and %s", (first, second) => {
    const { rig } = opened();
    for (const offset of [first, second]) {
      for (const reference of [1, 2, 3]) {
        for (const side of ["buy", "sell"] as const) {
          rig.order("p1", "M", side, 1, undefined, { peg: { reference, offset } });
        }
      }
    }
    sound({ rig });
  });
});

describe("models at their bounds", () => {
  const LONGEST = 9_000_000_000_000_000;
  test.each([
    [
      "horizons of ages",
      {
        logNormal: { lambda: 0.1, tau: 1, sigma: 50 },
        triggers: [{ horizon: LONGEST, probability: 0.9999999999999999, extension: 1 }],
      },
    ],
    [
      "a second",
      {
        logNormal: { lambda: 1e-8, tau: 1e-8, sigma: 1e-3, mu: 1e-6, r: 1 },
        triggers: [{ horizon: 1, probability: 0.9000001, extension: LONGEST }],
      },
    ],
    [
      "moves beyond all prices",
      {
        simple: { long: 0, short: 0, up: 1e15, down: -1e15 },
        triggers: [{ horizon: 1, probability: 0.95, extension: 1 }],
      },
    ],
    [
      "a window and a range beyond all",
      { ...FREE, targetStake: { windowSeconds: LONGEST, scaling: 1e14 }, lpPriceRange: "100" },
    ],
  ])("%s", (_name, config) => {
    const rig = createMarketRig({ assets: { ETH: { decimals: 18 } } });
    rig.createMarket("M", { asset: "ETH", ...config });
    const play = new Play(rig, "M").deposit(HUGE, "p1", "p2");
    play.run("p1 B 1@90; p2 S 1@110; p1 B 1@100; p2 S 1@100; /; /; p1 B 1@110; p1 S 1@50; /");
    sound({ rig });
  });
});

describe("oracle data", () => {
  const send = (rig: MarketRig, text: string | Uint8Array, source = 2) => {
    const payload = typeof text === "string" ? new TextEncoder().encode(text) : text;
    return rig.deliver("x".repeat(64), { kind: "oracleDataSubmission", payload: { source, payload } }).text;
  };
  test.each([
    ["[]", "the data is not a JSON object"],
    ["null", "the data is not a JSON object"],
    ["{", "the data is not JSON"],
    ["{}", "the data has no properties, or too many"],
    ['{"a":1}', "a property of the data is not a text"],
    [
      '{"vegaprotocol.builtin.timestamp":"1"}',
      "forbidden property name: it is reserved for the chain itself",
    ],
  ])("%s", (text, refusal) => {
    const { rig } = opened();
    expect(send(rig, text)).toBe(`error normalizing incoming oracle data: ${refusal}`);
    sound({ rig });
  });
  test("of an unknown signer, bytes that are not a text, and the other source's format", () => {
    const { rig } = opened();
    expect(send(rig, '{"a":"1"}')).toBe("no one listens to the public keys that signed this oracle data");
    expect(send(rig, Uint8Array.of(0xff, 0xfe))).toBe(
      "error normalizing incoming oracle data: the data is not JSON",
    );
    for (const text of [
      "{}",
      '{"messages":["00"],"signatures":[]}',
      '{"messages":["00"],"signatures":["00"]}',
      '{"messages":[1]}',
    ]) {
      expect(send(rig, text, 1)).not.toBe("");
    }
    sound({ rig });
  });
});
describe("a provision's numbers", () => {
  const marketId = idOf("M");
  const shape = (reference: number) => [{ reference, offset: "1", proportion: 1 }];
  const shapes = { buys: shape(2), sells: shape(3), reference: "" };
  const LARGE = (1n << 256n).toString();
  test.each(["abc", "-5", "1.5", "1e5", "NaN", "1_000", "0x10", " ", LARGE])("commitment %p", (amount) => {
    const { rig } = opened();
    const fine = { marketId, commitmentAmount: "1000", fee: "0", ...shapes };
    expect(rig.deliver("lp", { kind: "liquidityProvisionSubmission", payload: fine }).text).toBe("");
    const none = { buys: [], sells: [], reference: "", fee: "" };
    const amendment = { marketId, commitmentAmount: amount, ...none, fee: "0" };
    expect(rig.deliver("lp", { kind: "liquidityProvisionAmendment", payload: amendment }).text).toBe(
      "invalid commitment amount",
    );
    const submission = { ...fine, commitmentAmount: amount };
    const { code, text } = rig.deliver("p1", { kind: "liquidityProvisionSubmission", payload: submission });
    expect(code === 60 || text === "invalid commitment amount").toBe(true);
    expect(rig.provision("lp", "M")!.commitment).toBe(1_000n);
    sound({ rig });
  });
  test.each(["NaN", "Inf", "1_0", "0x0p1", "abc", " "])("fee %p", (fee) => {
    const { rig } = opened();
    const fine = { marketId, commitmentAmount: "1000", fee: "0", ...shapes };
    expect(rig.deliver("lp", { kind: "liquidityProvisionSubmission", payload: fine }).text).toBe("");
    const amendment = { marketId, fee, commitmentAmount: "", buys: [], sells: [], reference: "" };
    expect(rig.deliver("lp", { kind: "liquidityProvisionAmendment", payload: amendment }).text).toBe(
      "invalid liquidity provision fee",
    );
    const { code, text } = rig.deliver("p1", {
      kind: "liquidityProvisionSubmission",
      payload: { ...fine, fee },
    });
    expect(code === 60 || text === "invalid liquidity provision fee").toBe(true);
    sound({ rig });
  });
});
