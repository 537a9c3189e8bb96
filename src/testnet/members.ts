// Validators of a new network with their secrets: the devnet's PUBLIC keys, or keys of their own.
import { ethereumAddress } from "../crypto/secp256k1.ts";
import { ValidatorKeys } from "../devnet/keys.ts";
import { OwnKeys } from "../validator/key-file.ts";
import { newRecoveryPhrase } from "../wallet/keys/derivation.ts";
import { hexOf } from "../wire/identifiers.ts";
import { engineKey } from "./engine-keys.ts";
import type { GenesisMember } from "./genesis.ts";

const SEED_BYTES = 32;

type Random = (length: number) => Uint8Array;

export interface Member extends GenesisMember {
  /** Secret of the consensus key: it goes into the engine's file and nowhere else. */
  readonly consensusSeed: Uint8Array;
  /** Secret of the key that peers know the engine by. */
  readonly peerSeed: Uint8Array;
  /** Undefined for PUBLIC keys, which need no file. */
  readonly own?: OwnKeys;
}

/** @param random an unpredictable source of bytes */
export function ownMember(name: string, random: Random): Member {
  const consensusSeed = random(SEED_BYTES);
  const consensusKey = Buffer.from(engineKey(consensusSeed).publicKey).toString("base64");
  const own = new OwnKeys(newRecoveryPhrase(random), consensusKey);
  return { name, identity: own.identity, keys: own, consensusSeed, peerSeed: random(SEED_BYTES), own };
}

/** A validator of the devnet. @param number from 1 */
export function publicMember(number: number, random: Random): Member {
  const keys = new ValidatorKeys(number);
  const identity = {
    nodeId: keys.nodeId,
    vegaPublicKey: hexOf(keys.vega(1).publicKey),
    ethereumAddress: ethereumAddress(keys.ethereum(1)),
    consensusPublicKey: keys.tmPubKey,
  };
  const name = `lyra-testnet-${number}`;
  return { name, identity, keys, consensusSeed: keys.consensusSeed, peerSeed: random(SEED_BYTES) };
}
