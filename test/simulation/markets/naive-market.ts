// A market as docs/protocol/70-*.md describes it, as plain as can be: what the engine's markets are compared with.
import type { Command, Shape } from "./commands.ts";
import { Decimal, ONE, ZERO } from "./decimal.ts";
import {
  BUY,
  bond,
  byText,
  general,
  Move,
  margin,
  Peg,
  Provided,
  type Provision,
  refusal,
  SELL,
  type ShapeEntry,
  State,
  Status,
  TAKEN,
  type Terms,
  Trigger,
  type Verdict,
} from "./model.ts";
import { MarketOrders } from "./orders.ts";

interface Shapes {
  readonly fee: Decimal;
  readonly buys: readonly Shape[];
  readonly sells: readonly Shape[];
}

export class NaiveMarket extends MarketOrders {
  /** Never, at first: the first tick counts as a distribution. */
  private distributedNs = 0n;

  isGone = false;

  get isOver(): boolean {
    return this.state === State.settled || this.state === State.cancelled;
  }

  beginBlock(nowNs: bigint): void {
    this.nowNs = nowNs;
    if (this.isOver) this.isGone = true;
    if (this.isGone) return;
    this.refreshModels();
    if (this.canTrade) this.expireOrders();
    this.learnTime();
    if (this.state === State.terminated) return;
    if (nowNs - this.distributedNs > this.terms.distributionNs) {
      this.distributeLiquidityFees();
      this.distributedNs = nowNs;
    }
    this.checkAuction();
    if (!this.isOpening) this.endWindow();
    this.valueNow();
    this.learnScores();
    this.liquidityFeeNow();
    this.flushLevels();
  }

  private endWindow(): void {
    const ended = this.equity.endWindow(this.nowNs, this.terms.valueWindowNs);
    if (ended === undefined) return;
    const { growth, hasChanged } = ended;
    if (hasChanged) this.sharesNow();
    this.count("value window ended");
    if (this.provisions.length > 0 && growth.sign !== 0)
      this.count(growth.sign > 0 ? "stakes grew" : "stakes shrank");
  }

  endBlock(): void {
    if (!this.isGone && !this.isOver) {
      const isTraded = this.unsettled.length > 0;
      const price = isTraded || this.mark === 0n ? this.lastTraded : this.mark;
      if (price > 0n && this.auction === undefined && this.nowNs >= this.nextMarkNs) {
        this.mark = price;
        this.nextMarkNs = this.nowNs + this.terms.markFrequencyNs;
        if (isTraded) this.markToMarket();
        this.dropFlat();
        this.lastTraded = price;
      }
      for (const position of this.positions) this.releaseIfFlat(position.party);
    }
    this.flushLevels();
  }

  private dropFlat(): void {
    const flat = this.positions.filter(
      ({ size, buy, sell, party }) => size === 0n && buy === 0n && sell === 0n && !this.hasUnsettled(party),
    );
    for (const { party } of flat) {
      if (this.provisionOf(party) === undefined)
        this.move(margin(party), general(party), this.balance(margin(party)), Move.marginHigh);
      // Its settlements are remembered.
      this.flagged.delete(party);
    }
    this.positions = this.positions.filter((position) => !flat.includes(position));
  }

  /** Network parameters are others from now on. */
  changeParameters(terms: Terms): void {
    this.nextMarkNs += terms.markFrequencyNs - this.terms.markFrequencyNs;
    this.terms = terms;
    const { auction } = this;
    if (auction === undefined) return;
    const least = auction.startNs + terms.auctionMinimumNs;
    if (auction.endNs >= least) return;
    auction.endNs = least;
    this.count("auction lengthened by its least duration");
    this.showAuction(Trigger.none);
  }

