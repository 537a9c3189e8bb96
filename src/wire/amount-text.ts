// Amounts as texts: whole numbers of any size, with the decimals of an asset or of a market.

/** An asset may have up to 2^31 decimals, which no text has room for; a network would take fewer than these. */
export const DECIMALS_MAX = 100;

/** `1234567` as `1,234,567`. */
export function grouped(digits: string): string {
  return digits.replace(/^0+(?=\d)/, "").replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

/** `1234500` with 3 decimals as `1,234.500`; with -3 as `1,234,500,000`. No digit is lost. */
export function withDecimals(whole: string, decimals: number): string {
  const sign = whole.startsWith("-") ? "-" : "";
  const digits = whole.replace(/^-/, "");
  if (!/^\d+$/.test(digits)) return whole;
  if (Math.abs(decimals) > DECIMALS_MAX) return `${sign}${grouped(digits)}e${-decimals}`;
  if (decimals <= 0) return sign + grouped(digits + "0".repeat(-decimals));
  const padded = digits.padStart(decimals + 1, "0");
  const fraction = padded.slice(-decimals);
  return `${sign}${grouped(padded.slice(0, -decimals))}.${fraction}`;
}

/** The same without zeros at the end, and with all other decimals: `1,234.5`. Sums of these texts add up. */
export function shortDecimals(whole: string, decimals: number): string {
  const text = withDecimals(whole, decimals);
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}
