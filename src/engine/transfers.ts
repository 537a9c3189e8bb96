/**
 * Transfers (docs/protocol/60-state-engine-staking.md#81-transfer-command-and-base-checks to #83-one-off): their rules,
 * fee, movements and events, and those that are one-off.
 */
import { LruCache } from "../cache/lru.ts";
import type { CommandText } from "../errors/result-codes.ts";
import type { Init } from "../wire/codec.ts";
import { Decimal } from "../wire/decimal.ts";
import type { OneOffTransfer, Transfer as TransferCommand } from "../wire/generated/commands.ts";
import { type Transfer as TransferEvent, TransferStatus } from "../wire/generated/events.ts";
import { AccountType, TransferType } from "../wire/generated/vega.ts";
import { isHex64 } from "../wire/identifiers.ts";
import { knownAsset, unitOf } from "./assets.ts";
import { accountId, type Collateral, type Movement, NO_MARKET, ZERO_PARTY } from "./collateral.ts";
import type { Core } from "./core.ts";
import { CommandError } from "./errors.ts";
import type { AssetReader, ParameterReader } from "./ports.ts";
import type { Cell, Table } from "./state.ts";
import { readAmount } from "./values.ts";

export interface TransferRequest {
  readonly id: string;
  readonly from: string;
  readonly fromType: number;
  readonly to: string;
  readonly toType: number;
  readonly asset: string;
  readonly amount: bigint;
  readonly reference: string;
  /** Block time of the submission. */
  readonly submittedNs: bigint;
}

/** Account types that a transfer can go to. */
const TARGETS: ReadonlySet<number> = new Set([
  AccountType.ACCOUNT_TYPE_GENERAL,
  AccountType.ACCOUNT_TYPE_GLOBAL_REWARD,
  AccountType.ACCOUNT_TYPE_REWARD_MAKER_PAID_FEES,
  AccountType.ACCOUNT_TYPE_REWARD_MAKER_RECEIVED_FEES,
  AccountType.ACCOUNT_TYPE_REWARD_LP_RECEIVED_FEES,
  AccountType.ACCOUNT_TYPE_REWARD_MARKET_PROPOSERS,
]);

/** Least amounts that are remembered, by the asset's quantum. */
const MINIMUMS_MAX = 1_000;

export class TransferRules {
  /** Recently computed values: not part of the state. */
  private lastFee: { readonly factor: Decimal; readonly amount: bigint; readonly fee: bigint } | undefined;
  private readonly minimums = new LruCache<string, { readonly multiple: Decimal; readonly minimum: bigint }>(
    MINIMUMS_MAX,
  );

  constructor(
    private readonly params: ParameterReader,
    private readonly collateral: Collateral,
    private readonly assets: AssetReader,
  ) {}

  /** Paid by the sender on top of the amount. */
  fee(amount: bigint): bigint {
    const factor = this.params.decimal("transfer.fee.factor");
    const { lastFee } = this;
    // A transfer reads it four times.
    if (lastFee?.factor === factor && lastFee.amount === amount) return lastFee.fee;
    const fee = factor.times(Decimal.of(amount)).truncated();
    this.lastFee = { factor, amount, fee };
    return fee;
  }

  /** The rules of delivery, except for the funds. @throws CommandError */
  check(request: TransferRequest): void {
    prefixed("could not transfer funds: ", () => knownAsset(this.assets, request.asset));
    checkForm(request);
    this.checkMinimum(request.asset, request.amount);
  }

  /** The rules of the mempool, funds included. @throws CommandError */
  checkAdmission(request: TransferRequest): void {
    prefixed("could not transfer funds, ", () => {
      knownAsset(this.assets, request.asset);
      checkForm(request);
    });
    this.checkMinimum(request.asset, request.amount);
    prefixed("could not transfer funds, ", () => {
      const general = accountId(request.asset, AccountType.ACCOUNT_TYPE_GENERAL, request.from);
      this.checkBalance(request, general, request.amount, `account does not exist: ${general}`);
    });
  }

  /** @throws CommandError when the amount is too small for the asset */
  checkMinimum(assetId: string, amount: bigint): void {
    const asset = knownAsset(this.assets, assetId);
    const { quantum } = asset.details;
    const multiple = this.params.decimal("transfer.minTransferQuantumMultiple");
    const minimum = this.minimumOf(quantum, multiple);
    if (amount >= minimum) return;
    throw new CommandError("could not transfer funds, less than minimal amount requested to transfer", {
      numbers: { amount, minimum, ...unitOf(asset) },
    });
  }

