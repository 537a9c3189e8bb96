// A subscriber of a stream: its beginning (a snapshot, or what a client has missed), then a bounded queue of updates, up to the end and its reason.
import type { ApiError } from "../../../http/errors.ts";
import { internal } from "../../../http/errors.ts";
import { HeightMark, isBehind, type Place, type StreamMessage } from "./message.ts";

/** Messages of a beginning that are read at one go, so that a long one does not hold up everything else. */
const STEPS_A_TURN = 8;
/** A beginning holds a read transaction open, which keeps the log from being folded back: it may not take longer. */
const BEGINNING_MS = 10_000;

/** Time that a queue may be full (the original tries three times, 10 ms apart), and its excess over the bound meanwhile. */
const GRACE_MS = 100;
const BURST_FACTOR = 8;

/** A subscriber that does not keep up (docs/protocol/10-data-api-streams.md#61-transport). */
export function tooSlow(): ApiError {
  return internal("internal stream failure", "channel closed");
}

/** The messages before the updates of a stream, and the read transaction they come from. */
export interface Beginning {
  /** Height that the stream begins at. */
  readonly height: number;
  /** Updates of the blocks up to here are part of it. */
  readonly place: Place;
  /** The last message is what it returns; undefined where there is none, or none yet. */
  readonly messages: Iterator<StreamMessage | undefined, StreamMessage | undefined>;
  close(): void;
}

interface ObservationOptions {
  readonly height: number;
  readonly place: Place;
  /** Of the block at that height; empty where it is not known. */
  readonly hash: string;
  /** Bytes of messages that may wait; with more the subscriber is too slow. */
  readonly backlogBytesMax: number;
  readonly wantsHeights: boolean;
  onClosed(): void;
}

/**
 * The messages of a subscriber, in order. Either poll it (`poll`, and `onReady` when it had nothing), which costs no promise,
 * or iterate over it: `for await (const { height, message } of observation)`. Leaving the loop closes it.
 */
export class Observation implements AsyncIterable<StreamMessage> {
  /**
   * Height that the stream begins at: a snapshot shows the state as of this block, and every change of the blocks
   * after it is told. Known before the first message, for a response header.
   */
  height: number;
  /** Called once there is something to poll after there was nothing: a message, or the end. */
  onReady: () => void = () => {};
  readonly wantsHeights: boolean;
  private place: Place;
  private queue: StreamMessage[] = [];
  private next = 0;
  private queuedBytes = 0;
  /** When the first message that waits came, or the last one before it was taken. */
  private waitingSinceMs = 0;
  private beginning: Beginning | undefined;
  private beginningTimer: ReturnType<typeof setTimeout> | undefined;
  /** The beginning is on its way: updates wait behind it. */
  private isHeld = false;
  private stepsOfTurn = 0;
  private failure: ApiError | undefined;
  private isOver = false;

  constructor(private readonly options: ObservationOptions) {
    this.height = options.height;
    this.place = options.place;
    this.wantsHeights = options.wantsHeights;
  }

  /** No message will come any more: it was closed, or it ended for a reason that `poll` has thrown. */
  get isEnded(): boolean {
    return this.isOver && this.failure === undefined;
  }

  /** It has ended for a reason that `poll` has not thrown yet. */
  get hasFailed(): boolean {
    return this.failure !== undefined;
  }

  /**
   * The next message; undefined when there is none now, or none any more (`isEnded`).
   * @throws ApiError once, when the stream ends for a reason: the subscriber was too slow, the chain went back, the node stops
   */
  poll(): StreamMessage | undefined {
    if (this.failure !== undefined) {
      const reason = this.failure;
      this.failure = undefined;
      throw reason;
    }
    if (this.isOver || this.isHeld) return undefined;
    if (this.beginning !== undefined) return this.nextOfBeginning(this.beginning);
    const message = this.queue[this.next];
    if (message === undefined) return undefined;
    this.next++;
    this.queuedBytes -= message.bytes;
    this.waitingSinceMs = performance.now();
    if (this.next === this.queue.length) {
      this.queue = [];
      this.next = 0;
    }
    return message;
  }

