// The validators of an epoch with their stake and scores (reference 10, section 5.7): what the lists of nodes, an
// epoch and the network's totals are made from.
import { numericText } from "../../history/numeric.ts";
import type { ListQuery, Row } from "../../http/pagination.ts";
import { amountText, loadAmount, type StoredAmount } from "../../store/amount.ts";
import {
  readValidatorRankingEventAt,
  readValidatorScoreEventAt,
  readValidatorUpdateAt,
} from "../../wire/generated/events.ts";
import type { Delegation, Node, RankingScore, RewardScore } from "../../wire/generated/vega.ts";
import type { DataContext } from "./context.ts";
import { nestedRows } from "./nested.ts";

/** The only node status that is ever stored: NODE_STATUS_VALIDATOR. */
const NODE_STATUS_VALIDATOR = 1;
/** Numbers of `vega.ValidatorNodeStatus` for the words in events; any other word, such as `removed`, is 0. */
const STATUS_NUMBER: Readonly<Record<string, number>> = { tendermint: 1, ersatz: 2, pending: 3 };

/** A validator in an epoch, as it is stored; `k0` is its reference. */
export interface ValidatorRow extends Row {
  k0: bigint;
  pub_key: string;
  ethereum_address: string;
  data: Uint8Array;
  ranking: Uint8Array | null;
  reward: Uint8Array | null;
}

/**
 * Query of the validators of an epoch, by id. A node is one of them if its latest announcement up to that epoch
 * says "added".
 */
export function validatorQuery(epoch: bigint): ListQuery {
  return {
    select: "n.pub_key, n.ethereum_address, n.data, k.data AS ranking, w.data AS reward",
    from: `nodes n LEFT JOIN ranking_scores k ON k.epoch = ? AND k.node = n.id
      LEFT JOIN reward_scores w ON w.epoch = ? AND w.node = n.id`,
    where: [
      `(SELECT a.added FROM nodes_announced a WHERE a.node = n.id AND a.epoch <= ?
        ORDER BY a.epoch DESC, a.block DESC LIMIT 1) = 1`,
    ],
    params: [epoch, epoch, epoch],
    order: [{ sql: "n.id" }],
  };
}

/** All validators of an epoch, ascending by id. @throws ApiError 429 */
export function validatorsOf(context: DataContext, epoch: bigint): ValidatorRow[] {
  const { select, from, where, params } = validatorQuery(epoch);
  const sql = `SELECT n.id AS k0, ${select} FROM ${from} WHERE ${where} ORDER BY n.id`;
  return nestedRows<ValidatorRow>(context, sql, ...params);
}

/** One validator of an epoch, undefined if there is none. @throws InvalidIdentifier */
export function findValidator(context: DataContext, epoch: bigint, id: string): ValidatorRow | undefined {
  const { select, from, where, params } = validatorQuery(epoch);
  const sql = `SELECT n.id AS k0, ${select} FROM ${from} WHERE ${where} AND n.id = ?`;
  return context.get<ValidatorRow>(sql, ...params, context.ids.position(id));
}

interface DelegationRow {
  node: bigint;
  party: bigint;
  amount: StoredAmount;
}

/**
 * Validators as the service shows them, in the order given. Two queries for all of them: what is delegated in the
 * epoch, and in the next one.
 */
export function nodesOf(context: DataContext, epoch: bigint, validators: readonly ValidatorRow[]): Node[] {
  if (validators.length === 0) return [];
  const ends = [validators[0]!.k0, validators.at(-1)!.k0] as const;
  const [first, last] = ends[0] < ends[1] ? ends : [ends[1], ends[0]];
  const delegated = Map.groupBy(delegationRows(context, epoch, first, last), (row) => row.node);
  const next = new Map<bigint, bigint>();
  for (const { node, amount } of delegationRows(context, epoch + 1n, first, last)) {
    next.set(node, (next.get(node) ?? 0n) + loadAmount(amount));
  }
  return validators.map((validator) => {
    const rows = delegated.get(validator.k0) ?? [];
    return nodeOf(context, epoch, validator, rows, next.get(validator.k0) ?? 0n);
  });
}

function delegationRows(context: DataContext, epoch: bigint, first: bigint, last: bigint): DelegationRow[] {
  const sql = `SELECT node, party, amount FROM delegations_current
    WHERE epoch = ? AND node BETWEEN ? AND ? ORDER BY node, party`;
  return nestedRows<DelegationRow>(context, sql, epoch, first, last);
}

/** Everything delegated in an epoch, by node and party. @throws ApiError 429 */
export function delegationsIn(context: DataContext, epoch: bigint): Delegation[] {
  const sql = "SELECT node, party, amount FROM delegations_current WHERE epoch = ? ORDER BY node, party";
  return nestedRows<DelegationRow>(context, sql, epoch).map((row) => delegationOf(context, epoch, row));
}

function delegationOf(context: DataContext, epoch: bigint, row: DelegationRow): Delegation {
  return {
    party: context.ids.text(row.party),
    nodeId: context.ids.text(row.node),
    amount: amountText(row.amount),
    epochSeq: epoch.toString(),
  };
}

function nodeOf(
  context: DataContext,
  epoch: bigint,
  validator: ValidatorRow,
  delegated: readonly DelegationRow[],
  stakedNext: bigint,
): Node {
  const update = readValidatorUpdateAt(validator.data, 0, validator.data.length);
  // What the operator delegates comes from the party with the node's own key.
  const operator = context.ids.find(validator.pub_key)?.ref;
  let byOperator = 0n;
  let byDelegates = 0n;
  for (const { party, amount } of delegated) {
    if (Number(party) === operator) byOperator += loadAmount(amount);
    else byDelegates += loadAmount(amount);
  }
  const total = byOperator + byDelegates;
  return {
    id: context.ids.text(validator.k0),
    pubKey: validator.pub_key,
    tmPubKey: update.tmPubKey,
    ethereumAddress: validator.ethereum_address,
    infoUrl: update.infoUrl,
    location: update.country,
    stakedByOperator: byOperator.toString(),
    stakedByDelegates: byDelegates.toString(),
    stakedTotal: total.toString(),
    maxIntendedStake: "0",
    pendingStake: (stakedNext - total).toString(),
    epochData: undefined,
    status: NODE_STATUS_VALIDATOR,
    delegations: delegated.map((row) => delegationOf(context, epoch, row)),
    rewardScore: validator.reward ? rewardScoreOf(validator.reward) : undefined,
    rankingScore: validator.ranking ? rankingScoreOf(validator.ranking) : undefined,
    name: update.name,
    avatarUrl: update.avatarUrl,
  };
}

function rewardScoreOf(data: Uint8Array): RewardScore {
  const m = readValidatorScoreEventAt(data, 0, data.length);
  return {
    rawValidatorScore: numericText(m.rawValidatorScore),
    performanceScore: numericText(m.validatorPerformance),
    multisigScore: numericText(m.multisigScore),
    validatorScore: numericText(m.validatorScore),
    normalisedScore: numericText(m.normalisedScore),
    validatorStatus: STATUS_NUMBER[m.validatorStatus] ?? 0,
  };
}

export function rankingScoreOf(data: Uint8Array): RankingScore {
  const m = readValidatorRankingEventAt(data, 0, data.length);
  return {
    stakeScore: numericText(m.stakeScore),
    performanceScore: numericText(m.performanceScore),
    previousStatus: STATUS_NUMBER[m.previousStatus] ?? 0,
    status: STATUS_NUMBER[m.nextStatus] ?? 0,
    votingPower: m.tmVotingPower,
    rankingScore: numericText(m.rankingScore),
  };
}