  /** docs/protocol/70-trading-markets.md#17-market-update. @param hasNewModel the risk model is another */
  update(terms: Terms, hasNewModel: boolean): void {
    this.terms = terms;
    this.settlementPrice = undefined;
    this.renewBounds();
    this.liquidityFeeNow();
    this.count("market updated");
    this.liquidityFeeNow();
    const mode = this.isOpening ? "opening" : this.auction === undefined ? "trading" : "auction";
    if (!hasNewModel) return;
    this.count(`risk model changed in ${mode}`);
    this.recheckMargins(this.isOpening ? (this.uncrossing()?.price ?? 0n) : this.mark);
    this.flushLevels();
  }

  terminate(): void {
    if (this.isGone || !this.canTrade) return;
    this.count("terminated");
    if (this.state === State.pending) {
      this.callOff();
      return;
    }
    if (this.unsettled.length > 0) {
      this.mark = this.lastTraded;
      this.markToMarket(true);
    }
    this.state = State.terminated;
    // The auction in which trading ended goes on for those who look at it
    // (docs/protocol/70-trading-markets.md#14-creation-and-transitions).
    this.count(`terminated in mode ${this.mode}, trigger ${this.auction?.trigger ?? 0}`);
    if (this.settlementPrice !== undefined) this.settleFinally(this.settlementPrice);
    this.flushLevels();
  }

  /** Ended in its opening auction. */
  private callOff(): void {
    this.count("called off");
    for (const order of [...this.book, ...this.parked]) {
      this.finish(order, Status.cancelled);
      this.releaseIfFlat(order.party);
    }
    this.state = State.cancelled;
    this.close();
  }

  settleAt(price: bigint): void {
    if (this.isGone) return;
    this.settlementPrice = price;
    if (this.state === State.terminated) this.settleFinally(price);
    this.flushLevels();
  }

  provide(
    party: string,
    command: Extract<Command, { readonly kind: "provide" }>,
    idAt: (index: number) => string,
  ): Verdict {
    if (!this.canTrade) return refusal("commitment submission not allowed");
    const { commitment } = command;
    if (Decimal.of(commitment).isBelow(this.terms.stakeLeast)) return refusal("commitment amount is too low");
    const objection = this.shapeObjection({ ...command, fee: Decimal.of(command.fee) });
    if (objection !== "") {
      this.fact(
        "provision",
        idAt(0),
        party,
        Provided.rejected,
        commitment,
        Decimal.of(command.fee).toString(),
        0,
      );
      this.count(`provision refused: ${objection}`);
      return refusal(objection);
    }
    if (this.provisionOf(party) !== undefined) return refusal("liquidity provision already exists");
    const provision: Provision = {
      id: idAt(0),
      party,
      createdNs: this.nowNs,
      commitment,
      fee: Decimal.of(command.fee),
      buys: entriesOf(command.buys, 1, idAt),
      sells: entriesOf(command.sells, 1 + command.buys.length, idAt),
      version: 1n,
      status: Provided.pending,
      reference: "",
      isNew: true,
    };
    this.showProvision(provision);
    if (!this.accounts.has(general(party))) {
      this.setStatus(provision, Provided.rejected);
      return refusal("party general account missing when trying to create a bond account");
    }
    this.accounts.set(bond(party), this.balance(bond(party)));
    this.accounts.set(margin(party), this.balance(margin(party)));
    if (this.balance(general(party)) < commitment) {
      this.setStatus(provision, Provided.rejected);
      return refusal("not enough collateral in general account");
    }
    this.move(general(party), bond(party), commitment, Move.bondLow);
    this.provisions.push(provision);
    this.count("provision submitted");
    // Where both static prices exist, it no longer counts as one whose first deployment is to come
    // (docs/protocol/70-trading-liquidity.md#72-submit).
    if (this.auction !== undefined && this.hasStaticSides()) provision.isNew = false;
    this.equity.set(party, commitment);
    const isDeployed = this.auction !== undefined || !this.hasStaticSides() || this.deployFirst(provision);
    // A provision that has come and gone leaves it as it was.
    if (isDeployed) this.valueNow();
    this.sharesNow();
    this.liquidityFeeNow();
    return isDeployed ? TAKEN : refusal("margin check failed");
  }

