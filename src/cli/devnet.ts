// lyra devnet: a local network of one's own; and the developer's tools for one that runs.

import type { Devnet, DevnetConfig } from "../devnet/devnet.ts";
import type { PartiesReport, PartyBalance, PartyReport } from "../devnet/parties.ts";
import type { BlockMode } from "../engine/chain-port.ts";
import { ExitCode, NodeError, reasonOf } from "../errors/node-error.ts";
import { readShortFile, readShortText } from "../files/short-file.ts";
import { parseBlockMode } from "../planes/devnet/block-mode.ts";
import { TOOL_LIST } from "../planes/devnet/declarations.ts";
import { startNode } from "../start-node.ts";
import { limitGarbage } from "../store/garbage-limit.ts";
import { looseWords, readArguments, usageError } from "./arguments.ts";
import { writeConfigOut } from "./serve.ts";
import { bold, dim, grouped, ProgressBar, red, say, waitForInputEnd, waitForSignal } from "./terminal.ts";

const HELP_COLUMNS = 78;

export const help = `lyra devnet: start a local network, or use the tools of a running one

  lyra devnet [--home DIR | --temporary] [--block MODE] [flags]
  lyra devnet VERB [WORDS...] [--node-url URL | --home DIR]

  --home DIR            its chain goes on (default: $LYRA_HOME, XDG lyra/devnet)
  --temporary, --reset  keep nothing; forget the chain of the home first
  --demo, --no-funding  a month of history first; parties without balances
  --block MODE          instant (a transaction makes one), 1s, mixed:1s, manual
  --genesis FILE        start of a new chain; --checkpoint FILE: its first state
  --parameter KEY=VALUE network parameter of a new chain; may come again
  --node-port N         3003 (0: free), --data-port 3008, --faucet-port 1790
  --grpc-node-port N    3002 (or off), --grpc-data-port 3007; --port 0: all free
  --wallet-port N       a wallet of the parties' keys; it approves everything
  --comet-port N        CometBFT RPC; --events-to tcp://HOST:PORT or unix:PATH
  --rules RULES         default, or 0.71.6; --tools-allow HOST: tools by token
  --record FILE         the run as an event file; --segment-length N
  --stop-with-stdin     end when standard input does; --limit NAME=N
  --config-out FILE     addresses; --config FILE, --host H, --json, --quiet

${verbLines()}`;

function verbLines(): string {
  const verbs = [...new Set(TOOL_LIST.map(({ path }) => path.split("/")[0]!))];
  const lines = ["  Verbs, while one runs (lyra devnet help [VERB] says more):"];
  for (const verb of verbs) {
    const longer = `${lines.at(-1)} ${verb}`;
    if (longer.length <= HELP_COLUMNS) lines[lines.length - 1] = longer;
    else lines.push(`  ${verb}`);
  }
  return `${lines.join("\n")}\n`;
}

/** Behind a verb it is the verb's own: `lyra devnet time --help`. */
export async function helpOf(argv: readonly string[]): Promise<string> {
  const end = argv.findIndex((word) => word.startsWith("-"));
  const words = argv.slice(argv[0] === "help" ? 1 : 0, end);
  if (words.length === 0 && argv[0] !== "help") return help;
  const { findVerb, verbsText } = await import("./devnet-tools.ts");
  return verbsText(words) ?? verbsText(findVerb(words)?.tool.path.split("/") ?? words) ?? help;
}

