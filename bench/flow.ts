/**
 * Transfers of a thousand parties through HTTP, in blocks at an interval, until the last one is in a block; held against
 * admission on one core, which is measured before and after each round: a machine's speed changes within minutes. Then the same
 * with orders on a market, one of ten of which trades, held against the transfers.
 *
 * `bun bench/flow.ts --binary dist/lyra [--rounds N]` prints one JSON line, with the medians of the rounds. It needs a
 * quiet machine; the load generator shares the cores with what it loads.
 */
import { join } from "node:path";
import { ed25519KeyPair } from "../src/crypto/ed25519.ts";
import type { CommandInit } from "../src/wire/transaction.ts";
import { ask, hexOf, proven, type RunningDevnet, round1, startDevnet, transferTo } from "./devnet-process.ts";
import { loadInChild } from "./load.ts";
import { argument, median, programOf } from "./support.ts";

const program = programOf(argument("--binary"));
const ROUNDS = Number(argument("--rounds") ?? 5);
const PARTIES = 1_000;
const TRANSACTIONS = 36_000;
const WARM_UP = 12_000;
const CONNECTIONS = 2_000;
const INTERVAL_MS = 100;
const DIFFICULTY = 4;

/** Transactions a second that one core admits now. */
async function admissionPerSecond(): Promise<number> {
  const words = [join(import.meta.dir, "admission.ts"), "--rounds", "5", "--only", "one"];
  const child = Bun.spawn([process.execPath, ...words], { stdout: "pipe", stderr: "inherit" });
  return (JSON.parse(await new Response(child.stdout).text()) as { perSecond: number }).perSecond;
}

interface Commands {
  at(index: number): CommandInit;
  /** Throws when the chain has not done what they say. */
  check(): Promise<void>;
}

/** Makes what the senders send, on a devnet that runs. */
type Scene = (devnet: RunningDevnet, keys: readonly string[], asset: string) => Promise<Commands>;

const transfers: Scene = async ({ dataUrl }, keys, asset) => ({
  at: (index) => transferTo(keys[(index * 7 + 1) % PARTIES]!, asset),
  check: () => expectNodes(`${dataUrl}/api/v2/transfers`, "transfers"),
});

const TICKS = 2_000;
/** A buy and a sell of this many cross the middle. */
const TRADES_OF = 20;

const orders: Scene = async ({ nodeUrl, dataUrl }) => {
  const { market } = await ask<{ market: string }>(`${nodeUrl}/devnet/market/create`, { preset: "btc" });
  const { marketsData } = await ask<{ marketsData: { markPrice: string }[] }>(`${nodeUrl}/markets/data`);
  const middle = Number(marketsData[0]!.markPrice);
  const at = (index: number): CommandInit => {
    const isBuy = index % 2 === 0;
    // Within the auction bounds of the market, and of the quotes that it was opened with.
    const crosses = index % TRADES_OF === 0 || index % TRADES_OF === TRADES_OF / 2 + 1;
    const away = crosses ? -2 : 1 + ((index * 7) % TICKS);
    const price = isBuy ? middle - away : middle + away;
    return {
      kind: "orderSubmission",
      payload: {
        marketId: market,
        side: isBuy ? 1 : 2,
        size: 1n,
        price: price.toString(),
        timeInForce: 1,
        type: 1,
        reference: "bench",
      },
    };
  };
  return { at, check: () => expectNodes(`${dataUrl}/api/v2/trades?marketIds=${market}`, "trades") };
};

const PAGE = 1_000;

async function expectNodes(url: string, member: string): Promise<void> {
  const page = `${url}${url.includes("?") ? "&" : "?"}pagination.first=${PAGE}`;
  const answer = await ask<Record<string, { edges: unknown[] }>>(page);
  if (answer[member]!.edges.length < PAGE) throw new Error(`the ${member} were not made`);
}

