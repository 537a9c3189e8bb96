// Homes that cannot be used: another process has them, they cannot be written, or they hold something else.

import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { Dice } from "../../scripts/sample/seeded.ts";
import { openWriter, storePath } from "../../src/store/database.ts";
import { digestOf, headOf, Scratch } from "../rig/homes.ts";
import { type Ended, Lyra, lyra, ServingLyra } from "../rig/lyra.ts";
import { shortSample } from "../rig/stream.ts";
import { eventually } from "../support/eventually.ts";
import { runs } from "../support/seed.ts";

const SAMPLE = shortSample(600);

const scratch = new Scratch("locking");
let whole: string;
let digest: string;

beforeAll(async () => {
  whole = scratch.path();
  await lyra(["replay", SAMPLE, "--home", whole, "--quiet"]);
  digest = digestOf(whole).sha256;
});
afterAll(() => scratch.remove());

function copyOfWhole(): string {
  const home = scratch.path();
  cpSync(whole, home, { recursive: true });
  return home;
}

/** Every command that writes to a home, or serves it. */
const COMMANDS: ReadonlyArray<readonly [name: string, words: (home: string) => string[]]> = [
  ["replay", (home) => ["replay", SAMPLE, "--home", home]],
  ["replay --serve", (home) => ["replay", SAMPLE, "--serve", "--data-port", "0", "--home", home]],
  ["serve", (home) => ["serve", "--data-port", "0", "--home", home]],
];

function expectRefused(ended: Ended, text: string | RegExp, hint: string): void {
  expect({ code: ended.code, out: ended.out }).toEqual({ code: 1, out: "" });
  const [sentence, second, ...rest] = linesOf(ended.err);
  expect(sentence).toMatch(text);
  expect(second!.trim()).toBe(hint);
  expect(rest).toEqual([""]);
}

/** A node's message is a line of JSON in its log. */
function linesOf(err: string): string[] {
  if (!err.startsWith("{")) return err.split("\n");
  const { level, message, hint } = JSON.parse(err) as Record<string, string>;
  expect(level).toBe("error");
  return [`lyra: ${message}`, hint!, ""];
}

describe("a second process on one home", () => {
  test("is told who has it, and the first goes on", async () => {
    const home = copyOfWhole();
    const first = new ServingLyra(["serve", "--home", home]);
    const { url } = await first.listening();
    for (const [, words] of COMMANDS) {
      const text = `lyra: process ${first.pid} is using the home ${home}`;
      expectRefused(await lyra(words(home)), text, "stop it, or choose another --home");
      expect((await fetch(`${url}/readyz`)).status).toBe(200);
    }
    expect((await first.stop()).code).toBe(0);
    expect(digestOf(home).sha256).toBe(digest);
  });

  test("may look: segments, export and doctor need no lock", async () => {
    const home = copyOfWhole();
    const first = new ServingLyra(["serve", "--home", home]);
    await first.listening();
    const segments = await lyra(["history", "segments", "--home", home, "--json"]);
    expect({ code: segments.code, err: segments.err }).toEqual({ code: 0, err: "" });
    expect((await lyra(["doctor", "--home", home])).code).toBe(0);
    await first.stop();
  });

  test("while the first is loading, does not disturb it", async () => {
    const home = scratch.path();
    const first = new Lyra(["replay", SAMPLE, "--home", home, "--quiet"]);
    await eventually(() => existsSync(join(home, "lyra.pid")) || first.hasEnded);
    const second = await lyra(["replay", SAMPLE, "--home", home]);
    expect((await first.end()).code).toBe(0);
    // The first may have been quicker than the second took to start.
    if (second.code !== 0) expect(second.err).toContain(`process ${first.pid} is using the home`);
    expect(digestOf(home).sha256).toBe(digest);
  });

  test("is let in when the first was killed", async () => {
    const home = copyOfWhole();
    const first = new ServingLyra(["serve", "--home", home]);
    await first.listening();
    first.kill("SIGKILL");
    await first.end();
    expect(existsSync(join(home, "lyra.pid"))).toBe(true);
    expect((await lyra(["replay", SAMPLE, "--home", home, "--quiet"])).code).toBe(0);
    expect(existsSync(join(home, "lyra.pid"))).toBe(false);
    expect(digestOf(home).sha256).toBe(digest);
  });
});

test("a home whose name begins with a blank is where it says", async () => {
  const folder = scratch.path();
  const inside = join(folder, "inside");
  mkdirSync(inside, { recursive: true });
  for (const [n, home] of [" ", " home"].entries()) {
    const words = ["replay", SAMPLE, "--home", home];
    const { code } = await lyra(words, { cwd: inside });
    expect(code).toBe(0);
    expect(existsSync(join(inside, home, "lyra.db"))).toBe(true);
    expect(readdirSync(inside)).toHaveLength(n + 1);
  }
  expect(readdirSync(folder)).toEqual(["inside"]);
});

