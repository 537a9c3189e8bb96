// Administrative methods about transactions: signed, sent and checked without a review, because the one who asks is
// the owner.

import { sha3HexOf } from "../../../crypto/sha.ts";
import { NodeError } from "../../../errors/node-error.ts";
import { decodeTransaction } from "../../../wire/generated/commands.ts";
import { isHex } from "../../../wire/identifiers.ts";
import { base64Bytes } from "../../../wire/json.ts";
import { encodeCommand } from "../../../wire/transaction.ts";
import { randomNonce, secureRandom } from "../../random.ts";
import type { Job, TransactionSender } from "../../sending/sender.ts";
import { verifyMessage } from "../../signing/message.ts";
import { readCommand, walletCommand } from "../../signing/transaction.ts";
import type { SignedTransaction, UnlockedWallet } from "../../unlocked-wallet.ts";
import { chainIdOf } from "../networks.ts";
import { Params, sendingModeOf, transactionResultJson } from "../params.ts";
import { internalError, invalidParams } from "../rpc.ts";
import { type AdminMethod, type AdminParts, walletOf } from "./shared.ts";

/** A text that is JSON already: the socket prints it as it is. */
export class RawJson {
  constructor(readonly text: string) {}
}

const NO_HOSTS = "the network does not have gRPC hosts configured";

interface Wanted {
  readonly params: Params;
  readonly publicKey: string;
}

function wantedOf(value: unknown): Wanted {
  const params = new Params(value);
  params.text("wallet", "wallet");
  const publicKey = params.text("publicKey", "public key");
  if (!params.has("transaction")) throw invalidParams("the transaction is required");
  return { params, publicKey };
}

async function jobOf(
  parts: AdminParts,
  { params, publicKey }: Wanted,
): Promise<Job & { wallet: UnlockedWallet }> {
  const wallet = await walletOf(parts, params);
  const command = walletCommand(readCommand(params.raw("transaction")));
  wallet.key(publicKey);
  return { wallet, publicKey, command, sign: (content) => wallet.signTransaction(publicKey, content) };
}

/** The nodes that the params name: of a network, or one. */
function hostsOf(
  { networks }: AdminParts,
  params: Params,
  isRaw = false,
): { hosts: readonly string[]; chainId?: string } {
  const network = params.optionalText("network");
  const node = params.optionalText("nodeAddress");
  if (network === "" && node === "") throw invalidParams("a network or a node address is required");
  if (network !== "" && node !== "") {
    throw invalidParams("specifying a network and a node address is not supported");
  }
  if (node !== "") return { hosts: [node] };
  return hostsOfNetwork(networks, network, isRaw);
}

function hostsOfNetwork(networks: AdminParts["networks"], name: string, isRaw: boolean) {
  const settings = networks.get(name);
  const chainId = chainIdOf(settings);
  const { hosts } = settings.api.rest;
  if (hosts.length === 0) throw isRaw ? internalError(NO_HOSTS) : invalidParams(NO_HOSTS);
  return { hosts, ...(chainId !== undefined && { chainId }) };
}

async function withSender<T>(
  parts: AdminParts,
  { hosts, chainId }: { hosts: readonly string[]; chainId?: string },
  action: (sender: TransactionSender) => Promise<T>,
): Promise<T> {
  const sender = parts.senderTo(hosts, chainId);
  // The owner asks: the first chain of these nodes is the right one from then on.
  const chains = parts.chainsOf(hosts, chainId);
  try {
    const expected = await chains.expected();
    if (expected !== undefined) sender.pin(expected);
    const done = await action(sender);
    if (expected === undefined) await chains.confirm(await sender.chainId());
    return done;
  } finally {
    sender.close();
  }
}

const sign: AdminMethod = async (parts, value) => {
  const input = wantedOf(value);
  const { params } = input;
  const network = params.optionalText("network");
  const isOffline = params.has("lastBlockData");
  if (network === "" && !isOffline) throw invalidParams("a network or the last block data is required");
  if (network !== "" && isOffline) {
    throw invalidParams("specifying a network and the last block data is not supported");
  }
  const lastBlock = isOffline ? lastBlockOf(params.optionalParams("lastBlockData")!) : undefined;
  const job = await jobOf(parts, input);
  if (lastBlock === undefined) {
    const outcome = await withSender(parts, hostsOfNetwork(parts.networks, network, false), (sender) =>
      sender.sign(job),
    );
    return new RawJson(`{${signedMembers(outcome.transaction)}}`);
  }
  return new RawJson(`{${signedMembers(await signedFor(parts, job, lastBlock))}}`);
};

interface GivenBlock {
  readonly chainId: string;
  readonly height: bigint;
  readonly hash: string;
  readonly difficulty: number;
  readonly hashFunction: string;
}

function lastBlockOf(params: Params): GivenBlock {
  return {
    chainId: params.text("chainID", "chain ID"),
    height: params.whole("blockHeight", "block height"),
    hash: params.text("blockHash", "block hash"),
    difficulty: Number(params.whole("proofOfWorkDifficulty", "proof-of-work difficulty")),
    hashFunction: params.text("proofOfWorkHashFunction", "proof-of-work hash function"),
  };
}

