// Every list of the data API with the forms it is asked in, and how many rows the first form must have: counted
// from the events by the rules of docs/protocol/10-data-api-serving.md#25-row-identity-and-upsert-rules, without a look
// at the store.
import { Field } from "../../src/wire/block.ts";
import { canonicalIdentifier } from "../../src/wire/identifiers.ts";
import type { PlacedEvent, RandomChain } from "./random-chain.ts";
import type { AnyFields } from "./random-events.ts";
import { createdNs } from "./random-trading.ts";
import {
  ASSETS,
  BUSY_PARTIES,
  MARKETS,
  NODES,
  ORDERS,
  PROPOSALS,
  RESOURCES,
  SPECS,
} from "./random-values.ts";

export interface ListForms {
  /** The endpoint, as its entry calls it. */
  readonly path: string;
  /** Path parameters of that path, in their order. */
  readonly at?: readonly string[];
  /** Queries; the counted form comes first. */
  readonly queries: readonly string[];
  readonly count: (chain: RandomChain) => number;
  /** Why this list is not walked backwards, if it is not. */
  readonly forwardOnly?: string;
  /** Why it is not walked oldest first either, if it is not. */
  readonly newestOnly?: string;
  /** Why the oldest-first list is not the reverse of the newest-first one, if it is not. */
  readonly notReversed?: string;
}

const [P, Q, R] = BUSY_PARTIES as [string, string, string];
const [A] = ASSETS as [string];
const [M, N] = MARKETS as [string, string];
const FOREVER = "startTimestamp=0&endTimestamp=9223372036854775807";
const same = (a: string, b: string) => canonicalIdentifier(a) === b;
const id = canonicalIdentifier;

type Key = (message: AnyFields, no: number) => unknown;
type Test = (message: AnyFields) => boolean;

function eventsOf(chain: RandomChain, ...fields: number[]): PlacedEvent[] {
  return chain.events.filter((event) => fields.includes(event.field));
}

/** The last event of each key. */
function last(chain: RandomChain, fields: number | number[], key: Key): AnyFields[] {
  const kept = new Map<string, AnyFields>();
  for (const { message, no } of eventsOf(chain, ...[fields].flat()))
    kept.set(JSON.stringify(key(message, no)), message);
  return [...kept.values()];
}

function counted(field: number | number[], key: Key, test: Test = () => true) {
  return (chain: RandomChain) => last(chain, field, key).filter(test).length;
}

/** Every event is a row. */
function each(field: number, test: Test = () => true) {
  return (chain: RandomChain) => eventsOf(chain, field).filter(({ message }) => test(message)).length;
}

function accountKey({ owner, asset, marketId, type }: AnyFields): unknown[] {
  return [owner === "*" ? "network" : id(owner), id(asset), marketId === "!" ? "" : id(marketId), type];
}

function nodeCount(chain: RandomChain): number {
  const current = Math.max(...eventsOf(chain, Field.epochUpdate).map(({ message }) => Number(message.seq)));
  const latest = new Map<string, { epoch: number; no: number; added: boolean }>();
  for (const { message, no } of eventsOf(chain, Field.validatorUpdate)) {
    const epoch = Number(message.epochSeq);
    const newest = latest.get(id(message.nodeId));
    if (epoch > current || (newest && (newest.epoch > epoch || (newest.epoch === epoch && newest.no > no))))
      continue;
    latest.set(id(message.nodeId), { epoch, no, added: message.added });
  }
  return [...latest.values()].filter(({ added }) => added).length;
}

function ledgerCount(chain: RandomChain): number {
  const entries = eventsOf(chain, Field.ledgerMovements).flatMap(({ message }) =>
    message.ledgerMovements.flatMap((movement: AnyFields) => movement.entries),
  );
  return entries.filter(({ fromAccount }) => fromAccount.owner !== "*" && same(fromAccount.owner, P)).length;
}

function signerCount(field: number) {
  return (chain: RandomChain) => {
    const ids = eventsOf(chain, field).flatMap(({ message }) =>
      field === Field.multisigSignerAdded
        ? [message.signatureId]
        : message.signatureSubmitters.map((one: AnyFields) => one.signatureId),
    );
    return new Set(ids.map(id)).size;
  };
}

function positionCount(chain: RandomChain): number {
  const pairs = eventsOf(chain, Field.trade, Field.settlePosition, Field.lossSocialization).flatMap(
    ({ message: { buyer, seller, partyId, marketId } }) =>
      [buyer, seller, partyId].filter(Boolean).map((one) => `${id(one)} ${id(marketId)}`),
  );
  return new Set(pairs).size;
}

function versionCount(chain: RandomChain): number {
  const states = eventsOf(chain, Field.order).filter(({ message }) => same(message.id, ORDERS[0]!));
  return new Set(states.map(({ message }) => message.version)).size;
}

