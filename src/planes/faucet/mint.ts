// Judging a mint request, in the original's order and with its texts
// (docs/protocol/60-state-engine-accounts.md#35-faucet-http-service-builtin-assets).

import { type Static, t } from "elysia";
import { isHex64 } from "../../wire/identifiers.ts";

// The faucet's questions to the network.

interface FaucetAsset {
  /** The most that one request may mint; undefined for an asset that is not built in. */
  readonly mintMax: bigint | undefined;
}

export interface FaucetPort {
  /** @returns undefined when the network has no such asset */
  asset(id: string): Promise<FaucetAsset | undefined>;
  /**
   * Deposits an amount of a built-in asset for a party.
   * @throws ChainCallError when the network does not take it
   */
  deposit(party: string, asset: string, amount: bigint): Promise<unknown>;
}

const UINT256_MAX = 2n ** 256n - 1n;
/** Digits of the largest 256-bit number; a longer text need not be read. */
const AMOUNT_PATTERN = "^\\+?\\d{1,78}$";
const AMOUNT = new RegExp(AMOUNT_PATTERN);

export interface MintRequest {
  readonly party: string;
  readonly asset: string;
  readonly amount: bigint;
}

/** A request that is not granted. */
export class MintRefusal extends Error {
  override readonly name = "MintRefusal";
  constructor(
    readonly status: 400 | 403 | 500,
    message: string,
  ) {
    super(message);
  }
}

/** The sentence for a body that has another form. */
const judged = { error: ({ found: value }: { readonly found?: unknown }) => refusalOf(value) };

/** The form of a request for the document; `refusalOf` judges it, because its order is the original's. */
export const MINT_BODY = t.Object(
  {
    party: t.String({
      ...judged,
      pattern: "^[0-9a-fA-F]{64}$",
      description: "Public key of the party that gets them.",
    }),
    asset: t.String({ ...judged, description: "Identifier of a built-in asset." }),
    amount: t.String({
      ...judged,
      pattern: AMOUNT_PATTERN,
      description: "Amount above 0, in the asset's smallest units; at most what the asset allows at a time.",
    }),
  },
  { ...judged, additionalProperties: true },
);

/** @param body that has the form of a request @throws MintRefusal 400 */
export function mintOf(body: Static<typeof MINT_BODY>): MintRequest {
  const refusal = refusalOf(body);
  if (refusal !== undefined) throw new MintRefusal(400, refusal);
  const { party, asset, amount } = body;
  return { party, asset, amount: BigInt(amount.replace("+", "")) };
}

/** The reason to refuse a body; undefined for one that asks for a mint. */
function refusalOf(body: unknown): string | undefined {
  if (typeof body !== "object" || body === null || Array.isArray(body))
    return "the request body must be a JSON object";
  const { party, amount, asset } = Object.fromEntries(
    ["party", "amount", "asset"].map((name) => [name, memberOf(body, name)]),
  );
  if (typeof party !== "string") return "party must be a text";
  if (party === "") return "missing party field";
  if (typeof amount !== "string") return "amount must be a text";
  const amountRefusal = refusalOfAmount(amount);
  if (amountRefusal !== undefined) return amountRefusal;
  if (typeof asset !== "string") return "asset must be a text";
  if (asset === "") return "missing asset field";
  // The original forwards every text; here only a public key is credited, since no other party can sign.
  return isHex64(party) ? undefined : "party is not a public key of 64 hexadecimal digits";
}

function memberOf(body: object, name: string): unknown {
  return (Object.hasOwn(body, name) ? (body as Record<string, unknown>)[name] : undefined) ?? "";
}

/** The original answers an overflow and then continues with the number; here the request ends. */
function refusalOfAmount(text: string): string | undefined {
  const amount = AMOUNT.test(text) ? BigInt(text.replace("+", "")) : undefined;
  if (text === "" || amount === 0n) return "amount need to be a > 0 unsigned integer";
  const fits = amount !== undefined && amount <= UINT256_MAX;
  return fits ? undefined : "amount overflowed or was not base 10";
}

/** @throws MintRefusal */
export function checkAsset(asset: FaucetAsset | undefined, amount: bigint): void {
  if (asset === undefined) throw new MintRefusal(400, "asset was not found");
  if (asset.mintMax === undefined) throw new MintRefusal(500, "asset is not a builtin asset");
  if (amount > asset.mintMax) {
    const text = `amount request exceed maximal amount of ${asset.mintMax}: mint amount is invalid`;
    throw new MintRefusal(400, text);
  }
}

// Callers from afar get one mint of an asset for a party in a while
// (docs/protocol/60-state-engine-accounts.md#35-faucet-http-service-builtin-assets).

/** Mints that are remembered: beyond it the oldest ones end their wait early. */
const MINTS_MAX = 100_000;

/** Networks whose callers need not wait: private ones and this machine. */
const EXEMPT: readonly RegExp[] = [
  /^(?:10|127)\./,
  /^172\.(?:1[6-9]|2\d|3[01])\./,
  /^192\.168\./,
  /^fe[89ab][0-9a-f]:/i,
  /^::1$/,
];
const MAPPED_IPV4 = /^::ffff:/i;

/** Whether a caller need not wait. @param address as the socket has it; undefined when there is no socket */
export function isExempt(address: string | undefined): boolean {
  if (address === undefined) return true;
  const plain = address.replace(MAPPED_IPV4, "");
  return EXEMPT.some((network) => network.test(plain));
}

export class CoolDown {
  /** Release time of each party and asset, milliseconds; in the order of their mints, so the oldest come first. */
  private readonly until = new Map<string, number>();

  constructor(
    private readonly lengthMs: number,
    private readonly nowMs: () => number,
    private readonly mintsMax: number = MINTS_MAX,
  ) {}

  /** When the next mint is allowed, milliseconds; undefined when it is allowed now. */
  waitsUntil(party: string, asset: string): number | undefined {
    this.evictPast();
    return this.until.get(keyOf(party, asset));
  }

  /** The time restarts. */
  start(party: string, asset: string): void {
    const key = keyOf(party, asset);
    this.until.delete(key);
    this.until.set(key, this.nowMs() + this.lengthMs);
    if (this.until.size <= this.mintsMax) return;
    const [oldest] = this.until.keys();
    this.until.delete(oldest!);
  }

  /** As if nothing had been minted. */
  cancel(party: string, asset: string): void {
    this.until.delete(keyOf(party, asset));
  }

  /** Drops what has ended, so that no more is kept than was minted within one length. */
  private evictPast(): void {
    const now = this.nowMs();
    for (const [key, until] of this.until) {
      if (until > now) return;
      this.until.delete(key);
    }
  }
}

function keyOf(party: string, asset: string): string {
  return `${party} ${asset}`;
}
