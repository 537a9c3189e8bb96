import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { sourceRoot, workerUrl } from "../../src/files/worker-url.ts";

/** Where the runtime puts the files of an executable. */
const inside = (folder: string) => ["file:///", folder, "root", ""].join("/").replace("////", "///");

test.each([
  ["$bunfs", "lyra"],
  ["$bunfs", "devnet/planes.worker.js"],
  ["%24bunfs", "chain/admission/pow/solver.worker.js"],
  ["B:/~BUN", "devnet/planes.worker.js"],
])("in an executable (%s) workers lie below its root, wherever %s lies", (folder, file) => {
  expect(sourceRoot(`${inside(folder)}${file}`)).toBe(inside(folder));
});

test("from the sources they are files", () => {
  expect(sourceRoot("file:///srv/lyra/src/files/worker-url.ts")).toBe("file:///srv/lyra/src/");
  expect(existsSync(fileURLToPath(workerUrl("chain/admission/pow/solver.worker.ts")))).toBe(true);
});
