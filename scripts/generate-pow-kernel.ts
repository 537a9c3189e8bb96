#!/usr/bin/env bun
/**
 * Writes src/chain/admission/pow/kernel.generated.ts: the proof-of-work search as a WebAssembly module of a few kilobytes.
 *
 *   bun scripts/generate-pow-kernel.ts [--check]     --check: fail when the file is not what would be written
 *
 * The module runs keccak-f[1600] (FIPS 202, section 3.3) on three nonces at once: one in each half of 128-bit
 * vectors and one in general registers, row by row in turns, so that both kinds of units of a processor are busy.
 * It is put together here and in webassembly.ts, so nothing but these two is needed to know what it does. A loop over
 * two rounds beats 24 unrolled ones, and an optimiser run over the result makes it slower.
 *
 * Memory, in vectors of 16 bytes, each lane of the state twice:
 *   0-24   the state before the last block's permutation, with the nonce of an attempt
 *   25-26  the two lanes that the nonce falls into, without it
 *   32-55  the round constants
 */
import { join } from "node:path";
import { assemble, fail, list, name, sized, Type, unsigned } from "./webassembly.ts";

const OUTPUT = join(import.meta.dir, "../src/chain/admission/pow/kernel.generated.ts");
const VECTOR = 16;
const TOUCHED_AT = 25 * VECTOR;
const CONSTANTS_AT = 32 * VECTOR;
const ROUNDS = 24;

// ---------------------------------------------------------------------------------------------- keccak-f[1600]

/** Offsets of rho for lane x + 5y (FIPS 202, table 2, modulo 64). */
const RHO = [
  0, 1, 62, 28, 27, 36, 44, 6, 55, 20, 3, 10, 43, 25, 39, 41, 45, 15, 21, 8, 18, 2, 61, 56, 14,
] as const;

/** Round constants by the shift register of FIPS 202, algorithms 5 and 6. */
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

// Locals: first the parameters of `search`, then two counters, then vectors.
const [START, COUNT, ADDRESS, SHIFT, MASK, DONE, CONSTANT, FIRST_VECTOR] = [0, 1, 2, 3, 4, 5, 6, 7] as const;

/** Where the locals of one kind of state are, from its first. */
const layout = (first: number) => ({
  /** The 25 lanes, and after every other round again. */
  A: first,
  /** The 25 lanes in between. */
  E: first + 25,
  /** theta's column parities. */
  C: first + 50,
  /** The words by which theta changes the columns. */
  D: first + 55,
  /** A row between pi and chi. */
  B: first + 60,
});
const STATE_LOCALS = 65;
const { A, E, C, D, B } = layout(FIRST_VECTOR);
const PAIR = FIRST_VECTOR + STATE_LOCALS; // what is added to the nonces' two halves
const NONCES = PAIR + 1;
const MASKS = NONCES + 1;
const VECTORS = MASKS + 1 - FIRST_VECTOR;
/** The third nonce's state, in 64-bit integers. */
const S = layout(MASKS + 1);

const get = (local: number) => `local.get ${local}`;
const set = (local: number) => `local.set ${local}`;
const ZERO = "v128.const 0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0";
const FIVE = [0, 1, 2, 3, 4] as const;

/**
 * Rotates the vector on the stack left, by way of the local `scratch`. A shift is dear: the runtime makes four
 * instructions of it, because the count has to pass through a general register. So whole bytes are moved by a
 * shuffle, and one bit by 2x + (1 if the top bit is set), which is 2x less the comparison x < 0. Measured: 8 % faster
 * altogether; two bits done so gain nothing.
 */
function rotate(bits: number, scratch: number): string {
  const [whole, rest] = [bits - (bits % 8), bits % 8];
  const copy = `local.tee ${scratch} ${get(scratch)}`;
  if (rest > 1) {
    return `local.tee ${scratch} i32.const ${bits} i64x2.shl
      ${get(scratch)} i32.const ${64 - bits} i64x2.shr_u v128.or`;
  }
  const bytes = whole > 0 ? `${copy} i8x16.shuffle ${halves((byte) => (byte - whole / 8) & 7)}` : "";
  const bit = rest > 0 ? `${copy} i64x2.add ${get(scratch)} ${ZERO} i64x2.lt_s i64x2.sub` : "";
  return `${bytes} ${bit}`;
}

