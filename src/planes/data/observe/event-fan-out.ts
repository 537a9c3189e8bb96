// The fan-out of events: those of each committed block come once from the writer, for the event bus and for ledger
// movements, which no rows of the store tell whole.
import { Grpc } from "../../../errors/statuses.ts";
import { ApiError } from "../../../http/errors.ts";
import { type EventFeed, eventsIn, type FeedMessage } from "../../../store/event-feed.ts";
import { StreamedEvent } from "./bus-events.ts";
import { HeightMark, type Place, type StreamMessage } from "./message.ts";
import { notKept, notReached } from "./missed.ts";
import { type Observation, tooSlow } from "./observation.ts";

/** Time that a writer may take until it gives its events. */
const BEGIN_MS = 5_000;

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
type MakeObservation<O> = (at: { height: number; place: Place }, onClosed: () => void) => O;

export class EventFanOut {
  private readonly topics = new Map<string, ActiveTopic>();
  /** Those that are being opened among them. */
  private subscribers = 0;
  /** Of the last announced block. */
  private height = 0;
  /** Counts announced blocks. */
  private turn = 0;
  private begun: PromiseWithResolvers<void> | undefined;

  /** @param headHeight of the store's last block */
  constructor(
    private readonly feed: () => EventFeed,
    private readonly headHeight: () => number,
  ) {}

  /**
   * @param after height up to which the client has everything
   * @throws ApiError 503 when the writer does not give its events; 412 and 400 where blocks follow that are not kept
   */
  async join<O extends Observation>(
    topic: EventTopic,
    after: number | undefined,
    make: MakeObservation<O>,
  ): Promise<O> {
    await this.enter();
    try {
      this.checkHeight(after);
    } catch (error) {
      this.exit();
      throw error;
    }
    const at = { height: this.height, place: { no: this.turn, part: 0 } };
    const observation: O = make(at, () => this.leave(topic.key, observation));
    let active = this.topics.get(topic.key);
    if (active === undefined) this.topics.set(topic.key, (active = { topic, observations: new Set() }));
    active.observations.add(observation);
    observation.pushBeginning();
    return observation;
  }

  private checkHeight(after = this.height): void {
    if (after > this.height) throw notReached(after, this.height);
    if (after < this.height) throw notKept(after);
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
    if (active.observations.size === 0) this.topics.delete(key);
    this.exit();
  }

  private exit(): void {
    if (--this.subscribers > 0) return;
    this.begun = undefined;
    this.feed().stop(this.receive);
  }

  private readonly receive = (message: FeedMessage): void => {
    if (message.kind === "events") this.tellBlock(message.height, message.events);
    else if (message.kind === "lost") this.endAll(tooSlow());
    else {
      this.height = Math.max(message.height, this.headHeight());
      this.begun?.resolve();
    }
  };

  private tellBlock(height: number, packed: Uint8Array): void {
    const events = eventsIn(packed).map((encoded) => new StreamedEvent(encoded));
    const place = { no: ++this.turn, part: 0 };
    const mark = new HeightMark(height, place);
    this.height = height;
    for (const { topic, observations } of [...this.topics.values()]) {
      const messages = topic.messagesOf(height, place, events);
      for (const observation of [...observations]) {
        for (const message of messages) observation.push(message);
        if (observation.wantsHeights) observation.push(mark);
      }
    }
  }
}
