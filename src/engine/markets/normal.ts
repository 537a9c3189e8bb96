/**
 * The standard normal distribution, for the risk models alone: the one place of the engine that calculates with floating point.
 * Its results become decimals by their shortest text and are stored as such (reference 70, sections 5.2 and 11). Only
 * operations that every machine rounds alike are used where that is possible; exp and log are the runtime's.
 */

const SERIES_END = 2.5;
const TERMS_MAX = 500;

/** Probability of a value up to x. */
export function cumulative(x: number): number {
  return complementaryError(-x / Math.SQRT2) / 2;
}

/** 1 - erf(x), with full relative precision on both sides. */
function complementaryError(x: number): number {
  if (x < 0) return 2 - complementaryError(-x);
  if (x < SERIES_END) return 1 - errorSeries(x);
  return errorFraction(x);
}

/** erf(x) = 2/√π · e^(-x²) · Σ 2^n x^(2n+1) / (1·3·5···(2n+1)): all terms are positive. */
function errorSeries(x: number): number {
  let term = x;
  let sum = x;
  for (let n = 1; n < TERMS_MAX && term > sum * Number.EPSILON * 0.01; n++) {
    term *= (2 * x * x) / (2 * n + 1);
    sum += term;
  }
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
}

/** erfc(x) by its continued fraction, from the far end on. */
function errorFraction(x: number): number {
  let tail = 0;
  for (let n = 120; n > 0; n--) tail = n / 2 / (x + tail);
  return Math.exp(-x * x) / Math.sqrt(Math.PI) / (x + tail);
}

/** Coefficients of Wichura's algorithm AS 241 (Applied Statistics 37, 1988), numerators and denominators from the highest power. */
const CENTRAL = [
  [
    2509.0809287301226727, 33430.575583588128105, 67265.770927008700853, 45921.953931549871457,
    13731.693765509461125, 1971.5909503065514427, 133.14166789178437745, 3.387132872796366608,
  ],
  [
    5226.495278852854561, 28729.085735721942674, 39307.89580009271061, 21213.794301586595867,
    5394.1960214247511077, 687.1870074920579083, 42.313330701600911252, 1,
  ],
] as const;
const MIDDLE = [
  [
    7.7454501427834140764e-4, 0.0227238449892691845833, 0.24178072517745061177, 1.27045825245236838258,
    3.64784832476320460504, 5.7694972214606914055, 4.6303378461565452959, 1.42343711074968357734,
  ],
  [
    1.05075007164441684324e-9, 5.475938084995344946e-4, 0.0151986665636164571966, 0.14810397642748007459,
    0.68976733498510000455, 1.6763848301838038494, 2.05319162663775882187, 1,
  ],
] as const;
const FAR = [
  [
    2.01033439929228813265e-7, 2.71155556874348757815e-5, 0.0012426609473880784386, 0.026532189526576123093,
    0.29656057182850489123, 1.7848265399172913358, 5.4637849111641143699, 6.6579046435011037772,
  ],
  [
    2.04426310338993978564e-15, 1.4215117583164458887e-7, 1.8463183175100546818e-5, 7.868691311456132591e-4,
    0.0148753612908506148525, 0.13692988092273580531, 0.59983220655588793769, 1,
  ],
] as const;

type Fraction = readonly [readonly number[], readonly number[]];

const polynomial = (coefficients: readonly number[], x: number) =>
  coefficients.reduce((sum, coefficient) => sum * x + coefficient, 0);
const fraction = ([above, below]: Fraction, x: number) => polynomial(above, x) / polynomial(below, x);

/** The value up to which a probability lies; infinite at 0 and 1. */
export function quantile(probability: number): number {
  const q = probability - 0.5;
  if (Math.abs(q) <= 0.425) return q * fraction(CENTRAL, 0.180625 - q * q);
  const tail = q < 0 ? probability : 1 - probability;
  if (tail <= 0) return q < 0 ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  const r = Math.sqrt(-Math.log(tail));
  const value = r <= 5 ? fraction(MIDDLE, r - 1.6) : fraction(FAR, r - 5);
  return q < 0 ? -value : value;
}
