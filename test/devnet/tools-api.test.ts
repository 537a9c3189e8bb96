// The devnet's tools over HTTP: who may use them, what they take, what they do. No socket, no chain.
import { describe, expect, test } from "bun:test";
import { ChainCallError } from "../../src/engine/chain-port.ts";
import { NodeError } from "../../src/errors/node-error.ts";
import { devnetTools } from "../../src/planes/devnet/app.ts";
import { TOOL_LIST } from "../../src/planes/devnet/declarations.ts";
import type { ToolsAccess } from "../../src/planes/devnet/loopback.ts";
import type { TransactionStory } from "../../src/planes/devnet/transaction-story.ts";
import { type Call, fakeChain } from "./fake-chain.ts";

const PARTY = "0a".repeat(32);
const ASSET = "0b".repeat(32);
const HERE = "http://127.0.0.1:3003";

interface Asked {
  readonly method?: string;
  readonly body?: unknown;
  readonly address?: string | undefined;
  readonly headers?: Record<string, string>;
  readonly fail?: Error;
  readonly access?: ToolsAccess;
}

async function ask(path: string, { method = "POST", body, headers, fail, access, ...rest }: Asked = {}) {
  const { chain, calls } = fakeChain(fail);
  const parties = [{ name: "alice", publicKey: PARTY, balances: [{ symbol: "tUSD", asset: ASSET }] }];
  const assets = [
    { id: "ff".repeat(32), symbol: "tUSD" },
    { id: ASSET, symbol: "tUSD" },
    { id: "VOTE", symbol: "VOTE" },
  ];
  const story = async (hash: string): Promise<TransactionStory> => {
    calls.push(["story", hash]);
    return { hash, state: "executed", code: 0, movements: [], balances: [], events: [] };
  };
  const tools = devnetTools(
    { chain, parties: () => ({ parties, assets }), story, read: () => undefined },
    access,
  );
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const request = new Request(`${HERE}/devnet/${path}`, {
    method,
    headers: { host: "127.0.0.1:3003", ...headers },
    ...(method === "POST" && body !== undefined && { body: text }),
  });
  const response = await tools.answer(request, "address" in rest ? rest.address : "127.0.0.1");
  return { status: response.status, text: await response.text(), calls };
}

describe("the devnet's tools answer to this machine only", () => {
  const cases: [name: string, asked: Asked, status: number][] = [
    ["the machine itself", {}, 200],
    ["the machine itself, IPv6", { address: "::1", headers: { host: "[::1]:3003" } }, 200],
    [
      "the machine itself, IPv4 in IPv6",
      { address: "::ffff:127.0.0.1", headers: { host: "localhost:3003" } },
      200,
    ],
    ["a page of this machine", { headers: { origin: "http://localhost:5173" } }, 200],
    ["another machine", { address: "192.168.1.7" }, 403],
    [
      "another machine that lies about the name",
      { address: "192.168.1.9", headers: { host: "localhost" } },
      403,
    ],
    ["a socket that is not known", { address: undefined }, 403],
    ["a name that was pointed here", { headers: { host: "evil.example:3003" } }, 403],
    ["a name that begins like ours", { headers: { host: "localhost.evil.example" } }, 403],
    ["a web page", { headers: { origin: "https://evil.example" } }, 403],
    ["a file opened in a browser", { headers: { origin: "null" } }, 403],
  ];
  test.each(cases)("given %s", async (_name, request, status) => {
    const answer = await ask("mine", request);
    expect(answer.status).toBe(status);
    expect(answer.calls).toEqual(status === 200 ? [["mine", 1]] : []);
  });

  const access = { hosts: ["host.docker.internal"], token: "a-token-of-the-test" };
  const allowed = { host: "host.docker.internal:3003", authorization: `Bearer ${access.token}` };
  const others: [name: string, headers: Record<string, string>, status: number][] = [
    ["a named host with the token", allowed, 200],
    ["a named host without a token", { host: allowed.host }, 403],
    ["a named host with another token", { ...allowed, authorization: "Bearer something else" }, 403],
    ["another host with the token", { ...allowed, host: "evil.example" }, 403],
    ["a name that begins like it", { ...allowed, host: "host.docker.internal.evil.example" }, 403],
    ["a web page with the token", { ...allowed, origin: "http://host.docker.internal:3003" }, 403],
  ];
  test.each(others)("given --tools-allow and %s of another machine", async (_name, headers, status) => {
    const { status: answered, calls } = await ask("mine", { address: "172.17.0.2", headers, access });
    expect(answered).toBe(status);
    expect(calls).toEqual(status === 200 ? [["mine", 1]] : []);
    expect((await ask("mine", { address: "172.17.0.2", headers })).status).toBe(403);
  });

  test("given a stranger, when it asks for what is not there, then it is told nothing more", async () => {
    const here = await ask("mine", { address: "192.168.1.7" });
    const nowhere = await ask("nothing", { address: "192.168.1.7" });
    expect(nowhere).toEqual(here);
  });
});