  private minimumOf(quantum: string, multiple: Decimal): bigint {
    const cached = this.minimums.get(quantum);
    if (cached?.multiple === multiple) return cached.minimum;
    const minimum = Decimal.parse(quantum).times(multiple).truncated();
    this.minimums.set(quantum, { multiple, minimum });
    return minimum;
  }

  /** @throws CommandError when the sender cannot pay this amount and the fee on it */
  checkFunds(request: TransferRequest, amount: bigint): void {
    const { from, asset } = request;
    prefixed("could not pay the fee for transfer: ", () => {
      const general = accountId(asset, AccountType.ACCOUNT_TYPE_GENERAL, from);
      this.checkBalance(request, general, amount, "account does not exists");
    });
  }

  private checkBalance(
    { asset }: TransferRequest,
    general: string,
    amount: bigint,
    withoutAccount: CommandText,
  ): void {
    const fee = this.fee(amount);
    const needed = amount + fee;
    const available = this.collateral.get(general)?.balance;
    if (available !== undefined && available >= needed) return;
    const unit = unitOf(knownAsset(this.assets, asset));
    const numbers = { available: available ?? 0n, needed, fee, ...unit };
    if (available === undefined) throw new CommandError(withoutAccount, { numbers });
    throw new CommandError("not enough funds to transfer", { numbers });
  }
}

/** @throws CommandError */
export function readTransfer(
  command: TransferCommand,
  sender: { readonly party: string; readonly id: string },
  nowNs: bigint,
): TransferRequest {
  return {
    id: sender.id,
    from: sender.party,
    fromType: command.fromAccountType,
    to: command.to,
    toType: command.toAccountType,
    asset: command.asset,
    amount: readAmount(command.amount, "invalid transfer amount"),
    reference: command.reference,
    submittedNs: nowNs,
  };
}

/** The members of the event that all transfers share. @param reason why it came to its end, if it did */
export function transferEvent(
  request: TransferRequest,
  status: number,
  reason?: string,
): Init<TransferEvent> {
  return {
    id: request.id,
    from: request.from,
    fromAccountType: request.fromType,
    to: request.to,
    toAccountType: request.toType,
    asset: request.asset,
    amount: request.amount.toString(),
    reference: request.reference,
    status,
    timestamp: request.submittedNs,
    reason,
  };
}

function checkForm({ from, to, toType, fromType, amount }: TransferRequest): void {
  if (!isHex64(from)) throw new CommandError("invalid from account");
  if (!isHex64(to)) throw new CommandError("invalid to account");
  if (amount === 0n) throw new CommandError("cannot transfer zero funds");
  if (fromType !== AccountType.ACCOUNT_TYPE_GENERAL) throw new CommandError("unsupported from account type");
  if (!TARGETS.has(toType)) throw new CommandError("unsupported to account type");
  if (toType === AccountType.ACCOUNT_TYPE_GLOBAL_REWARD && to !== ZERO_PARTY) {
    throw new CommandError("to party is invalid for reward account type");
  }
}

/** Puts a text in front of the refusals of `run`. */
function prefixed(text: string, run: () => void): void {
  try {
    run();
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw error.prefixedBy(text);
  }
}

// The movements of a transfer: through the pending account to its target, and the fee
// (docs/protocol/60-state-engine-staking.md#83-one-off).

export class TransferMovements {
  constructor(
    private readonly collateral: Collateral,
    private readonly rules: TransferRules,
  ) {}

  /**
   * Sends an amount, which the sender must have with the fee on it.
   * @param deliver false leaves it in the pending account
   * @param market of the reward account that gets it
   */
  send(request: TransferRequest, amount: bigint, deliver: boolean, market = NO_MARKET): Movement[] {
    const { asset, from } = request;
    const general = accountId(asset, AccountType.ACCOUNT_TYPE_GENERAL, from);
    const pending = accountId(asset, AccountType.ACCOUNT_TYPE_PENDING_TRANSFERS);
    const infrastructure = accountId(asset, AccountType.ACCOUNT_TYPE_FEES_INFRASTRUCTURE);
    const fee = this.rules.fee(amount);
    const movements = [
      this.collateral.move({
        from: [general],
        to: pending,
        amount,
        type: TransferType.TRANSFER_TYPE_TRANSFER_FUNDS_SEND,
      }),
    ];
    if (deliver) movements.push(this.deliver(request, amount, market));
    // A fee of 0 is a movement too.
    movements.push(
      this.collateral.move({
        from: [general],
        to: infrastructure,
        amount: fee,
        type: TransferType.TRANSFER_TYPE_INFRASTRUCTURE_FEE_PAY,
      }),
    );
    return movements;
  }

