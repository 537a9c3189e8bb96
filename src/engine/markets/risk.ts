/**
 * Risk models (docs/protocol/70-trading-positions.md#52-risk-factors,
 * docs/protocol/70-trading-liquidity.md#77-distribution and #81-price-monitoring). They alone calculate with floating
 * point, by normal.ts; their results are decimals of the shortest text, so that the state does not depend on how
 * numbers are printed.
 */
import { Decimal } from "../../wire/decimal.ts";
import type { TradableInstrument } from "../../wire/generated/vega.ts";
import { exponential, logarithm } from "./elementary.ts";
import { cumulative, quantile } from "./normal.ts";

/** Seconds of a year, for a horizon as a part of it. */
const YEAR_SECONDS = 31_557_600;

interface RiskFactors {
  readonly long: string;
  readonly short: string;
}

/** Prices between which the model expects the price to be. */
interface PriceRange {
  readonly min: Decimal;
  readonly max: Decimal;
}

export interface RiskModel {
  readonly factors: RiskFactors;
  /** @param probability of a price inside of the range */
  priceRange(reference: Decimal, horizonSeconds: number, probability: number): PriceRange;
  /** Probability that a price is reached, from 0 to 1. @param side of the best price from which one looks @param scaling of tau */
  reaches(price: number, best: number, isBid: boolean, scaling: number): number;
}

const text = (value: number): string => Decimal.parseNumber(String(value)).toString();
/** Beyond any price, as for a horizon of centuries. */
const PRICE_MAX = 1e300;
const toDecimal = (value: number): Decimal =>
  Decimal.parseNumber(String(Math.min(PRICE_MAX, Math.max(0, value))));
const toNumber = (value: Decimal): number => Number(value.toString());

export function riskModelOf(
  instrument: Pick<TradableInstrument, "logNormalRiskModel" | "simpleRiskModel">,
): RiskModel {
  const { logNormalRiskModel: model, simpleRiskModel } = instrument;
  if (model !== undefined) {
    const { riskAversionParameter, tau, params } = model;
    return new LogNormalModel(riskAversionParameter, tau, params!.mu, params!.sigma);
  }
  return new SimpleModel(simpleRiskModel!.params!);
}

class LogNormalModel implements RiskModel {
  constructor(
    private readonly lambda: number,
    private readonly tau: number,
    private readonly mu: number,
    private readonly sigma: number,
  ) {}

  get factors(): RiskFactors {
    const { lambda, tau, mu, sigma } = this;
    const scale = exponential(mu * tau) / lambda;
    const deviation = sigma * Math.sqrt(tau);
    return {
      long: text(1 - scale * cumulative(quantile(lambda) - deviation)),
      short: text(scale * (1 - cumulative(quantile(1 - lambda) - deviation)) - 1),
    };
  }

  priceRange(reference: Decimal, horizonSeconds: number, probability: number): PriceRange {
    const years = horizonSeconds / YEAR_SECONDS;
    const mean = logarithm(toNumber(reference)) + (this.mu - (this.sigma * this.sigma) / 2) * years;
    const deviation = this.sigma * Math.sqrt(years);
    // A deviation of 0 times the infinite quantile of a certainty would be NaN.
    const at = (part: number) =>
      toDecimal(exponential(mean + (deviation === 0 ? 0 : deviation * quantile(part))));
    return { min: at((1 - probability) / 2), max: at((1 + probability) / 2) };
  }

  reaches(price: number, best: number, isBid: boolean, scaling: number): number {
    const years = this.tau * scaling;
    const mean = logarithm(best) + (this.mu - (this.sigma * this.sigma) / 2) * years;
    const deviation = this.sigma * Math.sqrt(years);
    const below = (x: number) => (x <= 0 ? 0 : cumulative((logarithm(x) - mean) / deviation));
    const [min, max] = isBid ? [0, best] : [best, 6 * best];
    if (price < min || price > max) return 0;
    const whole = below(max) - below(min);
    const part = isBid ? below(price) - below(min) : below(max) - below(price);
    // Without a deviation the price at the mean has no number.
    return whole > 0 && part > 0 ? part / whole : 0;
  }
}

interface SimpleParams {
  readonly factorLong: number;
  readonly factorShort: number;
  readonly maxMoveUp: number;
  readonly minMoveDown: number;
  readonly probabilityOfTrading: number;
}

class SimpleModel implements RiskModel {
  constructor(private readonly params: SimpleParams) {}

  get factors(): RiskFactors {
    return { long: text(this.params.factorLong), short: text(this.params.factorShort) };
  }

  priceRange(reference: Decimal): PriceRange {
    const down = Decimal.parseNumber(String(Math.abs(this.params.minMoveDown)));
    const up = Decimal.parseNumber(String(this.params.maxMoveUp));
    return { min: reference.minus(down).max(Decimal.zero), max: reference.plus(up) };
  }

  reaches(): number {
    return this.params.probabilityOfTrading;
  }
}

/** Whether margins and price ranges are worked out alike. */
export function hasSameModel(a: TradableInstrument, b: TradableInstrument): boolean {
  const text = (of: TradableInstrument) => JSON.stringify([of.logNormalRiskModel, of.simpleRiskModel]);
  return text(a) === text(b);
}
