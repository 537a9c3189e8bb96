// Set-up of a fresh clone (scripts/setup.mjs), with a program in the place of npm that only says that it ran.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

let root: string;

/** @param ends how the installation ends */
function pretendNpm(ends: "well" | "badly"): void {
  const path = join(root, "programs", "npm");
  const steps = {
    well: ["sleep 0.4", "mkdir -p node_modules/.bin", "touch node_modules/.bin/bun"],
    badly: ["echo 'npm ERR! no network' >&2", "exit 7"],
  };
  writeFileSync(path, ["#!/bin/sh", 'echo "$@" >> ran.log', ...steps[ends], ""].join("\n"));
  chmodSync(path, 0o755);
}

function begin() {
  return Bun.spawn(["node", "scripts/setup.mjs"], {
    cwd: root,
    env: { ...process.env, PATH: `${join(root, "programs")}${delimiter}${process.env.PATH}` },
    stderr: "pipe",
  });
}

async function setUp(): Promise<{ code: number; said: string }> {
  const child = begin();
  const stderr = await new Response(child.stderr).text();
  return { code: await child.exited, said: stderr };
}

const lock = () => join(root, ".setup.lock");
const installations = () => readFileSync(join(root, "ran.log"), "utf8").trim().split("\n");

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "lyra-set-up-"));
  for (const folder of ["scripts", "programs"]) mkdirSync(join(root, folder));
  cpSync(join(import.meta.dir, "../../scripts/setup.mjs"), join(root, "scripts", "setup.mjs"));
  writeFileSync(join(root, "package-lock.json"), JSON.stringify({ packages: {} }));
  pretendNpm("well");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe("set-up", () => {
  test("given three commands at once, then one installs and the others wait for it", async () => {
    const done = await Promise.all([setUp(), setUp(), setUp()]);
    expect(done.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(installations()).toEqual(["ci --no-audit --no-fund"]);
    expect(done.filter(({ said }) => said.includes("installing what the lockfile names"))).toHaveLength(1);
    expect(existsSync(lock())).toBe(false);
    expect((await setUp()).said).toBe("");
    expect(installations()).toHaveLength(1);
  });

  test("given another command that sets up, then it says what it waits for", async () => {
    writeFileSync(lock(), String(process.pid));
    const child = begin();
    let stderr = "";
    for await (const chunk of child.stderr.pipeThrough(new TextDecoderStream())) {
      stderr += chunk;
      if (stderr.includes("another command has begun")) break;
    }
    expect(stderr).toContain(`another command has begun (process ${process.pid})`);
    expect(existsSync(join(root, "ran.log"))).toBe(false);
    rmSync(lock());
    expect(await child.exited).toBe(0);
    expect(installations()).toHaveLength(1);
  });

  test("given a command that was killed while it set up, then the next one goes on", async () => {
    const ended = Bun.spawn(["true"]);
    await ended.exited;
    writeFileSync(lock(), String(ended.pid));
    expect((await setUp()).code).toBe(0);
    expect(installations()).toHaveLength(1);
    expect(existsSync(lock())).toBe(false);
  });

  test("given an installation that fails, then it says so and the next command tries again", async () => {
    pretendNpm("badly");
    const { code, said } = await setUp();
    expect(code).toBe(1);
    expect(said).toContain(
      "npm ERR! no network\nlyra: the installation failed; what npm says of it stands above\n",
    );
    expect(existsSync(lock())).toBe(false);
    pretendNpm("well");
    expect((await setUp()).code).toBe(0);
    expect(installations()).toHaveLength(2);
  });
});
