// Semantic versions (semver.org 2.0.0): reading and order of precedence. Build metadata is read and ignored.

export interface SemanticVersion {
  /** Major, minor, patch. */
  readonly numbers: readonly [bigint, bigint, bigint];
  /** Identifiers of the pre-release; none for a release. */
  readonly preRelease: readonly string[];
}

/** Section 9 and 10: identifiers of letters, digits and hyphens. */
const IDENTIFIERS = /^[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*$/;
const NUMBER = /^\d+$/;

/** @param text with or without a leading v @returns the version, or what is wrong with it */
export function parseSemanticVersion(text: string): SemanticVersion | string {
  const body = text.replace(/^v/, "");
  if (body === "") return "version string empty";
  const [plain = "", ...build] = body.split("+");
  const dash = plain.indexOf("-");
  const core = dash < 0 ? plain : plain.slice(0, dash);
  const suffix = dash < 0 ? undefined : plain.slice(dash + 1);
  const parts = core.split(".");
  if (parts.length !== 3) return "major, minor and patch are needed";
  for (const part of parts) {
    if (!NUMBER.test(part)) return `not a number: "${part}"`;
    if (isPadded(part)) return `a number must not begin with 0: "${part}"`;
  }
  if (build.length > 1 || (build.length === 1 && !IDENTIFIERS.test(build[0]!)))
    return "invalid build metadata";
  if (suffix !== undefined && !IDENTIFIERS.test(suffix)) return "invalid pre-release";
  const preRelease = suffix?.split(".") ?? [];
  const padded = preRelease.find((part) => NUMBER.test(part) && isPadded(part));
  if (padded !== undefined) return `a number must not begin with 0: "${padded}"`;
  return { numbers: [BigInt(parts[0]!), BigInt(parts[1]!), BigInt(parts[2]!)], preRelease };
}

/** Negative, zero or positive as `a` comes before, with or after `b` (section 11). */
export function compareVersions(a: SemanticVersion, b: SemanticVersion): number {
  for (const index of [0, 1, 2] as const) {
    if (a.numbers[index] !== b.numbers[index]) return a.numbers[index] < b.numbers[index] ? -1 : 1;
  }
  if (a.preRelease.length === 0 || b.preRelease.length === 0)
    return b.preRelease.length - a.preRelease.length;
  for (const [index, own] of a.preRelease.entries()) {
    const other = b.preRelease[index];
    if (other === undefined) return 1;
    const order = compareIdentifiers(own, other);
    if (order !== 0) return order;
  }
  return a.preRelease.length - b.preRelease.length;
}

/** Numbers by value and before texts, texts by their characters. */
function compareIdentifiers(a: string, b: string): number {
  const [isNumber, isOtherNumber] = [NUMBER.test(a), NUMBER.test(b)];
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
  if (a === b) return 0;
  if (isNumber) return BigInt(a) < BigInt(b) ? -1 : 1;
  return a < b ? -1 : 1;
}

function isPadded(digits: string): boolean {
  return digits.length > 1 && digits.startsWith("0");
}
