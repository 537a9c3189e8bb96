// Everything that a wallet writes, as operations on the home of wallet-home.ts: with the steps of a test's own, or as
// commands of the program.
import { join } from "node:path";
import type { FileSteps } from "../../src/files/whole-file.ts";
import { writeNewFile } from "../../src/files/whole-file.ts";
import { FolderKeystore } from "../../src/wallet/keystore/folder-keystore.ts";
import { JsonFile } from "../../src/wallet/service/json-file.ts";
import { Networks } from "../../src/wallet/service/networks.ts";
import { ApiTokens, NO_TOKENS } from "../../src/wallet/service/tokens.ts";
import { WalletStore } from "../../src/wallet/wallet-store.ts";
import { KEY_1, KEY_2, PHRASE } from "../wallet/support/vectors.ts";
import { CHEAP } from "../wallet/support/wallets.ts";
import {
  folderOf,
  NETWORK,
  networksOf,
  PHRASE_FILE,
  passphrase,
  serviceFolderOf,
  sessionsOf,
} from "./wallet-home.ts";

/** The tools of an operation. */
interface Tools {
  readonly home: string;
  readonly steps: FileSteps;
  /** Always the same bytes, so that what it makes is always the same. */
  readonly random: (length: number) => Uint8Array;
}

interface Operation {
  /** With the steps of a test's own. */
  run(tools: Tools): Promise<unknown>;
  /** The same as a command of the program; undefined where a service does it. */
  readonly words?: readonly string[];
}

const storeOf = ({ home, steps, random }: Tools) =>
  new WalletStore({
    keystore: new FolderKeystore(folderOf(home), steps),
    cost: CHEAP,
    allowWeakKdf: true,
    random,
  });
const open = (tools: Tools) => storeOf(tools).unlock("w", passphrase("first"));
const openOld = (tools: Tools) => storeOf(tools).unlock("old", passphrase("original"));
const documents = ({ home, steps }: Tools) => new FolderKeystore(serviceFolderOf(home), steps);
const tokensOf = (tools: Tools) => new ApiTokens(new JsonFile(documents(tools), "tokens.json", NO_TOKENS));
const networks = ({ home, steps }: Tools) => new Networks(networksOf(home), steps);

/** Names of files in the home that hold a secret for a command. */
const OLD = ["--passphrase-file", "original"];
const FIRST = ["--passphrase-file", "first"];

/** The program opens `w` never: its key derivation is a test's. It works on `old`, which opens at once. */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  create: {
    run: (tools) => storeOf(tools).create({ name: "new", passphrase: passphrase("first") }),
    words: ["create", "new", ...FIRST, "--recovery-phrase-out", PHRASE_FILE],
  },
  import: {
    run: (tools) =>
      storeOf(tools).import({ name: "again", passphrase: passphrase("first"), recoveryPhrase: PHRASE }),
    words: ["import", "again", ...FIRST, "--recovery-phrase-file", "vectors"],
  },
  "import of a file": {
    async run(tools) {
      const file = (await new FolderKeystore(folderOf(tools.home)).read("old"))!;
      const copy = { name: "copy", passphrase: passphrase("first") };
      await storeOf(tools).importFile({ ...copy, file, filePassphrase: passphrase("original") });
    },
    words: ["import", "copy", "--file", "wallets/old", "--file-passphrase-file", "original", ...FIRST],
  },
  "new passphrase": {
    run: async (tools) => storeOf(tools).changePassphrase(await open(tools), passphrase("second")),
  },
  "new passphrase of the original": {
    run: async (tools) => storeOf(tools).changePassphrase(await openOld(tools), passphrase("second")),
    words: ["passphrase", "old", ...OLD, "--new-passphrase-file", "second"],
  },
  upgrade: {
    run: async (tools) => storeOf(tools).upgrade(await openOld(tools), passphrase("original")),
    words: ["upgrade", "old", ...OLD],
  },
  "new key": {
    run: async (tools) => (await open(tools)).generateKey(),
    words: ["key", "generate", "old", ...OLD],
  },
  annotation: {
    run: async (tools) => (await open(tools)).annotateKey(KEY_1, [{ key: "name", value: "mine" }]),
    words: ["key", "annotate", "old", KEY_1, "--meta", "name=mine", ...OLD],
  },
  taint: {
    run: async (tools) => (await open(tools)).taintKey(KEY_1),
    words: ["key", "taint", "old", KEY_1, ...OLD],
  },
  untaint: {
    run: async (tools) => (await open(tools)).untaintKey(KEY_2),
    words: ["key", "untaint", "old", KEY_2, ...OLD],
  },
  isolation: {
    run: async (tools) => storeOf(tools).isolate(await open(tools), KEY_1, passphrase("first")),
    words: ["key", "isolate", "old", KEY_1, ...OLD, "--isolated-passphrase-file", "first"],
  },
  "another name": {
    run: (tools) => storeOf(tools).rename("w", "x"),
    words: ["rename", "old", "x"],
  },
  deletion: { run: (tools) => storeOf(tools).delete("w"), words: ["delete", "old", "--force"] },
  export: {
    async run(tools) {
      const file = await storeOf(tools).exportForOriginal(await open(tools), passphrase("second"));
      writeNewFile(join(folderOf(tools.home), "exported"), file, tools.steps);
    },
    words: ["export", "old", "--out", "wallets/exported", ...OLD, "--new-passphrase-file", "second"],
  },
  "permissions given": {
    run: async (tools) =>
      (await open(tools)).updatePermissions("other.example", {
        publicKeys: { access: "read", allowedKeys: [] },
      }),
  },
  "permissions revoked": {
    run: async (tools) => (await open(tools)).revokePermissions("page.example"),
    words: ["permissions", "revoke", "old", "page.example", ...OLD],
  },
  "permissions purged": {
    run: async (tools) => (await open(tools)).purgePermissions(),
    words: ["permissions", "purge", "old", "--force", ...OLD],
  },
  "a token": {
    run: (tools) =>
      tokensOf(tools).add({ wallet: "w", description: "two", createdAt: "", expiresAt: null }, tools.random),
    words: ["token", "generate", "old", "--description", "two"],
  },
  "a token's end": {
    run: async (tools) => tokensOf(tools).remove((await tokensOf(tools).list())[0]!.id),
  },
  "a session": {
    async run(tools) {
      const sessions = sessionsOf(tools.home, documents(tools), tools.random);
      await sessions.load();
      await sessions.open("second.example", "w", true);
    },
  },
  "a session's end": {
    async run(tools) {
      const sessions = sessionsOf(tools.home, documents(tools), tools.random);
      await sessions.load();
      await sessions.endAll({ hostname: "first.example" });
    },
  },
  "a network": {
    run: async (tools) => networks(tools).put({ ...NETWORK, name: "other" }),
    words: ["network", "add", "other", "--node-url", "http://127.0.0.1:2"],
  },
  "a network's change": {
    run: async (tools) =>
      networks(tools).put({ ...NETWORK, metadata: [{ key: "chain-id", value: "chain-2" }] }),
    words: ["network", "add", "local", "--force", "--node-url", "http://127.0.0.1:2"],
  },
  "a network's name": {
    run: async (tools) => networks(tools).rename("local", "other"),
    words: ["network", "rename", "local", "other"],
  },
  "a network's end": {
    run: async (tools) => networks(tools).remove("local"),
    words: ["network", "remove", "local"],
  },
};
