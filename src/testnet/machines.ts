/**
 * The files of a network on several machines: a folder for each validator, to be copied to its machine, with keys, genesis,
 * settings of the consensus engine, and what starts both processes; and beside them what is public, from which a further
 * node joins.
 */

import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { MempoolLimits } from "../chain/options.ts";
import { consensusAddress } from "../crypto/consensus-address.ts";
import { readGenesis } from "../engine/genesis.ts";
import { NodeError } from "../errors/node-error.ts";
import { realSteps, writeFileWhole } from "../files/whole-file.ts";
import { hostPort, isPrivate } from "./addresses.ts";
import { engineKey, nodeKeyText, validatorKeyText } from "./engine-keys.ts";
import { mempoolWords, type Settings, settingsText } from "./engine-settings.ts";
import { networkGenesis } from "./genesis.ts";
import { composeFile, type MachineWords, systemdUnits } from "./machine-units.ts";
import { type Member, ownMember } from "./members.ts";
import {
  faucetPortOf,
  GENESIS_FILE,
  grpcPortOf,
  type Host,
  hostUrl,
  type MachineOptions,
  NETWORK_FILE,
  type NetworkFile,
  type NetworkNode,
  networkText,
} from "./network.ts";
import { KEYS_FILE, PORTS_APART, socketAddress, USUAL_PORTS } from "./places.ts";

interface Programs {
  readonly lyra: string;
  readonly cometbft: string;
}

interface MachinesOptions {
  readonly out: string;
  readonly hosts: readonly Host[];
  readonly chainId?: string;
  readonly pace?: string;
  /** Folder that has a validator's folder on its machine, under the validator's name. */
  readonly places?: string;
  readonly programs?: Partial<Programs>;
  /** Where the simulated Ethereum answers; default: on the first machine. */
  readonly ethereumUrl?: string;
  readonly isFunded: boolean;
  /** Blocks that the engines keep at the least; 0, the default, for all. */
  readonly retainBlocks?: number;
  readonly mempool?: MempoolLimits;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly nowNs: bigint;
  readonly random?: (length: number) => Uint8Array;
  /** Added to every port, for trials beside a network that has the usual ones. */
  readonly portShift?: number;
}

export const MACHINES_MAX = 100;
/** The state of the simulated Ethereum, in the folder of the node that runs it. */
export const ETHEREUM_FILE = "ethereum.json";
const USUAL_PLACES = "/var/lib/lyra";
export const USUAL_PROGRAMS: Programs = { lyra: "/usr/local/bin/lyra", cometbft: "/usr/local/bin/cometbft" };
const USUAL_PACE = "1s";

/** Writes the folders of a new network. @throws NodeError */
export async function writeMachines(options: MachinesOptions): Promise<NetworkFile> {
  const { out, hosts, chainId = "lyra-testnet", pace = USUAL_PACE, isFunded, nowNs, parameters } = options;
  const { random = randomBytes } = options;
  if (existsSync(join(out, NETWORK_FILE))) throw exists(out);
  for (const { name } of hosts) if (existsSync(join(out, name))) throw exists(join(out, name));
  const { portShift = 0 } = options;
  const ethereumUrl = options.ethereumUrl ?? ownEthereumUrl(hosts[0]!, portShift);
  const members = hosts.map(({ name }) => ownMember(name, random));
  const machine = machineOptions(options);
  const nodes = members.map(({ peerSeed }, at) => ({
    ...nodeOf(hosts[at]!, consensusAddress(engineKey(peerSeed).publicKey), placeAmong(hosts, at), portShift),
    ...(Object.keys(machine).length > 0 && { machine }),
  }));
  const network: NetworkFile = {
    ...{ version: 1, chainId, pace, ethereumUrl },
    ethereumNode: options.ethereumUrl === undefined ? hosts[0]!.name : null,
    nodes,
  };
  const genesis = await networkGenesis({
    ...{ chainId, members, isFunded, nowNs },
    ...(parameters && { parameters }),
  });
  for (const [at, node] of nodes.entries()) {
    const isFirst = at === 0 && options.ethereumUrl === undefined;
    writeFolder({
      ...{ folder: join(out, node.name), node, network, genesis },
      ...{ member: members[at]!, hasEthereum: isFirst, settings: {} },
    });
  }
  // Last: a folder with it is whole.
  writePublic(join(out, GENESIS_FILE), genesis);
  writePublic(join(out, NETWORK_FILE), networkText(network));
  return network;
}

/** The options of a machine that differ from the usual ones. */
export function machineOptions({
  places,
  programs,
  retainBlocks = 0,
  mempool = {},
}: Pick<MachinesOptions, "places" | "programs" | "retainBlocks" | "mempool">): MachineOptions {
  return {
    ...(places !== undefined && { places }),
    ...programs,
    ...(retainBlocks > 0 && { retainBlocks }),
    ...(Object.keys(mempool).length > 0 && { mempool }),
  };
}

interface FolderOptions {
  readonly folder: string;
  readonly node: NetworkNode;
  readonly network: NetworkFile;
  readonly genesis: string;
  readonly member: Member;
  readonly hasEthereum: boolean;
  /** Of the engine, beside those that all have. */
  readonly settings: Settings;
  /** Height up to which the engine signs nothing. */
  readonly signFrom?: number;
}

