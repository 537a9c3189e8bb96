// The wallet's page on the wallet's own port: its documents, and the JSON that it reads and answers by. Other origins get
// nothing here: every request has to name this server, come from its own page, and carry both secrets of the session.
import { t } from "elysia";
import { NodeError } from "../../errors/node-error.ts";
import { asksForPage } from "../../http/accept.ts";
import type { CorsPolicy } from "../../http/cors.ts";
import { ApiError } from "../../http/errors.ts";
import { splitUrl } from "../../http/http.ts";
import { httpPlugin, jsonBody } from "../../http/plugin.ts";
import { checkDepth } from "../../http/query.ts";
import type { PageAccess } from "../../wallet/page/access.ts";
import { HOLD_MS, type Presence, type PresenceProblem, VISIBLE_MS } from "../../wallet/page/presence.ts";
import { parseUniqueJson, RepeatedMember } from "../../wire/unique-json.ts";
import { type PageDesk, PageRefusal } from "./page-desk.ts";

const API = "/page/api";
const BODY_BYTES_MAX = 16 * 1024;
const DEPTH_MAX = 10;
const SECRET_HEADER = "x-lyra-page";

/** On every answer of the page's paths. */
const HEADERS: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
};

export interface PageHandlerOptions {
  /** Whether a `Host` names this machine. */
  isAllowedHost(host: string | null): boolean;
  /** Called when an answer may take as long as a person does. */
  onWaiting(request: Request): void;
}

interface PageOptions extends PageHandlerOptions {
  readonly access: PageAccess;
  readonly presence: Presence;
  readonly desk: PageDesk;
}

/** Answers the page's paths; undefined for the others. */
export type PageHandler = (request: Request) => Response | Promise<Response> | undefined;

export function pageHandler(options: PageOptions): PageHandler {
  const api = apiOf(options);
  return (request) => {
    const { pathname } = splitUrl(request.url);
    if (pathname === "/" && asksForPage(request)) return fileOf(request, options, "wallet.html");
    if (pathname.startsWith(`${API}/`)) return sealed(api.handle(request));
    if (pathname.startsWith("/page/")) return fileOf(request, options, pathname.slice("/page/".length));
    return undefined;
  };
}

async function sealed(answer: Response | Promise<Response>): Promise<Response> {
  const response = await answer;
  for (const [name, value] of Object.entries(HEADERS))
    if (!response.headers.has(name)) response.headers.set(name, value);
  return response;
}

/** Files of the page hold no secrets; they are shown in no frame. */
async function fileOf(request: Request, { isAllowedHost }: PageOptions, name: string): Promise<Response> {
  const { headers } = request;
  const refusal = !isAllowedHost(headers.get("host"))
    ? refuse(403, "wrong_host", "the Host header names another machine")
    : isFramed(headers)
      ? refuse(403, "framed", "the page is shown in no frame")
      : isOtherOrigin(request)
        ? refuse(403, "other_origin", "the request comes from another page")
        : undefined;
  if (refusal !== undefined) return sealed(refusal);
  const { pageAsset, pageDocument } = await import("../page/assets.ts");
  if (name === "wallet.html") return sealed(await pageDocument("wallet.html", request, []));
  return sealed((await pageAsset(name, request)) ?? refuse(404, "not_found", "there is no such file"));
}

const FRAMES: ReadonlySet<string> = new Set(["iframe", "frame", "embed", "object", "fencedframe"]);
const isFramed = (headers: Headers) => FRAMES.has(headers.get("sec-fetch-dest") ?? "");

/** Whether a page of another origin asked: by its `Origin`, which no page can change. */
function isOtherOrigin({ headers }: Request): boolean {
  const origin = headers.get("origin");
  return origin !== null && origin !== `http://${headers.get("host")}`;
}

/** No page of another origin may ask, and none is told what it asked for. */
const NO_PAGES: CorsPolicy = { headers: () => undefined, preflight: () => undefined };

function refuse(status: number, code: string, message: string): Response {
  return Response.json({ code, message }, { status, headers: HEADERS });
}

function failureOf(error: unknown): Response {
  if (error instanceof PageRefusal) return refuse(error.status, error.code, error.message);
  if (error instanceof ApiError) return refuse(error.status, "bad_request", error.message);
  if (error instanceof NodeError) return refuse(400, error.code, error.message);
  if (process.env.LYRA_DEBUG) console.error(error);
  return refuse(500, "internal", "something went wrong inside Lyra");
}

