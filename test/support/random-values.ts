// Values that random chains are made of: small pools, so that rows tie and collide in every way they can.
import fc from "fast-check";

const hex = (first: string, n: number) => `${first}${n.toString(16).padStart(4, "0")}`.padEnd(64, "0");
const pool = (first: string, count: number) => Array.from({ length: count }, (_, i) => hex(first, i));

/** Three identifiers with the same first six bytes, which references are made of, and not in their order. */
const SHARED_PREFIX = ["7", "2", "c"].map((digit) => `51abcdefabcd${digit}`.padEnd(64, "0"));
/** Two parties whose general accounts of `ASSETS[0]` have ids with the same first four bytes. */
const COLLIDING_ACCOUNTS = ["510090fd", "5102bbb8"].map((first) => first.padEnd(64, "0"));

const PARTIES = [...COLLIDING_ACCOUNTS, ...SHARED_PREFIX, ...pool("51", 45)];
/** The parties that most events name. */
export const BUSY_PARTIES = PARTIES.slice(0, 8);
export const ASSETS = pool("a1", 45).map((id, i) => (i === 0 ? "a1".padEnd(64, "0") : id));
export const MARKETS = pool("3e", 45);
export const NODES = pool("0d", 30);
export const ORDERS = pool("0e", 40);
export const PROPOSALS = pool("90", 40);
export const SPECS = pool("5e", 40);
export const RESOURCES = pool("4e", 3);

/** Identifiers come in either case and mean the same. */
function anyCase(ids: readonly string[]): fc.Arbitrary<string> {
  return fc.tuple(fc.constantFrom(...ids), fc.boolean()).map(([id, up]) => (up ? id.toUpperCase() : id));
}

export const party = fc.oneof(
  { weight: 6, arbitrary: anyCase(BUSY_PARTIES) },
  { weight: 1, arbitrary: fc.constant("network") },
);
export const anyParty = anyCase(PARTIES);
export const asset = anyCase(ASSETS.slice(0, 3));
export const anyAsset = anyCase(ASSETS);
export const market = anyCase(MARKETS.slice(0, 4));
export const anyMarket = anyCase(MARKETS);
export const node = anyCase(NODES);
export const order = anyCase(ORDERS);
export const proposal = anyCase(PROPOSALS);
export const spec = anyCase(SPECS);
export const resource = anyCase(RESOURCES);
/** An identifier of its own kind: `first` is two hex digits. Short ones occur, and are the prefix of others. */
export function someId(first: string, count: number): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 9, arbitrary: anyCase(pool(first, count)) },
    { weight: 1, arbitrary: fc.constantFrom(first, `${first}00`) },
  );
}

export const amount = fc.constantFrom("0", "1", "7", "9223372036854775808", `1${"0".repeat(70)}`);
export const price = fc.integer({ min: 1, max: 9 }).map(String);
export const size = fc.bigInt(1n, 5n);
export const decimal = fc.constantFrom("0", "0.5", "0.25", "1", "12.50");
export const epoch = fc.integer({ min: 0, max: 4 });
/** Upgrades can be proposed for any height. */
export const height = fc.oneof(
  { weight: 6, arbitrary: fc.bigInt(0n, 12n) },
  { weight: 1, arbitrary: fc.constantFrom(2n ** 53n - 1n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n) },
);
/** Nanoseconds; many events say the same time, and not all end in whole microseconds. */
export const timeNs = fc.constantFrom(
  0n,
  1_659_430_800_000_000_000n,
  1_659_430_800_000_001_999n,
  1_659_430_801_000_000_000n,
);
export const text = fc.constantFrom("", "r1", "r2", "<a & b>", "é", "𝒳\u0000\u2028");

/** A number from a list of them, as enums are. */
export function oneOf(...numbers: number[]): fc.Arbitrary<number> {
  return fc.constantFrom(...numbers);
}
