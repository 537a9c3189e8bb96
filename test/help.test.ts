// The help of the commands that read and serve recordings fits a screen of 80 by 24 (issue 2, "Commands").
import { describe, expect, test } from "bun:test";
import * as doctor from "../src/commands/doctor.ts";
import * as explain from "../src/commands/explain.ts";
import * as history from "../src/commands/history.ts";
import * as pow from "../src/commands/pow.ts";
import * as replay from "../src/commands/replay.ts";
import * as serve from "../src/commands/serve.ts";
import * as version from "../src/commands/version.ts";
import { Lyra } from "./rig/lyra.ts";

const COLUMNS = 80;
/** The last line is the prompt's. */
const LINES = 23;

function expectScreen(text: string): void {
  const lines = text.trimEnd().split("\n");
  expect(lines.filter((line) => line.length > COLUMNS)).toEqual([]);
  expect(lines.length).toBeLessThanOrEqual(LINES);
}

describe("help fits a screen", () => {
  const commands = { doctor, explain, history, pow, replay, serve, version };
  for (const [name, { help }] of Object.entries(commands)) test(name, () => expectScreen(help));

  test("the overview", async () => {
    const { code, out } = await new Lyra(["--help"]).end();
    expect(code).toBe(0);
    expectScreen(out);
  });
});

describe("words that a command does not take are a usage error", () => {
  for (const words of [
    ["version", "extra"],
    ["doctor", "extra"],
    ["serve", "extra"],
    ["history", "segments", "extra"],
  ]) {
    test(words.join(" "), async () => {
      const { code, err } = await new Lyra(words).end();
      expect(code).toBe(2);
      expect(err).toContain("extra");
    });
  }
});
