// Commands and readings that the tools of markets are made of.

import type { DevnetPort, TxOutcome } from "../../engine/chain-port.ts";
import { badRequest } from "../../http/errors.ts";
import { absolute } from "../../wire/arithmetic.ts";
import { Decimal } from "../../wire/decimal.ts";
import { SECOND_NS } from "../../wire/time-text.ts";
import type { DevnetContext } from "./context.ts";

/** Quote for the opening, and whenever a price is asked for. */
export const BUYER = "grace";
export const SELLER = "heidi";

export const BUY = "SIDE_BUY";
export const SELL = "SIDE_SELL";
const GTC = "TIME_IN_FORCE_GTC";

export interface MarketNode {
  readonly id: string;
  readonly state: string;
  readonly tradingMode: string;
  readonly decimalPlaces: string;
  readonly positionDecimalPlaces: string;
  readonly marketTimestamps: { readonly proposed: string };
  readonly tradableInstrument: {
    readonly instrument: {
      readonly code: string;
      readonly future: {
        readonly settlementAsset: string;
        readonly dataSourceSpecForSettlementData: Spec;
        readonly dataSourceSpecForTradingTermination: Spec;
        readonly dataSourceSpecBinding: {
          readonly settlementDataProperty: string;
          readonly tradingTerminationProperty: string;
        };
      };
    };
  };
}

export interface Spec {
  readonly data: {
    readonly external?: {
      readonly oracle?: {
        readonly signers: readonly { readonly pubKey?: { readonly key: string } }[];
        readonly filters: readonly {
          readonly key: { readonly name: string; readonly numberDecimalPlaces?: string };
        }[];
      };
    };
  };
}

/** States of markets that trade no more. */
export const TERMINATED = "STATE_TRADING_TERMINATED";
const OVER: Readonly<Record<string, string>> = {
  [TERMINATED]: "has ended its trading",
  STATE_SETTLED: "is settled",
  STATE_CANCELLED: "is cancelled",
  STATE_REJECTED: "was rejected",
  STATE_CLOSED: "is closed",
};

/** @throws ApiError 400 for a market whose trading has ended */
export function checkTrades({ id, state, tradableInstrument }: MarketNode): void {
  const over = OVER[state];
  if (over === undefined) return;
  throw badRequest(`the market ${tradableInstrument.instrument.code} (${id.slice(0, 8)}) ${over}`);
}

export function orderOf(marketId: string, side: string, price: bigint, size: bigint) {
  return {
    marketId,
    side,
    price: price.toString(),
    size: size.toString(),
    timeInForce: GTC,
    type: "TYPE_LIMIT",
  };
}

/** @throws ApiError for a command that was refused */
export function checkOutcome(
  context: DevnetContext,
  party: string,
  name: string,
  { code, text }: TxOutcome,
): void {
  if (code === 0) return;
  const sender = context.parties().parties.find(({ publicKey }) => publicKey === party)?.name;
  throw badRequest(`${name} of ${sender ?? party.slice(0, 8)} was refused: ${text}`);
}

export type Sent = readonly [party: string, command: object];

/** Sends a command as a party, in a block that is made now. @throws ApiError when it is refused */
export async function send(context: DevnetContext, party: string, command: object): Promise<void> {
  await sendAtOnce(context, [[party, command]]);
}

/**
 * Sends the commands of one moment in their order, at once: where a clock makes the blocks, one block holds them all.
 * @throws ApiError when one is refused; those behind it may be executed
 */
export async function sendTogether(context: DevnetContext, commands: readonly Sent[]): Promise<void> {
  const { kind } = await context.chain.blockMode();
  if (kind === "interval") await sendAtOnce(context, commands);
  else for (const sent of commands) await sendAtOnce(context, [sent]);
}

/** Sends commands in their order, in one block that is made now. @throws ApiError when one is refused */
export async function sendAtOnce(context: DevnetContext, commands: readonly Sent[]): Promise<void> {
  const outcomes = await context.chain.perform(commands.map(([party, command]) => ({ party, command })));
  checkAll(context, commands, outcomes);
}

function checkAll(context: DevnetContext, commands: readonly Sent[], outcomes: readonly TxOutcome[]): void {
  for (const [n, [party, command]] of commands.entries())
    checkOutcome(context, party, Object.keys(command)[0]!, outcomes[n]!);
}

/** A party that trades for the tools keeps the value of this many contracts and of its position, beside its margins; it is funded with ten times that. */
const PURSE_CONTRACTS = 10n;
const PURSES_BROUGHT = 10n;
/** Whole units of an asset in one deposit for a party; an order that needs more is refused. */
const UNITS_BROUGHT_MAX = 1_000_000_000_000n;

/**
 * Deposits for the parties that are about to trade at a price and have little left: a crowd loses money to others, and each
 * order is measured with the whole position.
 * @param price in the market's own decimals @param volume that they are about to trade beside some contracts, likewise
 */
