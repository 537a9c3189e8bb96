// Amounts, assets and keys as people say them: `5`, `tUSD`, `alice`.

import type { NodeError } from "../errors/node-error.ts";
import { AccountType } from "../wire/generated/vega.ts";
import type { CommandInit } from "../wire/transaction.ts";
import { named, quoted, symbolText } from "./approvals/formatting.ts";
import type { AssetFacts } from "./sending/nodes.ts";

/** Makes the error of a wrong use. */
type Wrong = (message: string) => NodeError;

/** Digits with at most one point between them: no sign, no exponent, no blanks, no separators, ASCII digits alone. */
const NUMBER = /^\d{1,80}(?:\.\d{1,80})?$/;
const AMOUNT_BITS = 256n;

interface Scale {
  readonly decimals: number;
  /** The subject of a refusal: `the market's sizes`. */
  readonly subject: string;
  /** The singular: `size`. */
  readonly one: string;
  /** Bits of the number on the wire. */
  readonly bits: bigint;
}

/** `100.25` with two decimals as `10025`. @throws NodeError for more decimals than there are, and for too many bits */
export function inUnits(text: string, { decimals, subject, one, bits }: Scale, wrong: Wrong): string {
  const [whole = "", fraction = ""] = text.split(".");
  const digits = fraction.replace(/0+$/, "");
  if (digits.length > Math.max(0, decimals)) {
    throw wrong(
      decimals <= 0
        ? `${subject} are whole numbers, and ${text} is not`
        : `${subject} have ${decimals} ${decimals === 1 ? "decimal" : "decimals"}, and ${text} has more`,
    );
  }
  const scaledUp = BigInt(whole + digits.padEnd(Math.max(0, decimals), "0"));
  const unit = 10n ** BigInt(Math.max(0, -decimals));
  if (scaledUp % unit !== 0n) throw wrong(`${subject} are multiples of ${unit}, and ${text} is not`);
  const units = scaledUp / unit;
  if (units >> bits !== 0n) throw wrong(`the ${one} ${text} is too large: it has more than ${bits} bits`);
  return units.toString();
}

/** An amount of an asset, in its smallest unit. @throws NodeError for zero and for text that is not a number */
export function amountInUnits(text: string, { symbol, decimals }: AssetFacts, wrong: Wrong): string {
  if (!NUMBER.test(text))
    throw wrong(`the amount ${quoted(text)} is not digits, with a point for parts: 5, 1000 or 0.25`);
  const subject = `amounts of ${symbolText(symbol)}`;
  const units = inUnits(text, { decimals, subject, one: "amount", bits: AMOUNT_BITS }, wrong);
  if (units === "0") throw wrong("the amount must be more than 0");
  return units;
}

export interface NamedAsset extends AssetFacts {
  readonly id: string;
  readonly name?: string | undefined;
}

const HEX_64 = /^[0-9a-f]{64}$/i;
const CHOICES_MAX = 10;

/** The asset of an identifier, a symbol or a name. @throws NodeError where there is none, or several */
export function assetOf(text: string, assets: readonly NamedAsset[], wrong: Wrong): NamedAsset {
  const byId = assets.find(({ id }) => id === (HEX_64.test(text) ? text.toLowerCase() : text));
  // An asset may be called like the identifier of a second one.
  if (byId !== undefined && HEX_64.test(text)) return byId;
  const matching = assets.filter(({ id, symbol, name }) => [id, symbol, name].includes(text));
  if (matching.length === 1) return matching[0]!;
  if (matching.length === 0) {
    const symbols = [...new Set(assets.map(({ symbol }) => symbolText(symbol)))];
    const choices = symbols.length === 0 ? "it knows none" : `it knows ${some(symbols)}`;
    throw wrong(`there is no asset ${quoted(text)}: ${choices}`);
  }
  const choices = matching.map(({ id, name }) =>
    name === undefined ? named(id) : `${named(id)} ${quoted(name)}`,
  );
  throw wrong(`${matching.length} assets are called ${quoted(text)}: say its identifier (${some(choices)})`);
}

/** A key that has a name here. */
export interface NamedKey {
  readonly name: string;
  readonly publicKey: string;
  /** The owner of the name: `the wallet mine`. */
  readonly origin: string;
}

interface Recipient {
  readonly publicKey: string;
  /** The name that it was found by. */
  readonly key?: NamedKey | undefined;
}

/** The key itself, or the one of a name. A text in the form of a key is a key, whatever keys are called. @throws NodeError */
export function recipientOf(text: string, keys: readonly NamedKey[], wrong: Wrong): Recipient {
  if (HEX_64.test(text)) {
    const publicKey = text.toLowerCase();
    return { publicKey, key: keys.find((key) => key.publicKey === publicKey) };
  }
  const matching = keys.filter(({ name }) => name === text);
  const distinct = new Set(matching.map(({ publicKey }) => publicKey));
  if (distinct.size === 1) return { publicKey: matching[0]!.publicKey, key: matching[0] };
  if (distinct.size > 1) {
    const choices = matching.map(({ publicKey, origin }) => `${publicKey} of ${origin}`);
    throw wrong(`${distinct.size} keys are called ${quoted(text)}: say the key itself (${some(choices)})`);
  }
  const names = [...new Set(keys.map(({ name }) => named(name)))];
  const choices = names.length === 0 ? "" : `, or a name: ${some(names)}`;
  throw wrong(`${quoted(text)} is not a key: it has 64 hexadecimal digits${choices}`);
}

function some(texts: readonly string[]): string {
  const rest = texts.length - CHOICES_MAX;
  return `${texts.slice(0, CHOICES_MAX).join(", ")}${rest > 0 ? `, and ${rest} more` : ""}`;
}

/** A transfer from the key's general account to another's, at once. */
export function transferOf({
  reference = "",
  ...rest
}: {
  readonly asset: string;
  readonly amount: string;
  readonly to: string;
  readonly reference?: string | undefined;
}): CommandInit {
  const account = AccountType.ACCOUNT_TYPE_GENERAL;
  const payload = { ...rest, fromAccountType: account, toAccountType: account, reference, oneOff: {} };
  return { kind: "transfer", payload };
}
