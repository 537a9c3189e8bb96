/**
 * The folder of a further node of a network on several machines: a new one, or a validator whose machine was lost and whose
 * keys are in a backup. Its engine takes the state from a snapshot of the others, checked by a block that two of them agree on.
 */

import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { MempoolLimits } from "../chain/options.ts";
import { CometClient, type CometStatus } from "../comet/client.ts";
import { readGenesis } from "../engine/genesis.ts";
import { NodeError, reasonOf } from "../errors/node-error.ts";
import { readShortText } from "../files/short-file.ts";
import { readKeys } from "../validator/key-file.ts";
import { isPrivate } from "./addresses.ts";
import { engineKey, peerIdOf } from "./engine-keys.ts";
import { type Settings, statesyncSettings } from "./engine-settings.ts";
import { nodeOf, type Programs, USUAL_PLACES, USUAL_PROGRAMS, writeFolder } from "./machines.ts";
import { type Member, ownMember } from "./members.ts";
import { hostUrl, type NetworkFile, type NetworkNode, readNetwork } from "./network.ts";
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
  readonly programs?: Partial<Programs>;
  readonly mempool?: MempoolLimits;
  readonly random?: (length: number) => Uint8Array;
}

export interface Joined {
  readonly node: NetworkNode;
  readonly folder: string;
  readonly isNew: boolean;
  /** The block that the state is checked by; undefined where all blocks are executed. */
  readonly trusted: { readonly height: number; readonly hash: string } | undefined;
}

const KEY_FILE_BYTES_MAX = 16 * 1024;
/** Before it no snapshot is sure to be there: one is made every hundred blocks, and its two next headers are needed. */
const SNAPSHOT_SURE_HEIGHT = 210;
/** The trusted block is older than every snapshot, so that the engine verifies forwards. */
const TRUST_BEHIND = 1_000;
/** A vote of the lost machine may be of the height after the last block. */
const SIGN_AHEAD = 3;
const PRIVATE_KEY_BYTES = 64;
const SEED_BYTES = 32;

/** Writes the folder. @throws NodeError */
export async function joinNetwork(options: JoinOptions): Promise<Joined> {
  const { network, genesis } = readNetwork(options.network);
  const { name, places = USUAL_PLACES, random = randomBytes } = options;
  const lost = network.nodes.find((node) => node.name === name);
  if (lost !== undefined && options.keys === undefined)
    throw usage(
      `${name} is a validator of the network: it needs its keys`,
      `give --backup DIR with ${KEYS_FILE}, priv_validator_key.json and node_key.json from its backup`,
    );
  const address = options.address ?? lost?.address;
  if (address === undefined)
    throw usage(`${name} is not in the network`, "give the address of its machine: --address");
  const member =
    options.keys === undefined ? ownMember(name, random) : keptMember(name, options.keys, genesis, random);
  const sharing = network.nodes.filter((node) => node.address === address && node.name !== name).length;
  const peerId = peerIdOf(engineKey(member.peerSeed).publicKey);
  const node: NetworkNode =
    lost?.address === address
      ? { ...lost, peerId }
      : nodeOf({ name, address }, peerId, sharing, shiftOf(network));
  const engines = await liveEngines(network, options);
  const { trusted, settings } = await trustOf(engines, options);
  const folder = join(options.out, name);
  writeFolder({
    ...{ folder, place: `${places}/${name}`, node, network, genesis, member, settings },
    programs: { ...USUAL_PROGRAMS, ...options.programs },
    hasEthereum: false,
    ...(options.mempool && { mempool: options.mempool }),
    // The record of what the lost machine signed is lost with it.
    ...(options.keys !== undefined && { signFrom: heightOf(engines) + SIGN_AHEAD }),
  });
  return { node, folder, isNew: options.keys === undefined, trusted };
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

async function trustOf(
  engines: readonly LiveEngine[],
  { isFromGenesis }: JoinOptions,
): Promise<Pick<Joined, "trusted"> & { readonly settings: Settings }> {
  const earliest = Math.max(...engines.map(({ status }) => status.earliestHeight));
  const isShort = heightOf(engines) < SNAPSHOT_SURE_HEIGHT && earliest <= 1;
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
