// Refusals of transactions as people read them: the sentence with the caller's own numbers, and the newest ones by hash.

import type { ChainStatus, RefusalDetails, RememberedRefusal, TxOutcome } from "../engine/chain-port.ts";
import type { RuleName } from "../errors/rules.ts";
import { DECIMALS_MAX } from "../wire/amount-text.ts";
import { Decimal } from "../wire/decimal.ts";
import { toPlain } from "../wire/json.ts";
import { rfc3339Nano, SECOND_NS } from "../wire/time-text.ts";
import type { CheckedTransaction } from "../wire/transaction-check.ts";

type Numbers = Readonly<Record<string, bigint | string>>;
type Status = Pick<ChainStatus, "epoch" | "timeNs" | "height">;
type Sentence = (numbers: Readonly<Record<string, string>>) => string;

/** The one text that does not say enough: the name of the chain is part of what is signed. */
const WRONG_SIGNATURE = "tx.signature.value (invalid signature)";
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

/** @param rule of admission, or of this chain @param text as clients of the network see it */
export function refusalDetails(
  rule: RuleName,
  text: string,
  numbers: Numbers,
  status: Status,
): RefusalDetails {
  const shown = { ...decimals(numbers), ...bannedUntil(numbers, status), ...epochOf(rule, status) };
  return { rule, numbers: shown, sentence: sentenceOf(rule, text, shown) };
}

function sentenceOf(rule: RuleName, text: string, numbers: Readonly<Record<string, string>>): string {
  const pow = POW[rule];
  if (pow) return pow(numbers);
  if (text === WRONG_SIGNATURE) return `${text}: it is by another key, or for another chain or other bytes`;
  const spam = /^spam_([a-zA-Z]+)_(banned|tokens|count)$/.exec(rule);
  if (spam) return spamSentence(spam[1]!, spam[2]!, numbers);
  const { available, needed, amount, minimum, ...rest } = numbers;
  if (available !== undefined && needed !== undefined)
    return `${text}: ${fundsSentence({ ...numbers, available, needed })}`;
  if (amount !== undefined && minimum !== undefined) {
    const written = amountIn(numbers);
    return `${text}: ${written(amount)}, at least ${written(minimum)} are asked for`;
  }
  const others = Object.entries(Object.keys(rest).length > 0 ? numbers : {});
  if (others.length === 0) return text;
  return `${text} (${others.map(([name, value]) => `${words(name)} ${value}`).join(", ")})`;
}

/** Amounts are in the smallest unit where the asset is not named. */
function amountIn({ decimals: places, symbol }: Readonly<Record<string, string>>): (value: string) => string {
  if (places === undefined || symbol === undefined || Number(places) > DECIMALS_MAX) return (value) => value;
  return (value) => `${Decimal.shifted(BigInt(value), Number(places))} ${symbol}`;
}

function fundsSentence({
  needed,
  available,
  ...numbers
}: Readonly<Record<string, string>> & { readonly needed: string; readonly available: string }): string {
  const amount = amountIn(numbers);
  const accounts = ["margin", "general", "bond"].flatMap((name) => {
    const balance = numbers[name];
    return balance === undefined ? [] : [`${amount(balance)} in its ${name} account`];
  });
  const parts = accounts.length === 0 ? "" : `: ${accounts.join(", ")}`;
  return `${amount(needed)} needed, ${amount(available)} available${parts}`;
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
  return (left <= 0n ? 0n : (left + SECOND_NS - 1n) / SECOND_NS).toString();
}

/** `nextEpochSeconds` as people write it. */
function words(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

// Verdicts of refused and failed transactions that a person may still ask about: the newest ones, bounded in bytes.

const REFUSALS_MAX = 1_000;
const TEXT_CHARACTERS_MAX = 1_000;
const COMMAND_CHARACTERS_MAX = 4_000;

export class RecentRefusals {
  private readonly byHash = new Map<
    string,
    { readonly outcome: TxOutcome; readonly tx: string | undefined }
  >();

  add(outcome: TxOutcome, tx: CheckedTransaction | undefined): void {
    if (outcome.code === 0) return;
    const { details } = outcome;
    this.byHash.delete(outcome.hash);
    this.byHash.set(outcome.hash, {
      outcome: {
        ...outcome,
        text: short(outcome.text),
        details: details && { rule: details.rule, numbers: {}, sentence: short(details.sentence) },
      },
      tx: tx && commandText(tx),
    });
    if (this.byHash.size <= REFUSALS_MAX) return;
    const [oldest] = this.byHash.keys();
    this.byHash.delete(oldest!);
  }

  /** @param hash upper-case hexadecimal */
  find(hash: string): RememberedRefusal | undefined {
    const entry = this.byHash.get(hash);
    return entry && { outcome: entry.outcome, ...(entry.tx && JSON.parse(entry.tx)) };
  }
}

/** A part of a text holds on to the whole of it, unless it is made again. */
function short(text: string): string {
  if (text.length <= TEXT_CHARACTERS_MAX) return text;
  return Buffer.from(text.slice(0, TEXT_CHARACTERS_MAX), "utf8").toString("utf8");
}

/** Sender and command, where the command is not too long to keep. */
function commandText({ party, kind, payload, nonce, blockHeight }: CheckedTransaction): string {
  const command = toPlain("vega.commands.v1.InputData", { nonce, blockHeight, [kind]: payload }, "stored");
  const text = JSON.stringify({ party, command });
  return text.length <= COMMAND_CHARACTERS_MAX ? text : JSON.stringify({ party });
}
