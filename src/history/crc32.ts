// CRC-32 of joined pieces from the CRCs of the pieces (the polynomial and bit order of ZIP, APPNOTE 4.4.7).
// Appending n bytes multiplies a CRC, seen as a polynomial over GF(2), by x^(8n): so pieces that were hashed when
// they were made need not be read again.

/** x^32 + x^26 + x^23 + ... + 1, lowest power in the highest bit. */
const POLYNOMIAL = 0xedb88320;
/** The polynomial 1 in that bit order. */
const ONE = 0x80000000;

/** CRC-32 of A followed by B, from the CRC-32 of each and the length of B in bytes. */
export function crc32Combine(crcA: number, crcB: number, lengthB: number): number {
  if (!Number.isSafeInteger(lengthB) || lengthB < 0) throw new RangeError(`not a length: ${lengthB}`);
  return (multiply(bytesShift(lengthB), crcA) ^ crcB) >>> 0;
}

/** x^(8 * bytes): powers are squared along the bits of the length, which may pass 32 bits. */
function bytesShift(bytes: number): number {
  let result = ONE;
  let power = 0x00800000; // x^8
  for (let rest = bytes; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result = multiply(power, result);
    power = multiply(power, power);
  }
  return result;
}

/** a * b modulo the polynomial. */
function multiply(a: number, b: number): number {
  let product = 0;
  let term = b;
  for (let bit = ONE; bit !== 0; bit >>>= 1) {
    if ((a & bit) !== 0) product ^= term;
    term = (term & 1) !== 0 ? (term >>> 1) ^ POLYNOMIAL : term >>> 1;
  }
  return product >>> 0;
}
