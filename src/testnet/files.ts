/**
 * The files of a test network on this machine: for each validator a home, and keys, genesis and settings of its consensus
 * engine. Keys are the devnet's PUBLIC ones, or each validator's own.
 */

import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { MempoolLimits } from "../chain/options.ts";
import { consensusAddress } from "../crypto/consensus-address.ts";
import { DEVNET_VALIDATORS_MAX } from "../devnet/keys.ts";
import { readGenesis } from "../engine/genesis.ts";
import { NodeError, reasonOf } from "../errors/node-error.ts";
import { readShortText } from "../files/short-file.ts";
import { writeFileWhole } from "../files/whole-file.ts";
import { engineKey, nodeKeyText, validatorKeyText } from "./engine-keys.ts";
import { COMMON_SETTINGS, mempoolSettings, proxyApp, type Settings } from "./engine-settings.ts";
import { networkGenesis } from "./genesis.ts";
import { type Member, ownMember, publicMember } from "./members.ts";
import { isObject, isPort } from "./network.ts";
import { KEYS_FILE, PORTS_APART, socketAddress, USUAL_PORTS } from "./places.ts";
import { checkPorts, freePort, type PortUse } from "./ports.ts";

/** A validator of the network, and where its parts listen. */
export interface TestnetNode {
  /** From 1. */
  readonly number: number;
  /** Of Lyra, and of the consensus engine. */
  readonly home: string;
  readonly consensusHome: string;
  /** Where the engine dials: `unix:PATH` or `tcp://HOST:PORT`. */
  readonly abci: string;
  readonly peerPort: number;
  readonly rpcPort: number;
  readonly nodePort: number;
  readonly dataPort: number;
  /** Where its own keys are; without them it has the devnet's PUBLIC ones. */
  readonly keysFile?: string;
}

/** The content of `testnet.json`. */
export interface TestnetFile {
  readonly chainId: string;
  /** Where the simulated Ethereum answers. */
  readonly ethereumPort: number;
  readonly nodes: readonly TestnetNode[];
  /** Limits that are not the usual ones. */
  readonly mempool: MempoolLimits;
}

export interface TestnetFilesOptions {
  readonly folder: string;
  readonly validators: number;
  /** Ports: of the first validator, ten apart; or free ones. */
  readonly ports: "usual" | "free";
  readonly chainId?: string;
  /** Whether the devnet's parties have balances and stake. */
  readonly isFunded: boolean;
  /** Whether validators have keys of their own; more than four always have. */
  readonly ownKeys?: boolean;
  /** Looks at the ports before they count as in use; for tests. */
  readonly portLooks?: number;
  /** Where secrets come from; a test gives its own. */
  readonly random?: (length: number) => Uint8Array;
  /** The consensus engine's program, for the settings that it writes itself. */
  readonly cometbft: string;
  /** Settings of the engine that differ, by section and key. */
  readonly settings?: Settings;
  readonly mempool?: MempoolLimits;
  /** Network parameters that differ. */
  readonly parameters?: Readonly<Record<string, string>>;
  readonly nowNs: bigint;
}

const FILE = "testnet.json";
const FILE_BYTES_MAX = 256 * 1024;
/** On one machine: two processes each. */
export const VALIDATORS_MAX = 16;
const HOST = "127.0.0.1";
/** For one machine: quick gossip, patience with peers that are started later. */
const SETTINGS: Settings = {
  ...COMMON_SETTINGS,
  p2p: {
    ...COMMON_SETTINGS.p2p,
    addr_book_strict: "false",
    allow_duplicate_ip: "true",
    pex: "false",
    persistent_peers_max_dial_period: '"2s"',
  },
  consensus: { ...COMMON_SETTINGS.consensus, timeout_propose: '"1s"', timeout_commit: '"200ms"' },
};

