// Commands of every kind, and what people are to read of each: title, lines, warnings.

import type { WordsContext } from "../../../src/wallet/approvals/formatting.ts";
import { wordsOf } from "../../../src/wallet/approvals/words.ts";
import type { CommandKind } from "../../../src/wire/transaction-commands.ts";
import { readCommandText } from "../../support/command-text.ts";
import { KEY_1 } from "../service/rig.ts";

/** Of a market and its asset; of nothing else. */
export const CONTEXT: WordsContext = {
  assets: (id) => (id === "a55e7" ? { symbol: "VEGA", decimals: 18 } : undefined),
  markets: (id) =>
    id === "m9"
      ? { code: "TEA/X", quoteName: "USD", settlementAsset: "a55e7", decimals: 2, positionDecimals: 3 }
      : undefined,
  stakeAsset: "a55e7",
  publicKey: KEY_1,
};
const VALIDATOR = "this is a validator's command: approve it only if you run a validator and expect it";
const UNKNOWN_COMMITMENT =
  "of the smallest unit of the market's settlement asset (which one, and its decimals, are not known)";
export const UNITS = "prices and sizes are in the market's smallest units";
export const toldOf = (kind: string, payload: object) => {
  const { title, lines, warnings } = wordsOf(readCommandText(JSON.stringify({ [kind]: payload })), CONTEXT);
  return [title, Object.fromEntries(lines), warnings];
};

/** The places of all texts within a payload. */
export function textsIn(value: object, path: readonly string[] = []): (readonly string[])[] {
  return Object.entries(value).flatMap(([name, member]) => {
    if (typeof member === "string") return [[...path, name]];
    return typeof member === "object" ? textsIn(member, [...path, name]) : [];
  });
}

export function withText(payload: object, path: readonly string[], text: string): object {
  const copy = structuredClone(payload) as Record<string, unknown>;
  const holder = path.slice(0, -1).reduce((at, name) => at[name] as Record<string, unknown>, copy);
  holder[path.at(-1)!] = text;
  return copy;
}

