// Parties, and the stake of one with the linkings it comes from (docs/protocol/10-data-api-endpoints.md#55-parties and
// #56-getstake).
import { internal, invalidArgument, notFound } from "../../http/errors.ts";
import { encodeCursor, type PageRequest, type Row } from "../../http/pagination.ts";
import { CURRENT_LINKINGS, stakeOf } from "../../store/stake.ts";
import { readStakeLinkingAt, type StakeLinking } from "../../wire/generated/events.ts";
import type { Party } from "../../wire/generated/vega.ts";
import { canonicalIdentifier, hexOf, InvalidIdentifier, NETWORK_PARTY } from "../../wire/identifiers.ts";
import {
  type Connection,
  type CursorReader,
  connectionOf,
  type DataContext,
  isPartyFilter,
  truncatedNs,
} from "./context.ts";
import { endpoint, get } from "./entry.ts";

/** The built-in party has no time and sorts after every block: first among the newest, last among the oldest. */
const NETWORK_BLOCK = Number.MAX_SAFE_INTEGER;
/** Hash that the original keeps with the built-in party. */
const NETWORK_TX = "01";
const TX_HASH = `CASE p.tx WHEN 0 THEN (SELECT hash FROM blocks WHERE no = p.block)
  ELSE (SELECT hash FROM txs WHERE id = p.tx) END AS hash`;
// The built-in party as a row of its own: made from a row that every store has, with columns of the same type, so
// that SQLite merges it into the index's order instead of sorting all parties.
const PARTIES = `(SELECT block, id, tx FROM parties WHERE id <> ? UNION ALL
  SELECT CAST(${NETWORK_BLOCK} AS INTEGER) AS block, CAST(0 AS INTEGER) AS id, id AS tx FROM txs WHERE id = 1) p`;

interface PartyRow extends Row {
  hash: Uint8Array;
}

/** Id of a party in its one spelling, or undefined if the store does not know it. @throws InvalidIdentifier */
function findParty(context: DataContext, id: string): PartyRow | "network" | undefined {
  const interned = context.ids.find(id);
  if (id === NETWORK_PARTY || interned?.ref === context.ids.position(NETWORK_PARTY)) return NETWORK_PARTY;
  if (!interned) return undefined;
  const sql = `SELECT p.block AS k0, p.id AS k1, ${TX_HASH} FROM parties p WHERE p.id = ?`;
  return context.get<PartyRow>(sql, interned.ref);
}

function partyOf(context: DataContext, row: PartyRow | "network"): Party {
  if (row === NETWORK_PARTY || isNetwork(row)) return { id: NETWORK_PARTY };
  return { id: context.ids.text(row.k1 as bigint) };
}

function isNetwork(row: PartyRow): boolean {
  return Number(row.k0) === NETWORK_BLOCK;
}

function cursorOf(context: DataContext, row: PartyRow | "network"): string {
  if (row === NETWORK_PARTY || isNetwork(row)) {
    return JSON.stringify({ ID: NETWORK_PARTY, TxHash: NETWORK_TX, VegaTime: null });
  }
  return JSON.stringify({
    ID: context.ids.text(row.k1 as bigint),
    TxHash: hexOf(row.hash),
    VegaTime: context.cursorTime(row.k0!),
  });
}

function keyOf(cursor: CursorReader): [number, number] {
  if (!cursor.has("VegaTime") && cursor.string("ID") === NETWORK_PARTY) return [NETWORK_BLOCK, 0];
  return [cursor.block("VegaTime"), cursor.ref("ID")];
}

function oneParty(context: DataContext, partyId: string): Connection<Party> {
  let row: PartyRow | "network" | undefined;
  try {
    row = findParty(context, partyId);
  } catch (error) {
    if (error instanceof InvalidIdentifier) throw invalidArgument("failed to get parties", error.message);
    throw error;
  }
  if (!row) throw notFound("failed to get parties");
  const cursor = encodeCursor(cursorOf(context, row));
  return connectionOf([{ node: partyOf(context, row), cursor }]);
}

function pageOfParties(context: DataContext, page: PageRequest): Connection<Party> {
  return context.query("failed to get parties", () =>
    context.list<PartyRow, Party>({
      query: {
        select: TX_HASH,
        from: PARTIES,
        where: [],
        params: [context.ids.position(NETWORK_PARTY)],
        order: [{ sql: "p.block" }, { sql: "p.id" }],
      },
      page,
      key: keyOf,
      cursor: (row) => cursorOf(context, row),
      node: (row) => partyOf(context, row),
    }),
  );
}

const listParties = endpoint({
  path: "/api/v2/parties",
  request: "datanode.api.v2.ListPartiesRequest",
  response: "datanode.api.v2.ListPartiesResponse",
  tag: "Parties",
  summary: "List parties",
  description:
    "All parties, by the time of their first event. The built-in party `network` has no time: it is the newest. With `partyId`, that party alone, or 404.",
  handle(context, request) {
    const page = context.page(request);
    const partyId = request.partyId ?? "";
    return { parties: partyId === "" ? pageOfParties(context, page) : oneParty(context, partyId) };
  },
});

const getParty = get({
  path: "/api/v2/party/{party_id}",
  request: "datanode.api.v2.GetPartyRequest",
  response: "datanode.api.v2.GetPartyResponse",
  tag: "Parties",
  summary: "Get a party",
  missing: "failed to get party for ID",
  member: "party",
  read(context, request) {
    const id = request.partyId;
    if (id === "") throw invalidArgument("missing party id");
    if (!isPartyFilter(id)) throw invalidArgument("invalid party id");
    const row = findParty(context, id);
    return row && partyOf(context, row);
  },
});

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
function availableStake(context: DataContext, party: number): bigint {
  const stake = stakeOf(context.db, party) ?? 0n;
  if (stake < 0n) throw internal("failed to get stake linking", `the stake is negative: ${stake}`);
  return stake;
}

const getStake = endpoint({
  path: "/api/v2/parties/{party_id}/stake",
  request: "datanode.api.v2.GetStakeRequest",
  response: "datanode.api.v2.GetStakeResponse",
  tag: "Parties",
  summary: "Get a party's stake",
  description: "The stake available now, and the linkings in their latest state, by block time and id.",
  handle(context, request) {
    const partyId = request.partyId;
    if (partyId === "") throw invalidArgument("missing party id");
    if (!isPartyFilter(partyId)) throw invalidArgument("invalid party id");
    const page = context.page(request);
    return context.query("failed to get stake linking", () => {
      const party = context.ids.position(partyId);
      const stakeLinkings = context.list<LinkingRow, StakeLinking>({
        query: {
          select: "s.data",
          from: CURRENT_LINKINGS,
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
      return { currentStakeAvailable: availableStake(context, party).toString(), stakeLinkings };
    });
  },
});

export const partyEndpoints = [listParties, getParty, getStake];
