// Where a running devnet listens, in its home, so that other processes find it.
import { ExitCode, NodeError, reasonOf } from "../errors.ts";
import { readShortText } from "../short-file.ts";

export const devnetAddressFile = "devnet.json";

/** What `--config-out` writes, and the file in the home. */
export interface DevnetAddress {
  readonly nodeUrl: string;
  readonly dataUrl: string;
  readonly faucetUrl: string;
  readonly nodePort: number;
  readonly dataPort: number;
  readonly faucetPort: number;
  readonly chainId: string;
  readonly home: string;
  readonly pid: number;
}

const FILE_BYTES_MAX = 64 * 1024;

/** What stands in such a file. @throws NodeError when it says no address */
export function readDevnetAddress(file: string): DevnetAddress {
  let why = "it does not say where";
  try {
    const address = JSON.parse(readShortText(file, FILE_BYTES_MAX)) as Partial<DevnetAddress> | null;
    if (typeof address?.nodeUrl === "string") return address as DevnetAddress;
  } catch (error) {
    why = error instanceof SyntaxError ? "it is no JSON" : reasonOf(error);
  }
  throw new NodeError(
    "devnet.address",
    "address_unreadable",
    `${file} cannot be read: ${why}`,
    "name the devnet with --node-url URL, or start it again",
    ExitCode.notReady,
  );
}
