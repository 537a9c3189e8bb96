/**
 * Admission in observing mode: the transactions of a chain's blocks go through proof of work and spam rules as they went on the
 * chain, so that every party's figures are the chain's own. The chain's result codes are compared with the verdicts.
 */
import { Admission, type AdmissionTransaction } from "../chain/admission/admission.ts";
import { type AdmissionRules, banDurationNs, REFUSED_CODE } from "../chain/admission/rules.ts";
import { admissionTransaction } from "../chain/block-runner.ts";
import type { StateEntry } from "../engine/state.ts";
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

/** A block as the rules see it: enough to observe it again without the chain's node and the signatures. */
export interface ObservedBlock {
  readonly chainId: string;
  readonly height: number;
  /** Lower-case hex. */
  readonly hash: string;
  readonly appHash: string;
  readonly timeNs: bigint;
  readonly facts: readonly Fact[];
  /** Those with a valid form and signature, in order. */
  readonly txs: readonly AdmissionTransaction[];
  /** Of all transactions. */
  readonly txCount: number;
  readonly txBytes: number;
}

/** Format of the state; one that cannot be read any more gets another number. */
const STATE_VERSION = 2;

export interface ObserverState {
  /** Missing in a state that an older program saved. */
  readonly chainId?: string;
  readonly height: number;
  /** Lower-case hex. */
  readonly hash: string;
  readonly timeNs: string;
  readonly firstHeight: number;
  readonly firstTimeNs: string;
  readonly completeFrom: number | undefined;
  readonly seesEpochs: boolean;
  readonly admission: { readonly version: number; readonly entries: readonly StateEntry[] };
}

/** Whether this program wrote such a state: of an older one, blocks are observed again. */
export function isReadable({ admission }: ObserverState): boolean {
  return admission.version === STATE_VERSION;
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

  /** @param facts of the block, from its events */
  observe(
    block: CometBlock,
    results: readonly CometTxResult[],
    facts: readonly Fact[],
  ): { readonly observed: ObservedBlock; readonly differences: readonly Disagreement[] } {
    this.beginBlock(block, facts);
    const differences: Disagreement[] = [];
    const txs: AdmissionTransaction[] = [];
    for (const [n, bytes] of block.txs.entries()) {
      const text = this.deliver(bytes, results[n], txs);
      if (text === undefined) continue;
      const hash = new Bun.CryptoHasher("sha256").update(bytes).digest("hex").toUpperCase();
      differences.push({ height: block.height, hash, text });
    }
    this.endBlock(block);
    const { chainId, height, hash, appHash, timeNs } = block;
    const txBytes = block.txs.reduce((sum, tx) => sum + tx.length, 0);
    const observed = {
      chainId,
      height,
      hash,
      appHash,
      timeNs,
      facts,
      txs,
      txCount: block.txs.length,
      txBytes,
    };
    return { observed, differences };
  }

  /** A block that an earlier run has observed. */
  repeat(block: ObservedBlock): void {
    this.beginBlock(block, block.facts);
    for (const tx of block.txs) this.admission.deliver(tx);
    this.endBlock(block);
  }

  save(): ObserverState | undefined {
    const { last, first } = this;
    if (last === undefined || first === undefined) return undefined;
    return {
      chainId: this.chainId,
      height: last.height,
      hash: last.hash,
      timeNs: last.timeNs.toString(),
      firstHeight: first.height,
      firstTimeNs: first.timeNs.toString(),
      completeFrom: this.complete,
      seesEpochs: this.seesEpochs,
      admission: { version: STATE_VERSION, entries: [...this.admission.state.entries()] },
    };
  }

  load(state: ObserverState): void {
    this.admission.state.load(state.admission.entries);
    this.admission.resume(BigInt(state.height), BigInt(state.timeNs));
    this.admission.commit();
    this.last = { height: state.height, hash: state.hash, timeNs: BigInt(state.timeNs) };
    this.first = { height: state.firstHeight, timeNs: BigInt(state.firstTimeNs) };
    this.complete = state.completeFrom;
    this.seesEpochs = state.seesEpochs;
  }

  private beginBlock({ height, hash, timeNs }: Point, facts: readonly Fact[]): void {
    this.first ??= { height, timeNs };
    this.admission.beginBlock(BigInt(height), hash, timeNs);
    if (facts.some(({ kind }) => kind === "epoch")) this.seesEpochs = true;
    this.apply(facts);
  }

  private endBlock({ height, hash, timeNs }: Point): void {
    this.admission.endBlock();
    this.admission.commit();
    // There is no way back behind a block.
    this.admission.state.takeChanges();
    this.admission.state.dropJournal();
    this.last = { height, hash, timeNs };
    this.complete ??= this.isComplete(this.last) ? height : undefined;
  }

  private apply(facts: readonly Fact[]): void {
    for (const fact of facts) {
      if (fact.kind === "epoch") this.admission.startEpoch(fact.seq);
      else this.admission.setParameter(fact.key, fact.value);
    }
  }

  /**
   * @param delivered gets the transaction if its form and signature are valid
   * @returns what chain and rules say, where they differ. While the view is not complete, a rule's verdict says nothing:
   *   what it follows from may have happened before the first block.
   */
  private deliver(
    bytes: Uint8Array,
    result: CometTxResult | undefined,
    delivered: AdmissionTransaction[],
  ): string | undefined {
    const code = result?.code ?? 0;
    const verdict = checkTransaction(bytes, this.chainId);
    if (!verdict.ok) {
      if (code !== 0) return undefined;
      return `the chain has executed it, and it should not be valid: ${verdict.refusal.text}`;
    }
    const tx = admissionTransaction(verdict.transaction);
    delivered.push(tx);
    const judged = this.admission.deliver(tx);
    if (judged.accepted === (code !== REFUSED_CODE) || this.complete === undefined) return undefined;
    if (judged.accepted) return `the chain has refused it (${result?.text ?? ""}), and no rule says so here`;
    return `the chain has not refused it (code ${code}), and here it breaks ${judged.rule}: ${judged.text}`;
  }

  /** Blocks that proofs can name, counts of an epoch and bans: all since the first block observed. */
  private isComplete({ height, timeNs }: Point): boolean {
    const first = this.first!;
    const past = this.admission.pow.parameters?.pastBlocks;
    if (past === undefined || !this.seesEpochs) return false;
    const longestBanNs = banDurationNs(this.admission.pow.epochLength);
    return BigInt(height - first.height) >= past && timeNs - first.timeNs >= longestBanNs;
  }
}
