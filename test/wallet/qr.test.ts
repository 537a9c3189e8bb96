// QR codes, read back by the standard's own steps (ISO/IEC 18004, section 12) in a reader written for this test.
import { describe, expect, test } from "bun:test";
import { type QrModules, qrModules, qrText } from "../../src/cli/tx-output.ts";
import { codeOf } from "./support/failures.ts";

/** Table 9 of the standard, level L: version, data codewords of each block. */
const BLOCKS: Readonly<Record<number, readonly (readonly [count: number, data: number])[]>> = {
  1: [[1, 19]],
  2: [[1, 34]],
  6: [[2, 68]],
  7: [[2, 78]],
  10: [
    [2, 68],
    [2, 69],
  ],
  19: [
    [3, 113],
    [4, 114],
  ],
  23: [
    [4, 121],
    [5, 122],
  ],
  32: [[17, 115]],
  40: [
    [19, 118],
    [6, 119],
  ],
};
/** Annex E. */
const CENTRES: Readonly<Record<number, readonly number[]>> = {
  1: [],
  2: [6, 18],
  6: [6, 34],
  7: [6, 22, 38],
  10: [6, 28, 50],
  19: [6, 30, 58, 86],
  23: [6, 30, 54, 78, 102],
  32: [6, 34, 60, 86, 112, 138],
  40: [6, 30, 58, 86, 114, 142, 170],
};

function isPattern(version: number, y: number, x: number): boolean {
  const size = 17 + 4 * version;
  const [far, centres] = [size - 9, CENTRES[version]!];
  if ((y < 9 && x < 9) || (y < 9 && x > far) || (y > far && x < 9)) return true;
  if (y === 6 || x === 6) return true;
  if (version >= 7 && ((y < 6 && x > size - 12) || (x < 6 && y > size - 12))) return true;
  const last = centres.at(-1);
  return centres.some((cy) =>
    centres.some((cx) => {
      const isFinder = (cy === 6 && cx === 6) || (cy === 6 && cx === last) || (cy === last && cx === 6);
      return !isFinder && Math.abs(cy - y) <= 2 && Math.abs(cx - x) <= 2;
    }),
  );
}

const MASKED: readonly ((i: number, j: number) => boolean)[] = [
  (i, j) => (i + j) % 2 === 0,
  (i) => i % 2 === 0,
  (_, j) => j % 3 === 0,
  (i, j) => (i + j) % 3 === 0,
  (i, j) => ((i >> 1) + Math.trunc(j / 3)) % 2 === 0,
  (i, j) => ((i * j) % 2) + ((i * j) % 3) === 0,
  (i, j) => (((i * j) % 2) + ((i * j) % 3)) % 2 === 0,
  (i, j) => (((i * j) % 3) + ((i + j) % 2)) % 2 === 0,
];

function read(modules: QrModules): string {
  const version = (modules.length - 17) / 4;
  const format = [0, 1, 2, 3, 4, 5, 7, 8].map((x) => (modules[8]![x] ? 1 : 0));
  const level = ((format[0]! << 1) | format[1]!) ^ 0b10;
  const mask = ((format[2]! << 2) | (format[3]! << 1) | format[4]!) ^ 0b101;
  expect(level).toBe(0b01);
  const bits: number[] = [];
  let isUpwards = true;
  for (let right = modules.length - 1; right > 0; right -= right === 8 ? 3 : 2, isUpwards = !isUpwards) {
    for (let step = 0; step < modules.length; step++) {
      const y = isUpwards ? modules.length - 1 - step : step;
      for (const x of [right, right - 1]) {
        if (!isPattern(version, y, x)) bits.push(modules[y]![x] === MASKED[mask]!(y, x) ? 0 : 1);
      }
    }
  }
  const words = bytesOf(bits);
  const sizes = BLOCKS[version]!.flatMap(([count, data]) => Array<number>(count).fill(data));
  const blocks = sizes.map(() => [] as number[]);
  const longest = Math.max(...sizes);
  let at = 0;
  for (let index = 0; index < longest; index++) {
    for (const [block, size] of sizes.entries()) if (index < size) blocks[block]!.push(words[at++]!);
  }
  const correction = Math.floor((words.length - at) / sizes.length);
  const whole = blocks.map((block) => [...block]);
  for (let index = 0; index < correction; index++) for (const block of whole) block.push(words[at++]!);
  for (const block of whole) expect(syndromes(block, correction)).toEqual(Array(correction).fill(0));
  const data = blocks.flat().flatMap((word) => word.toString(2).padStart(8, "0").split("").map(Number));
  const number = (from: number, count: number) => Number.parseInt(data.slice(from, from + count).join(""), 2);
  expect(number(0, 4)).toBe(4);
  const lengthBits = version < 10 ? 8 : 16;
  const start = 4 + lengthBits;
  return bytesOf(data.slice(start, start + 8 * number(4, lengthBits)))
    .map((byte) => String.fromCharCode(byte))
    .join("");
}

