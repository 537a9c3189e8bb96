// What balance rows show of their accounts and blocks, as bytes ready to be copied into a page. The accounts lie next
// to each other in one piece of memory: as objects and texts of their own, each row would wait for eight places of it.

import { GenerationCache } from "../../http/generation-cache.ts";
import { AMOUNT_DIGITS_MAX, writeAmount } from "../../store/amount.ts";
import { hexOf } from "../../wire/identifiers.ts";
import { enumDescriptor } from "../../wire/schema/index.ts";
import { latinAt } from "../../wire/text.ts";
import type { BalancePlace, BalanceRow } from "./balance-rows.ts";
import { rfc3339 } from "./blocks.ts";
import type { DataContext } from "./context.ts";

/** Memory for accounts: about 350,000 of them, at 180 bytes. When it is full, it starts anew. */
const ACCOUNT_BYTES_MAX = 60 * 2 ** 20;
const ACCOUNT_BYTES_MIN = 2 ** 16;
/** Of markets' accounts there may be more kinds than of assets'; few are read at a time. */
const KINDS_MAX = 10_000;
/** Of blocks twice this many are kept at the most, at about 300 bytes. */
const BLOCKS_MAX = 100_000;
/** Pages up to this are made in memory that is kept for the next one. */
const PAGE_BYTES_KEPT = 2 ** 20;

/** What many accounts have in common. */
export interface AccountKind {
  readonly asset: string;
  readonly market: string;
  readonly type: number;
  /** A row's text from the party to the cursor. */
  readonly tail: Uint8Array;
}

interface BlockText {
  readonly timeUs: number;
  /** A row's text up to the balance. */
  readonly head: Buffer;
  /** Base64 of the cursor up to the account: padded to a multiple of three bytes so that the parts can be joined. */
  readonly cursor: Buffer;
}

// An account in memory: number of its kind, length of its party (four bytes each), party, cursor.
const PARTY_LENGTH_AT = 4;
const PARTY_AT = 8;
const CURSOR_BYTES = accountCursor(new Uint8Array(32)).length;

const BEFORE_PARTY = Buffer.from('","partyId":"');
const AFTER_CURSOR = Buffer.from('"},');

export class BalanceTexts {
  private readonly blocks = new GenerationCache<number, BlockText>(BLOCKS_MAX);
  private readonly kinds: AccountKind[] = [];
  private readonly kindNumbers = new Map<string, number>();
  /** Where an account begins, by its reference. */
  private readonly places = new Map<number, number>();
  private memory = Buffer.allocUnsafeSlow(ACCOUNT_BYTES_MIN);
  private end = 0;

  /** @param bytesMax memory for accounts; one that needs more gets it */
  constructor(
    private readonly context: DataContext,
    private readonly bytesMax = ACCOUNT_BYTES_MAX,
  ) {}

  block(no: number): BlockText {
    const known = this.blocks.get(no);
    if (known) return known;
    const timeUs = this.context.blocks.timeUs(no);
    const cursor = `{"vega_time":"${rfc3339(timeUs)}",`;
    const made = {
      timeUs,
      head: Buffer.from(`{"node":{"timestamp":"${timeUs === 0 ? "0" : `${timeUs}000`}","balance":"`),
      cursor: Buffer.from(btoa(cursor.padEnd(Math.ceil(cursor.length / 3) * 3, " "))),
    };
    this.blocks.set(no, made);
    return made;
  }

  account(ref: number): AccountKind & { readonly party: string } {
    const place = this.placeOf(ref);
    const party = latinAt(this.memory, place + PARTY_AT, this.partyEnd(place));
    return { ...this.kindAt(place), party };
  }

  cursor({ block, account }: BalancePlace): string {
    const place = this.placeOf(Number(account));
    const start = this.partyEnd(place);
    return `${this.block(Number(block)).cursor.toString()}${latinAt(this.memory, start, start + CURSOR_BYTES)}`;
  }

