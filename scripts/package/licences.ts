// Notices of other projects in the released files: THIRD_PARTY_NOTICES.md, and the texts of the licences.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type BundledPackage, bundledPackages, factsOf, textFilesOf } from "./bundle.ts";

const LINE_MAX = 120;

const HEAD = `# Third-party notices

Made by \`bun scripts/notices.ts\` from what the bundle holds; \`test/package/notices.test.ts\` compares. The executable holds,
beside Lyra's own code, what follows; the npm package's JavaScript holds the same without Bun. The texts of the licences are
beside it as \`THIRD_PARTY_LICENCES.txt\`: in the npm packages, in the image (\`/usr/share/doc/lyra\`), and in \`dist/\` after
\`npm run build\`.

- **Bun** (MIT, and the licences of its own parts): the runtime, with JavaScriptCore (LGPL-2.1) and SQLite (public domain)`;

/** Facts that no package's manifest holds. */
const REMARKS: Readonly<Record<string, string>> = {
  "@scure/bip39": "with the English word list of BIP-39 (MIT)",
  graphiql:
    "the page at `/graphql`; Copyright GraphQL Contributors. In it are the same project's @graphiql/react, @graphiql/toolkit, codemirror-graphql and graphql-language-service (MIT). Its style sheet holds the fonts Roboto (Apache-2.0) and Fira Code (OFL-1.1)",
  "@preact/signals": "of the page at `/`",
  "lightweight-charts":
    "the candles of the page at `/`: TradingView Lightweight Charts, Copyright 2025 TradingView, Inc. (https://www.tradingview.com/)",
  "fancy-canvas": "of the page at `/`",
  preact: "of the page at `/`",
  uplot: "the charts of the page at `/`",
  react: "of the page at `/graphql`; Copyright Facebook, Inc. and its affiliates",
  "react-dom": "of the page at `/graphql`; Copyright Facebook, Inc. and its affiliates",
  "swagger-ui-dist":
    "the page at `/docs`; Copyright SmartBear Software Inc. Its LICENSE and NOTICE are in the texts; Lyra changes nothing in its files",
  tldts: "with the public suffix list (MPL-2.0)",
};

function wrapped(text: string): string {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= LINE_MAX)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(last === undefined ? word : `  ${word}`);
  }
  return lines.join("\n");
}

function entry({ name, folder }: BundledPackage): string {
  const remark = REMARKS[name] === undefined ? "" : `: ${REMARKS[name]}`;
  return wrapped(`- **${name}** (${folder ? factsOf(folder).licence : "licence unknown"})${remark}`);
}

/** @returns the line of one licence: the names in a page's script that have it */
function insideEntry(licence: string, packages: readonly BundledPackage[]): string {
  return wrapped(`- ${licence}: ${packages.map(({ name }) => name).join(", ")}`);
}

function insidePart(holder: string, packages: readonly BundledPackage[]): string {
  const licences = Map.groupBy(packages, ({ folder }) =>
    folder ? factsOf(folder).licence : "licence named in its own package",
  );
  const lines = [...licences].sort(([one], [other]) => (one < other ? -1 : 1));
  const title = `In the files of **${holder}**, by their source maps, are also:`;
  return `${title}\n\n${lines.map(([licence, list]) => insideEntry(licence, list)).join("\n")}`;
}

export async function notices(root: string): Promise<string> {
  const packages = await bundledPackages(root);
  const own = packages.filter(({ inside }) => inside === undefined).map(entry);
  const inside = Map.groupBy(
    packages.filter((one) => one.inside !== undefined),
    (one) => one.inside!,
  );
  const parts = [...inside].map(([holder, list]) => insidePart(holder, list));
  return `${[`${HEAD}\n${own.join("\n")}`, ...parts].join("\n\n")}\n`;
}

/** The texts of every installed package of the bundle, and of Bun, as a single one. */
export async function licenceTexts(root: string): Promise<string> {
  const bun: BundledPackage = { name: "bun", folder: join(root, "node_modules/bun"), inside: undefined };
  return [bun, ...(await bundledPackages(root))].map((one) => textOf(root, one)).join("");
}

function textOf(root: string, { name, folder }: BundledPackage): string {
  if (folder === undefined) return "";
  const { version, licence } = factsOf(folder);
  const texts = textFilesOf(folder, root).map((file) => readFileSync(join(root, file), "utf8").trim());
  const rule = "=".repeat(80);
  return `${rule}\n${name} ${version} (${licence})\n${rule}\n\n${texts.join("\n\n") || `Licence: ${licence}`}\n\n`;
}
