// A source's changes in the log: one line when it is reached, lost, or refused.
import { logFailure, logNotice } from "../errors/log.ts";
import { NodeError } from "../errors/node-error.ts";
import type { ErrorCode } from "../errors/program-codes.ts";

interface SourceNews {
  readonly state: string;
  readonly code?: string;
  readonly text: string;
}

export class SourceLog {
  private told = "";

  constructor(
    private readonly attempt: string,
    private readonly url: string,
  ) {}

  /** To be called with each look at the source. */
  note({ state, code, text }: SourceNews): void {
    const isRunning = state === "receiving" || state === "connected";
    const key = `${isRunning ? "running" : state} ${code ?? ""}`;
    if (key === this.told) return;
    this.told = key;
    if (code !== undefined) logFailure(new NodeError(this.attempt, code as ErrorCode, text));
    else logNotice(this.attempt, isRunning ? `follows ${this.url}` : text);
  }
}
