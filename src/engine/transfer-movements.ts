/** The movements of a transfer: through the pending account to its target, and the fee (reference 60, section 8.3). */
import { AccountType, TransferType } from "../wire/generated/vega.ts";
import { accountId, type Collateral, type Movement, NO_MARKET } from "./collateral.ts";
import type { TransferRequest, TransferRules } from "./transfer-rules.ts";

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
        to: [pending],
        amount,
        type: TransferType.TRANSFER_TYPE_TRANSFER_FUNDS_SEND,
      }),
    ];
    if (deliver) movements.push(this.deliver(request, amount, market));
    // A fee of nothing is a movement as well.
    movements.push(
      this.collateral.move({
        from: [general],
        to: [infrastructure],
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
      to: [this.target(request, market)],
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
