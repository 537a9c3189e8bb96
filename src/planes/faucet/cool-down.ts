// One mint of an asset for a party in a while, for callers from afar (reference 60, section 3.5).

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

/** Whether a caller need not wait. @param address as the socket tells it; undefined when there is no socket */
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
    this.forget();
    return this.until.get(keyOf(party, asset));
  }

  /** The time begins anew. */
  begin(party: string, asset: string): void {
    const key = keyOf(party, asset);
    this.until.delete(key);
    this.until.set(key, this.nowMs() + this.lengthMs);
    if (this.until.size <= this.mintsMax) return;
    const [oldest] = this.until.keys();
    this.until.delete(oldest!);
  }

  /** As if nothing had been minted. */
  takeBack(party: string, asset: string): void {
    this.until.delete(keyOf(party, asset));
  }

  /** Drops what is over, so that no more is kept than was minted within one length. */
  private forget(): void {
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
