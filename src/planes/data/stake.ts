// Stake of a party and the linkings it comes from (reference 10, section 5.6).

import type { Endpoint } from "../../http/endpoint.ts";
import { internal, invalidArgument } from "../../http/errors.ts";
import type { Row } from "../../http/pagination.ts";
import { readStakeLinkingAt, type StakeLinking } from "../../wire/generated/events.ts";
import { canonicalIdentifier, hexOf } from "../../wire/identifiers.ts";
import { type DataContext, isPartyFilter, truncatedNs } from "./context.ts";

const TYPE_LINK = 1;
const TYPE_UNLINK = 2;
const STATUS_ACCEPTED = 2;

const CURRENT = "stake_linkings_current c CROSS JOIN stake_linkings s ON s.block = c.block AND s.id = c.id";

interface LinkingRow extends Row {
  data: Uint8Array;
}

function linkingOf(data: Uint8Array): StakeLinking {
  const linking = readStakeLinkingAt(data, 0, data.length);
  linking.id = canonicalIdentifier(linking.id);
  linking.party = canonicalIdentifier(linking.party);
  linking.amount = BigInt(linking.amount).toString();
  linking.finalizedAt = truncatedNs(linking.finalizedAt);
  return linking;
}

/** Accepted links less accepted unlinks, over the latest state of each. @throws ApiError 500 below zero */
function stakeOf(context: DataContext, party: number): bigint {
  let stake = 0n;
  const rows = context.db.query(`SELECT s.data FROM ${CURRENT} WHERE c.party = ?`).iterate(party);
  for (const { data } of rows as Iterable<LinkingRow>) {
    const { type, status, amount } = readStakeLinkingAt(data, 0, data.length);
    if (status !== STATUS_ACCEPTED) continue;
    if (type === TYPE_LINK) stake += BigInt(amount);
    if (type === TYPE_UNLINK) stake -= BigInt(amount);
  }
  if (stake < 0n) throw internal("failed to get stake linking", `the stake is negative: ${stake}`);
  return stake;
}

const getStake: Endpoint<DataContext> = {
  path: "/api/v2/parties/{party_id}/stake",
  request: "datanode.api.v2.GetStakeRequest",
  response: "datanode.api.v2.GetStakeResponse",
  tag: "Parties",
  summary: "Get a party's stake",
  description: "The stake available now, and the linkings in their latest state, by block time and id.",
  handle(context, request) {
    const partyId = request.partyId as string;
    if (partyId === "") throw invalidArgument("missing party id");
    if (!isPartyFilter(partyId)) throw invalidArgument("invalid party id");
    const page = context.page(request);
    return context.query("failed to get stake linking", () => {
      const party = context.ids.position(partyId);
      const stakeLinkings = context.list<LinkingRow, StakeLinking>({
        query: {
          select: "s.data",
          from: CURRENT,
          where: ["c.party = ?"],
          params: [party],
          order: [{ sql: "c.block" }, { sql: "c.id" }],
        },
        page,
        key: (cursor) => [cursor.block("vegaTime"), cursor.bytes("id")],
        cursor: (row) =>
          JSON.stringify({ vegaTime: context.cursorTime(row.k0!), id: hexOf(row.k1 as Uint8Array) }),
        node: (row) => linkingOf(row.data),
      });
      return { currentStakeAvailable: stakeOf(context, party).toString(), stakeLinkings };
    });
  },
};

export const stakeEndpoints = [getStake];
