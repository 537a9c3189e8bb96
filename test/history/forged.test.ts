// Stores from elsewhere that lie while all of their pages are sound: their rows are taken, and nothing else.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { NodeError } from "../../src/errors/node-error.ts";
import { backupHome, restoreHome } from "../../src/history/backup.ts";
import { fetchHistory } from "../../src/history/sharing/fetch.ts";
import { HistorySource } from "../../src/history/sharing/source.ts";
import { scrub, scrubRounds } from "../../src/node/scrub.ts";
import { openReader, openWriter, storePath } from "../../src/store/database.ts";
import { checkIndices } from "../../src/store/index-check.ts";
import { sumsPath } from "../../src/store/page-sums.ts";
import { checkRowsAgree } from "../../src/store/row-check.ts";
import { ROW_BYTES_MAX } from "../../src/store/row-size.ts";
import { SCHEMA_VERSION } from "../../src/store/schema.ts";
import { schemaFaults } from "../../src/store/schema-check.ts";
import { moveEntries } from "../rig/forged-store.ts";
import { altered, SharingNode } from "../rig/history-source.ts";
import { digestOf, load, SAMPLE } from "../rig/homes.ts";
import { lyra } from "../rig/lyra.ts";
import { folder, homeOf, removeFolders, rowed, writeBlocks } from "./fixtures.ts";

const BY_HEIGHT = { table: "checkpoints", index: "checkpoints_by_height", column: "height" } as const;
/** Of a chain whose balances are all 777 from then on. */
const TRIGGER =
  "CREATE TRIGGER bad AFTER INSERT ON balances_current BEGIN UPDATE balances_current SET balance = 777; END";

let home: string;
beforeAll(async () => {
  home = await homeOf(rowed(1, 57));
});
afterAll(removeFolders);

function copyOf(from = home): string {
  const copy = folder();
  cpSync(from, copy, { recursive: true });
  rmSync(join(copy, "image"), { recursive: true, force: true });
  return copy;
}

/** A home whose store another program has changed; its pages have the sums of what they hold. */
function changedBy(...statements: readonly string[]): string {
  const copy = copyOf();
  const db = openWriter(copy);
  for (const sql of statements) db.run(sql);
  db.close();
  return copy;
}

async function restored(from: string, withSettings = false) {
  const file = join(folder(), "backup.tar");
  await backupHome({ home: from, out: file });
  const into = join(folder(), "home");
  const result = await restoreHome({ file, home: into, withSettings });
  return { file, into, result: result! };
}

async function failure(work: Promise<unknown>): Promise<NodeError> {
  const error = await work.then(
    () => new Error("it succeeded"),
    (thrown) => thrown,
  );
  if (!(error instanceof NodeError)) throw error;
  return error;
}

function isSound(at: string): boolean {
  const db = openReader(at);
  try {
    return db.query("PRAGMA integrity_check").values()[0]![0] === "ok" && schemaFaults(db).length === 0;
  } finally {
    db.close();
  }
}

const round = (at: string) =>
  scrub({ home: at, isStopping: () => false, stopped: new Promise(() => {}), restMs: 0 });

describe("an index whose entries were moved", () => {
  let forged: string;
  beforeAll(() => {
    forged = copyOf();
    expect(moveEntries(forged, BY_HEIGHT)).toBeGreaterThan(0);
  });

  test("is made again of the rows where another node fetches them", async () => {
    const node = new SharingNode(forged);
    const into = folder();
    try {
      await fetchHistory({ home: into, source: new HistorySource(node.url) });
    } finally {
      await node.stop();
    }
    expect(isSound(into)).toBe(true);
    expect(digestOf(into).sha256).toBe(digestOf(home).sha256);
  });

  test("is made again of the rows of a backup", async () => {
    const { into } = await restored(forged);
    expect(isSound(into)).toBe(true);
    expect(digestOf(into).sha256).toBe(digestOf(home).sha256);
  });

  test("is found by doctor --deep and by the scrub", async () => {
    const { code, out } = await lyra(["doctor", "--deep", "--home", forged]);
    expect([code, out]).toEqual([1, expect.stringContaining("missing from index checkpoints_by_height")]);
    const { code: reason, message } = await failure(round(forged));
    expect([reason, message]).toEqual(["store_damaged", expect.stringContaining("checkpoints_by_height")]);
    expect(await round(home)).toBe(true);
  });

  test("is made again by doctor --repair, as is a store with a trigger", async () => {
    for (const [damaged, says] of [
      [forged, "made again of its rows"],
      [changedBy(TRIGGER), "without trigger bad"],
    ] as const) {
      const { code, out } = await lyra(["doctor", "--repair", "--home", damaged]);
      expect([code, out]).toEqual([0, expect.stringContaining(says)]);
      expect(isSound(damaged)).toBe(true);
      const { files: _, sha256: __, ...rows } = digestOf(damaged);
      const { tables } = digestOf(home);
      expect(rows).toEqual({ tables });
    }
  });
});

