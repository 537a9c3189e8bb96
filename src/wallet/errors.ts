// The failures of a wallet. The codes are stable; where the original has words for it, the sentence is the
// original's (docs/protocol/50-wallet-service.md#32-admin), so that the service can hand it on.
import { NodeError } from "../errors/node-error.ts";
import type { MessageOf, ProgramCode } from "../errors/program-codes.ts";

export function walletError<Code extends ProgramCode>(
  code: Code,
  message: MessageOf<Code>,
  hint = "",
  options?: ErrorOptions,
): NodeError<Code> {
  return new NodeError("wallet", code, message, hint, options);
}

export const walletUnknown = () =>
  walletError("wallet_unknown", "the wallet does not exist", "see which there are: lyra wallet list");

export const walletExists = () =>
  walletError("wallet_exists", "a wallet with the same name already exists", "choose another name");

export const walletLocked = () => walletError("wallet_locked", "the wallet is locked", "unlock it first");

/** Another process gave the file another passphrase, or put another wallet in its place. */
export const walletChanged = () =>
  walletError(
    "wallet_changed",
    "the wallet file was given another passphrase, or is another wallet now",
    "unlock it again",
  );

export const wrongPassphrase = (hint = "") => walletError("wrong_passphrase", "wrong passphrase", hint);

/** The passphrase may be right: what is damaged is the file. */
export const walletDamaged = (what: string) =>
  walletError(
    "wallet_damaged",
    `the wallet file is damaged: ${what}`,
    "put back a copy of the file, or restore the wallet from its recovery phrase",
  );

export const keyUnknown = () =>
  walletError(
    "key_unknown",
    "the public key does not exist",
    "see which there are: lyra wallet key list NAME",
  );

export const keyTainted = (message: MessageOf<"key_tainted"> = "the public key is tainted") =>
  walletError("key_tainted", message, "untaint it first, if it may be used again");
