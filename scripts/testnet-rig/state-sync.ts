import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { sha256Of } from "../../src/crypto/sha.ts";
import type { ValidatorPair } from "../../src/testnet/pair.ts";
import { eventually } from "../../test/support/eventually.ts";
import type { AbciWatch } from "./abci-proxy.ts";
import { alike, boundsIn, expectSame, exportsOf, segmentsAtRest } from "./comparison.ts";
import { dialPeers, furtherNode, takeSnapshot } from "./further-node.ts";
import {
  atOneHeight,
  dataUrlOf,
  heightOf,
  Patience,
  progress,
  type RigNetwork,
  reach,
  SEGMENT_BLOCKS,
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
    const logPath = join(fifth.node.home, "..", "lyra.log");
    // It begins with the process's first line.
    const log = () => (existsSync(logPath) ? readFileSync(logPath, "utf8") : "");

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
      const { firstHeight } = (await (await fetch(dataUrlOf(fifth, "/status"))).json()) as {
        firstHeight: number;
      };
      if (firstHeight <= SNAPSHOT_HEIGHT) throw new Error(`its rows begin at block ${firstHeight}`);
      await sameSince(pairs, fifth);
      if (!(await readyzOf(fifth)).includes("its rows begin at block"))
        throw new Error("it seems to have all rows");
      await fifth.stop();
      await fetchHistory(network, fifth);
      fifth.start();
      await progress([...pairs, fifth]);
      await expectSame([...pairs, fifth]);
      await eventually(async () => (await readyzOf(fifth)) === "ok", "it is ready");
      await fifth.stop();
      for (const pair of pairs) network.proxyOf(pair).watch = {};
      empty(network, fifth);
      await fetchHistory(network, fifth);
      fifth.start();
      await progress([...pairs, fifth]);
      if (timesIn(fifth, hashes).some((times) => times !== 1))
        throw new Error("old transactions are not there once");
      const same = await expectSame([...pairs, fifth]);
      return `the forged one refused, then ${refusals} rotten chunks; ${patience.sentence}; reads say that rows begin at block ${firstHeight}; with the history of another, fetched later or before, ${same}`;
    } finally {
      await fifth.stop();
    }
  },
};

/** From its first segment on, the node has the others' exports. */
async function sameSince(pairs: readonly ValidatorPair[], fifth: ValidatorPair): Promise<void> {
  const all = [...pairs, fifth];
  await progress(all, SEGMENT_BLOCKS + 1);
  await atOneHeight(all, async (height) => {
    for (const pair of all) await segmentsAtRest(pair, height);
    const bounds = boundsIn(fifth);
    if (bounds === undefined) throw new Error("it makes no segments");
    alike(
      `exports from block ${bounds.from} on`,
      await Promise.all(all.map((pair) => exportsOf(pair, bounds))),
    );
  });
}

async function readyzOf(pair: ValidatorPair): Promise<string> {
  return (await (await fetch(dataUrlOf(pair, "/readyz"))).text()).trim();
}

/** As its operator does it: the rows before the snapshot. */
async function fetchHistory({ pairs, programs }: RigNetwork, { node }: ValidatorPair): Promise<void> {
  const words = ["history", "fetch", "--from", dataUrlOf(pairs[0]!, ""), "--home", node.home, "--quiet"];
  const child = Bun.spawn([...programs.lyra, ...words], { stdout: "ignore", stderr: "pipe" });
  const said = await new Response(child.stderr).text();
  if ((await child.exited) !== 0) throw new Error(`lyra history fetch: ${said}`);
}

/** A node that is not a validator, and synchronises by snapshot. */
async function fifthOf(network: RigNetwork): Promise<ValidatorPair> {
  const { pairs, folder, programs } = network;
  const nodes = pairs.map(({ node }) => node);
  const node = furtherNode(folder, nodes.length + 1, nodes[0]!);
  dialPeers(node, nodes, programs.cometbft);
  await takeSnapshot(node, nodes, TRUST_HEIGHT);
  return network.pairWith({ node }, {});
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

/** A provider that lists forged snapshots: a party has more, and all hashes belong to that content. The snapshots have one chunk. */
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
