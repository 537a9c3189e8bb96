/** Commands of liquidity providers (docs/protocol/70-trading-liquidity.md#72-submit and #79-amend-and-cancel). */

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
import { parseDecimal, parseUint } from "../values.ts";
import type { Bonds } from "./bonds.ts";
import type { LiquidityFees } from "./liquidity-fees.ts";
import type { LiveOrders } from "./live-orders.ts";
import type { MarketParts } from "./market-parts.ts";
import type { PegRepricer } from "./peg-repricer.ts";
import { bare, type Exposure, reducesExposure, withOrder } from "./positions.ts";
import type { ProvisionUpkeep } from "./provision-upkeep.ts";
import { entriesOf } from "./provisions.ts";
import type { Provision } from "./records.ts";
import { ORDER_ERRORS, refusal } from "./refusals.ts";
import { type ShapeSide, shapeProblem } from "./shapes.ts";
import { BUY, SELL, type Side, type StoredOrder } from "./stored-order.ts";

const SHAPE_MAX = "market.liquidityProvision.shapes.maxSize";
const FEE_MAX = "market.liquidity.maximumLiquidityFeeFactorLevel";
const STAKE_MULTIPLE = "market.liquidityProvision.minLpStakeQuantumMultiple";

interface ProvisionCommandParts
  extends Pick<MarketParts, "market" | "positions" | "margins" | "targetStake" | "equity" | "provisions"> {
  readonly liveOrders: LiveOrders;
  readonly bonds: Bonds;
  readonly liquidityFees: LiquidityFees;
  readonly upkeep: ProvisionUpkeep;
  readonly pegs: PegRepricer;
}

export class ProvisionCommands {
  constructor(private readonly parts: ProvisionCommandParts) {}

  /** @throws CommandError; a rejected provision's event stays */
  submit(party: string, id: string, command: LiquidityProvisionSubmission): void {
    const { market, provisions, pegs, equity, bonds, liquidityFees, upkeep } = this.parts;
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
    if (provisions.get(party) !== undefined) throw refusal("liquidity provision already exists");
    const provision = {
      ...draft,
      buys: entriesOf(command.buys, () => ids.next()),
      sells: entriesOf(command.sells, () => ids.next()),
    };
    upkeep.emitStubs(provision);
    provisions.emit(provision);
    if (!market.accounts.has(market.accounts.general(party))) {
      throw this.reject(provision, "party general account missing when trying to create a bond account");
    }
    market.listParty(party);
    market.accounts.ensureBond(party);
    market.accounts.ensureMargin(party);
    const movement = bonds.fill(party, commitment);
    if (movement === undefined) throw this.reject(provision, "not enough collateral in general account");
    market.accounts.emit([movement]);
    const references = pegs.current();
    const isPriced = references.bid > 0n && references.ask > 0n;
    provisions.put({ ...provision, isPending: !(isPriced && market.isInAuction) });
    equity.setStake(party, commitment);
    if (isPriced && !market.isInAuction) this.deployFirst(provision);
    equity.keepValue();
    liquidityFees.onCommitmentsChanged();
  }

  /**
   * The first orders of a provision in continuous trading: each is entered like any order; if one cannot be paid for, none
   * is. @throws CommandError
   */
  private deployFirst(provision: Provision): void {
    const { market, liveOrders, provisions, pegs, margins, equity, bonds, liquidityFees } = this.parts;
    const { party } = provision;
    const planned = provisions.plan(provision, pegs.current()) ?? [];
    const orders = planned
      .filter(({ size }) => size > 0n)
      .map((plan) => ({ ...provisions.orderOf(provision, plan), updatedAt: 0n }));
    const status = LiquidityProvisionStatus.STATUS_ACTIVE;
    const active = provisions.setStatus({ ...provision, isPending: false }, status);
    const [held] = margins.balances(party);
    const failed = orders.findIndex((order) => !this.enterFirst(order));
    if (failed < 0) {
      // The others' orders and margins stay as they are until something else touches the book
      // (docs/protocol/70-trading-liquidity.md#72-submit, step 6).
      const { plannedBy } = market.status;
      if (plannedBy !== provisions.rules) market.updateStatus({ plannedBy: "" });
      return;
    }
    const [reason, text] = ORDER_ERRORS.margin;
    const rejectOrder = (order: StoredOrder) =>
      market.emitOrder({ ...order, status: OrderStatus.STATUS_REJECTED, reason });
    rejectOrder(orders[failed]!);
    // In the order of their arrival, not by id as at a provision's end.
    for (const { id } of orders.slice(0, failed))
      liveOrders.dropProvided(market.tables.orders.get(id)!, OrderStatus.STATUS_CANCELLED);
    margins.restore(party, held);
    for (const order of orders.slice(failed + 1)) rejectOrder(order);
    bonds.returnAll(party);
    provisions.drop(active);
    equity.setStake(party, 0n);
    const problem = this.reject({ ...active, updatedAt: market.nowNs }, text);
    liquidityFees.onCommitmentsChanged();
    throw problem;
  }

  /** @returns false where margin and general account do not cover the order: the bond does not count */
  private enterFirst(order: StoredOrder): boolean {
    const { margins, positions } = this.parts;
    const { status } = this.parts.market;
    const position = positions.register(order);
    const movements: Movement[] = [];
    const by = { price: status.mark, mayUseBond: false, movements };
    const isCovered =
      reducesExposure(order, position) || margins.coverOrder(order.party, position, by) !== undefined;
    this.parts.market.accounts.emit(movements);
    if (!isCovered) {
      positions.unregister(order);
      return false;
    }
    this.parts.market.putOnBook(order);
    this.parts.market.emitOrder(order);
    return true;
  }

