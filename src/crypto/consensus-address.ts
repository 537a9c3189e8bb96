// Names of Ed25519 keys in the consensus engine: a validator's address in blocks, a peer's id.
import { sha256HexOf } from "./sha.ts";

const ADDRESS_BYTES = 20;

/** Lower-case hex; the engine's files have a validator's in capitals. */
export const consensusAddress = (publicKey: Uint8Array): string =>
  sha256HexOf(publicKey).slice(0, 2 * ADDRESS_BYTES);
