// First-run set-up for a machine that has Node and npm only: installs what the lockfile pins (Bun included), and writes
// the code that is generated. Runs before `npm start`, `npm test` and `npm run build`, and after `npm ci`; costs a few
// milliseconds once everything is there.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));

function isInstalled() {
  if (!existsSync(join(root, "node_modules", ".bin", "bun"))) return false;
  for (const [path, entry] of Object.entries(lock.packages)) {
    if (path === "" || entry.optional || entry.peer) continue;
    const manifest = join(root, path, "package.json");
    if (!existsSync(manifest)) return false;
    if (JSON.parse(readFileSync(manifest, "utf8")).version !== entry.version) return false;
  }
  return true;
}

// npm runs this after it has installed: there is nothing to install then.
if (process.env.npm_lifecycle_event !== "postinstall" && !isInstalled()) {
  console.error("lyra: installing what the lockfile names (once) ...");
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  execFileSync(npm, ["ci", "--no-audit", "--no-fund"], { cwd: root, stdio: "inherit" });
}

/** Sources of generated code: when any of them changes, all of it is made again. */
const GENERATORS = ["scripts/generate-wire.ts", "scripts/generate-pow-kernel.ts"];
const TABLES = "src/wire/schema";
const STAMP = join(root, "src", "wire", "generated", ".made-from");
const KERNEL = join(root, "src", "chain", "admission", "pow", "kernel.generated.ts");

function digestOfInputs() {
  const tables = readdirSync(join(root, TABLES)).sort();
  const inputs = [...GENERATORS, "scripts/webassembly.ts", ...tables.map((name) => `${TABLES}/${name}`)];
  const hash = createHash("sha256");
  for (const path of inputs)
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(root, path)))
      .update("\0");
  return hash.digest("hex");
}

// A container's first layer has the lockfile without the sources.
if (existsSync(join(root, TABLES))) {
  const digest = digestOfInputs();
  if (!existsSync(KERNEL) || !existsSync(STAMP) || readFileSync(STAMP, "utf8") !== digest) {
    for (const path of GENERATORS)
      execFileSync(join(root, "node_modules", ".bin", "bun"), [path], { cwd: root, stdio: "ignore" });
    writeFileSync(STAMP, digest);
  }
}
