/**
 * The fan-out: after each commit the new blocks are read once for all subscribers. Subscribers with the same filter share
 * a topic, and a topic's messages are made once.
 */
import { Grpc } from "../../../errors/statuses.ts";
import { ApiError } from "../../../http/errors.ts";
import type { RequestFields } from "../../../http/query.ts";
import { type ChainHead, hashOfRow } from "../../../store/head.ts";
import type { DataContext } from "../context.ts";
import type { BlockSpan, ChangeReader, StreamKind } from "./kind.ts";
import { type Element, FramedMessage, HeightMark, type Place } from "./message.ts";
import { Observation } from "./observation.ts";
import { LongSnapshots, PAGE_ELEMENTS, pagesOf, placeOf, shortSnapshot } from "./snapshots.ts";

/** Commits without a notification (another process) are noticed by one look for all. */
const LOOK_MS = 100;
/** Blocks that are read at one go. */
const BLOCKS_A_TURN = 20;
const PART_RANGE = 2 ** 24;

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
  private readonly snapshots = new LongSnapshots();
  private subscribers = 0;
  /** The block up to which everything was sent. */
  private last: Place = { no: 0, part: -1 };
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
      const at = placeOf(head);
      const observation: Observation = new Observation({
        ...options,
        ...at,
        onClosed: () => {
          this.leave(kind, key, observation);
          options.onClosed();
        },
      });
      const key = JSON.stringify(filter);
      this.enter(kind, key, filter, observation, (reader) => reader.prepare?.(context, filter, at.place.no));
      try {
        this.start(context, kind, filter, observation, at);
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
    at: ReturnType<typeof placeOf>,
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
      observation.beginSnapshot({ ...at, pages: pagesOf(kind, elements, at), close: () => {} });
      return;
    }
    observation.hold();
    this.snapshots
      .beginSnapshot(context, kind, filter, observation)
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
    const { last } = this;
    const isJoined = head.no === last.no && head.part > last.part;
    if (head.no === last.no && !isJoined) return true;
    const end = Math.min(head.no, last.no + BLOCKS_A_TURN);
    const span: BlockSpan = isJoined
      ? { first: head.no, last: head.no, firstOrd: (last.part + 1) * PART_RANGE }
      : { first: last.no + 1, last: end, firstOrd: 0 };
    const place = (no: number): Place => ({
      no,
      part: no === head.no ? head.part : Number.POSITIVE_INFINITY,
    });
    const heights = heightsOf(context, span);
    for (const [kind, active] of this.kinds) this.tellKind(context, kind, active, span, heights, place);
    this.markHeight(heights.get(end) ?? head.height, place(end));
    this.last = place(end);
    this.lastIdentity = identityOf(context, end);
    return end === head.no;
  }

  private tellKind(
    context: DataContext,
    kind: StreamKind,
    { reader, topics }: ActiveKind,
    span: BlockSpan,
    heights: ReadonlyMap<number, number>,
    place: (no: number) => Place,
  ): void {
    const elements = reader.read(
      context,
      span,
      [...topics.values()].map(({ filter }) => filter),
    );
    if (elements.length === 0) return;
    for (const { filter, observations } of [...topics.values()]) {
      const picked = elements.filter(({ value }) => kind.matches(filter, value as never));
      for (const group of groupsOf(kind, picked)) {
        const no = group[0]!.block;
        const message = new FramedMessage(heights.get(no)!, place(no), kind.frame, group);
        for (const observation of [...observations]) observation.push(message);
      }
    }
  }

  private markHeight(height: number, place: Place): void {
    let mark: HeightMark | undefined;
    for (const { topics } of this.kinds.values()) {
      for (const { observations } of topics.values()) {
        for (const each of observations)
          if (each.wantsHeights) each.push((mark ??= new HeightMark(height, place)));
      }
    }
  }

  private standAt(context: DataContext, head: ChainHead | undefined): void {
    this.last = placeOf(head).place;
    this.lastIdentity = identityOf(context, this.last.no);
  }

  private isBack(context: DataContext, head: ChainHead | undefined): boolean {
    const { last } = this;
    if (last.no === 0) return false;
    return head === undefined || head.no < last.no || identityOf(context, last.no) !== this.lastIdentity;
  }
}

/** Elements that share a message. */
function groupsOf(kind: StreamKind, elements: readonly Element[]): Element[][] {
  const groups: Element[][] = [];
  const sizeMax = kind.frame.isList ? PAGE_ELEMENTS : 1;
  for (const element of elements) {
    const group = groups.at(-1);
    if (group !== undefined && group.length < sizeMax && group[0]!.block === element.block)
      group.push(element);
    else groups.push([element]);
  }
  return groups;
}

function heightsOf(context: DataContext, { first, last }: BlockSpan): Map<number, number> {
  const sql = "SELECT no, height FROM blocks WHERE no BETWEEN ? AND ?";
  const rows = context.all<{ no: bigint; height: bigint }>(sql, first, last);
  return new Map(rows.map(({ no, height }) => [Number(no), Number(height)]));
}

function identityOf(context: DataContext, no: number): string {
  const sql = "SELECT height, time, hash FROM blocks WHERE no = ?";
  const row = context.get<{ height: bigint; time: bigint; hash: Uint8Array }>(sql, no);
  return row === undefined ? "" : `${row.height} ${row.time} ${hashOfRow(row).toHex()}`;
}
