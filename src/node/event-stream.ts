// The event log for other sidecars: `GET /lyra/v1/events?from=HEIGHT` sends whole blocks that are stored, as an event file
// (docs/protocol/30-node-api-events.md#10-socket-from-core-to-data-node), and goes on as blocks come. A record without
// a message is a heartbeat: its sequence number is the height of this node.
import { Grpc } from "../errors/statuses.ts";
import { blockRange } from "../history/block-range.ts";
import { ApiError } from "../http/errors.ts";
import { checkUrl, splitUrl } from "../http/http.ts";
import { classify, type HttpRoutes } from "../http/plugin.ts";
import { parsePairs } from "../http/query.ts";
import { StreamFault } from "../ingest/block-assembler.ts";
import { EventLogReader, filesOf, type LogPlace } from "../ingest/event-log.ts";
import { RECORD_HEAD_BYTES } from "../ingest/records.ts";
import type { DataPlane } from "../planes/data/plane.ts";
import { microseconds } from "../store/project/context.ts";
import { Field } from "../wire/block.ts";
import { EnvelopeReader } from "../wire/bus-event.ts";
import { WireError } from "../wire/errors.ts";
import { readBeginBlockAt } from "../wire/generated/events.ts";
import { latinAt } from "../wire/reader.ts";

export const EVENTS_PATH = "/lyra/v1/events";
const CLIENTS_MAX = 32;
export const HEARTBEAT_MS = 5_000;
/** A client that takes nothing for so long is dropped. */
const SLOW_MS = 30_000;
/** Events of a block are in the log before the block is in the store. */
const LOOK_MS = 50;
const LOOKS_MAX = 40;
/** Records read between two turns of other work. */
const RECORDS_A_TURN = 5_000;
/** Hashes of transactions among which those of block 1 are. */
const FIRST_HASHES = 10_000;
const HEIGHT = /^\d{1,15}$/;
const HASH = /^[0-9a-f]{64}$/i;

export function eventStreamRoutes(plane: DataPlane, folder: string): HttpRoutes {
  let clients = 0;
  return (app) => {
    app.get(EVENTS_PATH, async ({ request }) => {
      classify(request, "export");
      checkUrl(request, plane.context.limits);
      if (clients >= CLIENTS_MAX) {
        throw new ApiError(Grpc.resourceExhausted, `${CLIENTS_MAX} clients follow this node already`);
      }
      const { from, place } = startOf(plane, folder, request);
      clients++;
      const signal = AbortSignal.any([request.signal, plane.stopping]);
      const stream = new EventStream(plane, new BlockReader(folder, place), from, signal, () => {
        clients--;
      });
      return new Response(stream.body(), { headers: { "content-type": "application/octet-stream" } });
    });
    return app;
  };
}

/** The block that a client asks for, and where it begins in the log. @throws ApiError 409 another history, 410 gone, 412 not there yet */
function startOf(plane: DataPlane, folder: string, request: Request): { from: number; place: LogPlace } {
  const query = new Map(parsePairs(splitUrl(request.url).query));
  const head = plane.head();
  if (head === undefined) throw new ApiError(Grpc.unavailable, "this node has no block yet");
  const fromText = query.get("from") ?? "0";
  if (!HEIGHT.test(fromText)) throw new ApiError(Grpc.invalidArgument, "from must be the height of a block");
  const from = Math.max(Number(fromText), head.firstHeight);
  const chainId = query.get("chainId");
  if (chainId !== undefined && chainId !== head.chainId)
    throw conflict(`this node holds chain ${head.chainId}, not ${chainId.slice(0, 200)}`);
  if (from > head.height + 1) {
    const text = `this node is at block ${head.height}, behind ${from - 1}`;
    throw new ApiError(Grpc.failedPrecondition, text, [], false, { status: 412 });
  }
  const hash = query.get("hash");
  if (hash !== undefined && (!HASH.test(hash) || !isStored(plane, from - 1, hash)))
    throw conflict(`block ${from - 1} of this node is another one`);
  return { from, place: placeOf(folder, from) };
}

function conflict(text: string): ApiError {
  return new ApiError(Grpc.failedPrecondition, text, [], false, { status: 409 });
}

