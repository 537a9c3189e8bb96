// Where the chain stands: height, time, statistics (docs/protocol/30-node-api-endpoints.md#51-coreservice).

import type { ChainStatus } from "../../engine/chain-port.ts";
import { Grpc } from "../../errors/statuses.ts";
import { ApiError, invalidArgument } from "../../http/errors.ts";
import type { Statistics } from "../../wire/generated/core-api.ts";
import { ChainStatus as ChainStatusName } from "../../wire/generated/vega.ts";
import { UINT32_MAX } from "../../wire/limits.ts";
import { rfc3339Nano, SECOND_NS } from "../../wire/time-text.ts";
import { type ChainQuery, chainQuery, type NodeContext } from "./context.ts";

const TAG = "Chain";
/** Of a chain without a consensus engine, the version that the interface was made with: clients may look at it. */
const CHAIN_VERSION = "0.34.27";
const NOT_READY = "Failed to get last block height server is initialising";

const lastBlockHeight = chainQuery({
  path: "/blockchain/height",
  request: "vega.api.v1.LastBlockHeightRequest",
  response: "vega.api.v1.LastBlockHeightResponse",
  tag: TAG,
  summary: "Get the last block, and what a proof of work for it takes",
  handle({ chain }) {
    const { height, hash, pow, chainId } = chain.status;
    if (hash === "") throw new ApiError(Grpc.unknown, NOT_READY);
    return {
      height: BigInt(height),
      hash,
      spamPowHashFunction: pow.hashFunction,
      spamPowDifficulty: pow.difficulty,
      spamPowNumberOfPastBlocks: pow.pastBlocks,
      // The parameter may be any number; the field has 32 bits.
      spamPowNumberOfTxPerBlock: Math.min(pow.txPerBlock, UINT32_MAX),
      spamPowIncreasingDifficulty: pow.increasingDifficulty,
      chainId,
    };
  },
});

const vegaTime = chainQuery({
  path: "/time",
  request: "vega.api.v1.GetVegaTimeRequest",
  response: "vega.api.v1.GetVegaTimeResponse",
  tag: TAG,
  summary: "Get the time of the last block",
  handle: ({ chain }) => ({ timestamp: chain.status.timeNs }),
});

const statistics = chainQuery({
  path: "/statistics",
  request: "vega.api.v1.StatisticsRequest",
  response: "vega.api.v1.StatisticsResponse",
  tag: TAG,
  summary: "Get statistics of the chain and the node",
  description:
    "`uptime` is the time the node started at; `currentTime` is the clock of its machine. Orders and trades are counted from the start of the node.",
  handle: (context) => ({ statistics: statisticsOf(context.chain.status, context) }),
});

function statisticsOf(status: ChainStatus, { build, nowNs }: NodeContext): Partial<Statistics> {
  const { totals, epoch, consensus } = status;
  const blockNs = status.timeNs - status.previousTimeNs;
  return {
    ...tradingOf(status, blockNs),
    blockHeight: BigInt(status.height),
    backlogLength: BigInt(status.mempool.count),
    totalPeers: BigInt(consensus?.peers ?? 0),
    genesisTime: rfc3339Nano(status.genesisTimeNs),
    currentTime: rfc3339Nano(nowNs()),
    vegaTime: rfc3339Nano(status.timeNs),
    // A chain that has stopped for good takes nothing any more; the original would have ended.
    status: status.halted
      ? ChainStatusName.CHAIN_STATUS_DISCONNECTED
      : ChainStatusName.CHAIN_STATUS_CONNECTED,
    txPerBlock: BigInt(totals.txsLastBlock),
    averageTxBytes: BigInt(totals.averageTxBytes),
    appVersionHash: build.commit,
    appVersion: build.version,
    chainVersion: consensus?.version ?? CHAIN_VERSION,
    blockDuration: blockNs,
    uptime: rfc3339Nano(status.startedNs),
    chainId: status.chainId,
    blockHash: status.hash,
    epochSeq: epoch.seq,
    epochStartTime: rfc3339Nano(epoch.startNs),
    epochExpiryTime: rfc3339Nano(epoch.expireNs),
    eventCount: totals.events,
    eventsPerSecond: blockNs > 0n ? (BigInt(totals.eventsLastBlock) * SECOND_NS) / blockNs : 0n,
  };
}

function tradingOf({ height, totals }: ChainStatus, blockNs: bigint) {
  const { trading, tradingLastBlock: last } = totals;
  const perSecond = (count: number) => (blockNs > 0n ? (BigInt(count) * SECOND_NS) / blockNs : 0n);
  return {
    averageOrdersPerBlock: BigInt(trading.submissions) / BigInt(Math.max(height, 1)),
    ordersPerSecond: perSecond(last.submissions),
    tradesPerSecond: perSecond(last.trades),
    totalCreateOrder: BigInt(trading.submissions),
    totalAmendOrder: BigInt(trading.amendments),
    totalCancelOrder: BigInt(trading.cancellations),
    totalOrders: BigInt(trading.submissions),
    totalTrades: BigInt(trading.trades),
  };
}

const spamStatistics = chainQuery({
  path: "/statistics/spam/{party_id}",
  request: "vega.api.v1.GetSpamStatisticsRequest",
  response: "vega.api.v1.GetSpamStatisticsResponse",
  tag: TAG,
  summary: "Get what a party has sent and may still send",
  description:
    "`bannedUntil` is there only while the party is banned. A party that never sent anything has zero counts.",
  async handle(context, request) {
    const party = request.partyId ?? "";
    if (party === "") throw invalidArgument("empty or missing party ID");
    return context.spamStatistics(party);
  },
});

export const chainStateEndpoints: readonly ChainQuery[] = [
  lastBlockHeight,
  vegaTime,
  statistics,
  spamStatistics,
];
