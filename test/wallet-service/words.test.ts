// What people read before they approve, for every kind of command: what it does, to whom, how much; and that no text
// of a page can make it say something else.
import { describe, expect, test } from "bun:test";
import { amountText } from "../../src/wallet/approvals/amounts.ts";
import { named, plain, plainJson } from "../../src/wallet/approvals/plain-text.ts";
import { requestLines, type ShownRequest } from "../../src/wallet/approvals/shown.ts";
import { wordsOf } from "../../src/wallet/approvals/words.ts";
import { readCommandText } from "../../src/wallet/signing/command-text.ts";
import { COMMAND_KINDS, type CommandKind } from "../../src/wire/transaction-commands.ts";
import { KEY_1 } from "./rig.ts";

const CONTEXT = {
  assets: (id: string) => (id === "a55e7" ? { symbol: "VEGA", decimals: 18 } : undefined),
  publicKey: KEY_1,
};
const VALIDATOR = "this is a validator's command: approve it only if you run a validator and expect it";
const UNITS = "prices and sizes are in the market's smallest units";
const toldOf = (kind: string, payload: object) => {
  const { title, lines, warnings } = wordsOf(readCommandText(JSON.stringify({ [kind]: payload })), CONTEXT);
  return [title, Object.fromEntries(lines), warnings];
};