  private shapeObjection({ fee, buys, sells }: Shapes): string {
    const { feeMost, shapeMost } = this.terms;
    if (feeMost.isBelow(fee)) return "invalid liquidity provision fee";
    const isAtMid = ({ reference, offset }: Shape) => reference === Peg.mid && offset === 0n;
    if (buys.length > shapeMost) return `SIDE_BUY shape size exceed max (${shapeMost})`;
    if (buys.some(isAtMid)) return "order in buy side shape offset must be > 0";
    if (sells.length > shapeMost) return `SIDE_SELL shape size exceed max (${shapeMost})`;
    return sells.some(isAtMid) ? "order in sell shape offset must be > 0" : "";
  }

  amendProvision(
    party: string,
    command: Extract<Command, { readonly kind: "amendProvision" }>,
    idAt: (index: number) => string,
  ): Verdict {
    if (!this.canTrade) return refusal("commitment submission not allowed");
    const newFee = Decimal.of(command.fee!);
    const shaped = command.commitment === undefined ? withoutOffsets(command) : command;
    // An empty shape stays as it was.
    const stated = this.shapeObjection({ ...shaped, fee: newFee });
    if (stated !== "") {
      this.count(`provision amendment refused: ${stated}`);
      return refusal(stated);
    }
    const requested = command.commitment ?? 0n;
    if (Decimal.of(requested).isBelow(this.terms.stakeLeast)) {
      this.count("provision amendment refused: commitment amount is too low");
      return refusal("commitment amount is too low");
    }
    const provision = this.provisionOf(party);
    if (provision === undefined) {
      this.count("amendment of no provision");
      return refusal("party is not a liquidity provider");
    }
    // A commitment and a fee of 0 stay as they are.
    const commitment = requested || provision.commitment;
    const fee = newFee.sign === 0 ? provision.fee : newFee;
    const buys = shaped.buys.length > 0 ? shaped.buys : provision.buys;
    const sells = shaped.sells.length > 0 ? shaped.sells : provision.sells;
    // Parts that stay may not be allowed any more.
    const objection = this.shapeObjection({ fee, buys, sells });
    if (objection !== "") {
      this.count(`provision amendment refused: ${objection}`);
      return refusal(objection);
    }
    const decrease = provision.commitment - commitment;
    if (decrease > 0n && this.supplied - this.stakeNow() < decrease) {
      this.count("provision amendment refused for want of stake");
      return refusal("commitment submission rejected, not enough stake");
    }
    if (this.balance(general(party)) + this.balance(bond(party)) < commitment) {
      this.count("provision amendment refused for want of collateral");
      return refusal("commitment submission not allowed");
    }
    const before = this.balance(bond(party));
    this.adjustBond(party, commitment);
    const amended = {
      party,
      commitment,
      buys: entriesOf(buys, 0, idAt),
      sells: entriesOf(sells, buys.length, idAt),
    };
    const isUnpriced = this.auction === undefined && !this.hasStaticSides();
    const shortage = isUnpriced ? "no orders on the book" : this.shapesObjection(amended, provision);
    if (shortage !== "") {
      this.adjustBond(party, before);
      this.count(`provision amendment refused: ${shortage}`);
      return refusal(shortage);
    }
    this.countAmendment(provision, amended, fee);
    const placed = this.book.filter((one) => one.provision === provision.id);
    for (const order of placed) this.finish(order, Status.cancelled);
    if (placed.length > 0) this.releaseIfFlat(party);
    provision.commitment = commitment;
    provision.fee = fee;
    provision.buys = amended.buys;
    provision.sells = amended.sells;
    provision.version += 1n;
    if (provision.status === Provided.active) provision.status = Provided.undeployed;
    this.showProvision(provision);
    this.equity.set(party, commitment);
    this.followReferences([], true);
    this.valueNow();
    this.sharesNow();
    this.liquidityFeeNow();
    return TAKEN;
  }

