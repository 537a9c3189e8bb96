// Subscriptions: which stream of the data plane each one follows, and what its messages are
// (docs/protocol/95-graphql-subscriptions.md#9-subscriptions).
import type { RequestFields } from "../../http/query.ts";
import { BusEventType } from "../../wire/generated/events.ts";
import { AccountType } from "../../wire/generated/vega.ts";
import type { BusRequest } from "../data/observe/event-bus.ts";
import type { Streams } from "../data/observe/streams.ts";
import type { DataPlane } from "../data/plane.ts";
import { FieldError } from "./errors.ts";
import { PayloadStream } from "./payload-stream.ts";
import type { Message, QueryReads } from "./reads.ts";
import { as } from "./resolvers/fields.ts";
import { candleIdOf } from "./resolvers/markets.ts";

/** A subscription is opened with the reads of its beginning, and the plane whose streams it follows. */
export class SubscriptionContext {
  constructor(
    readonly plane: DataPlane,
    /** Address of the client, for the limit of each. */
    private readonly address: string | undefined,
  ) {}

  get streams(): Streams {
    return this.plane.streams;
  }

  async observe(
    method: string,
    request: RequestFields,
    payloadOf: (message: Message) => unknown,
  ): Promise<PayloadStream> {
    const observation = await this.streams.observe(method, request, { address: this.address });
    return new PayloadStream(observation, payloadOf);
  }

  observeEvents(request: BusRequest) {
    return this.streams.observeEventBus(request, { address: this.address });
  }
}

type Open = (args: Message, context: SubscriptionContext, reads: ReadNow) => Promise<PayloadStream>;
/** Reads the store once, at the beginning. */
export type ReadNow = <T>(read: (reads: QueryReads) => T) => T;

/** The arguments that are neither absent nor null. */
function given(args: Message): RequestFields {
  return Object.fromEntries(
    Object.entries(args).filter(([, value]) => value !== null && value !== undefined),
  );
}

const one = (id: unknown): string[] => (typeof id === "string" && id !== "" ? [id] : []);

/** A snapshot's page, or the changes of a block. */
const either = (member: string) => (message: Message) => (message.snapshot ?? message.updates)[member] ?? [];
const all = (member: string) => (message: Message) => message[member];

/** Types of events by their names in the schema. */
const EVENT_TYPES: Readonly<Record<string, number>> = {
  TimeUpdate: BusEventType.BUS_EVENT_TYPE_TIME_UPDATE,
  Deposit: BusEventType.BUS_EVENT_TYPE_DEPOSIT,
  Withdrawal: BusEventType.BUS_EVENT_TYPE_WITHDRAWAL,
  TransactionResult: BusEventType.BUS_EVENT_TYPE_TRANSACTION_RESULT,
};
const EVENT_MEMBERS: Readonly<Record<string, string>> = {
  TimeUpdate: "timeUpdate",
  Deposit: "deposit",
  Withdrawal: "withdrawal",
  TransactionResult: "transactionResult",
};
/** A page rejects a node that sends no block time within three seconds. */
const IDLE_MS = 1_500;

async function busEvents(args: Message, context: SubscriptionContext): Promise<PayloadStream> {
  const { types, batchSize } = args;
  if (types.length === 0) throw new FieldError("busEvents subscription requires 1 event type");
  if (types.length > 1)
    throw new FieldError("busEvents subscription support streaming 1 event at a time for now");
  const [type] = types as [string];
  const request: BusRequest = {
    type: [EVENT_TYPES[type]!],
    batchSize: BigInt(Math.max(0, batchSize)),
    marketId: args.marketId ?? "",
    partyId: args.partyId ?? "",
  };
  const observation = await context.observeEvents(request);
  const payloadOf = ({ events }: Message) =>
    events.map((event: Message) => ({
      id: event.id,
      block: event.block,
      type,
      event: as(type, event[EVENT_MEMBERS[type]!]),
    }));
  const stream = new PayloadStream(observation, payloadOf, () => {
    if (batchSize > 0) observation.askNext(request);
  });
  // On a chain that makes no blocks the last one is sent again.
  if (type === "TimeUpdate") stream.expectWithin(IDLE_MS, () => lastTimeUpdate(context.plane));
  return stream;
}

function lastTimeUpdate(plane: DataPlane): object[] | undefined {
  const head = plane.head();
  if (head === undefined) return undefined;
  const event = { timestamp: BigInt(head.timeUs) * 1_000n };
  return [{ id: `${head.height}-1`, block: head.hash, type: "TimeUpdate", event: as("TimeUpdate", event) }];
}

/** The opener of each subscription. */
export const SUBSCRIPTIONS: Readonly<Record<string, Open>> = {
  accounts({ marketId, partyId, assetId, type }, context) {
    if (!marketId && !partyId && !assetId && !type)
      throw new FieldError("at least one query filter must be applied for this subscription");
    const number = type ? AccountType[type as keyof typeof AccountType] : undefined;
    const request = given({ marketId, partyId, asset: assetId, type: number });
    return context.observe("ObserveAccounts", request, either("accounts"));
  },
  // Of the filter only the identifiers count, as in the original.
  orders({ filter }, context) {
    const { marketIds, partyIds } = filter ?? {};
    return context.observe("ObserveOrders", given({ marketIds, partyIds }), either("orders"));
  },
  positions({ partyId, marketId }, context) {
    const payloadOf = either("positions");
    return context.observe("ObservePositions", given({ partyId, marketId }), (message) => {
      const list = payloadOf(message);
      // With both there is one position at the most, and nothing is sent without one.
      return partyId && marketId && list.length === 0 ? undefined : list;
    });
  },
  trades: ({ marketId, partyId }, context) =>
    context.observe("ObserveTrades", { marketIds: one(marketId), partyIds: one(partyId) }, all("trades")),
  tradesStream: ({ filter }, context) => context.observe("ObserveTrades", given(filter), all("trades")),
  margins: ({ partyId, marketId }, context) =>
    context.observe("ObserveMarginLevels", given({ partyId, marketId }), all("marginLevels")),
  marketsData: ({ marketIds }, context) =>
    context.observe("ObserveMarketsData", { marketIds }, all("marketData")),
  marketsDepth: ({ marketIds }, context) =>
    context.observe("ObserveMarketsDepth", { marketIds }, all("marketDepth")),
  marketsDepthUpdate: ({ marketIds }, context) =>
    context.observe("ObserveMarketsDepthUpdates", { marketIds }, all("update")),
  liquidityProvisions: ({ partyId, marketId }, context) =>
    context.observe("ObserveLiquidityProvisions", given({ partyId, marketId }), all("liquidityProvisions")),
  async candles({ marketId, interval }, context, readNow) {
    const intervals = readNow((reads) => reads.call("ListCandleIntervals", { marketId }));
    const candleId = candleIdOf(intervals, marketId, interval);
    return context.observe("ObserveCandleData", { candleId }, all("candle"));
  },
  proposals: ({ partyId }, context) => context.observe("ObserveGovernance", given({ partyId }), all("data")),
  votes({ proposalId, partyId }, context) {
    if (!proposalId && !partyId)
      throw new FieldError("invalid subscription, either proposal or party ID required");
    const request = proposalId ? given({ proposalId }) : given({ partyId });
    return context.observe("ObserveVotes", request, ({ vote }) => ({
      vote,
      proposalId: vote.proposalId,
    }));
  },
  busEvents,
};
