// The engine's words and the naive markets' words for each other: events, market data, commands and identifiers.
import { sha3HexOf } from "../../../src/crypto/sha.ts";
import { idOf, type MarketRig, type RigEvent } from "../../../src/testing/market-rig.ts";
import type { CommandInit } from "../../../src/wire/transaction.ts";
import type { Amendment, Command, Shape, Submission } from "./commands.ts";
import { byText } from "./model.ts";
import { MARKETS } from "./world.ts";

/** Identifiers of a transaction: each is the hash of the one before. */
export function idsOf(tag: number): (at: number) => string {
  return (at) => {
    let id = idOf(`step ${tag}`);
    for (let i = 0; i < at; i++) id = sha3HexOf(Buffer.from(id, "hex"));
    return id;
  };
}

const orderId = (name: string): string => {
  const [tag, at] = name.split("/");
  return idsOf(Number(tag))(Number(at));
};

const ACCOUNTS: Readonly<Record<number, string>> = {
  1: "insurance",
  2: "settlement",
  5: "infrastructureFees",
  6: "liquidityFees",
  7: "makerFees",
  12: "globalReward",
};

const PARTY_ACCOUNTS: Readonly<Record<number, string>> = { 3: "margin", 4: "general", 9: "bond" };

export const NAMES: ReadonlyMap<string, string> = new Map(
  [...MARKETS, "ETH", "DAI"].map((name) => [idOf(name), name]),
);

export function accountName(
  type: number,
  owner: string | undefined,
  market: string | undefined,
  asset: string,
): string {
  const isOfMarket = market !== undefined && NAMES.has(market);
  if (type === 1 && !isOfMarket) return "?";
  const ofParty = PARTY_ACCOUNTS[type];
  const name = ofParty === undefined ? ACCOUNTS[type] : `${ofParty} ${owner}`;
  return name === undefined ? "?" : `${name}@${NAMES.get(isOfMarket ? market : asset)}`;
}

// biome-ignore lint/suspicious/noExplicitAny: an event is looked at as it is
const feeText = (fee: any): string =>
  fee ? `${fee.makerFee || 0}/${fee.infrastructureFee || 0}/${fee.liquidityFee || 0}` : "-";

/** An engine's event as the naive markets state it. */
export function factOf(event: RigEvent): string[] {
  const market = NAMES.get(event.payload.marketId) ?? "-";
  return marketFactOf(event).map((fact) => `${market} ${fact}`);
}

function marketFactOf({ member, payload }: RigEvent): string[] {
  switch (member) {
    case "order": {
      const { id, partyId, side, price, size, remaining, timeInForce, type, status, reason } = payload;
      // Of a provider; a party that is closed out for its orders alone has an order of 0, too.
      if (size === 0n && type !== 3) return [];
      const { version, batchId, createdAt, expiresAt, peggedOrder, liquidityProvisionId, reference } =
        payload;
      const peg = peggedOrder ? `${peggedOrder.reference}/${peggedOrder.offset}` : "-";
      const name =
        type !== 3
          ? id
          : reference === "LS"
            ? "network"
            : reference === "close-out distressed"
              ? "against"
              : reference;
      const first = ["order", name, partyId, side, price, size, remaining, timeInForce, type, status];
      const rest = [reason ?? 0, version, batchId, createdAt, expiresAt, peg, liquidityProvisionId || "-"];
      return [[...first, ...rest].join(" ")];
    }
    case "trade": {
      const { price, size, buyer, seller, aggressor, buyOrder, sellOrder, type } = payload;
      const ids = type === 1 ? [buyOrder, sellOrder] : ["-", "-"];
      const fees = [feeText(payload.buyerFee), feeText(payload.sellerFee)];
      return [["trade", price, size, buyer, seller, aggressor, ...ids, type, ...fees].join(" ")];
    }
    case "marginLevels": {
      const { partyId, maintenanceMargin, searchLevel, initialMargin, collateralReleaseLevel } = payload;
      const levels = [maintenanceMargin, searchLevel, initialMargin, collateralReleaseLevel].join("/");
      return [`levels ${partyId} ${levels}`];
    }
    case "lossSocialization":
      return [`loss ${payload.partyId} ${payload.amount}`];
    case "settlePosition": {
      const trades = payload.tradeSettlements.map(
        (one: { size: bigint; price: string; marketPrice: string }) =>
          `${one.size}@${one.price}/${one.marketPrice}`,
      );
      return [`settle ${payload.partyId} ${payload.price} ${trades.join(",")}`];
    }
    case "settleDistressed":
      return [`distressed ${payload.partyId} ${payload.margin} ${payload.price}`];
    case "distressedOrders":
      return [`ordersClosed ${payload.parties.join(" ")}`];
    case "distressedPositions": {
      const of = (parties: readonly string[]) => [...parties].sort().join();
      return [`distressedPositions ${of(payload.distressedParties)} ${of(payload.safeParties)}`];
    }
    case "expiredOrders":
      return [`expired ${[...payload.orderIds].sort(byText).join(" ")}`];
    case "settleMarket":
      return [`settledMarket ${payload.price} ${payload.positionFactor}`];
    case "auction": {
      const { openingAuction, leave, start, end, trigger, extensionTrigger } = payload;
      if (leave) return [`auction leave ${+openingAuction}`];
      return [`auction ${+openingAuction} ${start} ${end} ${trigger} ${extensionTrigger}`];
    }
    case "liquidityProvision": {
      const { id, partyId, status, commitmentAmount, fee, version } = payload;
      return [`provision ${id} ${partyId} ${status} ${commitmentAmount} ${fee} ${version}`];
    }
    case "ledgerMovements":
      return payload.ledgerMovements.flatMap((movement: { entries: unknown[] }) =>
        // biome-ignore lint/suspicious/noExplicitAny: an event is looked at as it is
        movement.entries.flatMap((entry: any) => {
          const { fromAccount: from, toAccount: to, amount, type } = entry;
          if (type === 19 || amount === "0") return [];
          const nameOf = (of: typeof from) => accountName(of.type, of.owner, of.marketId, of.assetId);
          return [`move ${type} ${nameOf(from)} ${nameOf(to)} ${amount}`];
        }),
      );
    default:
      return [];
  }
}

