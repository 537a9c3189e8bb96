// Caches of identifiers and accounts in typed arrays, which the garbage collector does not scan: with 100,000 parties
// ingest takes 1.5 times the processor time with a map of strings instead. Each entry has four possible slots; the
// oldest of them is evicted.
import { identifierText } from "../wire/identifiers.ts";

const ID_BYTES = 32;
const ID_WORDS = ID_BYTES / 4;
const ID_DIGITS = 2 * ID_BYTES;
const WAYS = 4;
/** Room for 131,072 identifiers of 44 bytes, in each thread, and twice as many accounts of 24. */
const ID_BUCKET_BITS = 15;
const ACCOUNT_BUCKET_BITS = 16;
const ID_SLOTS = WAYS << ID_BUCKET_BITS;
const ACCOUNT_SLOTS = WAYS << ACCOUNT_BUCKET_BITS;
/** Spreads neighbours over the buckets. */
const SPREAD = 0x9e3779b1;
/** Running numbers from here on are not kept: they do not fit. */
const NUMBERS_END = 2 ** 32;
/** A reference is a signed number of 48 bits: the identifier's first bytes. */
const REF_OFFSET = 2 ** 47;

/** Identifier with its reference and its running number; see ids.ts. */
export interface InternedId {
  /** Sorts as the identifier does. */
  readonly ref: number;
  /** Running number, from 1: short, for keys that only need equality. */
  readonly no: number;
}

const bucketOf = (mixed: number, bits: number): number => Math.imul(mixed, SPREAD) >>> (32 - bits);

/** The way of a bucket that is overwritten next. */
class Turns {
  private readonly next: Uint8Array;

  constructor(bucketBits: number) {
    this.next = new Uint8Array(1 << bucketBits);
  }

  /** Slot for a new entry of a bucket. */
  slot(bucket: number): number {
    const way = this.next[bucket]!;
    this.next[bucket] = (way + 1) % WAYS;
    return bucket * WAYS + way;
  }
}

/** Identifiers of 32 bytes by their text and by reference. */
export class IdCache {
  private readonly words = new Uint32Array(ID_SLOTS * ID_WORDS);
  private readonly bytes = new Uint8Array(this.words.buffer);
  private readonly refs = new Float64Array(ID_SLOTS);
  /** 0: the slot is free. */
  private readonly nos = new Uint32Array(ID_SLOTS);
  private readonly turns = new Turns(ID_BUCKET_BITS);
  private readonly key = new Uint8Array(ID_BYTES);
  private readonly keyWords = new Uint32Array(this.key.buffer);

  find(text: string): InternedId | undefined {
    return this.readText(text) ? this.lookUp() : undefined;
  }

  /** Lower-case text of the identifier that has a reference. */
  text(ref: number): string | undefined {
    const value = ref + REF_OFFSET;
    const first = Math.floor(value / 0x1_0000);
    const slot = bucketOf(first ^ ((value % 0x1_0000) << 16), ID_BUCKET_BITS) * WAYS;
    for (let at = slot; at < slot + WAYS; at++) {
      if (this.refs[at] === ref && this.nos[at] !== 0)
        return identifierText(this.bytes.subarray(at * ID_BYTES, (at + 1) * ID_BYTES));
    }
    return undefined;
  }

  /** Only identifiers of 32 bytes are cached. @returns whether it is cached */
  put(text: string, { ref, no }: InternedId): boolean {
    if (no >= NUMBERS_END || !this.readText(text)) return false;
    if (this.lookUp() !== undefined) return true;
    const slot = this.turns.slot(this.bucket());
    this.words.set(this.keyWords, slot * ID_WORDS);
    this.refs[slot] = ref;
    this.nos[slot] = no;
    return true;
  }

  clear(): void {
    this.nos.fill(0);
  }

  private readText(text: string): boolean {
    if (text.length !== ID_DIGITS) return false;
    try {
      this.key.setFromHex(text);
      return true;
    } catch {
      return false;
    }
  }

  /** Of the key: as `text` finds it by a reference made of the same six bytes. */
  private bucket(): number {
    const { key } = this;
    const first = (key[0]! << 24) | (key[1]! << 16) | (key[2]! << 8) | key[3]!;
    return bucketOf(first ^ (((key[4]! << 8) | key[5]!) << 16), ID_BUCKET_BITS);
  }

  private lookUp(): InternedId | undefined {
    const { words, keyWords, nos } = this;
    const slot = this.bucket() * WAYS;
    for (let at = slot; at < slot + WAYS; at++) {
      if (nos[at] === 0) continue;
      const word = at * ID_WORDS;
      let i = 0;
      while (i < ID_WORDS && words[word + i] === keyWords[i]) i++;
      if (i === ID_WORDS) return { ref: this.refs[at]!, no: nos[at]! };
    }
    return undefined;
  }
}

/** References of accounts by the running numbers of party, asset and market, and by type. */
export class AccountCache {
  private readonly keys = new Uint32Array(ACCOUNT_SLOTS * 4);
  private readonly refs = new Float64Array(ACCOUNT_SLOTS);
  private readonly turns = new Turns(ACCOUNT_BUCKET_BITS);

  find(party: number, asset: number, market: number, type: number): number | undefined {
    const { keys } = this;
    const slot = this.bucket(party, asset, market, type) * WAYS;
    for (let at = slot; at < slot + WAYS; at++) {
      const key = at * 4;
      // A party's number is never 0: such a slot is free.
      if (
        keys[key] === party &&
        keys[key + 1] === asset &&
        keys[key + 2] === market &&
        keys[key + 3] === type >>> 0
      )
        return this.refs[at]!;
    }
    return undefined;
  }

  put(party: number, asset: number, market: number, type: number, ref: number): void {
    if (party >= NUMBERS_END || asset >= NUMBERS_END || market >= NUMBERS_END) return;
    const slot = this.turns.slot(this.bucket(party, asset, market, type));
    this.keys[slot * 4] = party;
    this.keys[slot * 4 + 1] = asset;
    this.keys[slot * 4 + 2] = market;
    this.keys[slot * 4 + 3] = type;
    this.refs[slot] = ref;
  }

  clear(): void {
    this.keys.fill(0);
  }

  private bucket(party: number, asset: number, market: number, type: number): number {
    const mixed = party ^ Math.imul(asset, 0x85ebca6b) ^ Math.imul(market, 0xc2b2ae35) ^ (type << 24);
    return bucketOf(mixed, ACCOUNT_BUCKET_BITS);
  }
}
