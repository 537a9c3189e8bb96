// Recovery phrases (BIP-39, English words; reference 50, section 5.4). A phrase is a text for people, so it lives in
// JavaScript texts, which nobody can wipe; the seed that follows from it is bytes.
import { pbkdf2 } from "node:crypto";
import { promisify } from "node:util";
import { entropyToMnemonic, mnemonicToEntropy } from "@scure/bip39";
import { wordlist } from "@scure/bip39/wordlists/english.js";
import { wipe } from "../../crypto/secrets.ts";
import { walletError } from "../errors.ts";

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
