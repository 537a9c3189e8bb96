// Files that the command line writes beside wallets: phrases, exports, networks, the log of requests.
import { afterAll, describe, expect, test } from "bun:test";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import {
  type FileSteps,
  moveToFree,
  realSteps,
  writeFileWhole,
  writeNewFile,
} from "../../src/files/whole-file.ts";
import { FolderKeystore } from "../../src/wallet/keystore/folder-keystore.ts";
import { RequestLogFile, readLog } from "../../src/wallet/policies/request-log.ts";
import { Networks } from "../../src/wallet/service/networks.ts";
import { turns } from "../support/eventually.ts";
import { Cli } from "./support/cli.ts";
import { codeOf, failureOf } from "./support/failures.ts";
import { bytes, cheapStore, MemoryKeystore, PASSPHRASE, privateFolder } from "./support/wallets.ts";

const cli = new Cli();
const folder = privateFolder();
const stores = privateFolder();
afterAll(() => {
  cli.remove();
  folder.remove();
  stores.remove();
});

describe("a recovery phrase", () => {
  test("is kept before there is a wallet", async () => {
    const order: string[] = [];
    const keystore = new MemoryKeystore();
    const write = keystore.create.bind(keystore);
    keystore.create = async (name, file) => {
      order.push("the wallet");
      await write(name, file);
    };
    const { wallet, recoveryPhrase } = await cheapStore(keystore).create(
      { name: "w", passphrase: PASSPHRASE },
      async (phrase, { publicKey }) => {
        await turns(1);
        order.push(phrase, publicKey);
      },
    );
    expect(order).toEqual([recoveryPhrase, wallet.keys[0]!.publicKey, "the wallet"]);
  });

  test("that cannot be kept makes no wallet", async () => {
    const store = cheapStore();
    const making = store.create({ name: "w", passphrase: PASSPHRASE }, () => {
      throw new Error("no room");
    });
    expect(making).rejects.toThrow("no room");
    expect(await store.names()).toEqual([]);
  });

  test("of a wallet that could not be written is taken away again", async () => {
    const out = join(cli.home, "phrase");
    const blocked = join(cli.home, "blocked");
    // A folder in the place of the lock: it is seen when the wallet is written, and the phrase exists by then.
    mkdirSync(join(blocked, ".lock"), { recursive: true, mode: 0o700 });
    const words = ["wallet", "create", "never", "--wallets", blocked, "--recovery-phrase-out", out];
    const { code, err } = await cli.run([...words, "--passphrase-file", cli.passphraseFile]);
    expect([code, err.includes("cannot be locked"), existsSync(out)]).toEqual([1, true, false]);
  });
});

describe("a disk that does not confirm", () => {
  const failing = (code: string, isStuck = false): FileSteps => ({
    ...realSteps,
    remove(path) {
      if (isStuck && !path.endsWith(".lyra-tmp")) throw new Error("EIO");
      realSteps.remove(path);
    },
    syncFolder() {
      throw Object.assign(new Error(code), { code });
    },
  });

  test("a new wallet is taken back, so that what is said is so", async () => {
    const place = join(stores.path, "unconfirmed");
    const keystore = new FolderKeystore(place, failing("EIO"));
    const creating = () => keystore.exclusively(() => keystore.create("w", bytes("new")));
    expect(await codeOf(creating)).toBe("wallets_unusable");
    expect(await keystore.names()).toEqual([]);
    const stuck = new FolderKeystore(place, failing("EIO", true));
    expect(await codeOf(() => stuck.exclusively(() => stuck.create("w", bytes("new"))))).toBe(
      "change_unconfirmed",
    );
    expect(await stuck.names()).toEqual(["w"]);
  });

  test("a change that is made is not said to have failed", async () => {
    const place = join(stores.path, "changed");
    const sound = new FolderKeystore(place);
    await sound.exclusively(() => sound.create("w", bytes("old")));
    const keystore = new FolderKeystore(place, failing("EIO"));
    const attempt = (change: () => Promise<void>) => codeOf(() => keystore.exclusively(change));
    expect(await attempt(() => keystore.replace("w", bytes("new")))).toBe("change_unconfirmed");
    expect(await sound.read("w")).toEqual(bytes("new"));
    expect(await attempt(() => keystore.rename("w", "v"))).toBe("change_unconfirmed");
    expect(await attempt(() => keystore.remove("v"))).toBe("change_unconfirmed");
    expect(await sound.names()).toEqual([]);
  });

  test("folders that cannot be synced at all are good for wallets", async () => {
    const keystore = new FolderKeystore(join(stores.path, "shared"), failing("EINVAL"));
    await keystore.exclusively(() => keystore.create("w", bytes("new")));
    expect(await keystore.read("w")).toEqual(bytes("new"));
  });
});

