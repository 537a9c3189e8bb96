// Texts that the network's three number parsers take, and what becomes of commands with them.
import { describe, expect, test } from "bun:test";
import { bigFloatSign, decimalProblem, float64Of } from "../../src/wire/validate/fields.ts";

describe("strconv.ParseFloat", () => {
  test.each([
    ["0.01", 0.01],
    ["1_000", 1_000],
    ["-1_0.5_5e1_0", -10.55e10],
    [".5", 0.5],
    ["5.", 5],
    ["Inf", Number.POSITIVE_INFINITY],
    ["-infinity", Number.NEGATIVE_INFINITY],
    ["+INF", Number.POSITIVE_INFINITY],
    ["NaN", Number.NaN],
    ["0x1p-2", 0.25],
    ["0X_1.8P+1", 3],
    ["-0x.8p0", -0.5],
    ["0x1fffffffffffffp0", Number.MAX_SAFE_INTEGER],
    ["1e-400", 0],
    ["0x1p-2000", 0],
    ["0x0p99999999", 0],
  ])("takes %s", (text, value) => expect(float64Of(text)).toBe(value));

  test.each([
    "",
    ".",
    "+",
    "e5",
    "1e",
    "1e400",
    "-1e400",
    "0x1p2000",
    "1__0",
    "_1",
    "1_",
    "1_.5",
    "0x10",
    "0b1",
    "0o7",
    "1 ",
    " 1",
    "1,5",
    "in",
    "infinit",
    "+nan",
    "0x",
    "0xp1",
    "1.2.3",
    "١",
  ])("refuses %p", (text) => expect(float64Of(text)).toBeUndefined());
});

describe("big.Float with base 0", () => {
  test.each([
    ["1", 1],
    ["-0.5e3", -1],
    ["Inf", 1],
    ["-inf", -1],
    ["1_000", 1],
    ["0x10", 1],
    ["0b1", 1],
    ["0o7", 1],
    ["0x00", 0],
    ["-0b0", 0],
    ["0x0.8p4", 1],
    ["0x_ff", 1],
    ["1p5", 1],
    ["1e999999999", 1],
    ["0e5", 0],
  ] as const)("takes %s", (text, sign) => expect(bigFloatSign(text)).toBe(sign));

  test.each(["", "NaN", "INF", "Infinity", "0b2", "0o8", "0xg", "0b", "1__0", "1_", "1.2.3", " 1", "0x1p"])(
    "refuses %p",
    (text) => expect(bigFloatSign(text)).toBeUndefined(),
  );
});

describe("decimal.NewFromString", () => {
  test.each(["0", "-1.5", "+.5", "5.", "1e5", "1E-5", "00.10", "1e2147483647", "9".repeat(40)])(
    "takes %s",
    (text) => expect(decimalProblem(text)).toBeUndefined(),
  );

  test.each([
    ["abc", "can't convert abc to decimal"],
    ["", "can't convert  to decimal"],
    [".", "can't convert . to decimal"],
    ["1_000", "can't convert 1_000 to decimal"],
    ["0x10", "can't convert 0x10 to decimal"],
    ["NaN", "can't convert NaN to decimal"],
    ["1.2.3", "can't convert 1.2.3 to decimal: too many .s"],
    ["1ex", "can't convert 1ex to decimal: exponent is not numeric"],
    ["e", "can't convert e to decimal: exponent is not numeric"],
    ["1e99999999999", "can't convert 1e99999999999 to decimal: fractional part too long"],
    ["x1e5", "can't convert x1 to decimal"],
  ])("refuses %p", (text, problem) => expect<string | undefined>(decimalProblem(text)).toBe(problem));
});

test("long texts take a time that grows with their length alone", () => {
  const began = process.cpuUsage();
  for (const text of [
    "1".repeat(500_000),
    "1_".repeat(250_000),
    `0x${"f".repeat(500_000)}`,
    ".".repeat(500_000),
  ]) {
    float64Of(text);
    bigFloatSign(text);
    decimalProblem(text);
  }
  // Of the processor: others may be at work beside it.
  expect(process.cpuUsage(began).user / 1_000).toBeLessThan(2_000);
});
