// Makes a long stream for the benchmarks: transfers of many parties, as a core would send their events.
import { EventLog } from "../src/engine/events.ts";
import { AccountType } from "../src/wire/generated/vega.ts";
import { SECOND_NS } from "../src/wire/time-text.ts";
import { wholeEvent } from "../src/wire/whole-event.ts";

const CHAIN = "scale";
const START_NS = 1_700_000_000_000_000_000n;

interface ScaleRecording {
  readonly events: number;
  readonly parties: number;
  readonly eventsPerBlock: number;
  /** Time of the block before the first. */
  readonly startNs?: bigint;
  /** Blocks between two snapshots of the core, where history segments end; none by default. */
  readonly snapshotBlocks?: number;
}

/** A small generator of numbers (xorshift): the same recording every time. */
function numbers(seed: number): (below: number) => number {
  let state = seed >>> 0 || 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state % below;
  };
}

const hexOf = (name: string): string => new Bun.CryptoHasher("sha256").update(name).digest("hex");

export interface ScaleBlock {
  readonly height: number;
  /** Bus events, serialized. */
  readonly events: readonly Uint8Array[];
}

/** A party of the stream. */
export const partyOf = (n: number): string => hexOf(`party ${n}`);

/** Transfers between parties, each of a ledger movement and two balances. */
export function* scaleBlocks(recording: ScaleRecording): Generator<ScaleBlock> {
  const { events, parties, eventsPerBlock, startNs = START_NS, snapshotBlocks } = recording;
  const pick = numbers(7);
  const names = Array.from({ length: parties }, (_, n) => partyOf(n));
  const assets = [hexOf("asset 0"), hexOf("asset 1")];
  const held = new Map<string, bigint>();
  let written = 0;
  for (let height = 1; written < events; height++) {
    const hash = hexOf(`block ${height}`).toUpperCase();
    const timeNs = startNs + BigInt(height) * SECOND_NS;
    const log = new EventLog();
    log.startBlock(hash);
    log.emit("beginBlock", { height: BigInt(height), timestamp: timeNs, hash: hash.toLowerCase() });
    log.emit("timeUpdate", { timestamp: timeNs });
    while (log.length < eventsPerBlock - 1) {
      log.setTransaction(hexOf(`tx ${height} ${log.length}`).toUpperCase());
      const from = names[pick(parties)]!;
      const to = names[pick(parties)]!;
      const asset = assets[pick(2)]!;
      const amount = BigInt(1 + pick(1_000_000)) * 1_000_000_000n;
      const balanceOf = (party: string) => held.get(party + asset[0]) ?? 10n ** 21n;
      held.set(from + asset[0], balanceOf(from) - amount);
      held.set(to + asset[0], balanceOf(to) + amount);
      const type = AccountType.ACCOUNT_TYPE_GENERAL;
      const account = (owner: string) => ({ owner, assetId: asset, marketId: "!", type });
      const [fromAccount, toAccount] = [account(from), account(to)];
      log.emit("ledgerMovements", {
        ledgerMovements: [
          {
            entries: [
              {
                fromAccount,
                toAccount,
                amount: amount.toString(),
                type: 20,
                timestamp: timeNs,
                fromAccountBalance: balanceOf(from).toString(),
                toAccountBalance: balanceOf(to).toString(),
              },
            ],
            balances: [
              { account: fromAccount, balance: balanceOf(from).toString() },
              { account: toAccount, balance: balanceOf(to).toString() },
            ],
          },
        ],
      });
      for (const owner of [from, to]) {
        const id = `!${owner}${asset}${type}`;
        log.emit("account", { id, owner, asset, marketId: "!", type, balance: balanceOf(owner).toString() });
      }
    }
    if (snapshotBlocks !== undefined && height % snapshotBlocks === 0)
      log.emit("coreSnapshotEvent", { blockHeight: BigInt(height), blockHash: hash, coreVersion: "v0.71.6" });
    log.emit("endBlock", { height: BigInt(height) });
    const block = { chainId: CHAIN, height, hash, ...log.blockEvents() };
    written += block.events.length;
    yield { height, events: block.events.map((event) => wholeEvent(block, event)) };
  }
}
