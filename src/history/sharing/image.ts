// Images of a store, for other nodes: a snapshot with the hashes of its chunks, kept for a while. All state is in the home,
// because every serving thread may need it.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { NodeError, type NodeErrorParts, nodeErrorOf, reasonOf } from "../../errors/node-error.ts";
import { type Lock, tryLock } from "../../files/lock.ts";
import { writeFileWhole } from "../../files/whole-file.ts";
import { workerUrl } from "../../files/worker-url.ts";
import { checkRoom, copyBytes } from "../../store/copy.ts";

export const CHUNK_BYTES = 4 * 1024 * 1024;
/** An image of at most this age is reused for another node. */
const FRESH_MS = 10 * 60_000;
/** An image counts as unused after this time without a read. */
const IN_USE_MS = 2 * 60_000;
/** An unused image is removed after this time. */
const KEPT_MS = 60 * 60_000;
const LOOK_MS = 60_000;

/** Description of an image. */
export interface ImageManifest {
  /** SHA-256 of the chunks' hashes. */
  readonly id: string;
  readonly chainId: string;
  /** Last block in it. */
  readonly height: number;
  readonly hash: string;
  readonly schema: number;
  /** Its newest segment, and its number of segments. */
  readonly segments: number;
  readonly lastSegmentId: string;
  readonly bytes: number;
  readonly chunkBytes: number;
  /** SHA-256 of each chunk, hex. */
  readonly chunks: readonly string[];
}

export type ImageState =
  | { readonly state: "none" }
  | { readonly state: "making"; readonly bytes: number }
  | { readonly state: "failed"; readonly text: string }
  | { readonly state: "ready"; readonly image: ImageManifest };

export interface CopyOrder {
  readonly home: string;
  /** Path of the copy, which must not exist. */
  readonly path: string;
}

export type CopyReply =
  | { readonly copied: Omit<ImageManifest, "id" | "chunkBytes"> }
  | { readonly failed: NodeErrorParts };

/** Copies a store on a thread of its own. @throws NodeError */
export async function copyAside(order: CopyOrder): Promise<Omit<ImageManifest, "id" | "chunkBytes">> {
  const worker = new Worker(workerUrl("history/sharing/copy.worker.ts"), { smol: true });
  try {
    return await new Promise((resolve, reject) => {
      worker.onmessage = ({ data }: MessageEvent<CopyReply>) => {
        if ("copied" in data) resolve(data.copied);
        else reject(nodeErrorOf(data.failed));
      };
      worker.onerror = (event) => {
        event.preventDefault();
        reject(new NodeError("store.copy", "copy_failed", "the thread that copies the store has ended"));
      };
      worker.postMessage(order);
    });
  } finally {
    worker.terminate();
  }
}

function imageId(chunks: readonly string[]): string {
  return createHash("sha256").update(chunks.join("")).digest("hex");
}

export class Images {
  private readonly folder: string;
  private failure = "";
  private timer: ReturnType<typeof setInterval> | undefined;

  constructor(private readonly home: string) {
    this.folder = join(home, "image");
    if (home === "" || !existsSync(this.folder)) return;
    this.removeUnfinished();
    this.watch();
  }

  state(): ImageState {
    const image = this.manifest();
    if (image !== undefined) return { state: "ready", image };
    if (this.isBeingMade()) {
      const bytes = statSync(this.unfinished, { throwIfNoEntry: false })?.size ?? 0;
      return { state: "making", bytes };
    }
    return this.failure === "" ? { state: "none" } : { state: "failed", text: this.failure };
  }

  /** Ensures that a fresh image exists or is being made. @throws NodeError `disk_full` */
  request(): ImageState {
    const current = this.state();
    if (current.state === "making" || (current.state === "ready" && this.isGood())) return current;
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    const lock = tryLock(this.lockPath);
    if (lock === undefined) return this.state();
    try {
      this.remove();
      checkRoom("history.image", this.folder, copyBytes(this.home));
    } catch (error) {
      lock.release();
      throw error;
    }
    this.failure = "";
    this.watch();
    void this.make(lock);
    return { state: "making", bytes: 0 };
  }

  /** File of an existing image. Its modification time is that of its last use. */
  pathOf(id: string): string | undefined {
    if (this.manifest()?.id !== id) return undefined;
    const now = new Date();
    utimesSync(this.path, now, now);
    return this.path;
  }

  private get path(): string {
    return join(this.folder, "image.db");
  }

  private get unfinished(): string {
    return `${this.path}.tmp`;
  }

  private get manifestPath(): string {
    return join(this.folder, "image.json");
  }

  private get lockPath(): string {
    return join(this.folder, "lock.db");
  }

  private async make(lock: Lock): Promise<void> {
    try {
      const copied = await copyAside({ home: this.home, path: this.unfinished });
      const image: ImageManifest = { id: imageId(copied.chunks), chunkBytes: CHUNK_BYTES, ...copied };
      renameSync(this.unfinished, this.path);
      writeFileWhole(this.manifestPath, JSON.stringify(image));
    } catch (error) {
      this.failure = error instanceof NodeError ? `${error.message} (${error.code})` : reasonOf(error);
      this.remove();
    } finally {
      lock.release();
    }
  }

  private manifest(): ImageManifest | undefined {
    try {
      if (!existsSync(this.path)) return undefined;
      return JSON.parse(readFileSync(this.manifestPath, "utf8")) as ImageManifest;
    } catch {
      return undefined;
    }
  }

  private isBeingMade(): boolean {
    if (!existsSync(this.lockPath)) return false;
    const lock = tryLock(this.lockPath);
    lock?.release();
    return lock === undefined;
  }

  /** Fresh, or being read. */
  private isGood(): boolean {
    const madeMs = statSync(this.manifestPath, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    return Date.now() - madeMs < FRESH_MS || this.unusedMs() < IN_USE_MS;
  }

  private unusedMs(): number {
    const used = statSync(this.path, { throwIfNoEntry: false })?.mtimeMs;
    return used === undefined ? 0 : Date.now() - used;
  }

  private watch(): void {
    this.timer ??= setInterval(() => {
      if (this.unusedMs() > KEPT_MS) this.remove();
    }, LOOK_MS);
    this.timer.unref?.();
  }

  /** Removes the leftovers of a process that was killed while it made an image. */
  private removeUnfinished(): void {
    try {
      const lock = tryLock(this.lockPath);
      if (lock === undefined) return;
      for (const path of [this.unfinished, `${this.unfinished}-journal`]) rmSync(path, { force: true });
      lock.release();
    } catch {
      // It stays in a read-only home.
    }
  }

  private remove(): void {
    for (const path of [this.manifestPath, this.path, this.unfinished, `${this.unfinished}-journal`])
      rmSync(path, { force: true });
  }
}
