/**
 * How a transaction comes into the mempool (reference 30, section 7.2): size, duplicates, everything that needs no
 * state, then admission and the engine. Also asked again for what remains after a block.
 */
import { sha256HexOf } from "../crypto/sha.ts";
import {
  ChainCallError,
  type ChainStatus,
  type RefusalDetails,
  type TxOutcome,
} from "../engine/chain-port.ts";
import type { RuleName } from "../errors/rules.ts";
import { rfc3339Nano } from "../wire/time-text.ts";
import { TRANSACTION_BYTES_MAX, tooLargeText } from "../wire/transaction.ts";
import {
  type CheckedTransaction,
  checkTransaction,
  type TransactionRefusal,
  type Verdict,
} from "../wire/transaction-check.ts";
import { COMMANDS } from "../wire/transaction-commands.ts";
import { admissionTransaction, type TxExecution } from "./block-runner.ts";
import type { ChainCore } from "./chain-core.ts";
import type { Mempool, PooledTx } from "./mempool.ts";
import type { LocalChainOptions } from "./options.ts";

/** The verdict, what was taken in, and what had to make way for it. */
export interface CheckTxResult {
  readonly outcome: TxOutcome;
  readonly entry?: PooledTx;
  /** The command of a transaction that was not taken in, where it can be read. */
  readonly tx?: CheckedTransaction;
  readonly dropped: readonly PooledTx[];
}

type Candidate = Pick<PooledTx, "hash" | "tx" | "isImpersonated">;

const NOT_ALLOWED = 51;
const UNSUPPORTED = 80;
/** Names of the rules behind the engine's codes, for details. */
const ENGINE_RULES: ReadonlyMap<number, RuleName> = new Map([
  [NOT_ALLOWED, "not_allowed"],
  [UNSUPPORTED, "unsupported_command"],
  [71, "batch_partly_failed"],
]);

export class Intake {
  constructor(
    private readonly core: ChainCore,
    private readonly mempool: Mempool,
    private readonly checker: NonNullable<LocalChainOptions["checkTransaction"]> = checkTransaction,
    private readonly status: () => ChainStatus,
  ) {}

  /**
   * Takes a transaction into the mempool; at once where what needs no state is checked at once.
   * @throws ChainCallError `too_large`, `duplicate`, `mempool_full`
   */
  checkTx(bytes: Uint8Array): CheckTxResult | Promise<CheckTxResult> {
    checkSize(bytes);
    const plainHash = sha256HexOf(bytes);
    const hash = plainHash.toUpperCase();
    this.mempool.remember(hash);
    const taken = (verdict: Verdict) =>
      verdict.ok
        ? this.enter({ hash, bytes, tx: verdict.transaction, isImpersonated: false })
        : this.refuseBytes(hash, verdict.refusal);
    const failed = (error: unknown): never => {
      this.mempool.uncache(hash);
      throw error;
    };
    try {
      const verdict = this.checker(bytes, this.core.engine.chainId, plainHash);
      return verdict instanceof Promise ? verdict.then(taken).catch(failed) : taken(verdict);
    } catch (error) {
      return failed(error);
    }
  }

  /** Takes a transaction of the devnet's tools, whose signature needs no look. @throws ChainCallError */
  checkTrusted(bytes: Uint8Array, tx: CheckedTransaction, isImpersonated: boolean): CheckTxResult {
    const hash = tx.hash.toUpperCase();
    this.mempool.remember(hash);
    try {
      return this.enter({ hash, bytes, tx, isImpersonated });
    } catch (error) {
      this.mempool.uncache(hash);
      throw error;
    }
  }

  /** The verdict alone: nothing is remembered of it, so the same transaction can be submitted after it. @throws ChainCallError */
  async check(bytes: Uint8Array): Promise<TxOutcome> {
    checkSize(bytes);
    const plainHash = sha256HexOf(bytes);
    const hash = plainHash.toUpperCase();
    const verdict = await this.checker(bytes, this.core.engine.chainId, plainHash);
    if (!verdict.ok) return this.refusedBytes(hash, verdict.refusal);
    return this.verdictOf({ hash, tx: verdict.transaction, isImpersonated: false });
  }

  /** Asked after a block, for what remains. What is good is held again. */
  recheck(entry: PooledTx): TxOutcome {
    const outcome = this.verdictOf(entry);
    if (outcome.code === 0) this.reserve(entry);
    else this.refused(entry);
    return outcome;
  }

