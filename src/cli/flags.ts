// Flags that several commands share: each has one name, one meaning and one variable everywhere.

import { type Flags, option } from "./command/command.ts";

/** Nodes to ask. */
export const NODE_URL = {
  "node-url": option("URL", "address of the node (default: $LYRA_NODE_URL, else the running devnet)", {
    aliases: ["node"],
    hasVariable: true,
  }),
} as const satisfies Flags;

/** Nodes that are tried in turn. */
export const NODE_URLS = {
  "node-url": {
    ...NODE_URL["node-url"],
    multiple: true,
    text: "node to ask, again for each (default: $LYRA_NODE_URL)",
  },
} as const satisfies Flags;

export const NETWORK = {
  network: option("NAME", "the nodes of a kept network (lyra wallet network)"),
} as const satisfies Flags;

export const OUT = {
  out: option("FILE", "the JSON document, in a new file", { short: "o", isMinor: true }),
} as const satisfies Flags;

export const RULES = {
  rules: option("RULES", "0.71.6 or default", { hasVariable: true }),
} as const satisfies Flags;

/** Cuts of history segments, and the amount that is kept. */
export const SEGMENT_LENGTH = {
  "segment-length": option("N", "blocks in a history segment (1000)", { isMinor: true, hasVariable: true }),
} as const satisfies Flags;

export const DISK = {
  disk: option("SIZE", "bytes that the home may take, such as 20GB", { isMinor: true, hasVariable: true }),
  retention: option("MODE", "archive, standard or lite", { isMinor: true, hasVariable: true }),
} as const satisfies Flags;

export const CONFIG = {
  config: option("FILE", "settings (lyra.toml of the home)", { isMinor: true, hasVariable: true }),
} as const satisfies Flags;

export const CONFIG_OUT = {
  "config-out": option("FILE", "where it listens, as JSON", { isMinor: true }),
} as const satisfies Flags;

export const LIMIT = {
  limit: option("NAME=N", "another limit (docs/operations.md); may come again", {
    multiple: true,
    isMinor: true,
  }),
} as const satisfies Flags;

/** Where the data API listens. */
export const DATA_PORTS = {
  host: option("H", "address to listen on (127.0.0.1)", { isMinor: true, hasVariable: true }),
  "data-port": option("N", "data API (3008; 0: free)", { isMinor: true, hasVariable: true }),
  "grpc-data-port": option("N", "over gRPC (3007, or off)", { isMinor: true, hasVariable: true }),
} as const satisfies Flags;

/** Where the node API listens. */
export const NODE_PORTS = {
  "node-port": option("N", "node API (3003)", { isMinor: true, hasVariable: true }),
  "grpc-node-port": option("N", "over gRPC (3002, or off)", { isMinor: true, hasVariable: true }),
} as const satisfies Flags;

/** Transactions that wait for a block: names and units of CometBFT's `[mempool]`. */
export const MEMPOOL = {
  "mempool-size": option("N", "transactions that may wait for a block (5000)", {
    isMinor: true,
    hasVariable: true,
  }),
  "mempool-max-txs-bytes": option("N", "bytes of them all (1073741824)", {
    isMinor: true,
    hasVariable: true,
  }),
} as const satisfies Flags;

/** Flags of commands that serve a home. */
export const SERVING = {
  ...DATA_PORTS,
  ...SEGMENT_LENGTH,
  segments: option("MODE", "where segments end: length, or network", { isMinor: true, hasVariable: true }),
  ...DISK,
  ...LIMIT,
  ...CONFIG,
  ...CONFIG_OUT,
} as const satisfies Flags;

/** Of `lyra pow`; they may stand before its verbs. */
export const POW_FLAGS = {
  difficulty: option("N", "leading zero bits (default 15, the network's own)"),
  threads: option("N", "worker threads (default: one for each core; 0: none)"),
  "start-nonce": option("N", "where the search begins (default 0: always the same)"),
  seconds: option("N", "to measure each number of threads (default 2)"),
} as const satisfies Flags;

export const WALLETS = {
  wallets: option("DIR", "the wallets' folder (wallets in the home)", { isMinor: true }),
} as const satisfies Flags;
