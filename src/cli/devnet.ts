// lyra devnet: starts a local network.

import type { Devnet, DevnetConfig } from "../devnet/devnet.ts";
import type { PartiesReport, PartyBalance, PartyReport } from "../devnet/parties.ts";
import type { BlockMode } from "../engine/chain-port.ts";
import { ExitCode, NodeError, reasonOf } from "../errors/node-error.ts";
import { readShortFile, readShortText } from "../files/short-file.ts";
import { commandLine } from "../http/command-line.ts";
import { parseBlockMode } from "../planes/devnet/block-mode.ts";
import { startNode } from "../start-node.ts";
import { limitGarbage } from "../store/garbage-limit.ts";
import { SECOND_NS, timeNs } from "../wire/time-text.ts";
import { command, type ValuesOf } from "./command/command.ts";
import { usageError } from "./command/usage-error.ts";
import { FLAGS } from "./devnet-flags.ts";
import { writeConfigOut } from "./serve.ts";
import { bold, dim, grouped, ProgressBar, red, say, waitForInputEnd, waitForSignal } from "./terminal.ts";

type Values = ValuesOf<typeof FLAGS>;

const FOR_A_NEW_CHAIN = [
  "genesis",
  "checkpoint",
  "parameter",
  "chain-id",
  "start-time",
  "accounts",
  "balance",
  "recovery-phrase",
] as const;
/** Bytes of a genesis or a checkpoint, as of a dump. */
const STATE_BYTES_MAX = 512 * 1024 * 1024;
const DEFAULT_NODE_PORT = "3003";
const DEFAULT_GRPC_NODE_PORT = 3002;
const DEFAULT_FAUCET_PORT = "1790";

export const devnet = command({
  usage: [
    "[--home DIR | --temporary] [--block MODE] [flags]",
    "VERB [WORDS...] [--node-url URL | --home DIR]",
  ],
  flags: FLAGS,
  json: "{nodeUrl, dataUrl, faucetUrl, nodePort, dataPort, faucetPort, chainId, home, pid, cometUrl?, cometPort?, grpcNodeAddress?, grpcNodePort?, grpcDataAddress?, grpcDataPort?, eventsTo?, walletUrl?, walletPort?, height, firstBlockMs, resumed, warning, recoveryPhrase, stakingToken, assets: [{id, symbol, decimals}], parties: [{name, index, publicKey, privateKey, stake, balances}]} once it listens; `--config-out FILE` and `devnet.json` in the home have the members up to `pid`",
  startsNode: () => true,
  async run({ values, typed }) {
    const inputEnd = values["stop-with-stdin"] ? waitForInputEnd() : undefined;
    const { alreadyRuns, removeAside, putBack, setAside } = await import("../devnet/home.ts");
    let lines: TransactionLines | undefined;
    const options: DevnetConfig = {
      ...(await optionsOf(values, typed)),
      ...(values.demo && (await demoStart())),
      onOutcome: (outcome, tx) => lines?.add(outcome, tx),
    };
    // Listen once the files are read: until then a signal ends the process, even while it reads a silent pipe.
    const signals = waitForSignal();
    const walletPort =
      values["wallet-port"] === undefined ? undefined : checkedPort("--wallet-port", values["wallet-port"]);
    const { home } = options;
    if (values.reset && home !== undefined) setAside(home);
    let running: Devnet | undefined;
    let wallet: Wallet | undefined;
    try {
      running = await startNode(options);
      limitGarbage();
      if (walletPort !== undefined) {
        const { serveDevnetWallet } = await import("../devnet/wallet.ts");
        wallet = await serveDevnetWallet(running, walletPort);
      }
    } catch (error) {
      await running?.stop();
      if (values.reset && home !== undefined) putBack(home);
      throw home === undefined ? error : alreadyRuns(error, home);
    }
    // Includes the leftovers of an interrupted reset.
    if (home !== undefined) removeAside(home);
    try {
      const ready = finishStart(running, wallet, values).then(async () => {
        lines = await transactionLines(running!, values);
      });
      // A signal does not wait for the demo, whose interrupted call fails silently.
      ready.catch(() => {});
      // A devnet that lost its ports ends.
      const ending = Promise.race([signals, running.broken, ...(inputEnd ? [inputEnd] : [])]);
      await Promise.race([ready, ending]);
      const signal = await ending;
      if (signal instanceof NodeError) throw signal;
      if (!values.quiet) say(dim(`${signal}: stopping`), { signal });
      return signal === "SIGINT" ? ExitCode.interrupted : ExitCode.done;
    } finally {
      lines?.close();
      await wallet?.close();
      await running.stop();
    }
  },
});

type TransactionLines = import("./devnet-transactions.ts").TransactionLines;

/** Undefined without a terminal. */
async function transactionLines(devnet: Devnet, values: Values): Promise<TransactionLines | undefined> {
  if (values.quiet || values.json || !process.stderr.isTTY) return undefined;
  const { DevnetWords, TransactionLines } = await import("./devnet-transactions.ts");
  return new TransactionLines(say, new DevnetWords(devnet.report()), () => performance.now());
}

