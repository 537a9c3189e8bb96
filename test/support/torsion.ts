// Signatures with torsion components, made by someone who knows the secret: valid under the cofactored equation always,
// and under the cofactorless one only where the torsion cancels.
import { ED25519_TORSION_SUBGROUP, ed25519 } from "@noble/curves/ed25519.js";
import { sha512 } from "@noble/hashes/sha2.js";

const { Point } = ed25519;
const ORDER = Point.Fn.ORDER;
const TORSION = ED25519_TORSION_SUBGROUP.map((point) => Point.fromHex(point));

export interface TorsionCase {
  readonly publicKey: Uint8Array;
  readonly message: Uint8Array;
  readonly signature: Uint8Array;
  /** The torsion of key and R. */
  readonly hasTorsion: readonly [key: boolean, r: boolean];
}

/** The n-th case: all 64 pairs of torsion components come in turn. */
export function torsionCase(n: number): TorsionCase {
  const [secret, nonce] = [scalar(`secret ${n}`), scalar(`nonce ${n}`)];
  const [ofKey, ofR] = [TORSION[n & 7]!, TORSION[(n >> 3) & 7]!];
  const publicKey = Point.BASE.multiply(secret).add(ofKey).toBytes();
  const r = Point.BASE.multiply(nonce).add(ofR).toBytes();
  const message = sha512(Buffer.from(`message ${n}`)).slice(0, 32);
  const challenge = littleEndian(sha512(new Uint8Array([...r, ...publicKey, ...message]))) % ORDER;
  const s = (nonce + challenge * secret) % ORDER;
  const signature = new Uint8Array([...r, ...bytesOf(s)]);
  return { publicKey, message, signature, hasTorsion: [(n & 7) !== 0, ((n >> 3) & 7) !== 0] };
}

function scalar(text: string): bigint {
  return (littleEndian(sha512(Buffer.from(text))) % (ORDER - 1n)) + 1n;
}

function littleEndian(bytes: Uint8Array): bigint {
  return BigInt(`0x${bytes.slice().reverse().toHex()}`);
}

function bytesOf(value: bigint): Uint8Array {
  return Uint8Array.fromHex(value.toString(16).padStart(64, "0")).reverse();
}
