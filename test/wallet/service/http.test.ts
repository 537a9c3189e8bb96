// The service on a port: routes, cross-origin rules, hosts, limits, and a hundred pages at once.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { isAllowedHost } from "../../../src/planes/wallet/cors.ts";
import { startWalletService } from "../../../src/planes/wallet/start.ts";
import { ApprovalDesk } from "../../../src/wallet/approvals/desk.ts";
import { eventually } from "../../support/eventually.ts";
import { FakeNode } from "../sending/fake-node.ts";
import { codeOf } from "../support/failures.ts";
import { cheapStore } from "../support/wallets.ts";
import { answerOf, ORIGIN, Person, Rig } from "./rig.ts";

let rig: Rig;
beforeAll(async () => {
  rig = await Rig.start();
});
afterAll(() => rig.stop());

const ask = (path: string, init: RequestInit = {}) =>
  fetch(new URL(path, rig.running.url), { redirect: "manual", ...init });

describe("routes", () => {
  test("health and methods", async () => {
    const health = await ask("/api/v2/health");
    expect([health.status, await health.text(), health.headers.get("vary")]).toEqual([200, "", "Origin"]);
    expect([health.headers.get("content-type"), health.headers.get("content-length")]).toEqual([null, "0"]);
    const methods = await ask("/api/v2/methods", { headers: { origin: ORIGIN } });
    expect([methods.status, methods.headers.get("content-type")]).toEqual([200, "application/json"]);
    expect(await methods.json()).toEqual({
      result: {
        registeredMethods: [
          "client.check_transaction",
          "client.connect_wallet",
          "client.disconnect_wallet",
          "client.get_chain_id",
          "client.list_keys",
          "client.send_transaction",
          "client.sign_transaction",
        ],
      },
    });
    expect(methods.headers.get("access-control-allow-origin")).toBe("*");
  });

  const others: readonly (readonly [
    method: string,
    path: string,
    status: number,
    header: string,
    value: string | null,
  ])[] = [
    ["GET", "/", 200, "x-content-type-options", "nosniff"],
    ["GET", "/api", 404, "content-type", "text/plain; charset=utf-8"],
    ["POST", "/api/v2/nothing", 404, "content-type", "text/plain; charset=utf-8"],
    ["GET", "/api/v1/version", 404, "content-type", "text/plain; charset=utf-8"],
    ["GET", "/api/v2/requests", 405, "allow", "OPTIONS, POST"],
    ["PUT", "/api/v2/requests", 405, "allow", "OPTIONS, POST"],
    ["POST", "/api/v2/health", 405, "allow", "GET, OPTIONS"],
    ["HEAD", "/api/v2/health", 200, "allow", null],
    ["HEAD", "/api/v2/methods", 200, "content-type", "application/json"],
    ["HEAD", "/api/v2/requests", 405, "allow", "OPTIONS, POST"],
    ["HEAD", "/api/v2/health/", 301, "location", "/api/v2/health"],
    ["HEAD", "/nothing", 404, "vary", "Origin"],
    ["OPTIONS", "/api/v2/requests", 200, "allow", "OPTIONS, POST"],
    ["GET", "/api/v2/health/", 301, "location", "/api/v2/health"],
    ["GET", "/api/v2/methods/?a=1", 301, "location", "/api/v2/methods?a=1"],
    ["PUT", "/api/v2/methods/", 307, "location", "/api/v2/methods"],
    ["OPTIONS", "/api/v2/health", 200, "allow", "GET, OPTIONS"],
    ["PATCH", "/api/v2/methods", 405, "allow", "GET, OPTIONS"],
    ["POST", "/api/v2/methods", 405, "x-content-type-options", "nosniff"],
    ["GET", "/nothing", 404, "vary", "Origin"],
    ["GET", "/api/v2/requests", 405, "vary", "Origin"],
    ["POST", "/api/v2/requests/", 307, "location", "/api/v2/requests"],
  ];
  test.each(others)("%s %s: %d", async (method, path, status, header, value) => {
    const answer = await ask(path, { method });
    expect([answer.status, answer.headers.get(header)]).toEqual([status, value]);
  });

  test("HEAD is refused for another host, as GET is", async () => {
    for (const method of ["HEAD", "GET"]) {
      const request = new Request("http://evil.example/api/v2/health", {
        method,
        headers: { host: "evil.example" },
      });
      expect((await rig.running.fetch(request)).status).toBe(403);
    }
  });

  test("texts of refusals", async () => {
    expect(await (await ask("/nothing")).text()).toBe("404 page not found\n");
    expect(await (await ask("/api/v2/requests")).text()).toBe("Method Not Allowed\n");
  });
});

