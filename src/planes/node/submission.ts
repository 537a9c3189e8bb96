// Submitting and checking transactions (docs/protocol/00-interface.md#42-submit-raw-transaction;
// docs/protocol/30-node-api-endpoints.md#51-coreservice).
//
// All of them have one form: `success` is true exactly when the code is 0, and `log` is the reason in words. `data` is as
// in the original: for a raw submission the words in upper-case hexadecimal, which clients decode, else the words. The
// original's raw submission always says true, its `log` is empty, and its typed one ignores `type`.
import type { RefusalDetails, TxOutcome } from "../../engine/chain-port.ts";
import { type ApiError, invalidArgument } from "../../http/errors.ts";
import type { Transaction } from "../../wire/generated/commands.ts";
import { SubmitRawTransactionRequestType as SubmitType } from "../../wire/generated/core-api.ts";
import { serializeTransaction } from "../../wire/transaction.ts";
import { type ChainCall, chainCall } from "./context.ts";

const TAG = "Transactions";
const NO_TRANSACTION = "missing tx";
const DETAILS =
  "With `details=true` a refusal also carries `details`: the rule by name, a sentence, and the sender's own numbers (`lyra explain RULE` says more).";
/** Codes whose text the original repeats in `info`; those of admission (51, 89) are in `data` alone. */
const CODES_IN_INFO: ReadonlySet<number> = new Set([60, 70, 71, 80]);
const submitRaw = chainCall({
  path: "/transaction/raw",
  request: "vega.api.v1.SubmitRawTransactionRequest",
  response: "vega.api.v1.SubmitRawTransactionResponse",
  required: ["tx", "type"],
  tag: TAG,
  summary: "Submit a signed transaction as bytes",
  description: `\`tx\` is the serialised transaction in base64. TYPE_ASYNC and TYPE_SYNC answer with the verdict of the mempool, TYPE_COMMIT once it is in a block, with the block's height and the code of its execution. ${DETAILS}`,
  handle(context, { tx, type }) {
    if (tx.length === 0) throw noTransaction();
    return context.submit(tx, waitOf(type)).then(submittedRaw);
  },
});

const submit = chainCall({
  path: "/transaction",
  request: "vega.api.v1.SubmitTransactionRequest",
  response: "vega.api.v1.SubmitTransactionResponse",
  required: ["tx"],
  tag: TAG,
  summary: "Submit a signed transaction as JSON",
  description: `The node serialises it in its own order of fields, so the hash does not depend on the sender's. TYPE_COMMIT waits for the block, every other type answers with the verdict of the mempool. ${DETAILS}`,
  async handle(context, { tx, type }) {
    return submitted(await context.submit(bytesOf(tx), type === SubmitType.TYPE_COMMIT ? "commit" : "check"));
  },
});

const checkRaw = chainCall({
  path: "/transaction/raw/check",
  request: "vega.api.v1.CheckRawTransactionRequest",
  response: "vega.api.v1.CheckRawTransactionResponse",
  required: ["tx"],
  tag: TAG,
  summary: "Check a signed transaction without submitting it",
  description: `The whole verdict of the mempool. It leaves no trace, so the same transaction can be submitted afterwards. ${DETAILS}`,
  async handle(context, { tx }) {
    if (tx.length === 0) throw noTransaction();
    return checked(await context.check(tx));
  },
});

const check = chainCall({
  path: "/transaction/check",
  request: "vega.api.v1.CheckTransactionRequest",
  response: "vega.api.v1.CheckTransactionResponse",
  required: ["tx"],
  tag: TAG,
  summary: "Check a signed transaction, as JSON, without submitting it",
  description: `The whole verdict of the mempool. It leaves no trace, so the same transaction can be submitted afterwards. ${DETAILS}`,
  async handle(context, { tx }) {
    return checked(await context.check(bytesOf(tx)));
  },
});

/** @throws ApiError 400 for a type that says nothing, or that there is not */
function waitOf(type: number): "check" | "commit" {
  if (type === SubmitType.TYPE_COMMIT) return "commit";
  if (type === SubmitType.TYPE_SYNC || type === SubmitType.TYPE_ASYNC) return "check";
  throw invalidArgument("Invalid TX Type");
}

/** @throws ApiError 400 without a transaction: the original fails with 500, or submits nothing */
function bytesOf(tx: Transaction | undefined): Uint8Array {
  if (tx === undefined) throw noTransaction();
  return serializeTransaction(tx);
}

function noTransaction(): ApiError {
  return invalidArgument(NO_TRANSACTION);
}

function submitted({ hash, code, text, height, details }: TxOutcome) {
  return {
    success: code === 0,
    txHash: hash,
    code,
    data: text,
    log: text,
    height: BigInt(height),
    ...detailsOf(details),
  };
}

function submittedRaw(outcome: TxOutcome) {
  const answer = submitted(outcome);
  if (answer.data !== "") answer.data = Buffer.from(answer.data, "utf8").toString("hex").toUpperCase();
  return answer;
}

function checked({ code, text, gasWanted, details }: TxOutcome) {
  return {
    success: code === 0,
    code,
    gasWanted: BigInt(gasWanted),
    gasUsed: 0n,
    data: text,
    log: text,
    info: CODES_IN_INFO.has(code) ? text : "",
    ...detailsOf(details),
  };
}

/** Members in one order, from either thread. */
function detailsOf(details: RefusalDetails | undefined): { details?: RefusalDetails } {
  if (details === undefined) return {};
  const { rule, sentence, numbers } = details;
  return { details: { rule, sentence, numbers } };
}

export const submissionEndpoints: readonly ChainCall[] = [submitRaw, submit, checkRaw, check];
