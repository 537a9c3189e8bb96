#!/usr/bin/env bun
/**
 * Writes src/admission/pow/kernel.generated.ts: the proof-of-work search as a WebAssembly module of a few kilobytes.
 *
 *   bun scripts/generate-pow-kernel.ts [--check]     --check: fail when the file is not what would be written
 *
 * The module runs keccak-f[1600] (FIPS 202, section 3.3) on two nonces at once, one in each half of a 128-bit
 * vector. It is put together here (WebAssembly core specification 2.0, section 5, "Binary Format"), so nothing but
 * this file is needed to know what it does. Measured (reference 80, section 4, and here again): a loop over two
 * rounds beats 24 unrolled ones, and an optimiser run over the result makes it slower.
 *
 * Memory, in vectors of 16 bytes, each lane of the state twice (one copy for each nonce):
 *   0-24   the state before the last block's permutation, without the nonce
 *   25-26  the two lanes that the nonce falls into, as every attempt starts from them
 *   32-55  the round constants
 */
import { join } from "node:path";

const OUTPUT = join(import.meta.dir, "..", "src", "admission", "pow", "kernel.generated.ts");
const VECTOR = 16;
const TOUCHED_AT = 25 * VECTOR;
const CONSTANTS_AT = 32 * VECTOR;
const ROUNDS = 24;

// ---------------------------------------------------------------------------------------------- the assembler

/** Unsigned LEB128 (binary format, section 5.2.2). */
function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

/** Signed LEB128; the constants of this module are small. */
function signed(value: number): number[] {
  const low = value & 0x7f;
  const rest = value >> 7;
  const isLast = rest === (low & 0x40 ? -1 : 0);
  return isLast ? [low] : [low | 0x80, ...signed(rest)];
}

type Immediate = "unsigned" | "signed" | "byte" | "offset" | "bytes";
const vectorOp = (opcode: number, ...immediates: Immediate[]) =>
  [[0xfd, ...unsigned(opcode)], ...immediates] as const;

/** The instructions used here, as (opcode, kinds of immediate). Blocks have no result. */
const INSTRUCTIONS: Readonly<Record<string, readonly [readonly number[], ...Immediate[]]>> = {
  loop: [[0x03, 0x40]],
  if: [[0x04, 0x40]],
  end: [[0x0b]],
  br_if: [[0x0d], "unsigned"],
  return: [[0x0f]],
  "local.get": [[0x20], "unsigned"],
  "local.set": [[0x21], "unsigned"],
  "local.tee": [[0x22], "unsigned"],
  "i32.const": [[0x41], "signed"],
  "i64.const": [[0x42], "signed"],
  "i32.lt_u": [[0x49]],
  "i64.eqz": [[0x50]],
  "i32.add": [[0x6a]],
  "i32.sub": [[0x6b]],
  "i64.add": [[0x7c]],
  "i64.and": [[0x83]],
  "i64.extend_i32_u": [[0xad]],
  "v128.load": vectorOp(0x00, "offset"),
  "v128.store": vectorOp(0x0b, "offset"),
  "v128.const": vectorOp(0x0c, "bytes"),
  "i8x16.shuffle": vectorOp(0x0d, "bytes"),
  "i64x2.splat": vectorOp(0x12),
  "i64x2.extract_lane": vectorOp(0x1d, "byte"),
  "v128.and": vectorOp(0x4e),
  "v128.andnot": vectorOp(0x4f),
  "v128.or": vectorOp(0x50),
  "v128.xor": vectorOp(0x51),
  "v128.any_true": vectorOp(0x53),
  "i64x2.shl": vectorOp(0xcb),
  "i64x2.shr_u": vectorOp(0xcd),
  "i64x2.add": vectorOp(0xce),
  "i64x2.sub": vectorOp(0xd1),
  "i64x2.eq": vectorOp(0xd6),
  "i64x2.lt_s": vectorOp(0xd8),
};

/** The bytes of instructions written as words. */
function assemble(text: string): number[] {
  const words = text.split(/\s+/).filter((word) => word !== "");
  const out: number[] = [];
  for (let at = 0; at < words.length; ) {
    const word = words[at++]!;
    const [opcode, ...immediates] = INSTRUCTIONS[word] ?? fail(`no instruction is called ${word}`);
    out.push(...opcode);
    for (const kind of immediates) {
      const value = words[at++]!;
      if (kind === "bytes") out.push(...value.split(",").map(Number));
      else if (kind === "offset")
        out.push(4, ...unsigned(Number(value))); // aligned to 2^4 bytes
      else if (kind === "byte") out.push(Number(value));
      else out.push(...(kind === "signed" ? signed : unsigned)(Number(value)));
    }
  }
  return out;
}

function fail(reason: string): never {
  throw new Error(reason);
}

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
const A = FIRST_VECTOR; // the 25 lanes, and after every other round again
const E = A + 25; // the 25 lanes in between
const C = E + 25; // theta's column parities
const D = C + 5; // what theta changes the columns by
const B = D + 5; // a row between pi and chi
const PAIR = B + 5; // 0 and 1: added to the nonces' two halves
const NONCES = PAIR + 1;
const MASKS = NONCES + 1;
const VECTORS = MASKS + 1 - FIRST_VECTOR;