const FLAGS = {
  home: { type: "string" },
  json: { type: "boolean" },
  quiet: { type: "boolean" },
  help: { type: "boolean", short: "h" },
  temporary: { type: "boolean" },
  reset: { type: "boolean" },
  genesis: { type: "string" },
  checkpoint: { type: "string" },
  parameter: { type: "string", multiple: true },
  block: { type: "string" },
  host: { type: "string" },
  port: { type: "string" },
  "node-port": { type: "string" },
  "data-port": { type: "string" },
  "grpc-node-port": { type: "string" },
  "grpc-data-port": { type: "string" },
  "faucet-port": { type: "string" },
  "wallet-port": { type: "string" },
  "comet-port": { type: "string" },
  "tools-allow": { type: "string", multiple: true },
  "segment-length": { type: "string" },
  rules: { type: "string" },
  record: { type: "string" },
  "events-to": { type: "string" },
  "events-lossy": { type: "boolean" },
  demo: { type: "boolean" },
  "no-funding": { type: "boolean" },
  config: { type: "string" },
  "config-out": { type: "string" },
  limit: { type: "string", multiple: true },
  "stop-with-stdin": { type: "boolean" },
  "node-url": { type: "string" },
} as const;

type Values = ReturnType<typeof readValues>["values"];
const readValues = (argv: string[]) => readArguments("devnet", argv, FLAGS);

const FOR_A_NEW_CHAIN = ["genesis", "checkpoint", "parameter"] as const;
/** Bytes of a genesis or a checkpoint: as much as of a dump. */
const STATE_BYTES_MAX = 512 * 1024 * 1024;
const DEFAULT_NODE_PORT = "3003";
const DEFAULT_GRPC_NODE_PORT = 3002;
const DEFAULT_FAUCET_PORT = "1790";

/** Words that are not flags name a tool, which has flags of its own. */
export const startsNode = (argv: readonly string[]) => looseWords(argv, FLAGS).length === 0;

export async function run(argv: string[]): Promise<number> {
  const [verb, ...words] = looseWords(argv, FLAGS);
  if (verb !== undefined) {
    const { explainVerbs, useTool } = await import("./devnet-tools.ts");
    return verb === "help" ? explainVerbs(words) : useTool(argv);
  }
  const { values } = readValues(argv);
  const inputEnd = values["stop-with-stdin"] ? waitForInputEnd() : undefined;
  const { removeAside, putBack, setAside } = await import("../devnet/home.ts");
  let lines: TransactionLines | undefined;
  const options: DevnetConfig = {
    ...(await optionsOf(values)),
    ...(values.demo && (await pastOf())),
    onOutcome: (outcome, tx) => lines?.add(outcome, tx),
  };
  // Its files are read by now: a genesis out of a pipe that nothing writes to is left by the signal's default.
  const signals = waitForSignal();
  const walletPort =
    values["wallet-port"] === undefined ? undefined : port("--wallet-port", values["wallet-port"]);
  const { home } = options;
  if (values.reset && home !== undefined) setAside(home);
  let devnet: Devnet | undefined;
  let wallet: Wallet | undefined;
  try {
    devnet = await startNode(options);
    limitGarbage();
    if (walletPort !== undefined) {
      const { serveDevnetWallet } = await import("../devnet/wallet.ts");
      wallet = await serveDevnetWallet(devnet, walletPort);
    }
  } catch (error) {
    await devnet?.stop();
    if (values.reset && home !== undefined) putBack(home);
    throw error;
  }
  // Also what a reset that was cut off has left.
  if (home !== undefined) removeAside(home);
  try {
    const ready = begin(devnet, wallet, values).then(async () => {
      lines = await transactionLines(devnet!, values);
    });
    // A signal does not wait for the demo; the call that it cuts off fails unheard.
    ready.catch(() => {});
    // Without its ports a devnet is of no use.
    const ending = Promise.race([signals, devnet.broken, ...(inputEnd ? [inputEnd] : [])]);
    await Promise.race([ready, ending]);
    const signal = await ending;
    if (signal instanceof NodeError) throw signal;
    if (!values.quiet) say(dim(`${signal}: stopping`), { signal });
    return signal === "SIGINT" ? ExitCode.interrupted : ExitCode.done;
  } finally {
    lines?.close();
    await wallet?.close();
    await devnet.stop();
  }
}

type TransactionLines = import("./devnet-transactions.ts").TransactionLines;

