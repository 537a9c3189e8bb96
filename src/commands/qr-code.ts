/**
 * QR codes (ISO/IEC 18004): bytes, error correction level L, the smallest version that holds them. Level L, because
 * the code is on a screen and nothing covers it; every level more makes its dots smaller.
 */
import { walletError } from "../wallet/errors.ts";

/** Rows of modules; true is dark. Without the quiet zone. */
export type QrModules = readonly (readonly boolean[])[];

/** Table 9, level L: error correction codewords of a block, and blocks, for versions 1 to 40. */
const CORRECTION = [
  7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28, 28, 28, 30, 30, 26, 28, 30,
  30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
];
const BLOCKS = [
  1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8, 8, 9, 9, 10, 12, 12, 12, 13, 14, 15, 16, 17, 18,
  19, 19, 20, 21, 22, 24, 25,
];
const VERSION_MAX = 40;
const BYTE_MODE = 0b0100;
/** Level L, as the format information writes it (table 12). */
const LEVEL_L = 0b01;

/** Section 7.8.2: which modules a mask turns over. */
const MASKS: readonly ((row: number, column: number) => boolean)[] = [
  (y, x) => (y + x) % 2 === 0,
  (y) => y % 2 === 0,
  (_, x) => x % 3 === 0,
  (y, x) => (y + x) % 3 === 0,
  (y, x) => (Math.floor(y / 2) + Math.floor(x / 3)) % 2 === 0,
  (y, x) => ((y * x) % 2) + ((y * x) % 3) === 0,
  (y, x) => (((y * x) % 2) + ((y * x) % 3)) % 2 === 0,
  (y, x) => (((y + x) % 2) + ((y * x) % 3)) % 2 === 0,
];

/** @throws NodeError `qr_too_large` */
export function qrModules(bytes: Uint8Array): QrModules {
  const version = versionFor(bytes.length);
  if (version === undefined) {
    throw walletError(
      "qr_too_large",
      `no QR code holds ${bytes.length} bytes`,
      "carry it in a file: --out FILE",
    );
  }
  const codewords = corrected(dataCodewords(bytes, version), version);
  let best: { readonly modules: QrModules; readonly penalty: number } | undefined;
  for (let mask = 0; mask < MASKS.length; mask++) {
    const grid = new Grid(version);
    grid.place(codewords, MASKS[mask]!);
    grid.drawFormat(mask);
    const penalty = penaltyOf(grid.modules);
    if (best === undefined || penalty < best.penalty) best = { modules: grid.modules, penalty };
  }
  return best!.modules;
}

const sizeOf = (version: number) => 17 + 4 * version;

/** Codewords of a version, data and correction. */
function codewordsOf(version: number): number {
  const positions = alignmentCentres(version).length;
  // All modules without finders with their separators (3 x 8 x 8), timing, format information and the dark module.
  const size = sizeOf(version);
  let modules = size * size - 3 * 64 - 2 * (size - 16) - 31;
  // Alignment patterns, less what those on the timing lines share with them.
  if (positions > 0) modules -= 25 * (positions * positions - 3) - 10 * (positions - 2);
  if (version >= 7) modules -= 36;
  return Math.floor(modules / 8);
}

const dataCapacity = (version: number) =>
  codewordsOf(version) - CORRECTION[version - 1]! * BLOCKS[version - 1]!;

const lengthBits = (version: number) => (version < 10 ? 8 : 16);

function versionFor(length: number): number | undefined {
  for (let version = 1; version <= VERSION_MAX; version++) {
    if (4 + lengthBits(version) + 8 * length <= 8 * dataCapacity(version)) return version;
  }
  return undefined;
}

/** Section 7.4: mode, length, bytes, terminator, padding. */
function dataCodewords(bytes: Uint8Array, version: number): Uint8Array {
  const bits: number[] = [];
  const push = (value: number, count: number) => {
    for (let bit = count - 1; bit >= 0; bit--) bits.push((value >> bit) & 1);
  };
  push(BYTE_MODE, 4);
  push(bytes.length, lengthBits(version));
  for (const byte of bytes) push(byte, 8);
  const capacity = dataCapacity(version);
  push(0, Math.min(4, 8 * capacity - bits.length));
  push(0, (8 - (bits.length % 8)) % 8);
  const words = new Uint8Array(capacity);
  for (let at = 0; at < bits.length; at++) words[at >> 3]! |= bits[at]! << (7 - (at % 8));
  for (let at = bits.length / 8, pad = 0xec; at < capacity; at++, pad ^= 0xec ^ 0x11) words[at] = pad;
  return words;
}

