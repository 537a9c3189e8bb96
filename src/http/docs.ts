// Documentation that runs: `/docs` lets a person try every request, `/docs/json` is the OpenAPI document.
// The page is made by @elysiajs/swagger. It would load scripts from unpkg.com; here they come from the
// executable, so that it works without internet, and the page may not reach any other host (see `policy`).
// Everything is made when first asked for: nothing of it is paid for at the start.
import { Elysia } from "elysia";
import stylePath from "swagger-ui-dist/swagger-ui.css" with { type: "file" };
import scriptPath from "swagger-ui-dist/swagger-ui-bundle.js" with { type: "file" };
import { isKnown } from "./byte-range.ts";
import { compressedNow, compressedOnce, isCompressedFor, packedResponse } from "./compression.ts";
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
const ETAG_DIGITS = 32;
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

/** Something that is sent again and again: with its tag, and compressed. */
interface Served {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly packed: Uint8Array<ArrayBuffer>;
  readonly etag: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A document, and how its examples are found. */
interface Documentation {
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
  const send =
    (served: () => Promise<Served>) =>
    async ({ request }: { request: Request }) =>
      respond(await served(), request);
  const plugin = new Elysia({ name: "docs" });
  for (const path of documentation.signposts ?? []) plugin.get(path, send(signpost));
  return plugin
    .get(base, send(page))
    .get(`${base}/`, send(page))
    .get(base + DOCUMENT, send(document))
    .get(base + SCRIPT, send(script))
    .get(base + STYLE, send(style));
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
  return serve(JSON.stringify({ ...parts, paths }), "application/json", compressedNow);
}

async function makeSignpost(
  base: string,
  { title, version, description }: OpenApiDocument["info"],
): Promise<Served> {
  const body = { title, version, description, docs: base, openapi: base + DOCUMENT };
  return serve(`${JSON.stringify(body, undefined, 2)}\n`, "application/json", compressedNow);
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
  return serve(html, "text/html; charset=utf-8", compressedNow, { "content-security-policy": policy(html) });
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

type Compress = (
  bytes: Uint8Array<ArrayBuffer>,
) => Uint8Array<ArrayBuffer> | Promise<Uint8Array<ArrayBuffer>>;

async function serve(
  content: string | Uint8Array<ArrayBuffer>,
  contentType: string,
  compress: Compress,
  headers: Record<string, string> = {},
): Promise<Served> {
  const body = typeof content === "string" ? Buffer.from(content, "utf8") : content;
  const etag = new Bun.CryptoHasher("sha256").update(body).digest("hex").slice(0, ETAG_DIGITS);
  const fixed = {
    "cache-control": "no-cache",
    "x-content-type-options": "nosniff",
    "content-type": contentType,
  };
  return {
    body,
    packed: await compress(body),
    etag,
    headers: { ...fixed, vary: "Accept-Encoding", ...headers },
  };
}

function respond({ body, packed, etag, headers }: Served, request: Request): Response {
  const isPacked = isCompressedFor(request, body.length);
  // Other bytes, so another tag.
  const tag = isPacked ? `"${etag}-gzip"` : `"${etag}"`;
  const tagged = { ...headers, etag: tag };
  if (isKnown(request.headers, tag)) return new Response(null, { status: 304, headers: tagged });
  return isPacked ? packedResponse(packed, { headers: tagged }) : new Response(body, { headers: tagged });
}

const script = once(() => asset(scriptPath, "text/javascript; charset=utf-8"));
const style = once(() => asset(stylePath, "text/css; charset=utf-8"));

async function asset(path: string, contentType: string): Promise<Served> {
  // In the package it is the name of a file beside this one.
  const bytes = await Bun.file(path.startsWith("./") ? new URL(path, import.meta.url) : path).bytes();
  return serve(bytes, contentType, compressedOnce, { "cache-control": ASSET_CACHE });
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