type Wallet = Awaited<ReturnType<typeof import("../devnet/wallet.ts")["serveDevnetWallet"]>>;

async function finishStart(devnet: Devnet, wallet: Wallet | undefined, values: Values): Promise<void> {
  if (values.demo && devnet.resumed === "") await playHistory(devnet, values);
  else if (values.demo && !values.quiet) say("the home has a chain already, and --demo fills a new one only");
  const unused = FOR_A_NEW_CHAIN.filter((flag) => values[flag] !== undefined).map((flag) => `--${flag}`);
  if (unused.length > 0 && devnet.resumed !== "" && !values.quiet)
    say(`the home has a chain already: it goes on without ${unused.join(" and ")}, which are for a new one`);
  await reportStart(devnet, wallet, values);
}

type PortFlag = "data-port" | "grpc-data-port" | "node-port" | "grpc-node-port" | "faucet-port";

/** @param typed flags without their variables: `--port 0` wins over a variable's port */
async function optionsOf(values: Values, typed: Values): Promise<DevnetConfig> {
  const [{ grpcPortOf, loadConfig }, { defaultDevnetHome }] = await Promise.all([
    import("../node/config.ts"),
    import("../devnet/home.ts"),
  ]);
  if (values.temporary && values.home !== undefined) throw usageError("devnet", "give --home or --temporary");
  const home = values.home ?? defaultDevnetHome();
  const portOf = (flag: PortFlag) => typed[flag] ?? typed.port ?? values[flag];
  const { host, dataPort, grpcDataPort, limits, segmentLength } = loadConfig({
    ...values,
    home,
    "data-port": portOf("data-port"),
    "grpc-data-port": portOf("grpc-data-port"),
  });
  const { rules = "default" } = values;
  if (values.port !== undefined && values.port !== "0")
    throw usageError(
      "devnet",
      "--port must be 0; one port each is given with --node-port, --data-port, --faucet-port",
    );
  const isNamed = values["chain-id"] !== undefined || values["start-time"] !== undefined;
  if (values.genesis !== undefined && isNamed)
    throw usageError("devnet", "--chain-id and --start-time are said by the file of --genesis");
  if (rules !== "default" && rules !== "0.71.6")
    throw usageError("devnet", "--rules must be default or 0.71.6");
  const nodePort = checkedPort("--node-port", portOf("node-port") ?? DEFAULT_NODE_PORT);
  return {
    kind: "devnet",
    ...(!values.temporary && { home }),
    ...(values.genesis !== undefined && { genesis: readGenesis(values.genesis) }),
    ...(values.checkpoint !== undefined && { checkpoint: readCheckpoint(values.checkpoint) }),
    ...(values.parameter && { parameters: keyValuesOf("--parameter", values.parameter) }),
    ...(values["chain-id"] !== undefined && { chainId: values["chain-id"] }),
    ...(values["start-time"] !== undefined && { genesisTimeNs: startTimeNs(values["start-time"]) }),
    ...(values.seed !== undefined && { seed: values.seed }),
    ...(values.accounts !== undefined && { accounts: accountsOf(values) }),
    ...(values.balance !== undefined && { balance: balanceOf(values.balance) }),
    ...(values["recovery-phrase"] !== undefined && { recoveryPhrase: values["recovery-phrase"] }),
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
    grpcNodePort: grpcPortOf("grpc-node-port", portOf("grpc-node-port"), {
      usual: DEFAULT_GRPC_NODE_PORT,
      isUsual: nodePort === Number(DEFAULT_NODE_PORT),
    }),
    faucetPort: checkedPort("--faucet-port", portOf("faucet-port") ?? DEFAULT_FAUCET_PORT),
    ...(values["comet-port"] !== undefined && {
      cometPort: checkedPort("--comet-port", values["comet-port"]),
    }),
    fund: !values["no-funding"],
    thread: true,
    onStanding: (reason) =>
      say(reason === undefined ? "the chain goes on" : `${red("the chain stands still")}: ${reason}`, {}),
    onProblem: (error) =>
      say(`a devnet's helper failed: ${error instanceof Error ? error.message : String(error)}`, {}),
  };
}

/** @throws NodeError with exit code 2 */
function startTimeNs(text: string): bigint {
  const time = text.endsWith("Z") ? timeNs(text) : undefined;
  if (time !== undefined && time > 0n) return time;
  throw usageError("devnet", "--start-time must be RFC 3339 in UTC, such as 2026-01-01T00:00:00Z");
}

/** Parties that the demo's story, and the tools that make markets, have by name. */
const NAMED_PARTIES = 10;

/** @throws NodeError with exit code 2 */
function accountsOf({ accounts = "", demo }: Values): number {
  const count = /^\d{1,6}$/.test(accounts) ? Number(accounts) : Number.NaN;
  if (Number.isNaN(count)) throw usageError("devnet", "--accounts must be a whole number");
  if (demo && count < NAMED_PARTIES)
    throw usageError(
      "devnet",
      `--demo is a story of ${NAMED_PARTIES} parties: give --accounts ${NAMED_PARTIES}, or more`,
    );
  return count;
}

