// First-run set-up for a machine that has Node and npm only: installs what the lockfile pins (Bun included).
// Runs before `npm start`, `npm test` and `npm run build`; costs a few milliseconds once everything is there.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
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

if (!isInstalled()) {
  console.error("lyra: installing what the lockfile names (once) ...");
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  execFileSync(npm, ["ci", "--no-audit", "--no-fund"], { cwd: root, stdio: "inherit" });
}
