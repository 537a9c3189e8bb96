/**
 * Networks before 0.71, whose markets have no slippage factors: the rules that the engine takes for them
 * (src/engine/markets/rules.ts), and what else differs in recordings of them, each with its reason.
 */
import { type MarketRules, marketRulesOf } from "../src/engine/markets/rules.ts";
import type { Difference, FieldDifference } from "../src/testing/difference.ts";
import type { OlderNetwork } from "../src/testing/re-execution.ts";
import type { RecordedEvent } from "../src/testing/recorded-blocks.ts";

/** Of a field of an event that both have. */
interface FieldReason {
  readonly kinds: RegExp;
  readonly path: RegExp;
  readonly text: string;
  holds?(field: FieldDifference, event: RecordedEvent["payload"]): boolean;
}

const ORDER_OF_PROVIDER = (order: RecordedEvent["payload"]) => order.liquidityProvisionId !== "";
/** `AccountType` */
const FEES_LIQUIDITY = 6;
/** `AuctionTrigger`: liquidity, and its two parts of later versions. */
const LIQUIDITY = "4";
const LIQUIDITY_NOW: ReadonlySet<string> = new Set(["5", "6"]);

const FIELDS: readonly FieldReason[] = [
  {
    kinds: /^(auction|marketData|marketCreated|marketUpdated)$/,
    path: /^(start|end|auctionStart|auctionEnd|openingAuction\.duration|marketTimestamps\.(pending|open))$/,
    text: "an opening auction counted from the market's proposal, and not from the end of the vote",
  },
  {
    kinds: /^(auction|marketData)$/,
    path: /^(trigger|extensionTrigger)$/,
    text: "one trigger stood for every want of liquidity",
    holds: ({ recorded, made: executed }) => recorded === LIQUIDITY && LIQUIDITY_NOW.has(executed),
  },
  {
    kinds: /^order$/,
    path: /^(createdAt|type)$/,
    text: "an order of a provision was a new one each time it was placed, and nothing before",
    holds: (_field, order) => ORDER_OF_PROVIDER(order),
  },
  {
    kinds: /^liquidityProvision$/,
    path: /^updatedAt$/,
    text: "provisions that their market's end stopped kept the time of their last change",
    holds: (_field, { status }) => status === 2,
  },
  {
    kinds: /^positionStateEvent$/,
    path: /^vw(Buy|Sell)Price$/,
    text: "the average price of orders stayed as it was when one was filled",
  },
  {
    kinds: /^trade$/,
    path: /^aggressor$/,
    text: "a trade of an auction named the side that was uncrossed",
    holds: ({ made: executed }) => executed === "0",
  },
  {
    kinds: /^marginLevels$/,
    path: /^collateralReleaseLevel$/,
    text: "in an auction the level of release had the margin's balance on top",
  },
];

export class NetworkBefore071 implements OlderNetwork {
  readonly rules: MarketRules = {
    ...marketRulesOf("0.71.6"),
    boundsSlippage: false,
    stakesByMark: false,
    holdsMargin: false,
  };
  readonly lastOnly: ReadonlySet<string> = new Set(["marginLevels", "positionStateEvent"]);
  private readonly providers = new Set<string>();

  note({ member, payload }: RecordedEvent): void {
    if (member === "liquidityProvision") this.providers.add(payload.partyId);
  }

  reasonFor(difference: Difference, event: RecordedEvent): string | undefined {
    if (difference.fields.length === 0) return this.ofEvent(difference, event);
    const reasons = difference.fields.map((field) => this.ofField(difference, field, event));
    return reasons.includes(undefined) ? undefined : [...new Set(reasons)].join("; ");
  }

  private ofEvent({ kind, made: executed }: Difference, { payload }: RecordedEvent): string | undefined {
    const isRecorded = executed === undefined;
    switch (kind) {
      case "order":
        return ORDER_OF_PROVIDER(payload)
          ? "orders of a provision were cancelled and placed again with each change of the book"
          : undefined;
      case "marginLevels":
        if (isRecorded) return "levels were shown with each order, the unchanged ones of other parties, too";
        return this.providers.has(payload.partyId)
          ? "a provider's margin was worked out when the provision's orders were placed alone"
          : undefined;
      case "settlePosition":
        return !isRecorded && payload.tradeSettlements.length === 0 && this.providers.has(payload.partyId)
          ? "a provider without trades was not settled"
          : undefined;
      case "ledgerEntry":
        return !isRecorded && payload.amount === "0" && payload.fromAccount?.type === FEES_LIQUIDITY
          ? "an end without liquidity fees moved none"
          : undefined;
      default:
        return undefined;
    }
  }

  private ofField(
    { kind, fields }: Difference,
    field: FieldDifference,
    { payload }: RecordedEvent,
  ): string | undefined {
    const isWhole = kind === "marginLevels" && fields.some(({ path }) => path === "maintenanceMargin");
    if (isWhole && this.providers.has(payload.partyId))
      return "a provider's margin was worked out with the price of the last trade";
    return FIELDS.find(
      ({ kinds, path, holds }) =>
        kinds.test(kind) && path.test(field.path) && (holds?.(field, payload) ?? true),
    )?.text;
  }
}
