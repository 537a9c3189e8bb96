// Signatures of a text by both keys of a node (docs/protocol/60-state-engine-staking.md#77-heartbeats, #93-announce-node).
import type { Ed25519KeyPair } from "../crypto/ed25519.ts";
import { keccakOf, secp256k1Sign } from "../crypto/secp256k1.ts";
import { sha3Of } from "../crypto/sha.ts";
import { hexOf } from "../wire/identifiers.ts";
import { SIGNATURE_ALGORITHM, SIGNATURE_VERSION } from "../wire/transaction.ts";

/** @param ethereum the 32-byte secret of the Ethereum key */
export function nodeSignatures(text: string, vega: Ed25519KeyPair, ethereum: Uint8Array) {
  const bytes = Buffer.from(text, "utf8");
  return {
    vegaSignature: {
      value: hexOf(vega.sign(sha3Of(bytes))),
      algo: SIGNATURE_ALGORITHM,
      version: SIGNATURE_VERSION,
    },
    ethereumSignature: { value: hexOf(secp256k1Sign(keccakOf(bytes), ethereum)), algo: "eth", version: 1 },
  };
}
