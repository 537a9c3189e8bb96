// A data API over a small made-up chain, for scenario tests: one block a minute, each with the events a case needs.
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DEFAULT_LIMITS, type Limits } from "../../src/http/limits.ts";
import { dataApp } from "../../src/planes/data/app.ts";
import { DataContext } from "../../src/planes/data/context.ts";
import { DataPlane } from "../../src/planes/data/plane.ts";
import { BlockWriter } from "../../src/store/block-writer.ts";
import { openReader, openWriter } from "../../src/store/database.ts";
import type { BlockEvent } from "../../src/wire/block.ts";
import { SECOND_NS } from "../../src/wire/time-text.ts";
import { MEMORY } from "../rig/homes.ts";

/** Payload field number (`Field`) and the encoded payload. */
export type Event = readonly [field: number, message: Uint8Array];
// biome-ignore lint/suspicious/noExplicitAny: an answer is looked at as it is
export type Json = any;
export type Get = (path: string) => Promise<{ status: number; body: Json }>;

const START_SECONDS = 1_659_430_800n; // 2022-08-02T09:00:00Z
const opened: { home: string; close(): void }[] = [];

/** Time of a block, Unix nanoseconds. */
export function blockNs(height: number): bigint {
  return (START_SECONDS + BigInt(height) * 60n) * SECOND_NS;
}

/** Time of a block as cursors write it. */
export function blockTime(height: number): string {
  return new Date(Number(blockNs(height) / 1_000_000n)).toISOString().replace(".000Z", "Z");
}

/** An identifier of 64 digits that sorts as its number does. @param n 0 to 255 */
export function id(n: number): string {
  return n.toString(16).padStart(2, "0").padEnd(64, "0");
}

/** The number of such an identifier. */
export function numberOf(text: string): number {
  return Number.parseInt(text.slice(0, 2), 16);
}

/** A cursor for a query string. */
export function cursorOf(members: object): string {
  return encodeURIComponent(Buffer.from(JSON.stringify(members)).toString("base64"));
}

/** A data API over blocks 1, 2, ... of the given events; paths start after `/api/v2`. */
export function chainOf(blocks: readonly (readonly Event[])[]): Get {
  return openChain(blocks).get;
}

/** The same with its context, for parts that no path with JSON reaches. */
export function openChain(
  blocks: readonly (readonly Event[])[],
  limits: Limits = DEFAULT_LIMITS,
): { get: Get; context: DataContext } {
  const home = mkdtempSync(join(MEMORY, "lyra-small-chain-"));
  const writing = openWriter(home);
  const writer = new BlockWriter(writing);
  for (const [i, events] of blocks.entries()) {
    const hash = (i + 1).toString(16).padStart(64, "0").toUpperCase();
    writer.write({
      chainId: "test",
      height: i + 1,
      timeNs: blockNs(i + 1),
      hash,
      txHashes: [hash],
      events: events.map(
        ([field, bytes], n): BlockEvent => ({ field, seq: n + 1, tx: 0, bytes, start: 0, end: bytes.length }),
      ),
    });
  }
  writing.close();
  const db = openReader(home);
  opened.push({ home, close: () => db.close() });
  const context = new DataContext(db, { limits, build: { version: "v1", commit: "c" } });
  const app = dataApp(new DataPlane(context));
  const get: Get = async (path) => {
    const response = await app.handle(new Request(`http://localhost/api/v2${path}`));
    return { status: response.status, body: await response.json() };
  };
  return { get, context };
}

/** Nodes of all pages of a list, in the order of the walk. @param path ends in `?` or `&` */
export async function walk(get: Get, path: string, pageRows: number): Promise<Json[]> {
  const nodes: Json[] = [];
  for (let after = ""; ; ) {
    const { body } = await get(`${path}pagination.first=${pageRows}${after}`);
    const [{ edges, pageInfo }] = Object.values(body) as [Json];
    nodes.push(...edges.map((edge: Json) => edge.node));
    if (!pageInfo.hasNextPage) return nodes;
    after = `&pagination.after=${encodeURIComponent(pageInfo.endCursor)}`;
  }
}

/** For `afterAll`: closes and removes every store made here. */
export function removeChains(): void {
  for (const { home, close } of opened.splice(0)) {
    close();
    rmSync(home, { recursive: true });
  }
}

/** Parties, assets and a market. */
export const [P1, P2] = [id(0x51), id(0x52)];
export const [A1, A2] = [id(0xa1), id(0xa2)];
export const M = id(0x3e);
export const nodes = (list: Json) => list.edges.map((edge: Json) => edge.node);
