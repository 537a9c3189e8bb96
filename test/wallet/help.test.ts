// `lyra wallet --help`: it fits a screen, and every word and flag that there is stands in it.
import { describe, expect, test } from "bun:test";
import { run } from "../../src/cli/wallet.ts";
import { HELP_WORDS, help, helpOf } from "../../src/cli/wallet-help.ts";
import { SERVE_FLAGS } from "../../src/cli/wallet-serve.ts";
import { Cli } from "./support/cli.ts";
import { failureOf } from "./support/failures.ts";

const COLUMNS = 80;
/** The last line is the prompt's. */
const LINES = 23;
/** Flags of every command, which only the first help names. */
const COMMON: readonly string[] = ["home", "json", "quiet", "help", "wallets"];

test.each(["", ...HELP_WORDS])("the help of '%s' fits a screen", (word) => {
  const text = helpOf(word === "" ? [] : [word, "--help"]);
  const lines = text.trimEnd().split("\n");
  expect(lines.filter((line) => line.length > COLUMNS)).toEqual([]);
  expect(lines.length).toBeLessThanOrEqual(LINES);
  expect(lines[0]).toStartWith(`lyra wallet${word === "" ? ":" : ` ${word}`}`);
});

describe("every word", () => {
  test("has a help of its own, and is in the first one", async () => {
    // A usage error names them all.
    const { message } = await failureOf(() => run([]));
    const words = message.replace("say one of ", "").split(", ");
    expect(words.sort()).toEqual([...HELP_WORDS].sort());
    for (const word of words) expect(help).toMatch(new RegExp(`\\b${word}\\b`));
  });

  test("of nouns has its verbs in their help", async () => {
    for (const noun of ["key", "message", "session", "permissions", "token", "network", "policy"]) {
      const { message } = await failureOf(() => run([noun]));
      const verbs = message.replace(/^say (one of )?/, "").split(/, | or /);
      // The original's word for what is called remove here.
      const named = verbs.filter((verb) => !(noun === "network" && verb === "delete"));
      for (const verb of named) expect(helpOf([noun])).toMatch(new RegExp(`\\b${verb}\\b`));
    }
  });

  test("of the service's flags is in its help", () => {
    const flags = Object.keys(SERVE_FLAGS).filter((flag) => !COMMON.includes(flag));
    for (const flag of flags) expect(helpOf(["serve"])).toContain(`--${flag}`);
    for (const flag of COMMON.filter((flag) => flag !== "help")) expect(help).toContain(`--${flag}`);
  });
});

test("help is shown by the program, wherever it is asked for", async () => {
  const cli = new Cli();
  const of = async (...words: string[]) => (await cli.run(["wallet", ...words])).out;
  expect(await of("--help")).toBe(help);
  expect(await of("key", "rotate", "--help")).toBe(helpOf(["key"]));
  expect(await of("burn", "-h")).toBe(help);
  expect(await of("help", "token")).toBe(helpOf(["token"]));
  cli.remove();
});
