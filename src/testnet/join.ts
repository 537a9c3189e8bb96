/**
 * The folder of a further node of a network on several machines: a new one, or a validator whose machine was lost and whose
 * keys are in a backup. Its engine takes the state from a snapshot of the others, checked by a block that two of them agree on.
 */

import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { MempoolLimits } from "../chain/options.ts";
import { CometClient, type CometStatus } from "../comet/client.ts";
import { consensusAddress } from "../crypto/consensus-address.ts";
import { systemTimeNs } from "../devnet/clock.ts";
import { readGenesis } from "../engine/genesis.ts";
import { NodeError, reasonOf } from "../errors/node-error.ts";
import { readShortText } from "../files/short-file.ts";
import { writeFileWhole } from "../files/whole-file.ts";
import { readEthereumFile } from "../validator/ethereum-state.ts";
import { readKeys } from "../validator/key-file.ts";
import { SECOND_NS } from "../wire/time-text.ts";
import { isPrivate } from "./addresses.ts";
import { engineKey } from "./engine-keys.ts";
import { type Settings, statesyncSettings } from "./engine-settings.ts";
import {
  ETHEREUM_FILE,
  machineOptions,
  nodeOf,
  ownEthereumUrl,
  writeFolder,
  writePublic,
} from "./machines.ts";
import { type Member, ownMember } from "./members.ts";
import {
  ethereumNodeOf,
  hostUrl,
  type MachineOptions,
  NETWORK_FILE,
  type NetworkFile,
  type NetworkNode,
  networkText,
  portsOf,
  readNetwork,
} from "./network.ts";
import { KEYS_FILE } from "./places.ts";

interface JoinOptions {
  /** Folder with network.json and the genesis. */
  readonly network: string;
  readonly out: string;
  readonly name: string;
  /** Of its machine; default: the one that the network has for it. */
  readonly address?: string;
  /** Folder with a validator's files of keys, from its backup. */
  readonly keys?: string;
  /** RPC of two other nodes' engines; default: those on private addresses. */
  readonly rpc?: readonly string[];
  /** The engine executes all blocks, and takes no state from the others. */
  readonly isFromGenesis?: boolean;
  readonly places?: string;
  readonly programs?: Pick<MachineOptions, "lyra" | "cometbft">;
  readonly mempool?: MempoolLimits;
  readonly random?: (length: number) => Uint8Array;
  /** Unix nanoseconds. */
  readonly nowNs?: () => bigint;
}

export interface Joined {
  readonly node: NetworkNode;
  readonly folder: string;
  readonly isNew: boolean;
  /** The block that the state is checked by; undefined where all blocks are executed. */
  readonly trusted: { readonly height: number; readonly hash: string } | undefined;
  /** Why the network's file does not name the node; undefined where it does. */
  readonly unrecorded: string | undefined;
  /** The simulated Ethereum, where it runs beside this node. */
  readonly ethereum:
    | {
        readonly url: string;
        /** It answered elsewhere before. */
        readonly isMoved: boolean;
        /** The backup had its state. */
        readonly hasState: boolean;
      }
    | undefined;
}

const KEY_FILE_BYTES_MAX = 16 * 1024;
/**
 * Before these heights no snapshot is sure to be there: one is made every hundred blocks, of a large state every thousand
 * (abci/state-sync.ts), and its two next headers are needed.
 */
const SNAPSHOT_SURE_HEIGHT = 210;
const LARGE_SNAPSHOT_SURE_HEIGHT = 1_010;
/** Fewer than 100,000 entries of the state follow from a genesis of fewer characters. */
const LARGE_GENESIS_CHARACTERS = 1_000_000;
/** The trusted block is older than the last three snapshots, also those of a large state: the engine verifies forwards. */
const TRUST_BEHIND = 4_000;
/** A block of this age or less is one of a network that goes on. */
const SIGNED_NS_MAX = 60n * SECOND_NS;
/** A vote of the lost machine may be of the height after the last block. */
const SIGN_AHEAD = 3;
const PRIVATE_KEY_BYTES = 64;
const SEED_BYTES = 32;

