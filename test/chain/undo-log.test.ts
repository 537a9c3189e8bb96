// The undo log over every table that a recording fills: back at a level the store has the same content.

import type { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { BlockAssembler } from "../../src/ingest/block-assembler.ts";
import { RecordingReader } from "../../src/ingest/recording.ts";
import { BlockWriter } from "../../src/store/block-writer.ts";
import { openWriter } from "../../src/store/database.ts";
import { digestStore } from "../../src/store/dump.ts";
import { UndoLog } from "../../src/store/undo-log.ts";
import type { Block } from "../../src/wire/block.ts";
import { SAMPLE } from "../rig/homes.ts";
import { cpuMs } from "../support/cost.ts";
import { differences } from "../support/digests.ts";
import { newHome, randomOf, removeHomes, rowsOf } from "./rig.ts";

afterAll(removeHomes);

const BLOCKS = 900;

async function sampleBlocks(): Promise<Block[]> {
  const blocks: Block[] = [];
  for await (const batch of new RecordingReader(SAMPLE, new BlockAssembler()).batches())
    blocks.push(...batch);
  return blocks.slice(0, BLOCKS);
}

const blocks = await sampleBlocks();

class Store {
  readonly db: Database = openWriter(newHome());
  readonly writer = new BlockWriter(this.db);
  readonly undo = new UndoLog(this.db);

  write(from: number, to: number): void {
    for (const block of blocks.slice(from, to)) this.writer.stage(block);
    this.writer.commit();
  }

  change(run: (undo: UndoLog) => void): void {
    this.db.transaction(() => run(this.undo)).immediate();
    this.writer.reload();
  }

  digest() {
    return rowsOf(digestStore(this.db));
  }
}

function storeAt(count: number): ReturnType<typeof rowsOf> {
  const store = new Store();
  store.write(0, count);
  return store.digest();
}

describe("undo log", () => {
  test("given blocks of a recording after a level, when it reverts, then every table is as it was, again and again", () => {
    const store = new Store();
    store.write(0, 300);
    store.change((undo) => undo.enter(1));
    const before = store.digest();
    for (const to of [BLOCKS, 301, 600]) {
      store.write(300, to);
      expect(differences(store.digest(), storeAt(to))).toEqual([]);
      store.change((undo) => undo.revertTo(1));
      expect(differences(store.digest(), before)).toEqual([]);
    }
    const changed = differences(storeAt(BLOCKS), before).length;
    expect(changed).toBeGreaterThan(30);
    store.change((undo) => undo.remove());
    store.write(300, BLOCKS);
    expect(differences(store.digest(), storeAt(BLOCKS))).toEqual([]);
    store.db.close();
  });

  test("given levels in one another, when one is dropped or reverted over, then the others still lead back", () => {
    const at = [100, 250, 400, 600] as const;
    for (const dropped of [1, 2, 3]) {
      const store = new Store();
      store.write(0, at[0]);
      store.change((undo) => undo.enter(1));
      store.write(at[0], at[1]);
      store.change((undo) => undo.enter(2));
      store.write(at[1], at[2]);
      store.change((undo) => undo.enter(3));
      store.write(at[2], at[3]);
      const left = [1, 2, 3].filter((level) => level !== dropped);
      store.change((undo) => {
        undo.drop(dropped, left.filter((level) => level < dropped).at(-1));
        undo.enter(left.at(-1)!);
      });
      for (const level of left.toReversed()) {
        store.change((undo) => undo.revertTo(level));
        expect(differences(store.digest(), storeAt(at[level - 1]!))).toEqual([]);
      }
      store.db.close();
    }
  });

  test("given every way a row can come, change and go, then levels lead back to what was there", () => {
    for (let seed = 1; seed <= 8; seed++) {
      const random = randomOf(seed);
      const pick = (count: number) => Math.floor(random() * count);
      const store = new Store();
      const all = () => store.db.query("SELECT * FROM reward_totals ORDER BY party, asset").all();
      const kept: { level: number; rows: unknown[] }[] = [];
      const write = () => {
        const [party, asset, amount] = [
          pick(4),
          pick(3),
          pick(2) === 0 ? pick(100) : new Uint8Array([pick(9), 1]),
        ];
        const values = "VALUES(?, ?, ?)";
        const into = "INTO reward_totals(party, asset, amount)";
        const update = "ON CONFLICT(party, asset) DO UPDATE SET amount = excluded.amount";
        const key = "WHERE party = ? AND asset = ?";
        const what = pick(6);
        if (what === 0) store.db.run(`INSERT OR REPLACE ${into} ${values}`, [party, asset, amount]);
        else if (what === 1) store.db.run(`INSERT ${into} ${values} ${update}`, [party, asset, amount]);
        else if (what === 2) store.db.run(`INSERT OR IGNORE ${into} ${values}`, [party, asset, amount]);
        else if (what === 3)
          store.db.run(`UPDATE reward_totals SET amount = ? ${key}`, [amount, party, asset]);
        else if (what === 4) store.db.run(`DELETE FROM reward_totals ${key}`, [party, asset]);
        else store.db.run("DELETE FROM reward_totals WHERE party = ?", [party]);
      };
      for (let step = 0, level = 0; step < 150; step++) {
        const what = pick(12);
        if (what === 0) {
          kept.push({ level: ++level, rows: all() });
          store.change((undo) => undo.enter(level));
        } else if (what === 1 && kept.length > 0) {
          kept.length = pick(kept.length) + 1;
          const { level: to, rows } = kept.at(-1)!;
          store.change((undo) => undo.revertTo(to));
          expect(all()).toEqual(rows);
        } else write();
      }
      store.db.close();
    }
  });

  test("given a change of a key, then it is refused: nothing in the store does that", () => {
    const store = new Store();
    store.write(0, 10);
    store.change((undo) => undo.enter(1));
    expect(() => store.db.run("UPDATE blocks SET no = no + 1000")).toThrow("a key changes");
    store.db.close();
  });
});

test("given many rows since a level, then one more costs no search through them", () => {
  const { db, undo } = new Store();
  db.transaction(() => undo.enter(1)).immediate();
  const insert = db.prepare("INSERT INTO blocks(no, time, height, hash) VALUES(?, ?, ?, x'')");
  let rows = 0;
  const write = (count: number) =>
    db
      .transaction(() => {
        for (const end = rows + count; rows < end; ) insert.run(++rows, rows, rows);
      })
      .immediate();
  write(500);
  const early = cpuMs(() => write(500));
  write(18_000);
  const late = cpuMs(() => write(500));
  insert.finalize();
  // A search through all of them costs some twenty times as much.
  expect(late).toBeLessThan(early * 6);
  expect(db.query("SELECT count(*) AS n FROM chain_undo_rows").get()).toEqual({ n: BigInt(rows) });
});
