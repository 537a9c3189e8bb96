// Documentation that runs: `/docs` lets a person try every request, `/docs/json` is the OpenAPI document.
// Page and document are made by @elysiajs/swagger. Its page would load scripts from unpkg.com; here they come from the
// executable, so that it works without internet, and the page may not reach any other host (see `policy`).
// Everything is made when first asked for: nothing of it is paid for at the start.
import { Elysia } from "elysia";
import stylePath from "swagger-ui-dist/swagger-ui.css" with { type: "file" };
import scriptPath from "swagger-ui-dist/swagger-ui-bundle.js" with { type: "file" };

const PAGE = "/docs";
const DOCUMENT = "/docs/json";
const SCRIPT = "/docs/swagger-ui.js";
const STYLE = "/docs/swagger-ui.css";
/** Stands in the address that the plugin writes and that is replaced here. */
const SCRIPT_VERSION = "local";
const REMOTE_SCRIPT = `https://unpkg.com/swagger-ui-dist@${SCRIPT_VERSION}/swagger-ui-bundle.js`;
const INLINE_SCRIPT = /<script>([\s\S]*?)<\/script>/g;
/** Else the browser asks for /favicon.ico. */
const NO_ICON = '<link rel="icon" href="data:," />';
const ASSET_CACHE = "public, max-age=3600";

/** How the page behaves; the validator badge would ask validator.swagger.io. */
const PAGE_OPTIONS = {
  url: DOCUMENT,
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

/**
 * Routes of the documentation, to be mounted beside those of a plane.
 * @param parts makes the OpenAPI document
 */
export function docsPlugin(parts: () => Promise<object>) {
  const made = once(async () => make(await parts()));
  const page = async () => respond((await made()).page);
  return new Elysia({ name: "docs" })
    .get(PAGE, page)
    .get(`${PAGE}/`, page)
    .get(DOCUMENT, async () => respond((await made()).document))
    .get(SCRIPT, () => asset(scriptPath, "text/javascript; charset=utf-8"))
    .get(STYLE, () => asset(stylePath, "text/css; charset=utf-8"));
}

async function make(parts: object): Promise<{ page: Served; document: Served }> {
  const { swagger } = await import("@elysiajs/swagger");
  const plugin = swagger({
    path: PAGE,
    specPath: DOCUMENT,
    provider: "swagger-ui",
    version: SCRIPT_VERSION,
    theme: STYLE,
    autoDarkMode: false,
    // Its types know no way to switch the badge off, and ask for mutable lists.
    swaggerOptions: PAGE_OPTIONS as never,
    documentation: parts as never,
  });
  const ask = async (path: string) => (await plugin.handle(new Request(`http://localhost${path}`))).text();
  const html = (await ask(PAGE))
    .replace(" crossorigin>", ">")
    .replace(REMOTE_SCRIPT, SCRIPT)
    .replace("</head>", `${NO_ICON}</head>`);
  if (html.includes("://")) throw new Error("the documentation page names another host");
  return {
    page: {
      body: html,
      headers: { "content-type": "text/html; charset=utf-8", "content-security-policy": policy(html) },
    },
    document: { body: await ask(DOCUMENT), headers: { "content-type": "application/json" } },
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
