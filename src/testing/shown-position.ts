/**
 * A party's position as the data API shows it, from the events of a run
 * (docs/protocol/70-trading-events.md#95-how-position-rows-are-computed).
 */
import {
  applyDistressed,
  applyLossSocialization,
  applyMarketSettlement,
  applySettlement,
  applyTrade,
  emptyPosition,
  type PositionState,
  Status,
  shownPosition,
  toggleDistress,
} from "../store/project/position-state.ts";
import { Decimal } from "../wire/decimal.ts";
import type { RecordedEvent } from "./recorded-blocks.ts";

/** Open volume, realised and unrealised profit, average entry price: of trades, unsettled ones included. */
export type ShownPosition = ReturnType<typeof shownPosition>;

/** @param market id @returns undefined where no event made a position */
export function positionOfEvents(
  events: readonly Pick<RecordedEvent, "member" | "payload">[],
  market: string,
  party: string,
): ShownPosition | undefined {
  const state = emptyPosition();
  let factor = Decimal.one;
  let isThere = false;
  for (const { member, payload } of events) {
    if (member === "marketCreated" && payload.id === market) {
      factor = Decimal.shifted(1n, -Number(payload.positionDecimalPlaces));
    }
    if (payload.marketId !== market) continue;
    const apply = HANDLERS[member];
    if (apply?.(state, payload, party, factor, isThere)) isThere = true;
  }
  return isThere ? shownPosition(state) : undefined;
}

/** @returns whether the event concerned the party in a way that makes it a position */
type Handler = (
  state: PositionState,
  // biome-ignore lint/suspicious/noExplicitAny: an event is looked at as it is
  payload: any,
  party: string,
  factor: Decimal,
  isThere: boolean,
) => boolean;

const ofParty =
  (apply: (state: PositionState, payload: Parameters<Handler>[1], factor: Decimal) => void): Handler =>
  (state, payload, party, factor) => {
    if (payload.partyId !== party) return false;
    apply(state, payload, factor);
    return true;
  };

const HANDLERS: Readonly<Record<string, Handler>> = {
  trade: (state, { buyer, seller, size, price }, party, factor) => {
    // Of a trade with oneself the original keeps the seller's side alone.
    if (seller === party) applyTrade(state, -(size as bigint), Decimal.parse(price), factor);
    else if (buyer === party) applyTrade(state, size, Decimal.parse(price), factor);
    return seller === party || buyer === party;
  },
  settlePosition: ofParty((state, { price, tradeSettlements }, factor) => {
    const trades = tradeSettlements.map((trade: { size: bigint; price: string; marketPrice: string }) => ({
      size: trade.size,
      price: Decimal.parse(trade.price),
      marketPrice: Decimal.parse(trade.marketPrice),
    }));
    applySettlement(state, trades, Decimal.parse(price), factor);
  }),
  lossSocialization: ofParty((state, { amount }) => applyLossSocialization(state, Decimal.parse(amount))),
  settleDistressed: ofParty((state, { margin }) => applyDistressed(state, Decimal.parse(margin))),
  settleMarket: (state, { price }, _party, factor, isThere) => {
    if (isThere) applyMarketSettlement(state, Decimal.parse(price), factor);
    return false;
  },
  distressedOrders: (state, { parties }, party, _factor, isThere) => {
    if (isThere && parties.includes(party)) state.status = Status.ordersClosed;
    return false;
  },
  distressedPositions: (state, { distressedParties, safeParties }, party, _factor, isThere) => {
    for (const parties of [distressedParties, safeParties]) {
      if (isThere && parties.includes(party)) toggleDistress(state);
    }
    return false;
  },
};
