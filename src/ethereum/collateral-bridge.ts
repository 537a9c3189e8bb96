// The contract that takes deposits and pays withdrawals of ERC20 tokens, with the pool that holds them (reference 60,
// sections 3.4, 3.6 and 4.7). Whether a call is signed for is asked before it is made.
import { reverted, sameAddress } from "./refusal.ts";

export interface Listing {
  /** Address of the token's contract, checksummed. */
  readonly token: string;
  /** 64 lower-case hexadecimal digits. */
  readonly assetId: string;
  /** What one address may bring in, ever. */
  readonly lifetimeLimit: bigint;
  readonly withdrawThreshold: bigint;
}

export interface CollateralBridgeState {
  readonly listings: readonly { readonly [Name in keyof Listing]: string }[];
  readonly stopped: boolean;
  /** What the pool holds, by asset id. */
  readonly pool: Readonly<Record<string, string>>;
  /** What an address has brought in, by `asset id address`. */
  readonly deposited: Readonly<Record<string, string>>;
}

export class CollateralBridge {
  private listings = new Map<string, Listing>();
  private pool = new Map<string, bigint>();
  private deposited = new Map<string, bigint>();
  private stopped = false;

  get isStopped(): boolean {
    return this.stopped;
  }

  /** By asset id. */
  listing(assetId: string): Listing | undefined {
    return this.listings.get(assetId);
  }

  balance(assetId: string): bigint {
    return this.pool.get(assetId) ?? 0n;
  }

  list(listing: Listing): void {
    this.checkRunning();
    const { token, assetId } = listing;
    if (this.listings.has(assetId)) throw reverted(`asset ${assetId} is listed already`);
    if ([...this.listings.values()].some((known) => sameAddress(known.token, token))) {
      throw reverted(`the token ${token} is listed already`);
    }
    this.listings.set(assetId, listing);
  }

  setLimits(token: string, lifetimeLimit: bigint, withdrawThreshold: bigint): Listing {
    const listing = { ...this.ofToken(token), lifetimeLimit, withdrawThreshold };
    this.listings.set(listing.assetId, listing);
    return listing;
  }

  deposit(assetId: string, from: string, amount: bigint): Listing {
    this.checkRunning();
    const listing = this.listings.get(assetId);
    if (listing === undefined) throw reverted(`asset ${assetId} is not listed`);
    const key = `${assetId} ${from.toLowerCase()}`;
    const total = (this.deposited.get(key) ?? 0n) + amount;
    if (total > listing.lifetimeLimit) {
      throw reverted(
        `${from} would have deposited ${total}, and the lifetime limit is ${listing.lifetimeLimit}`,
      );
    }
    this.deposited.set(key, total);
    this.pool.set(assetId, this.balance(assetId) + amount);
    return listing;
  }

  withdraw(token: string, amount: bigint): Listing {
    this.checkRunning();
    const listing = this.ofToken(token);
    const held = this.balance(listing.assetId);
    if (amount > held) throw reverted(`the pool holds ${held} of the ${amount} to be withdrawn`);
    this.pool.set(listing.assetId, held - amount);
    return listing;
  }

  stop(): void {
    this.checkRunning();
    this.stopped = true;
  }

  resume(): void {
    if (!this.stopped) throw reverted("the bridge is not stopped");
    this.stopped = false;
  }

  save(): CollateralBridgeState {
    const texts = (values: ReadonlyMap<string, bigint>) =>
      Object.fromEntries([...values].map(([key, value]) => [key, value.toString()]));
    return {
      listings: [...this.listings.values()].map(({ token, assetId, lifetimeLimit, withdrawThreshold }) => ({
        token,
        assetId,
        lifetimeLimit: lifetimeLimit.toString(),
        withdrawThreshold: withdrawThreshold.toString(),
      })),
      stopped: this.stopped,
      pool: texts(this.pool),
      deposited: texts(this.deposited),
    };
  }

  load(state: CollateralBridgeState): void {
    const amounts = (texts: Readonly<Record<string, string>>) =>
      new Map(Object.entries(texts).map(([key, text]) => [key, BigInt(text)]));
    this.listings = new Map(
      state.listings.map(({ token, assetId, lifetimeLimit, withdrawThreshold }) => [
        assetId,
        {
          token,
          assetId,
          lifetimeLimit: BigInt(lifetimeLimit),
          withdrawThreshold: BigInt(withdrawThreshold),
        },
      ]),
    );
    this.stopped = state.stopped;
    this.pool = amounts(state.pool);
    this.deposited = amounts(state.deposited);
  }

  private ofToken(token: string): Listing {
    const listing = [...this.listings.values()].find((known) => sameAddress(known.token, token));
    if (listing === undefined) throw reverted(`the token ${token} is not listed`);
    return listing;
  }

  private checkRunning(): void {
    if (this.stopped) throw reverted("the bridge is stopped");
  }
}
