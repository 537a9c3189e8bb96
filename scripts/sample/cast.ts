// Who and what is in the sample network. Everything here is invented.
import { addressOf, idOf } from "./seeded.ts";

export interface Validator {
  readonly name: string;
  readonly country: string;
  readonly id: string;
  pubKey: string;
  pubKeyIndex: number;
  ethereumAddress: string;
  readonly consensusKey: string;
}

function validator(name: string, country: string): Validator {
  return {
    name,
    country,
    id: idOf("node", name),
    pubKey: idOf("node key", name, 1),
    pubKeyIndex: 1,
    ethereumAddress: addressOf("node", name, 1),
    consensusKey: Buffer.from(idOf("consensus key", name), "hex").toString("base64"),
  };
}

/** Named after stars of the constellation. */
export const VALIDATORS: readonly Validator[] = [
  validator("Sheliak", "IS"),
  validator("Sulafat", "PT"),
  validator("Aladfar", "NZ"),
];

function party(name: string): string {
  return idOf("party", name);
}

export const PARTY = {
  treasury: party("treasury"),
  founder: party("founder"),
  makerNorth: party("maker north"),
  makerSouth: party("maker south"),
  provider: party("liquidity provider"),
  traders: ["ada", "bela", "cleo", "dorian", "edda"].map(party),
  holders: ["fen", "gus", "hana"].map(party),
  oracle: party("oracle"),
  saver: party("saver"),
} as const;

/** Treasury of the network: the pseudo party of 64 zeros (reference 60, section 2.5). */
export const NETWORK_TREASURY = "0".repeat(64);

export const ASSET = {
  /** The staking and reward token, on Ethereum, 18 decimals. */
  token: idOf("asset", "lyre"),
  /** The settlement asset, built in, 6 decimals. */
  dollar: idOf("asset", "sample dollar"),
  /** Proposed, listed and changed while the recording runs; 8 decimals. Its id is that of its proposal. */
  pearl: idOf("proposal", "pearl asset"),
} as const;

export const TOKEN_ADDRESS = addressOf("contract", "lyre");
export const PEARL_ADDRESS = addressOf("contract", "pearl");
export const BRIDGE_ADDRESS = addressOf("contract", "collateral bridge");
export const MULTISIG_ADDRESS = addressOf("contract", "multisig control");
export const STAKING_ADDRESS = addressOf("contract", "staking bridge");
export const SUBMITTER = addressOf("wallet", "bundle submitter");

/** One whole unit of each asset. */
export const LYRE = 10n ** 18n;
export const DOLLAR = 10n ** 6n;
export const PEARL = 10n ** 8n;