describe("pages of other origins", () => {
  const preflight = (headers: Record<string, string>, path = "/api/v2/requests") =>
    ask(path, { method: "OPTIONS", headers: { origin: ORIGIN, ...headers } });

  test("may ask, with the headers they name", async () => {
    const answer = await preflight({
      "access-control-request-method": "POST",
      "access-control-request-headers": "content-type,authorization",
    });
    expect(answer.status).toBe(204);
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect(answer.headers.get("access-control-allow-methods")).toBe("POST");
    expect(answer.headers.get("access-control-allow-headers")).toBe("Content-Type, Authorization");
    expect(answer.headers.get("vary")).toBe(
      "Origin, Access-Control-Request-Method, Access-Control-Request-Headers",
    );
    expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
  });

  test("any path, also none; a method outside of the list gets nothing", async () => {
    expect((await preflight({ "access-control-request-method": "GET" }, "/nothing")).status).toBe(204);
    const answer = await preflight({ "access-control-request-method": "TRACE" });
    expect([...answer.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
    expect([answer.status, answer.headers.get("vary")]).toEqual([
      204,
      "Origin, Access-Control-Request-Method, Access-Control-Request-Headers",
    ]);
  });

  test.each(["HEAD", "GET", "POST", "PUT", "PATCH", "DELETE"])("%s is in the list", async (method) => {
    const answer = await preflight({ "access-control-request-method": method });
    expect(answer.headers.get("access-control-allow-methods")).toBe(method);
    expect(answer.headers.get("access-control-allow-headers")).toBeNull();
    expect(answer.headers.get("access-control-max-age")).toBeNull();
  });

  test("OPTIONS without what makes it a preflight is none", async () => {
    const answer = await ask("/api/v2/requests", { method: "OPTIONS", headers: { origin: ORIGIN } });
    expect([answer.status, answer.headers.get("allow"), await answer.text()]).toEqual([
      200,
      "OPTIONS, POST",
      "",
    ]);
    expect((await ask("/nothing", { method: "OPTIONS", headers: { origin: ORIGIN } })).status).toBe(404);
  });

  test("a token can be read by the page that gets it", async () => {
    const post = (body: object, headers: Record<string, string> = {}) =>
      ask("/api/v2/requests", {
        method: "POST",
        headers: { origin: ORIGIN, ...headers },
        body: JSON.stringify({ jsonrpc: "2.0", id: "1", ...body }),
      });
    const connected = await post({ method: "client.connect_wallet" });
    const token = connected.headers.get("authorization")!;
    const listed = await post({ method: "client.list_keys", params: {} }, { authorization: token });
    for (const answer of [connected, listed]) {
      expect(answer.headers.get("authorization")).toBe(token);
      expect(answer.headers.get("access-control-expose-headers")).toBe("Authorization");
      expect(answer.headers.get("access-control-allow-headers")).toBe("Authorization");
      expect(answer.headers.get("access-control-allow-origin")).toBe("*");
      expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
      expect(answer.headers.get("cache-control")).toBe("no-store");
    }
    rig.person.asked.splice(0);
  });

  test("a public page may reach this machine", async () => {
    const answer = await preflight({
      "access-control-request-method": "POST",
      "access-control-request-private-network": "true",
    });
    expect(answer.headers.get("access-control-allow-private-network")).toBe("true");
  });

  test("answers can be read", async () => {
    const answer = await ask("/api/v2/requests", { method: "POST", body: "x", headers: { origin: ORIGIN } });
    expect([answer.headers.get("access-control-allow-origin"), answer.headers.get("vary")]).toEqual([
      "*",
      "Origin",
    ]);
  });
});

describe("hosts", () => {
  const hosts: readonly (readonly [string | null, boolean])[] = [
    ["127.0.0.1:1789", true],
    ["127.0.0.1", true],
    ["127.9.9.9:80", true],
    ["localhost:1789", true],
    ["LOCALHOST", true],
    ["wallet.localhost:1789", true],
    ["[::1]:1789", true],
    ["localhost.:1789", true],
    ["evil.example:1789", false],
    ["127.0.0.1.evil.example", false],
    ["localhost.evil.example", false],
    ["evil-localhost", false],
    ["0.0.0.0:1789", false],
    ["192.168.1.5:1789", false],
    ["[::]:1789", false],
    ["", false],
    [null, false],
  ];
  test.each(hosts)("%p: %p", (host, isAllowed) => {
    expect(isAllowedHost(host)).toBe(isAllowed);
  });

  test("an address of IPv6 that is listened on stands in brackets", () => {
    expect(isAllowedHost("[fd00::1]:1789", ["fd00::1"])).toBe(true);
    expect(isAllowedHost("[fd00::2]:1789", ["fd00::1"])).toBe(false);
  });

  test("a rebound name is refused, whatever the path, and nothing is done", async () => {
    for (const path of ["/api/v2/requests", "/api/v2/methods", "/nothing"]) {
      const answer = await ask(path, {
        method: path.endsWith("requests") ? "POST" : "GET",
        headers: { host: "evil.example", origin: "http://evil.example" },
        ...(path.endsWith("requests") && {
          body: '{"jsonrpc":"2.0","method":"client.connect_wallet","id":"1"}',
        }),
      });
      expect([answer.status, await answer.text()]).toEqual([403, "the Host header names another machine\n"]);
    }
    expect(rig.person.asked).toEqual([]);
  });

  test("other machines reach it only when that is said twice", async () => {
    const options = {
      store: cheapStore(),
      nodes: [new FakeNode()],
      approver: new Person(),
      port: 0,
      host: "0.0.0.0",
    };
    expect(await codeOf(() => startWalletService(options))).toBe("not_loopback");
  });

  test("a port that is taken", async () => {
    const options = {
      store: cheapStore(),
      nodes: [new FakeNode()],
      approver: new Person(),
      port: rig.running.port,
    };
    expect(await codeOf(() => startWalletService(options))).toBe("port_in_use");
  });
});

describe("limits", () => {
  test("a body beyond the limit is refused with an error object, a huge one without", async () => {
    const small = await Rig.start({ bodyBytesMax: 1_000 });
    const url = `${small.running.url}/v2/requests`;
    const long = await answerOf(await fetch(url, { method: "POST", body: " ".repeat(1_001) }));
    expect([long.status, long.body.error.code, long.body.error.data]).toEqual([
      413,
      -32700,
      "the request body is longer than 1000 bytes",
    ]);
    const huge = await fetch(url, { method: "POST", body: " ".repeat(100_000) }).catch(() => undefined);
    expect(huge === undefined || huge.status === 413).toBe(true);
    await small.stop();
  });

  test("a page that asks too often is told to wait; others are not", async () => {
    const limited = await Rig.start({ limits: { requests: { perSecond: 1, burst: 2 } } });
    const statuses: number[] = [];
    for (let count = 0; count < 4; count++)
      statuses.push((await limited.call("client.connect_wallet")).status);
    expect(statuses).toEqual([200, 200, 429, 429]);
    const other = await limited.call("client.connect_wallet", {}, { origin: "https://other.example" });
    expect(other.status).toBe(200);
    await limited.stop();
  });

  test("a page that floods connections has one waiting, and keeps nobody else from being asked next", async () => {
    const desk = new ApprovalDesk();
    const asking = await Rig.start({ approver: desk });
    const flood = Array.from({ length: 50 }, () =>
      asking.call("client.connect_wallet", {}, { origin: "https://flood.example" }),
    );
    await eventually(() => desk.requests.length === 1);
    const honest = asking.call("client.connect_wallet");
    await eventually(() => desk.requests.length > 1);
    expect(desk.requests.map(({ hostname }) => hostname)).toEqual(["flood.example", "dapp.example"]);
    for (const { id } of desk.requests) desk.answer(id, { outcome: "rejected" });
    const codes = (await Promise.all(flood)).map(({ body }) => body.error.code);
    expect(codes.filter((code) => code === 2000)).toHaveLength(49);
    expect(codes.filter((code) => code === 3001)).toHaveLength(1);
    expect((await honest).body.error.code).toBe(3001);
    await asking.stop();
  });

  test("stopping ends what waits, and frees the port", async () => {
    const desk = new ApprovalDesk();
    const asking = await Rig.start({ approver: desk });
    const waiting = asking.call("client.connect_wallet");
    await eventually(() => desk.requests.length === 1);
    await asking.stop();
    const { status, headers, body } = await waiting;
    expect([status, headers.get("retry-after"), body.error.code]).toEqual([503, "1", 3000]);
    const again = await Rig.start({ port: asking.running.port });
    expect(again.running.port).toBe(asking.running.port);
    await again.stop();
  });
});

test("a hundred pages at once, over the port: each has its own session and sends", async () => {
  const many = await Rig.start();
  const url = `${many.running.url}/v2/requests`;
  const call = async (origin: string, method: string, params: unknown, authorization?: string) =>
    answerOf(
      await fetch(url, {
        method: "POST",
        headers: { origin, ...(authorization !== undefined && { authorization }) },
        body: JSON.stringify({ jsonrpc: "2.0", method, params, id: "1" }),
      }),
    );
  const outcomes = await Promise.all(
    Array.from({ length: 100 }, async (_, at) => {
      const origin = `https://page-${at}.example`;
      const { token } = await call(origin, "client.connect_wallet", {});
      const keys = await call(origin, "client.list_keys", {}, token!);
      const stolen = await call("https://thief.example", "client.list_keys", {}, token!);
      return {
        token,
        keys: keys.body.result?.keys.length,
        echoed: keys.token === token,
        stolen: stolen.status,
      };
    }),
  );
  expect(new Set(outcomes.map(({ token }) => token)).size).toBe(100);
  expect(outcomes.every(({ keys, echoed, stolen }) => keys === 2 && echoed && stolen === 401)).toBe(true);
  await many.stop();
});
