// Numbers of `details[0].code` in an error object (docs/protocol/10-data-api-serving.md#17-numbered-error-catalogue;
// docs/protocol/30-node-api-endpoints.md#61-core-node-numeric-codes).
import { type Explanation, type Row, table } from "./explanation.ts";

/** Why the chain does not take a call: the codes of `ChainCallError`. In an answer they come with detail code 10000. */
const CHAIN_CALLS = {
  duplicate: [
    "tx already exists in cache",
    "These very bytes are in the mempool, or were accepted lately.",
    "A transaction is taken once. This is an answer to a second submission, not a refusal of the first.",
    "Look for its hash in the data API. To do the same again, sign it anew.",
  ],
  too_large: [
    ["Tx too large. Max size is 1048576, but got <n>", "tx size is too big: <n>, max: <n>"],
    "The transaction has too many bytes.",
    "The mempool takes at most 1,048,576 bytes, or less where blocks are smaller.",
    "Split it up.",
  ],
  mempool_full: [
    "mempool is full: number of txs <n> (max: <n>), total txs bytes <n> (max: <n>), no room for the <what> of this one",
    "The mempool has no room.",
    "More transactions are sent than blocks can take.",
    "Wait for a block and send it again: its proof of work is still good for a while.",
  ],
  timeout: [
    "timed out waiting for tx to be included in a block",
    "The transaction was taken, but no block held it within 10 seconds.",
    "Blocks are made by hand or seldom, or the mempool is long.",
    "Do not send it again: look for its hash in the data API. TYPE_SYNC does not wait.",
  ],
  stopped: [
    [
      "tendermint client is not ready",
      "the chain is being stopped",
      "the chain was taken back to another block",
    ],
    "The chain is starting, stopping, or was taken back to a snapshot.",
    "It takes transactions only while it runs.",
    "Try again in a moment.",
  ],
  halted: [
    "",
    "The chain has stopped for good: it makes no more blocks.",
    "Its disk is full, it found a contradiction in its own state, or it waits for an upgrade; GET /readyz says which.",
    "Make room, or see the node's log; then start it again.",
  ],
  bridge: [
    "the Ethereum bridge refuses it: <reason>",
    "The bridge does not take it.",
    "Its signatures do not verify or are too few, it was used before, or the bridge is stopped.",
    "Get the bundle again when enough validators have signed, and use it once.",
  ],
} as const satisfies Readonly<Record<string, Row>>;

export type ChainCallCode = keyof typeof CHAIN_CALLS;

/** Texts that have no number of their own. */
const UNNUMBERED = table("detail code", {
  10000: [
    "",
    "An error without a number of its own; its text says what it is.",
    "Most of what a submission fails with is the chain's own word: the transaction was not judged at all.",
    "Look up the text of `details[0].message` here.",
  ],
  "Invalid TX Type": [
    "Invalid TX Type",
    "The submission does not say how long to wait.",
    "`type` must be TYPE_ASYNC, TYPE_SYNC or TYPE_COMMIT.",
    'Add `"type": "TYPE_SYNC"` to the body.',
  ],
  "missing tx": [
    "missing tx",
    "The request holds no transaction.",
    "`tx` is missing, empty or null.",
    "Put the transaction into `tx`: an object for /transaction, base64 for /transaction/raw.",
  ],
  "missing proposal or party filter": [
    "missing proposal or party filter",
    "GET /votes wants to know whose.",
    "It needs `proposal` or `party`.",
    "Add one of them.",
  ],
  "Failed to get last block height server is initialising": [
    "Failed to get last block height server is initialising",
    "There is no block yet.",
    "The chain has just been started.",
    "Wait a moment.",
  ],
});

/** Requests without a parameter that must be there. */
const MISSING: Readonly<Record<number, string>> = {
  10003: "empty or missing market ID",
  10004: "empty or missing order ID",
  10006: "empty or missing party ID",
  10012: "missing orderID parameter",
  10014: "missing party id",
  10017: "missing asset ID",
  10021: "proposal id is a required parameter",
  10022: "missing proposal ID or reference",
  10023: "missing proposal id and party id",
  10024: "missing proposal id or party id",
  10025: "missing resource ID",
  10026: "missing price",
  10030: "candle id is a required parameter",
  10031: "missing oracle spec ID",
  10034: "missing node id",
  80003: "missing withdrawal ID",
  80004: "missing deposit ID",
};

/** Parameters in an invalid form. */
const MALFORMED: Readonly<Record<number, readonly [text: string, form: string]>> = {
  10015: ["malformed request", "The request cannot be read."],
  10027: ["invalid order price", "A price is a whole number."],
  10028: [
    "invalid pagination",
    "`first` goes with `after`, `last` with `before`; numbers are above 0, cursors are taken from an answer.",
  ],
  10035: ["invalid order side", "A side is SIDE_BUY or SIDE_SELL."],
  10036: ["failed to parse epoch id", "An epoch is a whole number."],
  10038: ["invalid asset ID", "An identifier has 64 hexadecimal digits."],
  120001: [
    "invalid erc20 token contract address",
    "The asset is not an ERC20 token, or its contract has no address.",
  ],
};

