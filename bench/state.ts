/**
 * The application hash and snapshots for other nodes over a large state: 500,000 accounts and 100,000 resting orders on one market.
 * The hash's part of blocks of 1,000 transfers, of 1,000 orders and of empty ones, median and worst, beside the same blocks over a
 * small state; a snapshot written while blocks go on, its restoration, and a restart.
 *
 *   bun bench/state.ts [--accounts N] [--orders N] [--blocks N] [--folder DIR]
 *
 * A folder keeps the states for the next run. Prints one JSON line. Milliseconds are processor time, which a busy machine disturbs little.
 */
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BlockTx } from "../src/chain/block-runner.ts";
import { ChainCore } from "../src/chain/chain-core.ts";
import { storedGenesis } from "../src/chain/chain-store.ts";
import { SEQUENCER_LIMITS } from "../src/chain/options.ts";
import { SnapshotRestore, StateSnapshots } from "../src/chain/state-snapshots.ts";
import { Engine } from "../src/engine/engine.ts";
import { readGenesis } from "../src/engine/genesis.ts";
import type { State } from "../src/engine/state.ts";
import { BlockWriter } from "../src/store/block-writer.ts";
import { openReader, openWriter } from "../src/store/database.ts";
import { SECOND_NS } from "../src/wire/time-text.ts";
import type { CommandInit } from "../src/wire/transaction.ts";
import { checkTransaction } from "../src/wire/transaction-check.ts";
import { transferTo } from "./devnet-process.ts";
import { makeLargeState, partyAt } from "./large-state.ts";
import { argument, median, processorMs } from "./support.ts";
import { SENDERS, sendersTransactions } from "./transfers.ts";

const ACCOUNTS = Number(argument("--accounts") ?? 500_000);
const ORDERS = Number(argument("--orders") ?? 100_000);
const BLOCKS = Number(argument("--blocks") ?? 40);
const SMALL = { accounts: 2_000, orders: 200 };

const MIDDLE = 6_000_000;
const CHUNK_MS = 5;

type Made = Awaited<ReturnType<typeof makeLargeState>>;

const round = (value: number) => Number(value.toPrecision(3));

/** A chain as one behind a consensus engine, over a home. */
function openCore(home: string) {
  const db = openWriter(home);
  const genesis = readGenesis(storedGenesis(db)!);
  let opened: Engine | undefined;
  const core = new ChainCore(
    {
      db,
      genesis,
      keepHeaders: true,
      makeEngine: (follower) => (opened = new Engine(genesis, follower)),
    },
    new BlockWriter(db, { allOrNothing: true }),
    SEQUENCER_LIMITS,
  );
  const began = processorMs();
  core.open(false);
  const engine = opened!;
  timeDigests(engine.state);
  return { db, core, engine, genesis, openedMs: processorMs() - began };
}

type Core = ReturnType<typeof openCore>;

function transactions({ core, genesis }: Core, command: (index: number) => CommandInit): BlockTx[] {
  const { chainId } = genesis;
  return sendersTransactions({ chainId, ...core.place }, command).map((bytes) => {
    const verdict = checkTransaction(bytes, chainId);
    if (!verdict.ok) throw new Error(verdict.refusal.text);
    return { bytes, tx: verdict.transaction, isImpersonated: false };
  });
}

/** Milliseconds of the digests since the block began. */
let hashing = 0;

/** Lets the state's digest be measured. */
function timeDigests(state: State): void {
  const digest = state.digest.bind(state);
  state.digest = () => {
    const began = processorMs();
    const result = digest();
    hashing += processorMs() - began;
    return result;
  };
}

interface BlockCost {
  readonly totalMs: number;
  readonly hashMs: number;
}

/** Executes and commits a block, its application hash included. */
function costOfBlock({ core, engine }: Core, txs: readonly BlockTx[]): BlockCost {
  const height = core.place.height + 1;
  const timeNs = BigInt(core.place.timeNs) + SECOND_NS;
  const info = { height, timeNs, hash: Bun.SHA256.hash(`${height}`, "hex"), proposer: "" };
  hashing = 0;
  const began = processorMs();
  const { results } = core.executeGiven(info, txs);
  if (core.point.appHash === "") throw new Error("the block has no hash");
  core.commit();
  const hashMs = hashing;
  const totalMs = processorMs() - began;
  const failed = results.find(({ code }) => code !== 0);
  if (failed) throw new Error(`a transaction failed: ${failed.text}`);
  if (engine.haltReason() !== undefined) throw new Error("the chain has halted");
  return { totalMs, hashMs };
}

function summary(costs: readonly BlockCost[]) {
  const shares = costs.map(({ totalMs, hashMs }) => hashMs / totalMs);
  const total = costs.reduce((sum, { totalMs }) => sum + totalMs, 0);
  return {
    blockMs: round(median(costs.map(({ totalMs }) => totalMs))),
    blockMsMax: round(Math.max(...costs.map(({ totalMs }) => totalMs))),
    hashMs: round(median(costs.map(({ hashMs }) => hashMs))),
    hashMsMax: round(Math.max(...costs.map(({ hashMs }) => hashMs))),
    share: round(median(shares)),
    shareMax: round(Math.max(...shares)),
    shareOfAll: round(costs.reduce((sum, { hashMs }) => sum + hashMs, 0) / total),
  };
}