/** The immediate of a shuffle that does the same in both halves: where each byte of a half comes from. */
const halves = (byteOf: (byte: number) => number) =>
  Array.from({ length: VECTOR }, (_, at) => (at & 8) | byteOf(at & 7)).join(",");

function theta(from: number): string {
  const parity = (x: number) =>
    `${FIVE.map((y) => `${get(from + x + 5 * y)} ${y > 0 ? "v128.xor" : ""}`).join(" ")} ${set(C + x)}`;
  const change = (x: number) =>
    `${get(C + ((x + 1) % 5))} ${rotate(1, B)} ${get(C + ((x + 4) % 5))} v128.xor ${set(D + x)}`;
  return `${FIVE.map(parity).join(" ")} ${FIVE.map(change).join(" ")}`;
}

/** Lane (X, Y) after theta, rho and pi, into the row: pi takes (x, y) to (y, 2x + 3y), so x = X + 3Y and y = X. */
function moved(from: number, X: number, Y: number): string {
  const x = (X + 3 * Y) % 5;
  const lane = x + 5 * X;
  return `${get(from + lane)} ${get(D + x)} v128.xor ${rotate(RHO[lane]!, B + X)} ${set(B + X)}`;
}

const chi = (X: number) =>
  `${get(B + X)} ${get(B + ((X + 2) % 5))} ${get(B + ((X + 1) % 5))} v128.andnot v128.xor`;
/** Adds the constant of the round that is `ahead` rounds after the one CONSTANT points to. */
const iota = (ahead: number) => `${get(CONSTANT)} v128.load ${ahead * VECTOR} v128.xor`;

/** A row of a round, from the 25 locals at `from` to those at `to`. */
function row(from: number, to: number, ahead: number, Y: number): string {
  const lane = (X: number) => `${chi(X)} ${X === 0 && Y === 0 ? iota(ahead) : ""} ${set(to + X + 5 * Y)}`;
  return `${FIVE.map((X) => moved(from, X, Y)).join(" ")} ${FIVE.map(lane).join(" ")}`;
}

/** The last round, of which only the first lane is wanted: the hash's first 64 bits. */
function lastRound(from: number, to: number, ahead: number): string {
  const first = [0, 1, 2].map((X) => moved(from, X, 0)).join(" ");
  return `${theta(from)} ${first} ${chi(0)} ${iota(ahead)} ${set(to)}`;
}

// ---------------------------------------------------------------------------------------- in general registers

const NOT = "i64.const -1 i64.xor";
/** Lanes kept inverted, so that chi needs 5 inversions a round and not 25 (Keccak implementation overview, 2.2). */
const INVERTED: ReadonlySet<number> = new Set([1, 2, 8, 12, 17, 20]);
/** Whether a column's parity is inverted, and so what theta changes by it. */
const isParityInverted = (x: number) => FIVE.filter((y) => INVERTED.has((x % 5) + 5 * y)).length % 2 === 1;
const isMovedInverted = (X: number, Y: number) => {
  const x = (X + 3 * Y) % 5;
  return INVERTED.has(x + 5 * X) !== (isParityInverted(x + 4) !== isParityInverted(x + 1));
};

function scalarTheta(from: number): string {
  const parity = (x: number) =>
    `${FIVE.map((y) => `${get(from + x + 5 * y)} ${y > 0 ? "i64.xor" : ""}`).join(" ")} ${set(S.C + x)}`;
  const change = (x: number) =>
    `${get(S.C + ((x + 1) % 5))} i64.const 1 i64.rotl ${get(S.C + ((x + 4) % 5))} i64.xor ${set(S.D + x)}`;
  return `${FIVE.map(parity).join(" ")} ${FIVE.map(change).join(" ")}`;
}

function scalarMoved(from: number, X: number, Y: number): string {
  const x = (X + 3 * Y) % 5;
  const lane = x + 5 * X;
  const rho = RHO[lane]! > 0 ? `i64.const ${RHO[lane]} i64.rotl` : "";
  return `${get(from + lane)} ${get(S.D + x)} i64.xor ${rho} ${set(S.B + X)}`;
}

