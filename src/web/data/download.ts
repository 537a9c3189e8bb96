// A file of the data API, read as a stream so that its progress can be shown.
import { dataOrigin, failureOf, RequestFailure } from "./node.ts";

export interface Progress {
  readonly done: number;
  /** Undefined while the length is not known. */
  readonly total: number | undefined;
}

const KEPT_MS = 60_000;

interface DownloadOptions {
  readonly signal: AbortSignal;
  onProgress(progress: Progress): void;
}

/** Length of the answer that a path gives, in bytes; undefined where the node does not say. @throws RequestFailure */
export async function lengthOf(path: string, signal: AbortSignal): Promise<number | undefined> {
  const { ok, headers } = await request(path, { method: "HEAD", signal });
  const length = Number(headers.get("content-length") ?? Number.NaN);
  return ok && Number.isSafeInteger(length) ? length : undefined;
}

/** The whole file; the browser keeps a large one outside of the page's memory. @throws RequestFailure */
export async function download(
  path: string,
  total: number | undefined,
  { signal, onProgress }: DownloadOptions,
): Promise<Blob> {
  const response = await request(path, { signal });
  if (!response.ok) throw failureOf(response.status, await response.text());
  const pieces: BlobPart[] = [];
  let done = 0;
  const reader = response.body!.getReader();
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      pieces.push(new Blob([piece.value as Uint8Array<ArrayBuffer>]));
      done += piece.value.length;
      onProgress({ done, total });
    }
  } catch (error) {
    if (signal.aborted) throw error;
    throw new RequestFailure(0, "the download broke off: the node went away, or a segment of it is damaged");
  }
  if (total !== undefined && done !== total) throw new RequestFailure(0, "the download broke off");
  return new Blob(pieces, { type: "application/zip" });
}

async function request(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(dataOrigin() + path, init);
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new RequestFailure(0, "the node does not answer");
  }
}

/** Hands what this page has read to the browser's own downloads. */
export function saveFile(name: string, file: Blob): void {
  const url = URL.createObjectURL(file);
  saveAs(name, url);
  // real time: the browser's download has to have begun.
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}

/** Hands a file to the browser's own downloads. */
export function saveAs(name: string, url: string): void {
  const anchor = document.createElement("a");
  anchor.href = url;
  anchor.download = name;
  anchor.click();
}