describe("a folder that cannot be written", () => {
  test("gives no phrase away", async () => {
    const full: FileSteps = {
      ...realSteps,
      write() {
        throw Object.assign(new Error("ENOSPC"), { code: "ENOSPC" });
      },
    };
    const store = cheapStore(new FolderKeystore(join(stores.path, "full"), full));
    const phrases: string[] = [];
    const creating = () =>
      store.create({ name: "w", passphrase: PASSPHRASE }, (phrase) => void phrases.push(phrase));
    expect(await codeOf(creating)).toBe("wallets_unusable");
    expect(phrases).toEqual([]);
  });

  test("says which lock is in the way", async () => {
    const place = join(stores.path, "locked");
    mkdirSync(place, { mode: 0o700 });
    writeFileSync(join(place, ".lock"), "this is no lock of ours, and longer than a page's head ".repeat(20));
    const store = cheapStore(new FolderKeystore(place));
    const failure = await failureOf(() => store.create({ name: "w", passphrase: PASSPHRASE }));
    expect(failure.message).toContain(join(place, ".lock"));
    expect(failure.hint).toContain("remove it");
  });
});

test("a wallet of the longest name can be isolated, and the new one opened and renamed", async () => {
  const store = cheapStore(new FolderKeystore(join(stores.path, "long")));
  const name = "n".repeat(200);
  const { wallet } = await store.create({ name, passphrase: PASSPHRASE });
  const isolated = await store.isolate(wallet, wallet.keys[0]!.publicKey, PASSPHRASE);
  expect(await store.names()).toEqual([name, isolated]);
  expect((await store.unlock(isolated, PASSPHRASE)).isIsolated).toBe(true);
  await store.rename(isolated, "short");
  expect(await codeOf(() => store.rename("short", "n".repeat(201)))).toBe("wallet_name_invalid");
});

describe("a whole file", () => {
  test("is written whatever its length and its file system's modes", () => {
    const path = join(stores.path, "large");
    const open: FileSteps = { ...realSteps, create: (file) => openSync(file, "wx", 0o755) };
    const large = new Uint8Array(5 * 1024 * 1024).fill(7);
    writeNewFile(path, large, open);
    expect(readFileSync(path).length).toBe(large.length);
  });

  test("is new, or in the place of another", () => {
    const path = join(folder.path, "one");
    writeNewFile(path, bytes("1"));
    expect(() => writeNewFile(path, bytes("2"))).toThrow("EEXIST");
    expect(readFileSync(path, "utf8")).toBe("1");
    writeFileWhole(path, bytes("3"));
    expect([readFileSync(path, "utf8"), statSync(path).mode & 0o777]).toEqual(["3", 0o600]);
    expect(readdirSync(folder.path)).toEqual(["one"]);
  });

  test("that has two names, as a killed process leaves it, is moved to the end", () => {
    const [from, to] = [join(folder.path, "from"), join(folder.path, "to")];
    writeNewFile(from, bytes("x"));
    realSteps.link(from, to);
    moveToFree(from, to, realSteps);
    expect([existsSync(from), readFileSync(to, "utf8")]).toEqual([false, "x"]);
    writeNewFile(from, bytes("y"));
    expect(() => moveToFree(from, to, realSteps)).toThrow("EEXIST");
  });

  test("whose names are one entry of the folder stays: only their case differs, to such a file system", () => {
    const [from, link] = [join(folder.path, "case"), join(folder.path, "link")];
    writeNewFile(from, bytes("x"));
    // The same entry by another path, as `Case` is where case makes no difference.
    symlinkSync(folder.path, link);
    moveToFree(from, join(link, "case"), realSteps);
    expect(readFileSync(from, "utf8")).toBe("x");
  });
});

