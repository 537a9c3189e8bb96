/**
 * The fan-out: after each commit the new blocks are read once for all subscribers. Subscribers with the same filter share
 * a topic, and a topic's messages are made once.
 */
import { Grpc } from "../../../errors/statuses.ts";
import { ApiError } from "../../../http/errors.ts";
import type { RequestFields } from "../../../http/query.ts";
import { type ChainHead, hashOfRow } from "../../../store/head.ts";
import type { DataContext } from "../context.ts";
import type { Cursor } from "./cursor.ts";
import type { ChangeReader, StreamKind } from "./kind.ts";
import { FramedMessage, HeightMark, type StreamMessage } from "./message.ts";
import { messagesBehind, placeOfCursor } from "./missed.ts";
import { Observation } from "./observation.ts";
import { LongBeginnings, pagesOf, shortSnapshot } from "./snapshots.ts";
import { type At, atHead, messagesOf, type Step, stepBehind } from "./spans.ts";

/** Commits without a notification (another process) are noticed by one look for all. */
const LOOK_MS = 100;

/** The store as the fan-out reads it. */
export interface StreamReads {
  /** Runs `read` in one read transaction. */
  read<T>(read: (context: DataContext, head: ChainHead | undefined) => T): T;
  /** Of an error that no subscriber can be blamed for. */
  fault(error: unknown): ApiError;
}

interface Topic {
  readonly filter: object;
  readonly observations: Set<Observation>;
}

interface ActiveKind {
  readonly reader: ChangeReader<object>;
  /** By the JSON text of the filter. */
  readonly topics: Map<string, Topic>;
}

interface JoinOptions {
  readonly backlogBytesMax: number;
  readonly wantsHeights: boolean;
  /** Block up to which the client has everything: what it has missed comes in place of a snapshot. */
  readonly after?: Cursor | undefined;
  onClosed(): void;
}

/** The chain took blocks back: messages about them are not true any more. */
export function wentBack(): ApiError {
  return new ApiError(
    Grpc.unavailable,
    "the chain was taken back to an earlier block: open the stream again",
  );
}

export class FanOut {
  private readonly kinds = new Map<StreamKind, ActiveKind>();
  private readonly beginnings = new LongBeginnings();
  private subscribers = 0;
  /** The block up to which everything was sent. */
  private last: At = atHead(undefined);
  /** Identity of that block, to notice its replacement. */
  private lastIdentity = "";
  private look: ReturnType<typeof setInterval> | undefined;
  private isTurnDue = false;

  constructor(private readonly reads: StreamReads) {}

  /** @throws ApiError for a request that cannot be served */
  join(kind: StreamKind, request: RequestFields, options: JoinOptions): Observation {
    return this.reads.read((context, head) => {
      const filter = kind.filterOf(context, request);
      if (this.subscribers === 0) this.standAt(context, head);
      const at = atHead(head);
      const from =
        options.after === undefined ? undefined : placeOfCursor(context, kind, options.after, head);
      const observation: Observation = new Observation({
        ...options,
        ...at,
        ...(from && { height: from.height }),
        onClosed: () => {
          this.leave(kind, key, observation);
          options.onClosed();
        },
      });
      const key = JSON.stringify(filter);
      this.enter(kind, key, filter, observation, (reader) =>
        reader.prepare?.(context, filter, at.place, false),
      );
      try {
        if (from === undefined) this.start(context, kind, filter, observation, at);
        else this.resume(context, kind, filter, observation, from);
      } catch (error) {
        observation.close();
        throw error;
      }
      return observation;
    });
  }

  /** To be called after every commit; costs next to nothing without subscribers. */
  notifyCommit(): void {
    if (this.subscribers > 0 && !this.isTurnDue) this.takeTurn();
  }

  endAll(reason: ApiError): void {
    for (const { topics } of [...this.kinds.values()]) {
      for (const { observations } of [...topics.values()])
        for (const each of [...observations]) each.fail(reason);
    }
  }

  /** Queues the messages before the first update. */
  private start(
    context: DataContext,
    kind: StreamKind,
    filter: object,
    observation: Observation,
    at: At,
  ): void {
    for (const element of kind.beginning?.(context, filter) ?? []) {
      // It is sent as an update, of the block that the stream begins at.
      observation.push(
        new FramedMessage(at.height, { ...at.place, part: Number.POSITIVE_INFINITY }, kind.frame, [element]),
      );
    }
    if (!kind.snapshot) {
      observation.pushBeginning();
      return;
    }
    const elements = shortSnapshot(context, kind, filter);
    if (elements !== undefined) {
      const messages = marked(pagesOf(kind, elements, at), at, observation);
      observation.openWith({ ...at, messages, close: () => {} });
      return;
    }
    this.beginLong(context, observation, (own, head) => {
      const there = atHead(head);
      const pages = pagesOf(kind, kind.snapshot!(own, filter), there);
      return { ...there, messages: marked(pages, there, observation) };
    });
  }

