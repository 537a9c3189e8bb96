/**
 * The components of a checkpoint, from the domains' state
 * (docs/protocol/60-state-engine-parameters.md#12-checkpoints). Open proposals, votes, and resources that validators
 * still look at or sign are not in it.
 */
import { compare } from "../wire/arithmetic.ts";
import type { Init } from "../wire/codec.ts";
import {
  type Checkpoint,
  type DelegateEntry,
  encodeAssets,
  encodeBanking,
  encodeBlock,
  encodeCollateral,
  encodeDelegate,
  encodeMarketTracker,
  encodeMultisigControl,
  encodeNetParams,
  encodeProposals,
  encodeRewards,
  encodeStaking,
  encodeValidators,
  type PartyFees,
  type ScheduledTransfer,
} from "../wire/generated/checkpoint.ts";
import { encodeEpochEvent, TransferStatus } from "../wire/generated/events.ts";
import {
  AccountType,
  AssetStatus,
  EpochAction,
  TransferType,
  ValidatorNodeStatus,
} from "../wire/generated/vega.ts";
import type { Assets } from "./assets.ts";
import type { Banking } from "./banking.ts";
import { type Account, accountId, type Collateral, NO_MARKET, SYSTEM_OWNER } from "./collateral.ts";
import type { Core } from "./core.ts";
import type { Delegation } from "./delegation.ts";
import type { Epochs } from "./epochs.ts";
import type { Governance } from "./governance.ts";
import type { MarketRegistry } from "./markets/market-registry.ts";
import type { Activity, ActivityFees } from "./markets/records.ts";
import { type Multisig, signerMessage, thresholdMessage } from "./multisig.ts";
import { validatorMessage } from "./nodes.ts";
import type { NetworkParameters } from "./parameters.ts";
import type { NodeStatus } from "./ports.ts";
import { type ProposalRecord, proposalMessage } from "./proposals.ts";
import type { Shares } from "./stakes.ts";
import type { Staking } from "./staking.ts";
import { linkingMessage } from "./staking.ts";
import { type Scheduled, transferEvent } from "./transfers.ts";
import type { Validators } from "./validators.ts";
import { UINT_MAX } from "./values.ts";

export const STATUS_NUMBERS: Readonly<Record<NodeStatus, number>> = {
  tendermint: ValidatorNodeStatus.VALIDATOR_NODE_STATUS_TENDERMINT,
  ersatz: ValidatorNodeStatus.VALIDATOR_NODE_STATUS_ERSATZ,
  pending: ValidatorNodeStatus.VALIDATOR_NODE_STATUS_PENDING,
};

export function saveCheckpoint(domains: CheckpointDomains): Checkpoint {
  return {
    governance: governance(domains),
    assets: assets(domains),
    collateral: collateral(domains),
    networkParameters: encodeNetParams({
      params: domains.params.entries().map(([key, value]) => ({ key, value })),
    }),
    delegation: delegation(domains),
    epoch: epoch(domains),
    block: encodeBlock({ height: BigInt(domains.core.height) }),
    // Nothing is paid out later than at the end of its epoch.
    rewards: encodeRewards({}),
    banking: banking(domains),
    validators: validators(domains),
    staking: staking(domains),
    multisigControl: multisig(domains),
    marketTracker: marketTracker(domains),
  };
}

/** Without those of markets that have ended or whose trading has ended: no chain creates these again. */
function governance({ governance: { proposals }, markets }: CheckpointDomains): Uint8Array {
  const isKept = ({ id, terms }: ProposalRecord) => {
    if (terms.newMarket === undefined && terms.updateMarket === undefined) return true;
    const market = markets.get(terms.updateMarket?.marketId ?? id);
    return market?.context.canTrade === true;
  };
  const kept = [...proposals.enacted(), ...proposals.passedMarkets()].filter(isKept);
  return encodeProposals({ proposals: kept.map(proposalMessage) });
}

function assets({ assets }: CheckpointDomains): Uint8Array {
  const all = assets.all();
  const withStatus = (expected: number) =>
    all.filter(({ status }) => status === expected).map(({ id, details }) => ({ id, assetDetails: details }));
  return encodeAssets({
    assets: withStatus(AssetStatus.STATUS_ENABLED),
    pendingListingAssets: withStatus(AssetStatus.STATUS_PENDING_LISTING),
  });
}

