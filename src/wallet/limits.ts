/** Limits of wallets: everything that a file or a request could otherwise make large. */
import { walletError } from "./errors.ts";

/** Bytes of a wallet file; one with 1,000 keys has about 200,000. */
export const FILE_BYTES_MAX = 4 * 1024 * 1024;
export const KEYS_MAX = 10_000;
export const METADATA_ENTRIES_MAX = 100;
/** Characters of a metadata key or value. */
export const METADATA_TEXT_MAX = 1_000;
export const HOSTNAMES_MAX = 10_000;
/** Characters: 253 of a name (RFC 1035, section 2.3.4), a port, and some room for hostless origins. */
export const HOSTNAME_LENGTH_MAX = 300;
/** Bytes; file systems take 255, and an isolated wallet's name has more. */
const NAME_BYTES_MAX = 200;
/** Bytes that isolating adds to a wallet's name. */
const ISOLATED_BYTES = 18;
export const PASSPHRASE_BYTES_MAX = 4_096;
export const RECOVERY_PHRASE_BYTES_MAX = 1_024;
/** Bytes of a message to sign. */
export const MESSAGE_BYTES_MAX = 16 * 1024 * 1024;

// A wallet's name is its file's name (docs/protocol/50-wallet-keystore.md#51-locations), so it must not lead anywhere else.

/** Names that are devices to some systems, whatever the extension. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/** The end of an isolated wallet's name (keys/wallet-data.ts). */
const ISOLATED = /\.[0-9a-f]{8}\.isolated$/;

/** Why a text is not a name; undefined when it is one. */
export function nameProblem(name: string): string | undefined {
  if (name === "") return "is empty";
  if (!name.isWellFormed() || name.includes("\ufffd")) return "is not well-formed text";
  const bytesMax = NAME_BYTES_MAX + (ISOLATED.test(name) ? ISOLATED_BYTES : 0);
  if (Buffer.byteLength(name) > bytesMax) return `is longer than ${bytesMax} bytes`;
  if (name.startsWith(".")) return "starts with a dot";
  if (/[/\\]/.test(name)) return "has a slash or a backslash";
  if (/\p{C}/u.test(name)) return "has characters that cannot be seen";
  if (name !== name.trim()) return "starts or ends with a blank";
  if (DEVICE.test(name)) return "is reserved by some systems";
  return undefined;
}

/** @returns the name. @throws NodeError `wallet_name_invalid` */
export function checkWalletName(name: string): string {
  const problem = nameProblem(name);
  if (problem === undefined) return name;
  throw walletError(
    "wallet_name_invalid",
    `the wallet's name ${problem}`,
    "letters, digits, - and _ are good",
  );
}
