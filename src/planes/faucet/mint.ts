// Reading a mint request and judging it, in the original's order and with its texts
// (docs/protocol/60-state-engine-accounts.md#35-faucet-http-service-builtin-assets).

import { parseBody } from "../../http/query.ts";
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
const AMOUNT = /^\+?\d{1,78}$/;
const BODY_DEPTH_MAX = 16;

interface MintRequest {
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

/** @throws MintRefusal, or ApiError for a body that is not JSON */
export function readMint(body: string): MintRequest {
  const value = parseBody(body, BODY_DEPTH_MAX);
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new MintRefusal(400, "the request body must be a JSON object");
  const party = textMember(value, "party");
  if (party === "") throw new MintRefusal(400, "missing party field");
  const amount = amountOf(textMember(value, "amount"));
  const asset = textMember(value, "asset");
  if (asset === "") throw new MintRefusal(400, "missing asset field");
  // The original forwards every text; here only a public key is credited, since no other party can sign.
  if (!isHex64(party)) throw new MintRefusal(400, "party is not a public key of 64 hexadecimal digits");
  return { party, asset, amount };
}

function textMember(value: object, name: string): string {
  const member = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
  if (member === undefined || member === null) return "";
  if (typeof member !== "string") throw new MintRefusal(400, `${name} must be a text`);
  return member;
}

/** The original answers a number that overflows and then goes on with it; here that is the end of the request. */
function amountOf(text: string): bigint {
  const amount = AMOUNT.test(text) ? BigInt(text.replace("+", "")) : undefined;
  if (text === "" || amount === 0n) throw new MintRefusal(400, "amount need to be a > 0 unsigned integer");
  if (amount === undefined || amount > UINT256_MAX)
    throw new MintRefusal(400, "amount overflowed or was not base 10");
  return amount;
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