function measureBlocks(home: string, { asset, market }: Made, accounts: number) {
  const chain = openCore(home);
  let seed = 1;
  const any = (below: number) => (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) % below;
  const transfer = () => transferTo(partyAt(1 + any(accounts)), asset);
  const newcomer = () => transferTo(partyAt(1e9 + any(1e9)), asset);
  const order = (index: number): CommandInit => {
    const isBuy = index % 2 === 0;
    const price = (isBuy ? MIDDLE - 5_100 - any(3_000) : MIDDLE + 5_100 + any(3_000)).toString();
    const kind = { side: isBuy ? 1 : 2, size: 1n, timeInForce: 1, type: 1, reference: "bench" };
    return { kind: "orderSubmission", payload: { marketId: market, price, ...kind } };
  };
  const kinds = { transfers: transfer, newcomers: newcomer, orders: order };
  const results: Record<string, ReturnType<typeof summary>> = {};
  for (const [kind, command] of Object.entries(kinds)) {
    const costs: BlockCost[] = [];
    // The first ones compile the code.
    for (let n = -5; n < BLOCKS; n++) {
      const cost = costOfBlock(chain, transactions(chain, command));
      if (n >= 0) costs.push(cost);
    }
    results[kind] = summary(costs);
  }
  results.empty = summary(Array.from({ length: 20 * BLOCKS }, () => costOfBlock(chain, [])).slice(BLOCKS));
  const { openedMs } = chain;
  chain.core.flush();
  chain.db.close();
  return { openedMs: round(openedMs), blocks: results };
}

/** A snapshot for other nodes: the longest time in which no block could be made beside it, as processor time of the whole process. */
async function measureSnapshot(home: string, { asset }: Made) {
  const chain = openCore(home);
  const { core, db, genesis } = chain;
  core.flush();
  const identity = { chainId: genesis.chainId, genesis: genesis.hash };
  const snapshots = new StateSnapshots(home, identity);
  const { height, appHash } = core.point;
  const began = processorMs();
  const writing = snapshots.write(0);
  let isWritten = false;
  void writing.then(() => (isWritten = true));
  let longestMs = 0;
  let turns = 0;
  for (let last = processorMs(); !isWritten; turns++) {
    await new Promise((resolve) => setImmediate(resolve));
    const now = processorMs();
    longestMs = Math.max(longestMs, now - last);
    last = now;
    if (turns % 500 === 0) await Bun.sleep(CHUNK_MS);
  }
  const snapshot = await writing;
  const writeMs = processorMs() - began;
  const blocksAfter = costOfBlock(
    chain,
    transactions(chain, (index) => transferTo(SENDERS[(index + 1) % SENDERS.length]!, asset)),
  );
  db.close();
  const folder = join(home, "snapshots", String(height));
  const bytes = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);

  const target = mkdtempSync(join(tmpdir(), "lyra-bench-"));
  try {
    const other = openWriter(target);
    const empty = new ChainCore(
      { db: other, genesis, keepHeaders: true, makeEngine: (follower) => new Engine(genesis, follower) },
      new BlockWriter(other, { allOrNothing: true }),
      SEQUENCER_LIMITS,
    );
    empty.open(false);
    const restore = new SnapshotRestore(target, snapshot, appHash, identity);
    const chunks = processorMs();
    for (let n = 0; n < snapshot.chunks; n++) restore.apply(n, snapshots.chunk(height, snapshot.format, n)!);
    const verifying = processorMs();
    const point = restore.verify();
    const restoring = processorMs();
    empty.restore(point, () => restore.entries());
    const restored = processorMs();
    restore.discard();
    if (empty.point.appHash !== appHash) throw new Error("the restored state has another hash");
    other.close();
    return {
      ...{ chunks: snapshot.chunks, megabytes: round(bytes / 1e6) },
      ...{ writeMs: round(writeMs), longestHoldMs: round(longestMs), blockMs: round(blocksAfter.totalMs) },
      takeMs: round(verifying - chunks),
      verifyMs: round(restoring - verifying),
      loadAndStoreMs: round(restored - restoring),
    };
  } finally {
    rmSync(target, { recursive: true, force: true });
  }
}

function entriesOf(home: string): number {
  const db = openReader(home);
  const row = db.query("SELECT count(*) AS n FROM chain_state").get() as { n: bigint };
  db.close();
  return Number(row.n);
}

const kept = argument("--folder");
const folder = kept ?? mkdtempSync(join(tmpdir(), "lyra-bench-"));
const stateOf = async (home: string, size: typeof SMALL): Promise<Made> => {
  const note = join(home, "made.json");
  if (existsSync(note)) return (await Bun.file(note).json()) as Made;
  const state = await makeLargeState({ home, ...size, funded: SENDERS });
  await Bun.write(note, JSON.stringify(state));
  return state;
};
try {
  const results: Record<string, unknown> = {};
  for (const [name, size] of Object.entries({
    small: SMALL,
    large: { accounts: ACCOUNTS, orders: ORDERS },
  })) {
    const home = join(folder, name);
    const state = await stateOf(home, size);
    results[name] = { ...size, entries: entriesOf(home), ...measureBlocks(home, state, size.accounts) };
    if (name === "large") results.snapshot = await measureSnapshot(home, state);
  }
  console.log(JSON.stringify(results, undefined, 1));
} finally {
  if (kept === undefined) rmSync(folder, { recursive: true, force: true });
}
process.exit(0);
