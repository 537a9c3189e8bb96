// Callers and their tokens: hostnames (docs/protocol/50-wallet-service.md#15-hostname-extraction), tokens and
// sessions (2.1 to 2.4), the interface's docs/protocol/50-wallet-keystore.md#5-keystore.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { askService } from "../../../src/cli/wallet-session.ts";
import { serviceFiles } from "../../../src/planes/wallet/start.ts";
import type { Decision } from "../../../src/wallet/approvals/approver.ts";
import { secureRandom } from "../../../src/wallet/random.ts";
import { hostnameOf } from "../../../src/wallet/service/sites.ts";
import { newToken, tokenHash } from "../../../src/wallet/service/tokens.ts";
import { eventually } from "../../support/eventually.ts";
import { privateFolder } from "../support/wallets.ts";
import { KEY_1, KEY_2, ORIGIN, Rig, VOTE } from "./rig.ts";

describe("hostnames", () => {
  const origins: readonly (readonly [origin: string, hostname: string])[] = [
    ["http://dapp.example", "dapp.example"],
    ["https://dapp.example:8080/path?x#y", "dapp.example:8080"],
    ["HTTPS://DApp.Example", "DApp.Example"],
    ["https://user:pw@dapp.example", "dapp.example"],
    ["http://[::1]:3000", "[::1]:3000"],
    ["dapp.example:8080", "dapp.example:8080"],
    ["null", "null"],
    ["file://", "file://"],
    ["127.0.0.1:3000", "127.0.0.1:3000"],
    ["://bad", "://bad"],
  ];
  test.each(origins)("Origin %s", (origin, hostname) => {
    expect(hostnameOf(origin, "http://other.example")).toBe(hostname);
  });

  const referers: readonly (readonly [referer: string | null, outcome: string])[] = [
    ["https://dapp.example:1/path", "dapp.example:1"],
    ["/path", "the Origin header is required"],
    ["dapp.example/x", "the Origin header is required"],
    ["127.0.0.1:3000", "could not parse the Referer header: it is not an address"],
    ["://bad", "could not parse the Referer header: it is not an address"],
    ["", "the Origin header is required"],
    [null, "the Origin header is required"],
  ];
  test.each(referers)("Referer %p alone", (referer, outcome) => {
    let derived: string;
    try {
      derived = hostnameOf("", referer);
    } catch (error) {
      derived = (error as Error).message;
    }
    expect(derived).toBe(outcome);
  });
});

test("tokens are 64 letters and digits, each as likely, and no two the same", () => {
  const counts = new Map<string, number>();
  const tokens = new Set<string>();
  for (let count = 0; count < 2_000; count++) {
    const token = newToken(secureRandom);
    expect(token).toMatch(/^[a-zA-Z0-9]{64}$/);
    tokens.add(token);
    for (const letter of token) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  }
  expect(tokens.size).toBe(2_000);
  const expected = (2_000 * 64) / 62;
  for (const count of counts.values()) expect(Math.abs(count - expected)).toBeLessThan(expected * 0.15);
});

