/** Liquidity providers: commitments, bonds, penalties, fees (docs/protocol/70-trading-liquidity.md#72-submit to #79-amend-and-cancel). */
import type { CommandText } from "../../errors/result-codes.ts";
import { Decimal } from "../../wire/decimal.ts";
import type {
  LiquidityProvisionAmendment,
  LiquidityProvisionSubmission,
} from "../../wire/generated/commands.ts";
import {
  type LiquidityOrder,
  LiquidityProvisionStatus,
  OrderStatus,
  TransferType,
} from "../../wire/generated/vega.ts";
import type { Movement } from "../collateral.ts";
import type { CommandError } from "../errors.ts";
import { parseDecimal, parseUint, smaller } from "../values.ts";
import type { MarginOutcome } from "./margins.ts";
import { BUY, SELL, type Side, type StoredOrder } from "./order.ts";
import { bare, type Exposure, reducesExposure, withOrder } from "./positions.ts";
import { entriesOf } from "./provisions.ts";
import type { Provision, ShapeEntry } from "./records.ts";
import { ORDER_ERRORS, refusal } from "./refusals.ts";
import { type ShapeSide, shapeProblem } from "./shapes.ts";
import type { TradingMarket } from "./trading.ts";

const PENALTY = "market.liquidity.bondPenaltyParameter";
const SHAPE_MAX = "market.liquidityProvision.shapes.maxSize";
const FEE_MAX = "market.liquidity.maximumLiquidityFeeFactorLevel";
const STAKE_MULTIPLE = "market.liquidityProvision.minLpStakeQuantumMultiple";

export class Providers {
  constructor(private readonly market: TradingMarket) {}

  /** @throws CommandError; a rejected provision's event stays */
  submit(party: string, id: string, command: LiquidityProvisionSubmission): void {
    const { market } = this;
    if (!market.canCommit) throw refusal("commitment submission not allowed");
    const commitment = amountOf(command.commitmentAmount);
    this.checkAmount(commitment);
    const fee = feeOf(command.fee).toString();
    const ids = market.ids;
    const draft: Provision = {
      market: market.id,
      party,
      id,
      createdAt: market.nowNs,
      updatedAt: market.nowNs,
      commitment,
      fee,
      buys: [],
      sells: [],
      version: 1n,
      status: LiquidityProvisionStatus.STATUS_PENDING,
      reference: command.reference,
      sequence: market.tables.next(),
      isPending: true,
    };
    const problem = this.problemOf(feeOf(fee), sidesOf(command));
    if (problem !== undefined) {
      const buys = entriesOf(command.buys, () => "");
      const sells = entriesOf(command.sells, () => "");
      throw this.reject({ ...draft, buys, sells, version: 0n, updatedAt: 0n }, problem);
    }
    if (market.provisions.get(party) !== undefined) throw refusal("liquidity provision already exists");
    const provision = {
      ...draft,
      buys: entriesOf(command.buys, () => ids.next()),
      sells: entriesOf(command.sells, () => ids.next()),
    };
    this.emitStubs(provision);
    market.provisions.emit(provision);
    if (!market.accounts.has(market.accounts.general(party))) {
      throw this.reject(provision, "party general account missing when trying to create a bond account");
    }
    market.listParty(party);
    market.accounts.ensureBond(party);
    market.accounts.ensureMargin(party);
    const movement = this.fillBond(party, commitment);
    if (movement === undefined) throw this.reject(provision, "not enough collateral in general account");
    market.accounts.emit([movement]);
    const references = market.references.current();
    const isPriced = references.bid > 0n && references.ask > 0n;
    market.provisions.put({ ...provision, isPending: !(isPriced && market.isInAuction) });
    market.equity.setStake(party, commitment);
    if (isPriced && !market.isInAuction) this.deployFirst(provision);
    market.equity.keepValue();
    this.onChange();
  }

