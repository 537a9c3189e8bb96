// The requests of a desk in this process, for its terminal.
import type { ApprovalDesk } from "./desk.ts";
import { outcomeLine, type ShownRequest, shown } from "./shown.ts";
import type { TerminalAnswer, WaitingRequests } from "./terminal.ts";

export class DeskSource implements WaitingRequests {
  private isOver = false;
  private wake: () => void = () => {};

  constructor(private readonly desk: ApprovalDesk) {
    desk.onChange(() => this.wake());
  }

  async next(): Promise<ShownRequest | undefined> {
    for (;;) {
      const first = this.desk.requests[0];
      if (this.isOver) return undefined;
      if (first !== undefined) return shown(first);
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  async answer(id: string, answer: TerminalAnswer): Promise<boolean> {
    if (answer.outcome === "rejected" && answer.reach !== undefined) {
      const request = this.desk.get(id);
      if (request === undefined) return false;
      if (answer.reach === "all") this.desk.rejectAll();
      else await this.desk.block(request.hostname);
      return true;
    }
    // The desk's taker wipes its own copy, the terminal this one.
    const copy =
      answer.outcome === "approved" && answer.passphrase
        ? { ...answer, passphrase: Uint8Array.from(answer.passphrase) }
        : answer;
    return this.desk.answer(id, copy);
  }

  outcome(id: string): Promise<string | undefined> {
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    const look = () => {
      const outcome = this.desk.outcomeOf(id);
      if (outcome === undefined && !this.isOver) return;
      end();
      resolve(outcome && outcomeLine(outcome));
    };
    const end = this.desk.onChange(look);
    look();
    return promise;
  }

  onGone(id: string, tell: () => void): () => void {
    const end = this.desk.onChange(() => {
      if (this.desk.get(id) !== undefined) return;
      end();
      tell();
    });
    return end;
  }

  end(): void {
    this.isOver = true;
    this.wake();
  }
}
