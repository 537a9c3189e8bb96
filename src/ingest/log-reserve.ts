/** Room on the disk that belongs to the event log alone: a file of zeros, cut shorter as the log takes of it. */
import {
  closeSync,
  existsSync,
  ftruncateSync,
  openSync,
  statfsSync,
  statSync,
  unlinkSync,
  writeSync,
} from "node:fs";

const BYTES_MAX = 8 * 1024 * 1024;
/** Of what is free the reserve takes no more than a part. */
const FREE_PARTS = 16;
const PIECE_BYTES = 256 * 1024;
/** Blocks of the file system, and its own entries. */
const SLACK_BYTES = 64 * 1024;

export class LogReserve {
  private size: number;

  /** @param bytesMax the most that it takes */
  constructor(
    private readonly path: string,
    private readonly bytesMax = BYTES_MAX,
  ) {
    this.size = existsSync(path) ? statSync(path).size : 0;
  }

  get bytes(): number {
    return this.size;
  }

  /** Takes room while there is plenty; never throws, a smaller reserve is better than none. */
  fill(): void {
    try {
      const { bavail, bsize } = statfsSync(this.path.slice(0, this.path.lastIndexOf("/")));
      const aim = Math.min(this.bytesMax, BYTES_MAX, Math.floor((bavail * bsize) / FREE_PARTS));
      if (this.size >= aim) return;
      const file = openSync(this.path, existsSync(this.path) ? "r+" : "w+");
      try {
        while (this.size < aim) {
          const piece = new Uint8Array(Math.min(PIECE_BYTES, aim - this.size));
          this.size += writeSync(file, piece, 0, piece.length, this.size);
        }
      } finally {
        closeSync(file);
      }
    } catch {
      // The disk is nearly full already.
    }
  }

  /** Gives room for this many bytes back to the disk. @returns false when nothing is left to give */
  release(bytes: number): boolean {
    if (this.size === 0) return false;
    const left = Math.max(0, this.size - bytes - SLACK_BYTES);
    try {
      if (left === 0) unlinkSync(this.path);
      else {
        const file = openSync(this.path, "r+");
        ftruncateSync(file, left);
        closeSync(file);
      }
    } catch {
      // It was removed: there is nothing to give.
    }
    this.size = left;
    return true;
  }
}
