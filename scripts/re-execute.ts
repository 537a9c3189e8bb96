/**
 * Executes the market commands of a recording anew, block by block at the recorded times and with the recorded identifiers, and
 * compares what comes of them with what the chain has recorded: orders, trades, positions' settlements, margin levels, market
 * data, provisions, ledger entries of markets. Names the first differences of each kind.
 *
 *   bun scripts/re-execute.ts RECORDING.evts[.gz] [--show N]
 *
 * Deposits and decided votes are taken from the recording: they are the other domains' affair.
 */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { gunzipSync } from "node:zlib";
import type { MarketRig } from "../src/testing/market-rig.ts";
import { createMarketRig } from "../src/testing/market-rig.ts";
import { type BusEvent, decodeBusEvent } from "../src/wire/generated/events.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { show: { type: "string", default: "3" } },
});
const [file] = positionals;
if (file === undefined) {
  console.error("usage: bun scripts/re-execute.ts RECORDING.evts[.gz] [--show N]");
  process.exit(2);
}

interface Seen {
  readonly member: string;
  readonly tx: string;
  // biome-ignore lint/suspicious/noExplicitAny: an event is looked at as it is
  readonly payload: any;
}

interface RecordedBlock {
  readonly height: number;
  readonly timeNs: bigint;
  readonly hash: string;
  readonly events: Seen[];
}

const HEAD_BYTES = 12;
const DEPOSIT = 19;

function* eventsOf(bytes: Uint8Array): Generator<BusEvent> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at + HEAD_BYTES <= bytes.length; ) {
    const size = view.getUint32(at);
    yield decodeBusEvent(bytes.subarray(at + HEAD_BYTES, at + 4 + size));
    at += 4 + size;
  }
}

function memberOf(event: BusEvent): string | undefined {
  return Object.keys(event).find((name) => {
    const value = event[name as keyof BusEvent];
    return typeof value === "object" && value !== null;
  });
}

function blocksOf(path: string): RecordedBlock[] {
  const raw = readFileSync(path);
  const bytes = path.endsWith(".gz") ? gunzipSync(raw) : raw;
  const blocks: RecordedBlock[] = [];
  for (const event of eventsOf(bytes)) {
    const member = memberOf(event);
    if (member === undefined) continue;
    const payload = event[member as keyof BusEvent] as never;
    if (member === "beginBlock") {
      const { height, timestamp, hash } = event.beginBlock!;
      blocks.push({ height: Number(height), timeNs: timestamp, hash, events: [] });
    } else blocks.at(-1)?.events.push({ member, tx: event.txHash, payload });
  }
  return blocks;
}

const blocks = blocksOf(file);
const all = blocks.flatMap(({ events }) => events);
const first = blocks[0]!;

/** Parameters as the chain began with them; what it does not state is as it is by default. */
const parameters: Record<string, string> = {};
for (const { member, payload } of first.events)
  if (member === "networkParameter") parameters[payload.key] = payload.value;
const unknown = /^(?!market\.|network\.markPrice|network\.floating|limits\.markets|rewards\.marketCreation)/;
for (const key of Object.keys(parameters)) if (unknown.test(key)) delete parameters[key];

const assets = Object.fromEntries(
  all
    .filter(({ member }) => member === "asset")
    .map(({ payload }) => [
      payload.id,
      { decimals: Number(payload.details.decimals), quantum: payload.details.quantum },
    ]),
);
const rig: MarketRig = createMarketRig({
  assets,
  parameters,
  startSeconds: first.timeNs / 1_000_000_000n,
});
rig.endBlock();

/** Members that are compared, with what of them says which thing they are about. */
const COMPARED: Readonly<Record<string, (payload: Seen["payload"]) => string>> = {
  order: ({ id, status, remaining, size, price, side }) =>
    `${short(id)} side ${side} ${remaining}/${size}@${price} status ${status}`,
  trade: ({ price, size, buyer, seller, type, buyerFee, sellerFee }) =>
    `${short(buyer)}-${short(seller)} ${size}@${price} type ${type} ${JSON.stringify([buyerFee, sellerFee])}`,
  settlePosition: ({ partyId, price, tradeSettlements }) =>
    `${short(partyId)} at ${price}, ${tradeSettlements.length} trades`,
  lossSocialization: ({ partyId, amount }) => `${short(partyId)} ${amount}`,
  settleMarket: ({ price, positionFactor }) => `${price} ${positionFactor}`,
  liquidityProvision: ({ id, status, commitmentAmount }) =>
    `${short(id)} ${commitmentAmount} status ${status}`,
  marginLevels: ({ partyId, maintenanceMargin, initialMargin }) =>
    `${short(partyId)} maintenance ${maintenanceMargin} initial ${initialMargin}`,
  auction: ({ marketId, leave, trigger }) => `${short(marketId)} leave ${leave} trigger ${trigger}`,
  oracleData: ({ externalData }) => JSON.stringify(externalData.data.data),
  marketData: (data) =>
    `mark ${data.markPrice} bid ${data.bestBidPrice}:${data.bestBidVolume} offer ${data.bestOfferPrice}:${data.bestOfferVolume} interest ${data.openInterest} mode ${data.marketTradingMode} state ${data.marketState} target ${data.targetStake}`,
};
const LEDGER = "ledger entry";
const short = (id: string) => id.slice(0, 8);

interface Tally {
  same: number;
  missing: number;
  extra: number;
  readonly shown: string[];
}
const tallies = new Map<string, Tally>();
const tallyOf = (kind: string) => {
  const known = tallies.get(kind) ?? { same: 0, missing: 0, extra: 0, shown: [] };
  tallies.set(kind, known);
  return known;
};

