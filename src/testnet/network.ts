// A network on several machines, as all its nodes know it: network.json, of which nothing is secret.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { MempoolLimits } from "../chain/options.ts";
import { GENESIS_BYTES_MAX, readGenesis } from "../engine/genesis.ts";
import { NodeError, reasonOf } from "../errors/node-error.ts";
import { readShortText } from "../files/short-file.ts";
import { hostPort, isLoopback, isMachineUrl, isPrivate, readHost } from "./addresses.ts";
import { USUAL_PORTS } from "./places.ts";

/** A validator's machine. */
export interface Host {
  readonly name: string;
  /** An address, IPv6 without brackets, or a host name. */
  readonly address: string;
}

/** Options of a node's machine that differ from the usual ones: its folder is written again with them. */
export interface MachineOptions {
  /** Folder that has the node's folder, under the node's name. */
  readonly places?: string;
  /** Paths of the programs. */
  readonly lyra?: string;
  readonly cometbft?: string;
  /** Blocks that the engine keeps at the least. */
  readonly retainBlocks?: number;
  readonly mempool?: MempoolLimits;
}

/** A node of the network as others see it. */
export interface NetworkNode extends Host {
  readonly peerId: string;
  readonly peerPort: number;
  readonly rpcPort: number;
  readonly nodePort: number;
  readonly dataPort: number;
  readonly machine?: MachineOptions;
}

/** The content of `network.json`: nothing of it is secret. */
export interface NetworkFile {
  readonly version: 1;
  readonly chainId: string;
  /** The engine's `timeout_commit`: the pace of blocks. */
  readonly pace: string;
  /** Where the simulated Ethereum answers. */
  readonly ethereumUrl: string;
  /** The node beside which it runs; null where it was given, and absent in files from before this member. */
  readonly ethereumNode?: string | null;
  readonly nodes: readonly NetworkNode[];
}

export const NETWORK_FILE = "network.json";
export const GENESIS_FILE = "genesis.json";
/** Of a network of thousands of nodes. */
const FILE_BYTES_MAX = 4 * 1024 * 1024;

export const networkText = (network: NetworkFile): string => `${JSON.stringify(network, undefined, 2)}\n`;

/** A network's public files. @throws NodeError `testnet_files_unreadable` */
export function readNetwork(folder: string): { readonly network: NetworkFile; readonly genesis: string } {
  const path = join(folder, NETWORK_FILE);
  let document: unknown;
  try {
    document = JSON.parse(readShortText(path, FILE_BYTES_MAX));
  } catch (error) {
    throw unreadable(path, reasonOf(error));
  }
  const fault = faultIn(document);
  if (fault !== undefined) throw unreadable(path, fault);
  const network = document as NetworkFile;
  const own = join(folder, GENESIS_FILE);
  const file = existsSync(own) ? own : join(folder, "consensus", "config", "genesis.json");
  try {
    const genesis = readShortText(file, GENESIS_BYTES_MAX);
    if (readGenesis(genesis).chainId === network.chainId) return { network, genesis };
  } catch (error) {
    throw unreadable(file, reasonOf(error));
  }
  throw unreadable(file, `it is not of the chain ${network.chainId}`);
}

/** Also the name of a folder, a unit and a Compose project. */
export const NODE_NAME = /^[a-z][a-z0-9-]{0,30}$/;
export const CHAIN_ID = /^[\w.-]{1,50}$/;
export const PACE = /^[1-9]\d{0,5}(?:ms|s)$/;
/** No blank, quote, dollar or percent sign: units and Compose files would read them. */
export const MACHINE_PATH = /^\/[\w./-]{1,150}$/;
const PEER_ID = /^[0-9a-f]{40}$/;
const PORT_MAX = 65_535;
export const isPort = (port: unknown): boolean =>
  Number.isInteger(port) && Number(port) > 0 && Number(port) <= PORT_MAX;

type Members = Readonly<Record<string, unknown>>;
export const isObject = (value: unknown): value is Members => typeof value === "object" && value !== null;
const hasForm = (form: RegExp, value: unknown): value is string =>
  typeof value === "string" && form.test(value);

