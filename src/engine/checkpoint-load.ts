/**
 * A chain begins with a checkpoint's contents (docs/protocol/60-state-engine-parameters.md#12-checkpoints): domain
 * after domain in the order of the network, each with its events. The genesis gives way where it has the same.
 */
import { NodeError, reasonOf } from "../errors/node-error.ts";
import { compare } from "../wire/arithmetic.ts";
import {
  type Checkpoint,
  type DelegateEntry,
  decodeAssets,
  decodeBanking,
  decodeCollateral,
  decodeDelegate,
  decodeMarketTracker,
  decodeMultisigControl,
  decodeNetParams,
  decodeStaking,
  decodeValidators,
  type MarketActivityTracker,
} from "../wire/generated/checkpoint.ts";
import {
  decodeEpochEvent,
  type ERC20MultiSigSignerEvent,
  ERC20MultiSigSignerEventType,
  type ERC20MultiSigThresholdSetEvent,
  type Transfer,
} from "../wire/generated/events.ts";
import { TransferType } from "../wire/generated/vega.ts";
import { loadProposals } from "./checkpoint-markets.ts";
import { accountOf, type CheckpointDomains, STATUS_NUMBERS } from "./checkpoint-save.ts";
import { invalidCheckpoint as invalid } from "./checkpoints.ts";
import { type Activity, NO_FEES } from "./markets/records.ts";
import type { SignerEvent, ThresholdEvent } from "./multisig.ts";
import type { NodeStatus } from "./ports.ts";
import type { Shares } from "./stakes.ts";
import type { TransferRequest } from "./transfers.ts";
import { amountIn } from "./values.ts";

const statuses = new Map(
  Object.entries(STATUS_NUMBERS).map(([status, number]) => [number, status as NodeStatus]),
);

/** By a core's own numbers. Files of a network have these, and scores beside them, which ours do not have. */
const NETWORK_STATUSES: readonly NodeStatus[] = ["pending", "ersatz", "tendermint"];

/** @param kept network parameters that the genesis keeps @throws NodeError `checkpoint_invalid` */
export function loadCheckpoint(
  content: Checkpoint,
  domains: CheckpointDomains,
  kept: readonly string[] = [],
): void {
  const step = (name: string, run: () => void) => {
    try {
      run();
    } catch (error) {
      throw invalid(`${name}: ${error instanceof NodeError ? error.message : reasonOf(error)}`);
    }
  };
  step("validators", () => loadValidators(content.validators, domains));
  step("assets", () => loadAssets(content.assets, domains));
  step("collateral", () => loadBalances(content.collateral, domains));
  step("network parameters", () => loadParameters(content.networkParameters, domains, kept));
  step("governance", () => loadProposals(content, domains));
  step("epoch", () => domains.epochs.restore(epochOf(content.epoch)));
  // The network loads it in front of the proposals; no event shows it, and an epoch that begins would forget it.
  step("market activity", () => loadActivity(content.marketTracker, domains));
  step("multisig control", () => loadMultisig(content.multisigControl, domains));
  step("staking", () => loadStaking(content.staking, domains));
  step("delegation", () => loadDelegation(content.delegation, domains));
  step("banking", () => loadBanking(content.banking, domains));
}

