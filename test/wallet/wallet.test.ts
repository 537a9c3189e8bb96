// Stores and unlocked wallets: keys, permissions, changes by several at once, and locking.
import { describe, expect, test } from "bun:test";
import { ed25519KeyPair } from "../../src/crypto/ed25519.ts";
import { sha3Of } from "../../src/crypto/sha.ts";
import { codeOf, failureOf } from "./support/failures.ts";
import {
  ISOLATED_FILE,
  KEY_1,
  KEY_2,
  KEY_3,
  KEYS,
  ORIGINAL_FILE,
  PHRASE,
  WALLET_ID,
} from "./support/vectors.ts";
import { bytes, cheapStore, hex, MemoryKeystore, PASSPHRASE, vectorWallet } from "./support/wallets.ts";

const UNKNOWN = "ab".repeat(32);
const OTHER = bytes("another one");

describe("a store", () => {
  test("creates a wallet that its phrase restores", async () => {
    const store = cheapStore();
    const { wallet, recoveryPhrase } = await store.create({ name: "mine", passphrase: PASSPHRASE });
    expect(recoveryPhrase.split(" ")).toHaveLength(24);
    expect([wallet.keyVersion, wallet.isIsolated, wallet.format]).toEqual([2, false, "lyra"]);
    expect(wallet.keys).toEqual([
      {
        publicKey: expect.stringMatching(/^[0-9a-f]{64}$/),
        name: "Key 1",
        algorithm: { name: "vega/ed25519", version: 1 },
        metadata: [{ key: "name", value: "Key 1" }],
        isTainted: false,
      },
    ]);
    const again = await store.import({ name: "again", passphrase: OTHER, recoveryPhrase });
    expect([again.id, again.keys]).toEqual([wallet.id, wallet.keys]);
    expect(await store.names()).toEqual(["again", "mine"]);
  });

  test.each([1, 2] as const)("imports version %i with the vectors' keys", async (version) => {
    const wallet = await vectorWallet(cheapStore(), "w", version);
    await wallet.generateKey();
    await wallet.generateKey();
    const publicKeys = KEYS.filter(([of]) => of === version).map(([, , publicKey]) => publicKey);
    expect([wallet.id, wallet.keys.map(({ publicKey }) => publicKey)]).toEqual([WALLET_ID, publicKeys]);
  });

  test("refuses what would be lost or cannot be", async () => {
    const store = cheapStore();
    await vectorWallet(store, "w");
    const request = { name: "w", passphrase: PASSPHRASE };
    expect((await failureOf(() => store.create(request))).message).toBe(
      "a wallet with the same name already exists",
    );
    expect(await codeOf(() => store.import({ ...request, recoveryPhrase: PHRASE }))).toBe("wallet_exists");
    expect(await codeOf(() => store.create({ name: "x", passphrase: bytes("") }))).toBe("passphrase_empty");
    expect(await codeOf(() => store.create({ name: "x", passphrase: new Uint8Array(4097) }))).toBe(
      "passphrase_too_long",
    );
    expect(await codeOf(() => store.create({ name: "../x", passphrase: PASSPHRASE }))).toBe(
      "wallet_name_invalid",
    );
    expect(
      await codeOf(() => store.import({ name: "x", passphrase: PASSPHRASE, recoveryPhrase: "a b" })),
    ).toBe("recovery_phrase_invalid");
    const bad = { name: "x", passphrase: PASSPHRASE, recoveryPhrase: PHRASE, version: 3 as 1 };
    expect((await failureOf(() => store.import(bad))).message).toBe(
      "the wallet with key derivation version 3 isn't supported",
    );
    expect(await store.names()).toEqual(["w"]);
  });

  test("tells a wrong name from a wrong passphrase", async () => {
    const store = cheapStore();
    await vectorWallet(store, "w");
    expect((await failureOf(() => store.unlock("x", PASSPHRASE))).message).toBe("the wallet does not exist");
    expect((await failureOf(() => store.unlock("w", OTHER))).message).toBe("wrong passphrase");
    expect((await store.unlock("w", PASSPHRASE)).keys[0]!.publicKey).toBe(KEY_1);
  });

  test("changes the passphrase", async () => {
    const store = cheapStore();
    const wallet = await vectorWallet(store, "w");
    await store.changePassphrase(wallet, OTHER);
    expect(await codeOf(() => store.unlock("w", PASSPHRASE))).toBe("wrong_passphrase");
    await wallet.generateKey();
    expect((await store.unlock("w", OTHER)).keys.map(({ publicKey }) => publicKey)).toEqual([KEY_1, KEY_2]);
  });

  test("works in a file of the original, and upgrades it when asked", async () => {
    const keystore = new MemoryKeystore();
    keystore.files.set("old", new Uint8Array(Buffer.from(ORIGINAL_FILE.base64, "base64")));
    const store = cheapStore(keystore);
    expect(await store.list()).toEqual([{ name: "old", format: "original", problem: undefined }]);
    const passphrase = bytes(ORIGINAL_FILE.passphrase);
    const wallet = await store.unlock("old", passphrase);
    await wallet.generateKey([{ key: "name", value: "second" }]);
    await store.changePassphrase(wallet, OTHER);
    expect([(await store.unlock("old", OTHER)).format, wallet.keys[1]!.name]).toEqual(["original", "second"]);
    await store.upgrade(wallet, passphrase);
    expect((await store.list())[0]!.format).toBe("lyra");
    const upgraded = await store.unlock("old", passphrase);
    expect([upgraded.format, upgraded.id, upgraded.keys]).toEqual(["lyra", WALLET_ID, wallet.keys]);
  });

  test("writes files for the original, and imports them", async () => {
    const store = cheapStore();
    const wallet = await vectorWallet(store, "w");
    await wallet.updatePermissions("dapp.example", { publicKeys: { access: "read", allowedKeys: [KEY_1] } });
    const file = await store.exportForOriginal(wallet, OTHER);
    const back = await store.importFile({
      name: "back",
      passphrase: PASSPHRASE,
      file,
      filePassphrase: OTHER,
    });
    expect([back.format, back.id, back.keys, back.allPermissions]).toEqual([
      "lyra",
      WALLET_ID,
      wallet.keys,
      wallet.allPermissions,
    ]);
    expect(
      await codeOf(() =>
        store.importFile({ name: "no", passphrase: OTHER, file, filePassphrase: PASSPHRASE }),
      ),
    ).toBe("wrong_passphrase");
  });

  test("renames and deletes", async () => {
    const store = cheapStore();
    await vectorWallet(store, "w");
    await store.rename("w", "x");
    expect(await store.names()).toEqual(["x"]);
    expect((await store.unlock("x", PASSPHRASE)).id).toBe(WALLET_ID);
    await store.delete("x");
    expect(await codeOf(() => store.delete("x"))).toBe("wallet_unknown");
    expect(await store.names()).toEqual([]);
  });
});

