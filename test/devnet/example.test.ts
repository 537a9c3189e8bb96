// The README's example, run as it is printed: plain Node and the network's public packages against a devnet.
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createDevnet } from "../../src/node/devnet.ts";

const ROOT = join(import.meta.dir, "..", "..");
const EXAMPLE = join(ROOT, "examples", "first-transfer.mjs");

describe("the README's example", () => {
  test("given a devnet, when it is run with Node, then its transfer is executed and read back", async () => {
    const devnet = await createDevnet();
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
      await devnet.close();
    }
  });

  test("given the README, then it prints the very lines", () => {
    const lines = readFileSync(EXAMPLE, "utf8").trim();
    expect(readFileSync(join(ROOT, "README.md"), "utf8")).toContain(lines);
  });
});