function parseBody(text: string): unknown {
  checkDepth(text, DEPTH_MAX);
  try {
    return parseUniqueJson(text);
  } catch (error) {
    const why = error instanceof RepeatedMember ? error.message : "the request body is not JSON";
    throw new PageRefusal(400, "bad_request", why);
  }
}

const TOKEN = t.String({ maxLength: 100 });
const NAME = t.String({ maxLength: 300 });
const PASSPHRASE = t.String({ maxLength: 4_096 });
const SENDING = t.Object({ wallet: NAME, key: TOKEN, amount: TOKEN, asset: NAME, to: NAME });
const SENTENCES: Readonly<Record<PresenceProblem, string>> = {
  not_shown: "the request is not on the screen of this page",
  shown_too_briefly: `the request has to be on the screen for ${VISIBLE_MS / 1_000} s`,
  not_held: "the button was not held",
  held_too_briefly: `the button has to be held for ${HOLD_MS / 1_000} s`,
};

function apiOf(options: PageOptions) {
  const { access, presence, desk } = options;
  const body = jsonBody(BODY_BYTES_MAX, parseBody);
  const app = httpPlugin({
    name: "wallet page",
    prefix: API,
    cors: NO_PAGES,
    before: (request) => guard(request, options),
    onError: failureOf,
  });
  return app
    .post(
      "/open",
      ({ request, body: { link } }) => {
        const secrets = access.open(link, browserOf(request));
        if (secrets === undefined)
          throw new PageRefusal(
            403,
            "link_used",
            "this link was used, or is too old: lyra wallet session page",
          );
        presence.hide();
        desk.wake();
        const response = Response.json({ secret: secrets.secret });
        response.headers.append("set-cookie", cookieOf(request, secrets.cookie));
        return response;
      },
      { ...body, body: t.Object({ link: TOKEN }) },
    )
    .post("/end", () => {
      access.end();
      presence.hide();
      desk.wake();
      return Response.json({});
    })
    .get(
      "/state",
      async ({ request, query: { since } }) => {
        options.onWaiting(request);
        const state = await desk.state(since, request.signal);
        // The session may have ended while this waited.
        return hasSession(request, access, false) ? Response.json(state) : noSession();
      },
      { query: t.Object({ since: t.Optional(t.Numeric()) }) },
    )
    .get("/wallet", async ({ query: { name } }) => Response.json(await desk.wallet(name)), {
      query: t.Object({ name: NAME }),
    })
    .get("/activity", () => Response.json(desk.activity()))
    .post(
      "/show",
      ({ body: { id } }) => {
        // Another answer may come before its page shows it: the next state says so.
        if (!desk.isWaiting(id)) return Response.json({});
        return Response.json({ nonce: presence.show(id), visibleMs: VISIBLE_MS });
      },
      { ...body, body: t.Object({ id: TOKEN }) },
    )
    .post("/hide", () => {
      presence.hide();
      return Response.json({});
    })
    .post(
      "/press",
      ({ body: { id, nonce } }) => {
        const press = presence.press(id, nonce);
        if (isProblem(press)) throw new PageRefusal(409, press, SENTENCES[press]);
        return Response.json({ press, holdMs: HOLD_MS });
      },
      { ...body, body: t.Object({ id: TOKEN, nonce: TOKEN }) },
    )
    .post(
      "/approve",
      ({ body: { id, nonce, press, ...answer } }) => {
        const problem = presence.release(id, nonce, press);
        if (problem !== undefined) throw new PageRefusal(409, problem, SENTENCES[problem]);
        desk.approve(id, answer);
        return Response.json({});
      },
      {
        ...body,
        body: t.Object({
          id: TOKEN,
          nonce: TOKEN,
          press: TOKEN,
          wallet: t.Optional(NAME),
          keep: t.Optional(t.Boolean()),
          allowedKeys: t.Optional(t.Array(TOKEN, { maxItems: 100 })),
          passphrase: t.Optional(PASSPHRASE),
        }),
      },
    )
    .post(
      "/reject",
      async ({ body: { id, reach } }) => {
        await desk.reject(id, reach);
        return Response.json({});
      },
      {
        ...body,
        body: t.Object({ id: TOKEN, reach: t.Optional(t.Union([t.Literal("all"), t.Literal("site")])) }),
      },
    )
    .post(
      "/unlock",
      async ({ body: { wallet, passphrase } }) => Response.json(await desk.unlock(wallet, passphrase)),
      {
        ...body,
        body: t.Object({ wallet: NAME, passphrase: PASSPHRASE }),
      },
    )
    .post("/lock", ({ body: { wallet } }) => Response.json(desk.lock(wallet)), {
      ...body,
      body: t.Object({ wallet: NAME }),
    })
    .post("/revoke", async ({ body: { hostname } }) => Response.json(await desk.revoke(hostname)), {
      ...body,
      body: t.Object({ hostname: NAME }),
    })
    .post("/preview", async ({ body: sending }) => Response.json(await desk.preview(sending)), {
      ...body,
      body: SENDING,
    })
    .post(
      "/send",
      async ({ request, body: sending }) => {
        options.onWaiting(request);
        return Response.json(await desk.send(sending, request.headers.get("host")!));
      },
      {
        ...body,
        body: SENDING,
      },
    )
    .all("/*", () => refuse(404, "not_found", "there is no such resource"));
}

