/**
 * A market's accounts and those of its parties in the market's asset
 * (docs/protocol/70-trading-events.md#96-accounts-of-this-engine-as-seen-in-tables;
 * docs/protocol/60-state-engine-accounts.md#2-accounts-and-ledger).
 */
import { AccountType, type TransferType } from "../../wire/generated/vega.ts";
import { accountId, type Collateral, type Movement } from "../collateral.ts";

type AccountTypeNumber = (typeof AccountType)[keyof typeof AccountType];
type TransferTypeNumber = (typeof TransferType)[keyof typeof TransferType];

interface PartyIds {
  readonly general: string;
  readonly margin: string;
  readonly bond: string;
}

/** Bound of the id cache of a market. A full cache is cleared: keeping it in order would cost more. */
const KNOWN_PARTIES_MAX = 20_000;

export class MarketAccounts {
  readonly insurance: string;
  readonly settlement: string;
  readonly liquidityFees: string;
  readonly makerFees: string;
  readonly infrastructureFees: string;
  readonly treasury: string;
  /** Ids of a party's accounts: of some two hundred characters each, and every order asks for them ten times. */
  private readonly known = new Map<string, PartyIds>();

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

  /** Ids of a party's accounts, existing or not. */
  of(party: string): PartyIds {
    let ids = this.known.get(party);
    if (ids === undefined) {
      const { asset, market } = this;
      ids = {
        general: accountId(asset, AccountType.ACCOUNT_TYPE_GENERAL, party),
        margin: accountId(asset, AccountType.ACCOUNT_TYPE_MARGIN, party, market),
        bond: accountId(asset, AccountType.ACCOUNT_TYPE_BOND, party, market),
      };
      if (this.known.size >= KNOWN_PARTIES_MAX) this.known.clear();
      this.known.set(party, ids);
    }
    return ids;
  }

  general(party: string): string {
    return this.of(party).general;
  }

  margin(party: string): string {
    return this.of(party).margin;
  }

  bond(party: string): string {
    return this.of(party).bond;
  }

  ensureMargin(party: string): void {
    this.ensure(this.margin(party), AccountType.ACCOUNT_TYPE_MARGIN, party);
  }

  ensureBond(party: string): void {
    this.ensure(this.bond(party), AccountType.ACCOUNT_TYPE_BOND, party);
  }

  has(id: string): boolean {
    return this.collateral.get(id) !== undefined;
  }

  balance(id: string): bigint {
    return this.collateral.balance(id);
  }

  /** Moves up to the amount from the sources; skips missing accounts. */
  move(from: readonly string[], to: string, amount: bigint, type: TransferTypeNumber): Movement {
    return this.collateral.move({ from, to, amount, type, passesMissing: true });
  }

  /** An entry of amount 0, which shows the account that gives alone. */
  entryOfNothing(from: string, to: string, type: TransferTypeNumber): Movement {
    return this.collateral.entryOfNothing(from, to, type);
  }

  /** The account is forgotten; without an event, as it is empty. */
  remove(id: string): void {
    this.collateral.remove(id);
  }

  emit(movements: readonly Movement[]): void {
    this.collateral.emitMovements(movements);
  }

  private ensure(id: string, type: AccountTypeNumber, owner: string): void {
    this.collateral.ensureOfParty(id, { asset: this.asset, type, owner, market: this.market });
  }

  /** Amount that a movement moved. */
  static moved({ entries = [] }: Movement): bigint {
    return entries.reduce((sum, { amount }) => sum + BigInt(amount!), 0n);
  }
}
