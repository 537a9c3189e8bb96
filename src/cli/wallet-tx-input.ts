// Input of the tx commands: a command as JSON, input data or a transaction as base64, a document that one of them
// printed, and a node's last block.

import { NodeError } from "../errors/node-error.ts";
import { type Facts, NO_FACTS } from "../wallet/approvals/formatting.ts";
import type { LastBlock } from "../wallet/sending/blocks.ts";
import { parseExactJson, readCommand, readSigned } from "../wallet/signing/transaction.ts";
import type { NamedAsset } from "../wallet/units.ts";
import { DECIMALS_MAX } from "../wire/amount-text.ts";
import { WireError } from "../wire/errors.ts";
import { decodeInputData, type InputData, type Transaction } from "../wire/generated/commands.ts";
import { base64Bytes } from "../wire/json.ts";
import { type CommandInit, TRANSACTION_BYTES_MAX } from "../wire/transaction.ts";
import { parseUniqueJson, RepeatedMember } from "../wire/unique-json.ts";
import { usageError } from "./command/usage-error.ts";
import { readInputFile } from "./input-file.ts";

/** Twice the largest transaction in base64. */
const INPUT_BYTES_MAX = 4 * TRANSACTION_BYTES_MAX;

export type TransactionInput =
  | ({ readonly kind: "command"; readonly command: CommandInit } & Context)
  | ({ readonly kind: "inputData"; readonly bytes: Uint8Array; readonly input: InputData } & Context)
  | ({
      readonly kind: "transaction";
      readonly bytes: Uint8Array;
      readonly transaction: Transaction;
    } & Context);

/** A block as a document carries it, with the assets of its chain by the word of the node that was asked. */
export interface CarriedBlock extends LastBlock {
  readonly assets?: readonly NamedAsset[] | undefined;
  /** The asset that is staked. */
  readonly stakeAsset?: string | undefined;
}

/** Facts beside the bytes, from the document of an earlier step. */
interface Context {
  readonly chainId?: string | undefined;
  readonly block?: CarriedBlock | undefined;
}

/** @param source a file, `-` for standard input, or the JSON of a command itself */
export function readInput(source: string): TransactionInput {
  const text = (source.trimStart().startsWith("{") ? source : textOf(source)).trim();
  if (!text.startsWith("{")) return fromBytes(base64Of(text));
  const document = parseObject(text);
  const chainId = typeof document.chainId === "string" ? document.chainId : undefined;
  const encoded = document.transaction ?? document.encodedTransaction ?? document.inputData;
  if (typeof encoded === "string") {
    const block = isObject(document.block) ? blockIn(document.block, "the block in it") : undefined;
    return { ...fromBytes(base64Of(encoded)), chainId, block };
  }
  return { kind: "command", command: readCommand(document) };
}

/** Field 1 of a transaction, which has a length; that of input data is a number. */
const TRANSACTION_START = 0x0a;

/** Input data may be the valid form of a transaction, too: readers skip a field of another kind. The first byte decides. */
function fromBytes(bytes: Uint8Array): TransactionInput {
  if (bytes.length > TRANSACTION_BYTES_MAX) throw unreadable("it is larger than a transaction may be");
  if (bytes[0] === TRANSACTION_START) return { kind: "transaction", bytes, transaction: readSigned(bytes) };
  try {
    return { kind: "inputData", bytes, input: decodeInputData(bytes) };
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
  }
  return { kind: "transaction", bytes, transaction: readSigned(bytes) };
}

/** The document of `lyra tx block`, or the answer of a node's `GET /blockchain/height`. @throws NodeError `block_unreadable` */
export function readLastBlock(path: string): CarriedBlock {
  return blockIn(parseObject(textOf(path)), path);
}

