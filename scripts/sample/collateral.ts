// Accounts and movements of money. Nothing comes from nowhere: what leaves one account enters another, and only the
// outside world (EXTERNAL) is without bottom (docs/protocol/60-state-engine-accounts.md#2-accounts-and-ledger).
import { AccountType, TransferType } from "../../src/wire/generated/vega.ts";
import type { World } from "./world.ts";

export interface Account {
  readonly owner: string;
  readonly asset: string;
  readonly market: string;
  readonly type: number;
}

export interface Move {
  readonly from: Account;
  readonly to: Account;
  readonly amount: bigint;
  readonly type: number;
}

const NO_OWNER = "*";
const NO_MARKET = "!";

export function general(owner: string, asset: string): Account {
  return { owner, asset, market: NO_MARKET, type: AccountType.ACCOUNT_TYPE_GENERAL };
}

export function margin(owner: string, asset: string, market: string): Account {
  return { owner, asset, market, type: AccountType.ACCOUNT_TYPE_MARGIN };
}

export function bond(owner: string, asset: string, market: string): Account {
  return { owner, asset, market, type: AccountType.ACCOUNT_TYPE_BOND };
}

/** An account of the network itself. */
export function system(type: number, asset: string, market = NO_MARKET): Account {
  return { owner: NO_OWNER, asset, market, type };
}

export class Collateral {
  private readonly balances = new Map<string, bigint>();

  constructor(private readonly world: World) {}

  balance(account: Account): bigint {
    return this.balances.get(coreId(account)) ?? 0n;
  }

  /** Accounts of a type that hold something, by account id. */
  filled(accounts: readonly Account[]): Account[] {
    return accounts
      .filter((account) => this.balance(account) > 0n)
      .sort((a, b) => (coreId(a) < coreId(b) ? -1 : 1));
  }

  open(account: Account): void {
    if (this.balances.has(coreId(account))) return;
    if (account.type === AccountType.ACCOUNT_TYPE_GENERAL) this.world.emit({ party: { id: account.owner } });
    this.balances.set(coreId(account), 0n);
    this.tell(account);
  }

  /** Opens the four accounts of an enabled asset (docs/protocol/60-state-engine-accounts.md#23-creation-events). */
  openAsset(asset: string): void {
    const types = [
      AccountType.ACCOUNT_TYPE_FEES_INFRASTRUCTURE,
      AccountType.ACCOUNT_TYPE_EXTERNAL,
      AccountType.ACCOUNT_TYPE_GLOBAL_REWARD,
      AccountType.ACCOUNT_TYPE_PENDING_TRANSFERS,
    ];
    for (const type of types) this.open(system(type, asset));
  }

  /** Moves money: an event for each account, then one for all the movements. */
  move(moves: readonly Move[]): void {
    if (moves.length === 0) return;
    const movements = moves.map((move) => this.moveOne(move));
    this.world.emit({ ledgerMovements: { ledgerMovements: movements } });
  }

  private moveOne({ from, to, amount, type }: Move) {
    if (amount < 0n) throw new Error(`a movement of ${amount}`);
    this.open(from);
    this.open(to);
    // A deposit adds to the outside account first what it then takes, so that it stays as it was.
    if (type !== TransferType.TRANSFER_TYPE_DEPOSIT) this.change(from, -amount);
    const fromBalance = this.balance(from);
    this.change(to, amount);
    const toDetails = details(to);
    const entry = {
      fromAccount: details(from),
      toAccount: toDetails,
      amount: String(amount),
      type,
      timestamp: this.world.now,
      fromAccountBalance: String(fromBalance),
      toAccountBalance: String(this.balance(to)),
    };
    return { entries: [entry], balances: [{ account: toDetails, balance: String(amount) }] };
  }

  private change(account: Account, by: bigint): void {
    const balance = this.balance(account) + by;
    if (balance < 0n) throw new Error(`account ${JSON.stringify(account)} would hold ${balance}`);
    this.balances.set(coreId(account), balance);
    // After its creation the outside account is not reported
    // (docs/protocol/60-state-engine-accounts.md#24-accountevent-emission-rule).
    if (account.type !== AccountType.ACCOUNT_TYPE_EXTERNAL) this.tell(account);
  }

  private tell(account: Account): void {
    const balance = String(this.balance(account));
    this.world.emit({
      account: {
        id: coreId(account),
        owner: account.owner,
        balance,
        asset: account.asset,
        marketId: account.market,
        type: account.type,
      },
    });
  }
}

function coreId({ owner, asset, market, type }: Account): string {
  return market + owner + asset + String.fromCharCode(type + 48);
}

function details({ owner, asset, market, type }: Account) {
  return {
    assetId: asset,
    type,
    ...(owner === NO_OWNER ? {} : { owner }),
    ...(market === NO_MARKET ? {} : { marketId: market }),
  };
}
