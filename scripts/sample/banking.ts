// Deposits, withdrawals, transfers, and the signatures the bridge asks for
// (docs/protocol/60-state-engine-accounts.md#3-deposits, #4-withdrawals-and-erc20-approval-bundles and
// docs/protocol/60-state-engine-staking.md#8-transfers-and-rewards).
import { NodeSignatureKind } from "../../src/wire/generated/commands.ts";
import { TransferStatus } from "../../src/wire/generated/events.ts";
import {
  AccountType,
  DepositStatus,
  DispatchMetric,
  TransferType,
  WithdrawalStatus,
} from "../../src/wire/generated/vega.ts";
import { ASSET, NETWORK_TREASURY, VALIDATORS } from "./cast.ts";
import { type Account, type Collateral, general, type Move, system } from "./collateral.ts";
import type { Epochs } from "./epochs.ts";
import { addressOf, idOf, signatureOf } from "./seeded.ts";
import { Step, type World } from "./world.ts";

const { ACCOUNT_TYPE_GENERAL, ACCOUNT_TYPE_GLOBAL_REWARD, ACCOUNT_TYPE_REWARD_MAKER_PAID_FEES } = AccountType;

/**
 * Less than this is refused, whatever the asset; a node derives it from the quantum
 * (docs/protocol/60-state-engine-accounts.md#43-flow).
 */
const WITHDRAWAL_MIN = 1_000n;

export interface TransferPlan {
  readonly from: string;
  readonly to: string;
  readonly toType: number;
  readonly asset: string;
  readonly amount: bigint;
  readonly reference: string;
}

interface Recurring extends TransferPlan {
  readonly id: string;
  readonly startEpoch: number;
  readonly endEpoch: number | undefined;
  /** In tenths. */
  readonly factor: bigint;
  /** Market whose takers are paid. */
  readonly market: string | undefined;
  readonly submitted: bigint;
}

export class Banking {
  /** The fee of a transfer is one part in this many. */
  feeDivisor = 1000n;
  private readonly recurring: Recurring[] = [];
  private withdrawals = 0n;

  constructor(
    private readonly world: World,
    private readonly collateral: Collateral,
    private readonly epochs: Epochs,
    private readonly checkpoint: () => void,
  ) {}

  /** Credited two blocks later. To 64 zeros it goes to the treasury of the network. */
  deposit(height: number, partyId: string, asset: string, amount: bigint): void {
    const { world } = this;
    const id = world.newId("deposit");
    const record = {
      id,
      partyId,
      asset,
      amount: String(amount),
      txHash: asset === ASSET.dollar ? "" : `0x${idOf("ethereum transaction", id)}`,
      createdTimestamp: world.timeAt(height),
    };
    world.transaction(height, { party: VALIDATORS[0].pubKey, silent: true }, () => {
      world.emit({ deposit: { ...record, status: DepositStatus.STATUS_OPEN } });
    });
    world.at(height + 2, Step.banking, () => {
      const to =
        partyId === NETWORK_TREASURY ? system(ACCOUNT_TYPE_GLOBAL_REWARD, asset) : general(partyId, asset);
      const from = system(AccountType.ACCOUNT_TYPE_EXTERNAL, asset);
      this.collateral.move([{ from, to, amount, type: TransferType.TRANSFER_TYPE_DEPOSIT }]);
      const status = DepositStatus.STATUS_FINALIZED;
      world.emit({ deposit: { ...record, status, creditedTimestamp: world.now } });
    });
  }

