// Keys of the consensus engine in the forms of its files.
import { ed25519KeyPair } from "../crypto/ed25519.ts";
import { sha256HexOf } from "../crypto/sha.ts";

const ID_DIGITS = 40;

/** An ed25519 key, with its private half as the engine's files have it: the seed and the public one. */
interface EngineKey {
  readonly publicKey: Uint8Array;
  readonly privateKey: Uint8Array;
}

export function engineKey(seed: Uint8Array): EngineKey {
  const { publicKey } = ed25519KeyPair(seed);
  return { publicKey, privateKey: Buffer.concat([seed, publicKey]) };
}

export function keyOf(kind: "PubKey" | "PrivKey", bytes: Uint8Array) {
  return { type: `tendermint/${kind}Ed25519`, value: Buffer.from(bytes).toString("base64") };
}

/** The id in a peer's address. */
export const peerIdOf = (publicKey: Uint8Array): string => sha256HexOf(publicKey).slice(0, ID_DIGITS);

/** A validator's address in blocks. @param key base64 */
export const addressOf = (key: string): string => peerIdOf(Buffer.from(key, "base64")).toUpperCase();

/** Content of priv_validator_key.json. Secret. */
export function validatorKeyText({ publicKey, privateKey }: EngineKey): string {
  return JSON.stringify({
    address: peerIdOf(publicKey).toUpperCase(),
    pub_key: keyOf("PubKey", publicKey),
    priv_key: keyOf("PrivKey", privateKey),
  });
}

/** Content of node_key.json. Secret. */
export const nodeKeyText = ({ privateKey }: EngineKey): string =>
  JSON.stringify({ priv_key: keyOf("PrivKey", privateKey) });
