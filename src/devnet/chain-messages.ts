// Messages between the chain's thread and the HTTP thread: calls of `DevnetPort` and their answers.

import { type BridgePort, ChainCallError, type ChainStatus, type DevnetPort } from "../engine/chain-port.ts";
import { CommandError } from "../engine/errors.ts";
import type { ChainCallCode } from "../errors/detail-codes.ts";
import { NodeError, reasonOf } from "../errors/node-error.ts";
import type { ErrorCode } from "../errors/program-codes.ts";
import type { CommandText } from "../errors/result-codes.ts";
import { WireError, type WireErrorCode } from "../wire/errors.ts";

type Methods<T> = {
  [K in keyof T]: T[K] extends (...values: never[]) => Promise<unknown> ? K : never;
}[keyof T];

export type Method = Exclude<Methods<DevnetPort>, undefined> | `bridge.${string & Methods<BridgePort>}`;

/** Signature verdict of the HTTP thread. */
export type SignatureFinding = "unknown" | "valid" | "invalid";

/** From the HTTP thread. */
export interface CallMessage {
  readonly kind: "call";
  readonly id: number;
  readonly method: Method;
  readonly values: readonly unknown[];
  /** Of a transaction, the first of the values. */
  readonly signature?: SignatureFinding;
}

/** From the chain's thread. */
export type ChainMessage =
  | {
      readonly kind: "answer";
      readonly id: number;
      readonly value?: unknown;
      readonly error?: ErrorText;
      /** Current mempool: it also changes between blocks. */
      readonly mempool: ChainStatus["mempool"];
    }
  | { readonly kind: "status"; readonly status: ChainStatus };

/** An error without its class, which messages do not carry. */
export interface ErrorText {
  readonly kind: "call" | "node" | "command" | "wire" | "other";
  readonly code: ErrorCode | WireErrorCode | "";
  readonly message: string;
  readonly attempt: string;
  readonly hint: string;
}

export function errorText(error: unknown): ErrorText {
  const message = reasonOf(error);
  const none = { code: "" as const, attempt: "", hint: "" };
  if (error instanceof ChainCallError) return { ...none, kind: "call", code: error.code, message };
  if (error instanceof CommandError) return { ...none, kind: "command", message };
  if (error instanceof WireError) return { ...none, kind: "wire", code: error.code, message };
  if (error instanceof NodeError) {
    return { kind: "node", code: error.code, message, attempt: error.attempt, hint: error.hint };
  }
  return { ...none, kind: "other", message };
}

export function errorOf({ kind, code, message, attempt, hint }: ErrorText): Error {
  if (kind === "call") return new ChainCallError(code as ChainCallCode, message);
  if (kind === "command") return new CommandError(message as CommandText);
  if (kind === "wire") return new WireError(code as WireErrorCode, message);
  if (kind === "node") return new NodeError(attempt, code as ErrorCode, message, hint);
  return new Error(message);
}

export function notStarted(): ChainCallError {
  return new ChainCallError("stopped", "the chain is not there yet");
}
