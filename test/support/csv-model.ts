// The fifteen exported tables a second time, naively: plain lists of rows from decoded events, by the rules of
// reference 20 (sections 2.5 to 2.7, 3.3 to 3.6) and 70 (9.4), for comparison with what goes through the store,
// the segments and the archive. Nothing of src/store or src/history is used here.
import { createHash } from "node:crypto";
import { enumDescriptor, messageDescriptor } from "../../src/wire/schema/index.ts";
import { type Fixed, fixed, fixedText, ONE, over, times } from "./fixed-point.ts";

// biome-ignore lint/suspicious/noExplicitAny: messages of many types
type Any = any;

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

interface Row {
  /** Height of the row of `blocks` it belongs to. */
  readonly height: number;
  readonly sort: readonly (string | bigint)[];
  readonly line: string;
}

type Rows = Map<string, Row>;

const WORDS: Readonly<Record<string, string>> = {
  VOTE: "00",
  network: "03",
  XYZalpha: "04",
  XYZbeta: "05",
  XYZdelta: "06",
  XYZepsilon: "07",
  XYZgamma: "08",
  fBTC: "09",
  fDAI: "0a",
  fEURO: "0b",
  fUSDC: "0c",
};

const hex = (id: string) => WORDS[id] ?? id.toLowerCase();
const bytea = (id: string) => `\\x${hex(id)}`;
/** The spelling that ids come back in. */
const spelled = (id: string) =>
  Object.entries(WORDS).find(([, byte]) => byte === id.toLowerCase())?.[0] ??
  (id in WORDS ? id : id.toLowerCase());
