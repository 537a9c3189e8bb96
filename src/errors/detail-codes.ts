// Numbers of `details[0].code` in an error object (docs/protocol/10-data-api-serving.md#17-numbered-error-catalogue;
// docs/protocol/30-node-api-endpoints.md#61-core-node-numeric-codes).
import { type CodeEntry, type Explanation, explanationOf, explanationsOf } from "./explanation.ts";
import { FIXES } from "./shared.ts";

/** Why the chain does not take a call: the codes of `ChainCallError`. In an answer they come with detail code 10000. */
const CHAIN_CALLS = {
  duplicate: {
    text: "tx already exists in cache",
    meaning: "These very bytes are in the mempool, or were accepted recently.",
    cause:
      "A transaction is taken once. This is an answer to a second submission, not a refusal of the first.",
    fix: "Look for its hash in the data API. To do the same again, sign it again.",
  },
  too_large: {
    text: ["Tx too large. Max size is 1048576, but got <n>", "tx size is too big: <n>, max: <n>"],
    meaning: "The transaction has too many bytes.",
    cause: "The mempool takes at most 1,048,576 bytes, or less where blocks are smaller.",
    fix: FIXES.split,
  },
  mempool_full: {
    text: "mempool is full: number of txs <n> (max: <n>), total txs bytes <n> (max: <n>), no room for the <what> of this one",
    meaning: "The mempool has no room.",
    cause: "More transactions are sent than blocks can take.",
    fix: "Wait for a block and send it again: its proof of work is still good for a while.",
  },
  timeout: {
    text: "timed out waiting for tx to be included in a block",
    meaning: "The transaction was taken, but no block held it within 10 seconds.",
    cause: "Blocks are made by hand or seldom, or the mempool is long.",
    fix: "Do not send it again: look for its hash in the data API. TYPE_SYNC does not wait.",
  },
  stopped: {
    text: [
      "tendermint client is not ready",
      "the chain is being stopped",
      "the chain was taken back to another block",
    ],
    meaning: "The chain is starting, stopping, or was taken back to a snapshot.",
    cause: "It takes transactions only while it runs.",
    fix: FIXES.tryAgain,
  },
  halted: {
    meaning: "The chain has stopped for good: it makes no more blocks.",
    cause:
      "Its disk is full, it found a contradiction in its own state, or it waits for an upgrade; GET /readyz says which.",
    fix: "Make room, or see the node's log; then start it again.",
  },
  bridge: {
    text: "the Ethereum bridge refuses it: <reason>",
    meaning: "The bridge does not take it.",
    cause: "Its signatures do not verify or are too few, it was used before, or the bridge is stopped.",
    fix: "Get the bundle again when enough validators have signed, and use it once.",
  },
} as const satisfies Readonly<Record<string, CodeEntry>>;

export type ChainCallCode = keyof typeof CHAIN_CALLS;