describe("keys", () => {
  test("are described, annotated, tainted and untainted", async () => {
    const wallet = await vectorWallet();
    const second = await wallet.generateKey([{ key: "use", value: "trading" }]);
    expect([second.publicKey, second.name]).toEqual([KEY_2, "Key 2"]);
    expect(second.metadata).toEqual([
      { key: "use", value: "trading" },
      { key: "name", value: "Key 2" },
    ]);
    expect((await wallet.annotateKey(KEY_2, [{ key: "name", value: "two" }])).metadata).toEqual([
      { key: "name", value: "two" },
    ]);
    expect((await wallet.annotateKey(KEY_2, [])).name).toBe("Key 2");
    await wallet.taintKey(KEY_2);
    expect(wallet.key(KEY_2).isTainted).toBe(true);
    expect((await failureOf(() => wallet.taintKey(KEY_2))).message).toBe("the public key is already tainted");
    expect((await failureOf(() => wallet.signMessage(KEY_2, bytes("x")))).message).toBe(
      "the public key is tainted",
    );
    await wallet.untaintKey(KEY_2);
    expect((await failureOf(() => wallet.untaintKey(KEY_2))).message).toBe("the public key is not tainted");
    expect(wallet.signMessage(KEY_2, bytes("x"))).toHaveLength(64);
  });

  test("that are unknown are refused everywhere", async () => {
    const wallet = await vectorWallet();
    for (const action of [
      () => wallet.key(UNKNOWN),
      () => wallet.annotateKey(UNKNOWN, []),
      () => wallet.taintKey(UNKNOWN),
      () => wallet.untaintKey(UNKNOWN),
      () => wallet.signMessage(UNKNOWN, bytes("x")),
      () => cheapStore().isolate(wallet, UNKNOWN, OTHER),
    ]) {
      expect((await failureOf(action)).message).toBe("the public key does not exist");
    }
  });

  test("have metadata within limits", async () => {
    const wallet = await vectorWallet();
    for (const metadata of [
      [{ key: "", value: "x" }],
      [{ key: "x", value: "x".repeat(1001) }],
      [{ key: "\ud800", value: "x" }],
      Array.from({ length: 101 }, (_, index) => ({ key: String(index), value: "" })),
    ]) {
      expect(await codeOf(() => wallet.annotateKey(KEY_1, metadata))).toBe("metadata_invalid");
    }
    expect(wallet.key(KEY_1).name).toBe("Key 1");
  });

  test("are isolated into a wallet of their own, as the original does it", async () => {
    const store = cheapStore();
    const wallet = await vectorWallet(store, "w");
    await wallet.generateKey();
    await wallet.updatePermissions("one", { publicKeys: { access: "read", allowedKeys: [KEY_2, KEY_1] } });
    await wallet.updatePermissions("two", { publicKeys: { access: "read", allowedKeys: [KEY_2] } });
    await wallet.updatePermissions("all", { publicKeys: { access: "read", allowedKeys: [] } });
    expect(await store.isolate(wallet, KEY_1, OTHER)).toBe("w.b5fd9d3c.isolated");
    const alone = await store.unlock("w.b5fd9d3c.isolated", OTHER);
    expect([alone.id, alone.isIsolated, alone.keys.map(({ publicKey }) => publicKey)]).toEqual([
      WALLET_ID,
      true,
      [KEY_1],
    ]);
    expect([...alone.allPermissions.keys()]).toEqual(["all", "one"]);
    expect(alone.permissions("one").publicKeys.allowedKeys).toEqual([KEY_1]);
    expect((await failureOf(() => alone.generateKey())).message).toBe(
      "an isolated wallet can't generate keys",
    );
    expect(await codeOf(() => store.isolate(wallet, KEY_1, OTHER))).toBe("wallet_exists");
    await wallet.taintKey(KEY_2);
    expect(await codeOf(() => store.isolate(wallet, KEY_2, OTHER))).toBe("key_tainted");
    // The original's own isolated file opens the same key.
    const theirs = cheapStore();
    const file = new Uint8Array(Buffer.from(ISOLATED_FILE.base64, "base64"));
    const filePassphrase = bytes(ISOLATED_FILE.passphrase);
    const imported = await theirs.importFile({ name: "i", passphrase: OTHER, file, filePassphrase });
    expect([imported.isIsolated, imported.keys]).toEqual([true, alone.keys]);
  });
});