/** Only on a terminal. */
async function transactionLines(devnet: Devnet, values: Values): Promise<TransactionLines | undefined> {
  if (values.quiet || values.json || !process.stderr.isTTY) return undefined;
  const { DevnetWords, TransactionLines } = await import("./devnet-transactions.ts");
  return new TransactionLines(say, new DevnetWords(devnet.report()), () => performance.now());
}

type Wallet = Awaited<ReturnType<typeof import("../devnet/wallet.ts")["serveDevnetWallet"]>>;

async function begin(devnet: Devnet, wallet: Wallet | undefined, values: Values): Promise<void> {
  if (values.demo && devnet.resumed === "") await fill(devnet, values);
  else if (values.demo && !values.quiet) say("the home has a chain already, and --demo fills a new one only");
  const unused = FOR_A_NEW_CHAIN.filter((flag) => values[flag] !== undefined).map((flag) => `--${flag}`);
  if (unused.length > 0 && devnet.resumed !== "" && !values.quiet)
    say(`the home has a chain already: it goes on without ${unused.join(" and ")}, which are for a new one`);
  await tell(devnet, wallet, values);
}

async function optionsOf(values: Values): Promise<DevnetConfig> {
  const [{ grpcPortOf, loadConfig }, { defaultDevnetHome }] = await Promise.all([
    import("../node/config.ts"),
    import("../devnet/home.ts"),
  ]);
  if (values.temporary && values.home !== undefined) throw usageError("devnet", "give --home or --temporary");
  const home = values.home ?? defaultDevnetHome();
  const { host, dataPort, grpcDataPort, limits, segmentLength } = loadConfig({
    ...values,
    home,
    dataPort: values["data-port"] ?? values.port,
    grpcDataPort: values["grpc-data-port"] ?? values.port,
    segmentLength: values["segment-length"],
  });
  const { rules = "default" } = values;
  if (values.port !== undefined && values.port !== "0")
    throw usageError(
      "devnet",
      "--port must be 0; one port each is given with --node-port, --data-port, --faucet-port",
    );
  if (rules !== "default" && rules !== "0.71.6")
    throw usageError("devnet", "--rules must be default or 0.71.6");
  const nodePort = port(
    "--node-port",
    values["node-port"] ?? values.port ?? (process.env.LYRA_NODE_PORT || DEFAULT_NODE_PORT),
  );
  return {
    kind: "devnet",
    ...(!values.temporary && { home }),
    ...(values.genesis !== undefined && { genesis: readGenesis(values.genesis) }),
    ...(values.checkpoint !== undefined && { checkpoint: readCheckpoint(values.checkpoint) }),
    ...(values.parameter && { parameters: pairsOf(values.parameter) }),
    ...(values["tools-allow"] && { toolsAllow: values["tools-allow"].map(checkedHost) }),
    ...(values.record !== undefined && { record: values.record }),
    ...(values["events-to"] !== undefined && { eventsTo: values["events-to"] }),
    ...(values["events-lossy"] && { eventsLossy: true }),
    onEventsLine: (text) => values.quiet || say(text, {}),
    mode: parseMode(values),
    rules,
    host,
    limits,
    segmentLength,
    dataPort,
    grpcDataPort,
    nodePort,
    grpcNodePort: grpcPortOf(
      "grpc-node-port",
      values["grpc-node-port"] ?? values.port ?? (process.env.LYRA_GRPC_NODE_PORT || undefined),
      { usual: DEFAULT_GRPC_NODE_PORT, isUsual: nodePort === Number(DEFAULT_NODE_PORT) },
    ),
    faucetPort: port(
      "--faucet-port",
      values["faucet-port"] ?? values.port ?? (process.env.LYRA_FAUCET_PORT || DEFAULT_FAUCET_PORT),
    ),
    ...(values["comet-port"] !== undefined && { cometPort: port("--comet-port", values["comet-port"]) }),
    fund: !values["no-funding"],
    thread: true,
    onStanding: (reason) =>
      say(reason === undefined ? "the chain goes on" : `${red("the chain stands still")}: ${reason}`, {}),
    onProblem: (error) =>
      say(`a devnet's helper failed: ${error instanceof Error ? error.message : String(error)}`, {}),
  };
}

