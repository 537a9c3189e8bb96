// The query language of searches and subscriptions.
import { describe, expect, test } from "bun:test";
import { Query } from "../../../src/planes/comet/query.ts";

const TX = new Map([
  ["tm.event", ["Tx"]],
  ["tx.height", ["12"]],
  ["command.type", ["Transfer Funds"]],
  ["tx.submitter", ["ab"]],
]);

describe("a query", () => {
  test.each([
    ["tm.event='Tx'", true],
    ["tm.event = 'Tx' AND tx.height > 5", true],
    ["tm.event='NewBlock'", false],
    ["tx.height>12", false],
    ["tx.height>=12 AND tx.height<=12", true],
    ["tx.height<9", false],
    ["tx.height=12", true],
    ["tx.height='12'", true],
    ["command.type CONTAINS 'Funds' AND command.asset EXISTS", false],
    ["command.type EXISTS", true],
    ["command.type='Transfer Funds' AND tx.submitter='ab'", true],
  ])("%s", (text, isMatch) => {
    expect(Query.parse(text).matches(TX)).toBe(isMatch);
  });

  test.each([
    "",
    "tm.event",
    "tm.event='Tx",
    "a=1 b=2",
    "a=1 AND",
    "a=1 OR b=2",
    "='x'",
    `a='${"x".repeat(600)}'`,
  ])("%p is refused", (text) => {
    expect(() => Query.parse(text)).toThrow();
  });

  test("knows which events it can be about", () => {
    expect(Query.parse("tm.event='NewBlock'").allowsEvent("Tx")).toBe(false);
    expect(Query.parse("tx.height>3").allowsEvent("Tx")).toBe(true);
  });
});
