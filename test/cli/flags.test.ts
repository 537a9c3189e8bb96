// A flag has one name, one meaning and one variable in all commands; older names are taken, too.
import { afterAll, describe, expect, test } from "bun:test";
import type { Flag, Flags } from "../../src/cli/command/command.ts";
import { dispatch } from "../../src/cli/command/dispatch.ts";
import { allCommands, findCommand } from "../../src/cli/command/table.ts";
import { COMMANDS } from "../../src/cli/commands.ts";
import type { NodeError } from "../../src/errors/node-error.ts";
import { Scratch } from "../rig/homes.ts";

const scratch = new Scratch("flags");
afterAll(() => scratch.remove());
const home = scratch.path();
/** An address without a node. */
const URL = "http://127.0.0.1:1";
const KEY = "a".repeat(64);

/** Exit code and sentence of a command that fails, in this process. */
async function end(words: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  const variables: Readonly<Record<string, string>> = { LYRA_HOME: home, ...env };
  const before = Object.fromEntries(Object.keys(variables).map((name) => [name, process.env[name]]));
  Object.assign(process.env, variables);
  const logFailure = (error: unknown) => {
    throw error;
  };
  try {
    return String(await dispatch(COMMANDS, [...words], { asJson: true, logFailure }));
  } catch (error) {
    const { exitCode, message } = error as NodeError;
    return `${exitCode} ${message}`;
  } finally {
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}

describe("the declarations", async () => {
  const all = await allCommands(COMMANDS);
  const flags = new Map<string, { readonly path: string; readonly flag: Flag }[]>();
  for (const [path, { load }] of Object.entries(all))
    for (const [name, flag] of Object.entries((await load?.())?.flags ?? ({} as Flags)))
      flags.set(name, [...(flags.get(name) ?? []), { path, flag }]);

  test("give a flag the same variable and the same older names in every command", () => {
    const facts = ({ flag: { hasVariable, aliases } }: { readonly flag: Flag }) =>
      JSON.stringify([hasVariable, aliases]);
    const different = [...flags].filter(([, uses]) => new Set(uses.map(facts)).size > 1);
    expect(different.map(([name, uses]) => [name, uses.map(({ path }) => path)])).toEqual([]);
  });

  test("have no older name that is a flag of its own", () => {
    for (const [name, [use]] of flags) {
      const { aliases = [] } = use!.flag;
      expect(
        aliases.filter((alias) => flags.has(alias) && !(name === "wallet-host" && alias === "host")),
      ).toEqual([]);
    }
  });
});

describe("the address of a node", () => {
  const COMMANDS_WITH_NODE: readonly (readonly string[])[] = [
    ["devnet", "mine"],
    ["explain", KEY],
    ["wallet", "balance", "--key", KEY],
    ["tx", "block"],
    ["tx", "build", "order", "buy", "5@1", "--market", "X"],
  ];

  test.each(COMMANDS_WITH_NODE.map((words) => [words.join(" "), words] as const))(
    "of '%s' is --node-url, its older name --node, or LYRA_NODE_URL",
    async (_, words) => {
      const byFlag = await end([...words, "--node-url", URL]);
      expect(byFlag).toMatch(/^[13] .*127\.0\.0\.1:1|^[13] .*node/);
      expect(await end([...words, "--node", URL])).toBe(byFlag);
      expect(await end(words, { LYRA_NODE_URL: URL })).toBe(byFlag);
      expect(await end(words, { LYRA_NODE_URL: "ftp://x" })).toStartWith("2 ");
      expect(await end([...words, "--node-url", URL], { LYRA_NODE_URL: "ftp://x" })).toBe(byFlag);
    },
  );

  test("given --home, then a devnet is looked for in it alone", async () => {
    const missing = "3 no running devnet was found";
    expect(await end(["devnet", "mine", "--home", home], { LYRA_NODE_URL: URL })).toBe(missing);
    expect(await end(["explain", KEY, "--home", home], { LYRA_NODE_URL: URL })).toBe(missing);
  });

  test("given --network, then the variable does not count, and the flag beside it is refused", async () => {
    const words = ["tx", "block", "--network", "unknown"];
    expect(await end(words, { LYRA_NODE_URL: URL })).toBe("1 the network does not exist");
    expect(await end([...words, "--node-url", URL])).toBe("2 say --node-url or --network");
  });

  test("of the wallet's service may come from the variable, and --network wins over it", async () => {
    const serve = ["wallet", "serve", "--wallet-port", "0", "--network", "unknown"];
    expect(await end(serve, { LYRA_NODE_URL: URL })).toBe("1 the network does not exist");
    expect(await end([...serve, "--node", URL])).toBe(
      "2 --node-url and --network both name nodes: say one of them",
    );
  });
});

describe("a variable", () => {
  test("of the rules is read by a devnet, too", async () => {
    const words = ["devnet", "--port", "0"];
    expect(await end(words, { LYRA_RULES: "1.0" })).toBe("2 --rules must be default or 0.71.6");
  });

  test("of a port yields to --port 0", async () => {
    const words = ["devnet", "--port", "0", "--rules", "1.0"];
    expect(await end(words, { LYRA_NODE_PORT: "x" })).toBe("2 --rules must be default or 0.71.6");
    const two = ["devnet", "--node-port", "x", "--port", "0"];
    expect(await end(two)).toBe("2 --node-port must be a port from 0 to 65535");
  });

  test("of a host is not read by the wallet, which has an address of its own", async () => {
    const serve = ["wallet", "serve", "--wallet-port", "0"];
    const remote = await end([...serve, "--wallet-host", "0.0.0.0"]);
    expect(remote).toBe("2 0.0.0.0 would open the wallet to other machines");
    expect(await end([...serve, "--host", "0.0.0.0"])).toBe(remote);
    expect(await end([...serve, "--network", "unknown"], { LYRA_HOST: "0.0.0.0" })).toBe(
      "1 the network does not exist",
    );
  });
});

test("a devnet that starts loads none of the commands of its tools", async () => {
  const { path, commands } = await findCommand(COMMANDS, ["devnet", "--temporary", "--block", "1s"]);
  expect(path).toBe("devnet");
  expect(commands).toBe(COMMANDS);
});

describe("flags", () => {
  test("may stand before the words of a command", async () => {
    expect(await end(["devnet", "--node-url", URL, "mine", "5"])).toBe(`3 ${URL} does not answer`);
    expect(await end(["--json", "wallet", "--wallets", home, "key", "list", "a", "b"])).toBe(
      "2 say NAME, or nothing where there is a default",
    );
  });

  test("given twice, then the last one counts", async () => {
    expect(await end(["health", "--url", URL, "--url", "x"])).toBe(
      "2 --url must be an http or https URL, not 'x'",
    );
  });

  test("that begin with a dash by mistake are no values", async () => {
    expect(await end(["wallet", "serve", "--policy", "--json"])).toBe(
      "2 '--policy' needs a value; one that begins with a dash is given as --policy=-1",
    );
  });
});