function loadValidators(bytes: Uint8Array, { core, validators }: CheckpointDomains): void {
  const { validatorState, pendingKeyRotations, pendingEthereumKeyRotations } = decodeValidators(bytes);
  const isNetworks = validatorState.some(
    ({ rankingScore, status }) => rankingScore !== undefined || status === 0,
  );
  for (const { validatorUpdate, status, validatorPower, ethEventsForwarded } of validatorState) {
    const statusNumber = isNetworks ? NETWORK_STATUSES[status] : statuses.get(status);
    if (validatorUpdate === undefined || statusNumber === undefined)
      throw new Error("a validator is invalid");
    const { nodeId, vegaPubKey, vegaPubKeyIndex, ethereumAddress, tmPubKey } = validatorUpdate;
    const { infoUrl, country, name, avatarUrl, fromEpoch, submitterAddress, epochSeq } = validatorUpdate;
    validators.restore(
      {
        ...{ nodeId, vegaPubKey, vegaPubKeyIndex, ethereumAddress, tmPubKey },
        ...{ infoUrl, country, name, avatarUrl, fromEpoch, submitterAddress },
        status: statusNumber,
        power: validatorPower,
      },
      ethEventsForwarded,
      epochSeq,
    );
  }
  const height = BigInt(core.height);
  for (const { nodeId, relativeTargetBlockHeight, newPubKey, newPubKeyIndex } of pendingKeyRotations) {
    const target = height + relativeTargetBlockHeight;
    validators.keyRotations.restore(nodeId, { target, newKey: newPubKey, newIndex: newPubKeyIndex });
  }
  for (const { nodeId, relativeTargetBlockHeight, newAddress } of pendingEthereumKeyRotations) {
    const target = height + relativeTargetBlockHeight;
    validators.ethereumKeyRotations.restore(nodeId, { target, newAddress, submitter: "" });
  }
}

function loadAssets(bytes: Uint8Array, { assets }: CheckpointDomains): void {
  const { assets: enabled, pendingListingAssets } = decodeAssets(bytes);
  for (const { id, assetDetails } of enabled) assets.restore(id, assetDetails!, false);
  for (const { id, assetDetails } of pendingListingAssets) assets.restore(id, assetDetails!, true);
}

function loadBalances(bytes: Uint8Array, { assets, collateral }: CheckpointDomains): void {
  const { balances } = decodeCollateral(bytes);
  const movements = balances.map(({ party, asset, balance }) => {
    if (!assets.isEnabled(asset)) throw new Error(`asset ${asset.slice(0, 64)} does not exist`);
    const amount = amountOf(balance, "a balance is not an amount");
    const account = accountOf(party, asset, collateral);
    return collateral.deposit(asset, account, amount, TransferType.TRANSFER_TYPE_CHECKPOINT_BALANCE_RESTORE);
  });
  collateral.emitMovements(movements);
}

function loadParameters(bytes: Uint8Array, { params }: CheckpointDomains, kept: readonly string[]): void {
  const values = decodeNetParams(bytes).params.map(({ key, value }) => [key, value] as const);
  params.restore(Object.fromEntries(values), new Set(kept));
}

function loadActivity(bytes: Uint8Array, { assets, markets }: CheckpointDomains): void {
  const { marketActivity } = decodeMarketTracker(bytes);
  markets.restore(
    marketActivity.map((tracker) => {
      const { market: id, asset, proposer, bonusPaid: paid } = tracker;
      if (!assets.isEnabled(asset)) throw new Error(`asset ${asset.slice(0, 64)} does not exist`);
      const tradedValue = amountOf(tracker.valueTraded || "0", "a traded value is not an amount");
      return { market: { id, asset, proposer, tradedValue }, activities: activitiesOf(tracker), paid };
    }),
  );
}

function activitiesOf({
  market,
  makerFeesPaid,
  makerFeesReceived,
  lpFees,
}: MarketActivityTracker): Activity[] {
  const byParty = new Map<string, Activity>();
  for (const [member, fees] of [
    ["makerPaid", makerFeesPaid],
    ["makerReceived", makerFeesReceived],
    ["liquidityReceived", lpFees],
  ] as const) {
    for (const { party, fee } of fees) {
      const fees = byParty.get(party) ?? { market, party, ...NO_FEES };
      byParty.set(party, { ...fees, [member]: amountOf(fee, "a fee is not an amount") });
    }
  }
  return [...byParty.values()];
}

function epochOf(bytes: Uint8Array) {
  const { seq, startTime, expireTime } = decodeEpochEvent(bytes);
  return { seq, startNs: startTime, expireNs: expireTime };
}

