// Interned identifiers. A reference is the first six bytes of the identifier as a signed 48-bit number, so that
// rows clustered on references lie in the order of the identifiers themselves and tie-breaks by id need no join.
// Two identifiers that share six bytes get neighbouring references on the side where they sort.
import type { Database, Statement } from "bun:sqlite";
import { LruCache } from "../cache/lru.ts";
import { enumDescriptor } from "../wire/descriptors.ts";
import { identifierBytes, identifierText, NETWORK_PARTY } from "../wire/identifiers.ts";
import { idBytes, idText } from "./field.ts";
import { AccountCache, IdCache, type InternedId } from "./id-cache.ts";

/** Well-known words and identifiers of other lengths than 32 bytes, which are few. */
const OTHERS_KEPT_MAX = 1_000;
/** Texts by reference: parties and assets of a page come again on the next. */
const TEXTS_KEPT_MAX = 8_000;
/** Bytes of an identifier that its reference is made of. */
const ID_PREFIX_BYTES = 6;

/** References looked at side by side. */
export const NEIGHBOURS_MAX = 16;

/** The reference that some bytes get if it is free: their first `width` bytes as a signed number. */
export function referencePrefix(bytes: Uint8Array, width = ID_PREFIX_BYTES): number {
  let value = 0;
  for (let i = 0; i < width; i++) value = value * 256 + (bytes[i] ?? 0);
  return value - 2 ** (width * 8 - 1);
}

/**
 * Finds the row for `bytes` in a table keyed by reference, or the free reference for it: the prefix, or when
 * another has that, the nearest free one on the side where `bytes` sorts. When the first few are taken, which happens
 * only with identifiers made to that end, it goes on at places that a hash of all the bytes gives: out of order, but
 * never far. Rows are never removed, so the way to a row is always the way it was put there.
 */
export function probeReference(
  bytes: Uint8Array,
  at: (ref: number) => Uint8Array | undefined,
  width = ID_PREFIX_BYTES,
): { ref: number; found: boolean } {
  let from = bytes;
  for (let round = 0; ; round++) {
    let ref = referencePrefix(from, width);
    let step = 0;
    for (let tries = 0; tries < NEIGHBOURS_MAX; tries++, ref += step) {
      const stored = at(ref);
      if (stored === undefined) return { ref, found: false };
      const order = Buffer.compare(bytes, stored);
      if (order === 0) return { ref, found: true };
      if (step === 0) step = order;
    }
    from = new Bun.CryptoHasher("sha256").update(bytes).update(String(round)).digest();
  }
}

interface IdRow {
  ref: bigint;
  no: bigint;
  bytes: Uint8Array;
}

/** Identifier lookups on one connection; `intern` needs the writer's. */
export class Ids {
  private readonly cache = new IdCache();
  private readonly others = new LruCache<string, InternedId>(OTHERS_KEPT_MAX);
  private readonly texts = new LruCache<number, string>(TEXTS_KEPT_MAX);
  private readonly selectRow: Statement;
  private readonly insertRow: Statement;
  private nextNo = 0;

  constructor(private readonly db: Database) {
    this.selectRow = db.prepare("SELECT ref, no, bytes FROM ids WHERE ref = ?");
    this.insertRow = db.prepare("INSERT INTO ids(ref, no, bytes) VALUES(?, ?, ?)");
  }

  /** Reference of an identifier, or undefined if the store has never seen it. @throws InvalidIdentifier */
  find(text: string): InternedId | undefined {
    const cached = this.cached(text);
    if (cached !== undefined) return cached;
    const { row } = this.probe(identifierBytes(text));
    return row && this.remember(text, row);
  }

  /**
   * Reference of an identifier, made if it is new. Only inside the writer's transaction.
   * @param field name of the identifier in errors
   * @throws FieldFault
   */
  intern(text: string, field: string): InternedId {
    const cached = this.cached(text);
    if (cached !== undefined) return cached;
    const bytes = idBytes(text, field);
    const { row, ref } = this.probe(bytes);
    if (row) return this.remember(text, row);
    const no = this.nextNumber();
    this.insertRow.run(ref, no, bytes);
    return this.remember(text, { ref, no });
  }

  /** Cache lookup; undefined is a miss, not absence. */
  cached(text: string): InternedId | undefined {
    return this.cache.find(text) ?? this.others.get(text);
  }

  /** Text of a reference. Every reference in the store has its row. */
  text(ref: number | bigint): string {
    const key = Number(ref);
    const cached = this.texts.get(key);
    if (cached !== undefined) return cached;
    const text = this.cache.text(key) ?? this.storedText(key);
    this.texts.set(key, text);
    return text;
  }

  /** Where an identifier sorts among the references, known or not; unknown ones fall between two. @throws InvalidIdentifier */
  position(text: string): number {
    return this.find(text)?.ref ?? referencePrefix(identifierBytes(text)) - 0.5;
  }

  /** Clears the caches: after a rollback, references made in it do not exist. */
  reset(): void {
    this.cache.clear();
    this.others.clear();
    this.texts.clear();
    this.nextNo = 0;
  }

