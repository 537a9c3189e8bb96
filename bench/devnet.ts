/**
 * A devnet from the outside: its start, its memory, what empty blocks cost, and snapshots of a large state.
 *
 * `bun bench/devnet.ts --binary dist/lyra [--only start,empty,snapshot]` prints one JSON line. Everything that is
 * measured by the clock needs a quiet machine.
 */

import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ed25519KeyPair } from "../src/crypto/ed25519.ts";
import type { Devnet } from "../src/devnet/devnet.ts";
import { startNode } from "../src/start-node.ts";
import { ask, proven, round1, startDevnet, transferTo } from "./devnet-process.ts";
import { argument, median, programOf } from "./support.ts";

const program = programOf(argument("--binary"));
const only = argument("--only")?.split(",");
const REST_MS = 2_000;
const STARTS = 9;

const EMPTY_BLOCKS = 100_000;
const EMPTY_ROUNDS = 3;
const MINE_AT_ONCE = 5_000;

const ACCOUNTS = 500_000;
const ACCOUNTS_A_BLOCK = 10_000;
const SNAPSHOT_ROUNDS = 9;
const CHANGES_BETWEEN = 20;
/** Accounts changed since the state was stored last: from 20,000 changes on it is stored with their block. */
const PENDING_ACCOUNTS = [0, 1_000, 9_000, 18_000] as const;

/** Resident memory in MB, from the kernel. */
function residentMb(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) / 1024;
}

function storeMb(home: string): number {
  const files = ["lyra.db", "lyra.db-wal"].map(
    (name) => statSync(join(home, name), { throwIfNoEntry: false })?.size ?? 0,
  );
  return files.reduce((sum, size) => sum + size, 0) / 1024 / 1024;
}

/** Start of the program to its first block, to its first accepted transaction, and memory at rest. */
async function measureStart() {
  const rounds: { firstBlock: number; firstTransaction: number; idleMb: number }[] = [];
  for (let round = 0; round < STARTS; round++) {
    const began = performance.now();
    const devnet = await startDevnet(program);
    const { parties } = await ask<{
      parties: { publicKey: string; privateKey: string; balances: { symbol: string; asset: string }[] }[];
    }>(`${devnet.nodeUrl}/devnet/parties`);
    const [alice, bob] = parties;
    const { asset } = alice!.balances.find(({ symbol }) => symbol === "tUSD")!;
    const key = ed25519KeyPair(Buffer.from(alice!.privateKey, "hex"));
    const transactions = await proven(devnet, [key], () => transferTo(bob!.publicKey, asset), 1);
    const { code } = await ask<{ code: number }>(`${devnet.nodeUrl}/transaction/raw`, {
      tx: transactions[0],
      type: "TYPE_COMMIT",
    });
    if (code !== 0) throw new Error("the first transaction was refused");
    const firstTransaction = performance.now() - began;
    await Bun.sleep(REST_MS);
    rounds.push({ firstBlock: devnet.firstBlockMs, firstTransaction, idleMb: residentMb(devnet.pid) });
    await devnet.stop();
  }
  return {
    firstBlockMs: round1(median(rounds.map(({ firstBlock }) => firstBlock))),
    firstTransactionMs: round1(median(rounds.map(({ firstTransaction }) => firstTransaction))),
    idleMb: round1(median(rounds.map(({ idleMb }) => idleMb))),
  };
}

async function measureEmpty() {
  const rounds: Awaited<ReturnType<typeof growthOfEmptyBlocks>>[] = [];
  for (let round = 0; round < EMPTY_ROUNDS; round++) rounds.push(await growthOfEmptyBlocks());
  const middle = (which: "blocksPerSecond" | "diskMb" | "memoryMb") =>
    median(rounds.map((each) => each[which]));
  return {
    blocksPerSecond: middle("blocksPerSecond"),
    diskMb: middle("diskMb"),
    memoryMb: middle("memoryMb"),
  };
}