const byParty = [`filter.partyIds=${P}`, `filter.partyIds=${P}&filter.partyIds=${Q}&filter.partyIds=${R}`];

export const LISTS: readonly ListForms[] = [
  {
    path: "/api/v2/assets",
    queries: [""],
    count: counted(Field.asset, (m) => id(m.id)),
  },
  {
    path: "/api/v2/accounts",
    queries: ["", ...byParty, `filter.assetId=${A}`, `filter.marketIds=${M}`, "filter.accountTypes=4"],
    count: counted(Field.account, accountKey),
  },
  {
    path: "/api/v2/balance/changes",
    queries: [
      "",
      ...byParty,
      "filter.partyIds=network",
      `filter.assetId=${A}`,
      `filter.marketIds=${M}&filter.marketIds=${N}`,
      `filter.partyIds=${P}&filter.partyIds=${Q}&filter.accountTypes=4`,
    ],
    count: counted(Field.account, (m, no) => [no, ...accountKey(m)]),
  },
  {
    path: "/api/v2/deposits",
    queries: ["", `partyId=${P}`],
    count: counted(Field.deposit, (m) => [id(m.id), id(m.partyId)]),
  },
  {
    path: "/api/v2/withdrawals",
    queries: ["", `partyId=${P}`],
    count: counted(Field.withdrawal, (m) => [id(m.id), id(m.partyId)]),
  },
  {
    path: "/api/v2/transfers",
    queries: [
      "",
      ...["FROM", "TO", "TO_OR_FROM"].map(
        (way) => `pubkey=${P}&direction=TRANSFER_DIRECTION_TRANSFER_${way}`,
      ),
    ],
    count: counted(Field.transfer, (m) => id(m.id)),
  },
  {
    path: "/api/v2/rewards",
    queries: ["", `partyId=${P}`, `assetId=${A}`, `partyId=${P}&fromEpoch=1&toEpoch=2`],
    count: each(Field.rewardPayout),
  },
  {
    path: "/api/v2/rewards/epoch/summaries",
    queries: ["", `filter.assetIds=${A}`, "filter.marketIds=", "filter.fromEpoch=1&filter.toEpoch=3"],
    count: counted(Field.rewardPayout, (m) => [
      m.epochSeq,
      id(m.asset),
      id(m.market.replace("!", "")),
      m.rewardType,
    ]),
  },
  {
    path: "/api/v2/ledgerentry/history",
    queries: [
      `filter.fromAccountFilter.partyIds=${P}`,
      `filter.toAccountFilter.partyIds=${P}`,
      `filter.fromAccountFilter.partyIds=${P}&filter.toAccountFilter.partyIds=${Q}`,
      `filter.fromAccountFilter.partyIds=${P}&filter.toAccountFilter.partyIds=network&filter.closeOnAccountFilters=true`,
    ],
    count: ledgerCount,
  },
  {
    path: "/api/v2/delegations",
    queries: ["", `partyId=${P}`, `nodeId=${NODES[0]}`, "epochId=2"],
    count: counted(Field.delegationBalance, (m) => [id(m.party), id(m.nodeId), m.epochSeq]),
  },
  {
    path: "/api/v2/parties",
    queries: [""],
    count: (chain) =>
      1 +
      counted(
        Field.party,
        (m) => id(m.id),
        (m) => id(m.id) !== "network",
      )(chain),
  },
  {
    path: "/api/v2/parties/{party_id}/stake",
    at: [P],
    queries: [""],
    count: counted(
      Field.stakeLinking,
      (m) => id(m.id),
      (m) => same(m.party, P),
    ),
  },
  { path: "/api/v2/nodes", queries: ["", "epochSeq=0"], count: nodeCount },
  {
    path: "/api/v2/node/signatures",
    queries: [`id=${RESOURCES[0]}`],
    count: counted(
      Field.nodeSignature,
      (m) => [id(m.id), ...m.sig],
      (m) => same(m.id, RESOURCES[0]!),
    ),
  },
  {
    path: "/api/v2/chain/keys/rotations",
    queries: ["", `nodeId=${NODES[0]}`],
    count: counted(Field.keyRotation, (m, no) => [no, id(m.nodeId)]),
  },
  {
    path: "/api/v2/chain/keys/ethereum/rotations",
    queries: ["", `nodeId=${NODES[0]}`],
    count: each(Field.ethereumKeyRotation),
  },
  {
    path: "/api/v2/network/parameters",
    queries: [""],
    count: counted(Field.networkParameter, (m) => m.key),
    notReversed: "always ascending by key",
  },
  {
    path: "/api/v2/votes",
    queries: [`proposalId=${PROPOSALS[0]}`, `partyId=${P}`],
    count: counted(
      Field.vote,
      (m) => [id(m.partyId), id(m.proposalId)],
      (m) => same(m.proposalId, PROPOSALS[0]!),
    ),
  },
  {
    path: "/api/v2/governances",
    queries: ["", `proposerPartyId=${P}`, "proposalState=STATE_OPEN", "proposalReference=r1"],
    count: counted(Field.proposal, (m) => id(m.id)),
    notReversed: "open proposals lead either way",
  },
  { path: "/api/v2/checkpoints", queries: [""], count: each(Field.checkpoint) },
  {
    path: "/api/v2/snapshots",
    queries: [""],
    count: counted(Field.coreSnapshot, (m, no) => [no, String(m.blockHeight)]),
  },
  {
    path: "/api/v2/upgrade/proposals",
    queries: ["", "approvedBy=a", "status=1"],
    count: counted(Field.protocolUpgradeProposal, (m) => [String(m.upgradeBlockHeight), m.vegaReleaseTag]),
  },
  {
    path: "/api/v2/erc20/multisigcontrol/signer/added/bundles",
    queries: ["", `nodeId=${NODES[0]}`, "epochSeq=2", "submitter=0xAB"],
    count: signerCount(Field.multisigSignerAdded),
  },
  {
    path: "/api/v2/erc20/multisigcontrol/signer/removed/bundles",
    queries: ["", `nodeId=${NODES[0]}`],
    count: signerCount(Field.multisigSignerRemoved),
  },
  {
    path: "/api/v2/markets",
    queries: ["", "includeSettled=false"],
    count: counted(
      [Field.marketCreated, Field.marketUpdated],
      (m) => id(m.id),
      (m) => m.state !== 2,
    ),
  },
  {
    path: "/api/v2/market/data/{market_id}",
    at: [M],
    queries: [FOREVER],
    count: each(Field.marketData, (m) => same(m.market, M)),
  },
  {
    path: "/api/v2/candle",
    queries: [`candleId=trades_candle_block_${M}`, `candleId=trades_candle_1_minute_${M}`],
    count: counted(
      Field.trade,
      (m, no) => [same(m.marketId, M), no],
      (m) => same(m.marketId, M),
    ),
  },
  {
    path: "/api/v2/orders",
    queries: [
      "",
      ...byParty,
      `filter.marketIds=${M}`,
      "filter.liveOnly=true",
      `filter.liveOnly=true&${byParty[1]}`,
      "filter.reference=r1",
      "filter.statuses=1",
    ],
    // An order that is made again with another creation time is another current row.
    count: counted(Field.order, (m) => [id(m.id), String(createdNs(m.version))]),
    forwardOnly: "the original knows no other way",
    newestOnly: "the same",
  },
  {
    path: "/api/v2/order/versions/{order_id}",
    at: [ORDERS[0]!],
    queries: [""],
    count: versionCount,
    forwardOnly: "the original knows no other way",
  },
  {
    path: "/api/v2/trades",
    queries: [
      "",
      `marketIds=${M}`,
      `partyIds=${P}`,
      `partyIds=${P}&partyIds=${Q}&marketIds=${M}`,
      `orderIds=${ORDERS[0]}`,
    ],
    count: each(Field.trade),
  },
  {
    path: "/api/v2/positions",
    queries: ["", ...byParty, `filter.marketIds=${M}`],
    count: positionCount,
  },
  {
    path: "/api/v2/margin/levels",
    queries: ["", `partyId=${P}`, `marketId=${M}`],
    count: counted(Field.marginLevels, (m) => [id(m.partyId), id(m.marketId), id(m.asset)]),
  },
  {
    path: "/api/v2/liquidity/provisions",
    queries: [`partyId=${P}`, `marketId=${M}`, `partyId=${P}&live=true`, `marketId=${M}&reference=r1`],
    count: counted(
      Field.liquidityProvision,
      (m, no) => [no, id(m.id)],
      (m) => same(m.partyId, P),
    ),
  },
  {
    path: "/api/v2/oracle/specs",
    queries: [""],
    count: counted(Field.oracleSpec, (m) => id(m.externalDataSourceSpec.spec.id)),
  },
  {
    path: "/api/v2/oracle/data",
    queries: ["", `oracleSpecId=${SPECS[0]}`],
    count: counted(Field.oracleData, ({ externalData: { data } }) => [data.matchedSpecIds, data.data]),
  },
];

/** The path of a list with its parameters filled in. */
export function pathOf(list: ListForms, query: string): string {
  const values = [...(list.at ?? [])];
  const path = list.path.replace(/\{\w+\}/g, () => values.shift()!);
  return query === "" ? path : `${path}?${query}`;
}