const isProblem = (value: string): value is PresenceProblem => Object.hasOwn(SENTENCES, value);

const SAME_ORIGIN = "same-origin";
/** The page posts these by itself, for every request of a site. */
const SHOWING: ReadonlySet<string> = new Set([`${API}/show`, `${API}/hide`]);

/** Checks before any route: undefined lets a request pass. */
function guard(request: Request, { access, isAllowedHost }: PageOptions): Response | undefined {
  const { headers, method } = request;
  const host = headers.get("host");
  if (!isAllowedHost(host)) return refuse(403, "wrong_host", "the Host header names another machine");
  const origin = headers.get("origin");
  const site = headers.get("sec-fetch-site");
  const isOwnOrigin = origin === `http://${host}` || (origin === null && method === "GET");
  if (!isOwnOrigin || (site !== null && site !== SAME_ORIGIN))
    return refuse(403, "other_origin", "the request comes from another page");
  const destination = headers.get("sec-fetch-dest");
  if (destination !== null && destination !== "empty")
    return refuse(403, "other_origin", "this is for the page's own script");
  if (method !== "GET" && method !== "POST")
    return refuse(405, "wrong_method", "only GET and POST are supported");
  if (method === "POST" && !/^application\/json(?:\s*;|$)/i.test(headers.get("content-type") ?? ""))
    return refuse(415, "wrong_type", "the body is application/json");
  const { pathname } = splitUrl(request.url);
  if (pathname === `${API}/open`) return undefined;
  const isUse = method === "POST" && !SHOWING.has(pathname);
  return hasSession(request, access, isUse) ? undefined : noSession();
}

/** @param isUse a person did something */
function hasSession(request: Request, access: PageAccess, isUse: boolean): boolean {
  const secret = request.headers.get(SECRET_HEADER) ?? undefined;
  return access.check({ cookie: cookieIn(request), secret, browser: browserOf(request) }, isUse);
}

function noSession(): Response {
  return refuse(401, "no_session", "this browser has no session: open a new link, lyra wallet session page");
}

// Cookies are of a host and not of its port, so the name says the port.

function cookieName({ headers }: Request): string {
  return `lyra-wallet-${/:(\d+)$/.exec(headers.get("host") ?? "")?.[1] ?? "80"}`;
}

function cookieOf(request: Request, value: string): string {
  return `${cookieName(request)}=${value}; Path=/page/; HttpOnly; SameSite=Strict`;
}

function cookieIn(request: Request): string | undefined {
  const name = `${cookieName(request)}=`;
  const values = (request.headers.get("cookie") ?? "")
    .split(/;\s*/)
    .filter((pair) => pair.startsWith(name))
    .map((pair) => pair.slice(name.length));
  // A second one could be another server's, of another path.
  return values.length === 1 ? values[0] : undefined;
}

/** A browser by what it says of itself: what opened the link goes on, and no other. */
function browserOf({ headers }: Request): string {
  return ["user-agent", "sec-ch-ua", "sec-ch-ua-platform", "accept-language"]
    .map((name) => headers.get(name) ?? "")
    .join("\n");
}
