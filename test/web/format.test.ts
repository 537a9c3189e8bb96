// Numbers as the page shows them.
import { expect, test } from "bun:test";
import { bytes, measured, numberProblem, toWhole } from "../../src/web/format.ts";
import { shortDecimals, withDecimals } from "../../src/wire/amount-text.ts";

test("an amount has all its decimals whatever its size, without zeros at the end", () => {
  expect(shortDecimals("999599500", 5)).toBe("9,995.995");
  expect(shortDecimals("1234567890123456789", 18)).toBe("1.234567890123456789");
  expect(shortDecimals("-123456700000", 5)).toBe("-1,234,567");
  expect(shortDecimals("1", 18)).toBe("0.000000000000000001");
  expect(shortDecimals("0", 5)).toBe("0");
  expect(shortDecimals("1200", 0)).toBe("1,200");
  expect(shortDecimals("12", -2)).toBe("1,200");
});

test("an amount of an asset with more decimals than a text has room for is a number of its smallest unit", () => {
  expect(shortDecimals("1200", 2_147_483_647)).toBe("1,200e-2147483647");
  expect(shortDecimals("-12", -2_147_483_648)).toBe("-12e2147483648");
  expect(toWhole("12", 2_147_483_647)).toBeUndefined();
});

test.each([-6, -2, -1, 0, 1, 5])("a number with %d decimals is read as it was written", (decimals) => {
  for (const whole of ["0", "1", "3", "10", "123", "1234500", "12345678901234567890"])
    expect([whole, toWhole(withDecimals(whole, decimals), decimals)]).toEqual([whole, whole]);
});

test("a number with negative decimals is a multiple of their power of ten", () => {
  expect(toWhole("300", -2)).toBe("3");
  expect(toWhole("350", -2)).toBeUndefined();
  expect(toWhole("00", -2)).toBe("0");
  expect(toWhole("00", -3)).toBe("0");
  expect(toWhole("300.0", -2)).toBeUndefined();
  expect(numberProblem("350", -2)).toBe("not a multiple of 100");
  expect(numberProblem("300", -2)).toBeUndefined();
  expect(numberProblem("0", -2)).toBe("it is 0");
  expect(numberProblem("3x", -2)).toBe("not a number, such as 1,234.5");
});

test("a size has three digits and no exponent", () => {
  const rows = [
    [0, "0 B"],
    [999, "999 B"],
    [999.7, "1.00 kB"],
    [1_000, "1.00 kB"],
    [12_345, "12.3 kB"],
    [41_150, "41.2 kB"],
    [999_400, "999 kB"],
    [999_500, "1.00 MB"],
    [999_900, "1.00 MB"],
    [999_499_999, "999 MB"],
    [999_999_999, "1.00 GB"],
    [1.5e12, "1.50 TB"],
    [1.2345e15, "1,235 TB"],
  ] as const;
  expect(rows.map(([value]) => bytes(value))).toEqual(rows.map(([, text]) => text));
});

test("a measured time has three digits and no exponent", () => {
  const rows = [
    [0, "0 ms"],
    [1e-9, "0 ms"],
    [0.000_012_345, "0.0000123 ms"],
    [0.25, "0.250 ms"],
    [12.345, "12.3 ms"],
    [999.4, "999 ms"],
    [999.6, "1.00 s"],
    [1_234, "1.23 s"],
    [999_900, "1,000 s"],
    [7_200_000, "7,200 s"],
  ] as const;
  expect(rows.map(([value]) => measured(value))).toEqual(rows.map(([, text]) => text));
});