const get = (local: number) => `local.get ${local}`;
const set = (local: number) => `local.set ${local}`;
const ZERO = "v128.const 0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0";
const FIVE = [0, 1, 2, 3, 4] as const;

/**
 * Rotates the vector on the stack left, by way of the local `scratch`. A shift is dear: the runtime makes four
 * instructions of it, because the count has to pass through a general register. So whole bytes are moved by a
 * shuffle, and one bit by 2x + (1 if the top bit is set), which is 2x less the comparison x < 0. Measured: 8 % faster
 * altogether; two bits done so are no gain.
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

/** One round, from the 25 locals at `from` to those at `to`. */
function round(from: number, to: number, ahead: number): string {
  const lane = (X: number, Y: number) =>
    `${chi(X)} ${X === 0 && Y === 0 ? iota(ahead) : ""} ${set(to + X + 5 * Y)}`;
  const row = (Y: number) =>
    `${FIVE.map((X) => moved(from, X, Y)).join(" ")} ${FIVE.map((X) => lane(X, Y)).join(" ")}`;
  return `${theta(from)} ${FIVE.map(row).join(" ")}`;
}

/** The last round, of which only the first lane is wanted: the hash's first 64 bits. */
function lastRound(from: number, to: number, ahead: number): string {
  const row = [0, 1, 2].map((X) => moved(from, X, 0)).join(" ");
  return `${theta(from)} ${row} ${chi(0)} ${iota(ahead)} ${set(to)}`;
}

/**
 * Puts the two nonces, big-endian, into the two lanes of the state that they fall into. Shifts are modulo 64, so
 * the shift by 64 - SHIFT is done as 1 and then 63 - SHIFT.
 */
const placeNonces = `
  ${get(START)} ${get(DONE)} i64.extend_i32_u i64.add i64x2.splat ${get(PAIR)} i64x2.add
  local.tee ${NONCES} ${get(NONCES)} i8x16.shuffle ${halves((byte) => 7 - byte)} ${set(NONCES)}
  ${get(ADDRESS)}
    i32.const 0 v128.load ${TOUCHED_AT} ${get(NONCES)} ${get(SHIFT)} i64x2.shl v128.xor
  v128.store 0
  ${get(ADDRESS)}
    i32.const 0 v128.load ${TOUCHED_AT + VECTOR} ${get(NONCES)} i32.const 1 i64x2.shr_u
    i32.const 63 ${get(SHIFT)} i32.sub i64x2.shr_u v128.xor
  v128.store ${VECTOR}`;

const loadState = Array.from(
  { length: 25 },
  (_, lane) => `i32.const 0 v128.load ${lane * VECTOR} ${set(A + lane)}`,
).join(" ");

/** Returns the number of the attempt when the hash in this half has its bits zero. */
const answer = (half: 0 | 1) => `
  ${get(A)} i64x2.extract_lane ${half} ${get(MASK)} i64.and i64.eqz
  if ${get(DONE)} i64.extend_i32_u i64.const ${half} i64.add return end`;

const LAST_PAIR_AT = CONSTANTS_AT + (ROUNDS - 2) * VECTOR;

/** search(start i64, count i32, address i32, shift i32, mask i64) -> i64: the first good attempt, or -1. */
const SEARCH = `
  v128.const 0,0,0,0,0,0,0,0,1,0,0,0,0,0,0,0 ${set(PAIR)}
  ${get(MASK)} i64x2.splat ${set(MASKS)}
  loop
    ${placeNonces}
    ${loadState}
    i32.const ${CONSTANTS_AT} ${set(CONSTANT)}
    loop
      ${round(A, E, 0)}
      ${round(E, A, 1)}
      ${get(CONSTANT)} i32.const ${2 * VECTOR} i32.add local.tee ${CONSTANT}
      i32.const ${LAST_PAIR_AT} i32.lt_u br_if 0
    end
    ${round(A, E, 0)}
    ${lastRound(E, A, 1)}
    ${get(A)} ${get(MASKS)} v128.and ${ZERO} i64x2.eq v128.any_true
    if ${answer(0)} ${answer(1)} end
    ${get(DONE)} i32.const 2 i32.add local.tee ${DONE} ${get(COUNT)} i32.lt_u br_if 0
  end
  i64.const -1
end`;

// ---------------------------------------------------------------------------------------------- the module

const Type = { i32: 0x7f, i64: 0x7e, v128: 0x7b, function: 0x60 } as const;
const list = (...items: readonly (readonly number[])[]) => [...unsigned(items.length), ...items.flat()];
const sized = (content: readonly number[]) => [...unsigned(content.length), ...content];
const name = (text: string) => sized([...Buffer.from(text, "latin1")]);

function moduleBytes(): Uint8Array {
  const parameters = [Type.i64, Type.i32, Type.i32, Type.i32, Type.i64];
  const locals = list([2, Type.i32], [...unsigned(VECTORS), Type.v128]);
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
