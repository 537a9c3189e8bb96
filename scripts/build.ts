// Builds dist/lyra: one executable that needs nothing beside it. Bytecode more than halves its start; workers are
// further entry points; splitting leaves unused parts out of memory, such as gRPC, and shares what all of them need; the folder it is started in cannot configure it (no .env, no bunfig.toml).

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { $, Glob } from "bun";
import { WORKERS } from "./entry-points.ts";
import { licenceTexts } from "./package/licences.ts";

const OWN = "dist/lyra";
const ENTRY_POINTS = ["src/main.ts", ...WORKERS];

// Where there is no repository (a container's build), the commit is told.
const commit =
  process.env.LYRA_COMMIT?.trim() ||
  (await $`git rev-parse --short HEAD`.nothrow().quiet().text()).trim() ||
  "unknown";
const target = process.argv.find((word) => word.startsWith("--target="));
const outfile = process.argv.find((word) => word.startsWith("--outfile="))?.slice("--outfile=".length) ?? OWN;

mkdirSync("dist", { recursive: true });
const flags = [
  "--compile",
  "--minify",
  "--keep-names",
  "--bytecode",
  "--format=esm",
  "--splitting",
  "--sourcemap",
  "--no-compile-autoload-dotenv",
  "--no-compile-autoload-bunfig",
  `--define=LYRA_COMMIT=${JSON.stringify(JSON.stringify(commit)).slice(1, -1).replaceAll("\\", "")}`,
  // The latest release of the network whose chains the executable makes, for trials of an upgrade.
  ...(process.env.LYRA_RELEASE ? [`--define=LYRA_RELEASE="${process.env.LYRA_RELEASE}"`] : []),
  `--outfile=${outfile}`,
  ...(target ? [target] : []),
];
/** Sources of the executable. */
function digestOfSources(): string {
  const files = [
    "src/**",
    "data/*",
    "scripts/build.ts",
    "scripts/entry-points.ts",
    "scripts/package/*",
    "package-lock.json",
  ].flatMap((pattern) => [...new Glob(pattern).scanSync(".")]);
  const hash = new Bun.CryptoHasher("sha256").update(JSON.stringify(flags));
  for (const file of files.sort()) hash.update(`\0${file}\0`).update(readFileSync(file));
  return hash.digest("hex");
}
/** Beside the executable that tests use; a package gets none. */
const stamp = "dist/lyra.built-from";
const digest = digestOfSources();
const isBuilt =
  outfile === OWN && existsSync(outfile) && existsSync(stamp) && readFileSync(stamp, "utf8") === digest;
if (process.argv.includes("--if-changed") && isBuilt) process.exit(0);
if (outfile === OWN) rmSync(stamp, { force: true });

const begunMs = Date.now();
const built = Bun.spawnSync([process.execPath, "build", ...flags, ...ENTRY_POINTS], {
  stdout: "inherit",
  stderr: "inherit",
});
if (built.exitCode !== 0) process.exit(built.exitCode ?? 1);
// The executable holds its source maps; the files beside it have a new name each time.
for (const name of readdirSync(dirname(outfile)).filter((name) => name.endsWith(".map"))) {
  const path = join(dirname(outfile), name);
  if (statSync(path).mtimeMs >= begunMs - 1) rmSync(path);
}
if (outfile === OWN) {
  writeFileSync("dist/THIRD_PARTY_LICENCES.txt", await licenceTexts(process.cwd()));
  writeFileSync(stamp, digest);
}
const bytes = Bun.file(outfile).size;
console.log(`built ${outfile} (${(bytes / 1e6).toFixed(1)} MB, commit ${commit})`);
