// First-run set-up for a machine that has Node and npm only: installs what the lockfile pins (Bun included), and writes
// the code that is generated. Runs before `npm start`, `npm test` and `npm run build`, and after `npm ci`; costs a few
// milliseconds once everything is installed.
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
/** Holds the number of the process that sets up: a second command, given meanwhile, waits for it. */
const LOCK = join(root, ".setup.lock");
/** Told to the set-up that npm runs as a part of this one's installation. */
const HOLDER = "LYRA_SETUP_HOLDER";
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

/** Sources of generated code: when any of them changes, all of it is made again. */
const GENERATORS = [
  "scripts/generate-wire.ts",
  "scripts/generate-pow-kernel.ts",
  "scripts/generate-tools.ts",
  "scripts/generate-options.ts",
  "scripts/generate-client.ts",
];
const MESSAGES = "src/wire/proto";
const SOURCES = [MESSAGES, "scripts/wire"];
/** Declarations of the devnet tools, and of the flags of `lyra devnet`. */
const DECLARATIONS = [
  "http/declaration",
  "planes/devnet/declarations",
  "planes/devnet/members",
  "cli/command/command",
  "cli/devnet-flags",
  "cli/flags",
].map((name) => `src/${name}.ts`);
const PACKAGE_PARTS = ["tools", "chain-options"].map((name) =>
  join(root, "src", "package", `${name}.generated.ts`),
);
/** Endpoints and streams, from which the client is made. */
const PLANES = ["src/planes/data", "src/planes/node", "src/http/openapi"];
const CLIENT_CALLS = join(root, "src", "client", "api.generated.ts");
const KERNEL = join(root, "src", "chain", "admission", "pow", "kernel.generated.ts");
const PAGE = join(root, "src", "web", "generated", "page.pack");

const WIRE_STAMP = "src/wire/generated/.made-from";
const PAGE_STAMP = "src/web/generated/.made-from";
/** Generated together: by which scripts, from which files and folders, and what must exist afterwards. */
const GENERATED = [
  {
    generators: GENERATORS,
    inputs: ["scripts/webassembly.ts", ...DECLARATIONS, ...SOURCES, ...PLANES],
    outputs: [KERNEL, CLIENT_CALLS, ...PACKAGE_PARTS],
    stamp: WIRE_STAMP,
  },
  {
    generators: ["scripts/generate-page.ts"],
    inputs: [
      "scripts/entry-points.ts",
      "src/planes/page/pack.ts",
      "src/client",
      "src/web",
      "package-lock.json",
    ],
    outputs: [PAGE],
    stamp: PAGE_STAMP,
  },
];

function filesBelow(folder) {
  if (!statSync(join(root, folder)).isDirectory()) return [folder];
  return readdirSync(join(root, folder), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      if (!entry.isDirectory()) return [path];
      return entry.name === "generated" ? [] : filesBelow(path);
    });
}

function digestOf({ generators, inputs }) {
  const hash = createHash("sha256");
  for (const path of [...generators, ...inputs.flatMap(filesBelow)])
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(root, path)))
      .update("\0");
  return hash.digest("hex");
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

function takeLock() {
  try {
    writeFileSync(LOCK, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
    return false;
  }
}

/** The process that holds the lock; undefined where it is gone, or has not written its number yet. */
function holderOf() {
  try {
    return Number(readFileSync(LOCK, "utf8")) || undefined;
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  }
}

async function waitForLock() {
  for (let isTold = false; !takeLock(); await sleep(100)) {
    const holder = holderOf();
    if (holder === undefined) continue;
    if (!isRunning(holder)) rmSync(LOCK, { force: true });
    else if (!isTold) {
      console.error(`lyra: waiting for the set-up that another command has begun (process ${holder}) ...`);
      isTold = true;
    }
  }
}

/** npm runs this after it has installed, too: there is nothing to install then. */
function needsInstallation() {
  return process.env.npm_lifecycle_event !== "postinstall" && !isInstalled();
}

function install() {
  console.error("lyra: installing what the lockfile names (once) ...");
  const isWindows = process.platform === "win32";
  const { status, error } = spawnSync(isWindows ? "npm.cmd" : "npm", ["ci", "--no-audit", "--no-fund"], {
    cwd: root,
    stdio: "inherit",
    shell: isWindows,
    env: { ...process.env, [HOLDER]: String(process.pid) },
  });
  if (error !== undefined) throw new Error(`npm cannot be started: ${error.message}`);
  if (status !== 0) throw new Error("the installation failed; what npm says of it stands above");
}

/** A container's first layer has the lockfile without the sources. */
function hasSources() {
  return existsSync(join(root, MESSAGES));
}

function isStale(part) {
  const stamp = join(root, part.stamp);
  return (
    !part.outputs.every((path) => existsSync(path)) ||
    !existsSync(stamp) ||
    readFileSync(stamp, "utf8") !== digestOf(part)
  );
}

function generate(part) {
  for (const path of part.generators)
    execFileSync(join(root, "node_modules", ".bin", "bun"), [path], {
      cwd: root,
      stdio: ["ignore", "ignore", "inherit"],
    });
  writeFileSync(join(root, part.stamp), digestOf(part));
}

// While another command installs, the folder is incomplete.
if (existsSync(LOCK) || needsInstallation() || (hasSources() && GENERATED.some(isStale))) {
  const isPart = process.env[HOLDER] !== undefined;
  if (!isPart) await waitForLock();
  try {
    // The other command may have done all of it meanwhile.
    if (needsInstallation()) install();
    // In their order: the page holds the generated client.
    if (hasSources()) for (const part of GENERATED) if (isStale(part)) generate(part);
  } catch (error) {
    console.error(`lyra: ${error.message}`);
    process.exitCode = 1;
  } finally {
    if (!isPart) rmSync(LOCK, { force: true });
  }
}