/** Estimates: the fault stands in `inner`. */
const ESTIMATES = table("detail code", {
  10039: [
    "failed to estimate fee",
    "There is no fee to estimate.",
    "With HTTP 404 there is no such market; with 400 the price or the size is wrong. `inner` says which.",
    "Give `price` and `size` as whole numbers above 0, in the market's own decimals.",
  ],
  10040: [
    "failed to estimate margin",
    "There is no margin to estimate.",
    "With HTTP 404 there is no such market; with 400 side, price or size is wrong, or the market has no price yet. `inner` says which.",
    "Give `side` and `size`, and for TYPE_LIMIT `price`; whole numbers above 0, in the market's own decimals.",
  ],
});

/** Ends of streams. */
const STREAMS = table("detail code", {
  10010: [
    "internal stream failure",
    "A stream was ended by the node.",
    "The client did not read as fast as things happened: its queue is full (`channel closed`).",
    "Open it again: it begins with what is true then. Ask for less by filters, or read faster; `streamBacklogBytesMax` is the limit.",
  ],
});

/** Resources that could not be read. */
const LOOKUPS: Readonly<Record<number, string>> = {
  20005: "failed to get order versions",
  20006: "order not found",
  20007: "failed to get orders",
  30002: "failed to get market for ID",
  30004: "failed to get market data",
  30005: "failed to get all markets paged",
  30006: "failed to get market data history",
  40001: "failed to get trades for market",
  40005: "failed to list trades",
  50001: "failed to get parties",
  50002: "failed to get party for ID",
  60001: "failed to get candle data",
  60002: "failed to subscribe to candle data",
  60003: "failed to get candles for market",
  70001: "failed to get margin levels",
  80006: "failed to get accounts",
  90004: "failed to get balances",
  100001: "failed to get network limits",
  100002: "failed to get network parameters",
  110001: "failed to get nodes",
  110002: "failed to get node data",
  130001: "failed to get delegation",
  140001: "failed to get summary",
  150001: "failed to get withdrawal",
  160001: "failed to get positions for party",
  170001: "failed to get proposal",
  170002: "failed to get proposals",
  170003: "failed to get votes",
  180001: "failed to get notary for resource ID",
  190001: "failed retrieve data for oracle spec",
  190002: "failed retrieve data for oracle specs",
  190003: "failed retrieve data for oracle data",
  200001: "failed to get assets",
  200002: "failed to get asset for ID",
  210001: "failed to get deposit",
  220001: "failed to get transfer",
  230001: "failed to get rewards",
  240001: "failed to get connected peer addresses",
  240002: "failed to get most recent history segment",
  240003: "failed to list all history segments",
  250001: "failed to get epoch",
  260001: "failed to query ledger entries",
  260002: "failed to export ledger entries",
  270001: "failed to get added multisig events",
  270002: "failed to get removed multisig events",
  280001: "failed to get liquidity provision",
  290001: "failed to get checkpoint",
  300001: "failed to get stake linking",
  310001: "failed to get risk factor",
  320001: "failed to list core snapshots",
  330001: "failed to list protocol upgrade proposals",
  340001: "failed to get key rotations for node",
  340002: "failed to get all key rotations",
  350001: "failed to get ethereum key rotations for node",
  360001: "failed to get last block",
};

const entry = (code: string, text: string, means: string, why: string, fix: string): Explanation => ({
  kind: "detail code",
  code,
  texts: [text],
  means,
  why,
  fix,
});

export const DETAIL_CODES: readonly Explanation[] = [
  ...UNNUMBERED,
  ...table("detail code", CHAIN_CALLS),
  ...ESTIMATES,
  ...STREAMS,
  ...Object.entries(MISSING).map(([code, text]) =>
    entry(
      code,
      text,
      "A parameter that this resource needs is missing or empty.",
      "It is not in the path or the query, or under another name.",
      "Add it; GET /docs names the parameters of every resource.",
    ),
  ),
  ...Object.entries(MALFORMED).map(([code, [text, form]]) =>
    entry(code, text, "A value has a form that it cannot have.", form, "Correct it; `inner` may say more."),
  ),
  ...Object.entries(LOOKUPS).map(([code, text]) =>
    entry(
      code,
      text,
      "What was asked for could not be got.",
      "With HTTP 404 there is none of this identifier; with 400 an identifier or filter has the wrong form; with 500 a cursor is of another list. `inner` says more.",
      "Check the identifier and the filters; take cursors only from the same list. What was just sent may not be in a block yet.",
    ),
  ),
];

/** Number of each text; what is not here has 10000. */
export const DETAIL_NUMBERS: ReadonlyMap<string, number> = new Map(
  DETAIL_CODES.flatMap(({ code, texts }) =>
    /^\d+$/.test(code) ? texts.map((text) => [text, Number(code)]) : [],
  ),
);
