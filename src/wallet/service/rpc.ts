// JSON-RPC 2.0 as the wallet service speaks it: requests in, answers out
// (docs/protocol/50-wallet-service.md#14-status-table and #16-json-rpc-error-catalogue).
import type { WALLET_CODES, WalletText } from "../../errors/wallet-codes.ts";
import { parseUniqueJson, RepeatedMember } from "../../wire/unique-json.ts";
import { parseExactJson } from "../signing/transaction.ts";

/** An error object. `title` is the catalogue's word for the code. */
export class RpcError extends Error {
  override readonly name = "RpcError";
  constructor(
    readonly code: number,
    readonly title: string,
    /** Always a text; on the wire it is `data`. */
    readonly data: string,
    /** Of HTTP, where it is not the one of the code. */
    readonly status?: number,
  ) {
    super(data);
  }
}

const define = (code: number, title: string) => (data: string) => new RpcError(code, title, data);
/** The same for codes of which every text is defined. */
const defined =
  <Code extends keyof typeof WALLET_CODES>(code: Code, title: string) =>
  (data: WalletText<Code>) =>
    new RpcError(Number(code), title, data);

/** The catalogue (docs/protocol/50-wallet-service.md#16-json-rpc-error-catalogue). */
const parseError = defined("-32700", "Parse error");
export const invalidRequest = defined("-32600", "Invalid Request");
export const unsupportedType = () => {
  const data = "the Content-Type of a connection must be application/json-rpc or application/json";
  return new RpcError(-32600, "Invalid Request", data, 415);
};
export const methodNotFound = define(-32601, "Method not found");
export const invalidParams = define(-32602, "Invalid params");
export const internalError = define(-32603, "Internal error");
export const tooMany = defined("-32000", "Server error");
export const interrupted = () => define(-32001, "Server error")("the request has been interrupted");
export const hostnameError = defined("-32002", "Server error");
export const tokenError = defined("-32003", "Server error");
export const networkError = (code: number, data: string) => new RpcError(code, "Network error", data);
export const notPermitted = define(2000, "Application error");
export const cancelledByApplication = define(2001, "Application error");
export const connectionClosed = () => define(3000, "User error")("the user closed the connection");
export const userRejected = define(3001, "User error");
export const userCancelled = () => define(3002, "User error")("the user cancelled the request");

export interface RpcRequest {
  readonly jsonrpc: string;
  readonly method: string;
  readonly params: unknown;
  /** Empty or missing: a notification, which is carried out and not answered. */
  readonly id: string;
}

interface ParseLimits {
  /** Levels of objects and lists. */
  readonly depthMax: number;
}

type Members = Readonly<Record<string, unknown>>;

const MEMBERS: ReadonlySet<string> = new Set(["jsonrpc", "method", "params", "id"]);

/** Characters of an identifier: it is kept for as long as a request waits. */
const ID_LENGTH_MAX = 1_000;

/** @throws RpcError -32700 */
export function parseRequest(text: string, { depthMax }: ParseLimits): RpcRequest {
  if (text.trim() === "") throw parseError("the request can't be blank");
  if (isDeeper(text, depthMax)) throw parseError(`the request is nested deeper than ${depthMax} levels`);
  let value: unknown;
  try {
    value = parseUniqueJson(text, LONG_NUMBER.test(text) ? parseExactJson : JSON.parse);
  } catch (error) {
    throw parseError(
      error instanceof RepeatedMember
        ? "a member of the request is there twice"
        : "the request is not valid JSON",
    );
  }
  // A request that is null has no members, like the original's.
  if (value === null) return { jsonrpc: "", method: "", params: undefined, id: "" };
  if (!isObject(value)) throw parseError("the request is not a JSON object; batches are not supported");
  const members: { jsonrpc?: unknown; method?: unknown; params?: unknown; id?: unknown } = {};
  // In any case of letters; of several the last one counts, as in the original.
  for (const key of Object.keys(value)) {
    const name = MEMBERS.has(key) ? key : key.toLowerCase();
    if (MEMBERS.has(name)) members[name as keyof typeof members] = value[key];
  }
  const id = textOf(members.id, "id");
  if (id.length > ID_LENGTH_MAX) throw parseError(`the member id is longer than ${ID_LENGTH_MAX} characters`);
  const jsonrpc = textOf(members.jsonrpc, "jsonrpc");
  return { jsonrpc, method: textOf(members.method, "method"), params: members.params, id };
}

export function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A member by its name in any case of letters; of several the last one counts, as in the original. */
export function memberOf(members: Members, name: string): unknown {
  if (Object.hasOwn(members, name) && Object.keys(members).length === 1) return members[name];
  const lowerName = name.toLowerCase();
  let member: unknown;
  for (const key of Object.keys(members)) if (key.toLowerCase() === lowerName) member = members[key];
  return member;
}

function textOf(value: unknown, name: string): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value;
  throw parseError(`the member ${name} must be a text`);
}

/** Only numbers this long can be rounded; most requests have none, and are parsed three times as fast. */
const LONG_NUMBER = /\d{16}/;

/** Whether brackets outside of texts are nested deeper than `most`: checked before anything is parsed. */
function isDeeper(text: string, most: number): boolean {
  if (text.length <= most) return false;
  let depth = 0;
  let isInText = false;
  for (let place = 0; place < text.length; place++) {
    const code = text.charCodeAt(place);
    if (isInText) {
      if (code === 0x5c) place++;
      else if (code === 0x22) isInText = false;
    } else if (code === 0x22) isInText = true;
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > most) return true;
    } else if (code === 0x7d || code === 0x5d) depth--;
  }
  return false;
}

/** Go's JSON printer escapes what could be HTML; all of these can only stand inside texts. */
const UNSAFE = /[<>&\u2028\u2029]/;
const ESCAPES = ["<", ">", "&", "\u2028", "\u2029"].map((sign) => {
  return [sign, `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`] as const;
});

function escaped(json: string): string {
  if (!UNSAFE.test(json)) return json;
  return ESCAPES.reduce((text, [sign, instead]) => text.replaceAll(sign, instead), json);
}

/** Characters of what is said of a failure: what a page sent does not come back to it twelve times as long. */
const DATA_LENGTH_MAX = 10_000;

function short(data: string): string {
  if (data.length <= DATA_LENGTH_MAX) return data;
  return `${data.slice(0, DATA_LENGTH_MAX).toWellFormed()}… (${data.length} characters)`;
}

/** @param result JSON text; a void result is null, which JSON-RPC 2.0 demands and the original leaves out */
export function resultText(id: string, result: string | undefined): string {
  const idJson = escaped(JSON.stringify(id));
  const text = result === undefined ? "null" : escaped(result);
  return `{"jsonrpc":"2.0","result":${text},"id":${idJson}}`;
}

/**
 * The failure is in `errors`, as the interface states, and in `error`, as JSON-RPC 2.0 does; by the latter the id is
 * null while none is known.
 */
export function errorText(id: string, { code, title, data }: RpcError): string {
  const error = JSON.stringify({ code, message: title, data: short(data) });
  const idJson = id === "" ? "null" : JSON.stringify(id);
  return escaped(`{"jsonrpc":"2.0","error":${error},"errors":${error},"id":${idJson}}`);
}