  /**
   * The first orders of a provision in continuous trading: each is entered like any order; if one cannot be paid for, none
   * is. @throws CommandError
   */
  private deployFirst(provision: Provision): void {
    const { market } = this;
    const { party } = provision;
    const planned = market.provisions.plan(provision, market.references.current()) ?? [];
    const orders = planned
      .filter(({ size }) => size > 0n)
      .map((plan) => ({ ...market.provisions.orderOf(provision, plan), updatedAt: 0n }));
    const status = LiquidityProvisionStatus.STATUS_ACTIVE;
    const active = market.provisions.setStatus({ ...provision, isPending: false }, status);
    const [held] = market.margins.balances(party);
    const failed = orders.findIndex((order) => !this.enterFirst(order));
    if (failed < 0) {
      // The others' orders and margins stay as they are until something else touches the book
      // (docs/protocol/70-trading-liquidity.md#72-submit, step 6).
      const { plannedBy } = market.status;
      if (plannedBy !== market.provisions.rules) market.updateStatus({ plannedBy: "" });
      return;
    }
    const [reason, text] = ORDER_ERRORS.margin;
    const rejectOrder = (order: StoredOrder) =>
      market.emitOrder({ ...order, status: OrderStatus.STATUS_REJECTED, reason });
    rejectOrder(orders[failed]!);
    // In the order of their arrival, not by id as at a provision's end.
    for (const { id } of orders.slice(0, failed))
      market.references.dropOrder(market.tables.orders.get(id)!, OrderStatus.STATUS_CANCELLED);
    market.margins.restore(party, held);
    for (const order of orders.slice(failed + 1)) rejectOrder(order);
    this.returnBond(party);
    market.provisions.drop(active);
    market.equity.setStake(party, 0n);
    const problem = this.reject({ ...active, updatedAt: market.nowNs }, text);
    this.onChange();
    throw problem;
  }

  /** @returns false where margin and general account do not cover the order: the bond does not count */
  private enterFirst(order: StoredOrder): boolean {
    const { margins, positions, status } = this.market;
    const position = positions.register(order);
    const movements: Movement[] = [];
    const by = { price: status.mark, mayUseBond: false, movements };
    const isCovered =
      reducesExposure(order, position) || margins.coverOrder(order.party, position, by) !== undefined;
    this.market.accounts.emit(movements);
    if (!isCovered) {
      positions.unregister(order);
      return false;
    }
    this.market.putOnBook(order);
    this.market.emitOrder(order);
    return true;
  }

  /** A commitment of 0 and a fee of 0 stay what they were; so do sides without entries. @throws CommandError */
  amend(party: string, command: LiquidityProvisionAmendment): void {
    const { market } = this;
    if (!market.canCommit) throw refusal("commitment submission not allowed");
    const isWhole = command.commitmentAmount !== "";
    const amount = isWhole ? amountOf(command.commitmentAmount) : 0n;
    const asFee = feeOf(command.fee);
    const given = isWhole ? command : withoutOffsets(command);
    // A new reference alone does not count.
    if (asFee.isZero() && amount === 0n && given.buys.length + given.sells.length === 0)
      throw refusal("empty liquidity provision amendment content");
    const ownProblem = this.problemOf(
      asFee,
      sidesOf(given).filter(([, shape]) => shape.length > 0),
    );
    if (ownProblem !== undefined) throw refusal(ownProblem);
    this.checkAmount(amount);
    const before = market.provisions.get(party);
    if (before === undefined) throw refusal("party is not a liquidity provider");
    const commitment = amount === 0n ? before.commitment : amount;
    const fee = asFee.isZero() ? before.fee : asFee.toString();
    const shapeOf = (shape: readonly LiquidityOrder[], side: Side) =>
      shape.length > 0 ? shape : side === BUY ? liquidityOrders(before.buys) : liquidityOrders(before.sells);
    const buys = shapeOf(given.buys, BUY);
    const sells = shapeOf(given.sells, SELL);
    // Unchanged parts must be allowed now, too.
    const problem = this.problemOf(feeOf(fee), sidesOf({ buys, sells }));
    if (problem !== undefined) throw refusal(problem);
    const decrease = before.commitment - commitment;
    if (decrease > 0n && this.spare() < decrease) {
      throw refusal("commitment submission rejected, not enough stake");
    }
    const { accounts } = market;
    const bond = accounts.balance(accounts.bond(party));
    const general = accounts.balance(accounts.general(party));
    if (bond + general < commitment) throw refusal("commitment submission not allowed");
    accounts.ensureBond(party);
    this.adjustBond(party, commitment);
    const after: Provision = {
      ...before,
      commitment,
      fee,
      reference: command.reference === "" ? before.reference : command.reference,
      buys: entriesOf(buys, () => market.ids.next()),
      sells: entriesOf(sells, () => market.ids.next()),
      version: before.version + 1n,
      updatedAt: market.nowNs,
    };
    const shortage = this.coverPotential(before, after);
    if (shortage !== undefined) {
      // The bond is moved there and back, and both movements are emitted, even of zero.
      if (commitment > bond) this.adjustBond(party, bond);
      else {
        const type =
          commitment === bond ? TransferType.TRANSFER_TYPE_BOND_HIGH : TransferType.TRANSFER_TYPE_BOND_LOW;
        const [from, to] = [accounts.general(party), accounts.bond(party)];
        const [source, target] = commitment === bond ? [to, from] : [from, to];
        accounts.emit([accounts.move([source], target, bond - commitment, type)]);
      }
      throw refusal(shortage).keepingChanges();
    }
    this.endStubs(before, OrderStatus.STATUS_STOPPED);
    this.emitStubs(after);
    const isActive = after.status === LiquidityProvisionStatus.STATUS_ACTIVE;
    const status = isActive ? LiquidityProvisionStatus.STATUS_UNDEPLOYED : after.status;
    market.provisions.setStatus(after, status);
    // Without orders and position the provider gets all margin back: the new orders take theirs again.
    if (this.removeOrders(before, OrderStatus.STATUS_CANCELLED) > 0) market.orders.releaseIfFlat(party);
    market.equity.setStake(party, commitment);
    if (!market.isInAuction) market.references.follow([], { isForced: true });
    market.equity.keepValue();
    this.onChange();
  }

