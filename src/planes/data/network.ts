// Single objects about the network as a whole (reference 10, section 5.10).

import type { Endpoint } from "../../http/endpoint.ts";
import { internal, notFound } from "../../http/errors.ts";
import { loadAmount, type StoredAmount } from "../../store/amount.ts";
import { Decimal } from "../../wire/decimal.ts";
import { type NetworkLimits, type NodeSet, readNetworkLimitsAt } from "../../wire/generated/vega.ts";
import { UINT32_MAX } from "../../wire/limits.ts";
import { type DataContext, truncatedNs } from "./context.ts";
import { completedMinutes, requireEpoch } from "./epochs.ts";
import { findParameter } from "./network-parameters.ts";
import { rankingScoreOf, validatorsOf } from "./validators.ts";

const getNetworkData: Endpoint<DataContext> = {
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
};

/**
 * Sets of the three validator statuses, by number. A lower number is a better place, so who comes from a higher one
 * or from none was promoted, who comes from a lower one demoted.
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

/** @throws ApiError 404 without the parameter, 500 when it is no number */
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

const getNetworkLimits: Endpoint<DataContext> = {
  path: "/api/v2/network/limits",
  request: "datanode.api.v2.GetNetworkLimitsRequest",
  response: "datanode.api.v2.GetNetworkLimitsResponse",
  tag: "Network",
  summary: "Get what may be proposed",
  handle(context) {
    const sql = "SELECT data FROM network_limits ORDER BY block DESC LIMIT 1";
    const row = context.get<{ data: Uint8Array }>(sql);
    if (!row) throw notFound("failed to get network limits");
    const limits: NetworkLimits = readNetworkLimitsAt(row.data, 0, row.data.length);
    limits.proposeMarketEnabledFrom = truncatedNs(limits.proposeMarketEnabledFrom);
    limits.proposeAssetEnabledFrom = truncatedNs(limits.proposeAssetEnabledFrom);
    return { limits };
  },
};

const getVegaTime: Endpoint<DataContext> = {
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
};

const info: Endpoint<DataContext> = {
  path: "/api/v2/info",
  request: "datanode.api.v2.InfoRequest",
  response: "datanode.api.v2.InfoResponse",
  tag: "Network",
  summary: "Get the version of the program",
  handle: ({ build }) => ({ version: build.version, commitHash: build.commit }),
};

export const networkEndpoints = [getNetworkData, getNetworkLimits, getVegaTime, info];
