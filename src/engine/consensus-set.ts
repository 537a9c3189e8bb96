/**
 * Voting powers in consensus: what a consensus engine was given last, and what it is given next. It follows the
 * validators, except where that would stop it: its last members stay, keys are used once, and at most a third of
 * all power moves in a block, the rest in the blocks after it. Without a consensus engine it is state like any other.
 */

import { ED25519_KEY_BYTES } from "../crypto/ed25519.ts";
import { compare } from "../wire/arithmetic.ts";
import type { Core } from "./core.ts";
import type { ValidatorNode } from "./ports.ts";
import type { Table } from "./state.ts";

/** A member of consensus; power 0 takes it out. */
export interface ConsensusPower {
  /** Its key, base64. */
  readonly key: string;
  readonly power: bigint;
}

type Powers = ReadonlyMap<string, bigint>;

/** Parts of a power between two sets, so that small powers have something between them. */
const SCALE = 1_000n;

export class ConsensusSet {
  private readonly table: Table<bigint>;
  private latest: readonly ConsensusPower[] = [];

  constructor(
    core: Core,
    private readonly validators: { tendermint(): readonly Pick<ValidatorNode, "tmPubKey" | "power">[] },
  ) {
    this.table = core.state.table("consensus.powers");
  }

  /** Changes of the last block, by key. */
  get updates(): readonly ConsensusPower[] {
    return this.latest;
  }

  /** All members, by key. */
  members(): readonly ConsensusPower[] {
    return this.table.entries().map(([key, power]) => ({ key, power }));
  }

  onBlockEnd(): void {
    if (this.isReached()) {
      this.latest = [];
      return;
    }
    const current: Powers = new Map(this.table.entries());
    const next = nextPowers(current, this.targetPowers());
    const keys = [...new Set([...current.keys(), ...next.keys()])].sort(compare);
    this.latest = keys
      .filter((key) => current.get(key) !== next.get(key))
      .map((key) => ({ key, power: next.get(key) ?? 0n }));
    for (const { key, power } of this.latest) {
      if (power > 0n) this.table.set(key, power);
      else this.table.delete(key);
    }
  }

  /** Whether the members are the validators already, as after most blocks. */
  private isReached(): boolean {
    const validators = this.validators.tendermint();
    return (
      validators.length === this.table.size &&
      validators.every(({ tmPubKey, power }) => this.table.get(tmPubKey) === power)
    );
  }

  /** Powers of the validators by key: of two with one key the first by id counts. */
  private targetPowers(): Powers {
    const powers = new Map<string, bigint>();
    for (const { tmPubKey, power } of this.validators.tendermint()) {
      const key = consensusKey(tmPubKey);
      if (key !== undefined && power > 0n && !powers.has(key)) powers.set(key, power);
    }
    return powers;
  }
}

/** A consensus key in its one form; undefined for a text that is not one. */
export function consensusKey(text: string): string | undefined {
  const bytes = Buffer.from(text, "base64");
  return bytes.length === ED25519_KEY_BYTES ? bytes.toString("base64") : undefined;
}

const sumOf = (powers: Powers): bigint => [...powers.values()].reduce((sum, power) => sum + power, 0n);

/** The set after this block, on the way from one to another. */
export function nextPowers(current: Powers, target: Powers): Powers {
  if (target.size === 0) return current;
  const [total, targetTotal] = [sumOf(current), sumOf(target)];
  if (total === 0n) return target;
  const keys = [...new Set([...current.keys(), ...target.keys()])];
  // Shares, as multiples of 1 / (total * targetTotal).
  const gains = new Map(
    keys.map((key) => [key, (target.get(key) ?? 0n) * total - (current.get(key) ?? 0n) * targetTotal]),
  );
  const moved = [...gains.values()].reduce((sum, gain) => (gain > 0n ? sum + gain : sum), 0n);
  const third = (total * targetTotal) / 3n;
  if (moved <= third) return target;
  const between = keys.map((key): [string, bigint] => {
    const share = (current.get(key) ?? 0n) * targetTotal + (gains.get(key)! * third) / moved;
    return [key, (share * SCALE) / total];
  });
  return new Map(between.filter(([, power]) => power > 0n));
}