export async function keepFunded(
  context: DevnetContext,
  market: MarketNode,
  names: readonly string[],
  price: bigint,
  volume = 0n,
): Promise<void> {
  const assetId = market.tradableInstrument.instrument.future.settlementAsset;
  const asset = context.read<{ asset: { details: { decimals: string } } }>("/api/v2/asset/{asset_id}", {
    assetId,
  });
  const decimals = Number(asset!.asset.details.decimals);
  const digits = decimals - Number(market.decimalPlaces) - Number(market.positionDecimalPlaces);
  const party = partiesOf(context);
  for (const name of names) {
    const open = openVolumeOf(context, party(name), market.id);
    const value = price * (PURSE_CONTRACTS * contractOf(market) + volume + absolute(open));
    const purse = digits < 0 ? value / 10n ** BigInt(-digits) : value * 10n ** BigInt(digits);
    if (balanceOf(context, party(name), assetId) >= purse) continue;
    const brought = purse * PURSES_BROUGHT;
    if (brought > UNITS_BROUGHT_MAX * 10n ** BigInt(decimals)) continue;
    await context.chain.bridge.deposit(party(name), assetId, brought);
  }
}

function openVolumeOf(context: DevnetContext, party: string, market: string): bigint {
  const answer = context.read<{ positions: { edges: { node: { openVolume: string } }[] } }>(
    "/api/v2/positions",
    { "filter.partyIds": party, "filter.marketIds": market },
  );
  return (answer?.positions.edges ?? []).reduce((sum, { node }) => sum + BigInt(node.openVolume), 0n);
}

/** Size of one contract in the market's own decimals; of a market of whole lots, the smallest lot. */
export const contractOf = ({ positionDecimalPlaces }: MarketNode): bigint =>
  10n ** BigInt(Math.max(0, Number(positionDecimalPlaces)));

/** Of the general account. */
function balanceOf(context: DevnetContext, party: string, asset: string): bigint {
  const answer = context.read<{ accounts: { edges: { node: { balance: string } }[] } }>("/api/v2/accounts", {
    "filter.partyIds": party,
    "filter.assetId": asset,
    "filter.accountTypes": "ACCOUNT_TYPE_GENERAL",
  });
  return (answer?.accounts.edges ?? []).reduce((sum, { node }) => sum + BigInt(node.balance), 0n);
}

export async function pass(chain: DevnetPort, seconds: bigint): Promise<void> {
  await chain.letPass(seconds * SECOND_NS);
}

export function partiesOf(context: DevnetContext): (name: string) => string {
  const { parties } = context.parties();
  return (name) => {
    const party = parties.find((one) => one.name === name);
    if (party === undefined)
      throw badRequest(
        `markets are made by the parties alice to judy, and this devnet has no ${name}: start it with ten accounts`,
      );
    return party.publicKey;
  };
}

/** A market by its id, the beginning of it, or its code; of several the newest. @throws ApiError 400 */
export function marketOf(context: DevnetContext, text: string): MarketNode {
  const answer = context.read<{ markets: { edges: { node: MarketNode }[] } }>("/api/v2/markets", {
    includeSettled: "true",
  });
  const nodes = answer?.markets.edges.map(({ node }) => node) ?? [];
  const timeOf = ({ marketTimestamps }: MarketNode) => BigInt(marketTimestamps.proposed);
  const markets = nodes.toSorted((a, b) => Number(timeOf(a) - timeOf(b)));
  const market =
    markets.find(({ id }) => id === text) ??
    markets.findLast(({ tradableInstrument: { instrument } }) => instrument.code === text) ??
    (text.length >= 4 ? markets.find(({ id }) => id.startsWith(text)) : undefined);
  if (market !== undefined) return market;
  const codes = markets
    .slice(-10)
    .map(({ id, tradableInstrument: { instrument } }) => `${instrument.code} (${id.slice(0, 8)})`);
  throw badRequest(
    `there is no market '${text.slice(0, 64)}': ${codes.length === 0 ? "none was made yet" : codes.join(", ")}`,
  );
}

const PRICE_DIGITS_MAX = 30;

/** A price as people write it, in the market's own decimals. @throws ApiError 400 */
export function ticksIn({ decimalPlaces }: MarketNode, price: string): bigint {
  return inTicks(Number(decimalPlaces), price);
}

export function inTicks(decimals: number, price: string): bigint {
  const ticks = scaled(price, decimals);
  if (ticks <= 0n) throw badRequest("'price' must be above zero");
  return ticks;
}

/** @throws ApiError 400 for a text that has more decimals */
export function scaled(text: string, decimals: number): bigint {
  const match = /^(\d+)(?:\.(\d+))?$/.exec(text);
  const [, whole = "", digits = ""] = match ?? [];
  if (match === null || digits.replace(/0+$/, "").length > decimals) {
    const most = decimals === 1 ? "1 decimal" : `${decimals} decimals`;
    throw badRequest(
      `'price' must be a ${decimals === 0 ? "whole number" : `number with at most ${most}`}, not '${text.slice(0, 60)}'`,
    );
  }
  if (whole.length > PRICE_DIGITS_MAX || digits.length > PRICE_DIGITS_MAX)
    throw badRequest(`'price' has more than ${PRICE_DIGITS_MAX} digits`);
  return Decimal.parse(text).times(Decimal.shifted(1n, -decimals)).truncated();
}
