// Options of a devnet: one for each flag of `lyra devnet`, and those of its process.
import { NodeError } from "../errors/node-error.ts";

/** Options of the chain and its ports. `lyra devnet --help` and docs/devnet.md say more of each. */
export interface ChainOptions {
  /** Folder of the chain, which continues there. Default: a temporary folder that is removed at the end. */
  readonly home?: string;
  /** Forgets the chain of `home` first. */
  readonly reset?: boolean;
  /** A month of history first. */
  readonly demo?: boolean;
  /** Whether the parties have balances and stake; default true. */
  readonly fund?: boolean;
  /** When blocks are made: `instant` (default: a transaction makes one), `manual`, `1s`, `mixed:1s`. */
  readonly block?: string;
  /** Start of a new chain: path of a genesis, or the document itself. */
  readonly genesis?: string | object;
  /** First state of a new chain: path of a checkpoint, or the answer of the tool `checkpoint`. */
  readonly checkpoint?: string | object;
  /** Network parameters of a new chain. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Name of a new chain; default `lyra-devnet`. */
  readonly chainId?: string;
  /** Where a new chain's time begins, RFC 3339 in UTC; default: now. */
  readonly startTime?: string;
  /** Repeats the values that are random otherwise. */
  readonly seed?: string;
  /** Address to listen on; default 127.0.0.1. */
  readonly host?: string;
  /** Ports; default 0: free ones. */
  readonly nodePort?: number;
  readonly dataPort?: number;
  readonly faucetPort?: number;
  /** Ports of gRPC; default: free ones; "off": none. */
  readonly grpcNodePort?: number | "off";
  readonly grpcDataPort?: number | "off";
  /** Serves a wallet with the parties' keys, which approves everything. */
  readonly walletPort?: number;
  /** Serves the consensus engine's RPC. */
  readonly cometPort?: number;
  /** Data node that gets the events: `tcp://HOST:PORT` or `unix:PATH`. */
  readonly eventsTo?: string;
  /** After a lost connection continues with the next event, as the network's core does. */
  readonly eventsLossy?: boolean;
  /** `0.71.6` refuses and bans exactly as that version does. */
  readonly rules?: "default" | "0.71.6";
  /** Host names under which other machines may use the tools by token (`LYRA_TOOLS_TOKEN` in `env`). */
  readonly toolsAllow?: readonly string[];
  /** Event file that the run is written to. */
  readonly record?: string;
  /** Blocks in a history segment. */
  readonly segmentLength?: number;
  /** Path of a configuration file. */
  readonly config?: string;
  /** File that gets the addresses as JSON. */
  readonly configOut?: string;
  /** Limits by name (docs/operations.md). */
  readonly limits?: Readonly<Record<string, number | string>>;
}

/** The part of an `AbortSignal` that is used; its own type is in no library that every project has. */
export interface StopSignal {
  readonly aborted: boolean;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** Options of the process. */
export interface ProcessOptions {
  /** Path of the executable; default: `LYRA_BINARY`, or the package of this platform. */
  readonly binary?: string;
  /** Variables of its environment, besides this process's; those called `LYRA_...` are not passed on. */
  readonly env?: Readonly<Record<string, string>>;
  /** Until it listens, milliseconds. Default: half a minute, with `demo` ten. */
  readonly startTimeoutMs?: number;
  /** Of an `AbortController`: stops the devnet, also while it starts. */
  readonly signal?: StopSignal;
  /** Whether the devnet keeps this process from ending; default false. */
  readonly keepAlive?: boolean;
  /** Gets each line of its log. */
  readonly onLog?: (line: string) => void;
}

export interface DevnetOptions extends ChainOptions, ProcessOptions {}

/** A file for an option that was given as a document. @returns its path */
type WriteDocument = (name: string, document: object) => string;

type Words<K extends keyof ChainOptions> = (
  value: NonNullable<ChainOptions[K]>,
  write: WriteDocument,
) => readonly string[];

const text = (flag: string) => (value: string | number) => [flag, String(value)];
const flagAlone = (flag: string) => (value: boolean) => (value ? [flag] : []);
const each = (flag: string) => (values: readonly string[]) => values.flatMap((value) => [flag, value]);
const pairs = (flag: string) => (values: Readonly<Record<string, number | string>>) =>
  Object.entries(values).flatMap(([key, value]) => [flag, `${key}=${value}`]);
const document = (flag: string, name: string) => (value: string | object, write: WriteDocument) => [
  flag,
  typeof value === "string" ? value : write(name, value),
];

/** Words of the command line for each option. */
const FLAGS: { readonly [K in keyof Required<ChainOptions>]: Words<K> } = {
  home: text("--home"),
  reset: flagAlone("--reset"),
  demo: flagAlone("--demo"),
  fund: (fund) => (fund ? [] : ["--no-funding"]),
  block: text("--block"),
  genesis: document("--genesis", "genesis.json"),
  checkpoint: document("--checkpoint", "checkpoint.json"),
  parameters: pairs("--parameter"),
  chainId: text("--chain-id"),
  startTime: text("--start-time"),
  seed: text("--seed"),
  host: text("--host"),
  nodePort: text("--node-port"),
  dataPort: text("--data-port"),
  faucetPort: text("--faucet-port"),
  grpcNodePort: text("--grpc-node-port"),
  grpcDataPort: text("--grpc-data-port"),
  walletPort: text("--wallet-port"),
  cometPort: text("--comet-port"),
  eventsTo: text("--events-to"),
  eventsLossy: flagAlone("--events-lossy"),
  rules: text("--rules"),
  toolsAllow: each("--tools-allow"),
  record: text("--record"),
  segmentLength: text("--segment-length"),
  config: text("--config"),
  configOut: text("--config-out"),
  limits: pairs("--limit"),
};
const PROCESS_OPTIONS: { readonly [K in keyof Required<ProcessOptions>]: true } = {
  binary: true,
  env: true,
  startTimeoutMs: true,
  signal: true,
  keepAlive: true,
  onLog: true,
};
const FREE_PORTS = { nodePort: 0, dataPort: 0, faucetPort: 0 };

/**
 * The words behind `lyra`.
 * @param write makes a file of an option that is a document
 * @throws NodeError `usage` for an unknown option
 */
export function wordsOf(options: DevnetOptions, write: WriteDocument): string[] {
  const stray = Object.keys(options).find((name) => !(name in FLAGS) && !(name in PROCESS_OPTIONS));
  if (stray !== undefined) {
    const hint = `there are ${[...Object.keys(FLAGS), ...Object.keys(PROCESS_OPTIONS)].join(", ")}`;
    throw new NodeError("devnet", "usage", `there is no option '${stray.slice(0, 60)}'`, hint);
  }
  const values: ChainOptions = { ...FREE_PORTS, ...options };
  const words = (Object.keys(FLAGS) as (keyof ChainOptions)[]).flatMap((name) => {
    const value = values[name];
    // Each flag's function takes its own option's value: the table's type says so, an index does not.
    return value === undefined ? [] : (FLAGS[name] as Words<typeof name>)(value as never, write);
  });
  return [
    "devnet",
    ...words,
    ...(options.home === undefined ? ["--temporary"] : []),
    ...(options.onLog === undefined ? ["--quiet"] : []),
    "--json",
    "--stop-with-stdin",
  ];
}