test("the end of a whole round of checks is told, with its time", async () => {
  const ended = Promise.withResolvers<number>();
  let isStopping = false;
  const beganUs = Date.now() * 1_000;
  const scrubbing = scrubRounds({
    ...{ home, restMs: 0, isStopping: () => isStopping },
    stopped: ended.promise,
    onRound: ended.resolve,
  });
  expect(await ended.promise).toBeGreaterThan(beganUs - 1_000_000);
  isStopping = true;
  await scrubbing;
});

test("an entry that is moved is found in every index, in slices of any size", async () => {
  const sample = folder();
  await load(sample, SAMPLE);
  const sound = openReader(sample);
  let slices = 0;
  const indices = await checkIndices(sound, async () => void slices++, 3);
  sound.close();
  expect([indices > 40, slices > 500]).toEqual([true, true]);
  const cases = [
    ["trades", "trades_by_market", "market"],
    // Descending, partial, and of tables whose rows have numbers.
    ["orders_current", "orders_current_by_created", "created"],
    ["orders_current", "orders_current_live_by_id", "id"],
    ["parties", "parties_by_block", "block"],
  ] as const;
  for (const [table, index, column] of cases) {
    const forged = copyOf(sample);
    expect(moveEntries(forged, { table, index, column }, 1)).toBe(1);
    const db = openReader(forged);
    for (const rows of [2, 500]) {
      const error = await failure(checkIndices(db, undefined, rows));
      expect(error.message).toContain(index);
    }
    db.close();
  }
});

describe("a backup of a store with what is not a store's", () => {
  test("gives its rows alone, and what is left out is named", async () => {
    const foreign = changedBy(
      TRIGGER,
      "CREATE VIEW spy AS SELECT * FROM balances",
      "CREATE TABLE loot(x)",
      "CREATE INDEX more ON trades(tx)",
    );
    const { into, result } = await restored(foreign);
    expect(result.leftOut).toEqual(["index more", "table loot", "trigger bad", "view spy"]);
    expect(isSound(into)).toBe(true);
    expect(digestOf(into).sha256).toBe(digestOf(home).sha256);
  });

  test("is refused where a table is not the one of this program", async () => {
    const other = changedBy("ALTER TABLE votes ADD COLUMN more INTEGER AS (777)");
    const { code, message } = await failure(restored(other));
    expect([code, message]).toEqual(["backup_damaged", expect.stringContaining("its table votes")]);
  });

  test("is refused where the head is not the one of the blocks", async () => {
    const other = changedBy(
      "UPDATE meta SET value = json_set(value, '$.firstHeight', '\u001b[2J') WHERE key = 'head'",
    );
    expect((await failure(restored(other))).message).toContain("its head is not the one of its blocks");
  });
});

