/**
 * Exponential, logarithm and complementary error function by additions, products, quotients and square roots alone, which
 * IEEE 754 rounds alike on every processor: `Math.exp` and its like may differ in their last digit from one machine or
 * release to the next. Digit for digit the functions of the network (docs/protocol/70-trading-positions.md#52-risk-factors).
 */

const word = new DataView(new ArrayBuffer(8));

/** x without the lower half of its bits: its square is exact. */
function highPart(x: number): number {
  word.setFloat64(0, x);
  word.setUint32(4, 0);
  return word.getFloat64(0);
}

/** 2 to a whole power of a normal number: -1022 to 1023. */
function powerOfTwo(exponent: number): number {
  word.setUint32(0, (exponent + 1023) << 20);
  word.setUint32(4, 0);
  return word.getFloat64(0);
}

/** 2^27 + 1: splits a double into two halves of 26 bits. */
const SPLITTER = 134_217_729;

/** The part that the product `x * y` loses by rounding: exact (Dekker, 1971). */
function lostOfProduct(x: number, y: number, product: number): number {
  const bigX = SPLITTER * x;
  const bigY = SPLITTER * y;
  const highX = bigX - (bigX - x);
  const highY = bigY - (bigY - y);
  const lowX = x - highX;
  const lowY = y - highY;
  return lowX * lowY - (product - highX * highY - lowX * highY - highX * lowY);
}

/** The part that the sum `x + y` loses by rounding: exact (Knuth). */
function lostOfSum(x: number, y: number, sum: number): number {
  const part = sum - x;
  return x - (sum - part) + (y - part);
}

/** The sum rounded to the neighbour with an odd last bit where it is not exact, so that it can be rounded once more. */
function sumToOdd(x: number, y: number): number {
  const sum = x + y;
  const lost = lostOfSum(x, y, sum);
  if (lost === 0) return sum;
  word.setFloat64(0, sum);
  const low = word.getUint32(4);
  if (low % 2 === 1) return sum;
  // Toward the lost part: away from zero if it has the sum's sign.
  const isAway = lost > 0 === sum > 0;
  if (!isAway && low === 0) word.setUint32(0, word.getUint32(0) - 1);
  word.setUint32(4, isAway ? low + 1 : low - 1);
  return word.getFloat64(0);
}

/** x · y + z, rounded once (Boldo and Melquiond, 2008); for numbers whose product neither overflows nor comes near zero's neighbours. */
function fused(x: number, y: number, z: number): number {
  const product = x * y;
  const lostProduct = lostOfProduct(x, y, product);
  const sum = z + lostProduct;
  const whole = product + sum;
  return whole + sumToOdd(lostOfSum(z, lostProduct, sum), lostOfSum(product, sum, whole));
}

/** The natural logarithm of 2 in two parts for `exponential`. */
const LN2_UPPER = 0.693147180559663;
const LN2_LOWER = 2.8235290563031577e-13;
/** Of the exponential's series from the highest power: 1/8! to 1/2!. */
const SERIES = [
  2.48015873015873e-5, 0.0001984126984126984, 0.001388888888888889, 0.008333333333333333,
  0.041666666666666664, 0.16666666666666666, 0.5,
];
/** e to more is beyond the largest number, and to less below the smallest. */
const EXPONENT_MAX = 709.782712893384;
const EXPONENT_MIN = -745.1332191019412;

/** e^x. */
export function exponential(x: number): number {
  if (x > EXPONENT_MAX) return Number.POSITIVE_INFINITY;
  if (x < EXPONENT_MIN) return 0;
  const n = roundedToEven(x * Math.LOG2E);
  const r = fused(-n, LN2_LOWER, fused(-n, LN2_UPPER, x)) / 16;
  let y = 0;
  for (const coefficient of SERIES) y = y === 0 ? coefficient : fused(y, r, coefficient);
  y = r * fused(y, r, 1);
  for (let times = 0; times < 3; times++) y *= y + 2;
  const value = fused(y, y + 2, 1);
  // In two steps: the result can be below what a power of two alone can be, and above.
  const half = Math.trunc(n / 2);
  return value * powerOfTwo(half) * powerOfTwo(n - half);
}

/** To the nearest whole number, halves to the even one. */
function roundedToEven(x: number): number {
  const below = Math.floor(x);
  const part = x - below;
  if (part !== 0.5) return part < 0.5 ? below : below + 1;
  return below % 2 === 0 ? below : below + 1;
}

/** The natural logarithm of 2 in two parts for `logarithm`. */
const LN2_HIGH = 0.6931471803691238;
const LN2_LOW = 1.9082149292705877e-10;
/** Of odd and even powers, from the highest. */
const ODD = [0.14798198605116586, 0.1818357216161805, 0.2857142874366239, 0.6666666666666735];
const EVEN = [0.15313837699209373, 0.22222198432149784, 0.3999999999940942];
/** Makes the smallest numbers normal ones. */
const TWO_TO_54 = 18_014_398_509_481_984;

