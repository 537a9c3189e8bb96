// Exact decimals: sums, differences and products are exact, divisions keep 16 decimals and round half away from
// zero, as the original's decimal type does
// (docs/protocol/20-network-history-tables.md#36-how-positions-rows-are-computed;
// docs/protocol/60-state-engine-blocks.md#conventions). Not a general library.
import { absolute, compare } from "./arithmetic.ts";

const DIVISION_SCALE = 16;
const FORM = /^([+-]?)(\d*)(?:\.(\d*))?$/;
const EXPONENT_FORM = /^([+-]?\d*\.?\d*)[eE]([+-]?\d{1,4})$/;
/** Far above sums and products of events' decimals (store/field.ts), so that every stored position can be read back. */
const CHARACTERS_MAX = 4_000;

/** Powers of ten, from 0; every sum and comparison needs some. */
const TENS = Array.from({ length: 64 }, (_, places) => 10n ** BigInt(places));
const tenTo = (places: number): bigint => TENS[places] ?? 10n ** BigInt(places);

export class Decimal {
  private constructor(
    private readonly coefficient: bigint,
    /** Number of decimals. */
    private readonly scale: number,
  ) {}

  static readonly zero = new Decimal(0n, 0);
  static readonly one = new Decimal(1n, 0);

  static of(value: bigint): Decimal {
    return new Decimal(value, 0);
  }

  /** The value times 10^-places, exactly. */
  static shifted(value: bigint, places: number): Decimal {
    return places >= 0 ? new Decimal(value, places) : new Decimal(value * tenTo(-places), 0);
  }

  /** Empty text is zero. @throws Error for text that is not a plain decimal */
  static parse(text: string): Decimal {
    if (text === "") return Decimal.zero;
    const match = FORM.exec(text);
    if (!match || text.length > CHARACTERS_MAX || (match[2] === "" && !match[3])) {
      throw new Error(`not a decimal number: '${text.slice(0, 60)}'`);
    }
    const fraction = match[3] ?? "";
    const magnitude = BigInt(match[2]! + fraction);
    return new Decimal(match[1] === "-" ? -magnitude : magnitude, fraction.length);
  }

  /** As `parse`, and with an exponent too: `1e-8`. @throws Error */
  static parseNumber(text: string): Decimal {
    const match = EXPONENT_FORM.exec(text);
    if (!match) return Decimal.parse(text);
    const mantissa = Decimal.parse(match[1]!);
    const exponent = Number(match[2]);
    if (exponent >= 0) return new Decimal(mantissa.coefficient * tenTo(exponent), mantissa.scale);
    return new Decimal(mantissa.coefficient, mantissa.scale - exponent);
  }

  plus(other: Decimal): Decimal {
    const scale = Math.max(this.scale, other.scale);
    return new Decimal(this.at(scale) + other.at(scale), scale);
  }

  minus(other: Decimal): Decimal {
    return this.plus(other.negated());
  }

  times(other: Decimal): Decimal {
    return new Decimal(this.coefficient * other.coefficient, this.scale + other.scale);
  }

  /** Quotient with 16 decimals. @throws RangeError for a zero divisor */
  dividedBy(other: Decimal): Decimal {
    const shift = DIVISION_SCALE + other.scale - this.scale;
    const numerator = shift >= 0 ? this.coefficient * tenTo(shift) : this.coefficient;
    const denominator = shift >= 0 ? other.coefficient : other.coefficient * tenTo(-shift);
    return new Decimal(divideRounded(numerator, denominator), DIVISION_SCALE);
  }

  negated(): Decimal {
    return new Decimal(-this.coefficient, this.scale);
  }

  isZero(): boolean {
    return this.coefficient === 0n;
  }

  isPositive(): boolean {
    return this.coefficient > 0n;
  }

  /** Negative if this is less than the other, zero if equal, positive if greater. */
  compare(other: Decimal): number {
    const scale = Math.max(this.scale, other.scale);
    return compare(this.at(scale), other.at(scale));
  }

  isLess(other: Decimal): boolean {
    return this.compare(other) < 0;
  }

  equals(other: Decimal): boolean {
    return this.compare(other) === 0;
  }

  min(other: Decimal): Decimal {
    return this.isLess(other) ? this : other;
  }

  max(other: Decimal): Decimal {
    return this.isLess(other) ? other : this;
  }

  /** This to the power of `times`, exactly. @param times 0 or more */
  power(times: bigint): Decimal {
    return new Decimal(this.coefficient ** times, Number(BigInt(this.scale) * times));
  }

  /** The whole part, cut toward zero. */
  truncated(): bigint {
    return this.scale === 0 ? this.coefficient : this.coefficient / tenTo(this.scale);
  }

  /** The largest whole number that is not above this. */
  floor(): bigint {
    const whole = this.truncated();
    return this.isNegative() && whole * tenTo(this.scale) !== this.coefficient ? whole - 1n : whole;
  }

  /** The smallest whole number that is not below this. */
  ceiling(): bigint {
    const whole = this.truncated();
    return this.isPositive() && whole * tenTo(this.scale) !== this.coefficient ? whole + 1n : whole;
  }

  absolute(): Decimal {
    return this.isNegative() ? this.negated() : this;
  }

  isNegative(): boolean {
    return this.coefficient < 0n;
  }

  /** Nearest whole number, halves away from zero. */
  rounded(): bigint {
    return divideRounded(this.coefficient, tenTo(this.scale));
  }

  /** Plain decimal without trailing zeros. */
  toString(): string {
    const digits = absolute(this.coefficient)
      .toString()
      .padStart(this.scale + 1, "0");
    const whole = digits.slice(0, digits.length - this.scale);
    const fraction = digits.slice(digits.length - this.scale).replace(/0+$/, "");
    const text = fraction === "" ? whole : `${whole}.${fraction}`;
    return this.coefficient < 0n ? `-${text}` : text;
  }

  private at(scale: number): bigint {
    return scale === this.scale ? this.coefficient : this.coefficient * tenTo(scale - this.scale);
  }
}

function divideRounded(numerator: bigint, denominator: bigint): bigint {
  const negative = numerator < 0n !== denominator < 0n;
  const n = absolute(numerator);
  const d = absolute(denominator);
  const quotient = (2n * n + d) / (2n * d);
  return negative ? -quotient : quotient;
}