async function growthOfEmptyBlocks() {
  const devnet = await startDevnet(program, "--block", "manual");
  try {
    const mine = async (blocks: number) => {
      for (let left = blocks; left > 0; left -= MINE_AT_ONCE) {
        await ask(`${devnet.nodeUrl}/devnet/mine`, { blocks: Math.min(left, MINE_AT_ONCE) });
      }
    };
    // The code is compiled and the caches are filled first: what then grows is what blocks leave behind.
    await mine(MINE_AT_ONCE * 2);
    await Bun.sleep(REST_MS);
    const before = { disk: storeMb(devnet.home), memory: residentMb(devnet.pid) };
    const began = performance.now();
    await mine(EMPTY_BLOCKS);
    const seconds = (performance.now() - began) / 1000;
    await Bun.sleep(REST_MS);
    return {
      blocksPerSecond: Math.round(EMPTY_BLOCKS / seconds),
      diskMb: round1(storeMb(devnet.home) - before.disk),
      memoryMb: round1(residentMb(devnet.pid) - before.memory),
    };
  } finally {
    await devnet.stop();
  }
}

/**
 * Snapshot, a few changed balances, and back, with half a million accounts: in this process, without HTTP. The figure
 * that counts is the one of the worst case, by how much of the state is not stored yet when the snapshot is taken.
 */
async function measureSnapshot() {
  const home = mkdtempSync(join(tmpdir(), "lyra-bench-"));
  const devnet = await startNode({ kind: "devnet", home, mode: { kind: "manual" } });
  try {
    const { chain } = devnet;
    const asset = devnet.report().parties[0]!.balances.find(({ symbol }) => symbol === "tUSD")!.asset;
    const party = (index: number) => index.toString(16).padStart(64, "0");
    await fillAccounts(chain, asset, party);
    const cases: { pending: number; snapshotMs: number; revertMs: number }[] = [];
    for (const pending of PENDING_ACCOUNTS) {
      const rounds = await snapshotRounds(chain, asset, party, pending);
      const snapshotMs = round1(median(rounds.map(({ snapshot }) => snapshot)));
      cases.push({ pending, snapshotMs, revertMs: round1(median(rounds.map(({ revert }) => revert))) });
    }
    return {
      accounts: ACCOUNTS,
      snapshotMs: Math.max(...cases.map(({ snapshotMs }) => snapshotMs)),
      revertMs: Math.max(...cases.map(({ revertMs }) => revertMs)),
      cases,
    };
  } finally {
    await devnet.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

type Chain = Devnet["chain"];

/** @param pending accounts that are changed before each snapshot */
async function snapshotRounds(
  chain: Chain,
  asset: string,
  party: (index: number) => string,
  pending: number,
): Promise<{ snapshot: number; revert: number }[]> {
  const rounds: { snapshot: number; revert: number }[] = [];
  for (let round = -2; round < SNAPSHOT_ROUNDS; round++) {
    // Stores the state, so that there is nothing pending.
    await chain.ban(party(1), undefined);
    if (pending > 0) {
      const balance = BigInt(round + 100);
      await chain.setBalances(
        Array.from({ length: pending }, (_, at) => ({ party: party(at * 25 + 1), asset, balance })),
      );
    }
    const began = performance.now();
    const id = await chain.snapshot();
    const snapshotAt = performance.now();
    for (let change = 0; change < CHANGES_BETWEEN; change++) {
      await chain.setBalance(party(change * 1000 + 1), asset, BigInt(round + 1000));
    }
    const before = performance.now();
    await chain.revert(id);
    const after = performance.now();
    if (round >= 0) rounds.push({ snapshot: snapshotAt - began, revert: after - before });
  }
  return rounds;
}

async function fillAccounts(chain: Chain, asset: string, party: (index: number) => string): Promise<void> {
  for (let first = 1; first <= ACCOUNTS; first += ACCOUNTS_A_BLOCK) {
    const balances = Array.from({ length: ACCOUNTS_A_BLOCK }, (_, at) => ({
      party: party(first + at),
      asset,
      balance: 1n,
    }));
    await chain.setBalances(balances);
  }
}

const parts = { start: measureStart, empty: measureEmpty, snapshot: measureSnapshot };
const results: Record<string, unknown> = {};
for (const [name, measure] of Object.entries(parts)) {
  if (only === undefined || only.includes(name)) results[name] = await measure();
}
console.log(JSON.stringify(results));
process.exit(0);
