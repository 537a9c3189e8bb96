/**
 * Bundles the page (src/web) into one file, `src/web/generated/page.pack`: an index, then every script, style and document,
 * compressed. The executable holds that file, and a node reads it when a browser first asks (planes/page/assets.ts).
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { packPage } from "../src/planes/page/pack.ts";
import { PAGE_ENTRIES } from "./entry-points.ts";

const ROOT = join(import.meta.dir, "..");
const OUT = join(ROOT, "src", "web", "generated");
/** Of everything, compressed. */
const BYTES_MAX = 250 * 1024;
const TYPES: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".svg": "image/svg+xml",
};
/** Loads the first answer that a node's page needs (planes/page/routes.ts) beside the scripts. */
const FIRST_READ = '<link rel="preload" as="fetch" crossorigin href="/lyra/v1/addresses">';
/** Titles of the documents, which are named after their entry points. */
const TITLES: Readonly<Record<string, string>> = { index: "Lyra", wallet: "Lyra wallet" };

const { outputs } = await Bun.build({
  entrypoints: [...PAGE_ENTRIES, "src/web/style.css"].map((path) => join(ROOT, path)),
  target: "browser",
  splitting: true,
  minify: true,
  naming: "[name]-[hash].[ext]",
  define: { "process.env.NODE_ENV": '"production"' },
});

const files = await Promise.all(
  outputs.map(async (output) => ({
    name: basename(output.path),
    kind: output.kind,
    bytes: new Uint8Array(await output.arrayBuffer()),
  })),
);
const icon = new Uint8Array(await Bun.file(join(ROOT, "src", "web", "icon.svg")).arrayBuffer());
const iconName = `icon-${Bun.hash(icon).toString(36).slice(0, 8)}.svg`;

const named = (name: string, extension: string) => {
  const file = files.find(({ name: own }) => own.startsWith(`${name}-`) && extname(own) === extension);
  if (file === undefined) throw new Error(`the bundle has no ${name}${extension}`);
  return file.name;
};
/** Scripts that a file imports at once, and those that they import. */
function importsOf(name: string, seen = new Set<string>()): Set<string> {
  const text = new TextDecoder().decode(files.find((file) => file.name === name)!.bytes);
  for (const [, other] of text.matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g))
    if (!seen.has(other!)) importsOf(other!, seen.add(other!));
  return seen;
}

function htmlOf(entry: string, title: string): string {
  const script = named(entry, ".js");
  const preloads = [...importsOf(script)].map((name) => `<link rel="modulepreload" href="/page/${name}">`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="/page/${iconName}">
<link rel="stylesheet" href="/page/${named("style", ".css")}">
${preloads.join("\n")}${entry === "index" ? `\n${FIRST_READ}` : ""}
<script type="module" src="/page/${script}"></script>
</head>
<body>
<div id="app"></div>
<noscript>This page needs JavaScript. What it shows is at <a href="/docs">the API</a>.</noscript>
</body>
</html>
`;
}

const utf8 = new TextEncoder();
const pack = packPage([
  ...Object.entries(TITLES).map(([entry, title]) => ({
    name: `${entry}.html`,
    type: TYPES[".html"]!,
    bytes: utf8.encode(htmlOf(entry, title)),
  })),
  ...files.map(({ name, bytes }) => ({ name, type: TYPES[extname(name)]!, bytes })),
  { name: iconName, type: TYPES[".svg"]!, bytes: icon },
]);
if (pack.length > BYTES_MAX)
  throw new Error(`the page takes ${pack.length} bytes compressed, and may take ${BYTES_MAX}`);
rmSync(join(OUT, "page.pack"), { force: true });
mkdirSync(OUT, { recursive: true });
writeFileSync(join(OUT, "page.pack"), pack);
if (process.argv.includes("--sizes"))
  for (const { name, bytes } of files)
    console.log(String(Bun.gzipSync(bytes, { level: 9 }).length).padStart(8), name);
console.log(`the page: ${files.length + 3} files, ${pack.length} bytes compressed`);
