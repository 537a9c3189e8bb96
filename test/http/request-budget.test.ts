// The budget for requests on their way: one sum for all threads, limits of time, and slow requests that give way.
import { describe, expect, test } from "bun:test";
import type { ApiError } from "../../src/http/errors.ts";
import { type IncomingRequest, requestBudget } from "../../src/http/request-budget.ts";
import { eventually } from "../support/eventually.ts";

/** Budgets of their own, beside that of the process. */
const RequestBudget = requestBudget.constructor as new (
  bytesMax: number,
  nowMs: () => number,
) => typeof requestBudget;

const SECOND = 1_000;

function budgetOf(bytesMax: number) {
  const clock = { ms: 0 };
  const budget = new RequestBudget(bytesMax, () => clock.ms);
  const ended: string[] = [];
  const open = (name: string, bytes = 0, timeoutMs = 10 * SECOND): IncomingRequest => {
    const request = budget.open(timeoutMs, (reason) => ended.push(`${name}: ${reason.message}`));
    if (bytes > 0) request.hold(bytes);
    return request;
  };
  const isRefused = (request: IncomingRequest, bytes: number) => {
    try {
      request.hold(bytes);
      return false;
    } catch (error) {
      expect((error as ApiError).status).toBe(429);
      return true;
    }
  };
  return { clock, budget, ended, open, isRefused };
}

const GAVE_WAY = "too many bytes of requests are on their way already";

describe("the budget for requests", () => {
  test("gives room while there is some, and takes it back", () => {
    const { open, isRefused } = budgetOf(100);
    const first = open("first", 60);
    expect(isRefused(open("second"), 41)).toBe(true);
    const third = open("third", 40);
    first.giveBack(10);
    expect(isRefused(open("fourth"), 10)).toBe(false);
    for (const request of [first, third]) request.release();
    expect(isRefused(open("fifth"), 90)).toBe(false);
  });

  test("a request that is refused holds nothing of what came before", () => {
    const { open, isRefused } = budgetOf(100);
    open("other", 50);
    const refused = open("refused", 50);
    expect(isRefused(refused, 1)).toBe(true);
    expect(isRefused(open("next"), 50)).toBe(false);
  });

  test("large requests leave a quarter to small ones", () => {
    const { open, isRefused } = budgetOf(400_000);
    open("large", 300_000).noteWhole();
    expect(isRefused(open("another"), 40_000)).toBe(true);
    expect(isRefused(open("small"), 30_000)).toBe(false);
  });

  test("a request that is alone fits, whatever its own limit is", () => {
    const { open, isRefused } = budgetOf(100);
    expect(isRefused(open("alone"), 1_000)).toBe(false);
    expect(isRefused(open("beside it"), 1)).toBe(true);
  });

  test("the oldest that is not whole gives way to a new one once it is slow", () => {
    const { clock, ended, open, isRefused } = budgetOf(100);
    open("whole", 20).noteWhole();
    open("slow", 40);
    clock.ms += 500;
    open("less slow", 40);
    expect(isRefused(open("too early"), 30)).toBe(true);
    clock.ms += 600;
    expect(isRefused(open("new"), 30)).toBe(false);
    expect(ended).toEqual([`slow: ${GAVE_WAY}`]);
    // The whole one and the new one stay.
    expect(isRefused(open("newer"), 60)).toBe(true);
    clock.ms += 600;
    expect(isRefused(open("newest"), 50)).toBe(false);
    expect(ended).toEqual([`slow: ${GAVE_WAY}`, `less slow: ${GAVE_WAY}`]);
  });

  test("a request is not ended for itself", () => {
    const { clock, ended, open, isRefused } = budgetOf(100);
    const only = open("only", 60);
    open("whole", 30).noteWhole();
    clock.ms += 5 * SECOND;
    expect(isRefused(only, 20)).toBe(true);
    expect(ended).toEqual([]);
  });

  test("a request that is not whole in time is ended, once, and its room is free", async () => {
    const { clock, ended, open, isRefused } = budgetOf(100);
    open("whole", 30).noteWhole();
    const late = open("late", 60, SECOND);
    const again = open("again", 10, SECOND);
    again.noteWhole();
    again.expectWithin(3 * SECOND);
    clock.ms += 2 * SECOND;
    await eventually(() => ended.length > 0);
    expect(ended).toEqual(["late: the request body comes too slowly"]);
    expect(() => late.hold(1)).toThrow("too slowly");
    expect(isRefused(open("next"), 60)).toBe(false);
  });
});