  /** Writes a row as an edge of a page, with a comma behind it. */
  writeEdge(row: BalanceRow, page: PageBytes): void {
    const block = this.block(Number(row.block));
    const place = this.placeOf(Number(row.account));
    const { tail } = this.kindAt(place);
    const { memory } = this;
    const partyAt = place + PARTY_AT;
    const cursorAt = this.partyEnd(place);
    const most =
      block.head.length + AMOUNT_DIGITS_MAX + BEFORE_PARTY.length + (cursorAt - partyAt) + tail.length;
    const into = page.room(most + block.cursor.length + CURSOR_BYTES + AFTER_CURSOR.length);
    let at = page.end;
    into.set(block.head, at);
    at = writeAmount(row.balance, into, at + block.head.length);
    into.set(BEFORE_PARTY, at);
    at += BEFORE_PARTY.length;
    memory.copy(into, at, partyAt, cursorAt);
    at += cursorAt - partyAt;
    into.set(tail, at);
    at += tail.length;
    into.set(block.cursor, at);
    at += block.cursor.length;
    memory.copy(into, at, cursorAt, cursorAt + CURSOR_BYTES);
    at += CURSOR_BYTES;
    into.set(AFTER_CURSOR, at);
    page.end = at + AFTER_CURSOR.length;
  }

  /** Where an account lies, until the next one that is not known is asked for. */
  private placeOf(ref: number): number {
    return this.places.get(ref) ?? this.make(ref);
  }

  private kindAt(place: number): AccountKind {
    return this.kinds[this.memory.readUInt32LE(place)]!;
  }

  private partyEnd(place: number): number {
    return place + PARTY_AT + this.memory.readUInt32LE(place + PARTY_LENGTH_AT);
  }

  private make(ref: number): number {
    const sql = "SELECT hash, party, asset, market, type FROM accounts WHERE ref = ?";
    const row = this.context.get<AccountRow>(sql, ref)!;
    const party = this.context.ids.text(row.party);
    const place = this.takeRoom(PARTY_AT + party.length + CURSOR_BYTES);
    this.memory.writeUInt32LE(this.kindNumber(row), place);
    this.memory.writeUInt32LE(party.length, place + PARTY_LENGTH_AT);
    this.memory.write(party + accountCursor(row.hash), place + PARTY_AT, "latin1");
    this.places.set(ref, place);
    return place;
  }

  private takeRoom(bytes: number): number {
    if (this.end + bytes > this.bytesMax || this.kinds.length >= KINDS_MAX) this.startAnew();
    if (this.end + bytes > this.memory.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(this.memory.length * 2, this.end + bytes));
      this.memory.copy(grown, 0, 0, this.end);
      this.memory = grown;
    }
    const place = this.end;
    this.end += bytes;
    return place;
  }

  private startAnew(): void {
    this.places.clear();
    this.kinds.length = 0;
    this.kindNumbers.clear();
    this.end = 0;
  }

  private kindNumber(row: AccountRow): number {
    const [asset, market] = [this.context.ids.text(row.asset), this.context.ids.text(row.market)];
    const type = Number(row.type);
    const typeName = enumDescriptor("vega.AccountType").nameOf.get(type);
    const typeJson = typeName === undefined ? String(type) : `"${typeName}"`;
    const tail = `","assetId":"${asset}","marketId":"${market}","accountType":${typeJson}},"cursor":"`;
    const known = this.kindNumbers.get(tail);
    if (known !== undefined) return known;
    this.kinds.push({ asset, market, type, tail: Buffer.from(tail) });
    this.kindNumbers.set(tail, this.kinds.length - 1);
    return this.kinds.length - 1;
  }
}

/** The original's cursors also repeat the account's parts (and lack its id); they are read, not written. */
function accountCursor(hash: Uint8Array): string {
  return btoa(`"AccountID":"${hexOf(hash)}"}`);
}

interface AccountRow {
  readonly hash: Uint8Array;
  readonly party: bigint;
  readonly asset: bigint;
  readonly market: bigint;
  readonly type: bigint;
}

/** Memory of the last page, for the next one: a page is made at one go. */
let kept = Buffer.allocUnsafeSlow(2 ** 16);

/** A page that is being written. */
export class PageBytes {
  end = 0;
  private buffer = kept;

  /** @returns where bytes can be put from `end` on */
  room(bytes: number): Buffer {
    const least = this.end + bytes;
    if (least > this.buffer.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(this.buffer.length * 2, least));
      this.buffer.copy(grown, 0, 0, this.end);
      this.buffer = grown;
      if (grown.length <= PAGE_BYTES_KEPT) kept = grown;
    }
    return this.buffer;
  }

  text(ascii: string): void {
    const into = this.room(ascii.length);
    this.end += into.write(ascii, this.end, "latin1");
  }

  /** What was written, as bytes of their own. */
  taken(): Uint8Array<ArrayBuffer> {
    return Uint8Array.prototype.slice.call(this.buffer, 0, this.end) as Uint8Array<ArrayBuffer>;
  }
}