type Row = readonly [
  kind: CommandKind,
  payload: object,
  title: string,
  lines: Record<string, string>,
  warnings: readonly string[],
];
export const rows: readonly Row[] = [
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
  ["orderCancellation", { marketId: "m9" }, "Cancel all orders on market m9", { market: 'm9 "TEA/X"' }, []],
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
    {
      amount: "1.5 VEGA (asset a55e7) = 1500000000000000000 of its smallest unit",
      "to the address": "0xabc",
    },
    ["the holder of that address has the tokens; the network cannot bring them back"],
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
    "proposalSubmission",
    {
      terms: {
        newAsset: {
          changes: {
            name: "Tea token",
            symbol: "TEA",
            decimals: "3",
            erc20: { contractAddress: "0xc", lifetimeLimit: "1500", withdrawThreshold: "1" },
          },
        },
      },
    },
    "Propose the new asset TEA",
    {
      name: '"Tea token"',
      symbol: '"TEA"',
      decimals: "3",
      contract: "0xc",
      "most of a key's deposits": "1.5 TEA (asset proposed) = 1500 of its smallest unit",
      "withdrawals wait from": "0.001 TEA (asset proposed) = 1 of its smallest unit",
    },
    [],
  ],
  [
    "proposalSubmission",
    {
      terms: {
        updateAsset: {
          assetId: "a55e7",
          changes: {
            erc20: { lifetimeLimit: "2000000000000000000", withdrawThreshold: "1000000000000000000" },
          },
        },
      },
    },
    "Propose a change of asset a55e7",
    {
      "most of a key's deposits": "2 VEGA (asset a55e7) = 2000000000000000000 of its smallest unit",
      "withdrawals wait from": "1 VEGA (asset a55e7) = 1000000000000000000 of its smallest unit",
    },
    [],
  ],
  [
    "proposalSubmission",
    {
      terms: {
        newMarket: {
          changes: {
            instrument: { name: "Tea", code: "TEA", future: { settlementAsset: "a55e7", quoteName: "USD" } },
            decimalPlaces: "5",
            positionDecimalPlaces: "-1",
          },
        },
      },
    },
    "Propose a new market",
    {
      instrument: '"Tea"',
      code: '"TEA"',
      "settlement asset": "a55e7",
      "prices in": '"USD"',
      decimals: "5 of prices, -1 of sizes",
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
    `Provide liquidity to market m1, committing 100 ${UNKNOWN_COMMITMENT}`,
    {
      market: "m1",
      commitment: `100 ${UNKNOWN_COMMITMENT}`,
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
    `Change your liquidity on market m1, committing 50 ${UNKNOWN_COMMITMENT}`,
    { market: "m1", "new commitment": `50 ${UNKNOWN_COMMITMENT}`, "new fee": "0.02" },
    [],
  ],
  [
    "liquidityProvisionSubmission",
    { marketId: "m9", commitmentAmount: "2500000000000000000", fee: "0.01" },
    "Provide liquidity to market m9, committing 2.5 VEGA (asset a55e7)",
    {
      market: 'm9 "TEA/X"',
      commitment: "2.5 VEGA (asset a55e7) = 2500000000000000000 of its smallest unit",
      fee: "0.01",
      "buy orders": "0",
      "sell orders": "0",
    },
    [],
  ],
  [
    "liquidityProvisionAmendment",
    { marketId: "m9", commitmentAmount: "1", buys: [{}] },
    "Change your liquidity on market m9, committing 0.000000000000000001 VEGA (asset a55e7)",
    {
      market: 'm9 "TEA/X"',
      "new commitment": "0.000000000000000001 VEGA (asset a55e7) = 1 of its smallest unit",
      "buy orders": "1",
    },
    [],
  ],
  [
    "orderSubmission",
    { marketId: "m9", size: "12345", price: "10050", side: "SIDE_SELL", type: "TYPE_LIMIT" },
    "Sell 12.345 at 100.5 USD (limit order) on market m9",
    {
      market: 'm9 "TEA/X"',
      side: "sell",
      size: "12.345",
      price: "100.5 USD",
      "time in force": "unspecified",
    },
    [],
  ],
  [
    "orderAmendment",
    {
      orderId: "o1",
      marketId: "m9",
      price: "7",
      sizeDelta: "-1500",
      peggedOffset: "150",
      peggedReference: "PEGGED_REFERENCE_BEST_BID",
    },
    "Change the order o1",
    {
      order: "o1",
      market: 'm9 "TEA/X"',
      "new price": "0.07 USD",
      "size changes by": "-1.5",
      "pegged to": "best bid",
      "pegged offset": "1.5 USD",
    },
    [],
  ],
  [
    "liquidityProvisionCancellation",
    { marketId: "m9" },
    "Take your liquidity back from market m9",
    { market: 'm9 "TEA/X"' },
    [],
  ],
  [
    "delegateSubmission",
    { nodeId: "n1", amount: "5" },
    "Delegate 0.000000000000000005 VEGA (asset a55e7) to validator n1",
    { validator: "n1", amount: "0.000000000000000005 VEGA (asset a55e7) = 5 of its smallest unit" },
    [],
  ],
  [
    "undelegateSubmission",
    { nodeId: "n1", amount: "0", method: "METHOD_AT_END_OF_EPOCH" },
    "Take all stake back from validator n1",
    { validator: "n1", amount: "all stake", when: "at end of epoch" },
    [],
  ],
  [
    "undelegateSubmission",
    { nodeId: "n1", amount: "1500000000000000000", method: "METHOD_NOW" },
    "Take 1.5 VEGA (asset a55e7) back from validator n1",
    {
      validator: "n1",
      amount: "1.5 VEGA (asset a55e7) = 1500000000000000000 of its smallest unit",
      when: "now",
    },
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
      amount: "0.009007199254740993 VEGA (asset a55e7) = 9007199254740993 of its smallest unit",
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
  [
    "transfer",
    {
      fromAccountType: "ACCOUNT_TYPE_GENERAL",
      toAccountType: "ACCOUNT_TYPE_GENERAL",
      to: "bob",
      asset: "a55e7",
      amount: "1000000000000000000",
      oneOff: { deliverOn: "1700000000000000000" },
    },
    "Send 1 VEGA (asset a55e7) to bob",
    {
      amount: "1 VEGA (asset a55e7) = 1000000000000000000 of its smallest unit",
      to: "bob",
      "from account": "general",
      "to account": "general",
      "delivered on": "2023-11-14T22:13:20.000Z",
    },
    [],
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
    "3 instructions at once: 1 cancellation, 1 change, 1 new order",
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
    "chainEvent",
    {
      txId: "x",
      erc20: {
        deposit: {
          vegaAssetId: "a55e7",
          targetPartyId: "k",
          sourceEthereumAddress: "0x1",
          amount: "1000000000000000000",
        },
      },
    },
    "Report an event of the ERC20 bridge, as a validator",
    {
      transaction: "x",
      what: "a deposit",
      amount: "1 VEGA (asset a55e7) = 1000000000000000000 of its smallest unit",
      key: "k",
      "Ethereum address": "0x1",
    },
    [VALIDATOR],
  ],
  [
    "chainEvent",
    {
      txId: "x",
      stakingEvent: { stakeRemoved: { vegaPublicKey: "k", ethereumAddress: "0x1", amount: "5" } },
    },
    "Report an event of staking, as a validator",
    {
      transaction: "x",
      what: "stake was removed",
      amount: "0.000000000000000005 VEGA (asset a55e7) = 5 of its smallest unit",
      key: "k",
      "Ethereum address": "0x1",
    },
    [VALIDATOR],
  ],
  [
    "chainEvent",
    {
      txId: "x",
      erc20: {
        assetLimitsUpdated: {
          vegaAssetId: "a55e7",
          lifetimeLimits: "2000000000000000000",
          withdrawThreshold: "0",
        },
      },
    },
    "Report an event of the ERC20 bridge, as a validator",
    {
      transaction: "x",
      what: "an asset's limits changed",
      asset: "a55e7",
      "most of a key's deposits": "2 VEGA (asset a55e7) = 2000000000000000000 of its smallest unit",
      "withdrawals wait from": "0 VEGA (asset a55e7) = 0 of its smallest unit",
    },
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
