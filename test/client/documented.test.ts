// The examples of docs/package.md, "The client", as they stand there.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Devnet } from "../../src/devnet/devnet.ts";
import { HttpClient } from "../../src/package/http-client.ts";
import { Party } from "../../src/package/party.ts";
import { MEMORY, Scratch } from "../rig/homes.ts";
import { borrowDevnet, returnDevnet } from "../support/shared-devnet.ts";

const root = join(import.meta.dir, "../..");
const scratch = new Scratch("client-documented", MEMORY);
const http = new HttpClient(() => undefined);
let devnet: Devnet;
beforeAll(async () => {
  devnet = await borrowDevnet();
});
afterAll(async () => {
  http.close();
  scratch.remove();
  await returnDevnet();
});

/** The blocks of the section as one module, whose function runs them. */
function exampleModule(): string {
  const document = readFileSync(join(root, "docs/package.md"), "utf8");
  const [, section = ""] = /\n## The client\n([\s\S]*?)\n## /.exec(document) ?? [];
  const code = [...section.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, block]) => block!).join("\n");
  const imports = [...code.matchAll(/^import .*$/gm)].map(([line]) =>
    line.replace('"lyra/client"', JSON.stringify(join(root, "src/client/connect.ts"))),
  );
  const body = code.replace(/^import .*$/gm, "");
  return `${imports.join("\n")}\nexport async function example(devnet, console) {\n${body}\n}\n`;
}

async function use(tool: string, body: object): Promise<void> {
  const options = { method: "POST", body: JSON.stringify(body) };
  const answer = await fetch(`${devnet.nodeUrl}/devnet/${tool}`, options);
  expect(answer.status).toBe(200);
}

test("the client's examples do what the document says", async () => {
  await use("market/create", { preset: "btc" });
  const path = `${scratch.path()}.ts`;
  writeFileSync(path, exampleModule());
  const { example } = (await import(path)) as { example: (devnet: object, console: object) => Promise<void> };
  const lines: unknown[][] = [];
  let isDone = false;
  const partyNamed = (name: string) => {
    const party = devnet.parties.find((one) => one.name === name)!;
    const node = { http, nodeUrl: devnet.nodeUrl, chainId: devnet.chain.status.chainId };
    return new Party(node, name, 1, party);
  };
  const { dataUrl, nodeUrl } = devnet;
  const running = example(
    { dataUrl, nodeUrl, party: partyNamed },
    { log: (...words: unknown[]) => lines.push(words) },
  ).finally(() => {
    isDone = true;
  });
  // A crowd trades while the stream is read.
  for (let seed = 1; !isDone; seed++) await use("market/run", { market: "BTC/USD", orders: 10, seed });
  await running;
  expect(lines[0]).toEqual([true, expect.stringMatching(/^\d+$/)]);
  expect(lines.some(([side]) => side === "SIDE_SELL")).toBe(true);
  expect(lines.at(-2)).toEqual([expect.any(Number), expect.any(Number), expect.stringMatching(/^SIDE_/)]);
  expect(lines.at(-1)).toEqual([
    "transaction_refused",
    expect.stringContaining("the orderSubmission was refused"),
    expect.any(String),
    expect.stringMatching(/^[0-9A-F]{64}$/),
  ]);
});
