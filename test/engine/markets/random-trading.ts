// Random commands of a handful of parties in one market, and what must hold after every block.
import { SECOND_NS } from "../../../src/wire/time-text.ts";
import { Dice } from "../../simulation/markets/dice.ts";
import { createMarketRig, idOf, type MarketRig, type RigMarket } from "./rig.ts";

const PARTIES = ["a", "b", "c", "d", "e", "poor"];
const ASSET_DECIMALS = 3;

function configOf(dice: Dice): Omit<RigMarket, "asset"> {
  return {
    ...(dice.below(2) === 0
      ? { simple: { long: 0.11, short: 0.12, up: 20, down: -20 } }
      : { logNormal: { lambda: 0.001, tau: 0.0001, sigma: 1.5 } }),
    decimals: dice.below(3),
    positionDecimals: dice.below(5) - 2,
    linearSlippage: dice.one(["0", "0.01", "1"]),
    quadraticSlippage: dice.one(["0", "0.001"]),
    lpPriceRange: dice.one(["0.1", "0.5", "1"]),
    triggers: dice.below(2) === 0 ? [] : [{ horizon: 10, probability: 0.95, extension: 2 }],
    targetStake: { windowSeconds: 20, scaling: dice.one([0.001, 0.1, 1]) },
    triggeringRatio: dice.one(["0", "0.5"]),
  };
}

export class RandomTrading {
  readonly rig: MarketRig;
  readonly dice: Dice;
  private readonly ids: string[] = [];
  private isOver = false;

  constructor(readonly seed: number) {
    this.dice = new Dice(seed);
    const { dice } = this;
    this.rig = createMarketRig({
      assets: { ETH: { decimals: ASSET_DECIMALS } },
      parameters: {
        "market.fee.factors.makerFee": dice.one(["0", "0.001"]),
        "market.fee.factors.infrastructureFee": dice.one(["0", "0.0005"]),
        "market.liquidity.bondPenaltyParameter": dice.one(["0", "0.5", "1"]),
        "network.markPriceUpdateMaximumFrequency": dice.one(["0s", "2s"]),
        "market.liquidity.providers.fee.distributionTimeStep": dice.one(["0s", "3s"]),
        "market.value.windowLength": "1m",
      },
    });
    this.rig.createMarket("M", { asset: "ETH", ...configOf(dice) });
    for (const party of PARTIES) this.rig.deposit(party, "ETH", party === "poor" ? 30_000n : 50_000_000n);
    for (let i = 0; i < 4; i++) this.quote();
    this.provision("a");
  }

  /** This many commands, with blocks between them. @throws Error where something does not hold */
  play(commands: number): void {
    for (let i = 0; i < commands; i++) {
      this.command();
      if (this.dice.below(4) === 0) this.endBlock();
    }
    this.endBlock();
  }

  /** Ends trading and settles. */
  settle(): void {
    this.rig.terminate();
    this.endBlock();
    this.rig.settle(this.dice.below(300));
    this.endBlock();
    this.isOver = true;
    this.endBlock();
  }

  endBlock(): void {
    const { rig } = this;
    rig.nextBlock(1 + this.dice.below(2));
    if (rig.faults.length > 0) throw new Error(`seed ${this.seed}: ${(rig.faults[0] as Error).stack}`);
    if (!this.isOver && rig.hasMarket("M")) this.check();
  }

  private check(): void {
    const market = this.rig.market("M");
    const demand = (holds: boolean, what: string) => {
      if (!holds) throw new Error(`seed ${this.seed}, height ${this.rig.engine.core.height}: ${what}`);
    };
    const positions = market.parts.positions.list();
    const sum = positions.reduce((all, { size }) => all + size, 0n);
    demand(sum === 0n || market.parts.settlement.hasTradesOf("network"), `positions sum to ${sum}`);
    const open = positions.reduce((all, { size }) => all + (size > 0n ? size : 0n), 0n);
    demand(
      market.context.status.openInterest === open,
      `open interest ${market.context.status.openInterest}, positions ${open}`,
    );
    const bid = market.context.book.best(1)?.price ?? 0n;
    const ask = market.context.book.best(2)?.price;
    demand(
      !market.context.canTrade || market.context.isInAuction || ask === undefined || bid < ask,
      `the book is crossed: ${bid} and ${ask}`,
    );
    for (const { party, buy, sell, buySum, sellSum } of positions) {
      const orders = market.parts.liveOrders.ofParty(party).filter(({ place }) => place > 0);
      const volume = (side: number) =>
        orders.filter((order) => order.side === side).reduce((all, { remaining }) => all + remaining, 0n);
      const value = (side: number) =>
        orders
          .filter((order) => order.side === side)
          .reduce((all, { remaining, price }) => all + remaining * price, 0n);
      demand(
        buy === volume(1) && sell === volume(2),
        `${party} has ${buy}/${sell}, and orders ${volume(1)}/${volume(2)}`,
      );
      demand(
        buySum === value(1) && sellSum === value(2),
        `the value of ${party}'s orders is not that of the book`,
      );
    }
    for (const { balance, type } of this.rig.accounts()) {
      demand(balance >= 0n, "an account is below zero");
      demand(type !== 2 || balance === 0n, "the settlement account holds money between blocks");
    }
  }

