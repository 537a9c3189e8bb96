// What a command can move out of a key, by asset: what policies limit.
import type { CommandInit } from "../../wire/transaction.ts";

export interface Spending {
  readonly asset: string;
  readonly amount: bigint;
  /** Where it goes; empty for the network itself. */
  readonly recipient: string;
  /** Whether it comes again every epoch, without being asked for. */
  readonly isRecurring: boolean;
}

/** Commands whose worth cannot be read from them: a limit on amounts means nothing for these. */
const OPEN_ENDED: ReadonlySet<CommandInit["kind"]> = new Set([
  "orderSubmission",
  "orderAmendment",
  "batchMarketInstructions",
  "liquidityProvisionSubmission",
  "liquidityProvisionAmendment",
]);

export function isOpenEnded({ kind }: CommandInit): boolean {
  return OPEN_ENDED.has(kind);
}

/** @returns undefined where nobody can tell, or the command is none the network would take */
export function spendingOf(command: CommandInit): readonly Spending[] | undefined {
  if (command.kind === "transfer") {
    const { asset = "", amount = "", to = "", recurring } = command.payload;
    return one(asset, amount, to, recurring !== undefined);
  }
  if (command.kind === "withdrawSubmission") {
    const { asset = "", amount = "", ext } = command.payload;
    return one(asset, amount, ext?.erc20?.receiverAddress ?? "", false);
  }
  return OPEN_ENDED.has(command.kind) ? undefined : [];
}

function one(asset: string, amount: string, recipient: string, isRecurring: boolean): Spending[] | undefined {
  if (!/^\d{1,80}$/.test(amount)) return undefined;
  return [{ asset, amount: BigInt(amount), recipient, isRecurring }];
}
