import { afterAll, describe, expect, test } from "bun:test";
import {
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { dirname } from "node:path";
import { writeFileWhole, writeNamedFile } from "../../src/files/whole-file.ts";
import { Scratch } from "../rig/homes.ts";

const scratch = new Scratch("whole");
afterAll(() => scratch.remove());

describe("a file that others wait for", () => {
  test("is never seen half: who reads the old one keeps it whole", () => {
    const file = scratch.file("old");
    const reader = openSync(file, "r");
    writeNamedFile(file, "new");
    expect(readFileSync(reader, "utf8")).toBe("old");
    closeSync(reader);
    expect(readFileSync(file, "utf8")).toBe("new");
  });

  test("has its mode from the beginning, and nothing stays beside it", () => {
    const folder = scratch.path("folder");
    mkdirSync(folder);
    writeFileWhole(`${folder}/where.json`, "{}\n");
    expect(statSync(`${folder}/where.json`).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(["where.json"]);
  });

  test("may be reached by a link, which stays one", () => {
    const file = scratch.file("old");
    const link = scratch.path("link");
    symlinkSync(file, link);
    writeNamedFile(link, "new");
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readFileSync(file, "utf8")).toBe("new");
  });

  test("may be no plain file at all", () => {
    writeNamedFile("/dev/null", "gone");
    expect(lstatSync("/dev/null").isCharacterDevice()).toBe(true);
  });

  test("is not there, nor a part of it, where it cannot be written", () => {
    const nowhere = `${scratch.path("nowhere")}/where.json`;
    expect(() => writeNamedFile(nowhere, "x")).toThrow("ENOENT");
    expect(existsSync(dirname(nowhere))).toBe(false);
    const folder = scratch.path("taken");
    mkdirSync(`${folder}/where.json`, { recursive: true });
    expect(() => writeNamedFile(`${folder}/where.json`, "x")).toThrow();
    expect(readdirSync(folder)).toEqual(["where.json"]);
  });
});