export function dataOf(rig: MarketRig, market: string): string {
  const data = rig.marketData(market);
  const bounds = data.priceMonitoringBounds.map(
    ({ minValidPrice, maxValidPrice, referencePrice, trigger }) =>
      `${minValidPrice}..${maxValidPrice} of ${referencePrice} by ` +
      `${trigger?.horizon}/${trigger?.probability}/${trigger?.auctionExtension}`,
  );
  const shares = data.liquidityProviderFeeShare.map(
    ({ party, equityLikeShare, averageEntryValuation, averageScore }) =>
      `${party}:${equityLikeShare}/${averageEntryValuation}/${averageScore}`,
  );
  return [
    `mark ${data.markPrice}`,
    `best ${data.bestBidPrice}x${data.bestBidVolume}/${data.bestOfferPrice}x${data.bestOfferVolume}`,
    `static ${data.bestStaticBidPrice}x${data.bestStaticBidVolume}/${data.bestStaticOfferPrice}x${data.bestStaticOfferVolume}`,
    `mid ${data.midPrice}/${data.staticMidPrice}`,
    `interest ${data.openInterest}`,
    `mode ${data.marketTradingMode}, next ${data.nextMarkToMarket}, at ${data.timestamp}`,
    `fee ${rig.market(market).context.record.liquidityFee}`,
    `auction ${data.auctionStart}/${data.auctionEnd}`,
    `indicative ${data.indicativePrice}x${data.indicativeVolume}`,
    `trigger ${data.trigger}/${data.extensionTrigger}`,
    `stake ${data.targetStake}/${data.suppliedStake}`,
    `bounds ${bounds.join(" ")}`,
    `value ${data.marketValueProxy}`,
    `shares ${shares.join(" ")}`,
    `state ${data.marketState}`,
    `last ${data.lastTradedPrice}`,
  ].join(", ");
}

function submissionInit(order: Submission) {
  return {
    marketId: idOf(order.market),
    price: order.price?.toString() ?? "",
    size: order.size,
    side: order.side,
    timeInForce: order.tif,
    expiresAt: order.expiresNs,
    type: order.isMarket ? 2 : 1,
    reference: "",
    peggedOrder: order.peg && { reference: order.peg.reference, offset: order.peg.offset.toString() },
    postOnly: order.postOnly,
    reduceOnly: order.reduceOnly,
  };
}

function amendmentInit(amendment: Amendment) {
  return {
    orderId: orderId(amendment.order),
    marketId: idOf(amendment.market),
    price: amendment.price?.toString(),
    sizeDelta: amendment.sizeDelta,
    timeInForce: amendment.tif,
    expiresAt: amendment.expiresNs,
    peggedOffset: amendment.pegOffset?.toString() ?? "",
    peggedReference: amendment.pegReference,
  };
}

const shapeInit = (shapes: readonly Shape[]) =>
  shapes.map(({ reference, offset, proportion }) => ({
    reference,
    offset: offset.toString(),
    proportion: Number(proportion),
  }));

export function commandInit(command: Command): CommandInit {
  switch (command.kind) {
    case "submit":
      return { kind: "orderSubmission", payload: submissionInit(command.order) };
    case "amend":
      return { kind: "orderAmendment", payload: amendmentInit(command.amendment) };
    case "cancel": {
      const id = command.order === undefined ? "" : orderId(command.order);
      const marketId = command.market === undefined ? "" : idOf(command.market);
      return { kind: "orderCancellation", payload: { marketId, orderId: id } };
    }
    case "batch": {
      const { cancellations, amendments, submissions } = command;
      return {
        kind: "batchMarketInstructions",
        payload: {
          cancellations: cancellations.map(({ market, order }) => ({
            marketId: idOf(market),
            orderId: orderId(order),
          })),
          amendments: amendments.map(amendmentInit),
          submissions: submissions.map(submissionInit),
        },
      };
    }
    case "provide":
    case "amendProvision": {
      const { commitment, fee, buys, sells } = command;
      return {
        kind: command.kind === "provide" ? "liquidityProvisionSubmission" : "liquidityProvisionAmendment",
        payload: {
          marketId: idOf(command.market),
          commitmentAmount: commitment?.toString() ?? "",
          fee: fee ?? "",
          buys: shapeInit(buys),
          sells: shapeInit(sells),
          reference: "",
        },
      };
    }
    case "cancelProvision":
      return { kind: "liquidityProvisionCancellation", payload: { marketId: idOf(command.market) } };
  }
}

/** A command with the ids that its orders' names stand for. */
export function withIds(command: Command): Command {
  const amendmentOf = (amendment: Amendment) => ({ ...amendment, order: orderId(amendment.order) });
  if (command.kind === "amend") return { ...command, amendment: amendmentOf(command.amendment) };
  if (command.kind === "cancel" && command.order !== undefined)
    return { ...command, order: orderId(command.order) };
  if (command.kind !== "batch") return command;
  const { cancellations, amendments } = command;
  return {
    ...command,
    cancellations: cancellations.map(({ market, order }) => ({ market, order: orderId(order) })),
    amendments: amendments.map(amendmentOf),
  };
}
