// A rig whose markets come and change by proposals and votes, with stakes handed out
// (docs/protocol/60-state-engine-governance.md#6-governance).

import { configurationOf, type RigMarket, updateOf } from "../../../src/testing/market-config.ts";
import {
  createMarketRig,
  idOf,
  type MarketRig,
  type MarketRigOptions,
  type RigEvent,
  type RigResult,
} from "../../../src/testing/market-rig.ts";
import type { Init } from "../../../src/wire/codec.ts";
import { StakeLinkingStatus, StakeLinkingType } from "../../../src/wire/generated/events.ts";
import type { ProposalTerms } from "../../../src/wire/generated/vega.ts";
import { SECOND_NS } from "../../../src/wire/time-text.ts";

const KINDS = ["market", "updateMarket", "updateNetParam"];
/** Seconds after the submission. */
export const CLOSE = 10n;
export const ENACT = 20n;
export const [YES, NO] = [2, 1];
export const PROPOSER = idOf("proposer");
export const PLAIN = { asset: "ETH", simple: { long: 0.1, short: 0.1 }, targetStake: { scaling: 1 } };
export const SHAPE = {
  buys: [{ reference: 2, offset: "10", proportion: 1 }],
  sells: [{ reference: 3, offset: "10", proportion: 1 }],
};

/** A chain with short votes, where the proposer has 100 tokens. */
export function governedRig({ parameters, ...options }: MarketRigOptions = {}): MarketRig {
  const quick = KINDS.flatMap((kind) => ["minClose", "minEnact"].map((name) => `${kind}.${name}`));
  const rig = createMarketRig({
    ...options,
    parameters: {
      ...Object.fromEntries(quick.map((name) => [`governance.proposal.${name}`, "1s"])),
      "governance.proposal.updateMarket.minProposerEquityLikeShare": "0",
      ...parameters,
    },
  });
  link(rig, PROPOSER, 100n);
  return rig;
}

/** Stake of a party from the bridge; a negative amount takes it away. */
export function link(rig: MarketRig, party: string, amount: bigint): void {
  const { staking } = rig.engine.domains;
  const number = staking.acceptedLinkings().length + 1;
  staking.restore({
    id: idOf(`linking ${number}`),
    type: amount > 0n ? StakeLinkingType.TYPE_LINK : StakeLinkingType.TYPE_UNLINK,
    seconds: BigInt(number),
    party,
    amount: amount > 0n ? amount : -amount,
    status: StakeLinkingStatus.STATUS_ACCEPTED,
    finalizedNs: 1n,
    txHash: `0x${number}`,
    block: BigInt(number),
    logIndex: 0n,
    ethereumAddress: "0x",
  });
}

export function propose(
  rig: MarketRig,
  change: Init<ProposalTerms>,
  { party = PROPOSER, close = CLOSE, enact = ENACT } = {},
): RigResult {
  const now = rig.nowNs / SECOND_NS;
  const terms = { closingTimestamp: now + close, enactmentTimestamp: now + enact, ...change };
  const rationale = { title: "Title", description: "Description" };
  return rig.deliver(party, { kind: "proposalSubmission", payload: { rationale, terms } });
}

export function vote(rig: MarketRig, party: string, proposalId: string, value = YES): RigResult {
  return rig.deliver(party, { kind: "voteSubmission", payload: { proposalId, value } });
}

/** A proposal with the proposer's vote. @returns its id */
export function proposed(rig: MarketRig, change: Init<ProposalTerms>, times = {}): string {
  const { id, text } = propose(rig, change, times);
  if (text !== "" || vote(rig, PROPOSER, id).text !== "") throw new Error(`not proposed: ${text}`);
  return id;
}

export function newMarket(config: Partial<RigMarket> = {}): Init<ProposalTerms> {
  const settings = { ...PLAIN, ...config };
  return { newMarket: { changes: configurationOf(settings, idOf(settings.asset), "New") } };
}

/** @param config what differs from a plain market */
export function update(marketId: string, config: Partial<RigMarket> = {}): Init<ProposalTerms> {
  const settings = { ...PLAIN, ...config };
  return {
    updateMarket: { marketId: idOf(marketId), changes: updateOf(settings, idOf(settings.asset), "New") },
  };
}

export function updateParameter(key: string, value: string): Init<ProposalTerms> {
  return { updateNetworkParameter: { changes: { key, value } } };
}

/** Events since a number of them, without those of blocks and data: `proposal 3`, with a state or status. */
export function outline(rig: MarketRig, from: number): string[] {
  const shown = ({ member, payload }: RigEvent) => {
    const number = payload.state ?? payload.status;
    return number === undefined ? member : `${member} ${number}`;
  };
  return rig
    .events()
    .slice(from)
    .filter(({ member }) => !UNSEEN.has(member))
    .map(shown);
}

const UNSEEN: ReadonlySet<string> = new Set([
  ...["beginBlock", "endBlock", "timeUpdate", "epochEvent", "marketTick", "account", "transactionResult"],
  ...["delegationBalance", "coreSnapshotEvent", "checkpoint", "positionStateEvent"],
]);
