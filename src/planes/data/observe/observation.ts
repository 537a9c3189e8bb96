// A subscriber of a stream: its snapshot, then a bounded queue of updates, up to the end and its reason.
import type { ApiError } from "../../../http/errors.ts";
import { internal } from "../../../http/errors.ts";
import { HeightMark, isBehind, type Place, type StreamMessage } from "./message.ts";

/** Pages of a snapshot that are read at one go, so that a long one does not hold up everything else. */
const PAGES_A_TURN = 8;
/** A snapshot holds a read transaction open, which keeps the log from being folded back: it may not take longer. */
const SNAPSHOT_MS = 10_000;

/** Time that a queue may be full (the original tries three times, 10 ms apart), and its excess over the bound meanwhile. */
const GRACE_MS = 100;
const BURST_FACTOR = 8;

/** A subscriber that does not keep up (docs/protocol/10-data-api-streams.md#61-transport). */
export function tooSlow(): ApiError {
  return internal("internal stream failure", "channel closed");
}

/** Pages of a snapshot, and the read transaction they come from. */
interface SnapshotPages {
  readonly height: number;
  readonly place: Place;
  /** The last one is what it returns. */
  readonly pages: Iterator<StreamMessage, StreamMessage>;
  close(): void;
}

interface ObservationOptions {
  readonly height: number;
  readonly place: Place;
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
  private snapshot: SnapshotPages | undefined;
  private snapshotTimer: ReturnType<typeof setTimeout> | undefined;
  /** The snapshot is on its way: updates wait behind it. */
  private isHeld = false;
  private pagesOfTurn = 0;
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
    if (this.snapshot !== undefined) return this.nextPage(this.snapshot);
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
    if (wasEmpty && this.snapshot === undefined && !this.isHeld) this.onReady();
  }

  /** For a stream without a snapshot: tells the height that it begins at, where heights are wanted. */
  pushBeginning(): void {
    const { height, place } = this;
    if (this.wantsHeights) this.push(new HeightMark(height, { ...place, part: Number.POSITIVE_INFINITY }));
  }

  /** Updates wait until `beginSnapshot` is called. */
  hold(): void {
    this.isHeld = true;
  }

  /** The snapshot comes first; updates of the blocks that it shows are dropped. */
  beginSnapshot(snapshot: SnapshotPages): void {
    if (this.isOver) {
      snapshot.close();
      return;
    }
    this.isHeld = false;
    this.snapshot = snapshot;
    this.height = snapshot.height;
    this.place = snapshot.place;
    this.queue = this.queue.filter(({ place }) => isBehind(place, snapshot.place));
    this.queuedBytes = this.queue.reduce((sum, { bytes }) => sum + bytes, 0);
    this.snapshotTimer = setTimeout(() => this.fail(tooSlow()), SNAPSHOT_MS);
    this.onReady();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<StreamMessage, void, undefined> {
    try {
      for (;;) {
        const message = this.poll();
        if (message !== undefined) yield message;
        else if (this.isEnded) return;
        else await this.ready();
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

  private ready(): Promise<void> {
    return new Promise((resolve) => {
      this.onReady = resolve;
    });
  }

  private nextPage(snapshot: SnapshotPages): StreamMessage | undefined {
    if (++this.pagesOfTurn > PAGES_A_TURN) {
      this.pagesOfTurn = 0;
      setImmediate(() => this.onReady());
      return undefined;
    }
    const { done, value } = snapshot.pages.next();
    if (done) this.endSnapshot();
    return value;
  }

  private endSnapshot(): void {
    clearTimeout(this.snapshotTimer);
    this.snapshot?.close();
    this.snapshot = undefined;
  }

  private release(): void {
    this.endSnapshot();
    this.queue = [];
    this.next = 0;
    this.queuedBytes = 0;
    this.options.onClosed();
  }
}
