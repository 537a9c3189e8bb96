// Builds dist/lyra: one executable that needs nothing beside it. Bytecode more than halves its start; workers are
// further entry points; splitting leaves out of memory what is not used, such as gRPC, and shares what all of them need; the folder it is started in cannot configure it (no .env, no bunfig.toml).

import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { $ } from "bun";
import { WORKERS } from "./entry-points.ts";

const ENTRY_POINTS = ["src/main.ts", ...WORKERS];

// Where there is no repository (a container's build), the commit is told.
const commit =
  process.env.LYRA_COMMIT?.trim() ||
  (await $`git rev-parse --short HEAD`.nothrow().quiet().text()).trim() ||
  "unknown";
const target = process.argv.find((word) => word.startsWith("--target="));
const outfile =
  process.argv.find((word) => word.startsWith("--outfile="))?.slice("--outfile=".length) ?? "dist/lyra";

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
  `--outfile=${outfile}`,
  ...(target ? [target] : []),
];
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
const bytes = Bun.file(outfile).size;
console.log(`built ${outfile} (${(bytes / 1e6).toFixed(1)} MB, commit ${commit})`);
