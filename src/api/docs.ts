// Documentation that runs: `/docs` lets a person try every request, `/docs/json` is the OpenAPI document.
// The page is made by @elysiajs/swagger. It would load scripts from unpkg.com; here they come from the
// executable, so that it works without internet, and the page may not reach any other host (see `policy`).
// Everything is made when first asked for: nothing of it is paid for at the start.
import { Elysia } from "elysia";
import stylePath from "swagger-ui-dist/swagger-ui.css" with { type: "file" };
import scriptPath from "swagger-ui-dist/swagger-ui-bundle.js" with { type: "file" };
import type { Paths } from "./openapi/types.ts";

const PAGE = "/docs";
/** Below the page. */
const DOCUMENT = "/json";
const SCRIPT = "/swagger-ui.js";
const STYLE = "/swagger-ui.css";
/** Stands in the address that the plugin writes and that is replaced here. */
const SCRIPT_VERSION = "local";
const REMOTE_SCRIPT = `https://unpkg.com/swagger-ui-dist@${SCRIPT_VERSION}/swagger-ui-bundle.js`;
const INLINE_SCRIPT = /<script>([\s\S]*?)<\/script>/g;
/** Else the browser asks for /favicon.ico. */
const NO_ICON = '<link rel="icon" href="data:," />';
const ASSET_CACHE = "public, max-age=3600";

/** How the page behaves; the validator badge would ask validator.swagger.io. */
const PAGE_OPTIONS = {
  validatorUrl: null,
  deepLinking: true,
  displayRequestDuration: true,
  docExpansion: "none",
  filter: true,
  tryItOutEnabled: true,
  defaultModelsExpandDepth: 0,
  defaultModelRendering: "model",
} as const;

interface Served {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A document, and how its examples are found. */
export interface Documentation {
  /** The OpenAPI document without examples. */
  parts(): Promise<OpenApiDocument>;
  /** Its paths with examples of what the server holds; nothing is asked for before the first request. */
  examples?(paths: Paths): Promise<Paths>;
  /** Changes when other examples may be found; the document is kept until then. */
  version?(): string | number;
  /** Paths that say where the documents are. */
  readonly signposts?: readonly string[];
  /** Other path than `/docs`. */
  readonly page?: string;
}

export interface OpenApiDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly paths: Paths;
}

/** Routes of the documentation, to be mounted beside those of a plane. */
export function docsPlugin(documentation: Documentation) {
  const base = documentation.page ?? PAGE;
  const parts = once(() => documentation.parts());
  const page = once(async () => makePage(base, (await parts()).info));
  const document = latest(async () => makeDocument(await parts(), documentation), documentation.version);
  const signpost = once(async () => makeSignpost(base, (await parts()).info));
  const answerPage = async () => respond(await page());
  const plugin = new Elysia({ name: "docs" });
  for (const path of documentation.signposts ?? []) plugin.get(path, async () => respond(await signpost()));
  return plugin
    .get(base, answerPage)
    .get(`${base}/`, answerPage)
    .get(base + DOCUMENT, async () => respond(await document()))
    .get(base + SCRIPT, () => asset(scriptPath, "text/javascript; charset=utf-8"))
    .get(base + STYLE, () => asset(stylePath, "text/css; charset=utf-8"));
}

/** Asks an application for JSON; undefined unless it answers 200. */
export function asking(app: { handle(request: Request): Promise<Response> }) {
  return async (path: string): Promise<unknown> => {
    const response = await app.handle(new Request(`http://localhost${path}`));
    return response.status === 200 ? response.json() : undefined;
  };
}

async function makeDocument(parts: OpenApiDocument, { examples }: Documentation): Promise<Served> {
  const paths = examples ? await examples(parts.paths) : parts.paths;
  return { body: JSON.stringify({ ...parts, paths }), headers: { "content-type": "application/json" } };
}

function makeSignpost(base: string, { title, version, description }: OpenApiDocument["info"]): Served {
  const body = { title, version, description, docs: base, openapi: base + DOCUMENT };
  return { body: `${JSON.stringify(body, undefined, 2)}\n`, headers: { "content-type": "application/json" } };
}

async function makePage(base: string, info: OpenApiDocument["info"]): Promise<Served> {
  const { swagger } = await import("@elysiajs/swagger");
  const plugin = swagger({
    path: base,
    specPath: base + DOCUMENT,
    provider: "swagger-ui",
    version: SCRIPT_VERSION,
    theme: base + STYLE,
    autoDarkMode: false,
    // Its types know no way to switch the badge off.
    swaggerOptions: { ...PAGE_OPTIONS, url: base + DOCUMENT } as never,
    documentation: { info: { title: info.title, version: info.version, description: info.title } },
  });
  const made = await (await plugin.handle(new Request(`http://localhost${base}`))).text();
  const html = made
    .replace(" crossorigin>", ">")
    .replace(REMOTE_SCRIPT, base + SCRIPT)
    .replace("</head>", `${NO_ICON}</head>`);
  if (html.includes("://")) throw new Error("the documentation page names another host");
  return {
    body: html,
    headers: { "content-type": "text/html; charset=utf-8", "content-security-policy": policy(html) },
  };
}

/** Nothing but what this server sends; of scripts in the page, exactly those that are there. */
function policy(html: string): string {
  const hashes = [...html.matchAll(INLINE_SCRIPT)].map(
    ([, script]) => `'sha256-${new Bun.CryptoHasher("sha256").update(script!).digest("base64")}'`,
  );
  return [
    "default-src 'none'",
    `script-src 'self' ${hashes.join(" ")}`,
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

function respond({ body, headers }: Served): Response {
  return new Response(body, { headers: { ...headers, "x-content-type-options": "nosniff" } });
}

function asset(path: string, contentType: string): Response {
  return new Response(Bun.file(path), {
    headers: {
      "content-type": contentType,
      "cache-control": ASSET_CACHE,
      "x-content-type-options": "nosniff",
    },
  });
}

/** Runs once, however many ask meanwhile; a failure may be tried again. */
function once<T>(run: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => {
    running ??= run().catch((error) => {
      running = undefined;
      throw error;
    });
    return running;
  };
}

/** Runs again when the version is another one. */
function latest<T>(run: () => Promise<T>, version: () => string | number = () => 0): () => Promise<T> {
  let made: { readonly version: string | number; readonly get: () => Promise<T> } | undefined;
  return () => {
    const now = version();
    if (made?.version !== now) made = { version: now, get: once(run) };
    return made.get();
  };
}
