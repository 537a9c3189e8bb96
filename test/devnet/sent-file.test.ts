// The file that records up to where a data node took a devnet's events.
import { afterAll, beforeEach, expect, jest, test } from "bun:test";
import { mkdtempSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SENT_FILE, SentFile } from "../../src/devnet/sent-file.ts";
import { Scratch } from "../rig/homes.ts";

const scratch = new Scratch("sent-file");
const place = (id: number) => ({ id, hash: "AB".repeat(32), at: 7 });
let home: string;
let syncs: string[];
/** Notes the file's content at each sync of the disk. */
const disk = {
  sync: () => syncs.push(`now ${heldId()}`),
  syncSoon: () => syncs.push(`soon ${heldId()}`),
};
const heldId = () => JSON.parse(readFileSync(join(home, SENT_FILE), "utf8")).id;

beforeEach(() => {
  home = mkdtempSync(join(scratch.folder, "home-"));
  syncs = [];
});
afterAll(() => scratch.remove());

test("the disk has a place a moment after it was written, however often that is, and the last one at the end", () => {
  jest.useFakeTimers();
  try {
    const file = new SentFile(home, disk);
    for (const id of [1, 2, 3]) file.write(place(id));
    jest.advanceTimersByTime(1_000);
    file.write(place(4));
    file.close();
    jest.advanceTimersByTime(1_000);
    expect(syncs).toEqual(["soon 3", "now 4"]);
  } finally {
    jest.useRealTimers();
  }
});

test("a new one reads what was written, also when nothing was closed, and not what is damaged", () => {
  const file = new SentFile(home, disk);
  file.write(place(5));
  expect(new SentFile(home).read()).toEqual(place(5));
  file.close();
  const again = new SentFile(home, disk);
  again.write({ ...place(6), hash: "not hexadecimal" });
  again.close();
  expect(new SentFile(home).read()).toBeUndefined();
});
