/**
 * Blocks of 1,000 transfers of four validators behind real engines: with `lyra validator`, and with an application that says yes to
 * everything and keeps nothing (`empty-validator.ts`); the same engines, settings and transactions. The difference is Lyra's
 * part of consensus. Both run one after the other, on this machine.
 *
 *   LYRA_COMETBFT=PATH bun bench/empty-application.ts [--blocks 5]
 *
 * Prints one JSON line. `blockMs` is the way of a block from its proposal to its votes, the median: from the votes for the block before
 * it, without the pause between (`timeout_commit`), in which blocks are executed. Processor time is that of the median validator
 * for 1,000 transfers, with their checks, and the two or three blocks without transactions beside them.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parties, signed, type Tip } from "../scripts/testnet-rig/transactions.ts";
import { readGenesis } from "../src/engine/genesis.ts";
import { genesisPath } from "../src/testnet/files.ts";
import { startTestnet, type Testnet } from "../src/testnet/testnet.ts";
import { SOURCES } from "../test/rig/lyra.ts";
import { transferTo } from "./devnet-process.ts";
import { argument, median, processorSeconds } from "./support.ts";

const BLOCKS = Number(argument("--blocks") ?? 5);
const TRANSFERS = 1_000;
/** All transfers are in the mempools before the next proposal. */
const PAUSE_MS = 4_000;
/** Requests under way at once. */
const WIDTH = 40;
const LOOK_MS = 200;
const WAIT_MS = 120_000;
const round = (value: number) => Number(value.toPrecision(3));

interface Status {
  readonly sync_info: { readonly latest_block_height: string };
}
interface EngineBlock {
  readonly block_id: { readonly hash: string };
  readonly block: {
    readonly header: { readonly chain_id: string; readonly height: string; readonly time: string };
    readonly data: { readonly txs: readonly string[] | null };
  };
}

async function ask<T>(port: number, method: string, params: object): Promise<T> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const answer = await fetch(`http://127.0.0.1:${port}`, { method: "POST", body });
  const { result, error } = (await answer.json()) as { result: T; error?: object };
  if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
  return result;
}

class Network {
  private readonly asset: string;
  private readonly ports: readonly number[];

  constructor(readonly testnet: Testnet) {
    this.ports = testnet.nodes.map(({ rpcPort }) => rpcPort);
    const { appState } = readGenesis(readFileSync(genesisPath(testnet.nodes[0]!), "utf8"));
    this.asset = Object.entries(appState.assets!).find(([, { symbol }]) => symbol === "tUSD")![0];
  }

  async height(): Promise<number> {
    const heights = this.ports.map(async (port) =>
      Number((await ask<Status>(port, "status", {})).sync_info.latest_block_height),
    );
    return Math.min(...(await Promise.all(heights)));
  }

  block(height: number): Promise<EngineBlock> {
    return ask(this.ports[0]!, "block", { height: String(height) });
  }

  /** Waits for the next block of all. */
  async next(): Promise<number> {
    const before = await this.height();
    for (const end = performance.now() + WAIT_MS; performance.now() < end; await Bun.sleep(LOOK_MS)) {
      const height = await this.height();
      if (height > before) return height;
    }
    throw new Error(`no block after ${before}`);
  }

  /** @returns the height at which the first of them can be */
  async send(): Promise<number> {
    const height = await this.height();
    const { block_id, block } = await this.block(height - 1);
    const { chain_id: chainId } = block.header;
    const tip: Tip = { chainId, height: BigInt(height - 1), hash: block_id.hash.toLowerCase() };
    const txs = Array.from({ length: TRANSFERS }, (_, n) => {
      const to = parties[(n + 1) % parties.length]!.publicKey;
      return signed(transferTo(to, this.asset), parties[n % parties.length]!, tip);
    });
    const from = await this.next();
    for (let at = 0; at < txs.length; at += WIDTH)
      await Promise.all(
        txs.slice(at, at + WIDTH).map((bytes, n) => {
          const tx = Buffer.from(bytes).toString("base64");
          return ask(this.ports[n % this.ports.length]!, "broadcast_tx_async", { tx });
        }),
      );
    return from + 1;
  }

  /** Processor milliseconds of engine and application so far, of each validator. */
  processorMs(): { engine: number; application: number }[] {
    return this.testnet.pairs.map(({ engine, chain }) => ({
      engine: 1_000 * processorSeconds(engine.pid!),
      application: 1_000 * processorSeconds(chain.pid!),
    }));
  }

  /** Sends 1,000 transfers, and measures until they are in blocks. */
  async round() {
    const before = this.processorMs();
    const from = await this.send();
    let taken = 0;
    const blocks: EngineBlock[] = [];
    for (let height = from; taken < TRANSFERS; height++) {
      while ((await this.height()) < height) await this.next();
      const block = await this.block(height);
      taken += block.block.data.txs?.length ?? 0;
      blocks.push(block);
    }
    const largest = blocks.reduce((a, b) =>
      (a.block.data.txs?.length ?? 0) >= (b.block.data.txs?.length ?? 0) ? a : b,
    );
    const at = Number(largest.block.header.height);
    while ((await this.height()) < at + 1) await this.next();
    const after = this.processorMs();
    // A block's header has the time of the votes for the one before it.
    const [votesBefore, votes] = [largest, await this.block(at + 1)].map(({ block }) =>
      Date.parse(block.header.time),
    );
    const spent = (part: "engine" | "application") =>
      median(after.map((costs, n) => costs[part] - before[n]![part]));
    return {
      transfers: largest.block.data.txs!.length,
      blockMs: votes! - votesBefore! - PAUSE_MS,
      engineMs: spent("engine"),
      applicationMs: spent("application"),
    };
  }
}

async function measure(lyra: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), "lyra-bench-"));
  const testnet = await startTestnet({
    ...{ folder, validators: 4, ports: "free", lyra },
    settings: { consensus: { timeout_commit: `"${PAUSE_MS}ms"`, timeout_propose: '"10s"' } },
    parameters: {
      "spam.pow.difficulty": "1",
      "spam.pow.numberOfTxPerBlock": "1000",
      "spam.protection.maxUserTransfersPerEpoch": "1000000",
      "validators.epoch.length": "10h",
    },
  });
  try {
    await testnet.ready();
    const network = new Network(testnet);
    // Proofs of work are of the block before the last one.
    while ((await network.height()) < 2) await network.next();
    const rounds: Awaited<ReturnType<Network["round"]>>[] = [];
    for (let n = -1; n < BLOCKS; n++) {
      const values = await network.round();
      if (n >= 0) rounds.push(values);
    }
    const names = ["transfers", "blockMs", "engineMs", "applicationMs"] as const;
    return Object.fromEntries(
      names.map((name) => [name, round(median(rounds.map((values) => values[name])))]),
    );
  } finally {
    await testnet.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

const empty = await measure([process.execPath, join(import.meta.dir, "empty-validator.ts")]);
const lyra = await measure(SOURCES);
console.log(JSON.stringify({ blocks: BLOCKS, empty, lyra }));
process.exit(0);
