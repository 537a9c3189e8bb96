// All about one transaction: its command in words and in full, signature and proof of work verified again, the explanation of
// a refusal, and what it changed.
import { leadingZeroBits, proofHash, proofInputProblem } from "../../chain/admission/pow/function.ts";
import { ed25519Verify } from "../../crypto/ed25519.ts";
import { lookUp } from "../../errors/lookup.ts";
import type { TransactionStory } from "../../http/chain-bodies.ts";
import { internal } from "../../http/errors.ts";
import { transactionEffects } from "../../store/transaction-effects.ts";
import { decodeInputData, TxVersion } from "../../wire/generated/commands.ts";
import { hexBytes } from "../../wire/identifiers.ts";
import { toPlain } from "../../wire/json.ts";
import { readTransaction, signingDigest } from "../../wire/transaction.ts";
import type { DataContext } from "../data/context.ts";
import { blockAt, hashOf } from "./block-rows.ts";
import { CommandWords } from "./command-words.ts";
import { blockTime, summaryOf } from "./facts.ts";
import { type ExplorerTx, type TransactionSource, transactionWith } from "./transactions.ts";

const EXPLANATIONS_MAX = 3;
const DIFFICULTY = "spam.pow.difficulty";

type Checks = TransactionStory["checks"];

/** The sentence of a refusal, by the transaction's hash in upper case, as long as the chain remembers it. */
export type ReadSentence = (hash: string) => Promise<string | undefined>;

/** @throws ApiError 404 */
export async function transactionStory(
  context: DataContext,
  source: TransactionSource,
  hash: string,
  { chainId, sentenceOf }: { readonly chainId: string; readonly sentenceOf: ReadSentence | undefined },
): Promise<TransactionStory> {
  const tx = await transactionWith(source, hash);
  const words = new CommandWords(context);
  const summary = summaryOf(tx, words);
  if (summary === undefined) throw internal("the transaction cannot be read");
  const { command } = tx.content();
  const { lines, warnings } = words.of(command);
  const block = blockAt(context.db, tx.height);
  const effects =
    block === undefined
      ? { movements: [], balances: [], events: [] }
      : transactionEffects(context.db, block.no, tx.hash.toLowerCase());
  return {
    ...summary,
    time: blockTime(context, tx.height),
    lines: lines.map(([label, text]) => ({ label, text })),
    warnings,
    command: toPlain("vega.commands.v1.InputData", command, "node"),
    checks: checksOf(context, tx, chainId),
    sentence: tx.code === 0 ? "" : ((await sentenceOf?.(tx.hash.toUpperCase())) ?? ""),
    explanations: tx.code === 0 ? [] : explanationsOf(tx.error, tx.code),
    ...effects,
  };
}

/** The text says more than its code. */
function explanationsOf(text: string, code: number): TransactionStory["explanations"] {
  const byText = text === "" ? [] : lookUp(text).explanations;
  const explanations = byText.length > 0 ? byText : lookUp(String(code)).explanations;
  return explanations
    .slice(0, EXPLANATIONS_MAX)
    .map(({ code: name, means, why, fix }) => ({ code: name, means, why, fix }));
}

const UNKNOWN: Checks = {
  signature: "unknown",
  proofOfWork: "unknown",
  difficulty: null,
  required: null,
  proofHeight: null,
  bytes: null,
  algorithm: "",
  signatureValue: "",
};

function checksOf(
  context: DataContext,
  { bytes, isImpersonated = false }: ExplorerTx,
  chainId: string,
): Checks {
  if (bytes === undefined) return UNKNOWN;
  // Its signature is made up.
  if (isImpersonated) return { ...UNKNOWN, signature: "none", proofOfWork: "none", bytes: bytes.length };
  const { inputData, signature, pubKey = "", version, pow } = readTransaction(bytes);
  const { blockHeight } = decodeInputData(inputData);
  const value = signature?.value ?? "";
  return {
    signature: isSigned(chainId, { inputData, value, pubKey, version }) ? "valid" : "invalid",
    ...proofOf(context, pow, blockHeight),
    bytes: bytes.length,
    algorithm: signature?.algo ?? "",
    signatureValue: value,
  };
}

function isSigned(
  chainId: string,
  {
    inputData,
    value,
    pubKey,
    version,
  }: { inputData: Uint8Array; value: string; pubKey: string; version: number },
): boolean {
  const [key, signature] = [hexBytes(pubKey), hexBytes(value)];
  if (key === undefined || signature === undefined) return false;
  if (version !== TxVersion.TX_VERSION_V2 && version !== TxVersion.TX_VERSION_V3) return false;
  return ed25519Verify(key, signingDigest(version, chainId, inputData), signature);
}

function proofOf(
  context: DataContext,
  pow: { readonly tid: string; readonly nonce: bigint } | undefined,
  blockHeight: bigint,
): Pick<Checks, "proofOfWork" | "difficulty" | "required" | "proofHeight"> {
  const proofHeight = Number(blockHeight);
  const parameter = context.get<{ value: string }>(
    "SELECT value FROM network_parameters_current WHERE key = ?",
    DIFFICULTY,
  );
  const required = parameter === undefined ? null : Number(parameter.value);
  if (pow === undefined) return { proofOfWork: "none", difficulty: null, required, proofHeight };
  const block = blockAt(context.db, proofHeight);
  if (block === undefined || Number(block.height) !== proofHeight)
    return { proofOfWork: "unknown", difficulty: null, required, proofHeight };
  const proof = { blockHash: hashOf(block), tid: pow.tid, nonce: pow.nonce };
  if (proofInputProblem(proof) !== undefined)
    return { proofOfWork: "invalid", difficulty: null, required, proofHeight };
  const difficulty = leadingZeroBits(proofHash(proof));
  return {
    proofOfWork: difficulty >= (required ?? 0) ? "valid" : "too weak",
    difficulty,
    required,
    proofHeight,
  };
}