/** Section 7.6: blocks of nearly the same length, each with its correction, one codeword of each in turn. */
function corrected(data: Uint8Array, version: number): Uint8Array {
  const blockCount = BLOCKS[version - 1]!;
  const divisor = generator(CORRECTION[version - 1]!);
  const short = Math.floor(data.length / blockCount);
  const longFrom = blockCount - (data.length % blockCount);
  const blocks: Uint8Array[] = [];
  for (let index = 0, start = 0; index < blockCount; index++) {
    const end = start + short + (index >= longFrom ? 1 : 0);
    blocks.push(data.subarray(start, end));
    start = end;
  }
  const corrections = blocks.map((block) => remainder(block, divisor));
  return Uint8Array.from([...inTurn(blocks), ...inTurn(corrections)]);
}

function inTurn(blocks: readonly Uint8Array[]): number[] {
  const longest = Math.max(...blocks.map(({ length }) => length));
  const all: number[] = [];
  for (let at = 0; at < longest; at++) {
    for (const block of blocks) if (at < block.length) all.push(block[at]!);
  }
  return all;
}

/** In the field of 256 elements with x^8 + x^4 + x^3 + x^2 + 1 (section 7.5.2). */
function times(a: number, b: number): number {
  let product = 0;
  for (let left = a, right = b; right > 0; right >>= 1) {
    if (right & 1) product ^= left;
    left = (left << 1) ^ (left & 0x80 ? 0x11d : 0);
  }
  return product;
}

/** The product of (x - 2^i) for i below the degree, highest power first, without its leading 1. */
function generator(degree: number): Uint8Array {
  let polynomial = [1];
  for (let root = 1, count = 0; count < degree; count++, root = times(root, 2)) {
    const shifted = [...polynomial, 0];
    for (const [at, factor] of polynomial.entries()) shifted[at + 1]! ^= times(factor, root);
    polynomial = shifted;
  }
  return Uint8Array.from(polynomial.slice(1));
}

function remainder(data: Uint8Array, divisor: Uint8Array): Uint8Array {
  const rest = new Uint8Array(divisor.length);
  for (const word of data) {
    const factor = word ^ rest[0]!;
    rest.copyWithin(0, 1);
    rest[rest.length - 1] = 0;
    for (const [at, value] of divisor.entries()) rest[at]! ^= times(value, factor);
  }
  return rest;
}

/** Annex E: centres of alignment patterns, evenly apart from the far end, the first always at 6. */
function alignmentCentres(version: number): number[] {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const last = sizeOf(version) - 7;
  // The standard's table has one step that its rule would make 26 + 2 (version 32).
  const step = version === 32 ? 26 : Math.ceil((last - 6) / (count - 1) / 2) * 2;
  const centres = Array.from({ length: count - 1 }, (_, at) => last - at * step);
  return [6, ...centres.reverse()];
}

class Grid {
  readonly modules: boolean[][];
  private readonly isFunction: boolean[][];
  private readonly size: number;

  constructor(private readonly version: number) {
    this.size = sizeOf(version);
    const empty = () => Array.from({ length: this.size }, () => Array<boolean>(this.size).fill(false));
    this.modules = empty();
    this.isFunction = empty();
    this.drawPatterns();
  }

  /** Two columns at a time from the right, upwards and downwards in turn, past what is a pattern (section 7.7.3). */
  place(codewords: Uint8Array, mask: (row: number, column: number) => boolean): void {
    const { size } = this;
    let bit = 0;
    let isUpwards = true;
    for (let right = size - 1; right > 0; right -= 2) {
      if (right === 6) right--;
      for (let step = 0; step < size; step++) {
        const y = isUpwards ? size - 1 - step : step;
        for (const x of [right, right - 1]) {
          if (this.isFunction[y]![x]) continue;
          const isDark = ((codewords[bit >> 3] ?? 0) >> (7 - (bit % 8))) & 1;
          this.modules[y]![x] = (isDark === 1) !== mask(y, x);
          bit++;
        }
      }
      isUpwards = !isUpwards;
    }
  }

