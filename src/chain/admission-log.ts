/**
 * Admission with a way back: what it was told since its state was last saved, so that a block that could not be stored
 * is undone without saving the whole state for every block.
 */

import type { CheckedTransaction } from "../wire/transaction-check.ts";
import { Admission, type AdmissionState, type AdmissionTransaction } from "./admission/admission.ts";
import type { AdmissionRules, Verdict } from "./admission/rules.ts";

type Call =
  | { readonly kind: "begin"; readonly height: bigint; readonly hash: string; readonly timeNs: bigint }
  | { readonly kind: "epoch"; readonly seq: bigint }
  | { readonly kind: "parameter"; readonly key: string; readonly value: string }
  | { readonly kind: "deliver"; readonly tx: AdmissionTransaction }
  | { readonly kind: "end" };

/** What admission has to know of a transaction. */
export function admissionTransaction(tx: CheckedTransaction): AdmissionTransaction {
  const { party, hash, blockHeight, pow, kind } = tx;
  return {
    command: kind,
    party,
    hash,
    blockHeight,
    tid: pow?.tid ?? "",
    nonce: pow?.nonce ?? 0n,
    ...(tx.kind === "voteSubmission" && { proposal: tx.payload.proposalId }),
  };
}

export class AdmissionLog {
  readonly admission: Admission;
  private calls: Call[] = [];
  private saved: AdmissionState;

  constructor(chainId: string, rules: AdmissionRules | undefined) {
    this.admission = new Admission(chainId, rules);
    this.saved = this.admission.save();
  }

  beginBlock(height: bigint, hash: string, timeNs: bigint): void {
    this.append({ kind: "begin", height, hash, timeNs });
  }

  startEpoch(seq: bigint): void {
    this.append({ kind: "epoch", seq });
  }

  setParameter(key: string, value: string): void {
    this.append({ kind: "parameter", key, value });
  }

  deliver(tx: AdmissionTransaction): Verdict {
    this.calls.push({ kind: "deliver", tx });
    return this.admission.deliver(tx);
  }

  /** The end of the block and its commit. */
  end(): void {
    this.append({ kind: "end" });
    this.admission.commit();
  }

  /** A place between two blocks. */
  mark(): number {
    return this.calls.length;
  }

  /** Back to a place after the last `settle` or `load`. What the mempool has checked since the commit stays checked. */
  rewind(mark: number): void {
    const calls = this.calls.slice(0, mark);
    this.admission.load(this.saved);
    this.calls = [];
    for (const call of calls) this.append(call);
  }

  /** The state of now: the way back begins here, so that what came before need not be remembered any more. */
  settle(state: AdmissionState): void {
    this.saved = state;
    this.calls = [];
  }

  load(state: AdmissionState): void {
    this.admission.load(state);
    this.admission.commit();
    this.settle(state);
  }

  private append(call: Call): void {
    this.calls.push(call);
    const { admission } = this;
    if (call.kind === "begin") admission.beginBlock(call.height, call.hash, call.timeNs);
    else if (call.kind === "epoch") admission.startEpoch(call.seq);
    else if (call.kind === "parameter") admission.setParameter(call.key, call.value);
    else if (call.kind === "deliver") admission.deliver(call.tx);
    else admission.endBlock();
  }
}