function collateral({ collateral }: CheckpointDomains): Uint8Array {
  // A party's money on markets is its own again on the other chain.
  const sums = new Map<string, { party: string; asset: string; sum: bigint }>();
  for (const [, account] of collateral.entries()) {
    const party = holderOf(account);
    const { asset, balance } = account;
    if (party === undefined || balance === 0n) continue;
    const key = `${party} ${asset}`;
    sums.set(key, { party, asset, sum: (sums.get(key)?.sum ?? 0n) + balance });
  }
  const balances = [...sums.values()].map(({ party, asset, sum }) => ({
    party,
    asset,
    balance: sum.toString(),
  }));
  balances.sort((a, b) => compare(a.party, b.party) || compare(a.asset, b.asset));
  return encodeCollateral({ balances });
}

function delegation({ delegation, epochs }: CheckpointDomains): Uint8Array {
  const { current, next, automatic } = delegation.allShares();
  const { seq } = epochs.current;
  const entries = (all: typeof current, epochSeq: bigint) =>
    all.flatMap(([party, shares]: readonly [string, Shares]) =>
      shares.map(
        ({ node, amount }): DelegateEntry => ({
          party,
          node,
          amount: amount.toString(),
          undelegate: false,
          epochSeq,
        }),
      ),
    );
  return encodeDelegate({
    active: entries(current, seq),
    pending: entries(next, seq + 1n),
    autoDelegation: automatic,
  });
}

function epoch({ epochs }: CheckpointDomains): Uint8Array {
  const { seq, startNs, expireNs } = epochs.current;
  return encodeEpochEvent({
    seq,
    action: EpochAction.EPOCH_ACTION_START,
    startTime: startNs,
    expireTime: expireNs,
  });
}

function banking({ banking: { actions, bridge, oneOff, recurring } }: CheckpointDomains): Uint8Array {
  const { stopped, block, logIndex } = bridge.lastSwitched;
  return encodeBanking({
    transfersAtTime: oneOff.pending().map((scheduled) => ({
      deliverOn: scheduled.deliverOn,
      transfers: [scheduledTransfer(scheduled)],
    })),
    recurringTransfers: {
      recurringTransfers: recurring.pending().map(({ request, startEpoch, endEpoch, factor, strategy }) => ({
        ...transferEvent(request, TransferStatus.STATUS_PENDING),
        recurring: { startEpoch, endEpoch, factor, dispatchStrategy: strategy },
      })),
    },
    bridgeState: { active: !stopped, blockHeight: block, logIndex },
    seenRefs: actions.seenPlaces(),
  });
}

function scheduledTransfer({ request, deliverOn }: Scheduled): Init<ScheduledTransfer> {
  const { to, toType, asset, amount, reference } = request;
  return {
    transfer: {
      owner: to,
      amount: { amount: amount.toString(), asset },
      type: TransferType.TRANSFER_TYPE_TRANSFER_FUNDS_DISTRIBUTE,
      minAmount: amount.toString(),
    },
    accountType: toType,
    reference,
    oneoffTransfer: { ...transferEvent(request, TransferStatus.STATUS_DONE), oneOff: { deliverOn } },
  };
}

function validators({ core, epochs, validators }: CheckpointDomains): Uint8Array {
  const height = BigInt(core.height);
  return encodeValidators({
    validatorState: validators.nodes().map((node) => ({
      validatorUpdate: {
        ...validatorMessage(node, true, epochs.current.seq),
        submitterAddress: node.submitterAddress,
      },
      status: STATUS_NUMBERS[node.status],
      ethEventsForwarded: validators.forwardedBy(node.nodeId),
      validatorPower: node.power,
    })),
    pendingKeyRotations: validators.keyRotations.announced().map(([nodeId, rotation]) => ({
      relativeTargetBlockHeight: rotation.target - height,
      nodeId,
      newPubKey: rotation.newKey,
      newPubKeyIndex: rotation.newIndex,
    })),
    pendingEthereumKeyRotations: validators.ethereumKeyRotations.announced().map(([nodeId, rotation]) => ({
      relativeTargetBlockHeight: rotation.target - height,
      nodeId,
      newAddress: rotation.newAddress,
    })),
  });
}

function staking({ staking }: CheckpointDomains): Uint8Array {
  const linkings = staking.acceptedLinkings();
  return encodeStaking({
    accepted: linkings.map(linkingMessage),
    lastBlockSeen: highest(linkings),
  });
}

