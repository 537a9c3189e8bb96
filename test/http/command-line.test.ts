// The words that start the program, as the page and the banner show them.
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commandLine, homeWord } from "../../src/http/command-line.ts";

const folder = mkdtempSync(join(tmpdir(), "lyra-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the words that start the program", () => {
  const executable = join(folder, "program");
  writeFileSync(executable, "");
  const linked = join(folder, "lyra");
  symlinkSync(executable, linked);
  const other = join(folder, "other");
  writeFileSync(other, "");

  test("go through npm from the sources", () => {
    expect(commandLine()).toBe("npm run lyra --");
  });

  test("are lyra where the shell finds this executable, and its path elsewhere", () => {
    expect(commandLine("/$bunfs/root", executable, linked)).toBe("lyra");
    expect(commandLine("/$bunfs/root", executable, null)).toBe(executable);
    expect(commandLine("/$bunfs/root", executable, other)).toBe(executable);
    expect(commandLine("/somewhere/node_modules/lyra/dist/lib", executable, null)).toBe("lyra");
  });

  test("are a path where an upgrade has removed the running file", () => {
    const gone = join(folder, "gone");
    expect(commandLine("/$bunfs/root", gone, linked)).toBe(gone);
    expect(commandLine("/$bunfs/root", executable, gone)).toBe(executable);
  });

  test("name a home that is not the default, below this folder in short", () => {
    expect(homeWord("/home/a/lyra", "/home/a/lyra", "/project")).toBeUndefined();
    expect(homeWord("/project/.lyra/devnet", "/home/a/lyra", "/project")).toBe(".lyra/devnet");
    expect(homeWord("/home/a/my net", "/home/a/lyra", "/project")).toBe("'/home/a/my net'");
  });
});
