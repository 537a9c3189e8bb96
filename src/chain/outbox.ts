/**
 * Blocks on their way to a data node, as the messages of its socket
 * (docs/protocol/30-node-api-events.md#10-socket-from-core-to-data-node). A block's messages are a row that is
 * committed with the block itself: a crash cannot lose them. The sent height is kept beside the store, so that a restart
 * goes on there. Rows that were sent stay for a while, for a receiver that has lost what it had not read yet.
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
  readonly hash: string;
  /** Messages one after the other, each behind its length. */
  readonly bytes: Uint8Array;
}

/** Row up to which the connection took them. */
export interface SentPlace {
  /** The last row that was taken whole, with its block's hash; 0 for none. */
  readonly id: number;
  readonly hash: string;
  /** Bytes of the row after it that were taken. */
  readonly at: number;
}

/** Keeps the place for the next start. */
export interface SentRecord {
  read(): SentPlace | undefined;
  write(place: SentPlace): void;
  close(): void;
}

const NOTHING_SENT: SentPlace = { id: 0, hash: "", at: 0 };
const NO_RECORD: SentRecord = { read: () => undefined, write: () => {}, close: () => {} };

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
  last: Pick<OutboxRow, "height" | "bytes"> | undefined;
  private place = NOTHING_SENT;
  private sentBytes = 0;
  private readonly insert: Statement;
  private readonly select: Statement;
  private readonly oldest: Statement;
  private readonly remove: Statement;

  constructor(
    private readonly db: Database,
    private readonly record: SentRecord = NO_RECORD,
    private readonly sentBytesMax = SENT_BYTES_MAX,
  ) {
    db.run(OPTIONAL_TABLES.chain_outbox);
    this.insert = db.prepare("INSERT INTO chain_outbox(height, hash, bytes) VALUES(?, ?, ?)");
    this.select = db.prepare(
      "SELECT id, height, hash, bytes FROM chain_outbox WHERE id > ? ORDER BY id LIMIT 1",
    );
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
      this.moveTo(NOTHING_SENT);
    } else this.place = this.recorded();
    this.count();
  }

  /** A record of another store, or of a chain that has gone back since, says nothing. */
  private recorded(): SentPlace {
    const place = this.record.read();
    if (place === undefined || place.id === 0) return place ?? NOTHING_SENT;
    const [[oldest, hash]] = this.db
      .query("SELECT min(id), (SELECT hash FROM chain_outbox WHERE id = ?) FROM chain_outbox")
      .values(place.id) as [[bigint | null, string | null]];
    const isRemoved = hash === null && oldest !== null && BigInt(place.id) < oldest;
    return hash === place.hash || isRemoved ? place : NOTHING_SENT;
  }

  private moveTo(place: SentPlace): void {
    this.place = place;
    this.record.write(place);
  }

  append(block: Events): void {
    const bytes = messagesOf(block);
    this.insert.run(block.height, block.hash.toUpperCase(), bytes);
    this.unsentBytes += bytes.length;
    while (this.sentBytes > this.sentBytesMax) {
      const row = this.oldest.get(this.place.id) as { id: bigint; size: bigint } | null;
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

  /** Nothing is sent any more. */
  close(): void {
    this.record.close();
  }

  addLast(events: Events): void {
    this.last = { height: events.height, bytes: messagesOf(events) };
    this.onMore();
  }

  /** The first row that was not sent yet. */
  next(): OutboxRow | undefined {
    const row = this.select.get(this.place.id) as
      | (Omit<OutboxRow, "id" | "height"> & { id: bigint; height: bigint })
      | null;
    return row === null ? undefined : { ...row, id: Number(row.id), height: Number(row.height) };
  }

  /** Where the first message of that row begins that was not taken whole. */
  beginOf({ bytes }: OutboxRow): number {
    return messageAt(bytes, this.place.at);
  }

  /**
   * The rest of the first unsent row is about to be handed to the connection. It is recorded before: the receiver of
   * what it takes runs at once, and a kill between the two is far likelier behind the sending than before it.
   */
  beginSend({ id, hash }: OutboxRow): void {
    this.record.write({ id, hash, at: 0 });
  }

  /** @param at bytes of the first unsent row that the connection has taken, where it did not take all */
  tookPart(at: number): void {
    this.moveTo({ ...this.place, at });
  }

  /** The connection has taken all of it. */
  sent({ id, hash, bytes }: OutboxRow): void {
    this.place = { id, hash, at: 0 };
    this.sentBytes += bytes.length;
    this.unsentBytes -= bytes.length;
  }

  /** Everything that is still here is to be sent again. */
  restart(): void {
    this.moveTo(NOTHING_SENT);
    this.count();
  }

  /** Drops every row, also those that were not sent. */
  dropAll(): void {
    const last = this.db.query("SELECT max(height) AS height FROM chain_outbox").get() as {
      height: bigint | null;
    };
    this.db.run("DELETE FROM chain_outbox");
    if (last.height !== null) this.missingUpTo = Number(last.height);
    this.moveTo(NOTHING_SENT);
    this.count();
  }

  private count(): void {
    const sizes = "SELECT coalesce(sum(length(bytes)), 0) AS bytes FROM chain_outbox WHERE id";
    const sumOf = (condition: string) =>
      Number((this.db.query(`${sizes} ${condition} ?`).get(this.place.id) as { bytes: bigint }).bytes);
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

/** Begin of the message that a place lies in; the end of the messages for one behind them. */
function messageAt(messages: Uint8Array, place: number): number {
  const next = messageFrom(messages, place);
  if (next === place) return place;
  const view = new DataView(messages.buffer, messages.byteOffset, messages.byteLength);
  let at = 0;
  for (;;) {
    const end = at + LENGTH_BYTES + Number(view.getBigUint64(at));
    if (end >= next) return at;
    at = end;
  }
}

/** Place of the first message at or behind a place among messages. */
export function messageFrom(messages: Uint8Array, place: number): number {
  const view = new DataView(messages.buffer, messages.byteOffset, messages.byteLength);
  let at = 0;
  while (at < place) at += LENGTH_BYTES + Number(view.getBigUint64(at));
  return at;
}
