import { cpSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { sha256Of } from "../../src/crypto/sha.ts";
import { placeOf, type TestnetNode } from "../../src/testnet/files.ts";
import { ValidatorPair } from "../../src/testnet/pair.ts";
import { eventually } from "../../test/support/eventually.ts";
import type { AbciWatch } from "./abci-proxy.ts";
import {
  changeSettings,
  dataUrlOf,
  engineOf,
  heightOf,
  Patience,
  progress,
  type RigNetwork,
  reach,
} from "./network.ts";
import { sendTransfers, timesIn, untilIn } from "./transactions.ts";
import type { Trial } from "./trial.ts";

/** As of the reference, on a quiet machine. */
const FOLLOW_MS = 30_000;
/** Of the first snapshot. */
const SNAPSHOT_HEIGHT = 100;
/** The light client needs the headers of the next two blocks. */
const READY_HEIGHT = SNAPSHOT_HEIGHT + 4;
const TRUST_HEIGHT = 50;
const READY_MS = 300_000;
const HASH_BYTES = 32;
/** Providers that send damaged chunks. */
const ROTTEN = 3;

export const stateSync: Trial = {
  number: 6,
  network: { isProxied: true },
  isAlone: true,
  title:
    "a fifth, empty node takes the state from a snapshot while three of four send rotten chunks; a forged one with right hashes is refused by its content",
  async run(network) {
    const { pairs } = network;
    const hashes = await sendTransfers(pairs, 40);
    await reach(pairs, READY_HEIGHT, READY_MS);
    const fifth = await fifthOf(network);
    const log = () => readFileSync(join(fifth.node.home, "..", "lyra.log"), "utf8");

    for (const pair of pairs) network.proxyOf(pair).watch = { response: forger(pair) };
    fifth.start();
    await eventually(() => /its content has the application hash/.test(log()), "the forged one is refused");
    if ((await heightOf(fifth).catch(() => 0)) !== 0) throw new Error("the forged one was taken");
    await fifth.stop();

    const providers = new Set<ValidatorPair>();
    for (const pair of pairs) network.proxyOf(pair).watch = { response: rotten(pair, providers) };
    empty(network, fifth);
    const patience = new Patience(FOLLOW_MS);
    try {
      fifth.start();
      await patience.within(async () => {
        await reach([fifth], SNAPSHOT_HEIGHT);
        await progress([...pairs, fifth]);
      });
      const refusals = log().match(/a chunk of node \w+ is refused/g)?.length ?? 0;
      if (refusals < ROTTEN) throw new Error(`only ${refusals} rotten chunks were refused`);
      if (timesIn(fifth, hashes).some((times) => times > 0)) throw new Error("it executed the old blocks");
      const fresh = await sendTransfers([...pairs, fifth], 20);
      await untilIn(fifth, fresh);
      const height = await heightOf(fifth);
      const [own, other] = await Promise.all([fifth, pairs[0]!].map((pair) => engineOf(pair).block(height)));
      if (own!.appHash !== other!.appHash) throw new Error(`hashes differ at block ${height}`);
      const { firstHeight } = (await (await fetch(dataUrlOf(fifth, "/status"))).json()) as {
        firstHeight: number;
      };
      if (firstHeight <= SNAPSHOT_HEIGHT) throw new Error(`its rows begin at block ${firstHeight}`);
      return `the forged one refused, then ${refusals} rotten chunks; ${patience.sentence}; reads say that rows begin at block ${firstHeight}`;
    } finally {
      await fifth.stop();
    }
  },
};

/** A node that is not a validator, and synchronises by snapshot. */
async function fifthOf(network: RigNetwork): Promise<ValidatorPair> {
  const [first, second] = network.pairs.slice(0, 2).map(({ node }) => node) as [TestnetNode, TestnetNode];
  const node = await placeOf(network.folder, network.pairs.length + 1, "free");
  const config = join(node.consensusHome, "config");
  mkdirSync(join(node.consensusHome, "data"), { recursive: true });
  cpSync(join(first.consensusHome, "config"), config, { recursive: true });
  // The engine makes keys of its own.
  for (const name of ["node_key.json", "priv_validator_key.json"]) rmSync(join(config, name));
  const peers = [first, second].flatMap(({ consensusHome }) => peersIn(consensusHome));
  const fifth = new ValidatorPair(node, network.programs, network.events);
  const trusted = await engineOf(network.pairs[0]!).block(TRUST_HEIGHT);
  const servers = [first, second].map(({ rpcPort }) => `http://127.0.0.1:${rpcPort}`);
  changeSettings(fifth, {
    "": { proxy_app: JSON.stringify(node.abci.replace(/^unix:/, "unix://")), moniker: '"fifth"' },
    rpc: { laddr: `"tcp://127.0.0.1:${node.rpcPort}"` },
    p2p: {
      laddr: `"tcp://127.0.0.1:${node.peerPort}"`,
      persistent_peers: JSON.stringify([...new Set(peers)].join(",")),
    },
    statesync: {
      enable: "true",
      rpc_servers: JSON.stringify(servers.join(",")),
      discovery_time: '"5s"',
      trust_height: String(TRUST_HEIGHT),
      trust_hash: JSON.stringify(trusted.hash.toUpperCase()),
      trust_period: '"168h0m0s"',
    },
  });
  return fifth;
}

function peersIn(consensusHome: string): string[] {
  const text = readFileSync(join(consensusHome, "config", "config.toml"), "utf8");
  return /^persistent_peers = "(.*)"/m.exec(text)![1]!.split(",");
}

/** As it was before its first start. */
function empty(network: RigNetwork, pair: ValidatorPair): void {
  rmSync(pair.node.home, { recursive: true });
  mkdirSync(pair.node.home);
  network.engineCommand(pair, "unsafe-reset-all");
}

/** The first providers that are asked for a chunk send damaged ones, as often as they are asked. */
function rotten(pair: ValidatorPair, providers: Set<ValidatorPair>): NonNullable<AbciWatch["response"]> {
  return (response) => {
    const chunk = response.loadSnapshotChunk?.chunk;
    if (chunk === undefined || chunk.length === 0) return undefined;
    if (providers.size < ROTTEN) providers.add(pair);
    if (!providers.has(pair)) return undefined;
    const damaged = Uint8Array.from(chunk);
    damaged[damaged.length >> 1]! ^= 255;
    return { ...response, loadSnapshotChunk: { chunk: damaged } };
  };
}

/** A provider that lists forged snapshots: somebody has more, and all hashes belong to that content. The snapshots have one chunk. */
function forger({ node }: ValidatorPair): NonNullable<AbciWatch["response"]> {
  const linesOf = (height: bigint): Uint8Array => {
    const file = join(node.home, "snapshots", String(height), "00000.gz");
    const text = gunzipSync(readFileSync(file)).toString();
    const changed = text.replace(/(collateral\.accounts\t[^\n]*u0001)(\d)/, "$19$2");
    if (changed === text) throw new Error("the snapshot has no balance to forge");
    return Buffer.from(changed);
  };
  const hashOf = (bytes: Uint8Array) => sha256Of(bytes, new Uint8Array(HASH_BYTES));
  return (response, request) => {
    if (response.listSnapshots) {
      const snapshots = response.listSnapshots.snapshots.map((snapshot) => {
        const metadata = hashOf(linesOf(snapshot.height));
        return { ...snapshot, metadata, hash: hashOf(metadata) };
      });
      return { ...response, listSnapshots: { snapshots } };
    }
    if (!response.loadSnapshotChunk) return undefined;
    const chunk = gzipSync(linesOf(request.loadSnapshotChunk!.height));
    return { ...response, loadSnapshotChunk: { chunk } };
  };
}
