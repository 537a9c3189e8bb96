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
import {
  type FileSteps,
  realSteps,
  writeFileWhole,
  writeNamedFile,
  writeNewFile,
} from "../../src/files/whole-file.ts";
import { Scratch } from "../rig/homes.ts";

const scratch = new Scratch("whole");
afterAll(() => scratch.remove());

/** The steps of a write, in order. */
function stepsOf(write: (steps: FileSteps) => void): string[] {
  const done: string[] = [];
  const noted = Object.entries(realSteps).map(([name, step]) => [
    name,
    (...values: never[]) => {
      done.push(name);
      return (step as (...values: never[]) => unknown)(...values);
    },
  ]);
  write(Object.fromEntries(noted) as FileSteps);
  return done;
}

describe("a power cut", () => {
  test("finds the bytes on the disk before their name, and the name before the call returns", () => {
    const path = scratch.path("whole");
    const whole = stepsOf((steps) => writeFileWhole(path, "bytes", steps));
    expect(whole).toEqual(["create", "write", "sync", "close", "rename", "syncFolder"]);
    const stepNames = stepsOf((steps) => writeNewFile(scratch.path("new"), Buffer.from("bytes"), steps));
    expect(stepNames).toEqual(["create", "write", "sync", "close", "link", "remove", "syncFolder"]);
  });

  test("is what both syncs wait for: the system itself refuses them where there is nothing to sync", () => {
    const descriptor = openSync("/dev/null", "r");
    expect(() => realSteps.sync(descriptor)).toThrow("EINVAL");
    closeSync(descriptor);
    expect(() => realSteps.syncFolder("/dev/null")).toThrow("EINVAL");
  });
});

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

  test("is not written through a link, which gives way to it", () => {
    const file = scratch.file("old");
    const links = [scratch.path("link"), scratch.path("nowhere")];
    symlinkSync(file, links[0]!);
    symlinkSync(scratch.path("missing"), links[1]!);
    for (const link of links) {
      writeNamedFile(link, "new");
      expect(lstatSync(link).isFile()).toBe(true);
      expect(readFileSync(link, "utf8")).toBe("new");
    }
    expect(readFileSync(file, "utf8")).toBe("old");
    expect(readdirSync(dirname(file)).filter((name) => name.startsWith("missing"))).toEqual([]);
  });

  test("may be standard output, which is a link of the system", async () => {
    const file = scratch.path("output");
    const url = new URL("../../src/files/whole-file.ts", import.meta.url).href;
    const source = `(await import("${url}")).writeNamedFile("/dev/stdout", "here")`;
    const stdout = openSync(file, "w");
    await Bun.spawn([process.execPath, "-e", source], { stdout }).exited;
    closeSync(stdout);
    expect(readFileSync(file, "utf8")).toBe("here");
    expect(lstatSync("/dev/stdout").isSymbolicLink()).toBe(true);
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
