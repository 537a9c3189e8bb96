// Administrative methods about keys.
import type { Metadata } from "../../keys/wallet-data.ts";
import { mismatch, Params } from "../params.ts";
import { invalidParams, isObject, memberOf } from "../rpc.ts";
import { type AdminMethod, attempt, keyResult, walletOf, withPassphrase } from "./shared.ts";

function metadataOf(params: Params): Metadata {
  return params.list("metadata").map((entry) => {
    const [key, value] = isObject(entry) ? [memberOf(entry, "key"), memberOf(entry, "value")] : [];
    if (typeof key !== "string" || typeof value !== "string") throw mismatch();
    return { key, value };
  });
}

/** The wallet's and the key's names, in the order in which they are missed. */
function keyParams(value: unknown): { params: Params; publicKey: string } {
  const params = new Params(value);
  params.text("wallet", "wallet");
  return { params, publicKey: params.text("publicKey", "public key") };
}

const generate: AdminMethod = async (parts, value) => {
  const params = new Params(value);
  params.text("wallet", "wallet");
  const metadata = metadataOf(params);
  const wallet = await walletOf(parts, params);
  return keyResult(await attempt("generate a new key", () => wallet.generateKey(metadata)));
};

const describe: AdminMethod = async (parts, value) => {
  const { params, publicKey } = keyParams(value);
  const { name, algorithm, metadata, isTainted } = (await walletOf(parts, params)).key(publicKey);
  return { publicKey, name, algorithm, metadata, isTainted };
};

const list: AdminMethod = async (parts, value) => {
  const { keys } = await walletOf(parts, new Params(value));
  return { keys: keys.map(({ name, publicKey }) => ({ name, publicKey })) };
};

const annotate: AdminMethod = async (parts, value) => {
  const { params, publicKey } = keyParams(value);
  const metadata = metadataOf(params);
  const wallet = await walletOf(parts, params);
  const key = await attempt("annotate the key", () => wallet.annotateKey(publicKey, metadata));
  return { metadata: key.metadata };
};

const taint: AdminMethod = async (parts, value) => {
  const { params, publicKey } = keyParams(value);
  const wallet = await walletOf(parts, params);
  await attempt("taint the key", () => wallet.taintKey(publicKey));
};

const untaint: AdminMethod = async (parts, value) => {
  const { params, publicKey } = keyParams(value);
  const wallet = await walletOf(parts, params);
  await attempt("untaint the key", () => wallet.untaintKey(publicKey));
};

const isolate: AdminMethod = async (parts, value) => {
  const { params, publicKey } = keyParams(value);
  const title = "isolated wallet passphrase";
  return withPassphrase(params, "isolatedWalletPassphrase", title, async (passphrase) => {
    const wallet = await walletOf(parts, params);
    const { store } = parts.wallets;
    const name = await attempt("isolate the key", () => store.isolate(wallet, publicKey, passphrase));
    parts.wallets.adopt(await store.unlock(name, passphrase));
    return { wallet: name };
  });
};

const rotate: AdminMethod = async (parts, value) => {
  const params = new Params(value);
  params.text("wallet", "wallet");
  // The original calls the missing one "next" (surprise 17).
  const fromPublicKey = params.text("fromPublicKey", "current public key");
  const toPublicKey = params.text("toPublicKey", "next public key");
  const chainId = params.text("chainID", "chain ID");
  const submissionHeight = params.whole("submissionBlockHeight", "submission block height");
  const enactmentHeight = params.whole("enactmentBlockHeight", "enactment block height");
  const wallet = await walletOf(parts, params);
  try {
    const rotation = { fromPublicKey, toPublicKey, chainId, submissionHeight, enactmentHeight };
    const { masterPublicKey, transaction } = wallet.rotateKey(rotation);
    return { masterPublicKey, encodedTransaction: transaction.toBase64() };
  } catch (error) {
    throw invalidParams((error as Error).message);
  }
};

export const keyMethods = {
  "admin.generate_key": generate,
  "admin.describe_key": describe,
  "admin.list_keys": list,
  "admin.annotate_key": annotate,
  "admin.taint_key": taint,
  "admin.untaint_key": untaint,
  "admin.isolate_key": isolate,
  "admin.rotate_key": rotate,
} satisfies Readonly<Record<string, AdminMethod>>;
