// Views of governance and markets: proposals, votes, markets, market data.

import { Grpc } from "../../../errors/statuses.ts";
import { ApiError } from "../../../http/errors.ts";
import { readMarketAt, readMarketDataAt, readProposalAt, readVoteAt } from "../../../wire/generated/vega.ts";
import { endpoint } from "../../data/entry.ts";
import { Filter } from "./filter.ts";

const GOVERNANCE = "State of governance";
const MARKETS = "State of the markets";

interface MessageRow {
  readonly data: Uint8Array;
}

const proposals = endpoint({
  path: "/proposals",
  request: "vega.api.v1.ListProposalsRequest",
  response: "vega.api.v1.ListProposalsResponse",
  tag: GOVERNANCE,
  summary: "List proposals",
  description: "By id. `proposal` and `proposer` select.",
  narrowing: "give proposal or proposer",
  handle(context, request) {
    const rows = new Filter(context)
      .bytes("c.id", request.proposal ?? "")
      .reference("c.party", request.proposer ?? "")
      .rows<MessageRow>(
        "p.data FROM proposals_current c JOIN proposals p ON p.block = c.block AND p.id = c.id",
        "c.id",
        "give proposal or proposer",
      );
    return { proposals: rows.map(({ data }) => readProposalAt(data, 0, data.length)) };
  },
});

const votes = endpoint({
  path: "/votes",
  request: "vega.api.v1.ListVotesRequest",
  response: "vega.api.v1.ListVotesResponse",
  tag: GOVERNANCE,
  summary: "List votes",
  description:
    "The latest vote of each party on each proposal. At least one of `proposal` and `party` must be given.",
  narrowing: "give both proposal and party",
  handle(context, request) {
    const proposal = request.proposal ?? "";
    const party = request.party ?? "";
    if (proposal === "" && party === "") throw new ApiError(Grpc.unknown, "missing proposal or party filter");
    const rows = new Filter(context)
      .bytes("c.proposal", proposal)
      .reference("c.party", party)
      .rows<MessageRow>(
        `v.data FROM votes_current c
         JOIN votes v ON v.block = c.block AND v.proposal = c.proposal AND v.party = c.party`,
        "c.proposal, c.party",
        "give both proposal and party",
      );
    return { votes: rows.map(({ data }) => readVoteAt(data, 0, data.length)) };
  },
});

const markets = endpoint({
  path: "/markets",
  request: "vega.api.v1.ListMarketsRequest",
  response: "vega.api.v1.ListMarketsResponse",
  tag: MARKETS,
  summary: "List markets",
  description: "By id. With `market`, that one alone, or none.",
  narrowing: "give market",
  handle(context, request) {
    const rows = new Filter(context)
      .reference("c.id", request.market ?? "")
      .rows<MessageRow>(
        "m.data FROM markets_current c JOIN markets m ON m.block = c.block AND m.id = c.id",
        "c.id",
        "give market",
      );
    return { markets: rows.map(({ data }) => readMarketAt(data, 0, data.length)) };
  },
});

const marketsData = endpoint({
  path: "/markets/data",
  request: "vega.api.v1.ListMarketsDataRequest",
  response: "vega.api.v1.ListMarketsDataResponse",
  tag: MARKETS,
  summary: "List the latest data of markets",
  description: "By market. With `market`, that one alone, or none.",
  narrowing: "give market",
  handle(context, request) {
    const rows = new Filter(context).reference("c.id", request.market ?? "").rows<{
      data: Uint8Array | null;
    }>(
      `(SELECT d.data FROM market_data d WHERE d.market = c.id ORDER BY d.block DESC, d.ord DESC LIMIT 1) AS data
       FROM markets_current c`,
      "c.id",
      "give market",
    );
    const shown = rows.flatMap(({ data }) => (data ? [readMarketDataAt(data, 0, data.length)] : []));
    return { marketsData: shown };
  },
});

export const governanceViews = [proposals, votes, markets, marketsData];
