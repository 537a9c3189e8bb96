// Command lines that the page shows, read by the command line's own parser: known commands and flags, and the same requests as
// the forms'.
import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Glob, type Server } from "bun";
import { COMMON_FLAGS } from "../../src/cli/command/command.ts";
import { dispatch } from "../../src/cli/command/dispatch.ts";
import { readInvocation } from "../../src/cli/command/parse.ts";
import { allCommands, findCommand, placeOf } from "../../src/cli/command/table.ts";
import { COMMANDS } from "../../src/cli/commands.ts";
import { isOptional, plainName } from "../../src/http/declaration.ts";
import { shellWord } from "../../src/http/shell-word.ts";
import { TOOL_LIST } from "../../src/planes/devnet/declarations.ts";
import type { Member } from "../../src/planes/devnet/members.ts";
import { bodyOf, commandOf, type Tool, type ToolValues } from "../../src/web/views/tool-line.ts";

const WEB = join(import.meta.dir, "../../src/web");
const files = [...new Glob("**/*.{ts,tsx}").scanSync(WEB)]
  .filter((file) => !file.startsWith("generated/"))
  .map((file) => [file, readFileSync(join(WEB, file), "utf8")] as const);

/** Each line as the words that a shell makes of it. */
function wordsOf(lines: readonly string[]): string[][] {
  const script = lines.map((line) => `printf '%s\\0' ${line}; printf '\\1'`).join("\n");
  const { stdout } = Bun.spawnSync(["sh", "-c", script], { env: { HOME: "/nowhere" } });
  return stdout
    .toString()
    .split("\u0001")
    .slice(0, -1)
    .map((words) => words.split("\0").slice(0, -1));
}

describe("a devnet's tool", () => {
  let server: Server<undefined>;
  const requests: { readonly path: string; readonly body: string }[] = [];
  beforeAll(() => {
    server = Bun.serve({
      ...{ hostname: "127.0.0.1", port: 0 },
      async fetch(request) {
        requests.push({ path: new URL(request.url).pathname, body: await request.text() });
        return Response.json({});
      },
    });
  });
  afterAll(() => server.stop(true));

  const texts = ['it\'s $HOME "and" `more` \\ *', "-5", "--help", "101.5", "=", "é"];
  const textFor = ({ kind }: Member, at: number) =>
    kind === "object" ? JSON.stringify({ text: texts[at] }) : kind === "flag" ? "true" : texts[at]!;

  const rows = TOOL_LIST.filter((tool: Tool) => tool.method === "POST" && tool.file === undefined).flatMap(
    (tool: Tool) => {
      const members = Object.entries(tool.members) as [string, Member][];
      return texts.map((_, first) => {
        // With everything, and with what is required alone.
        const shown = first % 2 === 0 ? members : members.filter(([word]) => !isOptional(word));
        const values: ToolValues = Object.fromEntries(
          shown.map(([word, member], at) => [plainName(word), textFor(member, (first + at) % texts.length)]),
        );
        return { tool, body: bodyOf(members, values), line: commandOf(tool, members, values) };
      });
    },
  );

  test("has a command line that sends what its form sends", async () => {
    const output = spyOn(process.stdout, "write").mockImplementation(() => true);
    const logFailure = (error: unknown) => {
      throw error;
    };
    const sent: object[] = [];
    try {
      const lines = wordsOf(rows.map(({ line }) => line));
      for (const [program, ...words] of lines) {
        expect(program).toBe("lyra");
        requests.length = 0;
        const [group, ...rest] = words;
        const argv = [group!, "--node-url", server.url.origin, ...rest];
        const failure = await dispatch(COMMANDS, argv, { asJson: true, logFailure }).catch(String);
        const [request] = requests;
        sent.push(
          request === undefined ? { failure } : { path: request.path, body: JSON.parse(request.body) },
        );
      }
    } finally {
      output.mockRestore();
    }
    expect(sent).toEqual(rows.map(({ tool, body }) => ({ path: `/devnet/${tool.path}`, body })));
  });
});

/** In quotation marks of the sources. */
const LINE = /"(lyra \w[^"\n]*)"|`(lyra \w(?:[^`$]|\$\{(?:[^{}]|\{[^{}]*\})*\})*)`/g;
const VALUE = /\$\{(?:[^{}]|\{[^{}]*\})*\}/g;
/** Values without quotation marks: numbers, and words of the page's own. */
const PLAIN_VALUES: readonly string[] = [
  ...["first", "last", "table.value", "homeFlag()", "words"],
  'hasNodePort ? nodeOrigin() : "NODE_URL"',
];
const HOSTILE = "a;$(b) 'c\"`d`";
/** A flag with its value that is put behind a line. */
const FLAG = /[`"] --([a-z-]+) \$\{/g;

test("every line of a view is a command of the program, with the words and flags that it takes", async () => {
  const commands = await allCommands(COMMANDS);
  const shown = files.flatMap(([file, source]) =>
    [...source.matchAll(LINE)].map(([, plain, template = ""]) => {
      const values = (template.match(VALUE) ?? []).map((value) => value.slice(2, -1));
      // A value that follows a value is a flag, or nothing.
      const filled = template
        .replace(/(\})\$\{\w+(?:\(\))?\}$/, "$1")
        .replaceAll(VALUE, (value) => (value.startsWith("${shellWord(") ? shellWord(HOSTILE) : "1"));
      return { file, line: plain ?? filled, values };
    }),
  );
  const bare = shown.flatMap(({ file, values }) =>
    values
      .filter((value) => !/^shellWord\(.*\)$/s.test(value) && !PLAIN_VALUES.includes(value))
      .map((value) => `${file}: ${value}`),
  );
  expect(bare).toEqual([]);
  const words = wordsOf(shown.map(({ line }) => line));
  const problems: string[] = [];
  for (const [at, { file, line }] of shown.entries()) {
    const { entry, path, rest, commands: table } = await findCommand(COMMANDS, words[at]!.slice(1));
    const command = await entry?.load?.();
    try {
      if (command === undefined) throw new Error("there is no such command");
      readInvocation(placeOf(table, path), command, rest, {});
    } catch (error) {
      problems.push(`${file}: ${line}: ${error}`);
    }
  }
  expect(problems).toEqual([]);
  // Whatever a chain, an address or a file's name says is one word of the shell.
  const quoted = shown.flatMap(({ values }) => values.filter((value) => value.startsWith("shellWord(")));
  expect(words.flat().filter((word) => word === HOSTILE).length).toBe(quoted.length);
  expect(quoted.length).toBeGreaterThan(10);
  expect(shown.length).toBeGreaterThan(35);
  const loaded = await Promise.all(Object.values(commands).map(({ load }) => load?.()));
  const flagNames = new Set(loaded.flatMap((command) => Object.keys({ ...COMMON_FLAGS, ...command?.flags })));
  const flags = files.flatMap(([, source]) => [...source.matchAll(FLAG)].map(([, name]) => name!));
  expect(flags.filter((name) => !flagNames.has(name))).toEqual([]);
  expect(flags).toContain("home");
});
