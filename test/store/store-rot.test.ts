// A store whose file changed behind the program's back: SQLite's own checks take another number for a number.
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cpSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Dice } from "../../scripts/sample/seeded.ts";
import { replayFiles } from "../../src/ingest/replay.ts";
import { loadConfig } from "../../src/node/config.ts";
import { scrub } from "../../src/node/scrub.ts";
import { startNode } from "../../src/start-node.ts";
import { BlockWriter } from "../../src/store/block-writer.ts";
import { checkLogWhole, openReader, openWriter, storePath } from "../../src/store/database.ts";
import { checkPages } from "../../src/store/page-check.ts";
import { sumsPath } from "../../src/store/page-sums.ts";
import type { Block } from "../../src/wire/block.ts";
import { Scratch } from "../rig/homes.ts";
import { ListeningLyra, Lyra, SOURCES } from "../rig/lyra.ts";
import { shortSample } from "../rig/stream.ts";
import { eventually } from "../support/eventually.ts";
import { runs } from "../support/seed.ts";

const SAMPLE = shortSample(600);

const scratch = new Scratch("rot");
const sound = scratch.path("sound");
const never = new Promise(() => {});

beforeAll(async () => {
  const loading = new Lyra(["replay", SAMPLE, "--home", sound, "--segment-length", "50", "--quiet"]);
  expect((await loading.end()).code).toBe(0);
}, 120_000);
afterAll(() => scratch.remove());

function copy(): string {
  const home = scratch.path("copy");
  cpSync(sound, home, { recursive: true });
  return home;
}

/** As a flipped bit would, and SQLite's integrity check finds nothing. */
function withOtherAmount(): string {
  const home = copy();
  const db = new Database(storePath(home));
  const { changes } = db.run(
    `UPDATE balances SET balance = balance + 1 WHERE (block, account) IN
       (SELECT block, account FROM balances WHERE typeof(balance) = 'integer' LIMIT 1)`,
  );
  expect(changes).toBe(1);
  expect(db.query("PRAGMA integrity_check").values()).toEqual([["ok"]]);
  db.close();
  return home;
}

const scrubbing = (home: string) => scrub({ home, isStopping: () => false, stopped: never, restMs: 0 });

async function doctor(home: string) {
  const { code, out } = await new Lyra(["doctor", "--deep", "--home", home, "--json"]).end();
  const { findings } = JSON.parse(out) as { findings: { check: string; ok: boolean; detail: string }[] };
  return { code, findings, rows: findings.find(({ check }) => check === "rows") };
}

describe("rows that are not those of the segment", () => {
  test("are found by doctor --deep, which finds nothing in a sound store", async () => {
    expect(await doctor(sound)).toMatchObject({ code: 0, rows: { ok: true } });
    const { code, rows } = await doctor(withOtherAmount());
    expect([code, rows?.ok]).toEqual([1, false]);
    expect(rows!.detail).toContain("rows of balances");
  });

  test("are found by the scrub", async () => {
    await scrubbing(sound);
    expect(scrubbing(withOtherAmount())).rejects.toMatchObject({ code: "store_damaged" });
  });

  test("are not served any more once the scrub has found them", async () => {
    const node = await startNode({
      ...loadConfig({ home: withOtherAmount() }),
      dataPort: 0,
      grpcDataPort: 0,
    });
    try {
      const ready = () => fetch(`${node.dataUrl}/readyz`);
      await eventually(async () => (await ready()).status !== 200);
      expect(await (await ready()).json()).toMatchObject({
        code: 14,
        message: "the store is damaged: store_damaged",
      });
      const data = await fetch(`${node.dataUrl}/api/v2/assets`);
      expect([data.status, await data.json()]).toEqual([
        503,
        { code: 14, message: "the store is damaged: store_damaged", details: [] },
      ]);
      expect(await (await fetch(`${node.dataUrl}/metrics`)).text()).toContain("\nlyra_store_damaged 1\n");
      expect((await fetch(`${node.dataUrl}/healthz`)).status).toBe(200);
    } finally {
      await node.stop();
    }
  }, 120_000);
});

async function sampleBlocks(): Promise<Block[]> {
  const db = openWriter(scratch.path("blocks"));
  const blocks: Block[] = [];
  await replayFiles(new BlockWriter(db), db, [SAMPLE], { onBlock: (block) => void blocks.push(block) });
  db.close();
  return blocks;
}

function holdOrLeave(reader: Database): void {
  if (reader.inTransaction) {
    reader.run("COMMIT");
    return;
  }
  reader.run("BEGIN");
  reader.query("SELECT count(*) FROM blocks").get();
}

