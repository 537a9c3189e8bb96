/**
 * JSON-RPC 2.0 as the consensus engine speaks it (docs/protocol/30-node-api-endpoints.md#8-cometbft-rpc-underneath):
 * over POST, also several requests at once, over GET with the parameters in the address, and over a websocket.
 */

import { WireError } from "../../wire/errors.ts";
import { base64Bytes } from "../../wire/json.ts";

const CODES = {
  parse: [-32700, "Parse error. Invalid JSON"],
  request: [-32600, "Invalid Request"],
  method: [-32601, "Method not found"],
  params: [-32602, "Invalid params"],
  internal: [-32603, "Internal error"],
  server: [-32000, "Server error"],
} as const;

export class CometRpcError extends Error {
  constructor(
    readonly kind: keyof typeof CODES,
    /** The reason, in `data`. */
    readonly reason = "",
  ) {
    super(reason);
  }
}

/** Number or text of a request; -1 for one in an address. */
export type RpcId = string | number;
export const ADDRESS_ID = -1;

export function resultText(id: RpcId, result: object): string {
  return JSON.stringify({ jsonrpc: "2.0", id, result });
}

/** @param id undefined where the request could not be read */
export function errorText(id: RpcId | undefined, { kind, reason }: CometRpcError): string {
  const [code, message] = CODES[kind];
  return JSON.stringify({ jsonrpc: "2.0", id, error: { code, message, ...(reason && { data: reason }) } });
}

// Parameters: each method names them in order, with a kind.

type ParameterKind = "number" | "bytes" | "text" | "flag";
export type Parameters = readonly (readonly [name: string, kind: ParameterKind])[];
export type Given = Readonly<Record<string, unknown>>;

/** From the request: by name or by place. @throws CometRpcError */
export function parametersOf(declared: Parameters, params: unknown): Given {
  if (params === undefined || params === null) return {};
  if (typeof params !== "object") throw badParams("json", "params are neither a list nor an object");
  if (Array.isArray(params) && params.length > declared.length)
    throw badParams(
      "json",
      `expected ${declared.length} parameters ([${declared.map(([name]) => name).join(" ")}]), got ${params.length}`,
    );
  const byName = params as Record<string, unknown>;
  return Object.fromEntries(
    declared.map(([name, kind], at) => {
      const value = Array.isArray(params) ? params[at] : byName[name];
      return [name, value === undefined || value === null ? undefined : checkedValue(name, kind, value)];
    }),
  );
}

/** From an address: numbers as they are, texts in quotes, bytes in quotes or as `0x` and hexadecimal. @throws CometRpcError */
export function parametersIn(declared: Parameters, query: URLSearchParams): Given {
  return Object.fromEntries(
    declared.map(([name, kind]) => {
      const text = query.get(name);
      return [name, text === null || text === "" ? undefined : valueInAddress(name, kind, text)];
    }),
  );
}

const WHOLE = /^-?\d{1,16}$/;

function checkedValue(name: string, kind: ParameterKind, value: unknown): unknown {
  if (kind === "number") {
    const text = String(value);
    if ((typeof value === "string" || typeof value === "number") && WHOLE.test(text)) return Number(text);
  } else if (kind === "flag") {
    if (typeof value === "boolean") return value;
  } else if (typeof value === "string") {
    if (kind === "text") return value;
    return base64Parameter(value);
  }
  throw badParams("json", `'${name}' is not ${NAMES[kind]}`);
}

const NAMES = { number: "a whole number", bytes: "base64", text: "a text", flag: "true or false" } as const;

function valueInAddress(name: string, kind: ParameterKind, text: string): unknown {
  const quoted = /^"(.*)"$/s.exec(text)?.[1];
  const plain = quoted ?? text;
  if (kind === "number" && WHOLE.test(plain)) return Number(plain);
  if (kind === "flag" && (plain === "true" || plain === "false")) return plain === "true";
  if (kind === "text") return plain;
  if (kind === "bytes") {
    const hex = /^0x((?:[0-9a-fA-F]{2})*)$/.exec(plain)?.[1];
    if (hex !== undefined) return Uint8Array.fromHex(hex);
    if (quoted !== undefined) return new Uint8Array(Buffer.from(quoted, "utf8"));
  }
  const forms = kind === "bytes" ? "0x and hexadecimal, or a text in quotes" : NAMES[kind];
  throw badParams("http", `'${name}' is not ${forms}`);
}

function base64Parameter(text: string): Uint8Array {
  try {
    return base64Bytes(text);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    throw badParams("json", error.message);
  }
}

function badParams(source: "json" | "http", reason: string): CometRpcError {
  return new CometRpcError("params", `error converting ${source} params to arguments: ${reason}`);
}
