// Copies a store, and hashes the copy. An extra entry point of the compiled executable (scripts/build.ts lists it).
import { Database } from "bun:sqlite";
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { NodeError, partsOf, reasonOf } from "../../errors/node-error.ts";
import { copyStore, removeChain } from "../../store/copy.ts";
import { hasChain, readHead } from "../../store/head.ts";
import { SCHEMA_VERSION } from "../../store/schema.ts";
import { listSegments } from "../segment-table.ts";
import { CHUNK_BYTES, type CopyOrder, type CopyReply } from "./image.ts";

declare const self: Worker;

self.onmessage = ({ data }: MessageEvent<CopyOrder>) => {
  self.postMessage(copy(data));
};

function copy({ home, path }: CopyOrder): CopyReply {
  try {
    copyStore(home, path);
    // The state that a validator keeps beside its rows comes from a snapshot, which consensus vouches for.
    if (isOfChain(path)) removeChain(path);
    return { copied: { ...factsOf(path), ...chunksOf(path) } };
  } catch (error) {
    const failure =
      error instanceof NodeError
        ? error
        : new NodeError("store.copy", "copy_failed", `the store could not be copied: ${reasonOf(error)}`);
    return { failed: partsOf(failure) };
  }
}

function isOfChain(path: string): boolean {
  const db = new Database(path, { readonly: true, safeIntegers: true });
  try {
    return hasChain(db);
  } finally {
    db.close();
  }
}

function factsOf(path: string) {
  const db = new Database(path, { readonly: true, safeIntegers: true });
  try {
    const head = readHead(db);
    const segments = listSegments(db);
    return {
      chainId: head?.chainId ?? "",
      height: head?.height ?? 0,
      hash: head?.hash ?? "",
      schema: SCHEMA_VERSION,
      segments: segments.length,
      lastSegmentId: segments.at(-1)?.id ?? "",
    };
  } finally {
    db.close();
  }
}

function chunksOf(path: string): { bytes: number; chunks: string[] } {
  const file = openSync(path, "r");
  try {
    const buffer = Buffer.alloc(CHUNK_BYTES);
    const { size } = fstatSync(file);
    const chunks: string[] = [];
    for (let at = 0; at < size; ) {
      const length = readSync(file, buffer, 0, CHUNK_BYTES, at);
      chunks.push(new Bun.CryptoHasher("sha256").update(buffer.subarray(0, length)).digest("hex"));
      at += length;
    }
    return { bytes: size, chunks };
  } finally {
    closeSync(file);
  }
}
