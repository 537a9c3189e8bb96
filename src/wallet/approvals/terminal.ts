// Answers waiting requests in a terminal, one after the other. The requests come from a desk in this process, or over
// the local socket from the one that serves.
import { wipe } from "../../crypto/secrets.ts";
import type { ApprovalDesk } from "./desk.ts";
import { quoted } from "./formatting.ts";
import { outcomeLine, requestLines, type ShownRequest, shown } from "./shown.ts";

export interface Terminal {
  write(lines: readonly string[]): void;
  /**
   * A line that may be seen. Text typed before the question was shown does not count.
   * @param signal ends the question: what was typed is dropped, and it throws
   */
  line(question: string, signal: AbortSignal): Promise<string>;
  /** Likewise, a line that may not be seen; its receiver wipes it. @throws when it is cancelled */
  hidden(question: string, signal: AbortSignal): Promise<Uint8Array>;
  /** Lets a person who was about to answer see that the question has ended; keys typed meanwhile do not count. */
  rest(): Promise<void>;
}

export type TerminalAnswer =
  | {
      readonly outcome: "rejected" | "cancelled";
      /** This request, or everything that waits, or whatever the site asks for from now on. */
      readonly reach?: "all" | "site";
    }
  | {
      readonly outcome: "approved";
      readonly wallet?: string;
      readonly isKept?: boolean;
      readonly allowedKeys?: readonly string[];
      readonly passphrase?: Uint8Array;
    };

export interface WaitingRequests {
  /** The one to answer next; undefined when it has ended. */
  next(): Promise<ShownRequest | undefined>;
  /** @returns whether it still waited */
  answer(id: string, answer: TerminalAnswer): Promise<boolean>;
  /** The outcome of an approved transaction, in one line; undefined when it is not known any more. */
  outcome(id: string): Promise<string | undefined>;
  /** Calls back once when a request does not wait any more. @returns ends the watch */
  onGone(id: string, tell: () => void): () => void;
}

const YES = /^y(es)?$/i;
/** Time that the next question waits for the outcome of the last transaction. */
const OUTCOME_MS = 5_000;
/** Answers that name nothing, until the request is rejected. */
const TRIES_MAX = 5;
const OVER = "the request does not wait any more";

/** Goes on until there are no more requests to come. */
export async function answerInTerminal(waiting: WaitingRequests, terminal: Terminal): Promise<void> {
  for (;;) {
    const request = await waiting.next();
    if (request === undefined) return;
    const gone = new AbortController();
    const unwatch = waiting.onGone(request.id, () => {
      gone.abort();
      terminal.write([OVER]);
    });
    let answer: TerminalAnswer | undefined;
    try {
      answer = await ask(request, terminal, gone.signal);
    } catch (error) {
      if (!gone.signal.aborted) throw error;
    } finally {
      unwatch();
    }
    if (answer === undefined || gone.signal.aborted) {
      if (answer?.outcome === "approved") wipe(answer.passphrase);
      await terminal.rest();
      continue;
    }
    try {
      const isTaken = await waiting.answer(request.id, answer);
      terminal.write([isTaken ? outcomeText(answer) : OVER]);
      if (isTaken && request.kind === "transaction" && answer.outcome === "approved")
        await tellOutcome(waiting.outcome(request.id), terminal);
    } finally {
      if (answer.outcome === "approved") wipe(answer.passphrase);
    }
  }
}

function outcomeText(answer: TerminalAnswer): string {
  if (answer.outcome === "approved" || answer.reach === undefined) return answer.outcome;
  return answer.reach === "all"
    ? "rejected, and everything else that waited"
    : "rejected, and the site is blocked";
}

/** Before the next question where it comes soon; a proof may take its time, and others wait. */
async function tellOutcome(outcome: Promise<string | undefined>, terminal: Terminal): Promise<void> {
  const written = outcome.then(
    (line) => {
      if (line !== undefined) terminal.write([line]);
    },
    () => {},
  );
  await Promise.race([written, Bun.sleep(OUTCOME_MS)]);
}

