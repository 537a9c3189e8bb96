/**
 * Blocks on their way to a data node, as the messages of its socket (reference 30, section 10). A block's messages are
 * a row that is committed with the block itself: a crash cannot lose them. Rows that were sent stay for a while, so
 * that a receiver that lost what it had not read yet, or this process, can begin again before the break.
 */
import type { Database, Statement } from "bun:sqlite";
import { OPTIONAL_TABLES } from "../store/schema.ts";
import type { Block } from "../wire/block.ts";
import { wholeEvent } from "../wire/whole-event.ts";

/** Bytes of sent messages that stay: more than the sockets of both sides hold. */
const SENT_BYTES_MAX = 16 * 1024 * 1024;
const LENGTH_BYTES = 8;

type Head = Pick<Block, "height" | "hash">;
type Events = Pick<Block, "chainId" | "height" | "hash" | "txHashes" | "events">;

export interface OutboxRow {
  readonly id: number;
  readonly height: number;
  /** Messages one after the other, each behind its length. */
  readonly bytes: Uint8Array;
}

/** A chain's way to hand on its blocks: `append` inside the transaction of a block, then `keep` or `undo`. */
export interface BlockSink {
  /** @param head the chain's last block; undefined for a new chain */
  open(head: Head | undefined): void;
  append(block: Events): void;
  keep(): void;
  undo(): void;
  /** Takes the events behind the last block of a chain that stops for an upgrade. */
  addLast(events: Events): void;
}

export class Outbox implements BlockSink {
  /** Called when there is more to send. */
  onMore: () => void = () => {};
  /** Bytes that were not sent yet. */
  unsentBytes = 0;
  /** Height that the first row was after, where the blocks up to it are not here. */
  missingUpTo: number | undefined;
  /** Messages behind the last block, with its height. */
  last: Omit<OutboxRow, "id"> | undefined;
  private sentId = 0;
  private sentBytes = 0;
  private readonly insert: Statement;
  private readonly select: Statement;
  private readonly oldest: Statement;
  private readonly remove: Statement;

  constructor(
    private readonly db: Database,
    private readonly sentBytesMax = SENT_BYTES_MAX,
  ) {
    db.run(OPTIONAL_TABLES.chain_outbox);
    this.insert = db.prepare("INSERT INTO chain_outbox(height, hash, bytes) VALUES(?, ?, ?)");
    this.select = db.prepare("SELECT id, height, bytes FROM chain_outbox WHERE id > ? ORDER BY id LIMIT 1");
    this.oldest = db.prepare(
      "SELECT id, length(bytes) AS size FROM chain_outbox WHERE id <= ? ORDER BY id LIMIT 1",
    );
    this.remove = db.prepare("DELETE FROM chain_outbox WHERE id = ?");
  }

  open(head: Head | undefined): void {
    const last = this.db.query("SELECT hash FROM chain_outbox ORDER BY id DESC LIMIT 1").get() as {
      hash: string;
    } | null;
    if (head !== undefined && last?.hash !== head.hash.toUpperCase()) {
      // The chain went on without it meanwhile: what is left here does not lead to the next block.
      this.db.run("DELETE FROM chain_outbox");
      this.missingUpTo = head.height;
    }
    this.count();
  }

  append(block: Events): void {
    const bytes = messagesOf(block);
    this.insert.run(block.height, block.hash.toUpperCase(), bytes);
    this.unsentBytes += bytes.length;
    while (this.sentBytes > this.sentBytesMax) {
      const row = this.oldest.get(this.sentId) as { id: bigint; size: bigint } | null;
      if (row === null) break;
      this.remove.run(row.id);
      this.sentBytes -= Number(row.size);
    }
  }

  keep(): void {
    this.onMore();
  }

  undo(): void {
    this.count();
  }

  addLast(events: Events): void {
    this.last = { height: events.height, bytes: messagesOf(events) };
    this.onMore();
  }

  /** The first row that was not sent yet. */
  next(): OutboxRow | undefined {
    const row = this.select.get(this.sentId) as { id: bigint; height: bigint; bytes: Uint8Array } | null;
    return row === null ? undefined : { id: Number(row.id), height: Number(row.height), bytes: row.bytes };
  }

  sent({ id, bytes }: OutboxRow): void {
    this.sentId = id;
    this.sentBytes += bytes.length;
    this.unsentBytes -= bytes.length;
  }

  /** Everything that is still here is to be sent again. */
  restart(): void {
    this.sentId = 0;
    this.count();
  }

  private count(): void {
    const sizes = "SELECT coalesce(sum(length(bytes)), 0) AS bytes FROM chain_outbox WHERE id";
    const sumOf = (condition: string) =>
      Number((this.db.query(`${sizes} ${condition} ?`).get(this.sentId) as { bytes: bigint }).bytes);
    this.sentBytes = sumOf("<=");
    this.unsentBytes = sumOf(">");
  }
}

function messagesOf(block: Events): Uint8Array {
  const parts: Uint8Array[] = [];
  for (const event of block.events) {
    const bytes = wholeEvent(block, event);
    const length = new Uint8Array(LENGTH_BYTES);
    new DataView(length.buffer).setBigUint64(0, BigInt(bytes.length));
    parts.push(length, bytes);
  }
  return Buffer.concat(parts);
}

/** Place of the first message at or behind a place among messages. */
export function messageFrom(messages: Uint8Array, place: number): number {
  const view = new DataView(messages.buffer, messages.byteOffset, messages.byteLength);
  let at = 0;
  while (at < place) at += LENGTH_BYTES + Number(view.getBigUint64(at));
  return at;
}
