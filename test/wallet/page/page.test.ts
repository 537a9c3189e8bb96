// The wallet's page over HTTP: what its own page may do, and everything that others try.
import { afterEach, describe, expect, test } from "bun:test";
import { ApprovalDesk } from "../../../src/wallet/approvals/desk.ts";
import { requestLines, shown } from "../../../src/wallet/approvals/shown.ts";
import { answerInTerminal, DeskSource } from "../../../src/wallet/approvals/terminal.ts";
import type { Inclusion } from "../../../src/wallet/sending/inclusion.ts";
import { eventually } from "../../support/eventually.ts";
import { KEY_1, ORIGIN, Rig, type RpcAnswer, VOTE } from "../service/rig.ts";
import { PASSPHRASE, privateFolder } from "../support/wallets.ts";

const HOST = "127.0.0.1:1789";
const OWN = `http://${HOST}`;
const FIREFOX = { "user-agent": "Firefox", "accept-language": "en" };
const SAME_ORIGIN = { "sec-fetch-site": "same-origin", "sec-fetch-dest": "empty", "sec-fetch-mode": "cors" };

interface Answered {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into by tests
  readonly body: any;
  readonly headers: Headers;
}

const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

/** A service with a desk, a page of another origin that is connected, and a browser on the wallet's own page. */
class Scene {
  readonly desk = new ApprovalDesk();
  /** The clock of showing and holding. */
  nowMs = 0;
  rig!: Rig;
  cookie = "";
  secret = "";

  static async start(options: { readonly hasHome?: boolean } = {}): Promise<Scene> {
    const scene = new Scene();
    const folder = privateFolder();
    endings.push(folder.remove);
    scene.rig = await Rig.start({
      approver: scene.desk,
      nowMs: () => scene.nowMs,
      ...(options.hasHome && { home: folder.path, hasSocket: false }),
    });
    endings.push(() => scene.rig.stop());
    scene.rig.running.service.parts.wallets.adopt(
      await scene.rig.store.unlock("vectors", Uint8Array.from(PASSPHRASE)),
    );
    return scene;
  }

  async fetch(path: string, headers: Record<string, string>, init: RequestInit = {}): Promise<Answered> {
    const request = new Request(`${OWN}${path}`, { ...init, headers: { host: HOST, ...headers } });
    const response = await this.rig.running.fetch(request);
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.includes("json");
    return { status: response.status, body: isJson ? JSON.parse(text) : text, headers: response.headers };
  }

  get own(): Record<string, string> {
    return { ...FIREFOX, ...SAME_ORIGIN, cookie: this.cookie, "x-lyra-page": this.secret };
  }

  get(path: string, headers: Record<string, string> = this.own): Promise<Answered> {
    return this.fetch(`/page/api${path}`, headers);
  }

  post(path: string, body: object = {}, headers: Record<string, string> = this.own): Promise<Answered> {
    const all = { origin: OWN, "content-type": "application/json", ...headers };
    return this.fetch(`/page/api${path}`, all, { method: "POST", body: JSON.stringify(body) });
  }

  /** Opens the page by a new link. */
  async open(): Promise<void> {
    const [, link] = this.rig.running.pageLink().split("#open=");
    const { body, headers } = await this.post("/open", { link }, { ...FIREFOX, ...SAME_ORIGIN });
    this.secret = body.secret;
    this.cookie = headers.get("set-cookie")!.split(";")[0]!;
  }

  /** A page of another origin asks for a connection. */
  async asked(): Promise<{ readonly answer: Promise<RpcAnswer>; readonly id: string }> {
    const answer = this.rig.call("client.connect_wallet");
    await eventually(() => this.desk.requests.length > 0);
    return { answer, id: this.desk.requests[0]!.id };
  }

  async hold(id: string, ms = 500): Promise<object> {
    const { nonce } = (await this.post("/show", { id })).body;
    this.nowMs += 1_000;
    const { press } = (await this.post("/press", { id, nonce })).body;
    this.nowMs += ms;
    return { id, nonce, press };
  }
}

