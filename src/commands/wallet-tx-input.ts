// What the tx commands read: a command as JSON, input data or a transaction as base64, or a document that one of them
// printed; and what a node says of its last block.
import { readFileSync } from "node:fs";
import { ExitCode, NodeError } from "../errors.ts";
import { parseExactJson, readCommand } from "../wallet/signing/command-text.ts";
import { readSigned } from "../wallet/signing/transaction.ts";
import { WireError } from "../wire/errors.ts";
import { decodeInputData, type InputData, type Transaction } from "../wire/generated/commands.ts";
import { TRANSACTION_BYTES_MAX } from "../wire/transaction.ts";
import type { CommandInit } from "../wire/transaction-build.ts";
import { transactionBytes } from "../wire/transaction-json.ts";
import { usageError } from "./arguments.ts";

/** Twice the largest transaction in base64: what is longer is something else. */
const INPUT_BYTES_MAX = 4 * TRANSACTION_BYTES_MAX;

export type TransactionInput =
  | { readonly kind: "command"; readonly command: CommandInit; readonly chainId?: string | undefined }
  | {
      readonly kind: "inputData";
      readonly bytes: Uint8Array;
      readonly input: InputData;
      readonly chainId?: string | undefined;
    }
  | {
      readonly kind: "transaction";
      readonly bytes: Uint8Array;
      readonly transaction: Transaction;
      readonly chainId?: string | undefined;
    };

/** @param source a file, `-` for standard input, or the JSON of a command itself */
export function readInput(source: string): TransactionInput {
  const text = (source.trimStart().startsWith("{") ? source : textOf(source)).trim();
  if (!text.startsWith("{")) return fromBytes(base64Of(text));
  const document = parsed(text);
  const chainId = typeof document.chainId === "string" ? document.chainId : undefined;
  const encoded = document.transaction ?? document.encodedTransaction ?? document.inputData;
  if (typeof encoded === "string") return { ...fromBytes(base64Of(encoded)), chainId };
  return { kind: "command", command: readCommand(document) };
}

/** Input data and transactions differ in the kind of their first field, so each is no valid form of the other. */
function fromBytes(bytes: Uint8Array): TransactionInput {
  if (bytes.length > TRANSACTION_BYTES_MAX) throw unreadable("it is larger than a transaction may be");
  try {
    return { kind: "inputData", bytes, input: decodeInputData(bytes) };
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
  }
  return { kind: "transaction", bytes, transaction: readSigned(bytes) };
}

/** What `GET /blockchain/height` of a node answers, as far as it matters here (reference 30, section 5). */
export interface LastBlock {
  readonly height: bigint;
  readonly hash: string;
  readonly chainId: string;
  readonly difficulty: number;
  readonly hashFunction: string;
  /** Heights back from the newest that a transaction may name; 0 when the file does not say. */
  readonly pastBlocks: bigint;
}

/** @throws NodeError `block_unreadable` */
export function readLastBlock(path: string): LastBlock {
  const document = parsed(textOf(path));
  const height = wholeOf(document.height);
  const difficulty = wholeOf(document.spamPowDifficulty);
  const { hash, chainId, spamPowHashFunction } = document;
  if (height === undefined || typeof hash !== "string" || typeof chainId !== "string" || chainId === "") {
    throw new NodeError(
      "tx",
      "block_unreadable",
      `${path} does not say height, hash and chainId`,
      "make it with: curl NODE/blockchain/height > FILE",
      ExitCode.usage,
    );
  }
  return {
    height,
    hash,
    chainId,
    difficulty: Number(difficulty ?? 0n),
    hashFunction: typeof spamPowHashFunction === "string" ? spamPowHashFunction : "",
    pastBlocks: wholeOf(document.spamPowNumberOfPastBlocks) ?? 0n,
  };
}

function wholeOf(value: unknown): bigint | undefined {
  return /^\d{1,20}$/.test(String(value)) ? BigInt(String(value)) : undefined;
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = parseExactJson(text);
  } catch {
    throw unreadable("it is no JSON");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw unreadable("it is no JSON object");
  return value as Readonly<Record<string, unknown>>;
}

function base64Of(text: string): Uint8Array {
  try {
    return transactionBytes(text);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    throw unreadable("it is neither JSON nor base64");
  }
}

function textOf(path: string): string {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(path === "-" ? 0 : path);
  } catch (error) {
    throw usageError("tx", `${path.slice(0, 200)} cannot be read: ${(error as { code?: string }).code}`);
  }
  if (bytes.length > INPUT_BYTES_MAX) throw unreadable("it is larger than a transaction may be");
  return Buffer.from(bytes).toString("utf8");
}

function unreadable(why: string): NodeError {
  return new NodeError(
    "tx",
    "input_unreadable",
    `what was given cannot be read: ${why}`,
    "see: lyra tx --help",
  );
}