  /** A commitment of 0, a fee of 0 and a side without entries keep their former values. @throws CommandError */
  amend(party: string, command: LiquidityProvisionAmendment): void {
    const { market, provisions, liveOrders, equity, pegs, bonds, liquidityFees, upkeep } = this.parts;
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
    const before = provisions.get(party);
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
    bonds.adjust(party, commitment);
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
      if (commitment > bond) bonds.adjust(party, bond);
      else {
        const type =
          commitment === bond ? TransferType.TRANSFER_TYPE_BOND_HIGH : TransferType.TRANSFER_TYPE_BOND_LOW;
        const [from, to] = [accounts.general(party), accounts.bond(party)];
        const [source, target] = commitment === bond ? [to, from] : [from, to];
        accounts.emit([accounts.move([source], target, bond - commitment, type)]);
      }
      throw refusal(shortage).keepingChanges();
    }
    upkeep.endStubs(before, OrderStatus.STATUS_STOPPED);
    upkeep.emitStubs(after);
    const isActive = after.status === LiquidityProvisionStatus.STATUS_ACTIVE;
    const status = isActive ? LiquidityProvisionStatus.STATUS_UNDEPLOYED : after.status;
    provisions.setStatus(after, status);
    // Without orders and position the provider gets all margin back: the new orders take theirs again.
    if (upkeep.removeOrders(before, OrderStatus.STATUS_CANCELLED) > 0) liveOrders.releaseIfFlat(party);
    equity.setStake(party, commitment);
    if (!market.isInAuction) pegs.follow([], { isForced: true });
    equity.keepValue();
    liquidityFees.onCommitmentsChanged();
  }

  /** @throws CommandError */
  cancel(party: string): void {
    const { market, provisions, liveOrders, pegs, upkeep } = this.parts;
    if (!market.canCommit) throw refusal("commitment submission not allowed");
    const provision = provisions.get(party);
    if (provision === undefined) throw refusal("party is not a liquidity provider");
    if (this.spare() < provision.commitment) {
      throw refusal("commitment submission rejected, not enough stake");
    }
    upkeep.end(provision);
    liveOrders.releaseIfFlat(party);
    // Reprice everything: the position of another provider may cost more to close now.
    pegs.follow([], { isForced: true });
  }

  /** Stake above the target. */
  private spare(): bigint {
    const { provisions, targetStake } = this.parts;
    return provisions.supplied() - targetStake.current();
  }

  /**
   * Orders of an amended provision must be affordable without its bond.
   * @returns why they are not (docs/protocol/70-trading-liquidity.md#79-amend-and-cancel)
   */
  private coverPotential(before: Provision, after: Provision): CommandText | undefined {
    const { market, pegs, positions, provisions, margins } = this.parts;
    const { party } = after;
    const { isInAuction } = market;
    const references = pegs.current();
    // Without prices nothing can be checked. In an auction nothing is placed.
    if (!isInAuction && (references.bid === 0n || references.ask === 0n)) return "no orders on the book";
    const price = margins.priceFor(0n);
    if (price === 0n) return undefined;
    const planned = isInAuction ? provisions.planAround(after, price) : provisions.plan(after, references);
    if (planned === undefined) return undefined;
    // A provider whose own orders cover its obligation pays for nothing more in an auction.
    if (isInAuction && planned.every(({ size }) => size === 0n)) return undefined;
    let position: Exposure = positions.get(party) ?? bare({ size: 0n });
    for (const { orderId } of [...before.buys, ...before.sells]) {
      const order = market.tables.orders.get(orderId);
      if (order !== undefined) position = withOrder(position, order, -order.remaining);
    }
    for (const plan of planned) position = withOrder(position, provisions.orderOf(after, plan), plan.size);
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

  private checkAmount(commitment: bigint): void {
    const { market } = this.parts;
    const quantum = Decimal.parse(market.ports.assets.get(market.accounts.asset)!.details.quantum);
    if (Decimal.of(commitment).isLess(quantum.times(market.params.decimal(STAKE_MULTIPLE)))) {
      throw refusal("commitment amount is too low");
    }
  }

  private problemOf(
    fee: Decimal,
    sides: readonly (readonly [ShapeSide, readonly LiquidityOrder[]])[],
  ): CommandText | undefined {
    const { params } = this.parts.market;
    if (fee.isNegative() || params.decimal(FEE_MAX).isLess(fee)) return "invalid liquidity provision fee";
    const max = params.integer(SHAPE_MAX);
    for (const [name, shape] of sides) {
      const problem = shapeProblem(name, shape, max);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }

  private reject(provision: Provision, text: CommandText): CommandError {
    const { provisions, upkeep } = this.parts;
    // A provision that was refused for its form has no orders.
    if (provision.version > 0n) upkeep.endStubs(provision, OrderStatus.STATUS_REJECTED);
    provisions.emit({ ...provision, status: LiquidityProvisionStatus.STATUS_REJECTED });
    return refusal(text).keepingChanges();
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

/** The network's reading of shapes that come without a commitment (docs/protocol/70-trading-liquidity.md#79-amend-and-cancel). */
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
