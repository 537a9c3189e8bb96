// Verdicts of refused and failed transactions that a person may still ask about: the newest ones, bounded in bytes.
import type { RememberedRefusal, TxOutcome } from "../engine/chain-port.ts";
import { toPlain } from "../wire/json.ts";
import type { CheckedTransaction } from "../wire/transaction-check.ts";

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
    const found = this.byHash.get(hash);
    return found && { outcome: found.outcome, ...(found.tx && JSON.parse(found.tx)) };
  }
}

/** A part of a text holds on to the whole of it, unless it is made anew. */
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