describe("the own page", () => {
  test("is a document that no frame shows, with a strict policy, and says nothing to other origins", async () => {
    const scene = await Scene.start();
    const { status, body, headers } = await scene.fetch("/", { accept: "text/html" });
    expect([status, body.includes("<title>Lyra wallet</title>")]).toEqual([200, true]);
    const policy = headers.get("content-security-policy")!;
    for (const part of [
      "default-src 'none'",
      "frame-ancestors 'none'",
      "form-action 'none'",
      "script-src 'self'",
    ])
      expect(policy).toContain(part);
    expect(headers.get("x-frame-options")).toBe("DENY");
    expect(headers.get("cross-origin-opener-policy")).toBe("same-origin");
    expect(headers.get("access-control-allow-origin")).toBeNull();
    const script = /src="(\/page\/[^"]+)"/.exec(body)![1]!;
    expect((await scene.fetch(script, {})).status).toBe(200);
  });

  test("opens by a link, in a cookie that no script reads and no other site sends", async () => {
    const scene = await Scene.start();
    const [, link] = scene.rig.running.pageLink().split("#open=");
    const opened = await scene.post("/open", { link }, { ...FIREFOX, ...SAME_ORIGIN });
    expect(opened.headers.get("set-cookie")).toMatch(
      /^lyra-wallet-1789=\w{64}; Path=\/page\/; HttpOnly; SameSite=Strict$/,
    );
    expect(opened.body.secret).toMatch(/^\w{64}$/);
    const again = await scene.post("/open", { link }, { ...FIREFOX, ...SAME_ORIGIN });
    expect([again.status, again.body.code]).toEqual([403, "link_used"]);
  });

  test("approves a connection after a second and a press of half a second", async () => {
    const scene = await Scene.start();
    await scene.open();
    const { answer, id } = await scene.asked();
    const state = (await scene.get("/state")).body;
    expect([state.request.id, state.request.origin, state.waiting]).toEqual([id, ORIGIN, 1]);
    expect((await scene.post("/approve", { ...(await scene.hold(id)), wallet: "vectors" })).status).toBe(200);
    expect((await answer).status).toBe(200);
    const { connections } = (await scene.get("/state")).body;
    expect(connections).toEqual([expect.objectContaining({ hostname: "dapp.example", wallet: "vectors" })]);
    expect((await scene.post("/revoke", { hostname: "dapp.example" })).body).toEqual({ ended: 1 });
  });

  test("approves a transaction in the terminal's words, and shows what became of it", async () => {
    const scene = await Scene.start({ hasHome: true });
    await scene.open();
    const connection = await scene.asked();
    await scene.post("/approve", await scene.hold(connection.id));
    const authorization = (await connection.answer).token!;
    const keys = scene.rig.call("client.list_keys", {}, { authorization });
    await eventually(() => scene.desk.requests.length > 0);
    await scene.post("/approve", await scene.hold(scene.desk.requests[0]!.id));
    await keys;
    const sent = scene.rig.send(authorization, { transaction: VOTE });
    await eventually(() => scene.desk.requests.length > 0);
    const { request } = (await scene.get("/state")).body;
    expect([request.words.title, request.key.publicKey]).toEqual([expect.stringMatching(/^Vote yes/), KEY_1]);
    await scene.post("/approve", await scene.hold(request.id));
    expect((await sent).status).toBe(200);
    await eventually(async () => (await scene.get("/state")).body.outcomes.length === 1);
    const { entries } = (await scene.get("/activity")).body;
    expect(entries[0]).toMatchObject({ kind: "transaction", outcome: "done", hostname: "dapp.example" });

    // The log has a decision only when the node has said its epoch: the page reads it again then.
    const node = Promise.withResolvers<void>();
    const { spamStatistics } = scene.rig.node;
    scene.rig.node.spamStatistics = async (party) => {
      await node.promise;
      return spamStatistics.call(scene.rig.node, party);
    };
    scene.nowMs += 60_000;
    const rejected = scene.rig.send(authorization, { transaction: VOTE });
    await eventually(() => scene.desk.requests.length > 0);
    await scene.post("/reject", { id: scene.desk.requests[0]!.id });
    const { version } = (await scene.get("/state")).body;
    const next = scene.get(`/state?since=${version}`);
    node.resolve();
    expect((await next).body.version).toBeGreaterThan(version);
    const newest = (await scene.get("/activity")).body.entries[0];
    expect(newest).toMatchObject({ kind: "transaction", outcome: "rejected" });
    expect((await rejected).body.error.code).toBe(3001);
  });

  test("sends to a devnet's party by its name, as the command line does", async () => {
    const scene = await Scene.start();
    const bob = "b".repeat(64);
    const server = Bun.serve({
      ...{ port: 0, hostname: "127.0.0.1" },
      fetch: () => Response.json({ parties: [{ name: "bob", publicKey: bob }] }),
    });
    endings.push(() => server.stop(true));
    Object.assign(scene.rig.node, { host: server.url.origin });
    const asset = "a5".repeat(32);
    scene.rig.node.listAssets = async () => [{ id: asset, name: "Test Dollar", symbol: "tUSD", decimals: 5 }];
    await scene.open();
    const sending = { wallet: "vectors", key: KEY_1, amount: "1", asset: "tUSD", to: "bob" };
    const { body } = await scene.post("/preview", sending);
    expect(body.title).toEndWith(`to ${bob}`);
    expect(body.balances[0]).toEqual(["which is", "bob of this devnet"]);
  });

  test("says the block of what was sent as soon as the node has it, and why a block refused it", async () => {
    const scene = await Scene.start();
    await scene.open();
    const answers: ((inclusion: Inclusion) => void)[] = [];
    scene.rig.node.inclusion = () => new Promise((resolve) => answers.push(resolve));
    const id = "a5".repeat(32);
    scene.rig.node.listAssets = async () => [{ id, name: "Vega", symbol: "VEGA", decimals: 18 }];
    const sending = { wallet: "vectors", key: KEY_1, amount: "1", asset: "VEGA", to: "b".repeat(64) };
    const textOf = async () => (await scene.get("/state")).body.outcomes[0]?.text as string | undefined;
    const send = async () => {
      const sent = scene.post("/send", sending);
      await eventually(() => scene.desk.requests.length > 0);
      await scene.post("/approve", await scene.hold(scene.desk.requests[0]!.id));
      return (await sent).body.hash as string;
    };
    const offered = scene.post("/send", sending);
    await eventually(() => scene.desk.requests.length > 0);
    const own = (await scene.get("/state")).body.request;
    expect([own.asker, own.isOwn]).toEqual(["this page", true]);
    // Its site is this service: it is refused and not blocked.
    await scene.post("/reject", { id: own.id, reach: "site" });
    expect((await offered).body.code).toBe("not_confirmed");
    const hash = await send();
    expect(await textOf()).toBe(`sent as ${hash}: waiting for its block`);
    answers[0]!({ height: 13n, code: 0, reason: "" });
    await eventually(async () => (await textOf()) === `sent as ${hash}: in block 13`);
    await send();
    answers[1]!({ height: 14n, code: 70, reason: "no funds" });
    await eventually(async () => (await textOf()) === "refused by the node: no funds (in block 14)");
  });

  test("sends an amount once it is approved, in the terminal's words", async () => {
    const scene = await Scene.start();
    const asset = "a5".repeat(32);
    scene.rig.node.listAssets = async () => [{ id: asset, name: "Test Dollar", symbol: "tUSD", decimals: 5 }];
    scene.rig.node.assets.set(asset, { symbol: "tUSD", decimals: 5 });
    await scene.open();
    const sending = { wallet: "vectors", key: KEY_1, amount: "1.5", asset: "tUSD", to: "b".repeat(64) };
    for (const wrong of [
      { amount: "+1.5" },
      { amount: "1e3" },
      { asset: "TUSD" },
      { to: "bob" },
      { key: "c".repeat(64) },
    ]) {
      const refused = await scene.post("/send", { ...sending, ...wrong });
      const previewed = await scene.post("/preview", { ...sending, ...wrong });
      expect([refused.status, previewed.status, previewed.body]).toEqual([409, 409, refused.body]);
    }
    scene.rig.node.parameter = async () => "0.001";
    scene.rig.node.balances = async () => new Map([[asset, "200000"]]);
    expect((await scene.post("/preview", sending)).body).toEqual({
      title: `Send 1.5 tUSD (asset ${asset}) to ${"b".repeat(64)}`,
      balances: [
        ["fee (node says)", `0.0015 tUSD (asset ${asset})`],
        ["you have (node says)", `2 tUSD (asset ${asset})`],
        ["left (node says)", `0.4985 tUSD (asset ${asset})`],
      ],
      warnings: [],
    });
    const tooMuch = (await scene.post("/preview", { ...sending, amount: "2" })).body;
    expect(tooMuch.balances.at(-1)).toEqual(["missing (node says)", `0.002 tUSD (asset ${asset})`]);
    expect(tooMuch.warnings[0]).toContain("the network would refuse it");
    expect(scene.desk.requests.length).toBe(0);
    const rejected = scene.post("/send", sending);
    await eventually(() => scene.desk.requests.length > 0);
    await scene.post("/reject", { id: scene.desk.requests[0]!.id });
    expect((await rejected).body.code).toBe("not_confirmed");
    const sent = scene.post("/send", sending);
    await eventually(() => scene.desk.requests.length > 0);
    const { request } = (await scene.get("/state")).body;
    expect([request.origin, request.words.title]).toEqual([
      OWN,
      `Send 1.5 tUSD (asset ${asset}) to ${"b".repeat(64)}`,
    ]);
    expect(scene.rig.node.submissions).toBe(0);
    await scene.post("/approve", await scene.hold(request.id));
    expect((await sent).body).toEqual({
      hash: expect.stringMatching(/^[0-9A-F]{64}$/),
      height: expect.any(String),
    });
    expect(scene.rig.node.submissions).toBe(1);
  });

  test("says what an origin looks like, and for which chain it signs, in the terminal's words", async () => {
    const scene = await Scene.start();
    await scene.open();
    const origin = "https://xn--80ak6aa92e.com";
    const answer = scene.rig.call("client.connect_wallet", undefined, { origin });
    await eventually(() => scene.desk.requests.length > 0);
    const connection = (await scene.get("/state")).body.request;
    const [terminal] = requestLines(shown(scene.desk.requests[0]!));
    expect(connection.asker).toContain('(shown as "\u0430\u0440\u0440\u04cf\u0435.com"');
    expect(terminal).toBe(`${connection.asker} wants to connect to a wallet`);
    await scene.post("/approve", { ...(await scene.hold(connection.id)), wallet: "vectors" });
    const authorization = (await answer).token!;
    const keys = scene.rig.call("client.list_keys", {}, { authorization, origin });
    await eventually(() => scene.desk.requests.length > 0);
    await scene.post("/approve", await scene.hold(scene.desk.requests[0]!.id));
    await keys;
    const signing = scene.rig.call(
      "client.sign_transaction",
      { publicKey: KEY_1, transaction: VOTE },
      { authorization, origin },
    );
    await eventually(() => scene.desk.requests.length > 0);
    const { request } = (await scene.get("/state")).body;
    const lines = requestLines(shown(scene.desk.requests[0]!)).map((line) => line.trim());
    expect(request.place.map(([label]: [string]) => label)).toEqual(["chain", "node"]);
    for (const [label, value] of request.place) expect(lines).toContain(`${label.padEnd(20)} ${value}`);
    expect(request.warnings.length).toBeGreaterThan(0);
    for (const warning of request.warnings) expect(lines).toContain(`! ${warning}`);
    scene.desk.rejectAll();
    expect((await signing).body.error.code).toBe(3001);
  });

  test("unlocks and locks a wallet, shows its keys, and counts wrong passphrases", async () => {
    const scene = await Scene.start();
    await scene.open();
    expect((await scene.get("/wallet?name=vectors")).body.keys[0]).toMatchObject({
      publicKey: KEY_1,
      balances: null,
    });
    expect((await scene.post("/lock", { wallet: "vectors" })).body).toEqual({ isUnlocked: false });
    expect((await scene.get("/wallet?name=vectors")).body.code).toBe("wallet_locked");
    const passphrase = Buffer.from(PASSPHRASE).toString();
    expect((await scene.post("/unlock", { wallet: "vectors", passphrase })).body).toEqual({
      isUnlocked: true,
    });
    const codes = [];
    for (let tries = 0; tries < 11; tries++)
      codes.push((await scene.post("/unlock", { wallet: "vectors", passphrase: "wrong" })).body.code);
    expect([codes[0], codes[10]]).toEqual(["wrong_passphrase", "too_many"]);
  });
});

