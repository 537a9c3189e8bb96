// The faucet (docs/protocol/60-state-engine-accounts.md#35-faucet-http-service-builtin-assets).
import { afterAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { ChainCallError } from "../../../src/engine/chain-port.ts";
import { NodeError } from "../../../src/errors/node-error.ts";
import { faucetApp, serveFaucet } from "../../../src/planes/faucet/app.ts";
import type { FaucetPort } from "../../../src/planes/faucet/mint.ts";
import { CoolDown, isExempt } from "../../../src/planes/faucet/mint.ts";
import { expectNoLeak } from "../../support/scenario.ts";
import { runs, SEED } from "../../support/seed.ts";

const PARTY = "5a".repeat(32);
const BUILTIN = "b1".repeat(32);
const ERC20 = "e2".repeat(32);
const MAX = 1_000n;

class Money implements FaucetPort {
  readonly deposits: unknown[] = [];
  failure: Error | undefined;

  async asset(id: string) {
    if (id === BUILTIN) return { mintMax: MAX };
    return id === ERC20 ? { mintMax: undefined } : undefined;
  }

  async deposit(party: string, asset: string, amount: bigint) {
    if (this.failure) throw this.failure;
    this.deposits.push([party, asset, amount]);
    return "id";
  }
}

function faucet(addressOf?: () => string) {
  const money = new Money();
  const clock = { ms: 1_000_000 };
  const app = faucetApp(money, { nowMs: () => clock.ms, ...(addressOf && { addressOf }) });
  const send = async (path: string, init: RequestInit) => {
    const response = await app.handle(new Request(`http://localhost${path}`, init));
    const text = await response.text();
    return { status: response.status, body: JSON.parse(text), text, headers: response.headers };
  };
  const mint = (body: unknown) =>
    send("/api/v1/mint", { method: "POST", body: typeof body === "string" ? body : JSON.stringify(body) });
  return { money, clock, send, mint };
}

const good = { party: PARTY, amount: "1000", asset: BUILTIN };

test("mints up to the maximum, that included", async () => {
  const { mint, money } = faucet();
  const answer = await mint({ ...good, more: 1 });
  expect(answer.status).toBe(200);
  expect(answer.text).toBe('{"success":true}');
  expect(answer.headers.get("access-control-allow-origin")).toBe("*");
  expect(money.deposits).toEqual([[PARTY, BUILTIN, 1_000n]]);
});

test("says that it is well", async () => {
  const { send } = faucet();
  expect(await send("/api/v1/health", {})).toMatchObject({ status: 200, body: { success: true } });
});

describe("refuses, in this order", () => {
  const need = "amount need to be a > 0 unsigned integer";
  const overflow = "amount overflowed or was not base 10";
  const cases: readonly (readonly [body: unknown, status: number, error: string | RegExp])[] = [
    ["{", 400, /^the request body is not JSON: /],
    ["[]", 400, "the request body must be a JSON object"],
    ["", 400, "missing party field"],
    [{ ...good, party: 5 }, 400, "party must be a text"],
    [{ asset: "", amount: "" }, 400, "missing party field"],
    [{ ...good, party: "", amount: "x" }, 400, "missing party field"],
    [{ ...good, amount: undefined, asset: "" }, 400, need],
    [{ ...good, amount: "0" }, 400, need],
    [{ ...good, amount: 5 }, 400, "amount must be a text"],
    [{ ...good, amount: "1e3", asset: "" }, 400, overflow],
    [{ ...good, amount: "-5" }, 400, overflow],
    [{ ...good, amount: "1.5" }, 400, overflow],
    [{ ...good, amount: "0x10" }, 400, overflow],
    [{ ...good, amount: (2n ** 256n).toString() }, 400, overflow],
    [{ ...good, amount: "9".repeat(3_000) }, 400, overflow],
    [{ ...good, asset: "" }, 400, "missing asset field"],
    [{ ...good, asset: null, party: "zz" }, 400, "missing asset field"],
    [{ ...good, party: "zz" }, 400, "party is not a public key of 64 hexadecimal digits"],
    [{ ...good, asset: "nope" }, 400, "asset was not found"],
    [{ ...good, asset: ERC20, amount: "999999" }, 500, "asset is not a builtin asset"],
    [
      { ...good, amount: "1001" },
      400,
      "amount request exceed maximal amount of 1000: mint amount is invalid",
    ],
    [{ ...good, more: "x".repeat(5_000) }, 413, "the request body is longer than 4096 bytes"],
  ];
  test.each(cases)("%j", async (body, status, error) => {
    const { mint, money } = faucet();
    const answer = await mint(body);
    expect(answer.status).toBe(status);
    expect(Object.keys(answer.body)).toEqual(["error"]);
    if (typeof error === "string") expect(answer.body.error).toBe(error);
    else expect(answer.body.error).toMatch(error);
    expect(money.deposits).toEqual([]);
  });
});

test("a refused number is the end of the request: one object, and nothing is minted", async () => {
  const { mint, money } = faucet();
  const { text } = await mint({ ...good, amount: "99999999999999999999x" });
  expect(text).toBe('{"error":"amount overflowed or was not base 10"}');
  expect(money.deposits).toEqual([]);
});

test("a network that refuses is told in its words, anything else in ours", async () => {
  const { mint, money } = faucet();
  money.failure = new ChainCallError("bridge", "the bridge is stopped");
  expect(await mint(good)).toMatchObject({ status: 500, body: { error: "the bridge is stopped" } });
  money.failure = new TypeError("undefined is not a function");
  expect(await mint(good)).toMatchObject({ status: 500, body: { error: "the network could not be asked" } });
});

test("other paths and methods", async () => {
  const { send } = faucet();
  expect((await send("/nothing", {})).status).toBe(404);
  expect((await send("/api/v1/mint", {})).status).toBe(405);
  expect((await send("/api/v1/health", { method: "DELETE" })).status).toBe(405);
});

describe("the cool-down", () => {
  test("callers from afar wait a minute for each party and asset", async () => {
    const { mint, clock, money } = faucet(() => "203.0.113.9");
    expect((await mint(good)).status).toBe(200);
    clock.ms += 59_999;
    const refused = await mint(good);
    expect(refused.status).toBe(403);
    const until = new Date(1_060_000).toISOString().replace(".000Z", "Z");
    expect(refused.body.error).toBe(
      `rate-limited (minting for party ${PARTY} and asset ${BUILTIN}) until ${until}`,
    );
    expect((await mint({ ...good, party: "6b".repeat(32) })).status).toBe(200);
    clock.ms += 1;
    expect((await mint(good)).status).toBe(200);
    expect(money.deposits).toHaveLength(3);
  });

  test("a mint that failed does not count", async () => {
    const { mint, money } = faucet(() => "203.0.113.9");
    money.failure = new ChainCallError("bridge", "the bridge is stopped");
    expect((await mint(good)).status).toBe(500);
    money.failure = undefined;
    expect((await mint(good)).status).toBe(200);
    expect((await mint(good)).status).toBe(403);
  });

  test("callers from here do not", async () => {
    const { mint } = faucet(() => "127.0.0.1");
    for (let n = 0; n < 3; n++) expect((await mint(good)).status).toBe(200);
  });

  test("the private networks are exempt, and nobody else", () => {
    const octets = (a: number, b: number) => `${a}.${b}.1.1`;
    for (const address of [
      octets(10, 0),
      octets(172, 16),
      octets(172, 31),
      octets(192, 168),
      "::1",
      "fe80::1",
    ]) {
      expect([address, isExempt(address)]).toEqual([address, true]);
      if (address.includes(".")) expect(isExempt(`::ffff:${address}`)).toBe(true);
    }
    for (const address of [
      octets(11, 0),
      octets(172, 15),
      octets(172, 32),
      octets(192, 169),
      "2001:db8::1",
      "::",
    ]) {
      expect([address, isExempt(address)]).toEqual([address, false]);
    }
  });

  test("forgets what is over", () => {
    let now = 0;
    const coolDown = new CoolDown(100, () => now);
    for (let n = 0; n < 50; n++) coolDown.start(`p${n}`, "a");
    expect(coolDown.waitsUntil("p1", "a")).toBe(100);
    now = 100;
    expect(coolDown.waitsUntil("p1", "a")).toBeUndefined();
    expect(coolDown).toHaveProperty("until", new Map());
  });

  test("holds so many mints at the most: the oldest ones end their wait", () => {
    const coolDown = new CoolDown(100, () => 0, 3);
    for (const party of ["one", "two", "three", "one", "four"]) coolDown.start(party, "a");
    const waiting = ["one", "two", "three", "four"].filter((party) => coolDown.waitsUntil(party, "a"));
    expect(waiting).toEqual(["one", "three", "four"]);
  });
});

describe("on a port", () => {
  const money = new Money();
  const server = serveFaucet(money, { host: "127.0.0.1", port: 0, nowMs: () => 0 });
  afterAll(() => server.stop());

  test("answers there", async () => {
    for (let n = 0; n < 2; n++) {
      const body = JSON.stringify(good);
      const response = await fetch(`${server.url}/api/v1/mint`, { method: "POST", body });
      expect(await response.json()).toEqual({ success: true });
    }
    expect(money.deposits).toHaveLength(2);
  });

  test("does not leave loopback unless it is told to", async () => {
    const start = (allowRemote: boolean) =>
      serveFaucet(money, { host: "0.0.0.0", port: 0, nowMs: () => 0, allowRemote });
    expect(() => start(false)).toThrow(NodeError);
    await start(true).stop();
  });

  test("a port in use is told with the flag that chooses another", () => {
    const again = () => serveFaucet(money, { host: "127.0.0.1", port: server.port, nowMs: () => 0 });
    expect(again).toThrow(expect.objectContaining({ code: "port_in_use" }));
    expect(again).toThrow(expect.objectContaining({ hint: expect.stringContaining("--faucet-port") }));
  });
});

test("random bodies: an answer or an error text, nothing of the inside", async () => {
  const { mint } = faucet();
  const member = fc.oneof(fc.constantFrom(PARTY, BUILTIN, ERC20, "1", "0"), fc.jsonValue({ maxDepth: 2 }));
  const body = fc.oneof(
    fc
      .record({ party: member, amount: member, asset: member }, { requiredKeys: [] })
      .map((v) => JSON.stringify(v)),
    fc.json(),
    fc.string({ unit: "binary" }),
  );
  await fc.assert(
    fc.asyncProperty(body, async (sent) => {
      const answer = await mint(sent);
      expectNoLeak(answer.text);
      if (answer.status === 200) expect(answer.body).toEqual({ success: true });
      else expect(Object.keys(answer.body)).toEqual(["error"]);
    }),
    { seed: SEED, numRuns: runs(300) },
  );
});
