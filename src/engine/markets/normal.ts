/**
 * The standard normal distribution, for the risk models alone: the one place of the engine that calculates with floating
 * point, by functions of its own (elementary.ts). Its results become decimals by their shortest text and are stored as such
 * (docs/protocol/70-trading-positions.md#52-risk-factors and docs/protocol/70-trading-scenarios.md#11-arithmetic-rules).
 */
import { complementaryErrorFunction, fraction, logarithm } from "./elementary.ts";

/** Probability of a value up to x, to the last digits of the left tail: margins of an asset with many decimals show them. */
export function cumulative(x: number): number {
  return 0.5 * complementaryErrorFunction(-x / Math.SQRT2);
}

/** Coefficients of Wichura's algorithm AS 241 (Applied Statistics 37, 1988), numerators and denominators from the highest power. */
const CENTRAL = [
  [
    2509.0809287301227, 33430.57558358813, 67265.7709270087, 45921.95393154987, 13731.69376550946,
    1971.5909503065513, 133.14166789178438, 3.3871328727963665,
  ],
  [
    5226.495278852854, 28729.085735721943, 39307.89580009271, 21213.794301586597, 5394.196021424751,
    687.1870074920579, 42.31333070160091, 1,
  ],
] as const;
const MIDDLE = [
  [
    0.0007745450142783414, 0.022723844989269184, 0.2417807251774506, 1.2704582524523684, 3.6478483247632045,
    5.769497221460691, 4.630337846156546, 1.4234371107496835,
  ],
  [
    1.0507500716444169e-9, 0.0005475938084995345, 0.015198666563616457, 0.14810397642748008, 0.6897673349851,
    1.6763848301838038, 2.053191626637759, 1,
  ],
] as const;
const FAR = [
  [
    2.0103343992922881e-7, 0.000027115555687434876, 0.0012426609473880784, 0.026532189526576124,
    0.29656057182850487, 1.7848265399172913, 5.463784911164114, 6.657904643501103,
  ],
  [
    2.0442631033899397e-15, 1.421511758316446e-7, 0.000018463183175100548, 0.0007868691311456133,
    0.014875361290850615, 0.1369298809227358, 0.599832206555888, 1,
  ],
] as const;

/** The value up to which a probability lies; infinite at 0 and 1. */
export function quantile(probability: number): number {
  const q = probability - 0.5;
  if (Math.abs(q) <= 0.425) return q * fraction(CENTRAL, 0.180625 - q * q);
  const tail = q < 0 ? probability : 1 - probability;
  if (tail <= 0) return q < 0 ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  const r = Math.sqrt(-logarithm(tail));
  const value = r <= 5 ? fraction(MIDDLE, r - 1.6) : fraction(FAR, r - 5);
  return q < 0 ? -value : value;
}
