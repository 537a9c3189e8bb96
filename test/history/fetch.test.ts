// History of another node: a home that is filled has what the other has, and one that lies changes nothing.
import { afterAll, afterEach, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { cpSync, existsSync, fstatSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { NodeError } from "../../src/errors/node-error.ts";
import { realSteps } from "../../src/files/whole-file.ts";
import { listSegments } from "../../src/history/segment-table.ts";
import { type FetchOptions, fetchHistory } from "../../src/history/sharing/fetch.ts";
import { HistorySource, type SourceOptions } from "../../src/history/sharing/source.ts";
import { BlockWriter } from "../../src/store/block-writer.ts";
import { openReader, openWriter, storePath } from "../../src/store/database.ts";
import { altered, endless, flipped, type Lie, SharingNode, silent } from "../rig/history-source.ts";
import { digestOf, headOf } from "../rig/homes.ts";
import { Lyra } from "../rig/lyra.ts";
import { eventually } from "../support/eventually.ts";
import { folder, homeOf, removeFolders, rowed } from "./fixtures.ts";

const QUICK: SourceOptions = { firstPauseMs: 1, stallMs: 5_000 };

let home: string;
let node: SharingNode;

beforeAll(async () => {
  home = await homeOf(rowed(1, 57));
  node = new SharingNode(home);
});
afterEach(() => {
  node.lie = undefined;
  node.asked.length = 0;
});
afterAll(async () => {
  await node.stop();
  removeFolders();
});

const run = (into: string, more: Partial<FetchOptions> = {}, url = node.url) =>
  fetchHistory({ home: into, source: new HistorySource(url, QUICK), ...more });

/** Everything in a home but its lock. */
function contentOf(path: string): string[] {
  if (!existsSync(path)) return [];
  return readdirSync(path, { recursive: true })
    .map(String)
    .filter((name) => name !== "lock.db" && !/-(?:wal|shm|sums)$/.test(name))
    .sort();
}

async function failure(work: Promise<unknown>): Promise<NodeError> {
  const error = await work.then(
    () => new Error("it succeeded"),
    (thrown) => thrown,
  );
  if (!(error instanceof NodeError)) throw error;
  return error;
}

const segmentsOf = (path: string) => {
  const db = openReader(path);
  const rows = listSegments(db);
  db.close();
  return rows;
};

describe("lyra history fetch", () => {
  test("fills an empty home with all that the other has", async () => {
    const into = folder();
    const result = await run(into, { trust: segmentsOf(home)[2]!.id });
    expect(result).toMatchObject({
      chainId: "chain-x",
      height: 57,
      segments: 5,
      verifiedTo: 50,
      isChanged: true,
    });
    expect(digestOf(into).sha256).toBe(digestOf(home).sha256);
    expect(contentOf(into).filter((name) => name.endsWith(".seg"))).toHaveLength(5);
    expect(await run(into)).toMatchObject({ height: 57, isChanged: false, bytes: 0 });
  });

  test("brings a home forward that has less", async () => {
    const into = await homeOf(rowed(1, 23));
    expect(await run(into)).toMatchObject({ height: 57, isChanged: true });
    expect(digestOf(into).sha256).toBe(digestOf(home).sha256);
  });

  test("does without segments that the other has removed since it made its image", async () => {
    const into = folder();
    node.lie = async (_, path, honest) =>
      path === "/segments" ? altered(await honest(), (body) => body.segments.splice(0, 2)) : honest();
    expect(await run(into)).toMatchObject({ segments: 3, verifiedTo: 50 });
    expect(segmentsOf(into)).toEqual(segmentsOf(home).slice(2));
  });

  test("fills the gaps of a home", async () => {
    const into = await homeOf(rowed(1, 23));
    const db = openWriter(into);
    const writer = new BlockWriter(db);
    for (const { height, timeNs, hash = "" } of rowed(40, 57)) {
      writer.stage({ chainId: "chain-x", height, timeNs, hash, txHashes: [hash], events: [] }, true);
      writer.commit();
    }
    db.close();
    expect(headOf(into)?.height).toBe(57);
    expect(await run(into)).toMatchObject({ height: 57, isChanged: true });
    expect(digestOf(into).sha256).toBe(digestOf(home).sha256);
  });

  test("is refused by a home that has gaps itself", async () => {
    node.lie = async (_, path, honest) =>
      path === "" ? altered(await honest(), (body) => (body.gaps = 1)) : honest();
    expect((await failure(run(folder()))).code).toBe("source_gappy");
  });

  test("has all bytes on the disk before a segment or the store has its name", async () => {
    const into = folder();
    const synced = new Set<number>();
    const { sync } = realSteps;
    const spy = spyOn(realSteps, "sync").mockImplementation((descriptor) => {
      sync(descriptor);
      synced.add(fstatSync(descriptor).ino);
    });
    await run(into).finally(() => spy.mockRestore());
    const files = [storePath(into), ...segmentsOf(into).map(({ id }) => join(into, "segments", `${id}.seg`))];
    expect(files).toHaveLength(6);
    expect(files.filter((path) => !synced.has(statSync(path).ino))).toEqual([]);
  });

  test("goes on where it stopped", async () => {
    const into = folder();
    const third = segmentsOf(home)[2]!;
    node.lie = (_, path) =>
      path === `/segments/${third.id}` ? new Response("", { status: 503 }) : undefined;
    const { code, exitCode } = await failure(run(into));
    expect([code, exitCode]).toEqual(["source_refused", 1]);
    expect(existsSync(storePath(into))).toBe(false);
    node.lie = undefined;
    const before = node.asked.filter((path) => path.startsWith("/segments/")).length;
    await run(into);
    const after = node.asked.filter((path) => path.startsWith("/segments/")).slice(before);
    expect(after).toContain(`/segments/${third.id}`);
    expect(after.length).toBeLessThan(5);
    expect(digestOf(into).sha256).toBe(digestOf(home).sha256);
  });

  test("asks again for what a connection cut off", async () => {
    const into = folder();
    let cuts = 0;
    node.lie = async (_, path, honest) => {
      const isBytes = path.startsWith("/segments/") || path.startsWith("/image/");
      if (!isBytes || cuts++ % 2 === 1) return honest();
      const response = await honest();
      const bytes = new Uint8Array(await response.arrayBuffer());
      return new Response(bytes.subarray(0, bytes.length / 2), { status: response.status });
    };
    await run(into);
    expect(digestOf(into).sha256).toBe(digestOf(home).sha256);
  });

  test("is killed at any moment, and ends when it is run again", async () => {
    const into = folder();
    const words = ["history", "fetch", "--from", node.url, "--home", into, "--quiet"];
    for (const answers of [3, 8]) {
      // Everything behind these is waited for.
      let left = answers;
      node.lie = async (_, _path, honest) => (left-- > 0 ? honest() : silent());
      const fetching = new Lyra(words);
      await eventually(() => left < 0 || fetching.hasEnded);
      fetching.kill("SIGKILL");
      await fetching.end();
    }
    node.lie = undefined;
    expect(await new Lyra(words).end()).toMatchObject({ code: 0, err: "" });
    expect(digestOf(into).sha256).toBe(digestOf(home).sha256);
    expect(contentOf(into).filter((name) => name.includes("fetch.tmp"))).toEqual([]);
  });
});

const isSegment = (path: string) => path.startsWith("/segments/");
const isChunk = (path: string) => path.startsWith("/image/");

describe("a source that lies", () => {
  const LIES: Record<string, { lie: Lie; code: string; says: string; options?: SourceOptions }> = {
    "with a flipped bit in a segment": {
      lie: async (_, path, honest) => (isSegment(path) ? flipped(await honest(), 60) : honest()),
      code: "source_damaged",
      says: "are damaged",
    },
    "with a flipped bit in its image": {
      lie: async (_, path, honest) => (isChunk(path) ? flipped(await honest(), 5_000) : honest()),
      code: "source_damaged",
      says: "chunk 1 of its image does not have its hash",
    },
    "about its chain of segments": {
      lie: async (_, path, honest) =>
        path === "/segments" ? altered(await honest(), (body) => body.segments.splice(2, 1)) : honest(),
      code: "source_damaged",
      says: "segment 31-40 does not follow the one before it",
    },
    "about which segment is before another": {
      lie: async (_, path, honest) =>
        path === "/segments"
          ? altered(await honest(), (body) => {
              body.segments[2]!.previousId = "ab".repeat(32);
            })
          : honest(),
      code: "source_damaged",
      says: "segment 21-30 does not follow the one before it",
    },
    "about the chain of its image": {
      lie: async (_, path, honest) =>
        path === "/image"
          ? altered(await honest(), (body) => {
              if (body.image) body.image.chainId = "chain-y";
            })
          : honest(),
      code: "source_damaged",
      says: "its image is of another chain than it says",
    },
    "about the end of its image": {
      lie: async (_, path, honest) =>
        path === "/image"
          ? altered(await honest(), (body) => {
              if (body.image) body.image.height = 56;
            })
          : honest(),
      code: "source_damaged",
      says: "its image ends at another block than it says",
    },
    "with a list that changes between requests": {
      lie: async (_, path, honest) =>
        path === "/segments" ? altered(await honest(), (body) => body.segments.pop()) : honest(),
      code: "source_changed",
      says: "has changed between two requests",
    },
    "with an endless answer": {
      lie: (_, path) => (path === "/segments" ? endless() : undefined),
      code: "source_damaged",
      says: "it sends more than it announced",
    },
    "with an endless segment": {
      lie: (_, path) => (isSegment(path) ? endless() : undefined),
      code: "source_damaged",
      says: "it sends more than it announced",
    },
    "with an endless chunk": {
      lie: (_, path) => (isChunk(path) ? endless(206) : undefined),
      code: "source_damaged",
      says: "it sends more than it announced",
    },
    "by saying nothing": {
      lie: (_, path) => (path === "" ? silent() : undefined),
      code: "source_slow",
      says: "the source is too slow",
      options: { stallMs: 60 },
    },
    "with an image that never gets ready": {
      lie: (_, path) =>
        path === "/image" ? Response.json({ state: "making", bytes: 1 }, { status: 202 }) : undefined,
      code: "source_slow",
      says: "the image of its store does not get ready",
      options: { imageStallMs: 50 },
    },
    "and is another server": {
      lie: () => new Response("<html>hello</html>"),
      code: "source_unusable",
      says: "does not answer as a Lyra node",
    },
    "and sends elsewhere": {
      lie: () => new Response("", { status: 302, headers: { location: "http://127.0.0.1:1/" } }),
      code: "source_unreachable",
      says: "cannot be reached",
    },
    "and has none to give": {
      lie: (_, path) =>
        path === "/image"
          ? Response.json({ code: 9, message: "this node has no history segment yet" }, { status: 400 })
          : undefined,
      code: "source_refused",
      says: "this node has no history segment yet",
    },
  };
  for (const [name, { lie, code, says, options }] of Object.entries(LIES)) {
    test(`${name} is named`, async () => {
      const into = await homeOf(rowed(1, 3));
      const before = contentOf(into);
      node.lie = lie;
      const source = new HistorySource(node.url, { ...QUICK, ...options });
      const error = await failure(run(into, { source }));
      expect([error.code, error.message]).toEqual([code, expect.stringContaining(says)]);
      expect(contentOf(into).filter((file) => !file.startsWith("fetch.tmp"))).toEqual(before);
      expect(headOf(into)?.height).toBe(3);
    });
  }

  test("by silence is left at once when the command is stopped, in the middle of a request or between two", async () => {
    for (const answer of [silent, () => new Response("", { status: 503 })]) {
      const stop = new AbortController();
      node.lie = () => {
        setImmediate(() => stop.abort());
        return answer();
      };
      const source = new HistorySource(node.url, {
        firstPauseMs: 60_000,
        stallMs: 60_000,
        stop: stop.signal,
      });
      const into = folder();
      expect(await run(into, { source, isStopping: () => stop.signal.aborted })).toBeUndefined();
      expect(contentOf(into)).toEqual([]);
    }
  });

  test("in a row of its store is named by block and table", async () => {
    const damaged = folder();
    cpSync(home, damaged, { recursive: true });
    rmSync(join(damaged, "image"), { recursive: true, force: true });
    const db = openWriter(damaged);
    db.run(
      "UPDATE checkpoints SET data = (SELECT data FROM checkpoints WHERE height = 26) WHERE height = 27",
    );
    db.close();
    const liar = new SharingNode(damaged);
    try {
      const { code, message } = await failure(run(folder(), {}, liar.url));
      expect(code).toBe("source_damaged");
      expect(message).toContain("rows of checkpoints in blocks 21 to 30");
    } finally {
      await liar.stop();
    }
  });

  test("with tables of its own is refused", async () => {
    const other = folder();
    cpSync(home, other, { recursive: true });
    rmSync(join(other, "image"), { recursive: true, force: true });
    const db = openWriter(other);
    db.run("CREATE TRIGGER bad AFTER INSERT ON blocks BEGIN DELETE FROM meta; END");
    db.close();
    const liar = new SharingNode(other);
    try {
      const { code, message } = await failure(run(folder(), {}, liar.url));
      expect([code, message]).toEqual(["source_damaged", expect.stringContaining("other tables")]);
    } finally {
      await liar.stop();
    }
  });
});

describe("a home", () => {
  test("of another chain stays as it is", async () => {
    const into = await homeOf(rowed(1, 3));
    node.lie = async (_, path, honest) =>
      path === "" ? altered(await honest(), (body) => (body.chainId = "chain-y")) : honest();
    expect((await failure(run(into))).message).toContain("this home holds chain chain-x");
  });

  test("with another history stays as it is", async () => {
    const into = await homeOf(rowed(1, 13, "cd"));
    const { code, message } = await failure(run(into));
    expect([code, message]).toEqual(["history_mismatch", expect.stringContaining("block 1 of this home")]);
    expect(headOf(into)?.height).toBe(13);
  });

  test("that has more stays as it is", async () => {
    const into = await homeOf(rowed(1, 60));
    const { code, message } = await failure(run(into));
    expect([code, message]).toEqual(["source_behind", expect.stringContaining("has blocks 1 to 57")]);
  });

  test("gets nothing where the trusted segment is missing", async () => {
    const { code, exitCode } = await failure(run(folder(), { trust: "a".repeat(64) }));
    expect([code, exitCode]).toEqual(["trust_missing", 4]);
  });
});