/** The network in a folder; undefined where there is none. @throws NodeError `testnet_unreadable` */
export function readTestnet(folder: string): TestnetFile | undefined {
  const path = join(folder, FILE);
  if (!existsSync(path)) return undefined;
  let document: unknown;
  try {
    document = JSON.parse(readShortText(path, FILE_BYTES_MAX));
  } catch (error) {
    throw unreadable(path, reasonOf(error));
  }
  if (!isTestnet(document)) throw unreadable(path, "it does not describe a network");
  const { chainId, ethereumPort, nodes, mempool = {} } = document;
  return { chainId, ethereumPort, nodes, mempool };
}

function isTestnet(document: unknown): document is Omit<TestnetFile, "mempool"> & Partial<TestnetFile> {
  if (!isObject(document)) return false;
  const { chainId, ethereumPort, nodes, mempool = {} } = document;
  return (
    typeof chainId === "string" &&
    isPort(ethereumPort) &&
    isObject(mempool) &&
    Array.isArray(nodes) &&
    nodes.length > 0 &&
    nodes.every(isTestnetNode)
  );
}

function isTestnetNode(node: unknown): boolean {
  if (!isObject(node)) return false;
  const { number, home, consensusHome, abci, keysFile = "", ...ports } = node;
  return (
    Number.isSafeInteger(number) &&
    [home, consensusHome, abci, keysFile].every((text) => typeof text === "string") &&
    [ports.peerPort, ports.rpcPort, ports.nodePort, ports.dataPort].every(isPort)
  );
}

/** Writes a new network. @throws NodeError */
export async function writeTestnet(options: TestnetFilesOptions): Promise<TestnetFile> {
  const { folder, validators, chainId = "lyra-testnet", isFunded, nowNs, parameters, mempool = {} } = options;
  const { random = randomBytes, ownKeys = validators > DEVNET_VALIDATORS_MAX } = options;
  const places = Array.from({ length: validators }, (_, at) => placeOf(folder, at + 1, options.ports));
  const ethereumPort = options.ports === "free" ? freePort() : USUAL_PORTS.ethereum;
  // Before there is a network that keeps them.
  await checkPorts(
    portUses({ ethereumPort, nodes: places }),
    "give --port 0 for free ones, or stop what uses it",
    options.portLooks,
  );
  for (const { home } of places) mkdirSync(home, { recursive: true });
  const members = places.map(({ number }) =>
    ownKeys ? ownMember(`lyra-testnet-${number}`, random) : publicMember(number, random),
  );
  const genesis = await networkGenesis({
    ...{ chainId, members, isFunded, nowNs },
    ...(parameters && { parameters }),
  });
  const nodes = places.map((node, at) => withKeys(node, members[at]!, genesis));
  const ids = members.map(({ peerSeed }) => consensusAddress(engineKey(peerSeed).publicKey));
  for (const [at, node] of nodes.entries()) {
    initEngine(options.cometbft, node.consensusHome);
    const config = join(node.consensusHome, "config");
    const { consensusSeed, peerSeed } = members[at]!;
    writeFileSync(join(config, "genesis.json"), genesis);
    writeFileWhole(join(config, "priv_validator_key.json"), validatorKeyText(engineKey(consensusSeed)));
    writeFileWhole(join(config, "node_key.json"), nodeKeyText(engineKey(peerSeed)));
    const peers = nodes.flatMap(({ peerPort }, n) => (n === at ? [] : [`${ids[n]!}@${HOST}:${peerPort}`]));
    const own = { p2p: { persistent_peers: JSON.stringify(peers.join(",")) } };
    changeSettings(
      node,
      ...[SETTINGS, mempoolSettings(mempool), placeSettings(node), own, options.settings ?? {}],
    );
  }
  return writeFile(folder, { chainId, ethereumPort, nodes, mempool });
}

/** Changes the mempool of an existing network; limits that are not given stay. */
export function withMempool(folder: string, former: TestnetFile, change: MempoolLimits): TestnetFile {
  if (Object.keys(change).length === 0) return former;
  const mempool = { ...former.mempool, ...change };
  for (const node of former.nodes) changeSettings(node, mempoolSettings(mempool));
  return writeFile(folder, { ...former, mempool });
}

function writeFile(folder: string, testnet: TestnetFile): TestnetFile {
  writeFileWhole(join(folder, FILE), `${JSON.stringify(testnet, undefined, 2)}\n`);
  return testnet;
}

