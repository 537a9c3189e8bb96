// A hostile page in the browser that has the wallet's page open: on another port of this machine, where the browser sends the
// wallet's cookie along, and under a name that was made to point here. Nothing that it tries reads, answers or signs.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { ApprovalDesk } from "../../src/wallet/approvals/desk.ts";
import { eventually } from "../support/eventually.ts";
import { HAS_BROWSER, offlineBrowser, REBOUND_HOST, sayWhenSkipped } from "../support/offline-browser.ts";
import { KEY_1, Rig, VOTE } from "../wallet/service/rig.ts";
import { PASSPHRASE } from "../wallet/support/wallets.ts";

/** All that are made below. */
const TRIES = 281;

sayWhenSkipped("attacks on the wallet's page");

/** Runs in the hostile page. @returns all that it could read of the wallet, and how many tries came to an end */
async function attack({
  wallet,
  id,
  token,
}: {
  wallet: string;
  id: string;
  token: string;
}): Promise<{ read: string[]; tried: number }> {
  const read: string[] = [];
  let tried = 0;
  const body = JSON.stringify({ id, nonce: "n", press: "p", link: "l", wallet: "vectors", reach: "all" });
  const paths = ["state", "approve", "open", "press", "show", "hide", "reject", "send", "preview", "unlock"];
  const urls = [...paths, "lock", "revoke", "end", "wallet?name=vectors", "activity"].map(
    (path) => `${wallet}/page/api/${path}`,
  );
  const types = [
    undefined,
    "application/json",
    "text/plain",
    "application/x-www-form-urlencoded",
    "image/png",
  ];
  const attempt = async (name: string, act: () => Promise<unknown>) => {
    try {
      const value = await act();
      if (value !== undefined) read.push(`${name}: ${String(value).slice(0, 100)}`);
    } catch {
      // Refused by the browser.
    }
    tried++;
  };
  const send = (url: string, method: string, mode: RequestMode, type: string | undefined) =>
    attempt(`${method} ${mode} ${type} ${url}`, async () => {
      const response = await fetch(url, {
        ...{ method, mode, credentials: "include" },
        ...(type !== undefined && { headers: { "content-type": type } }),
        ...(/^(?:GET|HEAD)$/.test(method) ? {} : { body }),
      });
      return response.type === "opaque" ? undefined : `${response.status} ${await response.text()}`;
    });
  const tries: Promise<void>[] = [];
  for (const mode of ["cors", "no-cors"] as const) {
    for (const type of types) {
      for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
        tries.push(send(`${wallet}/page/api/approve`, method, mode, type));
      for (const url of urls) tries.push(send(url, "POST", mode, type));
    }
    for (const url of [...urls, `${wallet}/`]) tries.push(send(url, "GET", mode, undefined));
  }
  for (const url of urls) navigator.sendBeacon(url, new Blob([body], { type: "text/plain" }));
  tries.push(
    attempt("XMLHttpRequest", () => {
      const request = new XMLHttpRequest();
      request.open("POST", `${wallet}/page/api/approve`);
      request.withCredentials = true;
      request.setRequestHeader("x-lyra-page", "x");
      request.send(body);
      return new Promise((resolve, reject) => {
        request.onload = () => resolve(request.status);
        request.onerror = reject;
      });
    }),
    // A stolen token of another site.
    ...["client.list_keys", "client.send_transaction"].map((method) =>
      attempt(`${method} with a stolen token`, async () => {
        const response = await fetch(`${wallet}/api/v2/requests`, {
          method: "POST",
          headers: { "content-type": "application/json", authorization: token },
          body: JSON.stringify({ jsonrpc: "2.0", id: "1", method, params: {} }),
        });
        const { error } = (await response.json()) as { error?: { code: number } };
        return error?.code === -32003 ? undefined : JSON.stringify(error);
      }),
    ),
    // Without a preflight no question is raised.
    ...["text/plain", "application/x-www-form-urlencoded", undefined].map((type) =>
      attempt(`a connection as ${type}`, async () => {
        await fetch(`${wallet}/api/v2/requests`, {
          ...{ method: "POST", mode: "no-cors" },
          ...(type !== undefined && { headers: { "content-type": type } }),
          body: new Blob([JSON.stringify({ jsonrpc: "2.0", id: "1", method: "client.connect_wallet" })]),
        });
        return undefined;
      }),
    ),
    attempt("a service worker", () => navigator.serviceWorker.register(`${wallet}/page/x.js`)),
    attempt(
      "WebSocket",
      () =>
        new Promise((resolve, reject) => {
          const socket = new WebSocket(`${wallet.replace("http", "ws")}/page/api/state`);
          socket.onopen = resolve;
          socket.onerror = reject;
        }),
    ),
    attempt(
      "EventSource",
      () =>
        new Promise((resolve, reject) => {
          const source = new EventSource(`${wallet}/page/api/state`, { withCredentials: true });
          source.onmessage = resolve;
          source.onerror = () => {
            source.close();
            reject();
          };
        }),
    ),
    attempt("Worker", async () => {
      const worker = new Worker(URL.createObjectURL(new Blob([`importScripts("${wallet}/page/api/state")`])));
      return new Promise((resolve, reject) => {
        worker.onmessage = resolve;
        worker.onerror = reject;
      });
    }),
  );
  // Elements that load: an event of loading would tell whether there is a session.
  const elements: [string, string, Record<string, string>][] = [
    ["img", "src", {}],
    ["script", "src", {}],
    ["link", "href", { rel: "stylesheet" }],
    ["video", "src", {}],
  ];
  for (const [tag, member, more] of elements)
    for (const url of [`${wallet}/page/api/state`, `${wallet}/`])
      tries.push(
        attempt(`<${tag}> ${url}`, () => {
          const element = Object.assign(document.createElement(tag), { ...more, [member]: url });
          const done = new Promise((resolve, reject) => {
            element.addEventListener("load", () => resolve("loaded"));
            element.addEventListener("loadeddata", () => resolve("loaded"));
            element.addEventListener("error", reject);
          });
          document.body.append(element);
          return done;
        }),
      );
  // Frames, and forms that are posted into them; one without an origin.
  const frame = (name: string, set: (element: HTMLIFrameElement) => void) => {
    const element = document.createElement("iframe");
    element.name = name;
    const done = new Promise((resolve) => element.addEventListener("load", resolve, { once: true }));
    set(element);
    document.body.append(element);
    return done;
  };
  tries.push(
    attempt("a frame", async () => {
      const element = document.createElement("iframe");
      element.src = `${wallet}/`;
      document.body.append(element);
      await new Promise((resolve) => element.addEventListener("load", resolve, { once: true }));
      return element.contentDocument?.body.textContent || undefined;
    }),
  );
  for (const enctype of ["application/x-www-form-urlencoded", "multipart/form-data", "text/plain"])
    for (const url of [
      `${wallet}/page/api/approve`,
      `${wallet}/page/api/reject`,
      `${wallet}/api/v2/requests`,
    ])
      tries.push(
        attempt(`a form, ${enctype}`, async () => {
          const name = `frame-${Math.random()}`;
          const filled = frame(name, () => {});
          await filled;
          const form = Object.assign(document.createElement("form"), {
            method: "post",
            action: url,
            enctype,
          });
          form.target = name;
          const input = document.createElement("input");
          input.name = `{"jsonrpc":"2.0","id":"${id}","method":"client.connect_wallet","x":"`;
          input.value = '"}';
          form.append(input);
          document.body.append(form);
          const answered = new Promise((resolve) =>
            document
              .querySelector(`iframe[name="${name}"]`)!
              .addEventListener("load", resolve, { once: true }),
          );
          form.submit();
          await answered;
          return undefined;
        }),
      );
  tries.push(
    attempt("a page without an origin", async () => {
      const answer = new Promise((resolve) => {
        addEventListener("message", ({ data }) => typeof data === "string" && resolve(data), { once: true });
      });
      await frame("sandboxed", (element) => {
        element.setAttribute("sandbox", "allow-scripts");
        element.srcdoc = `<script>
          fetch(${JSON.stringify(`${wallet}/page/api/reject`)}, {
            method: "POST", credentials: "include", headers: { "content-type": "application/json" },
            body: ${JSON.stringify(body)},
          }).then((r) => r.text()).then((t) => parent.postMessage("read " + t, "*"), () => parent.postMessage("", "*"));
        </script>`;
      });
      return (await answer) || undefined;
    }),
  );
  await Promise.all(tries);
  return { read, tried };
}

