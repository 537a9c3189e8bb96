/**
 * Accounts and the movements between them (docs/protocol/60-state-engine-accounts.md#2-accounts-and-ledger). Every
 * amount that changes hands goes through `move`; nothing else touches a balance, so that for each asset the sum of all
 * accounts is what was deposited less what was withdrawn.
 */
import { LruCache } from "../cache/lru.ts";
import type { Init } from "../wire/codec.ts";
import {
  type AccountDetails,
  AccountType,
  type LedgerEntry,
  type LedgerMovement,
  TransferType,
} from "../wire/generated/vega.ts";
import type { Core } from "./core.ts";
import { CommandError, InvariantError } from "./errors.ts";
import type { Table } from "./state.ts";
import { UINT_MAX } from "./values.ts";

/** Owner of accounts that belong to the network. */
export const SYSTEM_OWNER = "*";
/** Market of accounts that belong to no market. */
export const NO_MARKET = "!";
/** Sixty-four zeros: as a target, the treasury of the asset (docs/protocol/60-state-engine-accounts.md#25-pseudo-owners-over-the-api). */
export const ZERO_PARTY = "0".repeat(64);

type AccountTypeNumber = (typeof AccountType)[keyof typeof AccountType];
type TransferTypeNumber = (typeof TransferType)[keyof typeof TransferType];

export interface Account {
  readonly asset: string;
  readonly type: AccountTypeNumber;
  /** A party's key, or `*`. */
  readonly owner: string;
  /** A market's id, or `!`. */
  readonly market: string;
  readonly balance: bigint;
}

interface MoveRequest {
  /** Account ids, drained in this order. */
  readonly from: readonly string[];
  /** Account id. */
  readonly to: string;
  readonly amount: bigint;
  readonly type: TransferTypeNumber;
  /** Sources that are not there are passed over; without it the movement is refused. */
  readonly passesMissing?: true;
}

export type Movement = Init<LedgerMovement>;

/** The four accounts that an enabled asset has (docs/protocol/60-state-engine-accounts.md#23-creation-events). */
const ASSET_ACCOUNTS: readonly AccountTypeNumber[] = [
  AccountType.ACCOUNT_TYPE_FEES_INFRASTRUCTURE,
  AccountType.ACCOUNT_TYPE_EXTERNAL,
  AccountType.ACCOUNT_TYPE_GLOBAL_REWARD,
  AccountType.ACCOUNT_TYPE_PENDING_TRANSFERS,
];

/**
 * Losses and fees come to their account once, from any number of the party's accounts
 * (docs/protocol/60-state-engine-accounts.md#26-ledger-movements, step 6).
 */
const CREDITED_ONCE: ReadonlySet<number> = new Set([
  TransferType.TRANSFER_TYPE_LOSS,
  TransferType.TRANSFER_TYPE_MTM_LOSS,
  TransferType.TRANSFER_TYPE_MAKER_FEE_PAY,
  TransferType.TRANSFER_TYPE_INFRASTRUCTURE_FEE_PAY,
  TransferType.TRANSFER_TYPE_LIQUIDITY_FEE_PAY,
]);

const FEES: ReadonlySet<number> = new Set([
  TransferType.TRANSFER_TYPE_MAKER_FEE_PAY,
  TransferType.TRANSFER_TYPE_MAKER_FEE_RECEIVE,
  TransferType.TRANSFER_TYPE_INFRASTRUCTURE_FEE_PAY,
  TransferType.TRANSFER_TYPE_LIQUIDITY_FEE_PAY,
  TransferType.TRANSFER_TYPE_LIQUIDITY_FEE_DISTRIBUTE,
]);

/** Sums of an asset's deposits and withdrawals, ever. */
interface Flow {
  readonly deposited: bigint;
  readonly withdrawn: bigint;
}

const NO_FLOW: Flow = { deposited: 0n, withdrawn: 0n };

/**
 * The core's account id (docs/protocol/60-state-engine-accounts.md#21-account-identity): market, owner, asset and one
 * character for the type, without separators.
 */
