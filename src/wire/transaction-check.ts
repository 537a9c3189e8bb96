/**
 * From bytes to an executable transaction, or to the reason for its refusal: every stateless check, in the network's order
 * and with its texts
 * (docs/protocol/30-node-api-transactions.md#32-order-of-checks-on-a-transaction). Pure: a worker can run it.
 */
import { ED25519_SIGNATURE_BYTES, ed25519Verify, ed25519VerifySubmitted } from "../crypto/ed25519.ts";
import * as messages from "../errors/validation.ts";
import { WireError } from "./errors.ts";
import {
  decodeInputData,
  type InputData,
  type ProofOfWork,
  type Transaction,
  TxVersion,
} from "./generated/commands.ts";
import { hexBytes, isHex64 } from "./identifiers.ts";
import {
  type EnvelopeVersion,
  readTransaction,
  rootId,
  SIGNATURE_ALGORITHM,
  SIGNATURE_VERSION,
  signingDigest,
  transactionHash,
} from "./transaction.ts";
import { type CommandKind, type CommandPayload, commandKindOf } from "./transaction-commands.ts";
import { PropertyErrors } from "./validate/check.ts";
import { noteCommandErrors } from "./validate/commands.ts";

/**
 * Code of a transaction that cannot be decoded, breaks a rule, or has no valid signature
 * (docs/protocol/30-node-api-endpoints.md#71-abci-result-codes).
 */
const ABCI_INVALID = 60;

interface Checked<K extends CommandKind> {
  readonly kind: K;
  readonly payload: CommandPayload<K>;
  /**
   * The sender's public key exactly as sent: its case distinguishes parties
   * (docs/protocol/30-node-api-events.md#13-easily-missed, surprise 8).
   */
  readonly party: string;
  readonly nonce: bigint;
  /** Height of the block whose hash the proof of work uses. */
  readonly blockHeight: bigint;
  readonly pow: ProofOfWork | undefined;
  readonly version: EnvelopeVersion;
  readonly signature: Uint8Array;
  /** Lower-case hexadecimal SHA-256 of the bytes as received. */
  readonly hash: string;
  /** The first identifier that the transaction creates; `IdGenerator` makes further ones. */
  readonly id: string;
}

/** A transaction whose command obeys the rules and is signed by `party`. Told apart by `kind`. */
export type CheckedTransaction = { [K in CommandKind]: Checked<K> }[CommandKind];

/**
 * `too_large` never reaches the chain: the mempool answers, and no code of the chain applies
 * (docs/protocol/30-node-api-transactions.md#25-size-limits).
 */
type RefusalReason = "too_large" | "undecodable" | "invalid";

export interface TransactionRefusal {
  readonly reason: RefusalReason;
  readonly code: typeof ABCI_INVALID;
  /** The exact text for clients. */
  readonly text: string;
  /** By property; undefined if the bytes could not be decoded. */
  readonly errors: PropertyErrors | undefined;
}

export interface Refused {
  readonly ok: false;
  readonly refusal: TransactionRefusal;
}

export type Verdict = { readonly ok: true; readonly transaction: CheckedTransaction } | Refused;

/** A signature to verify: did the key sign the digest? */
interface SignatureClaim {
  readonly publicKey: Uint8Array;
  /** The 32 signed bytes. */
  readonly digest: Uint8Array;
  readonly signature: Uint8Array;
}

/** A valid transaction whose signature has not been verified yet. */
interface UnverifiedTransaction {
  readonly transaction: CheckedTransaction;
  readonly claim: SignatureClaim;
}

type UnverifiedVerdict = { readonly ok: true; readonly unverified: UnverifiedTransaction } | Refused;

/**
 * All stateless checks of a transaction; never throws.
 * @param hash of the bytes, lower-case hex, if the caller has it
 */
export function checkTransaction(bytes: Uint8Array, chainId: string, hash?: string): Verdict {
  const read = readUnverified(bytes, chainId, hash);
  if (!read.ok) return read;
  const { transaction, claim } = read.unverified;
  if (!ed25519VerifySubmitted(claim.publicKey, claim.digest, claim.signature)) return INVALID_SIGNATURE;
  return { ok: true, transaction };
}

