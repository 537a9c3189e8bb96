/**
 * The files of a test network: for each validator a home, and keys, genesis and settings of its consensus engine. Keys
 * follow from the devnet's PUBLIC phrase: such a network is for trials alone.
 */

import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { ed25519KeyPair } from "../crypto/ed25519.ts";
import { ethereumAddress } from "../crypto/secp256k1.ts";
import { sha256HexOf } from "../crypto/sha.ts";
import { startDevnet } from "../devnet/devnet.ts";
import { devnetGenesisText, withCheckpoint } from "../devnet/genesis.ts";
import { DEVNET_VALIDATORS_MAX, ValidatorKeys } from "../devnet/keys.ts";
import type { CheckpointText } from "../engine/checkpoints.ts";
import { NodeError, reasonOf } from "../errors/node-error.ts";
import { writeFileWhole } from "../files/whole-file.ts";
import { hexOf } from "../wire/identifiers.ts";
import { MILLISECOND_NS } from "../wire/time-text.ts";

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
}

/** The content of `testnet.json`. */
export interface TestnetFile {
  readonly chainId: string;
  /** Where the simulated Ethereum answers. */
  readonly ethereumPort: number;
  readonly nodes: readonly TestnetNode[];
}

export interface TestnetFilesOptions {
  readonly folder: string;
  readonly validators: number;
  /** Ports: of the first validator, ten apart; or free ones. */
  readonly ports: "usual" | "free";
  readonly chainId?: string;
  /** Whether the devnet's parties have balances and stake. */
  readonly isFunded: boolean;
  /** The consensus engine's program, for the settings that it writes itself. */
  readonly cometbft: string;
  /** Settings of the engine that differ, by section and key. */
  readonly settings?: Settings;
  /** Network parameters that differ. */
  readonly parameters?: Readonly<Record<string, string>>;
  readonly nowNs: bigint;
}

/** `{ consensus: { timeout_commit: '"200ms"' } }`: values as they stand in the file. */
type Settings = Readonly<Record<string, Readonly<Record<string, string>>>>;

const FILE = "testnet.json";
export const VALIDATORS_MAX = DEVNET_VALIDATORS_MAX;
const HOST = "127.0.0.1";
const PORTS_APART = 10;
const USUAL = { peer: 26_656, rpc: 26_657, node: 3_003, data: 3_008, ethereum: 8_545 };
const POWER = "10";
/** As `application.ts` answers: any other ends in a chain that cannot be rolled back. */
const APP_VERSION = "1";
/** The longest path that a socket can have. */
const SOCKET_PATH_MAX = 107;
/** For one machine: quick gossip, patience with peers that are started later. */
const SETTINGS: Settings = {
  rpc: { max_body_bytes: "1500000" },
  p2p: {
    addr_book_strict: "false",
    allow_duplicate_ip: "true",
    pex: "false",
    flush_throttle_timeout: '"10ms"',
    persistent_peers_max_dial_period: '"2s"',
  },
  consensus: { timeout_propose: '"1s"', timeout_commit: '"200ms"', peer_gossip_sleep_duration: '"10ms"' },
  tx_index: { indexer: '"null"' },
};

/** As the devnet's tools set them before they make a market: here only votes do. */
const MARKET_PARAMETERS = {
  "market.auction.minimumDuration": "1s",
  "network.markPriceUpdateMaximumFrequency": "1s",
};

/** The network in a folder; undefined where there is none. @throws NodeError `testnet_unreadable` */
export function readTestnet(folder: string): TestnetFile | undefined {
  const path = join(folder, FILE);
  if (!existsSync(path)) return undefined;
  try {
    const { chainId, ethereumPort, nodes } = JSON.parse(readFileSync(path, "utf8")) as TestnetFile;
    if (typeof chainId === "string" && nodes.length > 0) return { chainId, ethereumPort, nodes };
  } catch (error) {
    throw unreadable(path, reasonOf(error));
  }
  throw unreadable(path, "it names no validators");
}

/** Writes a new network. @throws NodeError */
export async function writeTestnet(options: TestnetFilesOptions): Promise<TestnetFile> {
  const { folder, validators, chainId = "lyra-testnet" } = options;
  mkdirSync(folder, { recursive: true });
  const nodes = await Promise.all(
    Array.from({ length: validators }, (_, at) => placeOf(folder, at + 1, options.ports)),
  );
  const genesis = await genesisOf(options, chainId);
  const nodeKeys = nodes.map(() => ed25519Pair(randomBytes(32)));
  for (const [at, node] of nodes.entries()) {
    initEngine(options.cometbft, node.consensusHome);
    const config = join(node.consensusHome, "config");
    writeFileSync(join(config, "genesis.json"), genesis);
    const secret = { mode: 0o600 } as const;
    writeFileSync(join(config, "priv_validator_key.json"), validatorKeyText(node.number), secret);
    const { privateKey } = nodeKeys[at]!;
    writeFileSync(
      join(config, "node_key.json"),
      JSON.stringify({ priv_key: keyOf("PrivKey", privateKey) }),
      secret,
    );
    const peers = nodes.flatMap(({ peerPort }, n) =>
      n === at ? [] : [`${peerIdOf(nodeKeys[n]!.publicKey)}@${HOST}:${peerPort}`],
    );
    const own: Settings = {
      "": {
        proxy_app: JSON.stringify(node.abci.replace(/^unix:/, "unix://")),
        moniker: `"node${node.number}"`,
      },
      rpc: { laddr: `"tcp://${HOST}:${node.rpcPort}"` },
      p2p: { laddr: `"tcp://${HOST}:${node.peerPort}"`, persistent_peers: JSON.stringify(peers.join(",")) },
    };
    const file = join(config, "config.toml");
    let text = readFileSync(file, "utf8");
    for (const settings of [SETTINGS, own, options.settings ?? {}]) text = withSettings(text, settings);
    writeFileSync(file, text);
  }
  const ethereumPort = options.ports === "free" ? await freePort() : USUAL.ethereum;
  const testnet = { chainId, ethereumPort, nodes };
  writeFileWhole(join(folder, FILE), `${JSON.stringify(testnet, undefined, 2)}\n`);
  return testnet;
}

