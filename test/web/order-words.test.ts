// Words of the ticket: the reason why a number is refused, and the fate of an order.
import { expect, test } from "bun:test";
import { orderWords } from "../../src/web/components/order-words.ts";
import { numberProblem } from "../../src/web/format.ts";

test("a number that cannot be sent has its reason", () => {
  expect(numberProblem("abc", 3)).toBe("not a number, such as 1,234.5");
  expect(numberProblem("0.0001", 3)).toBe("more than 3 decimals");
  expect(numberProblem("59460.123", 2)).toBe("more than 2 decimals");
  expect(numberProblem("0.0", 2)).toBe("it is 0");
  for (const fine of ["", "1,234.5", "0.001"]) expect(numberProblem(fine, 3)).toBeUndefined();
  expect(numberProblem("0", 3, true)).toBeUndefined();
});

test("an order's outcome says what was filled and where the rest is", () => {
  const order = { partyId: "bb", marketId: "aa", size: "4000", remaining: "1000", status: "STATUS_ACTIVE" };
  expect(orderWords(order, 3)).toBe("Filled 3 of 4, 1 rests in the book");
  expect(orderWords({ ...order, remaining: "4000" }, 3)).toBe("Filled 0 of 4, 4 rests in the book");
  expect(orderWords({ ...order, remaining: undefined, status: "STATUS_FILLED" }, 3)).toBe("Filled 4");
  expect(orderWords({ ...order, status: "STATUS_PARTIALLY_FILLED" }, 0)).toBe(
    "Filled 3,000 of 4,000, 1,000 is partially filled",
  );
});
