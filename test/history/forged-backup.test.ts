// Backups and images that were made to fail, hang or mislead the program that takes them: each is refused as what it is.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { closeSync, existsSync, openSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readTar, TAR_END, tarHeader, tarPadding } from "../../src/files/tar.ts";
import { backupHome, restoreHome } from "../../src/history/backup.ts";
import { checkCopy } from "../../src/store/copy.ts";
import { openWriter, storePath } from "../../src/store/database.ts";
import { OPTIONAL_TABLES } from "../../src/store/schema.ts";
import { folder, homeOf, removeFolders, rowed } from "./fixtures.ts";

type File = readonly [name: string, bytes: Uint8Array];

let home: string;
let files: File[];
let manifest: { files: unknown[] } & Record<string, unknown>;
beforeAll(async () => {
  home = await homeOf(rowed(1, 57));
  const path = join(folder(), "backup.tar");
  await backupHome({ home, out: path });
  const [bytes, descriptor] = [readFileSync(path), openSync(path, "r")];
  files = readTar(descriptor, statSync(path).size, 100).map(
    (entry) => [entry.name, bytes.subarray(entry.offset, entry.offset + entry.bytes)] as const,
  );
  closeSync(descriptor);
  manifest = JSON.parse(Buffer.from(files.pop()![1]).toString());
});
afterAll(removeFolders);

const sha256 = (bytes: Uint8Array) => new Bun.CryptoHasher("sha256").update(bytes).digest("hex");

/** A backup whose manifest has the sums of what is in it. */
function packed(entries: readonly File[], change: (listed: typeof manifest) => unknown = (m) => m): string {
  const listed = entries.map(([name, bytes]) => ({ name, bytes: bytes.length, sha256: sha256(bytes) }));
  const text = Buffer.from(JSON.stringify(change({ ...manifest, files: listed })));
  const all: File[] = [...entries, ["manifest.json", text]];
  const pieces = all.flatMap(([name, bytes]) => [
    tarHeader(name, bytes.length),
    bytes,
    tarPadding(bytes.length),
  ]);
  const path = join(folder(), "forged.tar");
  writeFileSync(path, Buffer.concat([...pieces, TAR_END]));
  return path;
}

/** A backup with the store of the home after some statements. */
function storedBy(...statements: readonly string[]): string {
  const at = folder();
  writeFileSync(storePath(at), files[0]![1]);
  const db = openWriter(at);
  for (const sql of statements) db.run(sql);
  db.run("PRAGMA journal_mode = DELETE");
  db.close();
  return packed([["lyra.db", readFileSync(storePath(at))], ...files.slice(1)]);
}

async function refusal(file: string): Promise<string> {
  const into = join(folder(), "home");
  const error = await restoreHome({ file, home: into }).then(
    () => new Error("it was taken"),
    (thrown) => thrown,
  );
  expect([error.message, error.code]).toEqual([error.message, "backup_damaged"]);
  expect(existsSync(storePath(into))).toBe(false);
  return error.message.replace("the backup is not sound: ", "");
}

describe("a backup is refused", () => {
  test("whose manifest is not a list of files", async () => {
    expect(await refusal(packed(files, () => null))).toBe("it is not a backup of lyra");
    for (const change of [
      { files: [null] },
      { files: [{ name: 1 }] },
      { chainId: {} },
      { schema: "x" },
      { schema: -1 },
      { height: 1.5 },
    ])
      expect(await refusal(packed(files, (m) => ({ ...m, ...change })))).toBe("its manifest is damaged");
  });

  test("whose manifest names another chain than its store", async () => {
    const file = packed(files, (m) => ({ ...m, chainId: "\u001b[31mchain" }));
    expect(await refusal(file)).toBe("its store is of another chain than its manifest says");
  });

  test("with a segment that its store does not list, or an invalid id", async () => {
    const name = `segments/${"ab".repeat(32)}.seg`;
    const more = packed([...files, [name, Buffer.from("junk")]]);
    expect(await refusal(more)).toBe(`its store does not list ${name}`);
    const astray = storedBy("UPDATE segments SET id = '../../lyra'");
    expect(await refusal(astray)).toBe("its store lists a segment by what is not an id");
  });

  test("whose store is not a database, and not as a fault of this machine's disk", async () => {
    const store = files[0]![1];
    for (const bytes of [store.subarray(0, 100), store.subarray(0, store.length / 2), Buffer.alloc(8_192, 7)])
      expect(await refusal(packed([["lyra.db", bytes], ...files.slice(1)]))).toStartWith("its store: ");
  });

  test("whose rows are not those of its segments", async () => {
    const file = storedBy("UPDATE blocks SET height = height + 1 WHERE no = 20");
    expect(await refusal(file)).toMatch(
      /the store.s rows of blocks in blocks \d+ to \d+ are not those of the history segment/,
    );
  });

  test("whose head is not JSON, or names a chain by characters that would steer a terminal", async () => {
    expect(await refusal(storedBy("UPDATE meta SET value = '{' WHERE key = 'head'"))).toContain("not JSON");
    const steering = "UPDATE meta SET value = json_set(value, '$.chainId', char(27) || '[2J')";
    expect(await refusal(storedBy(steering))).toContain("its head is not the one of its blocks");
  });

  test("that claims rows removed up to a block that it lacks", async () => {
    const floor = (value: string) =>
      storedBy(OPTIONAL_TABLES.retention, `INSERT INTO retention VALUES('trades', '${value}')`);
    expect(await refusal(floor('{"no":1000000000,"height":1,"timeUs":1}'))).toContain("does not have");
    expect(await refusal(floor("null"))).toContain("does not have");
    expect(await refusal(floor("{"))).toContain("not JSON");
  });

  test("with another table of SQLite's own numbers", async () => {
    const bytes = Buffer.from(files[0]![1]);
    const at = bytes.indexOf("CREATE TABLE sqlite_sequence(name,seq)");
    bytes.write("sEq", at + "CREATE TABLE sqlite_sequence(name,".length);
    expect(await refusal(packed([["lyra.db", bytes], ...files.slice(1)]))).toContain("table sqlite_sequence");
  });
});

test("nothing is read of an image that has other tables: a view could take any time", () => {
  const at = folder();
  writeFileSync(storePath(at), files[0]![1]);
  const db = openWriter(at);
  // Reading it would be an error of another kind.
  db.run("CREATE VIEW retention AS SELECT 'trades' AS name, json_extract('{', '$') AS value");
  db.close();
  expect(() => checkCopy(storePath(at), "foreign")).toThrow("it has other tables than a store has");
});
