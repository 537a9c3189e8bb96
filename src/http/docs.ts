// Documentation that runs: `/docs` lets a person try every request, `/docs/json` is the OpenAPI document.
// The page is made by @elysiajs/swagger. It would load scripts from unpkg.com; here they come from the
// executable, so that it works without internet, and the page may not reach any other host (see `policy`).
// Everything is made when first asked for: nothing of it is paid for at the start.
import { type AnyElysia, Elysia } from "elysia";
import stylePath from "swagger-ui-dist/swagger-ui.css" with { type: "file" };
import scriptPath from "swagger-ui-dist/swagger-ui-bundle.js" with { type: "file" };
import { compressedNow } from "./compression.ts";
import { OPENAPI_VERSION, type Paths } from "./openapi/types.ts";
import { asset, NO_ICON, once, policy, respond, type Served, serve } from "./served.ts";

const PAGE = "/docs";
/** Below the page. */
const DOCUMENT = "/json";
const SCRIPT = "/swagger-ui.js";
const STYLE = "/swagger-ui.css";
/** Stands in the address that the plugin writes and that is replaced here. */
const SCRIPT_VERSION = "local";
const REMOTE_SCRIPT = `https://unpkg.com/swagger-ui-dist@${SCRIPT_VERSION}/swagger-ui-bundle.js`;

/** Settings of the page; the validator badge would ask validator.swagger.io. */
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

/** A document, and how its examples are found. */
interface Documentation {
  /** Texts of the document, and paths of routes that do not describe themselves. */
  parts(): Promise<DocumentParts>;
  /** Application whose routes describe themselves by schemas. */
  readonly app?: AnyElysia;
  /** Its paths with examples of what the server holds; nothing is asked for before the first request. */
  examples?(paths: Paths): Promise<Paths>;
  /** Changes when other examples may be found; the document is kept until then. */
  version?(): string | number;
  /** Paths that say where the documents are. */
  readonly signposts?: readonly string[];
  /** Answers a browser at `/`, where it gets a page; undefined for every other client. */
  front?(request: Request): Promise<Response> | undefined;
  /** Other path than `/docs`. */
  readonly page?: string;
}

interface DocumentParts {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly paths?: Paths;
}

interface OpenApiDocument extends DocumentParts {
  readonly paths: Paths;
}

/** Routes of the documentation, to be mounted beside those of a plane. */
export function docsPlugin(documentation: Documentation) {
  const base = documentation.page ?? PAGE;
  const parts = once(() => documentation.parts());
  const appOnce = once(async () => documentedApp(base, await parts(), documentation.app));
  const page = once(async () => makePage(base, await appOnce()));
  const document = latest(
    async () => makeDocument(await appOnce(), await parts(), documentation),
    documentation.version,
  );
  const signpost = once(async () => makeSignpost(base, (await parts()).info));
  const send =
    (served: () => Promise<Served>) =>
    async ({ request }: { request: Request }) =>
      respond(await served(), request);
  const plugin = new Elysia({ name: "docs" });
  for (const path of documentation.signposts ?? []) {
    const front = path === "/" ? documentation.front : undefined;
    plugin.get(path, (context) => front?.(context.request) ?? send(signpost)(context), HIDDEN);
  }
  return plugin
    .get(base, send(page), HIDDEN)
    .get(`${base}/`, send(page), HIDDEN)
    .get(base + DOCUMENT, send(document), HIDDEN)
    .get(base + SCRIPT, send(script), HIDDEN)
    .get(base + STYLE, send(style), HIDDEN);
}

const HIDDEN = { detail: { hide: true } } as const;

/** Asks an application for JSON; undefined unless it answers 200. */
export function jsonClient(app: { handle(request: Request): Promise<Response> }) {
  return async (path: string): Promise<unknown> => {
    const response = await app.handle(requestOf(path));
    return response.status === 200 ? response.json() : undefined;
  };
}

/** Its `Host` is one that every plane accepts. */
const requestOf = (path: string) =>
  new Request(`http://localhost${path}`, { headers: { host: "localhost" } });

/** Paths of the page and the document as the swagger plugin makes them, before they are kept and compressed. */
const RAW_PAGE = "/raw-docs";
const RAW_DOCUMENT = "/raw-docs/json";

async function documentedApp(base: string, parts: DocumentParts, app?: AnyElysia): Promise<AnyElysia> {
  const { swagger } = await import("@elysiajs/swagger");
  const documented = new Elysia();
  if (app) documented.use(app);
  return documented.use(
    swagger({
      path: RAW_PAGE,
      specPath: RAW_DOCUMENT,
      provider: "swagger-ui",
      version: SCRIPT_VERSION,
      theme: base + STYLE,
      autoDarkMode: false,
      // Its types know no way to switch the badge off.
      swaggerOptions: { ...PAGE_OPTIONS, url: base + DOCUMENT } as never,
      // Its page shows the description as it is, without the links.
      documentation: {
        openapi: OPENAPI_VERSION,
        ...parts,
        info: { ...parts.info, description: parts.info.title },
      } as never,
    }),
  );
}

async function makeDocument(
  app: AnyElysia,
  { info }: DocumentParts,
  { examples }: Documentation,
): Promise<Served> {
  const document = (await (await app.handle(requestOf(RAW_DOCUMENT))).json()) as OpenApiDocument;
  const paths = examples ? await examples(document.paths) : document.paths;
  return serve(JSON.stringify({ ...document, info, paths }, withoutMarks), "application/json", compressedNow);
}

/** Leaves out what Elysia and TypeBox need of a schema and a reader does not: names of models, a pattern of any name. */
function withoutMarks(name: string, value: unknown): unknown {
  if (name === "$id") return undefined;
  const isAny = name === "patternProperties" && JSON.stringify(value) === '{"^(.*)$":{}}';
  return isAny ? undefined : value;
}

async function makeSignpost(
  base: string,
  { title, version, description }: DocumentParts["info"],
): Promise<Served> {
  const body = { title, version, description, docs: base, openapi: base + DOCUMENT };
  return serve(`${JSON.stringify(body, undefined, 2)}\n`, "application/json", compressedNow);
}

async function makePage(base: string, app: AnyElysia): Promise<Served> {
  const page = await (await app.handle(requestOf(RAW_PAGE))).text();
  const html = page
    .replace(" crossorigin>", ">")
    .replace(REMOTE_SCRIPT, base + SCRIPT)
    .replace("</head>", `${NO_ICON}</head>`);
  if (html.includes("://")) throw new Error("the documentation page names another host");
  return serve(html, "text/html; charset=utf-8", compressedNow, { "content-security-policy": policy(html) });
}

const script = once(() => asset(scriptPath, "text/javascript; charset=utf-8"));
const style = once(() => asset(stylePath, "text/css; charset=utf-8"));

/** Runs again when the version changes. */
function latest<T>(run: () => Promise<T>, version: () => string | number = () => 0): () => Promise<T> {
  let current: { readonly version: string | number; readonly get: () => Promise<T> } | undefined;
  return () => {
    const now = version();
    if (current?.version !== now) current = { version: now, get: once(run) };
    return current.get();
  };
}
