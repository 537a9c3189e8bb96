// A devnet's files beside its store (devnet/home.ts): its genesis comes back whatever becomes of the file, and a
// reset that is cut off anywhere loses nothing of the last chain before the new one exists.
import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { alreadyRuns, putBack, removeAside, setAside, settleReset } from "../../src/devnet/home.ts";
import { NodeError } from "../../src/errors/node-error.ts";
import { storePath } from "../../src/store/database.ts";
import { Scratch } from "../rig/homes.ts";
import { NO_HTTP, startTestDevnet } from "../support/test-devnet.ts";

const scratch = new Scratch("devnet-home");
afterAll(() => scratch.remove());

/** In the order in which they are moved. */
const NAMES = ["lyra.db", "lyra.db-wal", "lyra.db-shm", "segments", "genesis.json", "devnet.json"];
const NOT_MOVED = ["lock.db", "lyra.pid"];

function chain(home: string, word: string, names = NAMES): void {
  mkdirSync(home, { recursive: true });
  for (const name of names) {
    if (name !== "segments") writeFileSync(join(home, name), `${word} ${name}`);
    else {
      mkdirSync(join(home, name));
      writeFileSync(join(home, name, "1"), `${word} ${name}`);
    }
  }
}

function contentOf(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const paths = files.map((entry) => join(entry.parentPath, entry.name)).sort();
  const kept = paths.filter((path) => !NOT_MOVED.some((name) => path.endsWith(name)));
  return Object.fromEntries(kept.map((path) => [path.slice(folder.length), readFileSync(path, "utf8")]));
}

function move(from: string, to: string, names: readonly string[]): void {
  for (const name of names) if (existsSync(join(from, name))) renameSync(join(from, name), join(to, name));
}

test("the refusal of a home in which a devnet runs says where it is and how npm starts another", () => {
  const home = scratch.path();
  mkdirSync(home, { recursive: true });
  const inUse = new NodeError("home.lock", "home_in_use", "process 5 is using the home", "stop it");
  expect(alreadyRuns(inUse, home, "start")).toBe(inUse);
  const address = { nodeUrl: "http://127.0.0.1:3003", pid: process.pid };
  writeFileSync(join(home, "devnet.json"), JSON.stringify(address));
  expect(alreadyRuns(inUse, home, "start")).toMatchObject({
    message: "process 5 is using the home: a devnet already runs there, at http://127.0.0.1:3003/",
    hint: "stop it, or start another beside it with: npm start -- --home DIR --port 0",
  });
});

test("put aside and back again", () => {
  const home = scratch.path();
  chain(home, "last");
  const before = contentOf(home);
  setAside(home);
  expect(NAMES.filter((name) => existsSync(join(home, name)))).toEqual([]);
  chain(home, "new", ["lyra.db", "genesis.json"]);
  putBack(home);
  expect(contentOf(home)).toEqual(before);
  setAside(home);
  chain(home, "new");
  // Cut off before the new one listened: the last one is still there for the next reset.
  setAside(home);
  chain(home, "newer");
  putBack(home);
  expect(contentOf(home)).toEqual(before);
  setAside(home);
  chain(home, "new");
  removeAside(home);
  expect(Object.values(contentOf(home)).every((text) => text.startsWith("new "))).toBe(true);
});

test.each([NAMES, NAMES.filter((name) => !/-wal|-shm|devnet/.test(name))])("cut off anywhere", (...names) => {
  const whole = scratch.path();
  chain(whole, "last", names);
  const before = contentOf(whole);
  for (let moved = 0; moved <= NAMES.length; moved++) {
    // While it was put aside.
    const home = scratch.path();
    cpSync(whole, home, { recursive: true });
    const taking = join(home, "before-reset.taking");
    mkdirSync(taking);
    move(home, taking, NAMES.slice(0, moved));
    const half = scratch.path();
    cpSync(home, half, { recursive: true });
    settleReset(home);
    expect(contentOf(home)).toEqual(before);
    setAside(half);
    putBack(half);
    expect(contentOf(half)).toEqual(before);
    // While the new one was removed, to put it back.
    const back = scratch.path();
    chain(back, "new", NAMES.slice(moved));
    cpSync(whole, join(back, "before-reset.giving-back"), { recursive: true });
    settleReset(back);
    expect(contentOf(back)).toEqual(before);
  }
});

test("a chain keeps its genesis, whatever becomes of the file", async () => {
  const home = scratch.path();
  const file = join(home, "genesis.json");
  const begin = async () => {
    const { resumed, stop } = await startTestDevnet({ oneThread: NO_HTTP, home });
    await stop();
    return resumed;
  };
  expect(await begin()).toBe("");
  const genesis = readFileSync(file, "utf8");
  rmSync(file);
  expect(await begin()).toEndWith("; genesis.json was gone and is there again");
  expect(readFileSync(file, "utf8")).toBe(genesis);
  const edited = genesis.replace('"lyra-devnet"', '"other"');
  expect(edited).not.toBe(genesis);
  writeFileSync(file, edited);
  expect(await begin()).toEndWith("; genesis.json was not this chain's, and is genesis.other.json now");
  expect(readFileSync(file, "utf8")).toBe(genesis);
  expect(readFileSync(join(home, "genesis.other.json"), "utf8")).toBe(edited);
  expect(await begin()).toMatch(/^resumed at block \d+[^;]*$/);
  // Of a version that kept it in the file alone.
  using db = new Database(storePath(home));
  db.run("DELETE FROM chain_meta WHERE key = 'genesis'");
  db.close();
  expect(await begin()).toMatch(/^resumed at block \d+[^;]*$/);
  rmSync(file);
  await expect(begin()).rejects.toMatchObject({ code: "genesis_missing" });
  expect(existsSync(file)).toBe(false);
  setAside(home);
  expect(await begin()).toBe("");
}, 120_000);