async function measureFlow(scene: Scene) {
  const parameters = {
    "spam.pow.difficulty": String(DIFFICULTY),
    "spam.pow.numberOfTxPerBlock": "100000",
    "spam.protection.maxUserTransfersPerEpoch": "1000000",
    "validators.epoch.length": "10m",
  };
  const flags = Object.entries(parameters).flatMap(([key, value]) => ["--parameter", `${key}=${value}`]);
  const devnet = await startDevnet(program, ...flags, "--block", "manual");
  try {
    const keys = Array.from({ length: PARTIES }, (_, index) => {
      const seed = new Uint8Array(32);
      new DataView(seed.buffer).setUint32(0, index + 1);
      return ed25519KeyPair(seed);
    });
    const { parties: funded } = await ask<{ parties: { balances: { symbol: string; asset: string }[] }[] }>(
      `${devnet.nodeUrl}/devnet/parties`,
    );
    const { asset } = funded[0]!.balances.find(({ symbol }) => symbol === "tUSD")!;
    for (const key of keys) {
      await ask(`${devnet.nodeUrl}/devnet/balance`, {
        party: hexOf(key.publicKey),
        asset,
        amount: "1000000000000",
      });
    }
    const parties = keys.map((key) => hexOf(key.publicKey));
    const commands = await scene(devnet, parties, asset);
    const run = async (count: number, offset: number) => {
      const transactions = await proven(devnet, keys, commands.at, count, offset);
      await ask(`${devnet.nodeUrl}/devnet/mode`, { mode: `${INTERVAL_MS}ms` });
      const posts = {
        path: "/transaction/raw",
        bodies: transactions.map((tx) => JSON.stringify({ tx, type: "TYPE_SYNC" })),
      };
      const options = {
        port: devnet.nodePort,
        paths: [],
        posts,
        connections: CONNECTIONS,
        durationMs: 0,
        warmupMs: 0,
      };
      const result = await loadInChild(options);
      // Accepted is not enough: the rest of the mempool has to be in a block too.
      const waiting = performance.now();
      for (;;) {
        const { statistics } = await ask<{ statistics: { backlogLength: string } }>(
          `${devnet.nodeUrl}/statistics`,
        );
        if (statistics.backlogLength === "0") break;
        await Bun.sleep(2);
      }
      const elapsedMs = result.elapsedMs + (performance.now() - waiting);
      await ask(`${devnet.nodeUrl}/devnet/mode`, { mode: "manual" });
      return { ...result, committedPerSecond: ((count - result.errors) * 1000) / elapsedMs };
    };
    await run(WARM_UP, 0);
    const { committedPerSecond, p50Ms, p99Ms, errors } = await run(TRANSACTIONS, WARM_UP);
    await commands.check();
    return {
      committedPerSecond: Math.round(committedPerSecond),
      p50Ms: round1(p50Ms),
      p99Ms: round1(p99Ms),
      p99ToP50: round1(p99Ms / p50Ms),
      refused: errors,
    };
  } finally {
    await devnet.stop();
  }
}

type Flow = Awaited<ReturnType<typeof measureFlow>>;
const rounds: (Flow & { admissionPerSecond: number; ratio: number; orders: Flow; ofTransfers: number })[] =
  [];
let before = await admissionPerSecond();
for (let round = 0; round < ROUNDS; round++) {
  const flow = await measureFlow(transfers);
  const after = await admissionPerSecond();
  const traded = await measureFlow(orders);
  const admission = Math.round((before + after) / 2);
  const ratio = flow.committedPerSecond / admission;
  const ofTransfers = traded.committedPerSecond / flow.committedPerSecond;
  rounds.push({ ...flow, admissionPerSecond: admission, ratio, orders: traded, ofTransfers });
  before = after;
}
const middle = (name: Exclude<keyof (typeof rounds)[number], "orders">) =>
  median(rounds.map((round) => round[name]));
console.log(
  JSON.stringify({
    committedPerSecond: middle("committedPerSecond"),
    admissionPerSecond: middle("admissionPerSecond"),
    ratioToAdmission: Number(middle("ratio").toFixed(3)),
    p99ToP50: middle("p99ToP50"),
    ordersPerSecond: median(rounds.map((round) => round.orders.committedPerSecond)),
    ordersToTransfers: Number(middle("ofTransfers").toFixed(3)),
    rounds,
  }),
);
process.exit(0);
