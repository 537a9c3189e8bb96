// Kinds of members that a tool's body has: as plain data, for declarations.
import type { BlockMode } from "../../engine/chain-port.ts";

/** Type of each kind's value, as the function of a tool gets it. */
export interface MemberValues {
  text: string;
  /** A public key; a request may name a funded party. */
  party: string;
  /** An asset's identifier; a request may give its symbol. */
  asset: string;
  /** A decimal number as people write it. */
  price: string;
  /** Above zero, in the asset's smallest unit. */
  amount: bigint;
  wholeNumber: bigint;
  /** From 1 to `most`. */
  count: number;
  flag: boolean;
  object: object;
  /** Of a transaction. */
  hash: string;
  hashes: readonly string[];
  /** Nanoseconds. */
  duration: bigint;
  /** Unix nanoseconds. */
  time: bigint;
  mode: BlockMode;
}

export type MemberKind = keyof MemberValues;

export interface Member<Kind extends MemberKind = MemberKind> {
  readonly kind: Kind;
  /** Words that follow its name in a list. */
  readonly meaning: string;
  /** The largest count, the number of hashes, or the longest duration as text. */
  readonly most?: number | string;
  /** All values that a text may have. */
  readonly choices?: readonly string[];
  /** Of an object: one of its kind, for an error of the command line. */
  readonly sample?: string;
  /** Of an object: the flag by which the command line reads it from a file. */
  readonly fileFlag?: string;
  /** In place of the usual sentence for a request without it. */
  readonly missing?: string;
}

type Options = Omit<Member, "kind" | "meaning">;
type Declare<Kind extends MemberKind> = (meaning: string, options?: Options) => Member<Kind>;

const declare =
  <Kind extends MemberKind>(kind: Kind): Declare<Kind> =>
  (meaning, options) => ({ kind, meaning, ...options });

export const text = declare("text");
export const party = declare("party")("public key, or alice to judy");
export const asset = declare("asset")("its id or symbol");
export const price = declare("price");
export const amount = declare("amount");
export const wholeNumber = declare("wholeNumber");
export const flag = declare("flag");
export const object = declare("object");
export const hash = declare("hash");
export const duration = declare("duration");
export const time = declare("time");
export const mode = declare("mode");
export const count = (most: number, meaning: string): Member<"count"> => ({ kind: "count", meaning, most });
export const hashes = (most: number, meaning: string): Member<"hashes"> => ({
  kind: "hashes",
  meaning,
  most,
});
