// The traders of the sample: two makers with quotes, a liquidity provider, and five takers.
import { OrderTimeInForce, Side } from "../../src/wire/generated/vega.ts";
import type { LiveOrder } from "./book.ts";
import { DOLLAR, PARTY } from "./cast.ts";
import type { Market } from "./market.ts";
import { dataSources, METEOR } from "./market-config.ts";
import type { OrderPlan } from "./order.ts";
import { Dice } from "./seeded.ts";
import type { Stage } from "./stage.ts";
import { Step, type World } from "./world.ts";

const SEED = 20_260_105;

interface Style {
  readonly market: Market;
  /** First and last height of trading. */
  readonly open: number;
  readonly last: number;
  /** Blocks between two actions. */
  readonly pause: number;
  /** Half the distance of the quotes, in market decimals. */
  readonly spread: bigint;
  readonly quoteSize: bigint;
  readonly takeMax: number;
}

export function planTrading(stage: Stage): void {
  const { world, comet, meteor } = stage;
  const dice = new Dice(SEED);
  const cometStyle = {
    market: comet,
    open: 225,
    last: 3_000,
    pause: 74,
    spread: 250n,
    quoteSize: 4_000n,
    takeMax: 900,
  };
  const meteorStyle = {
    market: meteor,
    open: 405,
    last: 2_290,
    pause: 140,
    spread: 500_000n,
    quoteSize: 20n,
    takeMax: 5,
  };
  for (const style of [cometStyle, meteorStyle]) {
    planOpening(world, style);
    planLiquidity(world, style);
    new Floor(world, dice, style).plan();
  }
  planOddOrders(stage);
  planEnd(world, meteor);
}

function planOpening(world: World, { market, open, spread, quoteSize }: Style): void {
  const middle = market.config.openingPrice;
  const half = quoteSize / 10n;
  const orders: readonly OrderPlan[] = [
    { party: PARTY.traders[0], side: Side.SIDE_BUY, price: middle, size: half, reference: "opening" },
    { party: PARTY.traders[1], side: Side.SIDE_SELL, price: middle, size: half, reference: "opening" },
    { party: PARTY.traders[2], side: Side.SIDE_BUY, price: middle - spread * 8n, size: half },
    { party: PARTY.traders[3], side: Side.SIDE_SELL, price: middle + spread * 8n, size: half },
  ];
  for (const [i, plan] of orders.entries()) submit(world, market, open - 30 + i * 3, plan);
}

function planLiquidity(world: World, { market, open, last, spread, quoteSize }: Style): void {
  const commitment = 20_000n * DOLLAR;
  const party = PARTY.provider;
  const order = (reference: number, offset: bigint) => ({ reference, proportion: 1, offset: String(offset) });
  const offset = spread * 30n;
  const content = {
    marketId: market.config.id,
    commitmentAmount: String(commitment),
    fee: "0.001",
    reference: "steady hands",
    buys: [order(2, offset)],
    sells: [order(3, offset)],
  };
  const plan = { party, commitment, fee: "0.001", reference: "steady hands", offset, size: quoteSize };
  world.transaction(open - 50, { party, command: { liquidityProvisionSubmission: content } }, () =>
    market.liquidity.submit(plan),
  );
  const more = { marketId: market.config.id, commitmentAmount: String(commitment + 5_000n * DOLLAR) };
  const half = Math.floor((open + last) / 2);
  world.transaction(half, { party, command: { liquidityProvisionAmendment: more } }, () =>
    market.liquidity.amend(commitment + 5_000n * DOLLAR),
  );
}

function submit(world: World, market: Market, height: number, plan: OrderPlan): void {
  world.transaction(height, { party: plan.party }, () => {
    market.place(plan);
  });
}

function submission(market: Market, plan: OrderPlan) {
  return {
    orderSubmission: {
      marketId: market.config.id,
      price: plan.price === 0n ? "" : String(plan.price),
      size: plan.size,
      side: plan.side,
      timeInForce: plan.timeInForce ?? (plan.price === 0n ? 3 : 1),
      expiresAt: plan.expiresAt ?? 0n,
      type: plan.price === 0n ? 2 : 1,
      reference: plan.reference ?? "",
      postOnly: plan.postOnly ?? false,
    },
  };
}

/** Quotes and takes of one market, by the dice. */
class Floor {
  private readonly quotes = new Map<string, LiveOrder>();
  private middle: bigint;

  constructor(
    private readonly world: World,
    private readonly dice: Dice,
    private readonly style: Style,
  ) {
    this.middle = style.market.config.openingPrice;
  }

  plan(): void {
    const { open, last, pause } = this.style;
    for (const [i, party] of [PARTY.makerNorth, PARTY.makerSouth].entries()) {
      for (const side of [Side.SIDE_BUY, Side.SIDE_SELL]) this.quote(open + 2 + i * 2, party, side);
    }
    for (let height = open + 10; height < last; height += this.dice.between(pause / 2, pause)) {
      const roll = this.dice.below(10);
      if (roll < 5) this.take(height);
      else if (roll < 9) this.requote(height);
      else this.rest(height, last);
    }
  }

  private quote(height: number, party: string, side: number): void {
    const key = `${party}${side}`;
    const plan = this.quotePlan(party, side);
    this.world.transaction(height, { party }, () => {
      this.quotes.set(key, this.style.market.place(plan));
    });
  }

