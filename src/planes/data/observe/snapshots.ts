// Beginnings of streams: snapshots, and what clients have missed. A short snapshot is read at once; all else on a connection of
// its own, whose read transaction stays open while its messages are taken, so that all of them are of one height.

import { openReader } from "../../../store/database.ts";
import { type ChainHead, HeadReader } from "../../../store/head.ts";
import { DataContext } from "../context.ts";
import type { StreamKind } from "./kind.ts";
import { type Element, FramedMessage, type StreamMessage } from "./message.ts";
import type { Beginning, Observation } from "./observation.ts";
import { type At, PAGE_ELEMENTS } from "./spans.ts";

const SHORT_ELEMENTS = 500;
/** Long beginnings under way at once: each has a connection. A further one waits for its turn. */
const CONNECTIONS_MAX = 8;

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

/** Reads a beginning on a connection. */
type Read = (context: DataContext, head: ChainHead | undefined) => Omit<Beginning, "close">;

export class LongBeginnings {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  /** Begins an observation that is held until then. */
  async openObservation(base: DataContext, observation: Observation, read: Read): Promise<void> {
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
      beginning?.messages.return?.();
      db.close();
      this.running--;
      this.waiting.shift()?.();
    };
    let beginning: Omit<Beginning, "close"> | undefined;
    try {
      const context = new DataContext(db, { limits: base.limits, build: base.build, home: base.home });
      db.run("BEGIN");
      const head = new HeadReader(db).read();
      context.head = head;
      beginning = read(context, head);
      observation.openWith({ ...beginning, close });
    } catch (error) {
      close();
      throw error;
    }
  }
}