/** @throws NodeError with exit code 2 */
function checkedHost(name: string): string {
  if (/^[\w.-]{1,253}$/.test(name)) return name;
  throw usageError("devnet", "--tools-allow takes a host name without port, such as host.docker.internal");
}

/** @throws NodeError with exit code 2 */
function parseMode(values: Values): BlockMode {
  const mode = parseBlockMode(values.block ?? "instant");
  if (mode !== undefined) return mode;
  throw usageError("devnet", "--block must be instant, manual, a length such as 1s, or mixed:1s");
}

async function tell(devnet: Devnet, wallet: Wallet | undefined, values: Values): Promise<void> {
  const address = {
    ...devnet.address,
    ...(values["events-to"] !== undefined && { eventsTo: values["events-to"] }),
    ...(wallet && { walletUrl: wallet.url, walletPort: wallet.port }),
  };
  writeConfigOut(values["config-out"], address);
  const { chain, resumed } = devnet;
  const { height } = chain.status;
  const firstBlockMs = Math.round(devnet.firstBlockMs);
  if (values.json) {
    const started = { ...address, height, firstBlockMs, resumed, ...devnet.report() };
    process.stdout.write(`${JSON.stringify(started)}\n`);
  }
  if (values.quiet || values.json) return;
  if (!process.stderr.isTTY) {
    say(
      `listening: documentation ${address.dataUrl}/docs, tools ${address.nodeUrl}/devnet/ or: lyra devnet --help`,
      {
        ...address,
        height,
        firstBlockMs,
        ...(resumed !== "" && { resumed }),
      },
    );
    return;
  }
  const { isTemporary } = devnet;
  const mode = values.block ?? "instant";
  say(
    devnetBanner({ ...address, isTemporary, firstBlockMs, resumed, mode, height, report: devnet.report() }),
  );
}

/** A story that ends now begins in the past; a chain that is there already goes on from where it is. */
async function pastOf(): Promise<Pick<DevnetConfig, "genesisTimeNs">> {
  const { DEMO_SECONDS } = await import("../devnet/demo/demo.ts");
  const { systemTimeNs } = await import("../devnet/clock.ts");
  return { genesisTimeNs: systemTimeNs() - BigInt(DEMO_SECONDS) * 1_000_000_000n };
}

async function fill(devnet: Devnet, values: Values): Promise<void> {
  const { playDemo } = await import("../devnet/demo/demo.ts");
  const bar = new ProgressBar("a month of history", values.quiet || values.json ? false : undefined);
  try {
    await playDemo(devnet, (part, note) => bar.update(part, note));
    await devnet.history();
    await devnet.chain.setBlockMode(parseMode(values));
  } finally {
    bar.clear();
  }
}

function readGenesis(path: string): string {
  try {
    return readShortText(path, STATE_BYTES_MAX);
  } catch (error) {
    throw new NodeError(
      "devnet",
      "genesis_unreadable",
      `the genesis ${path} cannot be read (${reasonOf(error)})`,
    );
  }
}

function readCheckpoint(path: string): Uint8Array {
  try {
    return readShortFile(path, STATE_BYTES_MAX);
  } catch (error) {
    const text = `the checkpoint ${path} cannot be read (${reasonOf(error)})`;
    throw new NodeError("devnet", "checkpoint_unreadable", text);
  }
}

function pairsOf(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const equals = pair.indexOf("=");
      if (equals < 1) throw usageError("devnet", `--parameter ${pair} is not key=value`);
      return [pair.slice(0, equals), pair.slice(equals + 1)];
    }),
  );
}

function port(flag: string, text: string): number {
  const value = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= 0 && value <= 65_535) return value;
  throw usageError("devnet", `${flag} must be a port from 0 to 65535`);
}

// The banner of a devnet that has started: a pure function of its facts.

