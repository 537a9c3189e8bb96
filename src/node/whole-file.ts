// A file that others wait for: it appears with everything in it, or not at all.
import { realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";

/**
 * All of it or nothing, whenever the process or the machine ends, and whoever reads it in between. A link stays a
 * link; what is no plain file (a pipe, `/dev/stdout`) is written to as it stands.
 */
export function writeWhole(file: string, text: string, { mode = 0o666 }: { mode?: number } = {}): void {
  const existing = statSync(file, { throwIfNoEntry: false });
  if (existing && !existing.isFile()) {
    writeFileSync(file, text);
    return;
  }
  const place = existing ? realpathSync(file) : file;
  const part = `${place}.part`;
  try {
    writeFileSync(part, text, { flush: true, mode });
    renameSync(part, place);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}