describe("each tool", () => {
  const address = `0x${"a1".repeat(20)}`;
  const HASH = "AB".repeat(32);
  const bridged = { party: PARTY, asset: "VOTE", amount: "5" };
  const cases: [path: string, body: object, calls: Call[]][] = [
    ["transaction", { hash: PARTY }, [["story", PARTY]]],
    ["outcomes", { hashes: [HASH], wait: "1s" }, [["outcomesOf", [HASH], 1_000]]],
    ["outcomes", { hashes: `${HASH},${HASH}` }, [["outcomesOf", [HASH, HASH], 5_000]]],
    ["mine", { blocks: 12 }, [["mine", 12]]],
    ["time/forward", { duration: "1h30m" }, [["forwardTime", 5_400_000_000_000n]]],
    ["time/set", { time: "2030-01-01T00:00:00.000001Z" }, [["setNextBlockTime", 1_893_456_000_000_001_000n]]],
    ["time/set", { time: "1893456000000000000" }, [["setNextBlockTime", 1_893_456_000_000_000_000n]]],
    ["time/freeze", {}, [["freezeClock", true]]],
    ["time/freeze", { frozen: false }, [["freezeClock", false]]],
    ["mode", { mode: "mixed:500ms" }, [["setBlockMode", { kind: "mixed", intervalMs: 500 }]]],
    ["mode", { mode: "1s" }, [["setBlockMode", { kind: "interval", intervalMs: 1000 }]]],
    ["epoch/end", {}, [["endEpoch"]]],
    ["snapshot", {}, [["snapshot"]]],
    ["revert", { snapshot: "1" }, [["revert", "1"]]],
    ["dump", {}, [["dump"]]],
    ["reset", {}, [["reset"]]],
    ["checkpoint", {}, [["checkpoint"]]],
    ["fund", bridged, [["deposit", PARTY, "VOTE", 5n]]],
    ["bridge/deposit", { ...bridged, amount: 5 }, [["deposit", PARTY, "VOTE", 5n]]],
    ["stake", { party: PARTY, amount: "5" }, [["stake", PARTY, 5n]]],
    ["stake", { party: PARTY, amount: "5", remove: true }, [["unstake", PARTY, 5n]]],
    ["balance", { ...bridged, amount: "0" }, [["setBalance", PARTY, "VOTE", 0n]]],
    ["parameter", { key: "a.b", value: "1" }, [["setParameter", "a.b", "1"]]],
    ["bridge/list", { asset: ASSET }, [["list", ASSET]]],
    ["fund", { party: "alice", asset: "tUSD", amount: "5" }, [["deposit", PARTY, ASSET, 5n]]],
    ["pardon", { party: "alice" }, [["ban", PARTY, undefined]]],
    ["bridge/limits", { proposal: PARTY }, [["setLimits", PARTY]]],
    ["bridge/claim", { withdrawal: PARTY }, [["claim", PARTY]]],
    [
      "bridge/signers",
      { add: address, remove: address, threshold: 500 },
      [
        ["addSigner", address],
        ["removeSigner", address],
        ["setThreshold", 500],
      ],
    ],
    ["bridge/stop", {}, [["stopBridge"]]],
    ["bridge/resume", {}, [["resumeBridge"]]],
    [
      "impersonate",
      { party: PARTY, command: { voteSubmission: {} } },
      [["impersonate", PARTY, { voteSubmission: {} }]],
    ],
    ["ban", { party: PARTY, duration: "10s" }, [["clock"], ["ban", PARTY, 1_700_000_070_000_000_000n]]],
    ["pardon", { party: PARTY }, [["ban", PARTY, undefined]]],
  ];
  test.each(cases)("POST /devnet/%s %j", async (path, body, calls) => {
    const answer = await ask(path, { body });
    expect(answer.calls).toEqual(calls);
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.text)).toBeInstanceOf(Object);
  });

  test("every tool that changes something is tried: above, or by the example of its document", () => {
    const tried = new Set(cases.map(([path]) => path));
    // Those about markets are tried on a devnet that has some: markets.test.ts.
    const isTried = (path: string) => tried.has(path) || path.startsWith("market/") || path === "load";
    const untried = TOOL_LIST.filter(
      ({ method, path, example }) => method === "POST" && example === undefined && !isTried(path),
    );
    expect(untried.map(({ path }) => path)).toEqual([]);
  });

  test("GET /devnet/ lists all of them with what they take", async () => {
    const { tools } = JSON.parse((await ask("", { method: "GET" })).text);
    // With the time control of the single-process chain.
    expect(tools).toHaveLength(TOOL_LIST.length + 1);
    expect(tools).toContainEqual({
      method: "POST",
      path: "/devnet/mode",
      summary: "the source of blocks",
      body: { mode: "instant, manual, 1s, mixed:1s" },
    });
  });

  test("GET /devnet/status shows 64-bit numbers as texts and times as RFC 3339", async () => {
    const { text, status } = await ask("status", { method: "GET" });
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({
      chainId: "test-chain",
      height: "7",
      time: "2023-11-14T22:13:20Z",
      epoch: { seq: "3", start: "2023-11-14T22:13:10Z", expire: "2023-11-14T22:14:10Z" },
    });
  });

  test("GET /devnet/snapshots names the one that the chain has come from, and those that a revert removed", async () => {
    const { text, status } = await ask("snapshots", { method: "GET" });
    expect(status).toBe(200);
    expect(JSON.parse(text)).toEqual({
      current: "1",
      snapshots: [
        { snapshot: "1", height: "5", time: "2023-11-14T22:13:20Z", usable: true },
        { snapshot: "2", height: "6", parent: "1", usable: false },
      ],
    });
  });

  test("GET /devnet/validator has the engine's peers and the duties that are owed", async () => {
    const { text } = await ask("validator", { method: "GET" });
    expect(JSON.parse(text)).toEqual({
      node: "0e".repeat(32),
      keys: true,
      duties: [{ kind: "vote", about: "0f".repeat(32) }],
      engine: {
        ...{ name: "one", version: "0.38.26", height: "7", catchingUp: false },
        ...{ power: "10", totalPower: "40", lastSigned: "7" },
        peers: [
          { id: "aa", name: "two", host: "192.0.2.2", outbound: true, connectedSeconds: 61, height: "8" },
        ],
      },
    });
  });

  test("the clock's tools tell the next block's time", async () => {
    for (const [path, body] of [
      ["time/forward", { duration: "1m" }],
      ["time/set", { time: "2030-01-01T00:00:00Z" }],
      ["time/freeze", {}],
    ] as const) {
      expect(JSON.parse((await ask(path, { body })).text)).toMatchObject({
        height: "7",
        time: "2023-11-14T22:13:20Z",
        nextBlockTime: "2023-11-14T22:14:20Z",
        frozen: false,
      });
    }
  });

  test("a dump is the chain's own text, and load takes it back", async () => {
    expect((await ask("dump")).text).toBe('{"height":7}');
    const loaded = await ask("load", { body: '{"height":7}' });
    expect(loaded.calls).toEqual([["load", '{"height":7}']]);
    expect(JSON.parse(loaded.text)).toEqual({ chainId: "test-chain", height: "7" });
  });
});

