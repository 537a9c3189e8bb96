// Exact decimals of the naive market (docs/protocol/70-trading-scenarios.md#11-arithmetic-rules): sums and products are
// exact, a quotient has 16 digits.

/** digits · 10^-scale */
export class Decimal {
  private constructor(
    readonly digits: bigint,
    readonly scale: number,
  ) {}

  /** Numbers by their shortest text. */
  static of(value: bigint | number | string): Decimal {
    if (typeof value === "bigint") return new Decimal(value, 0);
    const [mantissa = "", exponent = "0"] = String(value).split("e");
    const [whole = "", fraction = ""] = mantissa.split(".");
    const scale = fraction.length - Number(exponent);
    const digits = BigInt(whole + fraction);
    return scale < 0 ? new Decimal(digits * tenTo(-scale), 0) : new Decimal(digits, scale);
  }

  plus(other: Decimal): Decimal {
    const scale = Math.max(this.scale, other.scale);
    return new Decimal(this.at(scale) + other.at(scale), scale);
  }

  minus(other: Decimal): Decimal {
    return this.plus(new Decimal(-other.digits, other.scale));
  }

  times(other: Decimal): Decimal {
    return new Decimal(this.digits * other.digits, this.scale + other.scale);
  }

  /** Quotient of 16 digits behind the point, rounded half away from zero. */
  over(other: Decimal): Decimal {
    const scale = Math.max(this.scale, other.scale);
    return new Decimal(roundedQuotient(this.at(scale) * tenTo(16), other.at(scale)), 16);
  }

  get sign(): number {
    return this.digits > 0n ? 1 : this.digits < 0n ? -1 : 0;
  }

  isBelow(other: Decimal): boolean {
    return this.minus(other).sign < 0;
  }

  max(other: Decimal): Decimal {
    return this.isBelow(other) ? other : this;
  }

  min(other: Decimal): Decimal {
    return this.isBelow(other) ? this : other;
  }

  abs(): Decimal {
    return new Decimal(this.digits < 0n ? -this.digits : this.digits, this.scale);
  }

  /** Toward zero. */
  trunc(): bigint {
    return this.digits / tenTo(this.scale);
  }

  floor(): bigint {
    const whole = this.trunc();
    return this.digits < whole * tenTo(this.scale) ? whole - 1n : whole;
  }

  ceil(): bigint {
    const whole = this.trunc();
    return this.digits > whole * tenTo(this.scale) ? whole + 1n : whole;
  }

  /** To a whole number, half away from zero. */
  round(places = 0): Decimal {
    if (this.scale <= places) return this;
    return new Decimal(roundedQuotient(this.digits, tenTo(this.scale - places)), places);
  }

  get number(): number {
    return Number(this.toString());
  }

  toString(): string {
    const digits = (this.digits < 0n ? -this.digits : this.digits).toString().padStart(this.scale + 1, "0");
    const whole = digits.slice(0, digits.length - this.scale);
    const fraction = digits.slice(digits.length - this.scale).replace(/0+$/, "");
    return `${this.digits < 0n ? "-" : ""}${whole}${fraction === "" ? "" : `.${fraction}`}`;
  }

  private at(scale: number): bigint {
    return this.digits * tenTo(scale - this.scale);
  }
}

export const ZERO = Decimal.of(0n);
export const ONE = Decimal.of(1n);

const tenTo = (power: number): bigint => 10n ** BigInt(power);

function roundedQuotient(a: bigint, b: bigint): bigint {
  const isNegative = a < 0n !== b < 0n;
  const [over, under] = [a < 0n ? -a : a, b < 0n ? -b : b];
  const rounded = (2n * over + under) / (2n * under);
  return isNegative ? -rounded : rounded;
}
