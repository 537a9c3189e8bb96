// Flags of `lyra devnet`, and how the package's `startDevnet` takes each: src/package/chain-options.generated.ts is made from it.
import { type Flags, option, toggle } from "./command/command.ts";
import { CONFIG, CONFIG_OUT, DATA_PORTS, LIMIT, NODE_PORTS, RULES, SEGMENT_LENGTH } from "./flags.ts";

export const FLAGS = {
  home: option("DIR", "its chain goes on ($LYRA_HOME, XDG lyra/devnet)"),
  temporary: toggle("keep nothing"),
  reset: toggle("forget the chain of the home first", { isMinor: true }),
  demo: toggle("a month of history first"),
  "no-funding": toggle("parties without balances", { isMinor: true }),
  block: option("MODE", "instant (a transaction makes one), 1s, mixed:1s, manual"),
  genesis: option("FILE", "start of a new chain", { isMinor: true }),
  checkpoint: option("FILE", "first state of a new chain", { isMinor: true }),
  parameter: option("KEY=VALUE", "network parameter of a new chain; may come again", { multiple: true }),
  "chain-id": option("ID", "of a new chain", { isMinor: true }),
  "start-time": option("TIME", "where a new chain's time begins, such as 2026-01-01T00:00:00Z", {
    isMinor: true,
  }),
  accounts: option("N", "funded parties (10)", { isMinor: true }),
  balance: option("AMOUNT", "what each has, in whole units: of every asset, or SYMBOL=AMOUNT", {
    multiple: true,
    isMinor: true,
  }),
  "recovery-phrase": option("WORDS", "PUBLIC: the wallet whose first keys are the parties", {
    isMinor: true,
  }),
  seed: option("TEXT", "repeats the values that are random otherwise", { isMinor: true }),
  ...NODE_PORTS,
  ...DATA_PORTS,
  "faucet-port": option("N", "faucet (1790)", { isMinor: true, hasVariable: true }),
  port: option("0", "free ports for all of them", { isMinor: true }),
  "wallet-port": option("N", "a wallet of the parties' keys; it approves everything"),
  "comet-port": option("N", "CometBFT RPC", { isMinor: true }),
  rules: { isMinor: true, ...RULES.rules, text: "of the network: default, or 0.71.6" },
  record: option("FILE", "the run as an event file", { isMinor: true }),
  "events-to": option("ADDRESS", "a data node to send events to: tcp://HOST:PORT or unix:PATH", {
    isMinor: true,
  }),
  "events-lossy": toggle("with --events-to: blocks do not wait for it", { isMinor: true }),
  "tools-allow": option("HOST", "tools by token under this host name, too", {
    multiple: true,
    isMinor: true,
  }),
  ...SEGMENT_LENGTH,
  ...LIMIT,
  ...CONFIG,
  ...CONFIG_OUT,
  "stop-with-stdin": toggle("end when standard input does", { isMinor: true }),
} as const satisfies Flags;

/** The TypeScript type of an option's value, and the words that it becomes. */
export const OPTION_FORMS = {
  text: "string",
  number: "number",
  /** The flag without a value. */
  flag: "boolean",
  /** The flag where the option is false. */
  unset: "boolean",
  /** Path of a file, or its JSON document. */
  document: "string | object",
  /** The flag once for each. */
  texts: "readonly string[]",
  /** The flag with `key=value` for each member. */
  members: "Readonly<Record<string, number | string>>",
  amounts: "number | string | Readonly<Record<string, number | string>>",
  grpcPort: 'number | "off"',
  rules: '"default" | "0.71.6"',
} as const;

export interface PackageOption {
  /** Default: the flag's in camel case. */
  readonly name?: string;
  readonly form: keyof typeof OPTION_FORMS;
  readonly comment: string;
}

/** Undefined: the package sets the flag itself. */
export const PACKAGE_OPTIONS: Readonly<Record<keyof typeof FLAGS, PackageOption | undefined>> = {
  home: {
    form: "text",
    comment:
      "Folder of the chain, which continues there. Default: a temporary folder that is removed at the end.",
  },
  temporary: undefined,
  reset: { form: "flag", comment: "Forgets the chain of `home` first." },
  demo: { form: "flag", comment: "A month of history first." },
  "no-funding": {
    name: "fund",
    form: "unset",
    comment: "Whether the parties have balances and stake; default true.",
  },
  block: {
    form: "text",
    comment:
      "When blocks are made: `instant` (default: a transaction makes one), `manual`, `1s`, `mixed:1s`.",
  },
  genesis: { form: "document", comment: "Start of a new chain: path of a genesis, or the document itself." },
  checkpoint: {
    form: "document",
    comment: "First state of a new chain: path of a checkpoint, or the answer of the tool `checkpoint`.",
  },
  parameter: { name: "parameters", form: "members", comment: "Network parameters of a new chain." },
  "chain-id": { form: "text", comment: "Name of a new chain; default `lyra-devnet`." },
  "start-time": {
    form: "text",
    comment: "Where a new chain's time begins, RFC 3339 in UTC; default: now.",
  },
  accounts: {
    form: "number",
    comment: "Number of a new chain's parties, 1 to 500; default 10, alice to judy.",
  },
  balance: {
    form: "amounts",
    comment:
      'What each party of a new chain has, in whole units: of every asset, or by symbol, such as `{ tUSD: 500, tBTC: "0.25" }`.',
  },
  "recovery-phrase": {
    form: "text",
    comment:
      "PUBLIC: of the wallet whose first keys are a new chain's parties; the devnet shows it to everyone.",
  },
  seed: { form: "text", comment: "Repeats the values that are random otherwise." },
  host: { form: "text", comment: "Address to listen on; default 127.0.0.1." },
  "node-port": { form: "number", comment: "Port of the node API; default 0: a free one, as of the others." },
  "grpc-node-port": { form: "grpcPort", comment: 'Port of gRPC for it; default: a free one; "off": none.' },
  "data-port": { form: "number", comment: "Port of the data API." },
  "grpc-data-port": { form: "grpcPort", comment: "Port of gRPC for it." },
  "faucet-port": { form: "number", comment: "Port of the faucet." },
  port: undefined,
  "wallet-port": {
    form: "number",
    comment: "Serves a wallet with the parties' keys, which approves everything.",
  },
  "comet-port": { form: "number", comment: "Serves the consensus engine's RPC." },
  rules: { form: "rules", comment: "`0.71.6` refuses and bans exactly as that version does." },
  record: { form: "text", comment: "Event file that the run is written to." },
  "events-to": { form: "text", comment: "Data node that gets the events: `tcp://HOST:PORT` or `unix:PATH`." },
  "events-lossy": {
    form: "flag",
    comment: "After a lost connection continues with the next event, as the network's core does.",
  },
  "tools-allow": {
    form: "texts",
    comment:
      "Host names under which other machines may use the tools by token (`LYRA_TOOLS_TOKEN` in `env`).",
  },
  "segment-length": { form: "number", comment: "Blocks in a history segment." },
  limit: { name: "limits", form: "members", comment: "Limits by name (docs/operations.md)." },
  config: { form: "text", comment: "Path of a configuration file." },
  "config-out": { form: "text", comment: "File that gets the addresses as JSON." },
  "stop-with-stdin": undefined,
};
