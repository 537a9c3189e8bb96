/**
 * A devnet: a chain that makes its own blocks, a simulated Ethereum beside it, a validator with well-known keys,
 * funded parties, and the planes that answer.
 */

import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LocalChain } from "../chain/local-chain.ts";
import type { Outbox } from "../chain/outbox.ts";
import { type BlockMode, ChainCallError, type DevnetPort } from "../engine/chain-port.ts";
import { readCheckpointFile } from "../engine/checkpoints.ts";
import { NodeError } from "../errors/node-error.ts";
import type { ValidatorAgent } from "../ethereum/validator-agent.ts";
import { lockHome } from "../files/lock.ts";
import { readShortText } from "../files/short-file.ts";
import { isDiskFull } from "../files/sqlite-error.ts";
import { writeFileWhole } from "../files/whole-file.ts";
import { DEFAULT_LIMITS, type Limits } from "../http/limits.ts";
import { type OnClose, startWithUndo } from "../http/undo-start.ts";
import type { Reading } from "../node/reading.ts";
import type { ToolsAccess } from "../planes/devnet/loopback.ts";
import { openWriter } from "../store/database.ts";
import { rfc3339Nano, SECOND_NS } from "../wire/time-text.ts";
import { answeredChain } from "./answered-chain.ts";
import { systemTimeNs } from "./clock.ts";
import { DevnetCore, type DevnetCoreOptions } from "./core.ts";
import { startAmounts } from "./funding.ts";
import { devnetGenesisText, readDevnetGenesis, withCheckpoint } from "./genesis.ts";
import {
  type DevnetAddress,
  devnetAddressFile,
  genesisOf,
  isNew,
  settleReset,
  writeGenesis,
} from "./home.ts";
import {
  DEVNET_PARTIES,
  type DevnetParty,
  devnetParties,
  type PartiesChoice,
  ValidatorKeys,
} from "./keys.ts";
import type { PartiesReport } from "./parties.ts";
import type { PlanesOptions } from "./planes.ts";
import type { PlaneAddresses, ThreadOptions } from "./planes.worker.ts";
import { PlanesThread } from "./planes-thread.ts";

export interface DevnetConfig extends Omit<DevnetCoreOptions, "parties"> {
  readonly kind: "devnet";
  /** Where it is kept; without one in a temporary folder that is removed in the end. */
  readonly home?: string;
  /** A genesis document; default: the shipped one. A home with a chain keeps its own. */
  readonly genesis?: string;
  /** The checkpoint that a new chain begins from: as `lyra devnet checkpoint` gives it, or a network's file. */
  readonly checkpoint?: Uint8Array;
  /** Number of a new chain's funded parties; default 10. */
  readonly accounts?: number;
  /** Of the wallet whose first keys are a new chain's parties. PUBLIC: the devnet shows it to everyone; default `DEVNET_RECOVERY_PHRASE`. */
  readonly recoveryPhrase?: string;
  /** Differences from the shipped genesis, for a new chain. */
  readonly chainId?: string;
  /** Host names, besides this machine's, under which the tools answer to the token in the home's file `tools-token`. */
  readonly toolsAllow?: readonly string[];
  readonly parameters?: Readonly<Record<string, string>>;
  /** Unix nanoseconds, where a new chain's time begins, and its clock with it; default: now. */
  readonly genesisTimeNs?: bigint;
  /** A data node that gets every event, as a core sends them: `tcp://HOST:PORT` or `unix:PATH`. */
  readonly eventsTo?: string;
  /** After a lost connection continues with the next event, as the network's core does; else sends the newest blocks again. */
  readonly eventsLossy?: boolean;
  /** Called with a line about the data node that the events go to. */
  readonly onEventsLine?: (text: string) => void;
  /** When blocks are made; default: at once for each transaction. */
  readonly mode?: BlockMode;
  readonly host?: string;
  /** Default 0: a free one. */
  readonly dataPort?: number;
  readonly nodePort?: number;
  readonly faucetPort?: number;
  /** Port of the consensus engine's RPC, for programs that follow a validator; 0 picks a free one. Default: none. */
  readonly cometPort?: number;
  /** Where gRPC is served; default 0, a free one; "off": nowhere. */
  readonly grpcNodePort?: number | "off";
  readonly grpcDataPort?: number | "off";
  /** Whether the parties of a new chain get balances, stake and delegations; default true. The validator always does. */
  readonly fund?: boolean;
  readonly limits?: Partial<Limits>;
  /** Whether HTTP has its own thread: more requests a second, more memory. Default: the calling thread. */
  readonly thread?: boolean;
}

