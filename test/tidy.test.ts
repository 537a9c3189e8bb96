// The house rules that a machine can check (docs/architecture.md).
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";

const root = join(import.meta.dir, "..");
const LINES_MAX = 600;
/** Tests hold tables of cases. */
const TEST_LINES_MAX = 600;
/** Pure tables: as long as what they hold. */
const LONG_TABLES = [/^src\/wire\/generated\//, /^src\/wire\/schema\//];

function filesBelow(folder: string): string[] {
  return readdirSync(join(root, folder)).flatMap((name) => {
    const path = join(folder, name);
    if (name === "node_modules" || name === "dist" || name.startsWith(".git")) return [];
    return statSync(join(root, path)).isDirectory() ? filesBelow(path) : [path];
  });
}

const sources = ["src", "test", "bench", "scripts"]
  .flatMap(filesBelow)
  .filter((path) => /\.(ts|mjs)$/.test(path));
const read = (path: string) => readFileSync(join(root, path), "utf8");

/** Which rooms a room may import from: the arrows of docs/architecture.md. */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  wire: ["crypto"],
  crypto: [],
  admission: ["wire", "crypto"],
  store: ["wire", "crypto", "sources/block.ts"],
  engine: ["wire", "crypto", "admission", "sources/block.ts"],
  sources: ["wire", "crypto", "store", "sources", "admission", "engine"],
  history: ["wire", "crypto", "store"],
  api: ["wire", "crypto", "store", "history", "admission", "engine", "wallet"],
  explain: [],
  wallet: ["wire", "crypto", "admission"],
  node: ["wire", "crypto", "store", "history", "api", "sources", "admission", "engine", "wallet"],
  commands: [
    ...[
      "wire",
      "crypto",
      "store",
      "history",
      "api",
      "sources",
      "node",
      "admission",
      "engine",
      "explain",
      "wallet",
    ],
  ],
};
const SHARED_FILES = /^(errors|limits|log|decimal|short-file|worker-url|thread-priority)\.ts$/;

function importsOf(path: string): string[] {
  const folder = join(root, path, "..");
  return [...read(path).matchAll(/from "(\.{1,2}\/[^"]+)"/g)].map((match) =>
    relative(join(root, "src"), join(folder, match[1]!)),
  );
}

describe("tidy", () => {
  test("files are short", () => {
    const long = sources
      .filter((path) => !LONG_TABLES.some((pattern) => pattern.test(path)))
      .map((path) => ({ path, lines: read(path).split("\n").length }))
      .filter(({ path, lines }) => lines > (path.startsWith("test/") ? TEST_LINES_MAX : LINES_MAX));
    expect(long).toEqual([]);
  });

  test("imports run one way", () => {
    const wrong: string[] = [];
    for (const path of sources.filter((file) => file.startsWith("src/") && !file.endsWith(".test.ts"))) {
      const room = path.split("/")[1]!;
      const allowed = ARROWS[room];
      if (!allowed) continue;
      for (const target of importsOf(path)) {
        const inRoom = target.startsWith(`${room}/`) || SHARED_FILES.test(target) || target.startsWith("..");
        if (!inRoom && !allowed.some((entry) => target === entry || target.startsWith(`${entry}/`))) {
          wrong.push(`${path} imports ${target}`);
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  test("every room has its arrows", () => {
    const rooms = readdirSync(join(root, "src")).filter((name) =>
      statSync(join(root, "src", name)).isDirectory(),
    );
    expect(rooms.filter((room) => !(room in ARROWS))).toEqual([]);
  });

  test("the store and the wire take no time and no chance of their own", () => {
    const taking = sources
      .filter((path) => /^src\/(store|wire|admission)\//.test(path) && !path.endsWith(".test.ts"))
      .filter((path) =>
        /Date\.now|new Date\(\)|Math\.random|crypto\.getRandomValues|randomBytes/.test(read(path)),
      );
    expect(taking).toEqual([]);
  });

  test("no test is switched off", () => {
    // A test that needs the recording beside the project is skipped without it, and says so.
    const isSwitched = (line: string) =>
      /\b(?:test|describe|it)\.(?:skip|only|todo)\(/.test(line) && !/^if \(!has\w+\)/.test(line);
    const off = sources
      .filter((path) => path.endsWith(".test.ts"))
      .flatMap((path) =>
        read(path)
          .split("\n")
          .filter(isSwitched)
          .map((line) => `${path}: ${line.trim()}`),
      );
    expect(off).toEqual([]);
  });

  test("nothing names this machine", () => {
    const machine = new RegExp(["/wo", "rk/|/ro", "ot/|10\\.\\d+\\.\\d+\\.\\d+"].join(""));
    const naming = [
      ...sources,
      ...filesBelow("docs").filter((path) => path.endsWith(".md")),
      "README.md",
      "package-lock.json",
      ".npmrc",
      "Dockerfile",
    ].filter((path) => machine.test(read(path)));
    expect(naming).toEqual([]);
  });

  test("the lockfile has every platform's packages", () => {
    // `npm install NAME` on one platform drops the others' optional packages; then `npm ci` fails everywhere.
    const { packages } = JSON.parse(read("package-lock.json")) as {
      packages: Record<string, { optionalDependencies?: Record<string, string> }>;
    };
    const missing = Object.entries(packages).flatMap(([path, entry]) =>
      Object.keys(entry.optionalDependencies ?? {})
        .filter(
          (name) => !(`node_modules/${name}` in packages) && !(`${path}/node_modules/${name}` in packages),
        )
        .map((name) => `${path} wants ${name}`),
    );
    expect(missing).toEqual([]);
  });

  test("the lockfile names no registry", () => {
    expect(read("package-lock.json")).not.toContain('"resolved": "http');
  });
});
