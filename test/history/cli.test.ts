// lyra history: output, files and exit codes.
import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { recordSegment } from "../../src/history/segment-table.ts";
import { centralDirectory, localHeader, Method } from "../../src/history/zip.ts";
import { openWriter, segmentDirectory } from "../../src/store/database.ts";
import { PROGRAM } from "../rig/lyra.ts";
import { folder, makeSegments, removeFolders } from "./fixtures.ts";

afterAll(removeFolders);

const ROOT = join(import.meta.dir, "../..");

function lyra(words: readonly string[], cwd: string) {
  return run(["history", ...words], cwd);
}

async function run(words: readonly string[], cwd: string) {
  const child = Bun.spawn([...PROGRAM, ...words], {
    cwd,
    stdout: "pipe",
    stderr: "pipe",
    env: { ...process.env, NO_COLOR: "1" },
  });
  const [out, err] = await Promise.all([
    new Response(child.stdout).bytes(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, out: Buffer.from(out), err };
}

/** A home with two segments. */
async function home(): Promise<string> {
  const path = folder();
  const db = openWriter(path);
  const rows = await makeSegments(segmentDirectory(path), [
    { from: 1, to: 10, lines: ["1,a"] },
    { from: 11, to: 20, lines: ["2,b", "3,"] },
  ]);
  for (const row of rows) recordSegment(db, row);
  db.close();
  return path;
}

const NAME = "chain-x-trades-000001-000020.zip";

describe("export and verify", () => {
  test("leftovers of killed exports are removed by the next one: only Lyra's own, and old ones", async () => {
    const cwd = folder();
    const words = ["export", "--table", "trades", "--from", "1", "--to", "20", "--home", await home()];
    const old = ["mine.zip.01234567.partial", `${NAME}.89abcdef.partial`];
    const kept = [
      "mine.zip.fedcba98.partial",
      "other.zip.01234567.partial",
      "mine.zip.0123456.partial",
      "x.partial",
    ];
    for (const name of [...old, ...kept]) {
      writeFileSync(join(cwd, name), "half");
      if (name !== kept[0]) utimesSync(join(cwd, name), 1, 1);
    }
    expect((await lyra([...words, "--out", "mine.zip"], cwd)).code).toBe(0);
    expect(readdirSync(cwd).sort()).toEqual([...kept, "mine.zip"].sort());
  });

  test.if(process.platform !== "win32")(
    "a pipe is no archive and no recording, and nobody waits for its writer",
    async () => {
      const pipe = join(folder(), "pipe");
      Bun.spawnSync(["mkfifo", pipe]);
      const verified = await lyra(["verify", pipe], ROOT);
      expect([verified.code, verified.err.includes("is not a file")]).toEqual([1, true]);
      const replayed = await run(["replay", pipe, "--home", folder()], ROOT);
      expect([replayed.code, replayed.err.includes("it is not a file")]).toEqual([1, true]);
    },
  );

  test("an archive by its own name, whole or not at all; it verifies, and a damaged one exits with 4", async () => {
    const cwd = folder();
    const stored = await home();
    const words = ["export", "--table", "TABLE_TRADES", "--from", "1", "--to", "20", "--home", stored];
    const creation = await lyra([...words, "--json"], cwd);
    expect([creation.code, creation.err]).toEqual([0, ""]);
    expect(JSON.parse(creation.out.toString())).toEqual({
      out: NAME,
      bytes: readFileSync(join(cwd, NAME)).length,
      files: [{ name: "chain-x-trades-001-000001-000020.csv", rows: 3, bytes: 19 }],
    });
    expect(readdirSync(cwd)).toEqual([NAME]);

    const again = await lyra(words, cwd);
    expect([again.code, again.err]).toEqual([1, expect.stringContaining("is there already")]);
    expect((await lyra([...words, "--force"], cwd)).code).toBe(0);

    const sound = await lyra(["verify", NAME, "--json"], cwd);
    expect(sound.code).toBe(0);
    expect(JSON.parse(sound.out.toString())).toMatchObject({
      verified: true,
      hasManifest: true,
      from: 1,
      to: 20,
    });

    const bytes = readFileSync(join(cwd, NAME));
    bytes[60]! ^= 1;
    writeFileSync(join(cwd, NAME), bytes);
    const damaged = await lyra(["verify", NAME], cwd);
    expect([damaged.code, damaged.err]).toEqual([4, expect.stringContaining(`${NAME} is not sound`)]);
  });

  test("to standard output, and without a manifest verify says what it could not check", async () => {
    const cwd = folder();
    const words = [
      "export",
      "--table",
      "trades",
      "--from",
      "11",
      "--to",
      "20",
      "--out",
      "-",
      "--no-manifest",
      "--home",
      await home(),
    ];
    const { code, out } = await lyra(words, cwd);
    expect(code).toBe(0);
    expect(readdirSync(cwd)).toEqual([]);
    writeFileSync(join(cwd, "x.zip"), out);
    const checked = await lyra(["verify", "x.zip"], cwd);
    expect([checked.code, checked.err]).toEqual([0, expect.stringContaining("only names, sizes and CRC-32")]);
  });

  test("several at once to one file: the last is there whole, whatever the others do", async () => {
    const cwd = folder();
    const stored = await home();
    const words = ["--table", "trades", "--out", "x.zip", "--force", "--home", stored, "--quiet"];
    const ranges = ["1 10", "11 20", "1 20", "1 10", "11 20", "1 20"].map((range) => range.split(" "));
    const exports = await Promise.all(
      ranges.map(([from, to]) => lyra(["export", "--from", from!, "--to", to!, ...words], cwd)),
    );
    expect(exports.map(({ code, err }) => [code, err])).toEqual(ranges.map(() => [0, ""]));
    expect(readdirSync(cwd)).toEqual(["x.zip"]);
    expect((await lyra(["verify", "x.zip", "--quiet"], cwd)).code).toBe(0);
  });

  test("an export that cannot be put in place is reported, and removed", async () => {
    const cwd = folder();
    mkdirSync(join(cwd, "taken"));
    const words = ["--table", "trades", "--from", "1", "--to", "20", "--out", "taken", "--force"];
    const { code, err } = await lyra(["export", ...words, "--home", await home()], cwd);
    expect([code, err]).toEqual([1, expect.stringContaining("taken cannot be written")]);
    expect(readdirSync(cwd)).toEqual(["taken"]);
  });

  test("an error shows control characters of the archive as numbers", async () => {
    const cwd = folder();
    const manifest = Buffer.from(JSON.stringify({ format: "\u001b[2J" }));
    const sizes = { crc: crc32(manifest), bytes: manifest.length, packedBytes: manifest.length };
    const entry = { name: "manifest.json", method: Method.stored, ...sizes };
    writeFileSync(
      join(cwd, "x.zip"),
      Buffer.concat([localHeader(entry), manifest, centralDirectory([entry])]),
    );
    const { code, err } = await lyra(["verify", "x.zip"], cwd);
    expect([code, err]).toEqual([4, expect.stringContaining("unknown format '\\u{1b}[2J")]);
  });

  test("the segments", async () => {
    const { code, out } = await lyra(["segments", "--json", "--home", await home()], folder());
    expect(code).toBe(0);
    const { segments } = JSON.parse(out.toString());
    expect(segments).toMatchObject([
      { from: 1, to: 10, previousId: "", databaseVersion: 1, chainId: "chain-x" },
      { from: 11, to: 20 },
    ]);
    expect(segments[1].previousId).toBe(segments[0].id);
  });
});

test.each<[string, string[], number, string]>([
  ["no verb", [], 2, "say segments, export, verify or fetch"],
  ["an unknown verb", ["load"], 2, "there is no 'history load'"],
  ["an unknown flag", ["segments", "--x"], 2, "--x"],
  ["no table", ["export", "--from", "1", "--to", "2"], 2, "say which table"],
  [
    "an unknown table",
    ["export", "--table", "TABLE_X", "--from", "1", "--to", "2"],
    2,
    "there is no table 'TABLE_X'",
  ],
  ["an unknown table's hint", ["export", "--table", "x", "--from", "1", "--to", "2"], 2, "TABLE_TRADES"],
  ["no block", ["export", "--table", "trades", "--to", "2"], 2, "--from N"],
  [
    "a block that is none",
    ["export", "--table", "trades", "--from", "one", "--to", "2"],
    2,
    "--from must be a block height",
  ],
  [
    "both on standard output",
    ["export", "--table", "trades", "--from", "1", "--to", "2", "--out", "-", "--json"],
    2,
    "both want",
  ],
  ["no archive", ["verify"], 2, "name one archive"],
  ["an archive that is not there", ["verify", "none.zip"], 1, "none.zip cannot be opened"],
  ["no store", ["segments", "--home", "nowhere"], 3, "there is no store"],
])("%s", async (_, words, code, sentence) => {
  const result = await lyra(words, folder());
  expect(result.code).toBe(code);
  expect(result.err).toContain(sentence);
  expect(result.out.toString()).toBe("");
});

test("a range that is not there is told with what is, and nothing is written", async () => {
  const cwd = folder();
  const { code, err } = await lyra(
    ["export", "--table", "trades", "--from", "1", "--to", "15", "--home", await home()],
    cwd,
  );
  expect(code).toBe(1);
  expect(err).toContain("no contiguous segment range found with height 1 to 15");
  expect(err).toContain("ends at 10, 20");
  expect(existsSync(join(cwd, NAME))).toBe(false);
  expect(readdirSync(cwd)).toEqual([]);
});

/** The compression of a processor's deflate is its own affair, and the ids follow. */
function withoutSizes(text: string): string {
  return text.replace(/\s*[\d,]+ bytes/g, " N bytes").replace(/\b[0-9a-f]{64}\b/g, "ID");
}

test("given the shipped recording, then the README prints what history says of it", async () => {
  const readme = withoutSizes(readFileSync(join(ROOT, "README.md"), "utf8"));
  const section = readme.slice(readme.indexOf("## Export"), readme.indexOf("## Commands"));
  const cwd = folder();
  const loaded = await run(["replay", join(ROOT, "data", "sample.evts.gz"), "--home", "./net"], cwd);
  expect([loaded.code, loaded.out.length]).toEqual([0, 0]);
  for (const words of [
    "segments --home ./net",
    "export --table TABLE_TRADES --from 1 --to 3000 --home ./net",
    "verify lyra-sample-1-trades-000001-003000.zip",
  ]) {
    const { code, out, err } = await lyra(words.split(" "), cwd);
    expect(code).toBe(0);
    expect(section).toContain(withoutSizes(`$ dist/lyra history ${words}\n${out}${err}`));
  }
});