/** @param gone aborted when the request has ended: the question ends, and a wrong answer is not asked about again */
async function ask(request: ShownRequest, terminal: Terminal, gone: AbortSignal): Promise<TerminalAnswer> {
  const hints = request.isOwn ? ["  clear: refuse all that waits"] : (HINTS[request.kind] ?? []);
  terminal.write(["", ...requestLines(request), ...hints]);
  switch (request.kind) {
    case "passphrase":
      return askPassphrase(request, terminal, gone);
    case "connection":
      return askConnection(request, terminal, gone);
    case "keys":
      return askKeys(request, terminal, gone);
    case "transaction": {
      const answer = await terminal.line(
        request.isOwn ? "approve? yes/NO/clear" : "approve? yes/NO/block/clear",
        gone,
      );
      return isYes(answer) ? { outcome: "approved" } : rejection(answer);
    }
  }
}

function rejection(answer: string): TerminalAnswer {
  const word = answer.trim();
  if (/^block$/i.test(word)) return { outcome: "rejected", reach: "site" };
  return /^clear$/i.test(word) ? { outcome: "rejected", reach: "all" } : { outcome: "rejected" };
}

const REACH = "block: refuse, now and whenever this site asks; clear: refuse all that waits";
const HINTS: Partial<Record<ShownRequest["kind"], readonly string[]>> = {
  connection: [`  keep: connect, also after a restart; ${REACH}`],
  transaction: [`  ${REACH}`],
};

async function askPassphrase(
  { wallet }: ShownRequest,
  terminal: Terminal,
  gone: AbortSignal,
): Promise<TerminalAnswer> {
  try {
    const passphrase = await terminal.hidden(`passphrase of ${wallet} (empty: reject)`, gone);
    return passphrase.length === 0 ? { outcome: "rejected" } : { outcome: "approved", passphrase };
  } catch {
    return { outcome: "cancelled" };
  }
}

async function askConnection(
  { wallets = [] }: ShownRequest,
  terminal: Terminal,
  gone: AbortSignal,
): Promise<TerminalAnswer> {
  if (wallets.length === 1) {
    const answer = await terminal.line("connect? yes/NO/keep/block/clear", gone);
    if (/^k(eep)?$/i.test(answer.trim())) return { outcome: "approved", isKept: true };
    return isYes(answer) ? { outcome: "approved" } : rejection(answer);
  }
  for (let tries = 1; ; tries++) {
    const answer = (await terminal.line("which wallet? (empty: reject)", gone)).trim();
    if (wallets.includes(answer)) {
      const isKept = isYes(await terminal.line("also after a restart? yes/NO", gone));
      return { outcome: "approved", wallet: answer, ...(isKept && { isKept }) };
    }
    if (gone.aborted || isRejection(answer) || tries === TRIES_MAX) return rejection(answer);
    terminal.write([`there is no wallet ${quoted(answer)} here; there is ${wallets.join(", ")}`]);
  }
}

async function askKeys(
  { keys = [] }: ShownRequest,
  terminal: Terminal,
  gone: AbortSignal,
): Promise<TerminalAnswer> {
  for (let tries = 1; ; tries++) {
    const answer = (
      await terminal.line("show them? yes/NO, or the first digits of those to show", gone)
    ).trim();
    if (isYes(answer)) return { outcome: "approved" };
    if (gone.aborted || isRejection(answer)) return rejection(answer);
    const prefixes = answer.split(/[\s,]+/).filter((digits) => digits !== "");
    const matches = prefixes.map((digits) => keys.filter(({ publicKey }) => publicKey.startsWith(digits)));
    const wrong = matches.findIndex((matching) => matching.length !== 1);
    if (wrong < 0 && matches.length > 0) {
      const allowedKeys = [...new Set(matches.map(([key]) => key!.publicKey))];
      return { outcome: "approved", allowedKeys };
    }
    if (tries === TRIES_MAX) return rejection(answer);
    if (matches.length === 0) continue;
    const how = matches[wrong]!.length === 0 ? "no key begins" : "several keys begin";
    terminal.write([`${how} with ${quoted(prefixes[wrong]!)}`]);
  }
}

/** An answer that is not a name: nothing, no, block, clear. */
function isRejection(answer: string): boolean {
  return answer === "" || /^(no?|block|clear)$/i.test(answer);
}

function isYes(answer: string): boolean {
  return YES.test(answer.trim());
}

// The requests of a desk in this process, for its terminal.

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
      else await this.desk.blockSiteOf(request);
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
      const outcome = this.desk.lastOutcomeOf(id);
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