describe.skipIf(!HAS_BROWSER)("a hostile page in the same browser", () => {
  const desk = new ApprovalDesk();
  let browser: Browser;
  let rig: Rig;
  let server: ReturnType<typeof Bun.serve>;
  let context: BrowserContext;
  let page: Page;
  let wallet: string;
  let waiting: ReturnType<Rig["call"]>;
  let id: string;
  let token: string;

  beforeAll(async () => {
    browser = await offlineBrowser();
    rig = await Rig.start({ approver: desk });
    rig.running.service.parts.wallets.adopt(await rig.store.unlock("vectors", Uint8Array.from(PASSPHRASE)));
    server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: () => new Response("<!doctype html><body>hostile", { headers: { "content-type": "text/html" } }),
    });
    wallet = new URL(rig.running.url).origin;
    context = await browser.newContext({ viewport: { width: 1280, height: 1000 } });
    page = await context.newPage();
    await page.goto(rig.running.pageLink());
    await page.getByText("No request waits").waitFor();
    token = await rig.running.service.parts.sessions.open("dapp.example", "vectors", false);
    waiting = rig.call("client.connect_wallet");
    await page.getByText("wants to connect to a wallet").waitFor();
    await page.waitForFunction(() => document.querySelector(".approve:not(:disabled)") !== null);
    id = desk.requests[0]!.id;
  }, 60_000);
  afterAll(async () => {
    await context?.close();
    server?.stop(true);
    await rig?.stop();
  });

  const nothingHappened = async () => {
    expect(desk.requests.map((request) => request.id)).toEqual([id]);
    expect(rig.node.submissions).toBe(0);
    const { sessions, wallets } = rig.running.service.parts;
    expect(sessions.all.map(({ hostname }) => hostname)).toEqual(["dapp.example"]);
    expect(wallets.peek("vectors")).toBeDefined();
    // The token that was tried is good for its own page.
    expect(sessions.find(token)?.hostname).toBe("dapp.example");
    // Its button has stayed ready all the time: the session goes on, and so does what it has on its screen.
    expect(await page.locator(".approve:not(:disabled)").count()).toBe(1);
  };
  const hostile = async (host: string) => {
    const other = await context.newPage();
    other.setDefaultTimeout(20_000);
    await other.goto(`http://${host}:${server.port}/`);
    return other;
  };

  test.each([
    ["another port of this machine", "127.0.0.1"],
    ["a name that points here", REBOUND_HOST],
  ] as const)(
    "%s: every kind of request is refused",
    async (_, host) => {
      const other = await hostile(host);
      const cookies = await context.cookies(`${wallet}/page/api/state`);
      expect(cookies.map(({ httpOnly, sameSite }) => [httpOnly, sameSite])).toEqual([[true, "Strict"]]);
      const { read, tried } = await other.evaluate(attack, { wallet, id, token: `VWT ${token}` });
      expect({ read, tried }).toEqual({ read: [], tried: TRIES });
      expect(other.frames().filter((frame) => frame.url().startsWith(wallet))).toEqual([]);
      await nothingHappened();
      await other.close();
    },
    60_000,
  );

  test("the same requests read what they can at the wallet's own origin, in a browser without a session", async () => {
    const own = await browser.newContext({ bypassCSP: true });
    const other = await own.newPage();
    other.setDefaultTimeout(20_000);
    await other.goto(`${wallet}/`);
    const { read, tried } = await other.evaluate(attack, { wallet, id, token: `VWT ${token}` });
    expect(tried).toBe(TRIES);
    const isRead = (start: string) => read.some((each) => each.startsWith(start));
    for (const kind of ["GET cors", "POST cors", "GET no-cors", "HEAD no-cors", "XMLHttpRequest"])
      expect([kind, isRead(kind)]).toEqual([kind, true]);
    await own.close();
    await nothingHappened();
  }, 60_000);

  test("a window that it opens has no session, and no way back and forth", async () => {
    const other = await hostile("127.0.0.1");
    for (const address of [`${wallet}/`, `${wallet}/#open=${"x".repeat(64)}`]) {
      const opening = context.waitForEvent("page");
      await other.evaluate((url) => {
        Object.assign(window, { opened: window.open(url, "wallet") });
      }, address);
      const opened = await opening;
      await opened.getByText("This page opens by a link").waitFor();
      const reach = await other.evaluate(() => {
        const { opened } = window as unknown as { opened: Window };
        opened.postMessage({ type: "approve" }, "*");
        try {
          return opened.document.title;
        } catch {
          return opened.closed;
        }
      });
      // The wallet's page is in a group of its own: to its opener it looks closed.
      expect(reach).toBe(true);
      expect(await opened.evaluate(() => (window.opener as unknown) === null)).toBe(true);
      await opened.close();
    }
    await nothingHappened();
    await other.close();
  }, 60_000);

  test("a page whose name is made to point here gets nothing under its own origin either", async () => {
    // Without the policy of the wallet's answer, which would refuse every request before it is sent.
    const own = await browser.newContext({ bypassCSP: true });
    const other = await own.newPage();
    const rebound = wallet.replace("127.0.0.1", REBOUND_HOST);
    const answer = await other.goto(`${rebound}/`);
    expect([answer!.status(), await answer!.text()]).toEqual([
      403,
      expect.stringContaining("another machine"),
    ]);
    // In a document of that name and of this machine the browser refuses nothing: the wallet does.
    const statuses = await other.evaluate(async () => {
      const json = { "content-type": "application/json" };
      const connection = JSON.stringify({ jsonrpc: "2.0", id: "1", method: "client.connect_wallet" });
      const tries = [
        fetch("/page/api/state"),
        fetch("/page/api/reject", { method: "POST", headers: json, body: '{"id":"x"}' }),
        fetch("/api/v2/requests", { method: "POST", headers: json, body: connection }),
      ];
      return Promise.all(tries.map((each) => each.then(({ status }) => status)));
    });
    expect(statuses).toEqual([403, 403, 403]);
    await nothingHappened();
    await own.close();
  }, 60_000);

  test("a page that closes before its approval leaves approves nothing, and the next one answers", async () => {
    const link = rig.running.pageLink();
    const closed = Promise.withResolvers<void>();
    await page.route("**/page/api/approve", async (route) => {
      await route.abort();
      closed.resolve();
    });
    await page.bringToFront();
    await page.getByRole("button", { name: "Hold to approve" }).hover();
    await page.mouse.down();
    await closed.promise;
    await page.close();
    const next = await context.newPage();
    await next.goto(link);
    await next.getByText("wants to connect to a wallet").waitFor();
    await next.waitForFunction(() => document.querySelector(".approve:not(:disabled)") !== null);
    expect(desk.requests.map((request) => request.id)).toEqual([id]);
    await next.getByRole("button", { name: "Reject", exact: true }).click();
    expect((await waiting).body.error).toMatchObject({ code: 3001 });
    page = next;
  }, 60_000);

  test("keys that are pressed ahead answer no request, and the request after it neither", async () => {
    const first = rig.call("client.connect_wallet", undefined, { origin: "https://one.example" });
    const second = rig.call("client.connect_wallet", undefined, { origin: "https://two.example" });
    await eventually(() => desk.requests.length === 2);
    await page.getByText("https://one.example").first().waitFor();
    for (const key of ["Enter", " ", "Tab", "Enter", "y", "Enter"]) await page.keyboard.press(key);
    await page.waitForFunction(() => document.querySelector(".approve:not(:disabled)") !== null);
    await page.getByRole("button", { name: "Hold to approve" }).focus();
    await page.keyboard.down("Enter");
    await eventually(() => desk.requests.length === 1);
    expect((await first).status).toBe(200);
    // The key is still down when the next request takes its place: its button begins again, and not in focus.
    await page.locator(".asker", { hasText: "https://two.example" }).waitFor();
    expect(await page.evaluate(() => document.activeElement?.className)).not.toContain("approve");
    await page.keyboard.down("Enter");
    await page.waitForFunction(() => document.querySelector(".approve:not(:disabled)") !== null);
    await page.keyboard.down("Enter");
    await page.keyboard.up("Enter");
    expect(desk.requests.length).toBe(1);
    desk.rejectAll();
    expect((await second).body.error.code).toBe(3001);
  }, 60_000);

  test("a connected page that asks for another key, or shows other words, changes nothing of the question", async () => {
    const { sessions } = rig.running.service.parts;
    const authorization = `VWT ${await sessions.open("dapp.example", "vectors", false)}`;
    const asking = rig.call("client.list_keys", {}, { authorization });
    await eventually(() => desk.requests.length > 0);
    desk.answer(desk.requests[0]!.id, { outcome: "approved", allowedKeys: [KEY_1] });
    const [, other] = rig.running.service.parts.wallets.peek("vectors")!.keys;
    expect((await asking).body.result.keys.length).toBe(1);
    const foreign = await rig.send(authorization, { publicKey: other!.publicKey });
    expect(foreign.body.error.data).toBe("this public key is not allowed to be used");
    const sent = rig.send(authorization, { transaction: VOTE, title: "Nothing at all", words: "harmless" });
    await page.getByText("wants to send a transaction: Vote yes").waitFor();
    expect(await page.locator(".approval").textContent()).not.toMatch(/Nothing at all|harmless/);
    desk.rejectAll();
    expect((await sent).body.error.code).toBe(3001);
    expect(rig.node.submissions).toBe(0);
  }, 60_000);
});
