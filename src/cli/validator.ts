// lyra validator: the application behind a consensus engine, with all interfaces.
import { abciAddress } from "../abci/server.ts";
import { GENESIS_BYTES_MAX } from "../engine/genesis.ts";
import { ExitCode, NodeError, reasonOf } from "../errors/node-error.ts";
import { readShortText } from "../files/short-file.ts";
import { startNode } from "../start-node.ts";
import { limitGarbage } from "../store/garbage-limit.ts";
import type { ValidatorConfig } from "../validator/validator.ts";
import { command, type Flags, option, toggle, type ValuesOf } from "./command/command.ts";
import { usageError, wholeNumber } from "./command/usage-error.ts";
import {
  CONFIG,
  CONFIG_OUT,
  DATA_PORTS,
  LIMIT,
  MEMPOOL,
  NODE_PORTS,
  RULES,
  SEGMENT_LENGTH,
} from "./flags.ts";
import { mempoolLimitsOf } from "./mempool-limits.ts";
import { writeConfigOut } from "./serve.ts";
import { dim, say, sayFailure, waitForInputEnd, waitForSignal } from "./terminal.ts";

const FLAGS = {
  home: option("DIR", "its chain goes on (required)"),
  abci: option("ADDRESS", "where the consensus engine dials: unix:PATH or tcp://HOST:PORT", {
    hasVariable: true,
  }),
  "consensus-rpc": option("URL", "RPC of the own consensus engine (http://127.0.0.1:26657)", {
    hasVariable: true,
  }),
  genesis: option("FILE", "start of a new chain: the engine's genesis.json"),
  keys: option("FILE", "its own keys, which sign its votes and heartbeats", { hasVariable: true }),
  duties: option("N", "work with the devnet's PUBLIC keys of validator N", { isMinor: true }),
  ethereum: option("URL", "the simulated Ethereum that it watches: lyra ethereum", { isMinor: true }),
  ...NODE_PORTS,
  ...DATA_PORTS,
  "faucet-port": option("N", "faucet (0: free)", { isMinor: true, hasVariable: true }),
  rules: { isMinor: true, ...RULES.rules, text: "of the network: default, or 0.71.6" },
  "retain-blocks": option("N", "blocks that the engine keeps at the least (0: all)", {
    isMinor: true,
    hasVariable: true,
  }),
  ...MEMPOOL,
  record: option("FILE", "the run as an event file", { isMinor: true }),
  "events-to": option("ADDRESS", "a sidecar to send events to: tcp://HOST:PORT or unix:PATH", {
    isMinor: true,
  }),
  ...SEGMENT_LENGTH,
  ...LIMIT,
  ...CONFIG,
  ...CONFIG_OUT,
  "stop-with-stdin": toggle("end when standard input does", { isMinor: true }),
} as const satisfies Flags;

type Values = ValuesOf<typeof FLAGS>;

const DEFAULT_ABCI = "tcp://127.0.0.1:26658";
const DEFAULT_RPC = "http://127.0.0.1:26657";
const DEFAULT_NODE_PORT = "3003";
const DEFAULT_GRPC_NODE_PORT = 3002;
const RETAIN_BLOCKS_MAX = 1_000_000_000;

export const validator = command({
  flags: FLAGS,
  notes: `  The engine is CometBFT 0.38, a process of its own with this address as its
  proxy_app. Start it again whenever it ends, also with exit code 0.`,
  json: "as `lyra devnet` up to `pid`, with `abci`, once it listens",
  startsNode: () => true,
  async run({ values }) {
    const inputEnd = values["stop-with-stdin"] ? waitForInputEnd() : undefined;
    const config = await configOf(values);
    const signals = waitForSignal();
    const running = await startNode(config).catch((error) => sayFailure(error, values.json === true));
    // The log of a service has the code.
    if (typeof running === "number") return running;
    limitGarbage();
    try {
      writeConfigOut(values["config-out"], { ...running.address });
      if (values.json) process.stdout.write(`${JSON.stringify(running.address)}\n`);
      else if (!values.quiet)
        say(
          `a validator of ${running.chainId}: ${running.resumed}; the consensus engine's proxy_app is ${running.address.abci}`,
          {
            ...running.address,
            resumed: running.resumed,
          },
        );
      const signal = await Promise.race([signals, running.broken, ...(inputEnd ? [inputEnd] : [])]);
      if (signal instanceof NodeError) return sayFailure(signal, values.json === true);
      if (!values.quiet) say(dim(`${signal}: stopping`), { signal });
      return signal === "SIGINT" ? ExitCode.interrupted : ExitCode.done;
    } finally {
      await running.stop();
      if (!values.quiet) say(dim("stopped"), { home: running.home });
    }
  },
});

