// Where a worker's entry point is. The compiled executable keeps entry points at their paths below the root of the
// sources (scripts/entry-points.ts lists them), and puts a copy of this file into each of them: where it stands there says
// nothing, and a worker that starts workers would look below its own folder. The package has all of them in one folder.

/** The root of the files inside a compiled executable, on Linux and macOS, and on Windows. */
const INSIDE = /^.*?\/(?:\$bunfs|%24bunfs|~BUN|%7EBUN)\/root\//;

/** @param url of this file */
export function sourceRoot(url: string): string {
  return INSIDE.exec(url)?.[0] ?? new URL("../", url).href;
}

declare const LYRA_IN_PACKAGE: boolean | undefined;

const isInPackage = typeof LYRA_IN_PACKAGE === "boolean";
const ROOT = isInPackage ? new URL("./", import.meta.url).href : sourceRoot(import.meta.url);

/** @param path of the worker's file below `src/` */
export function workerUrl(
  path:
    | "node/writer.worker.ts"
    | "node/follower.worker.ts"
    | "devnet/planes.worker.ts"
    | "history/segment.worker.ts"
    | "history/sharing/copy.worker.ts"
    | "chain/admission/pow/solver.worker.ts",
): string {
  if (isInPackage) return `${ROOT}${path.slice(path.lastIndexOf("/") + 1, -".ts".length)}.js`;
  return `${ROOT}${path}`;
}
