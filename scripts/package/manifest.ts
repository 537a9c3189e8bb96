// Manifests of what is packed: the project's own without what only its contributors need, and those of the executables.

/** The project's package.json, as far as it is read here. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly engines: Readonly<Record<string, string>>;
  readonly files: readonly string[];
}

/** Folder of the compiled files, in the project and in the package. */
export const LIBRARY = "dist/lib";

/** Documents that the package's README leads to. */
const DOCUMENTS = ["cli", "devnet", "markets", "package", "streams"];

interface OtherFiles {
  readonly bun?: string;
  readonly browser?: string;
}

function entry(types: string, file: string, { bun, browser }: OtherFiles = {}) {
  return {
    types: `./${LIBRARY}/types/${types}.d.ts`,
    ...(bun !== undefined && { bun: `./${LIBRARY}/${bun}` }),
    ...(browser !== undefined && { browser: `./${LIBRARY}/${browser}` }),
    default: `./${LIBRARY}/${file}`,
  };
}

/** @param platforms packages of the executables, which npm chooses from by `os` and `cpu` */
export function packageManifest(project: Manifest, platforms: readonly string[]) {
  const { name, version, description, license, engines, files } = project;
  return {
    name,
    version,
    description,
    keywords: ["vega", "devnet", "trading", "testing", "wallet"],
    license,
    type: "module",
    bin: { lyra: `./${LIBRARY}/launcher.js` },
    exports: {
      ".": entry("index", "bun-only.js", { bun: "bun/index.js" }),
      "./client": entry("client/connect", "connect.js", { browser: "browser/connect.js" }),
      "./devnet": entry("package/devnet", "devnet.js"),
      "./testing": entry("package/testing", "testing.js"),
      "./package.json": "./package.json",
    },
    files: [...files, ...DOCUMENTS.map((name) => `docs/${name}.md`)],
    engines,
    optionalDependencies: Object.fromEntries(platforms.map((platform) => [platform, version])),
  };
}

/** The package's README, whose links lead into the package. @param text of docs/package-readme.md */
export function packageReadme(text: string): string {
  return text.replace(/\]\((?!https?:|#)/g, "](docs/");
}

/** @param platform such as `linux-x64` @param commit that package and executable are built from: the launcher compares it */
export function platformManifest(project: Manifest, name: string, platform: string, commit: string) {
  const [os, cpu] = platform.split("-");
  return {
    name,
    version: project.version,
    commit,
    description: `Lyra's executable for ${platform}. The package lyra starts it.`,
    license: project.license,
    os: [os],
    cpu: [cpu],
    ...(os === "linux" && { libc: ["glibc"] }),
    // A package manager that keeps packages in archives has to unpack this one: an archive cannot be executed.
    preferUnplugged: true,
    files: ["bin/lyra", "THIRD_PARTY_NOTICES.md", "THIRD_PARTY_LICENCES.txt"],
  };
}
