// POST /transaction/raw, TYPE_SYNC, over HTTP against a chain that accepts everything, held against a bare Bun.serve
// that does JSON.parse, decodes the base64 and answers the same text. bun bench/submission.ts
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ChainPort, TxOutcome } from "../src/engine/chain-port.ts";
import { DEFAULT_LIMITS } from "../src/http/limits.ts";
import { DataContext } from "../src/planes/data/context.ts";
import { DataPlane } from "../src/planes/data/plane.ts";
import { serveNode } from "../src/planes/node/app.ts";
import { NodeContext } from "../src/planes/node/context.ts";
import { NodePlane } from "../src/planes/node/plane.ts";
import { openReader, openWriter } from "../src/store/database.ts";
import { loadInChild } from "./load.ts";

const REQUESTS = 30_000;
const ROUNDS = 5;
const CONNECTIONS = 16;
/** Bytes of a usual transfer. */
const TRANSACTION_BYTES = 467;
const HASH = "AB".repeat(32);
const ACCEPTED: TxOutcome = { hash: HASH, code: 0, text: "", details: undefined, gasWanted: 1, height: 0 };

let received = 0;
const chain = {
  async submit(bytes: Uint8Array) {
    received += bytes.length;
    return ACCEPTED;
  },
} as unknown as ChainPort;

const home = mkdtempSync(join(tmpdir(), "lyra-bench-"));
openWriter(home).close();
const db = openReader(home);
const build = { version: "v0.71.6", commit: "bench" };
const data = new DataPlane(new DataContext(db, { limits: DEFAULT_LIMITS, build }));
const context = new NodeContext(chain, { limits: DEFAULT_LIMITS, build, nowNs: () => 0n });
const server = serveNode(new NodePlane(context, data), { host: "127.0.0.1", port: 0 });
const bare = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    const { tx } = JSON.parse(await request.text()) as { tx: string };
    received += Buffer.from(tx, "base64").length;
    const answer = { success: true, txHash: HASH, code: 0, data: "", log: "", height: "0" };
    return new Response(JSON.stringify(answer, undefined, 2), {
      headers: { "content-type": "application/json" },
    });
  },
});

const bytes = crypto.getRandomValues(new Uint8Array(TRANSACTION_BYTES));
const bodies = Array.from({ length: REQUESTS }, (_, n) => {
  new DataView(bytes.buffer).setUint32(0, n);
  return JSON.stringify({ tx: Buffer.from(bytes).toString("base64"), type: "TYPE_SYNC" });
});

async function rate(port: number): Promise<number> {
  const posts = { path: "/transaction/raw", bodies };
  const result = await loadInChild({
    port,
    paths: [],
    posts,
    connections: CONNECTIONS,
    durationMs: 0,
    warmupMs: 0,
  });
  if (result.errors > 0) throw new Error(`${result.errors} answers were no success`);
  return result.perSecond;
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
const node: number[] = [];
const plain: number[] = [];
for (let round = 0; round < ROUNDS; round++) {
  node.push(await rate(server.port));
  plain.push(await rate(bare.port!));
}
if (received !== 2 * ROUNDS * REQUESTS * TRANSACTION_BYTES) throw new Error("bytes were lost on the way");
const [nodePerSecond, barePerSecond] = [Math.round(median(node)), Math.round(median(plain))];
console.log(
  JSON.stringify({ nodePerSecond, barePerSecond, ratio: nodePerSecond / barePerSecond }, undefined, 2),
);
await server.stop();
await bare.stop(true);
db.close();
rmSync(home, { recursive: true });
