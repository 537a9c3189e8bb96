// The network's facts for the words of a command: assets and markets, how often they are asked for, and of whom.
import { describe, expect, test } from "bun:test";
import { type FactSource, NetworkFacts } from "../../../src/wallet/approvals/network-facts.ts";
import { wordsOf } from "../../../src/wallet/approvals/words.ts";
import { readCommandText } from "../../support/command-text.ts";

const VEGA = { symbol: "VEGA", decimals: 18 };
const MARKET = { code: "TEA", quoteName: "USD", settlementAsset: "a1", decimals: 2, positionDecimals: 1 };

class Source implements FactSource {
  readonly asked: string[] = [];
  isDown = false;

  constructor(
    readonly assetFacts = VEGA,
    readonly marketFacts = MARKET,
  ) {}

  asset = (id: string) => this.answer(`asset ${id}`, id.startsWith("a") ? this.assetFacts : undefined);
  market = (id: string) => this.answer(`market ${id}`, id.startsWith("m") ? this.marketFacts : undefined);
  stakeAsset = () => this.answer("stake", "a2");

  private async answer<T>(question: string, facts: T): Promise<T> {
    this.asked.push(question);
    if (this.isDown) throw new Error("down");
    return facts;
  }
}

const commandOf = (kind: string, payload: object) => readCommandText(JSON.stringify({ [kind]: payload }));
const titleOf = async (facts: NetworkFacts, kind: string, payload: object) => {
  const command = commandOf(kind, payload);
  return wordsOf(command, { ...(await facts.of(command)), publicKey: "" }).title;
};

describe("the network is asked for", () => {
  const order = { size: "15", price: "250", side: "SIDE_BUY", type: "TYPE_LIMIT" };
  test.each<[kind: string, payload: object, asked: readonly string[], title: string]>([
    [
      "transfer",
      { asset: "a1", amount: "1", to: "bob", oneOff: {} },
      ["asset a1"],
      "Send 0.000000000000000001 VEGA (asset a1) to bob",
    ],
    ["withdrawSubmission", { asset: "a1", amount: "0" }, ["asset a1"], "Withdraw 0 VEGA (asset a1) from"],
    ["delegateSubmission", { nodeId: "n", amount: "0" }, ["stake", "asset a2"], "Delegate 0 VEGA (asset a2)"],
    [
      "undelegateSubmission",
      { nodeId: "n", amount: "5" },
      ["stake", "asset a2"],
      "Take 0.000000000000000005 VEGA (asset a2)",
    ],
    [
      "orderSubmission",
      { ...order, marketId: "m1" },
      ["market m1", "asset a1"],
      "Buy 1.5 at 2.5 USD (limit order)",
    ],
    ["orderAmendment", { orderId: "o", marketId: "m1" }, ["market m1"], "Change the order o"],
    [
      "liquidityProvisionSubmission",
      { marketId: "m1", commitmentAmount: "0" },
      ["market m1", "asset a1"],
      "Provide liquidity to market m1, committing 0 VEGA (asset a1)",
    ],
    [
      "liquidityProvisionAmendment",
      { marketId: "m1", commitmentAmount: "0" },
      ["market m1", "asset a1"],
      "Change your liquidity on market m1, committing 0 VEGA (asset a1)",
    ],
    [
      "batchMarketInstructions",
      { submissions: [{ marketId: "m1" }, { marketId: "m1" }], amendments: [{ marketId: "m2" }] },
      ["market m1", "market m2"],
      "3 instructions at once",
    ],
    ["proposalSubmission", { terms: { updateAsset: { assetId: "a3" } } }, ["asset a3"], "Propose a change"],
    ["chainEvent", { builtin: { deposit: { vegaAssetId: "a4" } } }, ["asset a4"], "Report an event of"],
    ["chainEvent", { stakingEvent: {} }, ["stake", "asset a2"], "Report an event of staking"],
    ["voteSubmission", { proposalId: "p" }, [], "Vote"],
    ["cancelTransfer", { transferId: "t" }, [], "Cancel the recurring transfer t"],
  ])("%s", async (kind, payload, expectedReads, title) => {
    const source = new Source();
    const facts = new NetworkFacts([source]);
    expect(await titleOf(facts, kind, payload)).toStartWith(title);
    expect(source.asked.sort()).toEqual([...expectedReads].sort());
    // Facts that never change are not asked for again; the staked asset may change.
    source.asked.length = 0;
    await titleOf(facts, kind, payload);
    expect(source.asked).toEqual(expectedReads.filter((question) => question === "stake"));
  });

  test("twenty markets of a batch, and no more", async () => {
    const source = new Source();
    const submissions = Array.from({ length: 500 }, (_, at) => ({ marketId: `m${at}` }));
    await new NetworkFacts([source]).of(commandOf("batchMarketInstructions", { submissions }));
    expect(source.asked).toHaveLength(20);
  });
});

describe("sources of answers", () => {
  const transfer = { asset: "a1", amount: "1", to: "bob", oneOff: {} };

  test("the next node, where one does not; nobody, and then that is said until somebody does", async () => {
    const [first, second] = [new Source(), new Source()];
    first.isDown = true;
    expect(await titleOf(new NetworkFacts([first, second]), "transfer", transfer)).toContain("VEGA");
    const facts = new NetworkFacts([first]);
    expect(await titleOf(facts, "transfer", transfer)).toContain("its name and decimals are not known");
    expect(await titleOf(facts, "delegateSubmission", { nodeId: "n", amount: "1" })).toContain(
      "the asset that is staked (which one, and its decimals, are not known)",
    );
    first.isDown = false;
    expect(await titleOf(facts, "transfer", transfer)).toContain("VEGA");
  });

  test("with decimals that no network takes is not believed", async () => {
    for (const decimals of [1e9, -1, Number.NaN, 0.5]) {
      const source = new Source({ symbol: "X", decimals }, { ...MARKET, decimals: 1e9 });
      const facts = new NetworkFacts([source]);
      expect(await titleOf(facts, "transfer", transfer)).toContain("its name and decimals are not known");
      const order = { marketId: "m1", size: "1", price: "2", side: "SIDE_BUY" };
      expect(await titleOf(facts, "orderSubmission", order)).toStartWith("Buy 1 at 2 (");
    }
  });
});
