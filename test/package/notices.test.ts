// Notices and licence texts against the source maps of the bundle, and the image against the README.
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WORKERS } from "../../scripts/entry-points.ts";
import { licenceTexts, notices } from "../../scripts/package/licences.ts";

const root = join(import.meta.dir, "../..");
const folder = mkdtempSync(join(tmpdir(), "lyra-notices-"));
afterAll(() => rmSync(folder, { recursive: true }));
const read = (path: string) => readFileSync(join(root, path), "utf8");

/** Packages whose code or files are in the executable: by its source maps, and by the files that it takes whole. */
async function packagesOfExecutable(): Promise<readonly string[]> {
  const entrypoints = ["src/main.ts", ...WORKERS].map((path) => join(root, path));
  await Bun.build({
    entrypoints,
    target: "bun",
    splitting: true,
    sourcemap: "external",
    outdir: folder,
  });
  const sources = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".map"))
    .flatMap(
      (path) => (JSON.parse(readFileSync(join(folder, path), "utf8")) as { sources: string[] }).sources,
    );
  const names = sources.map((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]);
  return [...new Set(names.filter((name) => name !== undefined))].sort();
}

test("every package in the executable is in the notices, and its licence's text is handed out with it", async () => {
  const packages = await packagesOfExecutable();
  expect(packages).toContain("@grpc/grpc-js");
  const document = read("THIRD_PARTY_NOTICES.md");
  expect(packages.filter((name) => !document.includes(`**${name}**`))).toEqual([]);
  const texts = await licenceTexts(root);
  expect(packages.filter((name) => !texts.includes(`\n${name} `))).toEqual([]);
  for (const page of ["swagger-ui-dist", "graphiql", "react", "react-dom"])
    expect(document).toContain(`**${page}**`);
});

test("the notices are as the bundle makes them (else: bun scripts/notices.ts)", async () => {
  const text = await notices(root);
  expect(text).not.toContain("licence unknown");
  expect(read("THIRD_PARTY_NOTICES.md")).toBe(text);
});

test("the image hands out the texts, and exposes every port at which the README finds a node", () => {
  const image = read("Dockerfile");
  expect(image).toContain("dist/THIRD_PARTY_LICENCES.txt /licences/");
  const exposed = /^EXPOSE (.*)$/m.exec(image)![1]!.split(" ");
  // The ports of the wallet's service (loopback alone) and those that a command of the README chooses by a flag are no image's.
  const readme = read("README.md");
  const chosen = new Set([...readme.matchAll(/-port (\d+)/g)].map(([, port]) => port));
  const ports = [...readme.matchAll(/127\.0\.0\.1:(\d+)/g)].map(([, port]) => port!);
  const missing = ports.filter((port) => port !== "1789" && !chosen.has(port) && !exposed.includes(port));
  expect(missing).toEqual([]);
  expect(exposed).toContain("3005");
});