type Row = readonly [
  kind: CommandKind,
  payload: object,
  title: string,
  lines: Record<string, string>,
  warnings: readonly string[],
];
const rows: readonly Row[] = [
  [
    "orderSubmission",
    {
      marketId: "m1",
      size: "7",
      side: "SIDE_BUY",
      type: "TYPE_LIMIT",
      timeInForce: "TIME_IN_FORCE_GTT",
      expiresAt: "1700000000000000000",
      postOnly: true,
      reduceOnly: true,
      reference: "mine",
      peggedOrder: { reference: "PEGGED_REFERENCE_BEST_BID", offset: "5" },
    },
    "Buy 7 at 5 below best bid (limit order) on market m1",
    {
      market: "m1",
      side: "buy",
      size: "7",
      "time in force": "gtt",
      expires: "2023-11-14T22:13:20.000Z",
      "post only": "yes",
      "reduce only": "yes",
      reference: '"mine"',
    },
    [UNITS],
  ],
  [
    "orderCancellation",
    { orderId: "o1", marketId: "m1" },
    "Cancel the order o1",
    { order: "o1", market: "m1" },
    [],
  ],
  [
    "orderAmendment",
    {
      orderId: "o1",
      marketId: "m1",
      price: "5",
      sizeDelta: "-3",
      timeInForce: "TIME_IN_FORCE_GTC",
      peggedOffset: "2",
    },
    "Change the order o1",
    {
      order: "o1",
      market: "m1",
      "new price": "5",
      "size changes by": "-3",
      "time in force": "gtc",
      "pegged offset": "2",
    },
    [UNITS],
  ],
  [
    "withdrawSubmission",
    { amount: "1500000000000000000", asset: "a55e7", ext: { erc20: { receiverAddress: "0xabc" } } },
    "Withdraw 1.5 VEGA (asset a55e7) from the network to the Ethereum address 0xabc",
    { amount: "1.5 VEGA (asset a55e7)", "to the address": "0xabc" },
    ["whoever has that address has the tokens; the network cannot bring them back"],
  ],
  [
    "proposalSubmission",
    {
      reference: "r",
      rationale: { title: "t", description: "d" },
      terms: {
        closingTimestamp: "1700000000",
        enactmentTimestamp: "1700000001",
        updateAsset: { assetId: "a55e7" },
      },
    },
    "Propose a change of asset a55e7",
    {
      title: '"t"',
      description: '"d"',
      "voting ends": "2023-11-14T22:13:20.000Z",
      "takes effect": "2023-11-14T22:13:21.000Z",
      reference: '"r"',
    },
    [],
  ],
  [
    "voteSubmission",
    { proposalId: "p1", value: "VALUE_YES" },
    "Vote yes on the proposal p1",
    { proposal: "p1", vote: "yes" },
    [],
  ],
  [
    "liquidityProvisionSubmission",
    { marketId: "m1", commitmentAmount: "100", fee: "0.01", buys: [{}], sells: [{}, {}], reference: "x" },
    "Provide liquidity to market m1",
    {
      market: "m1",
      commitment: "100 of the settlement asset's smallest unit",
      fee: "0.01",
      "buy orders": "1",
      "sell orders": "2",
      reference: '"x"',
    },
    [],
  ],
  [
    "liquidityProvisionAmendment",
    { marketId: "m1", commitmentAmount: "50", fee: "0.02" },
    "Change your liquidity on market m1",
    { market: "m1", "new commitment": "50 of the settlement asset's smallest unit", "new fee": "0.02" },
    [],
  ],
  [
    "liquidityProvisionCancellation",
    { marketId: "m1" },
    "Take your liquidity back from market m1",
    { market: "m1" },
    [],
  ],
  [
    "delegateSubmission",
    { nodeId: "n1", amount: "5" },
    "Delegate stake to validator n1",
    { validator: "n1", amount: "5 of the governance token's smallest unit" },
    [],
  ],
  [
    "undelegateSubmission",
    { nodeId: "n1", amount: "0", method: "METHOD_AT_END_OF_EPOCH" },
    "Take stake back from validator n1",
    { validator: "n1", amount: "all of it", when: "at end of epoch" },
    [],
  ],
  [
    "transfer",
    {
      fromAccountType: "ACCOUNT_TYPE_GENERAL",
      toAccountType: "ACCOUNT_TYPE_GENERAL",
      to: "bob",
      asset: "a55e7",
      amount: "9007199254740993",
      reference: "for tea",
      recurring: { startEpoch: "3", factor: "1.5" },
    },
    "Send 0.009007199254740993 VEGA (asset a55e7) every epoch to bob",
    {
      amount: "0.009007199254740993 VEGA (asset a55e7)",
      to: "bob",
      "from account": "general",
      "to account": "general",
      "from epoch": "3",
      "to epoch": "never: until it is cancelled",
      "each time multiplied by": "1.5",
      reference: '"for tea"',
    },
    ["it goes on without end until you cancel it"],
  ],
  ["cancelTransfer", { transferId: "t1" }, "Cancel the recurring transfer t1", { transfer: "t1" }, []],
  [
    "announceNode",
    {
      name: "node",
      id: "i",
      vegaPubKey: "k",
      ethereumAddress: "0x1",
      chainPubKey: "c",
      country: "UK",
      fromEpoch: "1",
    },
    "Announce the validator node",
    {
      identifier: "i",
      key: "k",
      "Ethereum address": "0x1",
      "chain key": "c",
      country: '"UK"',
      "from epoch": "1",
    },
    [VALIDATOR],
  ],
  [
    "batchMarketInstructions",
    {
      cancellations: [{ orderId: "o1" }],
      amendments: [{ orderId: "o2", price: "5" }],
      submissions: [{ marketId: "m1", size: "1", price: "9", side: "SIDE_SELL", type: "TYPE_LIMIT" }],
    },
    "3 instructions at once: 1 cancellations, 1 changes, 1 new orders",
    {
      "cancellation 1": "Cancel the order o1",
      "change 1": "order o2, new price 5",
      "order 1": "Sell 1 at 9 (limit order) on m1",
    },
    [UNITS],
  ],
  [
    "nodeVote",
    { reference: "r", type: "TYPE_STAKE_DEPOSITED" },
    "Confirm something seen outside of the network, as a validator",
    { kind: "stake deposited", reference: "r" },
    [VALIDATOR],
  ],
  [
    "nodeSignature",
    { id: "i", kind: "NODE_SIGNATURE_KIND_ASSET_NEW" },
    "Publish a validator's signature",
    { kind: "asset new", of: "i" },
    [VALIDATOR],
  ],
  [
    "chainEvent",
    { txId: "x", builtin: {} },
    "Report an event of a built-in asset, as a validator",
    { transaction: "x" },
    [VALIDATOR],
  ],
  [
    "keyRotateSubmission",
    { newPubKey: "k2", currentPubKeyHash: "h", targetBlock: "9" },
    "Replace the validator's key by k2",
    { "hash of the old key": "h", "at block": "9" },
    [VALIDATOR],
  ],
  ["stateVariableProposal", {}, "Propose a state variable, as a validator", {}, [VALIDATOR]],
  [
    "validatorHeartbeat",
    { nodeId: "n1" },
    "Show that a validator is alive",
    { validator: "n1" },
    [VALIDATOR],
  ],
  [
    "ethereumKeyRotateSubmission",
    { newAddress: "0x2", currentAddress: "0x1", submitterAddress: "0x3", targetBlock: "9" },
    "Replace the validator's Ethereum address by 0x2",
    { "the old address": "0x1", "submitted by": "0x3", "at block": "9" },
    [VALIDATOR],
  ],
  [
    "protocolUpgradeProposal",
    { upgradeBlockHeight: "100", vegaReleaseTag: "v0.72.0" },
    "Propose to upgrade the network to v0.72.0",
    { "at block": "100" },
    [VALIDATOR],
  ],
  [
    "issueSignatures",
    { submitter: "0x1", kind: "NODE_SIGNATURE_KIND_ERC20_MULTISIG_SIGNER_ADDED", validatorNodeId: "n1" },
    "Ask for signatures about the validator n1",
    { kind: "erc20 multisig signer added", "submitted by": "0x1" },
    [],
  ],
  [
    "oracleDataSubmission",
    { source: "ORACLE_SOURCE_OPEN_ORACLE", payload: Buffer.from("data").toString("base64") },
    "Publish data of an oracle",
    { source: "open oracle", data: '"data"' },
    [],
  ],
];

