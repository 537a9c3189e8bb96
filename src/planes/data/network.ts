// The network as a whole: parameters, totals, limits, checkpoints, snapshots and upgrades
// (docs/protocol/10-data-api-endpoints.md#59-getepoch to #511-network-parameters and
// #519-protocol-upgrade-proposals-and-snapshots).
import { internal, notFound } from "../../http/errors.ts";
import type { ListQuery, Row } from "../../http/pagination.ts";
import { loadAmount, type StoredAmount } from "../../store/amount.ts";
import { Decimal } from "../../wire/decimal.ts";
import type { Checkpoint } from "../../wire/generated/datanode.ts";
import {
  type CoreSnapshotData,
  type ProtocolUpgradeEvent,
  ProtocolUpgradeProposalStatus,
  readCheckpointEventAt,
  readCoreSnapshotDataAt,
  readProtocolUpgradeEventAt,
} from "../../wire/generated/events.ts";
import {
  type NetworkLimits,
  type NetworkParameter,
  type NodeSet,
  readNetworkLimitsAt,
} from "../../wire/generated/vega.ts";
import { UINT32_MAX } from "../../wire/limits.ts";
import { cursorNumber, type DataContext, truncatedNs } from "./context.ts";
import { endpoint, get, list } from "./entry.ts";
import { completedMinutes, rankingScoreOf, requireEpoch, validatorsOf } from "./validators.ts";

const FAILURE = "failed to get network parameters";

/** Current value of a parameter, undefined if the network has not announced one. */
function findParameter(context: DataContext, key: string): string | undefined {
  return context.get<{ value: string }>("SELECT value FROM network_parameters_current WHERE key = ?", key)
    ?.value;
}

interface ParameterRow extends Row {
  k0: string;
  value: string;
}

// The only list whose cursor is not JSON but the bare key, and the only one that is always ascending. The value of
// `blockchains.ethereumConfig` is the recorded one, not a fixed text.
const listNetworkParameters = endpoint({
  path: "/api/v2/network/parameters",
  request: "datanode.api.v2.ListNetworkParametersRequest",
  response: "datanode.api.v2.ListNetworkParametersResponse",
  tag: "Network",
  summary: "List network parameters",
  description: "Current values, ascending by key whatever `pagination.newestFirst` says.",
  handle(context, request) {
    const page = { ...context.page(request), newestFirst: false };
    return context.query(FAILURE, () => {
      const networkParameters = context.list<ParameterRow, NetworkParameter>({
        query: {
          select: "p.value",
          from: "network_parameters_current p",
          where: [],
          params: [],
          order: [{ sql: "p.key" }],
        },
        page,
        key: (cursor) => [cursor.text],
        cursor: (row) => row.k0,
        node: (row) => ({ key: row.k0, value: row.value }),
      });
      return { networkParameters };
    });
  },
});

const getNetworkParameter = get({
  path: "/api/v2/network/parameters/{key}",
  request: "datanode.api.v2.GetNetworkParameterRequest",
  response: "datanode.api.v2.GetNetworkParameterResponse",
  tag: "Network",
  summary: "Get a network parameter",
  missing: FAILURE,
  member: "networkParameter",
  read(context, request) {
    const { key } = request;
    const value = findParameter(context, key);
    return value === undefined ? undefined : { key, value };
  },
});

