// What the status of a data plane says of the store behind it.
import { statSync } from "node:fs";
import type { DataPlane } from "../planes/data/plane.ts";
import { storePath } from "../store/database.ts";

export function storeFacts(home: string, plane: DataPlane) {
  const count = plane.context.db.prepare("SELECT count(*) AS n FROM segments");
  return {
    head: () => plane.head(),
    segments: () => Number((count.get() as { n: bigint }).n),
    storeBytes: () => fileBytes(storePath(home)) + fileBytes(`${storePath(home)}-wal`),
    logBytes: () => fileBytes(`${storePath(home)}-wal`),
  };
}

function fileBytes(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** What tells the file of a store from another one that takes its place; undefined when there is none. */
export function storeIdentity(home: string): string | undefined {
  const found = statSync(storePath(home), { throwIfNoEntry: false, bigint: true });
  return found && `${found.dev}:${found.ino}`;
}