/**
 * All of `checkTransaction` except the verification of the signature, which is five sixths of the cost and can run
 * elsewhere. The transaction is valid only after its claim is verified; otherwise the verdict is `INVALID_SIGNATURE`.
 */
export function readUnverified(bytes: Uint8Array, chainId: string, hash?: string): UnverifiedVerdict {
  let envelope: Transaction;
  try {
    envelope = readTransaction(bytes);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    if (error.code === "too_large") return refused("too_large", error.message);
    return refused("undecodable", `unable to unmarshal transaction: ${error.message}`);
  }
  const examined = examine(envelope);
  if (examined instanceof PropertyErrors) return invalid(examined);
  const signature = decodeSignature(envelope);
  if (signature instanceof PropertyErrors) return invalid(signature);
  const transaction = assemble(hash ?? transactionHash(bytes), envelope, examined, signature);
  return { ok: true, unverified: { transaction, claim: claimOf(envelope, signature, chainId) } };
}

/**
 * Only the claim of a transaction's signature, at half the cost: the command is not checked.
 * @returns undefined if `readUnverified` refuses the envelope
 */
export function readClaim(bytes: Uint8Array, chainId: string): SignatureClaim | undefined {
  let envelope: Transaction;
  try {
    envelope = readTransaction(bytes);
  } catch (error) {
    if (error instanceof WireError) return undefined;
    throw error;
  }
  if ((checkVersion(envelope) ?? checkSender(envelope)) !== undefined) return undefined;
  const signature = decodeSignature(envelope);
  return signature instanceof PropertyErrors ? undefined : claimOf(envelope, signature, chainId);
}

/** @param envelope with version and sender checked */
function claimOf(envelope: Transaction, signature: Uint8Array, chainId: string): SignatureClaim {
  const digest = signingDigest(envelope.version as EnvelopeVersion, chainId, envelope.inputData);
  return { publicKey: Uint8Array.fromHex(envelope.pubKey!), digest, signature };
}

/**
 * A transaction whose signature was verified earlier, or that is unsigned.
 * @param hash of the bytes, lower-case hex, if the caller has it
 * @throws WireError for bytes that are not a transaction
 * @returns the errors of the command, if any
 */
export function readTrusted(
  bytes: Uint8Array,
  hash: string = transactionHash(bytes),
): CheckedTransaction | PropertyErrors {
  const envelope = readTransaction(bytes);
  const examined = examine(envelope);
  if (examined instanceof PropertyErrors) return examined;
  return assemble(hash, envelope, examined, Uint8Array.fromHex(envelope.signature?.value ?? ""));
}

function assemble(
  hash: string,
  envelope: Transaction,
  { kind, input }: Examined,
  signature: Uint8Array,
): CheckedTransaction {
  const transaction: Checked<CommandKind> = {
    kind,
    payload: input[kind]!,
    party: envelope.pubKey!,
    nonce: input.nonce,
    blockHeight: input.blockHeight,
    pow: envelope.pow,
    version: envelope.version as EnvelopeVersion,
    signature,
    hash,
    // Computed on first use: a transaction is read once for the mempool and again for its block.
    get id() {
      return rootId(signature);
    },
  };
  return transaction as CheckedTransaction;
}

interface Examined {
  readonly kind: CommandKind;
  readonly input: InputData;
}

/** Everything except the signature: version, sender, then all errors of the command together. */
export function examine(envelope: Transaction | undefined): Examined | PropertyErrors {
  if (envelope === undefined) return PropertyErrors.of("tx", messages.IS_REQUIRED);
  return checkVersion(envelope) ?? checkSender(envelope) ?? checkInputData(envelope.inputData);
}

function checkVersion({ version }: Transaction): PropertyErrors | undefined {
  if (version === TxVersion.TX_VERSION_V2 || version === TxVersion.TX_VERSION_V3) return undefined;
  const isMissing = version === TxVersion.TX_VERSION_UNSPECIFIED;
  return PropertyErrors.of("tx.version", isMissing ? messages.IS_REQUIRED : messages.IS_NOT_SUPPORTED);
}

