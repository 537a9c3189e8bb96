// PostgreSQL's texts of numbers, as they stand in the exported CSVs (reference 20, section 2.7).
// Events carry decimals as text; most are plain digits already and pass through untouched.

/** What the original's decimal type reads: sign, digits, fraction, exponent. */
const FORM = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,9}))?$/;
const CANONICAL_WHOLE = /^(?:0|[1-9]\d*)$/;
/** `numeric(1000, ...)` holds no more digits than this. */
const DIGITS_MAX = 1000;

interface Parts {
  readonly negative: boolean;
  /** Digits of the number times 10^scale. */
  readonly digits: string;
  readonly scale: number;
}

/** HUGEINT column: a whole number; halves are rounded away from zero; empty text is 0. */
export function wholeText(text: string): string {
  if (CANONICAL_WHOLE.test(text)) return text;
  if (text === "") return "0";
  return plainText(rounded(parse(text), 0));
}

/** `numeric` without a scale: plain decimal without trailing zeros; empty text is 0. */
export function numericText(text: string): string {
  if (CANONICAL_WHOLE.test(text)) return text;
  if (text === "") return "0";
  const plain = plainText(parse(text));
  return plain.includes(".") ? trimmed(plain) : plain;
}

/** `numeric(1000, scale)`: always `scale` decimals. */
export function fixedText(text: string, scale: number): string {
  return plainText(rounded(parse(text === "" ? "0" : text), scale));
}

/** `double precision`: shortest text that reads back the same, exponents below 1e-4 and from 1e15 up. */
export function doubleText(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
  if (value === 0) return Object.is(value, -0) ? "-0" : "0";
  const magnitude = Math.abs(value);
  if (magnitude >= 1e-4 && magnitude < 1e15) return String(value);
  const [mantissa, exponent] = value.toExponential().split("e") as [string, string];
  const size = exponent.slice(1);
  return `${mantissa}e${exponent[0]}${size.length < 2 ? `0${size}` : size}`;
}

/** A double inside jsonb: PostgreSQL keeps it as a decimal, so no exponent is ever shown. */
export function plainDouble(value: number): string {
  const text = String(value);
  return text.includes("e") ? plainText(parse(text)) : text;
}

function parse(text: string): Parts {
  const match = FORM.exec(text);
  const whole = match?.[2] ?? "";
  const fraction = match?.[3] ?? "";
  if (!match || whole + fraction === "") throw new RangeError(`not a decimal number: '${text.slice(0, 60)}'`);
  const exponent = Number(match[4] ?? 0);
  if (whole.length + fraction.length + Math.abs(exponent) > DIGITS_MAX) {
    throw new RangeError(`a number of more than ${DIGITS_MAX} digits: '${text.slice(0, 60)}'`);
  }
  const scale = fraction.length - exponent;
  const digits = whole + fraction;
  const negative = match[1] === "-";
  return scale < 0
    ? { negative, digits: digits + "0".repeat(-scale), scale: 0 }
    : { negative, digits, scale };
}

/** To exactly `scale` decimals, halves away from zero. */
function rounded(parts: Parts, scale: number): Parts {
  if (parts.scale <= scale) {
    return { ...parts, digits: parts.digits + "0".repeat(scale - parts.scale), scale };
  }
  const cut = parts.scale - scale;
  const all = parts.digits.padStart(parts.scale + 1, "0");
  const kept = BigInt(all.slice(0, all.length - cut));
  const up = all.charCodeAt(all.length - cut) >= 0x35;
  return { negative: parts.negative, digits: (up ? kept + 1n : kept).toString(), scale };
}

function plainText({ negative, digits, scale }: Parts): string {
  const padded = digits.padStart(scale + 1, "0");
  const whole = padded.slice(0, padded.length - scale).replace(/^0+(?=\d)/, "");
  const text = scale === 0 ? whole : `${whole}.${padded.slice(padded.length - scale)}`;
  return negative && /[1-9]/.test(text) ? `-${text}` : text;
}

/** Without trailing zeros behind the point. */
function trimmed(text: string): string {
  return text.replace(/\.?0+$/, "");
}
