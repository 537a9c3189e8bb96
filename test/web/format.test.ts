// Numbers as the page shows them.
import { expect, test } from "bun:test";
import { amountText, toWhole } from "../../src/web/format.ts";

test("an amount has all its decimals whatever its size, without zeros at the end", () => {
  expect(amountText("999599500", 5)).toBe("9,995.995");
  expect(amountText("1234567890123456789", 18)).toBe("1.234567890123456789");
  expect(amountText("-123456700000", 5)).toBe("-1,234,567");
  expect(amountText("1", 18)).toBe("0.000000000000000001");
  expect(amountText("0", 5)).toBe("0");
  expect(amountText("1200", 0)).toBe("1,200");
  expect(amountText("12", -2)).toBe("1,200");
});

test("an amount of an asset with more decimals than a text has room for is a number of its smallest unit", () => {
  expect(amountText("1200", 2_147_483_647)).toBe("1,200e-2147483647");
  expect(amountText("-12", -2_147_483_648)).toBe("-12e2147483648");
  expect(toWhole("12", 2_147_483_647)).toBeUndefined();
});