  /** Ends the stream without a reason. */
  close(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.release();
    this.onReady();
  }

  /** Ends the stream for a reason; what waits is dropped. */
  fail(reason: ApiError): void {
    if (this.isOver) return;
    this.failure = reason;
    this.close();
  }

  /** @param message of a block after those that were pushed before */
  push(message: StreamMessage): void {
    // Blocks that the snapshot shows were queued while it was waited for.
    if (this.isOver || !isBehind(message.place, this.place)) return;
    const wasEmpty = this.next === this.queue.length;
    if (wasEmpty) this.waitingSinceMs = performance.now();
    else if (this.isTooSlow) {
      this.fail(tooSlow());
      return;
    }
    this.queue.push(message);
    this.queuedBytes += message.bytes;
    if (wasEmpty && this.beginning === undefined && !this.isHeld) this.onReady();
  }

  /** For a stream without a snapshot: tells the height that it begins at, where heights are wanted. */
  pushBeginning(): void {
    const { height, place, wantsHeights } = this;
    const behind = { ...place, part: Number.POSITIVE_INFINITY };
    if (wantsHeights) this.push(new HeightMark(height, behind, this.options.hash));
  }

  /** Updates wait until `openWith` is called. */
  hold(): void {
    this.isHeld = true;
  }

  /** The beginning comes first; updates of the blocks that it shows are dropped. */
  openWith(beginning: Beginning): void {
    if (this.isOver) {
      beginning.close();
      return;
    }
    this.isHeld = false;
    this.beginning = beginning;
    this.height = beginning.height;
    this.place = beginning.place;
    this.queue = this.queue.filter(({ place }) => isBehind(place, beginning.place));
    this.queuedBytes = this.queue.reduce((sum, { bytes }) => sum + bytes, 0);
    this.beginningTimer = setTimeout(() => this.fail(tooSlow()), BEGINNING_MS);
    this.onReady();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<StreamMessage, void, undefined> {
    try {
      for (;;) {
        const message = this.poll();
        if (message !== undefined) yield message;
        else if (this.isEnded) return;
        else await this.whenReady();
      }
    } finally {
      this.close();
    }
  }

  /** A block alone may be more than the queue holds: the client is slow when it has not read that for a while. */
  private get isTooSlow(): boolean {
    const { backlogBytesMax } = this.options;
    if (this.queuedBytes <= backlogBytesMax) return false;
    const isBeyond = this.queuedBytes > BURST_FACTOR * backlogBytesMax;
    return isBeyond || performance.now() - this.waitingSinceMs > GRACE_MS;
  }

  /** Settles when there is something to poll: a message, or the end. */
  whenReady(): Promise<void> {
    return new Promise((resolve) => {
      this.onReady = resolve;
      // It may have ended since the last poll.
      if (this.isOver) resolve();
    });
  }

  private nextOfBeginning({ messages }: Beginning): StreamMessage | undefined {
    for (;;) {
      if (++this.stepsOfTurn > STEPS_A_TURN) {
        this.stepsOfTurn = 0;
        setImmediate(() => this.onReady());
        return undefined;
      }
      const { done, value } = this.stepOf(messages);
      if (done) this.endBeginning();
      if (value !== undefined) return value;
      if (done) return this.poll();
    }
  }

  private stepOf(messages: Beginning["messages"]): ReturnType<Beginning["messages"]["next"]> {
    try {
      return messages.next();
    } catch (error) {
      this.close();
      throw error;
    }
  }

  private endBeginning(): void {
    clearTimeout(this.beginningTimer);
    this.beginning?.close();
    this.beginning = undefined;
  }

  private release(): void {
    this.endBeginning();
    this.queue = [];
    this.next = 0;
    this.queuedBytes = 0;
    this.options.onClosed();
  }
}