/** Writes a validator's folder. @throws NodeError */
export function writeFolder(options: FolderOptions): void {
  const { folder, node, network, genesis, member, settings: more } = options;
  const { places = USUAL_PLACES, mempool = {} } = node.machine ?? {};
  /** The same folder on its machine. */
  const place = `${places}/${node.name}`;
  if (existsSync(folder)) throw exists(folder);
  for (const below of ["lyra", "run", "consensus/config", "consensus/data"])
    mkdirSync(join(folder, below), { recursive: true, mode: 0o700 });
  const { chainId, hash: genesisHash } = readGenesis(genesis);
  member.own!.write(join(folder, KEYS_FILE), { chainId, genesisHash });
  const config = join(folder, "consensus", "config");
  writeFileWhole(join(config, "priv_validator_key.json"), validatorKeyText(engineKey(member.consensusSeed)));
  writeFileWhole(join(config, "node_key.json"), nodeKeyText(engineKey(member.peerSeed)));
  const signed = { height: String(options.signFrom ?? 0), round: 0, step: 0 };
  writeFileWhole(join(folder, "consensus", "data", "priv_validator_state.json"), JSON.stringify(signed));
  writePublic(join(config, "genesis.json"), genesis);
  const abci = abciOf(place, node);
  writePublic(join(config, "config.toml"), settingsText(node, network, { abci, mempool, more }));
  writePublic(join(folder, NETWORK_FILE), networkText(network));
  const words = wordsOf(options, place, abci);
  const units = { name: node.name, chainId, place, words };
  for (const [file, text] of systemdUnits(units)) writePublic(join(folder, file), text);
  writePublic(join(folder, "docker-compose.yml"), composeFile(units));
}

function abciOf(place: string, { peerPort }: NetworkNode): string {
  const port = USUAL_PORTS.abci + peerPort - USUAL_PORTS.peer;
  return socketAddress(`${place}/run/app.sock`) ?? `tcp://127.0.0.1:${port}`;
}

function wordsOf({ node, network, hasEthereum }: FolderOptions, place: string, abci: string): MachineWords {
  const { nodePort, dataPort, machine = {} } = node;
  const { retainBlocks = 0, mempool = {} } = machine;
  const programs = { ...USUAL_PROGRAMS, ...machine };
  return {
    chain: [
      ...[programs.lyra, "validator", "--home", `${place}/lyra`, "--abci", abci],
      ...["--consensus-rpc", hostUrl(node)],
      ...["--genesis", `${place}/consensus/config/genesis.json`, "--keys", `${place}/${KEYS_FILE}`],
      ...["--ethereum", network.ethereumUrl],
      // An image may name another in LYRA_HOST.
      ...["--host", "127.0.0.1", "--node-port", String(nodePort), "--data-port", String(dataPort)],
      ...["--grpc-node-port", String(grpcPortOf(nodePort)), "--grpc-data-port", String(grpcPortOf(dataPort))],
      ...["--faucet-port", String(faucetPortOf(dataPort))],
      ...(retainBlocks > 0 ? ["--retain-blocks", String(retainBlocks)] : []),
      ...mempoolWords(mempool),
    ],
    engine: [programs.cometbft, "start", "--home", `${place}/consensus`],
    ...(hasEthereum && { ethereum: ethereumWords(network, programs.lyra, `${place}/${ETHEREUM_FILE}`) }),
    health: [programs.lyra, "health", "--quiet", "--url", `http://127.0.0.1:${dataPort}`],
  };
}

function ethereumWords({ ethereumUrl }: NetworkFile, lyra: string, file: string): string[] {
  const { port: named, hostname } = new URL(ethereumUrl);
  // Empty where it is the usual one of http.
  const port = named === "" ? "80" : named;
  const address = hostname.replace(/^\[|\]$/g, "");
  return [lyra, "ethereum", "--address", address, "--port", port, "--file", file];
}

/** Validators that share an address have ports ten apart. */
const placeAmong = (hosts: readonly Host[], at: number): number =>
  hosts.slice(0, at).filter(({ address }) => address === hosts[at]!.address).length;

/** @param place among nodes of one address */
export function nodeOf(host: Host, peerId: string, place: number, shift = 0): NetworkNode {
  const portOf = (usual: number) => usual + PORTS_APART * place + shift;
  return {
    ...{ name: host.name, address: host.address, peerId },
    ...{ peerPort: portOf(USUAL_PORTS.peer), rpcPort: portOf(USUAL_PORTS.rpc) },
    ...{ nodePort: portOf(USUAL_PORTS.node), dataPort: portOf(USUAL_PORTS.data) },
  };
}

/** @throws NodeError for an address that others could reach */
export function ownEthereumUrl({ address }: Host, shift: number): string {
  if (isPrivate(address)) return `http://${hostPort(address, USUAL_PORTS.ethereum + shift)}`;
  throw new NodeError(
    "testnet.files",
    "usage",
    `the simulated Ethereum knows no password, and ${address} is not an address of a private net`,
    "give --ethereum URL, where it answers for the machines alone; or private addresses",
  );
}

export function writePublic(path: string, text: string): void {
  writeFileWhole(path, text, realSteps, 0o644);
}

function exists(folder: string): NodeError {
  return new NodeError(
    "testnet.files",
    "testnet_exists",
    `${folder} is there already, and may hold keys`,
    "give another --out, or move it away",
  );
}
