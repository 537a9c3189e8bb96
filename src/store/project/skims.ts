// The skims of the kinds that are many, by payload field: one thread can look at an event (sources/block-batch.ts)
// and another take its columns. No database here: a thread that only reads loads this file and little else.
import { Skim } from "../../wire/skim.ts";
import { Field } from "./fields.ts";
import {
  ACCOUNT_RULES,
  DELEGATION_RULES,
  EPOCH_RULES,
  MARGIN_RULES,
  MARKET_DATA_RULES,
  MARKET_RULES,
  RANKING_RULES,
  SCORE_RULES,
} from "./rules.ts";

const V1 = "vega.events.v1";
const SCORE_FIELDS = ["node_id", "epoch_seq"];
const DELEGATION_FIELDS = ["party", "node_id", "epoch_seq", "amount"];

export const accountSkim = new Skim("vega.Account", ACCOUNT_RULES, [
  "owner",
  "asset",
  "market_id",
  "type",
  "balance",
]);
export const marketSkim = new Skim("vega.Market", MARKET_RULES, ["id", "state"]);
export const marketDataSkim = new Skim("vega.MarketData", MARKET_DATA_RULES, ["market"]);
export const marginSkim = new Skim("vega.MarginLevels", MARGIN_RULES, ["party_id", "asset", "market_id"]);
export const epochSkim = new Skim(`${V1}.EpochEvent`, EPOCH_RULES, ["seq"]);
export const rankingSkim = new Skim(`${V1}.ValidatorRankingEvent`, RANKING_RULES, SCORE_FIELDS);
export const scoreSkim = new Skim(`${V1}.ValidatorScoreEvent`, SCORE_RULES, SCORE_FIELDS);
export const delegationSkim = new Skim(`${V1}.DelegationBalanceEvent`, DELEGATION_RULES, DELEGATION_FIELDS);

const byField: (Skim | undefined)[] = [];
byField[Field.account] = accountSkim;
byField[Field.marketCreated] = marketSkim;
byField[Field.marketUpdated] = marketSkim;
byField[Field.marketData] = marketDataSkim;
byField[Field.marginLevels] = marginSkim;
byField[Field.epochUpdate] = epochSkim;
byField[Field.validatorRanking] = rankingSkim;
byField[Field.validatorScore] = scoreSkim;
byField[Field.delegationBalance] = delegationSkim;

/** The skim whose notes an event of a kind may carry. */
export function skimOf(field: number): Skim | undefined {
  return byField[field];
}