/** @throws NodeError with exit code 2 */
async function configOf(values: Values): Promise<ValidatorConfig> {
  const { grpcPortOf, loadConfig } = await import("../node/config.ts");
  const { home, rules = "default" } = values;
  if (home === undefined) throw usageError("validator", "give --home DIR: a validator's chain is kept");
  const { host, dataPort, grpcDataPort, limits, segmentLength } = loadConfig({ ...values, home });
  const abci = abciAddress(values.abci ?? DEFAULT_ABCI);
  if (abci === undefined) throw usageError("validator", "--abci must be unix:PATH or tcp://HOST:PORT");
  if (rules !== "default" && rules !== "0.71.6")
    throw usageError("validator", "--rules must be default or 0.71.6");
  const nodePort = portOf("--node-port", values["node-port"] ?? DEFAULT_NODE_PORT);
  return {
    kind: "validator",
    ...{ home, abci, rules, host, limits, segmentLength, dataPort, grpcDataPort, nodePort },
    consensusRpc: addressOf("--consensus-rpc", values["consensus-rpc"] ?? DEFAULT_RPC),
    ...(values.genesis !== undefined && { genesis: readGenesisFile(values.genesis) }),
    ...(values.record !== undefined && { record: values.record }),
    ...(values["events-to"] !== undefined && { eventsTo: values["events-to"] }),
    onEventsLine: (text: string) => values.quiet || say(text, { eventsTo: values["events-to"] }),
    ...dutiesOf(values),
    mempool: mempoolLimitsOf("validator", values),
    ...(values["retain-blocks"] !== undefined && {
      retainBlocks: wholeNumber(
        "validator",
        "--retain-blocks",
        values["retain-blocks"],
        RETAIN_BLOCKS_MAX,
        0,
      ),
    }),
    grpcNodePort: grpcPortOf("grpc-node-port", values["grpc-node-port"], {
      usual: DEFAULT_GRPC_NODE_PORT,
      isUsual: nodePort === Number(DEFAULT_NODE_PORT),
    }),
    faucetPort: portOf("--faucet-port", values["faucet-port"] ?? "0"),
    onProblem: (error: unknown) => say(`a validator's helper failed: ${reasonOf(error)}`, {}),
  };
}

/** @throws NodeError with exit code 2 */
function addressOf(flag: string, text: string): string {
  if (/^https?:\/\/[^/]+\/?$/.test(text)) return text.replace(/\/$/, "");
  throw usageError("validator", `${flag} must be an address such as ${DEFAULT_RPC}`);
}

/** @throws NodeError with exit code 2 */
function dutiesOf({ keys, duties, ethereum }: Values): Pick<ValidatorConfig, "duties"> {
  if (keys === undefined && duties === undefined && ethereum === undefined) return {};
  if (keys !== undefined && duties !== undefined)
    throw usageError("validator", "--keys and --duties exclude each other: one set of keys signs");
  if (duties !== undefined && !/^[1-4]$/.test(duties))
    throw usageError("validator", "--duties must be a number from 1 to 4");
  const chosen = keys ?? (duties === undefined ? undefined : Number(duties));
  if (chosen === undefined || ethereum === undefined)
    throw usageError("validator", "--ethereum goes together with --keys FILE, or with --duties N");
  return { duties: { keys: chosen, ethereumUrl: addressOf("--ethereum", ethereum) } };
}

function portOf(flag: string, text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port >= 0 && port <= 65_535) return port;
  throw usageError("validator", `${flag} must be a port from 0 to 65535`);
}

function readGenesisFile(path: string): string {
  try {
    return readShortText(path, GENESIS_BYTES_MAX);
  } catch (error) {
    throw new NodeError(
      "validator",
      "genesis_unreadable",
      `the genesis ${path} cannot be read (${reasonOf(error)})`,
    );
  }
}