  /** @throws CommandError */
  cancel(party: string): void {
    const { market } = this;
    if (!market.canCommit) throw refusal("commitment submission not allowed");
    const provision = market.provisions.get(party);
    if (provision === undefined) throw refusal("party is not a liquidity provider");
    if (this.spare() < provision.commitment) {
      throw refusal("commitment submission rejected, not enough stake");
    }
    this.end(provision);
    market.orders.releaseIfFlat(party);
    // Reprice everything: the position of another provider may cost more to close now.
    market.references.follow([], { isForced: true });
  }

  /** A provision is cancelled: its orders go, and its bond returns. */
  end(provision: Provision): void {
    const { market } = this;
    const { party } = provision;
    this.endStubs(provision, OrderStatus.STATUS_CANCELLED);
    const ended = { ...provision, updatedAt: market.nowNs };
    market.provisions.end(ended, LiquidityProvisionStatus.STATUS_CANCELLED);
    // With its last order, as with any cancelled order, a party without a position gets its margin back.
    if (this.removeOrders(provision, OrderStatus.STATUS_CANCELLED) > 0) market.orders.releaseIfFlat(party);
    // A bond account that penalties have emptied stays
    // (docs/protocol/70-trading-events.md#96-accounts-of-this-engine-as-seen-in-tables).
    const bond = market.accounts.bond(party);
    if (market.accounts.balance(bond) > 0n) {
      this.returnBond(party);
      market.accounts.remove(bond);
    }
    market.equity.setStake(party, 0n);
    this.onChange();
  }

  private returnBond(party: string): void {
    const { accounts } = this.market;
    const movement = this.emptyBond(party, accounts.balance(accounts.bond(party)));
    if (movement !== undefined) accounts.emit([movement]);
  }

  /**
   * The market has ended: provisions stop, without orders and bonds of their own any more.
   * @param turnOf by which they do; by party unless it is given
   */
  stopAll(turnOf: (provision: Provision) => number = () => 0): void {
    const { market } = this;
    for (const provision of [...market.provisions.list()].sort((a, b) => turnOf(a) - turnOf(b))) {
      this.endStubs(provision, OrderStatus.STATUS_STOPPED);
      const ended = { ...provision, updatedAt: market.nowNs };
      market.provisions.end(ended, LiquidityProvisionStatus.STATUS_STOPPED);
    }
  }

