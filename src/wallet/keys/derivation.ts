// From a seed to a wallet and its keys (docs/protocol/50-wallet-keystore.md#55-derivation).

import { pbkdf2 } from "node:crypto";
import { promisify } from "node:util";
import { entropyToMnemonic, mnemonicToEntropy } from "@scure/bip39";
import { wordlist } from "@scure/bip39/wordlists/english.js";
import { ed25519KeyPair } from "../../crypto/ed25519.ts";
import { secretCopy, wipe } from "../../crypto/secrets.ts";
import {
  type Slip10Node,
  slip10Child,
  slip10Descendant,
  slip10Key,
  slip10Root,
} from "../../crypto/slip10.ts";
import { hexOf } from "../../wire/identifiers.ts";
import { walletError } from "../errors.ts";

/** Derivation of keys from a node. */
export type KeyVersion = 1 | 2;

export interface DerivedKey {
  /** From 1. */
  readonly index: number;
  /** 64 lower-case hexadecimal digits. */
  readonly publicKey: string;
  /** 32 bytes; secret. */
  readonly seed: Uint8Array;
}

/** The first step of every path, and what version 1 adds to an index. */
const NETWORK = 1789;

/** Places of a path have 31 bits (SLIP-10): the last key that both versions have. */
export const KEY_INDEX_MAX = 2 ** 31 - 1 - NETWORK;

/** The node that a wallet keeps: m/1789'. Secret: the caller wipes it. */
export function walletNode(seed: Uint8Array): Slip10Node {
  const root = slip10Root(seed);
  const node = slip10Child(root, NETWORK);
  wipe(root);
  return node;
}

/** A wallet's identifier is the public key of its node: the master key, the same for both versions. */
export function walletId(node: Slip10Node): string {
  return hexOf(ed25519KeyPair(slip10Key(node)).publicKey);
}

/** The 32-byte seed of a key. @param index from 1 */
export function keySeed(node: Slip10Node, version: KeyVersion, index: number): Uint8Array {
  const place = slip10Descendant(node, version === 1 ? [NETWORK + index] : [0, index]);
  const seed = secretCopy(slip10Key(place));
  wipe(place);
  return seed;
}

export function deriveKey(node: Slip10Node, version: KeyVersion, index: number): DerivedKey {
  const seed = keySeed(node, version, index);
  return { index, publicKey: hexOf(ed25519KeyPair(seed).publicKey), seed };
}

// Recovery phrases (BIP-39, English words; docs/protocol/50-wallet-keystore.md#54-recovery-phrase). A phrase is a text
// for people, so it lives in JavaScript texts, which nobody can wipe; the seed that follows from it is bytes.

/** 24 words. */
const ENTROPY_BYTES = 32;
const WORD_COUNTS: readonly number[] = [12, 15, 18, 21, 24];
/** BIP-39, "From mnemonic to seed". The words in front of the salt are fixed, because no passphrase is used. */
const SALT = "mnemonic";
const ITERATIONS = 2048;
export const SEED_BYTES = 64;

const words: ReadonlySet<string> = new Set(wordlist);
const derive = promisify(pbkdf2);

/** 24 new words. @param random a source of bytes that nobody can guess */
export function newRecoveryPhrase(random: (length: number) => Uint8Array): string {
  const entropy = random(ENTROPY_BYTES);
  const phrase = entropyToMnemonic(entropy, wordlist);
  wipe(entropy);
  return phrase;
}

/**
 * The phrase with one blank between words.
 * @throws NodeError `recovery_phrase_invalid`, which says where it is wrong and never what stands there
 */
export function readRecoveryPhrase(text: string): string {
  const given = text.split(/\s+/).filter((word) => word !== "");
  if (!WORD_COUNTS.includes(given.length)) {
    throw invalid(`it has ${given.length} words, and phrases have 12, 15, 18, 21 or 24`);
  }
  const stray = given.findIndex((word) => !words.has(word));
  if (stray >= 0) throw invalid(`word ${stray + 1} is not on the list of English words, in small letters`);
  const phrase = given.join(" ");
  try {
    wipe(mnemonicToEntropy(phrase, wordlist));
  } catch {
    throw invalid("its checksum is wrong: a word is another one, or they stand in another order");
  }
  return phrase;
}

/** The 64 bytes that keys are derived from. Secret: the caller wipes them. */
export async function seedOf(phrase: string): Promise<Uint8Array> {
  const bytes = Buffer.from(phrase, "utf8");
  const seed = await derive(bytes, SALT, ITERATIONS, SEED_BYTES, "sha512");
  wipe(bytes);
  return seed;
}

function invalid(why: string) {
  return walletError("recovery_phrase_invalid", "the recovery phrase is not valid", why);
}
