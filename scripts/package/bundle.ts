// Packages in the executable and in the npm package's JavaScript: those that the bundler puts into them, and those that
// bundles taken whole (the pages' scripts) were made from, by their own source maps.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { PAGE_ENTRIES, WORKERS } from "../entry-points.ts";

const ENTRIES = [
  "src/main.ts",
  "src/index.ts",
  "src/client/connect.ts",
  "src/package/devnet.ts",
  "src/package/testing.ts",
];
/** The package of a path: what follows its last node_modules. */
const PACKAGE = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/;

export interface BundledPackage {
  readonly name: string;
  /** Its folder, where it is installed; undefined of some that only a page's script holds. */
  readonly folder: string | undefined;
  /** The package whose finished script or style holds it; undefined: the bundle does. */
  readonly inside: string | undefined;
}

interface Bundle {
  readonly metafile: {
    readonly outputs: Readonly<
      Record<string, { readonly inputs: Readonly<Record<string, { readonly bytesInOutput: number }>> }>
    >;
  };
}

export async function bundledPackages(root: string): Promise<readonly BundledPackage[]> {
  const options = {
    entrypoints: [...new Set([...ENTRIES, ...WORKERS])].map((path) => join(root, path)),
    target: "bun" as const,
    splitting: true,
    metafile: true,
  };
  const { metafile } = (await Bun.build(options)) as unknown as Bundle;
  // The page is bundled for itself, into a file of the executable.
  const page = {
    ...options,
    entrypoints: PAGE_ENTRIES.map((path) => join(root, path)),
    target: "browser" as const,
  };
  const { metafile: ofPage } = (await Bun.build(page)) as unknown as Bundle;
  const files = [...Object.values(metafile.outputs), ...Object.values(ofPage.outputs)]
    .flatMap(({ inputs }) => Object.entries(inputs))
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([path]) => path.replace(/^(?:\.\.\/)*(?=node_modules\/)/, ""));
  const packages = new Map<string, BundledPackage>();
  const add = (path: string, inside?: string) => {
    const [upToName, name] = PACKAGE.exec(path) ?? [];
    if (!upToName || !name || packages.has(name)) return;
    const own = [upToName, `node_modules/${name}`].map((folder) => join(root, folder)).find(isPackage);
    packages.set(name, { name, folder: own, inside });
  };
  for (const file of files) add(file);
  for (const file of files) {
    const map = join(root, `${file}.map`);
    const holder = PACKAGE.exec(file)?.[1];
    if (!/\.(?:js|css)$/.test(file) || !holder || !isFinished(file) || !existsSync(map)) continue;
    const { sources } = JSON.parse(readFileSync(map, "utf8")) as { sources: string[] };
    for (const source of sources) add(source.replace(/^[^?]*?(?=node_modules\/)/, ""), holder);
  }
  return [...packages.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** Whether a file is another project's bundle, and not a module of ours to compile. */
const isFinished = (file: string) => /\.min\.js$|-bundle\.js$|\.css$/.test(file);

const isPackage = (folder: string) => existsSync(join(folder, "package.json"));

export interface PackageFacts {
  readonly version: string;
  readonly licence: string;
}

export function factsOf(folder: string): PackageFacts {
  const { version = "", license = "" } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    version?: string;
    license?: string;
  };
  return { version, licence: license };
}

/** Files of a package that are licences or notices, of the package or of what its bundle holds. */
export function textFilesOf(folder: string, root: string): readonly string[] {
  const bundled = /^swagger-ui-bundle\.js\.LICENSE\.txt$/;
  return readdirSync(folder)
    .filter((file) => /^(?:licen[cs]e|notice|copying)(?:[.-].*)?$/i.test(file) || bundled.test(file))
    .map((file) => relative(root, join(folder, file)));
}