/** b0 ^ (~b1 & b2), where each of them, and the result, may be inverted. ~(p & q) is ~p | ~q. */
function scalarChi(X: number, Y: number): string {
  const [i0, i1, i2] = [0, 1, 2].map((ahead) => isMovedInverted((X + ahead) % 5, Y));
  const [b0, b1, b2] = [0, 1, 2].map((ahead) => get(S.B + ((X + ahead) % 5)));
  const isResultInverted = INVERTED.has(X + 5 * Y) !== i0;
  // With one of the two inverted the term comes without an inversion, but only in one of the two forms.
  if (i1 !== i2) {
    const isOr = i2 === true;
    return `${b0} ${isOr === isResultInverted ? "" : NOT} ${b1} ${b2} ${isOr ? "i64.or" : "i64.and"} i64.xor`;
  }
  const isSecondNot = i1 !== isResultInverted;
  const [first, second] = isSecondNot ? [b1, `${b2} ${NOT}`] : [`${b1} ${NOT}`, b2];
  return `${b0} ${first} ${second} ${isResultInverted ? "i64.or" : "i64.and"} i64.xor`;
}

const scalarIota = (ahead: number) => `${get(CONSTANT)} i64.load ${ahead * VECTOR} i64.xor`;

function scalarRow(from: number, to: number, ahead: number, Y: number): string {
  const lane = (X: number) =>
    `${scalarChi(X, Y)} ${X === 0 && Y === 0 ? scalarIota(ahead) : ""} ${set(to + X + 5 * Y)}`;
  return `${FIVE.map((X) => scalarMoved(from, X, Y)).join(" ")} ${FIVE.map(lane).join(" ")}`;
}

function scalarLastRound(from: number, to: number, ahead: number): string {
  const first = [0, 1, 2].map((X) => scalarMoved(from, X, 0)).join(" ");
  return `${scalarTheta(from)} ${first} ${scalarChi(0, 0)} ${scalarIota(ahead)} ${set(to)}`;
}

// ---------------------------------------------------------------------------------------------- the first round

/** Three nonces, as the two halves of a vector and a third. */
const NUMBERS = { pair: [0, 1], third: [2, 2] } as const;

/** Two attempts' nonces as they are hashed: big-endian. */
const nonces = ([first, second]: readonly [number, number]) => `
  v128.const ${first},0,0,0,0,0,0,0,${second},0,0,0,0,0,0,0 ${set(PAIR)}
  ${get(START)} ${get(DONE)} i64.extend_i32_u i64.add i64x2.splat ${get(PAIR)} i64x2.add
  local.tee ${NONCES} ${get(NONCES)} i8x16.shuffle ${halves((byte) => 7 - byte)}`;

/**
 * Puts two nonces into the two lanes of the state that they fall into. Shifts are modulo 64, so the shift by
 * 64 - SHIFT is done as 1 and then 63 - SHIFT.
 */
const placeNonces = (numbers: readonly [number, number]) => `
  ${nonces(numbers)} ${set(NONCES)}
  ${get(ADDRESS)}
    i32.const 0 v128.load ${TOUCHED_AT} ${get(NONCES)} ${get(SHIFT)} i64x2.shl v128.xor
  v128.store 0
  ${get(ADDRESS)}
    i32.const 0 v128.load ${TOUCHED_AT + VECTOR} ${get(NONCES)} i32.const 1 i64x2.shr_u
    i32.const 63 ${get(SHIFT)} i32.sub i64x2.shr_u v128.xor
  v128.store ${VECTOR}`;

const LANES = Array.from({ length: 25 }, (_, lane) => lane);
const loadState = LANES.map((lane) => `i32.const 0 v128.load ${lane * VECTOR} ${set(A + lane)}`).join(" ");
const loadScalarState = LANES.map(
  (lane) => `i32.const 0 i64.load ${lane * VECTOR} ${INVERTED.has(lane) ? NOT : ""} ${set(S.A + lane)}`,
).join(" ");

