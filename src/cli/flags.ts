// Flags that several commands share: each has one name, one meaning and one variable everywhere.

import type { Flags } from "./command/command.ts";

/** Nodes to ask. */
export const NODE_URL = {
  "node-url": {
    type: "string",
    value: "URL",
    text: "address of the node (default: $LYRA_NODE_URL, else the running devnet)",
    variable: "LYRA_NODE_URL",
    aliases: ["node"],
  },
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
  network: { type: "string", value: "NAME", text: "the nodes of a kept network (lyra wallet network)" },
} as const satisfies Flags;

export const OUT = {
  out: {
    isMinor: true,
    type: "string",
    short: "o",
    value: "FILE",
    text: "the JSON document, in a new file",
  },
} as const satisfies Flags;

export const RULES = {
  rules: { type: "string", value: "RULES", text: "0.71.6 or default", variable: "LYRA_RULES" },
} as const satisfies Flags;

/** How blocks are cut into history segments, and how much of them is kept. */
export const SEGMENT_LENGTH = {
  "segment-length": {
    isMinor: true,
    type: "string",
    value: "N",
    text: "blocks in a history segment (1000)",
    variable: "LYRA_SEGMENT_LENGTH",
  },
} as const satisfies Flags;

export const DISK = {
  disk: {
    isMinor: true,
    type: "string",
    value: "SIZE",
    text: "bytes that the home may take, such as 20GB",
    variable: "LYRA_DISK",
  },
  retention: {
    isMinor: true,
    type: "string",
    value: "MODE",
    text: "archive, standard or lite",
    variable: "LYRA_RETENTION",
  },
} as const satisfies Flags;

export const CONFIG = {
  config: {
    isMinor: true,
    type: "string",
    value: "FILE",
    text: "settings (lyra.toml of the home)",
    variable: "LYRA_CONFIG",
  },
} as const satisfies Flags;

export const CONFIG_OUT = {
  "config-out": { isMinor: true, type: "string", value: "FILE", text: "where it listens, as JSON" },
} as const satisfies Flags;

export const LIMIT = {
  limit: {
    isMinor: true,
    type: "string",
    multiple: true,
    value: "NAME=N",
    text: "another limit (docs/operations.md); may come again",
  },
} as const satisfies Flags;

/** Where the data API listens. */
export const DATA_PORTS = {
  host: {
    isMinor: true,
    type: "string",
    value: "H",
    text: "address to listen on (127.0.0.1)",
    variable: "LYRA_HOST",
  },
  "data-port": {
    isMinor: true,
    type: "string",
    value: "N",
    text: "data API (3008; 0: free)",
    variable: "LYRA_DATA_PORT",
  },
  "grpc-data-port": {
    isMinor: true,
    type: "string",
    value: "N",
    text: "over gRPC (3007, or off)",
    variable: "LYRA_GRPC_DATA_PORT",
  },
} as const satisfies Flags;

/** Where the node API listens. */
export const NODE_PORTS = {
  "node-port": {
    isMinor: true,
    type: "string",
    value: "N",
    text: "node API (3003)",
    variable: "LYRA_NODE_PORT",
  },
  "grpc-node-port": {
    isMinor: true,
    type: "string",
    value: "N",
    text: "over gRPC (3002, or off)",
    variable: "LYRA_GRPC_NODE_PORT",
  },
} as const satisfies Flags;

/** Flags of commands that serve a home. */
export const SERVING = {
  ...DATA_PORTS,
  ...SEGMENT_LENGTH,
  segments: {
    isMinor: true,
    type: "string",
    value: "MODE",
    text: "where segments end: length, or network",
    variable: "LYRA_SEGMENTS",
  },
  ...DISK,
  ...LIMIT,
  ...CONFIG,
  ...CONFIG_OUT,
} as const satisfies Flags;

/** Of `lyra pow`; they may stand before its verbs. */
export const POW_FLAGS = {
  difficulty: { type: "string", value: "N", text: "leading zero bits (default 15, the network's own)" },
  threads: {
    type: "string",
    value: "N",
    text: "worker threads (default: one for each core; 0: none)",
  },
  "start-nonce": {
    type: "string",
    value: "N",
    text: "where the search begins (default 0: always the same)",
  },
  seconds: { type: "string", value: "N", text: "to measure each number of threads (default 2)" },
} as const satisfies Flags;

export const WALLETS = {
  wallets: { isMinor: true, type: "string", value: "DIR", text: "the wallets' folder (wallets in the home)" },
} as const satisfies Flags;