function marketTracker({ markets }: CheckpointDomains): Uint8Array {
  return encodeMarketTracker({
    marketActivity: markets.tracked().map(({ market, isOver, activities, paid }) => ({
      market: market.id,
      asset: market.asset,
      makerFeesReceived: partyFees(activities, "makerReceived"),
      makerFeesPaid: partyFees(activities, "makerPaid"),
      lpFees: partyFees(activities, "liquidityReceived"),
      proposer: market.proposer,
      bonusPaid: paid,
      valueTraded: amountText(market.tradedValue),
      readyToDelete: isOver,
    })),
  });
}

function partyFees(activities: readonly Activity[], member: keyof ActivityFees): PartyFees[] {
  return activities
    .filter((activity) => activity[member] > 0n)
    .map((activity) => ({ party: activity.party, fee: amountText(activity[member]) }));
}

/** Sums that no account holds can be more than an amount says: the other chain takes none of these. */
function amountText(sum: bigint): string {
  return (sum > UINT_MAX ? UINT_MAX : sum).toString();
}

function multisig({ multisig }: CheckpointDomains): Uint8Array {
  const { signers, threshold } = multisig.known();
  return encodeMultisigControl({
    signers: signers.map(signerMessage),
    ...(threshold && { thresholdSet: thresholdMessage(threshold) }),
    lastBlockSeen: highest([...signers, ...(threshold ? [threshold] : [])]),
  });
}

function highest(events: readonly { readonly block: bigint }[]): bigint {
  return events.reduce((last, { block }) => (block > last ? block : last), 0n);
}

// The domains of a checkpoint, and names of accounts that its two directions share.

export interface CheckpointDomains {
  readonly core: Core;
  readonly validators: Validators;
  readonly assets: Assets;
  readonly collateral: Collateral;
  readonly params: NetworkParameters;
  readonly governance: Governance;
  readonly epochs: Epochs;
  readonly multisig: Multisig;
  readonly staking: Staking;
  readonly delegation: Delegation;
  readonly banking: Banking;
  readonly markets: MarketRegistry;
}

const typeNames = new Map<number, string>(Object.entries(AccountType).map(([name, type]) => [type, name]));

/** Accounts of markets, whose money goes to the treasury: the other chain has no such markets. */
const OF_MARKETS: ReadonlySet<number> = new Set([
  AccountType.ACCOUNT_TYPE_INSURANCE,
  AccountType.ACCOUNT_TYPE_SETTLEMENT,
  AccountType.ACCOUNT_TYPE_FEES_LIQUIDITY,
  AccountType.ACCOUNT_TYPE_FEES_MAKER,
]);

/**
 * Holder of a balance: a party, or one of the network's accounts. The treasury is `*`, the others have their type and
 * market behind it. Undefined for accounts outside of the chain.
 */
function holderOf({ type, owner, market }: Account): string | undefined {
  if (type === AccountType.ACCOUNT_TYPE_EXTERNAL) return undefined;
  if (owner !== SYSTEM_OWNER) return owner;
  if (type === AccountType.ACCOUNT_TYPE_GLOBAL_REWARD || OF_MARKETS.has(type)) return SYSTEM_OWNER;
  const name = `${SYSTEM_OWNER}${typeNames.get(type)!}`;
  return market === NO_MARKET ? name : `${name}/${market}`;
}

/** Between the type of a network's account and its market: ours, and that of a network's files. */
const MARKET_SEPARATOR = /\/|___/;

/** The account of a holder, made if need be. @throws Error for an invalid name */
export function accountOf(holder: string, asset: string, collateral: Collateral): string {
  if (holder === SYSTEM_OWNER) return accountId(asset, AccountType.ACCOUNT_TYPE_GLOBAL_REWARD);
  if (!holder.startsWith(SYSTEM_OWNER)) return collateral.ensureGeneral(holder, asset);
  const [name, scope] = holder.slice(SYSTEM_OWNER.length).split(MARKET_SEPARATOR);
  const market = scope === NO_MARKET ? undefined : scope;
  const type = (AccountType as Readonly<Record<string, number>>)[name!];
  if (type === undefined || type === AccountType.ACCOUNT_TYPE_EXTERNAL) {
    throw new Error(`there is no account '${holder.slice(0, 64)}' of the network`);
  }
  return collateral.ensureSystem(asset, type as Account["type"], market);
}
