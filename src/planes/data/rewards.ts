// Rewards and their sums (docs/protocol/10-data-api-endpoints.md#42-listrewards to #44-listepochrewardsummaries).

import { internal, invalidArgument } from "../../http/errors.ts";
import {
  CursorError,
  type KeyValue,
  type PageRequest,
  PaginationError,
  pageRequest,
  type Row,
  readPage,
} from "../../http/pagination.ts";
import { amountText, type StoredAmount } from "../../store/amount.ts";
import { readRewardPayoutEventAt } from "../../wire/generated/events.ts";
import type { EpochRewardSummary, Reward, RewardSummary } from "../../wire/generated/vega.ts";
import { canonicalIdentifier, InvalidIdentifier } from "../../wire/identifiers.ts";
import { Conditions, CursorReader, type DataContext, type Paged, truncatedNs } from "./context.ts";
import { endpoint, list } from "./entry.ts";
import { EPOCH_MAX } from "./values.ts";

/** Market of an account event that has none. */
const NO_MARKET = "!";
/** `{"assetId":"","partyId":"","amount":"0"},`: more rows than fit an answer of this size need not be read. */
const SUMMARY_BYTES_MIN = 41;
/** Below this the original prints exponents (docs/protocol/10-data-api-endpoints.md#42-listrewards). */
const PLAIN_MIN = 0.0001;

interface RewardRow extends Row {
  data: Uint8Array;
}

interface EpochFilter {
  fromEpoch?: bigint;
  toEpoch?: bigint;
}

/** @throws ApiError 500 with `failure` for an epoch that no column can hold, as there */
function epochRange(filter: EpochFilter, column: string, failure: string): Conditions {
  const conditions = new Conditions();
  const bound = (comparison: ">=" | "<=", epoch: bigint | undefined) => {
    if (epoch === undefined) return;
    if (epoch > EPOCH_MAX) throw internal(failure, `epoch ${epoch} is above ${EPOCH_MAX}`);
    conditions.add(`${column} ${comparison} ?`, epoch);
  };
  bound(">=", filter.fromEpoch);
  bound("<=", filter.toEpoch);
  return conditions;
}

/** Adds the party and the asset of a request, where they are named. @throws InvalidIdentifier */
function addPartyAndAsset(
  context: DataContext,
  conditions: Conditions,
  { partyId, assetId }: { readonly partyId?: string; readonly assetId?: string },
  table: "r" | "s",
) {
  if (partyId) conditions.add(`${table}.party = ?`, context.ids.position(partyId));
  if (assetId) conditions.add(`${table}.asset = ?`, context.ids.position(assetId));
}

export function rewardOf(data: Uint8Array): Reward {
  const event = readRewardPayoutEventAt(data, 0, data.length);
  return {
    assetId: canonicalIdentifier(event.asset),
    partyId: canonicalIdentifier(event.party),
    epoch: BigInt(event.epochSeq),
    amount: BigInt(event.amount).toString(),
    percentageOfTotal: percentText(event.percentOfTotalReward),
    receivedAt: truncatedNs(event.timestamp),
    marketId: event.market === NO_MARKET ? "" : canonicalIdentifier(event.market),
    rewardType: event.rewardType,
  };
}

/** The shortest text of the nearest double: `62.5`, `33.33333333333333`, `1e-05`. */
export function percentText(text: string): string {
  const value = Number(text);
  if (value === 0 || Math.abs(value) >= PLAIN_MIN) return String(value);
  return value.toExponential().replace(/e-(\d)$/, "e-0$1");
}

const REWARDS_FAILED = "failed to get rewards";
const SUMMARY_FAILED = "failed to get summary";

const listRewards = list({
  path: "/api/v2/rewards",
  request: "datanode.api.v2.ListRewardsRequest",
  response: "datanode.api.v2.ListRewardsResponse",
  tag: "Rewards",
  summary: "List rewards",
  description: "Every payout, by epoch and, within an epoch, in the order of the payouts.",
  failure: REWARDS_FAILED,
  member: "rewards",
  rows(context, page, request) {
    const conditions = epochRange(request, "r.epoch", REWARDS_FAILED);
    addPartyAndAsset(context, conditions, request, "r");
    return context.list<RewardRow, Reward>({
      query: {
        select: "r.party, r.asset, r.data",
        from: "rewards r",
        ...conditions,
        order: [{ sql: "r.epoch" }, { sql: "r.block" }, { sql: "r.ord" }],
      },
      page,
      key: (cursor) => {
        const place: KeyValue[] = [cursor.number("epoch_id")];
        if (cursor.has("vega_time")) place.push(cursor.block("vega_time"), cursor.number("seq_num"));
        return place;
      },
      cursor: (row) =>
        JSON.stringify({
          party_id: context.ids.text(row.party as bigint),
          asset_id: context.ids.text(row.asset as bigint),
          epoch_id: Number(row.k0),
          vega_time: context.cursorTime(row.k1!),
          seq_num: Number(row.k2),
        }),
      node: (row) => rewardOf(row.data),
    });
  },
});

