// Epochs, their validators with stake and scores, delegations, and rotations of validators' keys
// (docs/protocol/10-data-api-endpoints.md#48-listkeyrotations, #49-listethereumkeyrotations, #54-listdelegations,
// #57-nodes and #59-getepoch).
import { numericText } from "../../history/csv.ts";
import { invalidArgument, notFound } from "../../http/errors.ts";
import type { ListQuery, PageRequest, Row } from "../../http/pagination.ts";
import { amountText, loadAmount, type StoredAmount } from "../../store/amount.ts";
import {
  type EpochEvent,
  type EthereumKeyRotation,
  type KeyRotation,
  readEpochEventAt,
  readKeyRotationAt,
  readValidatorRankingEventAt,
  readValidatorScoreEventAt,
  readValidatorUpdateAt,
} from "../../wire/generated/events.ts";
import type { Delegation, Epoch, Node, RankingScore, RewardScore } from "../../wire/generated/vega.ts";
import { canonicalIdentifier, InvalidIdentifier } from "../../wire/identifiers.ts";
import { Conditions, type DataContext, perContext, truncatedNs, withNodes } from "./context.ts";
import { endpoint, list } from "./entry.ts";
import { nestedRows } from "./lists.ts";
import { EPOCH_MAX, parseEpoch } from "./values.ts";

const ACTION_END = 2;
const NANOSECONDS_PER_MINUTE = 60_000_000_000;

/** Each epoch has two rows, its start and its end; the newest is its state. */
interface EpochRow {
  data: Uint8Array;
}

/** Newest state of an epoch; the current one when none is named. @throws ApiError 404 */
export function requireEpoch(context: DataContext, id: bigint | undefined): EpochEvent {
  const row =
    id === undefined
      ? context.get<EpochRow>("SELECT data FROM epochs ORDER BY id DESC, block DESC LIMIT 1")
      : id <= EPOCH_MAX
        ? context.get<EpochRow>("SELECT data FROM epochs WHERE id = ? ORDER BY block DESC LIMIT 1", id)
        : undefined;
  if (!row) throw notFound("failed to get epoch");
  return readEpoch(row.data);
}

/** An epoch's times as the original keeps them: cut to microseconds, no end before the event of the end. */
function readEpoch(data: Uint8Array): EpochEvent {
  const event = readEpochEventAt(data, 0, data.length);
  event.startTime = truncatedNs(event.startTime);
  event.expireTime = truncatedNs(event.expireTime);
  event.endTime = event.action === ACTION_END ? truncatedNs(event.endTime) : 0n;
  return event;
}

/** Height of the block at exactly this time, 0 when there is none. */
function heightAt(context: DataContext, timeNs: bigint): bigint {
  if (timeNs === 0n) return 0n;
  const { no, exact } = context.blocks.position(Number(timeNs / 1000n));
  if (!exact) return 0n;
  return context.get<{ height: bigint }>("SELECT height FROM blocks WHERE no = ?", no)!.height;
}

/** Length of the finished epochs of each store: only what follows the last known one is read again. */
const finishedEpochs = perContext(() => ({ through: -1n, ns: 0n }));

/** Minutes of all completed epochs together. */
export function completedMinutes(context: DataContext): number {
  const finished = finishedEpochs(context);
  const rows = context.db
    .query("SELECT data FROM epochs WHERE id > ? ORDER BY id, block")
    .iterate(finished.through) as Iterable<EpochRow>;
  let last: EpochEvent | undefined;
  for (const row of rows) {
    const event = readEpoch(row.data);
    if (last && last.seq !== event.seq) {
      // A later epoch has begun: the one before it does not change any more.
      finished.through = last.seq;
      finished.ns += durationNs(last);
    }
    last = event;
  }
  return Number(finished.ns + (last ? durationNs(last) : 0n)) / NANOSECONDS_PER_MINUTE;
}

