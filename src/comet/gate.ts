/**
 * Submissions through a sidecar: checked here as the chain would, so that a refusal costs the validator nothing, then handed to
 * the followed node. A hand-over whose answer is lost is repeated with the same bytes, which the node takes once.
 *
 * A refusal of this gate must hold for every core, also one that is a block ahead. A transaction that names a block which was
 * not seen yet waits for it, for a moment; a refusal that the next block may lift (bans, counts, stakes) counts if the node
 * has no further block. Whatever stays in doubt is handed on, and the core decides.
 */
import { type AdmissionTransaction, spamStatistics } from "../chain/admission/admission.ts";
import { REFUSED_CODE } from "../chain/admission/rules.ts";
import type { Tokens } from "../chain/admission/spam/policies.ts";
import { admissionTransaction } from "../chain/block-runner.ts";
import { refusalDetails } from "../chain/refusals.ts";
import { sha256HexOf } from "../crypto/sha.ts";
import { ChainCallError, type ChainStatus, type TxOutcome } from "../engine/chain-port.ts";
import type { AdmissionRule, RuleName } from "../errors/rules.ts";
import { TRANSACTION_BYTES_MAX, tooLargeText } from "../wire/transaction.ts";
import { checkTransaction } from "../wire/transaction-check.ts";
import type { CometBlock, CometTxResult } from "./client.ts";
import { handOver, type Submitter } from "./hand-over.ts";
import type { Observer } from "./observer.ts";

const COMMIT_WAIT_MS = 10_000;
/** Time that a transaction waits for a block that this node has not seen yet. */
const BLOCK_WAIT_MS = 2_000;
/** Blocks further ahead are not waited for. */
const BLOCKS_AHEAD_MAX = 50;
const BLOCK_WAITERS_MAX = 1_000;
/** A transaction that this many blocks did not hold is not expected any more. */
const PENDING_BLOCKS = 100;
const PENDING_MAX = 20_000;

/** A block holds this transaction, or its proof. */
const USED: ReadonlySet<AdmissionRule> = new Set(["pow_hash_used", "pow_tid_used"]);
/** They follow from the mempool of this node alone. */
const OWN: ReadonlySet<AdmissionRule> = new Set(["pow_tid_seen", "pow_tid_too_long"]);

interface Pending {
  readonly tx: AdmissionTransaction;
  readonly since: number;
  readonly waiting: ((result: CometTxResult, height: number) => void)[];
}

interface BlockWaiter {
  readonly height: number;
  settle(): void;
}

type Facts = Pick<ChainStatus, "epoch" | "timeNs" | "height">;

interface GateOptions {
  /** In the order in which they are asked. */
  readonly nodes: readonly Submitter[];
  /** The verdict of a core, where one can be asked. */
  readonly checkAtCore?: ((bytes: Uint8Array) => Promise<CometTxResult>) | undefined;
  observer(): Observer | undefined;
  /** Of the chain behind the node; undefined before it was seen. */
  chainId(): string | undefined;
  status(): Facts;
  /** Height of the followed node, asked now; undefined without an answer. */
  nodeHeight(): Promise<number | undefined>;
  /** A party's stake. */
  tokens(party: string): Tokens;
  /** Whether parameters and stakes come from the chain's events: without them only the core knows what holds. */
  readonly hasEvents: boolean;
}

/** A verdict on the bytes. */
interface Examined {
  readonly outcome: TxOutcome;
  /** Of what may be handed over. */
  readonly tx?: AdmissionTransaction;
  /** The rule that refuses it here, while a core may see it otherwise. */
  readonly doubt?: Doubt;
}

interface Doubt extends Verdict {
  readonly rule: AdmissionRule;
}

export class SubmissionGate {
  /** Handed over, and in no block yet; by upper-case hash. */
  private readonly pending = new Map<string, Pending>();
  private readonly blockWaiters = new Set<BlockWaiter>();
  private heightQuestion: Promise<number | undefined> | undefined;

  constructor(private readonly options: GateOptions) {}