const text = (value: string) =>
  value === "" || /[",\r\n]/.test(value) ? `"${value.split('"').join('""')}"` : value;
const label = (type: string, value: number) => enumDescriptor(type).nameOf.get(value) ?? String(value);

function floorDiv(value: bigint, by: bigint): bigint {
  const rest = ((value % by) + by) % by;
  return (value - rest) / by;
}

/** timestamptz of microseconds, by way of `Date`. */
function timeUs(us: bigint): string {
  const second = floorDiv(us, 1_000_000n);
  const [date, clock] = new Date(Number(second) * 1000).toISOString().slice(0, 19).split("T");
  const fraction = String(us - second * 1_000_000n)
    .padStart(6, "0")
    .replace(/0+$/, "");
  return `${date} ${clock}${fraction === "" ? "" : `.${fraction}`}+00`;
}
const timeNs = (ns: bigint) => timeUs(floorDiv(ns, 1000n));

/** HUGEINT: halves away from zero. */
function whole(value: string): string {
  const exact = fixed(value);
  const half = exact < 0n ? -ONE / 2n : ONE / 2n;
  return String((exact + half) / ONE);
}
const numeric = (value: string) => fixedText(fixed(value));
function scaled16(value: string): string {
  const step = ONE / 10n ** 16n;
  const exact = fixed(value);
  const units = (exact + (exact < 0n ? -step / 2n : step / 2n)) / step;
  const digits = String(units < 0n ? -units : units).padStart(17, "0");
  return `${units < 0n ? "-" : ""}${digits.slice(0, -16)}.${digits.slice(-16)}`;
}
function float8(value: string): string {
  const number = Number(value);
  if (number === 0) return "0";
  const [mantissa, exponent] = number.toExponential().split("e") as [string, string];
  const power = Number(exponent);
  if (power < -4 || power >= 15) {
    return `${mantissa}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
  }
  return String(number);
}

/** jsonb: keys by length and bytes, a blank behind colons and commas; a number in full. */
function jsonb(value: Any): string {
  if (value === null) return "null";
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "number") return fixedText(fixed(String(value)));
  if (typeof value !== "object") return String(value);
  if (Array.isArray(value)) return `[${value.map(jsonb).join(", ")}]`;
  const keys = Object.keys(value).filter((key) => value[key] !== undefined);
  keys.sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
  return `{${keys.map((key) => `${JSON.stringify(key)}: ${jsonb(value[key])}`).join(", ")}}`;
}

/** Struct JSON: zero values and empty texts are left out. */
function struct(members: Record<string, Any>): Record<string, Any> {
  const isZero = (value: Any) => value === "" || value === 0 || value === 0n || value === undefined;
  return Object.fromEntries(Object.entries(members).filter(([, value]) => !isZero(value)));
}

/** Proto-JSON without unset fields. */
function protoJson(type: string, message: Any): Record<string, Any> {
  const out: Record<string, Any> = {};
  for (const field of messageDescriptor(type).fields) {
    const value = message[field.jsonName];
    if (value === undefined) continue;
    const one = (item: Any): Any => {
      if (field.kind === "message") return protoJson(field.typeName, item);
      if (field.kind === "enum") return enumDescriptor(field.typeName).nameOf.get(item) ?? item;
      return typeof item === "bigint" ? String(item) : item;
    };
    if (field.repeated) {
      if (value.length > 0) out[field.jsonName] = value.map(one);
    } else if (field.kind === "message" || field.oneof !== "") out[field.jsonName] = one(value);
    else if (value !== "" && value !== 0 && value !== 0n && value !== false) out[field.jsonName] = one(value);
  }
  return out;
}

interface Position {
  market: string;
  party: string;
  volume: bigint;
  realised: Fixed;
  unrealised: Fixed;
  entry: Fixed;
  entryMarket: Fixed;
  loss: Fixed;
  adjustment: Fixed;
  tx: string;
  pendingVolume: bigint;
  pendingRealised: Fixed;
  pendingUnrealised: Fixed;
  pendingEntry: Fixed;
  pendingEntryMarket: Fixed;
  lossSocialisation: Fixed;
  status: string;
}

const MARGIN = 3;
const STATUS = "POSITION_STATUS_";

export class CsvModel {
  private readonly tables: Record<string, Rows> = {};
  private readonly live = new Map<string, { message: Any; tx: string }>();
  private readonly factors = new Map<string, Fixed>();
  private positions = new Map<string, Position>();
  /** As they stood before the running block. */
  private before = new Map<string, Position>();
  private height = 0;
  private us = -1n;
  private hash = "";
  private part = 0;
  private count = 0;
  private ledgerEntries = 0n;

  block(block: ModelBlock): void {
    const us = floorDiv(block.timeNs, 1000n);
    this.count++;
    this.ledgerEntries = 0n;
    this.before = new Map([...this.positions].map(([key, position]) => [key, { ...position }]));
    if (us !== this.us) {
      // A block at the time of the one before has no row, and its rows belong to that one (reference 60, 14.1).
      this.height = block.height;
      this.us = us;
      this.hash = block.hash;
      this.part = 0;
      this.put("blocks", `${us}`, [us], [this.time, block.height, bytea(block.hash)]);
    } else this.part++;
    for (const event of block.events) this.event(event);
  }

  /** The lines of a table for segments with these ends, header aside. */
  lines(table: string, from: number, ends: readonly number[]): string[] {
    const lines: string[] = [];
    let start = from;
    for (const end of ends) {
      const rows = [...(this.tables[table] ?? new Map()).values()] as Row[];
      const held = rows.filter(({ height }) => height >= start && height <= end);
      lines.push(...held.sort(byKey).map(({ line }) => line));
      start = end + 1;
    }
    return lines;
  }

  private get time(): string {
    return timeUs(this.us);
  }

  /** A row in place of the one with this identity. */
  private put(
    table: string,
    identity: string,
    sort: readonly (string | bigint)[],
    cells: readonly unknown[],
  ): void {
    this.tables[table] ??= new Map();
    this.tables[table]!.delete(identity);
    this.tables[table]!.set(identity, {
      height: this.height,
      // Ties, which the original's keys do not allow, stay in the order of the blocks.
      sort: [...sort, BigInt(this.count)],
      line: `${cells.join(",")}\n`,
    });
  }

  private account(owner: string, asset: string, market: string, type: number): string {
    const party = owner === "*" || owner === "" ? "network" : spelled(owner);
    const name = label("vega.AccountType", type);
    const whole = spelled(asset) + party + (market === "!" ? "" : spelled(market)) + name;
    return `\\x${createHash("sha256").update(whole).digest("hex")}`;
  }

  private event({ kind, message: m, seq, tx: hash }: ModelEvent): void {
    const tx = bytea(hash);
    const { time, us } = this;
    const once = `${us}|${this.part}|${seq}`;
    const synthetic = us + BigInt(seq);
    switch (kind) {
      case "account": {
        const account = this.account(m.owner, m.asset, m.marketId, m.type);
        return this.put("balances", `${us}|${account}`, [us, account], [account, time, tx, whole(m.balance)]);
      }
      case "checkpoint":
        return this.put(
          "checkpoints",
          once,
          [us, BigInt(seq)],
          [text(m.hash), text(m.blockHash), m.blockHeight, tx, time, seq],
        );
      case "delegationBalance":
        return this.put(
          "delegations",
          once,
          [us, BigInt(seq)],
          [bytea(m.party), bytea(m.nodeId), m.epochSeq, whole(m.amount), tx, time, seq],
        );
      case "ledgerMovements":
        for (const entry of m.ledgerMovements.flatMap((movement: Any) => movement.entries))
          this.ledger(entry, tx);
        return;
      case "order":
        return this.order(m, seq, hash);
      case "expiredOrders":
        for (const [i, id] of m.orderIds.entries()) {
          const found = this.live.get(hex(id));
          if (!found) continue;
          const updatedAt = us * 1000n;
          this.order({ ...found.message, status: 2, updatedAt }, seq + i, found.tx);
        }
        return;
      case "trade":
        this.put("trades", once, [synthetic], [timeUs(synthetic), tx, time, seq, ...tradeCells(m)]);
        return this.trade(m);
      case "marketData":
        return this.put(
          "market_data",
          once,
          [synthetic],
          [timeUs(synthetic), tx, time, seq, ...marketDataCells(m)],
        );
      case "marginLevels": {
        const account = this.account(m.partyId, m.asset, m.marketId, MARGIN);
        const levels = [m.maintenanceMargin, m.searchLevel, m.initialMargin, m.collateralReleaseLevel];
        return this.put(
          "margin_levels",
          `${us}|${account}`,
          [us, account],
          [account, time, ...levels.map(whole), tx, time],
        );
      }
      case "liquidityProvision":
        return this.put(
          "liquidity_provisions",
          `${us}|${hex(m.id)}`,
          [hex(m.id), us],
          provisionCells(m, tx, time),
        );
      case "marketCreated":
      case "marketUpdated":
        this.factors.set(hex(m.id), powerOfTen(m.positionDecimalPlaces));
        return this.put(
          "markets",
          `${us}|${hex(m.id)}`,
          [hex(m.id), us],
          [bytea(m.id), tx, time, ...marketCells(m)],
        );
      case "deposit":
        return this.put(
          "deposits",
          `${us}|${hex(m.id)}|${hex(m.partyId)}`,
          [hex(m.id), hex(m.partyId), us],
          [
            bytea(m.id),
            label("vega.Deposit.Status", m.status),
            bytea(m.partyId),
            bytea(m.asset),
            whole(m.amount),
            text(m.txHash),
            timeNs(m.creditedTimestamp),
            timeNs(m.createdTimestamp),
            tx,
            time,
          ],
        );
      case "withdrawal":
        return this.put(
          "withdrawals",
          `${us}|${hex(m.id)}|${hex(m.partyId)}`,
          [hex(m.id), hex(m.partyId), us],
          [
            bytea(m.id),
            bytea(m.partyId),
            numeric(m.amount),
            bytea(m.asset),
            label("vega.Withdrawal.Status", m.status),
            text(m.ref),
            text(m.txHash),
            timeNs(m.createdTimestamp),
            timeNs(m.withdrawnTimestamp),
            text(jsonb(m.ext === undefined ? {} : protoJson("vega.WithdrawExt", m.ext))),
            tx,
            time,
          ],
        );
      case "rewardPayout":
        return this.put(
          "rewards",
          once,
          [us, BigInt(seq)],
          [
            bytea(m.party),
            bytea(m.asset),
            bytea(m.market === "!" ? "" : m.market),
            text(m.rewardType),
            m.epochSeq,
            whole(m.amount),
            float8(m.percentOfTotalReward),
            timeNs(m.timestamp),
            tx,
            time,
            seq,
          ],
        );
      default:
        return this.settle(kind, m, hash);
    }
  }

  private ledger(entry: Any, tx: string): void {
    const at = this.us + this.ledgerEntries++;
    const account = (a: Any) =>
      this.account(a?.owner ?? "", a?.assetId ?? "", a?.marketId ?? "", a?.type ?? 0);
    this.put(
      "ledger",
      `${this.us}|${this.part}|${at}`,
      [at],
      [
        timeUs(at),
        account(entry.fromAccount),
        account(entry.toAccount),
        whole(entry.amount),
        tx,
        this.time,
        timeNs(entry.timestamp),
        whole(entry.fromAccountBalance),
        whole(entry.toAccountBalance),
        label("vega.TransferType", entry.type),
      ],
    );
  }

  private order(m: Any, seq: number, tx: string): void {
    const id = hex(m.id);
    const isLive = [1, 8].includes(m.status) && m.type === 1 && ![3, 4].includes(m.timeInForce);
    if (isLive) this.live.set(id, { message: m, tx });
    else this.live.delete(id);
    this.put(
      "orders",
      `${this.us}|${id}|${m.version}`,
      [this.us, BigInt(seq)],
      [
        bytea(m.id),
        bytea(m.marketId),
        bytea(m.partyId),
        m.side,
        whole(m.price),
        m.size,
        m.remaining,
        m.timeInForce,
        m.type,
        m.status,
        text(m.reference),
        m.reason ?? 0,
        m.version,
        m.batchId,
        whole(m.peggedOrder?.offset ?? "0"),
        m.peggedOrder?.reference ?? 0,
        bytea(m.liquidityProvisionId),
        timeNs(m.createdAt),
        timeNs(m.updatedAt),
        timeNs(m.expiresAt),
        bytea(tx),
        this.time,
        seq,
        m.postOnly ? "t" : "f",
        m.reduceOnly ? "t" : "f",
      ],
    );
  }

  private position(market: string, party: string): Position {
    const key = `${hex(market)}|${hex(party)}`;
    const known = this.positions.get(key);
    if (known) return known;
    const fresh: Position = {
      market: bytea(market),
      party: bytea(party),
      volume: 0n,
      realised: 0n,
      unrealised: 0n,
      entry: 0n,
      entryMarket: 0n,
      loss: 0n,
      adjustment: 0n,
      tx: "\\x",
      pendingVolume: 0n,
      pendingRealised: 0n,
      pendingUnrealised: 0n,
      pendingEntry: 0n,
      pendingEntryMarket: 0n,
      lossSocialisation: 0n,
      status: `${STATUS}UNSPECIFIED`,
    };
    this.positions.set(key, fresh);
    return fresh;
  }

  private write(p: Position): void {
    const settled = [p.realised, p.unrealised, p.entry, p.entryMarket, p.loss, p.adjustment].map(fixedText);
    const pending = [p.pendingRealised, p.pendingUnrealised, p.pendingEntry, p.pendingEntryMarket];
    this.put(
      "positions",
      `${this.us}|${p.market}|${p.party}`,
      [this.us, p.party, p.market],
      [
        p.market,
        p.party,
        p.volume,
        ...settled,
        p.tx,
        this.time,
        p.pendingVolume,
        ...pending.map(fixedText),
        fixedText(p.lossSocialisation),
        p.status,
      ],
    );
  }

  private trade(m: Any): void {
    const price = fixed(m.price);
    const factor = this.factors.get(hex(m.marketId)) ?? ONE;
    const sides: [string, bigint][] = [
      [m.buyer, m.size],
      [m.seller, -m.size],
    ];
    // A trade with oneself: both sides are read before either is written (reference 70, 9.5).
    if (hex(m.buyer) === hex(m.seller)) sides.shift();
    for (const [party, size] of sides) {
      const p = this.position(m.marketId, party);
      const { opened, closed } = split(p.pendingVolume, size);
      p.pendingRealised += (price - p.pendingEntry) * closed;
      p.pendingVolume -= closed;
      p.pendingEntry = average(p.pendingEntry, p.pendingVolume, opened, price);
      p.pendingEntryMarket = average(p.pendingEntryMarket, p.pendingVolume, opened, price);
      p.pendingVolume += opened;
      p.pendingUnrealised =
        p.pendingVolume === 0n ? 0n : over(p.pendingVolume * (price - p.pendingEntry), factor);
      this.write(p);
    }
  }

  private settle(kind: string, m: Any, hash: string): void {
    if (kind === "distressedOrders") {
      return this.mark(m.marketId, m.parties, () => `${STATUS}ORDERS_CLOSED`);
    }
    if (kind === "distressedPositions") {
      return this.mark(m.marketId, [...m.distressedParties, ...m.safeParties], (status) =>
        status.endsWith("DISTRESSED") ? `${STATUS}UNSPECIFIED` : `${STATUS}DISTRESSED`,
      );
    }
    if (kind === "settleMarket") {
      // What this block did to the market's positions before is not seen (docs/compatibility.md, kept as it is).
      for (const [key, position] of this.before) {
        if (position.market !== bytea(m.marketId)) continue;
        const p = { ...position, tx: bytea(hash) };
        this.positions.set(key, p);
        p.realised += over(p.volume * (fixed(m.price) - p.entry), fixed(m.positionFactor));
        p.unrealised = 0n;
        p.volume = 0n;
        settled(p);
        this.write(p);
      }
      // A position made in this block was not there to be settled.
      return;
    }
    const p = this.position(m.marketId, m.partyId);
    p.tx = bytea(hash);
    if (kind === "settlePosition") settlePosition(p, m);
    else if (kind === "lossSocialization") {
      const amount = fixed(m.amount);
      if (amount < 0n) p.loss += amount;
      else p.adjustment += amount;
      p.lossSocialisation += amount < 0n ? -amount : amount;
      p.realised += amount;
    } else if (kind === "settleDistressed") {
      p.realised += p.unrealised - fixed(m.margin);
      p.unrealised = 0n;
      p.entry = 0n;
      p.volume = 0n;
      p.status = `${STATUS}CLOSED_OUT`;
    } else throw new Error(`no rule for ${kind}`);
    settled(p);
    this.write(p);
  }

  private mark(market: string, parties: readonly string[], change: (status: string) => string): void {
    for (const party of parties) {
      const p = this.positions.get(`${hex(market)}|${hex(party)}`);
      if (!p) continue;
      p.status = change(p.status);
      this.write(p);
    }
  }
}

function byKey(a: Row, b: Row): number {
  for (const [i, left] of a.sort.entries()) {
    const right = b.sort[i]!;
    if (left !== right) return left < right ? -1 : 1;
  }
  return 0;
}

function split(volume: bigint, size: bigint): { opened: bigint; closed: bigint } {
  const magnitude = (value: bigint) => (value < 0n ? -value : value);
  if (volume === 0n || volume < 0n === size < 0n) return { opened: size, closed: 0n };
  const closed = magnitude(size) > magnitude(volume) ? volume : -size;
  return { opened: size + closed, closed };
}

function average(entry: Fixed, volume: bigint, opened: bigint, price: Fixed): Fixed {
  if (volume + opened === 0n) return 0n;
  return over(entry * volume + price * opened, (volume + opened) * ONE);
}

function settled(p: Position): void {
  p.pendingVolume = p.volume;
  p.pendingRealised = p.realised;
  p.pendingUnrealised = p.unrealised;
  p.pendingEntry = p.entry;
  p.pendingEntryMarket = p.entryMarket;
}

function settlePosition(p: Position, m: Any): void {
  const factor = fixed(m.positionFactor);
  for (const { size, price, marketPrice } of m.tradeSettlements) {
    const { opened, closed } = split(p.volume, size);
    p.realised += over((fixed(price) - p.entry) * closed, factor);
    p.volume -= closed;
    p.entry = average(p.entry, p.volume, opened, fixed(price));
    p.entryMarket = average(p.entryMarket, p.volume, opened, fixed(marketPrice));
    p.volume += opened;
  }
  p.unrealised = p.volume === 0n ? 0n : over(p.volume * (fixed(m.price) - p.entry), factor);
}

function powerOfTen(places: bigint): Fixed {
  return places < 0n ? over(ONE, 10n ** -places * ONE) : times(10n ** places * ONE, ONE);
}

function tradeCells(m: Any): unknown[] {
  const fees = [m.buyerFee, m.sellerFee].flatMap((fee) =>
    [fee?.makerFee, fee?.infrastructureFee, fee?.liquidityFee].map((value) => whole(value ?? "0")),
  );
  return [
    bytea(m.id),
    bytea(m.marketId),
    whole(m.price),
    m.size,
    bytea(m.buyer),
    bytea(m.seller),
    m.aggressor,
    bytea(m.buyOrder),
    bytea(m.sellOrder),
    m.type,
    ...fees,
    m.buyerAuctionBatch,
    m.sellerAuctionBatch,
  ];
}

function marketDataCells(m: Any): unknown[] {
  const bounds = m.priceMonitoringBounds.map((bound: Any) => ({
    ...struct({
      max_valid_price: bound.maxValidPrice,
      min_valid_price: bound.minValidPrice,
      reference_price: bound.referencePrice,
    }),
    ...(bound.trigger && {
      trigger: struct({
        horizon: bound.trigger.horizon,
        probability: bound.trigger.probability,
        auction_extension: bound.trigger.auctionExtension,
      }),
    }),
  }));
  const shares = m.liquidityProviderFeeShare.map((share: Any) =>
    struct({
      party: share.party,
      average_score: share.averageScore,
      equity_like_share: share.equityLikeShare,
      average_entry_valuation: share.averageEntryValuation,
    }),
  );
  const list = (items: Any[]) => text(jsonb(items.length === 0 ? null : items));
  return [
    bytea(m.market),
    whole(m.markPrice),
    whole(m.bestBidPrice),
    m.bestBidVolume,
    whole(m.bestOfferPrice),
    m.bestOfferVolume,
    whole(m.bestStaticBidPrice),
    m.bestStaticBidVolume,
    whole(m.bestStaticOfferPrice),
    m.bestStaticOfferVolume,
    whole(m.midPrice),
    whole(m.staticMidPrice),
    m.openInterest,
    m.auctionEnd,
    m.auctionStart,
    whole(m.indicativePrice),
    m.indicativeVolume,
    label("vega.Market.TradingMode", m.marketTradingMode),
    label("vega.AuctionTrigger", m.trigger),
    label("vega.AuctionTrigger", m.extensionTrigger),
    whole(m.targetStake),
    whole(m.suppliedStake),
    list(bounds),
    text(m.marketValueProxy),
    list(shares),
    label("vega.Market.State", m.marketState),
    timeNs(m.nextMarkToMarket),
  ];
}

function provisionCells(m: Any, tx: string, time: string): unknown[] {
  const shape = (orders: Any[]) =>
    text(
      jsonb(
        orders.map((order) => ({
          ...struct({ order_id: order.orderId }),
          ...(order.liquidityOrder && { liquidity_order: struct(order.liquidityOrder) }),
        })),
      ),
    );
  return [
    bytea(m.id),
    bytea(m.partyId),
    timeNs(m.createdAt),
    timeNs(m.updatedAt),
    bytea(m.marketId),
    whole(m.commitmentAmount),
    scaled16(m.fee),
    shape(m.sells),
    shape(m.buys),
    m.version,
    label("vega.LiquidityProvision.Status", m.status),
    text(m.reference),
    tx,
    time,
  ];
}

function marketCells(m: Any): unknown[] {
  const parameters = m.priceMonitoringSettings?.parameters;
  const triggers = (parameters?.triggers ?? []).map((trigger: Any) => ({
    horizon: trigger.horizon,
    probability: numeric(trigger.probability),
    auctionExtension: trigger.auctionExtension,
  }));
  const liquidity = m.liquidityMonitoringParameters;
  const factors = m.fees?.factors;
  const json = (value: Any) => text(jsonb(value));
  return [
    text(m.tradableInstrument?.instrument?.id ?? ""),
    json(m.tradableInstrument ? protoJson("vega.TradableInstrument", m.tradableInstrument) : {}),
    m.decimalPlaces,
    json(factors ? { factors: struct(factors) } : {}),
    json(struct(m.openingAuction ?? {})),
    json(parameters ? { priceMonitoringParameters: triggers.length > 0 ? { triggers } : {} } : {}),
    json({
      ...struct({
        triggeringRatio: liquidity?.triggeringRatio,
        auctionExtension: liquidity?.auctionExtension,
      }),
      ...(liquidity?.targetStakeParameters && {
        targetStakeParameters: struct(liquidity.targetStakeParameters),
      }),
    }),
    label("vega.Market.TradingMode", m.tradingMode),
    label("vega.Market.State", m.state),
    json(struct(m.marketTimestamps ?? {})),
    m.positionDecimalPlaces,
    text(m.lpPriceRange),
    m.quadraticSlippageFactor === "" ? "" : numeric(m.quadraticSlippageFactor),
    m.linearSlippageFactor === "" ? "" : numeric(m.linearSlippageFactor),
  ];
}
