// Random bus events of money, validators and governance (fields: docs/protocol/30-node-api-events.md#9-event-bus). Only
// what a list shows, orders or filters by is random; the rest keeps its default.
import fc from "fast-check";
import { Field } from "../../src/wire/block.ts";
import { encodeNodeSignature } from "../../src/wire/generated/commands.ts";
import * as events from "../../src/wire/generated/events.ts";
import * as vega from "../../src/wire/generated/vega.ts";
import * as v from "./random-values.ts";

// biome-ignore lint/suspicious/noExplicitAny: messages of many types, looked at by the counts of test/support/lists.ts
export type AnyFields = any;

export interface MadeEvent {
  readonly field: number;
  readonly message: AnyFields;
  readonly bytes: Uint8Array;
}

/** Events of one kind, made from arbitraries for some of the message's fields. */
export function eventOf<I extends object>(
  field: number,
  encode: (message: I) => Uint8Array,
  fields: { [K in keyof I]?: fc.Arbitrary<I[K]> },
): fc.Arbitrary<MadeEvent> {
  const record = fc.record(fields as Record<string, fc.Arbitrary<unknown>>);
  return record.map((message) => ({ field, message, bytes: encode(message as I) }));
}

/** The start of an epoch. */
export function epochEvent(seq: bigint): MadeEvent {
  const message = { seq, action: 1, startTime: 1n };
  return { field: Field.epochUpdate, message, bytes: events.encodeEpochEvent(message) };
}

const accountType = v.oneOf(1, 3, 4, 9, 12);
/** Events write `*` for no party and `!` for no market. */
const owner = fc.oneof({ weight: 5, arbitrary: v.party }, { weight: 1, arbitrary: fc.constant("*") });
const marketOrNone = fc.oneof(
  { weight: 1, arbitrary: v.market },
  { weight: 2, arbitrary: fc.constantFrom("!", "") },
);
const accountDetails = fc.record({
  assetId: v.asset,
  type: accountType,
  owner,
  marketId: marketOrNone,
});
const ledgerEntry = fc.record({
  fromAccount: accountDetails,
  toAccount: accountDetails,
  amount: v.amount,
  type: v.oneOf(1, 2, 19),
  timestamp: v.timeNs,
  fromAccountBalance: v.amount,
  toAccountBalance: v.amount,
});

const money = [
  eventOf(Field.account, vega.encodeAccount, {
    owner,
    asset: v.asset,
    marketId: marketOrNone,
    type: accountType,
    balance: v.amount,
  }),
  eventOf(Field.party, vega.encodeParty, { id: fc.oneof(v.anyParty, v.party) }),
  eventOf(Field.ledgerMovements, events.encodeLedgerMovements, {
    ledgerMovements: fc.array(fc.record({ entries: fc.array(ledgerEntry, { maxLength: 3 }) }), {
      maxLength: 2,
    }),
  }),
  eventOf(Field.asset, vega.encodeAsset, {
    id: v.anyAsset,
    details: fc.record({ name: v.text, quantum: v.amount }),
    status: v.oneOf(1, 2, 3, 4),
  }),
  eventOf(Field.deposit, vega.encodeDeposit, {
    id: v.someId("de", 40),
    status: v.oneOf(1, 2, 3),
    partyId: v.party,
    asset: v.asset,
    amount: v.amount,
    createdTimestamp: v.timeNs,
  }),
  eventOf(Field.withdrawal, vega.encodeWithdrawal, {
    id: v.someId("fd", 40),
    status: v.oneOf(1, 2, 3),
    partyId: v.party,
    asset: v.asset,
    amount: v.amount,
    createdTimestamp: v.timeNs,
  }),
  eventOf(Field.transfer, events.encodeTransfer, {
    id: v.someId("7f", 40),
    from: v.party,
    to: v.party,
    asset: v.asset,
    amount: v.amount,
    status: v.oneOf(1, 2, 5),
    oneOff: fc.record({ deliverOn: v.timeNs }),
  }),
  eventOf(Field.rewardPayout, events.encodeRewardPayoutEvent, {
    party: v.party,
    asset: v.asset,
    epochSeq: v.epoch.map(String),
    amount: v.amount,
    percentOfTotalReward: v.decimal,
    rewardType: fc.constantFrom("ACCOUNT_TYPE_GLOBAL_REWARD", "A", ""),
    market: marketOrNone,
    timestamp: v.timeNs,
  }),
];