const getNetworkData = endpoint({
  path: "/api/v2/network/data",
  request: "datanode.api.v2.GetNetworkDataRequest",
  response: "datanode.api.v2.GetNetworkDataResponse",
  tag: "Network",
  summary: "Get the numbers of validators and their stake in the current epoch",
  handle(context) {
    const epoch = requireEpoch(context, undefined).seq;
    const sets = validatorSets(context, epoch);
    const [tendermint, ersatz, pending] = sets;
    const places = requireParameter(context, "network.validators.tendermint.number");
    const multiple = requireParameter(context, "network.validators.ersatz.multipleOfTendermintValidators");
    return {
      nodeData: {
        stakedTotal: stakedIn(context, epoch).toString(),
        totalNodes: sets.reduce((sum, set) => sum + set.total, 0),
        inactiveNodes: sets.reduce((sum, set) => sum + set.inactive, 0),
        tendermintNodes: { ...tendermint, maximum: wholePart(places) },
        ersatzNodes: { ...ersatz, maximum: wholePart(places.times(multiple)) },
        pendingNodes: pending,
        // A 32-bit float on the wire, and so in JSON.
        uptime: Math.fround(completedMinutes(context)),
      },
    };
  },
});

/**
 * Sets of the three validator statuses, by number. A lower number is a better place: a validator from a higher one
 * or from none was promoted, one from a lower one demoted.
 */
function validatorSets(context: DataContext, epoch: bigint): [NodeSet, NodeSet, NodeSet] {
  const sets: [NodeSet, NodeSet, NodeSet] = [emptySet(), emptySet(), emptySet()];
  for (const { k0, ranking } of validatorsOf(context, epoch)) {
    if (!ranking) continue;
    const { status, previousStatus, performanceScore } = rankingScoreOf(ranking);
    const set = sets[status - 1];
    if (!set) continue;
    set.total++;
    if (performanceScore === "0") set.inactive++;
    if (previousStatus === status) continue;
    const isPromoted = previousStatus === 0 || status < previousStatus;
    (isPromoted ? set.promoted : set.demoted).push(context.ids.text(k0));
  }
  return sets;
}

function emptySet(): NodeSet {
  return { total: 0, inactive: 0, promoted: [], demoted: [], maximum: undefined };
}

function stakedIn(context: DataContext, epoch: bigint): bigint {
  const rows = context.db
    .query("SELECT amount FROM delegations_current WHERE epoch = ?")
    .iterate(epoch) as Iterable<{ amount: StoredAmount }>;
  let total = 0n;
  for (const { amount } of rows) total += loadAmount(amount);
  return total;
}

/** @throws ApiError 404 without the parameter, 500 when it is not a number */
function requireParameter(context: DataContext, key: string): Decimal {
  const value = findParameter(context, key);
  if (value === undefined)
    throw notFound("failed to get network parameters", `key: ${key}: no resource corresponding to this id`);
  try {
    return Decimal.parse(value);
  } catch {
    throw internal("failed to get node data", `key: ${key}: not a decimal number`);
  }
}

function wholePart(value: Decimal): number {
  const whole = Number(value.toString().split(".")[0]);
  return Math.min(Math.max(whole, 0), UINT32_MAX);
}

const getNetworkLimits = get({
  path: "/api/v2/network/limits",
  request: "datanode.api.v2.GetNetworkLimitsRequest",
  response: "datanode.api.v2.GetNetworkLimitsResponse",
  tag: "Network",
  summary: "Get what may be proposed",
  missing: "failed to get network limits",
  member: "limits",
  read(context) {
    const sql = "SELECT data FROM network_limits ORDER BY block DESC LIMIT 1";
    const row = context.get<{ data: Uint8Array }>(sql);
    if (!row) return undefined;
    const limits: NetworkLimits = readNetworkLimitsAt(row.data, 0, row.data.length);
    limits.proposeMarketEnabledFrom = truncatedNs(limits.proposeMarketEnabledFrom);
    limits.proposeAssetEnabledFrom = truncatedNs(limits.proposeAssetEnabledFrom);
    return limits;
  },
});

const getVegaTime = endpoint({
  path: "/api/v2/vega/time",
  aliases: ["/api/v2/chain/time"],
  request: "datanode.api.v2.GetVegaTimeRequest",
  response: "datanode.api.v2.GetVegaTimeResponse",
  tag: "Network",
  summary: "Get the time of the last block",
  handle(context) {
    if (!context.head) throw notFound("failed to get last block");
    return { timestamp: BigInt(context.head.timeUs) * 1000n };
  },
});