async function signedFor({ solver }: AdminParts, job: Job, block: GivenBlock): Promise<SignedTransaction> {
  const tid = sha3HexOf(secureRandom(10));
  const { hash: blockHash, difficulty, hashFunction, chainId } = block;
  try {
    const { nonce } = await solver.solve({ blockHash, tid, difficulty, hashFunction });
    const inputData = encodeCommand(job.command, randomNonce(secureRandom), block.height);
    return await job.sign({ inputData, chainId, pow: { tid, nonce } });
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    throw internalError(`could not compute the proof-of-work: ${error.message}`);
  }
}

function signedMembers({ transaction, bytes }: SignedTransaction): string {
  return `"transaction":${transactionResultJson(transaction)},"encodedTransaction":${JSON.stringify(bytes.toBase64())}`;
}

const timeOf = ({ wallMs }: AdminParts) => new Date(wallMs()).toISOString();

const send: AdminMethod = async (parts, value) => {
  const input = wantedOf(value);
  const hosts = hostsOf(parts, input.params);
  const job = await jobOf(parts, input);
  const receivedAt = timeOf(parts);
  let sentAt = receivedAt;
  const sent = await withSender(parts, hosts, (sender) =>
    sender.send(job, "TYPE_SYNC", () => {
      sentAt = timeOf(parts);
    }),
  );
  const head = JSON.stringify({ receivedAt, sentAt, transactionHash: sent.hash }).slice(0, -1);
  const node = JSON.stringify({ host: sent.host });
  return new RawJson(
    `${head},"transaction":${transactionResultJson(sent.transaction.transaction)},"node":${node}}`,
  );
};

const check: AdminMethod = async (parts, value) => {
  const input = wantedOf(value);
  const hosts = hostsOf(parts, input.params);
  const job = await jobOf(parts, input);
  const receivedAt = timeOf(parts);
  let sentAt = receivedAt;
  const outcome = await withSender(parts, hosts, (sender) =>
    sender.check(job, () => {
      sentAt = timeOf(parts);
    }),
  );
  const head = JSON.stringify({ receivedAt, sentAt }).slice(0, -1);
  const { transaction, bytes } = outcome.transaction;
  const tail = JSON.stringify({ node: { host: outcome.host }, encodedTransaction: bytes.toBase64() });
  return new RawJson(`${head},"transaction":${transactionResultJson(transaction)},${tail.slice(1)}`);
};

const sendRaw: AdminMethod = async (parts, value) => {
  const params = new Params(value);
  const mode = sendingModeOf(params);
  const encoded = params.text("encodedTransaction", "encoded transaction");
  const hosts = hostsOf(parts, params, true);
  let bytes: Uint8Array;
  try {
    bytes = base64Bytes(encoded);
  } catch {
    throw invalidParams("the encoded transaction is not a valid base-64 string");
  }
  const transaction = decodedOf(bytes);
  const receivedAt = timeOf(parts);
  const sentAt = receivedAt;
  const { hash, host } = await withSender(parts, hosts, (sender) => sender.sendRaw(bytes, mode));
  const head = JSON.stringify({ receivedAt, sentAt, transactionHash: hash }).slice(0, -1);
  return new RawJson(
    `${head},"transaction":${transactionResultJson(transaction)},"node":${JSON.stringify({ host })}}`,
  );
};

function decodedOf(bytes: Uint8Array) {
  try {
    const transaction = decodeTransaction(bytes);
    if (transaction.inputData.length > 0) return transaction;
  } catch {
    // No transaction, as below.
  }
  throw invalidParams("the raw transaction is not a valid Vega transaction");
}

export const transactionMethods = {
  "admin.sign_transaction": sign,
  "admin.send_transaction": send,
  "admin.check_transaction": check,
  "admin.send_raw_transaction": sendRaw,
} satisfies Readonly<Record<string, AdminMethod>>;

// Messages.

function base64Of(params: Params, name: string, title: string, what: string): Uint8Array {
  const text = params.text(name, title);
  try {
    return base64Bytes(text);
  } catch {
    throw invalidParams(`the encoded ${what} is not a valid base-64 string`);
  }
}

const signMessage: AdminMethod = async (parts, value) => {
  const params = new Params(value);
  params.text("wallet", "wallet");
  // The original takes `pubKey` alone, its documents promise `publicKey`: both are taken.
  const publicKey = params.optionalText("publicKey") || params.text("pubKey", "public key");
  const message = base64Of(params, "encodedMessage", "message", "message");
  const wallet = await walletOf(parts, params);
  try {
    return { encodedSignature: Buffer.from(wallet.signMessage(publicKey, message)).toString("base64") };
  } catch (error) {
    throw internalError(`could not sign the message: ${(error as Error).message}`);
  }
};

const verify: AdminMethod = async (_parts, value) => {
  const params = new Params(value);
  const publicKey = params.text("publicKey", "public key");
  const message = base64Of(params, "encodedMessage", "message", "message");
  const signature = base64Of(params, "encodedSignature", "signature", "signature");
  if (!isHex(publicKey)) throw invalidParams("could not decode the public key: it is not hexadecimal");
  return { isValid: verifyMessage(Buffer.from(publicKey, "hex"), message, signature) };
};

export const messageMethods = {
  "admin.sign_message": signMessage,
  "admin.verify_message": verify,
} satisfies Readonly<Record<string, AdminMethod>>;