export interface Devnet {
  readonly chainId: string;
  readonly home: string;
  readonly isTemporary: boolean;
  readonly nodeUrl: string;
  readonly dataUrl: string;
  readonly faucetUrl: string;
  /** The same with ports and process, as `--config-out` writes it. */
  readonly address: DevnetAddress;
  /** PUBLIC test keys: those of this phrase. A `load` may bring others. */
  readonly recoveryPhrase: string;
  readonly parties: readonly DevnetParty[];
  readonly validator: ValidatorKeys;
  readonly chain: DevnetPort;
  /** Signs commands with the validator's keys, besides those of its agent. */
  readonly agent: ValidatorAgent;
  /** "resumed at block 812: ..."; empty for a new chain. */
  readonly resumed: string;
  /** From the start of the process to the first block, milliseconds. */
  readonly firstBlockMs: number;
  /** The parties' keys and holdings as of the last block. */
  report(): PartiesReport;
  /** An asset's symbol, and the decimals of its amounts; undefined for an unknown asset. */
  asset(id: string): { readonly symbol: string; readonly decimals: number } | undefined;
  /** Settles when every finished stretch of history can be exported. */
  history(): Promise<void>;
  /** Settles when the HTTP thread ends by itself; never without such a thread. */
  readonly broken: Promise<NodeError>;
  /** Drains the ports and closes the store: in two seconds without requests under way. */
  stop(): Promise<void>;
}

const INSTANT: BlockMode = { kind: "instant" };

/** Starts a devnet. Everything listens and the parties are funded when this returns. @throws NodeError */
export function startDevnet(options: DevnetConfig): Promise<Devnet> {
  return startWithUndo((onClose, close) => start(options, onClose, close), startFailure);
}

/** The error of a start that failed because the chain halted or a file could not be written. */
function startFailure(error: unknown): unknown {
  if (error instanceof NodeError || !(error instanceof Error)) return error;
  if (isDiskFull(error)) {
    const sentence =
      error instanceof ChainCallError ? error.message : "the disk is full: the devnet cannot be set up";
    return new NodeError("devnet.start", "disk_full", sentence, "make room and start again");
  }
  if (!(error instanceof ChainCallError)) return error;
  return new NodeError(
    "devnet.start",
    error.code,
    error.message,
    "check the home with: lyra doctor --home DIR",
  );
}