describe("a home that cannot be written", () => {
  /** A user without rights, where the test itself may do everything. */
  const program =
    process.getuid?.() === 0 && existsSync("/usr/bin/setpriv")
      ? ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"]
      : [];

  test("is named, before anything is tried", async () => {
    const folder = scratch.path();
    mkdirSync(folder);
    chmodSync(folder, 0o555);
    const canWrite = program.length === 0 && process.getuid?.() === 0;
    if (canWrite) return console.log("locking.test: a folder that root may not write cannot be had here");
    // Within reach of a user without rights: the folder is public, its name is all that is asked for.
    chmodSync(scratch.folder, 0o755);
    const home = join(folder, "home");
    for (const target of [folder, home]) {
      const script = [process.execPath, join(import.meta.dir, "../../src/main.ts")];
      const reachable =
        Bun.spawnSync([...program, ...script, "version"], { stderr: "ignore" }).exitCode === 0;
      if (!reachable) return console.log("locking.test: no other user can start the program here");
      const ended = await lyra(["replay", SAMPLE, "--home", target], { program: [...program, ...script] });
      expectRefused(
        ended,
        /lyra: the home .* cannot be (?:made \(EACCES\)|written)$/,
        "choose another --home",
      );
    }
    expect(readdirSync(folder)).toEqual([]);
  });

  test("because a file has its name", async () => {
    const home = scratch.file("not a folder");
    for (const [, words] of COMMANDS.slice(0, 2)) {
      expectRefused(
        await lyra(words(home)),
        /lyra: the home .* cannot be made \(\w+\)$/,
        "choose another --home",
      );
    }
    expect(readFileSync(home, "utf8")).toBe("not a folder");
  });
});

describe("a home that holds something else", () => {
  const bytesOf = (home: string) =>
    new Bun.CryptoHasher("sha256").update(readFileSync(storePath(home))).digest("hex");

  /** Every command refuses it with the same sentence, and leaves the file as it was. */
  async function expectLeftAlone(home: string, text: RegExp, hint: string): Promise<void> {
    const before = bytesOf(home);
    for (const [, words] of COMMANDS) expectRefused(await lyra(words(home)), text, hint);
    expect(bytesOf(home)).toBe(before);
    expect((await lyra(["doctor", "--home", home])).code).toBe(1);
  }

  function homeWith(make: (path: string) => void): string {
    const home = scratch.path();
    mkdirSync(home);
    make(storePath(home));
    return home;
  }

  test("a store of a newer program", async () => {
    const home = copyOfWhole();
    const db = openWriter(home);
    db.run("PRAGMA user_version = 99");
    db.close();
    await expectLeftAlone(
      home,
      /lyra: the store has schema 99, newer than the \d+ this program knows$/,
      "use the newer program that wrote it",
    );
  });

  test("a database of another program", async () => {
    for (const userVersion of [0, 1, 99]) {
      const home = homeWith((path) => {
        const db = new Database(path);
        db.run("CREATE TABLE photos(name TEXT)");
        db.run(`PRAGMA user_version = ${userVersion}`);
        db.close();
      });
      const text = /lyra: the database in this home is not a Lyra store$/;
      await expectLeftAlone(home, text, "choose another --home");
    }
  });

  test("no database at all", async () => {
    const dice = new Dice(1);
    const noise = Buffer.from(Array.from({ length: 20_000 }, () => dice.below(256)));
    for (const content of [noise, Buffer.from("hello"), Buffer.alloc(8_192)]) {
      const home = homeWith((path) => writeFileSync(path, content));
      const text = /lyra: the store cannot be opened: file is not a database$/;
      await expectLeftAlone(home, text, "check it with: lyra doctor --home DIR");
    }
  });

  test("a store whose header is damaged", async () => {
    const home = copyOfWhole();
    const bytes = readFileSync(storePath(home));
    bytes.fill(0xff, 0, 100);
    writeFileSync(storePath(home), bytes);
    await expectLeftAlone(
      home,
      /lyra: the store cannot be opened: file is not a database$/,
      "check it with: lyra doctor --home DIR",
    );
  });

  test("an empty file is a store that was never made: it is made, with the right pages", async () => {
    const home = homeWith((path) => writeFileSync(path, ""));
    expect((await lyra(["replay", SAMPLE, "--home", home, "--quiet"])).code).toBe(0);
    expect(digestOf(home).sha256).toBe(digest);
    expect(statSync(storePath(home)).size).toBe(statSync(storePath(whole)).size);
    expect(headOf(home)!.height).toBe(600);
  });

  test("a damaged page is found by the doctor, and no command shows its inside", async () => {
    const dice = new Dice(7);
    for (let i = 0; i < runs(5); i++) {
      const home = copyOfWhole();
      const bytes = readFileSync(storePath(home));
      const page = 1 + dice.below(bytes.length / 8_192 - 1);
      for (let n = 0; n < 8_192; n++) bytes[page * 8_192 + n] = dice.below(256);
      writeFileSync(storePath(home), bytes);
      const doctor = await lyra(["doctor", "--deep", "--home", home]);
      expect(doctor.code).toBe(1);
      const { code, err } = await lyra(["replay", SAMPLE, "--home", home]);
      expect(code === 0 || code === 1).toBe(true);
      expect(err + doctor.err).not.toMatch(/\.ts\b| at .*:\d+|something went wrong/);
    }
  });
});