  /** @throws ChainCallError */
  async check(bytes: Uint8Array): Promise<TxOutcome> {
    const { outcome, doubt } = await this.judgeTransaction(bytes);
    const { checkAtCore } = this.options;
    if (outcome.code !== 0 || doubt === undefined || checkAtCore === undefined) return outcome;
    const answer = await checkAtCore(bytes).catch(() => undefined);
    return answer === undefined ? outcome : this.answered(outcome, answer, doubt);
  }

  /** @throws ChainCallError when the node could not be asked, or does not take it */
  async submit(bytes: Uint8Array, wait: "check" | "commit"): Promise<TxOutcome> {
    const { outcome, tx, doubt } = await this.judgeTransaction(bytes);
    if (outcome.code !== 0 || tx === undefined) return outcome;
    const { hash } = outcome;
    // The node may have lost it meanwhile: whether it is a duplicate is its own word.
    const isKnown = this.pending.has(hash);
    const entry = this.pending.get(hash) ?? { tx, since: this.options.status().height, waiting: [] };
    if (!isKnown && this.pending.size < PENDING_MAX) {
      this.pending.set(hash, entry);
      this.options.observer()?.admission.reserve(tx);
    } else if (!isKnown && wait === "commit") {
      throw new ChainCallError("mempool_full", `${PENDING_MAX} transactions wait for their block already`);
    }
    const isTracked = this.pending.has(hash);
    const included =
      wait === "commit"
        ? new Promise<TxOutcome>((resolve) => {
            entry.waiting.push(({ code, text }, height) =>
              resolve(this.outcome(hash, { code, text }, height)),
            );
          })
        : undefined;
    const isSettled = () => isTracked && !this.pending.has(hash);
    const answer = await handOver(this.options.nodes, bytes, isSettled).catch((error) => {
      if (!isKnown) this.drop(hash);
      throw error;
    });
    if (answer.code !== 0) {
      if (!isKnown) this.drop(hash);
      return this.answered(outcome, answer, doubt);
    }
    if (included === undefined) return outcome;
    const late = Bun.sleep(COMMIT_WAIT_MS).then(() => {
      throw new ChainCallError("timeout", "timed out waiting for tx to be included in a block");
    });
    return Promise.race([included, late]);
  }

  spamStatistics(party: string): object {
    const observer = this.options.observer();
    if (observer === undefined) throw noBlock();
    const { admission, chainId } = observer;
    return spamStatistics(
      { chainId, pow: admission.pow, spam: admission.spam, rules: admission.rules },
      party,
    );
  }

  /** A block was observed: what it holds does not wait any more, the rest is held again. */
  onBlock(block: CometBlock, results: readonly CometTxResult[]): void {
    for (const waiter of this.blockWaiters) if (waiter.height <= block.height) waiter.settle();
    if (this.pending.size === 0) return;
    for (const [n, bytes] of block.txs.entries()) {
      const hash = sha256HexOf(bytes).toUpperCase();
      const entry = this.pending.get(hash);
      if (entry === undefined) continue;
      this.pending.delete(hash);
      for (const notify of entry.waiting) notify(results[n] ?? { code: 0, text: "" }, block.height);
    }
    const admission = this.options.observer()?.admission;
    for (const [hash, entry] of this.pending) {
      if (block.height - entry.since > PENDING_BLOCKS) this.pending.delete(hash);
      else admission?.reserve(entry.tx);
    }
  }

  /** The verdict of this gate; with a doubt it is only that the core may be asked. */
  private async judgeTransaction(bytes: Uint8Array): Promise<Examined> {
    const first = this.examine(bytes);
    const { tx, doubt } = first;
    if (tx === undefined || doubt === undefined || OWN.has(doubt.rule)) return first;
    const seen = this.options.observer()?.point?.height ?? 0;
    if (doubt.rule === "pow_unknown_height" && tx.blockHeight > seen) {
      const isNear = tx.blockHeight <= seen + BLOCKS_AHEAD_MAX;
      return isNear && (await this.untilBlock(Number(tx.blockHeight))) ? this.judgeTransaction(bytes) : first;
    }
    if (!this.isWhole) return first;
    const height = await this.nodeHeight();
    if (height === undefined) return first;
    if (height > seen) return (await this.untilBlock(height)) ? this.examine(bytes) : first;
    // A core at this very block refuses it, too.
    return { outcome: this.outcome(first.outcome.hash, doubt) };
  }