export function accountId(
  asset: string,
  type: AccountTypeNumber,
  owner: string = SYSTEM_OWNER,
  market: string = NO_MARKET,
): string {
  // Every transaction needs general accounts and the network's several times.
  if (market !== NO_MARKET) return newAccountId(asset, type, owner, market);
  if (type === AccountType.ACCOUNT_TYPE_GENERAL) {
    return generalIds.get(asset, owner) ?? generalIds.add(asset, owner, newAccountId(asset, type, owner));
  }
  if (owner !== SYSTEM_OWNER) return newAccountId(asset, type, owner);
  return networkIds.get(asset, type) ?? networkIds.add(asset, type, newAccountId(asset, type, owner));
}

function newAccountId(asset: string, type: AccountTypeNumber, owner: string, market = NO_MARKET): string {
  return `${market}${owner}${asset}${String.fromCharCode(type + 48)}`;
}

/** Of each asset. */
const KNOWN_IDS_MAX = 10_000;
const KNOWN_ASSETS_MAX = 8;
/** Of all assets, as a party has an account for each market; all are forgotten then. */
const NAMED_MAX = 50_000;

/** Recently used account ids, by asset and one thing more. */
class KnownIds<K> {
  private readonly byAsset = new LruCache<string, LruCache<K, string>>(KNOWN_ASSETS_MAX);

  get(asset: string, key: K): string | undefined {
    return this.byAsset.get(asset)?.get(key);
  }

  add(asset: string, key: K, id: string): string {
    let ofAsset = this.byAsset.get(asset);
    if (ofAsset === undefined) {
      ofAsset = new LruCache<K, string>(KNOWN_IDS_MAX);
      this.byAsset.set(asset, ofAsset);
    }
    ofAsset.set(key, id);
    return id;
  }
}

const generalIds = new KnownIds<string>();
const networkIds = new KnownIds<AccountTypeNumber>();

export class Collateral {
  private readonly accounts: Table<Account>;
  private readonly flows: Table<Flow>;
  /** Sums of balances by asset, kept up by every change of an account: not part of the state. */
  private readonly sums = new Map<string, bigint>();
  /** Assets whose accounts or flows changed since the last check. */
  private readonly unchecked = new Set<string>();
  /** As ledger entries name accounts, by id: the same object each time, so that its references are known by it. */
  private readonly named = new Map<string, Init<AccountDetails>>();
  /** Network accounts with a market or a metric, by asset: rewards walk them. */
  private readonly systemIds = new Map<string, Set<string>>();

  /** Number of a party's accounts on a market, by market and asset. */
  private readonly partiesByMarket = new Map<string, Map<string, number>>();

  constructor(private readonly core: Core) {
    this.accounts = core.state.table("collateral.accounts");
    this.flows = core.state.table("collateral.flows");
    this.accounts.onChange((id, before, now) => this.index(id, before, now));
    this.flows.onChange((asset) => this.unchecked.add(asset));
  }

  /** Makes the accounts of an asset. @throws CommandError when it has them */
  enableAsset(asset: string): void {
    if (this.hasAsset(asset)) throw new CommandError("asset already enabled");
    for (const type of ASSET_ACCOUNTS) this.ensureSystem(asset, type);
  }

  /** Whether an asset is enabled. */
  hasAsset(asset: string): boolean {
    return this.accounts.has(accountId(asset, AccountType.ACCOUNT_TYPE_EXTERNAL));
  }

  get(id: string): Account | undefined {
    return this.accounts.get(id);
  }

  /** 0 for an account that is not there. */
  balance(id: string): bigint {
    return this.accounts.get(id)?.balance ?? 0n;
  }

  /**
   * The party's general account, made if need be: then with a Party event in front
   * (docs/protocol/60-state-engine-accounts.md#23-creation-events).
   */
  ensureGeneral(party: string, asset: string): string {
    const id = accountId(asset, AccountType.ACCOUNT_TYPE_GENERAL, party);
    if (!this.accounts.has(id)) {
      this.core.emit("party", { id: party });
      this.create(id, { asset, type: AccountType.ACCOUNT_TYPE_GENERAL, owner: party, market: NO_MARKET });
    }
    return id;
  }

  /** An account of the network, made if need be. */
  ensureSystem(asset: string, type: AccountTypeNumber, market: string = NO_MARKET): string {
    const id = accountId(asset, type, SYSTEM_OWNER, market);
    if (!this.accounts.has(id)) this.create(id, { asset, type, owner: SYSTEM_OWNER, market });
    return id;
  }

