/** A market that trades for ages: what its state comes to, step after step. */
import { AccountType, DispatchMetric } from "../../../src/wire/generated/vega.ts";
import { Dice } from "../../simulation/markets/dice.ts";
import { createMarketRig, idOf, type MarketRig } from "./rig.ts";

/** Steps are windows of the market's value, epochs with rewards, or blocks a second apart. */
export type LongRunKind = "windows" | "epochs" | "blocks";

const STEP_SECONDS = { windows: 61, epochs: 11, blocks: 1 } as const;
const PARTIES = ["maker", "taker", "other", "third"].map(idOf);
const PROVIDERS = ["near", "far"].map(idOf);
const FUNDER = idOf("funder");
const MARKET = "M";
const MIDDLE = 100_000;
const DEPOSIT = 10n ** 24n;
const COMMITMENT = 10n ** 7n;

/** An amount of 256 bits, a point, and the decimals that state keeps at most. */
export const DIGITS_MAX = 78 + 1 + 64;

export interface StateSize {
  readonly entries: number;
  readonly characters: number;
  /** Digits of the longest number. */
  readonly digits: number;
}

export class LongRun {
  readonly rig: MarketRig;
  private readonly dice = new Dice(7);
  private price = MIDDLE;
  private steps = 0;

  constructor(private readonly kind: LongRunKind) {
    const isOfEpochs = kind === "epochs";
    this.rig = createMarketRig({
      assets: { ETH: { decimals: 5 } },
      keepsEvents: false,
      parameters: {
        "market.value.windowLength": "1m",
        "market.fee.factors.makerFee": "0.0002",
        "market.fee.factors.infrastructureFee": "0.0005",
        "market.liquidity.providers.fee.distributionTimeStep": "7s",
        "network.markPriceUpdateMaximumFrequency": "3s",
        "network.floatingPointUpdates.delay": "20s",
        "transfer.fee.factor": "0",
        "transfer.minTransferQuantumMultiple": "0",
        "rewards.marketCreationQuantumMultiple": "10000",
        "validators.epoch.length": isOfEpochs ? "10s" : "24h",
      },
    });
    const { rig } = this;
    rig.createMarket(MARKET, this.config(1));
    for (const party of [...PARTIES, ...PROVIDERS, FUNDER]) rig.deposit(party, "ETH", DEPOSIT);
    const [maker, taker] = PARTIES as [string, string];
    for (const [party, side, price] of [
      [maker, "buy", MIDDLE - 500],
      [taker, "sell", MIDDLE + 500],
      [maker, "buy", MIDDLE],
      [taker, "sell", MIDDLE],
    ] as const)
      rig.order(party, MARKET, side, 1, price);
    for (const [at, party] of PROVIDERS.entries()) this.provide(party, 10 + 200 * at);
    rig.nextBlock(1, 3);
    if (isOfEpochs) this.fund();
  }

  /** This many steps. @throws what the engine has not meant */
  play(steps: number): void {
    for (let i = 0; i < steps; i++) {
      this.steps++;
      this.trade();
      if (this.kind === "windows" && this.steps % 4 === 0) this.resize();
      if (this.kind === "blocks") this.disturb();
      // An epoch ends with one block, and the next begins with another.
      this.rig.nextBlock(STEP_SECONDS[this.kind], this.kind === "epochs" ? 2 : 1);
      if (this.rig.faults.length > 0) throw this.rig.faults[0];
    }
  }

  size(): StateSize {
    let [entries, characters, digits] = [0, 0, 0];
    for (const { key, value } of this.rig.engine.state.entries()) {
      entries++;
      characters += key.length + value.length;
      for (const [number] of value.matchAll(/\d+(?:\.\d+)?/g)) digits = Math.max(digits, number.length);
    }
    return { entries, characters, digits };
  }

  private config(linearSlippage: number) {
    return {
      asset: "ETH",
      decimals: 2,
      positionDecimals: 3,
      logNormal: { lambda: 0.001, tau: 0.0001, sigma: 1.5 },
      linearSlippage: String(linearSlippage),
      lpPriceRange: "0.5",
      targetStake: { windowSeconds: 30, scaling: 0.00001 },
      // Without triggers prices wait for those of an update.
      triggers:
        this.kind === "epochs"
          ? []
          : [
              { horizon: 60, probability: 0.999, extension: 2 },
              { horizon: 100, probability: 0.9999, extension: 3 },
            ],
    };
  }

