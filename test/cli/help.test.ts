// The help of every command fits a screen of 80 by 24, and is shown wherever it is asked for.
import { describe, expect, test } from "bun:test";
import { helpOf } from "../../src/cli/command/help.ts";
import { allCommands } from "../../src/cli/command/table.ts";
import { COMMANDS } from "../../src/cli/commands.ts";
import { TOOL_LIST } from "../../src/planes/devnet/declarations.ts";
import { Lyra } from "../rig/lyra.ts";

const COLUMNS = 80;
/** A list of everything may be wider. */
const WIDE_COLUMNS = 100;
/** The last line is the prompt's. */
const LINES = 23;

const ALL = await allCommands(COMMANDS);
const textOf = (path: string) => helpOf(path, ALL[path]!, ALL);
const devnetHelp = await textOf("devnet");

function expectScreen(text: string): void {
  const lines = text.trimEnd().split("\n");
  expect(lines.filter((line) => line.length > COLUMNS)).toEqual([]);
  expect(lines.length).toBeLessThanOrEqual(LINES);
}

describe("help fits a screen", () => {
  test.each(Object.entries(ALL))("%s", async (path, entry) => {
    const help = await helpOf(path, entry, ALL);
    expectScreen(help);
    expect(help).toStartWith(`lyra ${path}: ${entry.summary}\n`);
  });

  test("the overview, which names every command", async () => {
    const { code, out } = await new Lyra(["--help"]).end();
    expect(code).toBe(0);
    expectScreen(out);
    for (const path of Object.keys(ALL).filter((words) => !words.includes(" ")))
      expect(out).toMatch(new RegExp(`(?:lyra|Also|,) ${path}\\b`));
  });
});

describe("the verbs of a devnet", () => {
  test("given help, then every tool is named, and those that the first help promises", async () => {
    const { code, out } = await new Lyra(["devnet", "help"]).end();
    expect(code).toBe(0);
    for (const { path } of TOOL_LIST) expect(out).toContain(`  ${path.replace("/", " ")} `);
    expect(out.split("\n").filter((line) => line.length > WIDE_COLUMNS)).toEqual([]);
    const promised = devnetHelp.slice(devnetHelp.indexOf("Verbs")).split("more): ")[1]!.trim().split(/\s+/);
    const verbs = new Set(TOOL_LIST.map(({ path }) => path.split("/")[0]!));
    expect(promised.sort()).toEqual([...verbs].sort());
  });

  test("given help of one, then its words are explained; of none that is known, then a usage error", async () => {
    const { out } = await new Lyra(["devnet", "help", "bridge", "deposit"]).end();
    expect(out).toContain("bridge deposit PARTY ASSET AMOUNT");
    expect(out).toMatch(/AMOUNT +whole number/);
    expect(out).not.toContain("bridge list");
    const { code, err } = await new Lyra(["devnet", "help", "fly"]).end();
    expect(code).toBe(2);
    expect(err).toContain("there is no 'devnet fly'");
    expect(err).toContain("see: lyra devnet help\n");
  });

  test("given --help behind a verb, then it is the verb's; behind none that is known, then that of all", async () => {
    const after = async (...words: string[]) => (await new Lyra(["devnet", ...words, "--help"]).end()).out;
    const mine = (await new Lyra(["devnet", "help", "mine"]).end()).out;
    expect(await after("mine")).toBe(mine);
    expect(await after("mine", "5")).toBe(mine);
    expect(await after("help", "mine")).toBe(mine);
    expect(await after("time", "forward", "1h")).not.toContain("time freeze");
    expect(await after("--home", "x")).toBe(devnetHelp);
    expect(await after("fly")).toBe(devnetHelp);
  });

  test("given the first of two words alone, or a wrong second one, then those that there are", async () => {
    const { code, err } = await new Lyra(["devnet", "market"]).end();
    expect(code).toBe(2);
    expect(err).toContain("devnet market needs another word: create, price, run, terminate, settle");
    expect(err).toContain("see: lyra devnet help market\n");
    const wrong = await new Lyra(["devnet", "market", "nothing"]).end();
    expect(wrong.err).toBe("lyra: there is no 'devnet market nothing'\n      see: lyra devnet help market\n");
  });
});

test("lyra help COMMAND is lyra COMMAND --help", async () => {
  const shown = async (...words: string[]) => (await new Lyra(["help", ...words]).end()).out;
  expect(await shown("tx")).toBe(await textOf("tx"));
  expect(await shown("tx", "build", "order")).toBe(await textOf("tx build order"));
  expect(await shown("devnet", "mine")).toContain("make blocks");
  expect(await shown("help")).toBe(await shown());
  expect(await new Lyra(["help", "fly"]).end()).toMatchObject({ code: 2, out: "" });
});

describe("the help of the wallet", () => {
  test("names every word, and every word of a group", async () => {
    const { err } = await new Lyra(["wallet"]).end();
    const words = /say one of (.*)/.exec(err)![1]!.split(", ");
    const below = Object.keys(ALL).filter((path) => path.startsWith("wallet ") && !ALL[path]!.isHidden);
    expect(words.sort()).toEqual([...new Set(below.map((path) => path.split(" ")[1]!))].sort());
    const help = await textOf("wallet");
    for (const word of below.flatMap((path) => path.split(" ").slice(1)))
      expect(help).toMatch(new RegExp(`\\b${word}\\b`));
  });

  test("is shown wherever it is asked for", async () => {
    const shown = async (...words: string[]) => (await new Lyra(["wallet", ...words]).end()).out;
    expect(await shown("--help")).toBe(await textOf("wallet"));
    expect(await shown("key", "rotate", "--help")).toBe(await textOf("wallet key rotate"));
    expect(await shown("burn", "-h")).toBe(await textOf("wallet"));
    expect(await shown("help", "token")).toBe(await textOf("wallet token"));
  });
});

test("given a command that is none and --json, then the failure is one line of JSON", async () => {
  const { code, out, err } = await new Lyra(["fly", "--json"]).end();
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(JSON.parse(err).error).toMatchObject({ code: "usage", message: "there is no command 'fly'" });
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
