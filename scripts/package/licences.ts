// The licences of all that is compiled into what is packed, as their packages have them.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

interface Lockfile {
  readonly packages: Readonly<
    Record<string, { readonly version?: string; readonly dev?: boolean; readonly optional?: boolean }>
  >;
}

const TEXTS = /^(?:licen[cs]e|notice|copying)(?:[.-].*)?$/i;

/** One text: of every dependency that is not for contributors alone, and of Bun. */
export function licenceTexts(root: string): string {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as Lockfile;
  const paths = Object.entries(packages)
    .filter(([path, { dev, optional }]) => path !== "" && (path === "node_modules/bun" || !(dev || optional)))
    .map(([path, { version = "" }]) => ({ path, version }));
  return paths.map(({ path, version }) => textOf(root, path, version)).join("");
}

function textOf(root: string, path: string, version: string): string {
  const folder = join(root, path);
  if (!existsSync(folder)) return "";
  const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
  const texts = readdirSync(folder)
    .filter((file) => TEXTS.test(file))
    .map((file) => readFileSync(join(folder, file), "utf8").trim());
  const { license = "" } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    license?: string;
  };
  const rule = "=".repeat(80);
  return `${rule}\n${name} ${version} (${license})\n${rule}\n\n${texts.join("\n\n") || `Licence: ${license}`}\n\n`;
}
