// Money of the naive markets: balances by name, as each market sees them
// (docs/protocol/60-state-engine-accounts.md#2-accounts-and-ledger).

/** Names of an asset's accounts, which its markets share. */
const isShared = (name: string): boolean =>
  name.startsWith("general ") || name === "infrastructureFees" || name === "globalReward";

/** A market's accounts and those of its asset: `margin ann` of one market is another than that of the next. */
export class Accounts {
  constructor(
    private readonly balances: Map<string, bigint>,
    private readonly market: string,
    private readonly asset: string,
  ) {}

  /** Name among all: with the asset or the market; of another market's account it is the name already. */
  full(name: string): string {
    if (name.includes("@")) return name;
    return `${name}@${isShared(name) ? this.asset : this.market}`;
  }

  has(name: string): boolean {
    return this.balances.has(this.full(name));
  }

  get(name: string): bigint | undefined {
    return this.balances.get(this.full(name));
  }

  set(name: string, balance: bigint): void {
    this.balances.set(this.full(name), balance);
  }

  delete(name: string): void {
    this.balances.delete(this.full(name));
  }

  /** Names as this market has them. */
  keys(): string[] {
    return [...this.balances.keys()].flatMap((full) => {
      const [name = "", of] = full.split("@");
      return of === this.market || of === this.asset ? [name] : [];
    });
  }

  /** Balances to go back to. */
  copy(): [string, bigint][] {
    return this.keys().map((name) => [name, this.get(name)!]);
  }
}
