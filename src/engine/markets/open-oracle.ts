/** The Open Oracle's format: prices signed with an Ethereum key (docs/protocol/70-trading-markets.md#16-data-sources-oracles). */
import { keccakOf, secp256k1Recovered } from "../../crypto/secp256k1.ts";
import type { Init } from "../../wire/codec.ts";
import type { Signer } from "../../wire/generated/data.ts";
import { refusal } from "./refusals.ts";

/** Well-formed data. */
export interface OracleMessage {
  readonly signers: readonly Init<Signer>[];
  readonly properties: ReadonlyMap<string, string>;
}

const WORD = 32;
const MESSAGES_MAX = 100;
const PREFIX = new TextEncoder().encode("\u0019Ethereum Signed Message:\n32");

interface Payload {
  readonly messages?: unknown;
  readonly signatures?: unknown;
}

/** The prices of a payload and who has signed them. @throws CommandError */
export function openOracleProperties(payload: Uint8Array): OracleMessage {
  const { messages, signatures } = parse(payload);
  const count = messages.length;
  if (count === 0 || count > MESSAGES_MAX || count !== signatures.length) {
    throw refusal("the data has no messages, too many, or not one signature for each");
  }
  const properties = new Map<string, string>();
  const addresses = new Set<string>();
  for (const [index, message] of messages.entries()) {
    addresses.add(signerOf(message, signatures[index]!));
    const { kind, timestamp, symbol, value } = decode(message);
    if (kind !== "prices") continue;
    properties.set(`prices.${symbol}.value`, value.toString());
    properties.set(`prices.${symbol}.timestamp`, timestamp.toString());
  }
  if (properties.size === 0) throw refusal("the data has no prices");
  return { signers: [...addresses].map((address) => ({ ethAddress: { address } })), properties };
}

function parse(payload: Uint8Array): { messages: Uint8Array[]; signatures: Uint8Array[] } {
  try {
    const value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(payload)) as Payload;
    const bytes = (list: unknown) =>
      (list as string[]).map((text) => Uint8Array.fromHex(text.startsWith("0x") ? text.slice(2) : text));
    return { messages: bytes(value.messages), signatures: bytes(value.signatures) };
  } catch {
    throw refusal("the data is not of the Open Oracle's format");
  }
}

/** The signature is r, s and v in a word each. */
function signerOf(message: Uint8Array, signature: Uint8Array): string {
  if (signature.length !== 3 * WORD) throw refusal("a signature of the data has not 96 bytes");
  const digest = keccakOf(new Uint8Array([...PREFIX, ...keccakOf(message)]));
  const compact = new Uint8Array(65);
  compact.set(signature.subarray(0, 2 * WORD));
  const recovery = signature.at(-1)!;
  compact[64] = recovery >= 27 ? recovery - 27 : recovery;
  const address = secp256k1Recovered(digest, compact);
  if (address === undefined) throw refusal("a signature of the data is invalid");
  return address;
}

/** ABI form of (string kind, uint64 timestamp, string symbol, uint64 value). */
function decode(message: Uint8Array) {
  const word = (at: number): bigint => {
    if (at < 0 || at + WORD > message.length) throw refusal("a message of the data is too short");
    return BigInt(`0x${message.subarray(at, at + WORD).toHex()}`);
  };
  const text = (offset: bigint): string => {
    const at = Number(offset > BigInt(message.length) ? BigInt(message.length) : offset);
    const length = word(at);
    if (length > BigInt(message.length - at - WORD)) throw refusal("a message of the data is too short");
    return new TextDecoder().decode(message.subarray(at + WORD, at + WORD + Number(length)));
  };
  return { kind: text(word(0)), timestamp: word(WORD), symbol: text(word(2 * WORD)), value: word(3 * WORD) };
}
