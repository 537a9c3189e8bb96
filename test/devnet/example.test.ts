// The README's example, run as it is printed: plain Node and the network's public packages against a devnet.
import { describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startTestDevnet } from "../support/test-devnet.ts";

const ROOT = join(import.meta.dir, "..", "..");
const EXAMPLE = join(ROOT, "examples", "first-transfer.mjs");

describe("the README's example", () => {
  test("given a devnet, when it is run with Node, then its transfer is executed and read back", async () => {
    const devnet = await startTestDevnet();
    try {
      const child = Bun.spawn(["node", EXAMPLE, devnet.nodeUrl, devnet.dataUrl], {
        stdout: "pipe",
        stderr: "pipe",
      });
      const [out, err] = await Promise.all([
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
      ]);
      expect([await child.exited, err]).toEqual([0, ""]);
      expect(out).toContain("success: true");
      expect(out).toContain("status: 'STATUS_DONE'");
      expect(out).toContain("reference: 'hello'");
      expect(out).toContain(devnet.parties[1]!.publicKey);
    } finally {
      await devnet.stop();
    }
  });

  test("given a devnet, when the market's example is run with Node, then its output is what the README prints", async () => {
    const devnet = await startTestDevnet();
    try {
      const example = join(ROOT, "examples", "first-market.mjs");
      const child = Bun.spawn(["node", example, devnet.nodeUrl, devnet.dataUrl], {
        stdout: "pipe",
        stderr: "pipe",
      });
      const [out, err] = await Promise.all([
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
      ]);
      expect([await child.exited, err]).toEqual([0, ""]);
      const printed = readFileSync(join(ROOT, "README.md"), "utf8");
      const withoutId = (text: string) => text.replace(/market: '[0-9a-f]{64}'/, "market: ID");
      expect(withoutId(printed)).toContain(`\`\`\`\n${withoutId(out)}\`\`\``);
    } finally {
      await devnet.stop();
    }
  });

  test("given no devnet, then it says how to start one, and exits with 1", async () => {
    const child = Bun.spawn(["node", EXAMPLE, "http://127.0.0.1:1", "http://127.0.0.1:1"], {
      stdout: "pipe",
      stderr: "pipe",
    });
    const [out, err] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    expect([await child.exited, out]).toEqual([1, ""]);
    expect(err).toBe("http://127.0.0.1:1/devnet/parties does not answer: start one with npm start\n");
  });

  test("given a devnet on other ports in the folder, then it finds it; given a refusal, then it exits with 1", async () => {
    const folder = mkdtempSync(join(tmpdir(), "lyra-example-"));
    const devnet = await startTestDevnet({ home: join(folder, ".lyra", "devnet") });
    const run = async () => {
      const child = Bun.spawn(["node", EXAMPLE], { cwd: folder, stdout: "pipe", stderr: "pipe" });
      const [out, err] = await Promise.all([
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
      ]);
      return { code: await child.exited, out, err };
    };
    try {
      expect(await run()).toMatchObject({ code: 0, err: "" });
      await devnet.chain.ban(devnet.parties[0]!.publicKey, devnet.chain.status.timeNs + 3_600_000_000_000n);
      const { code, out, err } = await run();
      expect(code).toBe(1);
      expect(out).toContain("success: false");
      expect(out).not.toContain("STATUS_DONE");
      expect(err).toMatch(/^the transfer was refused: npx bun src\/main.ts explain [0-9A-F]{64}\n$/);
    } finally {
      await devnet.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test("given the README, then it prints the very lines", () => {
    const lines = readFileSync(EXAMPLE, "utf8").trim();
    expect(readFileSync(join(ROOT, "README.md"), "utf8")).toContain(lines);
  });
});