function loadMultisig(bytes: Uint8Array, { multisig }: CheckpointDomains): void {
  const { signers, thresholdSet } = decodeMultisigControl(bytes);
  multisig.restore(signers.map(signerEvent), thresholdSet && thresholdEvent(thresholdSet));
}

function signerEvent(event: ERC20MultiSigSignerEvent): SignerEvent {
  const action = event.type === ERC20MultiSigSignerEventType.TYPE_ADDED ? "add" : "remove";
  return { ...contractEvent(event), action, signer: event.signer };
}

function thresholdEvent(event: ERC20MultiSigThresholdSetEvent): ThresholdEvent {
  return { ...contractEvent(event), threshold: event.newThreshold };
}

function contractEvent(event: ERC20MultiSigSignerEvent | ERC20MultiSigThresholdSetEvent) {
  const { id, nonce, blockTime, txHash, logIndex, blockNumber: block } = event;
  return { id, nonce, blockTime, txHash, logIndex, block };
}

function loadStaking(bytes: Uint8Array, { staking }: CheckpointDomains): void {
  for (const { id, type, ts, party, amount, status, finalizedAt, ...place } of decodeStaking(bytes)
    .accepted) {
    const { txHash, blockHeight: block, logIndex, ethereumAddress } = place;
    staking.restore({
      ...{ id, type, seconds: ts, party, amount: amountOf(amount, "a linking has no amount"), status },
      ...{ finalizedNs: finalizedAt, txHash, block, logIndex, ethereumAddress },
    });
  }
}

function loadDelegation(bytes: Uint8Array, { delegation }: CheckpointDomains): void {
  const { active, pending, autoDelegation } = decodeDelegate(bytes);
  delegation.restore({ current: sharesOf(active), next: sharesOf(pending), automatic: autoDelegation });
}

function sharesOf(entries: readonly DelegateEntry[]): (readonly [party: string, shares: Shares])[] {
  const byParty = Map.groupBy(entries, ({ party }) => party);
  return [...byParty].map(([party, own]) => [
    party,
    own
      .map(({ node, amount }) => ({ node, amount: amountOf(amount, "a delegation has no amount") }))
      .sort((a, b) => compare(a.node, b.node)),
  ]);
}

function loadBanking(bytes: Uint8Array, { banking, epochs }: CheckpointDomains): void {
  const { transfersAtTime, recurringTransfers, bridgeState, seenRefs } = decodeBanking(bytes);
  for (const { deliverOn, transfers } of transfersAtTime) {
    for (const { oneoffTransfer } of transfers) {
      if (oneoffTransfer === undefined) throw new Error("a scheduled transfer is incomplete");
      banking.oneOff.restore({ request: requestOf(oneoffTransfer), deliverOn });
    }
  }
  const recurring = (recurringTransfers?.recurringTransfers ?? []).map((transfer) => {
    if (transfer.recurring === undefined) throw new Error("a recurring transfer is incomplete");
    const { startEpoch, endEpoch, factor, dispatchStrategy: strategy } = transfer.recurring;
    return { request: requestOf(transfer), startEpoch, endEpoch, factor, strategy };
  });
  banking.recurring.restore(recurring, epochs.current.seq);
  if (bridgeState !== undefined) {
    const { active, blockHeight: block, logIndex } = bridgeState;
    banking.bridge.restore({ stopped: !active, block, logIndex });
  }
  banking.actions.restore(seenRefs);
}

function requestOf(transfer: Transfer): TransferRequest {
  return {
    id: transfer.id,
    from: transfer.from,
    fromType: transfer.fromAccountType,
    to: transfer.to,
    toType: transfer.toAccountType,
    asset: transfer.asset,
    amount: amountOf(transfer.amount, "a transfer has no amount"),
    reference: transfer.reference,
    submittedNs: transfer.timestamp,
  };
}

/** @param problem the text for anything that is not an amount */
function amountOf(text: string, problem: string): bigint {
  const amount = amountIn(text);
  if (amount === undefined) throw new Error(problem);
  return amount;
}
