// Commands read a given file only up to its limit: `/dev/zero` has no end.
import { afterAll, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readShortFile, readShortText } from "../../src/files/short-file.ts";
import { lyra } from "../rig/lyra.ts";
import { IS_FULL_LENGTH } from "../support/seed.ts";

const folder = mkdtempSync(join(tmpdir(), "lyra-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const POLICY = join(folder, "policy.json");
writeFileSync(POLICY, '{"version":1,"name":"x","rules":[],"otherwise":"ask"}');

describe("a short file", () => {
  test("is read whole up to its limit, and refused above it", () => {
    const path = join(folder, "bytes");
    for (const length of [0, 1, 65_535, 65_536, 65_537, 300_000]) {
      writeFileSync(path, Buffer.alloc(length, "a"));
      expect(readShortText(path, length)).toBe("a".repeat(length));
      expect(readShortFile(path, length + 5)).toHaveLength(length);
      if (length > 0) expect(() => readShortFile(path, length - 1)).toThrow(`more than ${length - 1} bytes`);
    }
    expect(() => readShortFile(join(folder, "none"), 5)).toThrow("ENOENT");
    expect(() => readShortFile(folder, 5)).toThrow("EISDIR");
  });
});

describe.if(existsSync("/dev/zero"))("endless input", () => {
  const commands = [
    ["wallet", "network", "import", "/dev/zero", "--name", "x"],
    ["wallet", "policy", "check", "/dev/zero"],
    ["wallet", "policy", "simulate", POLICY, "--log", "/dev/zero"],
    ["serve", "--config", "/dev/zero"],
  ];
  // These may have 512 MiB.
  if (IS_FULL_LENGTH)
    commands.push(
      ["devnet", "load", "/dev/zero", "--node-url", "http://127.0.0.1:1"],
      ["devnet", "--genesis", "/dev/zero", "--port", "0"],
    );
  for (const words of commands) {
    test(words.slice(0, 3).join(" "), async () => {
      const { code, err } = await lyra([...words, "--home", join(folder, "home")]);
      expect(err).toContain("it has more than");
      expect(code).not.toBe(0);
    });
  }

  test("an answer without an end", async () => {
    const piece = Buffer.alloc(1024 * 1024, "#");
    const server = createServer((_, response) => {
      const more = () => void (response.write(piece) && setImmediate(more));
      response.on("drain", more);
      more();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/x.toml`;
    const { code, err } = await lyra(["wallet", "network", "import", url, "--home", join(folder, "home")]);
    server.closeAllConnections();
    server.close();
    expect(err).toContain("the answer is too long");
    expect(code).toBe(1);
  });
});

describe.if(process.platform !== "win32")("a pipe that nothing writes to or reads", () => {
  const pipe = join(folder, "pipe");
  spawnSync("mkfifo", [pipe]);
  const own = () => ["--home", join(folder, crypto.randomUUID())];
  const ports = ["--data-port", "0", "--node-port", "0", "--faucet-port", "0", "--quiet"];

  test("is no backup, and no recording", async () => {
    const restored = await lyra(["restore", pipe, ...own()]);
    expect([restored.code, restored.err]).toEqual([
      1,
      expect.stringContaining("cannot be read (not a file)"),
    ]);
    const recorded = await lyra(["devnet", "--record", pipe, ...own(), ...ports]);
    expect([recorded.code, recorded.err]).toEqual([1, expect.stringContaining("it is not a file")]);
  });

  test("takes no addresses", async () => {
    const ended = await lyra(["devnet", "--config-out", pipe, ...own(), ...ports]);
    expect([ended.code, ended.err]).toEqual([1, expect.stringContaining("cannot be written: ENXIO")]);
  });
});

describe("a log of requests", () => {
  test("lines that are no entries are left out", async () => {
    const log = join(folder, "log");
    const entry = { time: "t", kind: "connection", hostname: "h", wallet: "w", outcome: "o" };
    const lines = ["5", "null", "[]", "{}", JSON.stringify({ ...entry, epoch: "x" }), JSON.stringify(entry)];
    writeFileSync(log, `${lines.join("\n")}\n{"time`);
    const { code, out } = await lyra(["wallet", "policy", "simulate", POLICY, "--log", log, "--json"]);
    expect([code, JSON.parse(out).requests.length]).toEqual([0, 1]);
  });
});

describe("limits", () => {
  test.each(["toString", "constructor", "__proto__"])("%s is none", async (name) => {
    const { code, err } = await lyra(["serve", "--limit", `${name}=5`, "--home", join(folder, "home")]);
    expect(err).toContain(`there is no limit called '${name}'`);
    expect(code).toBe(2);
  });

  test("a configuration whose limits are no table", async () => {
    const file = join(folder, "lyra.toml");
    writeFileSync(file, 'limits = ""\n');
    const { code, err } = await lyra(["serve", "--config", file, "--home", join(folder, "home")]);
    expect(err).toContain("'limits' in the configuration is not a table");
    expect(code).toBe(2);
  });
});
