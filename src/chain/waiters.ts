// Callers that wait until their transaction is in a block.
import { ChainCallError, type TxOutcome } from "../engine/chain-port.ts";

const TIMEOUT = "timed out waiting for tx to be included in a block";

interface Waiter {
  resolve(outcome: TxOutcome): void;
  reject(error: Error): void;
}

export class Waiters {
  private readonly byHash = new Map<string, Set<Waiter>>();
  /** Their block is made and not durable yet. */
  private readonly held = new Set<Set<Waiter>>();

  constructor(private readonly waitMs: number) {}

  /** Settles with the transaction's block. @throws ChainCallError `timeout`, or what it was told instead */
  wait(hash: string): Promise<TxOutcome> {
    const { promise, resolve, reject } = Promise.withResolvers<TxOutcome>();
    const waiter: Waiter = { resolve, reject };
    const waiters = this.byHash.get(hash) ?? new Set();
    this.byHash.set(hash, waiters.add(waiter));
    const timer = setTimeout(() => {
      waiters.delete(waiter);
      if (waiters.size === 0 && this.byHash.get(hash) === waiters) this.byHash.delete(hash);
      reject(new ChainCallError("timeout", TIMEOUT));
    }, this.waitMs);
    return promise.finally(() => clearTimeout(timer));
  }

  has(hash: string): boolean {
    return this.byHash.has(hash);
  }

  tell(hash: string, outcome: TxOutcome): void {
    this.hold(hash)(outcome);
  }

  /** Those who wait now, and nobody who comes later for the same bytes. @returns tells them, unless they were told otherwise */
  hold(hash: string): (outcome: TxOutcome) => void {
    const waiters = this.take(hash);
    this.held.add(waiters);
    return (outcome) => {
      if (this.held.delete(waiters)) for (const waiter of waiters) waiter.resolve(outcome);
    };
  }

  fail(hash: string, error: ChainCallError): void {
    for (const waiter of this.take(hash)) waiter.reject(error);
  }

  failAll(error: ChainCallError): void {
    for (const hash of [...this.byHash.keys()]) this.fail(hash, error);
    for (const waiters of this.held) for (const waiter of waiters) waiter.reject(error);
    this.held.clear();
  }

  private take(hash: string): Set<Waiter> {
    const waiters = this.byHash.get(hash) ?? new Set();
    this.byHash.delete(hash);
    return waiters;
  }
}
