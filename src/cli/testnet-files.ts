// lyra testnet files, lyra testnet join: files of a network on several machines.
import { join as joinPath, resolve } from "node:path";
import { systemTimeNs } from "../devnet/clock.ts";
import { ExitCode, reasonOf } from "../errors/node-error.ts";
import { readShortText } from "../files/short-file.ts";
import { isMachineUrl, readHost } from "../testnet/addresses.ts";
import type { Joined } from "../testnet/join.ts";
import {
  CHAIN_ID,
  type Host,
  MACHINE_PATH,
  NETWORK_FILE,
  type NetworkFile,
  NODE_NAME,
  PACE,
} from "../testnet/network.ts";
import { command, type Flags, option, toggle, type ValuesOf } from "./command/command.ts";
import { usageError } from "./command/usage-error.ts";
import { MEMPOOL } from "./flags.ts";
import { mempoolLimitsOf } from "./mempool-limits.ts";
import { say } from "./terminal.ts";

const MACHINE_FLAGS = {
  places: option("DIR", "folder that has NAME on its machine (/var/lib/lyra)"),
  lyra: option("PATH", "this program there (/usr/local/bin/lyra)", { isMinor: true }),
  cometbft: option("PATH", "the consensus engine there (/usr/local/bin/cometbft)", { isMinor: true }),
} as const satisfies Flags;

const FILES_FLAGS = {
  out: option("DIR", "where a folder for each machine is written (required)"),
  machine: option("NAME=ADDRESS", "a validator and the address of its machine; again for each", {
    multiple: true,
  }),
  machines: option("FILE", "the same from a file, NAME ADDRESS on each line"),
  ...MACHINE_FLAGS,
  pace: option("DURATION", "between blocks, such as 1s or 500ms (1s)"),
  ethereum: option("URL", "the simulated Ethereum (on the first machine)"),
  "keep-blocks": option("N", "blocks that the engines keep (0: all)", { isMinor: true }),
  ...MEMPOOL,
  "no-funding": toggle("parties without balances", { isMinor: true }),
  "chain-id": option("ID", "of the network (lyra-testnet)", { isMinor: true }),
} as const satisfies Flags;

const JOIN_FLAGS = {
  network: option("DIR", "folder with network.json and the genesis (required)"),
  out: option("DIR", "where the folder NAME is written (required)"),
  address: option("ADDRESS", "of its machine (else the one in network.json)"),
  backup: option("DIR", "a lost validator's files of keys, from their backup"),
  rpc: option("URL", "RPC of another engine; two of them (else those of network.json)", { multiple: true }),
  "from-genesis": toggle("execute all blocks, and take no state from the others"),
  ...MACHINE_FLAGS,
  ...MEMPOOL,
} as const satisfies Flags;

const HOSTS_BYTES_MAX = 64 * 1024;

export const files = command({
  flags: FILES_FLAGS,
  notes: `  Each folder has a validator's keys, readable for you alone: copy it to its
  machine and nowhere else (docs/validators.md). Nothing listens or runs yet.`,
  json: "{chainId, out, nodes: [{name, address, peerId, peerPort, rpcPort, nodePort, dataPort, folder}]}",
  async run({ values }) {
    const { out, pace, ethereum } = values;
    const chainId = values["chain-id"];
    if (out === undefined) throw usageError("testnet files", "give --out DIR");
    const { MACHINES_MAX, writeMachines } = await import("../testnet/machines.ts");
    const hosts = hostsOf(values, MACHINES_MAX);
    if (pace !== undefined && !PACE.test(pace))
      throw usageError("testnet files", "--pace must be a duration such as 1s or 500ms");
    if (chainId !== undefined && !CHAIN_ID.test(chainId))
      throw usageError(
        "testnet files",
        "--chain-id must be 1 to 50 letters, digits, dots, dashes and underscores",
      );
    const retained = values["keep-blocks"];
    if (retained !== undefined && !/^\d{1,9}$/.test(retained))
      throw usageError("testnet files", "--keep-blocks must be a number of blocks, 0 for all");
    const ethereumUrl = ethereum && urlOf("testnet files", "--ethereum", ethereum);
    const network = await writeMachines({
      ...{ out: resolve(out), hosts, isFunded: !values["no-funding"], nowNs: systemTimeNs() },
      ...machinePaths("testnet files", values),
      ...(retained !== undefined && { retainBlocks: Number(retained) }),
      ...(pace !== undefined && { pace }),
      ...(chainId !== undefined && { chainId }),
      ...(ethereumUrl && { ethereumUrl }),
      mempool: mempoolLimitsOf("testnet files", values),
    });
    reportFiles(network, out, values);
    return ExitCode.done;
  },
});

export const join = command({
  words: { NAME: { text: "of the node: one of the network that was lost, or a new one" } },
  flags: JOIN_FLAGS,
  notes: `  Without --backup it gets new keys, and is no validator before it is
  announced. A lost one must not run any more: two with one key sign twice.`,
  json: "{name, folder, isNew, trusted, ethereum}; trusted is {height, hash}, or null where all blocks are executed; ethereum is {url, isMoved, hasState} of the node that runs it, else null",
  async run({ values, words }) {
    const name = words.NAME;
    const { network, out, address: host, backup, rpc } = values;
    if (network === undefined || out === undefined)
      throw usageError("testnet join", "give --network DIR and --out DIR");
    checkName("testnet join", name);
    const address = host === undefined ? undefined : readHost(host);
    if (host !== undefined && address === undefined)
      throw usageError("testnet join", "--address must be an address or a host name, without a port");
    const { joinNetwork } = await import("../testnet/join.ts");
    const joined = await joinNetwork({
      ...{ network, name, out: resolve(out) },
      ...machinePaths("testnet join", values),
      ...(address !== undefined && { address }),
      ...(backup !== undefined && { keys: backup }),
      ...(rpc && { rpc: rpc.map((url) => urlOf("testnet join", "--rpc", url)) }),
      ...(values["from-genesis"] && { isFromGenesis: true }),
      mempool: mempoolLimitsOf("testnet join", values),
    });
    reportJoined(joined, network, values);
    return ExitCode.done;
  },
});

