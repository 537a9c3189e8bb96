// Workers, which are entry points of their own wherever the sources are bundled.

export const WORKERS: readonly string[] = [
  "src/node/writer.worker.ts",
  "src/node/follower.worker.ts",
  "src/devnet/planes.worker.ts",
  "src/history/segment.worker.ts",
  "src/history/sharing/copy.worker.ts",
  "src/chain/admission/pow/solver.worker.ts",
];

/** Documents of the page (scripts/generate-page.ts), each an entry point for browsers. */
export const PAGE_ENTRIES: readonly string[] = ["src/web/index.tsx", "src/web/wallet.tsx"];
