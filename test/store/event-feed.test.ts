// Events on their way from the writer to other threads: in order, from a known block on, and bounded.
import { describe, expect, test } from "bun:test";
import {
  EventTap,
  eventsIn,
  FeedInlet,
  type FeedMessage,
  type FeedOrder,
  FeedOutlet,
} from "../../src/store/event-feed.ts";
import type { BlockEvent } from "../../src/wire/block.ts";
import { decodeBusEvent } from "../../src/wire/generated/events.ts";

const HASH = "AB".repeat(32);

function send(tap: EventTap, height: number, bytes = 3): void {
  const payload = new Uint8Array(bytes);
  const event: BlockEvent = { field: 101, seq: 1, tx: 0, bytes: payload, start: 0, end: 0 };
  const long: BlockEvent = { field: 157, seq: 2, tx: 0, bytes: payload, start: 0, end: bytes };
  tap.noteBlock(height);
  tap.stage({ chainId: "c", height, hash: HASH, txHashes: [HASH] }, bytes > 3 ? [event, long] : [event]);
  tap.keep();
}

/** Two threads, whose messages wait until they are delivered. */
class Threads {
  readonly tap = new EventTap();
  private readonly toInlet: FeedMessage[] = [];
  private readonly toOutlet: FeedOrder[] = [];
  readonly outlet = new FeedOutlet(this.tap, (message) => void this.toInlet.push(message));
  readonly inlet = new FeedInlet((order) => void this.toOutlet.push(order));

  deliver(): void {
    while (this.toInlet.length + this.toOutlet.length > 0) {
      for (const order of this.toOutlet.splice(0)) this.outlet.receive(order);
      for (const message of this.toInlet.splice(0)) this.inlet.receive(message);
    }
  }

  /** Delivers what the inlet has ordered, and nothing to it. */
  order(): void {
    for (const order of this.toOutlet.splice(0)) this.outlet.receive(order);
  }
}

const heights = (messages: readonly FeedMessage[]) =>
  messages.map((message) => (message.kind === "lost" ? "lost" : `${message.kind} ${message.height}`));

describe("a feed", () => {
  test("begins behind the block that had begun, and tells each one after it", () => {
    const tap = new EventTap();
    send(tap, 7);
    const messages: FeedMessage[] = [];
    const listen = (message: FeedMessage) => void messages.push(message);
    tap.start(listen);
    send(tap, 8);
    send(tap, 9);
    tap.stop(listen);
    send(tap, 10);
    expect(heights(messages)).toEqual(["begun 7", "events 8", "events 9"]);
    const [event] = eventsIn((messages[1] as Extract<FeedMessage, { kind: "events" }>).events);
    expect(decodeBusEvent(event!)).toMatchObject({
      id: "8-1",
      block: HASH,
      type: 2,
      version: 1,
      chainId: "c",
    });
  });

  test("crosses threads; who joins later is told at once where it stands", () => {
    const threads = new Threads();
    send(threads.tap, 3);
    const [first, second]: FeedMessage[][] = [[], []];
    const one = (message: FeedMessage) => void first!.push(message);
    const two = (message: FeedMessage) => void second!.push(message);
    threads.inlet.start(one);
    expect(threads.tap.isOpen).toBe(false);
    threads.deliver();
    send(threads.tap, 4);
    threads.deliver();
    threads.inlet.start(two);
    send(threads.tap, 5);
    threads.deliver();
    expect(heights(first!)).toEqual(["begun 3", "events 4", "events 5"]);
    expect(heights(second!)).toEqual(["begun 4", "events 5"]);
    threads.inlet.stop(one);
    threads.deliver();
    expect(threads.tap.isOpen).toBe(true);
    threads.inlet.stop(two);
    threads.deliver();
    expect(threads.tap.isOpen).toBe(false);
  });

  test("that is begun again tells nothing of the time before", () => {
    const threads = new Threads();
    const messages: FeedMessage[] = [];
    const listen = (message: FeedMessage) => void messages.push(message);
    threads.inlet.start(listen);
    threads.deliver();
    threads.order();
    send(threads.tap, 1);
    // It is on its way while the last listener leaves and a new one comes.
    threads.inlet.stop(listen);
    threads.inlet.start(listen);
    threads.deliver();
    send(threads.tap, 2);
    threads.deliver();
    expect(heights(messages)).toEqual(["begun 0", "begun 1", "events 2"]);
  });

  test("that is not read is given up, and costs its bound", () => {
    const threads = new Threads();
    const messages: FeedMessage[] = [];
    threads.inlet.start((message) => void messages.push(message));
    threads.order();
    for (let height = 1; height <= 100; height++) send(threads.tap, height, 2 ** 20);
    expect(threads.tap.isOpen).toBe(false);
    threads.deliver();
    expect(messages.at(-1)!.kind).toBe("lost");
    expect(messages.length).toBeGreaterThan(60);
    expect(messages.length).toBeLessThan(70);
    // A reader that keeps up is never given up.
    const again: FeedMessage[] = [];
    threads.inlet.start((message) => void again.push(message));
    threads.deliver();
    for (let height = 101; height <= 250; height++) {
      send(threads.tap, height, 2 ** 20);
      threads.deliver();
    }
    expect(again).toHaveLength(151);
  });
});
