// Keys of the consensus engine in the forms of its files.
import { consensusAddress } from "../crypto/consensus-address.ts";
import { ed25519KeyPair } from "../crypto/ed25519.ts";

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

/** Content of priv_validator_key.json. Secret. */
export function validatorKeyText({ publicKey, privateKey }: EngineKey): string {
  return JSON.stringify({
    address: consensusAddress(publicKey).toUpperCase(),
    pub_key: keyOf("PubKey", publicKey),
    priv_key: keyOf("PrivKey", privateKey),
  });
}

/** Content of node_key.json. Secret. */
export const nodeKeyText = ({ privateKey }: EngineKey): string =>
  JSON.stringify({ priv_key: keyOf("PrivKey", privateKey) });