/** Texts that have no number of their own. */
const UNNUMBERED = explanationsOf("detail code", {
  10000: {
    meaning: "An error without a number of its own; its text says what it is.",
    cause:
      "Most of what a submission fails with is the chain's own word: the transaction was not judged at all.",
    fix: "Look up the text of `details[0].message` here.",
  },
  "Invalid TX Type": {
    text: "Invalid TX Type",
    meaning: "The submission does not say how long to wait.",
    cause: "`type` must be TYPE_ASYNC, TYPE_SYNC or TYPE_COMMIT.",
    fix: 'Add `"type": "TYPE_SYNC"` to the body.',
  },
  "missing tx": {
    text: "missing tx",
    meaning: "The request holds no transaction.",
    cause: "`tx` is missing, empty or null.",
    fix: "Put the transaction into `tx`: an object for /transaction, base64 for /transaction/raw.",
  },
  "missing proposal or party filter": {
    text: "missing proposal or party filter",
    meaning: "GET /votes wants to know whose.",
    cause: "It needs `proposal` or `party`.",
    fix: "Add one of them.",
  },
  "Failed to get last block height server is initialising": {
    text: "Failed to get last block height server is initialising",
    meaning: "There is no block yet.",
    cause: "The chain has just been started.",
    fix: "Wait a moment.",
  },
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
const MALFORMED: Readonly<Record<number, { text: string; form: string }>> = {
  10015: { text: "malformed request", form: "The request cannot be read." },
  10027: { text: "invalid order price", form: "A price is a whole number." },
  10028: {
    text: "invalid pagination",
    form: "`first` goes with `after`, `last` with `before`; numbers are above 0, cursors are taken from an answer.",
  },
  10035: { text: "invalid order side", form: "A side is SIDE_BUY or SIDE_SELL." },
  10036: { text: "failed to parse epoch id", form: "An epoch is a whole number." },
  10038: { text: "invalid asset ID", form: "An identifier has 64 hexadecimal digits." },
  120001: {
    text: "invalid erc20 token contract address",
    form: "The asset is not an ERC20 token, or its contract has no address.",
  },
};

/** Estimates: the fault stands in `inner`. */
const ESTIMATES = explanationsOf("detail code", {
  10039: {
    text: "failed to estimate fee",
    meaning: "There is no fee to estimate.",
    cause:
      "With HTTP 404 there is no such market; with 400 the price or the size is wrong. `inner` says which.",
    fix: "Give `price` and `size` as whole numbers above 0, in the market's own decimals.",
  },
  10040: {
    text: "failed to estimate margin",
    meaning: "There is no margin to estimate.",
    cause:
      "With HTTP 404 there is no such market; with 400 side, price or size is wrong, or the market has no price yet. `inner` says which.",
    fix: "Give `side` and `size`, and for TYPE_LIMIT `price`; whole numbers above 0, in the market's own decimals.",
  },
});

/** Ends of streams. */
const STREAMS = explanationsOf("detail code", {
  10010: {
    text: "internal stream failure",
    meaning: "A stream was ended by the node.",
    cause: "The client did not read as fast as things happened: its queue is full (`channel closed`).",
    fix: "Open it again: it begins with what is true then. Ask for less by filters, or read faster; `streamBacklogBytesMax` is the limit.",
  },
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

/** Shared by the entries of a table. */
const MISSING_ENTRY = {
  meaning: "A parameter that this resource needs is missing or empty.",
  cause: "It is not in the path or the query, or under another name.",
  fix: "Add it; GET /docs names the parameters of every resource.",
};
const MALFORMED_ENTRY = {
  meaning: "A value has a form that it cannot have.",
  fix: "Correct it; `inner` may say more.",
};
const LOOKUP_ENTRY = {
  meaning: "The resource could not be read.",
  cause:
    "With HTTP 404 there is none of this identifier; with 400 an identifier or filter has the wrong form; with 500 a cursor is of another list. `inner` says more.",
  fix: "Check the identifier and the filters; take cursors only from the same list. What was just sent may not be in a block yet.",
};

const detail = (code: string, entry: CodeEntry) => explanationOf("detail code", code, entry);

export const DETAIL_CODES: readonly Explanation[] = [
  ...UNNUMBERED,
  ...explanationsOf("detail code", CHAIN_CALLS),
  ...ESTIMATES,
  ...STREAMS,
  ...Object.entries(MISSING).map(([code, text]) => detail(code, { ...MISSING_ENTRY, text })),
  ...Object.entries(MALFORMED).map(([code, { text, form }]) =>
    detail(code, { ...MALFORMED_ENTRY, text, cause: form }),
  ),
  ...Object.entries(LOOKUPS).map(([code, text]) => detail(code, { ...LOOKUP_ENTRY, text })),
];

/** Number of each text; other texts have 10000. */
export const DETAIL_NUMBERS: ReadonlyMap<string, number> = new Map(
  DETAIL_CODES.flatMap(({ code, texts }) =>
    /^\d+$/.test(code) ? texts.map((text) => [text, Number(code)]) : [],
  ),
);
