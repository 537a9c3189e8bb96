/**
 * Writes the options of the package's `startDevnet` that are flags of `lyra devnet` out of their declaration
 * (`src/cli/devnet-flags.ts`): `src/package/chain-options.generated.ts`. The set-up does it when the declaration has changed.
 *
 * `bun run generate` does it at once.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { OPTION_FORMS, PACKAGE_OPTIONS, type PackageOption } from "../src/cli/devnet-flags.ts";

const MODULE = join(import.meta.dir, "..", "src/package/chain-options.generated.ts");

const camelCase = (flag: string) => flag.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

export function optionsText(): string {
  const options = Object.entries(PACKAGE_OPTIONS)
    .filter((entry): entry is [string, PackageOption] => entry[1] !== undefined)
    .map(([flag, { name = camelCase(flag), ...option }]) => ({ flag, name, ...option }));
  const members = options.map(
    ({ name, form, comment }) => `  /** ${comment} */\n  readonly ${name}?: ${OPTION_FORMS[form]};\n`,
  );
  const rows = options.map(({ name, flag, form }) => `  ${name}: { flag: "--${flag}", form: "${form}" },\n`);
  return [
    "// Made by scripts/generate-options.ts from src/cli/devnet-flags.ts.\n",
    "/** Options of the chain and its ports. `lyra devnet --help` and docs/devnet.md say more of each. */",
    `export interface ChainOptions {\n${members.join("")}}\n`,
    "/** The flag of each option, and how its value becomes words. */",
    `export const CHAIN_FLAGS = {\n${rows.join("")}} as const;\n`,
  ].join("\n");
}

if (import.meta.main) writeFileSync(MODULE, optionsText());