  private countAmendment(provision: Provision, amended: Pick<Provision, "commitment">, fee: Decimal): void {
    const { status, commitment } = provision;
    const is = { [Provided.active]: "active", [Provided.undeployed]: "undeployed" }[status] ?? "pending";
    const mode = this.auction === undefined ? "trading" : this.isOpening ? "opening" : "auction";
    this.count(`provision amended: ${is} in ${mode}`);
    if (this.equity.hasGrown(provision.party) && amended.commitment !== commitment)
      this.count("grown stake amended");
    if (amended.commitment > commitment) this.count("provision amended to a larger commitment");
    if (amended.commitment < commitment) this.count("provision amended to a smaller commitment");
    if (fee.minus(provision.fee).sign !== 0) this.count("provision amended to another fee");
  }

  private adjustBond(party: string, commitment: bigint): void {
    const missing = commitment - this.balance(bond(party));
    if (missing > 0n) this.move(general(party), bond(party), missing, Move.bondLow);
    else this.move(bond(party), general(party), -missing, Move.bondHigh);
  }

  cancelProvision(party: string): Verdict {
    if (!this.canTrade) return refusal("commitment submission not allowed");
    const provision = this.provisionOf(party);
    if (provision === undefined) return refusal("party is not a liquidity provider");
    if (this.supplied - this.stakeNow() < provision.commitment)
      return refusal("commitment submission rejected, not enough stake");
    this.endProvision(provision, Provided.cancelled);
    this.releaseIfFlat(party);
    this.followReferences([], true);
    this.liquidityFeeNow();
    this.count("provision cancelled");
    return TAKEN;
  }

  distributeLiquidityFees(): void {
    const balance = this.balance("liquidityFees");
    const sharing = this.provisions
      .filter(({ status }) => status === Provided.active)
      .map(({ party }) => party)
      .sort(byText);
    if (balance > 0n && this.state === State.terminated) this.count("last distribution of fees");
    if (balance > 0n && sharing.length === 0) {
      this.count("liquidity fees that wait");
      return;
    }
    if (balance > 0n) {
      this.sharesNow();
      const averages = sharing.map((party) => this.scores.averageOf(party));
      const scored = sharing.map((party, at) => {
        const share = this.equity.shareOf(party, sharing);
        return share.times(averages[at] ?? ONE);
      });
      const whole = scored.reduce(
        (all, share, at) => (averages[at] === undefined ? all : all.plus(share)),
        ZERO,
      );
      if (averages.includes(undefined) && whole.sign > 0) this.count("fees to a provider without a score");
      for (const [at, party] of sharing.entries()) {
        const share = whole.sign > 0 ? scored[at]!.over(whole) : scored[at]!;
        const amount = Decimal.of(balance).times(share).floor();
        // A part without a score can be more than what is left.
        this.collect(["liquidityFees"], general(party), amount, Move.liquidityShare);
      }
      this.count(`liquidity fees to ${sharing.length}`);
    }
    this.scores.reset();
  }

