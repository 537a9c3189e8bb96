// The messages of a stream of the data plane as payloads of a subscription, in the form that the library iterates over.
// It ends as soon as it is stopped, also while it waits.
import type { Observation } from "../data/observe/observation.ts";
import type { Message } from "./reads.ts";

export class PayloadStream implements AsyncIterableIterator<unknown> {
  private hasSent = false;
  private late: unknown;
  private timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * @param payloadOf undefined to skip a message
   * @param onTaken called after each message
   */
  constructor(
    private readonly observation: Observation,
    private readonly payloadOf: (message: Message) => unknown,
    private readonly onTaken: () => void = () => {},
  ) {}

  /** A payload in place of the first one, if that does not come in time. @param payload undefined for none */
  expectWithin(ms: number, payload: () => unknown): void {
    this.timer = setTimeout(() => {
      if (this.hasSent) return;
      this.late = payload();
      this.observation.onReady();
    }, ms);
    this.timer.unref();
  }

  /** @throws ApiError when the stream ends for a reason */
  async next(): Promise<IteratorResult<unknown, undefined>> {
    for (;;) {
      const payload = this.poll();
      if (payload !== undefined) {
        this.hasSent = true;
        return { value: payload, done: false };
      }
      if (this.observation.isEnded) return { value: undefined, done: true };
      await this.observation.whenReady();
    }
  }

  async return(): Promise<IteratorResult<unknown, undefined>> {
    clearTimeout(this.timer);
    this.observation.close();
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  private poll(): unknown {
    if (this.late !== undefined && !this.hasSent) {
      const payload = this.late;
      this.late = undefined;
      return payload;
    }
    for (;;) {
      const message = this.observation.poll()?.message;
      if (message === undefined) return undefined;
      const payload = this.payloadOf(message);
      this.onTaken();
      if (payload !== undefined) return payload;
    }
  }
}