function durationNs(epoch: EpochEvent): bigint {
  return epoch.action === ACTION_END ? epoch.endTime - epoch.startTime : 0n;
}

const getEpoch = endpoint({
  path: "/api/v2/epoch",
  request: "datanode.api.v2.GetEpochRequest",
  response: "datanode.api.v2.GetEpochResponse",
  tag: "Epochs",
  summary: "Get an epoch",
  description:
    "The epoch `id`, or the current one for 0 or none, with its validators by id and its delegations by node and party.",
  handle(context, request) {
    const id = request.id ?? 0n;
    const event = requireEpoch(context, id === 0n ? undefined : id);
    const epoch: Epoch = {
      seq: event.seq,
      timestamps: {
        startTime: event.startTime,
        expiryTime: event.expireTime,
        endTime: event.endTime,
        firstBlock: heightAt(context, event.startTime),
        lastBlock: heightAt(context, event.endTime),
      },
      validators: nodesOf(context, event.seq, validatorsOf(context, event.seq)),
      delegations: delegationsIn(context, event.seq),
    };
    return { epoch };
  },
});

/** The only node status that is ever stored: NODE_STATUS_VALIDATOR. */
const NODE_STATUS_VALIDATOR = 1;
/** Numbers of `vega.ValidatorNodeStatus` for the words in events; any other word, such as `removed`, is 0. */
const STATUS_NUMBER: Readonly<Record<string, number>> = { tendermint: 1, ersatz: 2, pending: 3 };

