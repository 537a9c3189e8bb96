// The package's command `lyra`, run by Node: it is the executable as far as anyone can tell.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { COMMIT, VERSION } from "../../src/node/build.ts";
import { findExecutable } from "../../src/package/executable.ts";
import { eventually } from "../support/eventually.ts";
import { ran, Workshop } from "./program.ts";

const workshop = new Workshop();
const scratch = mkdtempSync(join(tmpdir(), "lyra-launcher-"));
afterAll(() => {
  workshop.remove();
  rmSync(scratch, { recursive: true });
});

let launcher: string;
beforeAll(async () => {
  launcher = await workshop.compiled("launcher");
});

/** Runs the launcher with a shell script as the executable. */
const launched = (
  name: string,
  text: string,
  words: readonly string[],
  options: Parameters<typeof ran>[1] = {},
) => ran(["node", launcher, ...words], { ...options, env: { LYRA_BINARY: workshop.script(name, text) } });

describe("the launcher", () => {
  test("passes words, input, outputs and the exit code", async () => {
    const text = 'for word in "$@"; do echo "[$word]"; done; cat; echo problem >&2; exit 7';
    const answer = await launched("echo", text, ["a b", "", "--x=$HOME"], { input: "typed" });
    expect(answer).toEqual({ code: 7, signal: null, out: "[a b]\n[]\n[--x=$HOME]\ntyped", err: "problem\n" });
  });

  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    test(`passes ${signal}, and the exit code of a program that heeds it`, async () => {
      const name = signal.slice(3);
      const trapped = join(scratch, name);
      const text = `trap 'echo heard; exit 130' ${name}; echo ready; : > ${trapped}; while :; do sleep 0.02; done`;
      const answer = await launched(`heeds-${name}`, text, [], {
        async meanwhile(child) {
          await eventually(() => existsSync(trapped));
          child.kill(signal);
        },
      });
      expect(answer).toEqual({ code: 130, signal: null, out: "ready\nheard\n", err: "" });
    });
  }

  test("passes a signal that comes as soon as the program runs", async () => {
    const trapped = join(scratch, "soon");
    const text = `trap 'echo heard; exit 130' TERM; : > ${trapped}; while kill -0 $PPID; do sleep 0.02; done`;
    // The signal comes before the call that starts the program returns.
    const early = join(scratch, "early.cjs");
    writeFileSync(
      early,
      `const programs = require("node:child_process");
       const { existsSync } = require("node:fs");
       const { spawn } = programs;
       const cell = new Int32Array(new SharedArrayBuffer(4));
       process.execve = undefined;
       programs.spawn = (...words) => {
         const child = spawn(...words);
         while (!existsSync(${JSON.stringify(trapped)})) Atomics.wait(cell, 0, 0, 5);
         process.kill(process.pid, "SIGTERM");
         return child;
       };
       require("node:module").syncBuiltinESMExports();`,
    );
    const env = { LYRA_BINARY: workshop.script("heeds-soon", text) };
    const answer = await ran(["node", "--require", early, launcher], { env });
    expect(answer).toEqual({ code: 130, signal: null, out: "heard\n", err: "" });
  });

  test("ends by the signal that ended the program", async () => {
    const { code, signal } = await launched("killed", "kill -TERM $$; sleep 5", []);
    expect([code, signal]).toEqual([null, "SIGTERM"]);
  });

  test("the built or source program answers through it", async () => {
    const { code, out } = await ran(["node", launcher, "version", "--json"], {
      env: { LYRA_BINARY: workshop.lyra },
    });
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ version: VERSION });
    const wrong = await ran(["node", launcher, "fly"], { env: { LYRA_BINARY: workshop.lyra } });
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining("there is no command 'fly'")]);
  });

  test("says how to get an executable that is not there, as text and as JSON", async () => {
    const plain = await ran(["node", launcher, "version"]);
    expect([plain.code, plain.out]).toEqual([1, ""]);
    expect(plain.err).toMatch(
      /^lyra: the package @lyra\/\S+, .* is not installed\n {6}install it beside lyra .*LYRA_BINARY\n$/,
    );
    const json = await ran(["node", launcher, "version", "--json"], { env: { LYRA_BINARY: "/nowhere" } });
    const { error } = JSON.parse(json.err) as { error: { code: string; message: string } };
    expect(error).toMatchObject({
      code: "executable_missing",
      message: "LYRA_BINARY names /nowhere, which is not there",
    });
  });

  test("does not start itself again and again", async () => {
    const { code, err } = await ran(["node", launcher], { env: { LYRA_BINARY: launcher } });
    expect([code, err]).toEqual([1, expect.stringContaining("it is this command itself")]);
  });

  test("says that a file cannot be run", async () => {
    const file = join(workshop.folder, "text");
    writeFileSync(file, "text");
    const { code, err } = await ran(["node", launcher], { env: { LYRA_BINARY: file } });
    expect(code).toBe(126);
    expect(err).toContain("cannot be run: EACCES");
  });
});

