// The page as it is served: read from the executable when a browser first asks. Loaded with that request.

import { isKnown } from "../../http/byte-range.ts";
import { acceptsGzip, packedResponse } from "../../http/compression.ts";
import { once } from "../../http/served.ts";
import packPath from "../../web/generated/page.pack" with { type: "file" };
import { type PageFile, unpackPage } from "./pack.ts";

/** The name of a script or style changes with its content. */
const FOR_EVER = "public, max-age=31536000, immutable";
const TAG_DIGITS = 32;

const files = once(async () => {
  // In the package it is the name of a file beside this one.
  const path = packPath.startsWith("./") ? new URL(packPath, import.meta.url) : packPath;
  return unpackPage(await Bun.file(path).bytes());
});

/** @returns undefined for an unknown name */
export async function pageAsset(name: string, request: Request): Promise<Response | undefined> {
  const file = (await files()).get(name);
  if (file === undefined || name.endsWith(".html")) return undefined;
  return answer(file, request, { "cache-control": FOR_EVER, vary: "Origin, Accept-Encoding" });
}

/**
 * An HTML document of the page.
 * @param connections addresses, besides its own, that it may connect to
 */
export async function pageDocument(
  name: "index.html" | "wallet.html",
  request: Request,
  connections: readonly string[],
): Promise<Response> {
  const file = (await files()).get(name);
  if (file === undefined) throw new Error(`the page has no ${name}`);
  const policy = contentPolicy(connections);
  const digest = new Bun.CryptoHasher("sha256").update(file.packed).update(policy).digest("hex");
  const etag = `"${digest.slice(0, TAG_DIGITS)}${acceptsGzip(request.headers.get("accept-encoding")) ? "-gzip" : ""}"`;
  const headers = {
    "cache-control": "no-cache",
    "content-security-policy": policy,
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    vary: "Accept, Origin, Accept-Encoding, Host",
    etag,
  };
  if (isKnown(request.headers, etag)) return new Response(null, { status: 304, headers });
  return answer(file, request, headers);
}

/** Only this server's scripts and styles, no script within the document, no frame around it. */
function contentPolicy(connections: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    // Charts place their parts by the style attribute of elements, through the object model, which no policy refuses.
    "style-src 'self'",
    "img-src 'self'",
    `connect-src ${["'self'", ...connections].join(" ")}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join("; ");
}

function answer(
  { type, packed, plain }: PageFile,
  request: Request,
  headers: Record<string, string>,
): Response {
  const all = { ...headers, "content-type": type, "x-content-type-options": "nosniff" };
  return acceptsGzip(request.headers.get("accept-encoding"))
    ? packedResponse(packed, { headers: all })
    : new Response(plain(), { headers: all });
}