/** Natural logarithm (Sun's fdlibm, e_log.c, 1993), its argument as a number from √½ to √2 times a power of two. */
export function logarithm(x: number): number {
  if (Number.isNaN(x) || x < 0) return Number.NaN;
  if (x === 0) return Number.NEGATIVE_INFINITY;
  if (x === Number.POSITIVE_INFINITY) return x;
  if (x < MIN_NORMAL) return logarithmOf(x * TWO_TO_54, -54);
  return logarithmOf(x, 0);
}

const MIN_NORMAL = 2.2250738585072014e-308;

/** @param x a normal number @param shift added to its exponent of two */
function logarithmOf(x: number, shift: number): number {
  word.setFloat64(0, x);
  const high = word.getUint32(0);
  let k = (high >>> 20) - 1022 + shift;
  word.setUint32(0, (high & 0xfffff) | (1022 << 20));
  let mantissa = word.getFloat64(0);
  if (mantissa < Math.SQRT1_2) {
    mantissa *= 2;
    k--;
  }
  const f = mantissa - 1;
  const s = f / (2 + f);
  const [s2, s4] = [s * s, s * s * (s * s)];
  const rest = s2 * polynomial(ODD, s4) + s4 * polynomial(EVEN, s4);
  const half = 0.5 * f * f;
  return k * LN2_HIGH - (half - (s * (half + rest) + k * LN2_LOW) - f);
}

// Rational approximations of the error function, with less than one unit in the last place of error: the published
// coefficients of Sun's fdlibm (s_erf.c, 1993), from the highest power. A chain's risk factors show each of these units.
const NEAR = [
  [
    -0.000023763016656650163, -0.005770270296489442, -0.02848174957559851, -0.3250421072470015,
    0.12837916709551256,
  ],
  [
    -0.000003960228278775368, 0.00013249473800432164, 0.005081306281875766, 0.0650222499887673,
    0.39791722395915535, 1,
  ],
] as const;
const AROUND_ONE = [
  [
    -0.002166375594868791, 0.035478304325618236, -0.11089469428239668, 0.31834661990116175,
    -0.3722078760357013, 0.41485611868374833, -0.0023621185607526594,
  ],
  [
    0.011984499846799107, 0.01363708391202905, 0.12617121980876164, 0.07182865441419627, 0.540397917702171,
    0.10642088040084423, 1,
  ],
] as const;
const BEYOND = [
  [
    -9.814329344169145, -81.2874355063066, -184.60509290671104, -162.39666946257347, -62.375332450326006,
    -10.558626225323291, -0.6938585727071818, -0.009864944034847148,
  ],
  [
    -0.0604244152148581, 6.570249770319282, 108.63500554177944, 429.00814002756783, 645.3872717332679,
    434.56587747522923, 137.65775414351904, 19.651271667439257, 1,
  ],
] as const;
const FAR_BEYOND = [
  [
    -483.5191916086514, -1025.0951316110772, -637.5664433683896, -160.63638485582192, -17.757954917754752,
    -0.799283237680523, -0.0098649429247001,
  ],
  [
    -22.44095244658582, 474.52854120695537, 2553.0504064331644, 3199.8582195085955, 1536.729586084437,
    325.7925129965739, 30.33806074348246, 1,
  ],
] as const;
/** The error function at 1, cut to 24 bits. */
const AT_ONE = 0.8450629115104675;
const NEAR_END = 0.84375;
const AROUND_ONE_END = 1.25;
const BEYOND_END = 1 / 0.35;
/** From here on nothing is left above, and all is left below minus the other. */
const END = 28;
const END_BELOW = 6;

/** 1 less the error function: no digit of the far tail is lost. */
export function complementaryErrorFunction(signed: number): number {
  const x = Math.abs(signed);
  const isBelow = signed < 0;
  if (x < NEAR_END) {
    const y = fraction(NEAR, x * x);
    const part = x < 0.25 ? x + x * y : 0.5 + (x * y + (x - 0.5));
    return isBelow ? 1 + part : 1 - part;
  }
  if (x < AROUND_ONE_END) {
    const part = fraction(AROUND_ONE, x - 1);
    return isBelow ? 1 + AT_ONE + part : 1 - AT_ONE - part;
  }
  if (isBelow && x > END_BELOW) return 2;
  if (!(x < END)) return x >= END ? 0 : Number.NaN;
  const high = highPart(x);
  const ratio = fraction(x < BEYOND_END ? BEYOND : FAR_BEYOND, 1 / (x * x));
  const tail = (exponential(-high * high - 0.5625) * exponential((high - x) * (high + x) + ratio)) / x;
  return isBelow ? 2 - tail : tail;
}

type Fraction = readonly [numerator: readonly number[], denominator: readonly number[]];

/** By Horner's rule. @param coefficients from the highest power */
function polynomial(coefficients: readonly number[], x: number): number {
  let sum = 0;
  for (const coefficient of coefficients) sum = sum * x + coefficient;
  return sum;
}

export const fraction = ([numerator, denominator]: Fraction, x: number): number =>
  polynomial(numerator, x) / polynomial(denominator, x);