  /** A party's account on a market, made if need be. */
  ensureOfParty(id: string, account: Omit<Account, "balance">): void {
    if (!this.accounts.has(id)) this.create(id, account);
  }

  /**
   * Forgets an empty account, without an event
   * (docs/protocol/70-trading-events.md#96-accounts-of-this-engine-as-seen-in-tables).
   * @throws InvariantError
   */
  remove(id: string): void {
    const balance = this.balance(id);
    if (balance !== 0n) throw new InvariantError(`account ${id} is removed with ${balance} in it`);
    this.accounts.delete(id);
  }

  /**
   * Moves an amount: sources are drained in order, an Account event for each change.
   * Sources that do not hold enough make the movement smaller; callers that must not allow that check first.
   * @returns the movement, for the LedgerMovements event that the caller emits
   */
  move(request: MoveRequest): Movement {
    return this.book(request, this.collect(request));
  }

  /** An entry of amount 0, with an event for the source account only. */
  entryOfNothing(from: string, to: string, type: TransferTypeNumber): Movement {
    const entries = this.collect({ from: [from], amount: 0n }).map((source) =>
      this.entry(to, source, 0n, type, this.balance(to).toString()),
    );
    return { entries, balances: [{ account: this.details(to), balance: "0" }] };
  }

  /**
   * Moves an amount out of an account in equal parts; the last part is larger by what does not divide, without which its entry
   * shows the balance (docs/protocol/70-trading-positions.md#65-final-settlement, step 6).
   */
  split(from: string, to: readonly string[], amount: bigint, type: TransferTypeNumber): Movement {
    const [source] = this.collect({ from: [from], amount });
    const share = amount / BigInt(to.length);
    const parts = to.map((id, index) => ({
      id,
      part: index < to.length - 1 ? share : amount - share * BigInt(index),
    }));
    const rest = amount % BigInt(to.length);
    const shown = (entry: Init<LedgerEntry>, index: number) =>
      index < to.length - 1 || rest === 0n
        ? entry
        : { ...entry, toAccountBalance: (BigInt(entry.toAccountBalance!) - rest).toString() };
    return {
      entries: parts.map(({ id, part }, index) => shown(this.credit(id, source!, part, type), index)),
      balances: parts.map(({ id, part }) => ({ account: this.details(id), balance: part.toString() })),
    };
  }

  /**
   * Whether this much more of an asset can come in. The network's amounts have 256 bits: as long as the whole of an
   * asset fits, every account of it does.
   */
  hasRoomFor(asset: string, amount: bigint): boolean {
    const { deposited, withdrawn } = this.flows.get(asset) ?? NO_FLOW;
    return deposited - withdrawn + amount <= UINT_MAX;
  }

  /**
   * Brings an amount in from outside (docs/protocol/60-state-engine-accounts.md#26-ledger-movements, "External account
   * in deposits").
   * @throws CommandError when there would be more of the asset than an amount can say
   */
  deposit(asset: string, to: string, amount: bigint, type: TransferTypeNumber): Movement {
    const external = accountId(asset, AccountType.ACCOUNT_TYPE_EXTERNAL);
    const flow = this.flows.get(asset) ?? NO_FLOW;
    if (!this.hasRoomFor(asset, amount)) throw overflow();
    this.flows.set(asset, { deposited: flow.deposited + amount, withdrawn: flow.withdrawn });
    const from = this.details(external);
    const request = { from: [external], to, amount, type };
    return this.book(request, [{ from, amount, balance: this.balance(external).toString() }]);
  }

  /** Takes an amount out. @throws CommandError when the account is not there or holds less */
  withdraw(asset: string, from: string, amount: bigint, type: TransferTypeNumber): Movement {
    const account = this.accounts.get(from);
    if (account === undefined) throw new CommandError("account does not exists");
    if (account.balance < amount) throw new CommandError("not enough funds to withdraw");
    const flow = this.flows.get(asset) ?? NO_FLOW;
    const external = accountId(asset, AccountType.ACCOUNT_TYPE_EXTERNAL);
    if (this.balance(external) + amount > UINT_MAX) throw overflow();
    this.flows.set(asset, { deposited: flow.deposited, withdrawn: flow.withdrawn + amount });
    return this.move({ from: [from], to: external, amount, type });
  }

