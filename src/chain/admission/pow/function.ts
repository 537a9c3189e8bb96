// The proof-of-work function: SHA3-256 over a prefix, a block hash, a proof's identifier and a nonce
// (docs/protocol/40-pow-spam.md#1-the-proof-of-work-function).
import { HashInput, sha3Of } from "../../../crypto/sha.ts";
import type { MessageOf } from "../../../errors/program-codes.ts";
import type { AdmissionRules } from "../rules.ts";
import type { PartyCounter, PowParameters } from "./windows.ts";

/** The only function there is (docs/protocol/40-pow-spam.md#11-bytes-hashed). */
export const HASH_FUNCTION = "sha3_24_rounds";
/** Characters of a block hash. It is hashed as text, so its case matters. */
const BLOCK_HASH_LENGTH = 64;
/** Bits of the hash, so also the highest difficulty. */
export const DIFFICULTY_MAX = 256;
export const NONCE_BYTES = 8;
export const NONCE_MAX = (1n << 64n) - 1n;

const PREFIX = "Vega_SPAM_PoW";

export interface ProofInput {
  /** Text of the block's hash, as the network writes it: lower-case hex. */
  readonly blockHash: string;
  /** The proof's identifier: any text but none. */
  readonly tid: string;
}

export interface Proof extends ProofInput {
  readonly nonce: bigint;
}

/** Why no proof can be made for this input; undefined when one can (docs/protocol/40-pow-spam.md#12-search-and-verification-edge-cases). */
export function proofInputProblem({ blockHash, tid }: ProofInput): MessageOf<"proof_input"> | undefined {
  if (tid === "") return "transaction ID cannot be empty";
  if (Buffer.byteLength(blockHash) !== BLOCK_HASH_LENGTH) return "incorrect block hash";
  return undefined;
}

/** The bytes to hash, up to the nonce. */
export function preimagePrefix({ blockHash, tid }: ProofInput): Buffer {
  return Buffer.from(PREFIX + blockHash + tid, "utf8");
}

const hashed = new HashInput(1024);
/** Bytes of a UTF-16 unit in UTF-8, at most. */
const UNIT_BYTES_MAX = 3;

/** The 32 bytes of a proof's hash. The nonce is hashed as eight big-endian bytes. */
export function proofHash(proof: Proof): Uint8Array {
  const text = PREFIX + proof.blockHash + proof.tid;
  // A single buffer and the one-shot call: the fastest of the native ways.
  const isUsual = text.length * UNIT_BYTES_MAX + NONCE_BYTES <= hashed.bytes.length;
  const input = isUsual ? hashed : new HashInput(Buffer.byteLength(text) + NONCE_BYTES);
  const end = input.bytes.writeBigUInt64BE(proof.nonce, input.bytes.write(text, "utf8"));
  return sha3Of(input.first(end));
}

/** Leading zero bits: what the engine credits to the sender, even beyond what was asked for. */
export function leadingZeroBits(hash: Uint8Array): number {
  let bits = 0;
  for (const byte of hash) {
    if (byte !== 0) return bits + Math.clz32(byte) - 24;
    bits += 8;
  }
  return bits;
}

/** The bits that a difficulty really asks for. The original compares 8-bit values, so that 256 asks for none. */
export function requiredBits(difficulty: number, rules: AdmissionRules): number {
  return rules === "0.71.6" && difficulty === DIFFICULTY_MAX ? 0 : difficulty;
}

/**
 * The leading zero bits of a proof that meets the difficulty; undefined when it does not, or cannot.
 * @param difficulty leading zero bits asked for, 0 to 256
 */
export function verifyProof(
  proof: Proof,
  difficulty: number,
  hashFunction: string = HASH_FUNCTION,
  rules: AdmissionRules = "default",
): number | undefined {
  if (difficulty > DIFFICULTY_MAX || hashFunction !== HASH_FUNCTION) return undefined;
  if (proofInputProblem(proof) !== undefined) return undefined;
  const bits = leadingZeroBits(proofHash(proof));
  return bits >= requiredBits(difficulty, rules) ? bits : undefined;
}

// Difficulty that a party has to show for a number of transactions on one height
// (docs/protocol/40-pow-spam.md#34-delivertx).

type Quota = Pick<PowParameters, "difficulty" | "txPerBlock">;

/** Level of the k-th transaction: L(k) = b + floor((k - 1) / N). */
export function levelOf(k: bigint, { difficulty, txPerBlock }: Quota): bigint {
  return BigInt(difficulty) + (k - 1n) / txPerBlock;
}

/** Total for n transactions: T(n) = L(1) + … + L(n), with q whole rounds of the quota and r beyond them. */
export function requiredTotal(n: bigint, { difficulty, txPerBlock }: Quota): bigint {
  const q = n / txPerBlock;
  const r = n % txPerBlock;
  return n * BigInt(difficulty) + (txPerBlock * q * (q - 1n)) / 2n + q * r;
}

/**
 * The least difficulty of a party's next transaction on a height (docs/protocol/40-pow-spam.md#53-block-states);
 * undefined when it may send no more.
 * @param wraps the original's defect: a party that has shown more than enough is asked for nearly 2^64
 */
export function expectedDifficulty(
  { observed, seen }: Readonly<PartyCounter>,
  parameters: PowParameters,
  wraps = false,
): bigint | undefined {
  const base = BigInt(parameters.difficulty);
  if (!parameters.increasingDifficulty) return seen < parameters.txPerBlock ? base : undefined;
  const missing = requiredTotal(seen + 1n, parameters) - observed;
  if (wraps && missing < 0n) return BigInt.asUintN(64, missing);
  return missing > base ? missing : base;
}
