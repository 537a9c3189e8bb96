// Snapshots at the beginning of streams. A short one is read at once; a long one on a connection of its own, whose read
// transaction stays open while its pages are taken, so that all of them are of one height.

import { openReader } from "../../../store/database.ts";
import { HeadReader } from "../../../store/head.ts";
import { DataContext } from "../context.ts";
import type { StreamKind } from "./kind.ts";
import { type Element, FramedMessage, type Place, type StreamMessage } from "./message.ts";
import type { Observation } from "./observation.ts";

/** Elements of a page (docs/protocol/10-data-api-streams.md#62-streams). */
export const PAGE_ELEMENTS = 50;
const SHORT_ELEMENTS = 500;
/** Long snapshots under way at once: each has a connection. A further one waits for its turn. */
const CONNECTIONS_MAX = 8;

interface At {
  readonly height: number;
  readonly place: Place;
}

/** The whole snapshot, if it is short; read in the transaction that the caller has open. */
export function shortSnapshot(
  context: DataContext,
  kind: StreamKind,
  filter: object,
): readonly Element[] | undefined {
  const elements: Element[] = [];
  for (const element of kind.snapshot!(context, filter)) {
    if (elements.length === SHORT_ELEMENTS) return undefined;
    elements.push(element);
  }
  return elements;
}

/** Yields pages and returns the last one, marked isLast. */
export function* pagesOf(
  kind: StreamKind,
  elements: Iterable<Element>,
  { height, place }: At,
): Generator<StreamMessage, StreamMessage> {
  let page: Element[] = [];
  for (const element of elements) {
    if (page.length === PAGE_ELEMENTS) {
      yield new FramedMessage(height, place, kind.frame, page, false);
      page = [];
    }
    page.push(element);
  }
  return new FramedMessage(height, place, kind.frame, page, true);
}

export class LongSnapshots {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  /** Begins a snapshot of an observation that is held until then. */
  async beginSnapshot(
    base: DataContext,
    kind: StreamKind,
    filter: object,
    observation: Observation,
  ): Promise<void> {
    while (this.running >= CONNECTIONS_MAX) await new Promise<void>((resolve) => this.waiting.push(resolve));
    if (observation.isEnded) {
      this.waiting.shift()?.();
      return;
    }
    this.running++;
    const db = openReader(base.home);
    let isOpen = true;
    const close = () => {
      if (!isOpen) return;
      isOpen = false;
      // Ends the statement that it reads by.
      pages?.return(undefined as never);
      db.close();
      this.running--;
      this.waiting.shift()?.();
    };
    let pages: Generator<StreamMessage, StreamMessage> | undefined;
    try {
      const context = new DataContext(db, { limits: base.limits, build: base.build, home: base.home });
      db.run("BEGIN");
      const head = new HeadReader(db).read();
      context.head = head;
      const at = placeOf(head);
      pages = pagesOf(kind, kind.snapshot!(context, filter), at);
      observation.beginSnapshot({ ...at, pages, close });
    } catch (error) {
      close();
      throw error;
    }
  }
}

/** Where the store stands; before its first block nothing is behind any block. */
export function placeOf(head: { height: number; no: number; part: number } | undefined): At {
  if (head === undefined) return { height: 0, place: { no: 0, part: -1 } };
  return { height: head.height, place: { no: head.no, part: head.part } };
}
