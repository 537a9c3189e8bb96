/**
 * The standard normal distribution, for the risk models alone: the one place of the engine that calculates with floating point.
 * Its results become decimals by their shortest text and are stored as such (reference 70, sections 5.2 and 11). Only
 * operations that every machine rounds alike are used where that is possible; exp and log are the runtime's.
 */

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
const ALL = 6;

const word = new DataView(new ArrayBuffer(8));

/** x without the lower half of its bits: its square is exact. */
function highPart(x: number): number {
  word.setFloat64(0, x);
  word.setUint32(4, 0);
  return word.getFloat64(0);
}

function errorFunction(x: number): number {
  if (x < 0) return -errorFunction(-x);
  if (x < NEAR_END) return x + x * fraction(NEAR, x * x);
  if (x < AROUND_ONE_END) return AT_ONE + fraction(AROUND_ONE, x - 1);
  if (x >= ALL) return 1;
  const high = highPart(x);
  const ratio = fraction(x < BEYOND_END ? BEYOND : FAR_BEYOND, 1 / (x * x));
  return 1 - (Math.exp(-high * high - 0.5625) * Math.exp((high - x) * (high + x) + ratio)) / x;
}

/** Probability of a value up to x. As the network works it out, so that even what is lost to cancellation is the same. */
export function cumulative(x: number): number {
  return 0.5 * (1 + errorFunction(x / Math.SQRT2));
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
