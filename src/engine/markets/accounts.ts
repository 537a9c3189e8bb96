/** A market's accounts and those of its parties in the market's asset (reference 70, section 9.6; reference 60, section 2). */
import { AccountType, type TransferType } from "../../wire/generated/vega.ts";
import { accountId, type Collateral, type Movement } from "../collateral.ts";

type TransferTypeNumber = (typeof TransferType)[keyof typeof TransferType];

export class MarketAccounts {
  readonly insurance: string;
  readonly settlement: string;
  readonly liquidityFees: string;
  readonly makerFees: string;
  readonly infrastructureFees: string;
  readonly treasury: string;

  constructor(
    private readonly collateral: Collateral,
    readonly asset: string,
    private readonly market: string,
  ) {
    const ofMarket = (type: number) => accountId(asset, type as never, undefined, market);
    this.insurance = ofMarket(AccountType.ACCOUNT_TYPE_INSURANCE);
    this.settlement = ofMarket(AccountType.ACCOUNT_TYPE_SETTLEMENT);
    this.liquidityFees = ofMarket(AccountType.ACCOUNT_TYPE_FEES_LIQUIDITY);
    this.makerFees = ofMarket(AccountType.ACCOUNT_TYPE_FEES_MAKER);
    this.infrastructureFees = accountId(asset, AccountType.ACCOUNT_TYPE_FEES_INFRASTRUCTURE);
    this.treasury = accountId(asset, AccountType.ACCOUNT_TYPE_GLOBAL_REWARD);
  }

  /** The four accounts of a new market. */
  open(): void {
    for (const type of [
      AccountType.ACCOUNT_TYPE_INSURANCE,
      AccountType.ACCOUNT_TYPE_SETTLEMENT,
      AccountType.ACCOUNT_TYPE_FEES_LIQUIDITY,
      AccountType.ACCOUNT_TYPE_FEES_MAKER,
    ]) {
      this.collateral.ensureSystem(this.asset, type, this.market);
    }
  }

  general(party: string): string {
    return accountId(this.asset, AccountType.ACCOUNT_TYPE_GENERAL, party);
  }

  margin(party: string): string {
    return accountId(this.asset, AccountType.ACCOUNT_TYPE_MARGIN, party, this.market);
  }

  bond(party: string): string {
    return accountId(this.asset, AccountType.ACCOUNT_TYPE_BOND, party, this.market);
  }

  ensureMargin(party: string): void {
    this.collateral.ensureOfParty(this.asset, AccountType.ACCOUNT_TYPE_MARGIN, party, this.market);
  }

  ensureBond(party: string): void {
    this.collateral.ensureOfParty(this.asset, AccountType.ACCOUNT_TYPE_BOND, party, this.market);
  }

  has(id: string): boolean {
    return this.collateral.get(id) !== undefined;
  }

  balance(id: string): bigint {
    return this.collateral.balance(id);
  }

  /** Moves what the sources hold, up to the amount: those that are not there are passed over. */
  move(from: readonly string[], to: string, amount: bigint, type: TransferTypeNumber): Movement {
    const sources = from.filter((id) => this.has(id));
    return this.collateral.move({ from: sources, to: [to], amount, type });
  }

  /** The account is forgotten; without an event, as it is empty. */
  remove(id: string): void {
    this.collateral.remove(id);
  }

  emit(movements: readonly Movement[]): void {
    this.collateral.emitMovements(
      movements.filter(({ entries }) => entries !== undefined && entries.length > 0),
    );
  }

  /** Amount that a movement moved. */
  static moved({ entries = [] }: Movement): bigint {
    return entries.reduce((sum, { amount }) => sum + BigInt(amount!), 0n);
  }
}