const address = fc.constantFrom("0x00", "0xAb", "0xab00", "0xff");
const validators = [
  eventOf(Field.validatorUpdate, events.encodeValidatorUpdate, {
    nodeId: v.node,
    vegaPubKey: v.party.filter((id) => id !== "network"),
    ethereumAddress: address,
    added: fc.boolean(),
    epochSeq: v.epoch.map(BigInt),
  }),
  eventOf(Field.validatorRanking, events.encodeValidatorRankingEvent, {
    nodeId: v.node,
    epochSeq: v.epoch.map(String),
    stakeScore: v.decimal,
    performanceScore: v.decimal,
    rankingScore: v.decimal,
    nextStatus: fc.constantFrom("tendermint", "ersatz", "pending"),
  }),
  eventOf(Field.epochUpdate, events.encodeEpochEvent, {
    seq: v.epoch.map(BigInt),
    action: v.oneOf(1, 2),
    startTime: v.timeNs,
  }),
  eventOf(Field.keyRotation, events.encodeKeyRotation, {
    nodeId: v.node,
    oldPubKey: v.anyParty,
    newPubKey: v.anyParty,
    blockHeight: v.height,
  }),
  eventOf(Field.ethereumKeyRotation, events.encodeEthereumKeyRotation, {
    nodeId: fc.constantFrom(...v.NODES.slice(0, 2)),
    oldAddress: address,
    newAddress: address,
    blockHeight: v.height,
  }),
  eventOf(Field.nodeSignature, encodeNodeSignature, {
    id: v.resource,
    sig: fc.uint8Array({ minLength: 1, maxLength: 3 }),
    kind: v.oneOf(1, 2),
  }),
  eventOf(Field.multisigSignerAdded, events.encodeERC20MultiSigSignerAdded, {
    signatureId: v.someId("5a", 30),
    validatorId: fc.constantFrom(...v.NODES.slice(0, 3)),
    timestamp: v.timeNs,
    newSigner: address,
    submitter: address,
    nonce: v.amount,
    epochSeq: v.epoch.map(String),
  }),
  eventOf(Field.multisigSignerRemoved, events.encodeERC20MultiSigSignerRemoved, {
    signatureSubmitters: fc.array(fc.record({ signatureId: v.someId("5b", 30), submitter: address }), {
      maxLength: 3,
    }),
    validatorId: fc.constantFrom(...v.NODES.slice(0, 3)),
    timestamp: v.timeNs,
    oldSigner: address,
    nonce: v.amount,
    epochSeq: v.epoch.map(String),
  }),
  eventOf(Field.delegationBalance, events.encodeDelegationBalanceEvent, {
    party: v.party,
    nodeId: v.node,
    amount: v.amount,
    epochSeq: v.epoch.map(String),
  }),
  // Never less than nothing: what is unlinked is not accepted.
  eventOf(Field.stakeLinking, events.encodeStakeLinking, {
    id: v.someId("11", 60),
    type: fc.constant(1),
    status: v.oneOf(1, 2, 3),
    party: fc.constantFrom(...v.BUSY_PARTIES.slice(0, 2)),
    amount: v.amount,
    finalizedAt: v.timeNs,
  }),
];

const proposalTerms = fc.oneof(
  fc.constant({ newFreeform: {} }),
  fc.constant({ updateNetworkParameter: { changes: { key: "k", value: "v" } } }),
  fc.constant({}),
);
const network = [
  eventOf(Field.networkParameter, vega.encodeNetworkParameter, {
    key: fc.oneof(
      fc.integer({ min: 0, max: 60 }).map((n) => `a.key.${n}`),
      fc.constantFrom("é", "ÿ", "\ufffd", "𝒳", "~", " ", "A", "<&>", '"', "a\u0000b"),
    ),
    value: v.text,
  }),
  eventOf(Field.checkpoint, events.encodeCheckpointEvent, {
    hash: v.text,
    blockHash: v.text,
    blockHeight: v.height,
  }),
  eventOf(Field.coreSnapshot, events.encodeCoreSnapshotData, {
    blockHeight: v.height,
    blockHash: v.text,
    coreVersion: v.text,
  }),
  eventOf(Field.protocolUpgradeProposal, events.encodeProtocolUpgradeEvent, {
    upgradeBlockHeight: v.height,
    vegaReleaseTag: fc.constantFrom("v1", "v1.0", "v10", "é", "𝒳", "\uffee"),
    approvers: fc.subarray(["a", "b", "c"]),
    status: v.oneOf(1, 2, 3),
  }),
  eventOf(Field.proposal, vega.encodeProposal, {
    id: v.proposal,
    partyId: v.party,
    state: v.oneOf(2, 2, 4, 6),
    reference: v.text,
    terms: proposalTerms,
    requiredMajority: v.decimal,
    requiredParticipation: v.decimal,
    timestamp: v.timeNs,
  }),
  eventOf(Field.vote, vega.encodeVote, {
    partyId: fc.oneof(v.anyParty, v.party),
    proposalId: fc.constantFrom(...v.PROPOSALS.slice(0, 3)),
    value: v.oneOf(1, 2),
    timestamp: v.timeNs,
    totalGovernanceTokenBalance: v.amount,
    totalGovernanceTokenWeight: v.decimal,
  }),
];

export const STATE_EVENTS: readonly fc.Arbitrary<MadeEvent>[] = [...money, ...validators, ...network];
