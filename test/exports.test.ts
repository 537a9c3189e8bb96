// Every export of src is for another file of src, for a rig or a script, or a unit that tests reach on purpose.
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dir, "..");
const filesBelow = (folder: string) =>
  (readdirSync(join(root, folder), { recursive: true }) as string[])
    .map((name) => join(folder, name))
    .filter((path) => /\.(?:ts|mjs)$/.test(path) && !path.includes("node_modules"));

const LIBRARY = new Set(["src/index.ts", "src/start-node.ts"]);
const wordsByFile = new Map(
  ["src", "test", "bench", "scripts", "examples"].flatMap(filesBelow).map((path) => {
    const code = readFileSync(join(root, path), "utf8").replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
    return [path, { code, words: new Set(code.match(/[\w$]+/g)) }] as const;
  }),
);
const users = (name: string, own: string) =>
  [...wordsByFile].filter(([path, { words }]) => path !== own && words.has(name)).map(([path]) => path);

/** Exports by file, with the files that name them. */
const exported = [...wordsByFile]
  .filter(([path]) => path.startsWith("src/") && !path.includes("/generated/") && !LIBRARY.has(path))
  .flatMap(([path, { code }]) =>
    [
      ...code.matchAll(
        /^export (?:declare )?(?:async )?(?:abstract )?(function\*?|class|const|let|interface|type|enum) ([\w$]+)/gm,
      ),
    ].map(([, kind = "", name = ""]) => ({ path, kind, name, users: users(name, path) })),
  );

/** Units that have tests of their own besides those of what uses them. The list only shrinks. */
const TESTED_UNITS = new Set([
  "COMMAND_CHECKS",
  "ChainHost",
  "DATA_ROUTES",
  "DEVNET_WALLET_NAME",
  "EXPORT_REQUEST",
  "ExaminationBudget",
  "HasherSearch",
  "IngestRate",
  "KernelSearch",
  "KnownBlocks",
  "LEDGER_EXPORT_REQUEST",
  "SERVE_FLAGS",
  "SPAM_DEFAULTS",
  "ServiceFiles",
  "WorkerUnavailable",
  "acceptsGzip",
  "addressOfParty",
  "announcementText",
  "applyParameter",
  "banner",
  "bridgeMessage",
  "builtinTxHash",
  "compareVersions",
  "decodeValue",
  "devnetBanner",
  "emptyMessage",
  "encodeValue",
  "fnv1a64",
  "groupBudgets",
  "isTransactionContent",
  "kernelFits",
  "keySeed",
  "memberTexts",
  "parseSemanticVersion",
  "percentText",
  "policyHash",
  "proposalFacts",
  "proposalKind",
  "qrModules",
  "qrText",
  "readPolicy",
  "recordingHooks",
  "recurringAmount",
  "refusalDetails",
  "roomOn",
  "sourceRoot",
  "stakeBalance",
  "stakingPayout",
  "symbolText",
  "valueTexts",
]);

test("every export is used by another file", () => {
  expect(exported.filter((one) => one.users.length === 0).map(({ path, name }) => `${path} ${name}`)).toEqual(
    [],
  );
});

test("no value is exported for its test alone", () => {
  const forTests = exported
    .filter(({ kind, name }) => !/interface|type/.test(kind) && !TESTED_UNITS.has(name))
    .filter(({ users: all }) => all.length > 0 && all.every((path) => path.startsWith("test/")));
  expect(forTests.map(({ path, name }) => `${path} ${name}`)).toEqual([]);
});
