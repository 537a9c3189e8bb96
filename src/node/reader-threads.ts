// The threads of reader.worker.ts, seen from the main one, which answers on the same port.

import { logFailure } from "../errors/log.ts";
import { NodeError, threadReason } from "../errors/node-error.ts";
import { workerUrl } from "../files/worker-url.ts";
import type { CountValues } from "../http/counts.ts";
import type { ServerStatus } from "../http/status.ts";
import { type EventFeed, type FeedOrder, FeedOutlet } from "../store/event-feed.ts";
import type { FromReader, ReaderOrder, ToReader } from "./reader.worker.ts";

/** A thread gets this long to end the requests under way and close its sockets. */
const STOP_MS = 5_500;

interface Reader {
  readonly worker: Worker;
  readonly listening: PromiseWithResolvers<void>;
  readonly stopped: PromiseWithResolvers<void>;
  outlet: FeedOutlet | undefined;
  /** Orders that came before the feed existed. */
  readonly earlyOrders: FeedOrder[];
  counts: CountValues | undefined;
}

export class ReaderThreads {
  private readonly readers: readonly Reader[];

  /**
   * @param count threads beside the main one
   * @param status of the main thread; its metrics are those of all of them
   */
  constructor(
    order: Omit<ReaderOrder, "kind">,
    count: number,
    private readonly status: ServerStatus,
  ) {
    this.readers = Array.from({ length: count }, () => this.start(order));
    // Counts of a thread that ended stay: the sums never fall.
    status.otherCounts = () => this.readers.flatMap(({ counts }) => counts ?? []);
  }

  /** Settles when each of them listens, or cannot. */
  async listening(): Promise<void> {
    await Promise.all(this.readers.map(({ listening }) => listening.promise));
  }

  /** @param reason of `/readyz` from now on */
  notifyReady(reason: string | undefined): void {
    for (const { worker } of this.readers) post(worker, { kind: "ready", reason });
  }

  /** The store has more blocks. */
  notifyCommit(): void {
    for (const { worker } of this.readers) post(worker, { kind: "committed" });
  }

  /** The writer exists: threads whose streams want its events get them. */
  connectFeed(feed: EventFeed): void {
    for (const reader of this.readers) {
      const { worker, earlyOrders } = reader;
      reader.outlet = new FeedOutlet(feed, (message) => post(worker, { kind: "feed", message }));
      for (const order of earlyOrders.splice(0)) reader.outlet.receive(order);
    }
  }

  async stop(): Promise<void> {
    await Promise.all(
      this.readers.map(async ({ worker, stopped, outlet }) => {
        outlet?.close();
        post(worker, { kind: "stop" });
        await Promise.race([stopped.promise, Bun.sleep(STOP_MS)]);
        worker.terminate();
      }),
    );
  }

  private start(order: Omit<ReaderOrder, "kind">): Reader {
    const worker = new Worker(workerUrl("node/reader.worker.ts"), { smol: true });
    const reader: Reader = {
      worker,
      listening: Promise.withResolvers(),
      stopped: Promise.withResolvers(),
      outlet: undefined,
      earlyOrders: [],
      counts: undefined,
    };
    worker.onmessage = ({ data }: MessageEvent<FromReader>) => {
      if (data.kind === "counts") void this.receiveCounts(reader, data);
      else if (data.kind === "feed") {
        if (reader.outlet) reader.outlet.receive(data.order);
        else reader.earlyOrders.push(data.order);
      } else reader[data.kind].resolve();
    };
    worker.onerror = (event) => {
      event.preventDefault();
      const sentence = `a thread that answers has ended: ${threadReason(event.message)}`;
      logFailure(new NodeError("serve", "internal", sentence, "the others go on; report it"));
      reader.listening.resolve();
      reader.stopped.resolve();
    };
    post(worker, { kind: "serve", ...order });
    return reader;
  }

  private async receiveCounts(
    reader: Reader,
    { counts, asked }: Extract<FromReader, { kind: "counts" }>,
  ): Promise<void> {
    reader.counts = counts;
    if (asked === undefined) return;
    const text = asked === "metrics" ? this.status.metrics() : this.status.statusText();
    post(reader.worker, { kind: "text", of: asked, text: await text });
  }
}

const post = (worker: Worker, message: ToReader) => worker.postMessage(message);