  /**
   * A bond was drawn on for a margin: part of what was missing goes to the insurance
   * (docs/protocol/70-trading-liquidity.md#75-bond-slashing-and-distress).
   * @param movements into which the penalty goes, for one event
   * @returns whether money has moved
   */
  slash(party: string, shortfall: bigint, movements: Movement[]): boolean {
    const { market } = this;
    // A provision that was never deployed costs no penalty.
    if (market.provisions.get(party)?.isPending !== false) return false;
    const { accounts } = market;
    const penalty = Decimal.of(shortfall).times(market.params.decimal(PENALTY)).floor();
    const from = [accounts.bond(party), accounts.margin(party)];
    // Emitted even if it is zero.
    movements.push(
      accounts.move(from, accounts.insurance, penalty, TransferType.TRANSFER_TYPE_BOND_SLASHING),
    );
    return penalty > 0n;
  }

  /**
   * Brings bonds back to their commitments, as far as there is money
   * (docs/protocol/70-trading-liquidity.md#75-bond-slashing-and-distress).
   */
  refillBonds(): void {
    const { market } = this;
    const { accounts } = market;
    const movements: Movement[] = [];
    for (const { party, commitment } of market.provisions.list()) {
      const missing = commitment - accounts.balance(accounts.bond(party));
      const amount = smaller(missing, accounts.balance(accounts.general(party)));
      if (amount <= 0n) continue;
      accounts.ensureBond(party);
      const type = TransferType.TRANSFER_TYPE_BOND_LOW;
      movements.push(accounts.move([accounts.general(party)], accounts.bond(party), amount, type));
    }
    accounts.emit(movements);
  }

  /** Margins of providers with orders of their provisions on the book, after these were placed. @returns orders of providers that could not pay */
  coverAll(provisions: readonly Provision[]): StoredOrder[] {
    const { market } = this;
    const gone: StoredOrder[] = [];
    const movements: Movement[] = [];
    const outcomes: (MarginOutcome & { readonly held: bigint; readonly isPending: boolean })[] = [];
    for (const { party } of provisions) {
      const provision = market.provisions.get(party);
      const position = market.positions.get(party);
      if (provision === undefined || position === undefined) continue;
      if (!market.provisions.hasOrders(provision)) continue;
      const held = market.accounts.balance(market.accounts.margin(party));
      const outcome = market.margins.update(party, position, market.status.mark, movements);
      outcomes.push({ ...outcome, held, isPending: provision.isPending });
    }
    market.accounts.emit(movements);
    if (movements.length > 0) this.keepShares();
    const penalties: Movement[] = [];
    for (const { party, isPending, shortfall } of outcomes)
      if (!isPending && shortfall > 0n) this.slash(party, shortfall, penalties);
    market.accounts.emit(penalties);
    for (const { party, held, isPending, shortfall } of outcomes) {
      if (!isPending) continue;
      const provision = market.provisions.get(party)!;
      if (shortfall > 0n) {
        gone.push(...this.voidProvision(provision));
        market.margins.restore(party, held);
      } else market.provisions.put({ ...provision, isPending: false });
    }
    for (const { party, isPending, isDistressed } of outcomes)
      if (!isPending && isDistressed) gone.push(...this.voidProvision(market.provisions.get(party)!));
    return gone;
  }

  /** Commitments have changed, and with them shares and fee. */
  private onChange(): void {
    this.keepShares();
    this.updateFee();
  }

  /**
   * Publishes the present shares
   * (docs/protocol/70-trading-liquidity.md#78-equity-like-share-and-market-value-proxy).
   */
  keepShares(): void {
    this.market.equity.keepShares(this.isActive);
  }

  /**
   * The target stake may have changed, and with it the provider whose fee is the market's
   * (docs/protocol/70-trading-liquidity.md#76-liquidity-fee-factor).
   */
  updateFee(): void {
    const { market } = this;
    const fee = market.provisions.liquidityFee(market.targetStake.current());
    if (fee === market.record.liquidityFee) return;
    market.updateRecord({ liquidityFee: fee });
    market.emitUpdated();
  }

  /** Pays out what liquidity fees have gathered (docs/protocol/70-trading-liquidity.md#77-distribution). */
  distribute(): void {
    const { market } = this;
    const { accounts, equity } = market;
    const balance = accounts.balance(accounts.liquidityFees);
    if (balance > 0n) {
      this.keepShares();
      const weights = this.weights();
      // Fees wait until there is a provider to share them, and so do the scores, as in an auction.
      if (weights.size === 0) return;
      const movements: Movement[] = [];
      for (const [party, weight] of weights) {
        const amount = Decimal.of(balance).times(weight).floor();
        const type = TransferType.TRANSFER_TYPE_LIQUIDITY_FEE_DISTRIBUTE;
        const movement = accounts.move([accounts.liquidityFees], accounts.general(party), amount, type);
        movements.push(movement);
        // The full part, as with other fees: the account may have less (see weights).
        market.fees.note(party, { liquidityReceived: amount });
      }
      accounts.emit(movements);
    }
    equity.resetScores();
  }

