// Why the chain does not take a call: the codes of `ChainCallError`. In an answer they come with detail code 10000.
import type { Row } from "./explanation.ts";

export const CHAIN_CALLS = {
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