describe("permissions", () => {
  const read = (...allowedKeys: string[]) => ({ publicKeys: { access: "read" as const, allowedKeys } });

  test("say which keys a hostname sees", async () => {
    const wallet = await vectorWallet();
    await wallet.generateKey();
    await wallet.generateKey();
    const seenBy = (hostname: string) => wallet.keysFor(hostname).map(({ publicKey }) => publicKey);
    expect([seenBy("dapp"), wallet.permissions("dapp")]).toEqual([
      [],
      { publicKeys: { access: "none", allowedKeys: [] } },
    ]);
    await wallet.updatePermissions("dapp", read(KEY_3, KEY_1));
    await wallet.updatePermissions("all", read());
    expect([seenBy("dapp"), seenBy("all"), seenBy("Dapp")]).toEqual([
      [KEY_3, KEY_1],
      [KEY_1, KEY_2, KEY_3],
      [],
    ]);
    await wallet.taintKey(KEY_3);
    expect([seenBy("dapp"), seenBy("all")]).toEqual([[KEY_1], [KEY_1, KEY_2]]);
    // The last allowed key takes the access with it: not all other keys in its place.
    await wallet.taintKey(KEY_1);
    expect([seenBy("dapp"), wallet.permissions("dapp").publicKeys.access, seenBy("all")]).toEqual([
      [],
      "none",
      [KEY_2],
    ]);
    await wallet.taintKey(KEY_2);
    expect(wallet.permissions("all").publicKeys.access).toBe("none");
    await wallet.untaintKey(KEY_1);
    expect([seenBy("dapp"), seenBy("all")]).toEqual([[], []]);
    await wallet.updatePermissions("dapp", read());
    await wallet.revokePermissions("dapp");
    await wallet.revokePermissions("never was");
    expect([...wallet.allPermissions.keys()]).toEqual(["all"]);
    await wallet.purgePermissions();
    expect(wallet.allPermissions.size).toBe(0);
  });

  test("must go with the keys, in the original's words", async () => {
    const wallet = await vectorWallet();
    await wallet.generateKey();
    await wallet.taintKey(KEY_2);
    const messageOf = async (
      permissions: ReturnType<typeof read> | { publicKeys: { access: "none"; allowedKeys: string[] } },
    ) =>
      (await failureOf(() => wallet.updatePermissions("dapp", permissions))).message.replace(
        "could not update the permissions: inconsistent permissions setup: ",
        "",
      );
    expect(await messageOf({ publicKeys: { access: "none", allowedKeys: [KEY_1] } })).toBe(
      `can't set allowed keys with "none" access`,
    );
    expect(await messageOf(read(UNKNOWN))).toBe(`this allowed key ${UNKNOWN} does not exist on wallet`);
    expect(await messageOf(read(KEY_1, KEY_2))).toBe(`this allowed key ${KEY_2} is tainted`);
    await wallet.taintKey(KEY_1);
    expect(await messageOf(read())).toBe("all the keys in this wallet are tainted");
    expect(await codeOf(() => wallet.updatePermissions("", read()))).toBe("hostname_invalid");
    expect(await codeOf(() => wallet.updatePermissions("a\nb", read()))).toBe("hostname_invalid");
  });

  test("of odd hostnames survive the file", async () => {
    const store = cheapStore();
    const wallet = await vectorWallet(store, "w");
    const hostnames = ["__proto__", "constructor", "3000", "null", "localhost:3000", "<b>&"];
    for (const hostname of hostnames) await wallet.updatePermissions(hostname, read());
    const again = await store.unlock("w", PASSPHRASE);
    expect([...again.allPermissions.keys()].sort()).toEqual(hostnames.toSorted());
    const file = await store.exportForOriginal(wallet, OTHER);
    const back = await store.importFile({ name: "b", passphrase: OTHER, file, filePassphrase: OTHER });
    expect([...back.allPermissions.keys()].sort()).toEqual(hostnames.toSorted());
  });
});