  private shape(offset: number) {
    const side = (reference: number) => [
      { reference, offset: String(offset), proportion: 2 },
      { reference: 1, offset: String(offset + 700), proportion: 1 },
    ];
    return { buys: side(2), sells: side(3) };
  }

  private provide(party: string, offset: number): void {
    this.rig.provide(party, MARKET, { commitment: COMMITMENT, fee: "0.001", ...this.shape(offset) });
  }

  /** Quotes around a price that wanders, and trades with them. */
  private trade(): void {
    const { rig, dice } = this;
    this.price += dice.below(101) - 50 + Math.sign(MIDDLE - this.price);
    const [maker, taker, other, third] = PARTIES as [string, string, string, string];
    rig.cancel(maker, MARKET);
    for (const [side, sign] of [
      ["buy", -1],
      ["sell", 1],
    ] as const) {
      for (const depth of this.kind === "windows" ? [40] : [40, 90, 500])
        rig.order(maker, MARKET, side, 10 + dice.below(20), this.price + sign * depth);
      if (this.kind === "windows") continue;
      rig.order(other, MARKET, side, 3, undefined, {
        timeInForce: 2,
        expiresAt: rig.nowNs + 5_000_000_000n,
        peg: { reference: sign < 0 ? 2 : 3, offset: "20" },
      });
    }
    rig.order(
      dice.isOne(2) ? taker : third,
      MARKET,
      dice.isOne(2) ? "buy" : "sell",
      1 + dice.below(30),
      undefined,
    );
  }

  /** A commitment falls and rises again. */
  private resize(): void {
    for (const commitment of [COMMITMENT - 777n, COMMITMENT])
      this.rig.deliver(PROVIDERS[0]!, {
        kind: "liquidityProvisionAmendment",
        payload: {
          marketId: idOf(MARKET),
          commitmentAmount: commitment.toString(),
          fee: "0",
          reference: "r",
          ...this.shape(10),
        },
      });
  }

  /** Auctions, updates, provisions that come and go. */
  private disturb(): void {
    const { rig, steps } = this;
    const [, , , third] = PARTIES as [string, string, string, string];
    if (steps % 50 === 0) rig.order(third, MARKET, "buy", 500, this.price + 1_500);
    if (steps % 50 === 1) rig.cancel(third, MARKET);
    if (steps % 90 === 0) this.resize();
    if (steps % 130 === 0) rig.cancelProvision(PROVIDERS[1]!, MARKET);
    if (steps % 130 === 5) this.provide(PROVIDERS[1]!, 210);
    if (steps % 400 === 0) rig.updateMarket(MARKET, this.config(1 + (steps % 3)));
  }

  /** Each epoch's end pays rewards for the market's fees. */
  private fund(): void {
    const {
      DISPATCH_METRIC_MAKER_FEES_PAID: paid,
      DISPATCH_METRIC_LP_FEES_RECEIVED: received,
      DISPATCH_METRIC_MARKET_VALUE: value,
    } = DispatchMetric;
    for (const [toAccountType, metric] of [
      [AccountType.ACCOUNT_TYPE_REWARD_MAKER_PAID_FEES, paid],
      [AccountType.ACCOUNT_TYPE_REWARD_LP_RECEIVED_FEES, received],
      [AccountType.ACCOUNT_TYPE_REWARD_MARKET_PROPOSERS, value],
    ] as const)
      this.rig.deliver(FUNDER, {
        kind: "transfer",
        payload: {
          fromAccountType: AccountType.ACCOUNT_TYPE_GENERAL,
          to: "0".repeat(64),
          toAccountType,
          asset: idOf("ETH"),
          amount: "1000000",
          recurring: {
            startEpoch: this.rig.engine.domains.epochs.current.seq,
            factor: "0.9999",
            dispatchStrategy: { assetForMetric: idOf("ETH"), metric, markets: [] },
          },
        },
      });
  }
}