/** Amount of every asset, or of each symbol. @throws NodeError with exit code 2 */
function balanceOf(texts: readonly string[]): NonNullable<DevnetConfig["balance"]> {
  const plain = texts.filter((text) => !text.includes("="));
  if (plain.length === 0) return keyValuesOf("--balance", texts);
  if (texts.length === 1) return plain[0]!;
  throw usageError("devnet", "--balance takes one amount for every asset, or SYMBOL=AMOUNT for each");
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

async function reportStart(devnet: Devnet, wallet: Wallet | undefined, values: Values): Promise<void> {
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
      `listening: page ${address.nodeUrl}/, documentation ${address.dataUrl}/docs, tools ${address.nodeUrl}/devnet/ or: ${commandLine()} devnet --help`,
      {
        pageUrl: `${address.nodeUrl}/`,
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
    devnetBanner({
      ...address,
      isTemporary,
      firstBlockMs,
      resumed,
      mode,
      height,
      report: devnet.report(),
      commandLine: commandLine(),
    }),
  );
}

/** The demo's story ends now, so a new chain begins in the past. */
async function demoStart(): Promise<Pick<DevnetConfig, "genesisTimeNs">> {
  const { DEMO_SECONDS } = await import("../devnet/demo/demo.ts");
  const { systemTimeNs } = await import("../devnet/clock.ts");
  return { genesisTimeNs: systemTimeNs() - BigInt(DEMO_SECONDS) * SECOND_NS };
}

async function playHistory(devnet: Devnet, values: Values): Promise<void> {
  const { playDemo } = await import("../devnet/demo/demo.ts");
  const bar = new ProgressBar("a month of history", values.quiet || values.json ? false : undefined);
  try {
    await playDemo(devnet, (part, note, isScene) => {
      if (isScene) bar.step(part, note);
      else bar.update(part, note);
    });
    bar.step(1, `${grouped(devnet.chain.status.height)} blocks`);
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

function keyValuesOf(flag: string, pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const equals = pair.indexOf("=");
      if (equals < 1) throw usageError("devnet", `${flag} ${pair} is not key=value`);
      return [pair.slice(0, equals), pair.slice(equals + 1)];
    }),
  );
}

function checkedPort(flag: string, text: string): number {
  const value = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= 0 && value <= 65_535) return value;
  throw usageError("devnet", `${flag} must be a port from 0 to 65535`);
}

// The banner of a started devnet: a pure function of its facts.

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
  /** The words that start this program. */
  readonly commandLine: string;
}

export function devnetBanner(facts: BannerFacts): string {
  const { report, nodeUrl, dataUrl, faucetUrl } = facts;
  const started = facts.resumed || `first block after ${Math.round(facts.firstBlockMs)} ms`;
  return [
    "",
    `  ${bold("Lyra devnet")}  chain ${facts.chainId}, block ${grouped(facts.height)} ${dim(`(${started})`)}`,
    "",
    `  page          ${nodeUrl}/`,
    `  node API      ${nodeUrl}/statistics`,
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
    `  tools         ${nodeUrl}/devnet/  ${dim(`or: ${facts.commandLine} devnet --help`)}`,
    `  blocks        ${facts.mode}`,
    `  home          ${facts.home}${facts.isTemporary ? dim("  (gone when it stops)") : ""}`,
    ...(facts.commandLine === "lyra"
      ? []
      : [`  commands      ${facts.commandLine} COMMAND ${dim("where a text says lyra COMMAND")}`]),
    "",
    ...partyLines(report, facts.commandLine),
    "",
    `  recovery phrase  ${bold(report.recoveryPhrase)}`,
    "",
    `  ${red(bold("!!"))} ${bold(report.warning)}`,
    "",
    dim("  Ctrl-C stops."),
    "",
  ].join("\n");
}

/** Of the banner; \`lyra devnet parties\` has them all. */
const PARTIES_SHOWN = 20;

function partyLines({ parties: all, stakingToken }: PartiesReport, words: string): string[] {
  const parties = all.slice(0, PARTIES_SHOWN);
  const nameWidth = Math.max(6, ...parties.map(({ name }) => name.length));
  const more = all.length - parties.length;
  const holdings = parties.map(({ balances }) => balances.map(balanceText).join("  "));
  const isSame = holdings.every((text) => text === holdings[0]);
  const staked = ({ stake }: PartyReport) =>
    stake === "0"
      ? ""
      : dim(`  ${units(BigInt(stake), stakingToken.decimals)} ${stakingToken.symbol} staked`);
  const lines = parties.flatMap((party, at) => [
    `  ${String(party.index).padStart(2)} ${party.name.padEnd(nameWidth)} ${party.publicKey}${staked(party)}`,
    ...(isSame ? [] : [dim(`            ${holdings[at]}`)]),
  ]);
  if (more > 0) lines.push(dim(`     and ${more} more: ${words} devnet parties`));
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