/** A round of all three nonces: A to E, or E back to A. */
function round(isOdd: boolean, ahead: number): string {
  const [from, to] = isOdd ? [E, A] : [A, E];
  const [scalarFrom, scalarTo] = isOdd ? [S.E, S.A] : [S.A, S.E];
  const rows = FIVE.map((Y) => `${row(from, to, ahead, Y)} ${scalarRow(scalarFrom, scalarTo, ahead, Y)}`);
  return `${theta(from)} ${scalarTheta(scalarFrom)} ${rows.join(" ")}`;
}

/** The first round from the state before it, wherever the nonce lies. */
const FIRST_ROUND = `
  ${placeNonces(NUMBERS.third)} ${loadScalarState}
  ${placeNonces(NUMBERS.pair)} ${loadState}
  ${round(false, 0)}`;

// ---------------------------------------------------------------------------------------------- the search

/** Returns the number of the attempt when the lane on the stack has the wanted bits zero. */
const answer = (attempt: number) => `${get(MASK)} i64.and i64.eqz
  if ${get(DONE)} i64.extend_i32_u i64.const ${attempt} i64.add return end`;

/** The rounds between the first and the last come in pairs: from E to A and back. */
const LAST_PAIR_AT = CONSTANTS_AT + (ROUNDS - 2) * VECTOR;

/** (start i64, count i32, address i32, shift i32, mask i64) -> i64: the first good attempt, or -1. */
const SEARCH = `
  ${get(MASK)} i64x2.splat ${set(MASKS)}
  loop
    i32.const ${CONSTANTS_AT} ${set(CONSTANT)}
    ${FIRST_ROUND}
    loop
      ${round(true, 1)}
      ${round(false, 2)}
      ${get(CONSTANT)} i32.const ${2 * VECTOR} i32.add local.tee ${CONSTANT}
      i32.const ${LAST_PAIR_AT} i32.lt_u br_if 0
    end
    ${lastRound(E, A, 1)}
    ${scalarLastRound(S.E, S.A, 1)}
    ${get(A)} ${get(MASKS)} v128.and ${ZERO} i64x2.eq v128.any_true
    if
      ${get(A)} i64x2.extract_lane 0 ${answer(0)}
      ${get(A)} i64x2.extract_lane 1 ${answer(1)}
    end
    ${get(S.A)} ${answer(2)}
    ${get(DONE)} i32.const 3 i32.add local.tee ${DONE} ${get(COUNT)} i32.lt_u br_if 0
  end
  i64.const -1
end`;

// ---------------------------------------------------------------------------------------------- the module

function moduleBytes(): Uint8Array {
  const parameters = [Type.i64, Type.i32, Type.i32, Type.i32, Type.i64];
  const locals = list([2, Type.i32], [...unsigned(VECTORS), Type.v128], [STATE_LOCALS, Type.i64]);
  const constants = roundConstants().flatMap((constant) => {
    const bytes = Buffer.alloc(VECTOR);
    bytes.writeBigUInt64LE(constant, 0);
    bytes.writeBigUInt64LE(constant, 8);
    return [...bytes];
  });
  const sections: readonly (readonly [id: number, content: readonly number[]])[] = [
    [1, list([Type.function, ...sized(parameters), ...sized([Type.i64])])],
    [3, list([0])], // one function, of type 0
    [5, list([0x01, 1, 1])], // one memory of one page, no more
    [7, list([...name("memory"), 0x02, 0], [...name("search"), 0x00, 0])],
    [10, list(sized([...locals, ...assemble(SEARCH)]))],
    [11, list([0, ...assemble(`i32.const ${CONSTANTS_AT} end`), ...sized(constants)])],
  ];
  const header = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];
  return Uint8Array.from([...header, ...sections.flatMap(([id, content]) => [id, ...sized(content)])]);
}

const bytes = moduleBytes();
const source = `// Made by scripts/generate-pow-kernel.ts; do not edit. A WebAssembly module of ${bytes.length} bytes.
export const KERNEL =
  "${Buffer.from(bytes).toString("base64")}";
`;
if (process.argv.includes("--check")) {
  if ((await Bun.file(OUTPUT).text()) !== source) fail(`${OUTPUT.split("/").at(-1)} is out of date`);
} else {
  await Bun.write(OUTPUT, source);
  console.log(`${bytes.length} bytes of WebAssembly`);
}