/** What a block says of each kind, as a bag: in which order things of one kind come is looked at for orders and trades alone. */
function saidOf(events: readonly { member: string; payload: Seen["payload"] }[]): Map<string, string[]> {
  const said = new Map<string, string[]>();
  const add = (kind: string, text: string) => said.set(kind, [...(said.get(kind) ?? []), text]);
  for (const { member, payload } of events) {
    const text = COMPARED[member]?.(payload);
    if (text !== undefined) add(member, text);
    if (member !== "ledgerMovements") continue;
    for (const { entries } of payload.ledgerMovements) {
      for (const { type, amount, fromAccount, toAccount } of entries) {
        const ofMarket = fromAccount?.marketId !== undefined || toAccount?.marketId !== undefined;
        if (type !== DEPOSIT && ofMarket && amount !== "0") {
          add(
            LEDGER,
            `type ${type} ${short(fromAccount?.owner ?? "*")}->${short(toAccount?.owner ?? "*")} ${amount}`,
          );
        }
      }
    }
  }
  return said;
}

function compare(height: number, recorded: Map<string, string[]>, made: Map<string, string[]>): void {
  for (const kind of new Set([...recorded.keys(), ...made.keys()])) {
    const tally = tallyOf(kind);
    const rest = [...(made.get(kind) ?? [])];
    for (const text of recorded.get(kind) ?? []) {
      const at = rest.indexOf(text);
      if (at >= 0) {
        tally.same++;
        rest.splice(at, 1);
      } else {
        tally.missing++;
        tally.shown.push(`block ${height}: recorded ${text}`);
      }
    }
    tally.extra += rest.length;
    tally.shown.push(...rest.map((text) => `block ${height}: made     ${text}`));
  }
}

const MARKET_COMMANDS = [
  "orderSubmission",
  "orderAmendment",
  "orderCancellation",
  "liquidityProvisionSubmission",
  "liquidityProvisionAmendment",
  "liquidityProvisionCancellation",
  "batchMarketInstructions",
  "oracleDataSubmission",
] as const;

/** The identifier of what a transaction made, as the chain gave it. */
function idOf(block: RecordedBlock, { tx, payload }: Seen): string | undefined {
  const mine = block.events.filter((event) => event.tx === tx);
  const provision = mine.find(({ member }) => member === "liquidityProvision");
  if (payload.liquidityProvisionSubmission !== undefined) return provision?.payload.id;
  const own = mine.find(
    ({ member, payload: order }) =>
      member === "order" &&
      order.partyId === payload.partyId &&
      order.createdAt === block.timeNs &&
      order.liquidityProvisionId === "",
  );
  return own?.payload.id;
}

/** Markets whose price bounds the chain's validators have agreed on by now. */
const agreed = new Set<string>();
rig.hasModels = (market) => agreed.has(market);
const BOUNDS = /_([0-9a-f]{64})_bound-factors$/;

let delivered = 0;
let disagreed = 0;
for (const block of blocks.slice(1)) {
  rig.beginBlockAt(block.timeNs, block.hash);
  for (const seen of block.events) {
    const { member, payload } = seen;
    if (member === "ledgerMovements") {
      for (const { entries } of payload.ledgerMovements)
        for (const { type, amount, toAccount } of entries)
          if (type === DEPOSIT && toAccount.owner)
            rig.deposit(toAccount.owner, toAccount.assetId, BigInt(amount));
    }
    // Several validators worked these out, within a tolerance: the last digits are theirs.
    if (member === "riskFactor") rig.setRiskFactors(payload.market, payload.long, payload.short);
    if (member === "networkParameter" && !unknown.test(payload.key))
      rig.setParameter(payload.key, payload.value);
    if (member === "proposal" && payload.terms?.newMarket !== undefined) {
      if (payload.state === 2) rig.proposeRecorded(payload, block.timeNs);
      if (payload.state === 3 || payload.state === 5) rig.decide(payload.id, payload.state === 3);
    }
    if (member !== "transactionResult") continue;
    const kind = MARKET_COMMANDS.find((name) => payload[name] !== undefined);
    if (kind === undefined) continue;
    const command = { kind, payload: payload[kind] } as never;
    const { code, text } = rig.deliver(payload.partyId, command, idOf(block, seen), true);
    delivered++;
    if ((code === 0) !== payload.status) {
      disagreed++;
      tallyOf("verdict").missing++;
      tallyOf("verdict").shown.push(
        `block ${block.height}: ${kind} recorded ${payload.failure?.error ?? "ok"}, made ${text || "ok"}`,
      );
    } else tallyOf("verdict").same++;
  }
  for (const { member, payload } of block.events) {
    const [, market] = (member === "stateVar" && BOUNDS.exec(payload.id)) || [];
    if (market !== undefined && /consensus_reached|perfect_match/.test(payload.state)) agreed.add(market);
  }
  const made = rig.endBlock();
  compare(block.height, saidOf(block.events), saidOf(made));
}

const show = Number(values.show);
console.log(`${blocks.length} blocks, ${delivered} commands of markets, ${disagreed} with another verdict`);
for (const [kind, { same, missing, extra, shown }] of [...tallies].sort()) {
  console.log(`${kind.padEnd(20)} same ${same}, only recorded ${missing}, only made ${extra}`);
  for (const line of shown.slice(0, show)) console.log(`    ${line}`);
}
if (rig.faults.length > 0) console.log("faults:", rig.faults.slice(0, 3));
process.exitCode = [...tallies.values()].every(({ missing, extra }) => missing + extra === 0) ? 0 : 1;
