// Parties, assets and nodes of the sample network. Everything here is invented.
import { addressOf, idOf } from "./seeded.ts";

export interface Validator extends ValidatorKeys {
  readonly name: string;
  readonly country: string;
  readonly id: string;
  readonly consensusKey: string;
}

/** Keys that rotate while the recording runs. */
interface ValidatorKeys {
  pubKey: string;
  pubKeyIndex: number;
  ethereumAddress: string;
}

function firstKeys(name: string): ValidatorKeys {
  return { pubKey: idOf("node key", name, 1), pubKeyIndex: 1, ethereumAddress: addressOf("node", name, 1) };
}

function validator(name: string, country: string): Validator {
  return {
    name,
    country,
    id: idOf("node", name),
    ...firstKeys(name),
    consensusKey: Buffer.from(idOf("consensus key", name), "hex").toString("base64"),
  };
}

/** Named after stars of the constellation. */
export const VALIDATORS: readonly [Validator, Validator, Validator] = [
  validator("Sheliak", "IS"),
  validator("Sulafat", "PT"),
  validator("Aladfar", "NZ"),
];

/** Before each run of the story. */
export function resetKeys(): void {
  for (const node of VALIDATORS) Object.assign(node, firstKeys(node.name));
}

function party(name: string): string {
  return idOf("party", name);
}

export const PARTY = {
  treasury: party("treasury"),
  founder: party("founder"),
  makerNorth: party("maker north"),
  makerSouth: party("maker south"),
  provider: party("liquidity provider"),
  traders: [party("ada"), party("bela"), party("cleo"), party("dorian"), party("edda")],
  holders: [party("fen"), party("gus"), party("hana")],
  oracle: party("oracle"),
  saver: party("saver"),
} as const;

/** Treasury of the network: the pseudo party of 64 zeros (docs/protocol/60-state-engine-accounts.md#25-pseudo-owners-over-the-api). */
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

/** A whole unit of each asset. */
export const LYRE = 10n ** 18n;
export const DOLLAR = 10n ** 6n;
export const PEARL = 10n ** 8n;
