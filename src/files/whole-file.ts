// A file that others wait for: it appears with everything in it, or not at all.
import { realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";

export interface WholeFileOptions {
  readonly mode?: number;
  /** Waits until the disk has it: for what must survive the machine's end too. */
  readonly flush?: boolean;
}

/**
 * All of it or nothing, whenever the process ends and whoever reads it in between. A link stays a link; what is no
 * plain file (a pipe, `/dev/stdout`) is written to as it stands.
 */
export function writeWhole(file: string, text: string, options: WholeFileOptions = {}): void {
  const { mode = 0o666, flush = false } = options;
  const existing = statSync(file, { throwIfNoEntry: false });
  if (existing && !existing.isFile()) {
    writeFileSync(file, text);
    return;
  }
  const place = existing ? realpathSync(file) : file;
  const part = `${place}.part`;
  try {
    writeFileSync(part, text, { flush, mode });
    renameSync(part, place);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}
