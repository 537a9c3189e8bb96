// Accounts by identity (party, asset, market, type). The account id is the SHA-256 of the four as text
// (reference 10, section 4.1); its first four bytes are the reference that balances and ledger are clustered on, so
// that rows of a block lie in the order of account ids. (Four, not six: a balance row holds it twice.)
import type { Database, Statement } from "bun:sqlite";
import { LruCache } from "../cache/lru.ts";
import { NETWORK_PARTY } from "../wire/identifiers.ts";
import { enumDescriptor } from "../wire/schema/index.ts";
import { idText } from "./field.ts";
import { type Ids, probeReference, referencePrefix } from "./ids.ts";

/** Accounts kept in memory, of about 400 bytes each. */
const CACHE_MAX = 200_000;
const REF_PREFIX_BYTES = 4;
/** What events write for "no owner" and "no market". */
const NO_OWNER = "*";
const NO_MARKET = "!";

export interface AccountKey {
  readonly ref: number;
  readonly partyNo: number;
}

/** What an error calls the parts of an account: their names in the event's message. */
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

/** The reference an account id gets when nobody else has it. */
export function accountReference(hash: Uint8Array): number {
  return referencePrefix(hash, REF_PREFIX_BYTES);
}

export class Accounts {
  private readonly known = new LruCache<string, AccountKey>(CACHE_MAX);
  private readonly selectHash: Statement;
  private readonly selectKey: Statement;
  private readonly insert: Statement;

  constructor(
    db: Database,
    private readonly ids: Ids,
  ) {
    this.selectHash = db.prepare("SELECT hash FROM accounts WHERE ref = ?");
    this.selectKey = db.prepare("SELECT party_no FROM accounts WHERE ref = ?");
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
    const name = `${owner}|${asset}|${market}|${type}`;
    const known = this.known.get(name);
    if (known !== undefined) return known;
    const isNobody = owner === NO_OWNER || owner === "";
    const partyText = isNobody ? NETWORK_PARTY : idText(owner, fields.owner);
    const marketText = market === NO_MARKET ? "" : idText(market, fields.market);
    const key = this.findOrInsert(partyText, idText(asset, fields.asset), marketText, type, block, tx);
    this.known.set(name, key);
    return key;
  }

  reset(): void {
    this.known.clear();
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
    const { ref, found } = probeAccount(hash, (candidate) => {
      const row = this.selectHash.get(candidate) as { hash: Uint8Array } | null;
      return row?.hash;
    });
    if (found) {
      const row = this.selectKey.get(ref) as { party_no: bigint };
      return { ref, partyNo: Number(row.party_no) };
    }
    const party = this.ids.intern(partyText, "party");
    const assetId = this.ids.intern(assetText, "asset");
    const marketId = this.ids.intern(marketText, "market");
    this.insert.run(ref, hash, party.ref, party.no, assetId.ref, marketId.ref, type, block, tx);
    return { ref, partyNo: party.no };
  }
}
