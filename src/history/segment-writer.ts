// Writes a file forwards, in large steps, and only calls it done when it is on the disk.
import { type FileHandle, open } from "node:fs/promises";

const BUFFER_BYTES = 256 * 1024;
/** The file is given to the disk this often, so that the last flush is short. */
const SYNC_BYTES = 32 * 1024 * 1024;

export class SegmentWriter {
  /** Bytes written so far. */
  length = 0;
  private waiting: Uint8Array[] = [];
  private waitingBytes = 0;
  private flushedBytes = 0;
  private syncedBytes = 0;
  private isOpen = true;

  constructor(private readonly file: FileHandle) {}

  async write(bytes: Uint8Array): Promise<void> {
    this.waiting.push(bytes);
    this.waitingBytes += bytes.length;
    this.length += bytes.length;
    if (this.waitingBytes >= BUFFER_BYTES) await this.flush();
    if (this.flushedBytes - this.syncedBytes < SYNC_BYTES) return;
    await this.file.datasync();
    this.syncedBytes = this.flushedBytes;
  }

  /** Everything is on the disk when this settles. */
  async close(): Promise<void> {
    try {
      await this.flush();
      await this.file.sync();
    } finally {
      await this.abandon();
    }
  }

  /** Closes the file as it is. */
  async abandon(): Promise<void> {
    if (!this.isOpen) return;
    this.isOpen = false;
    await this.file.close();
  }

  private async flush(): Promise<void> {
    const bytes = Buffer.concat(this.waiting);
    this.waiting = [];
    this.waitingBytes = 0;
    for (let done = 0; done < bytes.length; ) {
      const { bytesWritten } = await this.file.write(
        bytes,
        done,
        bytes.length - done,
        this.flushedBytes + done,
      );
      done += bytesWritten;
    }
    this.flushedBytes += bytes.length;
  }
}

/** A rename is only certain once its directory is on the disk. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