const info = endpoint({
  path: "/api/v2/info",
  request: "datanode.api.v2.InfoRequest",
  response: "datanode.api.v2.InfoResponse",
  tag: "Network",
  summary: "Get the version of the program",
  handle: ({ build }) => ({ version: build.version, commitHash: build.commit }),
});

interface CoreEventRow extends Row {
  data: Uint8Array;
}

const listCheckpoints = list({
  path: "/api/v2/checkpoints",
  request: "datanode.api.v2.ListCheckpointsRequest",
  response: "datanode.api.v2.ListCheckpointsResponse",
  tag: "Network",
  summary: "List checkpoints",
  failure: "failed to get checkpoint",
  member: "checkpoints",
  rows(context, page) {
    const order = [{ sql: "p.height" }, { sql: "p.block" }, { sql: "p.ord" }];
    return context.list<CoreEventRow, Checkpoint>({
      query: { select: "p.data", from: "checkpoints p", where: [], params: [], order },
      page,
      key: (cursor) => {
        const height = cursor.whole("blockHeight");
        if (!cursor.has("vegaTime")) return [height];
        return [height, cursor.block("vegaTime"), cursor.number("seqNum")];
      },
      cursor: (row) =>
        JSON.stringify({
          blockHeight: cursorNumber(row.k0 as bigint),
          vegaTime: context.cursorTime(row.k1!),
          seqNum: Number(row.k2),
        }),
      node: ({ data }) => {
        const { hash, blockHash, blockHeight } = readCheckpointEventAt(data, 0, data.length);
        return { hash, blockHash, atBlock: blockHeight };
      },
    });
  },
});

const listCoreSnapshots = list({
  path: "/api/v2/snapshots",
  request: "datanode.api.v2.ListCoreSnapshotsRequest",
  response: "datanode.api.v2.ListCoreSnapshotsResponse",
  tag: "Network",
  summary: "List core snapshots",
  description: "Snapshots that the core has taken, by block height. `protocolUpgradeBlock` is always false.",
  failure: "failed to list core snapshots",
  member: "coreSnapshots",
  rows(context, page) {
    const order = [{ sql: "s.height" }, { sql: "s.block" }];
    return context.list<CoreEventRow, CoreSnapshotData>({
      query: { select: "s.data", from: "core_snapshots s", where: [], params: [], order },
      page,
      key: (cursor) => [cursor.whole("BlockHeight"), cursor.block("VegaTime")],
      cursor: (row) => {
        const { blockHeight, blockHash, coreVersion } = readSnapshot(row.data);
        return JSON.stringify({
          VegaTime: context.cursorTime(row.k1!),
          BlockHeight: cursorNumber(blockHeight),
          BlockHash: blockHash,
          VegaCoreVersion: coreVersion,
        });
      },
      // The original does not store the last field, so it is always false.
      node: ({ data }) => ({ ...readSnapshot(data), protocolUpgradeBlock: false }),
    });
  },
});

function readSnapshot(data: Uint8Array) {
  return readCoreSnapshotDataAt(data, 0, data.length);
}

/** Newest row of each proposal; (height, tag, block) is the table's key. */
const IS_CURRENT =
  "u.block = (SELECT max(x.block) FROM upgrade_proposals x WHERE x.height = u.height AND x.tag = u.tag)";

interface UpgradeRow extends Row {
  block: bigint;
  data: Uint8Array;
}

export function upgradeOf({ data }: Pick<UpgradeRow, "data">): ProtocolUpgradeEvent {
  return readProtocolUpgradeEventAt(data, 0, data.length);
}

