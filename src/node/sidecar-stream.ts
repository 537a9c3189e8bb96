// The event stream of another sidecar, block by block (docs/operations.md, "Sidecars that follow a sidecar").
import { NodeError } from "../errors/node-error.ts";
import type { ErrorCode } from "../errors/program-codes.ts";
import { type Answer, requestAnswer } from "../fetch/answer.ts";
import { StreamFault } from "../ingest/block-assembler.ts";
import { RECORD_HEAD_BYTES, RecordBuffer, RecordSplitter } from "../ingest/records.ts";
import type { ChainHead } from "../store/head.ts";
import { Field } from "../wire/block.ts";
import { EnvelopeReader } from "../wire/bus-event.ts";
import { EVENTS_PATH, HEARTBEAT_MS } from "./event-stream.ts";

export const FOLLOW_ATTEMPT = "sidecar.follow";
/** A source that is silent for so long is gone. */
const SILENT_MS = 3 * HEARTBEAT_MS;
/** Of the body of an error, which has a sentence. */
const REFUSAL_BYTES_MAX = 2_000;

/** Answers that need an operator; others pass. */
const REFUSALS: Readonly<Record<number, { code: ErrorCode; hint: string }>> = {
  404: { code: "source_unusable", hint: "give the data port of a sidecar" },
  409: {
    code: "history_mismatch",
    hint: "it holds another history: follow another sidecar, or use another --home",
  },
  410: { code: "events_gone", hint: "fill the home with: lyra history fetch --from URL" },
};

interface StreamOptions {
  /** The last block that is stored: the stream begins behind it. */
  readonly head: ChainHead | undefined;
  /** Bytes of one block's records. */
  readonly blockBytesMax: number;
  /** Its abort ends the stream. */
  readonly connection: AbortController;
  /** The source has taken the request. @returns number of the connection in the records */
  onConnected(): number;
}

/** Until the connection ends. @throws NodeError for a refusal, StreamFault, WireError, and errors of the network */
export async function* sidecarBlocks(url: string, options: StreamOptions): AsyncGenerator<StreamItem, void> {
  const { connection } = options;
  const idle = new IdleTimeout(connection);
  try {
    const answer = await requestAnswer(addressOf(url, options.head), {
      signal: connection.signal,
      timeoutMs: "endless",
    });
    if (!answer.isOk) throw await refusalOf(url, answer);
    const blocks = new BlockSplitter(options.onConnected(), options.blockBytesMax);
    for await (const piece of answer.pieces(Number.POSITIVE_INFINITY)) {
      blocks.feed(piece);
      for (let item = blocks.next(); item; item = blocks.next()) {
        idle.hold();
        yield item;
      }
      idle.feed();
    }
  } catch (error) {
    throw idle.isBroken ? new Error(`it was silent for ${SILENT_MS / 1_000} seconds`) : error;
  } finally {
    idle.stop();
  }
}

/** The first height comes twice: a store with one of its blocks asks for both. */
function addressOf(url: string, head: ChainHead | undefined): string {
  if (head === undefined) return `${url}${EVENTS_PATH}?from=0`;
  const { chainId, height, hash, firstHeight } = head;
  const query = new URLSearchParams({
    chainId,
    from: String(height === firstHeight ? height : height + 1),
  });
  if (height !== firstHeight) query.set("hash", hash);
  return `${url}${EVENTS_PATH}?${query}`;
}

async function refusalOf(url: string, answer: Answer): Promise<Error> {
  const text = await answer.start(REFUSAL_BYTES_MAX);
  const message = /"message": ?"((?:[^"\\]|\\.)*)"/.exec(text)?.[1] ?? `status ${answer.status}`;
  const refusal = REFUSALS[answer.status];
  if (refusal === undefined) return new Error(message);
  const { code, hint } = refusal;
  return new NodeError(FOLLOW_ATTEMPT, code, `${url} refuses: ${message}`, hint) as Error;
}

/** Ends a connection on which nothing comes. */
class IdleTimeout {
  isBroken = false;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly connection: AbortController) {
    this.feed();
  }

  feed(): void {
    this.hold();
    this.timer = setTimeout(() => {
      this.isBroken = true;
      this.connection.abort();
    }, SILENT_MS);
  }

  /** While this side does not take what comes. */
  hold(): void {
    clearTimeout(this.timer);
  }

  stop(): void {
    clearTimeout(this.timer);
  }
}

export interface StreamItem {
  readonly height: number;
  /** Of a whole block, with this connection's number, until the next item; undefined for a heartbeat. */
  readonly records: Uint8Array | undefined;
}

/** Cuts the stream into whole blocks. @throws StreamFault, WireError */
class BlockSplitter {
  private readonly splitter = new RecordSplitter();
  private readonly envelope = new EnvelopeReader();
  private readonly buffer = new RecordBuffer();
  private sequence = 0;
  /** The last block was handed out. */
  private isTaken = false;

  /** @param blockBytesMax bytes of one block's records */
  constructor(
    private readonly connection: number,
    private readonly blockBytesMax: number,
  ) {}

  feed(piece: Uint8Array): void {
    this.splitter.feed(piece);
  }

  next(): StreamItem | undefined {
    const { splitter, envelope, buffer } = this;
    if (this.isTaken) buffer.clear();
    this.isTaken = false;
    while (splitter.next()) {
      const { bytes, start, end } = splitter;
      if (start === end) {
        const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
        return { height: Number(view.getBigUint64(start - RECORD_HEAD_BYTES + 4)), records: undefined };
      }
      envelope.read(bytes, start, end);
      const isBegin = envelope.field === Field.beginBlock;
      if (isBegin !== (buffer.length === 0)) throw new StreamFault("a block begins inside another");
      if (buffer.length + RECORD_HEAD_BYTES + end - start > this.blockBytesMax)
        throw new StreamFault(`block ${envelope.height} has more than ${this.blockBytesMax} bytes`);
      buffer.add(this.connection, this.sequence++ % 2 ** 32, bytes, start, end);
      if (envelope.field !== Field.endBlock) continue;
      this.isTaken = true;
      return { height: envelope.height, records: buffer.records };
    }
    return undefined;
  }
}
