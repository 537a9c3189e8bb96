// lyra doctor on a home with history segments: a changed byte in a file is found, and what helps is said.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { recordSegment, type SegmentRow } from "../../src/history/segment-table.ts";
import { openWriter, segmentDirectory } from "../../src/store/database.ts";
import { folder, makeSegments, removeFolders } from "../history/fixtures.ts";
import { Lyra } from "../rig/lyra.ts";

afterAll(removeFolders);

describe("history segments", () => {
  const home = folder();
  let rows: SegmentRow[];
  let path: string;
  let sound: Buffer;

  beforeAll(async () => {
    const db = openWriter(home);
    rows = await makeSegments(segmentDirectory(home), [
      { from: 1, to: 10, lines: ["1,a", "2,b"] },
      { from: 11, to: 20, lines: [] },
    ]);
    for (const row of rows) recordSegment(db, row);
    db.close();
    path = join(segmentDirectory(home), `${rows[0]!.id}.seg`);
    sound = readFileSync(path);
    chmodSync(path, 0o600);
  });

  async function finding() {
    const { code, out } = await new Lyra(["doctor", "--home", home, "--json"]).end();
    const { findings } = JSON.parse(out) as { findings: { check: string; ok: boolean; detail: string }[] };
    return { code, ...findings.find(({ check }) => check === "history segments")! };
  }

  test("that are whole", async () => {
    expect(await finding()).toMatchObject({ code: 0, ok: true, detail: "2 whole" });
  });

  test("with a changed byte among the rows", async () => {
    const changed = Buffer.from(sound);
    changed[8]! ^= 1;
    writeFileSync(path, changed);
    const { code, ok, detail } = await finding();
    expect([code, ok]).toEqual([1, false]);
    expect(detail).toBe(
      `1-10: the rows of trades are damaged (segments/${rows[0]!.id}.seg; restore its file from a backup, or remove it and restart the node to make it again)`,
    );
  });

  test("that were cut, or are gone", async () => {
    writeFileSync(path, sound.subarray(0, -1));
    expect(await finding()).toMatchObject({ code: 1, ok: false });
    rmSync(path);
    expect(await finding()).toMatchObject({ code: 1, ok: false });
  });
});

test.skipIf(process.platform === "win32")(
  "a store that cannot be looked at is not one that is missing",
  async () => {
    const home = folder();
    // As a folder without rights would, but of every user.
    symlinkSync("lyra.db", join(home, "lyra.db"));
    const doctor = await new Lyra(["doctor", "--home", home]).end();
    expect([doctor.code, doctor.out]).toEqual([1, expect.stringContaining("cannot be read (ELOOP)")]);
    for (const words of [["serve"], ["history", "segments"]]) {
      const { code, err } = await new Lyra([...words, "--home", home]).end();
      expect([code, err]).toEqual([1, expect.stringContaining("cannot be read (ELOOP)")]);
      expect(err).not.toContain("replay");
    }
  },
);