describe("sums of pages", () => {
  const damaged = { code: "store_damaged" };

  function flip(path: string, offset: number, bit: number): void {
    const bytes = readFileSync(path);
    bytes[offset]! ^= 1 << bit;
    writeFileSync(path, bytes);
  }

  test("find a flipped bit wherever it is in the store", async () => {
    const home = copy();
    const { isLater, sumsDamaged, pages } = (await checkPages(home))!;
    expect({ isLater, sumsDamaged, bytes: pages * 8192 }).toEqual({
      isLater: false,
      sumsDamaged: 0,
      bytes: statSync(storePath(home)).size,
    });
    const dice = new Dice(7);
    for (let i = 0; i < runs(40); i++) {
      const [offset, bit] = [dice.below(pages * 8192), dice.below(8)];
      flip(storePath(home), offset, bit);
      // A store that cannot be opened is noticed by that.
      expect(scrubbing(home), `byte ${offset}, bit ${bit}`).rejects.toMatchObject(damaged);
      flip(storePath(home), offset, bit);
    }
    await scrubbing(home);
  });

  test("find it in the log", async () => {
    const home = scratch.path("in-log");
    const db = openWriter(home);
    try {
      await replayFiles(new BlockWriter(db), db, [SAMPLE]);
      await checkPages(home);
      const log = `${storePath(home)}-wal`;
      flip(log, Math.floor(statSync(log).size / 2), 3);
      expect(checkPages(home)).rejects.toMatchObject(damaged);
    } finally {
      db.close();
    }
  });

  test("tell a flipped sum from a flipped page", async () => {
    const home = copy();
    flip(sumsPath(storePath(home)), 4096 + 8 * 20, 0);
    expect(await checkPages(home)).toMatchObject({ sumsDamaged: 1 });
  });

  test("are right while a writer commits and folds its log, with a reader in its way", async () => {
    const home = scratch.path("beside");
    const blocks = await sampleBlocks();
    const db = openWriter(home);
    const reader = openReader(home);
    try {
      const writer = new BlockWriter(db, { checkpointBytes: 256 * 1024 });
      for (const [i, block] of blocks.entries()) {
        writer.stage(block);
        if (i % 10 === 0) writer.commit();
        if (i % 100 === 0) holdOrLeave(reader);
        if (i % 50 === 0) expect(await checkPages(home)).toMatchObject({ sumsDamaged: 0 });
      }
      writer.commit();
    } finally {
      reader.close();
      db.close();
    }
    expect(await checkPages(home)).toMatchObject({ sumsDamaged: 0, isLater: false });
  });

  test("take a log that begins anew for whole, at each look", async () => {
    const home = scratch.path("anew");
    const writer = new Worker(new URL("../rig/folding-writer.worker.ts", import.meta.url).href);
    try {
      const isWriting = new Promise((resolve) => writer.addEventListener("message", resolve));
      writer.postMessage(home);
      await isWriting;
      for (let look = 0; look < runs(1_500); look++) checkLogWhole(home);
    } finally {
      writer.terminate();
    }
  });

  test("are made by the first writer of a store that has none, which doctor says", async () => {
    const home = copy();
    rmSync(sumsPath(storePath(home)));
    const findings = async () => (await doctor(home)).findings.find(({ check }) => check === "page sums");
    expect(await findings()).toMatchObject({ ok: true, detail: expect.stringContaining("none yet") });
    openWriter(home).close();
    expect(await findings()).toMatchObject({
      ok: true,
      detail: expect.stringContaining("when the sums were first made"),
    });
    flip(storePath(home), 100_000, 1);
    expect(await findings()).toMatchObject({ ok: false, detail: expect.stringContaining("page 13 ") });
  });
});

test("a devnet does not serve a store that has changed while it was away", async () => {
  const home = scratch.path("devnet");
  const words = ["devnet", "--home", home, "--node-port", "0", "--data-port", "0", "--faucet-port", "0"];
  const first = new ListeningLyra<{ dataUrl: string }>([...words, "--quiet"]);
  await first.listens();
  expect((await first.stop()).code).toBe(0);
  const store = readFileSync(storePath(home));
  // The chain itself starts: what changes is a byte between the rows of a page.
  const hole = store.indexOf(Buffer.alloc(1024), 8192);
  expect(hole).toBeGreaterThan(0);
  store[hole + 512] = 1;
  writeFileSync(storePath(home), store);
  const again = new ListeningLyra<Record<"dataUrl" | "nodeUrl" | "faucetUrl", string>>([...words, "--quiet"]);
  const { dataUrl, nodeUrl, faucetUrl } = await again.listens();
  await eventually(async () => (await fetch(`${dataUrl}/readyz`)).status !== 200);
  for (const url of [`${dataUrl}/api/v2/assets`, `${dataUrl}/statistics`, `${nodeUrl}/statistics`]) {
    const answer = await fetch(url);
    expect([answer.status, await answer.json()], url).toMatchObject([503, { code: 14, details: [] }]);
  }
  expect((await fetch(`${nodeUrl}/readyz`)).status).toBe(503);
  expect((await fetch(`${faucetUrl}/api/v1/mint`, { method: "POST", body: "{}" })).status).toBe(503);
  expect((await again.stop()).err).toContain('"code":"store_damaged"');
}, 120_000);