function bytesOf(bits: readonly number[]): number[] {
  return Array.from({ length: Math.floor(bits.length / 8) }, (_, at) =>
    bits.slice(8 * at, 8 * at + 8).reduce((byte, bit) => 2 * byte + bit, 0),
  );
}

/** The block's polynomial at every root of the generator: zero where nothing is damaged. */
function syndromes(block: readonly number[], count: number): number[] {
  const powers = [1];
  while (powers.length < 255) {
    const next = powers.at(-1)! << 1;
    powers.push(next > 255 ? next ^ 0x11d : next);
  }
  const logs = new Map(powers.map((value, at) => [value, at]));
  const product = (a: number, b: number) =>
    a === 0 || b === 0 ? 0 : powers[(logs.get(a)! + logs.get(b)!) % 255]!;
  return Array.from({ length: count }, (_, root) =>
    block.reduce((sum, word) => product(sum, powers[root]!) ^ word, 0),
  );
}

const text = (length: number) => Array.from({ length }, (_, at) => "abcXYZ019+/="[(at * 7) % 12]).join("");

describe("a QR code", () => {
  test.each([
    [17, 1],
    [18, 2],
    [134, 6],
    [135, 7],
    [271, 10],
    [792, 19],
    [1_091, 23],
    [1_952, 32],
    [2_953, 40],
  ])("of %p bytes is of version %p, and reads as it was written", (length, version) => {
    const modules = qrModules(Buffer.from(text(length)));
    expect((modules.length - 17) / 4).toBe(version);
    expect(read(modules)).toBe(text(length));
  });

  test("a text too long for any code is refused", async () => {
    expect(await codeOf(() => qrModules(new Uint8Array(2_954)))).toBe("qr_too_large");
  });
});

describe("in a terminal", () => {
  test("half blocks are the modules, with a light margin of four", () => {
    const lines = qrText("x".repeat(14), { columns: 29, hasColour: false }).trimEnd().split("\n");
    const modules = qrModules(Buffer.from("x".repeat(14)));
    const shown = lines.flatMap((line) => {
      const glyphs = [...line.padEnd(29)];
      return [glyphs.map((glyph) => /[█▀]/.test(glyph)), glyphs.map((glyph) => /[█▄]/.test(glyph))];
    });
    const framed = Array.from({ length: 29 }, (_, y) =>
      Array.from({ length: 29 }, (_, x) => modules[y - 4]?.[x - 4] === true),
    );
    expect(shown.slice(0, 25)).toEqual(framed.slice(0, 25));
  });

  test("is dark on light whatever the terminal's colours are", () => {
    expect(qrText("x", { columns: 80, hasColour: true })).toStartWith("\x1b[38;5;16;48;5;231m");
  });

  test("that is too narrow is told so", async () => {
    expect(await codeOf(() => qrText("x".repeat(14), { columns: 28, hasColour: true }))).toBe("qr_too_large");
  });
});