/** Writes the folder, and the node into the network's file. @throws NodeError */
export async function joinNetwork(options: JoinOptions): Promise<Joined> {
  const { network: former, genesis } = readNetwork(options.network);
  const { name, random = randomBytes } = options;
  const lost = former.nodes.find((node) => node.name === name);
  const { validators = {} } = readGenesis(genesis).appState;
  const isValidator = Object.values(validators).some((validator) => validator.name === name);
  if (isValidator && options.keys === undefined)
    throw usage(
      `${name} is a validator of the network: it needs its keys`,
      `give --backup DIR with ${KEYS_FILE}, priv_validator_key.json and node_key.json from its backup`,
    );
  const address = options.address ?? lost?.address;
  if (address === undefined)
    throw usage(`${name} is not in the network`, "give the address of its machine: --address");
  const member =
    options.keys === undefined ? ownMember(name, random) : keptMember(name, options.keys, genesis, random);
  const peerId = consensusAddress(engineKey(member.peerSeed).publicKey);
  const others = former.nodes.filter((node) => node.name !== name);
  const machine = { ...(lost ?? former.nodes[0]!).machine, ...machineOptions(options) };
  const node: NetworkNode = {
    ...(lost?.address === address ? lost : freeNode(name, address, others, shiftOf(former))),
    peerId,
    ...(Object.keys(machine).length > 0 && { machine }),
  };
  const engines = await liveEngines(former, options);
  if (options.keys !== undefined) await checkSilent(name, member, engines, options.nowNs ?? systemTimeNs);
  const { trusted, settings } = await trustOf(engines, genesis, options);
  const hasEthereum = ethereumNodeOf(former) === name;
  const ethereumUrl =
    hasEthereum && address !== lost?.address ? ownEthereumUrl(node, shiftOf(former)) : former.ethereumUrl;
  const nodes = lost ? former.nodes.map((each) => (each === lost ? node : each)) : [...former.nodes, node];
  const network = { ...former, ethereumUrl, nodes };
  const state = hasEthereum && options.keys !== undefined ? ethereumStateIn(options.keys) : undefined;
  const folder = join(options.out, name);
  writeFolder({
    ...{ folder, node, network, genesis, member, settings, hasEthereum },
    // The record of what the lost machine signed is lost with it.
    ...(options.keys !== undefined && { signFrom: heightOf(engines) + SIGN_AHEAD }),
  });
  if (state !== undefined) writeFileWhole(join(folder, ETHEREUM_FILE), state);
  const ethereum = hasEthereum
    ? { url: ethereumUrl, isMoved: ethereumUrl !== former.ethereumUrl, hasState: state !== undefined }
    : undefined;
  const unrecorded = recordNetwork(options.network, network);
  return { node, folder, isNew: options.keys === undefined, trusted, unrecorded, ethereum };
}

/** With the first ports that no other node of its address has. */
function freeNode(name: string, address: string, others: readonly NetworkNode[], shift: number): NetworkNode {
  const taken = new Set(others.filter((node) => node.address === address).flatMap(portsOf));
  for (let place = 0; ; place++) {
    const node = nodeOf({ name, address }, "", place, shift);
    if (!portsOf(node).some((port) => taken.has(port))) return node;
  }
}

