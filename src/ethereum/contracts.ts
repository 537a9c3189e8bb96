// The contracts of the simulated Ethereum. A refused call reverts: nothing has changed. The simulator verifies the
// signatures before it makes a call.
import { ChainCallError } from "../engine/chain-port.ts";

/** The refusal of a call. @param sentence for a person */
export function reverted(sentence: string): ChainCallError {
  return new ChainCallError("bridge", `the Ethereum bridge refuses it: ${sentence}`);
}

/** Addresses are compared without their checksum. */
export function sameAddress(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

// The contract that takes deposits and pays withdrawals of ERC20 tokens, with the pool that holds them
// (docs/protocol/60-state-engine-accounts.md#34-erc20-deposit-flow, #36-other-erc20-chain-events and
// #47-what-exactly-is-signed).

export interface Listing {
  /** Address of the token's contract, checksummed. */
  readonly token: string;
  /** 64 lower-case hexadecimal digits. */
  readonly assetId: string;
  /** Sum that an address may deposit, ever. */
  readonly lifetimeLimit: bigint;
  readonly withdrawThreshold: bigint;
}

export interface CollateralBridgeState {
  readonly listings: readonly { readonly [Name in keyof Listing]: string }[];
  readonly stopped: boolean;
  /** Balances of the pool, by asset id. */
  readonly pool: Readonly<Record<string, string>>;
  /** Sums that addresses have deposited, by `asset id address`. */
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
    if ([...this.listings.values()].some((listed) => sameAddress(listed.token, token))) {
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
    const listing = [...this.listings.values()].find((listed) => sameAddress(listed.token, token));
    if (listing === undefined) throw reverted(`the token ${token} is not listed`);
    return listing;
  }

  private checkRunning(): void {
    if (this.stopped) throw reverted("the bridge is stopped");
  }
}

// The contract that knows the validators' Ethereum keys and whether enough of them have signed
// (docs/protocol/60-state-engine-accounts.md#47-what-exactly-is-signed and
// docs/protocol/60-state-engine-staking.md#94-multisig-contract-view). The signer of a signature is recovered outside
// (crypto/multisig.ts).

/** The threshold is in parts of a thousand, and more than that many have to sign. */
const WHOLE = 1000;

export interface MultisigState {
  /** Checksummed addresses in the order in which they came. */
  readonly signers: readonly string[];
  readonly threshold: number;
  /** `target nonce`: a nonce is used up for the address that its message is bound to. */
  readonly usedNonces: readonly string[];
}

export class MultisigControl {
  private signers: readonly string[];
  private threshold: number;
  private used = new Set<string>();

  constructor(signers: readonly string[], threshold: number) {
    checkThreshold(threshold);
    this.signers = signers;
    this.threshold = threshold;
  }

  /** Checksummed addresses. */
  get currentSigners(): readonly string[] {
    return this.signers;
  }

  get currentThreshold(): number {
    return this.threshold;
  }

  isSigner(address: string): boolean {
    return this.signers.some((signer) => sameAddress(signer, address));
  }

  /**
   * Uses up a nonce when enough current signers stand under the message, each counted once.
   * @param signers signers of the bundle; undefined for an invalid signature
   * @param target the address that the message is bound to @throws ChainCallError `bridge`
   */
  verify(signers: readonly (string | undefined)[], target: string, nonce: bigint): void {
    if (this.isUsed(target, nonce)) throw reverted(`nonce ${nonce} has been used`);
    if (signers.length === 0) throw reverted("the bundle holds no signatures");
    const valid = this.signers.filter((signer) =>
      signers.some((one) => one !== undefined && sameAddress(one, signer)),
    );
    // As the contract divides: whole numbers, and strictly more than the threshold.
    const share = Math.trunc((valid.length * WHOLE) / this.signers.length);
    if (this.signers.length === 0 || share <= this.threshold) {
      const sentence = `signatures of ${valid.length} of ${this.signers.length} signers are ${share || 0} of 1,000`;
      throw reverted(`${sentence}, and more than ${this.threshold} are needed`);
    }
    this.used.add(nonceKeyOf(target, nonce));
  }

  /** Whether a nonce is used up for this address. */
  isUsed(target: string, nonce: bigint): boolean {
    return this.used.has(nonceKeyOf(target, nonce));
  }

  addSigner(address: string): void {
    if (this.isSigner(address)) throw reverted(`${address} is a signer already`);
    this.signers = [...this.signers, address];
  }

  removeSigner(address: string): void {
    if (!this.isSigner(address)) throw reverted(`${address} is not a signer`);
    this.signers = this.signers.filter((signer) => !sameAddress(signer, address));
  }

  setThreshold(threshold: number): void {
    checkThreshold(threshold);
    this.threshold = threshold;
  }

  save(): MultisigState {
    return { signers: this.signers, threshold: this.threshold, usedNonces: [...this.used] };
  }

  load(state: MultisigState): void {
    this.signers = state.signers;
    this.threshold = state.threshold;
    this.used = new Set(state.usedNonces);
  }
}

function nonceKeyOf(target: string, nonce: bigint): string {
  return `${target.toLowerCase()} ${nonce}`;
}

function checkThreshold(threshold: number): void {
  if (!Number.isInteger(threshold) || threshold < 1 || threshold >= WHOLE) {
    throw reverted(`a threshold is a whole number from 1 to ${WHOLE - 1}, not ${threshold}`);
  }
}

// The contract that holds staked tokens, by Ethereum address and party
// (docs/protocol/60-state-engine-staking.md#71-stake-linking).

/** Amounts by `address party`. */
export type StakingBridgeState = Readonly<Record<string, string>>;

export class StakingBridge {
  private stakes = new Map<string, bigint>();

  stake(address: string, party: string, amount: bigint): void {
    const key = stakeKeyOf(address, party);
    this.stakes.set(key, (this.stakes.get(key) ?? 0n) + amount);
  }

  remove(address: string, party: string, amount: bigint): void {
    const key = stakeKeyOf(address, party);
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

function stakeKeyOf(address: string, party: string): string {
  return `${address.toLowerCase()} ${party}`;
}