  /** Holds what waits, or waits again, without judging it. */
  reserve({ tx, isImpersonated }: Candidate): void {
    if (!isImpersonated) this.core.log.admission.reserve(admissionTransaction(tx));
  }

  /** What left the mempool, and is in no block, may come again. */
  release({ hash, tx, isImpersonated }: Candidate): void {
    this.mempool.uncache(hash);
    if (!isImpersonated) this.core.log.admission.release(admissionTransaction(tx));
  }

  private refused({ tx, isImpersonated }: Candidate): void {
    if (!isImpersonated) this.core.log.admission.refuse(admissionTransaction(tx));
  }

  private verdictOf({ hash, tx, isImpersonated }: Candidate): TxOutcome {
    const { engine, log } = this.core;
    if (!isImpersonated) {
      const isCounted = COMMANDS[tx.kind].spamPolicy !== undefined;
      const tokens = isCounted ? engine.stakeOf(tx.party) : undefined;
      const verdict = log.admission.check(admissionTransaction(tx), tokens);
      if (!verdict.accepted) {
        const { rule, text, numbers } = verdict;
        return this.outcome(hash, { code: 89, text, rule, numbers }, 0);
      }
    }
    const { code, text, gasWanted, numbers = {} } = engine.check(tx);
    if (code === 0 && gasWanted > engine.blockGasMax) {
      const limit = { gasWanted: BigInt(gasWanted), blockGasMax: BigInt(engine.blockGasMax) };
      const gas = `gas wanted ${gasWanted} is greater than max gas ${engine.blockGasMax}`;
      return this.outcome(
        hash,
        { code: NOT_ALLOWED, text: gas, rule: "block_gas", numbers: limit },
        gasWanted,
      );
    }
    return this.outcome(hash, { code, text, rule: undefined, numbers }, gasWanted);
  }

  /** The outcome in the form that callers see. @param height of the block that holds it; 0 for a verdict */
  outcome(hash: string, execution: TxExecution, gasWanted: number, height = 0): TxOutcome {
    const { code, text, numbers } = execution;
    const rule = execution.rule ?? ENGINE_RULES.get(code) ?? "command_failed";
    const details = code === 0 ? undefined : refusalDetails(rule, text, numbers, this.status());
    return { hash, code, text, details, gasWanted, height };
  }

  private enter(candidate: Omit<PooledTx, "gas">): CheckTxResult {
    const outcome = this.verdictOf(candidate);
    if (outcome.code !== 0) {
      this.refused(candidate);
      this.mempool.uncache(candidate.hash);
      return { outcome, tx: candidate.tx, dropped: [] };
    }
    const entry: PooledTx = { ...candidate, gas: outcome.gasWanted };
    const dropped = this.mempool.add(entry);
    this.reserve(entry);
    for (const each of dropped) this.release(each);
    return { outcome, entry, dropped };
  }

  private refuseBytes(hash: string, refusal: TransactionRefusal): CheckTxResult {
    this.mempool.uncache(hash);
    return { outcome: this.refusedBytes(hash, refusal), dropped: [] };
  }

  private refusedBytes(hash: string, { reason, code, text }: TransactionRefusal): TxOutcome {
    if (reason === "too_large") throw new ChainCallError("too_large", text);
    const rule = reason === "undecodable" ? "undecodable_transaction" : "invalid_transaction";
    return this.outcome(hash, { code, text, rule, numbers: {} }, 0);
  }
}

function checkSize(bytes: Uint8Array): void {
  if (bytes.length <= TRANSACTION_BYTES_MAX) return;
  throw new ChainCallError("too_large", tooLargeText(bytes.length));
}

/**
 * Why a transaction was refused, with the caller's own numbers: one sentence for a person, and the numbers by name for
 * a program.
 */

type Numbers = Readonly<Record<string, bigint | string>>;
type Status = Pick<ChainStatus, "epoch" | "timeNs" | "height">;
type Sentence = (numbers: Readonly<Record<string, string>>) => string;

/** The one text that does not say enough: the name of the chain is part of what is signed. */
const WRONG_SIGNATURE = "tx.signature.value (invalid signature)";
const NS_A_SECOND = 1_000_000_000n;
/** The spam policies with what they count, as people call it. */
const COUNTED: Readonly<Record<string, string>> = {
  proposal: "proposals",
  vote: "votes",
  delegation: "delegations and undelegations",
  transfer: "transfers",
  validatorJoin: "announcements of a node",
  issueSignature: "requests for signatures",
};