  /** Queues what the client has missed. */
  private resume(
    context: DataContext,
    kind: StreamKind,
    filter: object,
    observation: Observation,
    from: At,
  ): void {
    const { wantsHeights } = observation;
    if (stepBehind(context, from, context.head!) === undefined) {
      observation.pushBeginning();
      return;
    }
    this.beginLong(context, observation, (own, head) => ({
      height: from.height,
      place: atHead(head).place,
      messages: messagesBehind(own, kind, filter, from, { head: head!, wantsHeights }),
    }));
  }

  private beginLong(
    context: DataContext,
    observation: Observation,
    read: Parameters<LongBeginnings["openObservation"]>[2],
  ): void {
    observation.hold();
    this.beginnings
      .openObservation(context, observation, read)
      .catch((error) => observation.fail(this.reads.fault(error)));
  }

  private enter(
    kind: StreamKind,
    key: string,
    filter: object,
    observation: Observation,
    prepare: (reader: ChangeReader<object>) => void,
  ): void {
    let active = this.kinds.get(kind);
    if (active === undefined) this.kinds.set(kind, (active = { reader: kind.reader(), topics: new Map() }));
    let topic = active.topics.get(key);
    if (topic === undefined) {
      topic = { filter, observations: new Set() };
      active.topics.set(key, topic);
      prepare(active.reader);
    }
    topic.observations.add(observation);
    this.subscribers++;
    this.look ??= setInterval(() => this.notifyCommit(), LOOK_MS);
  }

  private leave(kind: StreamKind, key: string, observation: Observation): void {
    const active = this.kinds.get(kind);
    const topic = active?.topics.get(key);
    if (!topic?.observations.delete(observation)) return;
    this.subscribers--;
    if (topic.observations.size === 0) active!.topics.delete(key);
    if (active!.topics.size === 0) this.kinds.delete(kind);
    if (this.subscribers > 0) return;
    clearInterval(this.look);
    this.look = undefined;
  }

  private takeTurn(): void {
    this.isTurnDue = false;
    if (this.subscribers === 0) return;
    try {
      const isDone = this.reads.read((context, head) => this.tellBlocks(context, head));
      if (isDone) return;
    } catch (error) {
      this.endAll(this.reads.fault(error));
      return;
    }
    this.isTurnDue = true;
    setImmediate(() => this.takeTurn());
  }

  /** @returns whether everything stored is sent */
  private tellBlocks(context: DataContext, head: ChainHead | undefined): boolean {
    if (this.isBack(context, head)) {
      this.endAll(wentBack());
      return true;
    }
    if (head === undefined) return true;
    const step = stepBehind(context, this.last, head);
    if (step === undefined) return true;
    for (const [kind, active] of this.kinds) this.tellKind(context, kind, active, step);
    this.markHeight(step.end);
    this.last = step.end;
    this.lastIdentity = identityOf(context, step.end.place.no);
    return step.end.place.no === head.no;
  }

  private tellKind(context: DataContext, kind: StreamKind, { reader, topics }: ActiveKind, step: Step): void {
    const filters = [...topics.values()].map(({ filter }) => filter);
    const elements = reader.read(context, step.span, filters);
    if (elements.length === 0) return;
    for (const { filter, observations } of [...topics.values()]) {
      for (const message of messagesOf(kind, filter, elements, step))
        for (const observation of [...observations]) observation.push(message);
    }
  }

  private markHeight({ height, place, hash }: At): void {
    let mark: HeightMark | undefined;
    for (const { topics } of this.kinds.values()) {
      for (const { observations } of topics.values()) {
        for (const each of observations)
          if (each.wantsHeights) each.push((mark ??= new HeightMark(height, place, hash)));
      }
    }
  }

  private standAt(context: DataContext, head: ChainHead | undefined): void {
    this.last = atHead(head);
    this.lastIdentity = identityOf(context, this.last.place.no);
  }

  private isBack(context: DataContext, head: ChainHead | undefined): boolean {
    const last = this.last.place;
    if (last.no === 0) return false;
    return head === undefined || head.no < last.no || identityOf(context, last.no) !== this.lastIdentity;
  }
}

/** A snapshot, whose end is the end of a block to a client that wants to know the height. */
function* marked(
  pages: Generator<StreamMessage, StreamMessage>,
  { height, place, hash }: At,
  { wantsHeights }: Observation,
): Generator<StreamMessage, StreamMessage> {
  const last = yield* pages;
  if (!wantsHeights) return last;
  yield last;
  return new HeightMark(height, place, hash);
}

function identityOf(context: DataContext, no: number): string {
  const sql = "SELECT height, time, hash FROM blocks WHERE no = ?";
  const row = context.get<{ height: bigint; time: bigint; hash: Uint8Array }>(sql, no);
  return row === undefined ? "" : `${row.height} ${row.time} ${hashOfRow(row).toHex()}`;
}
