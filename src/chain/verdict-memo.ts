import type { CheckedTransaction } from "../wire/transaction-check.ts";
import type { ChainPoint } from "./chain-store.ts";

/** The last verdict on each transaction, which follows from the place of the chain alone: it is worked out once for a place. */
export class VerdictMemo<V> {
  private readonly verdicts = new WeakMap<
    CheckedTransaction,
    { readonly place: ChainPoint; readonly verdict: V }
  >();

  of(tx: CheckedTransaction, place: ChainPoint, judge: () => V): V {
    const before = this.verdicts.get(tx);
    if (before?.place === place) return before.verdict;
    const verdict = judge();
    this.verdicts.set(tx, { place, verdict });
    return verdict;
  }
}