/** The last file that begins at or before a block: a core that restarted further back comes to blocks again. */
function placeOf(folder: string, from: number): LogPlace {
  const files = filesOf(folder).reverse();
  let oldest: number | undefined;
  for (const file of files) {
    const first = new BlockReader(folder, { file, offset: 0 }).firstHeight(file);
    if (first !== undefined && first <= from) return { file, offset: 0 };
    oldest = first ?? oldest;
  }
  const text =
    oldest === undefined
      ? "this node keeps no events"
      : `this node keeps events from block ${oldest} on, those of block ${from} are gone`;
  throw new ApiError(Grpc.notFound, text, [], false, { status: 410 });
}

/** Blocks of one time share a row, which has the hash of the first. */
function isStored(plane: DataPlane, height: number, hash: string): boolean {
  const blocks = blockRange(plane.context.db, height, height);
  if (blocks === undefined) return false;
  if (blocks.first.height !== height) return true;
  return [blocks.first.hash, blocks.last.hash].includes(hash.toLowerCase());
}

/** Unix microseconds. @param begin message that begins a block */
function timeOf(begin: Uint8Array): number {
  const envelope = new EnvelopeReader();
  envelope.read(begin, 0, begin.length);
  return microseconds(readBeginBlockAt(begin, envelope.payloadStart, envelope.payloadEnd).timestamp);
}

/** Lower-case hex. */
function txHashOf(message: Uint8Array): string {
  const envelope = new EnvelopeReader();
  envelope.read(message, 0, message.length);
  return latinAt(message, envelope.txHashStart, envelope.txHashEnd).toLowerCase();
}

interface LoggedBlock {
  readonly height: number;
  readonly hash: string;
  /** Serialized bus events. */
  readonly messages: readonly Uint8Array[];
}

/** Whole blocks of the log, those that came twice or were refused among them. */
class BlockReader {
  private readonly reader: EventLogReader;
  private readonly envelope = new EnvelopeReader();
  private open: { height: number; hash: string; messages: Uint8Array[] } | undefined;
  private connection = -1;
  private turn = 0;

  constructor(folder: string, place: LogPlace) {
    this.reader = new EventLogReader(folder, place);
  }

  /** Height of the first block that begins in a file. */
  firstHeight(file: number): number | undefined {
    try {
      while (this.nextRecord() && this.reader.place.file === file) {
        const { bytes, start, end } = this.reader;
        if (this.isRead(bytes, start, end) && this.envelope.field === Field.beginBlock)
          return this.envelope.height;
      }
      return undefined;
    } finally {
      this.close();
    }
  }

  /** The next whole block; undefined at the end of the log. */
  async next(): Promise<LoggedBlock | undefined> {
    while (this.nextRecord()) {
      if (++this.turn % RECORDS_A_TURN === 0) await new Promise(setImmediate);
      const { bytes, start, end, connection } = this.reader;
      if (connection !== this.connection) this.open = undefined;
      this.connection = connection;
      if (!this.isRead(bytes, start, end)) continue;
      const { field, height, blockStart, blockEnd } = this.envelope;
      if (field === Field.beginBlock)
        this.open = { height, hash: latinAt(bytes, blockStart, blockEnd), messages: [] };
      if (this.open === undefined || height !== this.open.height) continue;
      this.open.messages.push(bytes.subarray(start, end));
      if (field !== Field.endBlock) continue;
      const block = this.open;
      this.open = undefined;
      return block;
    }
    return undefined;
  }

  close(): void {
    this.reader.close();
  }

  private isRead(bytes: Uint8Array, start: number, end: number): boolean {
    try {
      this.envelope.read(bytes, start, end);
      return true;
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      this.open = undefined;
      return false;
    }
  }

  private nextRecord(): boolean {
    try {
      return this.reader.next();
    } catch (error) {
      if (!(error instanceof StreamFault)) throw error;
      this.open = undefined;
      return this.reader.skipFile() && this.nextRecord();
    }
  }
}

/** The stream of one client. Nothing is read for it before it takes what it has. */
class EventStream {
  private sequence = 0n;
  private lastHash = "";
  /** The headers go with the first byte: a client need not wait for a block to have them. */
  private isBegun = false;
  /** A whole block that is not stored yet. */
  private waiting: LoggedBlock | undefined;
  private takenMs = performance.now();
  private isEnded = false;
  private slowWatch: ReturnType<typeof setInterval> | undefined;

  constructor(
    private readonly plane: DataPlane,
    private readonly blocks: BlockReader,
    private next: number,
    private readonly signal: AbortSignal,
    private readonly onEnd: () => void,
  ) {}

