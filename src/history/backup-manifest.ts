// The table of contents of a backup; untrusted input.

import { NodeError } from "../errors/node-error.ts";
import { parseUniqueJson } from "../wire/unique-json.ts";

export const FORMAT = "lyra-backup-1";

export interface BackupFile {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

export interface Manifest {
  readonly format: typeof FORMAT;
  readonly chainId: string;
  readonly height: number;
  readonly hash: string;
  readonly schema: number;
  readonly files: readonly BackupFile[];
}

/** @throws NodeError `backup_damaged` */
export function readManifest(text: string): Manifest {
  let manifest: Manifest | null;
  try {
    manifest = parseUniqueJson(text) as Manifest | null;
  } catch {
    throw unsound("its manifest is damaged");
  }
  if (manifest?.format !== FORMAT || !Array.isArray(manifest.files))
    throw unsound("it is not a backup of lyra");
  const { chainId, height, hash, schema, files } = manifest;
  const isWhole =
    typeof chainId === "string" &&
    typeof hash === "string" &&
    [height, schema].every((value) => Number.isSafeInteger(value) && value >= 0) &&
    files.every((file) => typeof file?.name === "string" && typeof file.sha256 === "string");
  if (!isWhole) throw unsound("its manifest is damaged");
  return manifest;
}

export function unsound(reason: string): NodeError {
  const hint = "nothing was changed: use another backup";
  return new NodeError("backup.verify", "backup_damaged", `the backup is not sound: ${reason}`, hint);
}
