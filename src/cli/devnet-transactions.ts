// A line for each transaction of a running devnet, for the person at its terminal.
import type { TxOutcome } from "../engine/chain-port.ts";
import { plain } from "../wallet/approvals/plain-text.ts";
import type { CommandInit } from "../wire/transaction.ts";
import type { CheckedTransaction } from "../wire/transaction-check.ts";
import { COMMANDS } from "../wire/transaction-commands.ts";
import type { DevnetWords } from "./devnet-words.ts";
import { dim, red } from "./terminal.ts";

/** Lines a second: a person reads no more, and a flood must not pay for them. */
const LINES_A_SECOND = 20;
const WINDOW_MS = 1_000;

export class TransactionLines {
  private windowStartMs = Number.NEGATIVE_INFINITY;
  private printed = 0;
  private left = 0;
  private leftRefused = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly print: (line: string) => void,
    private readonly words: DevnetWords,
    private readonly nowMs: () => number,
  ) {}

  add(outcome: TxOutcome, tx: CheckedTransaction | undefined): void {
    // The validator's own work is not a person's concern until it is refused.
    if (outcome.code === 0 && tx !== undefined && COMMANDS[tx.kind].isValidatorCommand) return;
    const now = this.nowMs();
    if (now - this.windowStartMs >= WINDOW_MS) {
      this.summarise();
      this.windowStartMs = now;
      this.printed = 0;
    }
    if (this.printed < LINES_A_SECOND) {
      this.printed++;
      this.print(this.line(outcome, tx));
      return;
    }
    this.left++;
    if (outcome.code !== 0) this.leftRefused++;
    if (this.timer !== undefined) return;
    this.timer = setTimeout(() => this.summarise(), WINDOW_MS);
    this.timer.unref?.();
  }

  close(): void {
    this.summarise();
  }

  private summarise(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.left === 0) return;
    const refused = this.leftRefused > 0 ? `, ${this.leftRefused} of them refused` : "";
    this.print(dim(`  ... and ${this.left} more${refused}`));
    this.left = 0;
    this.leftRefused = 0;
  }

  private line({ hash, code, text, details, height }: TxOutcome, tx: CheckedTransaction | undefined): string {
    const { words } = this;
    const what =
      tx === undefined
        ? `transaction ${hash.slice(0, 8)}...`
        : `${words.party(tx.party)}: ${words.command({ kind: tx.kind, payload: tx.payload } as CommandInit, tx.party)}`;
    if (code === 0) return `  ${dim(`block ${height}`)}  ${what}  ${dim(hash.slice(0, 8))}`;
    const place = height === 0 ? "refused" : `failed in block ${height}`;
    const rule = details ? `${details.rule}: ${plain(details.sentence)}` : plain(text);
    return `  ${red(place)}  ${what}  ${rule}  ${dim(hash.slice(0, 8))}`;
  }
}
