/**
 * Admission in observing mode: the transactions of a chain's blocks go through proof of work and spam rules as they went on the
 * chain, so that every party's figures are the chain's own. The chain's result codes are compared with the verdicts.
 */
import { Admission, type AdmissionState } from "../chain/admission/admission.ts";
import { type AdmissionRules, banDurationNs, REFUSED_CODE } from "../chain/admission/rules.ts";
import { admissionTransaction } from "../chain/block-runner.ts";
import { checkTransaction } from "../wire/transaction-check.ts";
import type { CometBlock, CometTxResult } from "./client.ts";
import type { Fact } from "./facts.ts";

/** A transaction on which chain and observer do not agree. */
export interface Disagreement {
  readonly height: number;
  /** Upper-case hex. */
  readonly hash: string;
  /** In words: what either says. */
  readonly text: string;
}

export interface ObserverState {
  readonly height: number;
  /** Lower-case hex. */
  readonly hash: string;
  readonly timeNs: string;
  readonly firstHeight: number;
  readonly firstTimeNs: string;
  readonly completeFrom: number | undefined;
  readonly seesEpochs: boolean;
  readonly admission: AdmissionState;
}

interface Point {
  readonly height: number;
  readonly hash: string;
  readonly timeNs: bigint;
}

export class Observer {
  readonly admission: Admission;
  private last: Point | undefined;
  private first: { readonly height: number; readonly timeNs: bigint } | undefined;
  /** From this height on nothing of a party's figures is missing; undefined until that is so. */
  private complete: number | undefined;
  /** Whether an epoch has begun since the first block. */
  private seesEpochs = false;

  constructor(
    readonly chainId: string,
    rules: AdmissionRules,
  ) {
    this.admission = new Admission(chainId, rules);
  }

  /** The last block observed. */
  get point(): Point | undefined {
    return this.last;
  }

  get completeFrom(): number | undefined {
    return this.complete;
  }

  /** All that holds before the first block. @param isGenesis whether that block is the chain's first one */
  beginWith(facts: readonly Fact[], firstHeight: number, isGenesis: boolean): void {
    this.apply(facts);
    if (isGenesis) this.complete = firstHeight;
  }

  /** @param facts of the block, from its events @returns where chain and rules differ */
  observe(block: CometBlock, results: readonly CometTxResult[], facts: readonly Fact[]): Disagreement[] {
    const { admission } = this;
    this.first ??= { height: block.height, timeNs: block.timeNs };
    admission.beginBlock(BigInt(block.height), block.hash, block.timeNs);
    if (facts.some(({ kind }) => kind === "epoch")) this.seesEpochs = true;
    this.apply(facts);
    const differences: Disagreement[] = [];
    for (const [n, bytes] of block.txs.entries()) {
      const text = this.deliver(bytes, results[n]);
      if (text === undefined) continue;
      const hash = new Bun.CryptoHasher("sha256").update(bytes).digest("hex").toUpperCase();
      differences.push({ height: block.height, hash, text });
    }
    admission.endBlock();
    admission.commit();
    this.last = { height: block.height, hash: block.hash, timeNs: block.timeNs };
    this.complete ??= this.isComplete(block) ? block.height : undefined;
    return differences;
  }

  save(): ObserverState | undefined {
    const { last, first } = this;
    if (last === undefined || first === undefined) return undefined;
    return {
      height: last.height,
      hash: last.hash,
      timeNs: last.timeNs.toString(),
      firstHeight: first.height,
      firstTimeNs: first.timeNs.toString(),
      completeFrom: this.complete,
      seesEpochs: this.seesEpochs,
      admission: this.admission.save(),
    };
  }

  load(state: ObserverState): void {
    this.admission.load(state.admission);
    this.admission.commit();
    this.last = { height: state.height, hash: state.hash, timeNs: BigInt(state.timeNs) };
    this.first = { height: state.firstHeight, timeNs: BigInt(state.firstTimeNs) };
    this.complete = state.completeFrom;
    this.seesEpochs = state.seesEpochs;
  }

  private apply(facts: readonly Fact[]): void {
    for (const fact of facts) {
      if (fact.kind === "epoch") this.admission.startEpoch(fact.seq);
      else this.admission.setParameter(fact.key, fact.value);
    }
  }

  /** @returns what chain and rules say, where they differ */
  private deliver(bytes: Uint8Array, result: CometTxResult | undefined): string | undefined {
    const code = result?.code ?? 0;
    const verdict = checkTransaction(bytes, this.chainId);
    if (!verdict.ok) {
      if (code !== 0) return undefined;
      return `the chain has executed it, and it should not be valid: ${verdict.refusal.text}`;
    }
    const judged = this.admission.deliver(admissionTransaction(verdict.transaction));
    if (judged.accepted) {
      if (code !== REFUSED_CODE) return undefined;
      return `the chain has refused it (${result?.text ?? ""}), and no rule says so here`;
    }
    if (code === REFUSED_CODE) return undefined;
    return `the chain has not refused it (code ${code}), and here it breaks ${judged.rule}: ${judged.text}`;
  }

  /** Blocks that proofs can name, counts of an epoch and bans: all since the first block observed. */
  private isComplete({ height, timeNs }: CometBlock): boolean {
    const first = this.first!;
    const past = this.admission.pow.parameters?.pastBlocks;
    if (past === undefined || !this.seesEpochs) return false;
    const longestBanNs = banDurationNs(this.admission.pow.epochLength);
    return BigInt(height - first.height) >= past && timeNs - first.timeNs >= longestBanNs;
  }
}