  /** Market data as clients see it. */
  data(): string {
    const tick = this.terms.priceFactor;
    const { auction } = this;
    const best = (price: bigint, volume: bigint) => `${price / tick}x${volume}`;
    const [bid, ask] = [this.best(BUY), this.best(SELL)];
    const [staticBid, staticAsk] = [this.bestStatic(BUY), this.bestStatic(SELL)];
    const middle = (a: bigint, b: bigint) => (a === 0n || b === 0n ? 0n : (a + b) / 2n / tick);
    const ofStatic = ({ peg, provision }: { peg: unknown; provision: string }) =>
      peg === undefined && provision === "";
    const uncrossing = this.auction === undefined ? undefined : this.uncrossing();
    return [
      `mark ${this.mark / tick}`,
      `best ${best(bid, this.volumeAt(BUY, bid))}/${best(ask, this.volumeAt(SELL, ask))}`,
      `static ${best(staticBid, this.volumeAt(BUY, staticBid, ofStatic))}/${best(staticAsk, this.volumeAt(SELL, staticAsk, ofStatic))}`,
      `mid ${middle(bid, ask)}/${middle(staticBid, staticAsk)}`,
      `interest ${this.openInterest}`,
      `mode ${this.mode}, next ${this.nextMarkNs}, at ${this.nowNs}`,
      `fee ${this.liquidityFee}`,
      `auction ${auction?.startNs ?? 0}/${auction?.endNs ?? 0}`,
      `indicative ${(uncrossing?.price ?? 0n) / tick}x${uncrossing?.volume ?? 0n}`,
      `trigger ${auction?.trigger ?? 0}/${auction?.extension ?? 0}`,
      `stake ${this.targetStake()}/${this.supplied}`,
      `bounds ${this.shownBounds().join(" ")}`,
      `value ${this.marketValue.trunc()}`,
      `shares ${this.shareTexts().join(" ")}`,
      `state ${this.state}`,
      `last ${this.lastTraded / tick}`,
    ].join(", ");
  }

  /** The market itself as clients see it. */
  shown(): string {
    const { state, terms } = this;
    const modes = new Map<number, number>([
      [State.pending, 3],
      [State.active, 1],
      [State.suspended, 4],
    ]);
    return `${state} ${modes.get(state) ?? 5} ${terms.maker} ${terms.infrastructure} ${this.liquidityFee}`;
  }

  private shareTexts(): string[] {
    const parties = this.provisions.map(({ party }) => party).sort(byText);
    return parties.map((party) => {
      const share = this.shownShares.get(party) ?? ZERO;
      const score = this.scores.averageOf(party) ?? ZERO;
      return `${party}:${share}/${this.equity.valuationOf(party)}/${score}`;
    });
  }

  /** CONTINUOUS, OPENING_AUCTION or MONITORING_AUCTION. */
  private get mode(): number {
    const trigger = this.auction?.trigger;
    return trigger === undefined ? 1 : trigger === Trigger.opening ? 3 : 4;
  }

  /** Positions in the order of their appearance. */
  positionLines(): string[] {
    return this.positions.map(
      ({ party, size, buy, sell, buySum, sellSum }) => `${party} ${size} ${buy}/${sell} ${buySum}/${sellSum}`,
    );
  }

  /** Sizes, potential volumes and their average prices, by party (docs/protocol/70-trading-positions.md#51-position-record). */
  positionStates(): [string, string][] {
    const average = (sum: bigint, volume: bigint) => (volume === 0n ? 0n : sum / volume);
    return this.positions.map(({ party, size, buy, sell, buySum, sellSum }) => [
      party,
      `${size} ${buy}@${average(buySum, buy)} ${sell}@${average(sellSum, sell)}`,
    ]);
  }

  orderLines(): string[] {
    return [...this.book, ...this.parked]
      .map(({ id, status, price, size, remaining, tif }) =>
        [id, status === Status.parked ? 0n : price, size, remaining, tif, status].join(" "),
      )
      .sort();
  }
}

/** Shapes that come without a commitment. */
const withoutOffsets = ({ buys, sells }: Pick<Shapes, "buys" | "sells">) => {
  const without = (shapes: readonly Shape[]) => shapes.map((shape) => ({ ...shape, offset: 0n }));
  return { buys: without(buys), sells: without(sells) };
};

const entriesOf = (shapes: readonly Shape[], from: number, idAt: (index: number) => string): ShapeEntry[] =>
  shapes.map(({ reference, offset, proportion }, at) => ({
    reference,
    offset,
    proportion,
    id: idAt(from + at),
  }));
