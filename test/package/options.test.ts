// Every flag of `lyra devnet` is an option of startDevnet, and every tool a call.
import { describe, expect, test } from "bun:test";
import { help } from "../../src/cli/devnet.ts";
import type { HttpClient } from "../../src/package/http-client.ts";
import { type DevnetOptions, wordsOf } from "../../src/package/options.ts";
import { DevnetTools } from "../../src/package/tools.ts";
import { TOOLS } from "../../src/planes/devnet/tools.ts";

const NO_DOCUMENT = () => {
  throw new Error("no document was given");
};

/** Flags that the process sets by itself, and those of the verbs. */
const ITS_OWN = ["--temporary", "--json", "--quiet", "--stop-with-stdin", "--port", "--node-url", "--help"];

const ALL = {
  home: "./net",
  reset: true,
  demo: true,
  fund: false,
  block: "1s",
  genesis: "g.json",
  checkpoint: "c.json",
  parameters: { "validators.epoch.length": "10s", "spam.pow.difficulty": "1" },
  host: "0.0.0.0",
  nodePort: 1,
  dataPort: 2,
  faucetPort: 3,
  grpcNodePort: 6,
  grpcDataPort: "off",
  walletPort: 4,
  cometPort: 5,
  eventsTo: "tcp://127.0.0.1:3005",
  eventsLossy: true,
  rules: "0.71.6",
  toolsAllow: ["a.example", "b.example"],
  record: "run.evts",
  segmentLength: 100,
  config: "lyra.toml",
  configOut: "out.json",
  limits: { "body-bytes": 1_000 },
} as const satisfies DevnetOptions;

describe("options", () => {
  test("given every option, then every flag of the help is set by one", () => {
    const flags = wordsOf(ALL, NO_DOCUMENT).filter((word) => word.startsWith("--"));
    const inHelp = [...help.matchAll(/--[a-z][a-z-]*/g)].map(([flag]) => flag);
    expect(inHelp.filter((flag) => !flags.includes(flag) && !ITS_OWN.includes(flag))).toEqual([]);
    expect(flags).toContain("--events-lossy");
  });

  test("lists and pairs come one by one", () => {
    const words = wordsOf(ALL, NO_DOCUMENT).join(" ");
    expect(words).toContain("--parameter validators.epoch.length=10s --parameter spam.pow.difficulty=1");
    expect(words).toContain("--tools-allow a.example --tools-allow b.example");
    expect(words).toContain("--limit body-bytes=1000");
    expect(words).toContain("--no-funding");
  });

  test("given none, then the ports are free ones, the home is temporary, and it ends with its parent", () => {
    expect(wordsOf({}, NO_DOCUMENT).join(" ")).toBe(
      "devnet --node-port 0 --data-port 0 --faucet-port 0 --temporary --quiet --json --stop-with-stdin",
    );
    expect(wordsOf({ reset: false, demo: false, fund: true, onLog: () => {} }, NO_DOCUMENT).join(" ")).toBe(
      "devnet --node-port 0 --data-port 0 --faucet-port 0 --temporary --json --stop-with-stdin",
    );
  });

  test("a document becomes a file", () => {
    const written: unknown[] = [];
    const words = wordsOf({ genesis: { chain_id: "x" } }, (...given) => {
      written.push(given);
      return "there.json";
    });
    expect(words.join(" ")).toContain("--genesis there.json");
    expect(written).toEqual([["genesis.json", { chain_id: "x" }]]);
  });

  test("a mistyped option is an error that names those there are", () => {
    const options = { nodeport: 1 } as DevnetOptions;
    expect(() => wordsOf(options, NO_DOCUMENT)).toThrow("there is no option 'nodeport'");
  });
});

describe("tools", () => {
  const asked: { method: string; path: string; body: Record<string, unknown> }[] = [];
  const record = async (method: string, url: string, body = "{}") => {
    asked.push({ method, path: url.replace("http://node/devnet/", ""), body: JSON.parse(body) });
    return {};
  };
  const tools = new DevnetTools({ json: record, text: record } as unknown as HttpClient, "http://node");

  test("given every call with all it takes, then each tool is asked with every member it has", async () => {
    const { time, market, bridge } = tools;
    await Promise.all([
      tools.status(),
      tools.parties(),
      tools.transaction("ab"),
      tools.outcomes(["ab"], "1s"),
      tools.blocks(),
      tools.mine(2),
      time.forward("1h"),
      time.set(new Date(0)),
      time.freeze(false),
      tools.mode("1s"),
      tools.epoch.end(),
      tools.snapshot(),
      tools.revert("1"),
      tools.dump(),
      tools.load('{"a":1}'),
      tools.checkpoint(),
      tools.fund("alice", "tUSD", 5),
      tools.stake("alice", 10n ** 30n, true),
      tools.balance("alice", "tUSD", "7"),
      tools.parameter("a", "b"),
      market.create({ preset: "btc", proposal: {}, price: "5" }),
      market.price("M", 101.5),
      market.run("M", 10, 3),
      market.terminate("M"),
      market.settle("M", "61000"),
      bridge.deposit("alice", "tUSD", 5),
      bridge.list("tUSD"),
      bridge.limits("ab"),
      bridge.claim("ab"),
      bridge.signers({ add: "0x1", remove: "0x2", threshold: 500 }),
      bridge.stop(),
      bridge.resume(),
      tools.impersonate("alice", { voteSubmission: {} }),
      tools.ban("alice", "1m"),
      tools.pardon("alice"),
    ]);
    const members = (body: object) => Object.keys(body).sort();
    const calls = asked.map(({ method, path, body }) => [path, method, members(body)]);
    const wanted = TOOLS.map(({ method, path, body }) => [
      path,
      method,
      Object.keys(body)
        .map((name) => name.replace("?", ""))
        .sort(),
    ]);
    expect(calls.sort()).toEqual([...wanted, ["load", "POST", ["a"]]].sort());
    const bodies = Object.fromEntries(asked.map(({ path, body }) => [path, body]));
    expect(bodies.stake).toEqual({ party: "alice", amount: `1${"0".repeat(30)}`, remove: true });
    expect(bodies["time/set"]).toEqual({ time: "1970-01-01T00:00:00.000Z" });
    expect(bodies["market/price"]).toEqual({ market: "M", price: "101.5" });
  });

  test("what is left out is not sent", async () => {
    asked.length = 0;
    await tools.mine();
    await tools.ban("alice");
    expect(asked.map(({ body }) => body)).toEqual([{}, { party: "alice" }]);
  });
});
