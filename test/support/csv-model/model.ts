// The fifteen exported tables a second time, naively: plain lists of rows from decoded events, by the rules of
// docs/protocol/20-network-history-export.md#25-row-order-inside-a-segment to #27-rendering-of-sql-types,
// docs/protocol/20-network-history-tables.md#33-value-rules-shared-by-all-tables to #36-how-positions-rows-are-computed
// and 70 (9.4), for comparison with what goes through the store, the segments and the archive. Nothing of src/store or
// src/history is used here.
import { createHash } from "node:crypto";
import { marketCells, marketDataCells, provisionCells, tradeCells } from "./cells.ts";
import { type Position, PositionModel, positionCells } from "./positions.ts";
import {
  type Any,
  bytea,
  float8,
  floorDiv,
  hex,
  jsonb,
  label,
  numeric,
  protoJson,
  spelled,
  text,
  timeNs,
  timeUs,
  whole,
} from "./texts.ts";

export interface ModelEvent {
  /** Member of `vega.events.v1.BusEvent` that holds the payload. */
  readonly kind: string;
  readonly message: Any;
  readonly seq: number;
  /** Transaction hash in hex, or none. */
  readonly tx: string;
}

export interface ModelBlock {
  readonly height: number;
  readonly timeNs: bigint;
  readonly hash: string;
  readonly events: readonly ModelEvent[];
}

type Key = string | bigint;

interface Row {
  /** Height of the row of `blocks` it belongs to. */
  readonly height: number;
  readonly sort: readonly Key[];
  readonly line: string;
}

/** An event where it stands: its transaction and the block's time as CSV, its place. */
interface At {
  readonly tx: string;
  readonly seq: number;
  readonly time: string;
  /** Block time, Unix microseconds. */
  readonly us: bigint;
  /** No other event has it. */
  readonly once: string;
}

const ACCOUNT_TYPE_MARGIN = 3;
const [ACTIVE, EXPIRED, PARKED, LIMIT, IOC, FOK] = [1, 2, 8, 1, 3, 4];

export class CsvModel {
  private readonly tables = new Map<string, Map<string, Row>>();
  private readonly live = new Map<string, Any>();
  /** The same as it was when the block began. */
  private liveBefore = new Map<string, Any>();
  private readonly positions = new PositionModel();
  private height = 0;
  private us = -1n;
  private blocks = 0n;
  private ledgerEntries = 0n;

  block(block: ModelBlock): void {
    const us = floorDiv(block.timeNs, 1000n);
    this.blocks++;
    this.ledgerEntries = 0n;
    this.positions.beginBlock();
    this.liveBefore = new Map(this.live);
    if (us !== this.us) {
      // A block at the time of the one before has no row, and its rows belong to that one
      // (docs/protocol/60-state-engine-parameters.md#141-general-rules).
      this.height = block.height;
      this.us = us;
      this.put("blocks", `${us}`, [us], [timeUs(us), block.height, bytea(block.hash)]);
    }
    for (const { kind, message, seq, tx } of block.events) {
      const at = { tx: bytea(tx), seq, time: timeUs(us), us, once: `${this.blocks}|${seq}` };
      const write = this.writers[kind];
      if (!write) throw new Error(`no rule for ${kind}`);
      write(message, at);
    }
  }

  /** The lines of a table for segments with these ends, header aside. */
  lines(table: string, from: number, ends: readonly number[]): string[] {
    const rows = [...(this.tables.get(table)?.values() ?? [])];
    return ends.flatMap((end, i) => {
      const start = i === 0 ? from : ends[i - 1]! + 1;
      const held = rows.filter(({ height }) => height >= start && height <= end);
      return held.sort(bySortKey).map(({ line }) => line);
    });
  }

