/**
 * The keys of a devnet: its parties and its validators. By default all of them follow from one public recovery phrase, which
 * anyone knows, so that tests, tutorials and wallets agree on them, and so that they are not taken for secrets.
 *
 * The parties are the first keys of the wallet of a phrase (docs/protocol/50-wallet-keystore.md#55-derivation): a wallet
 * that imports the phrase has them. The validators have wallets of their own, derived from the seed of the public one.
 */
import { pbkdf2Sync } from "node:crypto";
import { type Ed25519KeyPair, ed25519KeyPair } from "../crypto/ed25519.ts";
import { sha3Of } from "../crypto/sha.ts";
import { type Slip10Node, slip10Key } from "../crypto/slip10.ts";
import { deriveKey, walletNode } from "../wallet/keys/derivation.ts";
import { hexOf } from "../wire/identifiers.ts";

/** PUBLIC. The phrase of countless test networks: never put anything of value under its keys. */
export const DEVNET_RECOVERY_PHRASE = "test test test test test test test test test test test junk";

export const DEVNET_PARTY_NAMES = [
  "alice",
  "bob",
  "carol",
  "dave",
  "erin",
  "frank",
  "grace",
  "heidi",
  "ivan",
  "judy",
] as const;

/** Validators whose keys a devnet holds: the first exists from the start, the others may be announced. */
export const DEVNET_VALIDATORS_MAX = 4;

export interface DevnetParty {
  readonly name: string;
  /** The key's number in the wallet, from 1. */
  readonly index: number;
  /** 64 lower-case hexadecimal digits: the party. */
  readonly publicKey: string;
  /** The 32 bytes of the private key, hexadecimal. Public, as everything here. */
  readonly privateKey: string;
  readonly key: Ed25519KeyPair;
}

/** Parties of a devnet: the first keys of a wallet. */
export interface PartiesChoice {
  readonly recoveryPhrase: string;
  readonly accounts: number;
}

export const DEVNET_PARTIES: PartiesChoice = {
  recoveryPhrase: DEVNET_RECOVERY_PHRASE,
  accounts: DEVNET_PARTY_NAMES.length,
};

/** BIP-39's seed of a phrase. Not by way of wallet/keys/derivation.ts: its word list takes longer to load. */
export function seedOfPhrase(recoveryPhrase: string): Uint8Array {
  return new Uint8Array(pbkdf2Sync(recoveryPhrase, "mnemonic", 2048, 64, "sha512"));
}

let publicSeed: Uint8Array | undefined;

/** 32 bytes that follow from the public phrase and a purpose. */
function derived(purpose: string): Uint8Array {
  publicSeed ??= seedOfPhrase(DEVNET_RECOVERY_PHRASE);
  return sha3Of(Buffer.concat([Buffer.from(`lyra devnet ${purpose}\u0000`, "utf8"), publicSeed]));
}

let latest: { readonly choice: PartiesChoice; readonly parties: readonly DevnetParty[] } | undefined;

/** The funded parties, by number. The last answer is kept: each key costs a fraction of a millisecond. */
export function devnetParties(choice: PartiesChoice = DEVNET_PARTIES): readonly DevnetParty[] {
  const { recoveryPhrase, accounts } = choice;
  if (latest?.choice.recoveryPhrase !== recoveryPhrase || latest.choice.accounts !== accounts) {
    const node = walletNode(seedOfPhrase(recoveryPhrase));
    latest = { choice, parties: Array.from({ length: accounts }, (_, at) => partyOf(node, at + 1)) };
  }
  return latest.parties;
}

function partyOf(node: Slip10Node, index: number): DevnetParty {
  const { publicKey, seed } = deriveKey(node, 2, index);
  const name = DEVNET_PARTY_NAMES[index - 1] ?? `party${index}`;
  return { name, index, publicKey, privateKey: hexOf(seed), key: ed25519KeyPair(seed) };
}

/** A node's wallet: its master key, and the keys that sign its transactions. They are made when they are first used. */
export class NodeWallet {
  private readonly node: Slip10Node;
  private readonly vegaKeys = new Map<number, Ed25519KeyPair>();
  /** The master key: its public half is the node's id. */
  readonly master: Ed25519KeyPair;

  /** @param seed of a recovery phrase, or any secret */
  constructor(seed: Uint8Array) {
    this.node = walletNode(seed);
    this.master = ed25519KeyPair(slip10Key(this.node));
  }

  get nodeId(): string {
    return hexOf(this.master.publicKey);
  }

  /** The key that signs its transactions. @param index from 1; the next one after each rotation */
  vega(index: number): Ed25519KeyPair {
    let key = this.vegaKeys.get(index);
    if (key === undefined) {
      key = ed25519KeyPair(deriveKey(this.node, 2, index).seed);
      this.vegaKeys.set(index, key);
    }
    return key;
  }
}

/** All keys of one of the devnet's validators. PUBLIC. */
export class ValidatorKeys extends NodeWallet {
  /** @param number from 1 */
  constructor(readonly number: number) {
    super(derived(`validator ${number}`));
  }

  /** The 32-byte secret of an Ethereum key. @param index from 1; the next one after each rotation */
  ethereum(index: number): Uint8Array {
    return derived(`validator ${this.number} ethereum ${index}`);
  }

  /** The 32-byte secret of the consensus key. */
  get consensusSeed(): Uint8Array {
    return derived(`validator ${this.number} consensus`);
  }

  /** The consensus key, base64. */
  get tmPubKey(): string {
    return Buffer.from(ed25519KeyPair(this.consensusSeed).publicKey).toString("base64");
  }
}

/** All validators whose keys are PUBLIC. */
export function publicValidators(): readonly ValidatorKeys[] {
  return Array.from({ length: DEVNET_VALIDATORS_MAX }, (_, at) => new ValidatorKeys(at + 1));
}

/** 20 bytes for something that needs an Ethereum address and has no key; `0x` and lower case. */
export function madeUpAddress(purpose: string): string {
  return `0x${hexOf(sha3Of(Buffer.from(`lyra devnet address ${purpose}`, "utf8")).subarray(12))}`;
}

/** An asset's id that is made up; 64 lower-case hexadecimal digits. */
export function madeUpAssetId(symbol: string): string {
  return hexOf(sha3Of(Buffer.from(`lyra devnet asset ${symbol}`, "utf8")));
}
