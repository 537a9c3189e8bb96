// The shipped sample, block by block: a home that grows in the hands of a test, with a plane that reads it.
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { SAMPLE_PATH } from "../../scripts/make-sample.ts";
import { DEFAULT_LIMITS, type Limits } from "../../src/http/limits.ts";
import { BlockAssembler } from "../../src/ingest/block-assembler.ts";
import { RecordingReader } from "../../src/ingest/recording.ts";
import { DataContext } from "../../src/planes/data/context.ts";
import { DATA_ENDPOINTS } from "../../src/planes/data/endpoints.ts";
import { DataPlane } from "../../src/planes/data/plane.ts";
import { BlockWriter } from "../../src/store/block-writer.ts";
import { openReader, openWriter } from "../../src/store/database.ts";
import { EventTap } from "../../src/store/event-feed.ts";
import { RecentEvents } from "../../src/store/recent-events.ts";
import { type Block, type BlockEvent, Field } from "../../src/wire/block.ts";
import { encodeOrder, type Order, readOrderAt } from "../../src/wire/generated/vega.ts";
import { MEMORY } from "../rig/homes.ts";

// biome-ignore lint/suspicious/noExplicitAny: an answer is looked at as it is
type Json = any;

export async function sampleBlocks(): Promise<Block[]> {
  const blocks: Block[] = [];
  for await (const batch of new RecordingReader(
    SAMPLE_PATH,
    new BlockAssembler({ tap: { isOpen: true, noteBlock() {} } }),
  ).batches())
    blocks.push(...batch);
  return blocks;
}

export class StreamedChain {
  readonly home = mkdtempSync(join(MEMORY, "lyra-streams-"));
  readonly plane: DataPlane;
  private readonly writing = openWriter(this.home);
  readonly writer = new BlockWriter(this.writing, { isTemporary: true });
  private readonly reading = openReader(this.home);
  /** Events of the blocks that are committed. */
  readonly tap: EventTap;
  private next = 0;
  private order: Order | undefined;

  constructor(
    private readonly blocks: readonly Block[],
    limits: Partial<Limits> = {},
    /** Whether events are kept for streams that are opened again. */
    keepsEvents = false,
  ) {
    this.tap = new EventTap(keepsEvents ? new RecentEvents(this.home) : undefined);
    const build = { version: "v0.71.6", commit: "test" };
    const options = { limits: { ...DEFAULT_LIMITS, ...limits }, build, home: this.home };
    this.plane = new DataPlane(new DataContext(this.reading, options));
    this.plane.streams.feed = this.tap;
    this.writer.onCommitting = (blocks) => {
      for (const block of blocks) {
        this.tap.stage(block, block.whole!);
        this.tap.noteBlock(block.height);
      }
    };
    this.writer.onCommitted = () => this.tap.keep();
  }

  get isDone(): boolean {
    return this.next === this.blocks.length;
  }

  /** Blocks that are not committed yet. */
  get left(): readonly Block[] {
    return this.blocks.slice(this.next);
  }

  get height(): number {
    return this.plane.head()?.height ?? 0;
  }

  /** Commits the next blocks together. */
  commit(count = 1): void {
    for (const block of this.blocks.slice(this.next, this.next + count)) this.writer.stage(block);
    this.next = Math.min(this.next + count, this.blocks.length);
    this.writer.commit();
    this.plane.notifyCommit();
  }

  /** Commits one more block: a hundred versions of one order, about 40 kB as JSON. */
  again(): void {
    this.order ??= this.someOrder();
    const first = this.height * 100;
    const orders = Array.from({ length: 100 }, (_, n) => ({ ...this.order!, version: BigInt(first + n) }));
    this.write(
      Field.order,
      orders.map((order) => encodeOrder(order)),
    );
  }

  /** Commits one more block, of events of one kind. */
  write(field: number, payloads: readonly Uint8Array[]): void {
    const head = this.plane.head()!;
    const hash = (head.height + 1).toString(16).padStart(64, "0").toUpperCase();
    const events = payloads.map(
      (bytes, n): BlockEvent => ({ field, seq: n + 1, tx: 0, bytes, start: 0, end: bytes.length }),
    );
    const timeNs = BigInt(head.timeUs + 1_000_000) * 1_000n;
    const { chainId } = head;
    const block = { chainId, height: head.height + 1, timeNs, hash, txHashes: [hash], events };
    this.writer.stage({ ...block, whole: events });
    this.writer.commit();
    this.plane.notifyCommit();
  }

  /** Commits a version of an order in each of some blocks, together. @param stepsUs how much later than the one before each is */
  againAtOnce(stepsUs: readonly number[]): void {
    this.order ??= this.someOrder();
    const { chainId, height: first, timeUs } = this.plane.head()!;
    let atUs = timeUs;
    for (const [n, stepUs] of stepsUs.entries()) {
      atUs += stepUs;
      const height = first + n + 1;
      const bytes = encodeOrder({ ...this.order, version: BigInt(height) });
      const events = [{ field: Field.order, seq: 1, tx: 0, bytes, start: 0, end: bytes.length }];
      const hash = height.toString(16).padStart(64, "0").toUpperCase();
      const block = { chainId, height, timeNs: BigInt(atUs) * 1_000n, hash, txHashes: [hash], events };
      this.writer.stage({ ...block, whole: events });
    }
    this.writer.commit();
    this.plane.notifyCommit();
  }

  private someOrder(): Order {
    const events = this.blocks.flatMap((block) => block.events);
    const { bytes, start, end } = events.find(({ field }) => field === Field.order)!;
    return readOrderAt(bytes, start, end);
  }

  /** A read's present answer. @param path of an endpoint, after `/api/v2/` @param parameters in the path, by name */
  get(path: string, query = "", parameters: Readonly<Record<string, string>> = {}): Json {
    const endpoint = DATA_ENDPOINTS.find((each) => each.path === `/api/v2/${path}`)!;
    const { status, body } = this.plane.answer(endpoint, {
      query,
      path: parameters,
      accept: "application/json+stream",
    });
    if (status !== 200) throw new Error(body);
    return JSON.parse(body);
  }

  /** Every identifier of the store's market table. */
  markets(): string[] {
    const rows = this.reading.query("SELECT id FROM markets_current ORDER BY id").all() as { id: bigint }[];
    return rows.map(({ id }) => this.plane.context.ids.text(id));
  }

  close(): void {
    this.plane.streams.stop();
    this.tap.close();
    this.reading.close();
    this.writing.close();
    rmSync(this.home, { recursive: true, force: true });
  }
}

/** Lets everything that is due run. */
export async function settled(): Promise<void> {
  for (let n = 0; n < 5; n++) await new Promise((resolve) => setImmediate(resolve));
}