describe("without a good token", () => {
  let rig: Rig;
  let good: string;
  beforeAll(async () => {
    rig = await Rig.start();
    good = await rig.ready();
  });
  afterAll(() => rig.stop());

  const methods = [
    "client.list_keys",
    "client.sign_transaction",
    "client.send_transaction",
    "client.check_transaction",
  ];
  const headers: readonly (readonly [string, string | undefined, string])[] = [
    ["none", undefined, "the Authorization header is required"],
    ["another scheme", `Bearer ${"a".repeat(64)}`, "the Authorization header only support the VWT scheme"],
    [
      "the scheme in small letters",
      `vwt ${"a".repeat(64)}`,
      "the Authorization header only support the VWT scheme",
    ],
    ["no blank", `VWT${"a".repeat(64)}`, "the Authorization header only support the VWT scheme"],
    ["the scheme alone", "VWT", "the Authorization value is not a valid VWT"],
    ["63 letters", `VWT ${"a".repeat(63)}`, "the token has not a valid format"],
    ["65 letters", `VWT ${"a".repeat(65)}`, "the token has not a valid format"],
    ["a guess", `VWT ${"a".repeat(64)}`, "there is no connection associated to this authentication token"],
    [
      "64 other characters",
      `VWT ${"-".repeat(64)}`,
      "there is no connection associated to this authentication token",
    ],
  ];
  for (const method of methods) {
    test.each(headers)(`${method}, %s: 401`, async (_name, authorization, data) => {
      const answer = await rig.call(method, {}, { authorization });
      expect([answer.status, answer.body.error]).toEqual([
        401,
        { code: -32003, message: "Server error", data },
      ]);
      expect(answer.headers.get("www-authenticate")).toBe("VWT");
      expect(answer.token).toBeNull();
    });
  }

  test("another origin with a good token: 401", async () => {
    const answer = await rig.call(
      "client.list_keys",
      {},
      { authorization: good, origin: "https://evil.example" },
    );
    expect([answer.status, answer.body.error.data]).toEqual([
      401,
      "the hostname from the request does not match the one that initiated the connection",
    ]);
    expect(answer.token).toBeNull();
  });

  test("blanks around the token are no part of it", async () => {
    const answer = await rig.call("client.list_keys", {}, { authorization: good.replace(" ", "   ") });
    expect(answer.status).toBe(200);
  });

  test.each([...methods, "client.connect_wallet", "client.get_chain_id", "client.disconnect_wallet"])(
    "%s without Origin: 401 before anything else",
    async (method) => {
      const answer = await rig.call(method, {}, { origin: undefined, authorization: good });
      expect([answer.status, answer.body.error]).toEqual([
        401,
        { code: -32002, message: "Server error", data: "the Origin header is required" },
      ]);
      expect(answer.headers.get("www-authenticate")).toBe("VWT");
    },
  );

  test("a Referer says the same as an Origin", async () => {
    const answer = await rig.call(
      "client.list_keys",
      {},
      { origin: undefined, referer: `${ORIGIN}/page`, authorization: good },
    );
    expect(answer.status).toBe(200);
  });

  test("too many guesses are told to wait", async () => {
    const limited = await Rig.start({ limits: { requests: { perSecond: 1, burst: 3 } } });
    const statuses: number[] = [];
    let last = await limited.call("client.list_keys", {}, { authorization: `VWT ${"x".repeat(64)}` });
    for (let count = 0; count < 5; count++) {
      statuses.push(last.status);
      last = await limited.call("client.list_keys", {}, { authorization: `VWT ${"x".repeat(64)}` });
    }
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
    expect(last.headers.get("retry-after")).toBe("1");
    // Others are not kept waiting.
    const other = await limited.call("client.list_keys", {}, { origin: "https://other.example" });
    expect(other.status).toBe(401);
    await limited.stop();
  });
});

