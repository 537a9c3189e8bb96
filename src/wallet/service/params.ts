// Parameters of methods: members by name in any case, texts as texts, and an empty text is a missing one
// (docs/protocol/50-wallet-service.md#3-methods).

import type { Init } from "../../wire/codec.ts";
import type { Transaction } from "../../wire/generated/commands.ts";
import { UINT64_MAX } from "../../wire/limits.ts";
import type { SendingMode } from "../sending/raw-submission.ts";
import { originalTransactionJson } from "../signing/transaction.ts";
import { invalidParams, isObject, memberOf } from "./rpc.ts";

export class Params {
  private readonly members: Readonly<Record<string, unknown>>;

  /** @throws RpcError -32602 */
  constructor(value: unknown) {
    if (value === undefined || value === null) throw invalidParams("the params are required");
    if (!isObject(value)) throw mismatch();
    this.members = value;
  }

  has(name: string): boolean {
    const value = memberOf(this.members, name);
    return value !== undefined && value !== null;
  }

  raw(name: string): unknown {
    return memberOf(this.members, name);
  }

  /** Empty when it is not there. */
  optionalText(name: string): string {
    const value = this.raw(name);
    if (value === undefined || value === null) return "";
    if (typeof value !== "string") throw mismatch();
    return value;
  }

  text(name: string, title: string): string {
    const value = this.optionalText(name);
    if (value === "") throw invalidParams(`the ${title} is required`);
    return value;
  }

  optionalBoolean(name: string): boolean {
    const value = this.raw(name);
    if (value === undefined || value === null) return false;
    if (typeof value !== "boolean") throw mismatch();
    return value;
  }

  /** 0 when it is not there. */
  optionalWhole(name: string): bigint {
    const value = this.raw(name);
    if (value === undefined || value === null) return 0n;
    // Those beyond 2^53 come as bigint (parseExactJson); the original's are of 64 bits.
    const isWhole = typeof value === "bigint" || (typeof value === "number" && Number.isSafeInteger(value));
    if (!isWhole || value < 0 || value > UINT64_MAX) throw mismatch();
    return BigInt(value);
  }

  whole(name: string, title: string): bigint {
    const value = this.optionalWhole(name);
    if (value === 0n) throw invalidParams(`the ${title} is required`);
    return value;
  }

  /** Members of an object; undefined when it is not there. */
  optionalParams(name: string): Params | undefined {
    if (!this.has(name)) return undefined;
    return new Params(this.raw(name));
  }

  optionalTexts(name: string): string[] {
    const value = this.raw(name);
    if (value === undefined || value === null) return [];
    if (!Array.isArray(value) || !value.every((one) => typeof one === "string")) throw mismatch();
    return value as string[];
  }

  list(name: string): unknown[] {
    const value = this.raw(name);
    if (value === undefined || value === null) return [];
    if (!Array.isArray(value)) throw mismatch();
    return value;
  }
}

export function mismatch() {
  return invalidParams("the params do not match expected ones");
}

const MODES: readonly string[] = ["TYPE_SYNC", "TYPE_ASYNC", "TYPE_COMMIT"];

export function sendingModeOf(params: Params): SendingMode {
  const mode = params.text("sendingMode", "sending mode");
  if (mode === "TYPE_UNSPECIFIED") throw invalidParams('the sending mode can\'t be "TYPE_UNSPECIFIED"');
  if (!MODES.includes(mode)) throw invalidParams(`the sending mode "${mode}" is not a valid one`);
  return mode as SendingMode;
}

// The transaction in results: the members that the original prints, and the ones that its documents promise and typed
// clients read (docs/protocol/50-wallet-transactions.md#66-result-json-of-transaction). Both say the same.

/** JSON text: the nonce of the proof is a number that JavaScript's could round. */
export function transactionResultJson(transaction: Init<Transaction>): string {
  const { inputData = new Uint8Array(0), pubKey = "" } = transaction;
  const original = originalTransactionJson(transaction);
  const documented = JSON.stringify({
    inputData: Buffer.from(inputData).toString("base64"),
    from: { pubKey },
  });
  return `${original.slice(0, -1)},${documented.slice(1)}`;
}
