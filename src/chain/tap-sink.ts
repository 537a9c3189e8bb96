// Hands the events of committed blocks to the streams that want them.
import type { EventTap } from "../store/event-feed.ts";
import type { Block } from "../wire/block.ts";
import type { BlockSink } from "./outbox.ts";

type Events = Pick<Block, "chainId" | "height" | "hash" | "txHashes" | "events">;

export class TapSink implements BlockSink {
  /** Blocks that are not committed yet. */
  private pending: Events[] = [];

  constructor(private readonly tap: EventTap) {}

  open(head: { readonly height: number } | undefined): void {
    this.tap.noteReverted(head?.height ?? 0);
  }

  append(block: Events): void {
    this.tap.noteBlock(block.height);
    if (this.tap.isOpen) this.pending.push(block);
  }

  keep(): void {
    for (const block of this.pending.splice(0)) this.tap.send(block, block.events);
  }

  undo(): void {
    this.pending = [];
  }

  addLast(events: Events): void {
    this.tap.send(events, events.events);
  }
}