function blockIn(document: Readonly<Record<string, unknown>>, title: string): CarriedBlock {
  const height = wholeNumberOf(document.height);
  const { hash, chainId, spamPowHashFunction } = document;
  if (height === undefined || typeof hash !== "string" || typeof chainId !== "string" || chainId === "") {
    throw new NodeError(
      "tx",
      "block_unreadable",
      `${title} does not say height, hash and chainId`,
      "make it with: lyra tx block --node-url URL --out FILE",
    );
  }
  return {
    height,
    hash,
    chainId,
    difficulty: Number(wholeNumberOf(document.spamPowDifficulty) ?? 0n),
    hashFunction: typeof spamPowHashFunction === "string" ? spamPowHashFunction : "",
    pastBlocks: wholeNumberOf(document.spamPowNumberOfPastBlocks) ?? 0n,
    txPerBlock: wholeNumberOf(document.spamPowNumberOfTxPerBlock) || 1n,
    increasingDifficulty: document.spamPowIncreasingDifficulty === true,
    ...(document.assets !== undefined && { assets: assetsIn(document.assets, title) }),
    ...(typeof document.stakeAsset === "string" && { stakeAsset: document.stakeAsset }),
  };
}

/** Of a block's document: a network has some dozens. */
const ASSETS_MAX = 500;
const ASSET_TEXT_MAX = 200;

const isText = (text: unknown): text is string => typeof text === "string" && text.length <= ASSET_TEXT_MAX;

function isAsset(value: unknown): value is NamedAsset {
  if (!isObject(value)) return false;
  const { id, name, symbol, decimals } = value;
  const isWhole = Number.isInteger(decimals) && (decimals as number) >= 0;
  return (
    isText(id) &&
    id !== "" &&
    isText(symbol) &&
    (name === undefined || isText(name)) &&
    isWhole &&
    (decimals as number) <= DECIMALS_MAX
  );
}

function assetsIn(value: unknown, title: string): readonly NamedAsset[] {
  const isSound = Array.isArray(value) && value.length <= ASSETS_MAX && value.every(isAsset);
  // Of an asset that stands twice, either entry could be the one that a person goes by.
  if (isSound && new Set(value.map(({ id }) => id)).size === value.length)
    return value.map(({ id, name, symbol, decimals }) => ({ id, name, symbol, decimals }));
  throw new NodeError(
    "tx",
    "block_unreadable",
    `${title} has assets that are not {id, name, symbol, decimals}, each once`,
    "make it with: lyra tx block --node-url URL --out FILE",
  );
}

/** Those of a node that a document can carry. */
export function carriedAssets(assets: readonly NamedAsset[]): readonly NamedAsset[] {
  return assets.filter(isAsset).slice(0, ASSETS_MAX);
}

/** Facts of assets for words, from a block's document; without them amounts are in the smallest unit. */
export function factsOf(block: CarriedBlock | undefined): Facts {
  const assets = new Map(block?.assets?.map((asset) => [asset.id, asset]));
  return { ...NO_FACTS, assets: (id) => assets.get(id), stakeAsset: block?.stakeAsset };
}

/** A block as a document. */
export function blockDocument(block: CarriedBlock): Readonly<Record<string, unknown>> {
  return {
    height: block.height.toString(),
    hash: block.hash,
    spamPowHashFunction: block.hashFunction,
    spamPowDifficulty: block.difficulty,
    spamPowNumberOfPastBlocks: Number(block.pastBlocks),
    spamPowNumberOfTxPerBlock: Number(block.txPerBlock),
    spamPowIncreasingDifficulty: block.increasingDifficulty,
    chainId: block.chainId,
    ...(block.assets !== undefined && { assets: block.assets }),
    ...(block.stakeAsset !== undefined && { stakeAsset: block.stakeAsset }),
  };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function wholeNumberOf(value: unknown): bigint | undefined {
  return /^\d{1,20}$/.test(String(value)) ? BigInt(String(value)) : undefined;
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = parseUniqueJson(text, parseExactJson);
  } catch (error) {
    throw unreadable(error instanceof RepeatedMember ? error.message : "it is not JSON");
  }
  if (!isObject(value)) throw unreadable("it is not a JSON object");
  return value;
}

function base64Of(text: string): Uint8Array {
  try {
    return base64Bytes(text);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    throw unreadable("it is neither JSON nor base64");
  }
}

function textOf(path: string): string {
  let bytes: Uint8Array;
  try {
    bytes = readInputFile(path, INPUT_BYTES_MAX);
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
