/**
 * The simulated Ethereum as a validator has it: a copy that follows the one process, and calls in turn. A call's event is
 * brought to the chain within the turn, so that a call whose event no block has is not seen. A process that has lost its state
 * gets it back from a validator that has followed it; without one it is refused, because its events would count for nothing.
 */

import { logFailure, logNotice } from "../errors/log.ts";
import { NodeError, reasonOf } from "../errors/node-error.ts";
import { requestAnswer } from "../fetch/answer.ts";
import type { EthereumTurn, EthereumView } from "./ethereum-state.ts";

const ANSWER_BYTES_MAX = 64 * 1024 * 1024;
const WAIT_MS = 5_000;
const TIMEOUT_MS = 60_000;
const RETRY_MS = 500;
const REASON_LENGTH_MAX = 200;
/** Questions without an answer before it is away: its supervisor starts it again within seconds. */
const AWAY_AFTER = 8;
const ATTEMPT = "validator.ethereum";

interface Copy {
  save(): string;
  load(text: string): void;
}

export class SharedEthereum {
  private version = -1;
  /** Of the last state that was refused. */
  private refused = -1;
  private unanswered = 0;
  private isBehind = false;
  /** Why its state could not be loaded; undefined while it could. */
  private lastReason: string | undefined;
  private isInTurn = false;
  private isStopped = false;
  private readonly ending = new AbortController();
  /** As it begins, where nothing was called yet. */
  private readonly first: string;

  constructor(
    private readonly url: string,
    private readonly copy: Copy,
    private readonly onChange: () => void,
    /** Says which events that the chain has seen a state has lost. */
    private readonly lostEvents: (state: string) => string | undefined = () => undefined,
  ) {
    this.first = copy.save();
  }

  /** Follows the process until it is stopped. */
  async follow(): Promise<void> {
    while (!this.isStopped) {
      try {
        const after = Math.max(this.version, this.refused);
        const view = await this.ask<EthereumView>("GET", `/state?after=${after}&wait=${WAIT_MS}`);
        this.noteAnswer();
        if (this.isInTurn || view.version === this.version) continue;
        if (this.takeView(view)) this.onChange();
        else if (this.version >= 0) await this.inTurn(async () => {});
      } catch (error) {
        if (this.isStopped) return;
        this.noteFailure(error);
        // It is started again by its supervisor.
        await Bun.sleep(RETRY_MS);
      }
    }
  }

  stop(): void {
    this.isStopped = true;
    this.ending.abort();
  }

  /**
   * Runs calls when it is this validator's turn: no one else's come between.
   * @throws NodeError `ethereum_away`, `ethereum_behind`, `ethereum_invalid`; of `run`
   */
  async inTurn<T>(run: () => Promise<T>): Promise<T> {
    const turn = await this.ask<EthereumTurn>("POST", "/turn");
    this.isInTurn = true;
    let mayWrite = false;
    try {
      if (!this.takeView(turn)) this.checkOwnCopy(turn);
      mayWrite = true;
      return await run();
    } finally {
      const body = JSON.stringify({ token: turn.token, ...(mayWrite && { state: this.copy.save() }) });
      const view = await this.ask<EthereumView>("POST", "/turn/end", body).catch(() => undefined);
      this.isInTurn = false;
      if (view && mayWrite) this.version = view.version;
    }
  }

  /** @returns false for a state that has lost events; then the copy stays as it is. @throws NodeError `ethereum_invalid` */
  private takeView(view: EthereumView): boolean {
    const { version, state } = view;
    if (!Number.isSafeInteger(version) || typeof state !== "string")
      throw this.invalid("the answer has no version and state");
    try {
      if (!this.loadState(view)) return false;
    } catch (error) {
      this.refused = version;
      throw error instanceof NodeError ? error : this.invalid(error);
    }
    this.version = version;
    this.refused = -1;
    if (this.isBehind || this.lastReason !== undefined)
      logNotice(ATTEMPT, `the simulated Ethereum at ${this.url} has its state again`);
    this.isBehind = false;
    this.lastReason = undefined;
    return true;
  }

  /** @returns false for a state that has lost events. @throws where it cannot be loaded: then the copy stays as it is, too */
  private loadState(view: EthereumView): boolean {
    const { version } = view;
    // A state that only rises has lost nothing.
    if (version < this.version || this.version < 0) {
      if (this.lossOf(view) !== undefined) {
        this.refused = version;
        if (this.version < 0) this.logBehind(this.behind(view));
        return false;
      }
    }
    const before = this.copy.save();
    try {
      this.copy.load(this.textOf(view));
    } catch (error) {
      this.copy.load(before);
      throw error;
    }
    return true;
  }

  /** Where the process has lost its state, it gets the one that was followed here. @throws NodeError `ethereum_behind` */
  private checkOwnCopy(view: EthereumView): void {
    if (this.version < 0 || this.lostEvents(this.copy.save()) !== undefined) throw this.behind(view);
    logNotice(
      ATTEMPT,
      `the simulated Ethereum at ${this.url} had lost its state (${this.lossOf(view)}): it gets it back from here`,
    );
  }

  private lossOf(view: EthereumView): string | undefined {
    return this.lostEvents(this.textOf(view));
  }

  private textOf({ state }: EthereumView): string {
    return state === "" ? this.first : state;
  }

  private noteAnswer(): void {
    if (this.unanswered >= AWAY_AFTER)
      logNotice(ATTEMPT, `the simulated Ethereum at ${this.url} answers again`);
    this.unanswered = 0;
  }

  /** Each failure of an uninterrupted row once. */
  private noteFailure(error: unknown): void {
    const failure = error instanceof NodeError ? error : this.invalid(error);
    if (failure.code === "ethereum_away") {
      if (++this.unanswered === AWAY_AFTER) logFailure(failure);
    } else if (failure.code === "ethereum_behind") {
      this.logBehind(failure);
    } else if (failure.message !== this.lastReason) {
      this.lastReason = failure.message;
      logFailure(failure);
    }
  }

  private invalid(error: unknown): NodeError {
    return new NodeError(
      ATTEMPT,
      "ethereum_invalid",
      `the state of the simulated Ethereum at ${this.url} cannot be loaded: ${reasonOf(error).slice(0, REASON_LENGTH_MAX)}`,
      "run one release of lyra everywhere; or stop it, restore ethereum.json from the backup, and start it again",
    );
  }

  private logBehind(error: NodeError): void {
    if (!this.isBehind) logFailure(error);
    this.isBehind = true;
  }

  private behind(view: EthereumView): NodeError {
    return new NodeError(
      ATTEMPT,
      "ethereum_behind",
      `the simulated Ethereum at ${this.url} has lost events: ${this.lossOf(view)}`,
      "stop it, restore its file (ethereum.json) from the backup, and start it again",
    );
  }

  private async ask<T>(method: string, path: string, body?: string): Promise<T> {
    try {
      const answer = await requestAnswer(`${this.url}${path}`, {
        method,
        timeoutMs: TIMEOUT_MS,
        signal: this.ending.signal,
        ...(body !== undefined && { body, headers: { "content-type": "application/json" } }),
      });
      const text = await answer.text(ANSWER_BYTES_MAX);
      if (!answer.isOk) throw new Error(`status ${answer.status}: ${text.slice(0, 200)}`);
      return JSON.parse(text) as T;
    } catch (error) {
      throw new NodeError(
        ATTEMPT,
        "ethereum_away",
        `the simulated Ethereum at ${this.url} does not answer: ${reasonOf(error)}`,
        "start it: lyra ethereum; or give its address with --ethereum",
      );
    }
  }
}
