// The error of the package's callers: what went wrong, with all facts that the API gives.

/** A part of an error of the API: its number, its sentence, and the cause of that. */
export interface ErrorDetail {
  readonly code?: number;
  readonly message?: string;
  readonly inner?: string;
}

/** A transaction's verdict. */
export interface TransactionOutcome {
  /** Upper-case hexadecimal. */
  readonly hash: string;
  /** 0: it was accepted. */
  readonly code: number;
  /** The reason in words; empty when it was accepted. */
  readonly text: string;
  /** Height of its block; 0 while it is in none. */
  readonly height: number;
}

/** The facts of an error beside its sentence. */
export interface ErrorFacts {
  /** The way out; empty when there is none. */
  readonly hint?: string;
  /** The API's own `details`: the cause is in them. */
  readonly details?: readonly ErrorDetail[];
  /** Status of HTTP; undefined where there was no answer. */
  readonly status?: number | undefined;
  /** Name of the rule that refused a transaction: `lyra explain RULE` says more. */
  readonly rule?: string | undefined;
  /** The sender's own numbers, by name. */
  readonly numbers?: Readonly<Record<string, string>> | undefined;
  /** Of the transaction. */
  readonly hash?: string | undefined;
  readonly outcome?: TransactionOutcome | undefined;
  readonly cause?: unknown;
}

export class LyraError extends Error {
  // A bundler may rename the class, and Node prints an error under the name of its class.
  static override readonly name: string = "LyraError";
  override readonly name: string = "LyraError";
  readonly hint: string;
  readonly details: readonly ErrorDetail[];
  readonly status: number | undefined;
  readonly rule: string | undefined;
  readonly numbers: Readonly<Record<string, string>> | undefined;
  readonly hash: string | undefined;
  readonly outcome: TransactionOutcome | undefined;

  constructor(
    /** Stable, in snake case: `not_found`, `transaction_refused`. */
    readonly code: string,
    message: string,
    { hint = "", details = [], status, rule, numbers, hash, outcome, cause }: ErrorFacts = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.hint = hint;
    this.details = details;
    this.status = status;
    this.rule = rule;
    this.numbers = numbers;
    this.hash = hash ?? outcome?.hash;
    this.outcome = outcome;
  }
}