describe("rows that are not what other rows say", () => {
  const LIES: Record<string, string> = {
    "a trade of another market":
      "UPDATE trades SET market = (SELECT id FROM markets_current WHERE id <> trades.market LIMIT 1) WHERE ord = (SELECT max(ord) FROM trades)",
    "an order of another party":
      "UPDATE orders_current SET party = (SELECT id FROM parties WHERE id <> orders_current.party LIMIT 1) WHERE id = (SELECT min(id) FROM orders_current)",
    "a balance of 777":
      "UPDATE balances_current SET balance = 777 WHERE account = (SELECT min(account) FROM balances_current)",
    "a party without one of its balances":
      "DELETE FROM balances_by_party WHERE (block, account) = (SELECT block, account FROM balances_by_party LIMIT 1)",
    "a ledger entry of another party":
      "INSERT INTO ledger_by_party SELECT era, party_no + 1, block, n FROM ledger_by_party ORDER BY party_no LIMIT 1",
    "an account of another market":
      "UPDATE accounts SET market = (SELECT ref FROM ids WHERE ref <> accounts.market LIMIT 1) WHERE ref = (SELECT min(ref) FROM accounts)",
    "a transfer to its sender":
      "UPDATE transfers_current SET to_no = from_no WHERE ref = (SELECT min(ref) FROM transfers_current WHERE to_no <> from_no)",
    "a live order that is not shown as one": "UPDATE orders_current SET live = 0 WHERE live = 1",
    "a filled order that is shown as live":
      "UPDATE orders_current SET live = 1 WHERE id = (SELECT min(id) FROM orders_current WHERE live = 0)",
    "a network parameter of another value":
      "UPDATE network_parameters_current SET value = value || '1' WHERE key = (SELECT min(key) FROM network_parameters_current)",
    "a proposal of another state":
      "UPDATE proposals_current SET state = state + 1 WHERE id = (SELECT min(id) FROM proposals_current)",
    "a stake linked by another party":
      "UPDATE stake_linkings_current SET party = (SELECT id FROM parties WHERE id <> stake_linkings_current.party LIMIT 1)",
    "a delegation of another amount":
      "UPDATE delegations_current SET amount = 777 WHERE epoch = (SELECT max(epoch) FROM delegations_current)",
    "a delegation that nobody made":
      "INSERT INTO delegations_current SELECT party, node, epoch + 1, block, amount FROM delegations_current ORDER BY epoch DESC LIMIT 1",
    "a party's rewards of another sum":
      "UPDATE reward_totals SET amount = 777 WHERE party = (SELECT max(party) FROM reward_totals)",
    "rewards of a party that got none":
      "INSERT INTO reward_totals SELECT party + 1, asset, amount FROM reward_totals ORDER BY party DESC LIMIT 1",
    "an epoch's rewards of another sum": "UPDATE reward_totals_by_epoch SET amount = amount + 1",
    "an epoch without its rewards": "DELETE FROM reward_totals_by_epoch",
    "oracle data of no spec": "DELETE FROM oracle_data_by_spec",
    "oracle data of another spec": "UPDATE oracle_data_by_spec SET spec = x'777777'",
    "old oracle data as the newest": "UPDATE oracle_data_current SET block = block - 1",
    "oracle data that nobody sent":
      "INSERT INTO oracle_data_current SELECT x'00', block, ord FROM oracle_data_current LIMIT 1",
    "an old position as the newest":
      "UPDATE positions_current SET block = (SELECT min(block) FROM positions p WHERE p.party = positions_current.party AND p.market = positions_current.market)",
  };
  let sample: string;
  beforeAll(async () => {
    sample = folder();
    await load(sample, SAMPLE);
  });

  test("are found, and those of a sound store agree", async () => {
    const db = openWriter(copyOf(sample));
    try {
      await checkRowsAgree(db);
      for (const [name, sql] of Object.entries(LIES)) {
        db.run("BEGIN");
        expect([name, db.query(sql).run().changes > 0]).toEqual([name, true]);
        expect([name, (await failure(checkRowsAgree(db))).code]).toEqual([name, "store_damaged"]);
        db.run("ROLLBACK");
      }
    } finally {
      db.close();
    }
  });

  test("refuse a backup, and are named by doctor --deep", async () => {
    const other = copyOf(sample);
    const db = openWriter(other);
    db.run(LIES["a trade of another market"]!);
    db.close();
    const { code, message } = await failure(restored(other));
    expect([code, message]).toEqual(["backup_damaged", expect.stringContaining("table trades")]);
    const { code: exit, out } = await lyra(["doctor", "--deep", "--home", other]);
    expect([exit, out]).toEqual([1, expect.stringContaining("table trades has columns of another message")]);
    expect((await restored(sample)).result.leftOut).toEqual([]);
  });
});