async function start(options: DevnetConfig, onClose: OnClose, close: () => Promise<void>): Promise<Devnet> {
  const { dataPort = 0, nodePort = 0, faucetPort = 0, fund = true } = options;
  const { grpcNodePort = 0, grpcDataPort = 0 } = options;
  const isTemporary = options.home === undefined;
  const home = options.home ?? mkdtempSync(join(tmpdir(), "lyra-devnet-"));
  if (isTemporary) onClose(() => rmSync(home, { recursive: true, force: true }));
  const chosen = await chosenParties(options);
  const lock = lockHome(home);
  onClose(() => lock.release());
  const link = options.thread ? new PlanesThread() : undefined;
  if (link) onClose(() => link.end());
  const sending = options.eventsTo === undefined ? undefined : await import("./sending.ts");
  const { core, note, outbox } = openCore(
    home,
    isTemporary,
    { ...options, parties: chosen },
    { link, sending },
  );
  onClose(() => core.close());
  const sender = outbox && sending!.startSending(core.chain, outbox, options);
  if (sender) core.beforeClose = () => sender.stop();
  const firstBlockMs = performance.now();
  link?.start();

  // Code that the first block does not need is loaded after it.
  const [{ Reading }, { DevnetBridge }, { reportParties }] = await Promise.all([
    import("../node/reading.ts"),
    import("./bridge.ts"),
    import("./parties.ts"),
  ]);
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const reading = new Reading(home, limits);
  onClose(() => reading.close());
  const { reader } = reading;
  const { simulator, agent, collateralBridge } = core;
  const bridge = new DevnetBridge({ chain: core.chain, simulator, agent, reader, collateralBridge });
  const reset = async () => core.chain.load(await freshDump(options, core));
  const chain: DevnetPort = Object.assign(core.chain, { bridge, reset });
  const { funding } = core;
  const report = () => reportParties(funding.parties, reader);
  const toolsAccess = options.toolsAllow?.length ? accessOf(home, options.toolsAllow) : undefined;
  const host = options.host ?? "127.0.0.1";
  const places = {
    ...{ kind: "devnet" as const, home, host, dataPort, nodePort, faucetPort, limits },
    ...(options.cometPort !== undefined && { cometPort: options.cometPort }),
    ...(grpcNodePort !== "off" && { grpcNodePort }),
    ...(grpcDataPort !== "off" && { grpcDataPort }),
    ...(toolsAccess && { toolsAccess }),
  };
  reading.plane.streams.feed = core.tap;
  link?.connectFeed(core.tap);
  const planes: Answering = link ?? (await planesHere(places, reading, () => core.halted, report));
  onClose(() => planes.close());
  core.onReverted = () => {
    reading.renewContext();
    planes.renewContext(funding.parties);
  };
  if (options.genesisTimeNs !== undefined && core.chain.resumption.stateHeight === undefined) {
    await chain.setNextBlockTime(options.genesisTimeNs + SECOND_NS);
  }
  const standing = standingTime(core.chain);
  core.follow();
  const funded = fund ? devnetParties(funding.parties) : [];
  await funding.run({ ...core, chain, parties: funded, validators: core.validators });
  await chain.setBlockMode(options.mode ?? INSTANT);
  const address = addressOf(
    await planes.serve(chain, { ...places, parties: funding.parties }),
    core.genesis.chainId,
    home,
  );
  const addressFile = join(home, devnetAddressFile);
  writeFileWhole(addressFile, `${JSON.stringify(address)}\n`);
  onClose(() => rmSync(addressFile, { force: true }));
  const segments = core.keepSegments(home).catch((error) => options.onProblem?.(error));

  const { stateHeight, sentence } = core.chain.resumption;
  return {
    ...address,
    isTemporary,
    address,
    get recoveryPhrase() {
      return funding.parties.recoveryPhrase;
    },
    get parties() {
      return devnetParties(funding.parties);
    },
    validator: new ValidatorKeys(1),
    chain: link ? answeredChain(chain, () => link.caughtUp()) : chain,
    agent,
    resumed:
      stateHeight === undefined
        ? ""
        : [sentence, note, standing].filter((text) => text !== undefined).join("; "),
    firstBlockMs,
    asset(id) {
      const answer = reader.find<{ asset: { details: { symbol: string; decimals: string } } }>(
        "/api/v2/asset/{asset_id}",
        { assetId: id },
      );
      const details = answer?.asset.details;
      return details && { symbol: details.symbol, decimals: Number(details.decimals) };
    },
    report,
    history: async () => {
      await segments;
      await core.history();
    },
    broken: link?.broken ?? new Promise<never>(() => {}),
    stop: close,
  };
}

