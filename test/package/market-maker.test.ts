// The example of a market maker: its own tests, as a project that uses the package runs them.
import { afterAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ran, Workshop } from "./program.ts";

const FOLDER = join(import.meta.dir, "..", "..", "examples", "market-maker");
const workshop = new Workshop();
afterAll(() => workshop.remove());

test("the market maker quotes, follows its fills, keeps its limit, and goes on after a restart", async () => {
  const file = join(FOLDER, "market-maker.test.js");
  const { code, err } = await ran([process.execPath, "test", "--timeout=60000", file], {
    env: { LYRA_BINARY: workshop.lyra },
    cwd: FOLDER,
  });
  expect({ code, passed: /\b4 pass\b/.test(err), err }).toMatchObject({ code: 0, passed: true });
}, 120_000);

test("it is short, and has no number of an enumeration, no path and no timer", () => {
  const text = readFileSync(join(FOLDER, "market-maker.js"), "utf8");
  expect(text.split("\n").length).toBeLessThanOrEqual(150);
  expect(text.match(/\/api\/|fetch\(|set(?:Timeout|Interval)|(?:side|type|timeInForce): \d/)).toBeNull();
});