describe("several at once", () => {
  test("no change is lost", async () => {
    const store = cheapStore();
    await vectorWallet(store, "w");
    const wallets = await Promise.all([1, 2, 3].map(() => store.unlock("w", PASSPHRASE)));
    await Promise.all(
      wallets.flatMap((wallet, who) =>
        [1, 2, 3].map((turn) =>
          wallet.updatePermissions(`host-${who}-${turn}`, {
            publicKeys: { access: "read", allowedKeys: [] },
          }),
        ),
      ),
    );
    await Promise.all(wallets.map((wallet) => wallet.generateKey()));
    const after = await store.unlock("w", PASSPHRASE);
    expect([after.allPermissions.size, after.keys.length]).toEqual([9, 4]);
    for (const wallet of wallets) {
      await wallet.refresh();
      expect([wallet.allPermissions.size, wallet.keys]).toEqual([9, after.keys]);
    }
  });

  test("a passphrase changed elsewhere locks the others out, and their changes are refused", async () => {
    const store = cheapStore();
    const wallet = await vectorWallet(store, "w");
    const other = await store.unlock("w", PASSPHRASE);
    await store.changePassphrase(other, OTHER);
    expect(await codeOf(() => wallet.generateKey())).toBe("wallet_changed");
    expect(await codeOf(() => wallet.refresh())).toBe("wallet_changed");
    expect(await codeOf(() => store.changePassphrase(wallet, PASSPHRASE))).toBe("wallet_changed");
    expect((await store.unlock("w", OTHER)).keys).toHaveLength(1);
  });

  test("another wallet under the same name is not written over", async () => {
    const keystore = new MemoryKeystore();
    const store = cheapStore(keystore);
    const wallet = await vectorWallet(store, "w");
    await store.delete("w");
    expect(await codeOf(() => wallet.generateKey())).toBe("wallet_unknown");
    // A file of the original has no salt: the same passphrase is the same key, and the identifier tells them apart.
    const { wallet: stranger } = await store.create({ name: "s", passphrase: PASSPHRASE });
    keystore.files.set("w", await store.exportForOriginal(stranger, PASSPHRASE));
    const opened = await store.unlock("w", PASSPHRASE);
    keystore.files.set("w", await store.exportForOriginal(wallet, PASSPHRASE));
    expect(await codeOf(() => opened.generateKey())).toBe("wallet_changed");
  });
});