test("an export is not written over anything", async () => {
  const out = cli.file("taken", "mine");
  const words = ["wallet", "export", "old", "--out", out, "--passphrase-file", cli.passphraseFile];
  const { code, err } = await cli.run([...words, "--new-passphrase-file", cli.passphraseFile]);
  expect([code, err.includes("is there already"), readFileSync(out, "utf8")]).toEqual([1, true, "mine"]);
});

test("networks are renamed to what is free, and removed by either word", async () => {
  const network = (...words: string[]) => cli.run(["wallet", "network", ...words]);
  for (const name of ["one", "two"]) {
    expect((await network("add", name, "--node-url", "http://127.0.0.1:1")).code).toBe(0);
  }
  expect((await network("rename", "one", "two")).err).toContain("already exists");
  expect((await network("rename", "one", "three")).code).toBe(0);
  expect((await network("delete", "two", "--json")).out).toBe('{"removed":"two"}\n');
  const networks = join(cli.home, "networks");
  expect(readdirSync(networks)).toEqual(["three.toml"]);
  expect(statSync(join(networks, "three.toml")).mode & 0o777).toBe(0o600);
  // A folder in the place of a file.
  mkdirSync(join(networks, "four.toml"));
  const refused = await network("add", "four", "--node-url", "http://127.0.0.1:1", "--force", "--json");
  expect(JSON.parse(refused.err).error.code).toBe("file_unwritable");
});

test("half a line of the log does not spoil the next one", () => {
  const path = join(folder.path, "requests.jsonl");
  const entry = { time: "t", kind: "keys", hostname: "h", wallet: "w", outcome: "done" } as const;
  new RequestLogFile(path).append(entry);
  appendFileSync(path, '{"time":"t","ki');
  new RequestLogFile(path).append({ ...entry, hostname: "second" });
  expect(readLog(path).map(({ hostname }) => hostname)).toEqual(["h", "second"]);
});

test("leftovers of a killed process among the networks are removed by the next change: only Lyra's own, and old ones", () => {
  const networksFolder = privateFolder();
  const { path } = networksFolder;
  const now = Date.now();
  const make = (name: string, ageMs: number) => {
    const file = join(path, name);
    writeFileSync(file, "half", { mode: 0o600 });
    utimesSync(file, (now - ageMs) / 1_000, (now - ageMs) / 1_000);
  };
  const [old, young] = [".0123456789abcdef.lyra-tmp", ".fedcba9876543210.lyra-tmp"];
  const others = [".note.lyra-tmp", "x.lyra-tmp", ".0123456789abcdef.tmp"];
  make(old, 61_000);
  make(young, 1_000);
  for (const name of others) make(name, 1e9);
  const link = ".aaaaaaaaaaaaaaaa.lyra-tmp";
  symlinkSync(join(path, young), join(path, link));
  const networks = new Networks(path, realSteps, () => now);
  expect([networks.names(), readdirSync(path)]).toEqual([[], expect.arrayContaining([old])]);
  networks.put({
    name: "n",
    metadata: [],
    api: { grpc: { hosts: [], retries: 0 }, rest: { hosts: ["http://127.0.0.1:1"] }, graphQL: { hosts: [] } },
    apps: { explorer: "", console: "", governance: "" },
  });
  expect(readdirSync(path).sort()).toEqual([young, link, "n.toml", ...others].sort());
  networksFolder.remove();
});