  /** Emits movements as one event; nothing for an empty list. */
  emitMovements(movements: readonly Movement[]): void {
    if (movements.length > 0) this.core.emit("ledgerMovements", { ledgerMovements: movements });
  }

  /** The network's accounts of an asset, by id: among them the reward accounts of markets. */
  systemAccounts(asset: string): readonly (readonly [id: string, account: Account])[] {
    const ids = [...(this.systemIds.get(asset) ?? [])].sort();
    return ids.map((id) => [id, this.accounts.get(id)!] as const);
  }

  /** Parties with an account of theirs on a market, in order. */
  marketParties(asset: string, market: string): string[] {
    return [...(this.partiesByMarket.get(`${market}${asset}`)?.keys() ?? [])].sort();
  }

  /** Every account, by id. A walk over all of them: for dumps and views, not for blocks. */
  entries(): readonly (readonly [id: string, account: Account])[] {
    return this.accounts.entries();
  }

  /** Assets that have accounts, in order. */
  assets(): string[] {
    return [...this.systemIds.keys()].filter((asset) => this.hasAsset(asset)).sort();
  }

  /** Sets a balance without a movement: for the tools of a devnet. The difference counts as deposited or withdrawn. */
  setBalance(id: string, balance: bigint): void {
    const account = this.accounts.get(id);
    if (account === undefined) throw new CommandError("account does not exists");
    const change = balance - account.balance;
    const flow = this.flows.get(account.asset) ?? NO_FLOW;
    if (!this.hasRoomFor(account.asset, change)) throw overflow();
    this.flows.set(account.asset, {
      deposited: flow.deposited + (change > 0n ? change : 0n),
      withdrawn: flow.withdrawn + (change < 0n ? -change : 0n),
    });
    this.put(id, account, balance);
  }

  /** Holds at the end of every block. @throws InvariantError */
  checkConservation(): void {
    for (const asset of this.unchecked) {
      const { deposited, withdrawn } = this.flows.get(asset) ?? NO_FLOW;
      // The external account holds withdrawn amounts, which are outside the chain and do not count.
      const outside = this.balance(accountId(asset, AccountType.ACCOUNT_TYPE_EXTERNAL));
      const inside = (this.sums.get(asset) ?? 0n) - outside;
      if (inside !== deposited - withdrawn) {
        const expected = `${deposited} deposited less ${withdrawn} withdrawn`;
        throw new InvariantError(`accounts of asset ${asset} hold ${inside}, but ${expected}`);
      }
    }
    this.unchecked.clear();
  }

  private create(id: string, { asset, type, owner, market }: Omit<Account, "balance">): void {
    this.accounts.set(id, { asset, type, owner, market, balance: 0n });
    this.core.emit("account", { id, owner, balance: "0", asset, marketId: market, type });
  }

  /** @returns the balance as text: digits are dear, and every movement shows them again */
  private put(id: string, account: Account, balance: bigint): string {
    if (balance < 0n) throw new InvariantError(`account ${id} would hold ${balance}`);
    const { asset, type, owner, market } = account;
    // Entries of amount 0 are frequent on markets.
    if (balance !== account.balance) this.accounts.set(id, { asset, type, owner, market, balance });
    const text = balance.toString();
    if (type === AccountType.ACCOUNT_TYPE_EXTERNAL) return text;
    this.core.emit("account", { id, owner, balance: text, asset, marketId: market, type });
    return text;
  }

  /** Takes the amount from the sources. @returns for each the amount taken and its balance */
  private collect({
    from,
    amount,
    passesMissing,
  }: Pick<MoveRequest, "from" | "amount" | "passesMissing">): Drawn[] {
    const drawn: Drawn[] = [];
    let rest = amount;
    for (const id of from) {
      const account = this.accounts.get(id);
      if (account === undefined && passesMissing) continue;
      if (account === undefined) throw new CommandError("account does not exists");
      const covers = account.balance >= rest;
      const part = covers ? rest : account.balance;
      // A source that covers the rest has an entry even for 0; an empty source is skipped.
      if (part === 0n && !covers) continue;
      const balance = this.put(id, account, account.balance - part);
      drawn.push({ from: this.details(id, account), amount: part, balance });
      rest -= part;
      if (covers) break;
    }
    return drawn;
  }

