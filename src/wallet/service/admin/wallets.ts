// Administrative methods about wallets.
import { walletUnknown } from "../../errors.ts";
import { checkKeyVersion } from "../../keys/wallet-data.ts";
import { Params } from "../params.ts";
import { type AdminMethod, attempt, keyResult, walletOf, withPassphrase } from "./shared.ts";

const create: AdminMethod = async ({ wallets }, value) => {
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
    const wanted = Number(params.whole("keyDerivationVersion", "wallet key derivation version"));
    const wallet = await attempt("import the wallet", () =>
      wallets.store.import({ name, passphrase, recoveryPhrase, version: checkKeyVersion(wanted) }),
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

const describe: AdminMethod = async (parts, value) => {
  const wallet = await walletOf(parts, new Params(value));
  return {
    name: wallet.name,
    id: wallet.id,
    type: wallet.isIsolated ? "HD wallet (isolated)" : "HD wallet",
    keyDerivationVersion: wallet.keyVersion,
  };
};

const list: AdminMethod = async ({ wallets }) => ({ wallets: await wallets.store.names() });

const rename: AdminMethod = async ({ wallets, sessions, tokens, dismissWallet }, value) => {
  const params = new Params(value);
  const name = params.text("wallet", "wallet");
  const newName = params.text("newName", "new name");
  await wallets.store.rename(name, newName);
  // What was connected to the old name is connected to nothing any more.
  wallets.lock(name);
  dismissWallet(name);
  await sessions.endAll({ wallet: name });
  await tokens.removeOf(name);
};

const remove: AdminMethod = async ({ wallets, sessions, tokens, dismissWallet }, value) => {
  const name = new Params(value).text("wallet", "wallet");
  await wallets.store.delete(name);
  wallets.lock(name);
  dismissWallet(name);
  await sessions.endAll({ wallet: name });
  await tokens.removeOf(name);
};

export const walletMethods = {
  "admin.create_wallet": create,
  "admin.import_wallet": importWallet,
  "admin.unlock_wallet": unlock,
  "admin.update_passphrase": updatePassphrase,
  "admin.describe_wallet": describe,
  "admin.list_wallets": list,
  "admin.rename_wallet": rename,
  "admin.remove_wallet": remove,
} satisfies Readonly<Record<string, AdminMethod>>;

/** Not of the original: the opposite of unlocking. */
export const lockWallet: AdminMethod = async ({ wallets }, value) => {
  const name = new Params(value).text("wallet", "wallet");
  if (!(await wallets.store.has(name))) throw walletUnknown();
  return { wasUnlocked: wallets.lock(name) };
};