  private readonly writers: Readonly<Record<string, (m: Any, at: At) => void>> = {
    account: (m, at) => {
      const account = accountId(m.owner, m.asset, m.marketId, m.type);
      this.put("balances", account, [at.us, account], [account, at.time, at.tx, whole(m.balance)]);
    },
    ledgerMovements: (m, at) => {
      for (const entry of m.ledgerMovements.flatMap((movement: Any) => movement.entries))
        this.ledger(entry, at);
    },
    checkpoint: (m, at) => {
      const cells = [text(m.hash), text(m.blockHash), m.blockHeight, at.tx, at.time, at.seq];
      this.put("checkpoints", at.once, [at.us, BigInt(at.seq)], cells);
    },
    delegationBalance: (m, at) => {
      const what = [bytea(m.party), bytea(m.nodeId), m.epochSeq, whole(m.amount)];
      this.put("delegations", at.once, [at.us, BigInt(at.seq)], [...what, at.tx, at.time, at.seq]);
    },
    rewardPayout: (m, at) => this.reward(m, at),
    deposit: (m, at) => this.deposit(m, at),
    withdrawal: (m, at) => this.withdrawal(m, at),
    order: (m, at) => this.order(m, at),
    // The row that was live before the block once more, with another status and time.
    expiredOrders: (m, at) => {
      const ids: string[] = m.orderIds.map(hex);
      const expired = [...this.liveBefore].filter(
        ([id, order]) => ids.includes(id) && hex(order.marketId) === hex(m.marketId),
      );
      expired.sort(([a], [b]) => (a < b ? -1 : 1));
      const changed = { status: EXPIRED, updatedAt: at.us * 1000n };
      for (const [i, [, order]] of expired.entries()) {
        this.order({ ...order, ...changed }, { ...at, seq: at.seq + i });
      }
    },
    trade: (m, at) => {
      const synthetic = at.us + BigInt(at.seq);
      const cells = [timeUs(synthetic), at.tx, at.time, at.seq, ...tradeCells(m)];
      this.put("trades", at.once, [synthetic], cells);
      this.changed(this.positions.trade(m), at);
    },
    marketData: (m, at) => {
      const synthetic = at.us + BigInt(at.seq);
      const cells = [timeUs(synthetic), at.tx, at.time, at.seq, ...marketDataCells(m)];
      this.put("market_data", at.once, [synthetic], cells);
    },
    marginLevels: (m, at) => {
      const account = accountId(m.partyId, m.asset, m.marketId, ACCOUNT_TYPE_MARGIN);
      const levels = [m.maintenanceMargin, m.searchLevel, m.initialMargin, m.collateralReleaseLevel];
      const cells = [account, at.time, ...levels.map(whole), at.tx, at.time];
      this.put("margin_levels", account, [at.us, account], cells);
    },
    liquidityProvision: (m, at) => {
      this.put("liquidity_provisions", hex(m.id), [hex(m.id), at.us], provisionCells(m, at.tx, at.time));
    },
    marketCreated: (m, at) => this.market(m, at),
    marketUpdated: (m, at) => this.market(m, at),
    settlePosition: (m, at) => this.changed(this.positions.settlePosition(m, at.tx), at),
    lossSocialization: (m, at) => this.changed(this.positions.lossSocialization(m, at.tx), at),
    settleDistressed: (m, at) => this.changed(this.positions.settleDistressed(m, at.tx), at),
    settleMarket: (m, at) => this.changed(this.positions.settleMarket(m, at.tx), at),
    distressedOrders: (m, at) => this.changed(this.positions.distressedOrders(m), at),
    distressedPositions: (m, at) => this.changed(this.positions.distressedPositions(m), at),
  };

  /** A row in place of the one at the same time with the same identity. */
  private put(table: string, identity: string, sort: readonly Key[], cells: readonly unknown[]): void {
    const rows = this.tables.get(table) ?? new Map<string, Row>();
    this.tables.set(table, rows);
    // Ties, which the original's keys do not allow, stay in the order of the blocks.
    rows.set(`${this.us}|${identity}`, {
      height: this.height,
      sort: [...sort, this.blocks],
      line: `${cells.join(",")}\n`,
    });
  }

  private ledger(entry: Any, at: At): void {
    const us = at.us + this.ledgerEntries++;
    const account = (a: Any) => accountId(a?.owner ?? "", a?.assetId ?? "", a?.marketId ?? "", a?.type ?? 0);
    this.put(
      "ledger",
      `${this.blocks}|${us}`,
      [us],
      [
        ...[timeUs(us), account(entry.fromAccount), account(entry.toAccount), whole(entry.amount), at.tx],
        ...[at.time, timeNs(entry.timestamp), whole(entry.fromAccountBalance)],
        ...[whole(entry.toAccountBalance), label("vega.TransferType", entry.type)],
      ],
    );
  }

