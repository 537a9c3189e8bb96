// Hands the events of committed blocks to the streams that want them.
import type { EventTap } from "../store/event-feed.ts";
import type { Block } from "../wire/block.ts";
import type { BlockSink } from "./outbox.ts";

type Events = Pick<Block, "chainId" | "height" | "hash" | "txHashes" | "events">;

export class TapSink implements BlockSink {
  constructor(private readonly tap: EventTap) {}

  open(head: { readonly height: number } | undefined): void {
    this.tap.noteReverted(head?.height ?? 0);
  }

  append(block: Events): void {
    this.tap.stage(block, block.events);
    this.tap.noteBlock(block.height);
  }

  keep(): void {
    this.tap.keep();
  }

  undo(): void {
    this.tap.undo();
  }

  addLast(events: Events): void {
    this.tap.sendLast(events, events.events);
  }
}
