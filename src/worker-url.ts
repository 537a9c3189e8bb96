// Where a worker's entry point is. This file lies at the root of the sources, and the compiled executable keeps
// entry points at their paths below that root, so one relative address serves both (scripts/build.ts lists them).

/** @param path of the worker's file below `src/` */
export function workerUrl(
  path:
    | "node/writer.worker.ts"
    | "node/planes.worker.ts"
    | "node/reader.worker.ts"
    | "history/segment.worker.ts"
    | "admission/pow/solver.worker.ts"
    | "admission/verifier/verifier.worker.ts",
): string {
  return new URL(`./${path}`, import.meta.url).href;
}
