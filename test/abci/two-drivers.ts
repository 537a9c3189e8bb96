// Both drivers of the chain over one history: behind a consensus engine that the test plays, and through the local sequencer,
// whose blocks get the same times, hashes and proposers.
import { expect } from "bun:test";
import { ParsedTransactions } from "../../src/abci/parsed.ts";
import { StateSnapshots } from "../../src/chain/state-snapshots.ts";
import { sha256HexOf } from "../../src/crypto/sha.ts";
import { Engine } from "../../src/engine/engine.ts";
import type { Genesis } from "../../src/engine/genesis.ts";
import { COMMANDS } from "../../src/wire/transaction-commands.ts";
import { FedSequencer, type Header } from "./fed-sequencer.ts";
import { History, historyGenesis, type Makers, PARTIES } from "./history.ts";
import { AbciRig } from "./rig.ts";
import { handSnapshot, identityOf, type Restoring } from "./snapshots.ts";

/** Writes a snapshot of a home's stored state, and lets another chain go on from it. @param appHash the trusted one */
async function handNewSnapshot(home: string, genesis: Genesis, appHash: string, to: Restoring) {
  const snapshots = new StateSnapshots(home, identityOf(genesis), 64 * 1024);
  handSnapshot(snapshots, await snapshots.write(0), genesis, appHash, to);
}

/** Transactions between blocks, at most: besides what validators owe. */
const MOST = 12;

function rigOf(genesis: Genesis) {
  let engine: Engine | undefined;
  const rig = new AbciRig({ genesis, makeEngine: (follower) => (engine = new Engine(genesis, follower)) });
  return { rig, engine: engine! };
}

/** By priority, as an honest proposer orders them, and each once; nothing is left out, what no check lets pass included. */
function inOrder(parsed: ParsedTransactions, txs: readonly Uint8Array[]): Uint8Array[] {
  const byHash = new Map(txs.map((bytes) => [sha256HexOf(bytes), bytes]));
  const priority = (bytes: Uint8Array) => {
    const valid = parsed.validOf(bytes);
    return valid === undefined ? -1 : COMMANDS[valid.tx.kind].priority;
  };
  return [...byHash.values()].sort((a, b) => priority(b) - priority(a));
}

/** The facts of a history, so that a test can say what it reached. */
interface DriversRun {
  /** Numbers by name. */
  readonly facts: ReadonlyMap<string, number>;
}

/**
 * Plays a random history through both drivers, and from its middle on through two more chains, each of which began with the
 * other driver's snapshot. Half of the blocks are proposed and judged, the others hold what nobody has checked.
 * @throws where two of them differ, where an honest proposal is refused, or where updates would stop CometBFT
 */
export async function playBoth(seed: number, blocks: number, makers?: Makers): Promise<DriversRun> {
  const genesis = historyGenesis();
  const { rig, engine } = rigOf(genesis);
  const history = new History(genesis, () => engine, seed, makers);
  const { chance } = history;
  const parsed = new ParsedTransactions(genesis.chainId);
  const facts = new Map<string, number>();
  const count = (fact: string, times = 1) => facts.set(fact, (facts.get(fact) ?? 0) + times);
  let timeNs = genesis.timeNs;
  const headerOf = (height: number) => {
    if (height > 1) timeNs += BigInt(chance.of(...STEPS_NS));
    const members = [...rig.set.powers.keys()];
    const proposer = chance.once(6) || members.length === 0 ? undefined : chance.of(...members);
    const proposerAddress =
      proposer === undefined
        ? new Uint8Array(20)
        : Uint8Array.fromHex(sha256HexOf(Buffer.from(proposer, "base64")).slice(0, 40));
    return { height, timeNs, hash: sha256HexOf(Buffer.from(`${seed} ${height}`)), proposerAddress };
  };
  const fed = ({ height, timeNs, hash, proposerAddress }: ReturnType<typeof headerOf>): Header => ({
    ...{ height, timeNs, hash },
    proposer: rig.chain.nodeAt(proposerAddress) ?? "",
  });
  await rig.begin();
  const first = headerOf(1);
  const local = new FedSequencer(genesis, fed(first));
  expect(local.appHash).toBe((await rig.block([], first)).appHash);
  const late: { abci?: AbciRig; local?: FedSequencer } = {};
  for (let height = 2; height <= blocks; height++) {
    const { hash, timeNs } = rig.chain.status;
    const tip = { height: height - 1, hash, timeNs };
    const offered = height === 2 ? history.funding(tip) : history.next(tip, MOST);
    let txs = inOrder(parsed, offered);
    if (chance.once(2)) {
      txs = await rig.prepare(txs);
      expect(await (late.abci ?? rig).accepts(txs)).toBe(true);
    }
    const header = headerOf(height);
    const given = fed(header);
    const block = await rig.block(txs, header);
    for (const { code, log } of block.results) count(`${code} ${code === 89 ? log : ""}`.trim());
    for (const { power } of block.updates) count(power > 0n ? "power set" : "validator removed");
    expect([height, await local.block(given, txs)]).toEqual([height, block.appHash]);
    if (late.abci !== undefined) expect(await late.abci.block(txs, header)).toEqual(block);
    if (late.local !== undefined) expect(await late.local.block(given, txs)).toBe(block.appHash);
    if (height !== blocks >> 1) continue;
    rig.chain.storeState();
    local.core.flush();
    const other = rigOf(genesis).rig;
    const restoring: Restoring = { home: other.home, restore: (...place) => other.chain.restore(...place) };
    await handNewSnapshot(local.home, genesis, block.appHash, restoring);
    other.set.powers = new Map(rig.set.powers);
    late.abci = other;
    late.local = new FedSequencer(genesis, undefined);
    await handNewSnapshot(rig.home, genesis, block.appHash, late.local);
  }
  for (const { publicKey } of PARTIES) {
    const statistics = await rig.chain.spamStatistics(publicKey);
    expect(local.statistics(publicKey)).toEqual(statistics);
    expect(late.local!.statistics(publicKey)).toEqual(statistics);
    expect(await late.abci!.chain.spamStatistics(publicKey)).toEqual(statistics);
  }
  const rows = rig.rows();
  expect(rows).toEqual(local.rows());
  expect(late.abci!.rows()).toEqual(late.local!.rows());
  for (const [table, { rows: number }] of Object.entries(rows.tables))
    count(`rows of ${table}`, Number(number));
  await Promise.all([rig.stop(), late.abci!.stop()]);
  for (const chain of [local, late.local!]) chain.stop();
  return { facts };
}

/** Odd nanoseconds, and long enough for heartbeats and the ends of bans. */
const STEPS_NS = [1_000_001, 700_000_013, 1_000_000_000, 3_000_000_999, 26_000_000_000];
