// Floods: more bodies, requests and names than a service can take. Excess is refused, other callers go on, and memory
// has a bound.
import { describe, expect, test } from "bun:test";
import { serviceFiles } from "../../../src/planes/wallet/start.ts";
import type { ApprovalRequest, Decision } from "../../../src/wallet/approvals/approver.ts";
import { ApprovalDesk } from "../../../src/wallet/approvals/desk.ts";
import { SharedQuestions } from "../../../src/wallet/service/open-wallets.ts";
import { RateLimiter, siteOf } from "../../../src/wallet/service/sites.ts";
import { eventually } from "../../support/eventually.ts";
import { privateFolder } from "../support/wallets.ts";
import { KEY_1, Rig, VOTE } from "./rig.ts";

describe("floods", () => {
  const connection = (hostname: string, id: string): ApprovalRequest => ({
    kind: "connection",
    id,
    hostname,
    origin: `https://${hostname}`,
    receivedAt: "",
    wallets: ["one"],
  });

  const keysOf = (hostname: string, id: string): ApprovalRequest => ({
    ...{ kind: "keys", id, hostname, origin: `https://${hostname}`, receivedAt: "", wallet: "one", keys: [] },
  });

  test("a crowd of large bodies is refused beyond what fits, and small ones go on", async () => {
    const rig = await Rig.start({ bodyBytesMax: 100_000 });
    const { port } = rig.running;
    const half = `POST /api/v2/requests HTTP/1.1\r\nHost: localhost\r\nContent-Length: 95000\r\n\r\n${"x".repeat(90_000)}`;
    const answers: number[] = [];
    const sockets = await Promise.all(
      Array.from({ length: 300 }, () =>
        Bun.connect({
          hostname: "127.0.0.1",
          port,
          socket: {
            data: (socket, chunk) => {
              answers.push(Number(Buffer.from(chunk).toString("latin1").split(" ")[1]));
              socket.end();
            },
            open: (socket) => void socket.write(half),
          },
        }),
      ),
    );
    await eventually(() => answers.length >= 150);
    const health = await fetch(`${rig.running.url}/v2/health`);
    const small = await rig.call("client.get_chain_id");
    for (const socket of sockets) socket.end();
    expect([health.status, small.status]).toEqual([200, 200]);
    expect(answers.filter((status) => status === 429).length).toBeGreaterThanOrEqual(150);
    await rig.stop();
  });

  test("a page without a token cannot make the wallet ask its node without end", async () => {
    const rig = await Rig.start({ limits: { requests: { perSecond: 0.5, burst: 2 } } });
    const { lastBlock } = rig.node;
    let questions = 0;
    rig.node.lastBlock = () => {
      questions++;
      return lastBlock.call(rig.node);
    };
    const answers = [];
    for (let count = 0; count < 20; count++) answers.push(await rig.call("client.get_chain_id"));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, ...Array(18).fill(429)]);
    expect(answers[2]!.body.error).toEqual({
      code: -32000,
      message: "Server error",
      data: "too many requests: try again in 2 s",
    });
    expect(answers[2]!.headers.get("retry-after")).toBe("2");
    expect(questions).toBe(2);
    await rig.stop();
  });

  test("when there is no room, whoever has the most gives up its last request", async () => {
    const desk = new ApprovalDesk({ max: 20 });
    const flood = Array.from({ length: 20 }, (_, at) =>
      desk.decide(keysOf(`flood${at % 4}.example`, `f${at}`), undefined),
    );
    const honest = desk.decide(keysOf("dapp.example", "h"), undefined);
    expect(desk.requests).toHaveLength(20);
    expect(desk.get("h")).toBeDefined();
    expect(desk.get("f16")).toBeUndefined();
    expect((await flood[16])!.outcome).toBe("busy");
    desk.answer("h", { outcome: "approved" });
    expect((await honest).outcome).toBe("approved");
    // As many pages as places: then there is none left.
    const full = new ApprovalDesk({ max: 3 });
    for (const at of [1, 2, 3]) full.decide(keysOf(`p${at}.example`, `p${at}`), undefined);
    expect((await full.decide(keysOf("late.example", "l"), undefined)).outcome).toBe("busy");
  });

  test("of a site with as many origins as it likes one connection waits, of strangers twenty in all", async () => {
    const desk = new ApprovalDesk();
    desk.serve({ isConnected: (hostname) => hostname === "bank.example", block: async () => {} });
    const answers = Array.from({ length: 600 }, (_, at) =>
      desk.decide(connection(`p${at}.evil.example:${8000 + at}`, `e${at}`), undefined),
    );
    expect(desk.requests).toHaveLength(1);
    expect(await answers[1]).toEqual({ outcome: "busy" });
    for (let at = 0; at < 600; at++) desk.decide(connection(`evil${at}.example`, `s${at}`), undefined);
    expect(desk.requests).toHaveLength(20);
    // A connected site has its place, and comes first.
    desk.decide(connection("bank.example", "bank"), undefined);
    desk.decide(keysOf("bank.example", "keys"), undefined);
    expect(desk.requests.slice(0, 2).map(({ id }) => id)).toEqual(["bank", "keys"]);
    expect(desk.rejectAll()).toBe(22);
    expect([desk.requests.length, (await answers[0])!.outcome]).toEqual([0, "rejected"]);
    desk.decide(connection("dapp.example", "h"), undefined);
    expect(desk.get("h")).toBeDefined();
  });

  test("a site that was blocked is out, under all of its names, until that is taken back", async () => {
    const folder = privateFolder();
    const desk = new ApprovalDesk();
    const rig = await Rig.start({ approver: desk, home: folder.path, hasSocket: false });
    const connect = (origin: string) => rig.call("client.connect_wallet", {}, { origin });
    const first = connect("https://a.evil.example");
    await eventually(() => desk.requests.length >= 1);
    await desk.blockSiteOf(desk.requests[0]!);
    expect((await first).body.error.code).toBe(3001);
    const again = await connect("https://b.evil.example:444");
    expect([again.body.error.code, again.body.error.data]).toEqual([3001, "the user blocked this site"]);
    expect(desk.requests).toHaveLength(0);
    const { blocked } = serviceFiles(folder.path);
    expect((await blocked.list()).map(({ site }) => site)).toEqual(["evil.example"]);
    expect(await blocked.unblock("c.evil.example")).toBe(true);
    const late = connect("https://a.evil.example");
    await eventually(() => desk.requests.length >= 1);
    desk.rejectAll();
    expect((await late).body.error.data).toBe("the user rejected the wallet connection");
    await rig.stop();
    folder.remove();
  });

  test.each([
    ["a.b.evil.co.uk:8080", "evil.co.uk"],
    ["bank.co.uk", "bank.co.uk"],
    ["a.github.io", "a.github.io"],
    ["p1.evil.example", "evil.example"],
    ["EVIL.example.", "evil.example"],
    ["localhost:3000", "localhost"],
    ["[::1]:3000", "[::1]"],
    ["127.0.0.1:8000", "127.0.0.1"],
    ["null", "null"],
  ])("%s is of the site %s", (hostname, site) => {
    expect(siteOf(hostname)).toBe(site);
  });

  test("blocking a site leaves its neighbours below the same suffix alone", async () => {
    const folder = privateFolder();
    const rig = await Rig.start({ home: folder.path, hasSocket: false });
    const authorization = await rig.ready("https://bank.co.uk");
    const evil = await rig.ready("https://www.evil.co.uk");
    await rig.running.service.block("evil.co.uk");
    const keys = (origin: string, token: string) =>
      rig.call("client.list_keys", {}, { origin, authorization: token }).then(({ status }) => status);
    expect([
      await keys("https://bank.co.uk", authorization),
      await keys("https://www.evil.co.uk", evil),
    ]).toEqual([200, 401]);
    await rig.stop();
    folder.remove();
  });

  test.each([
    ["text/plain;charset=UTF-8", {}],
    ["application/x-www-form-urlencoded", {}],
    ["multipart/form-data; boundary=x", {}],
    [undefined, { "sec-fetch-site": "cross-site" }],
  ])("a connection that any page could post unasked (%p) asks nobody", async (type, headers) => {
    const rig = await Rig.start();
    const answer = await rig.call("client.connect_wallet", {}, { "content-type": type, ...headers });
    expect([answer.status, answer.body.error.code, rig.person.asked.length]).toEqual([415, -32600, 0]);
    await rig.stop();
  });

  test("waiting requests take a bounded amount of memory", async () => {
    const large = new ApprovalDesk({ charactersMax: 250_000 });
    const transaction = (hostname: string, id: string) =>
      ({ kind: "transaction", id, hostname, raw: "x".repeat(100_000) }) as ApprovalRequest;
    large.decide(transaction("a.example", "a1"), undefined);
    const second = large.decide(transaction("a.example", "a2"), undefined);
    expect((await large.decide(transaction("a.example", "a3"), undefined)).outcome).toBe("busy");
    large.decide(transaction("b.example", "b1"), undefined);
    expect((await second).outcome).toBe("busy");
    expect(large.requests.map(({ id }) => id)).toEqual(["a1", "b1"]);
  });

  test("waiting requests keep nothing of the parameters that came with them", async () => {
    const waiting: ((decision: Decision) => void)[] = [];
    const rig = await Rig.start();
    const token = await rig.ready();
    rig.person.answer = () => new Promise((resolve) => waiting.push(resolve));
    const heapBytes = () => {
      Bun.gc(true);
      return process.memoryUsage().heapUsed;
    };
    const before = heapBytes();
    const params = { publicKey: KEY_1, transaction: VOTE, more: Array(200_000).fill({}) };
    const answers = ["client.connect_wallet", "client.check_transaction"].flatMap((method) =>
      [1, 2, 3, 4].map(() => rig.call(method, params, { authorization: token })),
    );
    await eventually(() => waiting.length >= answers.length);
    expect(heapBytes() - before).toBeLessThan(30_000_000);
    for (const resolve of waiting) resolve({ outcome: "rejected" });
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(Array(8).fill(400));
    await rig.stop();
  });

  test("new names do not make the limits of others forgotten", () => {
    const limiter = new RateLimiter({ perSecond: 0.001, burst: 1 }, () => 0);
    expect(limiter.acquire("evil.example")).toBe(0);
    for (let count = 0; count < 9_000; count++) {
      limiter.acquire(`sub${count}.evil.example`);
      if (count % 1_000 === 0) expect(limiter.acquire("evil.example")).toBeGreaterThan(0);
    }
    expect(limiter.acquire("evil.example")).toBeGreaterThan(0);
  });
});

describe("questions that several wait for", () => {
  test("are asked once; when the one who asked goes away, the next one asks", async () => {
    const questions = new SharedQuestions<string>();
    const first = new AbortController();
    const second = new AbortController();
    let shownCount = 0;
    const ended = questions.ask("q", first.signal, () => {
      shownCount++;
      return new Promise((_, reject) =>
        first.signal.addEventListener("abort", () => reject(new Error("gone"))),
      );
    });
    const answered = questions.ask("q", second.signal, async () => {
      shownCount++;
      return "yes";
    });
    expect(shownCount).toBe(1);
    first.abort();
    expect(await ended.catch((error: Error) => error.message)).toBe("gone");
    expect([await answered, shownCount]).toEqual(["yes", 2]);
  });

  test("a refusal is for all of them", async () => {
    const questions = new SharedQuestions<string>();
    const { signal } = new AbortController();
    const refusal = Promise.withResolvers<string>();
    const both = [1, 2].map(() => questions.ask("q", signal, () => refusal.promise));
    refusal.reject(new Error("no"));
    const outcomes = await Promise.allSettled(both);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  });
});
