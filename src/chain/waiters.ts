// Callers that wait until their transaction is in a block.
import { ChainCallError, type TxOutcome } from "../engine/chain-port.ts";

/** A longer timer ends at once. */
const TIMER_MAX_MS = 2 ** 31 - 1;
const TIMEOUT = "timed out waiting for tx to be included in a block";

interface Waiter {
  resolve(outcome: TxOutcome): void;
  reject(error: Error): void;
}

export class Waiters {
  private readonly byHash = new Map<string, Set<Waiter>>();

  constructor(private readonly waitMs: number) {}

  /**
   * Settles with the transaction's block.
   * @param extraMs what it may take longer than usual @throws ChainCallError `timeout`, or the error it was failed with
   */
  wait(hash: string, extraMs: number): Promise<TxOutcome> {
    const { promise, resolve, reject } = Promise.withResolvers<TxOutcome>();
    const waiter: Waiter = { resolve, reject };
    const waiters = this.byHash.get(hash) ?? new Set();
    this.byHash.set(hash, waiters.add(waiter));
    const timer = setTimeout(
      () => {
        waiters.delete(waiter);
        if (waiters.size === 0 && this.byHash.get(hash) === waiters) this.byHash.delete(hash);
        reject(new ChainCallError("timeout", TIMEOUT));
      },
      Math.min(this.waitMs + extraMs, TIMER_MAX_MS),
    );
    return promise.finally(() => clearTimeout(timer));
  }

  has(hash: string): boolean {
    return this.byHash.has(hash);
  }

  resolve(hash: string, outcome: TxOutcome): void {
    for (const waiter of this.remove(hash)) waiter.resolve(outcome);
  }

  fail(hash: string, error: ChainCallError): void {
    for (const waiter of this.remove(hash)) waiter.reject(error);
  }

  failAll(error: ChainCallError): void {
    for (const hash of [...this.byHash.keys()]) this.fail(hash, error);
  }

  private remove(hash: string): Set<Waiter> {
    const waiters = this.byHash.get(hash) ?? new Set();
    this.byHash.delete(hash);
    return waiters;
  }
}
