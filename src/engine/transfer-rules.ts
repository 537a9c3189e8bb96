/**
 * What a transfer must fulfil, what it costs, and how it appears in events (reference 60, sections 8.1 and 8.2).
 */

import type { Init } from "../wire/codec.ts";
import { Decimal } from "../wire/decimal.ts";
import type { Transfer as TransferCommand } from "../wire/generated/commands.ts";
import type { Transfer as TransferEvent } from "../wire/generated/events.ts";
import { AccountType } from "../wire/generated/vega.ts";
import { isHex64 } from "../wire/identifiers.ts";
import { readAmount } from "./amounts.ts";
import { accountId, type Collateral, ZERO_PARTY } from "./collateral.ts";
import { CommandError } from "./errors.ts";
import { type AssetReader, knownAsset } from "./known-asset.ts";
import type { ParameterReader } from "./ports.ts";

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
  /** Values that were worked out lately: not part of the state. */
  private lastFee: { readonly factor: Decimal; readonly amount: bigint; readonly fee: bigint } | undefined;
  private readonly minimums = new Map<string, { readonly multiple: Decimal; readonly minimum: bigint }>();

  constructor(
    private readonly params: ParameterReader,
    private readonly collateral: Collateral,
    private readonly assets: AssetReader,
  ) {}

  /** Paid by the sender on top of the amount. */
  fee(amount: bigint): bigint {
    const factor = this.params.decimal("transfer.fee.factor");
    const { lastFee } = this;
    // A transfer asks four times.
    if (lastFee?.factor === factor && lastFee.amount === amount) return lastFee.fee;
    const fee = factor.times(Decimal.of(amount)).truncated();
    this.lastFee = { factor, amount, fee };
    return fee;
  }

  /** The rules of delivery, but for the funds. @throws CommandError */
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
      this.checkBalance(general, request.amount, `account does not exist: ${general}`);
    });
  }

  /** @throws CommandError when the amount is too small for the asset */
  checkMinimum(assetId: string, amount: bigint): void {
    const { quantum } = knownAsset(this.assets, assetId).details;
    const multiple = this.params.decimal("transfer.minTransferQuantumMultiple");
    const minimum = this.minimumOf(quantum, multiple);
    if (amount >= minimum) return;
    throw new CommandError("could not transfer funds, less than minimal amount requested to transfer", {
      numbers: { amount, minimum },
    });
  }

  private minimumOf(quantum: string, multiple: Decimal): bigint {
    const known = this.minimums.get(quantum);
    if (known?.multiple === multiple) return known.minimum;
    const minimum = Decimal.parse(quantum).times(multiple).truncated();
    if (this.minimums.size >= MINIMUMS_MAX) this.minimums.clear();
    this.minimums.set(quantum, { multiple, minimum });
    return minimum;
  }

  /** @throws CommandError when the sender cannot pay this amount and the fee on it */
  checkFunds({ from, asset }: TransferRequest, amount: bigint): void {
    prefixed("could not pay the fee for transfer: ", () => {
      const general = accountId(asset, AccountType.ACCOUNT_TYPE_GENERAL, from);
      this.checkBalance(general, amount, "account does not exists");
    });
  }

  private checkBalance(general: string, amount: bigint, withoutAccount: string): void {
    const fee = this.fee(amount);
    const needed = amount + fee;
    const available = this.collateral.get(general)?.balance;
    const numbers = { available: available ?? 0n, needed, fee };
    if (available === undefined) throw new CommandError(withoutAccount, { numbers });
    if (available < needed) throw new CommandError("not enough funds to transfer", { numbers });
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
    throw new CommandError(`${text}${error.message}`, error.options);
  }
}