describe("bad input is refused by name, and nothing is done", () => {
  const cases: [path: string, body: unknown, message: string][] = [
    ["mine", "{", "the request body is not JSON"],
    ["mine", [1], "the request body must be a JSON object"],
    ["mine", { blocks: 0 }, "'blocks' must be a whole number from 1 to 100000, not '0'"],
    ["mine", { blocks: "many" }, "'blocks' must be a whole number from 1 to 100000, not 'many'"],
    ["mine", { blocks: 1.5 }, "'blocks' must be a whole number from 1 to 100000, not '1.5'"],
    ["mine", { block: 1 }, "there is no 'block' here: did you mean 'blocks'?"],
    [
      "fund",
      { party: "alise", asset: "VOTE", amount: "1" },
      "there is no party 'alise': give alice, or a public key of 64 hexadecimal digits",
    ],
    ["pardon", { party: 5 }, "'party' must be a text, not '5'"],
    [
      "balance",
      { party: PARTY, asset: "cc".repeat(32), amount: "1" },
      `there is no asset '${"cc".repeat(30)}': give tUSD, tUSD, VOTE, or an asset's id`,
    ],
    ["fund", { party: PARTY, amount: "1" }, "'asset' is required"],
    ["fund", { party: PARTY, asset: "VOTE", amount: "0" }, "'amount' must be above zero, not '0'"],
    [
      "fund",
      { party: PARTY, asset: "VOTE", amount: "-1" },
      "'amount' must be a whole number, 0 or more, not '-1'",
    ],
    [
      "balance",
      { party: PARTY, asset: "VOTE", amount: `${2n ** 256n}` },
      `'amount' must be a whole number, 0 or more, not '${`${2n ** 256n}`.slice(0, 60)}'`,
    ],
    [
      "time/forward",
      { duration: "soon" },
      "'duration' must be a duration such as 1h30m or 500ms, not 'soon'",
    ],
    [
      "time/set",
      { time: "2030-13-01T00:00:00Z" },
      "'time' must be a time such as 2030-01-01T00:00:00Z, not '2030-13-01T00:00:00Z'",
    ],
    [
      "time/set",
      { time: "2030-02-31T00:00:00Z" },
      "'time' must be a time such as 2030-01-01T00:00:00Z, not '2030-02-31T00:00:00Z'",
    ],
    [
      "outcomes",
      { hashes: [] },
      "'hashes' must be transactions' hashes, each of 64 hexadecimal digits, not a list",
    ],
    [
      "outcomes",
      { hashes: "ab" },
      "'hashes' must be transactions' hashes, each of 64 hexadecimal digits, not 'ab'",
    ],
    ["outcomes", { hashes: [PARTY], wait: "6s" }, "'wait' must be at most 5s"],
    ["time/set", { time: "tomorrow" }, "'time' must be a time such as 2030-01-01T00:00:00Z, not 'tomorrow'"],
    ["ban", { party: PARTY, duration: "99999999h" }, "'duration' must be at most 2562047h, not '99999999h'"],
    ["mode", { mode: "sometimes" }, "'mode' must be instant, manual, a length such as 1s, or mixed:1s"],
    ["mode", { mode: "0s" }, "'mode' must be instant, manual, a length such as 1s, or mixed:1s"],
    ["bridge/signers", {}, "give 'add', 'remove' or 'threshold'"],
    ["impersonate", { party: PARTY, command: "vote" }, "'command' must be an object, not 'vote'"],
    ["time/freeze", { frozen: "yes" }, "'frozen' must be true or false, not 'yes'"],
  ];
  test.each(cases)("POST /devnet/%s %j", async (path, body, message) => {
    const answer = await ask(path, { body });
    expect(JSON.parse(answer.text)).toEqual({ code: 3, message, details: [] });
    expect(answer.status).toBe(400);
    expect(answer.calls).toEqual([]);
  });

  test("a body beyond the limit is refused", async () => {
    const { status, calls } = await ask("mine", { body: `{"blocks":1${" ".repeat(1024 * 1024)}}` });
    expect({ status, calls }).toEqual({ status: 413, calls: [] });
  });

  test("a body that is nested deeper than the limit is refused", async () => {
    const command = `${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`;
    const { status, text, calls } = await ask("impersonate", {
      body: `{"party":"${PARTY}","command":${command}}`,
    });
    expect({ status, calls }).toEqual({ status: 400, calls: [] });
    expect(JSON.parse(text).message).toBe("the request body is nested deeper than 100 levels");
  });

  test("an unknown tool is 404, another method 501", async () => {
    expect((await ask("teleport")).status).toBe(404);
    expect((await ask("mine", { method: "GET" })).status).toBe(501);
    expect((await ask("status", { method: "POST" })).status).toBe(501);
  });
});

describe("refusals of the chain have their code and way out", () => {
  test("given a bundle that does not verify", async () => {
    const fail = new ChainCallError("bridge", "the Ethereum bridge refuses it: nonce 7 has been used");
    const { status, text } = await ask("bridge/claim", { body: { withdrawal: PARTY }, fail });
    expect(status).toBe(400);
    expect(JSON.parse(text)).toMatchObject({ message: fail.message, details: [{ message: "bridge" }] });
  });

  test("given an error with a hint", async () => {
    const fail = new NodeError(
      "devnet.revert",
      "snapshot_unknown",
      "there is no snapshot 9",
      "make one first",
    );
    const { text } = await ask("revert", { body: { snapshot: "9" }, fail });
    expect(JSON.parse(text).details).toMatchObject([
      { message: "snapshot_unknown", inner: "make one first" },
    ]);
  });

  test("given a fault, then nothing of its inside is shown", async () => {
    const { status, text } = await ask("mine", {
      fail: new TypeError("undefined is not a function at x.ts:1"),
    });
    expect(status).toBe(500);
    expect(text).toBe('{"code":13,"message":"Internal error","details":[]}');
  });
});