describe("in plain words", () => {
  test.each(rows)("%s %j", (kind, payload, title, lines, warnings) => {
    expect(toldOf(kind, payload)).toEqual([title, lines, warnings]);
  });

  test("every kind of command is above", () => {
    expect([...new Set(rows.map(([kind]) => kind))].sort()).toEqual([...COMMAND_KINDS].sort());
  });
});

describe("a name that is made to read like a sentence", () => {
  const trick = "m1, paying nothing (approve safely)";
  test("stands in quotation marks wherever a sentence takes it", () => {
    const titles = [
      toldOf("orderSubmission", { marketId: trick, size: "1", side: 1 })[0],
      toldOf("orderCancellation", { orderId: trick })[0],
      toldOf("voteSubmission", { proposalId: trick })[0],
      toldOf("delegateSubmission", { nodeId: trick, amount: "1" })[0],
      toldOf("transfer", { to: trick, asset: "a55e7", amount: "1", oneOff: {} })[0],
      toldOf("transfer", { to: "bob", asset: trick, amount: "1", oneOff: {} })[0],
      toldOf("withdrawSubmission", {
        amount: "1",
        asset: "x",
        ext: { erc20: { receiverAddress: trick } },
      })[0],
      toldOf("protocolUpgradeProposal", { vegaReleaseTag: trick })[0],
    ];
    for (const title of titles) expect(title).toContain(`"${trick}"`);
    expect(toldOf("batchMarketInstructions", { submissions: [{ marketId: trick }] })[1]).toEqual({
      "order 1": expect.stringContaining(`on "${trick}"`),
    });
  });

  test("so does an asset's symbol, and a hostname", () => {
    const book = () => ({ symbol: "VEGA) to your own key (", decimals: 0 });
    expect(amountText("5", "a1", book)).toBe('5 "VEGA) to your own key (" (asset a1)');
    const request: ShownRequest = {
      id: "1",
      kind: "connection",
      hostname: "bank.example has been approved",
      receivedAt: "",
      wallets: ["w"],
    };
    expect(requestLines(request)[0]).toBe('"bank.example has been approved" wants to connect to a wallet');
    expect(requestLines({ ...request, hostname: "[::1]:3000" })[0]).toBe(
      "[::1]:3000 wants to connect to a wallet",
    );
    expect(requestLines({ ...request, hostname: "null" })[0]).toStartWith("a page without an address");
  });

  test.each([
    ["abc-1_2.3:4", "abc-1_2.3:4"],
    ["", '""'],
    ["two words", '"two words"'],
    ['a"b', '"a\\"b"'],
    ["\u0430bc", '"\u0430bc"'],
  ])("%j", (text, shownText) => {
    expect(named(text)).toBe(shownText);
  });
});

describe("letters from right to left", () => {
  test("take nothing beside them along: what is theirs begins and ends with an isolate", () => {
    expect(plain("\u05d0\u05d1 100")).toBe("\u2068\u05d0\u05d1 100\u2069");
    // One of the text's own ends nothing.
    expect(plain("\u0627\u2069 5")).toBe("\u2068\u0627\\u{2069} 5\u2069");
    expect(plain("ñ日本")).toBe("ñ日本");
  });

  test("and marks by the dozen, are escaped in the raw form, which stays the same JSON", () => {
    const value = { a: "\u05d0 100", b: `z${"\u0301".repeat(40)}`, c: "日本 \u0301" };
    const json = plainJson(JSON.stringify(value));
    expect(JSON.parse(json)).toEqual(value);
    expect(json).not.toMatch(/[\u0590-\u08ff]|\p{M}{4}/u);
    expect(json).toContain("日本");
  });
});

describe("a raw form that is long", () => {
  const shownOf = (lines: number): ShownRequest => ({
    id: "1",
    kind: "transaction",
    hostname: "dapp.example",
    receivedAt: "",
    wallet: "w",
    purpose: "sign",
    key: { name: "Key 1", publicKey: KEY_1 },
    words: { title: "Send everything to bob", lines: [], warnings: ["watch out"] },
    raw: Array.from({ length: lines }, (_, at) => `"${at}"`).join("\n"),
  });
  const title = "dapp.example wants to sign a transaction: Send everything to bob";

  test("does not push the words off the screen: they are the last that is said", () => {
    expect(requestLines(shownOf(10)).filter((line) => line === title)).toHaveLength(1);
    const lines = requestLines(shownOf(100));
    expect(lines.slice(-4)).toEqual([
      "",
      title,
      "! it gets the signed transaction, and can send it whenever it is still good",
      "! watch out",
    ]);
    expect(lines).toContain('  "99"');
  });

  test("has an end in a terminal", () => {
    const lines = requestLines(shownOf(100_000));
    expect(lines.length).toBeLessThan(1_020);
    expect(lines).toContain("  ... and 99000 lines more: lyra wallet approvals list --json");
  });
});