  /** Whether every figure is the chain's own. */
  private get isWhole(): boolean {
    return this.options.hasEvents && this.options.observer()?.completeFrom !== undefined;
  }

  private examine(bytes: Uint8Array): Examined {
    const { options } = this;
    if (bytes.length > TRANSACTION_BYTES_MAX)
      throw new ChainCallError("too_large", tooLargeText(bytes.length));
    const chainId = options.chainId();
    if (chainId === undefined) throw noBlock();
    const plainHash = sha256HexOf(bytes);
    const hash = plainHash.toUpperCase();
    const read = checkTransaction(bytes, chainId, plainHash);
    if (!read.ok) {
      const { reason, code, text } = read.refusal;
      if (reason === "too_large") throw new ChainCallError("too_large", text);
      const rule = reason === "undecodable" ? "undecodable_transaction" : "invalid_transaction";
      return { outcome: this.outcome(hash, { code, text, rule }) };
    }
    const tx = admissionTransaction(read.transaction);
    const good = { outcome: this.outcome(hash, { code: 0, text: "" }), tx };
    const observer = options.observer();
    const verdict = observer?.admission.check(tx, options.tokens(tx.party));
    if (observer === undefined || verdict === undefined || verdict.accepted) return good;
    const { rule, text, numbers } = verdict;
    const refusal = { code: REFUSED_CODE, text, rule, numbers };
    return this.isFinal(rule, tx, observer)
      ? { outcome: this.outcome(hash, refusal) }
      : { ...good, doubt: refusal };
  }

  /** Whether a rule refuses the transaction at every later block, too. */
  private isFinal(rule: AdmissionRule, { blockHeight }: AdmissionTransaction, { point }: Observer): boolean {
    if (USED.has(rule)) return true;
    if (!this.isWhole) return false;
    if (rule === "pow_unknown_height") return point !== undefined && blockHeight <= BigInt(point.height);
    return rule === "pow_too_old" || rule === "pow_invalid";
  }

  /** False when the block does not come in time, or too many wait already. */
  private untilBlock(height: number): Promise<boolean> {
    if (this.blockWaiters.size >= BLOCK_WAITERS_MAX) return Promise.resolve(false);
    if ((this.options.observer()?.point?.height ?? 0) >= height) return Promise.resolve(true);
    return new Promise((resolve) => {
      const settle = (isThere: boolean) => {
        clearTimeout(timer);
        this.blockWaiters.delete(waiter);
        resolve(isThere);
      };
      const timer = setTimeout(() => settle(false), BLOCK_WAIT_MS);
      const waiter: BlockWaiter = { height, settle: () => settle(true) };
      this.blockWaiters.add(waiter);
    });
  }

  /** Requests that come while the node is asked share its answer: refusals cost the node no more. */
  private nodeHeight(): Promise<number | undefined> {
    this.heightQuestion ??= this.options.nodeHeight().finally(() => {
      this.heightQuestion = undefined;
    });
    return this.heightQuestion;
  }

  /** The core's own refusal; the rule is named where this gate had found the same. */
  private answered(
    { hash }: TxOutcome,
    { code, text }: CometTxResult,
    doubt: Verdict | undefined,
  ): TxOutcome {
    if (code !== REFUSED_CODE || doubt === undefined) return this.outcome(hash, { code, text });
    return this.outcome(hash, { ...doubt, text: text === "" ? doubt.text : text });
  }

  private drop(hash: string): void {
    const entry = this.pending.get(hash);
    if (entry === undefined) return;
    this.pending.delete(hash);
    this.options.observer()?.admission.release(entry.tx);
  }

  private outcome(
    hash: string,
    { code, text, rule = "command_failed", numbers = {} }: Verdict,
    height = 0,
  ): TxOutcome {
    const details = code === 0 ? undefined : refusalDetails(rule, text, numbers, this.options.status());
    return { hash, code, text, details, gasWanted: 0, height };
  }
}

function noBlock(): ChainCallError {
  return new ChainCallError("stopped", "no block of the chain was seen yet");
}

interface Verdict {
  readonly code: number;
  readonly text: string;
  readonly rule?: RuleName;
  readonly numbers?: Readonly<Record<string, bigint>>;
}
