/**
 * The cost of a validator as their number grows: processor time, bytes to and from peers, and bytes on the disk, for each block without
 * transactions, and for each transfer beside it. All validators run on this machine behind real engines, with the settings of
 * `lyra testnet` and a block each second; the costs are those of one of them, the median.
 *
 *   LYRA_COMETBFT=PATH bun bench/validators.ts [--validators 4,8] [--blocks 20] [--transfers 600]
 *
 * Prints one JSON line for each number of validators.
 */
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { reach } from "../scripts/testnet-rig/network.ts";
import { sendTransfers } from "../scripts/testnet-rig/transactions.ts";
import type { ValidatorPair } from "../src/testnet/pair.ts";
import { startTestnet, type Testnet } from "../src/testnet/testnet.ts";
import { SOURCES } from "../test/rig/lyra.ts";
import { argument, median, processorSeconds } from "./support.ts";

const NUMBERS = (argument("--validators") ?? "4,8").split(",").map(Number);
const BLOCKS = Number(argument("--blocks") ?? 20);
const TRANSFERS = Number(argument("--transfers") ?? 600);
const READY_MS = 300_000;
const round = (value: number) => Number(value.toPrecision(3));

interface Counts {
  readonly height: number;
  readonly engineMs: number;
  readonly chainMs: number;
  readonly sentBytes: number;
  readonly receivedBytes: number;
  readonly engineDiskBytes: number;
  readonly chainDiskBytes: number;
}

/** The engine's own log of its steps is of a fixed size, and left out. */
function bytesIn(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.endsWith("cs.wal"))
    .reduce((sum, { parentPath, name }) => sum + sizeOf(join(parentPath, name)), 0);
}

/** Files of the engine's store go while it runs. */
const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

async function countsOf({ node, engine, chain }: ValidatorPair): Promise<Counts> {
  const ask = async <T>(method: string) =>
    ((await (await fetch(`http://127.0.0.1:${node.rpcPort}/${method}`)).json()) as { result: T }).result;
  const { sync_info } = await ask<{ sync_info: { latest_block_height: string } }>("status");
  const { peers } = await ask<{
    peers: { connection_status: { SendMonitor: { Bytes: string }; RecvMonitor: { Bytes: string } } }[];
  }>("net_info");
  const sum = (values: readonly string[]) => values.reduce((total, value) => total + Number(value), 0);
  return {
    height: Number(sync_info.latest_block_height),
    engineMs: 1_000 * processorSeconds(engine.pid!),
    chainMs: 1_000 * processorSeconds(chain.pid!),
    sentBytes: sum(peers.map(({ connection_status }) => connection_status.SendMonitor.Bytes)),
    receivedBytes: sum(peers.map(({ connection_status }) => connection_status.RecvMonitor.Bytes)),
    engineDiskBytes: bytesIn(join(node.consensusHome, "data")),
    chainDiskBytes: bytesIn(node.home),
  };
}

const countAll = ({ pairs }: Testnet) => Promise.all(pairs.map(countsOf));

/** Costs between two counts, of the median validator, divided by blocks or transfers. */
function between(before: readonly Counts[], after: readonly Counts[], by: number): Omit<Counts, "height"> {
  const of = (name: keyof Counts) => median(after.map((counts, at) => counts[name] - before[at]![name])) / by;
  return {
    ...{ engineMs: of("engineMs"), chainMs: of("chainMs") },
    ...{ sentBytes: of("sentBytes"), receivedBytes: of("receivedBytes") },
    ...{ engineDiskBytes: of("engineDiskBytes"), chainDiskBytes: of("chainDiskBytes") },
  };
}

const rounded = (costs: Omit<Counts, "height">) =>
  Object.fromEntries(Object.entries(costs).map(([name, value]) => [name, round(value)]));

async function measure(testnet: Testnet): Promise<object> {
  const { pairs } = testnet;
  const heightOf = (counts: readonly Counts[]) => Math.min(...counts.map(({ height }) => height));
  await reach(pairs, 10, READY_MS);
  const [start, quiet] = [await countAll(testnet), await quietBlocks(testnet)];
  const perBlock = between(start, quiet, heightOf(quiet) - heightOf(start));
  const taken = await sendTransfers(pairs, TRANSFERS);
  await reach(pairs, heightOf(await countAll(testnet)) + 3, READY_MS);
  const busy = await countAll(testnet);
  const blocks = heightOf(busy) - heightOf(quiet);
  const all = between(quiet, busy, 1);
  const perTransfer = Object.fromEntries(
    Object.entries(all).map(([name, value]) => [
      name,
      round((value - perBlock[name as keyof typeof perBlock] * blocks) / taken.length),
    ]),
  );
  return { validators: pairs.length, perBlock: rounded(perBlock), transfers: taken.length, perTransfer };
}

async function quietBlocks(testnet: Testnet): Promise<readonly Counts[]> {
  await reach(
    testnet.pairs,
    Math.max(...(await countAll(testnet)).map(({ height }) => height)) + BLOCKS,
    READY_MS,
  );
  return countAll(testnet);
}

for (const validators of NUMBERS) {
  const folder = mkdtempSync(join(tmpdir(), "lyra-bench-"));
  const testnet = await startTestnet({
    ...{ folder, validators, ports: "free", lyra: SOURCES },
    settings: { consensus: { timeout_commit: '"1s"' } },
    parameters: {
      "spam.pow.difficulty": "1",
      "spam.pow.numberOfTxPerBlock": "1000",
      "spam.protection.maxUserTransfersPerEpoch": "1000000",
      "validators.epoch.length": "1h",
    },
  });
  try {
    await testnet.ready();
    console.log(JSON.stringify(await measure(testnet)));
  } finally {
    await testnet.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
