// A chain with the real admission engine, a mempool that delays and loses, statistics that come late, and other
// parties: what a planner has to live with. Everything follows from a seed.
import { Admission, spamStatistics } from "../../../src/chain/admission/admission.ts";
import { leadingZeroBits, proofHash } from "../../../src/chain/admission/pow/function.ts";
import type { AdmissionRules } from "../../../src/chain/admission/rules.ts";
import type { Slot } from "../../../src/wallet/sending/blocks.ts";
import { type ChainView, viewOf } from "../../../src/wallet/sending/blocks.ts";
import type { ProofPlanner } from "../../../src/wallet/sending/planner.ts";
import { SECOND_NS } from "../../../src/wire/time-text.ts";

export const PARTY = "a".repeat(64);
const OTHERS = ["b".repeat(64), "c".repeat(64)];

/** Numbers that follow from a seed (mulberry32). */
export class Dice {
  constructor(private seed: number) {}

  next(): number {
    this.seed = (this.seed + 0x6d2b79f5) | 0;
    let value = Math.imul(this.seed ^ (this.seed >>> 15), 1 | this.seed);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  }

  /** From 0 to `most`. */
  upTo(most: number): number {
    return Math.floor(this.next() * (most + 1));
  }

  isOn(chance: number): boolean {
    return this.next() < chance;
  }
}

export interface SimulatedTransaction {
  readonly party: string;
  readonly slot: Slot;
  readonly tid: string;
  readonly nonce: bigint;
  readonly bits: number;
}

export class SimulatedChain {
  readonly admission: Admission;
  height = 0n;
  private serial = 0;
  private readonly hashes = new Map<bigint, string>();

  constructor(
    readonly dice: Dice,
    rules: AdmissionRules,
    private readonly label = "chain",
  ) {
    this.admission = new Admission("simulated", rules);
    this.set("spam.pow.hashFunction", "sha3_24_rounds");
    this.set("validators.epoch.length", "1h");
  }

  set(name: string, value: string): void {
    this.admission.setParameter(name, value);
  }

  hashOf(height: bigint): string {
    return this.hashes.get(height)!;
  }

  /** A block: the transactions in this order, then the parameters. @returns the refusals */
  block(
    transactions: readonly SimulatedTransaction[],
    parameters: Readonly<Record<string, string>> = {},
  ): string[] {
    this.height += 1n;
    const hash = new Bun.CryptoHasher("sha256").update(`${this.label} ${this.height}`).digest("hex");
    this.hashes.set(this.height, hash);
    this.admission.beginBlock(this.height, hash, this.height * SECOND_NS);
    const refused: string[] = [];
    for (const transaction of transactions) {
      const verdict = this.admission.deliver(this.admissionForm(transaction));
      if (!verdict.accepted) refused.push(`${transaction.party.slice(0, 1)}: ${verdict.text}`);
    }
    for (const [name, value] of Object.entries(parameters)) this.set(name, value);
    this.admission.endBlock();
    this.admission.commit();
    return refused;
  }

  check(transaction: SimulatedTransaction): string | undefined {
    const verdict = this.admission.check(this.admissionForm(transaction), undefined);
    return verdict.accepted ? undefined : verdict.text;
  }

  view(party = PARTY): ChainView {
    return viewOf(spamStatistics(this.admission, party))!;
  }

  /** Makes the proof that a slot asks for. */
  transaction(slot: Slot, party = PARTY): SimulatedTransaction {
    const tid = `${this.label} ${party.slice(0, 1)} ${++this.serial}`;
    for (let nonce = 0n; ; nonce++) {
      const bits = leadingZeroBits(proofHash({ blockHash: slot.hash, tid, nonce }));
      if (bits >= slot.difficulty) return { party, slot, tid, nonce, bits };
    }
  }

  /** Another sender's transaction on a block. */
  foreign(height: bigint, difficulty: number): SimulatedTransaction {
    const slot = {
      id: 0,
      height,
      hash: this.hashOf(height),
      difficulty,
      hashFunction: "sha3_24_rounds",
    };
    return this.transaction(slot, OTHERS[this.dice.upTo(1)]);
  }

  private admissionForm({ party, slot, tid, nonce }: SimulatedTransaction) {
    const hash = new Bun.CryptoHasher("sha256").update(tid).digest("hex");
    return { party, hash, blockHeight: slot.height, tid, nonce, command: "orderSubmission" as const };
  }
}

/** Whatever was planned, proven and given to the network, or not. */
export function planOne(chain: SimulatedChain, planner: ProofPlanner): SimulatedTransaction | undefined {
  const plan = planner.plan();
  if (plan.kind !== "go") return undefined;
  const transaction = chain.transaction(plan.slot);
  planner.prove(plan.slot, transaction.bits);
  return transaction;
}