/** The file comes from another operator, and its texts stand in units and Compose files. */
function faultIn(document: unknown): string | undefined {
  if (!isObject(document)) return "it is not an object";
  const { version, chainId, pace, ethereumUrl, ethereumNode, nodes } = document;
  if (version !== 1 || !Array.isArray(nodes) || nodes.length === 0) return "it names no nodes";
  if (!hasForm(CHAIN_ID, chainId))
    return "its chainId has other than letters, digits, dots, dashes and underscores";
  if (!hasForm(PACE, pace)) return "its pace is not a duration such as 1s";
  if (typeof ethereumUrl !== "string" || !isMachineUrl(ethereumUrl))
    return "its ethereumUrl is not of the form http://HOST:PORT";
  for (const node of nodes as readonly unknown[]) {
    const fault = faultInNode(node);
    if (fault !== undefined) return fault;
  }
  const isNode = (nodes as readonly NetworkNode[]).some(({ name }) => name === ethereumNode);
  if (ethereumNode !== undefined && ethereumNode !== null && !isNode)
    return "its ethereumNode is not one of its nodes";
  return undefined;
}

function faultInNode(node: unknown): string | undefined {
  if (!isObject(node)) return "a node is not an object";
  const { name, address, peerId, peerPort, rpcPort, nodePort, dataPort, machine } = node;
  if (!hasForm(NODE_NAME, name)) return "a node's name has other than small letters, digits and dashes";
  if (typeof address !== "string" || readHost(address) !== address)
    return `the address of ${name} is not an address or a host name`;
  if (!hasForm(PEER_ID, peerId)) return `the peerId of ${name} has not 40 hexadecimal digits`;
  if (![peerPort, rpcPort, nodePort, dataPort].every(isPort)) return `a port of ${name} is not one`;
  if (machine !== undefined && !isMachine(machine)) return `the machine of ${name} is not described`;
  return undefined;
}

function isMachine(machine: unknown): boolean {
  if (!isObject(machine)) return false;
  const { places, lyra, cometbft, retainBlocks, mempool = {} } = machine;
  if (!isObject(mempool)) return false;
  const numbers = [retainBlocks, mempool.mempoolTxsMax, mempool.mempoolBytesMax];
  return (
    [places, lyra, cometbft].every((path) => path === undefined || hasForm(MACHINE_PATH, path)) &&
    numbers.every((number) => number === undefined || (Number.isSafeInteger(number) && Number(number) >= 0))
  );
}

/** The node beside which the simulated Ethereum runs; undefined where it was given. */
export function ethereumNodeOf({ ethereumNode, ethereumUrl, nodes }: NetworkFile): string | undefined {
  if (ethereumNode !== undefined) return ethereumNode ?? undefined;
  // Files before this member.
  const [first] = nodes;
  const own = hostPort(first!.address, first!.peerPort + USUAL_PORTS.ethereum - USUAL_PORTS.peer);
  return ethereumUrl === `http://${own}` ? first!.name : undefined;
}

/** Ports that a node listens on, for any of its interfaces. */
export function portsOf({ peerPort, rpcPort, nodePort, dataPort }: NetworkNode): readonly number[] {
  const abci = peerPort + USUAL_PORTS.abci - USUAL_PORTS.peer;
  const grpc = [grpcPortOf(nodePort), grpcPortOf(dataPort)];
  return [peerPort, rpcPort, abci, nodePort, dataPort, ...grpc, faucetPortOf(dataPort)];
}

/** Over gRPC a node's API is one port below. */
export const grpcPortOf = (port: number): number => port - 1;
export const faucetPortOf = (dataPort: number): number => dataPort + 1;

/** Where the engine's RPC answers. */
export const hostUrl = (node: NetworkNode): string => `http://${hostPort(rpcHostOf(node), node.rpcPort)}`;

/** Peers of a node, as the engine's settings name them. */
export function peersOf({ nodes }: NetworkFile, own: Pick<NetworkNode, "peerId">): string {
  return nodes
    .filter(({ peerId }) => peerId !== own.peerId)
    .map(({ peerId, address, peerPort }) => `${peerId}@${hostPort(address, peerPort)}`)
    .join(",");
}

/** Whether several nodes share a machine, or an address is not one that the whole internet routes. */
export function nearness({ nodes }: NetworkFile): { readonly isShared: boolean; readonly isPublic: boolean } {
  const addresses = nodes.map(({ address }) => address);
  return {
    isShared: new Set(addresses).size < addresses.length || addresses.some(isLoopback),
    isPublic: !addresses.some((address) => isPrivate(address) || isLoopback(address)),
  };
}

/** The RPC listens on an address of a private net, for the others to take the state from it; else on this machine alone. */
export const rpcHostOf = ({ address }: Host): string => (isPrivate(address) ? address : "127.0.0.1");

function unreadable(path: string, reason: string): NodeError {
  return new NodeError(
    "testnet.files",
    "testnet_files_unreadable",
    `the network's file ${path} cannot be read: ${reason}`,
    "give the folder that lyra testnet files wrote, or a validator's",
  );
}
