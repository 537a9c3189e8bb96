// The contract that knows the validators' Ethereum keys and says whether enough of them have signed (reference 60,
// sections 4.7 and 9.4). Whom a signature belongs to is found outside (crypto/multisig.ts).
import { reverted, sameAddress } from "./refusal.ts";

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
   * @param found whose signatures the bundle holds; undefined where one is none
   * @param target the address that the message is bound to @throws ChainCallError `bridge`
   */
  verify(found: readonly (string | undefined)[], target: string, nonce: bigint): void {
    if (this.isUsed(target, nonce)) throw reverted(`nonce ${nonce} has been used`);
    if (found.length === 0) throw reverted("the bundle holds no signatures");
    const valid = this.signers.filter((signer) =>
      found.some((one) => one !== undefined && sameAddress(one, signer)),
    );
    // As the contract divides: whole numbers, and strictly more than the threshold.
    const share = Math.trunc((valid.length * WHOLE) / this.signers.length);
    if (this.signers.length === 0 || share <= this.threshold) {
      const sentence = `signatures of ${valid.length} of ${this.signers.length} signers are ${share || 0} of 1,000`;
      throw reverted(`${sentence}, and more than ${this.threshold} are needed`);
    }
    this.used.add(keyOf(target, nonce));
  }

  /** Whether a nonce is used up for this address. */
  isUsed(target: string, nonce: bigint): boolean {
    return this.used.has(keyOf(target, nonce));
  }

  addSigner(address: string): void {
    if (this.isSigner(address)) throw reverted(`${address} is a signer already`);
    this.signers = [...this.signers, address];
  }

  removeSigner(address: string): void {
    if (!this.isSigner(address)) throw reverted(`${address} is no signer`);
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

function keyOf(target: string, nonce: bigint): string {
  return `${target.toLowerCase()} ${nonce}`;
}

function checkThreshold(threshold: number): void {
  if (!Number.isInteger(threshold) || threshold < 1 || threshold >= WHOLE) {
    throw reverted(`a threshold is a whole number from 1 to ${WHOLE - 1}, not ${threshold}`);
  }
}
