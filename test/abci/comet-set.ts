// The validators as CometBFT keeps them: it stops for good where a block's updates break one of these rules
// (reference: `ValidatorSet.UpdateWithChangeSet` and the checks of `validator_updates` in front of it).
import { ED25519_KEY_BYTES } from "../../src/crypto/ed25519.ts";
import type { ValidatorUpdate } from "../../src/wire/generated/abci.ts";

const POWER_MAX = (1n << 60n) - 1n;
/** Powers are whole: a thousandth more than a third is their rounding. */
const MOVED_MAX = { parts: 1_003n, of: 3_000n };

export class CometSet {
  powers = new Map<string, bigint>();

  /** The validators with which the engine begins; its own where the application names none. */
  begin(updates: readonly ValidatorUpdate[]): void {
    this.powers = new Map();
    this.apply(updates);
  }

  /** @throws Error for updates at which CometBFT would stop, or that move more than a third of all power */
  apply(updates: readonly ValidatorUpdate[]): void {
    if (updates.length === 0) return;
    const next = new Map(this.powers);
    const named = new Set<string>();
    for (const { pubKey, power } of updates) {
      const bytes = pubKey?.ed25519;
      if (bytes?.length !== ED25519_KEY_BYTES) throw new Error(`a key has ${bytes?.length} bytes`);
      const key = Buffer.from(bytes).toString("base64");
      if (named.has(key)) throw new Error(`key ${key} comes twice`);
      named.add(key);
      if (power < 0n) throw new Error(`power ${power}`);
      if (power === 0n && !next.delete(key)) throw new Error(`key ${key} is removed, and is not there`);
      if (power > 0n) next.set(key, power);
    }
    const [before, after] = [sumOf(this.powers), sumOf(next)];
    if (after === 0n) throw new Error("nobody is left");
    if (after > POWER_MAX) throw new Error(`a power of ${after} in all`);
    let gained = 0n;
    for (const [key, power] of next) {
      const gain = power * before - (this.powers.get(key) ?? 0n) * after;
      if (gain > 0n) gained += gain;
    }
    if (before > 0n && gained * MOVED_MAX.of > before * after * MOVED_MAX.parts)
      throw new Error("more than a third of all power moves in one block");
    this.powers = next;
  }
}

const sumOf = (powers: ReadonlyMap<string, bigint>) =>
  [...powers.values()].reduce((sum, power) => sum + power, 0n);