/** A validator in an epoch, as it is stored; `k0` is its reference. */
interface ValidatorRow extends Row {
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
function validatorQuery(epoch: bigint): ListQuery {
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

/** A validator of an epoch, undefined if there is none. @throws InvalidIdentifier */
function findValidator(context: DataContext, epoch: bigint, id: string): ValidatorRow | undefined {
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
function nodesOf(context: DataContext, epoch: bigint, validators: readonly ValidatorRow[]): Node[] {
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
function delegationsIn(context: DataContext, epoch: bigint): Delegation[] {
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
  // The operator's own delegations come from the party with the node's key.
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

/** The validators that the chain began with, as they are listed without epoch and stake. */
export function firstNodes(context: DataContext): object[] {
  type FirstRow = Pick<ValidatorRow, "k0" | "pub_key" | "ethereum_address" | "data">;
  const sql = "SELECT id AS k0, pub_key, ethereum_address, data FROM nodes WHERE block = 1 ORDER BY id";
  return context.all<FirstRow>(sql).map((row) => {
    const { tmPubKey, infoUrl, country, name, avatarUrl } = readValidatorUpdateAt(
      row.data,
      0,
      row.data.length,
    );
    return {
      id: context.ids.text(row.k0),
      pubKey: row.pub_key,
      tmPubKey,
      ethereumAddress: row.ethereum_address,
      infoUrl,
      location: country,
      status: NODE_STATUS_VALIDATOR,
      name,
      avatarUrl,
    };
  });
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

const listNodes = list({
  path: "/api/v2/nodes",
  request: "datanode.api.v2.ListNodesRequest",
  response: "datanode.api.v2.ListNodesResponse",
  tag: "Nodes",
  summary: "List validator nodes",
  description: "The validators of the epoch `epochSeq`, or of the current one, by id.",
  failure: "failed to get nodes",
  member: "nodes",
  rows(context, page, request) {
    const epochSeq = request.epochSeq;
    const epoch = requireEpoch(
      context,
      epochSeq === undefined || epochSeq > EPOCH_MAX ? undefined : epochSeq,
    ).seq;
    const rows = context.list<ValidatorRow, ValidatorRow>({
      query: validatorQuery(epoch),
      page,
      key: (cursor) => [cursor.ref("id")],
      cursor: (row) => JSON.stringify({ id: context.ids.text(row.k0) }),
      node: (row) => row,
    });
    const validators = rows.edges.map(({ node }) => node);
    return withNodes(rows, nodesOf(context, epoch, validators));
  },
});

const getNode = endpoint({
  path: "/api/v2/node/{id}",
  request: "datanode.api.v2.GetNodeRequest",
  response: "datanode.api.v2.GetNodeResponse",
  tag: "Nodes",
  summary: "Get a validator node",
  description: "The validator `id` in the current epoch.",
  handle(context, request) {
    const id = request.id;
    if (id === "") throw invalidArgument("missing node id");
    const epoch = requireEpoch(context, undefined).seq;
    let validator: ValidatorRow | undefined;
    try {
      validator = findValidator(context, epoch, id);
    } catch (error) {
      if (error instanceof InvalidIdentifier) throw invalidArgument(error.message);
      throw error;
    }
    if (!validator) throw notFound("no resource corresponding to this id", "");
    return { node: nodesOf(context, epoch, [validator])[0] };
  },
});

interface ListedDelegation extends Row {
  amount: StoredAmount;
}

const listDelegations = endpoint({
  path: "/api/v2/delegations",
  request: "datanode.api.v2.ListDelegationsRequest",
  response: "datanode.api.v2.ListDelegationsResponse",
  tag: "Delegations",
  summary: "List delegations",
  description: "The latest amount of each party, node and epoch, by block time, party, node and epoch.",
  handle(context, request) {
    const { partyId, nodeId, epochId } = request;
    const epoch = epochId === undefined ? undefined : parseEpoch(epochId, "epochID");
    const page = context.page(request);
    return context.query(
      "failed to get delegation",
      () => {
        const conditions = new Conditions();
        // Present but empty is the empty id, which no party has.
        if (partyId !== undefined) conditions.add("c.party = ?", context.ids.position(partyId));
        if (nodeId !== undefined) conditions.add("c.node = ?", context.ids.position(nodeId));
        if (epoch !== undefined) conditions.add("c.epoch = ?", epoch);
        const delegations = context.list<ListedDelegation, Delegation>({
          query: {
            select: "c.amount",
            from: "delegations_current c",
            ...conditions,
            order: ["c.block", "c.party", "c.node", "c.epoch"].map((sql) => ({ sql })),
          },
          page,
          key: (cursor) => [
            cursor.block("vegaTime"),
            cursor.ref("partyId"),
            cursor.ref("nodeId"),
            cursor.number("epochId"),
          ],
          cursor: (row) =>
            JSON.stringify({
              vegaTime: context.cursorTime(row.k0!),
              partyId: context.ids.text(row.k1 as bigint),
              nodeId: context.ids.text(row.k2 as bigint),
              epochId: Number(row.k3),
            }),
          node: (row) => ({
            party: context.ids.text(row.k1 as bigint),
            nodeId: context.ids.text(row.k2 as bigint),
            amount: amountText(row.amount),
            epochSeq: String(row.k3),
          }),
        });
        return { delegations };
      },
      "querying delegations: ",
    );
  },
});

interface RotationRow extends Row {
  data: Uint8Array;
}

export function rotationOf(data: Uint8Array): KeyRotation {
  const rotation = readKeyRotationAt(data, 0, data.length);
  rotation.nodeId = canonicalIdentifier(rotation.nodeId);
  rotation.oldPubKey = canonicalIdentifier(rotation.oldPubKey);
  rotation.newPubKey = canonicalIdentifier(rotation.newPubKey);
  return rotation;
}

/** Conditions on column `node` of a request; no id, or an empty one, is every node. @throws InvalidIdentifier */
function ofNode(context: DataContext, nodeId: string): Pick<ListQuery, "where" | "params"> {
  if (nodeId === "") return { where: [], params: [] };
  return { where: ["r.node = ?"], params: [context.ids.position(nodeId)] };
}

function nodeIdOf({ nodeId = "" }: { readonly nodeId?: string }): string {
  return nodeId;
}

// The paths of rotations have two spellings: `chain` is ours, `vega` the original's.
const listKeyRotations = endpoint({
  path: "/api/v2/chain/keys/rotations",
  aliases: ["/api/v2/vega/keys/rotations"],
  request: "datanode.api.v2.ListKeyRotationsRequest",
  response: "datanode.api.v2.ListKeyRotationsResponse",
  tag: "Nodes",
  summary: "List key rotations",
  description: "Rotations of validators' main keys, by the block in which they took effect, then by node.",
  handle(context, request) {
    const page = context.page(request);
    const nodeId = nodeIdOf(request);
    const failure =
      nodeId === "" ? "failed to get all key rotations" : "failed to get key rotations for node";
    return context.query(
      failure,
      () => {
        // A node has one row a block, so the keys after it in the documented order never decide.
        const order = [{ sql: "r.block" }, { sql: "r.node" }];
        const rotations = context.list<RotationRow, KeyRotation>({
          query: { select: "r.data", from: "key_rotations r", ...ofNode(context, nodeId), order },
          page,
          key: (cursor) => [cursor.block("vega_time"), cursor.ref("node_id")],
          cursor: (row) => {
            const { nodeId, oldPubKey, newPubKey } = rotationOf(row.data);
            return JSON.stringify({
              vega_time: context.cursorTime(row.k0!),
              node_id: nodeId,
              old_pub_key: oldPubKey,
              new_pub_key: newPubKey,
            });
          },
          node: (row) => rotationOf(row.data),
        });
        return { rotations };
      },
      `nodeID: ${nodeId.slice(0, 200)}: `,
    );
  },
});

const listEthereumKeyRotations = endpoint({
  path: "/api/v2/chain/keys/ethereum/rotations",
  aliases: ["/api/v2/vega/keys/ethereum/rotations"],
  request: "datanode.api.v2.ListEthereumKeyRotationsRequest",
  response: "datanode.api.v2.ListEthereumKeyRotationsResponse",
  tag: "Nodes",
  summary: "List Ethereum key rotations",
  description:
    "Rotations of validators' Ethereum keys, by the block in which they took effect, then by node.",
  handle(context, request) {
    const page = context.page(request);
    const nodeId = nodeIdOf(request);
    return context.query(
      "failed to get ethereum key rotations for node",
      () => ({ keyRotations: ethereumRotations(context, page, nodeId) }),
      `nodeID: ${nodeId.slice(0, 200)}: `,
    );
  },
});

interface EthereumRotationRow extends Row {
  k1: bigint;
  k2: string;
  k3: string;
  height: bigint;
}

function ethereumRotations(context: DataContext, page: PageRequest, nodeId: string) {
  const order = ["r.block", "r.node", "r.old_address", "r.new_address", "r.ord"].map((sql) => ({ sql }));
  return context.list<EthereumRotationRow, EthereumKeyRotation>({
    query: { select: "r.height", from: "ethereum_key_rotations r", ...ofNode(context, nodeId), order },
    page,
    key: (cursor) => {
      const place = [
        cursor.block("vegaTime"),
        cursor.ref("nodeID"),
        cursor.string("oldAddress").toLowerCase(),
        cursor.string("newAddress").toLowerCase(),
      ];
      return cursor.has("seqNum") ? [...place, cursor.number("seqNum")] : place;
    },
    cursor: (row) =>
      JSON.stringify({
        vegaTime: context.cursorTime(row.k0!),
        nodeID: context.ids.text(row.k1),
        oldAddress: row.k2,
        newAddress: row.k3,
        seqNum: Number(row.k4),
      }),
    node: (row) => ({
      nodeId: context.ids.text(row.k1),
      oldAddress: row.k2,
      newAddress: row.k3,
      blockHeight: row.height,
    }),
  });
}

export const validatorEndpoints = [
  listNodes,
  getNode,
  getEpoch,
  listDelegations,
  listKeyRotations,
  listEthereumKeyRotations,
];
