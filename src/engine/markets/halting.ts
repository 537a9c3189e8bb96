/**
 * Faults of this program inside a market: they halt the market, and never the chain. The failed step is taken back,
 * on every machine alike, because a step depends on state alone.
 */
import { MarketState } from "../../wire/generated/vega.ts";
import type { Core } from "../core.ts";
import { InvariantError } from "../errors.ts";
import type { Market } from "./market.ts";
import type { HaltedMarket, MarketStep } from "./records.ts";
import type { MarketTables } from "./tables.ts";

type FaultListener = (market: string, step: MarketStep, error: unknown) => void;

export class HaltedMarkets {
  constructor(
    private readonly core: Core,
    private readonly tables: MarketTables,
    /** Makes a market's object again: the former one may hold on to something of a step that was taken back. */
    private readonly renew: (id: string) => Market,
    private readonly onFault: FaultListener | undefined,
  ) {}

  /** By id. */
  list(): readonly HaltedMarket[] {
    return this.tables.halted.values();
  }

  has(market: string): boolean {
    return this.tables.halted.has(market);
  }

  /** Does a step of a market that no command to it asks for; nothing where it is halted. */
  attempt(market: Market, step: MarketStep, run: (market: Market) => void): void {
    const { id } = market;
    if (this.has(id)) return;
    const { state, log } = this.core;
    const mark = state.mark();
    const events = log.length;
    try {
      run(market);
    } catch (error) {
      state.rollback(mark);
      log.truncate(events);
      this.halt(id, step);
      this.onFault?.(id, step, error);
    }
  }

  /** Lets a halted market go on. @returns whether it was halted */
  resume(market: Market): boolean {
    const halted = this.tables.halted.get(market.id);
    if (halted === undefined) return false;
    market.context.updateRecord({ state: halted.state });
    this.tables.halted.delete(market.id);
    return true;
  }

  /** It has its money, orders and positions as before the step. */
  private halt(id: string, step: MarketStep): void {
    const market = this.renew(id);
    const { state } = market.context.record;
    this.tables.halted.set(id, { market: id, height: this.core.height, step, state });
    market.context.updateRecord({ state: MarketState.STATE_SUSPENDED });
    market.context.emitUpdated();
  }
}

/** A violated invariant fails only the command, whose changes are rolled back. @throws Error */
export function failingAlone<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof InvariantError) throw new Error(error.message, { cause: error });
    throw error;
  }
}
