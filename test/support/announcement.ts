// The announcement of a node that wants to become a validator, signed with its keys.
import type { Ed25519KeyPair } from "../../src/crypto/ed25519.ts";
import { ethereumAddress, keccakOf, secp256k1Sign } from "../../src/crypto/secp256k1.ts";
import { sha3Of } from "../../src/crypto/sha.ts";
import { announcementText } from "../../src/engine/nodes.ts";
import { emptyAnnounceNode } from "../../src/wire/generated/commands.ts";
import { SIGNATURE_ALGORITHM, SIGNATURE_VERSION } from "../../src/wire/transaction.ts";

interface NodeKeys {
  readonly nodeId: string;
  vega(index: number): Ed25519KeyPair;
  ethereum(index: number): Uint8Array;
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

/** Signatures of a text by both keys of a node. @param key its present Vega key */
export function nodeSignatures(keys: NodeKeys, key: Ed25519KeyPair, text: string) {
  const bytes = Buffer.from(text, "utf8");
  const version = SIGNATURE_VERSION;
  return {
    vegaSignature: { value: hex(key.sign(sha3Of(bytes))), algo: SIGNATURE_ALGORITHM, version },
    ethereumSignature: { value: hex(secp256k1Sign(keccakOf(bytes), keys.ethereum(1))), algo: "eth", version },
  };
}

/** @param chainPubKey its consensus key, base64 */
export function announcementOf(keys: NodeKeys, chainPubKey: string, fromEpoch = 1n) {
  const payload = {
    ...emptyAnnounceNode(),
    ...{ id: keys.nodeId, vegaPubKey: hex(keys.vega(1).publicKey), vegaPubKeyIndex: 1, chainPubKey },
    ...{ ethereumAddress: ethereumAddress(keys.ethereum(1)), fromEpoch, infoUrl: "https://node.example" },
    ...{ name: "a further node", avatarUrl: "https://node.example/a", country: "ZZ" },
  };
  return { ...payload, ...nodeSignatures(keys, keys.vega(1), announcementText(payload)) };
}