  private readonly isActive = (party: string): boolean =>
    this.market.provisions.get(party)?.status === LiquidityProvisionStatus.STATUS_ACTIVE;

  /**
   * Shares times scores, by party; providers with a score get 1 in all. Providers without a score since the last
   * distribution get their share of the remainder.
   */
  private weights(): Map<string, Decimal> {
    const { equity } = this.market;
    const weights = equity.shares(this.isActive);
    let total = Decimal.zero;
    for (const [party, share] of weights) {
      const held = equity.get(party);
      if (held === undefined || held.scores === 0) continue;
      const scored = share.times(Decimal.parse(held.score));
      weights.set(party, scored);
      total = total.plus(scored);
    }
    if (!total.isPositive()) return weights;
    return new Map([...weights].map(([party, part]) => [party, part.dividedBy(total)] as const));
  }

  /** Stake above the target. */
  private spare(): bigint {
    const { market } = this;
    return market.provisions.supplied() - market.targetStake.current();
  }

  /**
   * Orders of an amended provision must be affordable without its bond.
   * @returns why they are not (docs/protocol/70-trading-liquidity.md#79-amend-and-cancel)
   */
  private coverPotential(before: Provision, after: Provision): CommandText | undefined {
    const { market } = this;
    const { party } = after;
    const { isInAuction, margins, provisions } = market;
    const references = market.references.current();
    // Without prices nothing can be checked. In an auction nothing is placed.
    if (!isInAuction && (references.bid === 0n || references.ask === 0n)) return "no orders on the book";
    const price = margins.priceFor(0n);
    if (price === 0n) return undefined;
    const planned = isInAuction ? provisions.planAround(after, price) : provisions.plan(after, references);
    if (planned === undefined) return undefined;
    // A provider whose own orders cover its obligation pays for nothing more in an auction.
    if (isInAuction && planned.every(({ size }) => size === 0n)) return undefined;
    let position: Exposure = market.positions.get(party) ?? bare({ size: 0n });
    for (const { orderId } of [...before.buys, ...before.sells]) {
      const order = market.tables.orders.get(orderId);
      if (order !== undefined) position = withOrder(position, order, -order.remaining);
    }
    for (const plan of planned)
      position = withOrder(position, market.provisions.orderOf(after, plan), plan.size);
    const [margin, general, bond] = margins.balances(party);
    const { initial, maintenance } = margins.levels(position, price);
    const funds = margin + general + bond;
    if (isInAuction) {
      if (funds < maintenance) return "margin would be below maintenance: insufficient margin";
      // No deployment will move the margin, so it is moved now.
      const movements: Movement[] = [];
      const by = { price, mayUseBond: false, movements };
      const isCovered = margins.coverOrder(party, position, by) !== undefined;
      market.accounts.emit(movements);
      return isCovered ? undefined : "margin would require bond: insufficient margin";
    }
    if (funds < initial) return "insufficient funds for initial margin";
    return margin + general < initial
      ? "margin would be below maintenance with amend during continuous: insufficient margin"
      : undefined;
  }

  /** Takes back a provision that could not be paid for. */
  private voidProvision(provision: Provision): StoredOrder[] {
    const orders = this.market.provisions.ordersOf(provision);
    this.end(provision);
    this.market.orders.releaseIfFlat(provision.party);
    return orders;
  }

  /** @returns the number of orders that were on the book */
  private removeOrders(provision: Provision, status: number): number {
    const orders = this.market.provisions.ordersOf(provision);
    orders.sort((a, b) => (a.id < b.id ? -1 : 1));
    for (const order of orders) this.market.references.dropOrder(order, status);
    return orders.length;
  }

  private emitStubs(provision: Provision): void {
    const { provisions } = this.market;
    for (const entry of provision.buys) provisions.emitStub(provision, entry, BUY);
    for (const entry of provision.sells) provisions.emitStub(provision, entry, SELL);
  }

