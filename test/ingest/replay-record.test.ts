// lyra replay --record: what was loaded, written again, loads to the same rows.
import { expect, test } from "bun:test";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SAMPLE_PATH } from "../../scripts/make-sample.ts";
import { EventFile } from "../../src/chain/event-file.ts";
import { recordingHooks } from "../../src/cli/replay.ts";
import { replayFiles } from "../../src/ingest/replay.ts";
import { BlockWriter } from "../../src/store/block-writer.ts";
import { openWriter } from "../../src/store/database.ts";
import { digestStore } from "../../src/store/dump.ts";
import { PROGRAM } from "../rig/lyra.ts";

async function replay(...words: string[]) {
  const child = Bun.spawn([...PROGRAM, "replay", ...words, "--json"], {
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, out, err };
}

function digest(home: string): string {
  const db = openWriter(home);
  try {
    return digestStore(db, home).sha256;
  } finally {
    db.close();
  }
}

test("given a recording, when it is replayed with --record, then the new file loads to the same rows", async () => {
  const folder = mkdtempSync(join(tmpdir(), "lyra-record-"));
  try {
    const [first, second, file] = ["first", "second", "again.evts"].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    expect((await replay(SAMPLE_PATH, "--home", first, "--record", file)).code).toBe(0);
    const again = await replay(file, "--home", second);
    expect([again.code, JSON.parse(again.out).height]).toEqual([0, 3010]);
    expect(digest(second)).toBe(digest(first));
    // The file goes on with this home only, and with nothing that is not in it.
    const other = await replay(SAMPLE_PATH, "--home", first, "--record", join(folder, "new.evts"));
    expect([other.code, other.out + other.err]).toEqual([
      1,
      expect.stringContaining("it is not there, and the chain is at block 3010"),
    ]);
    const both = await replay(SAMPLE_PATH, "--home", first, "--serve", "--record", file);
    expect(both.code).toBe(2);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 120_000);

test("given a process that is killed behind any commit, then the record reaches as far as the home", async () => {
  const folder = mkdtempSync(join(tmpdir(), "lyra-record-"));
  const db = openWriter(join(folder, "home"));
  try {
    const path = join(folder, "again.evts");
    const recording = new EventFile(path);
    recording.open(undefined);
    const copies: string[] = [];
    const writer = new BlockWriter(db);
    await replayFiles(writer, db, [SAMPLE_PATH], {
      ...recordingHooks(recording),
      // A commit has ended, and nothing else has been done.
      onCommit(head) {
        const copy = join(folder, `at-${head.height}-${copies.length}.evts`);
        copyFileSync(path, copy);
        copies.push(copy);
        const later = new EventFile(copy);
        expect(() => later.open(head)).not.toThrow();
        later.close();
        recordingHooks(recording).onCommit();
      },
    });
    recording.close();
    expect(copies.length).toBeGreaterThan(1);
  } finally {
    db.close();
    rmSync(folder, { recursive: true, force: true });
  }
}, 120_000);

test("given a record that cannot be written, then no block is committed without it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "lyra-record-"));
  const db = openWriter(join(folder, "home"));
  try {
    const writer = new BlockWriter(db);
    let reports = 0;
    const full = replayFiles(writer, db, [SAMPLE_PATH], {
      onBlock() {
        if (++reports === 100) throw new Error("no room");
      },
    });
    expect(full).rejects.toThrow("no room");
    await full.catch(() => {});
    expect(writer.committedHead?.height ?? 0).toBeLessThan(99);
  } finally {
    db.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
