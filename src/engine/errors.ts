// Refusals of commands and proposals. Clients of the network see the text, word for word.
import type { CommandText } from "../errors/result-codes.ts";
import { ProposalError } from "../wire/generated/vega.ts";

/** Result codes of the engine (docs/protocol/30-node-api-endpoints.md#71-abci-result-codes). */
export const ResultCode = {
  ok: 0,
  /** Not allowed now: trading or proposals are disabled. */
  notAllowed: 51,
  /** The command was refused by its own rules. */
  failed: 70,
  /** Some instructions of a batch failed. */
  partlyFailed: 71,
  /** This chain cannot execute such a command. */
  unsupported: 80,
} as const;

/** Thrown by command handlers and checks; everything the command had changed is taken back unless it says otherwise. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  constructor(
    message: CommandText,
    readonly options: {
      readonly code?: number;
      /** Changes before the failure stay: a rejected withdrawal or proposal leaves its event. */
      readonly keepChanges?: boolean;
      /** The caller's own numbers, for the details of the answer. */
      readonly numbers?: Readonly<Record<string, bigint | string>>;
    } = {},
  ) {
    super(message);
  }

  /** The same refusal of a command whose changes stay. */
  keepingChanges(): CommandError {
    return new CommandError(this.message as CommandText, { ...this.options, keepChanges: true });
  }

  /** The same refusal with the original's words in front; the explanation is of its own words. */
  prefixedBy(text: string): CommandError {
    return new CommandError(`${text}${this.message}` as CommandText, this.options);
  }
}

/**
 * The refusal of a command for a handler's error. An error that no handler meant to throw fails the command with one
 * text for all of them: results are hashed, and an engine's own words differ between versions of the runtime.
 * @throws InvariantError: the state cannot be trusted any more
 */
export function commandErrorOf(error: unknown, onUnexpected: (error: unknown) => void): CommandError {
  if (error instanceof CommandError) return error;
  if (error instanceof InvariantError) throw error;
  onUnexpected(error);
  return new CommandError(UNEXPECTED);
}

const UNEXPECTED = "internal error: the command was not executed";

/** The engine contradicts itself: the chain must stop. */
export class InvariantError extends Error {
  override readonly name = "InvariantError";
}

export type ProposalErrorNumber = (typeof ProposalError)[keyof typeof ProposalError];

/** Reason for which a proposal is rejected or fails, as its event states it (docs/protocol/60-state-engine-governance.md#62-errors). */
export class ProposalRefusal extends CommandError {
  constructor(
    readonly reason: ProposalErrorNumber,
    message: string,
    numbers: Readonly<Record<string, bigint | string>> = {},
  ) {
    // Explained by its reason.
    super(message as CommandText, { numbers, keepChanges: true });
  }
}

type ShortReason<K = keyof typeof ProposalError> = K extends `PROPOSAL_ERROR_${infer Name}` ? Name : never;

/** @throws ProposalRefusal */
export function refuseProposal(reason: ShortReason, text: string): never {
  throw new ProposalRefusal(ProposalError[`PROPOSAL_ERROR_${reason}`], text);
}