describe("terminal and browser at once", () => {
  test("the first answer counts, and the other one is told", async () => {
    const scene = await Scene.start();
    await scene.open();
    const { answer, id } = await scene.asked();
    const written: string[] = [];
    const typed = Promise.withResolvers<string>();
    const source = new DeskSource(scene.desk);
    const terminal = answerInTerminal(source, {
      write: (lines) => written.push(...lines),
      line: () => typed.promise,
      hidden: async () => new Uint8Array(0),
      rest: async () => {},
    });
    await eventually(() => written.length > 0);
    expect((await scene.post("/reject", { id })).status).toBe(200);
    expect((await answer).body.error.code).toBe(3001);
    expect(written.join("\n")).toContain("the request does not wait any more");
    const late = await scene.post("/approve", { id, nonce: "n", press: "p" });
    expect([late.status, late.body.code]).toEqual([409, "not_shown"]);
    source.end();
    typed.resolve("");
    await terminal;
    const other = await scene.asked();
    const held = await scene.hold(other.id);
    scene.desk.answer(other.id, { outcome: "rejected" });
    expect((await scene.post("/approve", held)).body.code).toBe("request_over");
    // A page that had not shown it yet is not at fault.
    const shown = await scene.post("/show", { id: other.id });
    expect([shown.status, shown.body]).toEqual([200, {}]);
    await other.answer;
  });
});