/** @returns why it could not be written */
function recordNetwork(folder: string, network: NetworkFile): string | undefined {
  try {
    writePublic(join(folder, NETWORK_FILE), networkText(network));
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}

/** The state of the simulated Ethereum in a backup. @throws NodeError */
function ethereumStateIn(folder: string): string | undefined {
  const path = join(folder, ETHEREUM_FILE);
  if (!existsSync(path)) return undefined;
  return JSON.stringify(readEthereumFile(path));
}

interface LiveEngine {
  readonly url: string;
  readonly client: CometClient;
  readonly status: CometStatus;
}

/** Of the network's ports, which trials shift. */
const shiftOf = ({ nodes: [first] }: NetworkFile) =>
  first!.peerPort - nodeOf(first!, first!.peerId, 0).peerPort;

const heightOf = (engines: readonly LiveEngine[]) => Math.max(...engines.map(({ status }) => status.height));

/** The other engines that answer. @throws NodeError `trust_unavailable` */
async function liveEngines(network: NetworkFile, { rpc, name }: JoinOptions): Promise<readonly LiveEngine[]> {
  const others = network.nodes.filter((node) => node.name !== name && isPrivate(node.address));
  // An engine that is named twice would agree with itself.
  const urls = [...new Set((rpc ?? others.map(hostUrl)).map((url) => url.replace(/\/$/, "")))];
  const reasons: string[] = [];
  const answers = await Promise.all(
    urls.map(async (url) => {
      const client = new CometClient(url);
      try {
        const status = await client.status();
        if (status.chainId !== network.chainId) reasons.push(`${url} is of the chain ${status.chainId}`);
        // Its height is below what a lost machine may have signed.
        else if (status.isCatchingUp) reasons.push(`${url} is still catching up`);
        else return { url, client, status };
      } catch (error) {
        reasons.push(`${url}: ${reasonOf(error)}`);
      }
      return undefined;
    }),
  );
  const engines = answers.filter((answer) => answer !== undefined);
  if (engines.length > 0) return engines;
  throw noTrust(
    urls.length === 0 ? "no RPC of another engine is known" : `no engine answers (${reasons.join("; ")})`,
  );
}

/** A validator that signs still runs: a second one with its key would sign twice. @throws NodeError */
async function checkSilent(
  name: string,
  { consensusSeed }: Member,
  engines: readonly LiveEngine[],
  nowNs: () => bigint,
): Promise<void> {
  const address = consensusAddress(engineKey(consensusSeed).publicKey);
  const { client, status } = engines.reduce((a, b) => (b.status.height > a.status.height ? b : a));
  // Where no block comes any more the last one has the signatures of validators that are lost since.
  if (status.height === 0 || nowNs() - status.timeNs > SIGNED_NS_MAX) return;
  const signers = await client.signersOf(status.height).catch((): string[] => []);
  if (!signers.includes(address)) return;
  throw usage(
    `${name} signs blocks: block ${status.height} has its signature, so that its machine still runs`,
    "stop it first, and try again when a further block has come: two machines with one key sign twice",
  );
}

async function trustOf(
  engines: readonly LiveEngine[],
  genesis: string,
  { isFromGenesis }: JoinOptions,
): Promise<Pick<Joined, "trusted"> & { readonly settings: Settings }> {
  const earliest = Math.max(...engines.map(({ status }) => status.earliestHeight));
  const isLarge = genesis.length >= LARGE_GENESIS_CHARACTERS;
  const sureHeight = isLarge ? LARGE_SNAPSHOT_SURE_HEIGHT : SNAPSHOT_SURE_HEIGHT;
  const isShort = heightOf(engines) < sureHeight && earliest <= 1;
  if (isFromGenesis || isShort) return { trusted: undefined, settings: {} };
  const [first, second] = engines;
  if (second === undefined)
    throw noTrust(`of the other engines ${first!.url} alone answers, and it takes two`);
  const tip = Math.min(first!.status.height, second.status.height);
  const height = Math.max(earliest, tip - TRUST_BEHIND, 1);
  const [one, other] = await Promise.all([first!, second].map(({ client }) => client.block(height)));
  if (one!.hash !== other!.hash)
    throw noTrust(`${first!.url} and ${second.url} have different blocks ${height}`);
  const trusted = { height, hash: one!.hash.toUpperCase() };
  return { trusted, settings: statesyncSettings([first!.url, second.url], trusted) };
}

/** A validator with the keys of its backup. @throws NodeError */
function keptMember(
  name: string,
  folder: string,
  genesis: string,
  random: (length: number) => Uint8Array,
): Member {
  const document = readGenesis(genesis);
  const keys = readKeys(join(folder, KEYS_FILE), document);
  // A mistaken folder would run a second engine with the keys of a validator that lives.
  const owner = Object.values(document.appState.validators ?? {}).find(({ id }) => id === keys.nodeId)?.name;
  if (owner !== undefined && owner !== name)
    throw usage(`the keys in ${folder} are those of ${owner}, not of ${name}`, `give the backup of ${name}`);
  const consensusSeed = seedIn(join(folder, "priv_validator_key.json"));
  const consensusKey = Buffer.from(engineKey(consensusSeed).publicKey).toString("base64");
  if (consensusKey !== keys.consensusPublicKey)
    throw usage("priv_validator_key.json is not the one of these keys", "take both from one backup");
  const nodeKey = join(folder, "node_key.json");
  // Without it the others know the node by a new id, and wait for its call.
  const peerSeed = existsSync(nodeKey) ? seedIn(nodeKey) : random(SEED_BYTES);
  return { name, identity: keys.identity, keys, consensusSeed, peerSeed, own: keys };
}

/** Seed of the private key in a file of the engine. @throws NodeError that says nothing of it */
function seedIn(path: string): Uint8Array {
  try {
    const { priv_key } = JSON.parse(readShortText(path, KEY_FILE_BYTES_MAX)) as {
      priv_key: { value: string };
    };
    const bytes = Buffer.from(priv_key.value, "base64");
    if (bytes.length === PRIVATE_KEY_BYTES) return bytes.subarray(0, SEED_BYTES);
  } catch {
    // A parser's reason could quote the key.
  }
  throw usage(`${path} is missing, or not a file of the engine's keys`, "restore it from its backup");
}

function usage(message: string, hint: string): NodeError {
  return new NodeError("testnet.join", "usage", message, hint);
}

function noTrust(reason: string): NodeError {
  return new NodeError(
    "testnet.join",
    "trust_unavailable",
    `no trusted block: ${reason}`,
    "name two engines with --rpc URL, each of another operator if there are several",
  );
}
