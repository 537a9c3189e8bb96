/**
 * The standard normal distribution, for the risk models alone: the one place of the engine that calculates with floating point.
 * Its results become decimals by their shortest text and are stored as such (reference 70, sections 5.2 and 11). Only
 * operations that every machine rounds alike are used where that is possible; exp and log are the runtime's.
 */

// Rational approximations of the error function, with less than one unit in the last place of error: the published
// coefficients of Sun's fdlibm (s_erf.c, 1993), from the highest power. A chain's risk factors show each of these units.
const NEAR = [
  [
    -2.37630166566501626084e-5, -5.77027029648944159157e-3, -2.84817495755985104766e-2,
    -3.2504210724700149937e-1, 1.28379167095512558561e-1,
  ],
  [
    -3.9602282787753681232e-6, 1.32494738004321644526e-4, 5.08130628187576562776e-3,
    6.50222499887672944485e-2, 3.97917223959155352819e-1, 1,
  ],
] as const;
const AROUND_ONE = [
  [
    -2.166375594868790843e-3, 3.54783043256182359371e-2, -1.10894694282396677476e-1,
    3.18346619901161753674e-1, -3.72207876035701323847e-1, 4.14856118683748331666e-1,
    -2.36211856075265944077e-3,
  ],
  [
    1.1984499846799107417e-2, 1.36370839120290507362e-2, 1.26171219808761642112e-1, 7.18286544141962662868e-2,
    5.40397917702171048937e-1, 1.06420880400844228286e-1, 1,
  ],
] as const;
const BEYOND = [
  [
    -9.81432934416914548592, -8.12874355063065934246e1, -1.84605092906711035994e2, -1.62396669462573470355e2,
    -6.23753324503260060396e1, -1.05586262253232909814e1, -6.93858572707181764372e-1,
    -9.86494403484714822705e-3,
  ],
  [
    -6.04244152148580987438e-2, 6.57024977031928170135, 1.08635005541779435134e2, 4.29008140027567833386e2,
    6.45387271733267880336e2, 4.34565877475229228821e2, 1.376577541435190426e2, 1.96512716674392571292e1, 1,
  ],
] as const;
const FAR_BEYOND = [
  [
    -4.83519191608651397019e2, -1.02509513161107724954e3, -6.37566443368389627722e2,
    -1.60636384855821916062e2, -1.77579549177547519889e1, -7.99283237680523006574e-1,
    -9.86494292470009928597e-3,
  ],
  [
    -2.24409524465858183362e1, 4.74528541206955367215e2, 2.55305040643316442583e3, 3.19985821950859553908e3,
    1.53672958608443695994e3, 3.25792512996573918826e2, 3.03380607434824582924e1, 1,
  ],
] as const;
/** The error function at 1, cut to 24 bits. */
const AT_ONE = 8.45062911510467529297e-1;
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
