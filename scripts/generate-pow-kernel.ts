#!/usr/bin/env bun
/**
 * Writes src/admission/pow/kernel.generated.ts: the proof-of-work search as a WebAssembly module of a few kilobytes.
 *
 *   bun scripts/generate-pow-kernel.ts [--check]     --check: fail when the file is not what would be written
 *
 * The module runs keccak-f[1600] (FIPS 202, section 3.3) on two nonces at once, one in each half of a 128-bit
 * vector. It is put together here byte by byte (WebAssembly core specification 2.0, section 5, "Binary Format"), so
 * nothing but this file is needed to know what it does. Measured (reference 80, section 4, and here again): a loop
 * over two rounds beats 24 unrolled ones, and an optimiser run over the result makes it slower.
 *
 * Memory, in vectors of 16 bytes, each lane of the state twice (one copy for each nonce):
 *   0-24   the state before the last block's permutation, without the nonce
 *   25-26  copies of the two lanes that the nonce falls into, to start each attempt from
 *   32-55  the round constants
 */
import { join } from "node:path";

const OUTPUT = join(import.meta.dir, "..", "src", "admission", "pow", "kernel.generated.ts");
const VECTOR = 16;
const TOUCHED_AT = 25 * VECTOR;
const ROUND_CONSTANTS_AT = 32 * VECTOR;
const ROUNDS = 24;

// ---------------------------------------------------------------------------------------------- the assembler

type Code = readonly number[];

/** Unsigned LEB128 (binary format, section 5.2.2). */
function u32(value: number): number[] {
  const bytes: number[] = [];
  do {
    const low = value & 0x7f;
    value >>>= 7;
    bytes.push(value === 0 ? low : low | 0x80);
  } while (value !== 0);
  return bytes;
}

/** Signed LEB128; the constants of this module are small. */
function s32(value: number): number[] {
  const bytes: number[] = [];
  for (;;) {
    const low = value & 0x7f;
    value >>= 7;
    const isDone = (value === 0 && (low & 0x40) === 0) || (value === -1 && (low & 0x40) !== 0);
    bytes.push(isDone ? low : low | 0x80);
    if (isDone) return bytes;
  }
}

const vector = (...items: readonly Code[]): number[] => [...u32(items.length), ...items.flat()];
const section = (id: number, content: Code): number[] => [id, ...u32(content.length), ...content];
const name = (text: string): number[] => [...u32(text.length), ...Buffer.from(text, "latin1")];

const Type = { i32: 0x7f, i64: 0x7e, v128: 0x7b, none: 0x40 } as const;

const get = (local: number): Code => [0x20, ...u32(local)];
const set = (local: number): Code => [0x21, ...u32(local)];
const tee = (local: number): Code => [0x22, ...u32(local)];
const i32 = (value: number): Code => [0x41, ...s32(value)];
const i64 = (value: number): Code => [0x42, ...s32(value)];
const loop = (...body: readonly Code[]): Code => [0x03, Type.none, ...body.flat(), 0x0b];
const when = (...body: readonly Code[]): Code => [0x04, Type.none, ...body.flat(), 0x0b];
const again = (depth: number): Code => [0x0d, ...u32(depth)];
const RETURN: Code = [0x0f];
const I32 = { ltU: [0x49], add: [0x6a] } as const;
const I64 = { eqz: [0x50], add: [0x7c], sub: [0x7d], extendU: [0xad] } as const;

const simd = (opcode: number, ...immediate: readonly number[]): Code => [0xfd, ...u32(opcode), ...immediate];
/** Alignment 2^4, offset. */
const load = (offset: number): Code => simd(0x00, 4, ...u32(offset));
const store = (offset: number): Code => simd(0x0b, 4, ...u32(offset));
const V = {
  shuffle: (lanes: readonly number[]) => simd(0x0d, ...lanes),
  constant: (bytes: readonly number[]) => simd(0x0c, ...bytes),
  splat: simd(0x12),
  extract: (lane: number) => simd(0x1d, lane),
  and: simd(0x4e),
  andNot: simd(0x4f),
  or: simd(0x50),
  xor: simd(0x51),
  anyTrue: simd(0x53),
  shl: simd(0xcb),
  shrU: simd(0xcd),
  add: simd(0xce),
  eq: simd(0xd6),
} as const;

// ---------------------------------------------------------------------------------------------- keccak-f[1600]

/** Offsets of rho for lane x + 5y (FIPS 202, table 2, modulo 64). */
const RHO = [
  0, 1, 62, 28, 27, 36, 44, 6, 55, 20, 3, 10, 43, 25, 39, 41, 45, 15, 21, 8, 18, 2, 61, 56, 14,
] as const;

/** Round constants by the shift register of FIPS 202, algorithm 5. */
function roundConstants(): bigint[] {
  let register = 1;
  return Array.from({ length: ROUNDS }, () => {
    let constant = 0n;
    for (let j = 0; j <= 6; j++) {
      if (register & 1) constant |= 1n << ((1n << BigInt(j)) - 1n);
      register = register & 0x80 ? ((register << 1) ^ 0x171) & 0xff : register << 1;
    }
    return constant;
  });
}

