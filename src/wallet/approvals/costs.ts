// Costs of a command by a node's word: fee, margin, balance, and the rest of it. As data and as the words that every
// view shows: terminals, the command line and the page.
import { Decimal } from "../../wire/decimal.ts";
import { AccountType } from "../../wire/generated/vega.ts";
import type { CommandInit } from "../../wire/transaction.ts";
import { type AssetBook, amountText, type Facts, type Line } from "./formatting.ts";

export interface Cost {
  readonly kind: "fee" | "margin" | "balance" | "left" | "missing";
  /** Identifier; empty where no asset is meant. */
  readonly asset: string;
  /** In the asset's smallest unit; undefined where the node does not say. */
  readonly amount?: string;
  readonly label: string;
  readonly text: string;
}

/** Amounts that leave the general account of a key, of one asset. */
export interface Expense {
  readonly asset: string;
  /** The part that others get: zero where it comes back to the key. */
  readonly amount: bigint;
  /** Undefined where the node does not say. */
  readonly fee: bigint | undefined;
  readonly margin?: bigint | undefined;
  /** It is paid again every epoch. */
  readonly isRecurring: boolean;
}

const WHOLE = /^\d{1,100}$/;
/** The fee's part of an amount: `transfer.fee.factor`, from 0 to 1. */
const FACTOR = /^[01](?:\.\d{1,60})?$/;

/** Without a factor the fee is not known. @param feeFactor of transfers: `transfer.fee.factor` */
export function expenseOf(
  command: CommandInit,
  publicKey: string,
  { markets }: Facts,
  feeFactor: string | undefined,
): Expense | undefined {
  const { kind, payload } = command;
  if (kind === "transfer") {
    const { asset = "", amount = "", to, toAccountType, recurring } = payload;
    if (!WHOLE.test(amount)) return undefined;
    const units = BigInt(amount);
    const isOwn = to === publicKey && toAccountType === AccountType.ACCOUNT_TYPE_GENERAL;
    const fee = transferFee(units, feeFactor);
    return { asset, amount: isOwn ? 0n : units, fee, isRecurring: recurring !== undefined };
  }
  if (kind === "withdrawSubmission") {
    const { asset = "", amount = "" } = payload;
    return WHOLE.test(amount) ? { asset, amount: BigInt(amount), fee: 0n, isRecurring: false } : undefined;
  }
  if (kind === "liquidityProvisionSubmission") {
    const { marketId = "", commitmentAmount = "" } = payload;
    const asset = markets(marketId)?.settlementAsset;
    if (asset === undefined || !WHOLE.test(commitmentAmount)) return undefined;
    return { asset, amount: BigInt(commitmentAmount), fee: 0n, isRecurring: false };
  }
  return undefined;
}

/** Cut to whole units, as the network does (docs/protocol/60-state-engine-staking.md). */
function transferFee(amount: bigint, factor: string | undefined): bigint | undefined {
  if (factor === undefined || !FACTOR.test(factor)) return undefined;
  return Decimal.parse(factor).times(Decimal.of(amount)).truncated();
}

const line = (
  kind: Cost["kind"],
  label: string,
  asset: string,
  amount: bigint,
  book: AssetBook,
  ahead: string | 0n | undefined = "",
) =>
  ({
    kind,
    asset,
    amount: amount.toString(),
    label,
    text: `${ahead || ""}${amountText(amount.toString(), asset, book)}`,
  }) as const satisfies Cost;

/**
 * @param assets that the command moves, in the order in which they are shown
 * @param balances of the key's general accounts; undefined where the node does not say
 */
export function costsOf(
  { assets, expense }: { readonly assets: readonly string[]; readonly expense: Expense | undefined },
  balances: ReadonlyMap<string, string> | undefined,
  book: AssetBook,
): Cost[] {
  const costs: Cost[] = [];
  if (expense?.margin !== undefined)
    costs.push(line("margin", "margin (node says)", expense.asset, expense.margin, book, "at worst "));
  if (expense !== undefined && expense.fee === undefined)
    costs.push({ kind: "fee", asset: expense.asset, label: "fee (node says)", text: UNKNOWN });
  else if (expense?.fee)
    costs.push(
      line("fee", "fee (node says)", expense.asset, expense.fee, book, expense.margin && "at worst "),
    );
  if (balances === undefined) {
    if (assets.length > 0) costs.push({ kind: "balance", asset: "", label: HAVE, text: UNKNOWN });
    return costs;
  }
  for (const asset of assets) {
    const balance = wholeOf(balances.get(asset) ?? "0");
    if (balance === undefined) {
      costs.push({ kind: "balance", asset, label: HAVE, text: UNKNOWN });
      continue;
    }
    costs.push(line("balance", HAVE, asset, balance, book));
    if (asset === expense?.asset) costs.push(...remainder(balance, expense, book));
  }
  return costs;
}

const HAVE = "you have (node says)";
const UNKNOWN = "not known: the node does not say";

function remainder(balance: bigint, expense: Expense, book: AssetBook): Cost[] {
  const { asset, amount, fee, margin, isRecurring } = expense;
  if (fee === undefined) return [];
  const left = balance - amount - fee - (margin ?? 0n);
  if (left < 0n) return [line("missing", "missing (node says)", asset, -left, book)];
  const ahead = margin === undefined ? "" : "at least ";
  const label = isRecurring ? "left the first time" : "left (node says)";
  return [line("left", label, asset, left, book, ahead)];
}

function wholeOf(text: string): bigint | undefined {
  return WHOLE.test(text) ? BigInt(text) : undefined;
}

/** Facts that a person might overlook. */
export function costWarnings(costs: readonly Cost[]): string[] {
  return costs.some(({ kind }) => kind === "missing")
    ? ["it costs more than the key has, by the node's word: the network would refuse it"]
    : [];
}

export function costLines(costs: readonly Cost[]): Line[] {
  return costs.map(({ label, text }) => [label, text]);
}
