/**
 * Messages that validators sign for the Ethereum contracts, and bundles of their signatures
 * (docs/protocol/60-state-engine-accounts.md#47-what-exactly-is-signed).
 *
 * Three layers of Solidity's abi.encode: the arguments and the function's name are `inner`; `inner` and the
 * address that binds the message are `message`; its Keccak digest is signed.
 */
import { addressBytes, keccakOf, SECP256K1_SIGNATURE_BYTES, secp256k1Signer } from "./secp256k1.ts";

type ArgumentType = "address" | "bytes32" | "uint16" | "uint256";
type Value<T extends ArgumentType> = T extends "uint16" | "uint256" ? bigint : string;

/** The functions of the contracts, with their arguments in order; the nonce is always the last. */
const FUNCTIONS = {
  withdraw_asset: {
    token: "address",
    amount: "uint256",
    receiver: "address",
    /** Unix seconds. */
    creation: "uint256",
    nonce: "uint256",
  },
  list_asset: {
    token: "address",
    assetId: "bytes32",
    lifetimeLimit: "uint256",
    withdrawThreshold: "uint256",
    nonce: "uint256",
  },
  set_asset_limits: {
    token: "address",
    lifetimeLimit: "uint256",
    withdrawThreshold: "uint256",
    nonce: "uint256",
  },
  remove_asset: { token: "address", nonce: "uint256" },
  set_withdraw_delay: { seconds: "uint256", nonce: "uint256" },
  global_stop: { nonce: "uint256" },
  global_resume: { nonce: "uint256" },
  add_signer: { signer: "address", nonce: "uint256" },
  remove_signer: { signer: "address", nonce: "uint256" },
  set_threshold: { threshold: "uint16", nonce: "uint256" },
  burn_nonce: { nonce: "uint256" },
  set_bridge_address: { address: "address", nonce: "uint256" },
  set_multisig_control: { address: "address", nonce: "uint256" },
} as const satisfies Record<string, Record<string, ArgumentType>>;

export type BridgeFunction = keyof typeof FUNCTIONS;

type Types<F extends BridgeFunction> = (typeof FUNCTIONS)[F];
/** Addresses with or without 0x, bytes32 as 64 hexadecimal digits, numbers as bigint. */
export type BridgeArguments<F extends BridgeFunction> = {
  readonly [Name in keyof Types<F>]: Value<Types<F>[Name] extends ArgumentType ? Types<F>[Name] : never>;
};

const WORD_BYTES = 32;

/**
 * The bytes whose digest is signed. `target` is the contract that checks the signatures, except for the two
 * signer changes, the threshold and burn_nonce, where it is the account that will submit them.
 */
export function bridgeMessage<F extends BridgeFunction>(
  name: F,
  values: BridgeArguments<F>,
  target: string,
): Uint8Array {
  const types = Object.entries(FUNCTIONS[name]) as [string, ArgumentType][];
  const given = values as Readonly<Record<string, string | bigint>>;
  const head = types.map(([title, type]) => word(title, type, given[title]!));
  const inner = Buffer.concat([...head, offset(types.length + 1), ...tail(Buffer.from(name, "latin1"))]);
  return new Uint8Array(Buffer.concat([offset(2), word("target", "address", target), ...tail(inner)]));
}

/** The 32 bytes that every validator signs. */
export function bridgeDigest<F extends BridgeFunction>(
  name: F,
  values: BridgeArguments<F>,
  target: string,
): Uint8Array {
  return keccakOf(bridgeMessage(name, values, target));
}

/**
 * Signatures as clients get them: ascending by bytes, joined, with 0x in front
 * (docs/protocol/60-state-engine-accounts.md#48-test-vectors, note on order).
 */
export function bundleSignatures(signatures: readonly Uint8Array[]): string {
  return `0x${Buffer.concat(signatures.toSorted(Buffer.compare)).toString("hex")}`;
}

/**
 * Signers of a bundle: a checksummed address for each signature, undefined for a signature of other data.
 * Returns an empty list for text that is not a bundle.
 */
export function bundleSigners(digest: Uint8Array, bundle: string): (string | undefined)[] {
  if (!/^0x(?:[0-9a-fA-F]{130})*$/.test(bundle)) return [];
  const bytes = new Uint8Array(Buffer.from(bundle.slice(2), "hex"));
  return Array.from({ length: bytes.length / SECP256K1_SIGNATURE_BYTES }, (_, index) => {
    const start = index * SECP256K1_SIGNATURE_BYTES;
    return secp256k1Signer(digest, bytes.subarray(start, start + SECP256K1_SIGNATURE_BYTES));
  });
}

/** An argument as one word: numbers and addresses are right-aligned, bytes32 fills it. */
function word(title: string, type: ArgumentType, value: string | bigint): Buffer {
  switch (type) {
    case "address":
      return Buffer.concat([Buffer.alloc(12), addressBytes(value as string)]);
    case "bytes32":
      if (!/^(?:0x)?[0-9a-fA-F]{64}$/.test(value as string)) {
        throw new RangeError(`${title} must be 64 hexadecimal digits`);
      }
      return Buffer.from((value as string).slice(-64), "hex");
    default:
      return number(title, value as bigint, type === "uint16" ? 16 : 256);
  }
}

function number(title: string, value: bigint, bits: number): Buffer {
  if (value < 0n || value >> BigInt(bits) !== 0n) {
    throw new RangeError(`${title} must be a number from 0 to 2^${bits} - 1`);
  }
  return Buffer.from(value.toString(16).padStart(WORD_BYTES * 2, "0"), "hex");
}

/** Offset of the tail of the only dynamic argument, behind `words` words of head. */
function offset(words: number): Buffer {
  return number("offset", BigInt(words * WORD_BYTES), 256);
}

/** A dynamic value: its length, then its bytes filled up to whole words. */
function tail(bytes: Uint8Array): Buffer[] {
  const filling = Buffer.alloc((WORD_BYTES - (bytes.length % WORD_BYTES)) % WORD_BYTES);
  return [number("length", BigInt(bytes.length), 256), Buffer.from(bytes), filling];
}