  private probe(bytes: Uint8Array): { ref: number; row?: InternedId } {
    let row: IdRow | null = null;
    const { ref, found: isStored } = probeReference(bytes, (candidate) => {
      row = this.selectRow.get(candidate) as IdRow | null;
      return row?.bytes;
    });
    if (!isStored) return { ref };
    return { ref, row: { ref, no: Number(row!.no) } };
  }

  private storedText(ref: number): string {
    const row = this.selectRow.get(ref) as IdRow | null;
    if (!row) throw new Error(`reference ${ref} has no identifier`);
    const text = identifierText(row.bytes);
    this.cache.put(text, { ref, no: Number(row.no) });
    return text;
  }

  private remember(text: string, id: InternedId): InternedId {
    if (!this.cache.put(text, id)) this.others.set(text, id);
    return id;
  }

  private nextNumber(): number {
    if (this.nextNo === 0) {
      const row = this.db.query("SELECT coalesce(max(no), 0) AS no FROM ids").get() as { no: bigint };
      this.nextNo = Number(row.no) + 1;
    }
    return this.nextNo++;
  }
}

// Accounts by identity (party, asset, market, type). The account id is the SHA-256 of the four as text
// (docs/protocol/10-data-api-endpoints.md#41-listbalancechanges); its first four bytes are the reference that balances
// and ledger are clustered on, so that rows of a block lie in the order of account ids. (Four, not six: a balance row
// holds it twice.)

const REF_PREFIX_BYTES = 4;
/** Written in events for "no owner" and "no market". */
const NO_OWNER = "*";
const NO_MARKET = "!";

/** The identifier that stands for what an event writes as a market. */
function marketText(market: string): string {
  return market === NO_MARKET ? "" : market;
}

export interface AccountKey {
  readonly ref: number;
  readonly partyNo: number;
}

/** Names of an account's parts in the event's message, for errors. */
export interface AccountFields {
  readonly owner: string;
  readonly asset: string;
  readonly market: string;
}

/** Id of an account: SHA-256 over asset, party, market and type name as text, without separators. */
export function accountHash(asset: string, party: string, market: string, type: number): Uint8Array {
  const typeName = enumDescriptor("vega.AccountType").nameOf.get(type) ?? String(type);
  return Bun.SHA256.hash(asset + party + market + typeName) as Uint8Array;
}

/** Reference of an account id: where it is in the store, or would be; `at` gives the id that holds a reference. */
export function probeAccount(
  hash: Uint8Array,
  at: (ref: number) => Uint8Array | undefined,
): { ref: number; found: boolean } {
  return probeReference(hash, at, REF_PREFIX_BYTES);
}

export class Accounts {
  private readonly cache = new AccountCache();
  private readonly selectHash: Statement;
  private readonly insert: Statement;

  constructor(
    db: Database,
    private readonly ids: Ids,
  ) {
    this.selectHash = db.prepare("SELECT hash FROM accounts WHERE ref = ?");
    this.insert = db.prepare(
      "INSERT INTO accounts(ref, hash, party, party_no, asset, market, type, block, tx) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)",
    );
  }

  /**
   * The account of an event's owner, asset, market and type; made if it is new, the first block and tx kept.
   * @throws FieldFault
   */
  intern(
    owner: string,
    asset: string,
    market: string,
    type: number,
    block: number,
    tx: number,
    fields: AccountFields,
  ): AccountKey {
    const isNetwork = owner === NO_OWNER || owner === "";
    const partyText = isNetwork ? NETWORK_PARTY : owner;
    const party = this.ids.cached(partyText);
    const cached =
      party && this.cached(party, this.ids.cached(asset), this.ids.cached(marketText(market)), type);
    return (
      cached ??
      this.findOrInsert(
        isNetwork ? partyText : idText(owner, fields.owner),
        idText(asset, fields.asset),
        idText(marketText(market), fields.market),
        type,
        block,
        tx,
      )
    );
  }

  /** Cache lookup by cached identifiers; undefined is a miss, not absence. */
  private cached(
    party: InternedId,
    asset: InternedId | undefined,
    market: InternedId | undefined,
    type: number,
  ): AccountKey | undefined {
    if (asset === undefined || market === undefined) return undefined;
    const ref = this.cache.find(party.no, asset.no, market.no, type);
    return ref === undefined ? undefined : { ref, partyNo: party.no };
  }

  reset(): void {
    this.cache.clear();
  }

  private findOrInsert(
    partyText: string,
    assetText: string,
    marketText: string,
    type: number,
    block: number,
    tx: number,
  ): AccountKey {
    const hash = accountHash(assetText, partyText, marketText, type);
    const { ref, found: isStored } = probeAccount(hash, (candidate) => {
      const row = this.selectHash.get(candidate) as { hash: Uint8Array } | null;
      return row?.hash;
    });
    const party = this.ids.intern(partyText, "party");
    const assetId = this.ids.intern(assetText, "asset");
    const marketId = this.ids.intern(marketText, "market");
    this.cache.put(party.no, assetId.no, marketId.no, type, ref);
    if (!isStored)
      this.insert.run(ref, hash, party.ref, party.no, assetId.ref, marketId.ref, type, block, tx);
    return { ref, partyNo: party.no };
  }
}