  /** Takes an amount from the pending account to where it shall go. */
  deliver(request: TransferRequest, amount: bigint, market = NO_MARKET): Movement {
    return this.collateral.move({
      from: [accountId(request.asset, AccountType.ACCOUNT_TYPE_PENDING_TRANSFERS)],
      to: this.target(request, market),
      amount,
      type: TransferType.TRANSFER_TYPE_TRANSFER_FUNDS_DISTRIBUTE,
    });
  }

  private target({ asset, to, toType }: TransferRequest, market: string): string {
    if (toType === AccountType.ACCOUNT_TYPE_GENERAL) return this.collateral.ensureGeneral(to, asset);
    return this.collateral.ensureSystem(
      asset,
      toType as (typeof AccountType)[keyof typeof AccountType],
      market,
    );
  }
}

// Transfers that happen once, at once or at a time (docs/protocol/60-state-engine-staking.md#83-one-off).

export interface Scheduled {
  readonly request: TransferRequest;
  /** Unix nanoseconds. */
  readonly deliverOn: bigint;
}

/** Digits of a time and of a count in a key, so that keys sort as numbers do. */
const TIME_DIGITS = 20;
const COUNT_DIGITS = 16;

export class OneOffTransfers {
  /** By time of delivery, then in the order of submission. */
  private readonly scheduled: Table<Scheduled>;
  private readonly count: Cell<bigint>;

  constructor(
    private readonly core: Core,
    private readonly collateral: Collateral,
    private readonly rules: TransferRules,
    private readonly movements: TransferMovements,
  ) {
    this.scheduled = core.state.table("transfers.scheduled");
    this.count = core.state.cell("transfers.scheduledCount", 0n);
  }

  /** @throws CommandError; the rejected transfer's event stays */
  submitOneOff(request: TransferRequest, { deliverOn }: OneOffTransfer): void {
    try {
      this.rules.check(request);
      this.rules.checkFunds(request, request.amount);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      this.emit(request, deliverOn, TransferStatus.STATUS_REJECTED, error.message);
      throw error.keepingChanges();
    }
    const isImmediate = deliverOn < this.core.nowNs;
    if (!isImmediate) this.schedule({ request, deliverOn });
    this.collateral.emitMovements(this.movements.send(request, request.amount, isImmediate));
    // A scheduled transfer is done already, and once more when it is delivered
    // (docs/protocol/60-state-engine-parameters.md#15-easily-missed, 32).
    this.emit(request, deliverOn, TransferStatus.STATUS_DONE);
  }

  /**
   * Delivers due transfers: the second part of the banking tick
   * (docs/protocol/60-state-engine-blocks.md#15-tick-listener-order-exact, #12).
   */
  onTick(): void {
    const due: Scheduled[] = [];
    for (const key of this.scheduled.keys()) {
      const entry = this.scheduled.get(key)!;
      if (entry.deliverOn > this.core.nowNs) break;
      due.push(entry);
      this.scheduled.delete(key);
    }
    const movements = due.map(({ request }) => this.movements.deliver(request, request.amount));
    this.collateral.emitMovements(movements);
    for (const { request, deliverOn } of due) this.emit(request, deliverOn, TransferStatus.STATUS_DONE);
  }

  /** Transfers that are not delivered yet, in the order of delivery. For checkpoints. */
  pending(): readonly Scheduled[] {
    return this.scheduled.values();
  }

  /**
   * Restores a transfer of a checkpoint; its amount is among the pending transfers
   * (docs/protocol/60-state-engine-parameters.md#12-checkpoints).
   */
  restore({ request, deliverOn }: Scheduled): void {
    this.schedule({ request, deliverOn });
    this.emit(request, deliverOn, TransferStatus.STATUS_DONE);
  }

  private schedule(entry: Scheduled): void {
    const count = this.count.get();
    this.count.set(count + 1n);
    const time = entry.deliverOn.toString().padStart(TIME_DIGITS, "0");
    this.scheduled.set(`${time}/${count.toString().padStart(COUNT_DIGITS, "0")}`, entry);
  }

  private emit(request: TransferRequest, deliverOn: bigint, status: number, reason?: string): void {
    this.core.emit("transfer", { ...transferEvent(request, status, reason), oneOff: { deliverOn } });
  }
}