  private command(): void {
    const { dice } = this;
    const kind = dice.below(20);
    if (kind < 9) this.order();
    else if (kind < 12) this.amend();
    else if (kind < 15) this.cancel();
    else if (kind < 16) this.provision(dice.one(["a", "b", "poor"]));
    else if (kind < 17) this.changeProvision();
    else if (kind < 19) this.quote();
    else this.batch();
  }

  private price(): bigint {
    return BigInt(80 + this.dice.below(41));
  }

  private quote(): void {
    const price = this.price();
    const [buyer, seller] = [this.dice.one(["c", "d"]), "e"];
    this.keep(this.rig.order(buyer, "M", "buy", 1 + this.dice.below(5), price - 10n).id);
    this.keep(this.rig.order(seller, "M", "sell", 1 + this.dice.below(5), price + 10n).id);
    this.keep(this.rig.order(buyer, "M", "buy", 1, price).id);
    this.keep(this.rig.order(seller, "M", "sell", 1, price).id);
  }

  private submission() {
    const { dice } = this;
    const timeInForce = 1 + dice.below(6);
    const isMarket = (timeInForce === 3 || timeInForce === 4) && dice.below(3) === 0;
    const isPegged =
      !isMarket && timeInForce !== 3 && timeInForce !== 4 && timeInForce !== 5 && dice.below(4) === 0;
    const side = 1 + dice.below(2);
    const isImmediate = timeInForce === 3 || timeInForce === 4;
    return {
      marketId: idOf("M"),
      price: isMarket || isPegged ? "" : this.price().toString(),
      size: BigInt(1 + dice.below(30)),
      side,
      timeInForce,
      expiresAt: timeInForce === 2 ? this.rig.nowNs + BigInt(1 + dice.below(20)) * SECOND_NS : 0n,
      type: isMarket ? 2 : 1,
      reference: "",
      peggedOrder: isPegged
        ? { reference: dice.one(side === 1 ? [1, 2] : [1, 3]), offset: String(1 + dice.below(5)) }
        : undefined,
      postOnly: !isImmediate && dice.below(8) === 0,
      reduceOnly: isImmediate && dice.below(4) === 0,
    };
  }

  private order(): void {
    const party = this.dice.one(PARTIES);
    this.keep(this.rig.deliver(party, { kind: "orderSubmission", payload: this.submission() }).id);
  }

  private amendment(orderId: string) {
    const { dice } = this;
    return {
      orderId,
      marketId: idOf("M"),
      price: dice.below(2) === 0 ? this.price().toString() : undefined,
      sizeDelta: BigInt(dice.below(21) - 10),
      timeInForce: dice.one([0, 0, 0, 1, 2, 3]),
      expiresAt: dice.below(4) === 0 ? this.rig.nowNs + BigInt(dice.below(10)) * SECOND_NS : undefined,
      peggedOffset: dice.below(6) === 0 ? String(1 + dice.below(5)) : "",
    };
  }

  private amend(): void {
    const id = this.known();
    const payload = this.amendment(id);
    this.rig.deliver(this.ownerOf(id), { kind: "orderAmendment", payload });
  }

  private cancel(): void {
    const id = this.known();
    const payload = this.dice.below(8) === 0 ? { marketId: idOf("M") } : { marketId: idOf("M"), orderId: id };
    this.rig.deliver(this.ownerOf(id), { kind: "orderCancellation", payload });
  }

  private batch(): void {
    const party = this.dice.one(PARTIES);
    const payload = {
      cancellations: [{ orderId: this.known(), marketId: idOf("M") }],
      amendments: [this.amendment(this.known())],
      submissions: [this.submission(), this.submission()],
    };
    this.keep(this.rig.deliver(party, { kind: "batchMarketInstructions", payload }).id);
  }

  private shape(side: "buy" | "sell") {
    const { dice } = this;
    return Array.from({ length: 1 + dice.below(2) }, () => ({
      reference: dice.one(side === "buy" ? [1, 2] : [1, 3]),
      offset: String(1 + dice.below(20)),
      proportion: 1 + dice.below(3),
    }));
  }

  private provision(party: string): void {
    const payload = {
      marketId: idOf("M"),
      commitmentAmount: String(1_000 + this.dice.below(3_000_000)),
      fee: this.dice.one(["0", "0.001", "0.01"]),
      buys: this.shape("buy"),
      sells: this.shape("sell"),
      reference: "",
    };
    this.rig.deliver(party, { kind: "liquidityProvisionSubmission", payload });
  }

  private changeProvision(): void {
    const { dice } = this;
    const party = dice.one(["a", "b", "poor"]);
    if (dice.below(2) === 0) {
      this.rig.deliver(party, { kind: "liquidityProvisionCancellation", payload: { marketId: idOf("M") } });
      return;
    }
    const payload = {
      marketId: idOf("M"),
      commitmentAmount: dice.below(2) === 0 ? String(1_000 + dice.below(3_000_000)) : "",
      fee: dice.below(2) === 0 ? "0.002" : "",
      buys: dice.below(2) === 0 ? this.shape("buy") : [],
      sells: [],
      reference: "r",
    };
    this.rig.deliver(party, { kind: "liquidityProvisionAmendment", payload });
  }

  private keep(id: string): void {
    this.ids.push(id);
  }

  private known(): string {
    const recent = this.ids.slice(-40);
    return recent.length === 0 ? idOf("none") : this.dice.one(recent);
  }

  private ownerOf(id: string): string {
    return this.rig.liveOrder(id)?.party ?? this.dice.one(PARTIES);
  }
}
