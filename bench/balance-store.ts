// Makes a store with many balance rows, for the benchmarks: the rows go in by bare statements, in the form the
// writer gives them. A busy party has a tenth of the rows, a rare one 20, the rest is unevenly spread.
import { createHash } from "node:crypto";
import { storeAmount } from "../src/store/amount.ts";
import { checkpoint, openWriter } from "../src/store/database.ts";
import { Eras } from "../src/store/eras.ts";
import { writeHead } from "../src/store/head.ts";
import { referencePrefix } from "../src/store/ids.ts";

const ROWS_PER_BLOCK = 500;
const RARE_ROWS = 20;
const ASSETS = 4;
const GENERAL = 4;
const START_US = 1_700_000_000_000_000;

export interface BalanceStore {
  readonly rows: number;
  readonly busyParty: string;
  readonly rareParty: string;
  readonly unknownParty: string;
}

const idOf = (name: string): string => createHash("sha256").update(name).digest("hex");

/** Fills an empty home. Amounts alternate between 6 and 18 decimals, so half of them need more than 63 bits. */
export function makeBalanceStore(
  home: string,
  rows: number,
  parties = Math.max(500, Math.floor(rows / 200)),
): BalanceStore {
  const db = openWriter(home);
  db.run("PRAGMA synchronous = OFF");
  const insertId = db.prepare("INSERT OR IGNORE INTO ids(ref, no, bytes) VALUES(?, ?, ?)");
  const insertAccount = db.prepare(
    "INSERT OR IGNORE INTO accounts(ref, hash, party, party_no, asset, market, type, block, tx) VALUES(?, ?, ?, ?, ?, ?, ?, 1, 0)",
  );
  const insertBlock = db.prepare("INSERT INTO blocks(no, time, height, hash) VALUES(?, ?, ?, ?)");
  const insertBalance = db.prepare("INSERT INTO balances(block, account, balance, tx) VALUES(?, ?, ?, ?)");
  const insertByParty = db.prepare(
    "INSERT INTO balances_by_party(era, party_no, block, account, balance) VALUES(?, ?, ?, ?, ?)",
  );
  const insertTx = db.prepare("INSERT INTO txs(id, hash) VALUES(?, ?)");
  const ref = (hex: string) => referencePrefix(Buffer.from(hex, "hex"));
  const eras = new Eras(db);
  let no = 0;
  const intern = (hex: string): { ref: number; no: number } => {
    no++;
    insertId.run(ref(hex), no, Buffer.from(hex, "hex"));
    return { ref: ref(hex), no };
  };
  const accounts: { ref: number; partyNo: number; asset: number }[] = [];
  db.run("BEGIN");
  const none = intern("");
  const assets = Array.from({ length: ASSETS }, (_, i) => ({
    hex: idOf(`asset ${i}`),
    ...intern(idOf(`asset ${i}`)),
  }));
  for (let p = 0; p < parties; p++) {
    const hex = idOf(`party ${p}`);
    const party = intern(hex);
    for (const [i, asset] of assets.entries()) {
      const hash = createHash("sha256").update(`${asset.hex}${hex}ACCOUNT_TYPE_GENERAL`).digest();
      const account = referencePrefix(hash, 4);
      insertAccount.run(account, hash, party.ref, party.no, asset.ref, none.ref, GENERAL);
      accounts.push({ ref: account, partyNo: party.no, asset: i });
    }
  }
  let seed = 12345;
  const random = () => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    return seed / 2 ** 32;
  };
  const blocks = Math.ceil(rows / ROWS_PER_BLOCK);
  const rareEvery = Math.max(1, Math.floor(blocks / RARE_ROWS));
  let written = 0;
  for (let block = 1; block <= blocks; block++) {
    eras.startBlock(block, false);
    insertBlock.run(block, START_US + block * 1_000_123, block, Buffer.from(idOf(`block ${block}`), "hex"));
    const chosen = new Map<number, (typeof accounts)[number]>();
    const take = (party: number, asset: number) => {
      const account = accounts[party * ASSETS + asset]!;
      chosen.set(account.ref, account);
    };
    if (block % rareEvery === 0) take(1, 0);
    const size = Math.min(ROWS_PER_BLOCK, rows - written);
    for (let tries = 0; chosen.size < size && tries < size * 4; tries++) {
      const isBusy = random() < 0.02;
      take(isBusy ? 0 : 2 + Math.floor((parties - 2) * random() ** 2), Math.floor(random() * ASSETS));
    }
    for (const account of [...chosen.values()].sort((a, b) => a.ref - b.ref)) {
      const value = BigInt(Math.floor(random() * 1e9)) * (account.asset % 2 === 0 ? 10n ** 12n : 1000n);
      const amount = storeAmount(value);
      // Two changes a transaction, every third one outside a transaction.
      const tx = written % 3 === 0 ? 0 : Math.floor(written / 3) + 2;
      if (written % 3 === 1) insertTx.run(tx, Buffer.from(idOf(`tx ${tx}`), "hex"));
      insertBalance.run(block, account.ref, amount, tx);
      insertByParty.run(eras.nextRow(), account.partyNo, block, account.ref, amount);
      written++;
    }
    eras.endBlock();
    if (block % 200 === 0) {
      db.run("COMMIT");
      db.run("BEGIN");
    }
  }
  const last = blocks;
  writeHead(db, {
    chainId: "bench-1",
    height: last,
    hash: idOf(`block ${last}`).toUpperCase(),
    timeUs: START_US + last * 1_000_123,
    no: last,
    part: 0,
    firstHeight: 1,
    blocksAtHeight: 1,
  });
  db.run("COMMIT");
  checkpoint(db, "TRUNCATE");
  db.close();
  return {
    rows: written,
    busyParty: idOf("party 0"),
    rareParty: idOf("party 1"),
    unknownParty: idOf("nobody"),
  };
}
