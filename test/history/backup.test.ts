// Backup of a home and the way back: whole or not there, whatever happens on the way.
import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import {
  cpSync,
  existsSync,
  fstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { NodeError } from "../../src/errors/node-error.ts";
import { realSteps } from "../../src/files/whole-file.ts";
import { backupHome, restoreHome } from "../../src/history/backup.ts";
import { openWriter, storePath } from "../../src/store/database.ts";
import { digestOf, headOf } from "../rig/homes.ts";
import { Lyra } from "../rig/lyra.ts";
import { anyMoment, turns } from "../support/eventually.ts";
import { folder, homeOf, program, removeFolders, rowed, run, writeBlocks } from "./fixtures.ts";

let home: string;
let backup: string;
const SETTINGS = "data-port = 3018\n";

beforeAll(async () => {
  home = await homeOf(rowed(1, 57));
  writeFileSync(join(home, "lyra.toml"), SETTINGS);
  mkdirSync(join(home, "wallets"));
  writeFileSync(join(home, "wallets", "mine"), "secret");
  backup = join(folder(), "backup.tar");
  await backupHome({ home, out: backup });
});
afterAll(removeFolders);

async function failure(work: Promise<unknown>): Promise<NodeError> {
  const error = await work.then(
    () => new Error("it succeeded"),
    (thrown) => thrown,
  );
  if (!(error instanceof NodeError)) throw error;
  return error;
}

describe("a backup", () => {
  test("brings back all of a home but its wallets", async () => {
    const into = join(folder(), "home");
    const result = await restoreHome({ file: backup, home: into });
    expect(result).toMatchObject({ chainId: "chain-x", height: 57, segments: 5 });
    expect(digestOf(into).sha256).toBe(digestOf(home).sha256);
    expect(readFileSync(join(into, "lyra.toml.restored"), "utf8")).toBe(SETTINGS);
    expect(existsSync(join(into, "wallets"))).toBe(false);
    expect(readFileSync(backup).includes("secret")).toBe(false);
  });

  test("and its way back have all bytes on the disk before anything has its name", async () => {
    const out = join(folder(), "b.tar");
    const into = join(folder(), "home");
    const synced = new Set<number>();
    const { sync } = realSteps;
    const spy = spyOn(realSteps, "sync").mockImplementation((descriptor) => {
      sync(descriptor);
      synced.add(fstatSync(descriptor).ino);
    });
    try {
      await backupHome({ home, out });
      await restoreHome({ file: out, home: into });
    } finally {
      spy.mockRestore();
    }
    const files = [
      out,
      storePath(into),
      ...readdirSync(join(into, "segments")).map((name) => join(into, "segments", name)),
    ];
    expect(files).toHaveLength(7);
    expect(files.filter((path) => !synced.has(statSync(path).ino))).toEqual([]);
  });

  test("is made while the home is written", async () => {
    const busy = folder();
    const { db, writer } = writeBlocks(busy, rowed(1, 5));
    const out = join(folder(), "b.tar");
    const backup = backupHome({ home: busy, out });
    for (const block of rowed(6, 30)) {
      writer.write({ chainId: "chain-x", txHashes: [block.hash!], ...block, hash: block.hash!, events: [] });
      await turns(1);
    }
    await backup;
    db.close();
    const into = join(folder(), "home");
    await restoreHome({ file: out, home: into });
    expect(headOf(into)?.height).toBeGreaterThanOrEqual(5);
  });

  test("is a tar archive that other programs read", () => {
    const tar = program("tar");
    if (tar === undefined) return;
    const names = run([tar, "tf", backup]).trim().split("\n");
    expect([names[0], names.at(-1), names.length]).toEqual(["lyra.db", "manifest.json", 8]);
  });

  test("takes the place of a file only when it is told to", async () => {
    expect((await failure(backupHome({ home, out: backup }))).code).toBe("file_exists");
    expect(await backupHome({ home, out: backup, force: true })).toMatchObject({ height: 57 });
  });

  test("is not made of a damaged store", async () => {
    const damaged = folder();
    cpSync(home, damaged, { recursive: true });
    const bytes = readFileSync(storePath(damaged));
    bytes[bytes.length - 3_000]! ^= 1;
    writeFileSync(storePath(damaged), bytes);
    const out = join(folder(), "b.tar");
    expect((await failure(backupHome({ home: damaged, out }))).code).toBe("store_damaged");
    expect(readdirSync(join(out, ".."))).toEqual([]);
  });

  test("is not made of rows that are not those of a segment", async () => {
    const other = folder();
    cpSync(home, other, { recursive: true });
    const db = openWriter(other);
    db.run(
      "UPDATE checkpoints SET data = (SELECT data FROM checkpoints WHERE height = 26) WHERE height = 27",
    );
    db.close();
    const { message } = await failure(backupHome({ home: other, out: join(folder(), "b.tar") }));
    expect(message).toContain("rows of checkpoints in blocks 21 to 30");
  });

  test("of a killed process leaves no file under its name, and the next one is whole", async () => {
    const out = join(folder(), "b.tar");
    const words = ["backup", "--home", home, "--out", out, "--quiet"];
    for (const ms of [150, 220]) {
      const making = new Lyra(words);
      await anyMoment(ms);
      making.kill("SIGKILL");
      await making.end();
      if (existsSync(out)) {
        expect(await restoreHome({ file: out, home: join(folder(), "home") })).toMatchObject({ height: 57 });
      }
    }
    expect(await new Lyra([...words, "--force"]).end()).toMatchObject({ code: 0, err: "" });
    expect(readdirSync(join(out, ".."))).toEqual(["b.tar"]);
  });
});

describe("a restore", () => {
  test("of a damaged backup changes nothing, wherever the bit has flipped", async () => {
    const sound = readFileSync(backup);
    const into = join(folder(), "home");
    for (const at of [10, 130, 600, 20_000, sound.length - 2_000, sound.length - 1_300]) {
      const path = join(folder(), "b.tar");
      const bytes = Buffer.from(sound);
      bytes[at]! ^= 1;
      writeFileSync(path, bytes);
      const error = await failure(restoreHome({ file: path, home: into }));
      expect([at, error.code, error.exitCode]).toEqual([at, "backup_damaged", 4]);
      expect(existsSync(into)).toBe(false);
    }
  });

  test("of a backup that is cut off changes nothing", async () => {
    const sound = readFileSync(backup);
    for (const length of [0, 511, 700, sound.length / 2, sound.length - 1_024]) {
      const path = join(folder(), "b.tar");
      writeFileSync(path, sound.subarray(0, length));
      expect((await failure(restoreHome({ file: path, home: join(folder(), "h") }))).code).toBe(
        "backup_damaged",
      );
    }
  });

  test("refuses a home that has something", async () => {
    const error = await failure(restoreHome({ file: backup, home }));
    expect([error.code, error.message]).toEqual(["home_not_empty", expect.stringContaining("is not empty")]);
  });

  test("that was killed is followed by one that ends it", async () => {
    const into = join(folder(), "home");
    const words = ["restore", backup, "--home", into, "--quiet"];
    for (const ms of [110, 150]) {
      const restoring = new Lyra(words);
      await anyMoment(ms);
      restoring.kill("SIGKILL");
      await restoring.end();
      if (existsSync(storePath(into))) break;
    }
    if (!existsSync(storePath(into))) {
      expect(await new Lyra(words).end()).toMatchObject({ code: 0, err: "" });
    }
    expect(digestOf(into).sha256).toBe(digestOf(home).sha256);
  });

  test("of a home cut off between its last steps is made again", async () => {
    const into = folder();
    mkdirSync(join(into, "restore.tmp"));
    cpSync(join(home, "segments"), join(into, "segments"), { recursive: true });
    writeFileSync(join(into, "lyra.db-sums"), "half");
    await restoreHome({ file: backup, home: into });
    expect(digestOf(into).sha256).toBe(digestOf(home).sha256);
  });
});