describe("sessions", () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await Rig.start({ wallets: ["first", "second"] });
    rig.person.answer = async (request) =>
      request.kind === "passphrase"
        ? { outcome: "approved", passphrase: new Uint8Array(Buffer.from("correct horse battery staple")) }
        : { outcome: "approved", wallet: "first" };
  });
  afterAll(() => rig.stop());

  test("the token comes in the header, with what lets a page read it, and not in the body", async () => {
    const answer = await rig.call("client.connect_wallet");
    expect(answer.token).toMatch(/^VWT [a-zA-Z0-9]{64}$/);
    expect(answer.text).not.toContain(answer.token!.slice(4));
    expect(answer.headers.get("access-control-expose-headers")).toBe("Authorization");
    expect(answer.headers.get("access-control-allow-headers")).toBe("Authorization");
  });

  test("it is echoed on every authenticated answer, failures too", async () => {
    const authorization = await rig.ready();
    const answers = await Promise.all([
      rig.call("client.list_keys", {}, { authorization }),
      rig.call("client.get_chain_id", {}, { authorization }),
      rig.call("client.nothing", {}, { authorization }),
      rig.call("client.send_transaction", {}, { authorization }),
      rig.call("client.sign_transaction", { publicKey: KEY_1, transaction: VOTE }, { authorization }),
    ]);
    // An unknown method recognises no caller.
    expect(answers.map(({ token }) => token)).toEqual([
      authorization,
      authorization,
      null,
      authorization,
      authorization,
    ]);
  });

  test("connecting again gives a new token, and the old one is over at once", async () => {
    const old = await rig.ready();
    const questions = rig.person.asked.length;
    const next = await rig.connect();
    expect(rig.person.kinds.slice(questions)).toEqual(["connection"]);
    expect(next).not.toBe(old);
    expect((await rig.call("client.list_keys", {}, { authorization: old })).status).toBe(401);
    expect((await rig.call("client.list_keys", {}, { authorization: next })).status).toBe(200);
  });

  test("a hostname can use two wallets, and a wallet two hostnames", async () => {
    const one = await rig.ready();
    const answer = rig.person.answer;
    rig.person.answer = (request, signal) =>
      request.kind === "connection" ? { outcome: "approved", wallet: "second" } : answer(request, signal);
    const two = await rig.ready();
    const three = await rig.ready("https://other.example");
    rig.person.answer = answer;
    const statuses = await Promise.all([
      rig.call("client.list_keys", {}, { authorization: one }),
      rig.call("client.list_keys", {}, { authorization: two }),
      rig.call("client.list_keys", {}, { authorization: three, origin: "https://other.example" }),
    ]);
    expect(statuses.map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  test("disconnecting ends the session; any well-formed token is good for it", async () => {
    const authorization = await rig.ready();
    const answer = await rig.call("client.disconnect_wallet", {}, { authorization });
    expect([answer.status, answer.text, answer.token]).toEqual([
      200,
      '{"jsonrpc":"2.0","result":null,"id":"1"}',
      null,
    ]);
    const again = await rig.call("client.list_keys", {}, { authorization });
    expect([again.status, again.body.error.data]).toEqual([
      401,
      "there is no connection associated to this authentication token",
    ]);
    const unknown = await rig.call(
      "client.disconnect_wallet",
      {},
      { authorization: `VWT ${"a".repeat(64)}` },
    );
    expect(unknown.status).toBe(200);
    const malformed = await rig.call("client.disconnect_wallet", {}, { authorization: "VWT a" });
    expect([malformed.status, malformed.body.error.data]).toEqual([401, "the token has not a valid format"]);
    const none = await rig.call("client.disconnect_wallet");
    expect([none.status, none.body.error.data]).toEqual([401, "the Authorization header is required"]);
  });

  test("a page cannot disconnect another one", async () => {
    const authorization = await rig.ready();
    const origin = "https://evil.example";
    expect((await rig.call("client.disconnect_wallet", {}, { authorization, origin })).status).toBe(200);
    expect((await rig.call("client.list_keys", {}, { authorization })).status).toBe(200);
  });

  test("a hostname is thrown out at once, with what it is doing", async () => {
    const authorization = await rig.ready();
    const answer = rig.person.answer;
    const isAsked = Promise.withResolvers<void>();
    const late = Promise.withResolvers<Decision>();
    rig.person.answer = (request) => {
      isAsked.resolve();
      return request.kind === "transaction" ? late.promise : { outcome: "rejected" };
    };
    const sending = rig.send(authorization);
    await isAsked.promise;
    await rig.running.service.revokeHostname("dapp.example");
    late.resolve({ outcome: "approved" });
    const sent = await sending;
    rig.person.answer = answer;
    expect([sent.status, sent.body.error.code, sent.body.error.data]).toEqual([
      400,
      3000,
      "the user closed the connection",
    ]);
    expect(rig.node.mempool.size).toBe(0);
    const later = await rig.call("client.list_keys", {}, { authorization });
    expect([later.status, later.body.error.data]).toEqual([401, "the connection has been closed"]);
  });
});

describe("over a restart", () => {
  test("sessions last where the user chose so, and no file holds a token", async () => {
    const folder = privateFolder();
    const first = await Rig.start({ home: folder.path, hasSocket: false });
    first.person.answer = (request) =>
      request.kind === "passphrase"
        ? { outcome: "approved", passphrase: new Uint8Array(Buffer.from("correct horse battery staple")) }
        : { outcome: "approved", isKept: request.hostname === "kept.example" };
    const kept = await first.ready("https://kept.example");
    const lost = await first.ready("https://lost.example");
    await first.stop();
    const written = await Bun.file(`${folder.path}/wallet-service/sessions.json`).text();
    expect(written).not.toContain(kept.slice(4));
    expect(written).toContain(tokenHash(kept.slice(4)));
    expect(written).not.toContain("lost.example");

    const second = await Rig.start({ home: folder.path, hasSocket: false, store: first.store, wallets: [] });
    const answers = [
      await second.call("client.list_keys", {}, { authorization: kept, origin: "https://kept.example" }),
      await second.call("client.list_keys", {}, { authorization: lost, origin: "https://lost.example" }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 401]);
    // The wallet was locked, and the keys had been shown before.
    expect(second.person.kinds).toEqual(["passphrase"]);
    await second.stop();
    folder.remove();
  });

  test("long-living tokens: any hostname, no review, their own end", async () => {
    const folder = privateFolder();
    let nowMs = Date.parse("2026-01-01T00:00:00Z");
    const rig = await Rig.start({ home: folder.path, hasSocket: false, wallMs: () => nowMs });
    const { tokens } = serviceFiles(folder.path);
    const expiresAt = "2026-01-02T00:00:00.000Z";
    const { token, id } = await tokens.add({
      wallet: "vectors",
      description: "bot",
      createdAt: "",
      expiresAt,
    });
    expect(await Bun.file(`${folder.path}/wallet-service/tokens.json`).text()).not.toContain(token);
    const authorization = `VWT ${token}`;
    const listed = await rig.call("client.list_keys", {}, { authorization, origin: "https://any.example" });
    expect(listed.body.result.keys.map((key: { publicKey: string }) => key.publicKey)).toEqual([
      KEY_1,
      KEY_2,
    ]);
    const sent = await rig.send(authorization, {}, "https://other.example");
    expect(sent.status).toBe(200);
    expect(rig.person.kinds).toEqual(["passphrase"]);
    const without = await rig.call("client.list_keys", {}, { authorization, origin: undefined });
    expect(without.status).toBe(401);
    // Disconnecting succeeds and changes nothing.
    expect((await rig.call("client.disconnect_wallet", {}, { authorization })).status).toBe(200);
    expect((await rig.call("client.list_keys", {}, { authorization })).status).toBe(200);
    nowMs = Date.parse(expiresAt);
    const late = await rig.call("client.list_keys", {}, { authorization });
    expect([late.status, late.body.error.data]).toEqual([401, "the token has expired"]);
    nowMs -= 1;
    await tokens.remove(id);
    const removed = await rig.call("client.list_keys", {}, { authorization });
    expect([removed.status, removed.body.error.data]).toEqual([
      401,
      "there is no connection associated to this authentication token",
    ]);
    await rig.stop();
    folder.remove();
  });
});

test("a long-living token that is removed, or over, while its transaction waits sends nothing any more", async () => {
  const folder = privateFolder();
  let nowMs = Date.parse("2026-01-01T00:00:00Z");
  const rig = await Rig.start({ home: folder.path, hasSocket: false, wallMs: () => nowMs });
  const { tokens } = serviceFiles(folder.path);
  const expiresAt = "2026-01-02T00:00:00.000Z";
  const newToken = { wallet: "vectors", description: "bot", createdAt: "", expiresAt };
  // The owner takes a while to decide on tokens.
  Object.assign(rig.person, { decidesOnTokens: true });
  const { answer } = rig.person;
  const sendWhile = async (token: string, meanwhile: () => unknown) => {
    const before = rig.node.submissions;
    rig.person.answer = async (request) => {
      if (request.kind === "transaction") await meanwhile();
      return answer(request);
    };
    const { status, body } = await rig.send(`VWT ${token}`);
    return [status, body.error?.data, rig.node.submissions - before];
  };
  const first = await tokens.add(newToken);
  expect(await sendWhile(first.token, () => {})).toEqual([200, undefined, 1]);
  expect(await sendWhile(first.token, () => tokens.remove(first.id))).toEqual([
    401,
    "there is no connection associated to this authentication token",
    0,
  ]);
  const second = await tokens.add(newToken);
  const end = () => {
    nowMs = Date.parse(expiresAt);
  };
  expect(await sendWhile(second.token, end)).toEqual([401, "the token has expired", 0]);
  await rig.stop();
  folder.remove();
});

test("a long-living token ends with its wallet: another one of its name is not its own", async () => {
  const folder = privateFolder();
  const rig = await Rig.start({ home: folder.path, wallets: ["one", "two", "three"] });
  const { tokens } = serviceFiles(folder.path);
  const rest = { description: "", createdAt: "", expiresAt: null };
  for (const wallet of ["one", "one", "two", "three"]) await tokens.add({ wallet, ...rest });
  await askService(folder.path, "admin.remove_wallet", { wallet: "one" });
  expect((await tokens.list()).map(({ wallet }) => wallet)).toEqual(["two", "three"]);
  await askService(folder.path, "admin.rename_wallet", { wallet: "two", newName: "one" });
  expect((await tokens.list()).map(({ wallet }) => wallet)).toEqual(["three"]);
  await rig.stop();
  folder.remove();
});

describe("changes of a wallet by other processes", () => {
  test("another passphrase closes its connections, another name or none ends them", async () => {
    const rig = await Rig.start({ wallets: ["one", "two"], checkMs: 20 });
    const connectTo = async (wallet: string, origin: string) => {
      rig.person.answer = (request) =>
        request.kind === "passphrase"
          ? { outcome: "approved", passphrase: new Uint8Array(Buffer.from("correct horse battery staple")) }
          : { outcome: "approved", wallet };
      return rig.ready(origin);
    };
    const one = await connectTo("one", "https://one.example");
    const two = await connectTo("two", "https://two.example");
    const other = await rig.store.unlock("one", new Uint8Array(Buffer.from("correct horse battery staple")));
    await rig.store.changePassphrase(other, new Uint8Array(Buffer.from("another one")));
    await rig.store.delete("two");
    const refusal = (authorization: string, origin: string) =>
      eventually(async () => {
        const answer = await rig.call("client.list_keys", {}, { authorization, origin });
        return answer.status !== 200 && answer;
      });
    const closed = await refusal(one, "https://one.example");
    expect([closed.status, closed.body.error.data]).toEqual([401, "the connection has been closed"]);
    const ended = await refusal(two, "https://two.example");
    expect([ended.status, ended.body.error.data]).toEqual([
      401,
      "there is no connection associated to this authentication token",
    ]);
    await rig.stop();
  });

  test("revoked permissions count within a moment", async () => {
    const rig = await Rig.start({ checkMs: 20 });
    const authorization = await rig.ready();
    const other = await rig.store.unlock(
      "vectors",
      new Uint8Array(Buffer.from("correct horse battery staple")),
    );
    await other.revokePermissions("dapp.example");
    const sent = await eventually(async () => {
      const answer = await rig.send(authorization);
      return answer.body.error?.code === 2000 && answer;
    });
    expect(sent.status).toBe(400);
    await rig.stop();
  });
});
