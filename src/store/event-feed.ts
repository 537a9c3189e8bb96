/**
 * Events of committed blocks on their way to the streams that send them: from the writer, which has them, to the
 * threads that answer. Nothing is taken while no stream wants events, and the writer never waits: a thread that does not
 * keep up loses its feed.
 */
import type { Block, BlockEvent } from "../wire/block.ts";
import { wholeEvent } from "../wire/whole-event.ts";
import type { RecentEvents } from "./recent-events.ts";

/** Bytes of events that another thread has not read yet. */
const UNREAD_BYTES_MAX = 64 * 1024 * 1024;
const LENGTH_BYTES = 4;

/** A message of a feed; another thread may get it. */
export type FeedMessage =
  /** The events of all blocks after this one follow. */
  | { readonly kind: "begun"; readonly height: number }
  /** Every event of a committed block, each a serialized bus event behind its length. @param hash of the block */
  | {
      readonly kind: "events";
      readonly height: number;
      readonly hash: string;
      readonly events: Uint8Array;
    }
  /** Events were left out because they were not read: nothing more follows. */
  | { readonly kind: "lost" };

type FeedListener = (message: FeedMessage) => void;

export interface EventFeed {
  /** Tells `begun`, now or soon, and then what follows. */
  start(listener: FeedListener): void;
  stop(listener: FeedListener): void;
}

/** The parts of a block that its events need. */
type BlockOfEvents = Pick<Block, "chainId" | "height" | "hash" | "txHashes">;

interface StagedBlock {
  readonly height: number;
  readonly hash: string;
  readonly events: Uint8Array;
}

/** The writer's end. */
export class EventTap implements EventFeed {
  /** With the height that each was told at its start. */
  private readonly listeners = new Map<FeedListener, number>();
  private height = 0;
  /** Of the blocks that are about to be committed. */
  private packed: StagedBlock[] = [];

  /** @param recent keeps events for streams that are opened again; without it there are none of those */
  constructor(private readonly recent?: RecentEvents) {}

  /** Whether the events of the next block are needed: they are taken if so when it begins. */
  get isOpen(): boolean {
    return this.listeners.size > 0 || this.recent?.keeps(this.height + 1) === true;
  }

  start(listener: FeedListener): void {
    this.listeners.set(listener, this.height);
    this.recent?.noteFollowed(this.height);
    listener({ kind: "begun", height: this.height });
  }

  stop(listener: FeedListener): void {
    this.listeners.delete(listener);
  }

  /** A block begins; its events are taken, or not. */
  noteBlock(height: number): void {
    if (height > this.height) this.height = height;
    if (this.listeners.size > 0) this.recent?.noteFollowed(this.height);
  }

  /** The chain took blocks back. */
  noteReverted(height: number): void {
    this.height = height;
    this.recent?.noteReverted(height);
  }

  /** A block is about to be committed. @param events all of the block's, its markers among them */
  stage(block: BlockOfEvents, events: readonly BlockEvent[]): void {
    if (!this.isOpen) return;
    const packed = pack(events.map((event) => wholeEvent(block, event)));
    this.recent?.append(block.height, block.hash, packed);
    this.packed.push({ height: block.height, hash: block.hash, events: packed });
  }

  /** The blocks are committed. */
  keep(): void {
    const blocks = this.packed;
    this.packed = [];
    for (const block of blocks) this.sendBlock(block);
  }

  /** They are not. */
  undo(): void {
    this.packed = [];
  }

  close(): void {
    this.recent?.close();
  }

  /** Events of no block, behind the last one. */
  sendLast(block: BlockOfEvents, events: readonly BlockEvent[]): void {
    if (this.listeners.size === 0) return;
    const packed = pack(events.map((event) => wholeEvent(block, event)));
    const message: FeedMessage = { kind: "events", height: block.height, hash: block.hash, events: packed };
    for (const listener of [...this.listeners.keys()]) listener(message);
  }

  /** A block that was under way when a listener started is not told to it. */
  private sendBlock(block: StagedBlock): void {
    for (const [listener, begunAt] of [...this.listeners])
      if (block.height > begunAt) listener({ kind: "events", ...block });
  }
}

function pack(messages: readonly Uint8Array[]): Uint8Array {
  const packed = new Uint8Array(messages.reduce((sum, { length }) => sum + LENGTH_BYTES + length, 0));
  const view = new DataView(packed.buffer);
  let at = 0;
  for (const message of messages) {
    view.setUint32(at, message.length);
    packed.set(message, at + LENGTH_BYTES);
    at += LENGTH_BYTES + message.length;
  }
  return packed;
}

/** The events of a message of a feed, as views of its bytes. */
export function eventsIn(packed: Uint8Array): Uint8Array[] {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  const events: Uint8Array[] = [];
  for (let at = 0; at < packed.length; ) {
    const start = at + LENGTH_BYTES;
    at = start + view.getUint32(at);
    events.push(packed.subarray(start, at));
  }
  return events;
}

// A feed across threads: an outlet where the events are, an inlet where they are read.

/** From an inlet to its outlet. */
export type FeedOrder =
  | { readonly kind: "start" }
  | { readonly kind: "stop" }
  /** This many bytes of events were read. */
  | { readonly kind: "read"; readonly bytes: number };

export class FeedOutlet {
  private unreadBytes = 0;

  constructor(
    private readonly feed: EventFeed,
    private readonly post: FeedListener,
  ) {}

  receive(order: FeedOrder): void {
    if (order.kind === "read") this.unreadBytes -= order.bytes;
    else if (order.kind === "stop") this.feed.stop(this.forward);
    else {
      this.unreadBytes = 0;
      this.feed.start(this.forward);
    }
  }

  close(): void {
    this.feed.stop(this.forward);
  }

  private readonly forward = (message: FeedMessage): void => {
    if (message.kind === "events") {
      if (this.unreadBytes > UNREAD_BYTES_MAX) {
        this.feed.stop(this.forward);
        this.post({ kind: "lost" });
        return;
      }
      this.unreadBytes += message.events.length;
    }
    this.post(message);
  };
}

export class FeedInlet implements EventFeed {
  private readonly listeners = new Set<FeedListener>();
  /** Of the last announced block; undefined until the feed has begun. */
  private height: number | undefined;

  constructor(private readonly post: (order: FeedOrder) => void) {}

  start(listener: FeedListener): void {
    this.listeners.add(listener);
    if (this.listeners.size === 1) this.post({ kind: "start" });
    else if (this.height !== undefined) listener({ kind: "begun", height: this.height });
  }

  stop(listener: FeedListener): void {
    if (!this.listeners.delete(listener) || this.listeners.size > 0) return;
    this.height = undefined;
    this.post({ kind: "stop" });
  }

  receive(message: FeedMessage): void {
    if (message.kind === "events") {
      this.post({ kind: "read", bytes: message.events.length });
      // On its way since before the last start.
      if (this.height === undefined) return;
    }
    const listeners = [...this.listeners];
    if (message.kind === "lost") {
      this.height = undefined;
      this.listeners.clear();
    } else this.height = message.height;
    for (const listener of listeners) listener(message);
  }
}
