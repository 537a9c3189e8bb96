/**
 * The simulated Ethereum as a validator has it: a copy that follows the one process, and calls in turn. A call's event is
 * brought to the chain within the turn, so that a call whose event no block has is not seen.
 */

import { NodeError, reasonOf } from "../errors/node-error.ts";
import { requestAnswer } from "../fetch/answer.ts";
import type { EthereumTurn, EthereumView } from "./ethereum-state.ts";

const ANSWER_BYTES_MAX = 64 * 1024 * 1024;
const WAIT_MS = 5_000;
const TIMEOUT_MS = 60_000;
const RETRY_MS = 500;

interface Copy {
  save(): string;
  load(text: string): void;
}

export class SharedEthereum {
  private version = -1;
  private isInTurn = false;
  private isStopped = false;
  private readonly ending = new AbortController();
  /** As it begins, where nothing was called yet. */
  private readonly first: string;

  constructor(
    private readonly url: string,
    private readonly copy: Copy,
    private readonly onChange: () => void,
  ) {
    this.first = copy.save();
  }

  /** Follows the process until it is stopped. */
  async follow(): Promise<void> {
    while (!this.isStopped) {
      try {
        const view = await this.ask<EthereumView>("GET", `/state?after=${this.version}&wait=${WAIT_MS}`);
        if (!this.isInTurn && view.version !== this.version) {
          this.takeView(view);
          this.onChange();
        }
      } catch {
        // It is started again by its supervisor.
        if (!this.isStopped) await Bun.sleep(RETRY_MS);
      }
    }
  }

  stop(): void {
    this.isStopped = true;
    this.ending.abort();
  }

  /** Runs calls when it is this validator's turn: no one else's come between. @throws NodeError `ethereum_away`; of `run` */
  async inTurn<T>(run: () => Promise<T>): Promise<T> {
    const turn = await this.ask<EthereumTurn>("POST", "/turn");
    this.isInTurn = true;
    try {
      this.takeView(turn);
      return await run();
    } finally {
      const body = JSON.stringify({ token: turn.token, state: this.copy.save() });
      const view = await this.ask<EthereumView>("POST", "/turn/end", body).catch(() => undefined);
      this.isInTurn = false;
      if (view) this.version = view.version;
    }
  }

  private takeView({ version, state }: EthereumView): void {
    this.version = version;
    this.copy.load(state === "" ? this.first : state);
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
        "validator.ethereum",
        "ethereum_away",
        `the simulated Ethereum at ${this.url} does not answer: ${reasonOf(error)}`,
        "start it: lyra ethereum; or give its address with --ethereum",
      );
    }
  }
}