/** Where an engine listens, and dials its chain. */
export function placeSettings({ number, abci, rpcPort, peerPort }: TestnetNode): Settings {
  return {
    "": { proxy_app: proxyApp(abci), moniker: `"node${number}"` },
    rpc: { laddr: `"tcp://${HOST}:${rpcPort}"` },
    p2p: { laddr: `"tcp://${HOST}:${peerPort}"` },
  };
}

/** Changes settings of a node's engine, which takes them at its next start. */
export function changeSettings({ consensusHome }: TestnetNode, ...changes: readonly Settings[]): void {
  const file = join(consensusHome, "config", "config.toml");
  writeFileSync(file, changes.reduce(withSettings, readFileSync(file, "utf8")));
}

/** Ports of a network's processes, but those of the chain's that are free ones anyway. */
export function portUses({ ethereumPort, nodes }: Pick<TestnetFile, "ethereumPort" | "nodes">): PortUse[] {
  return [
    { port: ethereumPort, use: "the simulated Ethereum" },
    ...nodes.flatMap(({ number, peerPort, rpcPort, nodePort, dataPort }) => [
      { port: nodePort, use: `validator ${number}'s node API` },
      { port: dataPort, use: `validator ${number}'s data API` },
      { port: rpcPort, use: `the RPC of validator ${number}'s consensus engine` },
      { port: peerPort, use: `the peers of validator ${number}'s consensus engine` },
    ]),
  ];
}

/** Writes a validator's own keys beside its home. */
function withKeys(node: TestnetNode, { own }: Member, genesis: string): TestnetNode {
  if (own === undefined) return node;
  const keysFile = join(node.home, "..", KEYS_FILE);
  const { chainId, hash: genesisHash } = readGenesis(genesis);
  own.write(keysFile, { chainId, genesisHash });
  return { ...node, keysFile };
}

/** The genesis file that all validators share. */
export function genesisPath({ consensusHome }: TestnetNode): string {
  return join(consensusHome, "config", "genesis.json");
}

/** Where the parts of a validator listen. */
export function placeOf(folder: string, number: number, ports: "usual" | "free"): TestnetNode {
  const place = join(folder, `node${number}`);
  const portOf = (usual: number) => (ports === "free" ? freePort() : usual + PORTS_APART * (number - 1));
  const abci = socketAddress(join(place, "app.sock")) ?? `tcp://${HOST}:${freePort()}`;
  return {
    number,
    home: join(place, "lyra"),
    consensusHome: join(place, "consensus"),
    abci,
    ...{ peerPort: portOf(USUAL_PORTS.peer), rpcPort: portOf(USUAL_PORTS.rpc) },
    ...{ nodePort: portOf(USUAL_PORTS.node), dataPort: portOf(USUAL_PORTS.data) },
  };
}

/** The engine writes its own settings, of its own release. @throws NodeError `cometbft_failed` */
function initEngine(cometbft: string, home: string): void {
  const { exitCode, stderr, stdout } = Bun.spawnSync([cometbft, "init", "--home", home]);
  if (exitCode === 0) return;
  throw new NodeError(
    "testnet",
    "cometbft_failed",
    `${cometbft} init ended with ${exitCode}: ${`${stderr}${stdout}`.trim().slice(-300)}`,
    "it must be CometBFT 0.38",
  );
}

/** Settings of a TOML file, replaced where they stand: one key stands in several sections. */
function withSettings(text: string, settings: Settings): string {
  let section = "";
  const lines = text.split("\n").map((line) => {
    section = /^\[(\w+)\]/.exec(line)?.[1] ?? section;
    const key = /^(\w[\w-]*) *=/.exec(line)?.[1];
    const value = key === undefined ? undefined : settings[section]?.[key];
    return value === undefined ? line : `${key} = ${value}`;
  });
  return lines.join("\n");
}

function unreadable(path: string, reason: string): NodeError {
  return new NodeError(
    "testnet",
    "testnet_unreadable",
    `the network's file ${path} cannot be read: ${reason}`,
    "give another --dir, or remove the folder",
  );
}
