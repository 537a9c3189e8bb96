// Every flag of `lyra devnet` is an option of startDevnet, and every tool a call.
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { optionsText } from "../../scripts/generate-options.ts";
import { devnet } from "../../src/cli/devnet.ts";
import type { HttpClient } from "../../src/package/http-client.ts";
import { type DevnetOptions, wordsOf } from "../../src/package/options.ts";
import { DevnetTools } from "../../src/package/tools.generated.ts";
import { TOOL_LIST } from "../../src/planes/devnet/declarations.ts";
import type { MemberKind } from "../../src/planes/devnet/members.ts";

const NO_DOCUMENT = () => {
  throw new Error("no document was given");
};

/** Flags that the process sets by itself. */
const ITS_OWN = ["--temporary", "--json", "--quiet", "--stop-with-stdin", "--port"];

const ALL = {
  home: "./net",
  reset: true,
  demo: true,
  fund: false,
  block: "1s",
  genesis: "g.json",
  checkpoint: "c.json",
  parameters: { "validators.epoch.length": "10s", "spam.pow.difficulty": "1" },
  chainId: "mine",
  startTime: "2026-01-01T00:00:00Z",
  accounts: 12,
  balance: { tUSD: 500, tBTC: "0.25" },
  recoveryPhrase: "test test junk",
  seed: "7",
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
  test("those of the chain are made from the flags' declaration, and none is stale", () => {
    const path = join(import.meta.dir, "../../src/package/chain-options.generated.ts");
    expect(readFileSync(path, "utf8")).toBe(optionsText());
  });

  test("given every option, then every flag of the command is set by one", () => {
    const flags = wordsOf(ALL, NO_DOCUMENT).filter((word) => word.startsWith("--"));
    const declared = Object.keys(devnet.flags!).map((flag) => `--${flag}`);
    expect(declared.filter((flag) => !flags.includes(flag) && !ITS_OWN.includes(flag))).toEqual([]);
    expect(flags).toContain("--events-lossy");
  });

  test("lists and pairs come one by one", () => {
    const words = wordsOf(ALL, NO_DOCUMENT).join(" ");
    expect(words).toContain("--parameter validators.epoch.length=10s --parameter spam.pow.difficulty=1");
    expect(words).toContain("--tools-allow a.example --tools-allow b.example");
    expect(words).toContain("--limit body-bytes=1000");
    expect(words).toContain("--no-funding");
    expect(words).toContain("--balance tUSD=500 --balance tBTC=0.25");
    expect(wordsOf({ balance: 2.5 }, NO_DOCUMENT).join(" ")).toContain("--balance 2.5 ");
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
    expect(() => wordsOf(options, NO_DOCUMENT)).toThrow(
      "there is no option 'nodeport': did you mean 'nodePort'?",
    );
  });
});

describe("tools", () => {
  const requests: { method: string; path: string; body: Record<string, unknown> }[] = [];
  const record = async (method: string, url: string, body = "{}") => {
    requests.push({ method, path: url.replace("http://node/devnet/", ""), body: JSON.parse(body) });
    return {};
  };
  const tools = new DevnetTools({ json: record, text: record } as unknown as HttpClient, "http://node");

  /** A value for a member of each kind, and the JSON that is sent for it. */
  const VALUES: Readonly<Record<MemberKind, readonly [given: unknown, sent: unknown]>> = {
    text: ["ab", "ab"],
    party: ["alice", "alice"],
    asset: ["tUSD", "tUSD"],
    price: [101.5, "101.5"],
    amount: [10n ** 30n, `1${"0".repeat(30)}`],
    wholeNumber: [7, "7"],
    count: [3, 3],
    flag: [false, false],
    object: [{ a: 1 }, { a: 1 }],
    hash: ["ab", "ab"],
    hashes: [["ab"], ["ab"]],
    duration: ["1m", "1m"],
    time: [new Date(0), "1970-01-01T00:00:00.000Z"],
    mode: ["1s", "1s"],
  };

  test.each(TOOL_LIST)("$path is a call that sends every member", async ({ method, path, members, file }) => {
    const call = path.split("/").reduce((owner, name) => {
      const value = (owner as Record<string, unknown>)[name]!;
      return typeof value === "function" ? value.bind(owner) : value;
    }, tools as unknown) as (...given: unknown[]) => Promise<unknown>;
    const kinds = Object.entries(members).map(([name, { kind }]) => [name.replace("?", ""), kind] as const);
    const sent = Object.fromEntries(kinds.map(([name, kind]) => [name, VALUES[kind][1]]));
    const isChoice = kinds.length > 1 && Object.keys(members).every((name) => name.endsWith("?"));
    const values = kinds.map(([, kind]) => VALUES[kind][0]);
    requests.length = 0;
    if (file !== undefined) await call('{"a":1}');
    else if (isChoice) await call(Object.fromEntries(kinds.map(([name], at) => [name, values[at]])));
    else await call(...values);
    expect(requests).toEqual([{ method, path, body: file === undefined ? sent : { a: 1 } }]);
  });

  test("omitted options are not sent", async () => {
    requests.length = 0;
    await tools.mine();
    await tools.ban("alice");
    expect(requests.map(({ body }) => body)).toEqual([{}, { party: "alice" }]);
  });
});
