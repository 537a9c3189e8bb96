// Administrative methods about wallets, their keys, permissions of hostnames and connections of pages.

import { NodeError } from "../../../errors/node-error.ts";
import { walletUnknown } from "../../errors.ts";
import { checkKeyVersion, type Metadata, type Permissions } from "../../keys/wallet-data.ts";
import { mismatch, Params } from "../params.ts";
import { invalidParams, isObject, memberOf } from "../rpc.ts";
import { type AdminMethod, attempt, keyResult, walletOf, withPassphrase } from "./shared.ts";

const createWallet: AdminMethod = async ({ wallets }, value) => {
  const params = new Params(value);
  const name = params.text("wallet", "wallet");
  return withPassphrase(params, "passphrase", "passphrase", async (passphrase) => {
    const { wallet, recoveryPhrase } = await attempt("create the wallet", () =>
      wallets.store.create({ name, passphrase }),
    );
    const key = wallets.adopt(wallet).keys[0]!;
    return {
      wallet: { name, keyDerivationVersion: wallet.keyVersion, recoveryPhrase },
      key: keyResult(key),
    };
  });
};

const importWallet: AdminMethod = async ({ wallets }, value) => {
  const params = new Params(value);
  const name = params.text("wallet", "wallet");
  return withPassphrase(params, "passphrase", "passphrase", async (passphrase) => {
    const recoveryPhrase = params.text("recoveryPhrase", "wallet recovery phrase");
    const version = Number(params.whole("keyDerivationVersion", "wallet key derivation version"));
    const wallet = await attempt("import the wallet", () =>
      wallets.store.import({ name, passphrase, recoveryPhrase, version: checkKeyVersion(version) }),
    );
    const key = wallets.adopt(wallet).keys[0]!;
    return { wallet: { name, keyDerivationVersion: wallet.keyVersion }, key: keyResult(key) };
  });
};

const unlock: AdminMethod = async ({ wallets }, value) => {
  const params = new Params(value);
  const name = params.text("wallet", "wallet");
  await withPassphrase(params, "passphrase", "passphrase", (passphrase) => wallets.unlock(name, passphrase));
};

const updatePassphrase: AdminMethod = async (parts, value) => {
  const params = new Params(value);
  params.text("wallet", "wallet");
  await withPassphrase(params, "newPassphrase", "new passphrase", async (passphrase) =>
    parts.wallets.store.changePassphrase(await walletOf(parts, params), passphrase),
  );
};

const describeWallet: AdminMethod = async (parts, value) => {
  const wallet = await walletOf(parts, new Params(value));
  return {
    name: wallet.name,
    id: wallet.id,
    type: wallet.isIsolated ? "HD wallet (isolated)" : "HD wallet",
    keyDerivationVersion: wallet.keyVersion,
  };
};

const listWallets: AdminMethod = async ({ wallets }) => ({ wallets: await wallets.store.names() });

const renameWallet: AdminMethod = async ({ wallets, sessions, tokens, dismissWallet }, value) => {
  const params = new Params(value);
  const name = params.text("wallet", "wallet");
  const newName = params.text("newName", "new name");
  await wallets.store.rename(name, newName);
  // Connections to the old name end.
  wallets.lock(name);
  dismissWallet(name);
  await sessions.endAll({ wallet: name });
  await tokens.removeOf(name);
};

const removeWallet: AdminMethod = async ({ wallets, sessions, tokens, dismissWallet }, value) => {
  const name = new Params(value).text("wallet", "wallet");
  await wallets.store.delete(name);
  wallets.lock(name);
  dismissWallet(name);
  await sessions.endAll({ wallet: name });
  await tokens.removeOf(name);
};

export const walletMethods = {
  "admin.create_wallet": createWallet,
  "admin.import_wallet": importWallet,
  "admin.unlock_wallet": unlock,
  "admin.update_passphrase": updatePassphrase,
  "admin.describe_wallet": describeWallet,
  "admin.list_wallets": listWallets,
  "admin.rename_wallet": renameWallet,
  "admin.remove_wallet": removeWallet,
} satisfies Readonly<Record<string, AdminMethod>>;

/** Not of the original: the opposite of unlocking. */
export const lockWallet: AdminMethod = async ({ wallets }, value) => {
  const name = new Params(value).text("wallet", "wallet");
  if (!(await wallets.store.has(name))) throw walletUnknown();
  return { wasUnlocked: wallets.lock(name) };
};

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

const generateKey: AdminMethod = async (parts, value) => {
  const params = new Params(value);
  params.text("wallet", "wallet");
  const metadata = metadataOf(params);
  const wallet = await walletOf(parts, params);
  return keyResult(await attempt("generate a new key", () => wallet.generateKey(metadata)));
};

const describeKey: AdminMethod = async (parts, value) => {
  const { params, publicKey } = keyParams(value);
  const { name, algorithm, metadata, isTainted } = (await walletOf(parts, params)).key(publicKey);
  return { publicKey, name, algorithm, metadata, isTainted };
};