function checkSender({ address, pubKey }: Transaction): PropertyErrors | undefined {
  if (address === undefined && pubKey === undefined)
    return PropertyErrors.of("tx.from", messages.IS_REQUIRED);
  // The schema has Ethereum addresses, but no signature is possible for them.
  if (pubKey === undefined || pubKey === "")
    return PropertyErrors.of("tx.from.pub_key", messages.IS_REQUIRED);
  if (!isHex64(pubKey)) return PropertyErrors.of("tx.from.pub_key", messages.SHOULD_BE_A_PUBLIC_KEY);
  return undefined;
}

function checkInputData(bytes: Uint8Array): Examined | PropertyErrors {
  if (bytes.length === 0) return PropertyErrors.of("tx.input_data", messages.IS_REQUIRED);
  let input: InputData;
  try {
    input = decodeInputData(bytes);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    return PropertyErrors.of("tx.input_data", `couldn't unmarshall input data: ${error.message}`);
  }
  const errors = new PropertyErrors();
  if (input.nonce === 0n) errors.add("tx.input_data.nonce", messages.MUST_BE_POSITIVE);
  const kind = commandKindOf(input);
  // An unknown command decodes as no command: "is not supported" cannot occur.
  if (kind === undefined) errors.add("tx.input_data.command", messages.IS_REQUIRED);
  else noteCommandErrors(kind, input[kind]!, errors);
  return errors.isEmpty && kind !== undefined ? { kind, input } : errors;
}

/** The decoded signature if it is valid on this chain, otherwise its errors. */
export function checkSignature(envelope: Transaction, chainId: string): Uint8Array | PropertyErrors {
  const signature = decodeSignature(envelope);
  if (signature instanceof PropertyErrors) return signature;
  const { publicKey, digest } = claimOf(envelope, signature, chainId);
  if (ed25519Verify(publicKey, digest, signature)) return signature;
  return PropertyErrors.of("tx.signature.value", messages.INVALID_SIGNATURE);
}

/**
 * The signature's bytes. Bytes of another length are an invalid signature; a signature is unverifiable only if the sender is
 * not a key.
 */
function decodeSignature(envelope: Transaction): Uint8Array | PropertyErrors {
  const { signature } = envelope;
  if (signature === undefined) return PropertyErrors.of("tx.signature", messages.IS_REQUIRED);
  const errors = new PropertyErrors();
  if (signature.value === "") errors.add("tx.signature.value", messages.IS_REQUIRED);
  const bytes = hexBytes(signature.value);
  if (bytes === undefined) errors.add("tx.signature.value", messages.SHOULD_BE_HEX);
  if (signature.algo === "") errors.add("tx.signature.algo", messages.IS_REQUIRED);
  if (signature.algo !== SIGNATURE_ALGORITHM || signature.version !== SIGNATURE_VERSION) {
    errors.add("tx.signature.algo", messages.UNSUPPORTED_ALGORITHM);
    errors.add("tx.signature.version", messages.UNSUPPORTED_ALGORITHM);
  }
  if (bytes === undefined || !errors.isEmpty) return errors;
  if (!isHex64(envelope.pubKey ?? ""))
    return PropertyErrors.of("tx.signature.value", messages.SIGNATURE_NOT_VERIFIABLE);
  const isWhole = bytes.length === ED25519_SIGNATURE_BYTES;
  return isWhole ? bytes : PropertyErrors.of("tx.signature.value", messages.INVALID_SIGNATURE);
}

function refused(reason: RefusalReason, text: string, errors?: PropertyErrors): Refused {
  return { ok: false, refusal: { reason, code: ABCI_INVALID, text, errors } };
}

function invalid(errors: PropertyErrors): Refused {
  return refused("invalid", errors.toString(), errors);
}

/** The verdict on a transaction with an invalid signature. */
export const INVALID_SIGNATURE: Refused = invalid(
  PropertyErrors.of("tx.signature.value", messages.INVALID_SIGNATURE),
);
