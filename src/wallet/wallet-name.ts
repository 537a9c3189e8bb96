// A wallet's name is its file's name (reference 50, section 5.1), so it must not lead anywhere else.
import { walletError } from "./errors.ts";
import { ISOLATED_BYTES, NAME_BYTES_MAX } from "./limits.ts";

/** Names that are devices to some systems, whatever the extension. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/** What an isolated wallet's name ends with (keys/changes.ts). */
const ISOLATED = /\.[0-9a-f]{8}\.isolated$/;

/** Why a text is no name; undefined when it is one. */
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