  /** A withdrawal to Ethereum; claimed there after `claimAfter` blocks, or never. */
  withdraw(height: number, party: string, asset: string, amount: bigint, claimAfter?: number): void {
    const { world } = this;
    const id = world.newId("withdrawal");
    const ext =
      asset === ASSET.dollar ? undefined : { erc20: { receiverAddress: addressOf("wallet", party) } };
    const command = { withdrawSubmission: { amount: String(amount), asset, ext } };
    const failure =
      amount < WITHDRAWAL_MIN
        ? { name: "Withdraw", error: "invalid withdrawal, amount under minimum required" }
        : undefined;
    const base = {
      id,
      partyId: party,
      amount: String(amount),
      asset,
      ext,
      createdTimestamp: world.timeAt(height),
    };
    let ref = "";
    world.transaction(height, { party, command, ...(failure ? { failure } : {}) }, () => {
      ref = String(++this.withdrawals + world.secondsAt(height));
      if (ext) world.emit({ withdrawal: { ...base, ref, status: WithdrawalStatus.STATUS_OPEN } });
      if (failure) {
        world.emit({ withdrawal: { ...base, ref, status: WithdrawalStatus.STATUS_REJECTED } });
        return;
      }
      const to = system(AccountType.ACCOUNT_TYPE_EXTERNAL, asset);
      const type = TransferType.TRANSFER_TYPE_WITHDRAW;
      this.collateral.move([{ from: general(party, asset), to, amount, type }]);
      world.emit({ withdrawal: { ...base, ref, status: WithdrawalStatus.STATUS_FINALIZED } });
      this.checkpoint();
    });
    if (!ext || failure) return;
    this.sign(height + 1, id, NodeSignatureKind.NODE_SIGNATURE_KIND_ASSET_WITHDRAWAL);
    if (claimAfter === undefined) return;
    world.transaction(height + claimAfter, { party: VALIDATORS[1].pubKey, silent: true }, () => {
      const txHash = `0x${idOf("ethereum transaction", id)}`;
      const status = WithdrawalStatus.STATUS_FINALIZED;
      world.emit({ withdrawal: { ...base, ref, status, txHash, withdrawnTimestamp: world.now } });
    });
  }

  /**
   * Every validator signs a resource; the last signature completes the bundle
   * (docs/protocol/60-state-engine-accounts.md#44-signature-aggregation-notary).
   */
  sign(height: number, id: string, kind: number): void {
    this.world.transaction(height, { party: VALIDATORS[2].pubKey, silent: true }, () => {
      for (const node of VALIDATORS) {
        this.world.emit({ nodeSignature: { id, sig: signatureOf(id, node.id), kind } });
      }
    });
  }

  /** A transfer once: at once, or due at a later block. */
  transfer(height: number, plan: TransferPlan, dueHeight?: number): void {
    const { world } = this;
    const deliverOn = dueHeight === undefined ? 0n : world.timeAt(dueHeight);
    const id = world.newId("transfer");
    const tell = (status: number, timestamp: bigint) =>
      world.emit({ transfer: { ...this.event(id, plan, status, timestamp), oneOff: { deliverOn } } });
    const command = { transfer: { ...this.command(plan), oneOff: { deliverOn } } };
    world.transaction(height, { party: plan.from, command }, () => {
      const [send, deliver, fee] = this.moves(plan, plan.amount);
      this.collateral.move(dueHeight === undefined ? [send, deliver, fee] : [send, fee]);
      tell(TransferStatus.STATUS_DONE, world.now);
    });
    if (dueHeight === undefined) return;
    world.at(dueHeight, Step.banking, () => {
      this.collateral.move([this.moves(plan, plan.amount)[1]]);
      tell(TransferStatus.STATUS_DONE, world.timeAt(height));
    });
  }

  /** A transfer at every end of an epoch; `market` pays the takers of that market. Answers the transfer's id. */
  repeat(
    height: number,
    plan: TransferPlan,
    terms: { startEpoch: number; endEpoch?: number; factor: bigint; market?: string },
  ): string {
    const { world } = this;
    const transfer: Recurring = {
      ...plan,
      id: world.newId("transfer"),
      startEpoch: terms.startEpoch,
      endEpoch: terms.endEpoch,
      factor: terms.factor,
      market: terms.market,
      submitted: world.timeAt(height),
    };
    const command = { transfer: { ...this.command(plan), recurring: recurrence(transfer) } };
    world.transaction(height, { party: plan.from, command }, () => {
      this.recurring.push(transfer);
      this.tellRecurring(transfer, TransferStatus.STATUS_PENDING);
    });
    return transfer.id;
  }