  private reward(m: Any, at: At): void {
    this.put(
      "rewards",
      at.once,
      [at.us, BigInt(at.seq)],
      [
        ...[bytea(m.party), bytea(m.asset), bytea(m.market === "!" ? "" : m.market), text(m.rewardType)],
        ...[m.epochSeq, whole(m.amount), float8(m.percentOfTotalReward), timeNs(m.timestamp)],
        ...[at.tx, at.time, at.seq],
      ],
    );
  }

  private deposit(m: Any, at: At): void {
    const key = [hex(m.id), hex(m.partyId)];
    this.put(
      "deposits",
      key.join("|"),
      [...key, at.us],
      [
        ...[bytea(m.id), label("vega.Deposit.Status", m.status), bytea(m.partyId), bytea(m.asset)],
        ...[whole(m.amount), text(m.txHash), timeNs(m.creditedTimestamp), timeNs(m.createdTimestamp)],
        ...[at.tx, at.time],
      ],
    );
  }

  private withdrawal(m: Any, at: At): void {
    const key = [hex(m.id), hex(m.partyId)];
    const ext = m.ext === undefined ? {} : protoJson("vega.WithdrawExt", m.ext);
    this.put(
      "withdrawals",
      key.join("|"),
      [...key, at.us],
      [
        ...[bytea(m.id), bytea(m.partyId), numeric(m.amount), bytea(m.asset)],
        ...[label("vega.Withdrawal.Status", m.status), text(m.ref), text(m.txHash)],
        ...[timeNs(m.createdTimestamp), timeNs(m.withdrawnTimestamp), text(jsonb(ext)), at.tx, at.time],
      ],
    );
  }

  private order(m: Any, at: At): void {
    const id = hex(m.id);
    const canTrade = m.type === LIMIT && m.timeInForce !== IOC && m.timeInForce !== FOK;
    if (canTrade && (m.status === ACTIVE || m.status === PARKED)) this.live.set(id, m);
    else this.live.delete(id);
    this.put(
      "orders",
      `${id}|${m.version}`,
      [at.us, BigInt(at.seq)],
      [
        ...[bytea(m.id), bytea(m.marketId), bytea(m.partyId), m.side, whole(m.price), m.size, m.remaining],
        ...[m.timeInForce, m.type, m.status, text(m.reference), m.reason ?? 0, m.version, m.batchId],
        ...[whole(m.peggedOrder?.offset ?? "0"), m.peggedOrder?.reference ?? 0],
        ...[bytea(m.liquidityProvisionId), timeNs(m.createdAt), timeNs(m.updatedAt), timeNs(m.expiresAt)],
        ...[at.tx, at.time, at.seq, m.postOnly ? "t" : "f", m.reduceOnly ? "t" : "f"],
      ],
    );
  }

  private market(m: Any, at: At): void {
    this.positions.market(m);
    const cells = [bytea(m.id), at.tx, at.time, ...marketCells(m)];
    this.put("markets", hex(m.id), [hex(m.id), at.us], cells);
  }

  private changed(positions: readonly Position[], at: At): void {
    for (const p of positions) {
      const key = [p.party, p.market];
      this.put("positions", key.join("|"), [at.us, ...key], positionCells(p, at.time));
    }
  }
}

function accountId(owner: string, asset: string, market: string, type: number): string {
  const party = owner === "*" || owner === "" ? "network" : spelled(owner);
  const where = spelled(asset) + party + (market === "!" ? "" : spelled(market));
  const id = createHash("sha256").update(where + label("vega.AccountType", type));
  return `\\x${id.digest("hex")}`;
}

function bySortKey(a: Row, b: Row): number {
  const at = a.sort.findIndex((key, i) => key !== b.sort[i]);
  if (at < 0) return 0;
  return a.sort[at]! < b.sort[at]! ? -1 : 1;
}
