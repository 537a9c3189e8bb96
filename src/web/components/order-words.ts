// The fate of an order, in words.
import { shortDecimals } from "../../wire/amount-text.ts";
import { enumWords } from "../format.ts";

export interface OrderRow {
  readonly partyId: string;
  readonly marketId: string;
  readonly size: string;
  /** Absent of one that is filled. */
  readonly remaining?: string | undefined;
  readonly status: string;
}

/** `Filled 3 of 4, 1 rests in the book` */
export function orderWords({ size, remaining = "0", status }: OrderRow, decimals: number): string {
  const plain = (whole: bigint) => shortDecimals(whole.toString(), decimals);
  const [all, rest] = [BigInt(size), BigInt(remaining)];
  const filled = rest === 0n ? `Filled ${plain(all)}` : `Filled ${plain(all - rest)} of ${plain(all)}`;
  if (rest === 0n || status === "STATUS_FILLED") return filled;
  if (status === "STATUS_ACTIVE") return `${filled}, ${plain(rest)} rests in the book`;
  if (status === "STATUS_PARKED") return `${filled}, ${plain(rest)} is parked`;
  return `${filled}, ${plain(rest)} is ${enumWords(status, "STATUS_")}`;
}
