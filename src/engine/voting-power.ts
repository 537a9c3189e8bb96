// Voting power of the validators of status tendermint (reference 60, section 7.6): their part of all scores, in ten
// thousandths, and never nothing.
import { Decimal } from "../wire/decimal.ts";
import { INITIAL_POWER } from "./nodes.ts";
import { sumOf } from "./scores.ts";

const WHOLE = Decimal.of(10_000n);

/** @param scores raw score times performance, by node */
export function votingPower(scores: ReadonlyMap<string, Decimal>): Map<string, bigint> {
  const sum = sumOf(scores.values());
  return new Map(
    [...scores].map(([id, score]) => {
      if (!sum.isPositive()) return [id, INITIAL_POWER] as const;
      const power = score.dividedBy(sum).times(WHOLE).truncated();
      return [id, power > 0n ? power : 1n] as const;
    }),
  );
}