  cancel(height: number, party: string, transferId: string): void {
    this.world.transaction(height, { party, command: { cancelTransfer: { transferId } } }, () => {
      const i = this.recurring.findIndex((transfer) => transfer.id === transferId);
      const [transfer] = this.recurring.splice(i, 1);
      this.tellRecurring(transfer!, TransferStatus.STATUS_CANCELLED, "transfer cancelled");
    });
  }

  /** The recurring transfers of an epoch (docs/protocol/60-state-engine-staking.md#84-recurring). */
  endEpoch(epoch: number): void {
    const moves: Move[] = [];
    const ended: Recurring[] = [];
    for (const transfer of this.recurring) {
      if (transfer.startEpoch > epoch) continue;
      const power = BigInt(epoch - transfer.startEpoch);
      moves.push(...this.moves(transfer, (transfer.amount * transfer.factor ** power) / 10n ** power));
      if (transfer.endEpoch === epoch) ended.push(transfer);
    }
    this.collateral.move(moves);
    for (const transfer of ended) {
      this.recurring.splice(this.recurring.indexOf(transfer), 1);
      this.tellRecurring(transfer, TransferStatus.STATUS_DONE);
    }
  }

  get epoch(): number {
    return this.epochs.seq;
  }

  private moves(plan: TransferPlan & { market?: string | undefined }, amount: bigint): [Move, Move, Move] {
    const from = general(plan.from, plan.asset);
    const pending = system(AccountType.ACCOUNT_TYPE_PENDING_TRANSFERS, plan.asset);
    const fees = system(AccountType.ACCOUNT_TYPE_FEES_INFRASTRUCTURE, plan.asset);
    return [
      { from, to: pending, amount, type: TransferType.TRANSFER_TYPE_TRANSFER_FUNDS_SEND },
      { from: pending, to: target(plan), amount, type: TransferType.TRANSFER_TYPE_TRANSFER_FUNDS_DISTRIBUTE },
      {
        from,
        to: fees,
        amount: amount / this.feeDivisor,
        type: TransferType.TRANSFER_TYPE_INFRASTRUCTURE_FEE_PAY,
      },
    ];
  }

  private command(plan: TransferPlan) {
    return {
      fromAccountType: ACCOUNT_TYPE_GENERAL,
      to: plan.to,
      toAccountType: plan.toType,
      asset: plan.asset,
      amount: String(plan.amount),
      reference: plan.reference,
    };
  }

  private event(id: string, plan: TransferPlan, status: number, timestamp: bigint, reason?: string) {
    return { ...this.command(plan), id, from: plan.from, status, timestamp, reason };
  }

  private tellRecurring(transfer: Recurring, status: number, reason?: string): void {
    const event = this.event(transfer.id, transfer, status, transfer.submitted, reason);
    this.world.emit({ transfer: { ...event, recurring: recurrence(transfer) } });
  }
}

function recurrence({ startEpoch, endEpoch, factor, market, asset }: Recurring) {
  return {
    startEpoch: BigInt(startEpoch),
    endEpoch: endEpoch === undefined ? undefined : BigInt(endEpoch),
    factor: `${factor / 10n}.${factor % 10n}`,
    dispatchStrategy:
      market === undefined
        ? undefined
        : {
            assetForMetric: asset,
            metric: DispatchMetric.DISPATCH_METRIC_MAKER_FEES_PAID,
            markets: [market],
          },
  };
}

function target(plan: TransferPlan & { market?: string | undefined }): Account {
  if (plan.toType === ACCOUNT_TYPE_GENERAL) return general(plan.to, plan.asset);
  if (plan.toType === ACCOUNT_TYPE_REWARD_MAKER_PAID_FEES)
    return system(plan.toType, plan.asset, plan.market);
  return system(plan.toType, plan.asset);
}
