/**
 * Where Lyra's executable is: `LYRA_BINARY`, or in the package of this platform, which npm installs beside this one
 * (docs/package.md).
 */
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { NodeError } from "../errors/node-error.ts";
import { COMMIT, VERSION } from "../node/build.ts";

/** Platforms that executables are packed for, by the name of their package without its scope. */
export const PLATFORMS = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64"] as const;
const SCOPE = "@lyra";

export function platformPackage(platform: string): string {
  return `${SCOPE}/${platform}`;
}

/** The part of a platform's package.json with its version and commit. */
interface PlatformFacts {
  readonly version: string;
  readonly commit?: string;
}

interface Surroundings {
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** As `process.platform` and `process.arch`, such as `linux-x64`. */
  readonly platform?: string;
  /** File whose `node_modules` are looked through. */
  readonly from?: string;
}

/**
 * The path of the executable.
 * @param given by the caller: goes before everything else
 * @throws NodeError `executable_missing`, `executable_other_version`
 */
export function findExecutable(given?: string, surroundings: Surroundings = {}): string {
  const {
    env = process.env,
    platform = `${process.platform}-${process.arch}`,
    from = import.meta.url,
  } = surroundings;
  const named = given ?? (env.LYRA_BINARY || undefined);
  if (named !== undefined) {
    if (existsSync(named)) return named;
    const origin = given === undefined ? "LYRA_BINARY" : "the option 'binary'";
    throw missing(`${origin} names ${named}, which is not there`, "build one with: npm run build");
  }
  const name = platformPackage(platform);
  if (!(PLATFORMS as readonly string[]).includes(platform)) {
    const platforms = PLATFORMS.join(", ");
    throw missing(
      `there is no executable of Lyra for ${platform}, only for ${platforms}`,
      "set LYRA_BINARY to one that was built for it",
    );
  }
  const manifest = resolveManifest(name, from);
  if (manifest === undefined) {
    throw missing(
      `the package ${name}, which has Lyra's executable for this platform, is not installed`,
      `install it beside lyra (npm i ./lyra-*.tgz ./lyra-${platform}-*.tgz, without --omit=optional), or set LYRA_BINARY`,
    );
  }
  const { version, commit } = JSON.parse(readFileSync(manifest, "utf8")) as PlatformFacts;
  // Also for a foreign package of that name, which a registry supplied.
  if (version !== VERSION || commit !== COMMIT) {
    throw new NodeError(
      "lyra.executable",
      "executable_other_version",
      `${name} is ${version} of commit ${commit ?? "unknown"}, and lyra ${VERSION} of ${COMMIT}`,
      "install the two files that were packed together",
    );
  }
  return join(dirname(manifest), "bin", "lyra");
}

function resolveManifest(name: string, from: string): string | undefined {
  try {
    return createRequire(from).resolve(`${name}/package.json`);
  } catch {
    return undefined;
  }
}

function missing(message: string, hint: string): NodeError {
  return new NodeError("lyra.executable", "executable_missing", message, hint);
}

/** The system's refusal to run it. */
export function notExecutable(path: string, code: string | undefined): NodeError {
  // If the file exists, its loader is missing.
  const isLibraryMissing = code === "ENOENT" && existsSync(path);
  const reason = isLibraryMissing ? "this system has no GNU C library" : (code ?? "unknown");
  const hint =
    code === "EACCES" ? `make it executable: chmod +x ${path}` : "set LYRA_BINARY to one for this system";
  return new NodeError("lyra.executable", "executable_failed", `${path} cannot be run: ${reason}`, hint);
}
