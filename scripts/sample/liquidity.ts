// The liquidity provision of a market: one provider, with orders well away from the middle
// (docs/protocol/70-trading-liquidity.md#7-liquidity-provision).
import {
  AccountType,
  LiquidityProvisionStatus,
  OrderStatus,
  PeggedReference,
  Side,
  TransferType,
} from "../../src/wire/generated/vega.ts";
import type { Book, LiveOrder } from "./book.ts";
import { type Account, bond, type Collateral, general } from "./collateral.ts";
import type { MarketConfig } from "./market-config.ts";
import type { OrderPlan } from "./order.ts";
import type { Positions } from "./positions.ts";
import { Step, type World } from "./world.ts";

/** `market.liquidity.providers.fee.distributionTimeStep` in blocks of a second. */
const PAY_EVERY_BLOCKS = 600;

export interface LiquidityPlan {
  readonly party: string;
  readonly commitment: bigint;
  readonly fee: string;
  readonly reference: string;
  /** Distance of the orders from the best price, and their size, in market decimals. */
  readonly offset: bigint;
  readonly size: bigint;
}

/** The market that is provided for. */
interface ProvidedMarket {
  readonly config: MarketConfig;
  readonly book: Book;
  readonly positions: Positions;
  readonly isOpen: boolean;
  makeOrder(plan: OrderPlan, liquidityProvisionId: string): LiveOrder;
  tellOrder(order: LiveOrder, status: number): void;
  account(type: number): Account;
}

export class Liquidity {
  private plan: LiquidityPlan | undefined;
  private id = "";
  private status = 0;
  private version = 0n;
  private createdAt = 0n;
  private orders: LiveOrder[] = [];

  constructor(
    private readonly world: World,
    private readonly collateral: Collateral,
    private readonly market: ProvidedMarket,
  ) {
    world.every(Step.markets, () => {
      if (this.market.isOpen && world.height % PAY_EVERY_BLOCKS === 0) this.payFees();
    });
  }

  get commitment(): bigint {
    return this.plan?.commitment ?? 0n;
  }

  /** Runs inside the transaction of the commitment. */
  submit(plan: LiquidityPlan): void {
    this.id = this.world.newId("liquidity provision");
    this.createdAt = this.world.now;
    this.secure(plan.party, plan.commitment);
    this.plan = plan;
    this.tell(LiquidityProvisionStatus.STATUS_PENDING);
  }

  amend(commitment: bigint): void {
    const plan = this.plan!;
    this.secure(plan.party, commitment - plan.commitment);
    this.withdrawOrders(OrderStatus.STATUS_CANCELLED);
    this.plan = { ...plan, commitment };
    this.tell(LiquidityProvisionStatus.STATUS_UNDEPLOYED);
    this.deploy();
  }

  /** Puts the orders on the book; runs when the market opens. */
  deploy(): void {
    const { plan, market } = this;
    if (!plan) return;
    const sides = [
      [Side.SIDE_BUY, PeggedReference.PEGGED_REFERENCE_BEST_BID, -plan.offset],
      [Side.SIDE_SELL, PeggedReference.PEGGED_REFERENCE_BEST_ASK, plan.offset],
    ] as const;
    this.orders = sides.map(([side, reference, away]) => {
      const price = market.book.best(side) + away;
      const peggedOrder = { reference, offset: String(plan.offset) };
      const order = market.makeOrder(
        { party: plan.party, side, price, size: plan.size, peggedOrder },
        this.id,
      );
      market.positions.hold(plan.party, order);
      market.book.add(order);
      market.tellOrder(order, OrderStatus.STATUS_ACTIVE);
      return order;
    });
    this.tell(LiquidityProvisionStatus.STATUS_ACTIVE);
  }

  payFees(): void {
    if (!this.plan) return;
    const from = this.market.account(AccountType.ACCOUNT_TYPE_FEES_LIQUIDITY);
    const amount = this.collateral.balance(from);
    if (amount === 0n) return;
    const to = general(this.plan.party, this.market.config.asset);
    this.collateral.move([{ from, to, amount, type: TransferType.TRANSFER_TYPE_LIQUIDITY_FEE_DISTRIBUTE }]);
  }

  /** The market has ended. */
  close(): void {
    if (!this.plan) return;
    this.secure(this.plan.party, -this.plan.commitment);
    this.withdrawOrders(OrderStatus.STATUS_STOPPED);
    this.tell(LiquidityProvisionStatus.STATUS_STOPPED);
    this.plan = undefined;
  }

  shares() {
    if (!this.plan || this.status !== LiquidityProvisionStatus.STATUS_ACTIVE) return [];
    const averageEntryValuation = String(this.plan.commitment);
    return [{ party: this.plan.party, equityLikeShare: "1", averageEntryValuation, averageScore: "1" }];
  }

  private withdrawOrders(status: number): void {
    for (const order of this.orders.filter((o) => o.status === OrderStatus.STATUS_ACTIVE)) {
      this.market.book.remove(order);
      this.market.tellOrder(order, status);
    }
  }

  /** Into the bond account, or out of it when `by` is negative. */
  private secure(party: string, by: bigint): void {
    const { asset, id } = this.market.config;
    const purse = general(party, asset);
    const own = bond(party, asset, id);
    const [from, to] = by > 0n ? [purse, own] : [own, purse];
    const type = by > 0n ? TransferType.TRANSFER_TYPE_BOND_LOW : TransferType.TRANSFER_TYPE_BOND_HIGH;
    this.collateral.move([{ from, to, amount: by > 0n ? by : -by, type }]);
  }

  private tell(status: number): void {
    const plan = this.plan!;
    this.status = status;
    this.version++;
    const of = (side: number) =>
      this.orders
        .filter((order) => order.side === side)
        .map((order) => ({
          orderId: order.id,
          liquidityOrder: {
            reference: order.peggedOrder!.reference,
            proportion: 1,
            offset: String(plan.offset),
          },
        }));
    this.world.emit({
      liquidityProvision: {
        id: this.id,
        partyId: plan.party,
        createdAt: this.createdAt,
        updatedAt: this.world.now,
        marketId: this.market.config.id,
        commitmentAmount: String(plan.commitment),
        fee: plan.fee,
        sells: of(Side.SIDE_SELL),
        buys: of(Side.SIDE_BUY),
        version: this.version,
        status,
        reference: plan.reference,
      },
    });
  }
}
