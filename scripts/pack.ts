// Prepares `npm pack` (docs/package.md). npm runs this before and after: `prepare` makes the executables with their
// packages and the compiled library, and puts the published manifest and README in the place of the project's; `restore` puts
// the project's back.
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { PLATFORMS, platformPackage } from "../src/package/executable.ts";
import { WORKERS } from "./entry-points.ts";
import { pruneDeclarations } from "./package/declarations.ts";
import { licenceTexts } from "./package/licences.ts";
import {
  LIBRARY,
  type Manifest,
  packageManifest,
  packageReadme,
  platformManifest,
} from "./package/manifest.ts";

const root = join(import.meta.dir, "..");
const at = (...parts: string[]) => join(root, ...parts);
const OUT = "dist/npm";
/** The project's files that have others in their place while npm packs. */
const REPLACED = ["package.json", "README.md"];
const keptOf = (file: string) => at(OUT, `${file}.kept`);
/** Where npm puts the package's file, and where the executables' files lie beside it. */
const { INIT_CWD: calledIn = root, npm_config_pack_destination: wantedFolder = "." } = process.env;
const DESTINATION = resolve(calledIn, wantedFolder);
/** As scripts/build.ts has it. */
const commit =
  process.env.LYRA_COMMIT?.trim() ||
  Bun.spawnSync(["git", "rev-parse", "--short", "HEAD"], { cwd: root }).stdout.toString().trim() ||
  "unknown";
const isDryRun = process.env.npm_config_dry_run === "true";
const NOTICES = "THIRD_PARTY_NOTICES.md";
const LICENCES = "THIRD_PARTY_LICENCES.txt";
/** Named as Bun names its targets. */
const platforms = (process.env.LYRA_PLATFORMS || `${process.platform}-${process.arch}`).split(",");

function run(words: readonly string[], cwd = root): void {
  const { exitCode } = Bun.spawnSync([...words], { cwd, stdout: "ignore", stderr: "inherit" });
  if (exitCode !== 0) throw new Error(`${words.join(" ").slice(0, 200)} failed with code ${exitCode}`);
}

function restore(): void {
  for (const file of REPLACED) {
    if (!existsSync(keptOf(file))) continue;
    copyFileSync(keptOf(file), at(file));
    rmSync(keptOf(file));
  }
}

function compile(
  target: "browser" | "bun" | "node",
  out: string,
  entries: readonly string[],
  ...flags: string[]
): void {
  const names = [
    "--entry-naming=[name].[ext]",
    "--chunk-naming=chunk-[hash].[ext]",
    "--asset-naming=[name]-[hash].[ext]",
  ];
  const words = [
    `--target=${target}`,
    `--define=LYRA_COMMIT=${JSON.stringify(commit)}`,
    `--outdir=${at(LIBRARY, out)}`,
    ...names,
    ...flags,
    ...entries.map((path) => at(path)),
  ];
  run([process.execPath, "build", ...words]);
}

async function library(): Promise<void> {
  rmSync(at(LIBRARY), { recursive: true, force: true });
  const portable = ["package/devnet", "package/testing", "package/bun-only", "client/connect"].map(
    (name) => `src/${name}.ts`,
  );
  compile("node", "", portable, "--splitting");
  compile("node", "", ["src/package/launcher.ts"]);
  // A single file: for a page without a bundler too.
  compile("browser", "browser", ["src/client/connect.ts"], "--minify");
  compile("bun", "bun", ["src/index.ts", ...WORKERS], "--splitting", "--define=LYRA_IN_PACKAGE=true");
  declarations();
  writeFileSync(at(LIBRARY, LICENCES), await licenceTexts(root));
}

function declarations(): void {
  const emitted = at("dist", "declarations");
  rmSync(emitted, { recursive: true, force: true });
  const entries = [
    "src/index.ts",
    "src/client/connect.ts",
    "src/package/devnet.ts",
    "src/package/testing.ts",
  ];
  const config = at("dist", "tsconfig.declarations.json");
  const ambient = [...new Bun.Glob("src/**/*.d.ts").scanSync({ cwd: root })].sort();
  const files = [...entries, ...ambient].map((path) => at(path));
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    outDir: emitted,
    rootDir: root,
    typeRoots: [at("node_modules")],
  };
  writeFileSync(
    config,
    JSON.stringify({ extends: at("tsconfig.json"), compilerOptions, include: [], files }),
  );
  const { stdout } = Bun.spawnSync([at("node_modules/.bin/tsc"), "-p", config], { cwd: root });
  // A type that a declaration cannot name (TS4...) matters only where the package's types reach it: then it is missed below.
  const errors = stdout
    .toString()
    .split("\n")
    .filter((line) => /error TS(?!4\d\d\d:)/.test(line));
  if (errors.length > 0) throw new Error(errors.join("\n"));
  const paths = entries.map((path) => path.replace(/\.ts$/, ".d.ts").replace(/^src\//, ""));
  pruneDeclarations(join(emitted, "src"), paths, at(LIBRARY, "types"));
  rmSync(emitted, { recursive: true });
  rmSync(config);
}

/** The executable of a platform as a package of its own, packed. @returns its file */
function executable(project: Manifest, platform: string): string {
  const folder = at(OUT, platform);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, "bin"), { recursive: true });
  const target = `--target=bun-${platform}`;
  run([process.execPath, "run", at("scripts/build.ts"), target, `--outfile=${join(folder, "bin", "lyra")}`]);
  const name = platformPackage(platform);
  const manifest = platformManifest(project, name, platform, commit);
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  writeFileSync(join(folder, "README.md"), `# ${name}\n\n${manifest.description}\n`);
  for (const file of ["LICENSE", NOTICES]) copyFileSync(at(file), join(folder, file));
  copyFileSync(at(LIBRARY, LICENCES), join(folder, LICENCES));
  mkdirSync(DESTINATION, { recursive: true });
  run(["npm", "pack", "--silent", "--pack-destination", DESTINATION], folder);
  return `${name.slice(1).replace("/", "-")}-${project.version}.tgz`;
}

async function prepare(): Promise<void> {
  restore();
  const unknown = platforms.find((platform) => !(PLATFORMS as readonly string[]).includes(platform));
  if (unknown !== undefined) throw new Error(`there is no platform ${unknown}, only ${PLATFORMS.join(", ")}`);
  const text = readFileSync(at("package.json"), "utf8");
  const project = JSON.parse(text) as Manifest;
  mkdirSync(at(OUT), { recursive: true });
  await library();
  const files = isDryRun ? [] : platforms.map((platform) => executable(project, platform));
  for (const file of REPLACED) copyFileSync(at(file), keptOf(file));
  const manifest = packageManifest(project, platforms.map(platformPackage));
  writeFileSync(at("package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  writeFileSync(at("README.md"), packageReadme(readFileSync(at("docs/package-readme.md"), "utf8")));
  const paths = [`${project.name}-${project.version}.tgz`, ...files].map((file) =>
    join(relative(calledIn, DESTINATION), file),
  );
  if (!isDryRun) console.error(`install them together: npm i ${paths.join(" ")}`);
}

const [task] = process.argv.slice(2);
try {
  if (task === "prepare") await prepare();
  else if (task === "restore") restore();
  else throw new Error("bun scripts/pack.ts prepare | restore, which npm pack calls");
} catch (error) {
  restore();
  console.error(`lyra: nothing was packed: ${(error as Error).message}`);
  process.exit(1);
}