  body(): ReadableStream<Uint8Array> {
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.slowWatch = setInterval(() => {
            const isSlow = (controller.desiredSize ?? 0) <= 0 && performance.now() - this.takenMs > SLOW_MS;
            if (!isSlow && !this.signal.aborted) return;
            this.end();
            controller.error(new Error("the client takes nothing"));
          }, HEARTBEAT_MS);
        },
        pull: async (controller) => {
          this.takenMs = performance.now();
          const bytes = this.isEnded ? undefined : await this.nextBytes();
          if (this.isEnded) return;
          if (bytes !== undefined) return controller.enqueue(bytes);
          this.end();
          controller.close();
        },
        cancel: () => this.end(),
      },
      { highWaterMark: 1 },
    );
  }

  private end(): void {
    if (this.isEnded) return;
    this.isEnded = true;
    clearInterval(this.slowWatch);
    this.blocks.close();
    this.onEnd();
  }

  /** A block, or a heartbeat when none comes; undefined when the log does not go on with the next one. */
  private async nextBytes(): Promise<Uint8Array | undefined> {
    for (let looks = 0; looks < LOOKS_MAX; ) {
      const block = this.waiting ?? (await this.blocks.next());
      this.waiting = undefined;
      if (this.signal.aborted || this.isEnded) return undefined;
      if (block !== undefined && !this.isWanted(block)) continue;
      const head = this.plane.head();
      if (block !== undefined && head !== undefined && block.height <= head.height) {
        const isServed =
          isStored(this.plane, block.height, block.hash) ||
          (block.height === head.firstHeight && this.isOfFirst(block));
        if (isServed) return this.framed(block);
        continue;
      }
      this.waiting = block;
      if (head !== undefined && head.height >= this.next && block === undefined) {
        looks++;
        await Bun.sleep(LOOK_MS);
      } else if (!(await this.untilStored()))
        return this.signal.aborted ? undefined : record(BigInt(head?.height ?? 0), NOTHING);
    }
    return undefined;
  }

  /**
   * Whether a block of the first height is the genesis as a core names it that has begun again, which comes first and has
   * its time, or block 1, which has no row of its own (ingest/block-order.ts).
   */
  private isOfFirst({ messages }: LoggedBlock): boolean {
    const { db } = this.plane.context;
    if (this.sequence === 0n) {
      const { time } = db.query("SELECT time FROM blocks WHERE no = 1").get() as { time: bigint };
      return BigInt(timeOf(messages[0]!)) === time;
    }
    const hashes = new Set(messages.map(txHashOf));
    const first = db.query(`SELECT hash FROM txs ORDER BY id LIMIT ${FIRST_HASHES}`).values() as [
      Uint8Array,
    ][];
    return first.some(([hash]) => hashes.has(Buffer.from(hash).toString("hex")));
  }

  /** The first height comes twice (docs/protocol/20-network-history-segments.md#64-the-doubled-first-height). */
  private isWanted({ height, hash }: LoggedBlock): boolean {
    if (height === this.next) return true;
    return (
      height === this.next - 1 &&
      this.sequence > 0n &&
      height === this.plane.head()?.firstHeight &&
      hash !== this.lastHash
    );
  }

  private async untilStored(): Promise<boolean> {
    const beat = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => beat.resolve(false), this.isBegun ? HEARTBEAT_MS : 0);
    this.isBegun = true;
    try {
      return await Promise.race([this.plane.heightWaiters.waitFor(this.next, this.signal), beat.promise]);
    } catch (error) {
      // The node stops: the stream ends as if its client had left.
      if (this.signal.aborted) return false;
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  private framed({ height, hash, messages }: LoggedBlock): Uint8Array {
    this.isBegun = true;
    this.next = height + 1;
    this.lastHash = hash;
    return Buffer.concat(messages.map((message) => record(this.sequence++, message)));
  }
}

const NOTHING = new Uint8Array(0);

/** Of an event file. */
function record(sequence: bigint, message: Uint8Array): Buffer {
  const bytes = Buffer.alloc(RECORD_HEAD_BYTES + message.length);
  bytes.writeUInt32BE(8 + message.length, 0);
  bytes.writeBigUInt64BE(sequence, 4);
  bytes.set(message, RECORD_HEAD_BYTES);
  return bytes;
}