// Parameters of `search`, then its locals.
const START = 0; // i64: first nonce
const COUNT = 1; // i32: how many nonces, even
const ADDRESS = 2; // i32: of the lane that the nonce begins in
const SHIFT = 3; // i32: bits from the lane's start to the nonce
const MASK = 4; // i64: the bits of the hash's first lane that must be zero
const DONE = 5; // i32: nonces tried
const ROUND_AT = 6; // i32: address of the round's constant
const FIRST_VECTOR = 7;
const A = FIRST_VECTOR;
const E = A + 25;
const C = E + 25;
const D = C + 5;
const B = D + 5;
const NONCES = B + 5;
const SWAPPED = NONCES + 1;
const MASKS = SWAPPED + 1;
const VECTOR_LOCALS = MASKS + 1 - FIRST_VECTOR;

/** Rotation of the vector on the stack; `scratch` is a local it may use. */
function rotate(bits: number, scratch: number): Code[] {
  if (bits === 0) return [];
  if (bits % 8 === 0) {
    const shift = bits / 8;
    const lanes = Array.from({ length: VECTOR }, (_, at) => (at & 8) | ((at + 8 - shift) & 7));
    return [tee(scratch), get(scratch), V.shuffle(lanes)];
  }
  return [tee(scratch), i32(bits), V.shl, get(scratch), i32(64 - bits), V.shrU, V.or];
}

/** theta: the parities of the columns into C, and what each column is changed by into D. */
function theta(from: number): Code[] {
  const out: Code[] = [];
  for (let x = 0; x < 5; x++) {
    out.push(get(from + x));
    for (let y = 1; y < 5; y++) out.push(get(from + x + 5 * y), V.xor);
    out.push(set(C + x));
  }
  for (let x = 0; x < 5; x++) {
    out.push(get(C + ((x + 1) % 5)), ...rotate(1, B), get(C + ((x + 4) % 5)), V.xor, set(D + x));
  }
  return out;
}

/** One lane after theta, rho and pi: pi puts lane (x, y) at (y, 2x + 3y), so (X, Y) comes from x = X + 3Y, y = X. */
function moved(from: number, X: number, Y: number): Code[] {
  const x = (X + 3 * Y) % 5;
  const lane = x + 5 * X;
  return [get(from + lane), get(D + x), V.xor, ...rotate(RHO[lane]!, B + X), set(B + X)];
}

/** chi of one lane of the row in B. */
const chi = (X: number): Code[] => [
  get(B + X),
  get(B + ((X + 2) % 5)),
  get(B + ((X + 1) % 5)),
  V.andNot,
  V.xor,
];

/** One round from the locals at `from` into those at `to`; iota reads the constant at ROUND_AT + offset. */
function round(from: number, to: number, offset: number): Code[] {
  const out = theta(from);
  for (let Y = 0; Y < 5; Y++) {
    for (let X = 0; X < 5; X++) out.push(...moved(from, X, Y));
    for (let X = 0; X < 5; X++) {
      out.push(...chi(X));
      if (X === 0 && Y === 0) out.push(get(ROUND_AT), load(offset), V.xor);
      out.push(set(to + X + 5 * Y));
    }
  }
  return out;
}

/** The last round, of which only the first lane is wanted: it holds the hash's first 64 bits. */
function lastRound(from: number, to: number, offset: number): Code[] {
  const row = [0, 1, 2].flatMap((X) => moved(from, X, 0));
  return [...theta(from), ...row, ...chi(0), get(ROUND_AT), load(offset), V.xor, set(to)];
}

/** Puts the two nonces, big-endian, into the two lanes of the state that they fall into. */
function placeNonces(): Code[] {
  const swap = Array.from({ length: VECTOR }, (_, at) => (at & 8) | (7 - (at & 7)));
  return [
    get(START), get(DONE), I64.extendU, I64.add, V.splat, get(NONCES), V.add, tee(SWAPPED),
    get(SWAPPED), V.shuffle(swap), set(SWAPPED),
    get(ADDRESS), i32(0), load(TOUCHED_AT), get(SWAPPED), get(SHIFT), V.shl, V.xor, store(0),
    // Shifts are modulo 64, so a shift by 64 - SHIFT is done in two steps: 1, and 63 - SHIFT.
    get(ADDRESS), i32(0), load(TOUCHED_AT + VECTOR), get(SWAPPED), i32(1), V.shrU,
    i32(63), get(SHIFT), [0x6b], V.shrU, V.xor, store(VECTOR),
  ]; // prettier-ignore
}

/** @returns the nonce in one half of the vector when its hash is good */
const answer = (half: 0 | 1): Code =>
  when(
    get(A), V.extract(half), get(MASK), [0x83], I64.eqz,
    when(get(DONE), I64.extendU, i64(half), I64.add, RETURN),
  ).concat() as Code; // prettier-ignore

function searchBody(): Code {
  const one = [0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0];
  const code: Code[] = [
    V.constant(one), set(NONCES),
    get(MASK), V.splat, set(MASKS),
  ];
  void answer;
  return code.flat();
}
