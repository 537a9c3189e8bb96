// Accounts of the naive ledger: a Map of balances, and the facts that clients would see of every change. Written from
// the protocol (docs/protocol/60-state-engine-accounts.md#2-accounts-and-ledger) without looking at the engine.
import { SECOND_NS } from "../../src/wire/time-text.ts";

export const Type = {
  general: 4,
  infrastructure: 5,
  external: 10,
  treasury: 12,
  pending: 13,
} as const;
export const Movement = {
  fee: 11,
  withdraw: 18,
  deposit: 19,
  reward: 21,
  send: 22,
  distribute: 23,
} as const;
export const NETWORK = "*";
export const ZERO_PARTY = "0".repeat(64);
export const DAY = 86_400n * SECOND_NS;
export const UINT_MAX = (1n << 256n) - 1n;

/** Facts that clients see of a block, by kind: one on a line, in the order of the events. */
export type FactKind =
  | "account"
  | "delegation"
  | "deposit"
  | "epoch"
  | "movement"
  | "parameter"
  | "party"
  | "proposal"
  | "ranking"
  | "result"
  | "reward"
  | "score"
  | "stake"
  | "transfer"
  | "vote"
  | "withdrawal";

export class Facts {
  readonly lines: string[] = [];
  add(kind: FactKind, ...members: readonly (string | number | bigint | undefined)[]): void {
    this.lines.push(`${kind} ${members.map((member) => (member === undefined ? "-" : member)).join(" ")}`);
  }
}

interface AssetData {
  readonly quantum: string;
  readonly isErc20: boolean;
}

export interface BookData {
  readonly assets: Map<string, AssetData>;
  /** By `owner asset type`. */
  readonly balances: Map<string, bigint>;
  /** By asset: deposits less withdrawals. */
  readonly inside: Map<string, bigint>;
}

export const accountOf = (owner: string, asset: string, type: number) => `${owner} ${asset} ${type}`;

export class Book {
  /** Movements of the ledger event that is being put together. */
  private movements: string[] = [];

  constructor(
    readonly data: BookData,
    readonly facts: Facts,
  ) {}

  balance(account: string): bigint {
    return this.data.balances.get(account) ?? 0n;
  }

  has(account: string): boolean {
    return this.data.balances.has(account);
  }

  general(party: string, asset: string): string {
    const account = accountOf(party, asset, Type.general);
    if (!this.has(account)) {
      this.facts.add("party", party);
      this.create(account);
    }
    return account;
  }

  /** The account that a transfer or a deposit goes to. */
  target(party: string, asset: string, type: number): string {
    if (type === Type.general) return this.general(party, asset);
    const account = accountOf(NETWORK, asset, type);
    if (!this.has(account)) this.create(account);
    return account;
  }

  move(type: number, from: string, to: string, amount: bigint): void {
    const left = this.balance(from) - amount;
    if (left < 0n) throw new Error(`the model overdraws ${from}`);
    this.set(from, left);
    this.set(to, this.balance(to) + amount);
    this.movements.push(`${type} ${from} > ${to} ${amount} ${this.balance(from)} ${this.balance(to)}`);
  }

  deposit(asset: string, to: string, amount: bigint): void {
    const external = accountOf(NETWORK, asset, Type.external);
    this.data.balances.set(external, this.balance(external) + amount);
    this.data.inside.set(asset, (this.data.inside.get(asset) ?? 0n) + amount);
    this.move(Movement.deposit, external, to, amount);
    this.flush();
  }

  withdraw(asset: string, from: string, amount: bigint): void {
    this.data.inside.set(asset, (this.data.inside.get(asset) ?? 0n) - amount);
    this.move(Movement.withdraw, from, accountOf(NETWORK, asset, Type.external), amount);
    this.flush();
  }

  /** The ledger event. */
  flush(): void {
    for (const movement of this.movements) this.facts.add("movement", movement);
    this.movements = [];
  }

  /** For each asset, all accounts but the outside world hold what came in less what went out. */
  checkConservation(): void {
    const sums = new Map<string, bigint>();
    for (const [account, balance] of this.data.balances) {
      const [, asset, type] = account.split(" ") as [string, string, string];
      if (Number(type) !== Type.external) sums.set(asset, (sums.get(asset) ?? 0n) + balance);
    }
    for (const [asset, sum] of sums) {
      const inside = this.data.inside.get(asset) ?? 0n;
      if (sum !== inside) throw new Error(`accounts of ${asset} hold ${sum}, not ${inside}`);
    }
  }

  private create(account: string): void {
    this.data.balances.set(account, 0n);
    this.facts.add("account", account, 0n);
  }

  private set(account: string, balance: bigint): void {
    this.data.balances.set(account, balance);
    if (!account.endsWith(` ${Type.external}`)) this.facts.add("account", account, balance);
  }
}

/** A refusal: the whole text, or how it begins where the protocol leaves the rest open; undefined leaves it all open. */
export class Refusal extends Error {
  constructor(
    readonly text: string | RegExp | undefined,
    readonly code = 70,
  ) {
    super(String(text));
  }
}

/** Whole hours, minutes and seconds, as parameters here are written. */
export function durationOf(text: string): bigint {
  const units: Record<string, bigint> = { h: 3_600n, m: 60n, s: 1n };
  let seconds = 0n;
  for (const [, digits, unit] of text.matchAll(/(\d+)([hms])/g)) seconds += BigInt(digits!) * units[unit!]!;
  return seconds * SECOND_NS;
}

/** An event of Ethereum on which the witnesses vote. */
export interface Resource {
  readonly kind: "deposit" | "bridge" | "stake" | "supply";
  readonly deadline: bigint;
  readonly votes: Set<string>;
  /** Banking's key, by which it recognises a repetition. */
  readonly ref: string;
  readonly subject: string;
}

export interface Outcome {
  readonly id: string;
  readonly resource: Resource;
  readonly isAccepted: boolean;
}