/** The genesis file that all validators share. */
export function genesisPath({ consensusHome }: TestnetNode): string {
  return join(consensusHome, "config", "genesis.json");
}

async function placeOf(folder: string, number: number, ports: "usual" | "free"): Promise<TestnetNode> {
  const place = join(folder, `node${number}`);
  const portOf = (usual: number) => (ports === "free" ? freePort() : usual + PORTS_APART * (number - 1));
  const [peerPort, rpcPort, nodePort, dataPort] = await Promise.all([
    portOf(USUAL.peer),
    portOf(USUAL.rpc),
    portOf(USUAL.node),
    portOf(USUAL.data),
  ]);
  const home = join(place, "lyra");
  mkdirSync(home, { recursive: true });
  const path = join(place, "app.sock");
  const abci = path.length <= SOCKET_PATH_MAX ? `unix:${path}` : `tcp://${HOST}:${await freePort()}`;
  return {
    number,
    home,
    consensusHome: join(place, "consensus"),
    abci,
    peerPort,
    rpcPort,
    nodePort,
    dataPort,
  };
}

/** A port that nothing listens on now. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, HOST, () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
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

async function genesisOf({ validators, isFunded, nowNs, parameters }: TestnetFilesOptions, chainId: string) {
  const numbers = Array.from({ length: validators }, (_, at) => at + 1);
  const shipped = JSON.parse(
    devnetGenesisText({
      chainId,
      timeNs: wholeMilliseconds(nowNs),
      parameters: { ...MARKET_PARAMETERS, ...parameters },
    }),
  ) as { app_state: object };
  const withValidators = {
    ...shipped,
    app_state: { ...shipped.app_state, validators: Object.fromEntries(numbers.map(validatorEntry)) },
  };
  const bare = JSON.stringify(withValidators);
  const text = isFunded ? withCheckpoint(bare, await fundedCheckpoint(bare)) : bare;
  return JSON.stringify(
    {
      ...(JSON.parse(text) as object),
      consensus_params: {
        block: { max_bytes: "22020096", max_gas: "-1" },
        evidence: { max_age_num_blocks: "100000", max_age_duration: "172800000000000", max_bytes: "1048576" },
        validator: { pub_key_types: ["ed25519"] },
        version: { app: APP_VERSION },
        abci: { vote_extensions_enable_height: "0" },
      },
      validators: numbers.map((number) => {
        const key = new ValidatorKeys(number).tmPubKey;
        return {
          address: addressOf(key),
          pub_key: keyOf("PubKey", Buffer.from(key, "base64")),
          power: POWER,
          name: "",
        };
      }),
      app_hash: "",
    },
    undefined,
    1,
  );
}

const wholeMilliseconds = (ns: bigint) => (ns / MILLISECOND_NS) * MILLISECOND_NS;

function validatorEntry(number: number) {
  const keys = new ValidatorKeys(number);
  return [
    keys.tmPubKey,
    {
      id: keys.nodeId,
      vega_pub_key: hexOf(keys.vega(1).publicKey),
      vega_pub_key_index: 1,
      ethereum_address: ethereumAddress(keys.ethereum(1)),
      tm_pub_key: keys.tmPubKey,
      info_url: "",
      country: "ZZ",
      name: `lyra-testnet-${number}`,
      avatar_url: "",
    },
  ] as const;
}

/** A devnet of the same genesis funds its parties, and ends: the network begins with its checkpoint. */
async function fundedCheckpoint(genesis: string): Promise<CheckpointText> {
  const devnet = await startDevnet({
    ...{ kind: "devnet", genesis, mode: { kind: "manual" }, dataPort: 0, nodePort: 0, faucetPort: 0 },
    grpcNodePort: "off",
    grpcDataPort: "off",
  });
  try {
    return JSON.parse(await devnet.chain.checkpoint()) as CheckpointText;
  } finally {
    await devnet.stop();
  }
}

function validatorKeyText(number: number): string {
  const keys = new ValidatorKeys(number);
  const { privateKey, publicKey } = ed25519Pair(keys.consensusSeed);
  return JSON.stringify({
    address: addressOf(keys.tmPubKey),
    pub_key: keyOf("PubKey", publicKey),
    priv_key: keyOf("PrivKey", privateKey),
  });
}

function keyOf(kind: "PubKey" | "PrivKey", bytes: Uint8Array) {
  return { type: `tendermint/${kind}Ed25519`, value: Buffer.from(bytes).toString("base64") };
}

/** A key as the engine's files have it: the private one is the seed and the public one. */
function ed25519Pair(seed: Uint8Array) {
  const { publicKey } = ed25519KeyPair(seed);
  return { publicKey, privateKey: Buffer.concat([seed, publicKey]) };
}

const ID_DIGITS = 40;
const peerIdOf = (publicKey: Uint8Array): string => sha256HexOf(publicKey).slice(0, ID_DIGITS);
const addressOf = (key: string): string => peerIdOf(Buffer.from(key, "base64")).toUpperCase();

/** Settings of a TOML file, replaced where they stand: one key stands in several sections. */
export function withSettings(text: string, settings: Settings): string {
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
