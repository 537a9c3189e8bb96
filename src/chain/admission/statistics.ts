// The answer of GET /statistics/spam/{partyId}: `vega.api.v1.GetSpamStatisticsResponse` (interface, sections 2 and 4.6;
// reference 40, section 5). Times are RFC 3339 with nanoseconds, as the interface states, where the original wrote
// plain numbers; a member that says nothing (no ban, no further transaction) is absent.
import type {
  GetSpamStatisticsResponse,
  PoWStatistic,
  SpamStatistic,
  VoteSpamStatistics,
} from "../../wire/generated/core-api.ts";
import { UINT64_MAX } from "../../wire/limits.ts";
import { rfc3339Nano } from "../../wire/time-text.ts";
import type { PowEngine } from "./pow/engine.ts";
import type { AdmissionRules } from "./rules.ts";
import type { SpamEngine } from "./spam/engine.ts";
import type { SimplePolicy } from "./spam/simple-policy.ts";
import type { VotePolicy } from "./spam/vote-policy.ts";

interface StatisticsSource {
  readonly chainId: string;
  readonly pow: PowEngine;
  readonly spam: SpamEngine;
  readonly rules: AdmissionRules;
}

/** @param party the sending key, as text; one that never sent anything has zero counts */
export function spamStatistics(source: StatisticsSource, party: string): GetSpamStatisticsResponse {
  const { simple, vote, epochSeq } = source.spam;
  return {
    chainId: source.chainId,
    statistics: {
      proposals: simpleStatistic(simple.proposal, party),
      delegations: simpleStatistic(simple.delegation, party),
      transfers: simpleStatistic(simple.transfer, party),
      nodeAnnouncements: simpleStatistic(simple.validatorJoin, party),
      votes: voteStatistics(vote, party, source.rules),
      pow: powStatistic(source.pow, party),
      issueSignatures: simpleStatistic(simple.issueSignature, party),
      epochSeq,
    },
  };
}

const timeOrAbsent = (ns: bigint | undefined) => (ns === undefined ? undefined : rfc3339Nano(ns));

function simpleStatistic(policy: SimplePolicy, party: string): SpamStatistic {
  return {
    countForEpoch: policy.countOf(party),
    maxForEpoch: policy.max,
    bannedUntil: timeOrAbsent(policy.bans.of(party)),
    minTokensRequired: policy.minTokens.toString(),
  };
}

function voteStatistics(policy: VotePolicy, party: string, rules: AdmissionRules): VoteSpamStatistics {
  // The original leaves out that the minimum is raised (section 8, 14); a wallet needs what a vote takes now.
  const minTokens = rules === "0.71.6" ? policy.minTokens : policy.effectiveMinTokens;
  return {
    statistics: policy.countsOf(party).map(({ proposal, count }) => ({
      proposal,
      countForEpoch: count,
      minTokensRequired: minTokens.toString(),
    })),
    maxForEpoch: policy.max,
    bannedUntil: timeOrAbsent(policy.bans.of(party)),
  };
}

function powStatistic(pow: PowEngine, party: string): PoWStatistic {
  return {
    blockStates: pow.blockStates(party).map(({ height, hash, seen, expected, parameters }) => ({
      blockHeight: height,
      blockHash: hash,
      transactionsSeen: seen,
      expectedDifficulty: expected,
      hashFunction: parameters.hashFunction,
      difficulty: BigInt(parameters.difficulty),
      // The parameter has no upper bound, what can be told has one.
      txPerBlock: parameters.txPerBlock < UINT64_MAX ? parameters.txPerBlock : UINT64_MAX,
      increasingDifficulty: parameters.increasingDifficulty,
    })),
    bannedUntil: timeOrAbsent(pow.bannedUntil(party)),
    numberOfPastBlocks: pow.parameters?.pastBlocks ?? 0n,
  };
}