  /** Level and mask, twice (section 7.9). */
  drawFormat(mask: number): void {
    const data = (LEVEL_L << 3) | mask;
    const bits = ((data << 10) | bchRemainder(data, 10, 0x537)) ^ 0x5412;
    const isDark = (at: number) => ((bits >> at) & 1) === 1;
    const { size } = this;
    for (let at = 0; at < 15; at++) {
      const beside = at < 6 ? at : at < 8 ? at + 1 : size - 15 + at;
      this.set(beside, 8, isDark(at));
      const below = at < 8 ? size - 1 - at : at === 8 ? 7 : 14 - at;
      this.set(8, below, isDark(at));
    }
    this.set(size - 8, 8, true);
  }

  private drawPatterns(): void {
    const { size, version } = this;
    for (let at = 0; at < size; at++) {
      this.set(6, at, at % 2 === 0);
      this.set(at, 6, at % 2 === 0);
    }
    for (const [y, x] of [
      [3, 3],
      [3, size - 4],
      [size - 4, 3],
    ] as const)
      this.drawRings(y, x, 4, (distance) => distance !== 2 && distance !== 4);
    const centres = alignmentCentres(version);
    const last = centres.length - 1;
    for (const [i, y] of centres.entries()) {
      for (const [j, x] of centres.entries()) {
        const isFinder = (i === 0 && (j === 0 || j === last)) || (i === last && j === 0);
        if (!isFinder) this.drawRings(y, x, 2, (distance) => distance !== 1);
      }
    }
    this.drawFormat(0);
    if (version >= 7) this.drawVersion();
  }

  private drawVersion(): void {
    const bits = (this.version << 12) | bchRemainder(this.version, 12, 0x1f25);
    for (let at = 0; at < 18; at++) {
      const isDark = ((bits >> at) & 1) === 1;
      const near = Math.floor(at / 3);
      const far = this.size - 11 + (at % 3);
      this.set(near, far, isDark);
      this.set(far, near, isDark);
    }
  }

  private drawRings(y: number, x: number, radius: number, isDark: (distance: number) => boolean): void {
    for (let dy = -radius; dy <= radius; dy++) {
      for (let dx = -radius; dx <= radius; dx++) {
        const isInside = y + dy >= 0 && y + dy < this.size && x + dx >= 0 && x + dx < this.size;
        if (isInside) this.set(y + dy, x + dx, isDark(Math.max(Math.abs(dy), Math.abs(dx))));
      }
    }
  }

  private set(y: number, x: number, isDark: boolean): void {
    this.modules[y]![x] = isDark;
    this.isFunction[y]![x] = true;
  }
}

function bchRemainder(data: number, bits: number, divisor: number): number {
  let rest = data << bits;
  const top = 31 - Math.clz32(divisor);
  for (let at = 31 - Math.clz32(rest); rest !== 0 && at >= top; at = 31 - Math.clz32(rest)) {
    rest ^= divisor << (at - top);
  }
  return rest;
}

/** Section 7.8.3: what makes a code hard to read. */
function penaltyOf(modules: QrModules): number {
  const columns = modules.map((_, x) => modules.map((row) => row[x]!));
  let penalty = [...modules, ...columns].reduce((sum, line) => sum + linePenalty(line), 0);
  let dark = 0;
  for (const [y, row] of modules.entries()) {
    for (const [x, module] of row.entries()) {
      if (module) dark++;
      const below = modules[y + 1];
      const isSquare = below && row[x + 1] === module && below[x] === module && below[x + 1] === module;
      if (isSquare) penalty += 3;
    }
  }
  const part = dark / (modules.length * modules.length);
  return penalty + 10 * Math.floor(Math.abs(part - 0.5) / 0.05);
}

/** Runs of five and more; what looks like a finder with a light margin beside it. */
function linePenalty(line: readonly boolean[]): number {
  const text = line.map((module) => (module ? "1" : "0")).join("");
  let penalty = 0;
  for (const [run] of text.matchAll(/0{5,}|1{5,}/g)) penalty += run.length - 2;
  for (const like of ["10111010000", "00001011101"]) {
    for (let at = text.indexOf(like); at >= 0; at = text.indexOf(like, at + 1)) penalty += 40;
  }
  return penalty;
}
