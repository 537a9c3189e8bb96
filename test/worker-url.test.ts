import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { sourceRoot, workerUrl } from "../src/worker-url.ts";

test.each([
  ["file:///$bunfs/root/lyra", "file:///$bunfs/root/"],
  ["file:///$bunfs/root/node/planes.worker.js", "file:///$bunfs/root/"],
  ["file:///%24bunfs/root/admission/pow/solver.worker.js", "file:///%24bunfs/root/"],
  ["file:///B:/~BUN/root/node/planes.worker.js", "file:///B:/~BUN/root/"],
  ["file:///home/a/root/src/worker-url.ts", "file:///home/a/root/src/"],
])("in %s workers lie below %s", (url, root) => {
  expect(sourceRoot(url)).toBe(root);
});

test("from the sources they are files", () => {
  expect(existsSync(fileURLToPath(workerUrl("admission/verifier/verifier.worker.ts")))).toBe(true);
});