const POW: Readonly<Record<string, Sentence>> = {
  pow_tid_seen: () => "a transaction with this proof of work waits for its block already: make a new one",
  pow_tid_too_long: (n) => `the proof's tid has ${n.bytes} bytes, and at most ${n.max} are taken`,
  pow_tid_used: () => "this proof of work was used already: make a new one",
  pow_hash_used: () => "this very transaction was in a block already",
  pow_banned: (n) => `banned until ${n.bannedUntil}, for ${n.bannedSeconds} s yet`,
  pow_too_old: (n) =>
    `block ${n.blockHeight} is too old for a proof of work, the chain is at block ${n.height}`,
  pow_unknown_height: (n) =>
    `the proof of work names block ${n.blockHeight}, and only the last ${n.pastBlocks} blocks up to ${n.height} count`,
  pow_invalid: (n) => `the proof of work does not have the ${n.difficulty} zero bits that are asked for`,
  pow_quota: (n) =>
    n.required === undefined
      ? `${n.seen} of ${n.txPerBlock} transactions were built on block ${n.blockHeight}`
      : `${n.seen} transactions were built on block ${n.blockHeight}, the next one brings the proofs to ${n.shown} zero bits of ${n.required} that are asked for`,
};

/** @param rule of admission, or of this chain @param text what clients of the network are told */
export function refusalDetails(
  rule: RuleName,
  text: string,
  numbers: Numbers,
  status: Status,
): RefusalDetails {
  const told = { ...decimals(numbers), ...bannedUntil(numbers, status), ...epochOf(rule, status) };
  return { rule, numbers: told, sentence: sentenceOf(rule, text, told) };
}

function sentenceOf(rule: RuleName, text: string, numbers: Readonly<Record<string, string>>): string {
  const pow = POW[rule];
  if (pow) return pow(numbers);
  if (text === WRONG_SIGNATURE) return `${text}: it is by another key, or for another chain or other bytes`;
  const spam = /^spam_([a-zA-Z]+)_(banned|tokens|count)$/.exec(rule);
  if (spam) return spamSentence(spam[1]!, spam[2]!, numbers);
  const { available, needed, amount, minimum, ...rest } = numbers;
  if (available !== undefined && needed !== undefined)
    return `${text}: ${needed} needed, ${available} available`;
  if (amount !== undefined && minimum !== undefined)
    return `${text}: ${amount}, at least ${minimum} are asked for`;
  const others = Object.entries(Object.keys(rest).length > 0 ? numbers : {});
  if (others.length === 0) return text;
  return `${text} (${others.map(([name, value]) => `${words(name)} ${value}`).join(", ")})`;
}

function spamSentence(policy: string, kind: string, n: Readonly<Record<string, string>>): string {
  const what = COUNTED[policy] ?? policy;
  if (kind === "count") {
    // Only the count is of one proposal: tokens and bans are a matter of all votes.
    const counted = policy === "vote" ? "votes on this proposal" : what;
    return `${n.used} of ${n.max} ${counted} used in epoch ${n.epoch}, next epoch in ${n.nextEpochSeconds} s`;
  }
  if (kind === "tokens") {
    return `${what} take ${n.minTokens} staked tokens (in their smallest unit), this party has ${n.tokens}`;
  }
  return `banned from ${what} until ${n.bannedUntil}, for ${n.bannedSeconds} s yet, or until the next epoch, in ${n.nextEpochSeconds} s`;
}

function decimals(numbers: Numbers): Record<string, string> {
  return Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, value.toString()]));
}

function bannedUntil({ bannedUntilNs }: Numbers, { timeNs }: Status): Record<string, string> {
  if (typeof bannedUntilNs !== "bigint") return {};
  return {
    bannedUntil: rfc3339Nano(bannedUntilNs),
    bannedSeconds: secondsUntil(bannedUntilNs, timeNs),
  };
}

/** Counts hold for an epoch: which it is, and when it ends. */
function epochOf(rule: RuleName, { epoch, timeNs }: Status): Record<string, string> {
  if (!rule.startsWith("spam_")) return {};
  return { epoch: epoch.seq.toString(), nextEpochSeconds: secondsUntil(epoch.expireNs, timeNs) };
}

/** Whole seconds, rounded up; 0 for what has passed. */
function secondsUntil(thenNs: bigint, nowNs: bigint): string {
  const left = thenNs - nowNs;
  return (left <= 0n ? 0n : (left + NS_A_SECOND - 1n) / NS_A_SECOND).toString();
}

/** `nextEpochSeconds` as people write it. */
function words(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