  private book({ to, type }: MoveRequest, drawn: readonly Drawn[]): Movement {
    const received = drawn.reduce((sum, { amount }) => sum + amount, 0n);
    // If no source could pay a fee, the receiving account is emitted nevertheless.
    if (drawn.length === 0 && FEES.has(type)) this.put(to, this.existing(to), this.balance(to));
    const entries = CREDITED_ONCE.has(type)
      ? this.creditOnce(to, drawn, received, type)
      : drawn.map((source) => this.credit(to, source, source.amount, type));
    return { entries, balances: [{ account: this.details(to), balance: received.toString() }] };
  }

  /** Credits an account with an amount of a source. */
  private credit(to: string, source: Drawn, amount: bigint, type: TransferTypeNumber): Init<LedgerEntry> {
    const account = this.existing(to);
    return this.entry(to, source, amount, type, this.put(to, account, account.balance + amount));
  }

  /** Puts what all sources gave into an account at once: an entry for each, and one Account event. */
  private creditOnce(
    to: string,
    drawn: readonly Drawn[],
    received: bigint,
    type: TransferTypeNumber,
  ): Init<LedgerEntry>[] {
    const account = this.existing(to);
    let { balance } = account;
    const entries = drawn.map((source) => {
      balance += source.amount;
      return this.entry(to, source, source.amount, type, balance.toString());
    });
    if (drawn.length > 0) this.put(to, account, account.balance + received);
    return entries;
  }

  private entry(
    to: string,
    { from, balance }: Drawn,
    amount: bigint,
    type: TransferTypeNumber,
    toAccountBalance: string,
  ): Init<LedgerEntry> {
    return {
      fromAccount: from,
      toAccount: this.details(to),
      amount: amount.toString(),
      type,
      timestamp: this.core.nowNs,
      fromAccountBalance: balance,
      toAccountBalance,
    };
  }

  private existing(id: string): Account {
    const account = this.accounts.get(id);
    if (account === undefined) throw new CommandError("account does not exists");
    return account;
  }

  /**
   * As ledger entries name an account: what belongs to the network or to no market is left unset
   * (docs/protocol/60-state-engine-accounts.md#25-pseudo-owners-over-the-api).
   */
  private details(id: string, account = this.accounts.get(id)): Init<AccountDetails> {
    if (account === undefined) throw new CommandError("account does not exists");
    const cached = this.named.get(id);
    if (cached !== undefined) return cached;
    const { asset, type, owner, market } = account;
    const details = {
      assetId: asset,
      type,
      owner: owner === SYSTEM_OWNER ? undefined : owner,
      marketId: market === NO_MARKET ? undefined : market,
    };
    if (this.named.size >= NAMED_MAX) this.named.clear();
    this.named.set(id, details);
    return details;
  }

  private indexParty({ market, asset, owner }: Account, change: number): void {
    if (market === NO_MARKET) return;
    const key = `${market}${asset}`;
    const parties = this.partiesByMarket.get(key) ?? new Map<string, number>();
    const count = (parties.get(owner) ?? 0) + change;
    if (count > 0) parties.set(owner, count);
    else parties.delete(owner);
    if (parties.size > 0) this.partiesByMarket.set(key, parties);
    else this.partiesByMarket.delete(key);
  }

  private index(id: string, before: Account | undefined, now: Account | undefined): void {
    const { asset, owner } = (now ?? before)!;
    const change = (now?.balance ?? 0n) - (before?.balance ?? 0n);
    if (change !== 0n) this.sums.set(asset, (this.sums.get(asset) ?? 0n) + change);
    this.unchecked.add(asset);
    if ((before === undefined) === (now === undefined)) return;
    if (owner !== SYSTEM_OWNER) {
      this.indexParty((now ?? before)!, now !== undefined ? 1 : -1);
      return;
    }
    const ids = this.systemIds.get(asset) ?? new Set();
    if (now === undefined) ids.delete(id);
    else ids.add(id);
    this.systemIds.set(asset, ids);
  }
}

function overflow(): CommandError {
  return new CommandError("amount overflows 256 bits");
}

interface Drawn {
  readonly from: Init<AccountDetails>;
  readonly amount: bigint;
  /** Balance of the source after it. */
  readonly balance: string;
}