const listKeys: AdminMethod = async (parts, value) => {
  const { keys } = await walletOf(parts, new Params(value));
  return { keys: keys.map(({ name, publicKey }) => ({ name, publicKey })) };
};

const annotateKey: AdminMethod = async (parts, value) => {
  const { params, publicKey } = keyParams(value);
  const metadata = metadataOf(params);
  const wallet = await walletOf(parts, params);
  const key = await attempt("annotate the key", () => wallet.annotateKey(publicKey, metadata));
  return { metadata: key.metadata };
};

const taintKey: AdminMethod = async (parts, value) => {
  const { params, publicKey } = keyParams(value);
  const wallet = await walletOf(parts, params);
  await attempt("taint the key", () => wallet.taintKey(publicKey));
};

const untaintKey: AdminMethod = async (parts, value) => {
  const { params, publicKey } = keyParams(value);
  const wallet = await walletOf(parts, params);
  await attempt("untaint the key", () => wallet.untaintKey(publicKey));
};

const isolateKey: AdminMethod = async (parts, value) => {
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

const rotateKey: AdminMethod = async (parts, value) => {
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
  "admin.generate_key": generateKey,
  "admin.describe_key": describeKey,
  "admin.list_keys": listKeys,
  "admin.annotate_key": annotateKey,
  "admin.taint_key": taintKey,
  "admin.untaint_key": untaintKey,
  "admin.isolate_key": isolateKey,
  "admin.rotate_key": rotateKey,
} satisfies Readonly<Record<string, AdminMethod>>;

/** The original prints no allowed keys as null. */
function permissionsResult({ publicKeys: { access, allowedKeys } }: Permissions) {
  return { publicKeys: { access, allowedKeys: allowedKeys.length === 0 ? null : allowedKeys } };
}

function readConnectionParams(value: unknown): { params: Params; hostname: string } {
  const params = new Params(value);
  params.text("wallet", "wallet");
  return { params, hostname: params.text("hostname", "hostname") };
}

const describePermissions: AdminMethod = async (parts, value) => {
  const { params, hostname } = readConnectionParams(value);
  return { permissions: permissionsResult((await walletOf(parts, params)).permissions(hostname)) };
};

const listPermissions: AdminMethod = async (parts, value) => {
  const { allPermissions } = await walletOf(parts, new Params(value));
  const entries = [...allPermissions].map(([hostname, { publicKeys }]) => [
    hostname,
    { public_keys: publicKeys.access },
  ]);
  return { permissions: Object.fromEntries(entries) };
};

const updatePermissions: AdminMethod = async (parts, value) => {
  const { params, hostname } = readConnectionParams(value);
  const keys = params.optionalParams("permissions")?.optionalParams("publicKeys");
  const access = keys?.optionalText("access") || "none";
  if (access !== "read" && access !== "none") throw mismatch();
  const permissions: Permissions = {
    publicKeys: { access, allowedKeys: keys?.optionalTexts("allowedKeys") ?? [] },
  };
  const wallet = await walletOf(parts, params);
  try {
    await wallet.updatePermissions(hostname, permissions);
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    throw invalidParams(error.message);
  }
  return { permissions: permissionsResult(permissions) };
};

const revokePermissions: AdminMethod = async (parts, value) => {
  const { params, hostname } = readConnectionParams(value);
  await (await walletOf(parts, params)).revokePermissions(hostname);
};

const purgePermissions: AdminMethod = async (parts, value) => {
  await (await walletOf(parts, new Params(value))).purgePermissions();
};

export const permissionMethods = {
  "admin.describe_permissions": describePermissions,
  "admin.list_permissions": listPermissions,
  "admin.update_permissions": updatePermissions,
  "admin.revoke_permissions": revokePermissions,
  "admin.purge_permissions": purgePermissions,
} satisfies Readonly<Record<string, AdminMethod>>;

const listConnections: AdminMethod = async ({ sessions }) => ({
  activeConnections: sessions.all.map(({ hostname, wallet }) => ({ hostname, wallet })),
});

const closeConnection: AdminMethod = async ({ revokeWallet }, value) => {
  const params = new Params(value);
  const hostname = params.text("hostname", "hostname");
  await revokeWallet(params.text("wallet", "wallet"), hostname);
};

/** Also what the hostname is doing, and asks for, at this moment. */
const closeHostname: AdminMethod = async ({ revokeHostname }, value) => {
  await revokeHostname(new Params(value).text("hostname", "hostname"));
};

const closeWallet: AdminMethod = async ({ revokeWallet }, value) => {
  await revokeWallet(new Params(value).text("wallet", "wallet"));
};

export const connectionMethods = {
  "admin.list_connections": listConnections,
  "admin.close_connection": closeConnection,
  "admin.close_connections_to_hostname": closeHostname,
  "admin.close_connections_to_wallet": closeWallet,
} satisfies Readonly<Record<string, AdminMethod>>;