const listProtocolUpgradeProposals = endpoint({
  path: "/api/v2/upgrade/proposals",
  request: "datanode.api.v2.ListProtocolUpgradeProposalsRequest",
  response: "datanode.api.v2.ListProtocolUpgradeProposalsResponse",
  tag: "Network",
  summary: "List protocol upgrade proposals",
  description: "By upgrade height and release tag. `approvedBy` is the exact text of one approver.",
  handle(context, request) {
    const page = context.page(request);
    const { status, approvedBy } = request;
    return context.query("failed to list protocol upgrade proposals", () => {
      const filter = status === undefined && approvedBy === undefined ? undefined : { status, approvedBy };
      const protocolUpgradeProposals = context.list<UpgradeRow, ProtocolUpgradeEvent>({
        query: {
          select: "u.block, u.data",
          ...(filter
            ? matching(context, filter)
            : { from: "upgrade_proposals u", where: [IS_CURRENT], params: [] }),
          order: [{ sql: "u.height" }, { sql: "u.tag" }],
        },
        page,
        key: (cursor) => [cursor.whole("UpgradeBlockHeight"), cursor.string("VegaReleaseTag")],
        cursor: (row) =>
          JSON.stringify({
            VegaTime: context.cursorTime(row.block),
            UpgradeBlockHeight: cursorNumber(row.k0 as bigint),
            VegaReleaseTag: row.k1,
          }),
        node: upgradeOf,
      });
      return { protocolUpgradeProposals };
    });
  },
});

/**
 * Status and approvers stand only inside the messages, so a filter looks through the proposals first. There are few:
 * only validators make them, one for each release.
 */
function matching(
  context: DataContext,
  filter: { status: number | undefined; approvedBy: string | undefined },
): Pick<ListQuery, "from" | "where" | "params"> {
  const keys: string[] = [];
  const sql = `SELECT u.height, u.tag, u.block, u.data FROM upgrade_proposals u WHERE ${IS_CURRENT}`;
  for (const row of context.db.query(sql).iterate() as Iterable<UpgradeRow>) {
    const { status, approvers } = upgradeOf(row);
    if (filter.status !== undefined && status !== filter.status) continue;
    if (filter.approvedBy !== undefined && !approvers.includes(filter.approvedBy)) continue;
    // Written by hand: a height may be larger than a JSON number holds exactly.
    keys.push(`[${row.height},${JSON.stringify(row.tag)},${row.block}]`);
  }
  return {
    from: `json_each(?) j CROSS JOIN upgrade_proposals u ON u.height = j.value ->> 0 AND u.tag = j.value ->> 1
      AND u.block = j.value ->> 2`,
    where: [],
    params: [`[${keys.join(",")}]`],
  };
}

/** Whether the last block is the one that an agreed upgrade waits behind. */
function isUpgradeReady({ db, head }: DataContext): boolean {
  const sql = `SELECT u.block, u.data FROM upgrade_proposals u WHERE u.height >= ? AND ${IS_CURRENT}`;
  const rows = db.query(sql).all(head?.height ?? 0) as UpgradeRow[];
  return rows.some(
    (row) =>
      upgradeOf(row).status === ProtocolUpgradeProposalStatus.PROTOCOL_UPGRADE_PROPOSAL_STATUS_APPROVED,
  );
}

const getProtocolUpgradeStatus = endpoint({
  path: "/api/v2/upgrade/status",
  request: "datanode.api.v2.GetProtocolUpgradeStatusRequest",
  response: "datanode.api.v2.GetProtocolUpgradeStatusResponse",
  tag: "Network",
  summary: "Whether the data node is ready for a protocol upgrade",
  description:
    "True from the last block before an upgrade that was agreed on, until the next release makes a block.",
  handle: (context) => ({
    ready: context.query("failed to get the upgrade status", () => isUpgradeReady(context)),
  }),
});

export const networkEndpoints = [
  getNetworkData,
  getNetworkLimits,
  getVegaTime,
  info,
  listNetworkParameters,
  getNetworkParameter,
  listCheckpoints,
  listCoreSnapshots,
  listProtocolUpgradeProposals,
  getProtocolUpgradeStatus,
];
