// Signed transactions: the signature now, on a machine that has the key; the proof of work later, perhaps on another.
// The signature does not cover the proof (docs/protocol/50-wallet-transactions.md#63-building-the-transaction).

import type { NodeError } from "../../errors/node-error.ts";
import type { Init } from "../../wire/codec.ts";
import { WireError } from "../../wire/errors.ts";
import { type ProofOfWork, type Transaction, TxVersion } from "../../wire/generated/commands.ts";
import type { SubmitTransactionRequest } from "../../wire/generated/wallet.ts";
import { fromJson } from "../../wire/json.ts";
import { type CommandInit, readTransaction, serializeTransaction } from "../../wire/transaction.ts";
import { COMMAND_KINDS } from "../../wire/transaction-commands.ts";
import { PropertyErrors } from "../../wire/validate/check.ts";
import { checkCommand } from "../../wire/validate/commands.ts";
import { cancellationIds } from "../../wire/validate/orders.ts";
import { walletError } from "../errors.ts";

/** @throws NodeError `transaction_unreadable` */
export function readSigned(bytes: Uint8Array): Transaction {
  try {
    return readTransaction(bytes);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    throw walletError("transaction_unreadable", `these bytes are no transaction: ${error.message}`);
  }
}

/** The transaction with a proof of work in place of what it had. */
export function withProof(transaction: Transaction, pow: ProofOfWork): Uint8Array {
  return serializeTransaction({ ...transaction, pow });
}

/**
 * The transaction as the original prints it: the names of its Go structs, the 64-bit nonce as a number that is
 * exact (docs/protocol/50-wallet-transactions.md#66-result-json-of-transaction).
 */
export function originalTransactionJson(transaction: Init<Transaction>): string {
  const {
    inputData = new Uint8Array(0),
    signature,
    pubKey = "",
    version = TxVersion.TX_VERSION_V3,
    pow,
  } = transaction;
  const members = [
    `"input_data":${JSON.stringify(Buffer.from(inputData).toString("base64"))}`,
    `"signature":${JSON.stringify({ value: signature?.value, algo: signature?.algo, version: signature?.version })}`,
    `"From":${JSON.stringify({ PubKey: pubKey })}`,
    `"version":${version}`,
  ];
  if (pow !== undefined) {
    const nonce = pow.nonce ? `,"nonce":${pow.nonce}` : "";
    members.push(`"pow":{"tid":${JSON.stringify(pow.tid ?? "")}${nonce}}`);
  }
  return `{${members.join(",")}}`;
}

// Commands as people and programs write them: one JSON object with one command in it
// (docs/protocol/50-wallet-service.md#31-client).

const REQUEST = "vega.wallet.v1.SubmitTransactionRequest";

/** Beyond what any field takes. Making more digits a whole number costs time that grows with their square. */
const EXACT_DIGITS_MAX = 100;

/**
 * Parses JSON without rounding: whole numbers beyond 2^53 come as bigint, which fields for such numbers take and
 * fields for texts do not. The original rounds them in silence (surprise 15). A number too long for any field stays a
 * number, which no field for whole numbers takes.
 */
export function parseExactJson(text: string): unknown {
  return JSON.parse(text, (_key, value: unknown, context?: { readonly source?: string }) => {
    const source = context?.source;
    const isRounded = typeof value === "number" && !Number.isSafeInteger(value);
    if (!isRounded || source === undefined || source.length > EXACT_DIGITS_MAX) return value;
    return /^-?\d+$/.test(source) ? BigInt(source) : value;
  });
}

/** @throws NodeError `command_invalid` with the decoder's words */
export function readCommand(value: unknown): CommandInit {
  let request: SubmitTransactionRequest;
  try {
    request = fromJson<SubmitTransactionRequest>(REQUEST, value);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    throw invalid(error.message.replace(`${REQUEST}.`, "").replace(REQUEST, "the transaction"));
  }
  const kind = COMMAND_KINDS.find((candidate) => request[candidate] !== undefined);
  if (kind === undefined) throw broken("submit_transaction_request.command (is required)");
  return withPlainAmounts({ kind, payload: request[kind]! } as CommandInit);
}

/** Members that hold a number as text, in any command. */
const AMOUNTS: ReadonlySet<string> = new Set([
  ...["amount", "price", "offset", "peggedOffset", "commitmentAmount", "fee", "factor"],
  ...["quantum", "lifetimeLimit", "withdrawThreshold", "maxFaucetAmountMint"],
]);

/**
 * The chain takes `+5` as 5; a wallet does not, since no person, policy or page that reads it would.
 * @throws NodeError `command_invalid`
 */
export function withPlainAmounts(command: CommandInit): CommandInit {
  const place = signedAmount(command.payload, command.kind);
  if (place === undefined) return command;
  throw invalid(`${place} has a sign: amounts are written with digits alone`);
}

/** The place of the first amount that is written with a sign. */
function signedAmount(value: unknown, place: string): string | undefined {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const at = Array.isArray(value) ? `${place}[${name}]` : `${place}.${name}`;
    if (typeof member === "string" && AMOUNTS.has(name) && /^\s*[+-]/.test(member)) return at;
    const inner = signedAmount(member, at);
    if (inner !== undefined) return inner;
  }
  return undefined;
}

/** Refuses a command that breaks a rule of the network which needs no state. @throws NodeError `command_broken` */
export function checkedCommand(command: CommandInit): CommandInit {
  return unbroken(command, checkCommand(command.kind, command.payload as never));
}

function unbroken(command: CommandInit, errors: PropertyErrors): CommandInit {
  if (!errors.isEmpty) throw broken(errors.toString());
  return command;
}

/** Made by a validator's own program: a wallet signs none (docs/protocol/50-wallet-service.md#31-client). */
const VALIDATORS_ALONE: ReadonlySet<CommandInit["kind"]> = new Set([
  "stateVariableProposal",
  "validatorHeartbeat",
]);

/** A command that a wallet signs. @throws NodeError `command_broken` */
export function walletCommand(command: CommandInit): CommandInit {
  if (VALIDATORS_ALONE.has(command.kind)) throw broken("input_data.command (is not supported)");
  if (command.kind !== "orderCancellation") return checkedCommand(command);
  // The chain takes a cancellation with any ids; a wallet does not.
  const errors = new PropertyErrors();
  cancellationIds.run(command.payload as never, errors, []);
  return unbroken(command, errors);
}

function invalid(why: string): NodeError {
  return walletError("command_invalid", `the transaction does not use a valid Vega command: ${why}`);
}

function broken(errors: string): NodeError {
  return walletError(
    "command_broken",
    errors,
    "the network would refuse it: lyra explain knows the text in parentheses",
  );
}
