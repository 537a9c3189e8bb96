// The fan-out of events: those of each committed block come once from the writer, for the event bus and for ledger
// movements, which no rows of the store tell whole.
import { Grpc } from "../../../errors/statuses.ts";
import { ApiError } from "../../../http/errors.ts";
import { type EventFeed, eventsIn, type FeedMessage } from "../../../store/event-feed.ts";
import { RecentEventsReader } from "../../../store/recent-events.ts";
import { StreamedEvent } from "./bus-events.ts";
import type { Cursor } from "./cursor.ts";
import type { StreamReads } from "./fan-out.ts";
import { HeightMark, type Place, type StreamMessage } from "./message.ts";
import { checkBlock, hashAt, notKept, notReached } from "./missed.ts";
import { type Observation, tooSlow } from "./observation.ts";
import type { At } from "./spans.ts";

/** Time that a writer may take until it gives its events. */
const BEGIN_MS = 5_000;

/** Between two looks for the end of a block that is under way. */
const LOOK_MS = 5;

/** Streams of events with one filter. */
export interface EventTopic {
  /** Topics with one key are one. */
  readonly key: string;
  messagesOf(height: number, place: Place, events: readonly StreamedEvent[]): readonly StreamMessage[];
}

interface ActiveTopic {
  readonly topic: EventTopic;
  readonly observations: Set<Observation>;
}

/** Makes the observation of a stream that begins at a height. */
type MakeObservation<O> = (at: At, onClosed: () => void) => O;

export class EventFanOut {
  private readonly topics = new Map<string, ActiveTopic>();
  /** Those that are being opened among them. */
  private subscribers = 0;
  /** Of the last announced block. */
  private height = 0;
  /** Of the same; empty where it is not known. */
  private hash = "";
  /** Streams whose client has blocks that the feed has not announced yet, with the height of the last one. */
  private readonly ahead = new Map<Observation, number>();
  /** Counts announced blocks. */
  private turn = 0;
  private begun: PromiseWithResolvers<void> | undefined;

  constructor(
    private readonly feed: () => EventFeed,
    private readonly reads: StreamReads,
  ) {}

  /**
   * @param after block up to which the client has everything
   * @throws ApiError 503 when the writer does not give its events; 412 and 400 where blocks follow that are not kept
   */
  async join<O extends Observation>(
    topic: EventTopic,
    after: Cursor | undefined,
    make: MakeObservation<O>,
  ): Promise<O> {
    await this.enter();
    let missed: RecentEventsReader | undefined;
    try {
      missed = after && this.recentBehind(after);
    } catch (error) {
      this.exit();
      throw error;
    }
    const isAhead = after !== undefined && after.height > this.height;
    const { height, hash }: Cursor = isAhead ? after : { height: this.height, hash: this.hash };
    const at: At = { height, place: { no: this.turn, part: 0 }, hash };
    const observation: O = make(at, () => this.leave(topic.key, observation));
    if (isAhead) this.ahead.set(observation, height);
    let active = this.topics.get(topic.key);
    if (active === undefined) this.topics.set(topic.key, (active = { topic, observations: new Set() }));
    active.observations.add(observation);
    if (missed === undefined) observation.pushBeginning();
    else this.openBehind(after!.height, missed, topic, observation, at);
    return observation;
  }

  /** The events that a client has missed; undefined where there are none. @throws ApiError */
  private recentBehind(after: Cursor): RecentEventsReader | undefined {
    return this.reads.read((context, head) => {
      const last = Math.max(this.height, head?.height ?? 0);
      if (after.height > last) throw notReached(after.height, last);
      if (head !== undefined && after.height <= head.height) checkBlock(context, after, head);
      if (after.height >= this.height) return undefined;
      const reader = new RecentEventsReader(context.home);
      const isKept = reader.block(after.height + 1) !== undefined || (head?.height ?? 0) <= after.height;
      if (isKept) return reader;
      reader.close();
      throw notKept(after.height);
    });
  }

  /** Queues what the client has missed, when the block that is under way is committed. */
  private openBehind(
    after: number,
    reader: RecentEventsReader,
    topic: EventTopic,
    observation: Observation,
    at: At,
  ): void {
    const isCommitted = () => this.reads.read((_, head) => head !== undefined && head.height >= at.height);
    const open = () => {
      const messages = this.messagesBehind(after, reader, topic, at, observation.wantsHeights);
      observation.openWith({ ...at, height: after, messages, close: () => reader.close() });
    };
    const look = () => {
      if (observation.isEnded) reader.close();
      else if (isCommitted()) open();
      else setTimeout(look, LOOK_MS);
    };
    observation.height = after;
    observation.hold();
    look();
  }

  /** The events of the blocks behind a height, up to the one behind which the feed goes on. */
  private *messagesBehind(
    after: number,
    reader: RecentEventsReader,
    topic: EventTopic,
    { height: last, place }: At,
    wantsHeights: boolean,
  ): Generator<StreamMessage | undefined, StreamMessage | undefined> {
    for (let height = after + 1; height <= last; height++) {
      const hash = this.reads.read((context, head) => hashAt(context, height, head!).toLowerCase());
      const block = reader.block(height);
      if (block === undefined || !hash.startsWith(block.hash)) throw notKept(height - 1);
      const events = eventsIn(block.events).map((encoded) => new StreamedEvent(encoded));
      yield* topic.messagesOf(height, place, events);
      yield wantsHeights ? new HeightMark(height, place, hash) : undefined;
    }
    return undefined;
  }

  endAll(reason: ApiError): void {
    for (const { observations } of [...this.topics.values()])
      for (const each of [...observations]) each.fail(reason);
  }

  private async enter(): Promise<void> {
    this.subscribers++;
    if (this.begun === undefined) {
      this.begun = Promise.withResolvers();
      this.feed().start(this.receive);
    }
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      late.reject(new ApiError(Grpc.unavailable, "the writer does not give its events now"));
    }, BEGIN_MS);
    try {
      await Promise.race([this.begun.promise, late.promise]);
    } catch (error) {
      this.exit();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  private leave(key: string, observation: Observation): void {
    const active = this.topics.get(key);
    if (!active?.observations.delete(observation)) return;
    this.ahead.delete(observation);
    if (active.observations.size === 0) this.topics.delete(key);
    this.exit();
  }

  private exit(): void {
    if (--this.subscribers > 0) return;
    this.begun = undefined;
    this.feed().stop(this.receive);
  }

  private readonly receive = (message: FeedMessage): void => {
    if (message.kind === "lost") this.endAll(tooSlow());
    else if (message.kind === "begun") {
      // The store may be ahead already: the blocks between them follow.
      this.height = message.height;
      this.hash = this.reads.read((context, head) =>
        head !== undefined && this.height <= head.height ? hashAt(context, this.height, head) : "",
      );
      this.begun?.resolve();
    } else this.tellBlock(message);
  };

  private tellBlock({ height, hash, events: packed }: Extract<FeedMessage, { kind: "events" }>): void {
    const events = eventsIn(packed).map((encoded) => new StreamedEvent(encoded));
    const place = { no: ++this.turn, part: 0 };
    const mark = new HeightMark(height, place, hash);
    this.height = height;
    this.hash = hash;
    for (const { topic, observations } of [...this.topics.values()]) {
      const messages = topic.messagesOf(height, place, events);
      for (const observation of [...observations]) {
        if (height <= (this.ahead.get(observation) ?? 0)) continue;
        this.ahead.delete(observation);
        for (const message of messages) observation.push(message);
        if (observation.wantsHeights) observation.push(mark);
      }
    }
  }
}
