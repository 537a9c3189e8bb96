// The devnet's tools as commands, against what is no devnet: each failure has its words and an exit code.
import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Lyra, lyra } from "../rig/lyra.ts";
import { eventually } from "../support/eventually.ts";

const folder = mkdtempSync(join(tmpdir(), "lyra-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The command's message for a node's answer. */
async function messageFor(answer: (response: ServerResponse) => void, words: readonly string[]) {
  const server = createServer((_, response) => answer(response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    return await lyra(["devnet", ...words, "--node-url", url]);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const say = (status: number, text: string) => (response: ServerResponse) => {
  response.writeHead(status);
  response.end(text);
};

describe("lyra devnet VERB", () => {
  test.each([
    ["a page", say(200, "<html>"), ["status"], "this node is not a devnet: its answer is not JSON"],
    ["a page, asked for names", say(200, "<html>"), ["fund", "alice", "tUSD", "5"], "its answer is not JSON"],
    ["an odd refusal", say(400, '{"message":{},"details":"no"}'), ["mine"], "the devnet refused it"],
    ["a refusal without details", say(400, '{"details":null}'), ["mine"], "the devnet refused it"],
    ["a refusal that is null", say(500, "null"), ["mine"], "the devnet refused it"],
  ] as const)("is answered by what is no devnet: %s", async (_, answer, words, sentence) => {
    const { code, out, err } = await messageFor(answer, words);
    expect(err).toContain(sentence);
    expect([code, out]).toEqual([1, ""]);
  });

  test("an answer that ends in the middle is told as one", async () => {
    const half = (response: ServerResponse) => {
      response.writeHead(200, { "content-length": 1000 });
      response.write('{"a":', () => response.socket?.end());
    };
    const { code, err } = await messageFor(half, ["mine"]);
    expect(err).toContain("did not come whole");
    expect(code).toBe(3);
  });

  test.each([
    "",
    "file:///etc/passwd",
    "data:application/json,{}",
    "http://name:secret@127.0.0.1:1",
    "http://127.0.0.1:1?x",
  ])("an address that is none: %p", async (url) => {
    const { code, err } = await lyra(["devnet", "status", "--node-url", url]);
    expect(err).toContain("a devnet's address is like");
    expect(err).not.toContain("secret");
    expect(code).toBe(2);
  });

  test("a file of its address that is damaged", async () => {
    for (const text of ["{", "null", "{}"]) {
      writeFileSync(join(folder, "devnet.json"), text);
      const { code, err } = await lyra(["devnet", "status", "--home", folder]);
      expect(err).toContain("devnet.json cannot be read");
      expect(code).toBe(3);
    }
  });
});

describe("a devnet is found without its home being named", () => {
  const cwd = join(folder, "here");
  const env = { XDG_DATA_HOME: join(folder, "data") };
  mkdirSync(cwd);
  const killed = { nodeUrl: "http://127.0.0.1:1", pid: 2 ** 30 };

  const byDefault = join(folder, "data", "lyra", "devnet");
  const byNpm = join(cwd, ".lyra", "devnet");

  test.each([
    ["where it is kept by default", [], byDefault, byNpm],
    ["where npm start keeps it", ["--home", join(".lyra", "devnet")], byNpm, byDefault],
  ])("%s, also beside what a killed one left", async (_, words, home, other) => {
    const devnet = new Lyra(["devnet", "--port", "0", "--quiet", ...words], { cwd, env });
    await eventually(() => existsSync(join(home, "devnet.json")) || devnet.hasEnded);
    const status = () => lyra(["devnet", "status"], { cwd, env });
    expect((await status()).err).toBe("");
    mkdirSync(other, { recursive: true });
    const stale = join(other, "devnet.json");
    writeFileSync(stale, JSON.stringify(killed));
    expect((await status()).err).toBe("");
    await devnet.stop();
    expect((await status()).err).toContain("127.0.0.1:1 does not answer");
    rmSync(stale);
    expect((await status()).err).toContain("no running devnet was found");
  });
});
