/**
 * Submissions through a sidecar: checked here as the chain would, so that a refusal costs the validator nothing, then handed to
 * the followed node. A hand-over whose answer is lost is repeated with the same bytes, which the node takes once.
 */
import { type AdmissionTransaction, spamStatistics } from "../chain/admission/admission.ts";
import { REFUSED_CODE } from "../chain/admission/rules.ts";
import type { Tokens } from "../chain/admission/spam/policies.ts";
import { admissionTransaction } from "../chain/block-runner.ts";
import { refusalDetails } from "../chain/refusals.ts";
import { sha256HexOf } from "../crypto/sha.ts";
import { ChainCallError, type ChainStatus, type TxOutcome } from "../engine/chain-port.ts";
import type { RuleName } from "../errors/rules.ts";
import { TRANSACTION_BYTES_MAX, tooLargeText } from "../wire/transaction.ts";
import { type CheckedTransaction, checkTransaction } from "../wire/transaction-check.ts";
import type { CometBlock, CometTxResult } from "./client.ts";
import { handOver, type Submitter } from "./hand-over.ts";
import type { Observer } from "./observer.ts";

const COMMIT_WAIT_MS = 10_000;
/** A transaction that no block has held for so many blocks is not expected any more. */
const PENDING_BLOCKS = 100;
const PENDING_MAX = 20_000;

interface Pending {
  readonly tx: AdmissionTransaction;
  readonly since: number;
  readonly waiting: ((result: CometTxResult, height: number) => void)[];
}

type Facts = Pick<ChainStatus, "epoch" | "timeNs" | "height">;

export class SubmissionGate {
  /** Handed over, and in no block yet; by upper-case hash. */
  private readonly pending = new Map<string, Pending>();

  /** @param nodes in the order in which they are asked */
  constructor(
    private readonly nodes: readonly Submitter[],
    private readonly observer: () => Observer | undefined,
    private readonly status: () => Facts,
  ) {}

  /** @param tokens the party's stake @throws ChainCallError */
  check(bytes: Uint8Array, tokens: (party: string) => Tokens): TxOutcome {
    return this.examine(bytes, tokens).outcome;
  }

  /** @throws ChainCallError when the node could not be asked, or does not take it */
  async submit(
    bytes: Uint8Array,
    wait: "check" | "commit",
    tokens: (party: string) => Tokens,
  ): Promise<TxOutcome> {
    const { outcome, tx } = this.examine(bytes, tokens);
    if (outcome.code !== 0 || tx === undefined) return outcome;
    const { hash } = outcome;
    if (this.pending.has(hash)) throw new ChainCallError("duplicate", "tx already exists in cache");
    if (this.pending.size >= PENDING_MAX) {
      throw new ChainCallError("mempool_full", `${PENDING_MAX} transactions wait for their block already`);
    }
    const entry: Pending = { tx: admissionTransaction(tx), since: this.status().height, waiting: [] };
    this.pending.set(hash, entry);
    const included =
      wait === "commit"
        ? new Promise<TxOutcome>((resolve) => {
            entry.waiting.push(({ code, text }, height) =>
              resolve(this.outcome(hash, { code, text }, height)),
            );
          })
        : undefined;
    this.observer()?.admission.reserve(entry.tx);
    const answer = await handOver(this.nodes, bytes, () => !this.pending.has(hash)).catch((error) => {
      this.drop(hash);
      throw error;
    });
    if (answer.code !== 0) {
      this.drop(hash);
      return this.outcome(hash, answer);
    }
    if (included === undefined) return outcome;
    const late = Bun.sleep(COMMIT_WAIT_MS).then(() => {
      throw new ChainCallError("timeout", "timed out waiting for tx to be included in a block");
    });
    return Promise.race([included, late]);
  }

  spamStatistics(party: string): object {
    const observer = this.observer();
    if (observer === undefined) throw new ChainCallError("stopped", "no block of the chain was seen yet");
    const { admission, chainId } = observer;
    return spamStatistics(
      { chainId, pow: admission.pow, spam: admission.spam, rules: admission.rules },
      party,
    );
  }

  /** A block was observed: what it holds does not wait any more, the rest is held again. */
  onBlock(block: CometBlock, results: readonly CometTxResult[]): void {
    if (this.pending.size === 0) return;
    for (const [n, bytes] of block.txs.entries()) {
      const hash = sha256HexOf(bytes).toUpperCase();
      const entry = this.pending.get(hash);
      if (entry === undefined) continue;
      this.pending.delete(hash);
      for (const notify of entry.waiting) notify(results[n] ?? { code: 0, text: "" }, block.height);
    }
    const admission = this.observer()?.admission;
    for (const [hash, entry] of this.pending) {
      if (block.height - entry.since > PENDING_BLOCKS) this.pending.delete(hash);
      else admission?.reserve(entry.tx);
    }
  }

  private examine(
    bytes: Uint8Array,
    tokens: (party: string) => Tokens,
  ): { outcome: TxOutcome; tx?: CheckedTransaction } {
    if (bytes.length > TRANSACTION_BYTES_MAX)
      throw new ChainCallError("too_large", tooLargeText(bytes.length));
    const observer = this.observer();
    if (observer === undefined) throw new ChainCallError("stopped", "no block of the chain was seen yet");
    const hash = sha256HexOf(bytes).toUpperCase();
    const read = checkTransaction(bytes, observer.chainId);
    if (!read.ok) {
      const { reason, code, text } = read.refusal;
      if (reason === "too_large") throw new ChainCallError("too_large", text);
      const rule = reason === "undecodable" ? "undecodable_transaction" : "invalid_transaction";
      return { outcome: this.outcome(hash, { code, text, rule }) };
    }
    const tx = read.transaction;
    const verdict = observer.admission.check(admissionTransaction(tx), tokens(tx.party));
    if (verdict.accepted) return { outcome: this.outcome(hash, { code: 0, text: "" }), tx };
    const { rule, text, numbers } = verdict;
    observer.admission.refuse(admissionTransaction(tx));
    return { outcome: this.outcome(hash, { code: REFUSED_CODE, text, rule, numbers }), tx };
  }

  private drop(hash: string): void {
    const entry = this.pending.get(hash);
    if (entry === undefined) return;
    this.pending.delete(hash);
    this.observer()?.admission.release(entry.tx);
  }

  private outcome(
    hash: string,
    { code, text, rule = "command_failed", numbers = {} }: Verdict,
    height = 0,
  ): TxOutcome {
    const details = code === 0 ? undefined : refusalDetails(rule, text, numbers, this.status());
    return { hash, code, text, details, gasWanted: 0, height };
  }
}

interface Verdict {
  readonly code: number;
  readonly text: string;
  readonly rule?: RuleName;
  readonly numbers?: Readonly<Record<string, bigint>>;
}
