// Several naive markets side by side, which share general accounts
// (docs/protocol/70-trading-markets.md#15-per-block-hooks-in-order,
// docs/protocol/70-trading-orders.md#25-submission-step-by-step, #28-amend-cancel-batch and
// docs/protocol/70-trading-positions.md#65-final-settlement).
import { Accounts } from "./accounts.ts";
import type { Command } from "./commands.ts";
import { byText, refusal, Status, TAKEN, type Terms, type Verdict } from "./model.ts";
import { NaiveMarket } from "./naive-market.ts";

const UNKNOWN = refusal("OrderError: Invalid Market ID");

export interface Place {
  readonly name: string;
  readonly id: string;
  readonly asset: string;
}

export class NaiveExchange {
  /** By name, in the order of their creation. */
  readonly markets = new Map<string, NaiveMarket>();
  /** By account and asset or market. */
  readonly balances = new Map<string, bigint>();
  readonly counts = new Map<string, number>();

  constructor(public pegsMax: number) {}

  add(place: Place, terms: Terms): void {
    const accounts = new Accounts(this.balances, place.name, place.asset);
    const home = { ...place, accounts, insurances: () => this.insurancesBeside(place) };
    const market = new NaiveMarket(terms, home);
    this.markets.set(place.name, market);
    market.startOpening();
  }

  get(name: string): NaiveMarket {
    return this.markets.get(name)!;
  }

  private get all(): NaiveMarket[] {
    return [...this.markets.values()];
  }

  private insurancesBeside({ name, asset }: Place): string[] {
    return this.all
      .filter((market) => market.home.asset === asset && market.home.name !== name)
      .sort((a, b) => byText(a.home.id, b.home.id))
      .filter((market) => this.balances.has(market.accounts.full("insurance")))
      .map((market) => market.accounts.full("insurance"));
  }

  count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }

  deposit(party: string, asset: string, amount: bigint): void {
    const name = `general ${party}@${asset}`;
    this.balances.set(name, (this.balances.get(name) ?? 0n) + amount);
  }

  /** @param idAt of the transaction's identifiers */
  command(party: string, command: Command, idAt: (index: number) => string): Verdict {
    const verdict = this.commandOf(party, command, idAt);
    for (const market of this.all) market.flushLevels();
    return verdict;
  }

  private commandOf(party: string, command: Command, idAt: (index: number) => string): Verdict {
    if (command.kind === "batch") return this.batchOf(party, command, idAt);
    if (command.kind === "cancel" && command.market === undefined) return this.cancelEverywhere(party);
    // It is read before anything else is.
    if (command.kind === "amendProvision" && command.fee === undefined) {
      this.count("provision amendment without a fee");
      return refusal("can't convert  to decimal");
    }
    const market = this.get(command.kind === "submit" ? command.order.market : command.market!);
    if (market.isGone) return UNKNOWN;
    switch (command.kind) {
      case "submit":
        return this.submit(market, party, idAt(0), command.order);
      case "amend":
        return market.amend(party, command.amendment);
      case "cancel":
        return command.order === undefined ? market.cancelAll(party) : market.cancel(party, command.order);
      case "provide":
        return market.provide(party, command, idAt);
      case "amendProvision":
        return market.amendProvision(party, command, idAt);
      case "cancelProvision":
        return market.cancelProvision(party);
    }
  }

  private submit(
    market: NaiveMarket,
    party: string,
    id: string,
    order: Extract<Command, { readonly kind: "submit" }>["order"],
  ): Verdict {
    if (order.peg !== undefined && this.pegsOnBooks() >= this.pegsMax) {
      this.count("too many pegged orders");
      return refusal("OrderError: too many pegged orders");
    }
    return market.submit(party, id, order);
  }

  private pegsOnBooks(): number {
    const pegged = this.all.flatMap(({ book }) => book).filter(({ peg }) => peg !== undefined);
    return pegged.length;
  }

  /** In all markets that allow it; the others are passed over silently. */
  private cancelEverywhere(party: string): Verdict {
    let markets = 0;
    for (const market of this.all) {
      if (market.isGone || !market.canTrade) continue;
      const own = [...market.book, ...market.parked].filter((order) => order.party === party);
      if (own.some(({ provision, status }) => provision === "" && status !== Status.cancelled)) markets += 1;
      market.cancelAll(party);
    }
    this.count(`cancelled in ${markets} markets at once`);
    return TAKEN;
  }

  private batchOf(
    party: string,
    batch: Extract<Command, { readonly kind: "batch" }>,
    idAt: (index: number) => string,
  ): Verdict {
    const verdicts: Verdict[] = [];
    const note = (market: NaiveMarket, run: () => Verdict) => {
      const verdict = market.isGone ? UNKNOWN : run();
      verdicts.push(verdict);
      if (verdict.isTaken) market.flushLevels();
      return verdict;
    };
    const amended = new Set<string>();
    for (const { market, order } of batch.cancellations)
      note(this.get(market), () => this.get(market).cancel(party, order));
    for (const amendment of batch.amendments) {
      if (amended.has(amendment.order)) {
        verdicts.push(refusal("order already amended in batch"));
        continue;
      }
      const market = this.get(amendment.market);
      if (note(market, () => market.amend(party, amendment)).isTaken) amended.add(amendment.order);
    }
    for (const [at, submission] of batch.submissions.entries()) {
      const market = this.get(submission.market);
      note(market, () => this.submit(market, party, idAt(at), submission));
    }
    const named = [...batch.cancellations, ...batch.amendments, ...batch.submissions];
    if (new Set(named.map(({ market }) => market)).size > 1) this.count("batch over several markets");
    const failed = verdicts.filter(({ isTaken }) => !isTaken);
    if (failed.length === 0) return TAKEN;
    return refusal(failed.length === verdicts.length ? "70" : "71");
  }

  beginBlock(nowNs: bigint): void {
    for (const market of this.all) market.beginBlock(nowNs);
  }

  endBlock(): void {
    for (const market of this.all) market.endBlock();
  }

  /** @returns what clients have seen since the last time, by market */
  takeFacts(): string[] {
    return this.all.flatMap((market) => {
      const { facts } = market;
      market.facts = [];
      return facts.map((fact) => (fact.startsWith("move ") ? `- ${fact}` : `${market.home.name} ${fact}`));
    });
  }

  /** Number of visits to each state of interest. */
  allCounts(): ReadonlyMap<string, number> {
    const all = new Map(this.counts);
    for (const { counts } of this.all)
      for (const [what, often] of counts) all.set(what, (all.get(what) ?? 0) + often);
    return all;
  }
}
