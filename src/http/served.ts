// A page, its scripts and styles, a document: sent again and again, with a tag, compressed, and made once.
import { isKnown } from "./byte-range.ts";
import { compressedOnce, isCompressedFor, packedResponse } from "./compression.ts";

const INLINE_SCRIPT = /<script>([\s\S]*?)<\/script>/g;
/** Else the browser asks for /favicon.ico. */
export const NO_ICON = '<link rel="icon" href="data:," />';
const ETAG_DIGITS = 32;
const ASSET_CACHE = "public, max-age=3600";

export interface Served {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly packed: Uint8Array<ArrayBuffer>;
  readonly etag: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Nothing but what this server sends; of scripts in the page, exactly its own.
 * @param fonts further sources of fonts
 */
export function policy(html: string, ...fonts: readonly string[]): string {
  const hashes = [...html.matchAll(INLINE_SCRIPT)].map(
    ([, script]) => `'sha256-${new Bun.CryptoHasher("sha256").update(script!).digest("base64")}'`,
  );
  return [
    "default-src 'none'",
    `script-src 'self' ${hashes.join(" ")}`,
    "style-src 'self'",
    "img-src 'self' data:",
    `font-src ${["'self'", ...fonts].join(" ")}`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

type Compress = (
  bytes: Uint8Array<ArrayBuffer>,
) => Uint8Array<ArrayBuffer> | Promise<Uint8Array<ArrayBuffer>>;

export async function serve(
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
    headers: { ...fixed, vary: "Origin, Accept-Encoding", ...headers },
  };
}

export function respond({ body, packed, etag, headers }: Served, request: Request): Response {
  const isPacked = isCompressedFor(request, body.length);
  // Other bytes, so another tag.
  const tag = isPacked ? `"${etag}-gzip"` : `"${etag}"`;
  const tagged = { ...headers, etag: tag };
  if (isKnown(request.headers, tag)) return new Response(null, { status: 304, headers: tagged });
  return isPacked ? packedResponse(packed, { headers: tagged }) : new Response(body, { headers: tagged });
}

export async function asset(path: string, contentType: string): Promise<Served> {
  // In the package it is the name of a file beside this one.
  const bytes = await Bun.file(path.startsWith("./") ? new URL(path, import.meta.url) : path).bytes();
  return serve(bytes, contentType, compressedOnce, { "cache-control": ASSET_CACHE });
}

/** Runs once, also for concurrent callers; a failure is retried by the next call. */
export function once<T>(run: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => {
    running ??= run().catch((error) => {
      running = undefined;
      throw error;
    });
    return running;
  };
}