/** The chain as it would be if it began now, by a devnet in a temporary folder. */
async function freshDump(options: DevnetConfig, core: DevnetCore): Promise<string> {
  const { rules, fund, balance, validatorKeys } = options;
  const document = JSON.parse(core.genesis.document) as object;
  const genesis = JSON.stringify({ ...document, genesis_time: rfc3339Nano(systemTimeNs()) });
  const start: DevnetConfig = {
    ...{ kind: "devnet", genesis },
    ...core.funding.parties,
    ...(rules && { rules }),
    ...(fund !== undefined && { fund }),
    ...(balance && { balance }),
    ...(validatorKeys && { validatorKeys }),
  };
  return ofFreshChain(start, (chain) => chain.dump());
}

/** Starts a devnet in a temporary folder, reads something of its chain, and ends it. */
export async function ofFreshChain<T>(
  config: DevnetConfig,
  read: (chain: Devnet["chain"]) => Promise<T>,
): Promise<T> {
  const devnet = await startDevnet({ ...config, grpcNodePort: "off", grpcDataPort: "off" });
  try {
    return await read(devnet.chain);
  } finally {
    await devnet.stop();
  }
}

const TOKEN_FILE = "tools-token";
const TOKEN_BYTES = 32;
const TOKEN = /^[!-~]{16,200}$/;

/** The token of the environment, of the file, or a new one. @throws NodeError `tools_token_invalid` */
function accessOf(home: string, hosts: readonly string[]): ToolsAccess {
  const file = join(home, TOKEN_FILE);
  const configured =
    process.env.LYRA_TOOLS_TOKEN || (existsSync(file) ? readShortText(file, 1_024).trim() : undefined);
  const token = configured ?? randomBytes(TOKEN_BYTES).toString("hex");
  if (!TOKEN.test(token)) {
    throw new NodeError(
      "devnet.tools",
      "tools_token_invalid",
      "the token of the tools must be 16 to 200 characters without blanks",
      `correct LYRA_TOOLS_TOKEN, or remove ${TOKEN_FILE} from the home`,
    );
  }
  writeFileWhole(file, `${token}\n`);
  return { hosts: hosts.map((name) => name.toLowerCase()), token };
}

/** A clock that is less behind than this catches up unnoticed. */
const BEHIND_SECONDS_MIN = 2n;
const DAY_SECONDS = 86_400n;

/** Accounts of one devnet: their deposits are in one block. */
const ACCOUNTS_MAX = 500;

/** @throws NodeError `usage`, `recovery_phrase_invalid` */
async function chosenParties(options: DevnetConfig): Promise<PartiesChoice> {
  const { accounts = DEVNET_PARTIES.accounts, recoveryPhrase, balance, fund = true, checkpoint } = options;
  const wrong = (message: string, hint = "") => new NodeError("devnet.start", "usage", message, hint);
  if (!Number.isInteger(accounts) || accounts < 1 || accounts > ACCOUNTS_MAX)
    throw wrong(`the number of accounts must be 1 to ${ACCOUNTS_MAX}`);
  if (balance !== undefined && (!fund || checkpoint !== undefined))
    throw wrong(
      "accounts have no balance to choose without funding, or behind a checkpoint",
      "leave out the balance, or --no-funding and --checkpoint",
    );
  if (recoveryPhrase === undefined) return { ...DEVNET_PARTIES, accounts };
  const { readRecoveryPhrase } = await import("../wallet/keys/derivation.ts");
  return { recoveryPhrase: readRecoveryPhrase(recoveryPhrase), accounts };
}

/** Why the time of a resumed chain does not move, with the way out; undefined while it does. */
function standingTime({ clockBehindNs, status }: LocalChain): string | undefined {
  const seconds = clockBehindNs / SECOND_NS;
  if (seconds < BEHIND_SECONDS_MIN) return undefined;
  const last = rfc3339Nano(status.timeNs);
  const ahead = seconds < DAY_SECONDS ? `${seconds} s` : `${seconds / DAY_SECONDS} days`;
  const text = `the last block's time, ${last}, is ${ahead} ahead of the clock, so the chain's time hardly moves`;
  return `${text}; to go on from there: lyra devnet time forward 1s`;
}