describe("locking", () => {
  test("wipes every secret that lies in a buffer", async () => {
    const wallet = await vectorWallet();
    await wallet.generateKey();
    wallet.signMessage(KEY_1, bytes("x"));
    const inside = wallet as unknown as {
      data: { node: Uint8Array; keys: { seed: Uint8Array }[] } | undefined;
      seal: { derived: Uint8Array };
      signers: Map<string, unknown>;
    };
    const secrets = [inside.data!.node, ...inside.data!.keys.map(({ seed }) => seed), inside.seal.derived];
    expect(secrets.map(({ length }) => length)).toEqual([64, 32, 32, 64]);
    expect(secrets.every((secret) => secret.some((byte) => byte !== 0))).toBe(true);
    wallet.lock();
    wallet.lock();
    expect(secrets.every((secret) => secret.every((byte) => byte === 0))).toBe(true);
    expect([inside.data, inside.signers.size, wallet.isLocked]).toEqual([undefined, 0, true]);
    for (const action of [
      () => wallet.keys,
      () => wallet.id,
      () => wallet.generateKey(),
      () => wallet.rotateKey({} as never),
    ]) {
      expect((await failureOf(action)).message).toBe("the wallet is locked");
    }
  });

  test("a change wipes the secrets of before, and goes on with those of now", async () => {
    const wallet = await vectorWallet();
    const inside = wallet as unknown as { data: { node: Uint8Array } };
    const before = inside.data.node;
    await wallet.generateKey();
    expect(before.every((byte) => byte === 0)).toBe(true);
    await wallet.taintKey(KEY_2);
    await wallet.generateKey();
    expect(wallet.keys.map(({ publicKey }) => publicKey)).toEqual([KEY_1, KEY_2, KEY_3]);
    const seed = Buffer.from(KEYS[5]![3], "hex");
    expect(wallet.signMessage(KEY_3, bytes("x"))).toEqual(ed25519KeyPair(seed).sign(sha3Of(bytes("x"))));
  });

  test("while a change is written keeps the change in the file, and no secret in memory", async () => {
    const keystore = new MemoryKeystore();
    const store = cheapStore(keystore);
    const wallet = await vectorWallet(store, "w");
    const write = keystore.replace.bind(keystore);
    keystore.replace = async (name, file) => {
      wallet.lock();
      await write(name, file);
    };
    expect((await wallet.generateKey()).publicKey).toBe(KEY_2);
    expect([wallet.isLocked, (wallet as unknown as { data: unknown }).data]).toEqual([true, undefined]);
    expect((await store.unlock("w", PASSPHRASE)).keys).toHaveLength(2);
    expect(await codeOf(() => wallet.generateKey())).toBe("wallet_locked");
  });

  test("the passphrase given stays the caller's", async () => {
    const passphrase = Uint8Array.from(PASSPHRASE);
    const store = cheapStore();
    await store.create({ name: "w", passphrase });
    await store.unlock("w", passphrase);
    expect(hex(passphrase)).toBe(hex(PASSPHRASE));
  });
});
