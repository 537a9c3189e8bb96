// Answers of the planes that read the store: rendered text with its headers, and the form of their errors.
import { logFailure } from "../errors/log.ts";
import { NodeError, reasonOf } from "../errors/node-error.ts";
import { Grpc } from "../errors/statuses.ts";
import { isStoreDamage } from "../files/sqlite-error.ts";
import { type JsonMode, renderPlain } from "../wire/json.ts";
import { acceptedForm } from "./accept.ts";
import {
  COMPRESSED_BYTES_MIN,
  compressedNow,
  encodedResponse,
  isCompressedFor,
  packedResponse,
} from "./compression.ts";
import { ApiError, type ErrorBody } from "./errors.ts";
import { heightHeaders, type ReadHead } from "./heights.ts";
import { retryAfter, splitUrl } from "./http.ts";
import { type CachedAnswer, cacheKey, type PageCache } from "./page-cache.ts";
import { type ServerStatus, STORE_DAMAGED } from "./status.ts";

const INTERNAL_HINT = "run again with LYRA_DEBUG=1 to see where, and report it";
const DAMAGE_HINT = "check the disk, then: lyra doctor --home DIR --deep";

/** An answer before it becomes a Response, so that it can be cached. */
export interface Answer {
  readonly status: number;
  readonly body: string;
  readonly contentType: string;
  /** Methods of the resource, where a request used an unknown method. */
  readonly allow?: string;
  /** The height and time the answer was read at; absent when it never reached the store. */
  readonly head?: ReadHead;
}

/** The store is damaged (`/readyz` reports it, too): no data is better than wrong data. */
export const DAMAGED = new ApiError(Grpc.unavailable, STORE_DAMAGED, [], true);
export const NOT_FOUND = new ApiError(Grpc.notFound, "Not Found", [], true);

/** The form that a request asks for, by its raw query and its `Accept` (docs/protocol/10-data-api-serving.md#13-json-output-rules). */
export function jsonMode(query: string, accept: string | null): JsonMode {
  const form = acceptedForm(accept);
  return form === "normal" && /(?:^|&)pretty(?:=|&|$)/.test(query) ? "pretty" : form;
}

export function jsonModeOf(request: Request): JsonMode {
  return jsonMode(splitUrl(request.url).query, request.headers.get("accept"));
}

export function errorAnswer(error: ApiError, mode: JsonMode, head: Answer["head"]): Answer {
  const plain = mode === "stream" ? streamErrorBody(error.body) : error.body;
  const body = renderPlain(plain, mode);
  const { status, allow } = error;
  const contentType = "application/json";
  return { status, body, contentType, ...(allow && { allow }), ...(head && { head }) };
}

/** In the stream form empty members are left out. */
export function streamErrorBody({ code, message, details }: ErrorBody): object {
  const shown = details.map(({ inner, ...detail }) => (inner === "" ? detail : { ...detail, inner }));
  return { code, message, ...(shown.length > 0 && { details: shown }) };
}

/** An error that never reached the service, in the form that the request asks for. */
export function refuse(request: Request, error: ApiError, mode = jsonModeOf(request)): Response {
  return toResponse(errorAnswer(error, mode, undefined));
}

/** Logs an unexpected error, with a code, and answers 500. */
export function answerFailure(
  status: ServerStatus,
  request: Request,
  error: unknown,
  mode?: JsonMode,
): Response {
  return refuse(request, noteFailure(status, error), mode);
}

/** Logs an unexpected error. @returns the error to answer */
export function noteFailure(status: ServerStatus, error: unknown): ApiError {
  status.counts.faults++;
  if (process.env.LYRA_DEBUG) console.error(error);
  if (!isStoreDamage(error)) {
    logFailure(new NodeError("serve", "internal", "a request failed inside Lyra", INTERNAL_HINT));
    return new ApiError(Grpc.internal, "Internal error", [], true);
  }
  if (!status.isDamaged) {
    const sentence = `the store cannot be read: ${reasonOf(error)}`;
    logFailure(new NodeError("serve", "store_damaged", sentence, DAMAGE_HINT));
  }
  status.noteDamage();
  return DAMAGED;
}

/** The response, compressed where the request accepts that and the answer is large enough. */
export function sendAnswer(answer: Answer, request: Request): Response | Promise<Response> {
  return encodedResponse(answer.body, { status: answer.status, headers: headersOf(answer) }, request);
}

/** The response, uncompressed: for small answers. */
export function toResponse(answer: Answer): Response {
  const { body, status } = answer;
  return new Response(body, { status, headers: headersOf(answer) });
}

/** Caches an answer from the second request for it on. */
export function keepAnswer(cache: PageCache, request: Request, answer: Answer): void {
  const key = cacheKey(request);
  if (!cache.isAskedAgain(key)) return;
  cache.put(key, { body: Buffer.from(answer.body, "utf8"), headers: headersOf(answer) });
}

/** A cached answer. The cache keeps it plain and compressed. */
export function sendKept(kept: CachedAnswer, cache: PageCache, request: Request): Response {
  const head = { headers: kept.headers };
  if (!isCompressedFor(request, kept.body.length)) return new Response(kept.body, head);
  return packedResponse(cache.packed(cacheKey(request), kept, compressedNow), head);
}

function headersOf(answer: Answer): Record<string, string> {
  const vary = answer.body.length < COMPRESSED_BYTES_MIN ? "Origin" : "Origin, Accept-Encoding";
  const headers: Record<string, string> = { "content-type": answer.contentType, vary };
  if (answer.head) Object.assign(headers, heightHeaders(answer.head));
  if (answer.allow !== undefined) headers.allow = answer.allow;
  return answer.status < 408 ? headers : Object.assign(headers, retryAfter(answer.status));
}
