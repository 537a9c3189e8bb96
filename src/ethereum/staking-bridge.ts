// The contract that holds staked tokens, by Ethereum address and party (reference 60, section 7.1).
import { reverted } from "./refusal.ts";

/** Amounts by `address party`. */
export type StakingBridgeState = Readonly<Record<string, string>>;

export class StakingBridge {
  private stakes = new Map<string, bigint>();

  stake(address: string, party: string, amount: bigint): void {
    const key = keyOf(address, party);
    this.stakes.set(key, (this.stakes.get(key) ?? 0n) + amount);
  }

  remove(address: string, party: string, amount: bigint): void {
    const key = keyOf(address, party);
    const staked = this.stakes.get(key) ?? 0n;
    if (amount > staked) throw reverted(`${address} has staked ${staked} for the party, and not ${amount}`);
    if (amount === staked) this.stakes.delete(key);
    else this.stakes.set(key, staked - amount);
  }

  /** Everything that is staked. */
  total(): bigint {
    return [...this.stakes.values()].reduce((sum, amount) => sum + amount, 0n);
  }

  save(): StakingBridgeState {
    return Object.fromEntries([...this.stakes].map(([key, amount]) => [key, amount.toString()]));
  }

  load(state: StakingBridgeState): void {
    this.stakes = new Map(Object.entries(state).map(([key, amount]) => [key, BigInt(amount)]));
  }
}

function keyOf(address: string, party: string): string {
  return `${address.toLowerCase()} ${party}`;
}
