// Commands as a sequence has them; orders and provisions by the ids that their transactions give them.
import type { Side } from "./model.ts";

export interface Submission {
  /** Name of the market. */
  readonly market: string;
  readonly side: Side;
  /** In market precision; undefined for market and pegged orders. */
  readonly price: bigint | undefined;
  readonly size: bigint;
  readonly tif: number;
  readonly isMarket: boolean;
  readonly expiresNs: bigint;
  readonly peg: { readonly reference: number; readonly offset: bigint } | undefined;
  readonly postOnly: boolean;
  readonly reduceOnly: boolean;
}

export interface Amendment {
  readonly market: string;
  readonly order: string;
  readonly price: bigint | undefined;
  readonly sizeDelta: bigint;
  /** 0 where it stays. */
  readonly tif: number;
  readonly expiresNs: bigint | undefined;
  readonly pegOffset: bigint | undefined;
  /** 0 where it stays. */
  readonly pegReference: number;
}

export interface Shape {
  readonly reference: number;
  readonly offset: bigint;
  readonly proportion: bigint;
}

export type Command =
  | { readonly kind: "submit"; readonly order: Submission }
  | { readonly kind: "amend"; readonly market: string; readonly amendment: Amendment }
  /** All orders of the party where the order is undefined; in all markets where the market is, too. */
  | { readonly kind: "cancel"; readonly market: string | undefined; readonly order: string | undefined }
  | {
      readonly kind: "batch";
      readonly cancellations: readonly { readonly market: string; readonly order: string }[];
      readonly amendments: readonly Amendment[];
      readonly submissions: readonly Submission[];
    }
  | {
      readonly kind: "provide";
      readonly market: string;
      readonly commitment: bigint;
      readonly fee: string;
      readonly buys: readonly Shape[];
      readonly sells: readonly Shape[];
    }
  | {
      readonly kind: "amendProvision";
      readonly market: string;
      readonly commitment: bigint | undefined;
      readonly fee: string | undefined;
      readonly buys: readonly Shape[];
      readonly sells: readonly Shape[];
    }
  | { readonly kind: "cancelProvision"; readonly market: string };