test("a store that is cut short is an orderly error, one line in the log, and not ready", async () => {
  const home = copy();
  const lyra = new ListeningLyra<{ dataUrl: string }>([
    "serve",
    "--home",
    home,
    "--data-port",
    "0",
    "--quiet",
  ]);
  const { dataUrl } = await lyra.listens();
  truncateSync(storePath(home), Math.floor(statSync(storePath(home)).size / 2));
  const paths = ["assets", "balance/changes", "parties", "orders", "markets", "epochs?a=b"];
  for (const path of [...paths, ...paths]) {
    const answer = await fetch(`${dataUrl}/api/v2/${path}`);
    const body = await answer.json();
    if (answer.status !== 200 && answer.status !== 404) expect(body).toMatchObject({ code: 14, details: [] });
  }
  await eventually(async () => (await fetch(`${dataUrl}/readyz`)).status !== 200);
  expect((await fetch(`${dataUrl}/api/v2/assets`)).status).toBe(503);
  const { err } = await lyra.stop();
  expect(err).toContain('"code":"store_damaged"');
  for (const line of err.trim().split("\n")) JSON.parse(line);
}, 120_000);

test("a fault of the process is one line of JSON in the log, without a stack", async () => {
  const [bun, main] = SOURCES;
  const program = [bun!, "--preload", join(import.meta.dir, "../rig/throws-later.ts"), main!];
  const { code, err } = await new Lyra(["serve", "--home", copy(), "--data-port", "0"], { program }).end();
  expect(code).toBe(1);
  const last = JSON.parse(err.trim().split("\n").at(-1)!);
  expect(last).toMatchObject({
    level: "error",
    code: "internal",
    hint: expect.stringContaining("LYRA_DEBUG"),
  });
  expect(err).not.toContain("secret");
}, 120_000);

test("a log that readers hold is bounded: the writer waits for them", async () => {
  const home = scratch.path("log");
  const db = openWriter(home);
  const reader = new Worker(new URL("../rig/holding-reader.worker.ts", import.meta.url).href);
  try {
    reader.postMessage(home);
    await new Promise((resolve) => reader.addEventListener("message", resolve, { once: true }));
    const options = { checkpointBytes: 256 * 1024, logBytesMax: 1024 * 1024 };
    let longest = 0;
    await replayFiles(new BlockWriter(db, options), db, [SAMPLE], {
      onCommit: () => void (longest = Math.max(longest, statSync(`${storePath(home)}-wal`).size)),
    });
    expect(longest).toBeLessThan(1.5 * 1024 * 1024);
  } finally {
    reader.terminate();
    db.close();
  }
  openReader(home).close();
}, 120_000);

test("a node that cannot start says so in a line of JSON; what was asked wrongly is said to a person", async () => {
  const missing = scratch.path("missing");
  const damaged = copy();
  writeFileSync(storePath(damaged), "not a database, but long enough to be read as one".repeat(40));
  const genesis = scratch.file("{", "genesis.json");
  const cases: readonly [words: string[], code: number, said: object][] = [
    [["serve", "--home", missing], 3, { attempt: "serve", code: "store_missing" }],
    [["serve", "--home", damaged], 1, { code: "store_unreadable" }],
    [["replay", SAMPLE, "--serve", "--home", damaged], 1, { code: "store_unreadable" }],
    [["devnet", "--home", damaged], 1, { level: "error" }],
    [["devnet", "--home", missing, "--genesis", genesis], 1, { level: "error" }],
  ];
  for (const [words, code, said] of cases) {
    const ended = await new Lyra([...words, "--data-port", "0"]).end();
    const [line, ...rest] = ended.err.split("\n");
    expect([ended.code, rest], `${words} ${ended.err}`).toEqual([code, [""]]);
    const hint = expect.any(String);
    expect(JSON.parse(line!)).toMatchObject({ time: expect.any(String), level: "error", hint, ...said });
  }
  expect((await new Lyra(["replay", SAMPLE, "--home", damaged]).end()).err).toStartWith("lyra: the store");
  for (const words of [
    ["serve", "--data-port", "x"],
    ["devnet", "--no-such-flag"],
    ["devnet", "fund"],
  ])
    expect((await new Lyra(words).end()).err, words.join(" ")).toStartWith("lyra: ");
}, 120_000);