/** The planes, on this thread or another. */
interface Answering {
  /** Listens on all ports. @throws NodeError when one is in use; then on none */
  serve(chain: DevnetPort, places: ThreadOptions): Promise<PlaneAddresses>;
  /** Called after the chain was reverted, or replaced. */
  renewContext(parties: PartiesChoice): void;
  close(): Promise<void>;
}

/** On this thread. */
async function planesHere(
  places: Omit<PlanesOptions, "notReady">,
  reading: Reading,
  notReady: () => string | undefined,
  report: () => PartiesReport,
): Promise<Answering> {
  const { Planes } = await import("./planes.ts");
  const planes = new Planes({ ...places, notReady }, reading);
  return {
    serve: async (chain) => ({
      ...planes.serve(chain, report),
      comet: await planes.serveComet(chain),
      ...(await planes.serveGrpc()),
    }),
    renewContext: () => {},
    close: () => planes.close(),
  };
}

interface CoreParts {
  readonly link: PlanesThread | undefined;
  readonly sending: typeof import("./sending.ts") | undefined;
}

function openCore(
  home: string,
  isTemporary: boolean,
  options: DevnetConfig & Pick<DevnetCoreOptions, "parties">,
  { link, sending }: CoreParts,
): { core: DevnetCore; note: string | undefined; outbox: Outbox | undefined } {
  settleReset(home);
  const fresh = isNew(home) ? newGenesisText(options) : undefined;
  const db = openWriter(home);
  try {
    const { text, note } = genesisOf(home, db, () => fresh ?? newGenesisText(options));
    const genesis = readDevnetGenesis(text, options.validatorKeys);
    const onLoaded = (genesisText: string) => {
      try {
        writeGenesis(home, genesisText);
      } catch (error) {
        // The store has the genesis: the next start writes the file.
        options.onProblem?.(error);
      }
    };
    const outbox = sending?.openOutbox(db, home, options.eventsTo!);
    const keepTexts = options.cometPort !== undefined;
    const more = { ...link?.chainOptions, isTemporary, keepTexts, ...(outbox && { outbox }) };
    const core = new DevnetCore(genesis, db, { ...options, ...more }, onLoaded);
    return { core, note, outbox };
  } catch (error) {
    db.close();
    throw error;
  }
}

/** The genesis of a new chain, with the time at which it begins. @throws NodeError */
function newGenesisText(options: DevnetConfig): string {
  const { genesis, checkpoint, chainId, parameters, genesisTimeNs = systemTimeNs() } = options;
  const bare =
    genesis ??
    devnetGenesisText({
      timeNs: genesisTimeNs,
      ...(chainId !== undefined && { chainId }),
      ...(parameters && { parameters }),
    });
  startAmounts(readDevnetGenesis(bare, options.validatorKeys), options.balance ?? {});
  const text = checkpoint ? withCheckpoint(bare, readCheckpointFile(checkpoint)) : bare;
  if (checkpoint) readDevnetGenesis(text, options.validatorKeys);
  return text;
}

function addressOf(
  { node, data, faucet, comet, grpcNode, grpcData }: PlaneAddresses,
  chainId: string,
  home: string,
): DevnetAddress {
  return {
    nodeUrl: node.url,
    dataUrl: data.url,
    faucetUrl: faucet.url,
    nodePort: node.port,
    dataPort: data.port,
    faucetPort: faucet.port,
    ...(comet && { cometUrl: comet.url, cometPort: comet.port }),
    ...(grpcNode && { grpcNodeAddress: grpcNode.address, grpcNodePort: grpcNode.port }),
    ...(grpcData && { grpcDataAddress: grpcData.address, grpcDataPort: grpcData.port }),
    chainId,
    home,
    pid: process.pid,
  };
}