const hasScript = process.platform === "linux" && Bun.which("script") !== null;
if (!hasScript) test.skip("a terminal needs script(1) of util-linux", () => {});
else
  test("a program on a terminal reads a passphrase from it, unseen", async () => {
    const text =
      '[ -t 0 ] && [ -t 1 ] && [ -t 2 ] || exit 9; stty -echo; printf "passphrase: "; read -r p; stty echo; echo got $(printf %s "$p" | wc -c)';
    const program = workshop.script("asks", text);
    const child = Bun.spawn(["script", "-qec", `node ${launcher}`, "/dev/null"], {
      stdin: "pipe",
      stdout: "pipe",
      env: { PATH: process.env.PATH, LYRA_BINARY: program, SHELL: "/bin/sh" },
    });
    const reader = child.stdout.getReader();
    let seen = "";
    while (!seen.includes("passphrase: ")) {
      const { value, done } = await reader.read();
      if (done) break;
      seen += new TextDecoder().decode(value);
    }
    child.stdin.write("secret\n");
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      seen += new TextDecoder().decode(value);
    }
    expect([await child.exited, seen.replaceAll("\r", "")]).toEqual([0, "passphrase: got 6\n"]);
  });

describe("the executable of the platform", () => {
  const install = (version: string, commit: string, platform = "linux-x64") => {
    const app = join(workshop.folder, `app-${version}-${commit}`);
    const folder = join(app, "node_modules", "@lyra", platform);
    mkdirSync(join(folder, "bin"), { recursive: true });
    writeFileSync(join(folder, "package.json"), JSON.stringify({ version, commit }));
    symlinkSync(workshop.script("any", "exit 0"), join(folder, "bin", "lyra"));
    return { from: join(app, "index.js"), folder };
  };

  test("is found in its package beside this one", () => {
    const { from, folder } = install(VERSION, COMMIT);
    const executable = findExecutable(undefined, { env: {}, platform: "linux-x64", from });
    expect(executable).toBe(join(folder, "bin", "lyra"));
    expect(findExecutable(undefined, { env: { LYRA_BINARY: dirname(from) }, from })).toBe(dirname(from));
    expect(findExecutable(folder, { env: { LYRA_BINARY: "/nowhere" }, from })).toBe(folder);
  });

  test("of another version, or only of the same name, is refused", () => {
    const others = [
      ["0.0.9", COMMIT],
      [VERSION, "abc1234"],
    ] as const;
    for (const [version, commit] of others) {
      const { from } = install(version, commit);
      expect(() => findExecutable(undefined, { env: {}, platform: "linux-x64", from })).toThrow(
        `@lyra/linux-x64 is ${version} of commit ${commit}, and lyra ${VERSION} of ${COMMIT}`,
      );
    }
  });

  test("of a platform that there is none for is said", () => {
    const surroundings = { env: {}, platform: "sunos-sparc", from: workshop.folder };
    expect(() => findExecutable(undefined, surroundings)).toThrow(
      "there is no executable of Lyra for sunos-sparc, only for linux-x64, linux-arm64, darwin-x64, darwin-arm64",
    );
  });
});