interface SummaryRow extends Row {
  amount: StoredAmount;
}

/**
 * The answer has no page info, and the original takes paging controls without a look at them. Here they cut the list
 * when they make sense, and are passed over when they do not, so that nothing the original answers is an error.
 */
function summaryPage(
  context: DataContext,
  { pagination = {} }: Paged,
): { page: PageRequest; key?: KeyValue[] } {
  const rowsMax = Math.floor(context.limits.responseBytesMax / SUMMARY_BYTES_MIN) + 1;
  const limits = { ...context.limits, pageRowsDefault: rowsMax, pageRowsMax: rowsMax };
  const newestFirst = pagination.newestFirst === true;
  try {
    const page = { ...pageRequest(pagination, limits), newestFirst };
    if (page.cursor === undefined) return { page };
    const cursor = new CursorReader(page.cursor, context);
    return { page, key: [cursor.ref("party_id"), cursor.ref("asset_id")] };
  } catch (error) {
    if (!(error instanceof PaginationError || error instanceof CursorError)) throw error;
    return { page: { limit: rowsMax, forward: true, newestFirst: false } };
  }
}

const listRewardSummaries = endpoint({
  path: "/api/v2/rewards/summaries",
  request: "datanode.api.v2.ListRewardSummariesRequest",
  response: "datanode.api.v2.ListRewardSummariesResponse",
  tag: "Rewards",
  summary: "List reward summaries",
  description:
    'What each party was paid in each asset over all epochs, by party and asset. Well-formed paging controls cut the list; a cursor is the base64 of `{"party_id":…,"asset_id":…}`.',
  handle(context, request) {
    return context.query(
      SUMMARY_FAILED,
      () => {
        const conditions = new Conditions();
        addPartyAndAsset(context, conditions, request, "s");
        const { page, key } = summaryPage(context, request);
        const order = [{ sql: "s.party" }, { sql: "s.asset" }];
        const query = { select: "s.amount", from: "reward_totals s", ...conditions, order };
        const { rows } = readPage<SummaryRow>(context.db, query, page, key);
        const summaries = rows.map(
          (row): RewardSummary => ({
            assetId: context.ids.text(row.k1 as bigint),
            partyId: context.ids.text(row.k0 as bigint),
            amount: amountText(row.amount),
          }),
        );
        return { summaries };
      },
      "querying rewards: ",
    );
  },
});

function epochSummaryOf(context: DataContext, row: SummaryRow): EpochRewardSummary {
  return {
    epoch: row.k0 as bigint,
    assetId: context.ids.text(row.k1 as bigint),
    marketId: context.ids.text(row.k2 as bigint),
    rewardType: row.k3 as string,
    amount: amountText(row.amount),
  };
}

/** References of a list of identifiers. @throws ApiError 400 */
function refsOf(context: DataContext, ids: readonly string[] = [], title: string): number[] {
  return ids.map((id) => {
    try {
      return context.ids.position(id);
    } catch (error) {
      if (!(error instanceof InvalidIdentifier)) throw error;
      const inner = `could not decode ${title} ID: decoding '${id.slice(0, 200)}': ${error.message}`;
      throw invalidArgument(SUMMARY_FAILED, inner);
    }
  });
}

const listEpochRewardSummaries = list({
  path: "/api/v2/rewards/epoch/summaries",
  request: "datanode.api.v2.ListEpochRewardSummariesRequest",
  response: "datanode.api.v2.ListEpochRewardSummariesResponse",
  tag: "Rewards",
  summary: "List reward summaries by epoch",
  description:
    "Payouts of each epoch, summed over parties, by epoch, asset, market and reward type. An empty `filter.marketIds` selects rewards without a market.",
  failure: SUMMARY_FAILED,
  member: "summaries",
  rows(context, page, request) {
    const filter = request.filter ?? {};
    const conditions = epochRange(filter, "s.epoch", SUMMARY_FAILED);
    conditions.addOneOf("s.asset", refsOf(context, filter.assetIds, "asset"));
    conditions.addOneOf("s.market", refsOf(context, filter.marketIds, "market"));
    const order = ["s.epoch", "s.asset", "s.market", "s.type"].map((sql) => ({ sql }));
    return context.list<SummaryRow, EpochRewardSummary>({
      query: { select: "s.amount", from: "reward_totals_by_epoch s", ...conditions, order },
      page,
      key: (cursor) => [
        cursor.number("epoch_id"),
        cursor.ref("asset_id"),
        cursor.ref("market_id"),
        cursor.string("reward_type"),
      ],
      cursor: (row) => {
        const { epoch, assetId, marketId, rewardType, amount } = epochSummaryOf(context, row);
        return JSON.stringify({
          epoch_id: Number(epoch),
          asset_id: assetId,
          market_id: marketId,
          reward_type: rewardType,
          amount,
        });
      },
      node: (row) => epochSummaryOf(context, row),
    });
  },
});

export const rewardEndpoints = [listRewards, listRewardSummaries, listEpochRewardSummaries];