  private quotePlan(party: string, side: number): OrderPlan {
    const { spread, quoteSize } = this.style;
    const away = party === PARTY.makerNorth ? spread : spread * 2n;
    const price = side === Side.SIDE_BUY ? this.middle - away : this.middle + away;
    return { party, side, price, size: quoteSize, reference: "quote" };
  }

  /** Moves the middle, and the quotes of one maker with it: what is left of the old ones is changed or replaced. */
  private requote(height: number): void {
    const { market, spread } = this.style;
    const pull = (market.config.openingPrice - this.middle) / 10n;
    this.middle += pull + (spread * BigInt(this.dice.between(-6, 6))) / 2n;
    const party = this.dice.pick([PARTY.makerNorth, PARTY.makerSouth]);
    for (const [i, side] of [Side.SIDE_BUY, Side.SIDE_SELL].entries()) {
      const plan = this.quotePlan(party, side);
      this.replace(height + i, plan, this.dice.below(3) > 0);
    }
  }

  private replace(height: number, plan: OrderPlan, keepsOrder: boolean): void {
    const { market } = this.style;
    const key = `${plan.party}${plan.side}`;
    this.world.transaction(height, { party: plan.party }, () => {
      if (!market.isOpen) return;
      const old = this.quotes.get(key);
      const safe = { ...plan, price: this.uncrossed(plan) };
      if (old && old.remaining > 0n && keepsOrder) {
        const sizeDelta = plan.size - old.remaining;
        market.amend(old, safe.price, sizeDelta);
        return;
      }
      if (old && old.remaining > 0n) market.cancel(old);
      this.quotes.set(key, market.place(safe));
    });
  }

  /** The price, or the nearest one that does not trade at once. */
  private uncrossed({ side, price }: OrderPlan): bigint {
    const { book } = this.style.market;
    if (side === Side.SIDE_BUY) {
      const ask = book.best(Side.SIDE_SELL);
      return ask > 0n && price >= ask ? ask - 1n : price;
    }
    const bid = book.best(Side.SIDE_BUY);
    return price <= bid ? bid + 1n : price;
  }

  private take(height: number): void {
    const { market, takeMax } = this.style;
    const party = this.dice.pick(PARTY.traders);
    const side = this.dice.pick([Side.SIDE_BUY, Side.SIDE_SELL]);
    const size = BigInt(this.dice.between(1, takeMax));
    submit(this.world, market, height, { party, side, price: 0n, size });
  }

  /** An order away from the middle that is given up, or expires. */
  private rest(height: number, last: number): void {
    const { market, spread, quoteSize } = this.style;
    const party = this.dice.pick(PARTY.traders);
    const side = this.dice.pick([Side.SIDE_BUY, Side.SIDE_SELL]);
    const away = spread * BigInt(this.dice.between(5, 12));
    const price = side === Side.SIDE_BUY ? this.middle - away : this.middle + away;
    const expires = this.dice.below(2) === 0 && height + 60 < last;
    const plan = {
      party,
      side,
      price,
      size: quoteSize / 8n,
      postOnly: true,
      ...(expires
        ? { timeInForce: OrderTimeInForce.TIME_IN_FORCE_GTT, expiresAt: this.world.timeAt(height + 50) }
        : {}),
    };
    let order: LiveOrder | undefined;
    this.world.transaction(height, { party }, () => {
      order = market.place({ ...plan, price: this.uncrossed(plan) });
    });
    if (expires || height + 40 >= last) return;
    this.world.transaction(height + 40, { party }, () => {
      if (order!.remaining > 0n) market.cancel(order!);
    });
  }
}

/** An order that its party cannot pay for. */
function planOddOrders({ world, comet }: Stage): void {
  const party = PARTY.saver;
  const plan = { party, side: Side.SIDE_BUY, price: comet.config.openingPrice, size: 100_000n };
  const failure = { name: "Submit Order", error: "OrderError: Margin Check Failed" };
  world.transaction(1_330, { party, command: submission(comet, plan), failure }, () => comet.refuse(plan));
}

/** The oracle speaks three times: a price too early, the end of trading, the last price. */
function planEnd(world: World, meteor: Market): void {
  const { settlement, termination } = dataSources(METEOR);
  const price = 262_500_000n;
  const speak = (height: number, spec: string, name: string, value: string, then?: () => void) => {
    const payload = Buffer.from(JSON.stringify({ [name]: value }));
    const command = { oracleDataSubmission: { source: 2, payload } };
    world.transaction(height, { party: PARTY.oracle, command }, () => {
      const data = {
        signers: [{ pubKey: { key: PARTY.oracle } }],
        data: [{ name, value }],
        matchedSpecIds: [spec],
        broadcastAt: world.now,
      };
      world.emit({ oracleData: { externalData: { data } } });
      then?.();
    });
  };
  speak(2_000, settlement.id, METEOR.settlementProperty, "251000000");
  speak(2_300, termination.id, METEOR.terminationProperty, "true", () => meteor.terminate());
  speak(2_310, settlement.id, METEOR.settlementProperty, String(price));
  world.at(2_311, Step.markets, () => meteor.settle(price));
}