describe("attacks", () => {
  test("every kind of request of another page, host or browser is refused, nothing is signed", async () => {
    const scene = await Scene.start();
    await scene.open();
    const { answer, id } = await scene.asked();
    const { own } = scene;
    const held = await scene.hold(id);
    const without = (name: string) => Object.fromEntries(Object.entries(own).filter(([key]) => key !== name));
    const attempts: readonly (readonly [string, Record<string, string>, number])[] = [
      ["another origin", { ...own, origin: "https://evil.example" }, 403],
      ["another port of this host", { ...own, origin: "http://127.0.0.1:8000" }, 403],
      ["a sandboxed frame", { ...own, origin: "null" }, 403],
      ["https of this host", { ...own, origin: `https://${HOST}` }, 403],
      ["cross-site, by the browser's word", { ...own, "sec-fetch-site": "cross-site" }, 403],
      ["another port, by the browser's word", { ...own, "sec-fetch-site": "same-site" }, 403],
      ["typed as an address", { ...own, "sec-fetch-site": "none" }, 403],
      ["a navigation", { ...own, "sec-fetch-dest": "document" }, 403],
      ["a frame", { ...own, "sec-fetch-dest": "iframe" }, 403],
      ["a rebinding host", { ...own, host: "evil.example:1789", origin: "http://evil.example:1789" }, 403],
      ["a form", { ...own, "content-type": "application/x-www-form-urlencoded" }, 415],
      ["plain text", { ...own, "content-type": "text/plain" }, 415],
      ["the cookie alone, as another port of this host has it", without("x-lyra-page"), 401],
      ["the secret alone", without("cookie"), 401],
      ["two cookies", { ...own, cookie: `${scene.cookie}; ${scene.cookie}` }, 401],
      ["both in a second browser", { ...own, "user-agent": "Chrome" }, 401],
    ];
    for (const [, headers, status] of attempts) {
      for (const path of [
        "/approve",
        "/press",
        "/show",
        "/reject",
        "/preview",
        "/send",
        "/unlock",
        "/lock",
        "/revoke",
        "/end",
      ]) {
        const refused = await scene.post(path, held, headers);
        expect([path, headers, refused.status]).toEqual([path, headers, status]);
        expect(refused.headers.get("access-control-allow-origin")).toBeNull();
      }
    }
    for (const [, headers, status] of attempts.filter(([, , status]) => status !== 415))
      expect((await scene.get("/state", headers)).status).toBe(status);
    const preflight = await scene.fetch(
      "/page/api/approve",
      { ...FIREFOX, origin: "https://evil.example", "access-control-request-method": "POST" },
      { method: "OPTIONS" },
    );
    expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([403, null]);
    for (const method of ["PUT", "DELETE", "PATCH"]) {
      const { status } = await scene.fetch("/page/api/approve", { ...own, origin: OWN }, { method });
      expect(status).toBe(405);
    }
    expect([scene.desk.requests.length, scene.rig.node.submissions]).toEqual([1, 0]);
    // The press was good all the time: its own page goes on.
    expect((await scene.post("/approve", held)).status).toBe(200);
    expect((await answer).status).toBe(200);
  });

  test("a frame, and a script of another page, get no file", async () => {
    const scene = await Scene.start();
    const framed = await scene.fetch("/", { accept: "text/html", "sec-fetch-dest": "iframe" });
    expect([framed.status, framed.body.code]).toEqual([403, "framed"]);
    const rebound = await scene.fetch("/", { accept: "text/html", host: "evil.example" });
    expect(rebound.status).toBe(403);
    const foreign = await scene.fetch("/page/x.js", { origin: "https://evil.example" });
    expect([foreign.status, foreign.headers.get("access-control-allow-origin")]).toEqual([403, null]);
  });

  test("type-ahead: a press before its second, one that is too short, one for another request", async () => {
    const scene = await Scene.start();
    await scene.open();
    const { answer, id } = await scene.asked();
    const { nonce } = (await scene.post("/show", { id })).body;
    const early = await scene.post("/press", { id, nonce });
    expect([early.status, early.body]).toEqual([
      409,
      { code: "shown_too_briefly", message: "the request has to be on the screen for 1 s" },
    ]);
    expect((await scene.post("/approve", { id, nonce, press: "x" })).body.code).toBe("shown_too_briefly");
    expect((await scene.post("/approve", await scene.hold(id, 499))).body.code).toBe("held_too_briefly");
    const held = await scene.hold(id);
    expect((await scene.post("/approve", { ...held, id: "other" })).body.code).toBe("not_shown");
    const hidden = await scene.hold(id);
    await scene.post("/hide");
    expect((await scene.post("/approve", hidden)).body.code).toBe("not_shown");
    const twice = (await scene.fetch(
      "/page/api/reject",
      { ...scene.own, origin: OWN, "content-type": "application/json" },
      { method: "POST", body: `{"id":"x","id":"${id}"}` },
    )) as Answered;
    expect([twice.status, twice.body.message]).toEqual([400, "the member id is there twice"]);
    expect(scene.desk.requests.length).toBe(1);
    scene.desk.rejectAll();
    expect((await answer).body.error.code).toBe(3001);
  });

  test("a page that is closed while asked approves nothing, and the asker is told", async () => {
    const scene = await Scene.start();
    await scene.open();
    const { answer, id } = await scene.asked();
    const held = await scene.hold(id);
    await scene.post("/end");
    const late = await scene.post("/approve", held);
    expect([late.status, late.body.code]).toEqual([401, "no_session"]);
    expect(scene.desk.requests.length).toBe(1);
    scene.desk.close();
    expect((await answer).body.error.code).toBe(3000);
  });

  test("a session that ends while its page waits for news gets none", async () => {
    const scene = await Scene.start();
    await scene.open();
    const { version } = (await scene.get("/state")).body;
    const waiting = scene.get(`/state?since=${version}`);
    await scene.open();
    const { status, body } = await waiting;
    expect([status, body.code, body.wallets]).toEqual([401, "no_session", undefined]);
  });

  test("a session ends without use, however often sites ask", async () => {
    const scene = await Scene.start();
    await scene.open();
    const { answer, id } = await scene.asked();
    scene.nowMs += 29 * 60_000;
    for (const path of ["/show", "/hide"]) expect((await scene.post(path, { id })).status).toBe(200);
    scene.nowMs += 2 * 60_000;
    expect((await scene.get("/state")).status).toBe(401);
    scene.desk.rejectAll();
    await answer;
  });

  test("a stolen link is good for one browser alone", async () => {
    const scene = await Scene.start();
    const [, link] = scene.rig.running.pageLink().split("#open=");
    const thief = { "user-agent": "curl" };
    expect((await scene.post("/open", { link }, thief)).status).toBe(200);
    expect((await scene.post("/open", { link }, { ...FIREFOX, ...SAME_ORIGIN })).body.code).toBe("link_used");
    // The owner sees that, and opens a new one: the thief's session ends.
    await scene.open();
    expect((await scene.get("/state")).status).toBe(200);
  });
});
