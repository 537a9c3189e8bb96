import type { ProposalError } from "../wire/generated/vega.ts";
import { CommandError } from "./errors.ts";

export type ProposalErrorNumber = (typeof ProposalError)[keyof typeof ProposalError];

/** Why a proposal is rejected or fails, as its event says it (reference 60, section 6.2). */
export class ProposalRefusal extends CommandError {
  constructor(
    readonly reason: ProposalErrorNumber,
    message: string,
    numbers: Readonly<Record<string, bigint | string>> = {},
  ) {
    super(message, { numbers, keepChanges: true });
  }
}