test("a row that is too large to be read is named by its table, and not read", async () => {
  // No segment covers the table.
  const huge = changedBy(
    `INSERT INTO node_signatures VALUES(x'01', zeroblob(${ROW_BYTES_MAX + 1}), 1, 1, 0)`,
  );
  const { code, message } = await failure(restored(huge));
  expect([code, message]).toEqual([
    "backup_damaged",
    expect.stringContaining("its table node_signatures has a row of more"),
  ]);
  const { code: exit, out } = await lyra(["doctor", "--deep", "--home", huge]);
  expect([exit, out]).toEqual([
    1,
    expect.stringContaining("the table node_signatures has a row of more than 64 MiB"),
  ]);
});

test("a trigger in a home is named by doctor, and ends what the scrub lets be read", async () => {
  const foreign = changedBy(TRIGGER);
  const { code, out } = await lyra(["doctor", "--home", foreign]);
  expect([code, out]).toEqual([1, expect.stringContaining("trigger bad is not the store's")]);
  expect((await failure(round(foreign))).message).toContain("trigger bad");
});

test("a chain that is watched for snapshots keeps its own triggers", async () => {
  const watched = folder();
  const { db } = writeBlocks(watched, rowed(1, 5));
  const { UndoLog } = await import("../../src/store/undo-log.ts");
  new UndoLog(db).enter(1);
  const triggers = () =>
    Number(db.query("SELECT count(*) FROM sqlite_schema WHERE type = 'trigger'").values()[0]![0]);
  const before = triggers();
  db.close();
  const { into, result } = await restored(watched);
  const copy = openReader(into);
  const after = Number(
    copy.query("SELECT count(*) FROM sqlite_schema WHERE type = 'trigger'").values()[0]![0],
  );
  copy.close();
  expect([before > 100, after, result.leftOut]).toEqual([true, before, []]);
});

describe("the configuration in a backup", () => {
  const STRANGE = 'host = "0.0.0.0"\n';
  let configured: string;
  beforeAll(() => {
    configured = copyOf();
    writeFileSync(join(configured, "lyra.toml"), STRANGE);
  });

  test("is put beside the store, where nothing reads it, and that is said", async () => {
    const { file, into, result } = await restored(configured);
    expect(result.settings).toBe("lyra.toml.restored");
    expect(existsSync(join(into, "lyra.toml"))).toBe(false);
    expect(readFileSync(join(into, "lyra.toml.restored"), "utf8")).toBe(STRANGE);
    const { err } = await lyra(["restore", file, "--home", join(folder(), "home")]);
    expect(err).toContain("its lyra.toml is not in use");
  });

  test("becomes the home's where that is asked for", async () => {
    const { into, result } = await restored(configured, true);
    expect(result.settings).toBe("lyra.toml");
    expect(readFileSync(join(into, "lyra.toml"), "utf8")).toBe(STRANGE);
  });
});

describe("a store of a newer program", () => {
  const NEWER = SCHEMA_VERSION + 1;

  test("is named as that in a backup, before anything is written", async () => {
    const { file } = await restored(home);
    // As many bytes, so that the archive stays whole.
    const changed = (manifest: string) =>
      JSON.stringify({ ...JSON.parse(manifest), hash: "", schema: NEWER }).padEnd(manifest.length);
    const archive = readFileSync(file, "latin1").replace(/\{"format":"lyra-backup[^\0]*/, changed);
    writeFileSync(file, archive, "latin1");
    const into = join(folder(), "home");
    const { code, message } = await failure(restoreHome({ file, home: into }));
    expect([code, message]).toEqual(["schema_newer", expect.stringContaining(`has schema ${NEWER}`)]);
    expect(existsSync(into)).toBe(false);
  });

  test("is named as that where another node fetches it", async () => {
    const node = new SharingNode(home);
    node.lie = async (_, path, honest) =>
      path === "/image"
        ? altered(await honest(), (body) => {
            if (body.image) body.image.schema = NEWER;
          })
        : honest();
    const into = folder();
    try {
      const { code, message } = await failure(
        fetchHistory({ home: into, source: new HistorySource(node.url) }),
      );
      expect([code, message]).toEqual(["schema_newer", expect.stringContaining(`has schema ${NEWER}`)]);
    } finally {
      await node.stop();
    }
    expect(node.asked.filter((path) => path.startsWith("/image/"))).toEqual([]);
    expect(existsSync(storePath(into)) || existsSync(sumsPath(storePath(into)))).toBe(false);
  });
});
