// An asset that a command or a chain event names.
import { CommandError } from "./errors.ts";
import type { AssetReader, AssetRecord } from "./ports.ts";

export type { AssetReader } from "./ports.ts";

/** The asset, usable or on its way there. @throws CommandError */
export function knownAsset(assets: AssetReader, id: string): AssetRecord {
  const asset = assets.get(id);
  if (asset === undefined) throw new CommandError("asset does not exist");
  return asset;
}