  /** Ends entries without an order on the book with their provision: their last event may have parked them. */
  private endStubs(
    provision: Provision,
    status: number,
    placed: { has(orderId: string): boolean } = this.market.tables.orders,
  ): void {
    const { provisions } = this.market;
    const isOff = ({ orderId }: ShapeEntry) => !placed.has(orderId);
    for (const entry of provision.buys.filter(isOff)) provisions.emitStub(provision, entry, BUY, status);
    for (const entry of provision.sells.filter(isOff)) provisions.emitStub(provision, entry, SELL, status);
  }

  private checkAmount(commitment: bigint): void {
    const { market } = this;
    const quantum = Decimal.parse(market.ports.assets.get(market.accounts.asset)!.details.quantum);
    if (Decimal.of(commitment).isLess(quantum.times(market.params.decimal(STAKE_MULTIPLE)))) {
      throw refusal("commitment amount is too low");
    }
  }

  private problemOf(
    fee: Decimal,
    sides: readonly (readonly [ShapeSide, readonly LiquidityOrder[]])[],
  ): CommandText | undefined {
    const { params } = this.market;
    if (fee.isNegative() || params.decimal(FEE_MAX).isLess(fee)) return "invalid liquidity provision fee";
    const max = params.integer(SHAPE_MAX);
    for (const [name, shape] of sides) {
      const problem = shapeProblem(name, shape, max);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }

  private reject(provision: Provision, text: CommandText): CommandError {
    // A provision that was refused for its form has no orders.
    if (provision.version > 0n) this.endStubs(provision, OrderStatus.STATUS_REJECTED);
    this.market.provisions.emit({ ...provision, status: LiquidityProvisionStatus.STATUS_REJECTED });
    return refusal(text).keepingChanges();
  }

  /** From the general account to the bond; undefined where there is too little. */
  private fillBond(party: string, amount: bigint): Movement | undefined {
    const { accounts } = this.market;
    const general = accounts.general(party);
    if (accounts.balance(general) < amount) return undefined;
    return accounts.move([general], accounts.bond(party), amount, TransferType.TRANSFER_TYPE_BOND_LOW);
  }

  /** Brings an existing bond to an amount that the general account can pay for. */
  private adjustBond(party: string, amount: bigint): void {
    const { accounts } = this.market;
    const bond = accounts.balance(accounts.bond(party));
    const movement =
      amount >= bond ? this.fillBond(party, amount - bond) : this.emptyBond(party, bond - amount);
    if (movement !== undefined) accounts.emit([movement]);
  }

  private emptyBond(party: string, amount: bigint): Movement | undefined {
    const { accounts } = this.market;
    if (amount === 0n) return undefined;
    const type = TransferType.TRANSFER_TYPE_BOND_HIGH;
    return accounts.move([accounts.bond(party)], accounts.general(party), amount, type);
  }
}

/** A commitment as a command states it. @throws CommandError */
function amountOf(text: string): bigint {
  const amount = parseUint(text.replace(/^\+/, ""));
  if (amount === undefined) throw refusal("invalid commitment amount");
  return amount;
}

/** A provision's fee as a command states it. @throws CommandError */
function feeOf(text: string): Decimal {
  const fee = parseDecimal(text);
  if (fee === undefined) throw refusal("invalid liquidity provision fee");
  return fee;
}

const sidesOf = ({
  buys,
  sells,
}: {
  readonly buys: readonly LiquidityOrder[];
  readonly sells: readonly LiquidityOrder[];
}) =>
  [
    ["SIDE_BUY", buys],
    ["SIDE_SELL", sells],
  ] as const;

/** How the network reads shapes that come without a commitment (docs/protocol/70-trading-liquidity.md#79-amend-and-cancel). */
function withoutOffsets({ buys, sells }: LiquidityProvisionAmendment) {
  const without = (shape: readonly LiquidityOrder[]) => shape.map((entry) => ({ ...entry, offset: "0" }));
  return { buys: without(buys), sells: without(sells) };
}

function liquidityOrders(entries: Provision["buys"]): LiquidityOrder[] {
  return entries.map(({ reference, proportion, offset }) => ({
    reference,
    proportion,
    offset: offset.toString(),
  }));
}
