// Shared by the tests of the proof-of-work engine: an engine that is driven block by block, and cheap proofs.

import { PowEngine, type PowTransaction } from "../../../src/chain/admission/pow/engine.ts";
import { leadingZeroBits, proofHash } from "../../../src/chain/admission/pow/function.ts";
import type { PowParameters } from "../../../src/chain/admission/pow/windows.ts";
import type { AdmissionRules, Verdict } from "../../../src/chain/admission/rules.ts";
import { decodeValue, State } from "../../../src/engine/state.ts";
import { SECOND_NS } from "../../../src/wire/time-text.ts";
import type { PowVector } from "./pow-vectors.ts";

export const HOUR_NS = 3_600_000_000_000n;
export const hashOf = (height: bigint) => height.toString(16).padStart(64, "0");
export const textOf = (verdict: Verdict) => (verdict.accepted ? "accepted" : verdict.text);

export const DEFAULTS: PowParameters = {
  pastBlocks: 100n,
  difficulty: 15,
  hashFunction: "sha3_24_rounds",
  txPerBlock: 2n,
  increasingDifficulty: false,
};

/** The values of one of the engine's tables. */
export function listsOf(state: State, table: string): unknown[] {
  return [...state.entries()]
    .filter((entry) => entry.table === `admission.pow.${table}`)
    .map(({ value }) => decodeValue(value));
}

/** A chain of one engine, with a block a second: block h has time h. */
export class PowChain {
  readonly state = new State();
  readonly engine: PowEngine;
  height = 0n;
  private serial = 0;
  private readonly hashes = new Map<bigint, string>();

  constructor(parameters: Partial<PowParameters> = {}, rules: AdmissionRules = "default") {
    this.engine = new PowEngine(rules, this.state);
    this.engine.setEpochLength(10n * SECOND_NS);
    this.engine.change({ ...DEFAULTS, ...parameters });
  }

  get timeNs(): bigint {
    return this.height * SECOND_NS;
  }

  /** Begins the next block; ends the one before it. */
  next(hash?: string): void {
    if (this.height > 0n) this.end();
    this.begin(hash);
  }

  begin(hash = hashOf(this.height + 1n)): void {
    this.height += 1n;
    this.hashes.set(this.height, hash);
    this.engine.beginBlock(this.height, hash, (this.height - 1n) * SECOND_NS);
  }

  end(): void {
    this.engine.endBlock();
    this.engine.commit();
  }

  /** Goes on until block `height` has begun. */
  goTo(height: bigint, hashes: Readonly<Record<string, string>> = {}): void {
    while (this.height < height) this.next(hashes[String(this.height + 1n)]);
  }

  /** A transaction with a proof of exactly this many zero bits on this height. */
  tx(height: bigint, bits: number, changes: Partial<PowTransaction> = {}): PowTransaction {
    const tid = changes.tid ?? `proof ${++this.serial}`;
    const blockHash = this.hashes.get(height) ?? hashOf(height);
    return this.plain({ blockHeight: height, tid, nonce: mine(blockHash, tid, bits), ...changes });
  }

  /** A transaction with the proof of a vector. */
  proven({ tid, nonce }: PowVector, blockHeight: bigint, changes: Partial<PowTransaction> = {}) {
    return this.plain({ tid, nonce, blockHeight, ...changes });
  }

  plain(changes: Partial<PowTransaction>): PowTransaction {
    const hash = (++this.serial).toString(16).padStart(64, "a");
    const defaults = { party: "party", commandName: "Amend Order", isValidatorCommand: false };
    return { ...defaults, hash, blockHeight: this.height, tid: "", nonce: 0n, ...changes };
  }

  deliver(tx: PowTransaction): string {
    return textOf(this.engine.deliver(tx, this.timeNs));
  }

  /** As a submission: what is good waits in the mempool. */
  submit(tx: PowTransaction): string {
    const verdict = this.engine.check(tx);
    if (verdict.accepted) this.engine.reserve(tx);
    else this.engine.refuse(tx);
    return textOf(verdict);
  }
}

/** The first nonce whose hash has exactly this many leading zero bits. */
export function mine(blockHash: string, tid: string, bits: number): bigint {
  let nonce = 0n;
  while (leadingZeroBits(proofHash({ blockHash, tid, nonce })) !== bits) nonce += 1n;
  return nonce;
}

export function permutations<T>(items: readonly T[]): T[][] {
  if (items.length <= 1) return [[...items]];
  return items.flatMap((item, at) =>
    permutations([...items.slice(0, at), ...items.slice(at + 1)]).map((rest) => [item, ...rest]),
  );
}