export interface BannerFacts {
  readonly chainId: string;
  readonly height: number;
  readonly nodeUrl: string;
  readonly dataUrl: string;
  readonly faucetUrl: string;
  /** Where the wallet is served, if it is. */
  readonly walletUrl?: string;
  /** Where the consensus engine's RPC is served, if it is. */
  readonly cometUrl?: string;
  readonly grpcNodeAddress?: string;
  readonly grpcDataAddress?: string;
  /** The data node that gets the events, if there is one. */
  readonly eventsTo?: string;
  readonly home: string;
  /** The home is removed when the devnet stops. */
  readonly isTemporary: boolean;
  readonly mode: string;
  /** From the start of the process to the first block. */
  readonly firstBlockMs: number;
  /** The chain found in the home; empty for a new one. */
  readonly resumed: string;
  readonly report: PartiesReport;
}

export function devnetBanner(facts: BannerFacts): string {
  const { report, nodeUrl, dataUrl, faucetUrl } = facts;
  const started = facts.resumed || `first block after ${Math.round(facts.firstBlockMs)} ms`;
  return [
    "",
    `  ${bold("Lyra devnet")}  chain ${facts.chainId}, block ${grouped(facts.height)} ${dim(`(${started})`)}`,
    "",
    `  node API      ${nodeUrl}/`,
    `  data API      ${dataUrl}/api/v2/`,
    `  faucet        ${faucetUrl}/api/v1/mint`,
    ...(facts.walletUrl === undefined
      ? []
      : [`  wallet        ${facts.walletUrl}  ${red("approves everything")}`]),
    ...(facts.grpcNodeAddress === undefined ? [] : [`  gRPC node     ${facts.grpcNodeAddress}`]),
    ...(facts.grpcDataAddress === undefined ? [] : [`  gRPC data     ${facts.grpcDataAddress}`]),
    ...(facts.cometUrl === undefined ? [] : [`  CometBFT RPC  ${facts.cometUrl}/`]),
    ...(facts.eventsTo === undefined ? [] : [`  events to     ${facts.eventsTo}`]),
    `  documentation ${dataUrl}/docs`,
    `  tools         ${nodeUrl}/devnet/  ${dim("or: lyra devnet --help")}`,
    `  blocks        ${facts.mode}`,
    `  home          ${facts.home}${facts.isTemporary ? dim("  (gone when it stops)") : ""}`,
    "",
    ...partyLines(report),
    "",
    `  recovery phrase  ${bold(report.recoveryPhrase)}`,
    "",
    `  ${red(bold("!!"))} ${bold(report.warning)}`,
    "",
    dim("  Ctrl-C stops."),
    "",
  ].join("\n");
}

function partyLines({ parties, stakingToken }: PartiesReport): string[] {
  const holdings = parties.map(({ balances }) => balances.map(balanceText).join("  "));
  const isSame = holdings.every((text) => text === holdings[0]);
  const staked = ({ stake }: PartyReport) =>
    stake === "0"
      ? ""
      : dim(`  ${units(BigInt(stake), stakingToken.decimals)} ${stakingToken.symbol} staked`);
  const lines = parties.flatMap((party, at) => [
    `  ${String(party.index).padStart(2)} ${party.name.padEnd(6)} ${party.publicKey}${staked(party)}`,
    ...(isSame ? [] : [dim(`            ${holdings[at]}`)]),
  ]);
  return isSame && holdings[0] ? [...lines, "", `  each holds  ${holdings[0]}`] : lines;
}

function balanceText({ balance, decimals, symbol }: PartyBalance): string {
  return `${units(BigInt(balance), decimals)} ${symbol}`;
}

/** Whole units with up to four decimals: 1,234.5 */
export function units(amount: bigint, decimals: number): string {
  const digits = amount.toString().padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals).replace(/\B(?=(\d{3})+$)/g, ",");
  const fraction = digits
    .slice(digits.length - decimals)
    .slice(0, 4)
    .replace(/0+$/, "");
  return fraction === "" ? whole : `${whole}.${fraction}`;
}