interface Output {
  readonly json?: boolean | undefined;
  readonly quiet?: boolean | undefined;
}

function reportFiles(
  { chainId, nodes, ethereumUrl }: NetworkFile,
  out: string,
  { json, quiet }: Output,
): void {
  const folder = resolve(out);
  if (json) {
    const listed = nodes.map(({ machine: _, ...node }) => ({ ...node, folder: `${folder}/${node.name}` }));
    process.stdout.write(`${JSON.stringify({ chainId, out: folder, nodes: listed })}\n`);
  }
  if (json || quiet) return;
  for (const { name, address, peerPort } of nodes)
    say(`${folder}/${name}: for ${address}; its peers reach port ${peerPort}`);
  say(
    `${folder}/${NETWORK_FILE} and genesis.json have nothing secret; the simulated Ethereum is at ${ethereumUrl}`,
  );
}

function reportJoined(
  { node, folder, isNew, trusted, unrecorded, ethereum }: Joined,
  network: string,
  { json, quiet }: Output,
): void {
  if (json) {
    const answer = { name: node.name, folder, isNew, trusted: trusted ?? null, ethereum: ethereum ?? null };
    process.stdout.write(`${JSON.stringify(answer)}\n`);
  }
  if (json || quiet) return;
  say(`${folder}: for ${node.address}, with ${isNew ? "new keys" : "the keys of its backup"}`);
  say(
    trusted === undefined
      ? "it executes all blocks from the first one on"
      : `it trusts block ${trusted.height} with the hash ${trusted.hash}: compare it with another operator's`,
  );
  const file = joinPath(network, NETWORK_FILE);
  say(
    unrecorded === undefined
      ? `${file} names it from now on: those who join further nodes need this file`
      : `${file} could not be written (${unrecorded}): put that of the folder ${node.name} in its place`,
  );
  if (ethereum === undefined) return;
  say(
    `lyra-${node.name}-ethereum.service starts the simulated Ethereum, ${
      ethereum.hasState
        ? "with its state of the backup"
        : `without its state: put its ethereum.json into the folder, or start it while validators run that have followed it`
    }`,
  );
  if (ethereum.isMoved)
    say(`it answers at ${ethereum.url} from now on: change --ethereum in the units of all others`);
}

function machinePaths(place: string, { places, lyra, cometbft }: ValuesOf<typeof MACHINE_FLAGS>) {
  for (const [flag, path] of Object.entries({ "--places": places, "--lyra": lyra, "--cometbft": cometbft }))
    if (path !== undefined && !MACHINE_PATH.test(path))
      throw usageError(place, `${flag} must be a path from the root, of letters, digits, dots and dashes`);
  const programs = { ...(lyra !== undefined && { lyra }), ...(cometbft !== undefined && { cometbft }) };
  return { ...(places !== undefined && { places: places.replace(/\/+$/, "") }), programs };
}

function hostsOf(
  { machine: host = [], machines: file }: ValuesOf<typeof FILES_FLAGS>,
  most: number,
): readonly Host[] {
  const wrong = (sentence: string) => usageError("testnet files", sentence);
  const named = host.map((text) => {
    const at = text.indexOf("=");
    if (at < 0) throw wrong(`--machine must be NAME=ADDRESS, and '${text.slice(0, 60)}' has no =`);
    return [text.slice(0, at), text.slice(at + 1)] as const;
  });
  const hosts = [...named, ...(file === undefined ? [] : linesOf(file))].map(([name, text]) => {
    checkName("testnet files", name);
    const address = readHost(text);
    if (address === undefined) throw wrong(`'${text.slice(0, 60)}' is not an address or a host name`);
    return { name, address };
  });
  if (hosts.length === 0)
    throw wrong("name each validator's machine: --machine NAME=ADDRESS, or --machines FILE");
  if (hosts.length > most) throw wrong(`a network has at most ${most} validators`);
  const names = hosts.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice !== undefined) throw wrong(`two machines have the name ${twice}`);
  return hosts;
}

/** @throws NodeError with exit code 2 */
function linesOf(path: string): (readonly [name: string, address: string])[] {
  let text: string;
  try {
    text = readShortText(path, HOSTS_BYTES_MAX);
  } catch (error) {
    throw usageError("testnet files", `--machines ${path} cannot be read: ${reasonOf(error)}`);
  }
  const lines = text.split("\n").map((line) => line.replace(/#.*/, "").trim());
  return lines
    .filter((line) => line !== "")
    .map((line) => {
      const [name = "", address = ""] = line.split(/\s+/);
      return [name, address] as const;
    });
}

function checkName(place: string, name: string): void {
  if (NODE_NAME.test(name)) return;
  throw usageError(
    place,
    `'${name.slice(0, 40)}' is not a name: a small letter, then up to 30 letters, digits and dashes`,
  );
}

function urlOf(place: string, flag: string, text: string): string {
  if (isMachineUrl(text)) return text.replace(/\/$/, "");
  throw usageError(place, `${flag} must be an address such as http://192.168.7.1:26657`);
}
