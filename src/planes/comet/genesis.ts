// The genesis document as the consensus engine has it: the chain's own, with the members that only the engine asks for.

import type { Database } from "bun:sqlite";
import { consensusAddress } from "../../crypto/consensus-address.ts";

interface ValidatorKey {
  readonly publicKey: Uint8Array;
  readonly power: number;
  readonly name: string;
}

interface OwnGenesis {
  readonly genesis_time: string;
  readonly chain_id: string;
  readonly initial_height?: number | string;
  readonly consensus_params?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly validators?: readonly {
    readonly pub_key?: { readonly value?: string };
    readonly power?: string | number;
    readonly name?: string;
  }[];
  readonly app_state: {
    readonly validators?: Readonly<Record<string, { readonly tm_pub_key?: string; readonly name?: string }>>;
  };
}

/** Power of a validator that the document gives none, as new networks have it. */
const POWER = 10;
export const BLOCK_BYTES_MAX = 22_020_096;
const CHUNK_BYTES = 16 * 1024 * 1024;
const KEY_BYTES = 32;
const EVIDENCE = {
  max_age_num_blocks: "100000",
  max_age_duration: "172800000000000",
  max_bytes: "1048576",
};

export interface CometGenesis {
  readonly document: object;
  readonly validators: readonly ValidatorKey[];
  /** The document's bytes in pieces of 16 MiB. */
  readonly chunks: readonly Uint8Array[];
}

/** Reads it from a chain's store. */
export function readGenesis(db: Database): CometGenesis {
  const row = db.query("SELECT value FROM chain_meta WHERE key = 'genesis'").get() as { value: string };
  const own = JSON.parse(row.value) as OwnGenesis;
  const validators = validatorsOf(own);
  const document = {
    genesis_time: own.genesis_time,
    chain_id: own.chain_id,
    initial_height: String(own.initial_height ?? 1),
    consensus_params: consensusParams(own),
    validators: validators.map((validator) => ({
      ...validatorJson(validator),
      power: String(validator.power),
      name: validator.name,
    })),
    app_hash: "",
    app_state: own.app_state,
  };
  const bytes = Buffer.from(JSON.stringify(document), "utf8");
  const count = Math.ceil(bytes.length / CHUNK_BYTES);
  const chunks = Array.from({ length: count }, (_, at) =>
    bytes.subarray(at * CHUNK_BYTES, (at + 1) * CHUNK_BYTES),
  );
  return { document, validators, chunks };
}

/** Members of the document, with the engine's defaults for the rest. */
function consensusParams({ consensus_params }: OwnGenesis): object {
  const given = consensus_params ?? {};
  return {
    block: { max_bytes: String(BLOCK_BYTES_MAX), max_gas: "-1", time_iota_ms: "1000", ...given.block },
    evidence: { ...EVIDENCE, ...given.evidence },
    validator: { pub_key_types: ["ed25519"], ...given.validator },
    version: { ...given.version },
  };
}

/** Address and key in the engine's own form. */
export function validatorJson({ publicKey }: ValidatorKey) {
  const value = Buffer.from(publicKey).toString("base64");
  return {
    address: consensusAddress(publicKey).toUpperCase(),
    pub_key: { type: "tendermint/PubKeyEd25519", value },
  };
}

function validatorsOf({ validators, app_state: { validators: nodes = {} } }: OwnGenesis): ValidatorKey[] {
  const given = (validators ?? []).map(({ pub_key: key, power = POWER, name = "" }) => ({
    text: key?.value ?? "",
    power: Number(power),
    name,
  }));
  const own = Object.entries(nodes).map(([key, { tm_pub_key: text = key, name = "" }]) => ({
    text,
    power: POWER,
    name,
  }));
  return (given.length > 0 ? given : own)
    .map(({ text, power, name }) => ({ publicKey: new Uint8Array(Buffer.from(text, "base64")), power, name }))
    .filter(({ publicKey }) => publicKey.length === KEY_BYTES);
}
