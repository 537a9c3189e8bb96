// A store that another program cuts short, or whose disk fails, while it is read: a read behind its end is an error, which
// ends a request. With the store mapped into memory it is a bus error, which ends the process.
import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openWriter, storePath } from "../../src/store/database.ts";
import { load, SAMPLE, Scratch } from "../rig/homes.ts";

const scratch = new Scratch("store-cut");
const CUT_READER = join(import.meta.dir, "../rig/cut-reader.ts");
afterAll(() => scratch.remove());

test("given a reader, when its store is cut, then its reads fail and its process lives", async () => {
  const home = scratch.path();
  await load(home, SAMPLE);
  const child = Bun.spawn([process.execPath, CUT_READER, home], { stdout: "pipe", stderr: "ignore" });
  const out = await new Response(child.stdout).text();
  await child.exited;
  expect([child.signalCode, child.exitCode, out]).toEqual([null, 0, "error\n"]);
});

test("a store that was cut to nothing is no new one: its log is kept, and the node does not begin anew", async () => {
  const home = scratch.path();
  await load(home, SAMPLE);
  truncateSync(storePath(home), 0);
  expect(() => openWriter(home)).toThrow(
    expect.objectContaining({ code: "store_damaged", message: "the store is empty, and it had pages" }),
  );
});

describe("a store that was removed is named, and nothing of its home is removed", () => {
  const beside: [string, (home: string) => void][] = [
    ["lyra.db-sums", () => {}],
    ["events/read", (home) => rmSync(`${storePath(home)}-sums`)],
    ["segments/0a.seg", (home) => rmSync(join(home, "events"), { recursive: true })],
  ];
  test.each(beside)("by %s", async (left) => {
    const home = scratch.path();
    await load(home, SAMPLE);
    for (const folder of ["events", "segments"]) mkdirSync(join(home, folder), { recursive: true });
    writeFileSync(join(home, "events/read"), "1 4096");
    writeFileSync(join(home, "segments/0a.seg"), "rows");
    rmSync(storePath(home));
    for (const [, removeEarlier] of beside.slice(0, beside.findIndex(([name]) => name === left) + 1))
      removeEarlier(home);
    const files = readdirSync(home, { recursive: true }).sort();
    expect(() => openWriter(home)).toThrow(
      expect.objectContaining({
        code: "store_missing",
        message: `lyra.db is not there, and ${left} is of a home that had one`,
      }),
    );
    expect(readdirSync(home, { recursive: true }).sort()).toEqual(files);
  });
});
