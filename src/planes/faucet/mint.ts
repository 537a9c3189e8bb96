// Reading a mint request and judging it, in the original's order and with its texts (reference 60, section 3.5).
import { isHex64 } from "../../wire/identifiers.ts";
import { parseBody } from "../node/body.ts";
import type { FaucetAsset } from "./port.ts";

const UINT256_MAX = 2n ** 256n - 1n;
/** Digits of the largest 256-bit number; a longer text need not be read. */
const AMOUNT = /^\+?\d{1,78}$/;
const BODY_DEPTH_MAX = 16;

interface MintRequest {
  readonly party: string;
  readonly asset: string;
  readonly amount: bigint;
}

/** A request that is not granted. */
export class MintRefusal extends Error {
  override readonly name = "MintRefusal";
  constructor(
    readonly status: 400 | 403 | 500,
    message: string,
  ) {
    super(message);
  }
}

/** @throws MintRefusal, or ApiError for a body that is not JSON */
export function readMint(body: string): MintRequest {
  const value = parseBody(body, BODY_DEPTH_MAX);
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new MintRefusal(400, "the request body must be a JSON object");
  const party = textMember(value, "party");
  if (party === "") throw new MintRefusal(400, "missing party field");
  const amount = amountOf(textMember(value, "amount"));
  const asset = textMember(value, "asset");
  if (asset === "") throw new MintRefusal(400, "missing asset field");
  // The original forwards whatever it gets; here nobody is credited whom no key can sign for.
  if (!isHex64(party)) throw new MintRefusal(400, "party is not a public key of 64 hexadecimal digits");
  return { party, asset, amount };
}

function textMember(value: object, name: string): string {
  const member = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
  if (member === undefined || member === null) return "";
  if (typeof member !== "string") throw new MintRefusal(400, `${name} must be a text`);
  return member;
}

/** The original answers a number that overflows and then goes on with it; here that is the end of the request. */
function amountOf(text: string): bigint {
  const amount = AMOUNT.test(text) ? BigInt(text.replace("+", "")) : undefined;
  if (text === "" || amount === 0n) throw new MintRefusal(400, "amount need to be a > 0 unsigned integer");
  if (amount === undefined || amount > UINT256_MAX)
    throw new MintRefusal(400, "amount overflowed or was not base 10");
  return amount;
}

/** @throws MintRefusal */
export function checkAsset(asset: FaucetAsset | undefined, amount: bigint): void {
  if (asset === undefined) throw new MintRefusal(400, "asset was not found");
  if (asset.mintMax === undefined) throw new MintRefusal(500, "asset is not a builtin asset");
  if (amount > asset.mintMax) {
    const text = `amount request exceed maximal amount of ${asset.mintMax}: mint amount is invalid`;
    throw new MintRefusal(400, text);
  }
}
