// The genesis document from which a chain starts (docs/protocol/60-state-engine-parameters.md#11-genesis-app_state).
// Only its form is checked here.

import { sha3HexOf } from "../crypto/sha.ts";
import { NodeError } from "../errors/node-error.ts";
import { timeNs } from "../wire/time-text.ts";

/** 2250-01-01: times are 64-bit nanoseconds, which end in 2262, and epochs end after their blocks. */
export const CHAIN_TIME_MAX_NS = 8_835_955_200_000_000_000n;

/** Of a file with the genesis. */
export const GENESIS_BYTES_MAX = 512 * 1024 * 1024;

export interface GenesisAsset {
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number;
  /** Default: 1. */
  readonly quantum?: string;
  readonly source: {
    readonly builtin_asset?: { readonly max_faucet_amount_mint: string };
    readonly erc20?: {
      readonly contract_address: string;
      readonly lifetime_limit: string;
      readonly withdraw_threshold: string;
    };
  };
}

export interface GenesisValidator {
  readonly id: string;
  readonly vega_pub_key: string;
  readonly vega_pub_key_index: number;
  readonly ethereum_address: string;
  readonly tm_pub_key: string;
  readonly info_url?: string;
  readonly country?: string;
  readonly name?: string;
  readonly avatar_url?: string;
}

export interface GenesisAppState {
  readonly assets?: Readonly<Record<string, GenesisAsset>>;
  readonly validators?: Readonly<Record<string, GenesisValidator>>;
  readonly network: { readonly replay_attack_threshold?: number };
  readonly network_parameters: Readonly<Record<string, string>>;
  readonly network_parameters_checkpoint_overwrite?: readonly string[];
  readonly network_limits?: {
    readonly propose_market_enabled?: boolean;
    readonly propose_asset_enabled?: boolean;
  };
  readonly checkpoint?: { readonly load_hash?: string; readonly state?: string };
}

export interface Genesis {
  readonly chainId: string;
  /** Unix nanoseconds. */
  readonly timeNs: bigint;
  readonly initialHeight: number;
  readonly appState: GenesisAppState;
  /** SHA3-256 of the app state's canonical text, lower-case hex: the hash of the genesis block. */
  readonly hash: string;
  /** All of it as it was read. */
  readonly document: string;
}

/** Reads a genesis document. @throws NodeError `genesis_invalid` with the problem and its place */
export function readGenesis(text: string): Genesis {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (error) {
    throw invalidGenesis(`it is not JSON: ${(error as Error).message}`);
  }
  if (!isObject(document)) throw invalidGenesis("it is not a JSON object");
  const { genesis_time: time, chain_id: chainId, initial_height: height = "1", app_state: state } = document;
  if (typeof chainId !== "string" || !/^[\x21-\x7e]{1,50}$/.test(chainId)) {
    throw invalidGenesis("chain_id must be 1 to 50 printable characters without blanks");
  }
  if (typeof time !== "string") throw invalidGenesis("genesis_time is required");
  if (String(height) !== "1") throw invalidGenesis("initial_height must be 1");
  if (!isObject(state)) throw invalidGenesis("app_state is required");
  // A member without a value is written as null by the network's tools.
  const given = Object.entries(state).filter(([, value]) => value !== null);
  const appState = Object.fromEntries(given) as unknown as GenesisAppState;
  if (!isObject(appState.network)) throw invalidGenesis("app_state.network is required");
  if (!isObject(appState.network_parameters))
    throw invalidGenesis("app_state.network_parameters is required");
  return {
    chainId,
    timeNs: timeOf(time),
    initialHeight: 1,
    appState,
    hash: sha3HexOf(Buffer.from(canonicalText(state), "utf8")),
    document: text,
  };
}

/**
 * The one text of an app state, however it is written: a consensus engine gives its copy of the document compacted and with
 * other escapes from the second start on. Members stay in their order, which is that of some of the first events.
 */
function canonicalText(state: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(state);
}

/** Hash of an app state, as `Genesis.hash`; undefined for a text that is not one. */
export function appStateHash(text: string): string | undefined {
  let state: unknown;
  try {
    state = JSON.parse(text);
  } catch {
    return undefined;
  }
  return isObject(state) ? sha3HexOf(Buffer.from(canonicalText(state), "utf8")) : undefined;
}

/** RFC 3339 in UTC, to the microsecond: finer times cannot be told apart in the store. */
function timeOf(text: string): bigint {
  const time = text.endsWith("Z") ? timeNs(text) : undefined;
  if (time === undefined)
    throw invalidGenesis("genesis_time must be RFC 3339 in UTC, such as 2030-01-01T00:00:00Z");
  if (time < 0n || time > CHAIN_TIME_MAX_NS) throw invalidGenesis("genesis_time must be from 1970 to 2249");
  return time - (time % 1_000n);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function invalidGenesis(reason: string): NodeError {
  return new NodeError("engine.genesis", "genesis_invalid", `the genesis document cannot be used: ${reason}`);
}
