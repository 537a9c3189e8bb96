/**
 * Transactions on their way between two threads, and what became of them: many in a few arrays, because every object
 * in a message is made anew on the other side. A transaction's verdict that has something to say goes as an object.
 */
import type { TxOutcome } from "../engine/chain-port.ts";

export interface TxCall {
  readonly id: number;
  readonly bytes: Uint8Array;
  readonly task: TxTask;
  /** What whoever sends it on has found of its signature. */
  readonly signature: SignatureFinding;
}

export type SignatureFinding = "unknown" | "valid" | "invalid";

/** What is to be done with it: judged alone, taken in, or taken in and waited for until it is in a block. */
export type TxTask = "check" | "submit" | "commit";

export interface TxBatch {
  readonly ids: Float64Array;
  readonly lengths: Uint32Array;
  /** The place of its task in `TASKS`, and in the next bits that of its signature in `FINDINGS`. */
  readonly flags: Uint8Array;
  /** One after the other. */
  readonly bytes: Uint8Array;
}

const TASKS: readonly TxTask[] = ["check", "submit", "commit"];
const TASK_BITS = 2;
const FINDINGS: readonly SignatureFinding[] = ["unknown", "valid", "invalid"];

export function packTxs(calls: readonly TxCall[]): TxBatch {
  const ids = Float64Array.from(calls, ({ id }) => id);
  const lengths = Uint32Array.from(calls, ({ bytes }) => bytes.length);
  const flags = Uint8Array.from(
    calls,
    ({ task, signature }) => TASKS.indexOf(task) | (FINDINGS.indexOf(signature) << TASK_BITS),
  );
  const bytes = new Uint8Array(lengths.reduce((sum, length) => sum + length, 0));
  let at = 0;
  for (const call of calls) {
    bytes.set(call.bytes, at);
    at += call.bytes.length;
  }
  return { ids, lengths, flags, bytes };
}

/** Each with bytes of its own: one that waits long must not keep the others' in memory. */
export function unpackTxs({ ids, lengths, flags, bytes }: TxBatch): TxCall[] {
  const calls: TxCall[] = [];
  let at = 0;
  for (let n = 0; n < ids.length; n++) {
    const end = at + lengths[n]!;
    const flag = flags[n]!;
    const task = TASKS[flag & ((1 << TASK_BITS) - 1)]!;
    calls.push({ id: ids[n]!, bytes: bytes.slice(at, end), task, signature: FINDINGS[flag >> TASK_BITS]! });
    at = end;
  }
  return calls;
}

/** Verdicts that say no more than that all is well. */
export interface GoodOutcomes {
  readonly ids: Float64Array;
  readonly gas: Float64Array;
  readonly heights: Float64Array;
  /** Hashes, `HASH_LENGTH` characters each. */
  readonly hashes: string;
}

interface Outcome {
  readonly id: number;
  readonly outcome: TxOutcome;
}

const HASH_LENGTH = 64;

export function isGood({ code, text, details, hash }: TxOutcome): boolean {
  return code === 0 && text === "" && details === undefined && hash.length === HASH_LENGTH;
}

/** @param outcomes that are good */
export function packOutcomes(outcomes: readonly Outcome[]): GoodOutcomes {
  return {
    ids: Float64Array.from(outcomes, ({ id }) => id),
    gas: Float64Array.from(outcomes, ({ outcome }) => outcome.gasWanted),
    heights: Float64Array.from(outcomes, ({ outcome }) => outcome.height),
    hashes: outcomes.map(({ outcome }) => outcome.hash).join(""),
  };
}

export function unpackOutcomes({ ids, gas, heights, hashes }: GoodOutcomes): Outcome[] {
  const outcomes: Outcome[] = [];
  for (let n = 0; n < ids.length; n++) {
    const hash = hashes.slice(n * HASH_LENGTH, (n + 1) * HASH_LENGTH);
    const outcome = { hash, code: 0, text: "", details: undefined, gasWanted: gas[n]!, height: heights[n]! };
    outcomes.push({ id: ids[n]!, outcome });
  }
  return outcomes;
}
