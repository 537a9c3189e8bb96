// The keystore port: one contract for every adapter, and what a folder has to be on top of it.
import { afterAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { FolderKeystore, withFolderLock } from "../../src/wallet/keystore/folder-keystore.ts";
import type { Keystore } from "../../src/wallet/keystore/keystore.ts";
import { turns } from "../support/eventually.ts";
import { codeOf, failureOf } from "./support/failures.ts";
import { bytes, MemoryKeystore, PrivateFolders } from "./support/wallets.ts";

const folders = new PrivateFolders();
afterAll(() => folders.remove());

const ONE = bytes("the first content");
const TWO = bytes("the second, longer content");

const adapters: [string, () => Keystore][] = [
  ["memory", () => new MemoryKeystore()],
  ["a folder", () => new FolderKeystore(folders.make())],
  ["a folder that is not there yet", () => new FolderKeystore(join(folders.make(), "home", "wallets"))],
];

describe.each(adapters)("%s", (_, open) => {
  test("is empty at first", async () => {
    const keystore = open();
    expect(await keystore.names()).toEqual([]);
    expect(await keystore.read("none")).toBeUndefined();
  });

  test("keeps what is created, replaced, renamed and removed", async () => {
    const keystore = open();
    await keystore.exclusively(async () => {
      await keystore.create("b", ONE);
      await keystore.create("a", ONE);
      await keystore.replace("a", TWO);
      await keystore.rename("b", "c");
      await keystore.rename("c", "c");
    });
    expect(await keystore.names()).toEqual(["a", "c"]);
    expect(await keystore.read("a")).toEqual(TWO);
    expect(await keystore.read("b")).toBeUndefined();
    expect(await keystore.read("c")).toEqual(ONE);
    await keystore.exclusively(() => keystore.remove("a"));
    expect(await keystore.names()).toEqual(["c"]);
  });

  test("writes over nothing that is not meant", async () => {
    const keystore = open();
    await keystore.exclusively(async () => {
      await keystore.create("a", ONE);
      await keystore.create("b", TWO);
      expect(await codeOf(() => keystore.create("a", TWO))).toBe("wallet_exists");
      expect(await codeOf(() => keystore.rename("a", "b"))).toBe("wallet_exists");
      expect(await codeOf(() => keystore.rename("none", "c"))).toBe("wallet_unknown");
      expect(await codeOf(() => keystore.replace("none", TWO))).toBe("wallet_unknown");
      expect(await codeOf(() => keystore.remove("none"))).toBe("wallet_unknown");
    });
    expect([await keystore.read("a"), await keystore.read("b")]).toEqual([ONE, TWO]);
  });

  test("lets one action after the other be alone", async () => {
    const keystore = open();
    const log: string[] = [];
    await Promise.all(
      ["a", "b", "c"].map((name) =>
        keystore.exclusively(async () => {
          log.push(`${name} begins`);
          await turns();
          log.push(`${name} ends`);
        }),
      ),
    );
    expect(log).toHaveLength(6);
    for (let index = 0; index < 6; index += 2) {
      expect(log[index + 1]).toBe(log[index]!.replace("begins", "ends"));
    }
  });

  test("is free again after an action that failed", async () => {
    const keystore = open();
    await expect(keystore.exclusively(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(await keystore.exclusively(async () => "yes")).toBe("yes");
  });

  test.each([
    "",
    ".",
    "..",
    ".hidden",
    "../up",
    "a/b",
    "a\\b",
    "a\0b",
    "a\nb",
    " a",
    "a ",
    "CON",
    "nul.txt",
    "x".repeat(201),
    "\u202eexe",
    "\ud800",
  ])("the name %j leads nowhere", async (name) => {
    const keystore = open();
    for (const action of [
      () => keystore.read(name),
      () => keystore.create(name, ONE),
      () => keystore.remove(name),
      () => keystore.locationOf(name),
    ]) {
      expect(await codeOf(action)).toBe("wallet_name_invalid");
    }
    expect(await keystore.names()).toEqual([]);
  });

  test.each(["wallet", "my wallet", "a.b5fd9d3c.isolated", "Ключ", "ключ-1", "-w"])(
    "the name %j is good",
    async (name) => {
      const keystore = open();
      await keystore.exclusively(() => keystore.create(name, ONE));
      expect(await keystore.names()).toEqual([name]);
    },
  );
});

describe("a folder of secrets", () => {
  const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

  test("is closed to others, and so are its files", async () => {
    const folder = join(folders.make(), "home", "wallets");
    const keystore = new FolderKeystore(folder);
    await keystore.exclusively(() => keystore.create("a", ONE));
    expect([modeOf(folder), modeOf(join(folder, "a")), modeOf(join(folder, ".lock"))]).toEqual([
      "700",
      "600",
      "600",
    ]);
    await keystore.exclusively(() => keystore.replace("a", TWO));
    expect(modeOf(join(folder, "a"))).toBe("600");
    expect(readdirSync(folder).sort()).toEqual([".lock", "a"]);
  });

  test.each([0o750, 0o705, 0o711, 0o777])("with mode %o is refused", async (mode) => {
    const folder = folders.make();
    const keystore = new FolderKeystore(folder);
    await keystore.exclusively(() => keystore.create("a", ONE));
    chmodSync(folder, mode);
    for (const action of [
      () => keystore.names(),
      () => keystore.read("a"),
      () => keystore.exclusively(() => keystore.replace("a", TWO)),
    ]) {
      const error = await failureOf(action);
      expect([error.code, error.hint]).toEqual(["wallet_open_to_others", `close it: chmod 700 ${folder}`]);
    }
    chmodSync(folder, 0o700);
    expect(await keystore.read("a")).toEqual(ONE);
  });

  test.each([0o640, 0o604, 0o660])(
    "refuses a file with mode %o, for reading and for writing over it",
    async (mode) => {
      const folder = folders.make();
      const keystore = new FolderKeystore(folder);
      await keystore.exclusively(() => keystore.create("a", ONE));
      chmodSync(join(folder, "a"), mode);
      expect(await codeOf(() => keystore.read("a"))).toBe("wallet_open_to_others");
      expect(await codeOf(() => keystore.exclusively(() => keystore.replace("a", TWO)))).toBe(
        "wallet_open_to_others",
      );
      expect(await codeOf(() => keystore.exclusively(() => keystore.remove("a")))).toBe(
        "wallet_open_to_others",
      );
      expect(readFileSync(join(folder, "a"))).toEqual(Buffer.from(ONE));
    },
  );

  test("refuses links, pipes and folders in the place of files", async () => {
    const folder = folders.make();
    const elsewhere = join(folders.make(), "secret");
    writeFileSync(elsewhere, ONE, { mode: 0o600 });
    symlinkSync(elsewhere, join(folder, "link"));
    Bun.spawnSync(["mkfifo", "-m", "600", join(folder, "pipe")]);
    mkdirSync(join(folder, "folder"), { mode: 0o700 });
    const keystore = new FolderKeystore(folder);
    expect(await codeOf(() => keystore.read("link"))).toBe("wallet_is_link");
    expect(await codeOf(() => keystore.exclusively(() => keystore.replace("link", TWO)))).toBe(
      "wallet_is_link",
    );
    expect(await codeOf(() => keystore.exclusively(() => keystore.create("link", TWO)))).toBe(
      "wallet_exists",
    );
    expect(await codeOf(() => keystore.read("pipe"))).toBe("wallets_unusable");
    expect(await codeOf(() => keystore.read("folder"))).toBe("wallets_unusable");
    expect(readFileSync(elsewhere)).toEqual(Buffer.from(ONE));
    expect(await keystore.names()).toEqual(["link", "pipe"]);
  });

  test("may be reached by a link, as long as it is fit itself", async () => {
    const folder = folders.make();
    const link = join(folders.make(), "link");
    symlinkSync(folder, link);
    const keystore = new FolderKeystore(link);
    await keystore.exclusively(() => keystore.create("a", ONE));
    expect(existsSync(join(folder, "a"))).toBe(true);
    chmodSync(folder, 0o755);
    expect(await codeOf(() => keystore.read("a"))).toBe("wallet_open_to_others");
    chmodSync(folder, 0o700);
  });

  test("is no file", async () => {
    const path = join(folders.make(), "file");
    writeFileSync(path, "");
    const keystore = new FolderKeystore(path);
    expect(await codeOf(() => keystore.names())).toBe("wallets_unusable");
    expect(await codeOf(() => keystore.exclusively(async () => {}))).toBe("wallets_unusable");
  });

  test("writes nothing that it would not read", async () => {
    const keystore = new FolderKeystore(folders.make());
    const huge = new Uint8Array(4 * 1024 * 1024 + 1);
    await keystore.exclusively(() => keystore.create("a", ONE));
    expect(await codeOf(() => keystore.exclusively(() => keystore.create("b", huge)))).toBe(
      "wallet_too_large",
    );
    expect(await codeOf(() => keystore.exclusively(() => keystore.replace("a", huge)))).toBe(
      "wallet_too_large",
    );
    expect([await keystore.names(), await keystore.read("a")]).toEqual([["a"], ONE]);
  });

  test("serves many writers of one process in their order", async () => {
    const keystore = new FolderKeystore(folders.make());
    const order: number[] = [];
    const turns = Array.from({ length: 100 }, (_, turn) =>
      keystore.exclusively(async () => order.push(turn)),
    );
    await Promise.all(turns);
    expect(order).toEqual(turns.map((_, turn) => turn));
  });

  test("refuses files that are too large to be wallets", async () => {
    const folder = folders.make();
    writeFileSync(join(folder, "huge"), new Uint8Array(4 * 1024 * 1024 + 1), { mode: 0o600 });
    expect(await codeOf(() => new FolderKeystore(folder).read("huge"))).toBe("wallet_damaged");
  });

  test("is the owner's alone", async () => {
    if (process.getuid?.() !== 0) {
      console.log("not root: a folder of another user cannot be made, so it is not tested");
      return;
    }
    const folder = folders.make();
    const keystore = new FolderKeystore(folder);
    await keystore.exclusively(() => keystore.create("a", ONE));
    Bun.spawnSync(["chown", "65534", join(folder, "a")]);
    expect(await codeOf(() => keystore.read("a"))).toBe("wallet_not_yours");
    Bun.spawnSync(["chown", "65534", folder]);
    expect(await codeOf(() => keystore.names())).toBe("wallet_not_yours");
    Bun.spawnSync(["chown", "-R", "0", folder]);
    expect(await keystore.read("a")).toEqual(ONE);
  });

  test("leftovers of a killed process are removed by the next writer, and are not wallets", async () => {
    const folder = folders.make();
    const keystore = new FolderKeystore(folder);
    await keystore.exclusively(() => keystore.create("a", ONE));
    writeFileSync(join(folder, ".0123456789abcdef.lyra-tmp"), "half", { mode: 0o600 });
    linkSync(join(folder, "a"), join(folder, ".fedcba9876543210.lyra-tmp"));
    expect(await keystore.names()).toEqual(["a"]);
    await keystore.exclusively(() => keystore.replace("a", TWO));
    expect(readdirSync(folder).sort()).toEqual([".lock", "a"]);
    expect(await keystore.read("a")).toEqual(TWO);
  });
});

test("a wallet that is named like a leftover stays", async () => {
  const keystore = new FolderKeystore(folders.make());
  await keystore.exclusively(() => keystore.create("x.lyra-tmp", ONE));
  await keystore.exclusively(() => keystore.create("a", TWO));
  expect([await keystore.names(), await keystore.read("x.lyra-tmp")]).toEqual([["a", "x.lyra-tmp"], ONE]);
});

describe("the lock", () => {
  test("of another process is waited for, and ends with it", async () => {
    const folder = folders.make();
    const holder = join(import.meta.dir, "support", "holder.ts");
    const child = Bun.spawn([process.execPath, holder, folder], { stdout: "pipe", stderr: "inherit" });
    const reader = child.stdout.getReader();
    await reader.read();
    const error = await failureOf(() => withFolderLock(folder, async () => {}, 50));
    expect([error.code, error.exitCode]).toEqual(["wallet_busy", 3]);
    const waiting = withFolderLock(folder, async () => "free");
    child.kill("SIGKILL");
    expect(await waiting).toBe("free");
    await child.exited;
  });
});
